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
def titles(path, rows):
    """Lines above the header, as statistical offices and exports have them."""
    above = f"Discharges {path.name}\n\nClinic;;;;Medicine\n"
    return write(path.with_suffix(".csv"), above + as_csv(rows, ";"))


@kind
def excel_titles(path, rows):
    """A sheet of notes, a title, a merged heading and a blank row above the header."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["Confidential"])
    sheet = book.create_sheet("Data")
    sheet.append([f"Discharges {path.name}"])
    sheet.append([])
    sheet.append(["Person", *[None] * (len(rows[0]) - 2), "Medicine"])
    sheet.merge_cells(start_row=3, start_column=1, end_row=3, end_column=len(rows[0]) - 1)
    for row in rows:
        sheet.append(row)
    path = path.with_suffix(".xlsx")
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)
    return path


@kind
def capitals(path, rows):
    return write(path.with_suffix(".CSV"), as_csv(rows))


@kind
def tsv(path, rows):
    return write(path.with_suffix(".tsv"), as_csv(rows, "\t"))


@kind
def sas_transport(path, rows):
    return _statistical(path.with_suffix(".xpt"), rows, "write_xport", table_name="T")


@kind
def spss(path, rows):
    return _statistical(path.with_suffix(".sav"), rows, "write_sav")


@kind
def stata(path, rows):
    return _statistical(path.with_suffix(".dta"), rows, "write_dta")


def _statistical(path, rows, writer, **options):
    import pandas as pd
    import pyreadstat

    path.parent.mkdir(parents=True, exist_ok=True)
    getattr(pyreadstat, writer)(pd.DataFrame(rows[1:], columns=rows[0]), str(path), **options)
    return path
