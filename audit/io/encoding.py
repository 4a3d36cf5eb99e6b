"""Numbering: one set of integer codes for the people, and one for the values, of a whole series."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.io.serial_numbers import SerialNumbers
from audit.io.tables import Coded, direct_codes
from audit.io.text_index import TextIndex, hashes
from audit.io.texts import arrow, column_of, flags, texts_of, whole
from audit.model.arrays import Codes, Flags

if TYPE_CHECKING:
    import pyarrow as pa


COUNTERFEIT = "~"
NOBODY = -1
_DIRECT_PER_ROW = 16
_DIRECT_SLACK = 1 << 16
_MOST_DIRECT = 10**9


class Vocabulary:
    """Distinct texts numbered in the order in which they were first seen.

    Attributes:
        names: the texts by code; the same list grows when texts are added.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names: list[str] = []
        self._codes: dict[str, int] = {}
        self.add(names)

    def __len__(self) -> int:
        """Return how many texts are known."""
        return len(self.names)

    def add(self, names: Iterable[str]) -> Codes:
        """Return the codes of texts, numbering the new ones; shape (len(names),), int32."""
        codes = [self._codes.setdefault(name, len(self._codes)) for name in names]
        self.names += list(self._codes)[len(self.names) :]
        return np.array(codes, dtype=np.int32)

    def codes(self, names: Iterable[str]) -> Codes:
        """Return the codes of texts, -1 for those that are not known; shape (len(names),), int32."""
        return np.array([self.find(name) for name in names], dtype=np.int32)

    def find(self, name: str) -> int:
        """Return a text's code, or -1 when it is not known."""
        return self._codes.get(name, -1)


class IdentifierEncoder:
    """Numbers individuals over all releases.

    Identifiers that are small numbers, all written alike, have these numbers as codes (no table of names is kept for
    them); all others are numbered from the limit of these on, in the order of first appearance. Unless it is given,
    the first column of identifiers decides on `direct`.

    One thread may number a column while others ask about codes that they have been given.

    Attributes:
        direct: which identifiers are their own codes; None before the first column.
        largest: the largest code of a number seen, -1 where there was none.
    """

    def __init__(self, direct: SerialNumbers | None = None) -> None:
        self.direct = direct
        self.largest = -1
        self._others = TextIndex()
        self._count = 0
        self._counterfeits = np.zeros(0, dtype=np.int32)

    @property
    def size(self) -> int:
        """One more than the largest code given out."""
        return self.plain + self._count if self._count else self.largest + 1

    @property
    def plain(self) -> int:
        """Codes below are the identifiers' own numbers."""
        return self.direct.limit if self.direct is not None else 0

    def encode(self, array: pa.Array) -> Codes:
        """Return the codes of a column of identifiers, -1 for empty cells; shape (rows,), int32."""
        import pyarrow as pa

        direct = SerialNumbers(self._limit(len(array))) if self.direct is None else self.direct
        if direct.limit and direct.plain and pa.types.is_integer(array.type):
            numbers = direct_codes(array, direct.limit)
            if numbers is not None:
                self.direct = direct
                self.largest = max(self.largest, int(numbers.max(initial=-1)))
                return numbers
        texts, rows = texts_of(array)
        codes = self._encode(texts, direct.limit)
        return codes if rows is None else codes[rows]

    def encode_coded(self, column: Coded) -> Codes:
        """Return the codes of a column of identifiers that has codes of its own, as `encode` does."""
        import pyarrow as pa

        codes = arrow(column.codes)
        if column.names is None:
            return self.encode(codes)
        return self.encode(pa.DictionaryArray.from_arrays(codes, column_of(column.names)))

    def number(self, names: Iterable[str]) -> Codes:
        """Return the codes of identifiers, numbering new ones; the empty one is nobody (-1)."""
        if self.direct is None:
            self.direct = SerialNumbers()
        return self._encode(column_of(names), self.plain)

    def _limit(self, rows: int) -> int:
        return min(_DIRECT_PER_ROW * rows + _DIRECT_SLACK, _MOST_DIRECT)

    def _encode(self, texts: pa.Array, limit: int) -> Codes:
        """Return the codes of stripped texts, numbering new ones.

        Those of the first column decide which numbers below `limit` are their own codes.
        """
        named = _lengths(texts) > 0
        if self.direct is None:
            people = texts.filter(arrow(named & ~_begin_with(texts, COUNTERFEIT)))
            self.direct = SerialNumbers.of(people, limit)
        codes = self.direct.numbers(texts).astype(np.int32)
        self.largest = max(self.largest, int(codes.max(initial=-1)))
        rows = np.flatnonzero((codes < 0) & named)
        if len(rows):
            known = self._count
            codes[rows] = self._others.add(texts if len(rows) == len(codes) else texts.take(arrow(rows))) + self.plain
            fake = np.flatnonzero(_begin_with(self._others.texts.slice(known), COUNTERFEIT)) + (self.plain + known)
            # In this order: others who ask meanwhile never see a counterfeit that is not among the codes.
            self._count = len(self._others)
            self._counterfeits = np.append(self._counterfeits, fake.astype(np.int32))
        return codes

    def codes(self, names: Iterable[str]) -> Codes:
        """Return the codes of identifiers, -1 for those that nobody has; shape (len(names),), int32."""
        texts, direct = column_of(names), self.direct or SerialNumbers()
        numbers, others = direct.numbers(texts), self._others.find(texts)
        others[others >= 0] += direct.limit
        return np.where(numbers >= 0, numbers, others).astype(np.int32)

    def find(self, name: str) -> int:
        """Return the code of an identifier, or -1 when nobody has it."""
        return int(self.codes([name])[0])

    def name(self, code: int) -> str:
        """Return the identifier of a code."""
        direct = self.direct or SerialNumbers()
        return direct.text(code) if code < direct.limit else str(self._others.texts[code - direct.limit])

    def names(self, codes: Codes) -> pa.Array:
        """Return the identifiers of many codes as text that may have more than 2 GB, empty ones for nobody (-1)."""
        import pyarrow.compute as pc

        direct = self.direct or SerialNumbers()
        numbers = pc.if_else(arrow(codes != NOBODY), direct.texts(arrow(codes)), "").cast("large_string")
        named = codes >= direct.limit
        others = self._others.texts.take(arrow(codes[named] - direct.limit))
        return pc.replace_with_mask(numbers, arrow(named), others)

    def hashes(self, codes: Codes, seed: int) -> npt.NDArray[np.uint64]:
        """Return a hash of the identifier of each of some codes from `plain` on; shape (codes,), uint64."""
        return hashes(self._others.texts.take(arrow(codes - self.plain)), seed)

    @property
    def has_counterfeits(self) -> bool:
        """Whether somebody is a counterfeit that keeps its identity."""
        return bool(len(self._counterfeits))

    def repeated(self, people: Codes) -> tuple[npt.NDArray[np.intp], Codes]:
        """Return the places at which somebody stands who stands again further on, and where that is."""
        places, last = np.arange(len(people), dtype=np.int32), np.zeros(self.size + 1, dtype=np.int32)
        last[people] = places
        rows = np.flatnonzero((last[people] != places) & (people != NOBODY))
        return rows, last[people[rows]]

    def is_counterfeit(self) -> npt.NDArray[np.bool_]:
        """Return, for each code, whether it is a counterfeit that keeps its identity; shape (size,)."""
        counterfeits = self._counterfeits  # before the size, which grows first
        flags = np.zeros(self.size, dtype=np.bool_)
        flags[counterfeits] = True
        return flags


def _lengths(texts: pa.Array) -> npt.NDArray[np.integer]:
    import pyarrow.compute as pc

    return whole(pc.binary_length(texts))


def _begin_with(texts: pa.Array, letter: str) -> Flags:
    import pyarrow.compute as pc

    return flags(pc.starts_with(texts, pattern=letter))
