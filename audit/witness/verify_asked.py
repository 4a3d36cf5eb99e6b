"""Check that a witness leaves out no question about counts that it must answer; `verify_tables.py` runs this.

These are all published cells; each box that is not published itself of a published crossing, or of what this leaves if
it is summed over dimensions (its sets are atoms, labels, the intersection of two labels, and one label less another);
and, if releases grow, all increases since the release before. This file needs only Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from math import prod
from typing import Any, TypeAlias

Box: TypeAlias = tuple[int, ...]
Set: TypeAlias = frozenset[int]
Series: TypeAlias = Any  # as read by `verify_tables.py`


def need(holds: object, what: str, status: int = 2) -> None:
    """Stop with a message and an exit status unless a condition holds."""
    if not holds:
        raise NotImplementedError(status, what)


class StatedBoxes:
    """Reads boxes: a period, the earlier one of an increase or -1, and the index of a set of atoms on each axis."""

    def __init__(self, series: Series, sets: dict[str, list[list[str]]]) -> None:
        self.series, self.sets = series, list[list[Set]]()
        for name, atoms in zip(series.dimensions, series.atoms[:-1], strict=True):
            number = {atom: place for place, atom in enumerate(atoms)}
            self.sets.append([frozenset(number[atom] for atom in some) for some in sets[name]])

    def read(self, stated: Sequence[int]) -> Box:
        """Return a box from its form in the statement."""
        period, since, *places = stated
        sets = [some[place] for some, place in zip(self.sets, places, strict=True)]
        need(
            all(type(each) is int for each in stated)
            and min(0, *places) == 0
            and all(sets)
            and -1 <= since < period < self.series.periods,
            "no box",
            1,
        )
        need(since == -1 or self.series.over_time == "cumulative", "an increase without cumulative releases", 1)
        return self.series.boxed(period, sets, since)


def check_asked(series: Series, asked: dict[str, list[Box]]) -> list[bool]:
    """Stop unless all required questions are asked, and only hidden cells under the rule for hidden cells.

    Return which questions of `min_count` are about hidden cells whose markers do not say that the count is small.
    """
    behind, large, numbers = cells(series)
    for rule, boxes in asked.items():
        need(len({*boxes}) == len(boxes), f"questions.json has a question of {rule} twice", 1)
    need({*asked["min_width"]} == behind, "questions.json asks about other hidden cells than the published ones", 1)
    missing = (large | numbers | derived(series)) - {*asked["min_count"]}
    need(not missing, f"questions.json does not ask about {len(missing)} counts", 1)
    return [box in large for box in asked["min_count"]]


def cells(series: Series) -> tuple[set[Box], set[Box], set[Box]]:
    """Return the boxes of hidden cells, of those whose markers do not say a small count, and of those with a number."""
    texts: dict[Any, list[str]] = {}
    for period, labels, text in series.rows:
        if text:
            texts.setdefault((period, labels), []).append(text)
    behind, large, numbers = set[Box](), set[Box](), set[Box]()
    for (period, labels), some in texts.items():
        box = series.boxed(period, series.covers(labels))
        if all(text in series.markers and len({*series.markers[text]}) > 1 for text in some):
            behind.add(box)
            if min(series.markers[text][1] for text in some) >= series.limits["min_count"]:
                large.add(box)
        else:
            numbers.add(box)
    return behind, large, numbers


def derived(series: Series) -> set[Box]:
    """Return the boxes of published crossings that are not published, and the increases of all boxes."""
    found, rows = set[Box](), [*series.rows, *((period, labels, "") for period, labels in series.left_out)]
    for period in range(series.periods):
        mine = [(labels, text) for at, labels, text in rows if at == period]
        around = [labels for labels, _ in mine] if series.over_time == "independent" else [row[1] for row in rows]
        some_sets = [
            choices(series, place, mine, {each[place] for each in around}) for place in range(len(series.covered))
        ]
        shown = {series.covers(labels) for labels, text in mine if text}
        totals = [() if name in series.nested else series.totals.get(name) for name in series.dimensions]
        every = set[tuple[Set, ...]](shown)
        crossings = {tuple(map(lambda a, b: a != b, labels, totals)) for labels, _ in mine}
        for crossing in summed(crossings, [total is not None for total in totals]):
            some = [
                choice if crossed else [frozenset(range(len(series.atoms[place])))]
                for place, (choice, crossed) in enumerate(zip(some_sets, crossing, strict=True))
            ]
            need(prod(map(len, some)) <= 100_000, "a table with more than 100,000 boxes")
            every |= set(product(*some))
        found |= {series.boxed(period, sets) for sets in every - shown}
        if series.over_time == "cumulative" and period:
            found |= {series.boxed(period, sets, period - 1) for sets in every}
    return found


def summed(crossings: set[tuple[bool, ...]], has_total: Sequence[bool]) -> set[tuple[bool, ...]]:
    """Return crossings, and what they leave without some of the dimensions that have a total."""
    for place in (place for place, has in enumerate(has_total) if has):
        crossings |= {(*each[:place], False, *each[place + 1 :]) for each in crossings}
        need(len(crossings) <= 10_000, "a table of so many dimensions")
    return crossings


def choices(series: Series, place: int, mine: Iterable[Any], around: set[Any]) -> list[Set]:
    """Return the sets of a dimension in questions: atoms, labels, intersections and differences of two labels."""
    covered, every = series.covered[place], frozenset(range(len(series.atoms[place])))
    total = () if series.dimensions[place] in series.nested else series.totals.get(series.dimensions[place])
    here = {labels[place] for labels, _ in mine}
    labels = {covered[label] for label in here} | ({every} if total is not None else set())
    alike: dict[Any, set[int]] = {}
    for atom in every:
        alike.setdefault(frozenset(label for label in around if atom in covered[label]), set()).add(atom)
    found = {frozenset(some) for some in alike.values()} | labels
    for one, other in combinations(labels, 2):
        found |= {one & other, one - other, other - one} if one & other else set()
    is_label = total is None or any(covered[label] == every for label in here if label != total)
    return [one for one in found if one and (is_label or one != every)]
