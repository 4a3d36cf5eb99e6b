"""ACRO sessions: read which variables each table has, what it counts, and its cells as rows.

Since version 1, ACRO records the variables and the kind of numbers of each output; older versions only record the
command. A table with several functions, or with several variables along its columns, has a header line for each. Since
version 1, margins are computed from the shown cells: if cells are suppressed or rounded, they are not totals.

Source: ACRO's `results.json` and the files beside it (Smith et al., SACRO).
"""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from audit.count_tables.manifest import TableFile, TableManifest
from audit.count_tables.published_texts import number_of
from audit.io.tables import Table
from audit.io.texts import column_of
from audit.model.errors import Problems

SESSION = "results.json"
PEOPLE = "people"
"""The statistic of tables that count rows rather than add up a variable."""
_NOT_RELEASED = "2ndary_risk_summary"
_FUNCTIONS = frozenset(("count", "size", "mean", "median", "sum", "std", "mode", "min", "max", "var", "nunique"))
_COUNTS = frozenset(("count", "size"))


@dataclass(frozen=True)
class OutputColumn:
    """A column of numbers.

    Attributes:
        place: its index in the file.
        labels: its labels, by variable along the columns.
        statistic: what it counts; empty if its numbers are not counts.
        function: how the numbers were computed, such as a mean.
        key: its name in the session.
    """

    place: int
    labels: Mapping[str, str]
    statistic: str
    function: str
    key: tuple[str, ...]


@dataclass(frozen=True)
class SessionOutput:
    """An output of a session.

    Attributes:
        file: its name.
        rows: the variables along its rows.
        columns: its columns of numbers; none if the output is not a table, or its layout is not understood.
        first: the number of header lines.
        outcome: why each cell is suppressed, by column and row.
        left_out: whether margins are sums of the shown cells alone.
        margin: the label of margins.
        rounding: the base to which its numbers are rounded; None if they are not.
        is_table: whether it is a table; otherwise it is a figure, a regression or something else.
    """

    file: str
    rows: tuple[str, ...] = ()
    columns: tuple[OutputColumn, ...] = ()
    first: int = 0
    outcome: Mapping[tuple[str, ...], Mapping[tuple[str, ...], str]] = field(default_factory=dict)
    left_out: bool = False
    margin: str = "All"
    rounding: int | None = None
    is_table: bool = False

    @property
    def variables(self) -> dict[str, None]:
        """The variables along rows and columns."""
        return dict.fromkeys([*self.rows, *(name for each in self.columns for name in each.labels)])

    @property
    def statistics(self) -> dict[str, None]:
        """The statistics that it counts; empty if its numbers are means or other magnitudes."""
        return dict.fromkeys(each.statistic for each in self.columns if each.statistic)

    @property
    def magnitudes(self) -> list[str]:
        """The names of its numbers that are not counts: the file's name, or the functions that stand beside counts."""
        if not self.statistics:
            return [self.file]
        functions = dict.fromkeys(each.function for each in self.columns if not each.statistic)
        return [f"{self.file}: {function}" for function in functions]


def session_outputs(path: Path, shown: str, problems: Problems) -> Iterator[SessionOutput]:
    """Yield the outputs of a session: tables, and others, whose numbers are not read; note an unreadable session."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        entries = [each for each in document.get("results", {}).items() if each[1].get("type")]
    except (OSError, ValueError, AttributeError):
        problems.add(shown, "this is not a results.json of ACRO", "name the file that acro.finalise() wrote")
        return
    version = str(document.get("version", "0"))
    known = _variables(path.parent)
    for uid, entry in entries:
        files = [each.get("name") for each in entry.get("files") or [] if isinstance(each, dict)]
        names = [name for name in files if isinstance(name, str)]
        if uid.startswith(_NOT_RELEASED) or not names:
            continue
        if entry["type"] == "table":
            yield _output(entry, path.parent / names[0], known.get(uid, ()), left_out=not version.startswith("0"))
        else:
            yield SessionOutput(names[0])


def _variables(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the variables of each output, as listed in the session's summary."""
    try:
        outputs = json.loads((folder / "session_summary.json").read_text(encoding="utf-8"))["outputs"]
        return {str(each["uid"]): tuple(map(str, each["independent_variables"])) for each in outputs}
    except (OSError, ValueError, KeyError, TypeError):
        pass
    try:
        with (folder / "session_summary.csv").open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError):
        return {}
    return {
        row.get("uid") or "": tuple(each.strip() for each in (row.get("independent_variables") or "").split(";"))
        for row in rows
    }


def lines_of(path: Path) -> list[list[str]]:
    """Return the lines of a CSV file; an empty list if it cannot be read."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file))
    except (OSError, ValueError):
        return []


def _output(entry: Mapping[str, Any], path: Path, variables: Sequence[str], *, left_out: bool) -> SessionOutput:
    """Return a table of a session, without columns if its layout is not understood."""
    said, done = _mapping(entry, "fair"), _mapping(entry, "properties")
    command, lines = str(entry.get("command", "")), lines_of(path)
    variables = tuple(map(str, said.get("independent") or variables))
    named = crosstab_names(command)
    if not variables and named is not None:
        variables = (*named[0], named[1])
    outcome = _outcome(entry.get("outcome"))
    height, rows = _header(lines, variables, outcome)
    if not rows and named is not None:
        rows = tuple(named[0])
    found = list(_columns(lines, (height, rows), variables, _counted(said, command)))
    margin = re.search(r"margins_name\s*=\s*[\"']([^\"']+)", command)
    base = done.get("round_base") if done.get("mitigation") == "round" else None
    return SessionOutput(
        path.name,
        rows=rows,
        columns=tuple(found),
        first=height,
        outcome=outcome,
        left_out=left_out,
        margin="All" if margin is None else margin[1],
        rounding=base if isinstance(base, int) else None,
        is_table=True,
    )


def _mapping(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = entry.get(key)
    return found if isinstance(found, dict) else {}


def _header(
    lines: Sequence[Sequence[str]], variables: Sequence[str], outcome: Mapping[tuple[str, ...], object]
) -> tuple[int, tuple[str, ...]]:
    """Return how many lines the header has, and the variables along rows.

    If columns have several levels, each level has a line, and one more line names the variables along rows.
    """
    levels = max(map(len, outcome), default=1)
    height = 1 if levels == 1 else levels + 1
    line = lines[height - 1] if len(lines) >= height else []
    many = next((at for at, cell in enumerate(line) if cell not in variables), len(line))
    return height, tuple(line[:many])


def _counted(said: Mapping[str, Any], command: str) -> tuple[bool, str]:
    """Return whether the numbers of a table are counts by the session, and of which variable."""
    if said.get("statbarn") is not None:
        dependent = said.get("dependent")
        texts = [dependent] if isinstance(dependent, str) else [*(dependent or ())]
        return said["statbarn"] == "Frequencies", "; ".join(str(e) for e in texts if e != "unknown") or PEOPLE
    return "crosstab" in command and re.search(r"\b(values|aggfunc)\s*=(?!\s*None)", command) is None, PEOPLE


def _columns(
    lines: Sequence[Sequence[str]],
    head: tuple[int, tuple[str, ...]],
    variables: Sequence[str],
    counted: tuple[bool, str],
) -> Iterator[OutputColumn]:
    """Yield the columns of numbers; none if the variables along the columns are unknown."""
    height, rows = head
    across = [name for name in variables if name not in rows]
    levels = [*lines[: max(1, height - 1)]]
    names = [next((cell for cell in level[: len(rows)] if cell), "") for level in levels]
    if height == 1:
        names = [across[0] if across else ""]
    if not rows or not levels or {name for name in names if name} != set(across):
        return
    for place in range(len(rows), len(levels[0])):
        key = tuple(level[place] if place < len(level) else "" for level in levels)
        labels = {name: text for name, text in zip(names, key, strict=True) if name}
        functions = [text for name, text in zip(names, key, strict=True) if not name and text in _FUNCTIONS]
        of = [text for name, text in zip(names, key, strict=True) if not name and text not in _FUNCTIONS]
        counts = functions[0] in _COUNTS if functions else counted[0]
        cells = [line[place].strip() for line in lines[height:] if place < len(line)]
        whole = all(number_of(cell) is not None for cell in cells if cell not in ("", "nan", "NaN"))
        statistic = (of or [counted[1]])[0] if counts and whole else ""
        yield OutputColumn(place, labels, statistic, functions[0] if functions else " ".join(key), key)


def _outcome(given: object) -> dict[tuple[str, ...], dict[tuple[str, ...], str]]:
    """Return why cells are suppressed, with columns and rows as tuples of texts."""
    columns = given.items() if isinstance(given, dict) else ()
    return {
        _key(column): {_key(row): str(why) for row, why in rows.items()}
        for column, rows in columns
        if isinstance(rows, dict)
    }


def _key(text: str) -> tuple[str, ...]:
    if text.startswith("(") and text.endswith(")"):
        try:
            parts = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return (text,)
        if isinstance(parts, tuple):
            return tuple(map(str, parts))
    return (text,)


def crosstab_names(command: str) -> tuple[list[str], str] | None:
    """Return the variables of the rows and of the columns in a command of cross-tabulation; None for other commands.

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


HIDDEN = "threshold"
_SAFE = ("", "ok")
Cell = tuple[dict[str, str], int]


def session_tables(manifest: TableManifest, file: TableFile, problems: Problems) -> list[tuple[TableFile, Table]]:
    """Return the tables of counts of a session with one row for each cell; note outputs that cannot be read."""
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
    """Return the statistics of an output that are judged; only people if the manifest names no column of statistics."""
    known = (manifest.measures or output.statistics) if manifest.measure is not None else (PEOPLE,)
    return [each for each in output.statistics if each in known]


def _check_rounding(manifest: TableManifest, output: SessionOutput, shown: str, problems: Problems) -> None:
    """Note a table that the session rounded otherwise than the manifest states."""
    to = None if manifest.rounding is None else manifest.rounding.to
    if output.left_out and to != output.rounding:
        what = f"the session rounded this table to {output.rounding}"
        if output.rounding is None:
            what = "the session did not round this table"
        problems.add(shown, what, "state this under [table] rounding, or name the table in not_counts")


def _table(manifest: TableManifest, output: SessionOutput, path: Path, shown: str) -> Table:
    measure, found = manifest.measure, judged_statistics(manifest, output)
    cells = [cell for statistic in found for cell in _without_margins(output, list(_cells(path, output, statistic)))]
    columns = {
        name: [cell.get(name, "") for cell, _ in cells] for name in manifest.dimensions if name in output.variables
    }
    columns |= {manifest.value: [cell["count"] for cell, _ in cells]}
    columns |= {} if measure is None else {measure: [cell[""] for cell, _ in cells]}
    arrays = {name: column_of(texts).dictionary_encode() for name, texts in columns.items()}
    return Table(path, shown, len(cells), arrays, _lines=[1, *(line for _, line in cells)])


def _cells(path: Path, output: SessionOutput, statistic: str) -> Iterator[Cell]:
    """Yield the labels, the text and the line of each cell; margins have empty labels, hidden cells `threshold`."""
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
    """Return the cells; margins become empty if they only add up the shown cells beside hidden or rounded ones."""
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
