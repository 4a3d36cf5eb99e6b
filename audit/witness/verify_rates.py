"""Narrow what published numbers stand for by the rates and changes beside them. `verify_tables.py` runs this file.

A rate, rounded to some decimals, leaves few counts for one denominator; the change of a count leaves one, if the count
of the other release is exact. A pair of counts of which neither is exact is refused, unless the rate or change says no
more than their intervals do. What is not supported raises `NotImplementedError`, with the status 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, inf
from typing import Any, NamedTuple, TypeAlias

Series: TypeAlias = Any  # what `verify_tables.py` reads
Ends: TypeAlias = tuple[int, Any]  # the least and the greatest count, which may be infinite


class Tie(NamedTuple):
    """The count of a cell is `least` to `most` times the count of another cell, `base`, plus `by`.

    A cell is a list of the numbers of published rows.
    """

    rows: list[int]
    base: list[int]
    least: Fraction
    most: Fraction
    by: int = 0


def need(holds: object, what: str, status: int = 2) -> None:
    """Stop with a message and an exit status unless a condition holds."""
    if not holds:
        raise NotImplementedError(status, what)


def narrow(series: Series) -> None:
    """Narrow the intervals of a series, until nothing changes."""
    number, cells, shown = dict[int, int](), dict[Any, list[int]](), 0
    for row, (_, labels, text) in enumerate(series.rows):
        cell = cells.setdefault((series.release[row], labels), [])
        if text:
            number[row], shown = shown, shown + 1
            cell.append(number[row])
    ties = [tie for rule in series.rates for tie in rated(series, rule, number, cells)]
    ties += changed(series, cells) if "change" in series.rules else []
    changes = True
    while changes:
        before = series.low[:], series.high[:]
        for tie in ties:
            now, base = ends(series, tie.rows), ends(series, tie.base)
            low, high = max(now[0], ceil(tie.least * base[0]) + tie.by), now[1]
            high = high if base[1] == inf else min(high, floor(tie.most * base[1]) + tie.by)
            while low < high < inf and not fits(tie, high, base):
                high -= 1
            while low < high and not fits(tie, low, base):
                low += 1
            least, most = fits(tie, low, base), base if high == inf else fits(tie, high, base)
            need(low <= high and least and most, "numbers that contradict the rates or changes beside them")
            limit(series, tie.rows, low, high)
            limit(series, tie.base, least[0] if least else 0, most[1] if most else inf)
        changes = before != (series.low, series.high)
    for tie in ties:
        (low, high), (first, last) = ends(series, tie.rows), ends(series, tie.base)
        exact = low == high or first == last
        silent = last < inf and tie.least * last + tie.by <= low and tie.most * first + tie.by >= high
        need(exact or silent, "a rate or a change of two counts, neither of which is exact")


def fits(tie: Tie, count: int, base: Ends) -> Ends | None:
    """Return the least and the greatest count of the other cell that agree with a count, or nothing."""
    low = max(base[0], ceil((count - tie.by) / tie.most))
    high = min(base[1], floor((count - tie.by) / tie.least)) if tie.least > 0 else base[1]
    return (low, high) if low <= high else None


def ends(series: Series, cell: list[int]) -> Ends:
    """Return the counts that a cell can have."""
    return max(series.low[one] for one in cell), min(series.high[one] for one in cell)


def limit(series: Series, cell: list[int], low: int, high: float) -> None:
    """Narrow the counts of a cell; with a threshold, a number is 0 or at least the threshold."""
    threshold = series.rules.get("threshold")
    for one in cell:
        least, most = max(low, series.low[one]), min(high, series.high[one])
        if threshold and series.texts[one] not in series.markers:
            least, most = max(least, threshold) if least >= 1 else least, 0 if least < 1 and most < threshold else most
        need(least <= most, "numbers that contradict the rates or changes beside them")
        series.low[one], series.high[one] = least, most


def rated(series: Series, rule: dict[str, Any], number: dict[int, int], cells: dict[Any, list[int]]) -> Iterator[Tie]:
    """Narrow what the rates of a column with denominators say; yield what those of cells say."""
    keys = ("column", "denominator", "per", "decimals")
    of_published = rule.get("of") == "published"
    need({*rule} == {*keys, *["of"] * of_published}, "rates that are rows, or of several counts")
    of_published = of_published and not {"rounding", "perturbation"}.isdisjoint(series.rules)
    column, denominator, per, decimals = (rule[key] for key in keys)
    need(isinstance(denominator, str) or not of_published, "rates of a cell, of published counts")
    need(type(per) is type(decimals) is int and per > 0 <= decimals, "rates per something else than a whole number")
    columns = [column for column, _ in series.views]
    need(len(columns) == 1, "rates of several columns of counts")
    column = f"{column} (rate)" if column in columns else column  # both stand in one cell
    half = Fraction(1, 2 * 10**decimals)
    for row, line in enumerate(series.lines):
        text = series.published(line.get(column, ""))
        text = "" if text in series.markers else text.rstrip("% ") if per == 100 else text
        if not text:
            continue
        need(row in number, "a rate beside an empty cell")
        if of_published:  # it says nothing more than the number
            need(series.texts[number[row]] not in series.markers, "a rate of a published count that is not shown")
            continue
        need(re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,12})?", text), f"the rate {text!r}")
        least = Fraction(text) - half
        most = Fraction(text) + half
        mine = cells[series.release[row], series.rows[row][1]]
        if isinstance(denominator, str):
            of, one = series.published(line.get(denominator, "")), number[row]
            exact = series.low[one] == series.high[one]
            need(re.fullmatch("[0-9]{1,12}", of) or (exact and not of), f"the denominator {of!r} of a rate")
            if of:
                limit(series, [one], ceil(least * int(of) / per), floor(most * int(of) / per))
            continue
        need({*denominator} <= {*series.dimensions} - {*series.nested}, "a rate of a cell of other dimensions")
        labels = zip(series.dimensions, series.rows[row][1], strict=True)
        total = series.release[row], tuple(denominator.get(name, label) for name, label in labels)
        need(cells.get(total), "a rate of a cell that is not published")
        if Fraction(text) > 0:
            limit(series, [*mine, *cells[total]], 1, inf)
        if cells[total] != mine:
            yield Tie(mine, cells[total], least / per, most / per)


def changed(series: Series, cells: dict[Any, list[int]]) -> Iterator[Tie]:
    """Yield what changes since an earlier release say."""
    rule, rules = series.rules["change"], series.rules
    since = rule.get("since", 1)
    need({*rule} <= {"column", "since"} and type(since) is int and since > 0, "this change")
    need("rounding" not in rules and "perturbation" not in rules, "changes of counts that are not exact")
    need(len(series.views) == 1, "changes of several columns of counts")
    for row, line in enumerate(series.lines):
        text, labels = series.published(line.get(rule["column"], "")), series.rows[row][1]
        before = cells.get((series.release[row] - since, labels), [])
        if text and text not in series.markers:
            found = re.fullmatch("([+-]?)([0-9]{1,11})", text)
            need(found, f"the change {text!r}")
            mine = cells[series.release[row], labels]
            need(mine, "a change of a count that is not published")
            need(before, "a change since a release that is not in the series or lacks the cell")
            by = int(found[2]) if found else 0
            yield Tie(mine, before, Fraction(1), Fraction(1), -by if text[0] == "-" else by)
