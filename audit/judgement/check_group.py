"""Check claims about a class of rows, or of linked records, by counting the rows again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from audit.adversary.held_series import HeldSeries, record_of
from audit.adversary.view import View
from audit.findings.close_numbers import KnownNearly
from audit.findings.homogeneous_class import HomogeneousClass, HomogeneousClasses
from audit.io.releases import Release
from audit.judgement.check_record import EqualRows, RecordFollower, ReleaseRecords
from audit.judgement.field_types import BrokenCertificateError, check_fields
from audit.model.arrays import Codes, Flags, Places
from audit.model.finding import Check


def check_classes(seen: View, claims: HomogeneousClasses) -> Check:
    """Return the check of classes, both of the rows of a release and of linked records."""
    return lambda places: check_counts(claims.certify(places), seen)


def check_counts(findings: list[HomogeneousClass[int]], view: View) -> list[HomogeneousClass[int]]:
    """Return findings whose counts agree with the rows of the releases.

    Raises:
        BrokenCertificateError: a class has other rows.
    """
    for finding, values in class_values(findings, view):
        some, rows = values[finding.value], values.total()
        if not some or (some, rows) != (finding.with_value, finding.rows) or finding.risk != some / rows:
            raise BrokenCertificateError(f"release {finding.release}: the rows have this value another number of times")
    return findings


def class_values(findings: Sequence[F], view: View) -> Iterator[tuple[F, Counter[int]]]:
    """Yield each finding about a class with how often its rows have each value.

    Raises:
        BrokenCertificateError: there is no such class.
    """
    for finding in findings:
        check_fields(finding)
    linked = [finding for finding in findings if finding.record >= 0]
    yield from _values_of_rows([finding for finding in findings if finding.record < 0], view)
    yield from linked_values(linked, view) if linked else ()


def _values_of_rows(findings: Sequence[F], view: View) -> Iterator[tuple[F, Counter[int]]]:
    for finding in findings:
        if not 0 <= finding.release < len(view.tags):
            raise BrokenCertificateError("there is no such release")
        if finding.record != -1 or finding.after is not None or finding.there or finding.together:
            raise BrokenCertificateError("a claim about rows of one release names linked records")
    for position in {finding.release for finding in findings}:
        here = [finding for finding in findings if finding.release == position]
        classes = _classes(view.held.seen[position].release, view.sensitive, {finding.group or "" for finding in here})
        for finding in here:
            yield finding, classes[finding.group or ""].get(finding.number, Counter())


def _classes(release: Release, sensitive: str, groups: set[str]) -> dict[str, dict[int, Counter[int]]]:
    """Return the values of each class of some groups of a release, by the class's number in its group."""
    counts = [1] * len(release.entry_group) if release.entry_count is None else release.entry_count.tolist()
    classes = release.classes
    alike = classes.looks[classes.row.codes].tolist() if release.values_by_row else [0] * len(counts)
    name = {code: release.group.name(code) for code in set(release.entry_group.tolist())}
    found: defaultdict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    values = release.entry_value[sensitive].tolist()
    for code, look, value, count in zip(release.entry_group.tolist(), alike, values, counts, strict=True):
        if name[code] in groups:
            found[name[code], look][value] += count
    listed: dict[str, dict[int, Counter[int]]] = {group: {} for group in groups}
    for group, look in sorted(found):
        listed[group][len(listed[group])] = found[group, look]
    return listed


F = TypeVar("F", HomogeneousClass[int], KnownNearly[int])


def linked_values(findings: Sequence[F], view: View) -> Iterator[tuple[F, Counter[int]]]:
    """Yield each finding about linked records, with the number of equal records that have each value.

    Raises:
        BrokenCertificateError: other records are equal.
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
    if finding.together and not finding.there:
        raise BrokenCertificateError("a claim about records in the same releases is about one of them")
    if not finding.there and not (constant and finding.release == _after(finding)):
        raise BrokenCertificateError("a claim about records of all releases needs values that never change")
    if not 0 <= finding.record < held.names.size:
        raise BrokenCertificateError("there is no such record")


def about_rows(
    findings: Sequence[HomogeneousClass[int] | KnownNearly[int]], view: View, rows: Sequence[Places]
) -> Flags:
    """Return which findings are about a class with one of some rows, or of their records; shape (findings,), bool.

    Args:
        findings: about classes of rows, and of linked records.
        view: the evidence.
        rows: the indices of the rows of each release.
    """
    own = {(at, *name) for at, places in enumerate(rows) for name in _class_names(view, at, places)}
    found = np.array([(each.release, each.group, each.number) in own for each in findings], dtype=np.bool_)
    linked = np.flatnonzero([each.record >= 0 for each in findings])
    found[linked] = False
    if not len(linked):
        return found
    records = [record_of(view.held.seen[at])[places].tolist() for at, places in enumerate(rows)]
    mine, followed = {record for each in records for record in each}, RecordFollower(view)
    for after in range(len(view.tags)):
        followed.follow(followed.read(after))
        classes = EqualRows(followed.table)
        alike = {record: {*classes.like(record).tolist()} for record in mine if followed.seen[record]}
        for place in linked.tolist():
            finding = findings[place]
            there = records[finding.release] if finding.there else mine
            if _after(finding) == after:
                found[place] = any(finding.record in alike.get(record, ()) for record in there)
    return found


def _class_names(view: View, position: int, rows: Places) -> Iterator[tuple[str, int]]:
    """Yield the group, and the number in it, of the class of each of some rows of a release."""
    if not len(rows):
        return
    published = view.source.published(position)
    for place in published.place[rows].tolist():
        [name] = view.source.published_names(position, published.group[place : place + 1])
        yield name, int(place - np.searchsorted(published.group, published.group[place]))


def _after(finding: HomogeneousClass[int] | KnownNearly[int]) -> int:
    """Return the last release over which the records are equal, -1 if the claim is not about several."""
    return -1 if finding.after is None else finding.after


class _RecordValues:
    """The values of records in each release, their first value, and their groups so far; by record, -1 if unknown."""

    def __init__(self, records: int, sensitive: str, *, constant: bool) -> None:
        self._sensitive, self._constant = sensitive, constant
        self._releases: list[ReleaseRecords] = []
        self._of_release: list[Codes] = []
        self._first = np.full(records, -1, dtype=np.int32)
        self._changed = np.zeros(records, dtype=np.bool_)

    def read(self, rows: ReleaseRecords) -> None:
        """Record the values and groups of a release's records.

        Raises:
            BrokenCertificateError: their rows show other numbers.
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
        """Return how many of the records equal to that of a finding have each value.

        Raises:
            BrokenCertificateError: the record does not exist, or a value changes.
        """
        last = next((rows for rows in reversed(self._releases) if rows.row[finding.record] >= 0), None)
        if last is None or last.group(int(last.row[finding.record])) != finding.group:
            raise BrokenCertificateError("there is no such record, or it is in another group")
        values = self._of_release[finding.release] if finding.there else self._first
        records = classes.like(finding.record)
        for rows in self._releases if finding.together else ():
            there = rows.row >= 0
            records = records[there[records] == there[finding.record]]
        if self._constant and self._changed[records].any():
            raise BrokenCertificateError("the value of a record changes")
        alike = values[records]
        if values[finding.record] < 0:
            raise BrokenCertificateError("the record has no value there")
        return Counter(alike[alike >= 0].tolist())
