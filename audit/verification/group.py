"""What is claimed of a class of rows counted again, row by row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from audit.adversary.view import View
from audit.findings.homogeneous_class import HomogeneousClass, HomogeneousClasses
from audit.io.releases import Release
from audit.model.arrays import Places
from audit.model.finding import Check
from audit.verification.disclosure import BrokenCertificateError, check_fields
from audit.verification.linked_classes import F, linked_values


def check_classes(seen: View, claims: HomogeneousClasses) -> Check:
    """Return what checks classes, of the rows of a release and of linked records."""

    def checked(places: Places) -> list[HomogeneousClass[int]]:
        findings = claims.certify(places)
        check_counts(findings, seen)
        return findings

    return checked


def check_counts(findings: Sequence[HomogeneousClass[int]], view: View) -> None:
    """Hold findings against the rows of the releases.

    Raises:
        BrokenCertificateError: the class has other rows than these.
    """
    for finding, values in class_values(findings, view):
        some, rows = values[finding.value], values.total()
        if not some or (some, rows) != (finding.with_value, finding.rows) or finding.risk != some / rows:
            raise BrokenCertificateError(f"release {finding.release}: the rows do not have this value so often")


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
        if finding.record != -1 or finding.after is not None:
            raise BrokenCertificateError("the rows of one release are no linked records")
    for position in {finding.release for finding in findings}:
        here = [finding for finding in findings if finding.release == position]
        classes = _classes(view.held.seen[position].release, view.sensitive, {finding.group or "" for finding in here})
        for finding in here:
            yield finding, classes[finding.group or ""].get(finding.number, Counter())


def _classes(release: Release, sensitive: str, groups: set[str]) -> dict[str, dict[int, Counter[int]]]:
    """Return the values of each class of some groups of a release, by the number of the class in its group."""
    counts = [1] * len(release.entry_group) if release.entry_count is None else release.entry_count.tolist()
    looks = release.alike if release.values_by_row else None
    alike = [0] * len(counts) if looks is None else looks.tolist()
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
