"""Refutations: weights of rows that prove columns impossible, checked in whole numbers.

Let each row cost points (its weight). All people together can spend no more than the sum of weight times capacity, and
each person spends at least the cost of their cheapest column. Subtract these least costs from the total: a column that
costs more than the person's cheapest one by more than the difference is impossible. Weights may come from any solver;
only what this exact calculation confirms is used.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attacks.joint.core import OpenSubproblem
from attacks.joint.links import cheapest
from attacks.ragged import starts
from audit.model.arrays import Flags, Floats, Numbers

_LARGEST = float(1 << 58)
# Weights are multiplied by these and rounded; the first scale that proves everything is used.
_SCALES = (1, 12, 60, 5040, 1 << 20)


class PointTotals:
    """The points that the variables of a core spend if its rows cost points.

    Attributes:
        over: by how many points the cheapest choice of a chain with each column exceeds its least; shape (columns,).
        least: the fewest points that each chain of linked variables spends; shape (chains,).
        spare: how many points of each part remain if all chains spend their least; shape (parts,).
    """

    def __init__(self, core: OpenSubproblem, weight: Numbers) -> None:
        """Add up the points.

        Args:
            core: the core.
            weight: the points of each row, at least 0; shape (rows,), int64.

        Raises:
            OverflowError: the weights are too large for sums in 64 bits.
            ValueError: a weight is below 0.
        """
        if (weight < 0).any():
            raise ValueError("weights of a proof are at least 0")
        deepest = int(np.diff(core.row_start).max(initial=0)) * max(1, core.variables)
        if float(weight.max(initial=0)) * max(deepest, float(core.capacity.sum())) > _LARGEST:
            raise OverflowError("weights of a proof are too large")
        cost = np.diff(starts(weight[core.row])[core.row_start])
        through = cheapest(core.owner, core.kind, cost, core.link, core.may)
        # A column on no path costs `NEVER`, so that the least over all columns of a chain is the least of the chain.
        self.least = np.minimum.reduceat(through, core.start[core.heads]) if len(through) else np.zeros(0, np.int64)
        self.over = through - self.least[core.chain[core.owner]]
        self.spare = np.zeros(core.parts, dtype=np.int64)
        np.add.at(self.spare, core.row_part, weight * core.capacity)
        np.subtract.at(self.spare, core.part[core.heads], self.least)
        self._spare = self.spare[core.part[core.owner]]

    def impossible(self) -> Numbers:
        """Return the columns that are proved impossible, ascending."""
        return np.flatnonzero(self.over > self._spare)

    def contradict(self) -> bool:
        """Return whether all people together spend more points than there are, so that no world exists."""
        return bool(self.spare.min(initial=0) < 0)


def refuted(core: OpenSubproblem, weights: Sequence[Numbers]) -> Flags:
    """Return the columns of a core that at least one set of weights proves impossible; shape (columns,), bool.

    Args:
        core: the columns and rows.
        weights: sets of weights, each of shape (rows,), int64, at least 0.

    Raises:
        OverflowError: weights are too large for sums in 64 bits.
        ValueError: a weight is below 0.
    """
    found = np.zeros(len(core.kind), dtype=np.bool_)
    for weight in weights:
        found[PointTotals(core, weight).impossible()] = True
    return found


def rounded(core: OpenSubproblem, weight: Floats, wanted: Flags) -> list[Numbers]:
    """Return weights as whole numbers, on ever finer scales until all wanted columns are proved impossible.

    Args:
        core: the columns and rows.
        weight: the weight of each row, at least 0; shape (rows,).
        wanted: the columns that should be proved impossible; shape (columns,), bool.

    Returns:
        Those roundings of shape (rows,), int64, that prove something new; perhaps not everything wanted.
    """
    found, left = list[Numbers](), wanted.copy()
    for scale in _SCALES:
        whole = np.rint(weight * scale).astype(np.int64)
        try:
            proved = PointTotals(core, whole).impossible()
        except OverflowError:
            break
        if len(proved) and (left[proved].any() or not found):
            found.append(whole)
        left[proved] = False
        if not left.any():
            break
    return found
