"""Tables as offices write them: one series in many equivalent notations."""

import csv
import gzip
import io
import json
from collections.abc import Iterable
from pathlib import Path

Rows = list[list[str]]


def as_csv(rows: Rows, delimiter: str = ",", **options) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n", **options).writerows(rows)
    return text.getvalue()


def write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def series_of(
    folder: Path, tables: Iterable[Rows | str], columns: str, more: str = "", above: str = "", **beside: Rows | str
) -> Path:
    """Write a series of some tables, what its manifest says of columns, below and above them, and CSV files by name."""
    names = []
    for place, table in enumerate(tables, 1):
        names.append(f"{place}.csv")
        write(folder / names[-1], table if isinstance(table, str) else as_csv(table))
    for name, table in beside.items():
        write(folder / f"{name}.csv", table if isinstance(table, str) else as_csv(table))
    write(folder / "series.toml", f"[series]\nreleases = {json.dumps(names)}\n{above}[columns]\n{columns}\n{more}\n")
    return folder


def text(delimiter=",", ending=".csv", encoding="utf-8", above="", **form):
    """A way to write a table as text, some lines above it."""

    def put(path, rows):
        lines = above.format(name=path.name) + as_csv(rows, delimiter, **form)
        return write(path.with_suffix(ending), lines.encode(encoding))

    return put


def blanks(path, rows):
    lines = [", ".join(f'"{cell}"' if "," in cell else f" {cell} " for cell in row) for row in rows]
    return write(path.with_suffix(".csv"), "\n".join(lines) + "\n\n")


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


def statistical(ending, writer, **options):
    def put(path, rows):
        import pandas as pd
        import pyreadstat

        path = path.with_suffix(ending)
        path.parent.mkdir(parents=True, exist_ok=True)
        getattr(pyreadstat, writer)(pd.DataFrame(rows[1:], columns=rows[0]), str(path), **options)
        return path

    return put


KINDS = {
    "comma": text(),
    "semicolon": text(";"),
    "tabulator": text("\t"),
    "bar": text("|"),
    "latin_1": text(";", encoding="latin-1"),
    "utf_16": text("\t", encoding="utf-16"),
    "utf_16_without_mark": text(encoding="utf-16-le"),
    "utf_32": text(";", encoding="utf-32"),
    "byte_order_mark": text(";", encoding="utf-8-sig"),
    "excel_hint": lambda path, rows: write(
        path.with_suffix(".csv"), "sep=;\r\n" + as_csv(rows, ";").replace("\n", "\r\n")
    ),
    "all_quoted": text(quoting=csv.QUOTE_ALL),
    "single_quotes": text(quoting=csv.QUOTE_ALL, quotechar="'"),
    "blanks": blanks,
    "compressed": lambda path, rows: write(path.with_suffix(".csv.gz"), gzip.compress(as_csv(rows, ";").encode())),
    "excel": excel,
    "titles": text(";", above="Discharges {name}\n\nClinic;;;;Medicine\n"),
    "excel_titles": excel_titles,
    "capitals": text(ending=".CSV"),
    "tsv": text("\t", ending=".tsv"),
    "sas_transport": statistical(".xpt", "write_xport", table_name="T"),
    "spss": statistical(".sav", "write_sav"),
    "stata": statistical(".dta", "write_dta"),
}
"""Ways to write a table, by name: given a path without its ending and rows, each returns the path of the file."""
