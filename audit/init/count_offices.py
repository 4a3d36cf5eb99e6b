"""Forms of particular offices: Statistics Canada, PxStat, the Office for National Statistics, NHS Scotland, OpenSAFELY.

Sources: the offices' own descriptions of their CSV files. Codes and units beside labels say nothing about the counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from audit.count_tables.number_texts import is_like_a_number, number_of
from audit.init import column_names
from audit.init.count_columns import CountFiles, is_period, speaks_of_counts, total_of
from audit.init.count_rules import RuleGuesses
from audit.io.toml import toml_array, toml_text

_DECIMALS = 12  # of a ratio: more are noise of floating-point numbers


def statcan(files: CountFiles) -> RuleGuesses | None:
    """Return the rules of a table of Statistics Canada."""
    if not files.has("REF_DATE", "GEO", "VALUE", "COORDINATE"):
        return None
    first, last = files.names.index("GEO"), files.names.index("UOM") if files.has("UOM") else files.names.index("VALUE")
    labels = [name for name in files.names[first:last] if name in files.columns and name != "DGUID"]
    rules = _rules("a table of Statistics Canada", files, labels, "VALUE", "REF_DATE")
    _add_status(rules, files, "STATUS")
    return rules


def pxstat(files: CountFiles) -> RuleGuesses | None:
    """Return the rules of a table of PxStat, as the Central Statistics Office of Ireland publishes them."""
    if not files.has("VALUE", "UNIT") or not any(name.startswith("TLIST(") for name in files.names):
        return None
    at = next(place for place, name in enumerate(files.names) if name.startswith("TLIST("))
    period = files.names[at + 1] if at + 1 < len(files.names) else ""
    measure = next((name for name in files.columns if name.casefold() == "statistic label"), None)
    codes = [name for name in files.columns if re.fullmatch(r"C[0-9]+V[0-9]+|TLIST\(.*\)|STATISTIC", name)]
    labels = [name for name in files.columns if name not in (*codes, measure, period, "UNIT", "VALUE")]
    return _rules("a table of PxStat", files, labels, "VALUE", period, measure)


def ons(files: CountFiles) -> RuleGuesses | None:
    """Return the rules of a file of the Office for National Statistics: a value, its marking, codes and labels."""
    value = next((name for name in files.names if re.fullmatch(r"v4_[0-9]+", name, re.IGNORECASE)), None)
    if value is None or value not in files.columns:
        return None
    extra = [name for name in files.names[1:] if name.casefold() in ("data marking", "data_marking")]
    pairs = files.names[1 + len(extra) :]
    labels = [name for name in pairs[1::2] if name in files.columns]
    period = next((name for name in labels if is_period(name, set(files.columns[name]))), "")
    labels = [name for name in labels if name != period]
    rules = _rules("a file of the Office for National Statistics", files, labels, value, period, codes=pairs[::2])
    if extra:
        _add_status(rules, files, extra[0])
    return rules


def nhs_scotland(files: CountFiles) -> RuleGuesses | None:
    """Return the rules of open data of NHS Scotland: beside a column, its qualifier `QF`."""
    qualified = [name for name in files.columns if f"{name}QF" in files.columns]
    counts = [name for name in qualified if any(number_of(text) is not None for text in files.columns[name])]
    speaking = [name for name in counts if speaks_of_counts(name)] or counts
    if not speaking:
        return None
    value = speaking[0]
    others = [n for n in files.columns if not n.endswith("QF") and n != value and n not in counts]
    period = next((name for name in others if is_period(name, set(files.columns[name]))), "")
    numbers = _numbers(files, others) | {"_id"}
    labels = [n for n in others if n != period and n not in numbers and f"{n}Name" not in files.columns]
    rules = _rules("open data of NHS Scotland", files, labels, value, period)
    _add_status(rules, files, f"{value}QF")
    return rules


def opensafely(files: CountFiles) -> RuleGuesses | None:
    """Return the rules of measures of OpenSAFELY: numerators, denominators and their ratios, by interval."""
    if not files.has("measure", "interval_start", "ratio", "numerator", "denominator"):
        return None
    known = ("measure", "interval_start", "interval_end", "ratio", "numerator", "denominator")
    labels = [name for name in files.names if name in files.columns and name not in known]
    rules = _rules("measures of OpenSAFELY", files, ["measure", *labels], "numerator", "interval_start")
    rules.totals |= {name: "(all)" for name in rules.dimensions if name in labels and "" in files.columns[name]}
    rules.value = ""
    places = max((len(text.partition(".")[2]) for text in files.columns["ratio"]), default=0)
    rules.extra["values"] = toml_array(map(toml_text, ("numerator", "denominator")))
    rules.extra["part_of"] = '{ numerator = "denominator" }'
    rules.extra["rates"] = (
        f'{{ column = "ratio", per = 1, decimals = {min(places, _DECIMALS)}, denominator = "denominator", '
        'of = "published", counts = "numerator" }'
    )
    rules.texts.update(files.columns["denominator"])
    return rules


def census_bureau(files: CountFiles) -> RuleGuesses | None:
    """Return the rules of estimates of the American Community Survey; their margins of error are not judged."""
    estimates = [name for name in files.columns if re.fullmatch(r"[BC][0-9]{5}[A-Z]*_[0-9]{3}E", name)]
    if not estimates or "NAME" not in files.columns:
        return None
    rules = _rules("estimates of the Census Bureau", files, ["NAME"], estimates[0], "")
    if len(estimates) > 1:
        rules.value = ""
        rules.extra["values"] = toml_array(map(toml_text, estimates))
    rules.texts.update(text for name in estimates[1:] for text in files.columns[name])
    return rules


def _rules(
    shape: str,
    files: CountFiles,
    labels: Sequence[str],
    value: str,
    period: str,
    measure: str | None = None,
    codes: Sequence[str] = (),
) -> RuleGuesses:
    """Return the rules of a file whose columns are known; what has numbers and no meaning are codes."""
    labels = [name for name in labels if name in files.columns and files.varies(name)]
    rules = RuleGuesses(shape, files.shown, labels, value)
    rules.totals = {name: total for name in labels if (total := total_of(files.columns[name])) is not None}
    if period and len(set(files.columns[period])) > len(files.shown):
        if len(files.shown) == 1:
            rules.series["releases_by"] = period
        else:
            rules.dimensions.insert(0, period)
    if measure is not None and files.varies(measure):
        texts = dict.fromkeys(files.columns[measure])
        rules.extra |= {"measure": toml_text(measure), "measures": toml_array(map(toml_text, texts))}
    named = {value, measure, *labels, *rules.series.values(), *rules.dimensions}
    rules.not_counts = sorted(
        _numbers(files, [name for name in files.columns if name not in named and (name in codes or _is_code(name))])
    )
    rules.texts.update(files.columns[value])
    return rules


_CODES = {"code", "codes", "id", "coordinate", "decimals", "vector", "uom", "scalar", "dguid", "statistic", "tlist"}


def _is_code(name: str) -> bool:
    periods = {"ref", "year", "time", "month", "quarter", "date", "yearmonth", "period"}
    words = set(column_names.words(name))
    coded = re.fullmatch(r"C[0-9]+V[0-9]+|TLIST\(.*\)|_id|HB[A-Z]*|CA[A-Z]*", name) is not None
    return coded or not (_CODES | periods).isdisjoint(words)


def _numbers(files: CountFiles, names: Sequence[str]) -> set[str]:
    return {name for name in names if any(map(is_like_a_number, set(files.columns[name])))}


def _add_status(rules: RuleGuesses, files: CountFiles, status: str) -> None:
    """Add the column with signs in place of values that are empty."""
    pairs = zip(files.columns.get(status, ()), files.columns[rules.value], strict=False)
    signs = [sign for sign, value in pairs if sign and number_of(value) is None]
    if status in files.columns and signs:
        rules.extra["status"] = toml_text(status)
        rules.texts.update(signs)
