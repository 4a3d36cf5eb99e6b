"""Read the texts of a series, and refuse texts that programs may understand differently; used by `verify.py`.

A refusal is a `NotImplementedError` with the exit status and the message.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import runpy
from fractions import Fraction
from math import ceil, floor, inf
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow.parquet as pq

SIGNS = "€£°§´–—…’‘“”„«»\xa0µ¹²³½±×©®™†‡•ªº¿¡"
NUMBER = r"(-?[0-9]+(?:\.[0-9]+)?)"
RANGE = re.compile(rf"([\[(\]]?) ?{NUMBER} ?[,-] ?{NUMBER} ?([\])\[]?)")
BOUND = re.compile(rf"(>=|<=|>|<) ?{NUMBER}")
Filed: TypeAlias = Any  # a column of pyarrow, which has no types
Ends: TypeAlias = tuple[tuple[Fraction | float, int], tuple[Fraction | float, int]]
Numbers: TypeAlias = Ends | frozenset[Fraction]
need = runpy.run_path(str(Path(__file__).with_name("verify_frame.py")))["need"]
EVERY: Ends = ((-inf, 1), (inf, 0))


def same(*claims: dict[str, Any]) -> bool:
    """Return whether claims are the same; 2.0 is not 2."""
    return len({json.dumps(claim, sort_keys=True) for claim in claims}) == 1


def matching(folder: Path, pattern: str) -> list[str]:
    """Return the files that match a path or a pattern, ordered by the numbers in their names."""
    found = [path.relative_to(folder).as_posix() for path in folder.glob(pattern)]
    found = [pattern] if (folder / pattern).exists() else found
    need(len({re.sub("[0-9]+", "0", name) for name in found}) == 1, f"no files, or of different names: {pattern}")
    place = {name: tuple(int(number) for number in re.findall("[0-9]+", name)) for name in found}
    need(len({*place.values()}) == len(found), f"files whose names have equal numbers: {pattern}")
    later = [
        name for name in found if re.search(r"(?<![0-9])(?!(19|20)[0-9]{2}(?![0-9]))[0-9].*?(19|20)[0-9]{2}", name)
    ]
    need(not later, f"names with a year behind other numbers: {pattern}")
    return sorted(found, key=place.__getitem__)


class FileColumns(dict[str, list[str]]):
    """The columns of a file by name; a missing column is refused."""

    def __missing__(self, name: str) -> list[str]:
        """Refuse a missing column."""
        raise NotImplementedError(f"a file without the column {name}")


def read(path: Path, declared: dict[str, Any], renamed: dict[str, str]) -> FileColumns:
    """Return the columns of a file, as `[columns]` declares it, by name; texts without spaces at their ends."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        unread = re.search("float|double|deci|date|time|bool|list|struct|bin", str(table.schema.types))
        need(not unread, f"a column of {unread and unread[0]}: {path.name}")
        header, columns = table.column_names, [shared(each) for each in table.columns]
    else:
        header, columns = lines(path, declared)
    if declared.get("decimal", ".") == ",":
        columns = [pointed(column) for column in columns]
    names = [renamed.get(name.strip(), name.strip()) for name in header]
    need(len({*names}) == len(names), f"two columns with the same name: {path.name}")
    return FileColumns(zip(names, columns, strict=True))


def text_of(content: bytes, encoding: str | None) -> str:
    """Return a text as it is declared; otherwise UTF-8, or cp1252 if all bytes beyond ASCII are letters or signs."""
    try:
        return content.decode(encoding or "utf-8-sig")
    except UnicodeDecodeError:
        need(not encoding, "a file in another encoding than the declared one")
    high = {*content} - {*range(128)}
    text = bytes(high).decode("cp1252", "replace")
    plain = content.decode(errors="ignore").isascii() and all(sign.isalpha() or sign in SIGNS for sign in text)
    need(plain, "a text that is neither UTF-8 nor cp1252, of which no encoding is declared")
    return content.decode("cp1252")


def lines(path: Path, declared: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the columns of a CSV file, without spaces at cells' ends; empty lines are skipped."""
    content = path.read_bytes()
    text = text_of(gzip.decompress(content) if path.suffix == ".gz" else content, declared.get("encoding"))
    marks = [declared["delimiter"]] if "delimiter" in declared else [m for m in ",;|\t" if m in text.partition("\n")[0]]
    need(len(marks) <= 1, f"a header with several delimiters, of which none is declared: {path.name}")
    try:
        found = [line for line in csv.reader(io.StringIO(text, ""), delimiter=(marks or ",")[0], strict=True) if line]
    except csv.Error as error:
        raise NotImplementedError(f"a file that is not a CSV file: {path.name} ({error})") from error
    need(found, f"a file without a header: {path.name}")
    need(len({*map(len, found)}) == 1, f"a wrong delimiter or number of cells: {path.name}")
    cells = [[*map(str.strip, column)] for column in zip(*found, strict=True)]
    quoted = any({'"', "'"} & {cell[:1] for cell in column} for column in cells)
    need(not quoted, f"a cell that begins with a quotation mark: {path.name}")
    return found[0], [column[1:] for column in cells]


def pointed(column: list[str]) -> list[str]:
    """Return cells in which numbers have decimal commas with points: `[1,5; 2]` is `[1.5, 2]`."""
    new = dict[str, str]()
    for cell in {*column}:
        thousands = re.search(r"[0-9]\.[0-9]{3}(?![0-9])", cell) and not re.search(r"[^\W\d_]", cell)
        need(not thousands, f"a point that may separate thousands: {cell}")
        found = re.sub(r"(?<=[0-9]),(?=[0-9])", ".", cell)
        new[cell] = found.replace("; ", ", ") if found != cell else cell
    need(len({*new.values()}) == len(new), "numbers with decimal points beside the same with decimal commas")
    return [new[cell] for cell in column]


def shared(column: Filed) -> list[str]:
    """Return a column of a Parquet file as texts without spaces at their ends; equal texts are one object."""
    coded = column.cast("string").combine_chunks().dictionary_encode()
    texts = [text.strip() for text in coded.dictionary.to_pylist()]
    return ["" if code is None else texts[code] for code in coded.indices.to_pylist()]


def whole(column: list[str]) -> np.ndarray:
    """Return a column of whole numbers from 0."""
    plain = all(map(re.compile("[0-9]{1,9}").fullmatch, column))
    need(plain, "a row number or count that is not a whole number")
    return np.array([*map(int, column)], dtype=np.int64)


def chance(text: str) -> Fraction:
    """Return a probability as an exact fraction; 1 for an empty text."""
    plain = re.fullmatch(r"[0-9]*\.?[0-9]+|[0-9]+/0*[1-9][0-9]*|", text) and len(text) <= 40
    need(plain and Fraction(text or 1) <= 1, f"a probability that is not a plain number from 0 to 1: {text[:40]}")
    return Fraction(text or 1)


def interval(cell: str) -> Ends | None:
    """Return the lower and the upper end of a range, each with a 0 or 1 by which open and closed ends sort.

    An end without a limit is infinite. For other texts return None.
    """
    if found := re.fullmatch(rf"{NUMBER}(\+?)", cell):
        at = Fraction(found[1])
        return (at, 0), EVERY[1] if found[2] else (at, 1)
    if found := BOUND.fullmatch(cell):
        at, closed = Fraction(found[2]), found[1].endswith("=")
        return ((at, int(not closed)), EVERY[1]) if cell[0] == ">" else (EVERY[0], (at, int(closed)))
    if found := RANGE.fullmatch(cell):
        low, high, in_brackets = Fraction(found[2]), Fraction(found[3]), bool(found[1])
        if in_brackets != bool(found[4]) or ("," in cell and not in_brackets) or low > high:
            return None
        is_open, is_closed = found[1] not in ("", "["), found[4] in ("", "]")
        need(low < high or (is_closed and not is_open), f"a range without numbers: {cell}")
        return (low, int(is_open)), (high, int(is_closed))
    if found := re.fullmatch(r"([0-9]+)(\*+)", cell):  # a masked number: its last digits are unknown
        low = Fraction(int(found[1]) * 10 ** len(found[2]))
        return (low, 0), (low + 10 ** len(found[2]) - 1, 1)
    return None


def numbers(cell: str) -> Numbers | None:
    """Return the ends of a range of numbers, or the numbers of a set; None for other texts."""
    if not re.fullmatch(rf"\{{ ?{NUMBER}( ?, ?{NUMBER})* ?\}}", cell):
        return EVERY if cell == "*" else interval(cell)
    return single(frozenset(map(Fraction, re.findall(NUMBER, cell))))


def single(found: frozenset[Fraction]) -> Numbers:
    """Return a set of numbers, or the ends of the only one."""
    return found if len(found) != 1 else ((min(found), 0), (min(found), 1))


def contains(found: Numbers, number: Fraction) -> bool:
    """Return whether a number is in a set or a range."""
    if isinstance(found, frozenset):
        return number in found
    return found[0] <= (number, 0) and (number, 1) <= found[1]


def members(cell: str) -> frozenset[str] | None:
    """Return the texts of a set in braces, or of a list, or a single text; None for texts with other signs."""
    plain = re.fullmatch(r"\{[^{}]*\}|[^{}]*", cell) and not re.search(r"[^\w{}, .-]|\d[xX]", cell)
    parts = frozenset(part.strip() for part in cell.strip("{}").split(","))
    return parts if plain and all(parts) else None


def cells(column: list[str], name: str, declared: str | None) -> list[str]:
    """Return a quasi-identifier's cells, `*` for empty ones; refuse different cells that may mean the same.

    Cells with the same meaning become one: of numbers, unless the column is declared to hold other texts; and sets in
    braces, if it is.
    """
    found = [cell or "*" for cell in column]
    texts = sorted({*found})
    every = {*texts} - {"*"}
    if declared == "numeric" and all(map(numbers, every)):
        return united(found, {text: numbers(text) for text in every})
    ends = {text: meant for text in every if (meant := interval(text)) is not None}
    if declared is None and len(ends) == len(every):
        return ranges(found, name, ends)
    read = {text: some for text in every if declared == "categorical" and (some := members(text)) is not None}
    for number, as_number in ((r"[0-9]+\.[0-9]+|\d+", Fraction), (r"\d+", int)):
        alike = dict[Any, str]()
        for text in texts:
            parts = re.findall(rf"{number}|[^\W\d_]+|[<>]=?", text.casefold())
            key = frozenset(as_number(part) if part[0].isdecimal() else part for part in parts)
            same = alike.setdefault(key, text)
            clear = same == text or (text in read and read.get(same) == read[text])
            need(clear, f"{name}: two cells that may mean the same, {same} and {text}")
    shapes = {re.sub(r"\*+", "*", re.sub(r"[0-9]+\.[0-9]+|\d+|\s", _sign, text.casefold())) for text in texts}
    shapes = {shape for shape in shapes if "#" in shape}
    items = {item for shape in shapes for item in shape.strip("{}").split(",")}  # lists of words with one number each
    one = len(shapes) <= 1 or (len(items) == 1 and all(re.fullmatch(r"[^\W\d_]+#", item) for item in items))
    power = any(re.search(r"#e[+-]?#", shape) for shape in shapes)
    need(one and not power, f"{name}: numbers in several notations, {' and '.join(sorted(shapes))}")
    return united(found, {text: some for text, some in read.items() if "," not in text or text[0] == "{"})


def is_numeric(column: list[str], declared: str | None) -> bool:
    """Return whether a quasi-identifier is one of numbers: declared, or because all its cells are."""
    need(declared in (None, "numeric", "categorical"), f"a column of type {declared}")
    every = {*column} - {"", "*"}
    if declared is None:
        return bool(every) and all(interval(cell) is not None for cell in every)
    return declared == "numeric"


def ranges(found: list[str], name: str, ends: dict[str, Ends]) -> list[str]:
    """Return ranges, those with the same meaning as one text; refuse other texts that may mean the same."""
    alike, whole_numbers = dict[Any, Any](), dict[Any, Any]()
    for text, read in ends.items():
        digits = frozenset(re.findall("[0-9.]+", text))
        need(alike.setdefault(read, digits) == digits, f"{name}: the same numbers in other digits, as in {text}")
        (low, is_open), (high, is_closed) = read
        first = low if low == -inf else ceil(low) + (low == ceil(low) and is_open)
        last = high if high == inf else floor(high) - (high == floor(high) and not is_closed)
        same = first > last or whole_numbers.setdefault((first, last), read) == read
        need(same, f"{name}: cells that cover the same whole numbers, as {text}")
    return united(found, ends)


def united(found: list[str], read: dict[str, Any]) -> list[str]:
    """Return cells, those with the same meaning as one text."""
    first_text = dict[Any, str]()
    meaning = {text: first_text.setdefault(read[text], text) for text in sorted(read)}
    return [meaning.get(cell, cell) for cell in found]


def _sign(found: re.Match[str]) -> str:
    """Return the placeholder of a number or a space in the shape of a cell."""
    return "" if found[0].isspace() else "#"
