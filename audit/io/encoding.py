"""Encoding: give integer codes to the people, and to the values, of a whole series."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.notations import RAISED, REMARK, as_plain_number, like_digits, once, skeleton
from audit.io.tables import Coded, direct_codes
from audit.io.texts import arrow, column_of, flags, texts_of, whole
from audit.model.arrays import NOBODY, Codes, Flags, Integers, Places, Words, flagged

_SIGNS = r"(?:[\s\p{Z}]+(?:and|et|und|y)[\s\p{Z}]+|[^\p{L}\p{N}.])+"
_WORD = r"[\p{L}\p{N}_]"  # Arrow's \w has ASCII letters alone
_CLASSES = ((r"[^\w\s]", r"[^\p{L}\p{N}_\s]"), (r"[^\W\d]", r"[\p{L}_]"), (r"[\W_]", r"[^\p{L}\p{N}]"), (r"\w", _WORD))
_REMARK = reduce(lambda pattern, pair: pattern.replace(*pair), _CLASSES, REMARK)
_MIXED = (
    r"[a-z].*[\p{Cyrillic}\p{Greek}]|[\p{Cyrillic}\p{Greek}].*[a-z]|^(?:\P{L}*[авекмнорстухіјѕοα]+\P{L}*)+$|[٠-٩۰-۹०-९]"
)
_SEPARATE = rf"{_WORD}[\s\p{{Z}},;/|&+]+{_WORD}"
_TWO_LETTERS = (("ß", "ss"), ("æ", "a"), ("[øœ]", "o"), ("a[ae]*", "a"), ("([ou])e*", r"\1"))
_BESIDE = (
    r"(?i)^([a-z]{0,3}[0-9][0-9.]*)[\s\p{Z}:–-]+(\D.*)$"
    r"|^(?:[a-z]\)|\([^()]{1,12}\)|(?:of which|davon|darunter|dont):?[\s\p{Z}])(.*)$"
    rf"|^(.*?)[\s\p{{Z}}]*(?:[*†‡§{RAISED}]+|[0-9]\)|[\[(]([^\[\]()]*)[\])])$"
)
_RUN = r"[^\p{L}0-9]*([0-9]+|\p{L}+)[^\p{L}0-9]*"
_SEVERAL_RUNS = r"(?i)[0-9][^0-9]|^[^\p{L}0-9]*[oil]+[0-9]"
_LONGEST, _MOST_RUNS = 15, 4  # of identifiers whose parts are compared
_LETTERED = "^[a-z]{1,3}([0-9]+)$|^[a-z]{1,3}0*([1-9][0-9]{3,})[a-z]{0,3}$|^([1-9][0-9]{3,})[a-z]{1,3}$"
_WORD_BYTES = 8
_FIRST_MULTIPLIER, _SECOND_MULTIPLIER = np.uint64(0xFF51_AFD7_ED55_8CCD), np.uint64(0xC4CE_B9FE_1A85_EC53)
_GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
_HALF = np.uint64(33)
_BYTES_AT_A_TIME = 1 << 18  # the size of a block whose results stay in a processor's cache


def hashes(texts: pa.Array) -> Words:
    """Return a hash of the bytes of each text; shape (texts,), uint64."""
    length = whole(pc.binary_length(texts)).astype(np.uint64)
    counts = (length + np.uint64(_WORD_BYTES - 1)) // np.uint64(_WORD_BYTES)
    width = int(counts.max(initial=0)) * _WORD_BYTES
    if len(texts) > 1 and len(texts) * width > _BYTES_AT_A_TIME:
        half = len(texts) // 2
        return np.concatenate([hashes(texts.slice(0, half)), hashes(texts.slice(half))])
    found = _mixed((length + np.uint64(1)) * _GOLDEN)
    if width:
        padded = pc.ascii_rpad(texts, width=width, padding="\0")
        words = np.frombuffer(padded.buffers()[2], np.uint64, len(texts) * width // _WORD_BYTES)
        for place, column in enumerate(words.reshape(len(texts), -1).T):
            found = np.where(counts > place, _mixed(found ^ column), found)
    return found


def _mixed(numbers: Words) -> Words:
    """Return the image of each 64-bit number under a permutation: the finalizer of MurmurHash3 (A. Appleby)."""
    found = numbers >> _HALF
    found ^= numbers
    for multiplier in (_FIRST_MULTIPLIER, _SECOND_MULTIPLIER):
        found *= multiplier
        found ^= found >> _HALF
    return found


def coarse(texts: pa.Array, *, is_ascii: bool) -> pa.Array:
    """Return a key of each text, equal for texts of which `nearly_respelled` may say that they are one.

    Texts with one key may still differ: in signs and points, and, if not all are ASCII, in doubled letters.
    """
    if is_ascii:
        plain = pc.ascii_lower(texts)
    else:
        folded = pc.utf8_lower(pc.utf8_upper(pc.utf8_normalize(texts, form="NFKD")))
        plain = pc.replace_substring_regex(folded, r"\p{M}+", "")
    if flags(pc.match_substring_regex(plain, _REMARK)).any():
        plain = pc.replace_substring_regex(plain, _REMARK, "")
    plain = plain if is_ascii else _by(plain, _MIXED, skeleton)
    plain = _by(plain, _SEPARATE, once)
    plain = _by(plain, r"^[0-9]+\.?[0-9]*e[+-]?[0-9]+$", as_plain_number)
    if flags(pc.match_substring_regex(plain, _SIGNS)).any():
        plain = pc.replace_substring_regex(plain, _SIGNS, "")
    for pattern, letters in () if is_ascii else _TWO_LETTERS:
        plain = pc.replace_substring_regex(plain, pattern, letters)
    plain = pc.ascii_ltrim(plain, characters="0")
    if flags(pc.match_substring(plain, ".")).any():
        plain = pc.replace_substring_regex(plain, r"^([0-9]*(?:\.[0-9]*[1-9])?)\.?0*$", r"\1")
        plain = pc.replace_substring(plain, ".", "")
    return pc.replace_substring_regex(plain, "^$", "0")  # `if_else` would import pandas


def _by(texts: pa.Array, pattern: str, respelled: Callable[[str], str]) -> pa.Array:
    """Return texts; those with a pattern, which are few, are respelled one by one."""
    some = pc.match_substring_regex(texts, pattern)
    if not flags(some).any():
        return texts
    return pc.replace_with_mask(texts, some, column_of(map(respelled, texts.filter(some).to_pylist())).cast(texts.type))


class TextIndex:
    """Distinct texts, numbered column by column, and the new ones of a column in the order of their hashes.

    So the number of a text does not reveal its row. Texts are equal if their bytes are.

    Attributes:
        texts: the texts by code, as Arrow text that may have more than 2 GB.
    """

    def __init__(self) -> None:
        self.texts = column_of([]).cast("large_string")

    def __len__(self) -> int:
        """Return the number of known texts."""
        return len(self.texts)

    def add(self, columns: Sequence[pa.Array]) -> list[Codes]:
        """Return the codes of columns of texts without nulls, giving codes to new texts; each (texts,), int32.

        Many columns are added faster together than one by one, with the same codes.
        """
        chunks = [self.texts, *(column.cast("large_string") for column in columns)]
        numbered = pa.chunked_array(chunks).dictionary_encode().chunks  # in the order of first occurrence, none empty
        if not numbered:
            return [np.zeros(0, dtype=np.int32) for _ in columns]
        texts, ends = numbered[-1].dictionary, np.cumsum([*map(len, chunks)])
        places = np.split(np.concatenate([whole(each.indices) for each in numbered]), ends[:-1])
        order, known = [np.arange(len(self), dtype=np.int32)], len(self)
        for place in places[1:]:
            upto = max(known, int(place.max(initial=-1)) + 1)
            order.append(np.argsort(hashes(texts.slice(known, upto - known))).astype(np.int32) + np.int32(known))
            known = upto
        turns = np.concatenate(order)
        codes = np.empty(len(turns), dtype=np.int32)
        codes[turns] = np.arange(len(turns), dtype=np.int32)
        self.texts = texts.take(arrow(turns))
        return [codes[place] for place in places[1:]]

    def find(self, texts: pa.Array) -> Codes:
        """Return the codes of texts, -1 for unknown ones; shape (texts,), int32."""
        codes = pc.index_in(texts.cast("large_string"), value_set=self.texts)  # `fill_null` would import pandas
        return np.where(flags(codes.is_valid()), whole(codes), np.int32(-1))


COUNTERFEIT = "~"
_DIRECT_PER_ROW = 16
_DIRECT_SLACK = 1 << 16
_MOST_DIGITS = 9
_MOST_DIRECT = 10**_MOST_DIGITS


class Vocabulary:
    """Distinct texts, numbered in the order of their first occurrence.

    Attributes:
        names: the texts by code; the same list grows when texts are added.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names: list[str] = []
        self._codes: dict[str, int] = {}
        self.add(names)

    def __len__(self) -> int:
        """Return the number of known texts."""
        return len(self.names)

    def add(self, names: Iterable[str]) -> Codes:
        """Return the codes of texts, giving codes to new ones; shape (len(names),), int32."""
        codes = [self._codes.setdefault(name, len(self._codes)) for name in names]
        self.names += list(self._codes)[len(self.names) :]
        return np.array(codes, dtype=np.int32)

    def codes(self, names: Iterable[str]) -> Codes:
        """Return the codes of texts, -1 for unknown ones; shape (len(names),), int32."""
        return np.array([self.find(name) for name in names], dtype=np.int32)

    def find(self, name: str) -> int:
        """Return a text's code, -1 if it is unknown."""
        return self._codes.get(name, -1)


class _InNumbers(NamedTuple):
    """A column of identifiers of which some are numbers.

    Attributes:
        codes: those of its texts, -1 for others than numbers; shape (texts,), int32.
        where, others: the places of the others, and these; shape (others,).
        rows: the place of each row's text; shape (rows,). None if each row has a text of its own.
    """

    codes: Codes
    where: Places
    others: pa.Array
    rows: Integers | None


class IdentifierEncoder:
    """Gives codes to people, the same in all releases.

    If all identifiers of the first column are small whole numbers, such numbers are their own codes, and no table of
    names is kept for them. All other identifiers get codes from `limit` on, as in `TextIndex`.

    Attributes:
        limit: numbers below it are their own codes; None before the first column.
        largest: the largest such code so far, -1 if there is none.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.largest = -1
        self._others = TextIndex()

    @property
    def size(self) -> int:
        """One more than the largest code so far."""
        return self.plain + len(self._others) if len(self._others) else self.largest + 1

    @property
    def plain(self) -> int:
        """The bound of the codes that are the identifiers' own numbers."""
        return self.limit or 0

    def encode(self, array: pa.Array) -> Codes:
        """Return the codes of a column of identifiers, -1 for empty cells; shape (rows,), int32."""
        return self.encode_all([array])[0]

    def encode_all(self, columns: Sequence[pa.Array]) -> list[Codes]:
        """Return the codes of columns of identifiers, those of `encode`, but faster than one by one."""
        return self._completed([self._in_numbers(array) for array in columns])

    def encode_coded(self, column: Coded) -> Codes:
        """Return the codes of a dictionary-encoded column of identifiers, as `encode` does."""
        return self.encode(pa.DictionaryArray.from_arrays(arrow(column.codes), column_of(column.names)))

    def number(self, names: Iterable[str]) -> Codes:
        """Return the codes of identifiers with the blanks at their ends, giving codes to new ones; -1 for an empty one.

        The codes have shape (names,), int32.
        """
        self.limit = self.plain
        return self._completed([self._texts_in_numbers(column_of(names), None, self.limit)])[0]

    def _in_numbers(self, array: pa.Array) -> _InNumbers:
        """Return the codes of a column whose identifiers are numbers, and the others."""
        limit = min(_DIRECT_PER_ROW * len(array) + _DIRECT_SLACK, _MOST_DIRECT) if self.limit is None else self.limit
        codes = direct_codes(array, limit)
        if codes is None:
            return self._texts_in_numbers(*texts_of(array), limit)
        self.limit, self.largest = limit, max(self.largest, int(codes.max(initial=-1)))
        return _InNumbers(codes, np.zeros(0, dtype=np.intp), column_of([]), None)

    def _texts_in_numbers(self, texts: pa.Array, rows: Integers | None, limit: int) -> _InNumbers:
        """Return the codes of texts that are numbers, and the others; the first column decides whether any are."""
        codes = _numbers(texts, limit)
        if self.limit is None:
            self.limit = limit if (codes >= 0)[is_person(texts)].all() else 0
            codes = _numbers(texts, self.limit)
        self.largest = max(self.largest, int(codes.max(initial=-1)))
        others = np.flatnonzero((codes < 0) & (whole(pc.binary_length(texts)) > 0))
        return _InNumbers(codes, others, texts.take(arrow(others)), rows)

    def _completed(self, found: Sequence[_InNumbers]) -> list[Codes]:
        """Return the codes of columns, giving codes to the identifiers that are no numbers."""
        for each, codes in zip(found, self._others.add([each.others for each in found]), strict=True):
            if len(codes):
                each.codes[each.where] = codes + np.int32(self.plain)
        return [each.codes if each.rows is None else each.codes[each.rows] for each in found]

    def codes(self, names: Iterable[str]) -> Codes:
        """Return the codes of identifiers, -1 for unknown ones; shape (len(names),), int32."""
        texts = column_of(names)
        numbers, others = _numbers(texts, self.plain), self._others.find(texts)
        others[others >= 0] += np.int32(self.plain)
        return np.where(numbers >= 0, numbers, others)

    def find(self, name: str) -> int:
        """Return the code of an identifier, -1 if it is unknown."""
        return int(self.codes([name])[0])

    def name(self, code: int) -> str:
        """Return the identifier of a code."""
        return str(code) if code < self.plain else str(self._others.texts[code - self.plain])

    def names(self, codes: Codes) -> pa.Array:
        """Return the identifiers of many codes, empty ones for -1, as Arrow text that may have more than 2 GB."""
        nothing = column_of([""])[0]  # a text of Python would import pandas
        numbers = pc.if_else(arrow(codes != NOBODY), arrow(codes).cast("string"), nothing).cast("large_string")
        named = codes >= self.plain
        others = self._others.texts.take(arrow(codes[named] - np.int32(self.plain)))
        return pc.replace_with_mask(numbers, arrow(named), others)

    def alike(self) -> tuple[list[str], Codes]:
        """Return the identifiers that share a coarse key, with others or a number below `plain`, and these numbers.

        The parts of an identifier that has a code, a note or a sign beside it count as keys of it, too.
        """
        texts = self._others.texts
        is_ascii = bool(flags(pc.string_is_ascii(texts)).all())
        keys = coarse(texts, is_ascii=is_ascii)
        own, numbers = whole(keys.dictionary_encode().indices), _numbers(keys, self.plain)
        found = (numbers >= 0) | (np.bincount(own)[own] > 1)
        for beside, part, compared in _parts(texts, keys, is_ascii=is_ascii):
            own, number = whole(part.dictionary_encode().indices), _numbers(part, self.plain)
            found[beside] |= (
                (number >= 0) | flags(pc.is_in(part, value_set=keys)) | (compared & (np.bincount(own)[own] > 1))
            )
            found |= flags(pc.is_in(keys, value_set=part))
            numbers = np.concatenate([numbers, number])
        return texts.filter(arrow(found)).to_pylist(), np.unique(numbers[numbers >= 0])

    @property
    def has_counterfeits(self) -> bool:
        """Whether some counterfeit keeps its identity."""
        return bool(_are_counterfeits(self._others.texts).any())

    def counterfeits(self, people: Codes) -> Flags:
        """Return which of some people are counterfeits that keep their identity; false for -1; shape (rows,), bool."""
        if not self.has_counterfeits:
            return np.zeros(len(people), dtype=np.bool_)
        return np.append(self.is_counterfeit(), False)[people]

    def repeated(self, people: Codes) -> tuple[Places, Codes]:
        """Return the indices of people who occur again later, and the last index of each of these people."""
        if np.count_nonzero(flagged(people, self.size + 1)[:-1]) == np.count_nonzero(people != NOBODY):
            return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.int32)
        places, last = np.arange(len(people), dtype=np.int32), np.zeros(self.size + 1, dtype=np.int32)
        last[people] = places
        rows = np.flatnonzero((last[people] != places) & (people != NOBODY))
        return rows, last[people[rows]]

    def is_counterfeit(self) -> Flags:
        """Return whether each code is a counterfeit that keeps its identity; shape (size,), bool."""
        found = np.zeros(self.size, dtype=np.bool_)
        found[self.plain :] = _are_counterfeits(self._others.texts) if len(self._others) else False
        return found


def _parts(texts: pa.Array, keys: pa.Array, *, is_ascii: bool) -> Iterator[tuple[Places, pa.Array, bool]]:
    """Yield the indices of texts with parts that may be identifiers, the parts' keys, and whether equal ones count."""
    for of, pattern, parts in ((texts, _BESIDE, r"\2\3\4"), (texts, _BESIDE, r"\1\5"), (keys, _LETTERED, r"\1\2\3")):
        if len(beside := np.flatnonzero(flags(pc.match_substring_regex(of, pattern)))):
            part = pc.replace_substring_regex(of.take(arrow(beside)), pattern, parts)
            yield beside, coarse(part, is_ascii=is_ascii), True
    mixed = np.flatnonzero(whole(pc.binary_length(texts)) <= _LONGEST)
    mixed = mixed[flags(pc.match_substring_regex(texts.take(arrow(mixed)), _SEVERAL_RUNS))]
    spaced = pc.replace_substring_regex(pc.ascii_lower(texts.take(arrow(mixed))), _RUN, r"\1 ")
    runs = pc.split_pattern(pc.ascii_rtrim_whitespace(spaced), " ")
    counts = whole(pc.list_value_length(runs))
    for count in np.unique(counts[counts <= _MOST_RUNS]).tolist():
        at = np.flatnonzero(counts == count)
        columns = [_by(pc.list_element(runs.take(arrow(at)), place), "^[oil]+$", like_digits) for place in range(count)]
        for first, last in combinations(range(count + 1), 2):
            part = pc.binary_join_element_wise(*columns[first:last], pa.scalar("", texts.type))
            yield mixed[at], pc.ascii_ltrim(part, characters="0"), False


def is_person(texts: pa.Array) -> Flags:
    """Return which stripped identifiers are those of people; shape (texts,), bool."""
    return (whole(pc.binary_length(texts)) > 0) & ~_are_counterfeits(texts)


def _are_counterfeits(texts: pa.Array) -> Flags:

    return flags(pc.starts_with(texts, pattern=COUNTERFEIT))


def _numbers(texts: pa.Array, limit: int) -> Codes:
    """Return the whole number that each text is, if below a limit, else -1; shape (texts,), int32."""
    found = np.full(len(texts), -1, np.int32)
    if limit:
        length = whole(pc.binary_length(texts))
        is_one = flags(pc.ascii_is_decimal(texts)) & (length <= _MOST_DIGITS)
        is_one &= (length == 1) | ~flags(pc.starts_with(texts, pattern="0"))
        found[is_one] = whole(texts.filter(arrow(is_one)).cast(pa.int32()))
    return np.where(found < limit, found, np.int32(-1))
