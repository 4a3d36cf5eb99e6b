"""An index of distinct texts, which numbers the texts of one column after the other; equality is that of bytes.

A hash table with open addressing (linear probing; Knuth, volume 3, 6.4) on whole columns at once: numpy looks up all
texts of a column in each round, and those that found another text go on to the next slot. So a release costs what its
rows cost, however many texts are known already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Words

if TYPE_CHECKING:
    import pyarrow as pa

Places = npt.NDArray[np.int64]
T = TypeVar("T", bound=np.generic)

WORD_BYTES = 8
_FIRST_MULTIPLIER, _SECOND_MULTIPLIER = np.uint64(0xFF51_AFD7_ED55_8CCD), np.uint64(0xC4CE_B9FE_1A85_EC53)
_GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
_HALF = np.uint64(33)
_TAG, _CODE, _CODE_LIMIT = np.uint64(0xFFFF_FFFF_0000_0000), np.uint64(0xFFFF_FFFF), np.uint64(1 << 32)
_TAKEN = np.uint64(1 << 63)  # set in every hash, so that no tag is that of an empty slot
_LEAST_SLOTS = 1 << 8
_AT_A_TIME = 1 << 20
_FIRST_SLOTS = 3  # in which most texts are
_TOGETHER = 1 << 15  # texts, what is worked out of which stays in a processor's cache


class PackedTexts(NamedTuple):
    """Texts as words of eight bytes, each text beginning a word, the last one filled up with zeros.

    Attributes:
        words: the words of all texts; shape (words,), uint64, the first byte of a text in the lowest bits.
        start: where each text's words begin; shape (texts,), int64.
        length: the bytes of each text; shape (texts,), int32.
    """

    words: Words
    start: npt.NDArray[np.int64]
    length: Codes

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many words each text has; shape (texts,)."""
        return (self.length.astype(np.int64) + (WORD_BYTES - 1)) // WORD_BYTES

    def table(self) -> Words | None:
        """Return the words of each text as a row where all texts are equally long, else None; shape (texts, words)."""
        if not len(self.length) or int(self.length.min()) != int(self.length.max()):
            return None
        width = (int(self.length[0]) + (WORD_BYTES - 1)) // WORD_BYTES
        first = int(self.start[0])
        return self.words[first : first + width * len(self.length)].reshape(len(self.length), width)

    def take(self, places: npt.NDArray[np.intp]) -> PackedTexts:
        """Return some of the texts, packed anew."""
        table = self.table()
        if table is not None:
            start = np.arange(len(places), dtype=np.int64) * table.shape[1]
            return PackedTexts(table.take(places, axis=0).reshape(-1), start, self.length[places])
        counts = self.counts[places]
        words = self.words[_ranges(self.start[places], counts)]
        return PackedTexts(words, np.cumsum(counts) - counts, self.length[places])

    def text(self, place: int) -> str:
        """Return one of the texts."""
        start, length = int(self.start[place]), int(self.length[place])
        return self.words[start : start + (length + WORD_BYTES - 1) // WORD_BYTES].tobytes()[:length].decode()

    def since(self, first: int) -> PackedTexts:
        """Return the texts from a place on."""
        return PackedTexts(self.words, self.start[first:], self.length[first:])

    def hashes(self, seed: int = 0) -> Words:
        """Return a hash of each text; shape (texts,), uint64. It depends on the seed and on the text's bytes alone."""
        found = np.empty(len(self.length), np.uint64)
        for first in range(0, len(found), _TOGETHER):
            some = slice(first, first + _TOGETHER)
            found[some] = PackedTexts(self.words, self.start[some], self.length[some])._hashes(seed)
        return found

    def _hashes(self, seed: int) -> Words:
        found = mixed((self.length.astype(np.uint64) + np.uint64(1)) * _GOLDEN ^ np.uint64(seed))
        table = self.table()
        if table is not None:
            for column in table.T:
                found = mixed(found ^ column)
            return found
        counts = self.counts
        least, most = int(counts.min(initial=0)) if len(counts) else 0, int(counts.max(initial=0))
        for place in range(least):
            found = mixed(found ^ self.words[self.start + place])
        for place in range(least, most):
            rows = np.flatnonzero(counts > place)
            found[rows] = mixed(found[rows] ^ self.words[self.start[rows] + place])
        return found

    def texts(self, codes: npt.NDArray[np.integer]) -> pa.Array:
        """Return the texts of some codes as an Arrow column; shape (codes,)."""
        import pyarrow as pa

        chunks = [self._texts(codes[at : at + _AT_A_TIME]) for at in range(0, len(codes), _AT_A_TIME)]
        return pa.concat_arrays(chunks) if chunks else pa.nulls(0, pa.string())

    def _texts(self, codes: npt.NDArray[np.integer]) -> pa.Array:
        import pyarrow as pa

        length = self.length[codes]
        ends = np.cumsum(length, dtype=np.int64)
        places = _ranges(self.start[codes] * WORD_BYTES, length.astype(np.int64))
        data = self.words.view(np.uint8)[places]
        if ends[-1] > np.iinfo(np.int32).max:
            raise MemoryError
        offsets = np.concatenate([np.zeros(1, np.int32), ends.astype(np.int32)])
        return pa.StringArray.from_buffers(len(codes), pa.py_buffer(offsets), pa.py_buffer(data))


def mixed(numbers: Words) -> Words:
    """Return a permutation of the numbers of 64 bits (Appleby, MurmurHash3, its finalizer)."""
    found = numbers >> _HALF
    found ^= numbers
    for multiplier in (_FIRST_MULTIPLIER, _SECOND_MULTIPLIER):
        found *= multiplier
        found ^= found >> _HALF
    return found


def pack(texts: pa.Array) -> PackedTexts:
    """Return the texts of an Arrow column of strings or bytes without nulls."""
    import pyarrow as pa

    wide = pa.types.is_large_string(texts.type) or pa.types.is_large_binary(texts.type)
    kind = np.dtype(np.int64 if wide else np.int32)
    if not len(texts):
        return PackedTexts(np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int32))
    _, offset_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(offset_buffer, kind, len(texts) + 1, texts.offset * kind.itemsize)
    data = np.frombuffer(data_buffer or b"", np.uint8)
    length = np.diff(offsets).astype(np.int32)
    counts = (length.astype(np.int64) + (WORD_BYTES - 1)) // WORD_BYTES
    start = np.cumsum(counts) - counts
    if (length == length[0]).all():
        padded = np.zeros((len(texts), int(counts[0]) * WORD_BYTES), np.uint8)
        padded[:, : length[0]] = data[offsets[0] : offsets[-1]].reshape(len(texts), length[0])
        return PackedTexts(padded.view(np.uint64).reshape(-1), start, length)
    return PackedTexts(_unaligned(data, offsets[:-1].astype(np.int64), length, counts), start, length)


def starts_with(texts: PackedTexts, letter: str) -> npt.NDArray[np.bool_]:
    """Return which texts begin with an ASCII letter; shape (texts,)."""
    found = texts.length > 0
    found[found] = texts.words[texts.start[found]] & np.uint64(0xFF) == ord(letter)
    return found


def _unaligned(data: npt.NDArray[np.uint8], first: Places, length: Codes, counts: Places) -> Words:
    """Return the words of texts that begin anywhere in some bytes."""
    padded = np.zeros((len(data) // WORD_BYTES + 2) * WORD_BYTES, np.uint8)
    padded[: len(data)] = data
    aligned = padded.view(np.uint64)
    at = _ranges(first, counts, WORD_BYTES)
    shift = ((at & 7) << 3).astype(np.uint64)
    at >>= 3
    # Shifting by 64 bits is undefined, so the upper part is shifted in two steps.
    words = (aligned[at] >> shift) | ((aligned[at + 1] << np.uint64(1)) << (np.uint64(63) - shift))
    last = np.cumsum(counts) - 1
    some = np.flatnonzero((length & 7) != 0)
    words[last[some]] &= (np.uint64(1) << ((length[some] & 7) << 3).astype(np.uint64)) - np.uint64(1)
    return words


def _ranges(first: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], step: int = 1) -> npt.NDArray[np.int64]:
    """Return `first[i], first[i] + step, …`, `counts[i]` of them, for each i in turn."""
    ends = np.cumsum(counts)
    found = np.arange(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    if step != 1:
        found *= step
    found += np.repeat(first - (ends - counts) * step, counts)
    return found


class TextIndex:
    """Distinct texts, numbered in the order in which they were first seen."""

    def __init__(self) -> None:
        self._words = np.zeros(0, np.uint64)
        self._start = np.zeros(0, np.int64)
        self._length = np.zeros(0, np.int32)
        self._size = self._used = 0
        # The upper half of a text's hash, and one more than its code below; 0 where a slot is empty.
        self._slots = np.zeros(_LEAST_SLOTS, np.uint64)

    def __len__(self) -> int:
        """Return how many texts are known."""
        return self._size

    @property
    def packed(self) -> PackedTexts:
        """The texts by code."""
        return PackedTexts(self._words[: self._used], self._start[: self._size], self._length[: self._size])

    def add(self, texts: PackedTexts) -> Codes:
        """Return the codes of texts, numbering the new ones; shape (texts,), int32."""
        hashes = texts.hashes() | _TAKEN
        found = self._find(texts, hashes)
        new = np.flatnonzero(found < 0)
        if len(new):
            found[new] = self._insert(texts.take(new), hashes[new])
        return found

    def find(self, texts: PackedTexts) -> Codes:
        """Return the codes of texts, -1 for those that are not known; shape (texts,), int32."""
        return self._find(texts, texts.hashes() | _TAKEN)

    def _find(self, texts: PackedTexts, hashes: Words) -> Codes:
        found = np.full(len(hashes), -1, np.int32)
        if not self._size or not len(hashes):
            return found
        equal_texts = _Equality(self.packed, texts)
        left = []
        for first in range(0, len(hashes), _TOGETHER):
            rows = np.arange(first, min(first + _TOGETHER, len(hashes)))
            for way in range(_FIRST_SLOTS):
                rows = self._look_up(rows, way, hashes, equal_texts, found)
            left.append(rows)
        # Few go on to the slots after these, all of them together.
        rows, way = np.concatenate(left), _FIRST_SLOTS
        while len(rows):
            rows, way = self._look_up(rows, way, hashes, equal_texts, found), way + 1
        return found

    def _look_up(
        self, rows: npt.NDArray[np.intp], way: int, hashes: Words, equal_texts: _Equality, found: Codes
    ) -> npt.NDArray[np.intp]:
        """Look at the slot that is so many behind the first one of the texts of some rows.

        Write into `found` the codes of those that are there; return the rows of those that may be in later slots.
        """
        own = hashes.take(rows)
        at = (own + np.uint64(way)) & np.uint64(len(self._slots) - 1)
        slot = self._slots.take(at.astype(np.int64))
        same = np.flatnonzero((slot ^ own) < _CODE_LIMIT)
        code = (slot.take(same) & _CODE).astype(np.int64) - 1
        equal = equal_texts(code, rows.take(same))
        found[rows[same[equal]]] = code[equal]
        going = slot != 0
        going[same[equal]] = False
        return rows.take(np.flatnonzero(going))

    def _insert(self, texts: PackedTexts, hashes: Words) -> Codes:
        """Number texts that are not known, of which some may be equal."""
        self._make_room(len(hashes))
        first = self._size
        self._keep(texts)
        known, mask = self.packed, len(self._slots) - 1
        own = np.arange(first + 1, self._size + 1, dtype=np.uint64) | (hashes & _TAG)
        found = np.empty(len(hashes), np.int32)
        at = (hashes & np.uint64(mask)).astype(np.int64)
        rows = np.arange(len(hashes))
        equal_texts = _Equality(known, texts)
        while len(rows):
            here = at[rows]
            empty = np.flatnonzero(self._slots[here] == 0)[::-1]
            # Of several rows that want a slot the first has it: numpy keeps the last that is assigned.
            self._slots[here[empty]] = own[rows[empty]]
            slot = self._slots[here]
            same = np.flatnonzero((slot ^ own[rows]) < _CODE_LIMIT)
            code = (slot[same] & _CODE).astype(np.int64) - 1
            same_text = (code == rows[same] + first) | equal_texts(code, rows[same])
            found[rows[same[same_text]]] = code[same_text]
            going = np.ones(len(rows), np.bool_)
            going[same[same_text]] = False
            rows = rows[going]
            at[rows] = (at[rows] + 1) & mask
        kept = np.flatnonzero(found == np.arange(first, self._size))
        if len(kept) < len(found):
            number = np.empty(len(found), np.int32)
            number[kept] = np.arange(first, first + len(kept))
            found = number[found - first]
            self._slots[at[kept]] = (hashes[kept] & _TAG) | (found[kept] + 1).astype(np.uint64)
            self._size, self._used = first, self._used - len(texts.words)
            self._keep(texts.take(kept))
        return found

    def _keep(self, texts: PackedTexts) -> None:
        size, used = self._size + len(texts.length), self._used + len(texts.words)
        self._words, self._start = _grown(self._words, used), _grown(self._start, size)
        self._length = _grown(self._length, size)
        self._words[self._used : used] = texts.words
        self._start[self._size : size] = texts.start + self._used
        self._length[self._size : size] = texts.length
        self._size, self._used = size, used

    def _make_room(self, more: int) -> None:
        """Have at least as many empty slots as slots in use when so many texts are added."""
        wanted = 2 * (self._size + more)
        if wanted <= len(self._slots):
            return
        self._slots = np.zeros(1 << (wanted - 1).bit_length(), np.uint64)
        mask, hashes = len(self._slots) - 1, self.packed.hashes() | _TAKEN
        slot = (hashes & _TAG) | np.arange(1, self._size + 1, dtype=np.uint64)
        at, codes = (hashes & np.uint64(mask)).astype(np.int64), np.arange(self._size)
        while len(codes):
            free = codes[self._slots[at[codes]] == 0]
            self._slots[at[free]] = slot[free]
            codes = codes[self._slots[at[codes]] != slot[codes]]
            at[codes] = (at[codes] + 1) & mask


class _Equality:
    """Tells whether texts of one are those of the other, pair by pair."""

    def __init__(self, one: PackedTexts, other: PackedTexts) -> None:
        self._one, self._other = one, other
        self._tables = one.table(), other.table()

    def __call__(self, codes: npt.NDArray[np.integer], rows: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Return whether each pair of a text of the one and a text of the other is equal; shape (pairs,)."""
        left, right = self._tables
        if left is None or right is None:
            return _equal(self._one, codes, self._other, rows)
        if self._one.length[0] != self._other.length[0]:
            return np.zeros(len(codes), dtype=np.bool_)
        equal = np.ones(len(codes), dtype=np.bool_)
        if len(codes):
            for one, other in zip(left.take(codes, axis=0).T, right.take(rows, axis=0).T, strict=True):
                equal &= one == other
        return equal


def _equal(
    one: PackedTexts, codes: npt.NDArray[np.integer], other: PackedTexts, rows: npt.NDArray[np.integer]
) -> npt.NDArray[np.bool_]:
    """Return whether texts of one are those of the other, pair by pair; shape (pairs,)."""
    equal = one.length[codes] == other.length[rows]
    counts = (other.length[rows].astype(np.int64) + (WORD_BYTES - 1)) // WORD_BYTES
    starts, others = one.start[codes], other.start[rows]
    for place in range(int(counts.max(initial=0))):
        some: npt.NDArray[np.intp] | slice = slice(None)
        if not (equal & (counts > place)).all():
            some = np.flatnonzero(equal & (counts > place))
        equal[some] &= one.words[starts[some] + place] == other.words[others[some] + place]
    return equal


def _grown(array: npt.NDArray[T], size: int) -> npt.NDArray[T]:
    """Return the array, with room for so many; by half more than it had, so that growing costs little in all."""
    if size <= len(array):
        return array
    larger: npt.NDArray[T] = np.zeros(max(size, len(array) + len(array) // 2), array.dtype)
    larger[: len(array)] = array
    return larger
