"""Foreign files: read tables in workbooks of Excel and LibreOffice, in files of Stata, SPSS and SAS, and of tau-Argus.

All readers except the last need the extra `formats`. Every cell becomes the text that a CSV file would hold: whole
numbers without a fraction, dates as 2024-03-17, and labels in place of values if all values of a column have labels.
"""

from __future__ import annotations

import datetime
import os
import re
import zipfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from xml.etree import ElementTree as ET

from audit.io.cells import Fault
from audit.io.dialect import check_unpacked
from audit.io.header_rows import header_group, header_place, joined_header
from audit.io.paths import kept_while_unchanged, version
from audit.io.texts import column_of
from audit.io.workbook_parts import hidden_columns, joined_cells, shown_otherwise, texts_outside_cells
from audit.runtime.phrases import say

if TYPE_CHECKING:
    import pyarrow as pa

ENDING = ".tab"
METADATA = ".rda"
HIERARCHY = ".hrc"
LEADING = "@"
_TOKEN = re.compile(r'"([^"]*)"|(\S+)')
_KINDS = {
    "<RECODEABLE>": "label",
    "<RECODABLE>": "label",
    "<FREQUENCY>": "frequency",
    "<MAXSCORE>": "score",
    "<STATUS>": "status",
    "<NUMERIC>": "response",
}
_NUMERIC = {"<SHADOW>": "shadow", "<COST>": "cost", "<COSTVAR>": "cost", "<LOWERPL>": "level", "<UPPERPL>": "level"}
_SIGNS = {"<SAFE>": "safe", "<UNSAFE>": "unsafe", "<PROTECT>": "protected"}
_NOT_READ = ("<DISTANCE>", "<HIERARCHICAL>", "<CODELIST>")  # columns that do not describe what a number counts


class ArgusFileError(Fault):
    """A file of tau-Argus cannot be read."""


@dataclass(frozen=True)
class ArgusVariable:
    """A column of a table.

    Attributes:
        name: the column.
        kind: label, frequency, response, status, score, shadow, cost, level, or audit.
        total: the code for all people.
        missing: the codes for unknown values.
        hierarchy: the `.hrc` file of its codes; None if there is none.
        leading: the sign that marks each level of a code in that file.
        digits: the number of digits of each level, if the digits of codes form the hierarchy.
        decimals: the number of decimals.
    """

    name: str
    kind: str = "response"
    total: str = "Total"
    missing: tuple[str, ...] = ()
    hierarchy: str | None = None
    leading: str = LEADING
    digits: tuple[int, ...] = ()
    decimals: int = 0


@dataclass
class ArgusMetadata:
    """The contents of a `.rda` file about the table beside it.

    Attributes:
        variables: the columns, in order.
        separator: the sign between cells.
        safe, unsafe, protected: the signs for the status of a cell; besides, `M` is a cell hidden to protect others,
            and `E` an empty one.
    """

    variables: list[ArgusVariable] = field(default_factory=list)
    separator: str = ";"
    safe: str = "S"
    unsafe: str = "U"
    protected: str = "P"

    def of_kind(self, *kinds: str) -> list[ArgusVariable]:
        """Return the columns of these kinds."""
        return [each for each in self.variables if each.kind in kinds]


def metadata_beside(path: Path) -> Path:
    """Return the path of the metadata beside a `.tab` file."""
    return path.with_name(path.name[: -len(ENDING)] + METADATA)


def text_of(path: Path) -> str:
    """Return the text of a file, decoded as UTF-8 or, if that fails, as Windows text."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def read_metadata(path: Path) -> ArgusMetadata:
    """Return the metadata in a `.rda` file, or in the one beside a table.

    Raises:
        ArgusFileError: there is no such file, or it does not describe a table.
        OSError: it cannot be opened.
    """
    beside = path if path.name.lower().endswith(METADATA) else metadata_beside(path)
    if not beside.exists():
        remedy = "put it there, or save the table as .csv with a header"
        raise ArgusFileError(f"a .tab file of tau-Argus needs {beside.name} beside it, which is missing", remedy)
    found, audit = ArgusMetadata(), list[str]()
    for number, line in enumerate(text_of(beside).splitlines(), 1):
        bare = line.strip()
        if bare.startswith("//"):
            audit.append(bare.removeprefix("//").strip())
        elif bare:
            try:
                _read_line(found, [quoted or plain for quoted, plain in _TOKEN.findall(bare)])
            except (KeyError, ValueError, IndexError) as error:
                what = f"{beside.name}:{number} has a keyword that is unknown in metadata of a table"
                raise ArgusFileError(what, "write metadata of a table, not of records, in free format") from error
    # Intervals computed by tau-Argus are named in comments, except for the first comment.
    found.variables += [ArgusVariable(name, "audit") for name in audit[1:]]
    return found


def _read_line(found: ArgusMetadata, tokens: Sequence[str]) -> None:
    key = tokens[0].upper()
    if not key.startswith("<"):
        found.variables.append(ArgusVariable(tokens[0], missing=tuple(each.strip() for each in tokens[1:])))
    elif key == "<SEPARATOR>":
        found.separator = tokens[1]
    elif key in _SIGNS:
        setattr(found, _SIGNS[key], tokens[1])
    elif key not in _NOT_READ:
        found.variables[-1] = _described(found.variables[-1], key, tokens[1:])


def _described(variable: ArgusVariable, key: str, values: Sequence[str]) -> ArgusVariable:
    if key in _KINDS:
        kind = _NUMERIC[values[0].upper()] if key == "<NUMERIC>" and values else _KINDS[key]
        return replace(variable, kind=kind)
    if key == "<HIERLEVELS>":
        return replace(variable, digits=tuple(int(each) for each in values if int(each)))
    if key == "<DECIMALS>":
        return replace(variable, decimals=int(values[0]))
    names = {"<TOTCODE>": "total", "<HIERCODELIST>": "hierarchy", "<HIERLEADSTRING>": "leading"}
    return replace(variable, **{names[key]: values[0].strip()})  # type: ignore[arg-type]  # all three are texts


def read_rows(path: Path, metadata: ArgusMetadata) -> tuple[list[list[str]], list[int]]:
    """Return the cells of each row, numbers with a decimal point, and the line of each row.

    Raises:
        ArgusFileError: a line has another number of cells than the metadata, or an invalid status.
        OSError: it cannot be opened.
    """
    width, rows, lines = len(metadata.variables), list[list[str]](), list[int]()
    numeric = [each.kind not in ("label", "status") for each in metadata.variables]
    known = {metadata.safe, metadata.unsafe, metadata.protected, "M", "E", ""}
    known = {each.casefold() for each in known}
    for number, line in enumerate(text_of(path).splitlines(), 1):
        if not line.strip():
            continue
        cells = [_bare(cell) for cell in line.split(metadata.separator)]
        if len(cells) != width:
            what = f"line {number} has {len(cells)} cells, but {metadata_beside(path).name} names {width} columns"
            raise ArgusFileError(what, "correct the line or the metadata")
        rows.append([c.replace(",", ".") if n else c for c, n in zip(cells, numeric, strict=True)])
        status = next((c for c, v in zip(cells, metadata.variables, strict=True) if v.kind == "status"), "")
        if status.casefold() not in known:
            what = f"line {number} has a status that {metadata_beside(path).name} does not name"
            raise ArgusFileError(what, "name it there as <SAFE>, <UNSAFE> or <PROTECT>; M is secondary, E empty")
        lines.append(number)
    return rows, lines


def _bare(cell: str) -> str:
    cell = cell.strip()
    return cell[1:-1].strip() if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


# -- hierarchies --------------------------------------------------------------------------------------------------


def covered_codes(path: Path, leading: str = LEADING) -> dict[str, list[str]]:
    """Return the finest codes inside each code of a `.hrc` file; a finest code is inside itself.

    Raises:
        ArgusFileError: a code is deeper than the one before by more than one level, or occurs twice.
        OSError: it cannot be opened.
    """
    found: dict[str, list[str]] = {}
    above: list[str] = []
    coarse = set[str]()
    for number, line in enumerate(text_of(path).splitlines(), 1):
        depth, bare = 0, line.strip()
        while leading and bare.startswith(leading):
            depth, bare = depth + 1, bare[len(leading) :].strip()
        if not bare:
            continue
        if depth > len(above) or bare in found:
            why = "it is already in the file" if bare in found else "the code above it is missing"
            raise ArgusFileError(f"line {number} has a code that cannot be placed: {why}", "correct the hierarchy")
        above = [*above[:depth], bare]
        coarse.update(above[:-1])
        found[bare] = []
        for code in above:
            found[code].append(bare)
    return {code: [each for each in inside if each not in coarse] for code, inside in found.items()}


def covered_by_digits(codes: Sequence[str], digits: Sequence[int] = ()) -> dict[str, list[str]]:
    """Return the finest codes inside each code: those that begin with it, if it ends where a level of digits ends.

    >>> covered_by_digits(["1", "11", "12", "2"], [1, 1])
    {'1': ['11', '12'], '11': ['11'], '12': ['12'], '2': ['2']}
    """
    ends = [sum(digits[: place + 1]) for place in range(len(digits))]
    inside = {code: [each for each in codes if each != code and _begins(each, code, ends)] for code in codes}
    return {code: [e for e in inner if not inside[e]] or [code] for code, inner in inside.items()}


def _begins(code: str, start: str, ends: Sequence[int]) -> bool:
    return (not ends or len(start) in ends) and code.startswith(start)


def hierarchy_beside(path: Path, name: str) -> Path:
    """Return the path of a hierarchy that metadata name: the file of that name beside them, whatever its capitals."""
    bare = path.with_name(name.replace("\\", "/").rsplit("/", 1)[-1])
    if bare.exists():
        return bare
    alike = [each for each in path.parent.iterdir() if each.name.casefold() == bare.name.casefold()]
    return alike[0] if alike else bare


WORKBOOKS = (".xlsx", ".ods")
_LOOKED_AT = 50  # the first rows, among which the header is
_MIDNIGHT = datetime.time()


@dataclass(frozen=True)
class ForeignTable:
    """A table whose cells are texts.

    Attributes:
        names: the names of the columns, as written.
        columns: the cells of each column, as an array of strings.
        lines: the line of the header and of each row: in a workbook the sheet's row, from 1, else the row's number.
        sheet: the sheet that was read, if the workbook has several that are not empty; otherwise None.
        other_sheets: the other sheets that are not empty.
        tables_left: those of them that have two of the names in one row, and so may be tables of the same kind.
        like_tables: the other sheets with three numbers beside labels, unless their names are those of covers or notes.
        lists: the other sheets that are hidden, or may list the people of the rows one by one: as many rows as the
            table, or half as many if these are ten; under names of covers or notes, as many rows of several cells.
        above: the line and the text of each row above the header that is not empty.
        elsewhere: the place and the text of each row of the sheets that look like no table, and of each comment, text
            box, title of a chart, header, footer, defined name and property of the document.
        unlike: the place of cells that show something else than the number that they hold, and the format that does it;
            and each chart that holds other numbers than the cells that it shows, and their reference.
        group: the name of the only group of columns in the upper line of a header; an empty text if there is none.
        hidden: the names of the columns that the workbook hides, which its readers can show.
    """

    names: tuple[str, ...]
    columns: tuple[pa.Array, ...]
    lines: Sequence[int]
    sheet: str | None = None
    other_sheets: tuple[str, ...] = ()
    tables_left: tuple[str, ...] = ()
    like_tables: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    above: tuple[tuple[int, str], ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()
    unlike: tuple[tuple[str, str], ...] = ()
    group: str = ""
    hidden: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of rows below the header."""
        return len(self.lines) - 1


def is_foreign(path: Path) -> bool:
    """Return whether a file's ending is that of another program's table, which is not read as text or Parquet."""
    return path.name.lower().endswith(SUFFIXES)


def writable_name(path: Path) -> str:
    """Return the name of a file, or that of a CSV file in its place if its form can only be read."""
    return path.with_suffix(".csv").name if is_foreign(path) else path.name


def read_foreign(path: Path) -> ForeignTable:
    """Return a table; the most recent tables are cached while their files do not change.

    Raises:
        Fault: the library that reads it is not installed, or the file is damaged.
        OSError: it cannot be opened.
    """
    is_argus = path.name.lower().endswith(ENDING)
    beside = metadata_beside(path) if is_argus else None
    return _read_foreign(path, version(beside) if beside is not None and beside.exists() else None)


@kept_while_unchanged(4)
def _read_foreign(path: Path, _beside: tuple[object, ...] | None) -> ForeignTable:
    ending = path.suffix.lower()
    try:
        return READERS[ending](path)
    except ImportError as error:
        what = say("a {ending} file is read by an extra that is not installed", ending=ending)
        raise Fault(what, say('pip install "series-audit[formats]", or save the table as CSV')) from error


# -- workbooks ------------------------------------------------------------------------------------------------------


_WITHOUT_RESULT = re.compile(
    rb'<c\b(?![^>]*t="str")[^>]*><f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>|'
    rb"<table:table-cell\b(?=[^>]*\btable:formula=)(?![^>]*\boffice:value-type=)"
)


def _read_workbook(path: Path) -> ForeignTable:
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as packed:  # a workbook with a password is not a zip file
        check_unpacked(sum(part.file_size for part in packed.infolist()), path.stat().st_size)
        parts = (name for name in packed.namelist() if name.startswith(("xl/worksheets/sheet", "content.xml")))
        if any(_WITHOUT_RESULT.search(packed.read(part)) for part in parts):
            what = say("this workbook has formulas whose results are not stored")
            raise Fault(what, say("open it in a spreadsheet program and save it again, or save the table as CSV"))
    with path.open("rb") as file:
        try:
            book = CalamineWorkbook.from_filelike(file)
            sheets = [(name, book.get_sheet_by_name(name)) for name in book.sheet_names]
            filled = {name: sheet.to_python(skip_empty_area=False) for name, sheet in sheets if sheet.height}
            large = [name for name, sheet in sheets if sheet.height > 1 and sheet.width > 1]
            merged = {name: sheet.merged_cell_ranges or () for name, sheet in sheets}
            hidden = {each.name for each in book.sheets_metadata if each.visible is not SheetVisibleEnum.Visible}
        except CalamineError as error:
            raise _unreadable() from error
    texts = {name: [[*map(text, row)] for row in rows] for name, rows in filled.items()}
    chosen = _sheet_of_table({name: texts[name] for name in large} or texts)
    cells = read = texts.pop(chosen) if chosen is not None else []
    above, joined, group, kept = _from_header(cells, merged.get(chosen or "", ()), chosen or "")
    lines, cells = [line for line, _ in kept], [row for _, row in kept]
    names = (*joined,) or (tuple(cells[0]) if cells else ())
    columns = tuple(column_of(row[place] for row in cells[1:]) for place in range(len(names)))
    known = {name.strip() for name in names} - {""}
    said = [{text for text in each.to_pylist() if any(map(str.isalnum, text))} for each in columns]
    repeated = [own for own in said if 0 < 2 * len(own) < len(cells)]
    beside = {name: rows for name, rows in texts.items() if not _offers_choices(rows, known, repeated)}
    left = [name for name, each in beside.items() if any(len(known.intersection(row)) > 1 for row in each[:_LOOKED_AT])]
    like = [
        name
        for name, rows in beside.items()
        if not (name in left or _ABOUT_TABLES.fullmatch(name)) and _has_numbers(rows)
    ]
    lists = (name for name, rows in beside.items() if name in hidden or _may_list(name, rows, len(lines) - 1))
    elsewhere = tuple(
        (f"{name}:{line}", row)
        for name, each in beside.items()
        for line, row in enumerate(_numbered(each), 1)
        if name not in left + like and row
    )
    try:
        elsewhere = (*elsewhere, *texts_outside_cells(path))
        places = set() if chosen is None else hidden_columns(path, chosen)
        unlike = (*shown_otherwise(path, texts if chosen is None else {**texts, chosen: read}),)
    except (zipfile.BadZipFile, ET.ParseError) as error:
        raise _unreadable() from error
    others = (*texts,), (*left,), (*like,), (*lists,)
    hides = tuple(name for place, name in enumerate(names) if place in places and name)
    return ForeignTable(
        names, columns, lines or [1], chosen if texts else None, *others, above, elsewhere, unlike, group, hides
    )


Lines: TypeAlias = list[tuple[int, list[str]]]
Merged: TypeAlias = Sequence[tuple[tuple[int, int], tuple[int, int]]]


def _unreadable() -> Fault:
    what = say("this workbook cannot be read, or it has a password")
    return Fault(what, say("save it again as .xlsx without a password, or as CSV"))


def _from_header(
    cells: Sequence[list[str]], merged: Merged, sheet: str
) -> tuple[tuple[tuple[int, str], ...], list[str], str, Lines]:
    """Return the texts above a sheet's header, the names in one of two lines, their group, and the rows from it on.

    Each text and each row, of which none is empty, has its line.
    """
    width = max((place + 1 for row in cells for place, cell in enumerate(row) if cell), default=0)
    first = next((line for line, row in enumerate(cells) if any(row)), 0)
    rows = [row[:width] for row in cells[: first + _LOOKED_AT]]
    header = first + header_place(rows[first:])
    names = joined_header(rows, header)
    unread = [[cell for cell in row if cell not in names] for row in cells[:header]]
    above = tuple((line, joined_cells(row)) for line, row in enumerate(unread, 1) if any(row))
    below = _without_merges(cells, merged, header, sheet)[header:]
    kept = [(line, row[:width]) for line, row in enumerate(below, header + 1) if any(row)]
    return above, names, header_group(rows, header), kept


def _without_merges(cells: Sequence[list[str]], merged: Merged, header: int, sheet: str) -> list[list[str]]:
    """Return the rows of a sheet with the text of cells that are merged, below the header, in each of their rows.

    Raises:
        Fault: a number stands for several rows, of which each has a label of its own, or others have such a number.
    """
    found = [[*row] for row in cells]
    spans = [(top, left, bottom) for (top, left), (bottom, _) in merged if header < top < bottom]
    for top, left, bottom in spans:
        inside = {row for first, column, last in spans if column == left for row in range(first, last + 1)}
        others = (row[left] for at, row in enumerate(cells) if at > header and at not in inside)
        beside = any(text for row in cells[top + 1 : bottom + 1] for text in row[:left])
        if cells[top][left][:1].isdigit() and (beside or any(map(_is_number, others))):
            rows = {"first": top + 1, "last": bottom + 1}
            what = say(
                'a number in the sheet "{sheet}" has a cell that is merged over rows {first} to {last}',
                sheet=sheet,
                **rows,
            )
            raise Fault(what, say("unmerge them, and write into each cell what it says"))
        for row in found[top + 1 : bottom + 1]:
            row[left] = cells[top][left] if any(row) else ""
    return found


def _is_number(cell: str) -> bool:
    return cell[:1].isdigit() and cell.upper() == cell.lower()  # which a numbered note is not


_NUMBER = re.compile(r"[-+]?[0-9.,\s]+%?")
_ABOUT_TABLES = re.compile(
    r"(?:\W|[0-9])*(?:cover|title|contents?|index|read.?me|information|about|notes?|foot ?notes?|symbols?|key|legend|"
    r"glossary|definitions?|metadata|methodology|deckblatt|titel(?:blatt|seite)?|inhalt(?:sverzeichnis)?|impressum|info|hinweise?|"
    r"erl\u00e4uterung(?:en)?|vorbemerkung(?:en)?|anmerkung(?:en)?|zeichen\w*|fu\u00dfnoten?|legende|glossar|definitionen|"
    r"couverture|garde|sommaire|lisez.?moi|l\u00e9gende|remarques?|d\u00e9finitions|glossaire|avertissement|m\u00e9thodologie|"
    r"portada|\u00edndice|indice|contenido|l\u00e9ame|leyenda|notas?|definiciones|glosario|metodolog\u00eda)(?:[\W_]|[0-9]|page|sheet|seite)*",
    re.IGNORECASE,
)
"""The names of sheets that say something about the tables of a workbook."""


def _sheet_of_table(sheets: Mapping[str, Sequence[Sequence[str]]]) -> str | None:
    """Return the sheet that is read: the first that says nothing about the tables by its name or form, else the first.

    Such a form is a list of signs and their meanings: texts without a number in two columns.
    """
    named = [name for name in sheets if not _ABOUT_TABLES.fullmatch(name)] or [*sheets]
    return next((name for name in named if not _is_list(sheets[name])), next(iter(named), None))


def _offers_choices(rows: Sequence[Sequence[str]], names: Container[str], published: Sequence[Set[str]]) -> bool:
    """Return whether a sheet has nothing but choices for columns of the table: different texts, all that one has.

    Texts of such a column occur twice on average, so they name no people; a further choice has no digit, and none is a
    number, which may be a count. A sheet with some of the texts of each column may have rows of further people.
    """
    columns = [[text for text in column if text and text.strip() not in names] for column in zip_longest(*rows)]
    filled = [column for column in columns if column]
    return bool(filled) and all(
        len({*column}) == len(column)
        and not any(map(_NUMBER.fullmatch, column))
        and any(texts <= {*column} and not any(map(str.isdigit, "".join({*column} - texts))) for texts in published)
        for column in filled
    )


def _may_list(name: str, rows: Iterable[Sequence[str]], people: int) -> bool:
    """Return whether a sheet is so long that it may have a row for each of so many people, or for every second."""
    filled = [sum(map(bool, row)) for row in rows]
    if _ABOUT_TABLES.fullmatch(name):
        return sum(cells > 1 for cells in filled) >= people
    return sum(map(bool, filled)) >= min(people, max(people / 2, _MANY))


_NUMBERS, _MANY = 3, 10


def _is_list(rows: Sequence[Sequence[str]]) -> bool:
    cells = [(place, cell) for row in rows for place, cell in enumerate(row) if cell]
    first, *others = sorted({place for place, _ in cells}) or [0]
    has_numbers = any(cell[0].isdigit() and (place == first or _is_number(cell)) for place, cell in cells)
    return len(others) <= 1 and not has_numbers


def _has_numbers(rows: Iterable[Sequence[str]]) -> bool:
    """Return whether three cells that stand beside labels are numbers."""
    beside = (cells[1:] for row in rows if (cells := [cell for cell in row if cell]) and not cells[0].isdigit())
    return sum(_is_number(cell) for cells in beside for cell in cells) >= _NUMBERS


def _numbered(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the text of each row; a point follows the numbers 1, 2, ... with which a list of notes counts its rows."""
    next_number = 1
    for first, *others in rows:
        is_next = first == str(next_number) and any(others)
        next_number += is_next
        yield joined_cells([f"{first}." if is_next else first, *others])


# -- Stata, SPSS, SAS -----------------------------------------------------------------------------------------------


def _read_statistical(path: Path) -> ForeignTable:
    import pyreadstat

    ending = path.suffix.lower()
    read = getattr(pyreadstat, f"read_{ending[1:].replace('xpt', 'xport')}")
    try:
        columns, described = read(os.fspath(path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError) as error:
        remedy = say("write it again, or save the table as CSV")
        raise Fault(say("this {ending} file is damaged or incomplete", ending=ending), remedy) from error
    labels: Mapping[str, Mapping[Any, str]] = described.variable_value_labels
    cells = (_labelled(cells, labels.get(name, {})) for name, cells in columns.items())
    arrays = tuple(column_of(map(text, each)) for each in cells)
    rows = max((len(array) for array in arrays), default=0)
    return ForeignTable(tuple(columns), arrays, range(rows + 1))


def _labelled(cells: Iterable[Any], labels: Mapping[Any, str]) -> list[Any]:
    """Return the labels of cells if all of them have one, otherwise the cells."""
    listed = [None if cell != cell else cell for cell in cells]  # noqa: PLR0124 - NaN equals nothing
    known = {cell for cell in listed if cell is not None}
    return [labels.get(cell) for cell in listed] if known and known <= set(labels) else listed


# -- tau-Argus ------------------------------------------------------------------------------------------------------


def _read_argus(path: Path) -> ForeignTable:
    metadata = read_metadata(path)
    rows, lines = read_rows(path, metadata)
    columns = tuple(column_of(row[place] for row in rows) for place in range(len(metadata.variables)))
    return ForeignTable(tuple(each.name for each in metadata.variables), columns, [0, *lines])


READERS: Mapping[str, Callable[[Path], ForeignTable]] = {
    **dict.fromkeys(WORKBOOKS, _read_workbook),
    **dict.fromkeys((".dta", ".sas7bdat", ".sav", ".xpt"), _read_statistical),
    ENDING: _read_argus,
}
"""The reader of each type of file, by its ending: a new type is a function and a line here."""
SUFFIXES = tuple(READERS)


def text(cell: object) -> str:
    """Return the text that a CSV file would hold for a cell.

    >>> text(3.0), text(datetime.datetime(2024, 3, 17)), text(None), text(True)
    ('3', '2024-03-17', '', 'true')
    """
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else ("" if cell != cell else repr(float(cell)))  # noqa: PLR0124
    if isinstance(cell, datetime.datetime):
        return (cell.date() if cell.time() == _MIDNIGHT else cell).isoformat()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell).strip()
