"""Certificates of disclosures checked again, from the published rows, by code that knows nothing of the attacks.

Everything here is sets and dictionaries of texts. A certificate that does not hold is a bug of this program, and is
raised as one: a wrong finding must never be printed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from audit.core.outcome import Disclosure, Step
from audit.linking.linked import LinkedSource
from audit.linking.register import RegisterSource
from audit.reading.cells import Kind, ValueSet, contains, parse
from audit.reading.releases import Release
from audit.reading.series import Series


class BrokenCertificateError(AssertionError):
    """A finding does not follow from the published rows."""


@dataclass
class _Rows:
    """The entries of a release, found by group."""

    release: Release
    sensitive: str
    codes: dict[str, int] = field(default_factory=dict)
    known: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        group = self.release.group
        self.codes = {group.name(code): code for code in np.unique(group.codes).tolist()}
        self._order = np.argsort(self.release.entry_group, kind="stable")
        self._sorted = self.release.entry_group[self._order]

    def values(self, group: int) -> set[int]:
        """Return the values of a group, less one row for each value that is known of somebody in it."""
        first, last = np.searchsorted(self._sorted, [group, group + 1])
        places = self._order[first:last]
        values = self.release.entry_value[self.sensitive][places].tolist()
        counts = [1] * len(places) if self.release.entry_count is None else self.release.entry_count[places].tolist()
        bag: dict[int, int] = {}
        for value, count in zip(values, counts, strict=True):
            bag[value] = bag.get(value, 0) + count
        for value in self.known.get(group, []):
            bag[value] -= 1
        return {value for value, count in bag.items() if count > 0}


class Checker:
    """Checks disclosures against the releases they speak of."""

    def __init__(self, source: LinkedSource) -> None:
        self._source = source
        self._series: Series = source.series
        self._index: dict[int, _Rows] = {}
        self._allowed: set[tuple[int, int]] | None = None

    def check(self, finding: Disclosure, transitions: set[tuple[int, int]] | None) -> None:
        """Return when a disclosure holds.

        Raises:
            BrokenCertificateError: it does not.
        """
        steps = finding.certificate
        if not steps or list(steps) != sorted(steps, key=lambda s: s.release):
            raise BrokenCertificateError("the steps are not in order")
        for step in steps:
            if set(step.candidates) != self._candidates(finding.person, step):
                raise BrokenCertificateError("the candidates are not what the groups publish")
        feasible = _feasible([set(step.candidates) for step in steps], transitions)
        at = [step.release for step in steps]
        if finding.release not in at or feasible[at.index(finding.release)] != {finding.value}:
            raise BrokenCertificateError("more than the claimed value is possible")
        for step, kept in zip(steps, feasible, strict=True):
            if step.feasible is not None and set(step.feasible) != kept:
                raise BrokenCertificateError("the feasible values are not what the paths leave")

    def _rows(self, release: int) -> _Rows:
        if release not in self._index:
            rows = self._index[release] = _Rows(self._source.release(release), self._source.sensitive)
            for person, value in self._known(release).items():
                homes = self._homes(person, release)
                if len(homes) == 1:
                    rows.known.setdefault(homes.pop(), []).append(value)
        return self._index[release]

    def _known(self, release: int) -> dict[int, int]:
        known = self._source.known
        if known is None:
            return {}
        here = set(self._source.present(release).tolist())
        lines = zip(known.person.tolist(), known.value.tolist(), known.release.tolist(), strict=True)
        return {p: v for p, v, r in lines if p in here and (self._source.constant or r in (-1, release))}

    def _candidates(self, person: int, step: Step) -> set[int]:
        rows = self._rows(step.release)
        homes = self._homes(person, step.release)
        if {rows.codes.get(name) for name in step.groups} != homes:
            raise BrokenCertificateError("these are not the groups that may hold the person")
        known = self._known(step.release)
        if person in known:
            return {known[person]}
        return {value for home in homes for value in rows.values(home)}

    def _homes(self, person: int, release: int) -> set[int]:
        """Return the codes of the groups that may hold a person in a release."""
        source = self._source
        read = source.release(release)
        if isinstance(source, RegisterSource):
            return self._covering(source, person, release)
        if read.person is None:
            raise BrokenCertificateError("nobody is linked to this release")
        return {int(code) for code in read.group.codes[read.person == person]}

    def _covering(self, source: RegisterSource, person: int, release: int) -> set[int]:
        register = source.register
        lines = [line for line in register.present(release).tolist() if register.person[line] == person]
        names = self._series.manifest.columns.quasi_identifiers
        boxes = source.releases.get(release).boxes
        if len(lines) != 1 or boxes is None:
            raise BrokenCertificateError("the person is not once in this release")
        covered = np.ones(len(boxes.group), dtype=np.bool_)
        for place, name in enumerate(names):
            attribute = self._series.attributes[name]
            exact = register.values[place][register.points[register.point[lines[0]], place]]
            if exact in attribute.missing:
                continue
            point = parse(exact, attribute.kind) if attribute.kind is Kind.NUMERIC else ValueSet(frozenset({exact}))
            used = np.unique(boxes.cells[:, place])
            fits = {cell for cell in used.tolist() if contains(attribute.cells[cell], point)}
            covered &= np.isin(boxes.cells[:, place], list(fits))
        return {int(group) for group in boxes.group[covered]}


def _feasible(candidates: list[set[int]], transitions: set[tuple[int, int]] | None) -> list[set[int]]:
    """Return what lies on a path; without transitions every step must keep its value."""
    if transitions is None:
        common = set.intersection(*candidates)
        return [common] * len(candidates)
    kept = [set(values) for values in candidates]
    while True:
        before = [len(values) for values in kept]
        for here in range(len(kept)):
            if here:
                kept[here] = {b for b in kept[here] if any((a, b) in transitions for a in kept[here - 1])}
            if here + 1 < len(kept):
                kept[here] = {a for a in kept[here] if any((a, b) in transitions for b in kept[here + 1])}
        if [len(values) for values in kept] == before:
            return kept
