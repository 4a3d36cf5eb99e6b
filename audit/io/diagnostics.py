"""Diagnostics: find the fault of a file that cannot be read, without quoting its contents.

Arrow reads CSV fast, but hardly explains its errors, and ignores some, such as an unclosed quote. A fast scan detects
these here; then Python's own, slower reader finds the line.
"""

from __future__ import annotations

import codecs
import csv
import zlib
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from audit.io.cells import Fault
from audit.io.dialect import NOTHING_DECLARED, Declared, Dialect, open_bytes, open_text, read_dialect
from audit.io.paths import exists
from audit.model.arrays import Flags, Words
from audit.model.errors import Problems
from audit.runtime.phrases import say, say_count

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
