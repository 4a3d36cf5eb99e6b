"""Identifiers that are numbers written in one way (`17`, `000017`, `P000017`), read as these numbers at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from audit.io.text_index import WORD_BYTES, PackedTexts
from audit.io.texts import column_of
from audit.model.arrays import Codes, Words

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_DIGITS = 9
_AT_A_TIME = 1 << 14  # texts, whose words stay in a processor's cache
_ZEROS, _UPPER, _SIX = (np.uint64(byte * 0x0101_0101_0101_0101) for byte in (0x30, 0xF0, 0x06))
_EVERY_FOURTH = np.uint64(0x0000_00FF_0000_00FF)
_ALL = (1 << 64) - 1


class SerialNumbers(NamedTuple):
    """The texts that are a prefix and a number.

    Attributes:
        limit: numbers are those below; 0 where no text is one.
        prefix: what stands before each number.
        digits: how many digits, at most nine, each number is written with; 0 where none has leading zeros.
    """

    limit: int = 0
    prefix: str = ""
    digits: int = 0

    @classmethod
    def of(cls, texts: PackedTexts, limit: int) -> SerialNumbers:
        """Return the form that all texts have, whole numbers without leading zeros first; else that of none."""
        forms = [cls(limit)]
        if len(texts.length):
            first = texts.text(0)
            digits = min(len(first) - len(first.rstrip("0123456789")), _MOST_DIGITS)
            prefix = first[: len(first) - digits]
            forms += [cls(limit, prefix, digits), cls(limit, prefix)] if digits else []
        return next((form for form in forms if (form.numbers(texts) >= 0).all()), cls())

    @property
    def plain(self) -> bool:
        """Whether they are written as integers are."""
        return not (self.prefix or self.digits)

    def numbers(self, texts: PackedTexts) -> npt.NDArray[np.int64]:
        """Return the number below the limit that each text is, else -1; shape (texts,)."""
        found = np.full(len(texts.length), -1, np.int64)
        for first in range(0, len(found) if self.limit else 0, _AT_A_TIME):
            some = slice(first, first + _AT_A_TIME)
            self._find(texts.words, texts.start[some], texts.length[some], found[some])
        return found

    def _find(self, words: Words, start: npt.NDArray[np.int64], length: Codes, found: npt.NDArray[np.int64]) -> None:
        """Write into `found` the number below the limit that each of some texts is."""
        prefix = self.prefix.encode()
        least, most = (self.digits, self.digits) if self.digits else (1, _MOST_DIGITS)
        length = length - np.int32(len(prefix))
        may_be = (length >= least) & (length <= most)
        rows = slice(None) if may_be.all() else np.flatnonzero(may_be)
        length, start = length[rows], start[rows]
        is_one = _begin_with(words, start, prefix)
        number, are_digits = _parsed(words, start + len(prefix) // WORD_BYTES, len(prefix) % WORD_BYTES, length)
        is_one &= are_digits & (number < self.limit)
        if not self.digits:
            is_one &= (length == 1) | (number >= _POWERS[length - 1])
        found[rows] = np.where(is_one, number, -1)

    def text(self, number: int) -> str:
        """Return how a number is written."""
        return self.prefix + str(number).zfill(self.digits)

    def texts(self, numbers: pa.Array) -> pa.Array:
        """Return how integers of an Arrow column are written."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = numbers.cast(pa.string())
        texts = pc.utf8_lpad(texts, self.digits, "0") if self.digits else texts
        prefix, nothing = column_of([self.prefix, ""])
        return pc.binary_join_element_wise(prefix, texts, nothing) if self.prefix else texts


_POWERS = 10 ** np.arange(_MOST_DIGITS, dtype=np.int64)


def _begin_with(words: Words, start: npt.NDArray[np.int64], prefix: bytes) -> npt.NDArray[np.bool_]:
    """Return which texts, whose words begin at `start` and which are long enough, begin with some bytes."""
    equal = np.ones(len(start), np.bool_)
    for first in range(0, len(prefix), WORD_BYTES):
        part = prefix[first : first + WORD_BYTES]
        mask = np.uint64(_ALL >> 8 * (WORD_BYTES - len(part)))
        equal &= words[start + first // WORD_BYTES] & mask == np.uint64(int.from_bytes(part, "little"))
    return equal


def _parsed(
    words: Words, at: npt.NDArray[np.int64], skipped: int, length: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the numbers that the last one to nine bytes of texts are, and whether these are digits.

    The digits begin in the words at `at`, after `skipped` bytes.
    """
    shift = np.uint64(8 * skipped)
    first = words[at] >> shift
    if skipped:
        more = np.flatnonzero(length > WORD_BYTES - skipped)
        first[more] |= words[at[more] + 1] << (np.uint64(64) - shift)
    # Zeros before the digits make eight of them.
    missing = ((WORD_BYTES - np.minimum(length, WORD_BYTES)) << 3).astype(np.uint64)
    digits = (first << missing) | (_ZEROS & ((np.uint64(1) << missing) - np.uint64(1)))
    are_digits = (digits & _UPPER == _ZEROS) & ((digits + _SIX) & _UPPER == _ZEROS)
    number = _eight_digits(digits)
    nine = np.flatnonzero(length == _MOST_DIGITS)
    ninth = (words[at[nine] + 1] >> shift & np.uint64(0xFF)).astype(np.int64) - ord("0")
    number[nine] = 10 * number[nine] + ninth
    are_digits[nine] &= (ninth >= 0) & (ninth <= 9)
    return number, are_digits


def _eight_digits(digits: Words) -> npt.NDArray[np.int64]:
    """Return the numbers that eight digits each are, the first in the lowest bits: pairs are joined, then fours."""
    pairs = digits - _ZEROS
    pairs = pairs * np.uint64(10) + (pairs >> np.uint64(8))
    low, high = pairs & _EVERY_FOURTH, (pairs >> np.uint64(16)) & _EVERY_FOURTH
    joined = low * np.uint64((10**6 << 32) + 100) + high * np.uint64((10**4 << 32) + 1)
    return (joined >> np.uint64(32)).astype(np.int64)
