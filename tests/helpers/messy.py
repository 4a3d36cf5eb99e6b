"""Tables as offices have them: one series in many notations, all of which mean the same."""

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

Rows = list[list[str]]
Write = Callable[[Path, Rows], Path]
KINDS: dict[str, Write] = {}


def kind(write: Write) -> Write:
    KINDS[write.__name__] = write
    return write


def as_csv(rows: Rows, delimiter: str = ",", **options) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n", **options).writerows(rows)
    return text.getvalue()


def write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@kind
def comma(path, rows):
    return write(path.with_suffix(".csv"), as_csv(rows))


@kind
def semicolon(path, rows):
    return write(path.with_suffix(".csv"), as_csv(rows, ";"))


@kind
def tabulator(path, rows):
    return write(path.with_suffix(".csv"), as_csv(rows, "\t"))


@kind
def bar(path, rows):
    return write(path.with_suffix(".csv"), as_csv(rows, "|"))


@kind
def latin_1(path, rows):
    return write(path.with_suffix(".csv"), as_csv(rows, ";").encode("latin-1"))


@kind
def utf_16(path, rows):
    return write(path.with_suffix(".csv"), as_csv(rows, "\t").encode("utf-16"))


@kind
def byte_order_mark(path, rows):
    return write(path.with_suffix(".csv"), as_csv(rows, ";").encode("utf-8-sig"))


@kind
def excel_hint(path, rows):
    return write(path.with_suffix(".csv"), "sep=;\r\n" + as_csv(rows, ";").replace("\n", "\r\n"))


@kind
def all_quoted(path, rows):
    return write(path.with_suffix(".csv"), as_csv(rows, quoting=csv.QUOTE_ALL))


@kind
def single_quotes(path, rows):
    return write(path.with_suffix(".csv"), as_csv(rows, quoting=csv.QUOTE_ALL, quotechar="'"))


@kind
def blanks(path, rows):
    lines = [", ".join(f'"{cell}"' if "," in cell else f" {cell} " for cell in row) for row in rows]
    return write(path.with_suffix(".csv"), "\n".join(lines) + "\n\n")


@kind
def compressed(path, rows):
    return write(path.with_suffix(".csv.gz"), gzip.compress(as_csv(rows, ";").encode()))


@kind
def excel(path, rows):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append([])
    for row in rows:
        book.active.append([int(cell) if cell.isdigit() else cell or None for cell in row])
    path = path.with_suffix(".xlsx")
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return path


@kind
def spss(path, rows):
    return _statistical(path.with_suffix(".sav"), rows, "write_sav")


@kind
def stata(path, rows):
    return _statistical(path.with_suffix(".dta"), rows, "write_dta")


def _statistical(path, rows, writer):
    import pandas as pd
    import pyreadstat

    path.parent.mkdir(parents=True, exist_ok=True)
    getattr(pyreadstat, writer)(pd.DataFrame(rows[1:], columns=rows[0]), str(path))
    return path
