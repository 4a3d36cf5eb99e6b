"""Numbering: one set of integer codes for the people, and one for the values, of a whole series."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.core.kernels import wants_compiled
from audit.reading.tables import direct_codes, text_codes, whole

if TYPE_CHECKING:
    import pyarrow as pa

COUNTERFEIT = "~"
NOBODY = -1
_NAMED = -2
_DIRECT_PER_ROW = 16
_DIRECT_SLACK = 1 << 16
_LARGE = 16  # a column is large when so many of its length would be a large series
_CANONICAL = r"^(0|[1-9][0-9]{0,8})?$"


class Vocabulary:
    """Distinct texts numbered in the order in which they were first seen."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names: list[str] = []
        self._codes: dict[str, int] = {}
        self.add(names)

    def __len__(self) -> int:
        """Return how many texts are known."""
        return len(self.names)

    def add(self, names: Iterable[str]) -> npt.NDArray[np.int32]:
        """Return the codes of texts, numbering the new ones; shape (len(names),), int32."""
        found = []
        for name in names:
            code = self._codes.setdefault(name, len(self.names))
            if code == len(self.names):
                self.names.append(name)
            found.append(code)
        return np.array(found, dtype=np.int32)

    def find(self, name: str) -> int:
        """Return a text's code, or -1 when it is not known."""
        return self._codes.get(name, -1)


class People:
    """Numbers individuals over all releases.

    Identifiers that are small whole numbers are their own codes (no table of names is kept for them); all
    others are numbered from `direct` on, in the order of first appearance. Unless it is given, the first column of
    identifiers decides on `direct`; it is 0 where these are no numbers.

    Attributes:
        direct: which whole numbers are their own codes: those below; None before the first column.
        largest: the largest code of a number seen, -1 where there was none.
    """

    def __init__(self, direct: int | None = None) -> None:
        self.direct = direct
        self.largest = -1
        self._others = Vocabulary()
        self._counterfeits: list[int] = []

    @property
    def size(self) -> int:
        """One more than the largest code given out."""
        return (self.direct or 0) + len(self._others) if len(self._others) else self.largest + 1

    @property
    def plain(self) -> int:
        """Codes below are the identifiers themselves, as numbers."""
        return self.direct or 0

    def encode(self, array: pa.Array) -> npt.NDArray[np.int32]:
        """Return the codes of a column of identifiers, -1 for empty cells; shape (rows,), int32."""
        if self.direct is None:
            limit = _DIRECT_PER_ROW * len(array) + _DIRECT_SLACK
            self.direct = limit if self._as_numbers(array, limit) is not None else 0
        numbers = self._as_numbers(array, self.direct)
        if numbers is not None:
            self.largest = max(self.largest, int(numbers.max(initial=-1)))
            fakes = np.flatnonzero(numbers == _NAMED)
            if len(fakes):
                numbers[fakes] = self.number([name.strip() for name in array.take(fakes).to_pylist()])
            return numbers
        codes, names = text_codes(array)
        return self.number(names)[codes] if names else codes

    def _as_numbers(self, array: pa.Array, limit: int) -> npt.NDArray[np.int32] | None:
        """Return a column whose cells are whole numbers below `limit`, written plainly, as those numbers.

        Empty cells are nobody (-1), and counterfeits that keep their identity are `_NAMED`; with any other cell the
        column is not one of numbers, and None is returned.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if not limit or not len(array):
            return None
        if not pa.types.is_dictionary(array.type):
            return direct_codes(array, limit)
        if array.null_count or array.dictionary.null_count:
            return None
        plain = pc.match_substring_regex(array.dictionary, _CANONICAL)
        named = pc.starts_with(array.dictionary, COUNTERFEIT)
        if not pc.all(pc.or_(plain, named), min_count=0).as_py():
            return None
        empty = pc.equal(array.dictionary, "")
        numbers = direct_codes(pc.if_else(pc.or_(empty, named), "0", array.dictionary).cast(pa.int64()), limit)
        if numbers is None:
            return None
        numbers = np.where(whole(empty.cast(pa.uint8())) != 0, np.int32(NOBODY), numbers)
        numbers[whole(named.cast(pa.uint8())) != 0] = _NAMED
        return numbers[whole(array.indices)]

    def number(self, names: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the codes of identifiers, numbering new ones; the empty one is nobody (-1)."""
        if self.direct is None:
            self.direct = 0
        codes = np.empty(len(names), dtype=np.int32)
        for place, name in enumerate(names):
            code = self.find(name) if name else NOBODY
            if name and code < 0:
                code = self.direct + int(self._others.add([name])[0])
                if name.startswith(COUNTERFEIT):
                    self._counterfeits.append(code)
            elif name:
                self.largest = max(self.largest, code)
            codes[place] = code
        return codes

    def find(self, name: str) -> int:
        """Return the code of an identifier, or -1 when nobody has it."""
        direct = self.direct or 0
        if direct and name.isascii() and name.isdigit() and len(name) < 10 and str(int(name)) == name:
            number = int(name)
            if number < direct:
                return number
        other = self._others.find(name)
        return other if other < 0 else direct + other

    def name(self, code: int) -> str:
        """Return the identifier of a code."""
        direct = self.direct or 0
        return str(code) if code < direct else self._others.names[code - direct]

    def names(self, codes: npt.NDArray[np.int32]) -> pa.Array:
        """Return the identifiers of many codes as text, empty ones for nobody (-1)."""
        import pyarrow as pa

        direct = self.direct or 0
        if not len(self._others) or codes.max(initial=-1) < direct:
            return pa.array(codes, mask=codes == NOBODY).cast(pa.string()).fill_null("")
        return pa.array([self.name(code) if code != NOBODY else "" for code in codes.tolist()], pa.string())

    @property
    def others(self) -> Sequence[str]:
        """The identifiers whose codes begin at `direct`, in the order of these."""
        return self._others.names

    def outline(self) -> People:
        """Return the same without a name that could be read or found: what codes there are, and which are people."""
        bare = People(self.direct)
        bare.largest = self.largest
        bare._others.names = [""] * len(self._others)
        bare._counterfeits = self._counterfeits
        return bare

    @property
    def has_counterfeits(self) -> bool:
        """Whether somebody is a counterfeit that keeps its identity."""
        return bool(self._counterfeits)

    def repeated(self, people: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
        """Return the places at which somebody stands who stands again further on, and where that is."""
        if self._distinct(people):
            return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.int32)
        places, last = np.arange(len(people), dtype=np.int32), np.zeros(self.size + 1, dtype=np.int32)
        last[people] = places
        rows = np.flatnonzero((last[people] != places) & (people != NOBODY))
        return rows, last[people[rows]]

    def _distinct(self, people: npt.NDArray[np.int32]) -> bool:
        """Tell whether nobody stands twice; who is nobody may."""
        if wants_compiled(_LARGE * len(people)):
            from audit.reading import numbering_compiled

            return bool(numbering_compiled.mark(np.zeros(self.size // 8 + 1, dtype=np.uint8), people))
        seen = np.zeros(self.size + 1, dtype=np.bool_)
        seen[people] = True
        nobody = np.count_nonzero(people == NOBODY) - 1 if seen[NOBODY] else 0
        return bool(np.count_nonzero(seen) == len(people) - nobody)

    def is_counterfeit(self) -> npt.NDArray[np.bool_]:
        """Return, for each code, whether it is a counterfeit that keeps its identity; shape (size,)."""
        flags = np.zeros(self.size, dtype=np.bool_)
        flags[self._counterfeits] = True
        return flags
