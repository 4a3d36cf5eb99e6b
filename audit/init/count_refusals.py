"""Refuse files that look like tables of counts but are not understood; they must not be read as rows of people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from audit.count_tables.manifest import column_names as columns_of
from audit.count_tables.manifest import read_count_table
from audit.count_tables.published_texts import decimal_of, is_like_a_number, is_total_word, number_of, said_range
from audit.init.count_columns import CountFiles, is_label_name, is_sign
from audit.init.count_rules import TableGuesses
from audit.io import naming
from audit.io.naming import COUNTED, speaks_of_counts
from audit.io.rules.rows_and_values import is_total
from audit.io.table_forms import form_of
from audit.io.tables import Table, first_rows
from audit.model.errors import InputError, Problem, Problems
from audit.runtime.phrases import in_quotes, printable, say

_LEAST_ROWS = 2  # of totals: rows of people may end with one
_MANY = 0.1  # of the rows are totals in a table of counts, at least
_SEARCHED_ROWS = 200
_MOST_OF_OWN = 0.8
"""The share of rows of people, at most, that differ in their labels."""
_IS_NAME = re.compile(r"[^0-9]*[^\W\d_]")  # letters, and no digits before them
_LIKE_DIGITS = re.compile(r"['\"\u2019]?[0-9]")


def refuse_title(folder: Path, files: Sequence[Path]) -> None:
    """Refuse tables whose first row may be the header, below a title that is as wide as the table, or a line of it.

    Names stand above numbers and recur in no row; the labels of a row of counts, and most cells of a person, do.

    Raises:
        InputError: a table has such a row.
    """
    for path in files:
        shown = path.relative_to(folder).as_posix()
        read = first_rows(path, shown, _SEARCHED_ROWS, Problems())
        place = None if read is None else _header_below(read[0])
        if read is not None and place is not None:
            what = say(
                "this row may be the header, and the line that is read as the header a title: {title}",
                title=in_quotes([name for name in read[0].names if name], most=3, limit=40),
            )
            remedy = say("delete the lines above the header; if this is a row with counts, put another row above it")
            raise InputError([Problem(shown, what, remedy, line=read[0].line(place))])
        if read is not None and read[0].rows and "" in read[0].names and _is_name_above(read[0].texts("")):
            what = say("this row may be a further line of the header")
            remedy = say("write one line, in which each column has a name of its own")
            raise InputError([Problem(shown, what, remedy, line=read[0].line(0))])


def _header_below(table: Table) -> int | None:
    """Return the row that may be the header of those below it; None if the first row is like them."""
    rows = [*zip(*(map(str.strip, table.texts(name)) for name in table.names), strict=True)]
    place = next((place for place, row in enumerate(rows) if any(row)), len(rows))
    first, *others = rows[place:] or [()]
    columns = [*zip(*others, strict=True)]
    names = [text for text, below in zip(first, columns, strict=False) if text and text not in below]
    if len(names) < len(first) or not all(_IS_NAME.match(text) or said_range(text) for text in first):
        return None
    above_numbers = any(_mostly_numbers(b) and _may_be_name(t) for t, b in zip(first, columns, strict=False))
    return place if above_numbers else None


def _is_name_above(texts: Sequence[str]) -> bool:
    """Return whether the first text of a column without a name is one above numbers."""
    return bool(_IS_NAME.match(texts[0])) and not is_sign(texts[0]) and _mostly_numbers(texts[1:])


def _may_be_name(text: str) -> bool:
    return speaks_of_counts(text) or not is_sign(text)


def refuse_unrecognised(folder: Path, files: Sequence[Path], found: CountFiles | None) -> None:
    """Refuse files that are not recognised as tables of counts but are nothing else; `found` are those that are read.

    Raises:
        InputError: the files look like tables of counts, or each folder of them like a release.
    """
    if found is not None:
        _refuse_half_recognised(found)
    if files and files[0].parent not in (folder, folder / "releases"):
        _refuse_folders(folder, files)


def _refuse_half_recognised(files: CountFiles) -> None:
    """Refuse files whose labels have totals, and in which most cells of a column are numbers, if rows name no people.

    Raises:
        InputError: the files are such tables; the first cell that is neither a number nor a marker is named, a label
            that is only written above, or the first row of totals where these are many.
    """
    of_people = any(naming.kind(name) in ("person", "record", "group", "id") for name in files.columns)
    numbers = [name for name, texts in files.columns.items() if _mostly_numbers(texts) and not is_label_name(name)]
    labels = [name for name in files.columns if name not in numbers]
    rows = [*_rows(files, labels)]
    totals = [any(is_total_word(text) or is_total(text) for text in row) for row in rows]
    named = [name for name in numbers if name.casefold() in COUNTED and not any(map(naming.sensitivity, labels))]
    hides = any(number_of(text) is None for name in named for text in files.columns[name] if is_sign(text))
    few = not hides and (sum(totals) < _LEAST_ROWS or _ends_with_totals(files, numbers, labels))
    if of_people or not numbers or few:
        return
    _refuse_rates(files, numbers)
    _refuse_cells(files, numbers, lambda text: number_of(text) is None and not is_sign(text))
    if len({*rows}) < len(rows):
        _refuse_blank_rows(zip(files.files, files.shown, strict=True))
        for name in labels:
            _refuse_blank(files, name)
    if hides and (repeated := _repeated(files, rows)) is not None:
        what = say("the files look like tables of counts, but these labels stand in a row above, too")
        remedy = say(
            "write each combination of labels once; if one column holds the labels of several, such as the sexes below "
            "each region, give each a column of its own"
        )
        raise _at(files, repeated, labels[0], what, remedy)
    if sum(totals) >= _MANY * len(totals):
        what = say("the files look like tables of counts, with this row of totals, but they are not understood")
        remedy = say(
            'call the label of all people "Total", write each combination of labels once, write a marker in place of '
            "each hidden count, and audit tables with other columns in folders of their own; if each row is a person, "
            "delete the rows of totals"
        )
        raise _at(files, totals.index(True), labels[0], what, remedy)


def _repeated(files: CountFiles, rows: Sequence[tuple[str, ...]]) -> int | None:
    """Return the first row whose labels stand in an earlier row of its file, too; None if there is none."""
    first = dict[tuple[int, tuple[str, ...]], int]()
    places = (first.setdefault(key, place) for place, key in enumerate(zip(files.file_of_rows(), rows, strict=True)))
    return next((place for place, earlier in enumerate(places) if place != earlier), None)


def _refuse_folders(folder: Path, files: Sequence[Path]) -> None:
    """Refuse tables in folders, each of which is a release; say why they cannot be read, if they cannot.

    Raises:
        InputError: always.
    """
    problems = Problems()
    _refuse_blank_rows((path, path.relative_to(folder).as_posix()) for path in files)
    for path in files:
        shown = path.relative_to(folder).as_posix()
        names = columns_of(path, shown, problems)
        if names is not None:
            read_count_table(path, shown, names, problems)
    problems.check()
    what = say("the tables in folders, each of which is a release, are not recognised as tables of counts")
    remedy = say(
        'let each row have the labels of one cell, with a label such as "Total" for all people, and write a marker in '
        "place of each hidden count; tables of people belong into {releases}, one file for each release",
        releases=folder / "releases",
    )
    raise InputError([Problem(files[0].relative_to(folder).as_posix(), what, remedy)])


def _refuse_blank_rows(files: Iterable[tuple[Path, str]]) -> None:
    """Refuse the first blank row above other rows; a workbook is read without such rows.

    Raises:
        InputError: a table has such a row.
    """
    for path, shown in files:
        read = first_rows(path, shown, _SEARCHED_ROWS, Problems())
        rows = [] if read is None else [any(row) for row in zip(*map(read[0].texts, read[0].names), strict=True)]
        place = next((place for place, filled in enumerate(rows) if not filled and any(rows[place:])), None)
        if read is not None and place is not None:
            what, remedy = say("this row is blank"), say("delete the blank rows between the others")
            raise InputError([Problem(shown, what, remedy, line=read[0].line(place))])


def _refuse_rates(files: CountFiles, numbers: Sequence[str]) -> None:
    """Refuse a file most of whose numbers have decimals in a column in which another file has counts."""
    for name in numbers:
        texts = iter(files.columns[name])
        own = [[*islice(texts, many)] for many in files.rows_of]
        are_rates = [
            2 * sum(number_of(t) is None and decimal_of(t) is not None for t in each) > len(each) for each in own
        ]
        if len({*are_rates}) > 1:
            what = say("most numbers of this table have decimals, where other tables have counts in the same column")
            remedy = say(
                'if they are percentages or other rates, give their column a name of its own, such as "percent"'
            )
            raise InputError([Problem(files.shown[are_rates.index(True)], what, remedy, column=name)])


def refuse_nameless(files: CountFiles, rules: TableGuesses) -> None:
    """Refuse counts in a column without a name.

    Raises:
        InputError: some counts are in such a column.
    """
    table = rules.table
    if "" in (table.get("value"), *table.get("values", ()), *table.get("wide", {}).get("columns", ())):
        what = say("the column with the counts has no name in this line, which may be a title")
        remedy = say("delete the lines above the header, or name the column")
        line = form_of(files.files[0]).header_line(files.files[0])
        raise InputError([Problem(files.shown[0], what, remedy, line=line)])


def refuse_numbers_as_markers(files: CountFiles, rules: TableGuesses) -> None:
    """Refuse texts in place of counts that begin with a digit but name no range: no marker does.

    Raises:
        InputError: there is such a text; the first one is named.
    """
    unread = {text for text in rules.table["markers"] if _LIKE_DIGITS.match(text) and not said_range(text)}
    unread -= {*rules.legend, "0"}
    _refuse_cells(files, [*files.columns] if unread else (), unread.__contains__)


def _ends_with_totals(files: CountFiles, numbers: Sequence[str], labels: Sequence[str]) -> bool:
    """Return whether only the last row of each file is a total, and the labels of the others recur, as people's do.

    In a table of counts, each row has labels of its own.
    """
    if any(speaks_of_counts(name) or naming.kind(name) == "count" for name in numbers):
        return False
    rows, before = [*_rows(files, labels)], 0
    for own in files.rows_of:
        *above, _ = rows[before : before + own] or [()]
        before += own
        if any(not text or is_total_word(text) for row in above for text in row):
            return False
        if len({*above}) > _MOST_OF_OWN * len(above):
            return False
    return True


def _mostly_numbers(texts: Sequence[str]) -> bool:
    shown = [text for text in texts if text]
    return 2 * sum(is_like_a_number(text.lstrip("'")) for text in shown) > len(shown)


def _rows(files: CountFiles, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(files.columns[name] for name in names), strict=True)


def _refuse_cells(files: CountFiles, names: Sequence[str], unread: Callable[[str], bool]) -> None:
    """Refuse the first unread cell of each column, all columns at once."""
    problems = Problems()
    for name in names:
        place = next((place for place, text in enumerate(files.columns[name]) if text and unread(text)), None)
        if place is not None:
            text = printable(files.columns[name][place])
            what = say(
                'the file looks like a table of counts, but "{text}" is neither a number nor a marker for hidden '
                "counts",
                text=text,
            )
            remedy = say("write whole numbers with all their digits, and remarks in a column of their own")
            problems.found += _at(files, place, name, what, remedy).problems
    problems.check()


def _refuse_blank(files: CountFiles, name: str) -> None:
    texts = files.columns[name]
    place = next((place for place, text in enumerate(texts) if not text and place), None)
    if place is not None and texts[0]:
        what = say("the file looks like a table of counts, but this label is blank: is it that of the row above?")
        remedy = say("write the label in each row, and Total where a blank means all people")
        raise _at(files, place, name, what, remedy)


def _at(files: CountFiles, place: int, name: str, what: str, remedy: str) -> InputError:
    """Return the error about a cell, by its place among the rows of all files."""
    for path, shown, rows in zip(files.files, files.shown, files.rows_of, strict=True):
        if place < rows:
            table = read_count_table(path, shown, [name], Problems())
            line = None if table is None else table.line(place)
            return InputError([Problem(shown, what, remedy, line=line, column=name)])
        place -= rows
    raise IndexError(place)
