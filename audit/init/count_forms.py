"""Forms in which offices publish tables of counts, each recognised by its columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from audit.init.count_argus import tau_argus, tau_argus_csv
from audit.init.count_columns import CountFiles, codes_beside, is_total_word, kinds_of, total_of, without_copies
from audit.init.count_measures import keep_counts, parts_rates
from audit.init.count_rules import RuleGuesses, rules_of
from audit.init.count_tidy import tidy
from audit.io.toml import toml_array, toml_text


def nhs(files: CountFiles) -> RuleGuesses | None:
    """Return the rules of a long file as NHS England publishes them."""
    value = files.first("MEASURE_VALUE", "METRIC_VALUE", "MEASURE_VALUE_SUPPRESSED")
    if value is None or not files.has("BREAKDOWN", "PRIMARY_LEVEL"):
        return None
    columns = files.columns
    levels = [name for name in ("PRIMARY_LEVEL", "SECONDARY_LEVEL", "TERTIARY_LEVEL") if name in columns]
    parts = dict.fromkeys(part.strip() for text in columns["BREAKDOWN"] for part in text.split(";") if part.strip())
    dimensions = [part for part in parts if not is_total_word(part)]
    rules = RuleGuesses("a long file as NHS England publishes them", files.shown, dimensions, value)
    rules.totals = {name: total_of(_level_labels(files, levels, name)) or "All" for name in dimensions}
    rules.extra |= {"breakdown": toml_text("BREAKDOWN"), "levels": toml_array(map(toml_text, levels))}
    _add_period(rules, files, ["REPORTING_PERIOD_START"])
    keep_counts(rules, files, files.first("MEASURE_ID", "METRIC"))
    return rules


def _level_labels(files: CountFiles, levels: Sequence[str], dimension: str) -> list[str]:
    """Return the labels of a dimension that a breakdown names, such as `Region; Age`."""
    parts = [[part.strip() for part in text.split(";")] for text in files.columns["BREAKDOWN"]]
    named = ((row, some.index(dimension)) for row, some in enumerate(parts) if dimension in some)
    return [files.columns[levels[level]][row] for row, level in named if level < len(levels)]


def _add_period(rules: RuleGuesses, files: CountFiles, names: Sequence[str]) -> None:
    """Make releases of a period column where one file holds several periods, a dimension where several files do."""
    for name in names:
        if name not in files.columns:
            continue
        several = len(set(files.columns[name])) > len(files.shown)
        if several and len(files.shown) == 1:
            rules.series["releases_by"] = name
        elif several:
            rules.dimensions.insert(0, name)
            rules.over_time = "same"
            rules.doubts.append(f"Each file holds several periods: {name} is a dimension without a total.")
        elif any(map(str.isdigit, files.columns[name])):
            rules.not_counts.append(name)


def dfe(files: CountFiles) -> RuleGuesses | None:
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
    rules.totals = {name: rules.totals.get(name, "Total") for name in dimensions}
    if nested:
        rules.dimensions.insert(0, "area")
        rules.totals["area"] = next(iter(columns.get("country_name", ["Total"])), "Total")
        rules.extra["nested"] = f"{{ area = {toml_array(map(toml_text, nested))} }}"
        rules.doubts.append("Every region is taken to consist of the authorities that the files show inside it.")
    _add_period(rules, files, ["time_period"])
    rules.not_published = [text for text in ("z", "x") if text in columns[value]]
    rules.texts.update(columns[value])
    codes = [name for name in columns if name.endswith("_code") or name in ("new_la_code", "old_la_code")]
    beside = [name for name in (*dimensions, *nested, "country_name") if name in columns]
    rules.not_counts += codes_beside(files, codes, beside)
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


def sdmx(files: CountFiles) -> RuleGuesses | None:
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
    rules.not_counts += [name for name in units if {text.partition(":")[0] for text in columns[name]} == {"0"}]
    keep_counts(rules, files, measure)
    if status is not None:
        rules.extra["status"] = toml_text(status)
        empty = [flag for flag, text in zip(columns[status], columns[value], strict=True) if not text and flag]
        rules.texts.update(empty)
    return rules


def opensafely(files: CountFiles) -> RuleGuesses | None:
    """Return the rules of measures of OpenSAFELY: numerators, denominators and their ratios, by interval."""
    if not files.has("measure", "interval_start", "ratio", "numerator", "denominator"):
        return None
    known = ("measure", "interval_start", "interval_end", "ratio", "numerator", "denominator")
    labels = [name for name in files.names if name in files.columns and name not in known and files.varies(name)]
    named = ["measure"] * files.varies("measure")
    rules = rules_of("measures of OpenSAFELY", files, [*named, *labels], "numerator")
    _add_period(rules, files, ["interval_start"])
    rules.totals |= {name: "(all)" for name in labels if "" in files.columns[name]}
    rules.value = ""
    places = max((len(text.partition(".")[2]) for text in files.columns["ratio"]), default=0)
    rules.extra["values"] = toml_array(map(toml_text, ("numerator", "denominator")))
    rules.extra["part_of"] = '{ numerator = "denominator" }'
    rules.extra["rates"] = (
        f'{{ column = "ratio", per = 1, decimals = {min(places, _MOST_DECIMALS)}, denominator = "denominator", '
        'of = "published", counts = "numerator" }'
    )
    rules.texts.update([*files.columns["numerator"], *files.columns["denominator"]])
    return rules


def census_bureau(files: CountFiles) -> RuleGuesses | None:
    """Return the rules of estimates of the American Community Survey; their margins of error are not judged."""
    estimates = [name for name in files.columns if re.fullmatch(r"[BC][0-9]{5}[A-Z]*_[0-9]{3}E", name)]
    if not estimates or "NAME" not in files.columns:
        return None
    rules = rules_of("estimates of the Census Bureau", files, ["NAME"] * files.varies("NAME"), estimates[0])
    if len(estimates) > 1:
        rules.value = ""
        rules.extra["values"] = toml_array(map(toml_text, estimates))
    rules.texts.update(text for name in estimates for text in files.columns[name])
    return rules


Form = Callable[[CountFiles], RuleGuesses | None]
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
