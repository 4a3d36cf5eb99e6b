"""Candidate update sets: which sensitive values may follow which, from one release with a person to the next.

In the m-Distinct paper, Definition 12, `b in CUS(a)` means that a may become b. Each value may remain the same (the
sets are *reflexive*). If a may become b, and b may become c, then a may become c (they are *closed*), because a person
who is missing from a release may have changed twice between two versions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Pairs = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class UpdateSets:
    """The candidate update set of each sensitive value.

    Attributes:
        may: whether the first value may become the second; shape (values, values), bool.
    """

    may: Pairs

    @classmethod
    def unchanging(cls, values: int) -> UpdateSets:
        """Return the sets of values that never change."""
        return cls(np.eye(values, dtype=np.bool_))

    def __len__(self) -> int:
        """Return the number of sensitive values."""
        return len(self.may)

    def closed(self) -> UpdateSets:
        """Return the smallest reflexive and closed sets that contain these.

        >>> chain = np.array([[True, True, False], [False, True, True], [False, False, False]])
        >>> UpdateSets(chain).closed().may.astype(int).tolist()
        [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
        """
        may = self.may | np.eye(len(self.may), dtype=np.bool_)
        while True:
            wider = (may.astype(np.float32) @ may.astype(np.float32)) > 0
            if np.array_equal(wider, may):
                return UpdateSets(may)
            may = wider

    def missing(self) -> npt.NDArray[np.intp]:
        """Return the pairs that `closed` adds, in order; shape (pairs, 2). Valid sets lack none.

        >>> UpdateSets(np.array([[True, True], [False, False]])).missing().tolist()
        [[1, 1]]
        """
        return np.argwhere(self.closed().may & ~self.may)

    def between(self, first: int, last: int) -> int | None:
        """Return a third value that the first may become and that may become the last; None if there is none."""
        found = np.flatnonzero(self.may[first] & self.may[:, last])
        return next((value for value in found.tolist() if value not in (first, last)), None)
