"""Subjects: people whose quasi-identifiers and first release are known, and the rows that can be theirs.

The adversary knows a person's point, and the first release of the person's record. The record is a chain that begins
there and whose cells all cover the point; a row can be the person's if some world has such a chain through it. Points
that the same boxes cover cannot be distinguished: one subject represents all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np

from attacks.correspondence.chains import Layer
from attacks.correspondence.worlds import Settled, reached
from audit.model.arrays import Codes, Counts, Flags

_POINTS = 100_000
"""The most points to judge in one release."""


class Points(Protocol):
    """The points that exist, attribute by attribute."""

    def atoms(self, attribute: int, cells: Codes) -> tuple[Codes, Flags]:
        """Return points that distinguish cells of an attribute, and which cells cover each; (points, cells)."""


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


def subjects(layers: Sequence[Layer], settled: Settled, points: Points) -> tuple[list[Subject], bool]:
    """Return the possible rows of each subject that is not ruled out, and whether there were too many points."""
    found: list[Subject] = []
    last, missed, number = layers[-1], False, 0
    upper = reached(layers, settled.alive)
    for first in range(len(layers)):
        ends = np.flatnonzero((last.begun == first) & np.diagonal(upper[-1]))
        boxes, of = np.unique(last.box[ends], axis=0, return_inverse=True)
        covers = _covers(boxes, points)
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


def _covers(boxes: Codes, points: Points) -> list[tuple[tuple[int, ...], Flags]] | None:
    """Return points that some boxes cover, and which boxes do; one point for each set of boxes.

    Return None if there are too many points.
    """
    tables, names = [], []
    for attribute in range(boxes.shape[1]):
        cells, at = np.unique(boxes[:, attribute], return_inverse=True)
        point, table = points.atoms(attribute, cells)
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
