"""Subjects: somebody whose quasi-identifiers and first release are known, and the rows that can be theirs.

What the adversary knows of somebody is a point, and the release with which the person's record came. The record is a
chain that begins there and of which every cell covers the point; a row can be the person's where some world has such a
chain through it. Points that the same boxes cover are told apart by nothing: one subject stands for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np

from attacks.correspondence.chains import Layer
from attacks.correspondence.worlds import Settled, reached
from audit.model.arrays import Codes, Counts, Flags

_POINTS = 100_000
"""How many points may be looked at for one release."""


class Points(Protocol):
    """Which points there are, attribute by attribute."""

    def atoms(self, attribute: int, cells: Codes) -> tuple[Codes, Flags]:
        """Return points of an attribute that some cells tell apart, as cells, and which cover each; (points, cells)."""


@dataclass(frozen=True, slots=True)
class Subjects:
    """What is left to whom in which release; one entry for each subject and release from the first on.

    Attributes:
        subject: number of the subject; shape (n,), int64.
        point: numbers of cells that are a point, one of the subject's; shape (n, attributes), int32.
        first: the release with which it came, counted from 0; shape (n,), int32.
        release: of the rows; shape (n,), int32.
        most, least: how many rows are not ruled out, and how many some world leaves; shape (n,), int64.
        value: the value that all rows have which are not ruled out, -1 where they have several; shape (n,), int32.
        several: whether rows with two values are shown to be possible; shape (n,).
        exists: whether some world that was found has the subject; shape (n,).
        classes: the classes of the rows that are not ruled out.
        missed: whether there were too many points to look at all.
    """

    subject: Counts
    point: Codes
    first: Codes
    release: Codes
    most: Counts
    least: Counts
    value: Codes
    several: Flags
    exists: Flags
    classes: tuple[Counts, ...]
    missed: bool


def subjects(layers: Sequence[Layer], settled: Settled, points: Points) -> Subjects:
    """Return what is left to each subject that is not ruled out."""
    entries: list[_Entry] = []
    last, missed, number = layers[-1], False, 0
    upper = reached(layers, settled.alive, settled.begins)
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
                layer = layers[release]
                mine = layer.begun == first
                left, shown = (
                    np.unique(layer.of[mine & table[release][:, chosen].any(axis=1)])
                    for table in (upper, settled.reached)
                )
                entries.append(_Entry(number, point, first, release, left, shown, exists))
            number += 1
    return _columns(entries, layers, missed=missed)


class _Entry(NamedTuple):
    """One subject in one release: the classes that are not ruled out, and those that some world leaves."""

    subject: int
    point: tuple[int, ...]
    first: int
    release: int
    left: Counts
    shown: Counts
    exists: bool


def _columns(entries: Sequence[_Entry], layers: Sequence[Layer], *, missed: bool) -> Subjects:
    def rows(each: _Entry, some: Counts) -> int:
        return int(layers[each.release].classes.rows[some].sum())

    def values(each: _Entry, some: Counts) -> Codes:
        return np.unique(layers[each.release].classes.value[some])

    one = [int(found[0]) if len(found := values(each, each.left)) == 1 else -1 for each in entries]
    return Subjects(
        subject=np.array([each.subject for each in entries], dtype=np.int64),
        point=np.array([each.point for each in entries], dtype=np.int32).reshape(len(entries), layers[-1].box.shape[1]),
        first=np.array([each.first for each in entries], dtype=np.int32),
        release=np.array([each.release for each in entries], dtype=np.int32),
        most=np.array([rows(each, each.left) for each in entries], dtype=np.int64),
        least=np.array([rows(each, each.shown) for each in entries], dtype=np.int64),
        value=np.array(one, dtype=np.int32),
        several=np.array([len(values(each, each.shown)) > 1 for each in entries], dtype=np.bool_),
        exists=np.array([each.exists for each in entries], dtype=np.bool_),
        classes=tuple(each.left for each in entries),
        missed=missed,
    )


def _covers(boxes: Codes, points: Points) -> list[tuple[tuple[int, ...], Flags]] | None:
    """Return points that some boxes cover, with which boxes do; of points that the same boxes cover, one.

    None where there are too many points.
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
