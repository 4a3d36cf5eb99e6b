"""Sessions of ACRO as tables with a row for each cell.

Since version 1 margins are computed of what is shown, and of rounded cells: beside these they are no totals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from audit.count_tables.acro_outputs import PEOPLE, SESSION, SessionOutput, lines_of, session_outputs
from audit.count_tables.manifest import TableFile, TableManifest
from audit.count_tables.number_texts import number_of
from audit.io.tables import Table
from audit.model.errors import Problems

HIDDEN = "threshold"
_SAFE = ("", "ok")
Cell = tuple[dict[str, str], int]


def session_tables(manifest: TableManifest, file: TableFile, problems: Problems) -> list[tuple[TableFile, Table]]:
    """Return the tables of counts of a session with a row for each cell, noting outputs that cannot be read."""
    found = []
    outputs = [
        each for each in session_outputs(file.path, file.shown, problems) if each.file not in manifest.not_counts
    ]
    for output in outputs:
        path = file.path.parent / output.file
        shown = file.shown.removesuffix(SESSION) + output.file
        if output.is_table and not lines_of(path):
            problems.add(shown, "this table of the session cannot be read", "put the file beside results.json")
        elif judged_statistics(manifest, output):
            _check_rounding(manifest, output, shown, problems)
            found.append((TableFile(path, shown), _table(manifest, output, path, shown)))
    return found


def judged_statistics(manifest: TableManifest, output: SessionOutput) -> list[str]:
    """Return the statistics of an output that are judged: people, where no column of statistics is named."""
    known = (manifest.measures or output.statistics) if manifest.measure is not None else (PEOPLE,)
    return [each for each in output.statistics if each in known]


def _check_rounding(manifest: TableManifest, output: SessionOutput, shown: str, problems: Problems) -> None:
    """Refuse a table that the session rounded in another way than the manifest says."""
    to = None if manifest.rounding is None else manifest.rounding.to
    if output.left_out and to != output.rounding:
        what = f"the session rounded this table to {output.rounding}"
        if output.rounding is None:
            what = "the session did not round this table"
        problems.add(shown, what, "write so under [table] rounding, or leave the table out by its name in not_counts")


def _table(manifest: TableManifest, output: SessionOutput, path: Path, shown: str) -> Table:
    judged = judged_statistics(manifest, output)
    cells = [cell for statistic in judged for cell in _without_margins(output, list(_cells(path, output, statistic)))]
    names = [*manifest.dimensions, manifest.value, *([] if manifest.measure is None else [manifest.measure])]
    used = {*output.variables, manifest.value, manifest.measure}
    columns = {each: [cell.get(each, "") for cell, _ in cells] for each in names if each in used}
    if manifest.measure is not None:
        columns[manifest.measure] = [cell[""] for cell, _ in cells]
    columns[manifest.value] = [cell["count"] for cell, _ in cells]
    arrays = {each: _dictionary(texts) for each, texts in columns.items()}
    return Table(path, shown, len(cells), arrays, _lines=[1, *(line for _, line in cells)])


def _cells(path: Path, output: SessionOutput, statistic: str) -> Iterator[Cell]:
    """Yield labels, text and line of each cell; margins have empty labels, hidden cells the text `threshold`."""
    many = len(output.rows)
    for number, cells in enumerate(lines_of(path)[output.first :], start=output.first + 1):
        for column in output.columns:
            if column.statistic != statistic or column.place >= len(cells):
                continue
            why = output.outcome.get(column.key, {}).get(tuple(cells[:many]), "")
            text = cells[column.place].strip()
            if text in ("", "nan", "NaN"):
                text = HIDDEN if why.strip().casefold() not in _SAFE else ""
            labels = dict(zip(output.rows, cells, strict=False)) | dict(column.labels)
            labels = {name: "" if label == output.margin else label for name, label in labels.items()}
            yield {**labels, "": statistic, "count": text}, number


def _without_margins(output: SessionOutput, cells: list[Cell]) -> list[Cell]:
    """Return the cells, margins empty where they are the sums of what is shown beside hidden or rounded cells."""
    if not output.left_out:
        return cells
    names = [*output.variables]
    inner = [cell for cell, _ in cells if all(cell[name] for name in names)]
    found = []
    for cell, line in cells:
        at = {name: cell[name] for name in names if cell[name]}
        parts = [each["count"] for each in inner if at.items() <= each.items()]
        shown = sum(number_of(text) or 0 for text in parts)
        beside = len(at) < len(names) and (HIDDEN in parts or output.rounding is not None)
        found.append(({**cell, "count": ""} if beside and number_of(cell["count"]) == shown else cell, line))
    return found


def _dictionary(texts: Sequence[str]) -> Any:  # noqa: ANN401 - an Arrow array
    import pyarrow as pa

    return pa.array(texts, type=pa.string()).dictionary_encode()
