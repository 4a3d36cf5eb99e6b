"""Claims: subjects to whom too few rows are left, each with the sets of rows that rule out the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.correspondence.chains import Layer
from attacks.correspondence.matching import Matching
from attacks.correspondence.subjects import Subjects
from attacks.correspondence.worlds import Settled, matched
from audit.findings.linkage import Filling, Linkage, Linkages, RowKind
from audit.model.arrays import Counts, Flags, Places
from audit.model.evidence import Evidence, RowSource


def worst(found: Subjects, claimed: Flags) -> Places:
    """Return for each subject something is claimed of the release that tells most: a value, then the fewest rows."""
    places = np.flatnonzero(claimed)
    order = np.lexsort((found.release[places], found.most[places], found.value[places] < 0, found.subject[places]))
    places = places[order]
    return places[np.unique(found.subject[places], return_index=True)[1]]


@dataclass(frozen=True)
class LinkageClaims:
    """The claims at some places of what was found."""

    evidence: Evidence
    network: Sequence[Layer]
    settled: Settled
    found: Subjects
    places: Places

    def shown(self) -> Linkages:
        """Return the claims as columns."""
        found, places = self.found, self.places
        return Linkages(found.most[places], found.release[places], found.value[places] >= 0, self._build)

    def _build(self, chosen: Places) -> list[Linkage[int]]:
        return [self._finding(int(self.places[place])) for place in chosen]

    def _finding(self, place: int) -> Linkage[int]:
        found, release = self.found, int(self.found.release[place])
        point = tuple(found.point[place].tolist())
        classes = self.network[release].classes
        rows = self._source.rows(release)
        groups = np.unique(rows.group[np.isin(classes.of, found.classes[place])])
        value = int(found.value[place])
        fillings = self._fillings(point, int(found.first[place]))
        return Linkage(
            point=dict(enumerate(point)),
            first=int(found.first[place]),
            release=release,
            rows=int(found.most[place]),
            groups=tuple(self._source.group_names(release, groups.astype(np.int32))),
            value=None if value < 0 else value,
            risk=1.0 if value >= 0 else 1 / int(found.most[place]),
            certificate=fillings,
            evidence="solver" if len(self.network) > 2 else "proof",
        )

    @property
    def _source(self) -> RowSource:
        if self.evidence.rows_of is None:
            raise TypeError("this evidence has no rows")
        return self.evidence.rows_of

    @cached_property
    def _matchings(self) -> list[tuple[Matching, Counts, Counts]]:
        """What each two successive releases tell by themselves."""
        found = []
        for number in range(1, len(self.network)):
            layer = self.network[number]
            everything = np.ones(len(layer.before), dtype=np.bool_)
            found.append(matched(self.network, number, everything, layer.begun == number))
        return found

    def _covering(self, number: int, point: tuple[int, ...]) -> Flags:
        """Return which classes of a release cover a point."""
        cells = self.network[number].classes.cells
        covering = np.ones(len(cells), dtype=np.bool_)
        for attribute, at in enumerate(point):
            kinds, place = np.unique(cells[:, attribute], return_inverse=True)
            covering &= (self._source.shared(attribute, kinds, np.full_like(kinds, at)) >= 0)[place.ravel()]
        return covering

    def _fillings(self, point: tuple[int, ...], first: int) -> tuple[Filling[int], ...]:
        """Return the sets of rows that fill others which cover a point, each of them once."""
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

    def _kinds(self, number: int, some: Counts) -> frozenset[RowKind]:
        classes = self.network[number].classes
        cells, values = classes.cells[some].tolist(), classes.value[some].tolist()
        return frozenset(RowKind(tuple(cell), value) for cell, value in zip(cells, values, strict=True))
