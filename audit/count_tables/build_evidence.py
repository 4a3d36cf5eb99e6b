"""Published counts as evidence: boxes over atoms and time, their intervals, and what is asked (docs/tables.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from audit.count_tables.count_questions import (
    CountQuestions,
    QuestionBuilder,
    StatisticRows,
    Unasked,
    combinations,
    keys,
)
from audit.count_tables.intervals import Interpreter
from audit.count_tables.label_sets import Dimension, LabelSets
from audit.count_tables.published_counts import PublishedCounts
from audit.model.arrays import Codes, Counts, Flags
from audit.model.count_tables import PROTECTED, SMALL_COUNT, Axis, Boxes, CountTables
from audit.model.json_types import UNBOUNDED
from audit.runtime.phrases import say


@dataclass(frozen=True)
class EvidencePart:
    """What of one statistic hangs together: what attacks see, and what it stands for.

    Attributes:
        statistic: its place among the statistics.
        measure: its name, None where there is only one.
        tables: what attacks see.
        questions: in the same order as `asked` of the tables.
        rows: the published row of each of its numbers; -1 where a row left out is a 0.
        dimensions: with a label for each set that is asked about; published labels come first, as they were.
    """

    statistic: int
    measure: str | None
    tables: CountTables
    questions: CountQuestions
    rows: Codes
    dimensions: tuple[Dimension, ...]


@dataclass(frozen=True)
class CountEvidence:
    """All parts, what was too much to ask, and how many cells were published, and how many of them as markers."""

    parts: Sequence[EvidencePart]
    unasked: Sequence[Unasked]
    cells: int
    protected: int


def build_evidence(
    counts: PublishedCounts, limits: Mapping[str, int], asked: CountQuestions | None = None
) -> CountEvidence:
    """Return the evidence, with the questions of an audit or those that are given about each statistic.

    Labels of questions that are given are those of `asked_dimensions`.
    """
    builders, dimensions, questions = _questions(counts)
    cells = [each.cells() for each in builders]
    parts, unasked = list[EvidencePart](), list[Unasked]()
    for place, builder in enumerate(builders):
        part = _EvidenceBuilder(counts, place, builder.rows, limits, dimensions)
        parts += part.parts(asked or questions[place])
        unasked += [*builder.unasked, *part.unasked()]
    return CountEvidence(
        parts, unasked, sum(len(first) for first, _ in cells), sum(int(protected.sum()) for _, protected in cells)
    )


def _questions(
    counts: PublishedCounts,
) -> tuple[list[QuestionBuilder], tuple[Dimension, ...], list[CountQuestions]]:
    """Return the builder and the questions of each statistic, and the dimensions with the sets of all of them."""
    sets = [LabelSets(each) for each in counts.dimensions]
    builders = [QuestionBuilder(StatisticRows(counts, place), sets) for place in range(len(counts.measures))]
    questions = [each.questions() for each in builders]
    return builders, tuple(each.dimension() for each in sets), questions


def asked_dimensions(counts: PublishedCounts) -> tuple[Dimension, ...]:
    """Return the dimensions with a label for each set that an audit asks about."""
    return _questions(counts)[1]


class _EvidenceBuilder:
    def __init__(
        self, counts: PublishedCounts, statistic: int, rows: StatisticRows, limits: Mapping[str, int],
        dimensions: tuple[Dimension, ...],
    ) -> None:  # fmt: skip
        self.counts, self.statistic, self.rows = counts, statistic, rows
        self.limits, self.dimensions, self.over_time = limits, dimensions, rows.over_time
        self.box = self._boxes_of(rows.label)

    def unasked(self) -> Iterator[Unasked]:
        """Yield what is not asked about the hidden denominators of rates."""
        values = self.counts.denominators[self.rows.row]
        both = PROTECTED, SMALL_COUNT
        if count := int((values == 0).sum()):
            yield Unasked(count, say("the denominators of some rates are unknown, or too many to try"), both)
        if count := int(((values > 0) & (values < self.limits["min_width"])).sum()):
            yield Unasked(count, say("rates leave some hidden denominators fewer values than min_width"), (PROTECTED,))

    def _boxes_of(self, label: Codes) -> Boxes:
        columns = [each.set_of[label[:, place]] for place, each in enumerate(self.dimensions)]
        return np.stack(columns, axis=1).astype(np.int32)

    def _absent(self) -> tuple[Boxes, Codes, Counts, Counts]:
        """Return the boxes, periods and intervals of rows that are left out where that means 0."""
        boxes, periods = [np.zeros((0, len(self.dimensions)), dtype=np.int32)], [np.zeros(0, dtype=np.int32)]
        if self.counts.manifest.absent_is_zero:
            for box, at in self._left_out():
                boxes.append(box)
                periods.append(np.full(len(box), at, dtype=np.int32))
        low, high = Interpreter(self.counts.manifest).interval("0")
        period = np.concatenate(periods)
        count = len(period)
        return np.concatenate(boxes), period, np.full(count, low, dtype=np.int64), np.full(count, high, dtype=np.int64)

    def _left_out(self) -> Iterator[tuple[Boxes, int]]:
        """Yield for each table of a release the combinations of its labels that no row of it shows."""
        rows = self.rows
        total, crossings = rows.totals, rows.crossings
        for release, *crossing in np.unique(np.column_stack([rows.release, crossings]), axis=0).tolist():
            inside = (rows.release == release) & (crossings == np.array(crossing, dtype=np.bool_)).all(axis=1)
            labels = rows.label[inside]
            choices = [
                self._labels_shown(place, labels[:, place]) if crossed else np.array([total[place]])
                for place, crossed in enumerate(crossing)
            ]
            grid = combinations(choices)
            sizes = [len(each.labels) for each in self.dimensions]
            missing = grid[~np.isin(keys(grid, sizes), keys(labels, sizes))]
            yield self._boxes_of(missing), 0 if self.over_time == "same" else release

    def _labels_shown(self, place: int, labels: Codes) -> Codes:
        """Return the labels of a dimension that a table has; all that were ever published where none nest."""
        dimension = self.dimensions[place]
        if dimension.axis.name in {*self.counts.manifest.categories, *self.counts.manifest.codes}:
            return np.unique(labels)
        return np.array([one for one in dimension.atom_label.tolist() if one < dimension.published], dtype=np.int32)

    def parts(self, questions: CountQuestions) -> Iterator[EvidencePart]:
        """Yield what hangs together: each independent release by itself, else everything."""
        absent = self._absent()
        lower, upper = self.counts.lower[self.rows.row], self.counts.upper[self.rows.row]
        said = self.rows.shown | (upper < UNBOUNDED) | (lower > 0)
        boxes, period = np.concatenate([self.box[said], absent[0]]), np.concatenate([self.rows.period[said], absent[1]])
        lower, upper = np.concatenate([lower[said], absent[2]]), np.concatenate([upper[said], absent[3]])
        rows = np.concatenate([self.rows.row[said], np.full(len(absent[1]), -1)]).astype(np.int32)
        asked_period = np.zeros_like(questions.release) if self.over_time == "same" else questions.release
        asked, since = self._boxes_of(questions.label), questions.since
        releases = len(self.counts.manifest.releases)
        upto = _upto(releases) if self.over_time == "cumulative" else np.zeros((1, 1), dtype=np.int32)
        axes = (*(each.axis for each in self.dimensions), _time_axis(len(upto)))
        if self.over_time != "cumulative":
            since = np.full_like(since, -1)
        chosen: list[tuple[Flags, Flags]] = [(period >= 0, asked_period >= 0)]
        if self.over_time == "independent":
            chosen = [(period == part, asked_period == part) for part in range(releases)]
            period, asked_period = np.zeros_like(period), np.zeros_like(asked_period)
        for mine, own in chosen:
            tables = CountTables(
                axes=axes,
                boxes=np.column_stack([boxes[mine], upto[0, period[mine]]]).astype(np.int32),
                lower=lower[mine],
                upper=upper[mine],
                asked=np.column_stack([asked[own], upto[since[own] + 1, asked_period[own]]]).astype(np.int32),
                rule=questions.rule[own],
                min_count=self.limits["min_count"],
                min_width=self.limits["min_width"],
            )
            measure = self.counts.measures[self.statistic]
            yield EvidencePart(self.statistic, measure, tables, questions.take(own), rows[mine], self.dimensions)


def _time_axis(periods: int) -> Axis:
    """Return an axis with an atom for each period, after the atoms all periods up to each, then all other spans."""
    members = [np.array([atom], dtype=np.int32) for atom in range(periods)]
    members += [np.arange(last + 1, dtype=np.int32) for last in range(1, periods)]
    whole = len(members) - 1
    members += [np.arange(first, last + 1, dtype=np.int32) for last in range(periods) for first in range(1, last)]
    return Axis("time", periods, members, whole)


def _upto(periods: int) -> Codes:
    """Return the set of all periods from one (row) up to another (column); shape (periods, periods)."""
    found = np.zeros((periods, periods), dtype=np.int32)
    np.fill_diagonal(found, np.arange(periods))
    found[0, 1:] = periods - 1 + np.arange(1, periods)
    place = 2 * periods - 1
    for last in range(periods):
        for first in range(1, last):
            found[first, last] = place
            place += 1
    return found
