"""Releases: the contents of a release as integer codes, which people and values of the whole series have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, reduce
from itertools import combinations
from typing import NamedTuple, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.notations import RAISED, REMARK, as_plain_number, like_digits, once, skeleton
from audit.io.tables import Coded, NamesOnDemand, direct_codes
from audit.io.texts import arrow, column_of, flags, texts_of, whole
from audit.model.arrays import (
    NOBODY,
    Codes,
    Counts,
    Flags,
    Integers,
    Places,
    Words,
    combine,
    counted,
    flagged,
    numbered,
    ranks,
    row_ranks,
    tally,
)
from audit.model.report import ColumnShare

# -- codes of people and values ---------------------------------------------------------------------------------------


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


# -- releases ---------------------------------------------------------------------------------------------------------


_MARK = "#"
CodedColumn: TypeAlias = tuple[Integers, int]
"""The cells of a column as codes by row, and a bound on them."""


@dataclass(frozen=True)
class RowClasses:
    """The row classes of a release: the rows of a group with equal published cells.

    The cells of a person's row cover the person, so the person is in a class with such cells. In a plain table, a row
    has its value beside its cells, so a row class publishes values of its own, as a group does. In an Anatomy pair the
    values are in a separate file, and those of a group belong to all of its row classes. Classes are ordered by group
    and, within a group, by their first rows.

    Attributes:
        row: the class of each row; its name is that of its group, followed by `#1`, `#2` if the group has several.
        group: the published group of each class, ascending; shape (classes,), int32.
        looks: a number for each class, equal for classes with equal published quasi-identifiers, and different for all
            classes if there are none; shape (classes,), int32.
    """

    row: Coded
    group: Codes
    looks: Codes

    @classmethod
    def of(
        cls, group: Coded, at: Places, columns: Sequence[CodedColumn], varying: Sequence[CodedColumn] = ()
    ) -> RowClasses:
        """Return the row classes of a release.

        Args:
            group: the group of each row.
            at: a row of each group, as `a_row_of_each` returns them.
            columns: the quasi-identifiers.
            varying: those in which rows of one group differ.
        """
        row, of_class = group, np.arange(group.size, dtype=np.int32)
        if varying:
            key, _ = combine([(group.codes, group.size), *varying], len(group.codes))
            _, first, place = np.unique(key, return_index=True, return_inverse=True)
            order = np.lexsort((first, group.codes[first]))
            number = numbered(order, len(order))
            of_class = group.codes[first[order]]
            row = Coded(
                number[place.reshape(-1)], len(order), NamesOnDemand(of_class.__len__, _ClassName(group, of_class))
            )
            at = a_row_of_each(row)
        looks = row_ranks([(codes[at], bound) for codes, bound in columns], row.size)
        return cls(row, of_class, looks if columns else np.arange(row.size, dtype=np.int32))

    @property
    def first(self) -> Places:
        """A row of each class, 0 for a class without rows; shape (classes,)."""
        return a_row_of_each(self.row)


def a_row_of_each(group: Coded) -> Places:
    """Return a row of each group, 0 for a group without rows; shape (groups,)."""
    rows = np.zeros(group.size, dtype=np.intp)
    rows[group.codes] = np.arange(len(group.codes))
    return rows


def varies(group: Coded, rows: Places, codes: Integers) -> bool:
    """Return whether rows of one group differ in a column of codes, given a row of each group."""
    return not np.array_equal(codes.take(rows).take(group.codes), codes)


@dataclass(frozen=True)
class _ClassName:
    """Names of row classes: the name of the group, then marks and a number if the group has several classes.

    There are more marks than any published name has in a row, so that all names are different.
    """

    group: Coded
    of_class: Codes

    def __call__(self, place: int) -> str:
        code = self.of_class[place]
        first, end = np.searchsorted(self.of_class, np.array([code, code + 1], dtype=code.dtype))
        name = self.group.name(int(code))
        return name if end - first == 1 else f"{name}{self._mark}{place - first + 1}"

    @cached_property
    def _mark(self) -> str:
        runs = (len(run) for name in self.group.names for run in re.findall(f"{_MARK}+", name))
        return _MARK * (1 + max(runs, default=0))


class GroupContents(NamedTuple):
    """Each value of each group, sorted by group and value.

    Attributes:
        group, value: distinct pairs; shape (m,), int32.
        rows: the number of the group's rows with the value; shape (m,), int64.
    """

    group: Codes
    value: Codes
    rows: Counts


@dataclass(frozen=True)
class Release:
    """The contents of one release.

    Attributes:
        tag: the release's name.
        group: the QI-group of each row; shape (rows,).
        classes: the row classes.
        entry_group, entry_value, entry_count: the published values: group, code and number of rows of each
            entry, shape (entries,); `entry_count` is None if each stands for one row. In a plain table an entry is a
            row.
        counts: the number of people of each row; None for one each.
        values_by_row: whether entry i is the value of row i (false for an Anatomy pair).
        cells: the generalized cells of each requested quasi-identifier, by row, as numbers of the series' attributes;
            in a plain table at least of those in which rows of one group differ.
        texts: the cells of each quasi-identifier as written: codes by row, and the text of each code.
        renamed: of a quasi-identifier with a crosswalk, the texts by row that it renames, which differ; 0 elsewhere.
        records: the published record id of each row, all distinct, if requested.
        suppressed: the group of the rows whose quasi-identifiers are all `*`, if there are other rows and neither
            groups nor record ids are published; otherwise None.
        singling: the quasi-identifiers that make rows unique or groups small.
        counterfeits: number of counterfeits by group code, as published; empty when nothing is published.
    """

    tag: str
    group: Coded
    classes: RowClasses
    entry_group: Codes
    entry_value: Mapping[str, Codes]
    entry_count: Counts | None
    counts: Counts | None
    values_by_row: bool
    cells: dict[str, Codes]
    records: Coded | None
    suppressed: int | None = None
    singling: tuple[ColumnShare, ...] = ()
    counterfeits: dict[int, int] = field(default_factory=dict)
    texts: Mapping[str, tuple[Integers, Sequence[str]]] = field(default_factory=dict)
    renamed: Mapping[str, CodedColumn] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows in the file."""
        return len(self.group.codes)

    @property
    def people(self) -> int:
        """Number of people of all rows, including counterfeits."""
        return self.rows if self.counts is None else int(self.counts.sum())

    def group_people(self) -> Counts:
        """Return the number of people of each group, including counterfeits; 0 for unused codes."""
        return tally(self.entry_group, self.group.size, self.entry_count)

    @property
    def group_counterfeits(self) -> Counts:
        """The number of published counterfeits of each group; shape (groups,)."""
        found = np.zeros(self.group.size, dtype=np.int64)
        found[list(self.counterfeits)] = list(self.counterfeits.values())
        return found

    def fewest_people(self, of_row: Codes, size: int) -> Counts:
        """Return the fewest people that each class of rows may have, without a key; shape (classes,).

        All published counterfeits of a group may be in one of its classes, but one person remains.
        """
        group, counterfeits = np.zeros(size, dtype=np.int64), self.group_counterfeits
        group[of_row] = self.group.codes
        has_people = self.group_people() > counterfeits
        return np.maximum(tally(of_row, size, self.counts) - counterfeits[group], has_people[group])

    def contents(self, sensitive: str) -> GroupContents:
        """Return the values of a sensitive attribute in the groups."""
        value = self.entry_value[sensitive]
        bound = int(value.max(initial=0)) + 1
        pair, rows = counted(
            self.entry_group.astype(np.int64) * bound + value, self.group.size * bound, self.entry_count
        )
        return GroupContents((pair // bound).astype(np.int32), (pair % bound).astype(np.int32), rows)

    def by_class(self) -> Self:
        """Return the release with its row classes as groups, if it is a plain table; otherwise unchanged."""
        row = self.classes.row
        return replace(self, group=row, entry_group=row.codes) if self.values_by_row else self


@dataclass(frozen=True)
class KeyedRelease(Release):
    """A release with the publisher's key, which no attack can read.

    Attributes:
        person: the person of each row, -1 for a counterfeit without identity; None without a key.
        strangers: which rows belong to unknown people: rows that a key file does not list, and additional rows of a
            person with one followed row; None if there are none. `person` is -1 there; shape (rows,).
        owner: the person of each row, -1 for a counterfeit without identity, if people may have several rows; None if
            `person` holds the same, or if nothing is known.
        own: the value of each row of an Anatomy pair in its key file, by attribute: codes, and their texts.
    """

    person: Codes | None = None
    strangers: Flags | None = None
    owner: Codes | None = None
    own: Mapping[str, tuple[Codes, Sequence[str]]] = field(default_factory=dict)

    def published(self) -> Release:
        """Return the published part, without the key."""
        return Release(**{each.name: getattr(self, each.name) for each in fields(Release)})

    @property
    def nameless(self) -> int:
        """The number of rows with a blank identifier that are not those of unknown people; 0 without a key."""
        if self.person is None:
            return 0
        return int(np.count_nonzero(self.person == NOBODY)) - (
            0 if self.strangers is None else int(self.strangers.sum())
        )

    @property
    def unknown(self) -> Flags:
        """Which rows belong to unknown people, without a known person's further rows; shape (rows,), bool."""
        owner = self.person if self.owner is None else self.owner
        if owner is None or self.strangers is None:
            return np.zeros(self.rows, dtype=np.bool_)
        return self.strangers & (owner == NOBODY)

    def counterfeit_rows(self, people: IdentifierEncoder) -> Flags | None:
        """Return which rows are counterfeits by the key, shape (rows,), bool; None without a key."""
        if self.person is None:
            return None
        fake = (self.person == NOBODY) | people.counterfeits(self.person)
        return fake if self.strangers is None else fake & ~self.strangers

    def owners(self, people: IdentifierEncoder) -> Codes | None:
        """Return the person of each row, shape (rows,), int32; None without a key.

        A counterfeit is -1, and a row of an unknown person has a number of its own, above all codes.
        """
        owner = self.person if self.owner is None else self.owner
        if owner is None:
            return None
        if (fake := people.counterfeits(owner)).any():
            owner = np.where(fake, NOBODY, owner)
        if self.strangers is None:
            return owner
        return np.where(self.unknown, people.size + np.arange(self.rows), owner).astype(np.int32)


def own_values(release: KeyedRelease, name: str, vocabularies: Mapping[str, Vocabulary]) -> Codes | None:
    """Return the value of each row, -1 if unknown, shape (rows,), int32; None if no value is known.

    A plain table publishes them. For an Anatomy pair they may be in its key file, which is ignored for groups in which
    it has a value more often than the pair publishes it.
    """
    if release.values_by_row:
        return release.entry_value[name]
    if name not in release.own:
        return None
    codes, texts = release.own[name]
    found = vocabularies[name].codes(texts)[codes]
    found[_too_often(release, name, found)[release.group.codes]] = NOBODY
    return found


def _too_often(release: KeyedRelease, name: str, of_key: Codes) -> Flags:
    """Return for which groups the key of an Anatomy pair has a value more often than the pair publishes it.

    A value that the pair does not publish for the group at all does not count: it is reported as a contradiction.
    """
    values = int(max(of_key.max(initial=0), release.entry_value[name].max(initial=0))) + 1
    known = np.flatnonzero(of_key != NOBODY)
    of_rows = release.group.codes[known] * np.int64(values) + of_key[known]
    of_entries = release.entry_group * np.int64(values) + release.entry_value[name]
    place, entries = ranks(np.concatenate([of_entries, of_rows]), release.group.size * values), len(of_entries)
    pairs = int(place.max(initial=-1)) + 1
    published = np.bincount(place[:entries], weights=release.entry_count, minlength=pairs)
    more = np.bincount(place[entries:], minlength=pairs) > published
    return flagged(release.entry_group[more[place[:entries]]], release.group.size)
