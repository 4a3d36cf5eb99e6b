"""Forms in which offices publish tables of counts, each recognised by its columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from audit.init.count_columns import CountFiles, codes_beside, is_total_word, kinds_of, total_of, without_copies
from audit.init.count_metadata import tau_argus, tau_argus_csv
from audit.init.count_rules import TableGuesses, keep_counts, parts_rates, rules_of
from audit.init.count_tidy import tidy


def nhs(files: CountFiles) -> TableGuesses | None:
    """Return the rules of a long file as NHS England publishes them."""
    value = files.first("MEASURE_VALUE", "METRIC_VALUE", "MEASURE_VALUE_SUPPRESSED")
    if value is None or not files.has("BREAKDOWN", "PRIMARY_LEVEL"):
        return None
    columns = files.columns
    levels = [name for name in ("PRIMARY_LEVEL", "SECONDARY_LEVEL", "TERTIARY_LEVEL") if name in columns]
    parts = dict.fromkeys(part.strip() for text in columns["BREAKDOWN"] for part in text.split(";") if part.strip())
    dimensions = [part for part in parts if not is_total_word(part)]
    rules = TableGuesses.of("a long file as NHS England publishes them", files.shown, dimensions, value)
    rules.table["totals"] = {name: total_of(_level_labels(files, levels, name)) or "All" for name in dimensions}
    rules.table.update({"breakdown": "BREAKDOWN", "levels": levels})
    _add_period(rules, files, ["REPORTING_PERIOD_START"])
    keep_counts(rules, files, files.first("MEASURE_ID", "METRIC"))
    return rules


def _level_labels(files: CountFiles, levels: Sequence[str], dimension: str) -> list[str]:
    """Return the labels of a dimension that a breakdown names, such as `Region; Age`."""
    parts = [[part.strip() for part in text.split(";")] for text in files.columns["BREAKDOWN"]]
    named = ((row, some.index(dimension)) for row, some in enumerate(parts) if dimension in some)
    return [files.columns[levels[level]][row] for row, level in named if level < len(levels)]


def _add_period(rules: TableGuesses, files: CountFiles, names: Sequence[str]) -> None:
    """Make releases of a period column where one file holds several periods, a dimension where several files do."""
    for name in names:
        if name not in files.columns:
            continue
        several = len(set(files.columns[name])) > len(files.shown)
        if several and len(files.shown) == 1:
            rules.document["series"]["releases_by"] = name
        elif several:
            rules.table["dimensions"].insert(0, name)
            rules.table["over_time"] = "same"
            rules.doubts.append(f"Each file holds several periods: {name} is a dimension without a total.")
        elif any(map(str.isdigit, files.columns[name])):
            rules.add("not_counts", [name])


def dfe(files: CountFiles) -> TableGuesses | None:
    """Return the rules of a tidy file as the Department for Education publishes them, with its `.meta.csv`."""
    if not files.has("geographic_level", "time_period"):
        return None
    columns = files.columns
    filters, indicators = _meta(files.files)
    value = next((name for name in indicators if name in columns), None)
    if value is None:
        filters = [n for n in columns if total_of(columns[n]) is not None and not n.startswith("country")]
        counts = [name for name in kinds_of(columns).counts if "code" not in name and name != "time_period"]
        value = counts[-1] if counts else None
    if value is None:
        return None
    nested = [name for name in ("region_name", "la_name") if name in columns and files.varies(name)]
    dimensions = [n for n in filters if n in columns and files.varies(n) and n not in ("geographic_level", *nested)]
    rules = rules_of("a tidy file as the Department for Education publishes them", files, dimensions, value)
    rules.table["totals"] = {name: rules.table["totals"].get(name, "Total") for name in dimensions}
    if nested:
        rules.table["dimensions"].insert(0, "area")
        rules.table["totals"]["area"] = next(iter(columns.get("country_name", ["Total"])), "Total")
        rules.table["nested"] = {"area": nested}
        rules.doubts.append("Every region is taken to consist of the authorities that the files show inside it.")
    _add_period(rules, files, ["time_period"])
    rules.add("not_published", [text for text in ("z", "x") if text in columns[value]])
    rules.texts.update(columns[value])
    codes = [name for name in columns if name.endswith("_code") or name in ("new_la_code", "old_la_code")]
    beside = [name for name in (*dimensions, *nested, "country_name") if name in columns]
    rules.add("not_counts", codes_beside(files, codes, beside))
    return rules


def _meta(files: Sequence[Path]) -> tuple[list[str], list[str]]:
    """Return the filters and the indicators that a `.meta.csv` beside the files names."""
    for meta in sorted({each for file in files for each in file.parent.glob("*.meta.csv")}):
        with meta.open(encoding="utf-8-sig", newline="") as source:
            rows = list(csv.DictReader(source))
        kinds = [(row.get("col_name", ""), (row.get("col_type") or "").casefold()) for row in rows]
        return [n for n, kind in kinds if kind == "filter"], [n for n, kind in kinds if kind == "indicator"]
    return [], []


_VALUE, _PERIOD = "OBS_VALUE", "TIME_PERIOD"
_STATUS = ("CONF_STATUS", "OBS_STATUS", "OBS_FLAG")
_ABOUT_FILES = {_VALUE, *_STATUS, "DATAFLOW", "STRUCTURE", "STRUCTURE_ID", "STRUCTURE_NAME", "ACTION"}
_UNITS = ("DECIMALS", "UNIT_MULT")
_MOST_DECIMALS = 12  # of a ratio: more are noise of floating-point numbers


def sdmx(files: CountFiles) -> TableGuesses | None:
    """Return the rules of an SDMX-CSV file, with the statistics that one column names.

    A name may have its label behind it, as in `SEX: Sex`; a code may have its label in the column beside it.
    """
    of = {name.partition(":")[0]: name for name in reversed(files.names) if name in files.columns}
    value = of.get(_VALUE)
    if value is None:
        return None
    columns = files.columns
    status = next((of[n] for n in _STATUS if n in of and any(columns[of[n]])), None)
    skipped = {of[name] for name in _ABOUT_FILES if name in of}
    before = [name for name in files.names[: files.names.index(value)] if name in columns]
    measure = next((n for n in before if n not in skipped and parts_rates(files, n, value)), None)
    dimensions = [n for n in before if n not in skipped | {of.get(_PERIOD), measure} and files.varies(n)]
    dimensions = without_copies(files, dimensions)
    rules = rules_of("SDMX-CSV", files, dimensions, value)
    _add_period(rules, files, [of[_PERIOD]] if _PERIOD in of else [])
    units = (of[name] for name in _UNITS if name in of)
    rules.add("not_counts", [n for n in units if {text.partition(":")[0] for text in columns[n]} == {"0"}])
    keep_counts(rules, files, measure)
    if status is not None:
        rules.table["status"] = status
        empty = [flag for flag, text in zip(columns[status], columns[value], strict=True) if not text and flag]
        rules.texts.update(empty)
    return rules


def opensafely(files: CountFiles) -> TableGuesses | None:
    """Return the rules of measures of OpenSAFELY: numerators, denominators and their ratios, by interval."""
    if not files.has("measure", "interval_start", "ratio", "numerator", "denominator"):
        return None
    known = ("measure", "interval_start", "interval_end", "ratio", "numerator", "denominator")
    labels = [name for name in files.names if name in files.columns and name not in known and files.varies(name)]
    named = ["measure"] * files.varies("measure")
    rules = rules_of("measures of OpenSAFELY", files, [*named, *labels], "numerator")
    _add_period(rules, files, ["interval_start"])
    rules.table["totals"] |= {name: "(all)" for name in labels if "" in files.columns[name]}
    del rules.table["value"]
    places = max((len(text.partition(".")[2]) for text in files.columns["ratio"]), default=0)
    rules.table["values"] = ["numerator", "denominator"]
    rules.table["part_of"] = {"numerator": "denominator"}
    rules.table["rates"] = {
        "column": "ratio",
        "per": 1,
        "decimals": min(places, _MOST_DECIMALS),
        "denominator": "denominator",
        "of": "published",
        "counts": "numerator",
    }
    rules.texts.update([*files.columns["numerator"], *files.columns["denominator"]])
    return rules


def census_bureau(files: CountFiles) -> TableGuesses | None:
    """Return the rules of estimates of the American Community Survey; their margins of error are not judged."""
    estimates = [name for name in files.columns if re.fullmatch(r"[BC][0-9]{5}[A-Z]*_[0-9]{3}E", name)]
    if not estimates or "NAME" not in files.columns:
        return None
    rules = rules_of("estimates of the Census Bureau", files, ["NAME"] * files.varies("NAME"), estimates[0])
    if len(estimates) > 1:
        del rules.table["value"]
        rules.table["values"] = [*estimates]
    rules.texts.update(text for name in estimates for text in files.columns[name])
    return rules


Form = Callable[[CountFiles], TableGuesses | None]
FORMS: tuple[Form, ...] = (
    tau_argus,
    tau_argus_csv,
    nhs,
    dfe,
    sdmx,
    opensafely,
    census_bureau,
    tidy,
)
"""The forms, the most special first."""
