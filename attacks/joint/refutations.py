"""Refutations: weights of rows that prove columns impossible, checked in whole numbers.

Let each row cost points. All places together have the sum of weight times capacity, and each person spends at least the
cost of their cheapest choice. A choice that costs more than the cheapest one by more than what is left over is
impossible. Weights may come from any solver: this is the only place where they are believed, after the sum was done.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attacks.joint.core import OpenSubproblem
from attacks.joint.links import cheapest
from attacks.ragged import starts
from audit.model.arrays import Flags, Floats, Numbers

_LARGEST = float(1 << 58)
# Weights are multiples of one divided by these; the first scale that proves everything is used.
_SCALES = (1, 12, 60, 5040, 1 << 20)


class PointTotals:
    """The points that the variables of a core spend if its rows cost points.

    Attributes:
        over: how many points more than the least of its chain a whole chain takes with each column; shape (columns,).
        least: the fewest points that each chain spends; shape (chains,).
        spare: how many points are left over in each part; shape (parts,).
    """

    def __init__(self, core: OpenSubproblem, weight: Numbers) -> None:
        """Do the sums for weights that are at least 0; shape (rows,).

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
        # Each column of a chain lies on a path or costs never: the least of all its columns is the least of the chain.
        self.least = np.minimum.reduceat(through, core.start[core.heads]) if len(through) else np.zeros(0, np.int64)
        self.over = through - self.least[core.chain[core.owner]]
        self.spare = np.zeros(core.parts, dtype=np.int64)
        np.add.at(self.spare, core.row_part, weight * core.capacity)
        np.subtract.at(self.spare, core.part[core.heads], self.least)
        self._spare = self.spare[core.part[core.owner]]

    def impossible(self) -> Numbers:
        """Return the columns that are proved impossible."""
        return np.flatnonzero(self.over > self._spare)

    def contradict(self) -> bool:
        """Return whether all people together spend more points than there are, so that no world exists."""
        return bool(self.spare.min(initial=0) < 0)


def refuted(core: OpenSubproblem, weights: Sequence[Numbers]) -> Flags:
    """Return which columns of a core some weights prove impossible, each by itself; shape (columns,).

    Args:
        core: the columns and rows.
        weights: some of shape (rows,).
    """
    found = np.zeros(len(core.kind), dtype=np.bool_)
    for weight in weights:
        found[PointTotals(core, weight).impossible()] = True
    return found


def rounded(core: OpenSubproblem, weight: Floats, wanted: Flags) -> list[Numbers]:
    """Return weights as whole numbers, by the coarsest scales until all that they should prove is proved.

    Args:
        core: what they are about.
        weight: of each row, at least 0; shape (rows,).
        wanted: the columns that should be impossible; shape (columns,).
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
