"""Sessions of ACRO: the cross-tabulations of a `results.json`, as tables with a row for each cell.

Source: ACRO's `results.json` and the files beside it (Smith et al., SACRO): a CSV for each output, for each cell why it
is suppressed, and since version 1 the variables of each output in `session_summary.csv`. From then on margins are
computed of what is shown alone: beside a hidden cell they are no totals.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.count_tables.manifest import TableFile, TableManifest
from audit.count_tables.number_texts import number_of
from audit.io.tables import Table
from audit.model.errors import Problems

SESSION = "results.json"
MARGIN = "All"
HIDDEN = "threshold"


@dataclass(frozen=True)
class SessionOutput:
    """A table of a session.

    Attributes:
        file: its name.
        rows, column: the variables along its rows and its columns; none where it is no table of counts.
        outcome: for each column and row why a cell is suppressed.
        left_out: whether margins leave hidden cells out.
    """

    file: str
    rows: tuple[str, ...]
    column: str
    outcome: Mapping[str, Any]
    left_out: bool

    @property
    def counts(self) -> bool:
        """Whether it is a table of counts; any other is about means and other magnitudes."""
        return bool(self.rows)


def session_outputs(path: Path, shown: str, problems: Problems) -> Iterator[SessionOutput]:
    """Yield the tables of a session."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        entries = [each for each in document.get("results", {}).values() if each.get("type") == "table"]
    except (OSError, ValueError, AttributeError):
        problems.add(shown, "this is no results.json of ACRO", "name the file that acro.finalise() wrote")
        return
    version = str(document.get("version", "0"))
    known = _variables(path.parent)
    for entry in entries:
        files = entry.get("files") or []
        name = files[0].get("name") if files and isinstance(files[0], dict) else None
        outcome = entry.get("outcome") or {}
        if isinstance(name, str):
            rows, column = _axes(entry, known.get(str(entry.get("uid")), ()), path.parent / name)
            found = outcome if isinstance(outcome, dict) else {}
            yield SessionOutput(name, rows, column, found, not version.startswith("0"))


def _variables(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the variables of each output, as `session_summary.csv` has them."""
    try:
        with (folder / "session_summary.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError):
        return {}
    return {
        row.get("uid") or "": tuple(each.strip() for each in (row.get("independent_variables") or "").split(";"))
        for row in rows
    }


def _axes(entry: Mapping[str, Any], variables: Sequence[str], path: Path) -> tuple[tuple[str, ...], str]:
    """Return the variables along rows and columns of a table of counts; none for any other."""
    command = str(entry.get("command", ""))
    magnitude = re.search(r"\b(values|aggfunc)\s*=(?!\s*None)", command) is not None
    if "crosstab" not in command or magnitude:
        return (), ""
    header = _lines(path)[:1]
    rows = tuple(name for name in (header[0] if header else []) if name in variables)
    others = [name for name in variables if name not in rows]
    if rows and len(others) == 1:
        return rows, others[0]
    named = crosstab_names(command)
    return ((), "") if named is None else (tuple(named[0]), named[1])


def crosstab_names(command: str) -> tuple[list[str], str] | None:
    """Return the variables of the rows and of the columns of a cross-tabulation.

    >>> crosstab_names("acro.crosstab(df.year, df['grant_type'], margins=True)")
    (['year'], 'grant_type')
    """
    found = re.search(r"crosstab\(\s*(\[[^\]]*\]|[^,]+(?:\[[^\]]*\])?)\s*,\s*([^,)]+)", command)
    if found is None:
        return None
    rows = [_variable(each) for each in found[1].strip("[]").split(",")] if "," in found[1] else [_variable(found[1])]
    return rows, _variable(found[2])


def _variable(text: str) -> str:
    return re.split(r"[.\[]", text.strip().rstrip("])"))[-1].strip("'\" ]")


def session_tables(manifest: TableManifest, file: TableFile, problems: Problems) -> list[tuple[TableFile, Table]]:
    """Return the tables of counts of a session with a row for each cell, noting outputs that cannot be read."""
    found = []
    for output in session_outputs(file.path, file.shown, problems):
        if not output.counts:
            continue
        path = file.path.parent / output.file
        shown = file.shown.removesuffix(SESSION) + output.file
        if not _lines(path):
            problems.add(shown, "this table of the session cannot be read", "put the file beside results.json")
        cells = _without_margins(output, list(crosstab_cells(path, output)))
        names = [*manifest.dimensions, manifest.value]
        columns = {each: [str(cell.get(each, "")) for cell, _ in cells] for each in names}
        used = {each for cell, _ in cells for each in cell}
        arrays = {each: _dictionary(texts) for each, texts in columns.items() if each in used}
        lines = [1, *(line for _, line in cells)]
        found.append((TableFile(path, shown), Table(path, shown, len(cells), arrays, _lines=lines)))
    return found


def _lines(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file))
    except (OSError, ValueError):
        return []


def crosstab_cells(path: Path, output: SessionOutput) -> Iterator[tuple[dict[str, str], int]]:
    """Yield labels, text and line of each cell of a cross-tabulation; the text is `threshold` where it is hidden."""
    lines, many = _lines(path), len(output.rows)
    header = lines[0] if lines else []
    for number, cells in enumerate(lines[1:], start=2):
        row = cells[0] if many == 1 else str(tuple(cells[:many]))
        for label, text in zip(header[many:], cells[many:], strict=False):
            reasons = output.outcome.get(label)
            why = str(reasons.get(row, "")) if isinstance(reasons, dict) else ""
            empty = text.strip() in ("", "nan", "NaN")
            hidden = HIDDEN if HIDDEN in why.casefold() else ""
            labels = dict(zip(output.rows, cells, strict=False))
            yield {**labels, output.column: label, "count": hidden if empty else text.strip()}, number


def _without_margins(
    output: SessionOutput, cells: list[tuple[dict[str, str], int]]
) -> list[tuple[dict[str, str], int]]:
    """Return the cells, margins empty where they are the sums of what is shown beside hidden cells."""
    if not output.left_out:
        return cells
    names = [*output.rows, output.column]
    inner = [cell for cell, _ in cells if MARGIN not in (cell[name] for name in names)]
    found = []
    for cell, line in cells:
        at = {name: cell[name] for name in names if cell[name] != MARGIN}
        parts = [each["count"] for each in inner if at.items() <= each.items()]
        shown = sum(number_of(text) or 0 for text in parts)
        no_total = len(at) < len(names) and HIDDEN in parts and number_of(cell["count"]) == shown
        found.append(({**cell, "count": ""} if no_total else cell, line))
    return found


def _dictionary(texts: Sequence[str]) -> Any:  # noqa: ANN401 - an Arrow array
    import pyarrow as pa

    return pa.array(texts, type=pa.string()).dictionary_encode()
