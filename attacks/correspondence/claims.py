"""Claims: subjects with too few possible rows, with certificates: sets of rows that rule out the other rows.

The adversary knows a person's point, and the first release of the person's record. The record is a chain that begins
there and whose cells all cover the point; a row can be the person's if some world has such a chain through it. Points
that the same boxes cover cannot be distinguished: one subject represents all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from attacks.correspondence.matching import Matching
from attacks.correspondence.worlds import Layer, Settled, matched, reached
from audit.findings.linkage import Filling, Linkage, Linkages, RowKind
from audit.model.arrays import Codes, Counts, Flags, Places
from audit.model.evidence import RowSource

_POINTS = 100_000
"""The most points to judge in one release."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The possible rows of a subject in one release, from its first one on.

    Attributes:
        number: the number of the subject, the same in all releases.
        point: a point of the subject, as the code of an atomic cell for each attribute.
        first: its first release, counted from 0.
        release: the release of the rows.
        classes: the classes of the rows that are not ruled out.
        most, least: the number of rows that are not ruled out, and of rows that some known world has.
        value: the value of all rows that are not ruled out, -1 if they have several values.
        several: whether known worlds have rows with different values.
        exists: whether some known world has the subject.
    """

    number: int
    point: tuple[int, ...]
    first: int
    release: int
    classes: Counts
    most: int
    least: int
    value: int
    several: bool
    exists: bool

    def is_narrowed(self, k: int) -> bool:
        """Return whether fewer than k rows are possible."""
        return self.exists and self.most < k

    @property
    def is_disclosed(self) -> bool:
        """Whether the possible rows have only one value."""
        return self.exists and self.value >= 0

    def is_undecided(self, k: int) -> bool:
        """Return whether it is undecided if the subject is narrowed, or disclosed."""
        return (not self.is_narrowed(k) and self.least < k) or (not self.is_disclosed and not self.several)


def subjects(layers: Sequence[Layer], settled: Settled, source: RowSource) -> tuple[list[Subject], bool]:
    """Return the possible rows of each subject that is not ruled out, and whether there were too many points."""
    found: list[Subject] = []
    last, missed, number = layers[-1], False, 0
    upper = reached(layers, settled.alive)
    for first in range(len(layers)):
        ends = np.flatnonzero((last.begun == first) & np.diagonal(upper[-1]))
        boxes, of = np.unique(last.box[ends], axis=0, return_inverse=True)
        covers = _covers(boxes, source)
        if covers is None:
            missed = True
            continue
        for point, cover in covers:
            chosen = ends[cover[of.ravel()]]
            exists = bool(np.diagonal(settled.reached[-1])[chosen].any())
            for release in range(first, len(layers)):
                layer, rows = layers[release], layers[release].classes.rows
                begun = layer.begun == first
                left, shown = (
                    np.unique(layer.of[begun & table[release][:, chosen].any(axis=1)])
                    for table in (upper, settled.reached)
                )
                values, several = (np.unique(layer.classes.value[classes]) for classes in (left, shown))
                value = int(values[0]) if len(values) == 1 else -1
                most, least = int(rows[left].sum()), int(rows[shown].sum())
                found.append(Subject(number, point, first, release, left, most, least, value, len(several) > 1, exists))
            number += 1
    return found, missed


def _covers(boxes: Codes, source: RowSource) -> list[tuple[tuple[int, ...], Flags]] | None:
    """Return points that some boxes cover, and which boxes do; one point for each set of boxes.

    Return None if there are too many points.
    """
    tables, names = [], []
    for attribute in range(boxes.shape[1]):
        cells, at = np.unique(boxes[:, attribute], return_inverse=True)
        point, table = source.atoms(attribute, cells)
        tables.append(table[:, at.ravel()])
        names.append(point.tolist())
    found: dict[bytes, tuple[tuple[int, ...], Flags]] = {}
    looked_at = 0
    for box in range(len(boxes)):
        inside = [np.flatnonzero(table[:, box]).tolist() for table in tables]
        looked_at += int(np.prod([float(len(each)) for each in inside]))
        if looked_at > _POINTS:
            return None
        for atoms in product(*inside):
            cover = np.ones(len(boxes), dtype=np.bool_)
            for table, atom in zip(tables, atoms, strict=True):
                cover &= table[atom]
            named = tuple(name[atom] for name, atom in zip(names, atoms, strict=True))
            found.setdefault(cover.tobytes(), (named, cover))
    return list(found.values())


def worst(claimed: Iterable[Subject]) -> list[Subject]:
    """Return each subject in the release that discloses most: one that shows a value, else the one with fewest rows."""
    found: dict[int, Subject] = {}
    for each in sorted(claimed, key=lambda each: (each.number, each.value < 0, each.most, each.release)):
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
            match, before, after = self._matchings[number - 1]
            old, covering = self._covering(number - 1, point), self._covering(number, point)
            comes = (before == len(old)) if number == first else np.append(old, False)[before]
            lost = np.unique(after[~match.possible & comes & covering[after]])
            for right in lost.tolist():
                rows, fill = match.tight(right)
                found[Filling(number - 1, number, self._kinds(number - 1, rows), self._kinds(number, fill))] = None
        return tuple(found)

    def _kinds(self, number: int, kinds: Counts) -> frozenset[RowKind]:
        classes = self.network[number].classes
        cells, values = classes.cells[kinds].tolist(), classes.value[kinds].tolist()
        return frozenset(RowKind(tuple(cell), value) for cell, value in zip(cells, values, strict=True))
