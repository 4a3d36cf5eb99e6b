"""Refutations: weights of rows that prove columns impossible, checked in whole numbers.

Let each row cost points. All places together have the sum of weight times capacity, and each person spends at least
what the cheapest of the own choices costs. Who would spend more than the cheapest choice by more than what is left
over, cannot. Weights may come from any solver: this is the only place where they are believed, after the sum was done.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attacks.joint.arrays import Numbers, segments, starts
from attacks.joint.core import OpenSubproblem
from attacks.joint.links import cheapest
from audit.model.arrays import Flags, Floats

_LARGEST = float(1 << 58)
# Weights are multiples of one over these; the first that proves something of everything it should is enough.
_SCALES = (1, 12, 60, 5040, 1 << 20)


class PointTotals:
    """What the variables of a core spend where its rows cost points.

    Attributes:
        column: the columns of the chains of versions that may spend any; ascending.
        chain: the chain of each.
        over: how many points more than the least of its chain a whole chain takes with each.
        least: the fewest points that each chain spends; shape (chains of the core,).
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
        chain = core.chain
        deepest = int(np.diff(core.row_start).max(initial=0)) * max(1, core.variables)
        if float(weight.max(initial=0)) * max(deepest, float(core.capacity.sum())) > _LARGEST:
            raise OverflowError("weights of a proof are too large")
        begin, by_row = core.by_row
        spending = np.zeros(core.variables, dtype=np.bool_)
        spending[core.owner[by_row[segments(begin, np.flatnonzero(weight))]]] = True
        if len(core.link):
            spending = (np.bincount(chain, weights=spending) > 0)[chain]
        variable = np.flatnonzero(spending)
        self.column = segments(core.start, variable)
        self.chain = chain[core.owner[self.column]]
        size = np.diff(core.row_start)[self.column]
        total = starts(weight[core.row[segments(core.row_start, self.column)]])
        cost = np.diff(total[starts(size)])
        number = np.zeros(core.variables, dtype=np.int64)
        number[variable] = np.arange(len(variable))
        link = number[core.link[spending[core.link[:, 0]]]] if len(core.link) else core.link
        through = cheapest(number[core.owner[self.column]], core.kind[self.column], cost, link, core.may)
        self.least = np.zeros(int(chain.max(initial=-1)) + 1, dtype=np.int64)
        if len(variable):
            # Each column of a chain lies on a path or costs never: the least of any version is the least of the chain.
            first = np.flatnonzero(np.append(True, self.chain[1:] != self.chain[:-1]))
            self.least[self.chain[first]] = np.minimum.reduceat(through, first)
        self.over = through - self.least[self.chain]
        part = core.part[core.heads]
        self.spare = np.zeros(core.parts, dtype=np.int64)
        np.add.at(self.spare, core.row_part, weight * core.capacity)
        np.subtract.at(self.spare, part, self.least)
        self._spare = self.spare[part[self.chain]]

    def impossible(self) -> Numbers:
        """Return the columns that are proved impossible."""
        return self.column[self.over > self._spare]

    def contradict(self) -> bool:
        """Return whether all people together spend more points than there are, so that there is no world."""
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
