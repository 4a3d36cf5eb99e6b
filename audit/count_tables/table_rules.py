"""Table rules: how counts were published (rounded, as rates, in several columns), and the keys of [table] about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from audit.io.toml import Reader
from audit.model.count_report import Rounding
from audit.model.json_types import UNBOUNDED

Form: TypeAlias = Callable[[Reader, Mapping[str, Any], str], Any]
HOW = ("nearest", "even", "down", "up", "random", "midpoint")
STATISTIC = "statistic"
"""The name of the dimension of which statistics that are parts of others are labels."""
WHOLE = "(whole)"
"""The total of that dimension, if several statistics are not part of another one."""


@dataclass(frozen=True)
class Rates:
    """Published rates: counts per `per` of a denominator, rounded to `decimals` decimals.

    Attributes:
        column: the column with the rates; if `is_statistic`, the statistic of the rows that are rates.
        per, decimals: the base, such as 100, and the number of decimals.
        denominator: the column, or the statistic, with the denominators; empty if there is one statistic.
        of_published: whether the rates were computed from the counts as published.
        total: the labels, by dimension, of the cell that is the denominator; its other labels are those of the row.
        counts: the column or statistic with the counts; empty if there is only one.
        is_statistic: whether rates are rows.
        of_cell: whether the denominator is a cell.
    """

    column: str
    per: int
    decimals: int
    denominator: str
    of_published: bool = False
    total: Mapping[str, str] = field(default_factory=dict)
    counts: str = ""
    is_statistic: bool = False
    of_cell: bool = False

    @property
    def has_column(self) -> bool:
        """Whether the denominator is in a column of the same row."""
        return not self.is_statistic and not self.of_cell

    def beside(self, view: CountColumn, totals: Mapping[str, str]) -> Rates:
        """Return the rates if their denominators are the counts of a column, which may be rounded, in the same row."""
        cell = {name: label or totals[name] for name, label in view.labels.items()}
        return replace(self, denominator=view.measure or "", total=cell, of_cell=True)


@dataclass(frozen=True)
class Wide:
    """A dimension whose labels are columns of counts."""

    dimension: str
    columns: Mapping[str, str]


@dataclass(frozen=True)
class ChangeColumn:
    """A column with the change of a count since a number of releases before.

    Attributes:
        column: the column.
        since: the number of releases.
        counts: the column with the counts; empty if there is only one.
    """

    column: str
    since: int = 1
    counts: str = ""


@dataclass(frozen=True)
class HidingRule:
    """The cost of hiding the cells with these labels; None if they must not be hidden."""

    cell: Mapping[str, str]
    cost: int | None


@dataclass(frozen=True)
class CountColumn:
    """One column of counts of a table.

    Attributes:
        column: the column.
        measure: its statistic; None if a column names it, or if there is only one.
        labels: the labels that all of its counts share.
    """

    column: str
    measure: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


def roots(values: tuple[str, ...], part_of: Mapping[str, str]) -> dict[str, str]:
    """Return the outermost count that each count is part of; for a count that is part of none, the count itself."""
    found = {}
    for value in values:
        root, seen = value, {value}
        while part_of.get(root, "") and part_of[root] not in seen:
            root = part_of[root]
            seen.add(root)
        found[value] = root
    return found


def part_atoms(values: tuple[str, ...], part_of: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the atoms of each count that is a part: combinations of parts, because parts of a count may overlap.

    >>> part_atoms(("cases", "deaths", "hospital"), {"deaths": "cases", "hospital": "cases"})
    {'deaths': ['only deaths', 'deaths & hospital'], 'hospital': ['only hospital', 'deaths & hospital']}
    """
    inside = roots(values, part_of)
    parts = [value for value in values if inside[value] != value]
    combinations: list[tuple[str, ...]] = [()]
    for part in parts:
        combinations += [(*some, part) for some in combinations if not some or inside[some[0]] == inside[part]]
    whole = [some for some in combinations if some and all(part_of[p] in (*some, inside[p]) for p in some)]
    overlapping = {part for part in parts if sum(part in some for some in whole) > 1}
    names = {
        some: f"only {some[0]}" if len(some) == 1 and some[0] in overlapping else " & ".join(some) for some in whole
    }
    return {part: [names[some] for some in whole if part in some] for part in parts}


# -- how keys of [table] are read ---------------------------------------------------------------------------------


def text_set(reader: Reader, table: Mapping[str, Any], key: str) -> frozenset[str]:
    """Return the distinct texts of a list, as `Reader.texts`."""
    return frozenset(reader.texts(table, key))


def whole(least: int) -> Form:
    """Return a reader of a whole number of at least `least`; the reader returns None if the key is absent."""

    def read(reader: Reader, table: Mapping[str, Any], key: str) -> int | None:
        value = table.get(key)
        if value is None or (type(value) is int and least <= value < UNBOUNDED):
            return value
        reader.note(key, "this has to be a whole number", f"write a whole number from {least}")
        return None

    return read


def one_of(known: Sequence[object], what: str, remedy: str) -> Form:
    """Return a reader of one of the known values; the first one is the default.

    It notes other values with the fault `what` and the remedy.
    """

    def read(reader: Reader, table: Mapping[str, Any], key: str) -> object:
        given = table.get(key, known[0])
        if any(given == each and type(given) is type(each) for each in known):
            return given
        reader.note(key, what, remedy)
        return known[0]

    return read


def record(what: str, example: str, forms: Mapping[str, Form], needed: Sequence[str], made: Callable[..., Any]) -> Form:
    """Return a reader of a table, which builds an object from it; None if the table is absent or faulty.

    Args:
        what: the fault of other values, and of a table from which `made` returns None.
        example: a line that is valid, for the remedy.
        forms: the reader of each allowed key.
        needed: the required keys.
        made: builds the object from the values, by key.
    """

    def read(reader: Reader, table: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401 - what is built
        given = table.get(key)
        if given is None:
            return None
        if isinstance(given, dict) and {*needed} <= set(given) <= set(forms):
            found = {name: form(reader, given, name) for name, form in forms.items() if name in given}
            if not any(each in (None, {}) for each in found.values()) and (whole := made(**found)) is not None:
                return whole
        reader.note(key, what, f"write {example}")
        return None

    return read


def nested_columns(reader: Reader, table: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
    """Return the columns of each nested dimension."""
    given = table.get(key, {})
    found = {name: reader.texts(given, name) for name in given} if isinstance(given, dict) else {}
    if not isinstance(given, dict) or not all(found.values()):
        remedy = 'write nested = { area = ["region", "authority"] }, the coarsest column first'
        reader.note(key, "this has to name a dimension and its columns", remedy)
    return found


def markers(reader: Reader, table: Mapping[str, Any], key: str) -> dict[str, tuple[int, int]]:
    """Return the least and the greatest count of each marker."""
    given = table.get(key, {})
    if not isinstance(given, dict):
        reader.note(key, "this has to be a table", 'write markers = { "*" = [1, 7] }')
        return {}
    found = {}
    for text, ends in given.items():
        interval = _interval(ends)
        if interval is None:
            reader.note(key, f'"{text}" needs a least and a greatest count', f'write "{text}" = [1, 7]')
        elif not text.strip():
            reader.note(key, "an empty cell is not a marker: it counts as not published", "leave it out")
        else:
            found[text.strip()] = interval
    return found


def _interval(ends: object) -> tuple[int, int] | None:
    if not isinstance(ends, list) or len(ends) != 2:
        return None
    low, high = ends
    high = UNBOUNDED if isinstance(high, float) and math.isinf(high) and high > 0 else high
    return (low, high) if type(low) is type(high) is int and 0 <= low <= high <= UNBOUNDED else None


def rates(reader: Reader, table: Mapping[str, Any], key: str) -> tuple[Rates, ...]:
    """Return the rates, from one table or a list of tables."""
    given = table.get(key, [])
    found = (_RATES(reader, {key: entry}, key) for entry in (given if isinstance(given, list) else [given]))
    return tuple(each for each in found if each is not None)


def _rates_of(
    per: int,
    decimals: int,
    denominator: str | Mapping[str, str],
    column: str = "",
    measure: str = "",
    *,
    of: str = "count",
    counts: str = "",
) -> Rates | None:
    """Return rates from the keys of an entry; None if it has both a column and a statistic, or neither."""
    if bool(column) == bool(measure):
        return None
    base, cell = (denominator, {}) if isinstance(denominator, str) else ("", denominator)
    return Rates(column or measure, per, decimals, base, of == "published", cell, counts, bool(measure), bool(cell))


def _denominator(reader: Reader, table: Mapping[str, Any], key: str) -> dict[str, str] | str | None:
    return reader.mapping(table, key) if isinstance(table.get(key), dict) else reader.text(table, key)


def distinct(reader: Reader, table: Mapping[str, Any], key: str) -> Mapping[str, str]:
    """Return texts by name; empty if a text occurs twice."""
    found = reader.mapping(table, key)
    return found if len(set(found.values())) == len(found) else {}


def hiding_rules(reader: Reader) -> tuple[HidingRule, ...]:
    """Return the entries of `[[hiding]]`, and note each problem with its line."""
    entries = reader.document.get("hiding", [])
    listed = entries if isinstance(entries, list) else [entries]
    rules = (_HIDING(reader, {"hiding": each}, "hiding") for each in listed)
    return tuple(rule for rule in rules if rule is not None)


def _hiding_rule(cell: Mapping[str, str], *, keep: bool = False, cost: int | None = None) -> HidingRule | None:
    """Return the rule of an entry; None if it has both `keep` and `cost`, or neither."""
    return HidingRule(cell, cost) if keep == (cost is None) else None


_ROUNDING = record(
    "this is not a way to round",
    f'rounding = {{ to = 5, how = "nearest" }}; how is one of {", ".join(HOW)}',
    {
        "to": whole(1),
        "how": one_of(HOW, "unknown way to round", f"use one of {', '.join(HOW)}"),
    },
    ["to"],
    partial(Rounding, how=HOW[0]),
)
_RATES = record(
    "these are not rates",
    'rates = { column = "rate", per = 100000, decimals = 1, denominator = "population" }',
    {
        **dict.fromkeys(("column", "measure", "counts"), Reader.text),
        "per": whole(1),
        "decimals": whole(0),
        "denominator": _denominator,
        "of": one_of(("count", "published"), "rates are of counts or of what was published", 'write of = "published"'),
    },
    ["per", "decimals", "denominator"],
    _rates_of,
)
_WIDE = record(
    "this is not a dimension in columns, each with a label of its own",
    'wide = { dimension = "sex", columns = { Male = "M", Female = "F", Total = "T" } }',
    {"dimension": Reader.text, "columns": distinct},
    ["dimension", "columns"],
    Wide,
)
_CHANGE = record(
    "this is not a change",
    'change = { column = "change", since = 1 }',
    {"column": Reader.text, "since": whole(1), "counts": Reader.text},
    ["column"],
    ChangeColumn,
)
_HIDING = record(
    "this does not say which cells to keep, or what it costs to hide them",
    'cell = { sex = "All" } and below it keep = true, or cost = 100, under [[hiding]]',
    {
        "cell": Reader.mapping,
        "keep": one_of((True,), "this has to be true", "leave it out"),
        "cost": whole(0),
    },
    ["cell"],
    _hiding_rule,
)
TABLE_KEYS: Mapping[str, Form] = {
    "dimensions": Reader.texts,
    **dict.fromkeys(("value", "measure", "breakdown", "status"), Reader.text),
    **dict.fromkeys(("measures", "values", "levels", "once", "sensitive"), Reader.texts),
    **dict.fromkeys(("codes", "exact", "not_published", "flags", "open", "not_counts"), text_set),
    "totals": Reader.mapping,
    "categories": Reader.files,
    "nested": nested_columns,
    "markers": markers,
    "status_hides": one_of((False, True), "this has to be true or false", "write status_hides = true, or leave it out"),
    "threshold": whole(1),
    "perturbation": whole(0),
    "rounding": _ROUNDING,
    "rates": rates,
    "over_time": one_of(
        ("independent", "same", "cumulative"),
        "unknown relation of releases",
        "use same, cumulative or independent",
    ),
    "absent": one_of(
        ("", "unknown", "zero"),
        "rows that are left out are either unknown or zero",
        'write "zero" or "unknown", or leave it out',
    ),
    "wide": _WIDE,
    "part_of": Reader.mapping,
    "change": _CHANGE,
    "harmless": Reader.lists,
}
"""The keys of `[table]`, and the reader of each."""
