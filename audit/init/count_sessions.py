"""The rules of ACRO sessions: dimensions and thresholds as the session itself says them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

from audit.count_tables.acro_sessions import session_outputs
from audit.count_tables.number_texts import number_of
from audit.init.count_rules import RuleGuesses
from audit.model.errors import Problems


def session_rules(folder: Path, shown: list[str]) -> RuleGuesses:
    """Return the rules of all sessions, which are taken to be about the same people."""
    dimensions: dict[str, None] = {}
    texts: Counter[str] = Counter()
    for name in shown:
        for output in session_outputs(folder / name, name, Problems()):
            if output.counts:
                dimensions |= dict.fromkeys([*output.rows, output.column])
                texts.update(_cells((folder / name).parent / output.file))
    rules = RuleGuesses("sessions of ACRO", shown, list(dimensions), "count", over_time="same")
    rules.totals = dict.fromkeys(dimensions, "All")
    rules.texts = texts
    rules.doubts.append("All tables are taken to be about the same people: over_time is same.")
    thresholds = {threshold for name in shown if (threshold := _threshold((folder / name).parent)) is not None}
    if thresholds:
        rules.min_count = max(thresholds)
        rules.markers["threshold"] = (0, rules.min_count - 1)
    else:
        rules.texts["threshold"] += 1
    return rules


def _threshold(folder: Path) -> int | None:
    """Return the threshold that a session's configuration names."""
    try:
        found = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("safe_threshold")
    except (OSError, ValueError, AttributeError):
        return None
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 1 else None


def _cells(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [cell for line in list(csv.reader(file))[1:] for cell in line[1:] if number_of(cell) is not None]
    except (OSError, ValueError):
        return []
