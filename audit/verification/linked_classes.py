"""What is claimed of a class of linked records counted again, record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from audit.adversary.record_linkage import FollowedRecords
from audit.findings.homogeneous_class import HomogeneousClass
from audit.model.arrays import Flags
from audit.verification.disclosure import BrokenCertificateError, check_fields
from audit.verification.record import RecordFollower


def check_linked(
    findings: Sequence[HomogeneousClass[int]], source: FollowedRecords, sensitive: str, *, constant: bool
) -> None:
    """Hold findings about linked records against the rows of the releases; `constant` if values never change.

    Raises:
        BrokenCertificateError: the records that look alike are others, or have other values.
    """
    for finding in findings:
        _check_codes(finding, source, constant=constant)
    releases = max(map(_after, findings), default=-1) + 1
    own = np.zeros(source.releases.names.size, dtype=np.bool_)
    own[[finding.record for finding in findings]] = True
    followed, near = RecordFollower(source), own.copy()
    for release in range(releases):
        followed.follow(followed.rows(release, own))
        for finding in findings:
            if _after(finding) == release and finding.record in followed.table:
                near |= followed.covering(followed.table[finding.record], release)
    followed, counter = RecordFollower(source), _RecordValues(source, sensitive, near, constant=constant)
    for release in range(releases):
        followed.follow(followed.rows(release, near))
        counter.read(release)
        for finding in findings:
            if _after(finding) == release:
                counter.check(finding, followed)


def _check_codes(finding: HomogeneousClass[int], source: FollowedRecords, *, constant: bool) -> None:
    check_fields(finding)
    if not 0 <= finding.release <= _after(finding) < len(source.releases) or finding.number:
        raise BrokenCertificateError("there is no such class")
    if constant and finding.release != _after(finding):
        raise BrokenCertificateError("values that never change are told after the last release")
    if not 0 <= finding.record < source.releases.names.size:
        raise BrokenCertificateError("there is no such record")


def _after(finding: HomogeneousClass[int]) -> int:
    """Return the last release over which the records look alike, -1 where there is none."""
    return -1 if finding.after is None else finding.after


class _RecordValues:
    """The values and groups of some records so far; `near` says of which, by code."""

    def __init__(self, source: FollowedRecords, sensitive: str, near: Flags, *, constant: bool) -> None:
        self._source, self._sensitive, self._near, self._constant = source, sensitive, near, constant
        self._values: list[dict[int, int]] = []
        self._always: dict[int, int] = {}
        self._group: dict[int, str] = {}

    def read(self, release: int) -> None:
        """Note the values of the records of a release, and their groups.

        Raises:
            BrokenCertificateError: a value changes that must not, or stands beside no row.
        """
        read = self._source.releases.get(release)
        if read.record is None or not read.release.values_by_row or read.release.counts is not None:
            raise BrokenCertificateError("the values of records are not published")
        places = np.flatnonzero(self._near[read.record])
        records, groups = read.record[places].tolist(), read.release.group.codes[places].tolist()
        values = read.release.entry_value[self._sensitive][places].tolist()
        self._values.append(dict(zip(records, values, strict=True)))
        self._group |= zip(records, map(read.release.group.name, groups), strict=True)
        for record, value in self._values[-1].items():
            if self._always.setdefault(record, value) != value and self._constant:
                raise BrokenCertificateError("the value of a record changes")

    def check(self, finding: HomogeneousClass[int], followed: RecordFollower) -> None:
        """Hold a finding against what is known of all records.

        Raises:
            BrokenCertificateError: it does not hold.
        """
        mine = followed.table.get(finding.record)
        if mine is None or self._group[finding.record] != finding.group:
            raise BrokenCertificateError("there is no such record, or it is in another group")
        values = self._always if self._constant else self._values[finding.release]
        alike = Counter(value for record, value in values.items() if followed.table[record] == mine)
        some, rows = alike[finding.value], alike.total()
        if finding.record not in values or not some or (some, rows) != (finding.with_value, finding.rows):
            raise BrokenCertificateError("the records that look alike do not have this value so often")
        if finding.risk != some / rows:
            raise BrokenCertificateError("this is not the share of the value")
