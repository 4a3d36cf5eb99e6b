"""What is changed in a candidate: groups merged, rows moved or withheld, cells coarsened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Places


@dataclass(frozen=True)
class RepairPlan:
    """What is changed in a candidate, rows and groups being numbered as it was given.

    Attributes:
        home: the group of each row after rows were moved, before groups are merged; shape (rows,), intp.
        part: the merged group of each group, as its least member; shape (groups,), intp.
        withheld: which rows are left out; shape (rows,), bool.
        steps: how often the cells of each merged group are coarsened, by attribute; shape (groups, attributes), int8.
    """

    home: Places
    part: Places
    withheld: npt.NDArray[np.bool_]
    steps: npt.NDArray[np.int8]

    @property
    def group(self) -> Places:
        """The merged group of each row; shape (rows,)."""
        return self.part[self.home]

    def merged(self, groups: Sequence[int]) -> RepairPlan:
        """Return the plan with the parts of some groups made one."""
        old = np.unique(self.part[list(groups)])
        part = self.part.copy()
        part[np.isin(part, old)] = old[0]
        steps = self.steps.copy()
        steps[old] = 0
        return replace(self, part=part, steps=steps)

    def without(self, rows: Places) -> RepairPlan:
        """Return the plan with some more rows withheld."""
        withheld = self.withheld.copy()
        withheld[rows] = True
        return replace(self, withheld=withheld)

    def kept(self, rows: Places) -> RepairPlan:
        """Return the plan with some rows withheld no more."""
        withheld = self.withheld.copy()
        withheld[rows] = False
        return replace(self, withheld=withheld)

    @property
    def key(self) -> bytes:
        """What two plans have in common that change the same."""
        return b"".join(each.tobytes() for each in (self.home, self.part, self.withheld, self.steps))
