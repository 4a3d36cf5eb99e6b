"""Dialect: the delimiter, the encoding and the quotes of a text table.

What the manifest does not declare is guessed from the beginning of the file, where comma-separated UTF-8 is preferred.
Another delimiter is only guessed if it divides the first records into equally many cells, at least two.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, starmap, takewhile
from pathlib import Path
from typing import BinaryIO

from audit.io.cells import Fault
from audit.io.paths import kept_while_unchanged
from audit.runtime.memory import memory_bytes
from audit.runtime.phrases import say

_FIRST = 15  # rows that are searched for the header
_MOSTLY = 0.6  # the share of rows that have the table's width
_WORD, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile("[0-9]+")


def header_place(rows: Sequence[Sequence[str]]) -> int:
    """Return the index of the header among the first rows.

    It is the first row with distinct names that is as wide as most rows, if no row above it can be the header: each is
    shorter than most rows, or has several empty cells or the same text in each, or a blank row separates it from the
    table. Otherwise it is row 0. Of a header of several lines it is the lowest one (`joined_header`). Blank rows and
    those below the last one of that width, such as notes, do not count.

    >>> header_place([["Report of 2024"], ["age", "sex", "zip"], ["20", "m", "80331"], ["30", "f", "80331"]])
    1
    >>> header_place([["Report", "Report", "Report"], ["age", "sex", "zip"], ["20", "m", "80331"]])
    1
    >>> header_place([["", "age", "sex"], ["1", "20", "m"], ["2", "30", "f"]])
    0
    >>> header_place([["Year", "2024", ""], ["", "", ""], ["age", "sex", "zip"], ["20", "m", "8"], ["30", "f", "9"]])
    2
    >>> header_place([["Report of 2024"], [], ["age", "n"], ["20", "3"], ["30", "4"], [], ["A note"], ["Office"]])
    2
    """
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return 0
    width, times = widths.most_common(1)[0]
    last = max(place for place, row in enumerate(rows) if len(row) == width)
    if times < _MOSTLY * sum(map(bool, rows[: last + 1])):
        return 0
    for place, row in enumerate(rows[:_FIRST]):
        is_above_units = _is_of_units(next(iter(rows[place + 2 : place + 3]), ()))
        is_above_group = _without_top(rows, place + 2) != (rows, place + 2)
        for end in (place + 1, place + 2)[: 1 + (is_above_units or is_above_group)]:
            if joined_header(rows, end):
                return end
        filled = [cell.strip() for cell in row if cell.strip()]
        if len(row) == len(filled) > len(set(filled)) == 1:
            continue  # a title, repeated in its cells
        if len(row) == len(filled) == width:
            return place if len(set(filled)) == width and _are_names(filled, rows[place + 1 : place + 2]) else 0
        few = len(filled) <= 1 or 2 * len(filled) < width
        incomplete = few and not (len(row) == width and width - len(filled) < 2)
        if not incomplete and not _is_separate(rows[place + 1 : _FIRST], width):
            is_header = _is_title(rows[0]) and _are_names(row, rows[place + 1 : place + 2])
            return place if is_header and not _is_named_above(row, rows[:place]) else 0
    return 0


_YEAR = re.compile("(?:19|20)[0-9]{2}")
_COUNTS = re.compile(
    r"\W*(?:anzahl|personen|fälle|numbers?|no\.|counts?|people|persons|cases|nombres?|effectifs?|personnes|cas|números?|"
    r"recuentos?|personas|casos)\W*",
    re.IGNORECASE,
)
"""The units of counts, in a line below the names of the columns; others, such as thousands, change their meaning."""


def joined_header(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    """Return the names of the columns, if this row ends a header of two lines, or is its line of units; none otherwise.

    A column has its name in one of the lines; above a group of columns with names in the lower line, the upper one has
    the name of the group, once or in each column. It is in no name, so that only one group may have counts. A third
    line at the top may have a name of all columns after the first ones. Rows may be blank below the header, and a
    column of counts may show the signs of others alone.

    >>> joined_header([["Kreis", "davon", "", "Alle"], ["", "unter 18", "ab 18", ""], ["Ahaus", "3", "5", "8"]], 1)
    ['Kreis', 'unter 18', 'ab 18', 'Alle']
    >>> joined_header([["Kreis", "Frauen", "", "Männer", ""], ["", "1", "2", "3", "4"], ["A", "3", "5", "8", "9"]], 1)
    []
    >>> joined_header([["Kreis", "Fälle", ""], ["", "davon", ""], ["", "m", "w"], ["Ahaus", "3", "5"]], 2)
    ['Kreis', 'm', 'w']
    """
    if place and _is_of_units(rows[place] if place < len(rows) else ()):
        others, row = [*rows[:place], *rows[place + 1 :]], [cell.strip() for cell in rows[place - 1]]
        is_header = all(row) and len({*row}) == len(row) == len(rows[place])
        return joined_header(others, place - 1) or (row if is_header and _are_names(row, others[place:]) else [])
    rows, place = _without_top(rows, place)
    below_it = [row for row in rows[place + 1 :] if any(map(str.strip, row))]
    three = (*rows[place - 1 : place + 1], *below_it[:1], *[[]] * 3)[:3]
    upper, lower, first = ([cell.strip() for cell in row] for row in three)
    if not place or not len(upper) == len(lower) == len(first):
        return []
    upper = [cell if at == 0 or cell != upper[at - 1] else "" for at, cell in enumerate(upper)]
    body = [[cell.strip() for cell in row] for row in below_it if len(row) >= len(upper)]
    names, group, groups = list[str](), 0, dict[int, set[int]]()
    for at, (above, below) in enumerate(zip(upper, lower, strict=True)):
        group = at if above else group
        if below and not above and upper[group]:
            groups.setdefault(group, {group}).add(at)
        has_name = below or (above and (first[at] or not any(row[at] for row in body)))
        if not has_name or (below and not above and upper[group] and not lower[group]):
            return []  # a column without a name or a cell below it, or below the name of another column
        names.append(below or above)
    recurs = any(cell and cell in {row[at] for row in body} for at, cell in enumerate(lower))
    texts = [{row[at] for row in body if row[at]} for at in range(len(upper))]
    numbers = [{text for text in some if text[:1].isdigit()} for some in texts]
    signs = set[str]().union(*(some - own for some, own in zip(texts, numbers, strict=True) if own))
    may_count = [bool(some) and len(some - own - signs) < 2 for some, own in zip(texts, numbers, strict=True)]
    of_counts = [{may_count[at] for at in some} for some in groups.values()]
    are_words = all(any(map(str.isalnum, name)) for name in names)  # no sign for a hidden count
    # A name below that of a single column may be a cell of the first row.
    singles = zip(upper, lower, (*upper[1:], "end"), strict=True)
    has_two = any(above and below not in ("", above) and after for above, below, after in singles)
    is_header = bool(groups) and not all(lower) and len({*names}) == len(names) and _are_names(names, [first])
    is_clear = are_words and not (recurs or has_two) and {True, False} not in of_counts and of_counts.count({True}) < 2
    return names if is_header and is_clear else []


def _without_top(rows: Sequence[Sequence[str]], place: int) -> tuple[Sequence[Sequence[str]], int]:
    """Return the rows and the place of a header of three lines with the upper two as one; other headers as they are.

    The top line names the first columns, each, and all others together, which the line below it divides.
    """
    if not 1 < place < len(rows):
        return rows, place
    top, second = ([cell.strip() for cell in row] for row in rows[place - 2 : place])
    top = [cell if at == 0 or cell != top[at - 1] else "" for at, cell in enumerate(top)]
    group = max((at for at, cell in enumerate(top) if cell), default=0)
    if len(top) != len(second) or not group or not all(top[:group]) or any(second[:group]) or not second[group]:
        return rows, place
    return [*rows[: place - 2], [*top[:group], *second[group:]], *rows[place:]], place - 1


def header_group(rows: Sequence[Sequence[str]], place: int) -> str:
    """Return the name of the only group of columns in a header of two lines that ends in this row; empty if none is.

    >>> header_group(
    ...     [["Kreis", "davon im Alter", "", "Alle"], ["", "unter 18", "ab 18", ""], ["Ahaus", "3", "5", "8"]], 1
    ... )
    'davon im Alter'
    """
    if not joined_header(rows, place):
        return ""
    rows, last = _without_top(rows, place - _is_of_units(rows[place]))
    pairs = zip(*rows[max(0, last - 1) : last + 1], strict=False) if last else ()
    found = {" ".join(above.split()) for above, below in pairs if above.strip() and below.strip() not in ("", above)}
    return found.pop() if len(found) == 1 else ""


def _is_of_units(row: Sequence[str]) -> bool:
    """Return whether a row has units of counts below some columns, and nothing below others such as the first."""
    filled = [cell for cell in row if cell.strip()]
    return len(row) > 1 and not row[0].strip() and bool(filled) and all(map(_COUNTS.fullmatch, filled))


def _is_title(row: Sequence[str]) -> bool:
    """Return whether a row cannot be the header, because several of its cells are empty."""
    return sum(not cell.strip() for cell in row) > 1


def _is_named_above(row: Sequence[str], above: Sequence[Sequence[str]]) -> bool:
    """Return whether a row above has others and a cell that this row lacks, so that both are lines of a header."""
    lines = takewhile(lambda line: any(map(str.strip, line)), reversed(above))
    several = (line for line in lines if sum(bool(cell.strip()) for cell in line) > 1)
    return any(upper.strip() and not cell.strip() for line in several for upper, cell in zip(line, row, strict=False))


def _is_separate(below: Sequence[Sequence[str]], width: int) -> bool:
    """Return whether a blank row comes before the first complete row."""
    counts = (sum(bool(cell.strip()) for cell in row) for row in below)
    return next((count for count in counts if count in {0, width}), width) == 0


def _are_names(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether cells may be names: a row follows, and no cell is a number or has digits as the cell below it.

    A year may be the name of a column of other numbers.
    """
    return bool(below) and all(starmap(_is_name, zip(cells, below[0], strict=False)))


def _is_name(cell: str, below: str) -> bool:
    form = _form(cell)
    if _YEAR.fullmatch(cell.strip()):
        return not _YEAR.fullmatch(below.strip())
    return form != "0" and not ("0" in form and form == _form(below))


def _form(cell: str) -> str:
    """Return a cell with each word replaced by one letter and each number by one digit."""
    return _DIGITS.sub("0", _WORD.sub("a", cell.strip()))


DELIMITERS = ",;\t|"
UTF_8 = "utf-8"
_SAMPLE = 1 << 16
_RECORDS = 50
_MARKS = {  # the mark of UTF-32 begins with that of UTF-16
    codecs.BOM_UTF8: UTF_8,
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_UNMARKED = {b"x\0\0\0": "utf-32-le", b"\0\0\0x": "utf-32-be", b"x\0x\0": "utf-16-le", b"\0x\0x": "utf-16-be"}
"""The encoding of a text without a byte order mark, by its first bytes, of which none but NUL count."""
_GUESS = "cp1252"
_BEYOND_ASCII = bytes(range(0x80, 0x100))
_SIGNS = "€£°§´–—…’‘“”„«»\xa0µ¹²³½±×©®™†‡•ªº¿¡"
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t|])"?\r?\n', re.IGNORECASE)
_SHARED_COLUMN = re.compile(r"[^\t\n]*\\time(?:_period)?\s*\t", re.IGNORECASE)  # Eurostat's first column has commas
_AT_ONCE = 1 << 28  # bytes
_MOST_PACKED = 400  # compression shrinks tables 10 to 100 times, and a bomb 1,000 times


@dataclass(frozen=True)
class Declared:
    """The parts of a dialect that a manifest declares; None for a part that must be guessed."""

    delimiter: str | None = None
    encoding: str | None = None


NOTHING_DECLARED = Declared()


@dataclass(frozen=True)
class Dialect:
    """How a text table is written.

    Attributes:
        delimiter: the text between two cells.
        encoding: its name in Python.
        quote: the character around cells that contain a delimiter.
        blanks: whether blanks follow a delimiter before a quote.
        skipped: the number of characters before the header: titles, and a line `sep=;`, which is a hint for Excel.
        above: the number of lines before the header.
        end: the end of a line.
        names: the names of the columns, if two lines have them; the lower one is the header.
        group: the name of the only group of columns in the upper one; an empty text if there is none.
    """

    delimiter: str = ","
    encoding: str = UTF_8
    quote: str = '"'
    blanks: bool = False
    skipped: int = 0
    above: int = 0
    end: str = field(default="\n", repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)
    group: str = field(default="", repr=False)

    @property
    def is_plain(self) -> bool:
        """Whether Arrow can read the header, the quotes and the blanks."""
        return self.quote == '"' and not self.blanks and not self.names

    def rows(self, text: Iterable[str], *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
        """Yield the line of the file on which each record begins, and its cells, from the header on.

        Raises:
            csv.Error: `strict`, and a record is malformed; its only argument is the line on which it begins.
        """
        csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
        reader = csv.reader(
            text, delimiter=self.delimiter, quotechar=self.quote, skipinitialspace=self.blanks, strict=strict
        )
        start = 1 + self.above
        try:
            for cells in reader:
                yield start, [*self.names] if self.names and start == 1 + self.above else cells
                start = 1 + self.above + reader.line_num
        except csv.Error as error:
            raise csv.Error(start) from error

    def decode(self, content: bytes, until: int | None = None) -> bytes:
        """Return a file's content as UTF-8 from the header on, with quotes that Arrow can read.

        Lines from `until` on, counted from 1, are left out.

        Raises:
            UnicodeDecodeError: the content has another encoding.
            csv.Error: a record is malformed.
        """
        if self.encoding == UTF_8 and self.is_plain and not self.skipped and until is None:
            return content
        text = content.decode(_with_mark(self.encoding))[self.skipped :]
        if until is not None:
            text = "".join(islice(io.StringIO(text, newline=""), until - 1 - self.above))
        if self.is_plain:
            return text.encode()
        rewritten = io.StringIO(newline="")
        writer = csv.writer(rewritten, delimiter=self.delimiter, lineterminator="\n")
        writer.writerows(cells for _, cells in self.rows(io.StringIO(text, newline=""), strict=True) if cells)
        return rewritten.getvalue().encode()


def is_encoding(name: str) -> bool:
    """Return whether Python knows an encoding of texts by this name."""
    try:
        return isinstance("".encode(name), bytes)
    except (LookupError, ValueError):  # ValueError: a NUL in the name
        return False


def open_bytes(path: Path) -> BinaryIO | gzip.GzipFile:
    """Open a file for reading, decompressed when its name ends in `.gz`."""
    return gzip.open(path, "rb") if path.name.endswith(".gz") else path.open("rb")


def read_bytes(path: Path) -> bytes:
    """Return a file's content, decompressed when its name ends in `.gz`.

    Raises:
        OSError: it cannot be read.
        Fault, MemoryError: as for `check_unpacked`.
    """
    with path.open("rb") as file:
        if not path.name.endswith(".gz"):
            check_unpacked(size := path.stat().st_size, size)
            return file.read()
        parts, held = [], 0
        with gzip.GzipFile(fileobj=file) as raw:
            while part := raw.read(_AT_ONCE):
                parts.append(part)
                held += len(part)
                check_unpacked(held, file.tell())
    return b"".join(parts)


def check_unpacked(size: int, packed: int) -> None:
    """Refuse content that is too large for the memory, or for its file.

    Args:
        size: the bytes of the content.
        packed: the bytes of its file.

    Raises:
        Fault: it is compressed further than any table.
        MemoryError: it takes more than a third of this machine's memory; the columns need the rest.
    """
    if size >= _AT_ONCE and size > _MOST_PACKED * packed:
        what = say("this file unpacks to several hundred times its size, which no table does")
        raise Fault(what, say("unpack it, and check its contents before you audit it"))
    if size > (memory_bytes() or 3 * size) // 3:
        raise MemoryError


def open_text(path: Path, dialect: Dialect, errors: str = "strict") -> io.TextIOWrapper:
    """Open a text table at its header."""
    encoding = _with_mark(dialect.encoding)
    text = io.TextIOWrapper(open_bytes(path), encoding=encoding, errors=errors, newline="")
    try:
        text.read(dialect.skipped)
    except BaseException:
        text.close()
        raise
    return text


def _with_mark(encoding: str) -> str:
    """Return the encoding that skips a byte order mark."""
    return "utf-8-sig" if encoding == UTF_8 else encoding


def text_above(path: Path, dialect: Dialect) -> str:
    """Return the text above the header of a file, such as its title, with the byte order mark of UTF-8."""
    with io.TextIOWrapper(open_bytes(path), encoding=dialect.encoding, newline="") as text:
        above = text.read(dialect.skipped + 1)
    return above if above.startswith("\ufeff") else above[: dialect.skipped]


@kept_while_unchanged(1024)
def read_dialect(path: Path, declared: Declared = NOTHING_DECLARED) -> Dialect:
    """Return how a file is written, guessed from its beginning; cached while the file does not change.

    Raises:
        OSError, EOFError, zlib.error: it cannot be read.
    """
    with open_bytes(path) as raw:
        sample = raw.read(_SAMPLE)
    return dialect_of(sample, declared, whole=len(sample) < _SAMPLE)


def dialect_of(content: bytes, declared: Declared = NOTHING_DECLARED, *, whole: bool = True) -> Dialect:
    r"""Return the dialect of a text table, given its content or (`whole` is false) the beginning of it.

    >>> dialect_of(b"Alter;Ort\n34;M\xfcnchen\n")
    Dialect(delimiter=';', encoding='cp1252', quote='"', blanks=False, skipped=0, above=0)
    """
    encoding = declared.encoding
    if encoding is None or _is_unicode(content, encoding):
        encoding = guess_encoding(content)
    text = content.decode(_with_mark(encoding), errors="replace")
    if not whole:
        # The last line may be truncated.
        text = text[: text.rfind("\n") + 1] or text
    hint = _SEPARATOR_LINE.match(text)
    skipped, above = (hint.end(), 1) if hint else (0, 0)
    text = text[skipped:]
    delimiter = declared.delimiter or (hint[1] if hint else _guess_delimiter(text))
    names, group = tuple[str, ...](), ""
    if titles := _titles(text, delimiter if declared.delimiter or hint else None):
        delimiter, lines, names, group = titles
        skipped, above, text = skipped + sum(map(len, lines)), above + len(lines), text[sum(map(len, lines)) :]
    end = "\r\n" if "\r\n" in text else "\n"
    dialect = Dialect(delimiter, encoding, skipped=skipped, above=above, end=end, names=names, group=group)
    if _begins_with_quotes(text, delimiter, "'"):
        dialect = replace(dialect, quote="'")
    blanks = re.search(rf"{re.escape(delimiter)} +{dialect.quote}", text) is not None
    return replace(dialect, blanks=blanks)


def _is_unicode(content: bytes, declared: str) -> bool:
    """Return whether a text shows that it is Unicode, although an encoding is declared, as of other files.

    It begins with a mark, or its bytes beyond ASCII form UTF-8 characters alone, which letters of an encoding of single
    bytes do not by chance.
    """
    if content.startswith((*_MARKS,)):
        return True
    if content.isascii() or len(_BEYOND_ASCII.decode(declared, "replace")) != len(_BEYOND_ASCII):
        return False
    with suppress(UnicodeDecodeError):
        codecs.getincrementaldecoder(UTF_8)().decode(content)  # the last character may be truncated
        return True
    return False


def guess_encoding(content: bytes) -> str:
    """Return the encoding of a text: UTF-8, unless a byte order mark, NUL or invalid bytes show another one.

    Text that is not valid UTF-8 is Western European (cp1252) if all bytes beyond ASCII are letters or common signs in
    it, and none of them form UTF-8 characters; otherwise it is damaged UTF-8.
    """
    for mark, encoding in _MARKS.items():
        if content.startswith(mark):
            return encoding
    if unmarked := _UNMARKED.get(re.sub(rb"[^\0]", b"x", content[:4])):
        return unmarked
    if content.isascii():
        return UTF_8
    readable = content.decode(errors="ignore")
    if not readable.isascii():
        return UTF_8
    high = bytes({byte for byte in content if byte > 0x7F})
    try:
        signs = high.decode(_GUESS)
    except UnicodeDecodeError:
        return UTF_8
    likely = all(unicodedata.category(sign)[0] == "L" or sign in _SIGNS for sign in signs)
    return _GUESS if likely and b"\x00" not in content else UTF_8


def _guess_delimiter(text: str) -> str:
    """Return the delimiter that divides the first records into the most cells, equally many in each.

    If there is none, it is the most frequent one of the first line, and a comma before the others.
    """
    if _SHARED_COLUMN.match(text):
        return "\t"
    widths = {delimiter: _width(text, delimiter) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda delimiter: widths[delimiter])
    return best if widths[best] > 1 else max(DELIMITERS, key=text.partition("\n")[0].count)


def _titles(text: str, known: str | None) -> tuple[str, list[str], tuple[str, ...], str] | None:
    """Return the delimiter, the lines above the header, and the names of `joined_header` with that of their group.

    None if the text begins with the header.
    """
    lines = list(io.StringIO(text, newline=""))
    width, found = 1 if known else 2, None
    for delimiter in known or DELIMITERS:
        starts, rows = _first_rows(lines, delimiter)
        place = header_place(rows)
        if not place and not known and len({len(row) for row in rows if row}) == 1 and len(rows[0]) > 1:
            return None  # a table with equally many cells in each row
        if place and len(rows[place]) > width:
            width = len(rows[place])
            found = (delimiter, lines[: starts[place]], (*joined_header(rows, place),), header_group(rows, place))
    return found


def _first_rows(lines: Sequence[str], delimiter: str) -> tuple[list[int], list[list[str]]]:
    """Return the number of lines above each of the first records, and its cells, without empty ones at the beginning.

    Both are empty if a record is malformed.
    """
    starts, rows = list[int](), list[list[str]]()
    try:
        for line, cells in Dialect(delimiter).rows(lines):
            if cells or rows:
                starts.append(line - 1)
                rows.append(cells)
            if len(rows) > _RECORDS:
                break
    except csv.Error:
        return [], []
    return starts, rows


def _width(text: str, delimiter: str) -> int:
    """Return the number of cells of the first records, 0 if they differ."""
    widths = set[int]()
    try:
        for _, cells in islice(Dialect(delimiter).rows(io.StringIO(text, newline="")), _RECORDS + 1):
            if cells:
                widths.add(len(cells))
            if len(widths) > 1:
                break
    except csv.Error:
        return 0
    return widths.pop() if len(widths) == 1 else 0


def _begins_with_quotes(text: str, delimiter: str, quote: str) -> bool:
    """Return whether every name in the header has these quotes."""
    names = [name.strip() for name in text.partition("\n")[0].split(delimiter)]
    return all(len(name) > 1 and name.startswith(quote) and name.endswith(quote) for name in names)
