"""How counts were published: rounded, as rates, in several columns, as changes; and how the manifest says it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from audit.io.toml import Reader
from audit.model.count_report import Rounding
from audit.model.json_types import UNBOUNDED

HOW = ("nearest", "even", "down", "up", "random", "midpoint")
STATISTIC = "statistic"
"""The dimension of counts of which one is part of another."""
WHOLE = "(whole)"
"""Its label of counts that are no part of another, where there are several of them."""
_RATES = 'write rates = { column = "rate", per = 100000, decimals = 1, denominator = "population" }'


@dataclass(frozen=True)
class Rates:
    """Published rates of the counts: per `per` of a denominator, with so many decimals.

    Attributes:
        column: the column with the rates; where `is_statistic`, the statistic of rows that are rates.
        per, decimals: of what, and how exact.
        denominator: the column, or the statistic, with the denominators; empty where a cell of the table is one.
        of_published: whether they were computed from the counts as published.
        total: the labels by dimension of the cell that is the denominator, the others as in the row itself.
        counts: which column or statistic has the counts; empty where there is one.
        is_statistic: whether rates are rows.
    """

    column: str
    per: int
    decimals: int
    denominator: str
    of_published: bool = False
    total: Mapping[str, str] = field(default_factory=dict)
    counts: str = ""
    is_statistic: bool = False

    @property
    def has_column(self) -> bool:
        """Whether the denominator stands in a column of the same row."""
        return not self.is_statistic and not self.total


@dataclass(frozen=True)
class Wide:
    """A dimension whose labels are columns of counts."""

    dimension: str
    columns: Mapping[str, str]


@dataclass(frozen=True)
class ChangeColumn:
    """A column with what a count has grown by since so many releases before."""

    column: str
    since: int


@dataclass(frozen=True)
class HidingRule:
    """What it costs to hide the cells that have some labels; None where they are kept."""

    cell: Mapping[str, str]
    cost: int | None


@dataclass(frozen=True)
class CountColumn:
    """One column of counts of a table.

    Attributes:
        column: the column.
        measure: its statistic, None where a column says it or there is one.
        labels: labels that all of its counts have.
    """

    column: str
    measure: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


def roots(values: tuple[str, ...], part_of: Mapping[str, str]) -> dict[str, str]:
    """Return for each count the one that it is a part of, a part of that, and so on; itself for most."""
    found = {}
    for value in values:
        root, seen = value, {value}
        while part_of.get(root, "") and part_of[root] not in seen:
            root = part_of[root]
            seen.add(root)
        found[value] = root
    return found


def part_atoms(values: tuple[str, ...], part_of: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the atoms of each count that is a part: combinations of parts, as parts of one count may overlap.

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


class RulesReader(Reader):
    """Reads how counts were published, noting each problem where it stands."""

    def whole(self, table: Mapping[str, Any], key: str, least: int) -> int | None:
        """Return a whole number from a least one, or None."""
        value = table.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and least <= value < UNBOUNDED):
            return value
        self.note(key, "this has to be a whole number", f"write a whole number from {least}")
        return None

    def markers(self, table: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
        """Return the least and the greatest count of each marker."""
        given = table.get("markers", {})
        if not isinstance(given, dict):
            self.note("markers", "this has to be a table", 'write markers = { "*" = [1, 7] }')
            return {}
        found = {}
        for text, ends in given.items():
            interval = _interval(ends)
            if interval is None:
                self.note("markers", f'"{text}" is not given a least and a greatest count', f'write "{text}" = [1, 7]')
            elif not text.strip():
                self.note("markers", "an empty cell is no marker: it counts as not published", "leave it out")
            else:
                found[text.strip()] = interval
        return found

    def rounding(self, table: Mapping[str, Any]) -> Rounding | None:
        """Return how numbers are rounded, if they are."""
        given = table.get("rounding")
        if given is None:
            return None
        remedy = f'write rounding = {{ to = 5, how = "nearest" }}; how is one of {", ".join(HOW)}'
        if not isinstance(given, dict) or not set(given) <= {"to", "how"} or given.get("how", "nearest") not in HOW:
            self.note("rounding", "this is no way to round", remedy)
            return None
        to = self.whole(given, "to", 1)
        if to is None:
            self.note("rounding", "what counts are rounded to is missing", remedy)
            return None
        return Rounding(to, given.get("how", "nearest"))

    def rates(self, table: Mapping[str, Any], counts: tuple[str, ...]) -> tuple[Rates, ...]:
        """Return the rates, one table or a list of tables; `counts` are the columns or statistics with counts."""
        given = table.get("rates", [])
        entries = given if isinstance(given, list) else [given]
        found = [self._rates(entry, counts) for entry in entries]
        return tuple(each for each in found if each is not None)

    def _rates(self, given: object, counts: tuple[str, ...]) -> Rates | None:
        keys = {"column", "measure", "per", "decimals", "denominator", "of", "counts"}
        if (
            not isinstance(given, dict)
            or not set(given) <= keys
            or given.get("of", "count") not in ("count", "published")
            or ("column" in given) == ("measure" in given)
        ):
            self.note("rates", "these are no rates", _RATES)
            return None
        statistic = "measure" in given
        column = self.text(given, "measure" if statistic else "column")
        per, decimals = self.whole(given, "per", 1), self.whole(given, "decimals", 0)
        cell = isinstance(given.get("denominator"), dict)
        total = self.mapping(given, "denominator") if cell else {}
        denominator = "" if cell else self.text(given, "denominator")
        if column is None or denominator is None or per is None or decimals is None or (cell and not total):
            self.note("rates", "something is missing", _RATES)
            return None
        of = self.text(given, "counts") or ""
        if (of and of not in counts) or (not of and len(counts) > 1):
            self.note(
                "rates", "it is not said which counts these are rates of", f'write counts = "{(*counts, "n")[0]}"'
            )
        return Rates(column, per, decimals, denominator, given.get("of") == "published", total, of, statistic)

    def wide(self, table: Mapping[str, Any]) -> Wide | None:
        """Return the dimension whose labels are columns, if there is one."""
        given = table.get("wide")
        if given is None:
            return None
        remedy = 'write wide = { dimension = "sex", columns = { Male = "M", Female = "F", Total = "T" } }'
        if not isinstance(given, dict) or set(given) != {"dimension", "columns"}:
            self.note("wide", "this is no dimension in columns", remedy)
            return None
        dimension, columns = self.text(given, "dimension"), self.mapping(given, "columns")
        if dimension is None or not columns or len(set(columns.values())) < len(columns):
            self.note("wide", "each label needs a column of its own", remedy)
            return None
        return Wide(dimension, columns)

    def part_of(self, table: Mapping[str, Any], counts: tuple[str, ...]) -> dict[str, str]:
        """Return which count is part of which; empty for one that is part of none."""
        found = self.mapping(table, "part_of")
        names = {*found, *(whole for whole in found.values() if whole)}
        remedy = 'write part_of = { deaths = "cases" }, both of them in values'
        for name in sorted(names - set(counts)):
            self.note("part_of", f'"{name}" is none of the counts', remedy)
        for name, root in roots(counts, found).items():
            if found.get(root):
                self.note("part_of", f'"{name}" is part of itself', remedy)
                return {}
        return {} if names - set(counts) else found

    def change(self, table: Mapping[str, Any]) -> ChangeColumn | None:
        """Return the column with changes, if there is one."""
        given = table.get("change")
        if given is None:
            return None
        if not isinstance(given, dict) or not set(given) <= {"column", "since"} or "column" not in given:
            self.note("change", "this is no change", 'write change = { column = "change", since = 1 }')
            return None
        column, since = self.text(given, "column"), self.whole(given, "since", 1)
        return None if column is None else ChangeColumn(column, since or 1)


def hiding_rules(reader: Reader) -> tuple[HidingRule, ...]:
    """Return the entries of `[[hiding]]`, noting each problem where it stands."""
    entries, found = reader.document.get("hiding", []), []
    for entry in entries if isinstance(entries, list) else [entries]:
        rule = _hiding_rule(entry)
        if rule is None:
            remedy = 'write cell = { sex = "All" } and below it keep = true, or cost = 100, under [[hiding]]'
            reader.note("hiding", "this does not say which cells to keep, or what it costs to hide them", remedy)
        else:
            found.append(rule)
    return tuple(found)


def _hiding_rule(entry: object) -> HidingRule | None:
    cell = entry.get("cell") if isinstance(entry, dict) else None
    if (
        not isinstance(entry, dict)
        or not isinstance(cell, dict)
        or not all(isinstance(each, str) for each in cell.values())
    ):
        return None
    cost = entry.get("cost")
    if set(entry) == {"cell", "keep"} and entry["keep"] is True:
        return HidingRule(cell, None)
    return HidingRule(cell, cost) if set(entry) == {"cell", "cost"} and type(cost) is int and cost >= 0 else None


def _interval(ends: object) -> tuple[int, int] | None:
    if not isinstance(ends, list) or len(ends) != 2:
        return None
    low, high = ends
    high = UNBOUNDED if isinstance(high, float) and math.isinf(high) and high > 0 else high
    numbers = all(isinstance(end, int) and not isinstance(end, bool) for end in (low, high))
    return (low, high) if numbers and 0 <= low <= high <= UNBOUNDED else None
