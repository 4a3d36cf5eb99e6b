"""Forms in which offices publish tables of counts, each recognised by its columns.

Topics: a column names the question that the label beside it answers, as `SEN provision` or `FSM eligibility`. The
labels of each topic divide the same people, so that a table with topics has the margins of one dimension for each.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

from audit.count_tables.published_counts import Ends, divide_a_total, totals_not_by_chance
from audit.count_tables.published_texts import is_total_word, number_of, said_range, total_of
from audit.count_tables.table_rules import free_name
from audit.init.count_beside import (
    decimals_of,
    declare_beside,
    declare_flags,
    declare_rates,
    rounded_sum_of_others,
    split_count_cells,
    sums_of_others,
    without_flags,
)
from audit.init.count_columns import (
    CountFiles,
    Kinds,
    codes_beside,
    is_label_name,
    is_period,
    is_population,
    is_running,
    is_sign,
    kinds_of,
    names_labels,
    remarks_of,
    speaks_of_changes,
    speaks_of_rates,
    status_of,
    without_copies,
)
from audit.init.count_metadata import tau_argus, tau_argus_csv
from audit.init.count_rules import TableGuesses, counts_of, is_measure, keep_counts, parts_rates, rules_of
from audit.io import naming
from audit.io.naming import COUNTED, is_numbering, names_codes, speaks_of_counts
from audit.io.notations import words_in
from audit.runtime.phrases import say

_NEARLY = 20  # rounded parts differ from their total by less than one in this many


@dataclass(frozen=True)
class Topics:
    """Two columns, one with topics and one with their labels; without names of topics there are no such columns.

    Attributes:
        column: the column that names the topic of a row, or says that the row is about all people.
        labels: the column with the labels.
        names: the topics.
    """

    column: str = ""
    labels: str = ""
    names: Sequence[str] = ()

    def declare(self, rules: TableGuesses) -> None:
        """Declare the two columns."""
        if not self.names:
            return
        rules.table.update({"breakdown": self.column, "levels": [self.labels]})
        why = say(
            "{column} names topics ({topics}): each is a dimension, as the labels of all of them together add up to "
            "more than the total, and those of each do not.",
            column=self.column,
            topics=", ".join(self.names),
        )
        rules.doubt("table.breakdown", why)


def with_topics(
    files: CountFiles, dimensions: list[str], value: str, beside: Sequence[str] = ()
) -> tuple[CountFiles, list[str], Topics]:
    """Return the files and dimensions with one for each topic in place of the columns of topics and labels.

    In the column of a topic, the rows of others have the total's label. `beside` are further columns of labels.
    """
    topics = find_topics(files, [*dimensions, *beside], value)
    if not topics.names:
        return files, dimensions, topics
    named, labels = files.columns[topics.column], files.columns[topics.labels]
    total = total_of(labels) or ""
    own = {n: [c if t == n else total for t, c in zip(named, labels, strict=True)] for n in topics.names}
    left = [name for name in dimensions if name not in (topics.column, topics.labels)]
    return replace(files, columns={**files.columns, **own}), [*left, *topics.names], topics


def find_topics(files: CountFiles, names: Sequence[str], value: str) -> Topics:
    """Return the columns of topics and of their labels among those named, if the numbers show them.

    Only the rows of the total have neither, and the labels of a topic are mostly its own.
    """
    columns = files.columns
    for column, labels in permutations(names, 2):
        topics, own = columns[column], columns[labels]
        whole = total_of(topics), total_of(own)
        pairs = {*zip(topics, own, strict=True)}
        if None in whole or any((t == whole[0]) != (c == whole[1]) for t, c in pairs):
            continue
        found = [topic for topic in dict.fromkeys(topics) if topic != whole[0]]
        is_named = not any(";" in topic or topic in columns or not topic for topic in found)
        if len(found) > 1 and is_named and 2 * len({*own}) > len(pairs) > len(found) + 1:
            others = [columns[name] for name in names if name not in (column, labels)]
            if _are_alternatives(topics, own, whole[0], columns[value], [*others, files.release_of_rows()]):
                return Topics(column, labels, found)
    return Topics()


def _are_alternatives(
    topics: Sequence[str],
    labels: Sequence[str],
    whole: str | None,
    values: Sequence[str],
    others: Sequence[Sequence[str]],
) -> bool:
    """Return whether the labels of all topics add up to more than the total in a line, but those of none do in any.

    Topics whose totals add up to it are its parts, as regions are.
    """
    lines: dict[tuple[str, ...], dict[str, dict[str, Ends | None]]] = {}
    for topic, label, text, *line in zip(topics, labels, values, *others, strict=True):
        number = number_of(text)
        lines.setdefault((*line,), {}).setdefault(topic, {})[label] = None if number is None else (number, number)
    known = [
        ((total[0], total[0] + total[0] // _NEARLY), parts)
        for parts in lines.values()
        if (total := next(iter(parts.pop(whole or "", {}).values()), None)) is not None and total[0]
    ]
    sums = [
        (most, [sum(ends[0] for ends in part.values() if ends) for part in parts.values()])
        for (_, most), parts in known
    ]
    are_within = all(max(parts, default=0) <= total for total, parts in sums)
    return are_within and any(sum(parts) > total for total, parts in sums) and not divide_a_total(known)


def tidy(files: CountFiles) -> TableGuesses | None:
    """Return the rules of a table with a row for each combination of labels and one or more columns of numbers."""
    files, flags = without_flags(split_count_cells(files))
    columns = files.columns
    kinds = kinds_of(columns)
    if _are_rows_of_people(columns, kinds):
        return None
    measure, counts, codes = _sorted(files, kinds)
    if not counts:
        return None
    value = _value_of(counts, columns)
    status = status_of(files, value)
    periods = [name for name in columns if is_period(name, set(columns[name]))]
    period = next((n for n in periods if len(set(columns[n])) > len(files.releases)), None)
    elsewhere = {measure, status, *(name for name in periods if len(files.releases) == 1 or name != period)}
    labels = without_copies(files, [n for n in kinds.labels if files.varies(n) and n not in elsewhere])
    if not labels or not _is_table(files, [*labels, *(n for n in elsewhere if n in columns)], counts, value):
        return None
    files, labels, topics = with_topics(files, labels, value)
    remarks = remarks_of(files, labels, [n for n in elsewhere if n in columns])
    labels = [n for n in labels if n not in remarks]
    if len(labels) == 1 and _names_people(files, labels[0], remarks):
        return None
    rules = rules_of(say("a table of counts"), files, labels, value)
    note_remarks(rules, remarks)
    topics.declare(rules)
    if status is not None:
        rules.table["status"] = status
        rules.texts.update(sign for sign, text in zip(columns[status], columns[value], strict=True) if not text)
    blank = {
        n: "Total" for n in labels if n not in rules.totals and (_total_rows(files, n) or _sums_up(files, n, labels))
    }
    rules.table["totals"] |= blank
    if period is not None and len(files.releases) == 1:
        rules.document["series"]["releases_by"] = period
    _add_codes(rules, files, kinds, codes, [n for n in periods if n not in (*labels, period)])
    declare_flags(rules, flags)
    keep_counts(rules, files, measure)
    kept = [True] * len(columns[value])
    if "measure" in rules.table and measure is not None:
        counted = counts_of(columns[measure], columns[value])
        kept = [text in counted for text in columns[measure]]
    declare_beside(rules, files, counts, [n for n in kinds.numbers if n not in (value, *codes)], kept)
    _doubt_counts(rules, value)
    return rules


def _doubt_counts(rules: TableGuesses, value: str) -> None:
    """Note that rows may be people, if neither a total nor a sign for hidden counts shows that they are not."""
    if not rules.totals and not any(map(is_sign, rules.texts)):
        key = next((key for key in ("values", "wide") if key in rules.table), "value")
        rules.doubt(
            f"table.{key}",
            say(
                "{column} is read as counts; if each row is a person, delete this manifest: let `audit init "
                "--microdata` read the rows if they are not published yet, else write sensitive and "
                "quasi_identifiers under [columns].",
                column=value,
            ),
        )


def note_remarks(rules: TableGuesses, remarks: Sequence[str]) -> None:
    """Note that columns are taken for remarks, and are no dimensions."""
    if remarks:
        why = say(
            "{columns}: taken for remarks, because the other labels determine them; if one names groups of people, add "
            "it to the dimensions.",
            columns=", ".join(remarks),
        )
        rules.doubt("table.dimensions", why)


def _sorted(files: CountFiles, kinds: Kinds) -> tuple[str | None, list[str], list[str]]:
    """Return the columns of statistics, counts and codes, and remove them from the kinds."""
    measure = next((name for name in kinds.labels if is_measure(name) and files.varies(name)), None)
    if not kinds.counts and measure is not None:
        kinds.counts.extend(name for name in kinds.numbers[-1:] if parts_rates(files, measure, name))
    labels = [n for n in kinds.labels if not _is_note(files, n, kinds.labels)]
    codes = codes_beside(files, [*kinds.counts, *kinds.numbers, *kinds.labels], labels)
    kinds.labels[:] = labels
    numbering = (name for name in (*kinds.labels, *kinds.counts) if name not in codes)
    codes += [name for name in numbering if _numbers_rows(name, files.columns[name])]
    codes += [n for n in kinds.counts if n not in codes and names_labels(files, n, kinds.counts, labels)]
    kinds.labels[:] = [n for n in kinds.labels if n not in codes or not files.varies(n)]
    counts = [name for name in kinds.counts if name not in codes]
    others = [name for name in counts if speaks_of_changes(name) or speaks_of_rates(name)]
    if len(others) < len(counts):
        kinds.numbers.extend(others)
        counts = [name for name in counts if name not in others]
    running = [name for name in counts if is_running(name)]
    return measure, [name for name in counts if name not in running] or running, codes


def _add_codes(
    rules: TableGuesses, files: CountFiles, kinds: Kinds, codes: Sequence[str], periods: Sequence[str]
) -> None:
    """Declare the columns of numbers that say nothing about the counts: codes, periods and constants.

    A constant range, such as `<5`, may be counts, all of which are hidden, unless the name is one of labels.
    """
    constant = [
        name
        for name in kinds.labels
        if not files.varies(name) and (is_label_name(name) or not any(map(said_range, files.columns[name])))
    ]
    named = dict.fromkeys([*codes, *constant, *periods])
    rules.add("not_counts", [name for name in named if any(c.isdigit() for text in files.columns[name] for c in text)])
    by_cells = [n for n in kinds.counts if not (names_codes(n) or _numbers_rows(n, files.columns[n]))]
    numbers = [
        name
        for name in codes
        if (is_numbering(name) or name in by_cells) and files.varies(name) and any(map(number_of, files.columns[name]))
    ]
    if numbers:
        why = say(
            "{columns}: taken for codes, though the cells are numbers; if they are counts, delete the name in "
            "not_counts, and name the column in values or wide.",
            columns=", ".join(numbers),
        )
        rules.doubt("table.not_counts", why)


def _are_rows_of_people(columns: Mapping[str, Sequence[str]], kinds: Kinds) -> bool:
    """Return whether a column is named for people, records or groups, and nothing shows that rows are counts.

    A column named for counts with a marker in it, or a label for all people, shows that rows are counts.
    """
    of_people = [name for name in columns if naming.kind(name) in ("person", "record", "group", "id")]
    if all(name in kinds.counts and speaks_of_counts(name) for name in of_people):
        return False
    named = [name for name in kinds.counts if speaks_of_counts(name) and naming.sensitivity(name) == 0]
    hides = any(text and number_of(text) is None for name in named for text in columns[name])
    return not (hides or (named and any(total_of(columns[name]) is not None for name in kinds.labels)))


def _names_people(files: CountFiles, name: str, remarks: Sequence[str]) -> bool:
    """Return whether a column has a code for each row, and those beside it do not follow from each other.

    Beside the codes of places there are their names, and the larger units in which they lie.
    """
    independent = len(remarks) - len(remarks_of(files, remarks, ()))
    are_codes = all(any(map(str.isdigit, text)) for text in files.columns[name])
    return independent > _OF_PLACES and are_codes and not naming.is_quasi(name)


_OF_PLACES = 2  # such as a county and a type, of which neither follows from the other
_OF_ROWS = frozenset(("row", "rows", "index", "key", "order", "seq", "sequence"))


def _numbers_rows(name: str, texts: Sequence[str]) -> bool:
    """Return whether a column only numbers the rows."""
    numbers = {number for text in texts if (number := number_of(text)) is not None}
    consecutive = len(numbers) == len(texts) and max(numbers) - min(numbers) == len(texts) - 1
    named = naming.kind(name) == "id" or not _OF_ROWS.isdisjoint(words_in(name))
    return named and consecutive and len(texts) > 1


def _value_of(counts: Sequence[str], columns: dict[str, list[str]]) -> str:
    """Return the column that most surely has the counts: of those with most markers, by its name, else the first.

    Denominators of rates have fewer markers. Without any, no population is chosen.
    """
    signs = {name: sum(is_sign(text) and number_of(text) is None for text in columns[name] if text) for name in counts}
    some = [name for name in counts if signs[name] == max(signs.values()) > 0]
    some = some or [name for name in counts if not is_population(name)] or [*counts]
    known = [each.casefold() for each in COUNTED]
    named = sorted((known.index(name.casefold()), name) for name in some if name.casefold() in known)
    return named[0][1] if named else next(iter([*filter(speaks_of_counts, some), *some]))


def _is_note(files: CountFiles, name: str, labels: Sequence[str]) -> bool:
    """Return whether a column of texts is a note beside numbers: often empty, or only a word for totals."""
    texts = files.columns[name]
    if "" in texts and all(is_total_word(text) for text in texts if text):
        return True
    often = sum(not text for text in texts) > 0.3 * len(texts) and len(labels) > 1
    return often and total_of(texts) is None and not _total_rows(files, name) and not _sums_up(files, name, labels)


def _total_rows(files: CountFiles, name: str) -> bool:
    """Return whether a label is empty exactly in the rows that another column marks as totals."""
    empty = [not text for text in files.columns[name]]
    if not any(empty):
        return False
    said = ([is_total_word(text) for text in texts] for other, texts in files.columns.items() if other != name)
    return any(any(words) and all(word for word, blank in zip(words, empty, strict=True) if blank) for words in said)


def _sums_up(files: CountFiles, name: str, labels: Sequence[str]) -> bool:
    """Return whether rows without a label may be the sums of the others, as SQL's `ROLLUP` and `CUBE` write them.

    The other labels of each such row stand in no other one, and beside several labels.
    """
    texts = files.columns[name]
    rest = [*zip(files.file_of_rows(), *(files.columns[each] for each in labels if each != name), strict=True)]
    blank = [key for key, text in zip(rest, texts, strict=True) if not text]
    beside = Counter(key for key, text in zip(rest, texts, strict=True) if text)
    return 0 < len(blank) == len({*blank}) and all(beside[key] > 1 for key in blank)


def _is_table(files: CountFiles, labels: Sequence[str], counts: Sequence[str], value: str) -> bool:
    """Return whether rows are cells of a table: each combination of labels once per file, and evidence of a table.

    Evidence is a label for all people, a column named for all people with the sums of the others, a marker in place of
    a count, the name of the column, or a label with the sums of the others.
    """
    texts, start, unique = files.columns[value], 0, True
    for rows in files.rows_of:
        part = list(zip(*(files.columns[name][start : start + rows] for name in labels), strict=True))
        unique &= len(set(part)) == len(part)
        start += rows
    if not unique or len(texts) < 2:
        return False
    if any(total_of(files.columns[name]) is not None or _total_rows(files, name) for name in labels):
        return True
    filled = all(all(files.columns[name]) for name in labels)
    if filled and len(counts) > 2:
        rounded = rounded_sum_of_others(files, counts)
        if any(map(is_total_word, [*sums_of_others(files, counts, 0), *([rounded] if rounded else [])])):
            return True
    marks = Counter(text for text in texts if text and number_of(text) is None)
    return (
        (bool(marks) and all(map(is_sign, marks)))
        or (speaks_of_counts(value) and not marks and not any(map(naming.sensitivity, labels)))
        or (filled and any(_has_sums(files, name, labels, counts) for name in labels))
    )


def _has_sums(files: CountFiles, name: str, labels: Sequence[str], counts: Sequence[str]) -> bool:
    """Return whether a label of a column has the sums of the others in each column of counts, as no person has."""
    keys = [*zip(files.file_of_rows(), *(files.columns[each] for each in labels if each != name), strict=True)]
    lines = defaultdict[tuple[object, ...], dict[str, Ends | None]](dict)
    for count in counts:
        for key, label, text in zip(keys, files.columns[name], files.columns[count], strict=True):
            number = number_of(text)
            lines[count, *key][label] = None if number is None else (number, number)
    return bool(totals_not_by_chance(lines.values()))


def nhs(files: CountFiles) -> TableGuesses | None:
    """Return the rules of a long file as NHS England publishes them."""
    value = files.first("MEASURE_VALUE", "METRIC_VALUE", "MEASURE_VALUE_SUPPRESSED")
    if value is None or not files.has("BREAKDOWN", "PRIMARY_LEVEL"):
        return None
    columns = files.columns
    levels = [name for name in ("PRIMARY_LEVEL", "SECONDARY_LEVEL", "TERTIARY_LEVEL") if name in columns]
    parts = dict.fromkeys(part.strip() for text in columns["BREAKDOWN"] for part in text.split(";") if part.strip())
    dimensions = [part for part in parts if not is_total_word(part)]
    rules = TableGuesses.of(say("a long file as NHS England publishes them"), files.shown, dimensions, value)
    rules.table["totals"] = {name: total_of(_level_labels(files, levels, name)) or "All" for name in dimensions}
    rules.table.update({"breakdown": "BREAKDOWN", "levels": levels})
    _add_period(rules, files, "REPORTING_PERIOD_START")
    keep_counts(rules, files, files.first("MEASURE_ID", "METRIC"))
    return rules


def _level_labels(files: CountFiles, levels: Sequence[str], dimension: str) -> list[str]:
    """Return the labels of a dimension that a breakdown names, such as `Region; Age`."""
    parts = [[part.strip() for part in text.split(";")] for text in files.columns["BREAKDOWN"]]
    named = ((row, some.index(dimension)) for row, some in enumerate(parts) if dimension in some)
    return [files.columns[levels[level]][row] for row, level in named if level < len(levels)]


def _add_period(rules: TableGuesses, files: CountFiles, name: str | None) -> None:
    """Make a period column the releases if there is one file, and a dimension if several files have several periods."""
    periods = set(files.columns.get(name or "", ()))
    several = len(periods) > len(files.releases)
    if several and len(files.releases) == 1:
        rules.document["series"]["releases_by"] = name
    elif several:
        rules.table["dimensions"].insert(0, name)
        rules.table["over_time"] = "same"
        why = say("Each file holds several periods: {column} is a dimension without a total.", column=name)
        rules.doubts.append(why)
    elif name is not None and any(map(str.isdigit, periods)):
        rules.add("not_counts", [name])


def dfe(files: CountFiles) -> TableGuesses | None:
    """Return the rules of a tidy file as the Department for Education publishes them, with its `.meta.csv`."""
    if not files.has("geographic_level", "time_period"):
        return None
    files, flags = without_flags(files)
    columns, kinds = files.columns, kinds_of(files.columns)
    filters, indicators = _meta(files.files)
    counts = [name for name in kinds.counts if "code" not in name and name != "time_period"]
    value = next((name for name in indicators if name in columns and name not in kinds.numbers), None)
    if value is None:
        filters = [n for n in columns if total_of(columns[n]) is not None and not n.startswith("country")]
        value = next((name for name in counts[::-1] if not speaks_of_rates(name)), None)
    if value is None:
        return None
    nested = [name for name in ("region_name", "la_name") if name in columns and files.varies(name)]
    dimensions = [n for n in filters if n in columns and files.varies(n) and n not in ("geographic_level", *nested)]
    codes = [name for name in columns if name.endswith("_code") or name in ("new_la_code", "old_la_code")]
    codes_named = codes_beside(files, codes, [n for n in (*dimensions, *nested, "country_name") if n in columns])
    files, dimensions, topics = with_topics(files, dimensions, value, nested)
    rules = rules_of(say("a tidy file as the Department for Education publishes them"), files, dimensions, value)
    declare_flags(rules, flags)
    topics.declare(rules)
    rules.table["totals"] = {name: rules.table["totals"].get(name, "Total") for name in dimensions}
    if nested:
        area = free_name(say("area"), columns)
        rules.table["dimensions"].insert(0, area)
        named = next(filter(None, (total_of(columns[name]) for name in nested)), None)
        rules.table["totals"][area] = named or next(iter(columns.get("country_name", ["Total"])), "Total")
        rules.table["nested"] = {area: nested}
    _add_period(rules, files, "time_period")
    rules.add("not_published", [text for text in ("z", "x") if text in columns[value]])
    rules.texts.update(columns[value])
    rules.add("not_counts", codes_named)
    declare_rates(rules, files, counts, [name for name in kinds.numbers if name not in codes])
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
    """Return the rules of an SDMX-CSV file, with the statistics that a column names.

    A label may follow a name, as in `SEX: Sex`; the label of a code may be in the next column.
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
    _add_period(rules, files, of.get(_PERIOD))
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
    rules = rules_of(say("measures of OpenSAFELY"), files, [*named, *labels], "numerator")
    _add_period(rules, files, "interval_start")
    rules.table["totals"] |= {name: "(all)" for name in labels if "" in files.columns[name]}
    del rules.table["value"]
    rules.table["values"], rules.table["part_of"] = ["numerator", "denominator"], {"numerator": "denominator"}
    rules.table["rates"] = {
        "column": "ratio",
        "per": 1,
        "decimals": min(decimals_of(files.columns["ratio"]), _MOST_DECIMALS),
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
    rules = rules_of(say("estimates of the Census Bureau"), files, ["NAME"] * files.varies("NAME"), estimates[0])
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
"""The forms, the most specific first."""
