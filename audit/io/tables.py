"""Tables: read columns of a file as Arrow arrays, text as dictionaries except for columns of distinct cells.

Cells are not converted to Python objects row by row: a number or a generalized cell is parsed from the dictionary, once
for each distinct text. Columns of parts, such as record ids of `Household` and `Person`, are composed of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.dialect import NOTHING_DECLARED, Declared, Dialect, check_file, damages, note_unreadable, read_dialect
from audit.io.foreign_files import SUFFIXES as FOREIGN_SUFFIXES
from audit.io.foreign_files import is_foreign, read_foreign
from audit.io.paths import kept_while_unchanged
from audit.io.table_forms import FORMS, form_of, is_text
from audit.io.texts import arrow, column_of, flags, hexadecimal, texts_of, used_texts, whole
from audit.model.arrays import combine, distinct
from audit.model.errors import Problems
from audit.runtime.phrases import say, say_count

_ENCODINGS = ("cp1252", "cp850", "mac-roman")  # of tables that are not Unicode
SUFFIXES = tuple(FORMS)
_MOST_TEXT = 1 << 30
_MOST_DIGITS = 15  # the digits of a whole number that fits into 64 bits and is exact in floating point


def is_table(name: str) -> bool:
    """Return whether a name has the ending of a table; capitals only matter for `.csv.gz` and `.parquet`.

    >>> is_table("2024Q1.CSV"), is_table("notes.txt")
    (True, False)
    """
    return name.endswith(SUFFIXES) or name.lower().endswith((".csv", ".tsv", *FOREIGN_SUFFIXES))


def is_of_counts(path: Path) -> bool:
    """Return whether a file may be a table of counts; those that describe the columns of another one are none."""
    return is_table(path.name) and not path.name.endswith(".meta.csv")


@dataclass(frozen=True)
class Coded:
    """A column as integer codes.

    Attributes:
        codes: shape (rows,), int32; indices into the names.
        size: the number of codes, used or not; all codes are smaller.
        names: the text of each code.
    """

    codes: npt.NDArray[np.int32]
    size: int
    names: Sequence[str]

    def name(self, code: int) -> str:
        """Return the published text of a code."""
        return self.names[code]

    def by_name(self) -> dict[str, int]:
        """Return the codes that rows have, by name."""
        names = [*self.names]
        return {names[code]: code for code in np.flatnonzero(np.bincount(self.codes, minlength=self.size)).tolist()}


class NamesOnDemand(Sequence[str]):
    """Names by code, each built on demand by `name`; `size` returns the current number of names."""

    def __init__(self, size: Callable[[], int], name: Callable[[int], str]) -> None:
        self._size, self._name = size, name

    def __len__(self) -> int:
        return self._size()

    @overload
    def __getitem__(self, code: int) -> str: ...
    @overload
    def __getitem__(self, code: slice) -> Sequence[str]: ...
    def __getitem__(self, code: int | slice) -> str | Sequence[str]:
        if isinstance(code, slice):
            return [self._name(each) for each in range(*code.indices(len(self)))]
        if code >= len(self):
            raise IndexError(code)
        return self._name(code)


class NamesInColumn(NamesOnDemand):
    """The texts of an Arrow column, which takes less memory than a list."""

    def __init__(self, column: pa.Array) -> None:
        super().__init__(column.__len__, self._text)  # no lambda: what attacks receive can be pickled
        self._column = column

    def _text(self, code: int) -> str:
        return str(self._column[int(code)])

    def __iter__(self) -> Iterator[str]:
        yield from self._column.to_pylist()

    def __contains__(self, text: object) -> bool:
        same = pc.is_in(self._column, value_set=column_of([str(text)]).cast(self._column.type))
        return bool(flags(same).any())


@dataclass
class Table:
    """Some columns of one file, in file order.

    Attributes:
        path, shown: the file, and its name in messages.
        rows: the number of rows that are not left out.
        dialect: the dialect of a text file; None for other files.
        kept: the rows of the file that are not left out, counted from 0; None if all are kept.
        in_file: the number of rows of the file, if some are left out, else 0.
        of_release: the rows of a file with several releases that belong to this one, counted from 0; None if all do.
    """

    path: Path
    shown: str
    rows: int
    _columns: dict[str, pa.Array]
    dialect: Dialect | None = None
    kept: npt.NDArray[np.intp] | None = None
    in_file: int = 0
    of_release: npt.NDArray[np.intp] | None = None
    _lines: Sequence[int] = ()

    def __contains__(self, column: str) -> bool:
        """Return whether the column was read."""
        return column in self._columns

    @property
    def names(self) -> list[str]:
        """The columns that were read."""
        return [*self._columns]

    def arrow(self, column: str) -> pa.Array:
        """Return a column as one Arrow array: a dictionary of text, or plain cells if read as distinct."""
        return self._columns[column]

    def coded(self, column: str) -> Coded:
        """Return a column as codes."""
        codes, names = _text_column(self._columns[column])
        return Coded(codes, len(names), NamesInColumn(names))

    def texts(self, column: str) -> list[str]:
        """Return every cell of a column as stripped text; for small tables only."""
        codes, names = text_codes(self._columns[column])
        return [names[code] for code in codes]

    def whole_numbers(self, column: str) -> npt.NDArray[np.int64]:
        """Return a column of whole numbers from 0, -1 for other cells; shape (rows,), int64."""
        array = self._columns[column]
        if pa.types.is_integer(array.type) and not array.null_count:
            return np.maximum(whole(array).astype(np.int64), -1)
        texts, rows = texts_of(array)
        longest = pc.max(pc.binary_length(texts)).as_py() or 0
        if longest <= _MOST_DIGITS and pc.all(pc.ascii_is_decimal(texts), min_count=0).as_py():
            numbers = whole(texts.cast(pa.int64())).view(np.int64)
        else:
            numbers = np.array([whole_number(text) for text in texts.to_pylist()], dtype=np.int64)
        return numbers if rows is None else numbers[rows]

    def distinct(self, column: str) -> Sequence[str]:
        """Return the distinct stripped texts of a column."""
        return text_codes(self._columns[column])[1]

    def where(self, column: str, test: Callable[[str], bool]) -> npt.NDArray[np.bool_]:
        """Return which rows have a text in a column that passes a test; shape (rows,), bool."""
        codes, texts = text_codes(self._columns[column])
        return np.array([test(text) for text in texts], dtype=np.bool_)[codes]

    def note_first(self, wrong: npt.NDArray[np.bool_], column: str, what: str, remedy: str, problems: Problems) -> None:
        """Note the first wrong row, and how many more there are; nothing if none is wrong; `wrong`: shape (rows,)."""
        rows = np.flatnonzero(wrong)
        if len(rows):
            more = say_count(" (and {count} more such [line|lines])", len(rows) - 1)
            what = what + more if len(rows) > 1 else what
            problems.add(self.shown, what, remedy, line=self.line(int(rows[0])), column=column)

    def renamed(self, names: Mapping[str, str]) -> Table:
        """Return the table with renamed columns."""
        return replace(self, _columns={names.get(name, name): array for name, array in self._columns.items()})

    def less(self, names: Collection[str]) -> Table:
        """Return the table without some columns."""
        return replace(self, _columns={name: array for name, array in self._columns.items() if name not in names})

    def with_column(self, name: str, array: pa.Array) -> Table:
        """Return the table with one more column."""
        return replace(self, _columns={**self._columns, name: array})

    def with_constant(self, name: str, text: str) -> Table:
        """Return the table with one more column, in which all cells are equal."""
        places = arrow(np.zeros(self.rows, dtype=np.int32))
        return self.with_column(name, pa.DictionaryArray.from_arrays(places, column_of([text])))

    def mapped(self, column: str, change: Callable[[str], str]) -> Table:
        """Return the table with each distinct text of a column converted."""
        codes, names = text_codes(self._columns[column])
        texts = column_of(change(name) for name in names)
        return replace(self, _columns={**self._columns, column: pa.DictionaryArray.from_arrays(arrow(codes), texts)})

    def without(self, dropped: npt.NDArray[np.bool_]) -> Table:
        """Return the table without some rows; `dropped` has shape (rows,), bool."""
        if not dropped.any():
            return self
        places = np.flatnonzero(~dropped)
        columns = {name: used_texts(array.take(arrow(places))) for name, array in self._columns.items()}
        kept = places if self.kept is None else self.kept[places]
        return replace(self, rows=len(places), _columns=columns, kept=kept, in_file=self.in_file or self.rows)

    def line(self, row: int) -> int:
        """Return the line of the file on which a row begins, counted from 1; for Parquet, the row's number from 1."""
        if self.kept is not None and row < len(self.kept):
            row = int(self.kept[row])
        if not self._lines:
            self._lines = form_of(self.path).lines(self.path, self.dialect)
        return self._lines[row + 1] if row + 1 < len(self._lines) else row + 2


def whole_number(text: str) -> int:
    """Return the whole number, from 0, that a text of digits means; -1 for other texts."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else -1


def direct_codes(array: pa.Array, limit: int) -> npt.NDArray[np.int32] | None:
    """Return an integer column as codes, shape (rows,), int32, if all its values are in [0, limit), else None."""
    if not pa.types.is_integer(array.type) or array.null_count:
        return None
    numbers = whole(array)
    if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < min(limit, 2**31 - 1):
        return None
    return numbers.astype(np.int32, copy=False)


def text_codes(array: pa.Array) -> tuple[npt.NDArray[np.int32], list[str]]:
    """Return the codes of a column, shape (rows,), int32, and its distinct stripped texts; a null is an empty text."""
    codes, texts = _text_column(array)
    return codes, texts.to_pylist()


def _text_column(array: pa.Array) -> tuple[npt.NDArray[np.int32], pa.Array]:
    """Return codes as `text_codes`, and the texts as a column."""
    texts, rows = texts_of(array)
    distinct = texts.dictionary_encode()
    codes = whole(distinct.indices)
    if rows is not None:
        codes = rows if len(distinct.dictionary) == len(texts) else codes[rows]
    return codes.astype(np.int32, copy=False), distinct.dictionary


def header(path: Path, shown: str, problems: Problems, declared: Declared = NOTHING_DECLARED) -> dict[str, str] | None:
    """Return a file's column names, stripped, each with its spelling in the file; None after noting a problem."""
    if not check_file(path, shown, problems):
        return None
    try:
        spelled = form_of(path).names(path, declared)
    except damages() as error:
        note_unreadable(path, shown, error, problems, declared)
        return None
    names = [name.strip() for name in spelled]
    if not any(names):
        remedy = say("write a header line with the column names")
        problems.add(shown, say("the file is empty"), remedy, line=form_of(path).header_line(path))
        return None
    places: dict[str, int] = {}
    twice = next((place for place, name in enumerate(names) if places.setdefault(name, place) != place), None)
    if twice is not None:
        # The name is not quoted: if the header is missing, it may be a person's cell.
        places_alike = {"first": names.index(names[twice]) + 1, "second": twice + 1}
        what = say("columns {first} and {second} have the same name in the header", **places_alike)
        if not names[twice]:
            what = say("columns {first} and {second} have no name in the header", **places_alike)
        remedy = say(
            "give each a name of its own, or write what stands beside the table into another file; if this line is a "
            "title, delete it"
        )
        lines = say(
            "if the header has several lines, such as one of units, write one, in which each column has a name of its "
            "own; where names recur below others, write a row for each of these others instead, and name them in a "
            "further column (area, sex, under 18, 18+, where the ages of men stand beside those of women)"
        )
        if is_foreign(path) and (sheet := read_foreign(path).sheet) is not None:
            what = say('{what}, in the sheet "{sheet}"', what=what, sheet=sheet)
        problems.add(shown, what, f"{remedy}; {lines}", line=form_of(path).header_line(path))
        return None
    return dict(zip(names, spelled, strict=True))


def in_other_encoding(path: Path, column: str) -> tuple[str, str] | None:
    """Return the fault, and its remedy, that a file has a column in another encoding than it is read in; else None."""
    for encoding in () if column.isascii() else _ENCODINGS:
        if column in (header(path, path.name, Problems(), Declared(encoding=encoding)) or ()):
            what = say(
                "the file is read in a wrong encoding: it has this column if it is {encoding}", encoding=encoding
            )
            remedy = say(
                "save the file as UTF-8, which is recognised beside files of another encoding; or, if it holds rows of "
                'people and all other files are {encoding} or UTF-8, write encoding = "{encoding}" under [columns]',
                encoding=encoding,
            )
            return what, remedy
    return None


def note_absent(
    path: Path,
    shown: str,
    names: Sequence[str],
    wanted: Sequence[str],
    problems: Problems,
    *,
    otherwise: str | None = None,
) -> None:
    """Note each wanted column that a file lacks; `otherwise` is a second remedy; None: to add it to the file.

    The header is only quoted if it has a wanted column and is as wide as the row below it: otherwise the first line may
    be about a person.
    """
    absent, listed = [column for column in wanted if column not in names], dict.fromkeys(wanted)
    if not absent:
        return
    lacks_all = len(absent) == len(listed)
    quoted = not lacks_all and form_of(path).has_header(path, len(names))
    line = form_of(path).header_line(path)
    delimiter = read_dialect(path).delimiter if form_of(path) is FORMS[".csv"] else ","
    header_line = say(
        "write a header line with these names, with {sign} between them: {names}",
        sign=say("a tab") if delimiter == "\t" else f'"{delimiter}"',
        names=(", " if delimiter == "\t" else f"{delimiter} ").join(listed),
    )
    if is_foreign(path) and (sheet := read_foreign(path).sheet) is not None:
        header_line = say(
            'the sheet "{sheet}" is read, which should have a header with these names: {names}; to have another sheet '
            "read, save it as a CSV file",
            sheet=sheet,
            names=", ".join(listed),
        )
    elif otherwise is not None:
        header_line = say("{remedy}; or {otherwise}", remedy=header_line, otherwise=otherwise)
    if lacks_all and len(listed) > 1 and not any(in_other_encoding(path, column) for column in absent):
        problems.add(shown, say("the file has none of the columns that it should have"), header_line, line=line)
        return
    other = otherwise or say("add it to the file")
    remedy = say("correct its name in the manifest or in the file, or {otherwise}", otherwise=other)
    if lacks_all or path.name.endswith(".key.csv"):  # no manifest gives the columns of a key other names
        remedy = header_line
    for column in absent:
        if misread := in_other_encoding(path, column):
            problems.add(shown, *misread, line=line, column=column)
            continue
        what = say("the column is not in the file")
        if quoted:
            what += say(", which has: {names}", names=", ".join(names))
        elif lacks_all:
            what += say(", nor is any other column that it should have")
        problems.add(shown, what, remedy, line=line, column=column)


def read_table(
    path: Path,
    shown: str,
    columns: Sequence[str],
    problems: Problems,
    declared: Declared = NOTHING_DECLARED,
    *,
    optional: Iterable[str] = (),
    distinct: Sequence[str | None] = (),
) -> Table | None:
    """Read some columns of a table.

    Args:
        path: the file.
        shown: its name in messages.
        columns: the columns.
        problems: receives every problem (no such file or column, ragged lines, wrong encoding, damaged Parquet) with
            file, line and remedy.
        declared: the declared delimiter and encoding; what is not declared is guessed.
        optional: columns that are read, too, if the file has them.
        distinct: columns whose cells are mostly distinct, such as identifiers, which are read without a dictionary.

    Returns:
        The table; None if there is a problem.
    """
    names = header(path, shown, problems, declared)
    if names is None:
        return None
    columns = list(dict.fromkeys([*columns, *(column for column in optional if column in names)]))
    if any(column not in names for column in columns):
        note_absent(path, shown, list(names), columns, problems)
        return None
    spelled = [names[column] for column in columns]
    try:
        plain = frozenset(names[column] for column in columns if column in distinct)
        table, dialect = form_of(path).read(path, spelled, plain, declared)
        table = table.rename_columns(columns)
        nested = next((each for each in columns if pa.types.is_nested(table.schema.field(each).type)), None)
        if nested is not None:
            problems.add(
                shown, say("the column holds lists or structures"), say("write one plain value per cell"), column=nested
            )
            return None
        rows, joined = table.num_rows, {}
        for column in columns:
            joined[column] = _combined(table.column(column), distinct=column in distinct)
            table = table.drop_columns([column])  # so that not every column is in memory twice
        found = Table(path, shown, rows, joined, dialect)
    except damages() as error:
        note_unreadable(path, shown, error, problems, declared)
        return None
    if (again := _header_again(joined)) is not None:
        what = say("the row repeats the header")
        remedy = say("delete the line, and look whether two files were joined here")
        problems.add(shown, what, remedy, line=found.line(again))
        return None
    return found


def read_shared(
    path: Path,
    shown: str,
    columns: Sequence[str],
    problems: Problems,
    declared: Declared = NOTHING_DECLARED,
    *,
    distinct: Sequence[str] = (),
) -> Table | None:
    """Read some columns of a table of several releases, each of which takes its rows; otherwise like `read_table`.

    The table is held for the next of them.
    """
    held = _held(path, shown, tuple(columns), declared, tuple(distinct))
    return held or read_table(path, shown, columns, problems, declared, distinct=distinct)


@kept_while_unchanged(2)
def _held(path: Path, shown: str, columns: Sequence[str], declared: Declared, distinct: Sequence[str]) -> Table | None:
    return read_table(path, shown, columns, Problems(), declared, distinct=distinct)


def _header_again(columns: Mapping[str, pa.Array]) -> int | None:
    """Return the first row that repeats the names of all columns, two or more; None if there is none."""

    def is_name(name: str, texts: pa.Array) -> npt.NDArray[np.bool_]:
        known = column_of([name]).cast("large_string")  # `pyarrow.scalar` would import pandas
        return flags(pc.is_in(texts.cast("large_string"), value_set=known))

    for name, column in columns.items():
        texts = column.dictionary if pa.types.is_dictionary(column.type) else column
        if not is_text(texts.type) or not is_name(name, texts).any():
            return None
    same = [is_name(name, column) for name, column in columns.items()]
    rows = np.flatnonzero(np.all(same, axis=0)).tolist() if len(same) > 1 else []
    return rows[0] if rows else None


def first_rows(path: Path, shown: str, limit: int, problems: Problems) -> tuple[Table, bool] | None:
    """Return the first rows of a file, without columns of lists or bytes, and whether these are all rows.

    None after noting a problem.
    """
    names = header(path, shown, problems)
    if names is not None:
        plain = form_of(path).plain_columns(path, list(names.values()))
        names = {name: spelled for name, spelled in names.items() if spelled in plain}
    table = None if names is None else read_table(path, shown, [*names], problems)
    return None if table is None else (table.without(np.arange(table.rows) >= limit), table.rows <= limit)


def _combined(column: pa.ChunkedArray, *, distinct: bool) -> pa.Array:
    """Return a column as one array: as a dictionary of texts, or as plain integers or texts if cells are `distinct`."""
    kind = column.type
    if pa.types.is_dictionary(kind) and not is_text(kind.value_type):
        column = column.cast(kind.value_type)
    if pa.types.is_integer(column.type) and not distinct:
        numbers = column.dictionary_encode(null_encoding="encode").unify_dictionaries().combine_chunks()
        return pa.DictionaryArray.from_arrays(numbers.indices, numbers.dictionary.cast(pa.string()))
    if not (pa.types.is_integer(column.type) or pa.types.is_dictionary(column.type)):
        column = _as_text(column)
        if not distinct:
            column = column.dictionary_encode(null_encoding="encode")
    if column.num_chunks > 1 and pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if not pa.types.is_integer(array.type):
        array.validate(full=True)  # Parquet guarantees neither UTF-8 nor indices within the dictionary
    return used_texts(array) if pa.types.is_dictionary(kind) else array


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return cells as text, except for floating-point numbers; bytes that are not UTF-8 become hexadecimal digits."""
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_string(kind):
        return column
    small = pa.string() if column.nbytes < _MOST_TEXT else pa.large_string()
    if not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)):
        return column.cast(small)
    try:
        if not pa.types.is_fixed_size_binary(kind):
            return column.cast(small)
    except pa.ArrowInvalid:  # not UTF-8
        pass
    return pa.chunked_array([hexadecimal(chunk) for chunk in column.chunks], pa.large_string()).cast(small)


# -- composed columns -------------------------------------------------------------------------------------------------


TOGETHER = " + "
"""What stands between the names of columns that are read as one, and between their texts."""


def parts_of(column: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the columns of a file that are the parts of a column; empty if it has the column itself, or no parts.

    >>> parts_of("Household + Person", ["Household", "Person"]), parts_of("a", ["a"])
    (('Household', 'Person'), ())
    """
    parts = tuple(column.split(TOGETHER))
    return parts if column not in names and len(parts) > 1 and {*parts} <= {*names} else ()


def composed(table: Table, column: str, parts: tuple[str, ...]) -> Table:
    """Return the table with a column composed from its parts; its text is empty where that of a part is."""
    coded = [text_codes(table.arrow(part)) for part in parts]
    first, place = distinct(*combine([(codes, len(names)) for codes, names in coded], table.rows))
    cells = ([names[codes[row]] for codes, names in coded] for row in first.tolist())
    texts = column_of(TOGETHER.join(row) if all(row) else "" for row in cells)
    array: pa.Array = pa.DictionaryArray.from_arrays(arrow(place.astype(np.int32)), texts)
    return table.with_column(column, array)
