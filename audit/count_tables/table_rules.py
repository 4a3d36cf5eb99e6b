"""Table rules: how counts were published (rounded, as rates, in several columns), and the keys of [table] about it."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from audit.io.toml import Form, Reader, one_of, record, several, whole
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import Rounding
from audit.runtime.phrases import Phrase, say

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
        base: the multiples to which denominators were rounded after the rates were computed, 1 if rates are of the
            denominators as published; 0 if the manifest does not say it.
        seems: the base if the manifest does not say it, by the denominators.
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
    base: int = 0
    seems: int = 1

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


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name for a dimension or a column that none of those `taken` has.

    >>> free_name("period", ["period", "period 2"])
    'period 3'
    """
    return next(each for each in (name, *(f"{name} {at}" for at in range(2, 1_000))) if each not in taken)


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


MOST_PARTS = 13
"""How many parts of counts are read: they may overlap in any way, and each more doubles the ways."""


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


def nested_columns(reader: Reader, table: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
    """Return the columns of each nested dimension."""
    given = reader.entries(table, key, '["region", "authority"]')
    found = {name: reader.texts(given, name) for name in given}
    if not all(found.values()):
        what = say("this has to name a dimension and its columns, the coarsest first")
        reader.ask_for(key, what, 'nested = { area = ["region", "authority"] }')
    return found


def markers(reader: Reader, table: Mapping[str, Any], key: str) -> dict[str, tuple[int, int]]:
    """Return the least and the greatest count of each marker."""
    found = {}
    for text, ends in reader.entries(table, key, "[1, 7]").items():
        interval = _interval(ends)
        if interval is None:
            what = say('"{text}" needs a least and a greatest count', text=text)
            reader.ask_for(key, what, f'"{text}" = [1, 7]')
        elif not text.strip():
            reader.note(key, say("an empty cell is not a marker: it counts as not published"), say("leave it out"))
        else:
            found[text.strip()] = interval
    return found


def _interval(ends: object) -> tuple[int, int] | None:
    if not isinstance(ends, list) or len(ends) != 2:
        return None
    low, high = ends
    high = UNBOUNDED if isinstance(high, float) and math.isinf(high) and high > 0 else high
    return (low, high) if type(low) is type(high) is int and 0 <= low <= high <= UNBOUNDED else None


def _rates_of(
    per: int,
    decimals: int,
    denominator: str | Mapping[str, str],
    *,
    of: str = "count",
    counts: str = "",
    base: int = 0,
    **named: str,
) -> Rates | None:
    """Return rates from the keys of an entry; None if it has both a column and a statistic (`measure`), or neither."""
    is_statistic, is_cell = "measure" in named, not isinstance(denominator, str)
    if len(named) != 1 or (base and (is_statistic or is_cell)):
        return None
    whole, cell = (denominator, {}) if isinstance(denominator, str) else ("", denominator)
    name = next(iter(named.values()))
    return Rates(name, per, decimals, whole, of == "published", cell, counts, is_statistic, bool(cell), base)


def _denominator(reader: Reader, table: Mapping[str, Any], key: str) -> dict[str, str] | str | None:
    return reader.mapping(table, key) if isinstance(table.get(key), dict) else reader.text(table, key)


def distinct(reader: Reader, table: Mapping[str, Any], key: str) -> Mapping[str, str]:
    """Return texts by name; empty if a text occurs twice."""
    found = reader.mapping(table, key)
    return found if len(set(found.values())) == len(found) else {}


def _hiding_rule(cell: Mapping[str, str], *, keep: bool = False, cost: int | None = None) -> HidingRule | None:
    """Return the rule of an entry; None if it has both `keep` and `cost`, or neither."""
    return HidingRule(cell, cost) if keep == (cost is None) else None


_ROUNDING = record(
    Phrase("this is not a way to round"),
    f'rounding = {{ to = 5, how = "nearest" }}; how is one of {", ".join(HOW)}',
    {"to": whole(1), "how": one_of(*HOW)},
    ["to"],
    partial(Rounding, how=HOW[0]),
)
_RATES = record(
    Phrase("these are not rates"),
    'rates = { column = "rate", per = 100000, decimals = 1, denominator = "population" }',
    {
        **dict.fromkeys(("column", "measure", "counts"), Reader.text),
        "per": whole(1),
        "decimals": whole(0),
        "base": whole(1),
        "denominator": _denominator,
        "of": one_of("count", "published"),
    },
    ["per", "decimals", "denominator"],
    _rates_of,
)
_WIDE = record(
    Phrase("this is not a dimension in columns, each with a label of its own"),
    'wide = { dimension = "sex", columns = { Male = "M", Female = "F", Total = "T" } }',
    {"dimension": Reader.text, "columns": distinct},
    ["dimension", "columns"],
    Wide,
)
_CHANGE = record(
    Phrase("this is not a change"),
    'change = { column = "change", since = 1 }',
    {"column": Reader.text, "since": whole(1), "counts": Reader.text},
    ["column"],
    ChangeColumn,
)
HIDING = several(
    record(
        Phrase("this does not say which cells to keep, or what it costs to hide them"),
        'cell = { sex = "All" } and below it keep = true, or cost = 100, under [[hiding]]',
        {"cell": Reader.mapping, "keep": one_of(True), "cost": whole(0)},
        ["cell"],
        _hiding_rule,
    )
)
"""The form of the entries of `[[hiding]]`."""
TABLE_KEYS: Mapping[str, Form] = {
    "dimensions": Reader.texts,
    **dict.fromkeys(("value", "measure", "breakdown", "status"), Reader.text),
    **dict.fromkeys(("measures", "values", "levels", "once", "sensitive"), Reader.texts),
    **dict.fromkeys(("codes", "exact", "not_published", "flags", "open", "not_counts"), Reader.text_set),
    "totals": Reader.mapping,
    "categories": Reader.files,
    "nested": nested_columns,
    "markers": markers,
    "status_hides": one_of(False, True),
    "threshold": whole(1),
    "perturbation": whole(0),
    "rounding": _ROUNDING,
    "rates": several(_RATES),
    "over_time": one_of("independent", "same", "cumulative"),
    "stock": one_of(False, True),
    "absent": one_of(None, "unknown", "zero"),
    "wide": _WIDE,
    "part_of": Reader.mapping,
    "change": _CHANGE,
    "harmless": Reader.lists,
}
"""The form of each key of `[table]`."""
