"""An index of distinct texts, which numbers the texts of one column after the other; equality is that of bytes.

A hash table with open addressing (linear probing; Knuth, volume 3, 6.4) on whole columns at once: numpy looks up all
texts of a column in each round, and those that found another text go on to the next slot. So a release costs what its
rows cost, however many texts are known already. Arrow compares the texts themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from audit.io.texts import arrow, column_of, flags, whole
from audit.model.arrays import Codes, Words

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
    """Distinct texts, numbered in the order in which they were first seen.

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
