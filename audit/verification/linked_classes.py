"""What is claimed of a class of linked records counted again, record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from audit.adversary.held_series import HeldSeries
from audit.adversary.view import View
from audit.findings.close_numbers import KnownNearly
from audit.findings.homogeneous_class import HomogeneousClass
from audit.model.arrays import Codes
from audit.verification.disclosure import BrokenCertificateError
from audit.verification.record import EqualRows, RecordFollower, ReleaseRecords

F = TypeVar("F", HomogeneousClass[int], KnownNearly[int])


def linked_values(findings: Sequence[F], view: View) -> Iterator[tuple[F, Counter[int]]]:
    """Yield each finding about linked records with how often those that look alike have each value.

    Raises:
        BrokenCertificateError: the records that look alike are others.
    """
    constant = view.transitions is None
    for finding in findings:
        _check_codes(finding, view.held, constant=constant)
    followed, counter = RecordFollower(view), _RecordValues(view.held.names.size, view.sensitive, constant=constant)
    for release in range(max(map(_after, findings), default=-1) + 1):
        rows = followed.read(release)
        followed.follow(rows)
        counter.read(rows)
        due = [finding for finding in findings if _after(finding) == release]
        classes = EqualRows(followed.table if due else followed.table[:0])
        for finding in due:
            yield finding, counter.values(finding, classes)


def _check_codes(finding: HomogeneousClass[int] | KnownNearly[int], held: HeldSeries, *, constant: bool) -> None:
    if not 0 <= finding.release <= _after(finding) < len(held) or finding.number:
        raise BrokenCertificateError("there is no such class")
    if constant and finding.release != _after(finding):
        raise BrokenCertificateError("values that never change are told after the last release")
    if not 0 <= finding.record < held.names.size:
        raise BrokenCertificateError("there is no such record")


def _after(finding: HomogeneousClass[int] | KnownNearly[int]) -> int:
    """Return the last release over which the records look alike, -1 where there is none."""
    return -1 if finding.after is None else finding.after


class _RecordValues:
    """The values of records in each release, the first one of each, and their groups, so far; by record, else -1."""

    def __init__(self, records: int, sensitive: str, *, constant: bool) -> None:
        self._sensitive, self._constant = sensitive, constant
        self._releases: list[ReleaseRecords] = []
        self._of_release: list[Codes] = []
        self._first = np.full(records, -1, dtype=np.int32)
        self._changed = np.zeros(records, dtype=np.bool_)

    def read(self, rows: ReleaseRecords) -> None:
        """Note the values of the records of a release.

        Raises:
            BrokenCertificateError: they do not stand beside their rows.
        """
        if not rows.release.values_by_row or rows.release.counts is not None:
            raise BrokenCertificateError("the values of records are not published")
        values, record = rows.release.entry_value[self._sensitive], rows.record
        before = self._first[record]
        self._changed[record] |= (before >= 0) & (before != values)
        self._first[record] = np.where(before < 0, values, before)
        self._of_release.append(np.full(len(self._first), -1, dtype=np.int32))
        self._of_release[-1][record] = values
        self._releases.append(rows)

    def values(self, finding: HomogeneousClass[int] | KnownNearly[int], classes: EqualRows) -> Counter[int]:
        """Return how often the records that look like that of a finding have each value.

        Raises:
            BrokenCertificateError: there is no such record, or a value changes.
        """
        last = next((rows for rows in reversed(self._releases) if rows.row[finding.record] >= 0), None)
        if last is None or last.group(int(last.row[finding.record])) != finding.group:
            raise BrokenCertificateError("there is no such record, or it is in another group")
        values = self._first if self._constant else self._of_release[finding.release]
        records = classes.like(finding.record)
        if self._constant and self._changed[records].any():
            raise BrokenCertificateError("the value of a record changes")
        alike = values[records]
        if values[finding.record] < 0:
            raise BrokenCertificateError("the record has no value there")
        return Counter(alike[alike >= 0].tolist())
