"""Numbering: one set of integer codes for the people, and one for the values, of a whole series."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.io.serial_numbers import SerialNumbers
from audit.io.tables import Coded, direct_codes
from audit.io.texts import arrow, column_of, flags, texts_of, whole
from audit.model.arrays import Codes, Flags

if TYPE_CHECKING:
    import pyarrow as pa


from typing import TYPE_CHECKING

from audit.model.arrays import Words

if TYPE_CHECKING:
    import pyarrow as pa

_WORD_BYTES = 8
_FIRST_MULTIPLIER, _SECOND_MULTIPLIER = np.uint64(0xFF51_AFD7_ED55_8CCD), np.uint64(0xC4CE_B9FE_1A85_EC53)
_GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
_HALF = np.uint64(33)
_LEAST_SLOTS = 1 << 8
_BYTES_AT_A_TIME = 1 << 18  # what is worked out of which stays in a processor's cache


def hashes(texts: pa.Array, seed: int = 0) -> Words:
    """Return a hash of each text; shape (texts,), uint64. It depends on the seed and on the text's bytes alone."""
    import pyarrow.compute as pc

    length = whole(pc.binary_length(texts)).astype(np.uint64)
    counts = (length + np.uint64(_WORD_BYTES - 1)) // np.uint64(_WORD_BYTES)
    width = int(counts.max(initial=0)) * _WORD_BYTES
    if len(texts) > 1 and len(texts) * width > _BYTES_AT_A_TIME:
        half = len(texts) // 2
        return np.concatenate([hashes(texts.slice(0, half), seed), hashes(texts.slice(half), seed)])
    found = _mixed((length + np.uint64(1)) * _GOLDEN ^ np.uint64(seed))
    if width:
        padded = pc.ascii_rpad(texts, width=width, padding="\0")
        words = np.frombuffer(padded.buffers()[2], np.uint64, len(texts) * width // _WORD_BYTES)
        for place, column in enumerate(words.reshape(len(texts), -1).T):
            found = np.where(counts > place, _mixed(found ^ column), found)
    return found


def _mixed(numbers: Words) -> Words:
    """Return a permutation of the numbers of 64 bits (Appleby, MurmurHash3, its finalizer)."""
    found = numbers >> _HALF
    found ^= numbers
    for multiplier in (_FIRST_MULTIPLIER, _SECOND_MULTIPLIER):
        found *= multiplier
        found ^= found >> _HALF
    return found


class TextIndex:
    """Distinct texts, numbered in the order in which they were first seen; equality is that of bytes.

    A hash table with open addressing (linear probing; Knuth, volume 3, 6.4) on whole columns at once: numpy looks up
    all texts of a column in each round, and those that found another text go on to the next slot. So a release costs
    what its rows cost, however many texts are known already. Arrow compares the texts themselves.

    Attributes:
        texts: the texts by code, as Arrow text that may have more than 2 GB.
    """

    def __init__(self) -> None:
        self.texts = column_of([]).cast("large_string")
        self._hashes = np.zeros(0, np.uint64)
        self._slots = np.zeros(_LEAST_SLOTS, np.int32)  # one more than a code, 0 where a slot is empty
        self._clashing: dict[str, int] = {}  # texts whose hash is that of another one, and their codes

    def __len__(self) -> int:
        """Return how many texts are known."""
        return len(self.texts)

    def add(self, texts: pa.Array) -> Codes:
        """Return the codes of texts without nulls, numbering the new ones; shape (texts,), int32."""
        found = self.find(texts)
        new = np.flatnonzero(found < 0)
        if len(new):
            fresh = texts.take(arrow(new)).dictionary_encode()
            found[new] = whole(fresh.indices) + np.int32(len(self))
            self._keep(fresh.dictionary)
        return found

    def find(self, texts: pa.Array) -> Codes:
        """Return the codes of texts, -1 for those that are not known; shape (texts,), int32."""
        import pyarrow.compute as pc

        found = np.full(len(texts), -1, np.int32)
        if not len(self) or not len(texts):
            return found
        own, rows = hashes(texts), np.arange(len(texts))
        at = self._slot_of(own)
        while len(rows):
            code = self._slots[at] - 1
            same = (code >= 0) & (self._hashes[code] == own[rows])
            found[rows[same]] = code[same]
            going = (code >= 0) & ~same
            rows, at = rows[going], self._next(at[going])
        there = np.flatnonzero(found >= 0)
        some = texts.cast("large_string").take(arrow(there))
        for place in np.flatnonzero(~flags(pc.equal(self.texts.take(arrow(found[there])), some))).tolist():
            found[there[place]] = self._clashing.get(some[place].as_py(), -1)
        return found

    def _keep(self, texts: pa.Array) -> None:
        """Number distinct texts that are not known."""
        import pyarrow as pa

        codes = np.arange(len(self), len(self) + len(texts), dtype=np.int32)
        self.texts = pa.concat_arrays([self.texts, texts.cast("large_string")])
        self._hashes = np.concatenate([self._hashes, hashes(texts)])
        if 2 * len(self) > len(self._slots):  # so that at most half of the slots are in use
            self._slots = np.zeros(1 << (2 * len(self)).bit_length(), np.int32)
            codes = np.arange(len(self), dtype=np.int32)
        at = self._slot_of(self._hashes[codes])
        while len(codes):
            free = self._slots[at] == 0
            self._slots[at[free]] = codes[free] + 1  # of several texts that want a slot the last one has it
            holder = self._slots[at] - 1
            clashing = (holder != codes) & (self._hashes[holder] == self._hashes[codes])
            self._clashing.update((self.texts[code].as_py(), code) for code in codes[clashing].tolist())
            going = (holder != codes) & ~clashing
            codes, at = codes[going], self._next(at[going])

    def _slot_of(self, own: Words) -> Words:
        return own & np.uint64(len(self._slots) - 1)

    def _next(self, at: Words) -> Words:
        return self._slot_of(at + np.uint64(1))


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
