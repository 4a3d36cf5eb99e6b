"""Roles: the texts of columns with a role, columns without one, columns that link rows, and keys without effect."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, starmap
from math import gcd, lcm
from operator import not_
from pathlib import Path
from typing import Self, TypeAlias

import numpy as np

from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import parse_value
from audit.io.cells import Cell, CellError, Kind, decimal, intersect
from audit.io.dialect import UTF_8
from audit.io.foreign_files import is_foreign
from audit.io.manifest import KEY_COLUMNS, NAME, Manifest, ReleaseFiles
from audit.io.notations import DIGIT, fold, read_number, skeleton, with_decimal_point
from audit.io.paths import is_there
from audit.io.releases import COUNTERFEIT, IdentifierEncoder, Vocabulary
from audit.io.rules.cell_meaning import Changing, Missing
from audit.io.rules.rows_and_values import FEW_TIES, SeveralRows
from audit.io.rules.rule import (
    NOTHING,
    Adjustments,
    Columns,
    Headers,
    Hint,
)
from audit.io.rules.spelling import INDIVIDUAL, Decimal, Fold, OtherReading, rows_like_no_people
from audit.io.table_forms import below_table
from audit.io.tables import Table, parts_of, read_table, text_codes
from audit.io.toml import refuse_keys
from audit.model.arrays import UNKNOWN, Codes, Counts, Places, combine, flagged, numbered, tally
from audit.model.errors import Problems
from audit.runtime.phrases import printable, say

VALUE_COUNT = "count"
"""The column that counts the values of an Anatomy pair, if the manifest names none."""


def columns_without_role(manifest: Manifest) -> tuple[str, ...]:
    """Return the published columns without a role in the manifest, in the order of the files.

    Only headers are read, and columns without a name: these are ignored if they are empty or number the rows, as R and
    pandas write them. A role holds for the file in which the column is read: the sensitive values of an Anatomy pair
    are in its second file, so a column of the same name in the first has no role. The parts of a composed column have
    its role. Files that cannot be read are skipped; reading them reports the fault.
    """
    found: dict[str, None] = {}
    for release in manifest.releases:
        for path, shown, roles in _halves(manifest.columns, release):
            names = manifest.headings(release.tag).names(path, shown) or []
            known = {*roles, *(part for role in roles for part in parts_of(role, names))}
            if "" in names and "" not in known and _says_nothing(manifest, release, path, shown):
                known.add("")
            found |= dict.fromkeys(name for name in names if name not in known)
    return tuple(found)


_DAY = re.compile(r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}$")
_FEW_ROWS = 5  # as many as most households have people
_STEPS = (1, 2, 5, 7, 10, 20, 50, 100, 500, 1000)
_TIMES = 3  # so many times more often than by chance
_UNIT = re.compile(r"(?<=[0-9])\s*(?:[^\W\d_]+\.?|[%€$£])$")
Key: TypeAlias = tuple[str, ...]
"""One or more columns, whose texts in a row are taken together."""


def tied_texts(manifest: Manifest, questions: Sequence[Sequence[Key]], *, last: bool = False) -> list[tuple[int, int]]:
    """Return how many texts occur exactly once in each of two releases, and the fewest rows of a release, by question.

    With `last`, one of the two is the last release. A question lists keys whose texts are compared with each other. A
    text that occurs once in two releases links its rows, even if no outsider can know it. Texts that look alike count
    as one; texts that mean an unknown value, and columns that number the rows, link nothing. Releases without the
    columns are skipped, and so are files that cannot be read; reading them reports the fault. Where a record id is in
    both releases, it links its rows, and no text adds to that: only rows with other ids count. Rows of different people
    by the key have one text by chance, as a number that is drawn for each row of each release.
    """
    record, final = str(manifest.columns.record), len(manifest.releases) - 1
    columns = dict.fromkeys(name for keys in questions for key in keys for name in key)
    rows_of = [defaultdict[Key, list[_Row]](list) for _ in questions]
    people, keyed = IdentifierEncoder(), [is_there(manifest.key_path(each)) for each in manifest.releases]
    sizes, names = [dict[int, int]() for _ in questions], IdentifierEncoder()
    records = [np.zeros(0, dtype=np.int32) for _ in manifest.releases]
    for at, release in enumerate(manifest.releases):
        headings = manifest.headings(release.tag)
        for path, shown, _ in _halves(manifest.columns, release):
            named = manifest.columns.named if keyed[at] else [str(manifest.columns.individual)]
            table = headings.read_there(path, shown, [*dict.fromkeys([*columns, record, *named])])
            if table is None:
                continue
            own, who = np.full(table.rows, UNKNOWN), _people(manifest, release, path, table, people)
            if record in table:
                own = records[at] = names.encode(table.arrow(record))
            read = [name for name in table.names if name in columns]
            cells = {name: _skeletons(table, name, headings) for name in read if not _numbers_rows(table, name)}
            for keys, rows, size in zip(questions, rows_of, sizes, strict=True):
                single = dict[Key, int]()
                for key in (key for key in keys if {*key} <= {*read}):
                    size[at] = min(size.get(at, table.rows), table.rows)
                    single |= _single(key, cells) if {*key} <= cells.keys() else {}
                for text, row in single.items():
                    rows[text].append((at, int(own[row]), int(who[row])))
    there = np.array([flagged(own[own != UNKNOWN], names.size + 1) for own in records])
    there[:, UNKNOWN] = (np.count_nonzero(there, axis=0) > 1).any()  # values of a pair have no ids
    linked = [int(np.delete(there, at, 0)[:, own].all(axis=0).sum()) for at, own in enumerate(records)]

    def ties(one: _Row, other: _Row) -> bool:
        (at, own, who), (later, its, whose) = one, other
        linked, by_chance = there[later, own] or there[at, its], who != whose and UNKNOWN not in (who, whose)
        return at != later and not (last and final not in (at, later)) and not (linked or by_chance)

    def links(rows: Sequence[_Row]) -> bool:
        return (rows[0][1] == UNKNOWN or len({own for _, own, _ in rows}) > 1) and any(
            starmap(ties, combinations(rows, 2))
        )

    return [
        (sum(map(links, rows.values())), min(filter(None, (many - linked[at] for at, many in size.items())), default=0))
        for rows, size in zip(rows_of, sizes, strict=True)
    ]


_Row: TypeAlias = tuple[int, int, int]
"""The release of a row, its record and its person."""


def in_key(manifest: Manifest, files: ReleaseFiles, table: Table, column: str) -> tuple[Codes, list[str]] | None:
    """Return codes for the texts that the key file has in a column for the rows of a table, and these texts.

    UNKNOWN for rows without one. None if there is no such file or column.
    """
    path = manifest.key_path(files)
    key = read_table(path, manifest.shown(path), ["row", column], Problems()) if is_there(path) else None
    if key is None or not {"row", column} <= {*key.names}:
        return None
    rows, own = np.arange(table.rows), np.full(table.rows, UNKNOWN, dtype=np.int32)
    place = np.append(rows if table.kept is None else numbered(table.kept, table.in_file), UNKNOWN)
    codes, texts = text_codes(key.arrow(column))
    of_line = place[np.clip(key.whole_numbers("row"), -1, len(place) - 1)]
    inside = of_line >= 0  # of a row that is ignored, the key may have a line
    own[of_line[inside]] = codes[inside]
    return own, texts


def _people(manifest: Manifest, files: ReleaseFiles, path: Path, table: Table, encoder: IdentifierEncoder) -> Codes:
    """Return the person of each row of a file by the key; UNKNOWN for those that it does not name."""
    column, folds = str(manifest.columns.individual), manifest.columns.rules[Fold].folds(INDIVIDUAL)
    found = in_key(manifest, files, table, KEY_COLUMNS[1])
    if path != files.rows or (found is None and column not in table):
        return np.full(table.rows, UNKNOWN, dtype=np.int32)
    codes, texts = text_codes(table.arrow(column)) if found is None else found
    return np.append(encoder.number(fold(text) if folds else text for text in texts), np.int32(UNKNOWN))[codes]


def beside_record(manifest: Manifest, column: str) -> list[str] | None:
    """Return the columns that, each together with one, name each row of each release; None if it does so alone.

    Columns that name each row alone are not among them. Rows without a text of the column do not count, and releases
    that cannot be read are skipped; reading them reports the fault.
    """
    repeated, common = dict[str, bool](), set[str]()
    for release in manifest.releases:
        headings = manifest.headings(release.tag)
        names = headings.names(release.rows, release.shown) or []
        table = headings.read_there(release.rows, release.shown, names) if column in names else None
        if table is None:
            continue
        table = table.without(table.where(column, not_))
        coded = {name: text_codes(table.arrow(name)) for name in names}
        bounds = {name: (codes, len(texts)) for name, (codes, texts) in coded.items()}
        for name in names:
            alone, beside = (
                len(np.unique(combine(key, table.rows)[0])) for key in ([bounds[name]], [bounds[column], bounds[name]])
            )
            repeated[name] = repeated.get(name, False) or alone < table.rows
            common |= {name} if beside < table.rows else set()
    return (
        [name for name, several in repeated.items() if several and name not in common] if repeated.get(column) else None
    )


def _skeletons(table: Table, column: str, headings: Adjustments) -> tuple[Codes, list[str]]:
    """Return codes for what a column's texts have in common with texts alike, and that; empty for an unknown value."""
    codes, texts = text_codes(table.arrow(column))
    unknown = {headings.rules.spelled(column, text) for text in headings.rules[Missing].texts}
    vocabulary = Vocabulary([""])
    coded = vocabulary.add(_core(text) if text.strip("*") and text not in unknown else "" for text in texts)
    return coded[codes] if len(texts) else codes, [*vocabulary.names]


@lru_cache(maxsize=1 << 17)  # the texts of a column are compared alone, and with those of several others
def _core(text: str) -> str:
    """Return what a text has in common with others alike: the digits of its day or number, or its skeleton.

    >>> [_core(text) for text in ("2024-07-11", "11.07.2024", "10,10 Tage", "10.1", "1,234", "1234", "Flu.")]
    ['739078', '739078', '101', '101', '1234', '1234', 'flu']
    """
    number = _measure(text)
    return skeleton(text) if number is None else decimal(number).replace(".", "")


def shared_by_few(table: Table, column: str) -> int:
    """Return how many numbers or days of a column are each in a few rows; 0 if no more are than by chance.

    By chance, two rows have one number about half as often as they have two numbers at one small distance: the
    distances that are tried are the usual steps of rounding.
    """
    codes, texts = text_codes(table.arrow(column))
    rows_of = Counter[Fraction | None]()
    for text, rows in zip(texts, tally(codes, len(texts)).tolist(), strict=True):
        rows_of[_measure(text)] += rows
    read = {value: rows for value, rows in rows_of.items() if value is not None}
    whole = lcm(*(value.denominator for value in read))
    values = {int(value * whole): rows for value, rows in read.items()}
    few, unit = {value: rows for value, rows in values.items() if rows <= _FEW_ROWS}, gcd(*values)
    near = max(sum(rows * values.get(value + step * unit, 0) for value, rows in few.items()) for step in _STEPS)
    shared = [rows for rows in few.values() if rows > 1]
    pairs = sum(rows * (rows - 1) // 2 for rows in shared)
    return len(shared) if len(shared) > FEW_TIES and pairs > _TIMES * near / 2 + FEW_TIES else 0


def _measure(text: str) -> Fraction | None:
    """Return the number, or the number of the day, that a text gives exactly; None for others."""
    for kind in (Kind.DAY_FIRST, Kind.MONTH_FIRST) if _DAY.match(text) else ():
        with suppress(CellError):
            return Fraction(str(parse_value(text, kind)))
    return read_number(with_decimal_point(_UNIT.sub("", text))) if DIGIT.search(text) else None


def _single(key: Key, cells: Mapping[str, tuple[Codes, list[str]]]) -> dict[Key, int]:
    """Return the row of each combination of texts in a key's columns that occurs in one, without unknown values."""
    coded = [cells[name] for name in key]
    known = np.flatnonzero(np.all([codes > 0 for codes, _ in coded], axis=0))
    together, _ = combine([(codes[known], len(texts)) for codes, texts in coded], len(known))
    _, first, times = np.unique(together, return_index=True, return_counts=True)
    rows = known[first[times == 1]].tolist()
    return {tuple(texts[codes[row]] for codes, texts in coded): row for row in rows}


_COMPARED = 2000  # pairs of rows suffice to see whether their cells exclude each other less than by chance
_LESS = 3  # so many times less,
_RARE = 0.001  # with less than this probability by chance,
_NARROWED = 3  # and with more than these pairs of rows that narrow each other's cells


def narrowing_texts(table: Table, key: Key, attribute: QuasiIdentifier, headings: Adjustments) -> bool:
    """Return whether rows with the same texts of a key have cells of a quasi-identifier in common, more than by chance.

    Then the texts show more of the quasi-identifier than a coarse cell of such a row does. Pairs of rows with the same
    texts and different cells are compared with pairs of any rows with different cells: fewer exclude each other.
    """
    coded = [_skeletons(table, column, headings) for column in key]
    known = np.all([codes > 0 for codes, _ in coded], axis=0)
    texts = np.where(known, combine([(codes, len(names)) for codes, names in coded], table.rows)[0], -1)
    codes, written = text_codes(table.arrow(attribute.name))
    number = dict[Cell, int]()
    try:
        of_text = [number.setdefault(attribute.parse(each), len(number)) for each in written]
    except CellError:  # reading the release reports it
        return False
    of_row, cells = np.array(of_text, dtype=np.int64)[codes], [*number]
    draw = np.random.default_rng(0)

    def compared(pairs: Places) -> tuple[int, int]:
        """Return how many pairs of rows exclude each other, and how many have different cells."""
        differ = of_row[pairs[:, of_row[pairs[0]] != of_row[pairs[1]]]]
        chosen = differ[:, draw.permutation(differ.shape[1])[:_COMPARED]].T.tolist()
        return sum(intersect(cells[one], cells[other]) is None for one, other in chosen), len(chosen)

    order = draw.permutation(len(texts))
    order = order[np.argsort(texts[order], kind="stable")]
    alike = (texts[order[:-1]] == texts[order[1:]]) & (texts[order[1:]] >= 0)
    exclude, pairs = compared(np.array([order[:-1], order[1:]])[:, alike])
    if pairs - exclude <= _NARROWED:
        return False
    any_exclude, any_pairs = compared(draw.integers(len(texts), size=(2, _COMPARED)))
    chance = any_exclude / (any_pairs + 1)
    from scipy.special import bdtr

    return _LESS * exclude <= chance * pairs and bool(bdtr(exclude, pairs, chance) < _RARE)


def _says_nothing(manifest: Manifest, release: ReleaseFiles, path: Path, shown: str) -> bool:
    """Return whether the column without a name is empty or numbers the rows, and so discloses nothing."""
    table = read_table(path, shown, [""], Problems(), manifest.headings(release.tag).declared)
    return table is not None and (not any(table.distinct("")) or _numbers_rows(table, ""))


def _numbers_rows(table: Table, column: str) -> bool:
    """Return whether a column numbers the rows of its file, from 0 or from 1."""
    numbers = table.whole_numbers(column)
    return any(np.array_equal(numbers, np.arange(start, start + len(numbers))) for start in (0, 1))


def _halves(columns: Columns, release: ReleaseFiles) -> Iterator[tuple[Path, str, set[str]]]:
    """Yield each file of a release, with the columns that have a role in it."""
    beside = [*columns.quasi_identifiers, columns.record, columns.individual]
    values = [*columns.sensitive, columns.count]
    if release.values is None:
        yield release.rows, release.shown, _named(columns, [*beside, *values])
    else:
        yield release.rows, release.shown, _named(columns, beside)
        yield release.values, release.values_shown, _named(columns, [*columns.sensitive, columns.count or VALUE_COUNT])


def _named(columns: Columns, names: Iterable[str | None]) -> set[str]:
    by_rule = (name for rule in columns.rules for name in rule.roles)
    return {name for name in (*names, columns.group, *by_rule) if name is not None}


def check_keys_are_read(manifest: Manifest, limits: Mapping[str, float] | None = None) -> None:
    """Refuse keys without effect: about columns or releases that the series lacks, or a limit that is not stated.

    An unpublished release may have the columns, so these are not refused if the manifest announces one.

    Args:
        manifest: the manifest of a series that is judged.
        limits: the clauses in force; None without a policy.

    Raises:
        InputError: some keys have no effect; it lists all of them, with their lines.
    """
    found = [] if manifest.to_come else [*_about_columns(manifest)]
    if limits is not None and manifest.grave and "max_ever_risk" not in limits:
        what = say("{nothing} unless the policy has a limit for these values", nothing=NOTHING)
        found.append(("grave", what, say("add a limit such as max_ever_risk = 0.5, or delete the key")))
    refuse_keys(manifest.folder, NAME, found)


def _about_columns(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield the keys of `[columns]` without effect, each with the fault and the remedy."""
    headers, individual = _headers(manifest), manifest.columns.individual
    for rule in manifest.columns.rules:
        for what, remedy in rule.unread(headers):
            yield rule.key, what, remedy
    in_vain = manifest.columns.record is None and manifest.register is None and not manifest.growing
    if in_vain and manifest.columns.rules[Changing].columns:
        what = say("{nothing} without published record ids: no attack compares cells of two releases", nothing=NOTHING)
        yield Changing.key, what, say("name the column of the ids under record, or delete the key")
    if individual is not None and all(is_there(manifest.key_path(each)) for each in manifest.releases):
        yield from (("individual", *each) for each in headers.lacking([individual]))


def _headers(manifest: Manifest) -> Headers:
    """Return the headers of the releases' files; those that cannot be read are skipped: reading them reports it."""
    halves = [(release.tag, *half) for release in manifest.releases for half in release.halves]
    texts = not all(is_foreign(path) or path.name.lower().endswith(".parquet") for _, path, _ in halves)

    def names() -> set[str]:
        read = (manifest.headings(tag).names(path, shown) or () for tag, path, shown in halves)
        return {name for each in read for name in each}

    return Headers(manifest.awaited.union(tag for tag, _, _ in halves), texts, names)


# -- the texts of a series --------------------------------------------------------------------------------------------


MOST_ROWS = 500_000  # of a series whose identifiers are compared as texts
_COLUMNS_WITH_NOTES = 3  # with fewer columns, a row with a single filled cell need not be a note


class SeriesTexts:
    """The distinct texts of the columns with a role, over all releases, and the first place of each.

    The identifiers of a large series are left out. Texts are spelled as in the files, and recorded when a release is
    read; `whole` reads the other files.

    Attributes:
        kind: returns how a quasi-identifier's cells are read; None of any other column.
        texts: the file, without its columns, and the row of the first place of each text, by column.
        identifiers: the people, or record ids, of each release.
        sums: for each text of a sensitive column, whether its count is the sum of all others wherever it occurs.
        ignored: the number of rows that rules leave out, by release.
        encodings: the encoding of each file that is not UTF-8, if none is declared.
        rows_like_notes: the places of rows that may be notes, or are blank.
        doubtful_rows: the places of rows that need not be people.
        is_large: whether the series is so large that its identifiers are left out.
    """

    def __init__(
        self,
        manifest: Manifest,
        about_rows: int,
        adjustments: Callable[[str], Adjustments],
        kind: Callable[[str], Kind | None],
        *,
        keyed: bool,
    ) -> None:
        self.manifest, self.columns = manifest, manifest.columns
        self.kind = kind
        self._adjustments, self._keyed = adjustments, keyed
        self.ignored: dict[int, int] = {}
        self.encodings: dict[str, str] = {}
        self.rows_like_notes: list[str] = []
        self.doubtful_rows: list[str] = []
        columns = self.columns
        self.identifiers: dict[str | None, list[set[str]]] = {columns.individual: [], columns.record: []}
        self.sums: dict[str, dict[str, bool]] = {name: {} for name in columns.sensitive}
        ids = [name for name in (columns.individual, columns.record, columns.group) if name is not None]
        self._names = [*columns.sensitive, *columns.quasi_identifiers, *ids]
        self.is_large = about_rows > MOST_ROWS
        names = [name for name in self._names if not (self.is_large and name in ids)]
        self.texts: dict[str, dict[str, tuple[Table, int]]] = {name: {} for name in names}
        self._count = columns.count or VALUE_COUNT
        self._recorded: set[tuple[int, Path]] = set()

    @property
    def notes(self) -> Sequence[str]:
        """The notes below the tables."""
        return [text for _, _, text in notes_of(self.manifest)]

    @cached_property
    def hints(self) -> list[Hint]:
        """The rules that the texts suggest, once `whole` has read all of them."""
        return [hint for rule in self.columns.rules for hint in rule.hints(self)]

    def whole(self) -> Self:
        """Return the texts after reading the files that are not recorded yet; files that cannot be read are skipped."""
        distinct = (self.columns.individual, self.columns.record)
        for position, files in enumerate(self.manifest.releases):
            for path, shown in files.halves:
                if (position, path) not in self._recorded:
                    bare = self._bare(files.tag)
                    names = bare.named_there(path, shown, [*self._names, self._count])
                    table = names and bare.read_written(path, shown, names, Problems(), distinct=distinct)
                    if table:
                        self.record(position, table)
        return self

    def record(self, position: int, table: Table) -> None:
        """Record the texts of a file of a release, if all columns with a role were read."""
        files, shown = self.manifest.releases[position], table.shown
        bare = self._bare(files.tag)
        names = bare.named_there(table.path, shown, self._names)
        if names is None or not {*names} <= {*table.names} or (position, table.path) in self._recorded:
            return
        self._recorded.add((position, table.path))
        table = bare.adjusted(table, [*self._names, self._count])
        if table.kept is not None and bare.by is None:  # without the rows of other releases
            self.ignored[position] = table.in_file - table.rows
        if table.dialect is not None and table.dialect.encoding != UTF_8 and not bare.declared.encoding:
            self.encodings[shown] = table.dialect.encoding
        coded = {name: text_codes(table.arrow(name)) for name in self.texts if name in table}
        self.rows_like_notes += [f"{shown}:{table.line(row)}" for row in last_rows_of_a_cell(table, self._names)]
        doubtful = np.flatnonzero(rows_like_no_people(table, OtherReading.unexplained(self.columns))).tolist()
        self.doubtful_rows += [f"{shown}:{table.line(row)}" for row in doubtful]
        in_file = table.less(table.names)
        for name, (codes, texts) in coded.items():
            if new := [at for at, text in enumerate(texts) if text and text not in self.texts[name]]:
                rows = np.flatnonzero(flagged(new, len(texts))[codes])[::-1]
                first = np.full(len(texts), -1)
                first[codes[rows]] = rows  # of several rows, the first is the last
                self.texts[name] |= {texts[at]: (in_file, int(first[at])) for at in new if first[at] >= 0}
            if name in self.identifiers:
                self.identifiers[name].append(of_people(texts))
        counted = self._count in table and (self.columns.count or table.path == files.values)
        if counted and not self._keyed:
            counts = table.whole_numbers(self._count)
            for name in (name for name in self.columns.sensitive if name in coded):
                sums = sums_of_others(coded, name, counts)
                self.sums[name] |= {text: text in sums and self.sums[name].get(text, True) for text in coded[name][1]}

    def _bare(self, tag: str) -> Adjustments:
        """Return the rules of a release without those that respell numbers or cases: texts stay as in the file."""
        adjustments = self._adjustments(tag)
        return replace(adjustments, rules=adjustments.rules.without(Decimal, Fold), unpublished=frozenset())

    def people(self, column: str) -> Sequence[Collection[str]]:
        """Return the identifiers of each release; none if one person may have several in a release."""
        return [] if self.columns.rules[SeveralRows].several else self.identifiers[column]

    def place(self, name: str, text: str) -> str:
        """Return the file and the line of a text's first occurrence."""
        table, row = self.texts[name][text]
        return f"{table.shown}:{table.line(row)}"

    def example(self, name: str, texts: Iterable[str], *, quoted: bool) -> str:
        """Return the first places of texts, and the texts if they may be quoted."""
        shown = []
        for text in texts:
            place, said = self.place(name, text), f'"{printable(text)}"'
            shown.append(f"{said} ({place})" if quoted else place)
        return ", ".join(shown)


def of_people(texts: Iterable[str]) -> set[str]:
    """Return the texts of identifiers that are not counterfeits."""
    return {text for text in texts if text and not text.startswith(COUNTERFEIT)}


def sums_of_others(coded: Mapping[str, tuple[Codes, list[str]]], column: str, counts: Counts) -> set[str]:
    """Return the texts of a column whose count is the sum of all others in each class of the other columns.

    The counts of two texts may be equal by chance; with three texts or more, such a text is a total, whatever its name.

    Args:
        coded: codes of rows (n,) and the texts that they index, by column.
        column: the column to search.
        counts: the people of each row, (n,).
    """
    codes, texts = coded[column]
    other_columns = [(own, len(names)) for name, (own, names) in coded.items() if name != column]
    classes = np.unique(combine(other_columns, len(codes))[0], return_inverse=True)[1]
    whole, total = np.bincount(classes, counts), np.bincount(codes, counts, len(texts))
    likely = np.flatnonzero(2 * total == total.sum()).tolist() if len(texts) > 2 else []
    rows = {texts[code]: codes == code for code in likely}
    return {text for text, at in rows.items() if (2 * np.bincount(classes[at], counts[at], len(whole)) == whole).all()}


def last_rows_of_a_cell(table: Table, columns: Iterable[str]) -> list[int]:
    """Return the indices of rows without any filled cell, and of the last rows with one, which may be notes.

    Such a last row is left out if its text also occurs above: it may be the value of a person without known
    quasi-identifiers.
    """
    names = [name for name in columns if name in table]
    if len(names) < _COLUMNS_WITH_NOTES or not table.rows:
        return []
    blank = np.ones(table.rows, dtype=np.bool_)
    for name in names:
        blank &= table.where(name, not_) if blank.any() else False
    arrays = [table.arrow(name) for name in names]
    last_row = [array[-1].as_py() for array in arrays]
    if len([cell for cell in last_row if cell is not None and str(cell).strip()]) > 1:
        return np.flatnonzero(blank).tolist()
    coded = [text_codes(array) for array in arrays]
    filled = [np.array([bool(text) for text in texts])[codes] for codes, texts in coded]
    count = np.sum(filled, axis=0)
    last = np.arange(len(count)) > np.flatnonzero(count > 1).max(initial=-1)
    for (codes, texts), full in zip(coded, filled, strict=True):
        elsewhere = np.bincount(codes[~last], minlength=len(texts)) > 0
        last &= ~(full & elsewhere[codes])
    return np.flatnonzero(last | blank).tolist()


def notes_of(manifest: Manifest) -> Iterator[tuple[str, int, str]]:
    """Yield the file, the line and the text of each note below a table, which is not read as a row."""
    declared, releases = manifest.headings("").declared, manifest.releases
    for path, shown in dict.fromkeys(half for files in releases for half in files.halves):
        yield from ((shown, *note) for note in below_table(path, declared).notes)
