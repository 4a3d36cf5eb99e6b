"""Counts narrowed by other cells: rates whose denominator is a cell of the table, and changes since a release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.count_tables.intervals import published_rate_interval, rate_interval, with_threshold
from audit.count_tables.manifest import NAME, TableManifest
from audit.count_tables.number_texts import Interval, decimal_of
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_values import CHANGE
from audit.count_tables.table_rules import ChangeColumn, Rates
from audit.model.arrays import Counts
from audit.model.errors import Problems
from audit.model.json_types import UNBOUNDED

_CHANGE = re.compile(r"([+\-\u2212]?)([0-9]+)(\.0*)?")
_ROUNDS = 1000
Cell = tuple[int, int, tuple[int, ...]]
"""A release, a statistic, and a label for each dimension."""


@dataclass(frozen=True)
class Related:
    """What rows stand for, narrowed, and how many rates and changes tie two counts neither of which is exact."""

    lower: Counts
    upper: Counts
    untied: Mapping[str, int] = field(default_factory=dict)


def related(counts: PublishedCounts, texts: Mapping[str, npt.NDArray[Any]], problems: Problems) -> Related:
    """Return what rows stand for with the rates and changes that speak of other cells.

    `texts` has for each rate and for changes the text of each row.
    """
    cells, manifest = _Cells(counts), counts.manifest
    ties: dict[str, list[_Tie]] = {}
    for rates in manifest.rates if texts else ():
        if not rates.has_column:
            ties.setdefault(rates.column, []).extend(cells.rate_ties(rates, texts[rates.column], problems))
    if texts and manifest.change is not None and exact_changes(manifest):
        ties[manifest.change.column] = list(cells.change_ties(manifest.change, texts[CHANGE], problems))
    if problems.found:
        return Related(counts.lower, counts.upper)
    cells.narrow([tie for some in ties.values() for tie in some])
    untied = {column: sum(map(cells.is_untied, some)) for column, some in ties.items()}
    return Related(cells.lower, cells.upper, {column: count for column, count in untied.items() if count})


@dataclass(frozen=True)
class _Tie:
    """What a rate or a change says of the counts of two cells, each with the rows that show it.

    The one is from `least` to `most` times the other, and `by` more.
    """

    rows: Sequence[int]
    base: Sequence[int]
    least: Fraction
    most: Fraction
    by: int = 0

    def narrowed(self, count: Interval, base: Interval) -> tuple[Interval, Interval]:
        """Return what is left of two intervals: more of the one goes with more of the other, so ends go with ends."""
        low = max(count[0], ceil(self.least * base[0]) + self.by)
        high = count[1] if base[1] >= UNBOUNDED else min(count[1], floor(self.most * base[1]) + self.by)
        while low <= high < UNBOUNDED and self._bases(high, base) is None:
            high -= 1
        while low <= high and self._bases(low, base) is None:
            low += 1
        first, last = self._bases(low, base), self._bases(high, base) if high < UNBOUNDED else base
        return ((1, 0), (1, 0)) if first is None or last is None else ((low, high), (first[0], last[1]))

    def _bases(self, count: int, base: Interval) -> Interval | None:
        """Return the counts in an interval that go with a count, None where there are none."""
        least = max(base[0], ceil((count - self.by) / self.most))
        most = min(base[1], floor((count - self.by) / self.least)) if self.least > 0 else base[1]
        return (least, most) if least <= most else None

    def says_more(self, count: Interval, base: Interval) -> bool:
        """Return whether two intervals have pairs of counts that do not go together."""
        inexact = count[0] < count[1] and base[0] < base[1]
        return inexact and (self.least * base[1] + self.by > count[0] or self.most * base[0] + self.by < count[1])


class _Cells:
    """The cells of all releases, and the rows that show each."""

    def __init__(self, counts: PublishedCounts) -> None:
        self.counts, self.manifest = counts, counts.manifest
        self.lower, self.upper = counts.lower.copy(), counts.upper.copy()
        release = counts.release.tolist()
        labels = [tuple(one) for one in counts.label.tolist()]
        self.cell: list[Cell] = list(zip(release, counts.measure.tolist(), labels, strict=True))
        self.rows: dict[Cell, list[int]] = {}
        for row, cell in enumerate(self.cell):
            self.rows.setdefault(cell, []).append(row)

    def narrow(self, ties: Sequence[_Tie]) -> None:
        """Narrow what rows stand for, each pair of cells by itself, until nothing changes or nothing is left.

        A limit that is reached leaves bounds that hold, and pairs that are not exact.
        """
        narrowed = True
        for _ in range(_ROUNDS):
            if not narrowed:
                return
            narrowed = False
            for tie in ties:
                now = self._ends(tie.rows), self._ends(tie.base)
                left = tie.narrowed(*now)
                if left != now:
                    narrowed = True
                    for rows, (low, high) in zip((tie.rows, tie.base), left, strict=True):
                        self._narrow(rows, low, high)
                if any(low > high for low, high in left):
                    return

    def _narrow(self, rows: Sequence[int], low: int, high: int) -> None:
        """Narrow what rows stand for; a number under a threshold is none of the counts between 0 and it."""
        threshold, counts = self.manifest.threshold, self.counts
        for row in rows:
            least, most = max(low, int(self.lower[row])), min(high, int(self.upper[row]))
            if threshold and counts.number[row] and counts.texts[int(counts.text[row])] not in self.manifest.markers:
                least, most = with_threshold(0, (least, most), threshold)
            self.lower[row], self.upper[row] = least, most

    def is_untied(self, tie: _Tie) -> bool:
        """Return whether a tie says more than what is left of both counts."""
        return tie.says_more(self._ends(tie.rows), self._ends(tie.base))

    def _ends(self, rows: Sequence[int]) -> Interval:
        return max(int(self.lower[row]) for row in rows), min(int(self.upper[row]) for row in rows)

    def rate_ties(self, rates: Rates, texts: npt.NDArray[Any], problems: Problems) -> Iterator[_Tie]:
        """Yield what rates of a cell say: its other labels are those of the row.

        What those of published numbers say is narrowed at once.
        """
        places = list(self._places(rates, problems))
        names = [each for each in self.counts.measures if each is not None]
        measure = names.index(rates.denominator) if rates.denominator in names else None
        if rates.is_statistic and rates.denominator and measure is None:
            what = f'rates: "{rates.denominator}" is none of the statistics that are counts'
            problems.add(NAME, what, "name it in measures")
        half = Fraction(1, 2 * 10**rates.decimals)
        for row in np.flatnonzero(texts != "").tolist():
            release, own, label = self.cell[row]
            total = list(label)
            for place, code in places:
                total[place] = code
            base = (release, own if measure is None else measure, tuple(total))
            rate = decimal_of(texts[row])
            if base == self.cell[row] or base not in self.rows or rate is None:
                continue  # everybody's share of everybody, or a share of what is not published
            if rates.of_published:
                self._narrow_by_published(rates, rate, row, self.rows[base])
            else:
                least, most = (rate - half) / rates.per, (rate + half) / rates.per
                yield _Tie(self.rows[self.cell[row]], self.rows[base], least, most)

    def _places(self, rates: Rates, problems: Problems) -> Iterator[tuple[int, int]]:
        """Yield the dimensions at which the denominator has labels of its own, and these labels."""
        names = [each.axis.name for each in self.counts.dimensions]
        for name, text in rates.total.items():
            labels = self.counts.dimensions[names.index(name)].labels if name in names else ()
            if text in labels:
                yield names.index(name), labels.index(text)
            else:
                problems.add(NAME, f'rates: {name} has no label "{text}"', "name a dimension and one of its labels")

    def _narrow_by_published(self, rates: Rates, rate: Fraction, row: int, base: Sequence[int]) -> None:
        """Narrow what a row stands for by the rate of a number that is published; nothing is known of others."""
        shown = [decimal_of(self.counts.texts[int(self.counts.text[other])]) for other in base]
        known = next((number for number in shown if number is not None), None)
        if known is None:
            return
        low, high = published_rate_interval(rate_interval(rate, known, rates), self.manifest.rounding)
        self._narrow([other for other in self.rows[self.cell[row]] if not self.counts.number[other]], low, high)

    def change_ties(self, change: ChangeColumn, texts: npt.NDArray[Any], problems: Problems) -> Iterator[_Tie]:
        """Yield what changes since an earlier release say."""
        for row in np.flatnonzero(texts != "").tolist():
            found = _CHANGE.fullmatch(texts[row])
            if found is None:
                if texts[row] not in self.manifest.markers and texts[row] not in self.manifest.not_published:
                    file, line = self.counts.place(row)
                    what = f'"{texts[row]}": this is not a change of a count'
                    remedy = "write a whole number with its sign, or name the text in not_published"
                    problems.add(file, what, remedy, line=line, column=change.column)
                    return
                continue
            release, measure, label = self.cell[row]
            before = self.rows.get((release - change.since, measure, label), [])
            if before:
                by = int(found[2]) * (-1 if found[1] not in ("", "+") else 1)
                yield _Tie(self.rows[self.cell[row]], before, Fraction(1), Fraction(1), by)


def exact_changes(manifest: TableManifest) -> bool:
    """Return whether changes are of exact counts: of rounded ones it is not known what they are changes of."""
    return manifest.rounding is None and not manifest.perturbation
