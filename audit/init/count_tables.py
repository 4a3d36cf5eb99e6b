"""A manifest guessed for a series of count tables: tidy, NHS long, DfE tidy, SDMX-CSV, ACRO sessions.

Totals are told from labels that offices use, markers from what is no number, rounding from what all numbers are
multiples of, the threshold from the smallest of them. Every guess is told, for only the publisher knows the rules.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd
from pathlib import Path

from audit.count_tables.intervals import number_of
from audit.count_tables.table_shapes import SESSION, crosstab_names, session_outputs
from audit.init import column_names
from audit.io.tables import header, is_table, read_table
from audit.io.toml import natural, toml_array, toml_key, toml_text
from audit.model.errors import Problems

_TOTALS = (
    "total", "all", "any", "t", "_t", "england", "united kingdom", "persons", "people", "both", "all ages",
    "all persons", "all people", "all areas", "everybody", "grand total", "national", "all categories",
)  # fmt: skip
_VALUES = (
    "MEASURE_VALUE", "METRIC_VALUE", "MEASURE_VALUE_SUPPRESSED", "OBS_VALUE", "count", "n", "number", "value",
    "patients", "admissions", "cases", "people", "persons", "headcount", "pupils", "attendances", "stays", "freq",
    "frequency", "obs",
)  # fmt: skip
_HIDDEN = re.compile(
    r"\*+|\[?[cxsu]\]?|<\s*[0-9]+|≤\s*[0-9]+|\[redacted\]|redacted|suppressed|low|\.\.|:", re.IGNORECASE
)
_NOT_COUNTED = ("z", "x", "[z]", "[x]", "..", ":", "n/a", "na", "-")
_AT_LEAST = 6


@dataclass
class TablesGuess:
    """A guessed manifest of count tables.

    Attributes:
        shape: what was recognised.
        text: the manifest.
        facts: what has which meaning.
        doubts: sentences on what to check first.
    """

    shape: str
    text: str
    facts: list[tuple[str, str]]
    doubts: list[str]


@dataclass
class _Rules:
    """What was guessed, key by key."""

    shape: str
    releases: list[str]
    dimensions: list[str]
    value: str
    extra: dict[str, str] = field(default_factory=dict)
    totals: dict[str, str] = field(default_factory=dict)
    not_published: list[str] = field(default_factory=list)
    over_time: str = "independent"
    doubts: list[str] = field(default_factory=list)
    texts: Counter[str] = field(default_factory=Counter)


def guess_tables(folder: Path) -> TablesGuess | None:
    """Return a manifest for the count tables in a folder; None where it holds none that are recognised."""
    sessions = sorted((each for each in folder.glob(f"**/{SESSION}") if each.is_file()), key=lambda p: natural(str(p)))
    if sessions:
        return _session(folder, [each.relative_to(folder).as_posix() for each in sessions])
    inside = folder / "releases" if (folder / "releases").is_dir() else folder
    files = sorted((each for each in inside.iterdir() if is_table(each)), key=lambda path: natural(path.name))
    files = [each for each in files if not each.name.endswith(".meta.csv")]
    if not files:
        return None
    names = header(files[0], files[0].name, Problems())
    if names is None:
        return None
    rules = _recognised(folder, files, list(names))
    return None if rules is None else _written(rules)


def _recognised(folder: Path, files: Sequence[Path], names: list[str]) -> _Rules | None:
    shown = [each.relative_to(folder).as_posix() for each in files]
    columns = _texts(files, names)
    if columns is None:
        return None
    if "BREAKDOWN" in names and "PRIMARY_LEVEL" in names:
        return _nhs(shown, names, columns)
    if "geographic_level" in names and "time_period" in names:
        return _dfe(files, shown, names, columns)
    if "OBS_VALUE" in names:
        return _sdmx(shown, names, columns)
    return _tidy(shown, names, columns)


Columns = dict[str, list[str]]


def _texts(files: Sequence[Path], names: Sequence[str]) -> Columns | None:
    """Return all cells of the columns that the files share."""
    found: Columns = {name: [] for name in names}
    for file in files:
        have = header(file, file.name, Problems())
        if have is None:
            return None
        found = {name: texts for name, texts in found.items() if name in have}
        table = read_table(file, file.name, list(found), Problems())
        if table is None:
            return None
        for name in found:
            found[name] = found[name] + table.texts(name)
    return found


def _number_share(texts: Sequence[str]) -> float:
    shown = [text for text in texts if text]
    return sum(number_of(text) is not None for text in shown) / len(shown) if shown else 0.0


def _total(texts: Sequence[str]) -> str | None:
    found = Counter(text for text in texts if text.casefold() in _TOTALS)
    order = {name: place for place, name in enumerate(_TOTALS)}
    return min(found, key=lambda text: order[text.casefold()]) if found else None


def _tidy(shown: list[str], names: list[str], columns: Columns) -> _Rules | None:
    if any(column_names.kind(name) in ("person", "record", "id") for name in columns):
        return None  # rows of people
    lower = {name.casefold(): name for name in columns}
    numeric = [name for name in columns if _number_share(columns[name]) > 0.3 and len(set(columns[name])) > 1]
    value = next((lower[each.casefold()] for each in _VALUES if lower.get(each.casefold()) in numeric), None)
    named = value is not None
    value = value or (numeric[-1] if len(numeric) == 1 else None)
    if value is None:
        return None
    labels = [name for name in columns if name not in numeric and len(set(columns[name])) > 1]
    totals = {name: total for name in labels if (total := _total(columns[name])) is not None}
    marks = [text for text in columns[value] if text and number_of(text) is None]
    if not named and not all(map(_HIDDEN.fullmatch, marks)):
        return None  # such as ages, some of them in ranges
    marked = bool(marks)
    unique = len(set(zip(*(columns[name] for name in labels), strict=True))) if labels else 0
    rows = len(columns[value])
    if not labels or not (totals or marked) or unique * len(shown) < rows:
        return None
    rules = _Rules("a tidy table of counts", shown, labels, value, totals=totals)
    rules.texts.update(columns[value])
    return rules


def _nhs(shown: list[str], names: list[str], columns: Columns) -> _Rules | None:
    value = next((name for name in _VALUES[:3] if name in columns), None)
    if value is None:
        return None
    levels = [name for name in ("PRIMARY_LEVEL", "SECONDARY_LEVEL", "TERTIARY_LEVEL") if name in columns]
    parts = dict.fromkeys(part.strip() for text in columns["BREAKDOWN"] for part in text.split(";") if part.strip())
    whole = [part for part in parts if part.casefold() in _TOTALS]
    dimensions = [part for part in parts if part not in whole]
    periods = [name for name in ("REPORTING_PERIOD_START", "REPORTING_PERIOD_END") if name in columns]
    rules = _Rules("a long file as NHS England publishes them", shown, dimensions, value)
    rules.totals = {name: _total(_level_labels(columns, levels, name)) or "All" for name in dimensions}
    rules.extra |= {"breakdown": toml_text("BREAKDOWN"), "levels": toml_array(map(toml_text, levels))}
    _add_period(rules, columns, periods[:1], len(shown))
    measure = next((name for name in ("MEASURE_ID", "METRIC") if name in columns), None)
    kept = [True] * len(columns[value])
    if measure is not None:
        counts = _counts_of(columns[measure], columns[value])
        rules.extra |= {"measure": toml_text(measure), "measures": toml_array(map(toml_text, counts))}
        kept = [text in counts for text in columns[measure]]
        rules.doubts.append(f"Measures whose values are all whole numbers are taken as counts: {', '.join(counts)}.")
    rules.texts.update(text for text, keep in zip(columns[value], kept, strict=True) if keep)
    return rules


def _level_labels(columns: Columns, levels: Sequence[str], dimension: str) -> list[str]:
    """Return the labels of a dimension that a breakdown names, such as `Region; Age`."""
    parts = [[part.strip() for part in text.split(";")] for text in columns["BREAKDOWN"]]
    named = ((place, some.index(dimension)) for place, some in enumerate(parts) if dimension in some)
    return [columns[levels[level]][row] for row, level in named if level < len(levels)]


def _counts_of(measures: Sequence[str], values: Sequence[str]) -> list[str]:
    """Return the measures none of whose values has decimals."""
    fractional = {m for m, v in zip(measures, values, strict=True) if number_of(v) is None and v[:1].isdigit()}
    return [name for name in dict.fromkeys(measures) if name and name not in fractional]


def _add_period(rules: _Rules, columns: Columns, names: Sequence[str], files: int) -> None:
    """Add the column of the period as a dimension where files hold several periods."""
    for name in names:
        if len(set(columns[name])) > files:
            rules.dimensions.insert(0, name)
            rules.over_time = "same" if files > 1 else "independent"
            rules.doubts.append(f"Each file holds several periods: {name} is a dimension without a total.")


def _dfe(files: Sequence[Path], shown: list[str], names: list[str], columns: Columns) -> _Rules | None:
    filters, indicators = _meta(files)
    value = next((name for name in indicators if name in columns), None)
    if value is None:
        filters = [name for name in columns if _total(columns[name]) is not None and not name.startswith("country")]
        rest = [name for name in columns if name not in filters and _number_share(columns[name]) > 0.3]
        value = next((name for name in reversed(rest) if "code" not in name and name != "time_period"), None)
    if value is None:
        return None
    nested = [name for name in ("region_name", "la_name") if name in columns and len(set(columns[name])) > 1]
    dimensions = [name for name in filters if name in columns and len(set(columns[name])) > 1]
    rules = _Rules("a tidy file as the Department for Education publishes them", shown, dimensions, value)
    rules.totals = {name: _total(columns[name]) or "Total" for name in dimensions}
    if nested:
        rules.dimensions.insert(0, "area")
        rules.totals["area"] = next(iter(columns.get("country_name", ["Total"])), "Total")
        rules.extra["nested"] = f"{{ area = {toml_array(map(toml_text, nested))} }}"
        rules.doubts.append("Every region is taken to consist of the authorities that the files show inside it.")
    _add_period(rules, columns, ["time_period"], len(shown))
    rules.not_published = [text for text in ("z", "x") if text in columns[value]]
    rules.texts.update(columns[value])
    others = [name for name in indicators if name != value and name in columns]
    if others:
        rules.doubts.append(f"Only the indicator {value} is audited; others: {', '.join(others[:8])}.")
    return rules


def _meta(files: Sequence[Path]) -> tuple[list[str], list[str]]:
    """Return the filters and the indicators that a `.meta.csv` beside the files names."""
    for meta in sorted({each for file in files for each in file.parent.glob("*.meta.csv")}):
        with meta.open(encoding="utf-8-sig", newline="") as source:
            rows = list(csv.DictReader(source))
        kinds = [(row.get("col_name", ""), (row.get("col_type") or "").casefold()) for row in rows]
        return [n for n, kind in kinds if kind == "filter"], [n for n, kind in kinds if kind == "indicator"]
    return [], []


def _sdmx(shown: list[str], names: list[str], columns: Columns) -> _Rules | None:
    status = next((n for n in ("CONF_STATUS", "OBS_STATUS", "OBS_FLAG") if n in columns and any(columns[n])), None)
    skipped = {"OBS_VALUE", "CONF_STATUS", "OBS_STATUS", "OBS_FLAG", "DATAFLOW", "STRUCTURE", "STRUCTURE_ID", "ACTION"}
    before = [name for name in names if name in columns and names.index(name) < names.index("OBS_VALUE")]
    dimensions = [n for n in before if n not in skipped | {"TIME_PERIOD"} and len(set(columns[n])) > 1]
    rules = _Rules("SDMX-CSV", shown, dimensions, "OBS_VALUE")
    rules.totals = {name: total for name in dimensions if (total := _total(columns[name])) is not None}
    _add_period(rules, columns, [n for n in ("TIME_PERIOD",) if n in columns], len(shown))
    rules.texts.update(columns["OBS_VALUE"])
    if status is not None:
        rules.extra["status"] = toml_text(status)
        empty = [flag for flag, value in zip(columns[status], columns["OBS_VALUE"], strict=True) if not value and flag]
        rules.texts.update(empty)
    return rules


def _session(folder: Path, shown: list[str]) -> TablesGuess:
    dimensions: dict[str, None] = {}
    margins = False
    texts: Counter[str] = Counter()
    for name in shown:
        for file, command, _ in session_outputs(folder / name, name, Problems()):
            named = crosstab_names(command)
            if named is not None:
                dimensions |= dict.fromkeys([*named[0], named[1]])
            margins |= "margins=True" in command
            table = (folder / name).parent / file
            texts.update(_cells(table))
    rules = _Rules("sessions of ACRO", shown, list(dimensions), "count", over_time="same")
    rules.totals = dict.fromkeys(dimensions, "All")
    rules.texts = texts + Counter({"threshold": 1})
    rules.doubts.append("All sessions are taken to be about the same people: over_time is same.")
    return _written(rules)


def _cells(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [cell for line in list(csv.reader(file))[1:] for cell in line[1:] if number_of(cell) is not None]
    except (OSError, ValueError):
        return []


# -- what numbers tell of the rules -------------------------------------------------------------------------------


def _written(rules: _Rules) -> TablesGuess:
    numbers = [n for text, times in rules.texts.items() for n in [number_of(text)] * times if n is not None]
    positive = [number for number in numbers if number > 0]
    base = gcd(*positive) if len(positive) >= _AT_LEAST else 1
    rounding = base if base in (3, 5, 10, 20, 50, 100) else 1
    least = min(positive, default=10)
    threshold = max(2, least - rounding // 2) if rounding > 1 else least
    marks = [text for text in rules.texts if text and number_of(text) is None and text not in rules.not_published]
    markers = {text: _ends(text, threshold, rounding) for text in sorted(marks)}
    hidden = [text for text, ends in markers.items() if ends.startswith("[1") or text == "threshold"]
    unknown = [text for text in marks if not _HIDDEN.fullmatch(text) and text != "threshold"]
    rules.doubts += [f'"{text}" is no marker that offices use; say which counts it stands for.' for text in unknown]
    lines = _lines(
        rules,
        markers,
        threshold if set(hidden) - {"threshold"} and threshold > 1 else None,
        rounding,
        min_count=max(2, threshold),
    )
    facts = [
        ("recognised", rules.shape),
        ("releases", f"{len(rules.releases)}"),
        ("dimensions", ", ".join(rules.dimensions)),
        ("counts", rules.value),
        ("totals", ", ".join(f"{name} {label}" for name, label in rules.totals.items()) or "none found"),
        ("markers", ", ".join(f"{text} {ends}" for text, ends in markers.items()) or "none found"),
        ("rounding", f"to {rounding}: all {len(positive)} numbers are multiples" if rounding > 1 else "none found"),
        ("over time", rules.over_time),
    ]
    if hidden:
        rules.doubts.insert(0, _threshold_doubt(threshold, least, rounding))
    if rules.totals:
        together = (
            "The labels of each dimension are taken to make up its total together; where some people have none of"
        )
        rules.doubts.append(f"{together} them (unknown, not stated), name the dimension in open.")
    if rules.over_time == "independent" and len(rules.releases) > 1:
        rules.doubts.append("Releases are taken to be about different people; if they only grow, write cumulative.")
    return TablesGuess(rules.shape, "\n".join(lines) + "\n", facts, rules.doubts)


def _threshold_doubt(threshold: int, least: int, rounding: int) -> str:
    """Return how the threshold was guessed: from the smallest number published."""
    if rounding > 1:
        why = f"the smallest number published above 0 is {least}, rounded to {rounding}"
    else:
        why = "that is the smallest number published above 0"
    return f"Counts below {threshold} are taken to be hidden, for {why}; write which threshold was used."


def _ends(text: str, threshold: int, rounding: int) -> str:
    found = re.fullmatch(r"[<≤]\s*([0-9]+)", text)
    if found:
        return f"[1, {max(1, int(found[1]) - (text[0] == '<'))}]"
    if text.casefold() == "low":
        return f"[1, {max(1, rounding // 2)}]"
    if text.casefold() in _NOT_COUNTED:
        return "[0, inf]"
    if text == "threshold":
        return f"[0, {max(1, threshold - 1)}]"
    return f"[1, {max(1, threshold - 1)}]"


def _lines(
    rules: _Rules, markers: dict[str, str], threshold: int | None, rounding: int, *, min_count: int
) -> list[str]:
    """Return the manifest, each guess with its reason."""

    def inline(entries: dict[str, str]) -> str:
        return "{ " + ", ".join(f"{toml_key(key)} = {value}" for key, value in entries.items()) + " }"

    lines = [
        f"# Guessed by `audit init`: {rules.shape}. Correct what is wrong; see the manual's page on count tables.",
        "[series]",
        'kind = "tables"',
        f"releases = {toml_array(map(toml_text, rules.releases))}",
        "",
        "[table]",
        f"dimensions = {toml_array(map(toml_text, rules.dimensions))}   # what a number counts",
        f"value = {toml_text(rules.value)}   # the column with the counts",
        *(f"{key} = {value}" for key, value in rules.extra.items()),
        f"totals = {inline({name: toml_text(label) for name, label in rules.totals.items()})}   # labels of everybody",
        f"markers = {inline(markers)}   # what else a value can be, and the counts that it stands for",
    ]
    if rules.not_published:
        texts = toml_array(map(toml_text, rules.not_published))
        lines.append(f"not_published = {texts}   # not applicable, not available")
    if threshold is not None:
        lines.append(f"threshold = {threshold}   # the smallest count that is published; check")
    if rounding > 1:
        lines.append(
            f'rounding = {{ to = {rounding}, how = "nearest" }}   # all numbers are multiples of it; check how'
        )
    lines.append(f'over_time = "{rules.over_time}"   # same, cumulative or independent; check')
    if threshold is None:
        lines += ["", "[policy]", f"min_count = {min(min_count, 10)}   # the least count that may be known"]
    return lines
