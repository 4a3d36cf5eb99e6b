"""A candidate written anew, with some of its cells left empty and everything else as it was."""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from audit.count_tables.candidate import judge_candidate
from audit.count_tables.hiding import Rows
from audit.count_tables.judged_counts import CountAttack
from audit.count_tables.manifest import TableFile, TableManifest, TableRelease
from audit.count_tables.published_counts import PublishedCounts
from audit.findings.count_answers import CandidateReport
from audit.io.diagnostics import records
from audit.io.dialect import read_dialect
from audit.model.audit_options import AuditOptions
from audit.model.errors import UsageError, printable, printable_path


def repair_candidate(
    manifest: TableManifest, candidate: TableRelease, output: Path, attack: CountAttack, options: AuditOptions
) -> CandidateReport:
    """Write the candidate into a new or empty folder, with the least further cells left empty, and judge that.

    Nothing is written where no such cells were found; what is new with the candidate is returned then.

    Raises:
        UsageError: the series has a release of that tag, the folder has files in it, or a file cannot be written anew.
        InputError: a file cannot be read, or the numbers contradict each other.
        RuntimeError: what was written still gives something new away, which is a bug.
    """
    _check_written(candidate, output)
    found, counts, rows = judge_candidate(manifest, candidate, attack, options)
    if found.hide is None:
        return found
    written = replace(candidate, tables=tuple(_written(counts, rows, table, output) for table in candidate.tables))
    again, _, _ = judge_candidate(manifest, written, attack, options)
    if again.new_total:
        raise RuntimeError("a repaired candidate still gives something away")
    files = tuple(table.shown for table in written.tables)
    return replace(again, hide=found.hide, undecided=found.undecided or again.undecided, written=files)


def _check_written(candidate: TableRelease, output: Path) -> None:
    """Refuse a candidate that cannot be written anew, or a folder that cannot take it.

    Raises:
        UsageError: it is one.
    """
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{printable_path(output)}: there are files already; name a new or empty folder")
    if not output.absolute().parent.is_dir():
        raise UsageError(
            f"{printable_path(output)}: there is no folder to make it in; name one in a folder that exists"
        )
    for table in candidate.tables:
        if not table.path.name.endswith((".csv", ".parquet")):
            name = printable(table.path.name)
            raise UsageError(f"{name}: only .csv and .parquet are written anew; convert it first")


def _written(counts: PublishedCounts, rows: Rows, table: TableFile, output: Path) -> TableFile:
    """Write a table with the values of its hidden rows empty, and with them rates and statuses, which speak."""
    manifest, path = counts.manifest, output / table.path.name
    empty = [row for row in sorted(rows) if counts.files[int(counts.file[row])].path == table.path]
    beside = [each.column for each in manifest.rates if not each.is_statistic]
    beside += [] if manifest.change is None else [manifest.change.column]
    more = [name for name in (manifest.status, *beside) if name is not None]
    columns = {name: list[int]() for name in dict.fromkeys([*(view.column for view in manifest.views), *more])}
    for row in empty:
        for name in (counts.column_of[int(counts.file[row])], *more):
            columns[name].append(row)
    output.mkdir(exist_ok=True)
    if path.name.endswith(".parquet"):
        _write_parquet(table.path, path, {name: counts.row[rows] for name, rows in columns.items()})
    else:
        lines = {name: {counts.place(row)[1] for row in rows} for name, rows in columns.items()}
        path.write_text(_as_csv(table.path, lines), encoding=read_dialect(table.path).encoding, newline="")
    return TableFile(path, str(path))


def _as_csv(file: Path, columns: Mapping[str, Container[int]]) -> str:
    """Return a file's text, some columns empty on the lines that are named for each."""
    dialect = read_dialect(file)
    lines = list(records(file, dialect))
    names = [name.strip() for name in lines[0][1]]
    places = {names.index(name): empty for name, empty in columns.items() if name in names}
    for line, cells in lines:
        for place, empty in places.items():
            if line in empty:
                cells[place] = ""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=dialect.delimiter, lineterminator="\n")
    writer.writerows(cells for _, cells in lines)
    return text.getvalue()


def _write_parquet(file: Path, path: Path, columns: Mapping[str, npt.NDArray[np.int32]]) -> None:
    """Write a Parquet file, some columns null in the rows that are named for each."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(file)
    for place, name in enumerate(table.column_names):
        if name.strip() in columns:
            kept = np.ones(table.num_rows, dtype=np.bool_)
            kept[columns[name.strip()]] = False
            column = table.column(place)
            table = table.set_column(place, name, pc.if_else(pa.array(kept), column, pa.scalar(None, column.type)))
    pq.write_table(table, path)
