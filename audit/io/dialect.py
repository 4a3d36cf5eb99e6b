"""Dialect: the delimiter, the encoding and the quotes of a text table; and the fault of a file that cannot be read.

What the manifest does not declare is guessed from the beginning of the file, where comma-separated UTF-8 is preferred.
Another delimiter is only guessed if it divides the first records into equally many cells, at least two.

Arrow reads CSV fast, but hardly explains its errors, and ignores some, such as an unclosed quote. A fast scan detects
these here; then Python's own, slower reader finds the line. No message quotes the contents of a file.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import sys
import unicodedata
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from audit.io.cells import Fault
from audit.io.header_rows import header_group, header_place, joined_header
from audit.io.paths import exists, kept_while_unchanged
from audit.model.arrays import Flags, Words
from audit.model.errors import Problems
from audit.runtime.memory import memory_bytes
from audit.runtime.phrases import say, say_count

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


# -- faults -----------------------------------------------------------------------------------------------------------


_AT_A_TIME = 1 << 18


def records(
    path: Path, dialect: Dialect | None = None, *, checked: bool = True
) -> Generator[tuple[int, list[str]], None, None]:
    """Yield the line on which each CSV record begins, from 1, and its cells; slowly, for headers and for faults.

    Raises:
        csv.Error: `checked`, and a record is malformed; its only argument is the line on which it begins.
        UnicodeDecodeError: `checked`, and the text has another encoding than the dialect.
    """
    dialect = read_dialect(path) if dialect is None else dialect
    with open_text(path, dialect, "strict" if checked else "replace") as text:
        yield from ((line, cells) for line, cells in dialect.rows(text, strict=checked) if cells)


class Quotes(NamedTuple):
    """The use of quotes in a text, as far as a fast scan shows it.

    Attributes:
        odd: whether some quote neither opens nor closes a cell, and is not doubled inside one.
        lines: whether some line ends inside quotes; true if quotes are odd.
    """

    odd: bool
    lines: bool


def quotes_of(content: bytes, delimiter: str = ",") -> Quotes:
    r"""Return the use of quotes in a text.

    >>> quotes_of(b'1,"x, y",2'), quotes_of(b'1,"x,2;3,"y,4'), quotes_of(b'1,"x\ny",2')
    (Quotes(odd=False, lines=False), Quotes(odd=True, lines=True), Quotes(odd=False, lines=True))
    """
    if b'"' not in content:
        return Quotes(odd=False, lines=False)
    text = np.frombuffer(content.removeprefix(codecs.BOM_UTF8), dtype=np.uint8)
    inside = closed = lines = False
    edge_before = True
    # Blocks of this many bytes stay in a processor's cache.
    for first in range(0, len(text), _AT_A_TIME):
        block = text[first : first + _AT_A_TIME]
        quote, end = block == ord('"'), (block == ord("\n")) | (block == ord("\r"))
        edge = quote | end
        for byte in delimiter.encode():
            edge |= block == byte
        quotes, edges = _words(quote), _words(edge)
        within = _within(quotes, inside=inside)
        before, after = edges << np.uint64(1), edges >> np.uint64(1)
        before[1:] |= edges[:-1] >> np.uint64(63)
        after[:-1] |= edges[1:] << np.uint64(63)
        before[0] |= np.uint64(edge_before)
        last, bit = divmod(len(block) - 1, 64)
        after[last] |= np.uint64(1) << np.uint64(bit)  # the next byte decides
        wrong = quotes & ((within & ~before) | (~within & ~after))
        if (closed and not edge[0]) or wrong.any():
            return Quotes(odd=True, lines=True)
        lines = lines or bool((_words(end) & within).any())
        inside = bool(within[last] >> np.uint64(bit) & np.uint64(1))
        closed, edge_before = bool(quote[-1]) and not inside, bool(edge[-1])
    return Quotes(odd=inside, lines=lines or inside)


def _words(flags: Flags) -> Words:
    """Return flags as bits, 64 in a word, the first flag as the lowest bit."""
    packed = np.packbits(flags, bitorder="little")
    return (packed if not len(packed) % 8 else np.pad(packed, (0, -len(packed) % 8))).view("<u8")


def _within(quotes: Words, *, inside: bool) -> Words:
    """Return which bytes are inside quotes, from each opening quote to before the closing one, given quotes as bits.

    A byte is inside if the number of quotes up to it is odd: sums without carries, first in each word, then over words.
    Source: G. Langdale and D. Lemire, "Parsing gigabytes of JSON per second", VLDB Journal 28 (2019), Section 3.1.1.
    """
    found = quotes.copy()
    for step in (1, 2, 4, 8, 16, 32):
        found ^= found << np.uint64(step)
    odd = np.bitwise_xor.accumulate(found >> np.uint64(63))
    before = np.append(np.uint64(0), odd[:-1]) ^ np.uint64(inside)
    return found ^ (np.uint64(0) - before)


def check_file(path: Path, shown: str, problems: Problems) -> bool:
    """Return whether a path is a file, and note it if not; a pipe is refused, because opening it would wait forever."""
    try:
        if not exists(path):
            problems.add(shown, say("there is no such file"), say("correct its name, or put the file there"))
        elif path.is_file():
            return True
        else:
            pipe = say("this is a pipe or a device, not a file")
            what = say("this is a folder, not a file") if path.is_dir() else pipe
            problems.add(shown, what, say("name a table, such as a .csv or .parquet file"))
    except PermissionError:
        problems.add(shown, say("its folder cannot be read"), say("change the folder's permissions"))
    return False


_LACKS_OF_MEMORY = "out of memory", "allocate memory", "failed to map segment", "can't start new thread"


def damages() -> tuple[type[Exception], ...]:
    """Return the errors that libraries raise for damaged files, or for content that contradicts the file's name."""
    return OSError, ValueError, EOFError, csv.Error, zlib.error, pa.ArrowException


def is_lack_of_memory(error: BaseException) -> bool:
    """Return whether an error means a lack of memory, which some libraries only say in the message."""
    said = str(error).casefold()
    return isinstance(error, MemoryError) or any(each in said for each in _LACKS_OF_MEMORY)


def note_unreadable(
    path: Path, shown: str, error: Exception, problems: Problems, declared: Declared = NOTHING_DECLARED
) -> None:
    """Note why a file cannot be read, without quoting its contents."""
    if is_lack_of_memory(error):
        if not path.name.endswith(".parquet"):
            raise MemoryError from error
        # A damaged Parquet file may request any amount of memory.
        what = say("there is not enough memory to read it, or the file is damaged")
        problems.add(shown, what, say("write it again, or audit it on a machine with more memory"))
        return
    if isinstance(error, Fault):
        problems.add(shown, error.what, error.remedy)
    elif not check_file(path, shown, problems):
        return
    elif isinstance(error, PermissionError):
        problems.add(shown, say("the file may not be read"), say("change its permissions"))
    elif path.name.endswith(".parquet"):
        problems.add(shown, say("this Parquet file is damaged or incomplete"), say("write it again, or use CSV"))
    else:
        line, what, remedy = _csv_fault(path, declared)
        problems.add(shown, what, remedy, line=line)


def _csv_fault(path: Path, declared: Declared) -> tuple[int | None, str, str]:
    """Return the first faulty line of a CSV file, None if unknown, with the fault and the remedy."""
    line, dialect = 1, None
    try:
        dialect = read_dialect(path, declared)
        if dialect.encoding == "utf-8":
            with open_bytes(path) as raw:
                for line, content in enumerate(raw, start=1):
                    content.decode("utf-8-sig" if line == 1 else "utf-8")
        width, line = None, 1
        with closing(records(path, dialect)) as lines:
            for line, cells in lines:
                width = width or len(cells)
                if len(cells) != width:
                    remedy = say("give every line one cell per column; delete it if it is a note below the table")
                    what = say_count("{count} [cell|cells] where the header has {width}", len(cells), width=width)
                    return line, what, remedy
    except UnicodeDecodeError:
        what = say("the text is not {encoding}", encoding=dialect.encoding.upper() if dialect is not None else "UTF-8")
        remedy = say(
            "save the file as UTF-8; a series.toml about rows of people may name its encoding instead, under [columns]"
        )
        return line, what, remedy
    except (EOFError, OSError, zlib.error):
        return None, say("this gzip file is damaged or incomplete"), say("compress it again")
    except csv.Error as error:
        what = say("the row that begins here is not well-formed CSV")
        return error.args[0], what, say("close every quote, and double the quotes inside a cell")
    return None, say("the file cannot be read as CSV"), say("save it as plain comma-separated UTF-8 text")
