"""Relaxation: how many of each class of interchangeable people have a value, as a linear programme (GLOP).

Whole numbers are not asked for. If so not even a part of anybody can have a value, nobody can; that takes one solution
for all such values of a part, and its dual is the proof: weights on rows of groups. It is checked in whole numbers, so
that no rounding of the solver's counts. Solutions are nearly always whole numbers as they are, and then worlds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.joint.linear import Linear
from attacks.joint.network import Flags, Numbers, Words
from attacks.joint.remainder import Remainder
from audit.core.budget import Budget

# Weights of proofs are multiples of 1 / _SCALE.
_SCALE = 1 << 24
_ROUNDING = 1e-6
# Sums of heavier weights might be too large for whole numbers of 64 bits.
_HEAVIEST = 1_000.0


@dataclass(frozen=True)
class Programme:
    """The programme of some parts, whose tracks, blocks and cells follow one another.

    Attributes:
        kind: the class of each column, ascending; shape (columns,).
        size: the people of each class; shape (classes,).
        start, row: where each column's cells begin, and these; shapes (columns + 1,) and (entries,).
        rows: the rows of each cell; shape (cells,).
    """

    kind: Numbers
    size: Numbers
    start: Numbers
    row: Numbers
    rows: Numbers

    def supported(self, asked: Flags, shown: Flags, enough: int, budget: Budget) -> Support:
        """Return what solutions say of some columns.

        Args:
            asked: the columns; shape (columns,).
            shown: those that some world is known to have; likewise.
            enough: how many shown columns of a class are enough to ask no more.
            budget: how long.
        """
        found = Support(shown.copy(), np.zeros_like(shown), np.zeros_like(shown))
        left = self.wanting(asked & ~shown, found.shown, enough)
        model = Linear(self, left)
        while left.any():
            value = model.solved(budget)
            if value is None:
                found.maybe[left] = True
                break
            if value[left].sum() < 1 - _ROUNDING:
                (found.impossible if self.impossible(left, model.weights()) else found.maybe)[left] = True
                break
            whole = np.rint(value).astype(np.int64)
            if np.abs(value - whole).max(initial=0.0) <= _ROUNDING and self.fits(whole):
                found.world = whole
                found.shown[whole > 0] = True
            found.maybe[left & (value > _ROUNDING)] = True
            before, left = left, self.wanting(left & ~found.maybe & ~found.shown, found.shown, enough)
            model.forget(before & ~left)
        found.maybe[found.shown] = False
        return found

    def wanting(self, columns: Flags, shown: Flags, enough: int) -> Flags:
        """Return the columns of those classes of which not enough is shown."""
        witnesses = np.bincount(self.kind[shown], minlength=len(self.size))
        return columns & (witnesses < enough)[self.kind]

    def fits(self, numbers: Numbers) -> bool:
        """Tell whether whole numbers of people are a world."""
        people = np.zeros(len(self.size), dtype=np.int64)
        np.add.at(people, self.kind, numbers)
        taken = np.zeros(len(self.rows), dtype=np.int64)
        np.add.at(taken, self.row, np.repeat(numbers, np.diff(self.start)))
        return bool((numbers >= 0).all() and (people == self.size).all() and (taken <= self.rows).all())

    def impossible(self, columns: Flags, weights: npt.NDArray[np.float64]) -> bool:
        """Tell whether weights of cells prove that some columns are nothing, in whole numbers.

        Let each row of a cell have a weight, and let the rows of a person who has one of the columns count one less.
        If everybody took what weighs least, and even so less than one were left of the weight of all rows, nobody
        would have one of the columns.
        """
        if not weights.max(initial=0.0) < _HEAVIEST:
            return False
        weight = np.rint(np.maximum(weights, 0.0) * _SCALE).astype(np.int64)
        taken = np.add.reduceat(np.append(weight[self.row], 0), self.start[:-1])
        taken[np.diff(self.start) == 0] = 0
        least = np.full(len(self.size), np.iinfo(np.int64).max)
        np.minimum.at(least, self.kind, taken - columns * _SCALE)
        return bool((weight * self.rows).sum() - (least * self.size).sum() < _SCALE)


@dataclass
class Support:
    """What solutions say of the columns of a programme.

    Attributes:
        shown, impossible: by a world, by a proof; shape (columns,).
        maybe: only in parts of people, or not at all, so far; likewise.
        world: a solution in whole numbers; shape (columns,), int64, or None.
        feasible: whether there may be one.
    """

    shown: Flags
    impossible: Flags
    maybe: Flags
    world: Numbers | None = None
    feasible: bool = True


@dataclass(frozen=True)
class Relaxation:
    """The programmes of a remainder.

    Attributes:
        first: the first track of each class; shape (classes,).
        kind, value: the class and the value of each column; shape (columns,).
        whole: the programme of all parts.
        class_at, column_at, cell_at: where those of each part begin; shape (parts + 1,).
    """

    first: Numbers
    kind: Numbers
    value: Numbers
    whole: Programme
    class_at: Numbers
    column_at: Numbers
    cell_at: Numbers

    def of(self, first: int, last: int) -> Programme:
        """Return the programme of the parts from `first` to before `last`."""
        classes = slice(int(self.class_at[first]), int(self.class_at[last]))
        columns = slice(int(self.column_at[first]), int(self.column_at[last]))
        cells = slice(int(self.cell_at[first]), int(self.cell_at[last]))
        start = self.whole.start[columns.start : columns.stop + 1]
        return Programme(
            self.kind[columns] - classes.start,
            self.whole.size[classes],
            start - start[0],
            self.whole.row[start[0] : start[-1]] - cells.start,
            self.whole.rows[cells],
        )


def relaxation(rest: Remainder, domain: Words, twin: npt.NDArray[np.int32], values: int) -> Relaxation:
    """Return the programmes of a remainder; domains by its own tracks."""
    net = rest.seating
    first = np.flatnonzero(twin == np.arange(len(twin)))
    held = np.unpackbits(domain[first].view(np.uint8), axis=1, bitorder="little", count=values)
    kind, value = np.nonzero(held)
    blocks = np.diff(net.track_start)[first[kind]]
    start = np.concatenate([[0], np.cumsum(blocks)])
    place = np.arange(start[-1]) - np.repeat(start[:-1], blocks) + np.repeat(net.track_start[first[kind]], blocks)
    block_of_cell = np.repeat(np.arange(len(net.cell_start) - 1), np.diff(net.cell_start))
    key = block_of_cell * values + net.cell_value
    row = np.searchsorted(key, net.track_block[place].astype(np.int64) * values + np.repeat(value, blocks))
    size = np.bincount(twin, minlength=len(twin))[first]
    parts = np.arange(len(rest.part_start))
    part_of_block = np.full(len(net.cell_start) - 1, -1)
    part_of_block[net.track_block] = np.repeat(rest.part, np.diff(net.track_start))
    class_at = np.searchsorted(rest.part[first], parts)
    return Relaxation(
        first,
        kind,
        value,
        Programme(kind, size, start, row, net.cell_rows),
        class_at,
        np.searchsorted(kind, class_at),
        np.append(net.cell_start, 0)[np.searchsorted(part_of_block, parts)],
    )
