"""True values that never change: everybody's first one, and who has another one later on, noted release by release."""

from __future__ import annotations

import numpy as np

from audit.model.arrays import Codes, Flags

UNKNOWN = -1


class FirstValues:
    """Everybody's first true value so far, and whether it was another one later on.

    Attributes:
        is_recorded: whether the key has values of any release.
    """

    def __init__(self) -> None:
        self.is_recorded = False
        self._first = np.zeros(0, dtype=np.int32)
        self._changed = np.zeros(0, dtype=np.bool_)

    def note(self, person: Codes, values: Codes | None, people: int) -> None:
        """Take the next release into account.

        Args:
            person: distinct people; shape (n,).
            values: the true value of each, -1 where unknown; None where the key does not tell.
            people: one more than the largest code of people so far.
        """
        more = max(0, people - len(self._first))
        self._first = np.append(self._first, np.full(more, UNKNOWN, dtype=np.int32))
        self._changed = np.append(self._changed, np.zeros(more, dtype=np.bool_))
        if values is None:
            return
        self.is_recorded = True
        before = self._first[person]
        is_first = before == UNKNOWN
        self._changed[person] |= ~is_first & (values != before) & (values != UNKNOWN)
        self._first[person] = np.where(is_first, values, before)

    def result(self) -> tuple[Codes | None, Flags]:
        """Return everybody's first value by person code, -1 where unknown, and whether the person has another one."""
        return self._first if self.is_recorded else None, self._changed
