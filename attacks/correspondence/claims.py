"""Claims: subjects with too few possible rows, with certificates: sets of rows that rule out the other rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.correspondence.chains import Layer
from attacks.correspondence.matching import Matching
from attacks.correspondence.subjects import Subject
from attacks.correspondence.worlds import matched
from audit.findings.linkage import Filling, Linkage, Linkages, RowKind
from audit.model.arrays import Counts, Flags, Places
from audit.model.evidence import RowSource


def worst(claimed: Iterable[Subject]) -> list[Subject]:
    """Return each subject in the release that discloses most: one that shows a value, else the one with fewest rows."""
    found: dict[int, Subject] = {}
    for each in sorted(claimed, key=lambda one: (one.number, one.value < 0, one.most, one.release)):
        found.setdefault(each.number, each)
    return list(found.values())


@dataclass(frozen=True)
class LinkageClaims:
    """The claims about some subjects."""

    source: RowSource
    network: Sequence[Layer]
    claimed: Sequence[Subject]

    def shown(self) -> Linkages:
        """Return the claims as columns."""
        rows, release = np.array([(each.most, each.release) for each in self.claimed], dtype=np.int64).reshape(-1, 2).T
        is_value = np.array([each.value >= 0 for each in self.claimed], dtype=np.bool_)
        return Linkages(rows, release.astype(np.int32), is_value, self._build)

    def _build(self, chosen: Places) -> list[Linkage[int]]:
        return [self._finding(self.claimed[place]) for place in chosen.tolist()]

    def _finding(self, subject: Subject) -> Linkage[int]:
        release = subject.release
        group = self.source.rows(release).group
        groups = np.unique(group[np.isin(self.network[release].classes.of, subject.classes)])
        value = None if subject.value < 0 else subject.value
        return Linkage(
            point=dict(enumerate(subject.point)),
            first=subject.first,
            release=release,
            rows=subject.most,
            groups=tuple(self.source.group_names(release, groups.astype(np.int32))),
            value=value,
            risk=1 / subject.most if value is None else 1.0,
            certificate=self._fillings(subject.point, subject.first),
            evidence="solver" if len(self.network) > 2 else "proof",
        )

    @cached_property
    def _matchings(self) -> list[tuple[Matching, Counts, Counts]]:
        """The results for each two successive releases alone."""
        return [
            matched(self.network, number, np.ones(len(self.network[number].before), dtype=np.bool_))
            for number in range(1, len(self.network))
        ]

    def _covering(self, number: int, point: tuple[int, ...]) -> Flags:
        """Return which classes of a release cover a point."""
        cells = self.network[number].classes.cells
        covering = np.ones(len(cells), dtype=np.bool_)
        for attribute, at in enumerate(point):
            kinds, place = np.unique(cells[:, attribute], return_inverse=True)
            covering &= (self.source.shared(attribute, kinds, np.full_like(kinds, at)) >= 0)[place.ravel()]
        return covering

    def _fillings(self, point: tuple[int, ...], first: int) -> tuple[Filling[int], ...]:
        """Return the sets of rows that need all rows of a set in the next release, which rules these out otherwise."""
        found: dict[Filling[int], None] = {}
        for number in range(max(first, 1), len(self.network)):
            match, one, other = self._matchings[number - 1]
            before, after = self._covering(number - 1, point), self._covering(number, point)
            new = len(before)
            comes = (one == new) if number == first else np.append(before, False)[one]
            lost = np.unique(other[~match.possible & comes & after[other]])
            for right in lost.tolist():
                rows, fill = match.tight(right)
                found[Filling(number - 1, number, self._kinds(number - 1, rows), self._kinds(number, fill))] = None
        return tuple(found)

    def _kinds(self, number: int, kinds: Counts) -> frozenset[RowKind]:
        classes = self.network[number].classes
        cells, values = classes.cells[kinds].tolist(), classes.value[kinds].tolist()
        return frozenset(RowKind(tuple(cell), value) for cell, value in zip(cells, values, strict=True))
