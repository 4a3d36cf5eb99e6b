"""Counts narrowed by other cells: rates whose denominator is a cell of the table, and changes since a release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.count_tables.intervals import published_rate_interval, rate_interval
from audit.count_tables.manifest import NAME, TableManifest
from audit.count_tables.number_texts import Interval, decimal_of
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_values import CHANGE
from audit.count_tables.table_rules import ChangeColumn, Rates
from audit.model.count_tables import UNBOUNDED, Counts
from audit.model.errors import Problems

_CHANGE = re.compile(r"([+\-\u2212]?)([0-9]+)(\.0*)?")
Cell = tuple[int, int, tuple[int, ...]]
"""A release, a statistic, and a label for each dimension."""


@dataclass(frozen=True)
class Related:
    """What rows stand for, narrowed, and how many changes tie two counts neither of which is exact."""

    lower: Counts
    upper: Counts
    untied: int = 0


def related(counts: PublishedCounts, texts: Mapping[str, npt.NDArray[Any]], problems: Problems) -> Related:
    """Return what rows stand for with the rates and changes that speak of other cells.

    `texts` has for each rate and for changes the text of each row.
    """
    found = Related(counts.lower, counts.upper)
    if not texts:
        return found
    cells = _Cells(counts)
    for rates in counts.manifest.rates:
        if not rates.has_column:
            found = cells.by_rates(rates, texts[rates.column], problems)
            cells.lower, cells.upper = found.lower, found.upper
    change = counts.manifest.change
    return (
        found
        if change is None or not exact_changes(counts.manifest)
        else cells.by_changes(change, texts[CHANGE], problems)
    )


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

    def by_rates(self, rates: Rates, texts: npt.NDArray[Any], problems: Problems) -> Related:
        """Return what rows stand for with rates of a cell: its other labels are those of the row."""
        places = list(self._places(rates, problems))
        names = [each for each in self.counts.measures if each is not None]
        measure = names.index(rates.denominator) if rates.denominator in names else None
        if rates.is_statistic and rates.denominator and measure is None:
            what = f'rates: "{rates.denominator}" is none of the statistics that are counts'
            problems.add(NAME, what, "name it in measures")
        lower, upper = self.lower.copy(), self.upper.copy()
        for row in np.flatnonzero(texts != "").tolist():
            release, own, label = self.cell[row]
            total = list(label)
            for place, code in places:
                total[place] = code
            base = (release, own if measure is None else measure, tuple(total))
            if base == self.cell[row]:
                continue  # everybody's share of everybody
            low, high = self._interval(rates, decimal_of(texts[row]), base)
            for other in self.rows[self.cell[row]]:
                if not rates.of_published or not self.counts.number[other]:
                    lower[other], upper[other] = max(lower[other], low), min(upper[other], high)
        return Related(lower, upper)

    def _places(self, rates: Rates, problems: Problems) -> Iterator[tuple[int, int]]:
        """Yield the dimensions at which the denominator has labels of its own, and these labels."""
        names = [each.axis.name for each in self.counts.dimensions]
        for name, text in rates.total.items():
            labels = self.counts.dimensions[names.index(name)].labels if name in names else ()
            if text in labels:
                yield names.index(name), labels.index(text)
            else:
                problems.add(NAME, f'rates: {name} has no label "{text}"', "name a dimension and one of its labels")

    def _interval(self, rates: Rates, rate: Fraction | None, base: Cell) -> Interval:
        """Return the counts whose rate is published, for every denominator that the cell can have."""
        rows = self.rows.get(base, [])
        if rate is None or not rows:
            return 0, UNBOUNDED
        if rates.of_published:
            shown = [decimal_of(self.counts.texts[int(self.counts.text[row])]) for row in rows]
            known = next((number for number in shown if number is not None), None)
            if known is None:
                return 0, UNBOUNDED
            return published_rate_interval(rate_interval(rate, known, rates), self.manifest.rounding)
        half = Fraction(1, 2 * 10**rates.decimals)
        least, most = max(int(self.lower[row]) for row in rows), min(int(self.upper[row]) for row in rows)
        low = max(0, ceil((rate - half) * least / rates.per))
        return low, UNBOUNDED if most >= UNBOUNDED else floor((rate + half) * most / rates.per)

    def by_changes(self, change: ChangeColumn, texts: npt.NDArray[Any], problems: Problems) -> Related:
        """Return what rows stand for with changes since an earlier release, each pair of rows by itself."""
        lower, upper = self.lower.copy(), self.upper.copy()
        ties = []
        for row in np.flatnonzero(texts != "").tolist():
            found = _CHANGE.fullmatch(texts[row])
            if found is None:
                if texts[row] not in self.manifest.markers and texts[row] not in self.manifest.not_published:
                    file, line = self.counts.place(row)
                    what = f'"{texts[row]}": this is no change of a count'
                    remedy = "write a whole number with its sign, or name the text in not_published"
                    problems.add(file, what, remedy, line=line, column=change.column)
                    return Related(lower, upper)
                continue
            release, measure, label = self.cell[row]
            by = int(found[2]) * (-1 if found[1] not in ("", "+") else 1)
            ties += [(row, other, by) for other in self.rows.get((release - change.since, measure, label), [])]
        narrowed = True
        while narrowed:
            narrowed = False
            for now, before, by in ties:
                ends = max(lower[now], lower[before] + by), min(upper[now], upper[before] + by)
                earlier = max(lower[before], ends[0] - by), min(upper[before], ends[1] - by)
                narrowed |= ends != (lower[now], upper[now]) or earlier != (lower[before], upper[before])
                lower[now], upper[now] = ends
                lower[before], upper[before] = earlier
                if ends[0] > ends[1]:
                    narrowed = False
                    break
        upper = np.minimum(upper, UNBOUNDED)
        return Related(lower, upper, sum(bool(lower[now] < upper[now]) for now, _, _ in ties))


def exact_changes(manifest: TableManifest) -> bool:
    """Return whether changes are of exact counts: of rounded ones it is not known what they are changes of."""
    return manifest.rounding is None and not manifest.perturbation
