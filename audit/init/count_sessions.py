"""The rules of ACRO sessions: dimensions and thresholds as the session itself says them."""

from __future__ import annotations

import json
from pathlib import Path

from audit.count_tables.acro_outputs import PEOPLE, SessionOutput, lines_of, session_outputs
from audit.count_tables.number_texts import number_of
from audit.init.count_rules import TableGuesses
from audit.model.errors import Problems, printable

_COUNTED = "counted"


def session_rules(folder: Path, shown: list[str]) -> TableGuesses:
    """Return the rules of all sessions, which are taken to be about the same people.

    Raises:
        InputError: files of tables are missing, no table of any session has counts, or one is rounded and another one
            is not.
    """
    problems = Problems()
    outputs = [(folder / name, each) for name in shown for each in session_outputs(folder / name, name, problems)]
    problems.check()
    _check_files(folder, outputs)
    tables = [(path, each) for path, each in outputs if each.statistics]
    bases = {each.rounding for _, each in tables}
    if len(bases) != 1:
        what = "no table of these sessions has counts" if not bases else "some tables of these sessions are rounded"
        remedy = "name tables of counts" if not bases else "finalise them in a session of their own"
        problems.add(shown[0], what, remedy)
        problems.check()
    dimensions = dict.fromkeys(name for _, each in tables for name in each.variables)
    rules = TableGuesses.of("sessions of ACRO", shown, [*dimensions], "count")
    rules.table["over_time"] = "same"
    rules.table["totals"] = dict.fromkeys(dimensions, "All")
    rules.texts.update(text for path, each in tables for text in _numbers(path.parent / each.file, each))
    rules.doubts.append("All tables are taken to be about the same people: over_time is same.")
    _add_statistics(rules, list(dict.fromkeys(name for _, each in tables for name in each.statistics)))
    rules.said.add("table.rounding")
    base = bases.pop()
    if base is not None:
        rules.table["rounding"] = {"to": base, "how": "even" if base % 2 == 0 else "nearest"}
    thresholds = {threshold for name in shown if (threshold := _threshold((folder / name).parent)) is not None}
    if thresholds:
        rules.state("policy.min_count", max(thresholds))
        rules.table["markers"]["threshold"] = (0, max(thresholds) - 1)
    else:
        rules.texts["threshold"] += 1
    return rules


def _check_files(folder: Path, outputs: list[tuple[Path, SessionOutput]]) -> None:
    """Refuse sessions without the files of their tables."""
    problems = Problems()
    for path in dict.fromkeys(path for path, _ in outputs):
        tables = [each.file for of, each in outputs if of == path and each.is_table]
        missing = [name for name in tables if not lines_of(path.parent / name)]
        if missing:
            what = f"tables of this session are missing or empty: {', '.join(map(printable, missing))}"
            problems.add(path.relative_to(folder).as_posix(), what, "put their files beside results.json")
    problems.check()


def _add_statistics(rules: TableGuesses, statistics: list[str]) -> None:
    """Add what is counted, where it is not people alone: the values of a variable, of which some may be missing."""
    if statistics == [PEOPLE]:
        return
    rules.table.update({"measure": _COUNTED, "measures": statistics})
    parts = [name for name in statistics if name != PEOPLE]
    if PEOPLE in statistics:
        rules.table["part_of"] = dict.fromkeys(parts, PEOPLE)
        rules.doubts.append(f"Values of {', '.join(parts)} are counted too: they are parts of the people.")


def _threshold(folder: Path) -> int | None:
    """Return the threshold that a session's configuration names."""
    try:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("safe_threshold")
    except (OSError, ValueError, AttributeError):
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 1 else None


def _numbers(path: Path, output: SessionOutput) -> list[str]:
    places = [each.place for each in output.columns if each.statistic]
    lines = lines_of(path)[output.first :]
    return [line[at] for line in lines for at in places if at < len(line) and number_of(line[at]) is not None]
