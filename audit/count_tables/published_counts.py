"""Published counts: all rows of all releases as integer columns, and what cells reveal about other cells.

Cells reveal others by sums (totals), by rates whose denominator is a cell, and by changes since an earlier release.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache
from itertools import chain
from math import ceil, floor
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.count_tables.label_sets import Dimension
from audit.count_tables.manifest import NAME, TableFile, TableManifest
from audit.count_tables.published_texts import (
    Interpreter,
    Interval,
    decimal_of,
    number_of,
    points_part_thousands,
    published_rate_interval,
    rate_ends,
    widened,
    with_threshold,
)
from audit.count_tables.published_values import CHANGE
from audit.count_tables.table_rules import ChangeColumn, Rates
from audit.count_tables.table_shapes import FileRows
from audit.model.arrays import UNBOUNDED, Codes, Counts, Flags, Places
from audit.model.errors import Problems
from audit.runtime.phrases import say


@dataclass(frozen=True)
class PublishedCounts:
    """All rows, in the order of releases, files and lines.

    Attributes:
        manifest: the manifest, with the rules of publication.
        dimensions: the dimensions with their labels.
        measures: the names of the statistics; None alone if no column names them.
        release, measure: the release and the statistic of each row, counted from 0; shape (rows,), int32.
        label: the labels of each row; shape (rows, dimensions), int32.
        lower, upper: the least and the greatest count that each row can stand for; shape (rows,), int64.
        denominators: the number of values that the hidden denominator of a rate can have, `UNBOUNDED` if none is
            hidden, 0 if there are too many to try them all; shape (rows,), int64.
        hidden: whether the row shows a marker that can stand for several counts; shape (rows,), bool.
        said_most: the greatest count for which its marker stands, whatever else is published, `UNBOUNDED` without one;
            shape (rows,), int64.
        number: whether it shows a number, or a marker that stands for one number; shape (rows,), bool.
        text: the published value, as a Python text; shape (rows,).
        file, row: the place of the row: an index into `parts`, and the row of that table; shape (rows,), int32.
        parts: the tables as they were read, one entry for each of their columns of counts.
        earlier: the count that a row had in an earlier release, by its change, if that release is not in the series or
            lacks the cell: `UNBOUNDED` if it is not exact, -1 if the row has no such change; shape (rows,), int64.
        related: the rows of the two counts that a rate or a change relates, by its row.
        ties: the rates or changes that relate two inexact counts, and exclude pairs of them, by column.
        untied: the number of rates of two published numbers both of which are hidden, by column.
        lacking: the number of rates whose denominator is a cell that its release does not show, by column.
    """

    manifest: TableManifest
    dimensions: tuple[Dimension, ...]
    measures: tuple[str | None, ...]
    release: Codes
    measure: Codes
    label: Codes
    lower: Counts
    upper: Counts
    denominators: Counts
    hidden: Flags
    said_most: Counts
    number: Flags
    text: npt.NDArray[Any]
    file: Codes
    row: Codes
    parts: tuple[FileRows, ...]
    earlier: Counts
    related: Mapping[int, Sequence[int]] = field(default_factory=dict)
    ties: Mapping[str, Sequence[CountTie]] = field(default_factory=dict)
    untied: Mapping[str, int] = field(default_factory=dict)
    lacking: Mapping[str, int] = field(default_factory=dict)

    @property
    def rows_of(self) -> dict[TableFile, int]:
        """The number of rows of each file, or of its rows that belong to one release; several columns count once."""
        return {part.file: part.table.rows for part in self.parts}

    @property
    def population(self) -> Codes:
        """Which people each row counts: those of its release, unless all releases are related; shape (rows,), int32."""
        return self.release * (self.manifest.over_time == "independent")

    @property
    def without_count(self) -> Flags:
        """Which rows are of a table without counts, which has only rates of those in others; shape (rows,), bool."""
        return ~np.array([part.has_counts for part in self.parts], dtype=np.bool_)[self.file]

    @property
    def shown(self) -> Flags:
        """Which rows show a value; an empty cell counts as not published; shape (rows,), bool."""
        return self.hidden | self.number

    def with_values(self, rows: npt.ArrayLike | slice, **values: object) -> PublishedCounts:
        """Return the same with other values of some rows, by the names of the arrays."""
        arrays: dict[str, Any] = {name: getattr(self, name).copy() for name in values}
        for name, array in arrays.items():
            array[rows] = values[name]
        return replace(self, **arrays)

    def emptied(self, rows: npt.ArrayLike | slice) -> PublishedCounts:
        """Return the same with some rows left empty, so that they can be any count."""
        return self.with_values(rows, lower=0, upper=UNBOUNDED, hidden=False, number=False)

    def without_rates(self) -> PublishedCounts:
        """Return the same with numbers that stand for what they say themselves, whatever rates and changes say."""
        low, high = self.lower.copy(), self.upper.copy()
        for at in range(len(self.parts)):
            rows, reader = np.flatnonzero(self.number & (self.file == at)), Interpreter(self.rules(at))
            reader.point = points_part_thousands({*self.text[rows]})
            ends = {text: reader.interval(text) for text in dict.fromkeys(self.text[rows].tolist())}
            for row, text in zip(rows.tolist(), self.text[rows].tolist(), strict=True):
                low[row], high[row] = ends[text]
        return replace(self, lower=low, upper=high)

    def with_numbers(
        self, rows: Sequence[int] | Places, label: Codes, lower: npt.ArrayLike, upper: npt.ArrayLike
    ) -> PublishedCounts:
        """Return the same with a copy of each of some rows that has other labels, and a number for its value."""
        every: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        arrays = {name: array for name, array in every.items() if isinstance(array, np.ndarray)}
        more: dict[str, Any] = {name: np.concatenate([array, array[rows]]) for name, array in arrays.items()}
        both = replace(self, **more)
        of_copies: dict[str, Any] = {
            "label": label,
            "lower": lower,
            "upper": upper,
            "hidden": False,
            "number": True,
            "earlier": -1,
        }
        unlimited = dict.fromkeys(("denominators", "said_most"), UNBOUNDED)
        return both.with_values(slice(len(self.release), None), **of_copies, **unlimited)

    def without(self, places: Sequence[int]) -> PublishedCounts:
        """Return the same rows without some dimensions; -1 means without different releases."""
        left = [place for place in range(len(self.dimensions)) if place not in places]
        dimensions = tuple(self.dimensions[place] for place in left)
        manifest = replace(self.manifest, dimensions=tuple(each.axis.name for each in dimensions))
        release = np.zeros_like(self.release) if -1 in places else self.release
        return replace(self, manifest=manifest, dimensions=dimensions, label=self.label[:, left], release=release)

    def cell(self, row: int) -> dict[str, str]:
        """Return the labels of a row by dimension."""
        labels = zip(self.dimensions, self.label[row].tolist(), strict=True)
        return {dimension.axis.name: dimension.labels[label] for dimension, label in labels}

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and the line of a row."""
        part = self.part(row)
        return part.file.shown, part.table.line(int(self.row[row]))

    def part(self, row: int) -> FileRows:
        """Return the table of a row."""
        return self.parts[int(self.file[row])]

    def units(self) -> list[list[int]]:
        """Return the parts that were published by the same rules: a table, or a column of it that is a statistic."""
        units: dict[tuple[int, str, str, bool], list[int]] = {}
        for at, part in enumerate(self.parts):
            if part.has_counts:
                column = part.view.column if self.manifest.values else ""
                units.setdefault((part.release, part.file.shown, column, part.is_exact), []).append(at)
        return [*units.values()]

    def rules(self, file: int) -> TableManifest:
        """Return the manifest as it holds for a table."""
        return self.manifest.for_exact() if self.parts[file].is_exact else self.manifest

    def zero(self, file: int) -> Interval:
        """Return the counts that a 0 in a table can stand for."""
        return Interpreter(self.rules(file)).interval("0")


def check_audited(counts: PublishedCounts) -> None:
    """Refuse a series that publishes nothing, or counts that are too large to be added up.

    Raises:
        InputError: it publishes nothing, or a count is too large.
    """
    problems = Problems()
    if not counts.shown.any():
        problems.add(NAME, "no release has a number or a marker", "name the column with the counts as value")
    if counts.lower.sum() >= UNBOUNDED:
        problems.add(NAME, f"the counts add up to {UNBOUNDED:,} or more", "count in thousands, or audit fewer tables")
    problems.check()


Ends = tuple[int, int]
Line = Mapping[str, Ends | None]
"""The numbers of one line of a table, by label, as intervals; None if no number is shown."""

_MANY = 5  # a total and four parts
LINES = 3
"""The number of lines that must show that a label is the sum of the others, so that it is taken for the total."""


def lines_along(
    counts: PublishedCounts, place: int, *, hidden: bool = False, files: Sequence[int] | None = None
) -> list[Line]:
    """Return the lines of all tables, or of some, along a dimension; `hidden` gives the bounds of markers, too."""
    rows = ~counts.without_count if files is None else np.isin(counts.file, files)
    keys = np.column_stack([counts.release, counts.measure, np.delete(counts.label, place, axis=1)])[rows].tolist()
    labels = counts.label[rows, place].tolist()
    shown = counts.shown if hidden else counts.number
    ends = zip(counts.lower[rows].tolist(), counts.upper[rows].tolist(), shown[rows].tolist(), strict=True)
    lines: dict[tuple[int, ...], dict[str, Ends | None]] = {}
    for key, label, (low, high, is_shown) in zip(keys, labels, ends, strict=True):
        lines.setdefault(tuple(key), {})[counts.dimensions[place].labels[label]] = (low, high) if is_shown else None
    return list(lines.values())


@dataclass(frozen=True)
class Sum:
    """A number (`total`) and those that should add up to it (`parts`), as intervals; None if no number is shown.

    `label` is the label of the number, where it is known.
    """

    total: Ends
    parts: Sequence[Ends | None]
    label: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether all numbers are shown."""
        return None not in self.parts

    @property
    def shows(self) -> bool:
        """Whether the sum is evidence for a total: all of its numbers are shown, and the total is not 0."""
        return self.is_whole and self.total[0] > 0

    @property
    def gap(self) -> int:
        """By how much the parts certainly exceed the total; negative if all are shown and fall short of it."""
        low, high = (sum(ends[side] for ends in self.parts if ends is not None) for side in (0, 1))
        return max(0, low - self.total[1]) or (min(0, high - self.total[0]) if self.is_whole else 0)


def sums_along(
    counts: PublishedCounts,
    place: int,
    labels: Container[str],
    *,
    hidden: bool = False,
    files: Sequence[int] | None = None,
) -> Iterator[Sum]:
    """Yield, for each given label of a dimension that covers several atoms, its lines: the label and its atoms."""
    dimension = counts.dimensions[place]
    atoms = [dimension.labels[one] for one in dimension.atom_label.tolist()]
    members = [[atoms[atom] for atom in some.tolist()] for some in dimension.axis.members]
    covers = {label: members[at] for label, at in zip(dimension.labels, dimension.set_of.tolist(), strict=True)}
    for line in lines_along(counts, place, hidden=hidden, files=files):
        for label, ends in line.items():
            if ends is not None and label in labels and len(covers[label]) > 1:
                parts = [line.get(atom) for atom in covers[label] if atom in line or atom != "(rest)"]
                yield Sum(ends, parts, label)


def adds_up(counts: PublishedCounts, files: Sequence[int]) -> bool:
    """Return whether nearly all sums in some tables are exactly right, at least three, which noise would break.

    A dimension whose labels need not cover everybody shows nothing.
    """
    closed = [(place, each.labels) for place, each in enumerate(counts.dimensions) if each.rest < 0]
    gaps = [
        sum_.gap for place, labels in closed for sum_ in sums_along(counts, place, labels, files=files) if sum_.shows
    ]
    return len(gaps) >= LINES and 10 * sum(map(bool, gaps)) <= len(gaps)


def is_part(pairs: Sequence[tuple[int, int]]) -> bool:
    """Return whether the first numbers of pairs may be parts of the second: never larger, and smaller at least once."""
    return all(part <= whole for part, whole in pairs) and any(part < whole for part, whole in pairs)


def totals_by_sums(lines: Iterable[Line], least: int = LINES) -> list[str]:
    """Return the labels that are the sum of the others in every complete line, of which there are at least `least`.

    A line of zeros is no evidence, and neither is one with a single other label. In a line that lacks a label, a total
    may be larger than the sum. If another label is always 0, several labels may be sums.

    >>> totals_by_sums([{"f": (n, n), "m": (1, 1), "Summe": (n + 1, n + 1)} for n in range(1, 5)])
    ['Summe']
    """
    lines = list(lines)
    labels = max(map(len, lines), default=0)
    shown, refuted = Counter[str](), set[str]()
    for line in lines:
        for label, ends in line.items():
            if ends is None or len(line) <= 2 or label in refuted:
                continue
            each = Sum(ends, [other for name, other in line.items() if name != label])
            if each.gap > 0 or (each.gap < 0 and len(line) == labels):
                refuted.add(label)
            elif each.shows and not each.gap:
                shown[label] += 1
    return [label for label, times in shown.items() if times >= least and label not in refuted]


def totals_not_by_chance(lines: Iterable[Line]) -> list[str]:
    """Return the labels that are the sum of the others in several lines, or in one of many positive numbers.

    >>> totals_not_by_chance([{"A": (4, 4), "B": (2, 2), "Land": (6, 6)}])
    []
    >>> totals_not_by_chance([{"A": (4, 4), "B": (2, 2), "C": (7, 7), "D": (5, 5), "Land": (18, 18)}])
    ['Land']
    """
    lines = list(lines)
    positive = [sum(ends is not None and ends[0] > 0 for ends in line.values()) for line in lines]
    return totals_by_sums(lines, 1 if min(positive, default=0) >= _MANY else LINES)


def divide_a_total(lines: Iterable[tuple[Ends, Mapping[str, Line]]]) -> bool:
    """Return whether topics may be parts of one whole, as regions are: no line refutes that all of them add up to it.

    Each line has the count of all people, and for each topic the counts of its labels. A label that may hold all others
    of its topic in each line may be the total of it.

    >>> districts = {"North": {"a": (3, 3), "b": (4, 4), "All": (7, 7)}, "South": {"c": (5, 5), "All": (5, 5)}}
    >>> divide_a_total([((12, 12), districts)]), divide_a_total([((9, 9), districts)])
    (True, False)
    """
    some = [(whole, topics) for whole, topics in lines if len(topics) > 1]
    hold, none = dict[str, set[str]](), dict[str, set[str]]()
    for topic, line in chain(*(topics.items() for _, topics in some)):
        hold.setdefault(topic, set()).update(line)
        for label, ends in line.items():
            if ends is not None and Sum(ends, [each for name, each in line.items() if name != label]).gap > 0:
                none.setdefault(topic, set()).add(label)
    sums = []
    for whole, topics in some:
        parts = []
        for topic, line in topics.items():
            low, high = zip(*(ends or (0, UNBOUNDED) for ends in line.values()), strict=True)
            parts.append(((max if hold[topic] - none.get(topic, set()) else sum)(low), sum(high)))
        sums.append(Sum(whole, parts))
    return bool(sums) and not any(each.gap for each in sums)


_CHANGE = re.compile(r"([+\-\u2212]?)([0-9]+)(\.0*)?")
_ROUNDS = 1000
Cell = tuple[int, int, tuple[int, ...]]
"""A release, a statistic, and a label for each dimension."""


def related(counts: PublishedCounts, texts: Mapping[str, npt.NDArray[Any]], problems: Problems) -> PublishedCounts:
    """Return the counts narrowed by the rates and changes that relate them to other cells.

    `texts` has the text of each row, shape (rows,), for each column of rates and of changes; faults are noted.
    """
    cells, manifest = _Cells(counts), counts.manifest
    ties: dict[str, list[CountTie]] = {}
    for rates in manifest.rates:
        if not rates.has_column:
            ties.setdefault(rates.column, []).extend(cells.rate_ties(rates, texts[rates.column], problems))
    if manifest.change is not None and manifest.is_exact:
        ties[manifest.change.column] = list(cells.change_ties(manifest.change, texts[CHANGE], problems))
    if problems.found:
        return counts
    cells.narrow([tie for some in ties.values() for tie in some])
    inexact = dict[str, list[CountTie]]()
    for column, tie in ((column, tie) for column, some in ties.items() for tie in some if cells.is_untied(tie)):
        if column in {each.column for each in manifest.rates} and not cells.is_shown(tie.base):
            cells.lacking[column] += 1
        else:
            inexact.setdefault(column, []).append(tie)
    cells.take_rates_alone()
    found = replace(counts, lower=cells.lower, upper=cells.upper, earlier=cells.earlier())
    return replace(found, related=cells.related, ties=inexact, untied=+cells.unjudged, lacking=cells.lacking)


def earlier_counts(counts: PublishedCounts) -> PublishedCounts | None:
    """Return the exact counts of releases that are not in the series, as changes reveal them; None if there are none.

    They have the rows of the later counts.
    """
    known = (counts.earlier >= 0) & (counts.earlier < UNBOUNDED)
    if not known.any():
        return None
    return replace(
        counts,
        manifest=replace(counts.manifest, over_time="independent", absent_is_zero=False),
        lower=np.where(known, counts.earlier, 0),
        upper=np.where(known, counts.earlier, UNBOUNDED),
        denominators=np.full_like(counts.denominators, UNBOUNDED),
        hidden=np.zeros_like(known),
        number=known,
    )


def with_earlier_cells(counts: PublishedCounts) -> PublishedCounts:
    """Return the counts with a row for each exact count that a change discloses of a release that lacks the cell.

    It is about the atoms of its labels, as a number published there would be. What a label that the release lacks
    consists of is only known from categories: `earlier` of the other rows is kept.
    """
    rows = _of_lacking_releases(counts)
    rows = rows[[not _unknown_labels(counts, row) for row in rows.tolist()]]
    number = counts.earlier[rows]
    found = counts.with_values(rows, earlier=-1).with_numbers(rows, counts.label[rows], number, number)
    text, release = [*map(str, number.tolist())], counts.release[rows] - _since(counts)
    return found.with_values(slice(len(counts.release), None), release=release, text=text)


def earlier_cells_without_categories(counts: PublishedCounts) -> list[int]:
    """Return the rows whose change discloses the count of a label that the earlier release may have as several others.

    If that release hides nothing, a count of 0 of the label says nothing about others.
    """
    hides = set(counts.release[counts.hidden].tolist())
    rows = _of_lacking_releases(counts).tolist()
    some = [row for row in rows if counts.earlier[row] or counts.release[row] - _since(counts) in hides]
    return [row for row in some if _unknown_labels(counts, row)]


def _since(counts: PublishedCounts) -> int:
    return counts.manifest.change.since if counts.manifest.change else 0


def _of_lacking_releases(counts: PublishedCounts) -> Places:
    known = (counts.earlier >= 0) & (counts.earlier < UNBOUNDED)
    return np.flatnonzero(known & (counts.release >= _since(counts)))


def _unknown_labels(counts: PublishedCounts, row: int) -> list[str]:
    """Return the dimensions without categories whose label of a row the release that its change names does not have."""
    theirs = counts.label[counts.release == counts.release[row] - _since(counts)]
    return [
        each.axis.name
        for place, each in enumerate(counts.dimensions)
        if each.axis.name not in counts.manifest.categories
        and counts.label[row, place] not in (each.total, *theirs[:, place].tolist())
    ]


@dataclass(frozen=True)
class CountTie:
    """What a rate or a change reveals about the counts of two cells.

    Attributes:
        rows, base: the rows that show the first and the second count.
        least, most, by: the first count is at least `least` and at most `most` times the second, plus `by`.
    """

    rows: Sequence[int]
    base: Sequence[int]
    least: Fraction
    most: Fraction
    by: int = 0

    def narrowed(self, count: Interval, base: Interval) -> tuple[Interval, Interval]:
        """Return the intervals of both counts, narrowed by the tie; it is monotone, so bounds follow from bounds."""
        low = max(count[0], ceil(self.least * base[0]) + self.by)
        high = count[1] if base[1] >= UNBOUNDED else min(count[1], floor(self.most * base[1]) + self.by)
        while low <= high < UNBOUNDED and self._bases(high, base) is None:
            high -= 1
        while low <= high and self._bases(low, base) is None:
            low += 1
        first, last = self._bases(low, base), self._bases(high, base) if high < UNBOUNDED else base
        return ((1, 0), (1, 0)) if first is None or last is None else ((low, high), (first[0], last[1]))

    def _bases(self, count: int, base: Interval) -> Interval | None:
        """Return the second counts in an interval that are consistent with a first count; None if there are none."""
        least = max(base[0], ceil((count - self.by) / self.most))
        most = min(base[1], floor((count - self.by) / self.least)) if self.least > 0 else base[1]
        return (least, most) if least <= most else None

    def says_more(self, count: Interval, base: Interval) -> bool:
        """Return whether two inexact intervals contain pairs of counts that the tie excludes."""
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
        self.unjudged, self.lacking = Counter[str](), Counter[str]()
        self.alone, self.related = dict[int, int](), dict[int, list[int]]()
        self._points = cache(lambda file: points_part_thousands({*counts.text[counts.file == file]}))
        self.rows: dict[Cell, list[int]] = {}
        for row, cell in enumerate(self.cell):
            self.rows.setdefault(cell, []).append(row)

    def narrow(self, ties: Sequence[CountTie]) -> None:
        """Narrow the intervals of rows, one pair of cells at a time, until nothing changes or an interval is empty.

        If the limit of steps is reached, the bounds are valid, but some pairs are not exact.
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
        """Narrow the intervals of rows; a published number does not stand for counts from 1 to below the threshold."""
        threshold, counts = self.manifest.threshold, self.counts
        for row in rows:
            least, most = max(low, int(self.lower[row])), min(high, int(self.upper[row]))
            if threshold and counts.number[row] and counts.text[row] not in self.manifest.markers:
                least, most = with_threshold(0, (least, most), threshold)
            self.lower[row], self.upper[row] = least, most

    def is_untied(self, tie: CountTie) -> bool:
        """Return whether a tie excludes pairs of counts that both intervals still allow."""
        return tie.says_more(self._ends(tie.rows), self._ends(tie.base))

    def is_shown(self, rows: Sequence[int]) -> bool:
        """Return whether one of these rows shows its count."""
        return bool(self.counts.shown[rows].any())

    def take_rates_alone(self) -> None:
        """Let the rows of a cell say what its rates in a table without counts say, as if these stood beside them."""
        without = self.counts.without_count
        for row in np.flatnonzero(without).tolist():
            rows = self.rows[self.cell[row]]
            self.related.setdefault(row, []).extend(rows)
            self._narrow(rows, *self._ends(rows))
            if not without[rows].all():
                self.lower[row], self.upper[row] = 0, UNBOUNDED

    def _ends(self, rows: Sequence[int]) -> Interval:
        return max(int(self.lower[row]) for row in rows), min(int(self.upper[row]) for row in rows)

    def rate_ties(self, rates: Rates, texts: npt.NDArray[Any], problems: Problems) -> Iterator[CountTie]:
        """Yield what rates reveal whose denominator is a cell; rates of published numbers narrow the counts at once.

        The denominator has the labels of the row, except for those that the manifest gives it.
        """
        places = list(self._places(rates, problems))
        names = [each for each in self.counts.measures if each is not None]
        measure = names.index(rates.denominator) if rates.denominator in names else None
        if rates.is_statistic and rates.denominator and measure is None:
            what = f'rates: "{rates.denominator}" is not one of the statistics that are counts'
            problems.add(NAME, what, "name it in measures")
        for row in np.flatnonzero(texts != "").tolist():
            release, own, label = self.cell[row]
            total = list(label)
            for place, code in places:
                total[place] = code
            base = (release, own if measure is None else measure, tuple(total))
            rate = decimal_of(texts[row])
            if rate is None or (base == self.cell[row] and not rate):
                continue
            least, most = rate_ends(rate, rates)
            both = [*self.rows[self.cell[row]], *self.rows.get(base, ())]
            self.related.setdefault(row, []).extend(both)
            if rate > 0:
                self._narrow(both, 1, UNBOUNDED)  # nobody is no share, and there is no share of nobody
            if base == self.cell[row]:
                continue
            if base not in self.rows:
                self.lacking[rates.column] += 1
            elif rates.of_published and not all(self.counts.part(each).is_exact for each in both):
                self._narrow_by_published(rates.column, (least, most), self.rows[self.cell[row]], self.rows[base])
            else:
                yield CountTie(self.rows[self.cell[row]], self.rows[base], least, most)

    def _places(self, rates: Rates, problems: Problems) -> Iterator[tuple[int, int]]:
        """Yield the dimensions in which the denominator has labels of its own, and these labels."""
        names = [each.axis.name for each in self.counts.dimensions]
        for name, text in rates.total.items():
            labels = self.counts.dimensions[names.index(name)].labels if name in names else ()
            if text in labels:
                yield names.index(name), labels.index(text)
            else:
                problems.add(NAME, f'rates: {name} has no label "{text}"', "name a dimension and one of its labels")

    def _narrow_by_published(
        self, column: str, share: tuple[Fraction, Fraction], rows: Sequence[int], base: Sequence[int]
    ) -> None:
        """Narrow the hidden counts of a cell or of the denominator by the published number of the other one."""
        count, of = self._number(rows), self._number(base)
        least, most = share
        if count is None and of is None:
            (self.unjudged if self.is_shown(base) else self.lacking)[column] += 1
        elif count is None and of is not None:
            self._narrow_hidden(rows, (ceil(least * of), floor(most * of)))
        elif count is not None and of is None:
            self._narrow_hidden(base, (ceil(count / most), floor(count / least) if least > 0 else UNBOUNDED))

    def _number(self, rows: Sequence[int]) -> int | None:
        """Return the published number of a cell; None if it shows none."""
        texts = ((self.counts.text[row], self._points(int(self.counts.file[row]))) for row in rows)
        return next((number for text, point in texts if (number := number_of(text, point=point)) is not None), None)

    def _narrow_hidden(self, rows: Sequence[int], published: Interval) -> None:
        """Narrow hidden counts to those whose published number lies in an interval."""
        for row in rows:
            known = self.counts.rules(int(self.counts.file[row]))
            self._narrow([row], *widened(published_rate_interval(published, known.rounding), known.perturbation))

    def change_ties(self, change: ChangeColumn, texts: npt.NDArray[Any], problems: Problems) -> Iterator[CountTie]:
        """Yield what changes since an earlier release reveal."""
        for row in np.flatnonzero(texts != "").tolist():
            found = _CHANGE.fullmatch(texts[row])
            if found is None:
                if texts[row] not in self.manifest.markers and texts[row] not in self.manifest.not_published:
                    file, line = self.counts.place(row)
                    what = say('"{text}": this is not a change of a count', text=texts[row])
                    remedy = say(
                        "write a whole number with its sign, or name the text in not_published; changes in percent are "
                        "not read, and may disclose hidden counts: leave their column out"
                    )
                    problems.add(file, what, remedy, line=line, column=change.column)
                    return
                continue
            release, measure, label = self.cell[row]
            before = self.rows.get((release - change.since, measure, label), [])
            by = int(found[2]) * (-1 if found[1] not in ("", "+") else 1)
            self.related.setdefault(row, []).extend([*self.rows[self.cell[row]], *before])
            if before:
                yield CountTie(self.rows[self.cell[row]], before, Fraction(1), Fraction(1), by)
            else:
                self._narrow(self.rows[self.cell[row]], by, UNBOUNDED)
                self.alone[row] = by

    def earlier(self) -> Counts:
        """Return the counts of earlier releases that are known by changes alone, as `PublishedCounts.earlier`."""
        found = np.full_like(self.lower, -1)
        for row, by in self.alone.items():
            low, high = self._ends(self.rows[self.cell[row]])
            found[row] = low - by if low == high else UNBOUNDED
        return found
