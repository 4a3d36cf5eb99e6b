"""True values that never change: everybody's first one, and who has another one later on, noted release by release."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Flags

UNKNOWN = -1
# Room for so large a part of the people is kept beyond them: each time there are more, everything is copied.
_SLACK = 32
_AT_A_TIME = 1 << 17  # rows, which stay in a processor's cache from one look at them to the next


class FirstValues:
    """Everybody's first true value so far, and whether it was another one later on; a byte or two a person each.

    Attributes:
        is_recorded: whether the key has values of any release.
    """

    def __init__(self) -> None:
        self.is_recorded = False
        self._people = 0
        self._first: npt.NDArray[np.unsignedinteger] = np.zeros(0, dtype=np.uint8)
        self._changed = np.zeros(0, dtype=np.bool_)

    def note(self, person: Codes, values: Codes | None, people: int, vocabulary: int) -> None:
        """Take the next release into account.

        Args:
            person: distinct people; shape (n,).
            values: the true value of each, -1 where unknown; None where the key does not tell.
            people: one more than the largest code of people so far.
            vocabulary: the number of values so far.
        """
        self._grow(people, vocabulary)
        if values is None:
            return
        self.is_recorded = True
        for start in range(0, len(person), _AT_A_TIME):
            some = slice(start, start + _AT_A_TIME)
            self._note(person[some], values[some].astype(self._first.dtype))

    def _note(self, person: Codes, now: npt.NDArray[np.unsignedinteger]) -> None:
        before, unknown = self._first.take(person), self._unknown
        kept = np.flatnonzero((before != now) & (before != unknown))
        self._changed[person[kept]] |= now[kept] != unknown
        now[kept] = before[kept]
        self._first[person] = now

    def result(self) -> tuple[Codes | None, Flags]:
        """Return everybody's first value by person code, -1 where unknown, and whether the person has another one.

        The values are of the shortest signed type that holds them.
        """
        if not self.is_recorded:
            return None, self._changed[: self._people]
        kind = np.promote_types(np.int16, np.min_scalar_type(-int(self._unknown)))
        codes = self._first[: self._people].astype(kind)
        codes[codes == kind.type(self._unknown)] = UNKNOWN
        return codes, self._changed[: self._people]

    @property
    def _unknown(self) -> np.unsignedinteger:
        return self._first.dtype.type(np.iinfo(self._first.dtype).max)

    def _grow(self, people: int, vocabulary: int) -> None:
        # Codes as short as they can be: everybody's then fits into the processor's cache.
        kind = np.min_scalar_type(vocabulary + 1)
        old, unknown = self._first, self._unknown
        if people > len(old) or kind.itemsize > old.dtype.itemsize:
            wider = np.promote_types(kind, old.dtype)
            size = len(old) if people <= len(old) else people + people // _SLACK
            self._first = np.full(size, np.iinfo(wider).max, dtype=wider)
            known = old != unknown
            self._first[: len(old)][known] = old[known]
            self._changed = np.concatenate([self._changed, np.zeros(size - len(old), dtype=np.bool_)])
        self._people = people
