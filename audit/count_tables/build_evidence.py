"""Published counts as evidence: boxes over atoms and time, their intervals, and what is asked (docs/tables.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from audit.count_tables.intervals import Interpreter
from audit.count_tables.manifest import NAME
from audit.count_tables.published_counts import PublishedCounts
from audit.model.count_tables import PROTECTED, SMALL_COUNT, UNBOUNDED, Axis, Boxes, Counts, CountTables, Flags
from audit.model.errors import InputError, Problem

Codes = npt.NDArray[np.int32]
_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class CountQuestions:
    """What is asked of one statistic, as it is reported; all arrays have one entry, or row, for each question.

    Attributes:
        label: shape (questions, dimensions), int32; the labels of the cell.
        release: int32; where it was published, or is derived.
        since: int32; the release before, for an increase; else -1.
        rule: int8; `PROTECTED` or `SMALL_COUNT`.
        published: int32; the row that shows it, -1 for what is derived.
    """

    label: Codes
    release: Codes
    since: Codes
    rule: npt.NDArray[np.int8]
    published: Codes

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.release)


@dataclass(frozen=True)
class MeasureEvidence:
    """One statistic: what attacks see, what it stands for, and what was counted.

    Attributes:
        measure: its name, None where there is only one.
        tables: what attacks see, one for each part that falls apart from the others.
        questions: for each part its questions, in the same order as `asked`.
        rows: for each part the published row of each of its numbers; -1 where a row left out is a 0.
        cells, protected: how many were published, and how many of them as markers.
    """

    measure: str | None
    tables: tuple[CountTables, ...]
    questions: tuple[CountQuestions, ...]
    rows: tuple[Codes, ...]
    cells: int
    protected: int


def build_evidence(
    counts: PublishedCounts, limits: dict[str, int], asked: CountQuestions | None = None
) -> list[MeasureEvidence]:
    """Return the evidence of each statistic, with the questions of an audit or those that are given."""
    return [_EvidenceBuilder(counts, place, limits).evidence(asked) for place in range(len(counts.measures))]


class _EvidenceBuilder:
    def __init__(self, counts: PublishedCounts, measure: int, limits: dict[str, int]) -> None:
        self.counts, self.limits = counts, limits
        self.dimensions = counts.dimensions
        self.name = counts.measures[measure]
        self.rows = np.flatnonzero(counts.measure == measure)
        self.label = counts.label[self.rows]
        self.box = np.stack(
            [each.set_of[self.label[:, place]] for place, each in enumerate(self.dimensions)], axis=1
        ).astype(np.int32)
        self.release = counts.release[self.rows]
        self.shown = counts.shown[self.rows]
        self.hidden = counts.hidden[self.rows]
        self.over_time = counts.manifest.over_time
        # Releases about the same people are one.
        self.period = np.zeros_like(self.release) if self.over_time == "same" else self.release

    def evidence(self, asked: CountQuestions | None) -> MeasureEvidence:
        cells, first = self._cells()
        protected = self._protected(cells, first)
        questions = asked or _joined([self._of_cells(cells, first, protected), *self._derived(), *self._increases()])
        periods = self._absent()
        parts = list(self._parts(questions, periods))
        return MeasureEvidence(
            measure=self.name,
            tables=tuple(each[0] for each in parts),
            questions=tuple(each[1] for each in parts),
            rows=tuple(each[2] for each in parts),
            cells=len(first),
            protected=int(protected.sum()),
        )

    def _cells(self) -> tuple[Codes, Codes]:
        """Return the cell of each row, -1 where it shows nothing, and the first row of each cell."""
        shown = np.flatnonzero(self.shown)
        keys = np.column_stack([self.period[shown], self.label[shown]])
        _, first, cell = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        of_row = np.full(len(self.rows), -1, dtype=np.int32)
        of_row[shown] = rank[cell.ravel()]
        return of_row, shown[first[order]].astype(np.int32)

    def _protected(self, cells: Codes, first: Codes) -> Flags:
        """Tell which cells are markers wherever they are published."""
        protected = np.ones(len(first), dtype=np.bool_)
        protected[cells[self.shown & ~self.hidden]] = False
        return protected

    def _of_cells(self, cells: Codes, first: Codes, protected: Flags) -> CountQuestions:
        markers = np.array([text in self.counts.manifest.markers for text in self.counts.texts] or [False])
        # A marker that stands for one count only hides nothing, and is not asked.
        asked = protected.copy()
        asked[cells[self.shown & ~markers[self.counts.text[self.rows]]]] = True
        rows = first[asked]
        return CountQuestions(
            label=self.label[rows],
            release=self.release[rows],
            since=np.full(len(rows), -1, dtype=np.int32),
            rule=np.where(protected[asked], PROTECTED, SMALL_COUNT).astype(np.int8),
            published=self.rows[rows].astype(np.int32),
        )

    def _derived(self) -> Iterator[CountQuestions]:
        """Yield the cells of each crossing that a release publishes whose boxes it does not publish."""
        total = np.array([each.total for each in self.dimensions])
        crossings = self.label != total
        seen = np.unique(np.column_stack([self.period, crossings]), axis=0)
        published = _keys(np.column_stack([self.period, self.box])[self.shown], self._sizes())
        for period, *crossing in seen.tolist():
            label, box = self._atoms_of(np.array(crossing, dtype=np.bool_))
            keys = _keys(np.column_stack([np.full(len(box), period), box]), self._sizes())
            new = ~np.isin(keys, published)
            inside = (self.period == period) & (crossings == np.array(crossing, dtype=np.bool_)).all(axis=1)
            count = int(new.sum())
            yield CountQuestions(
                label=label[new],
                release=np.full(count, self.release[inside].max(), dtype=np.int32),
                since=np.full(count, -1, dtype=np.int32),
                rule=np.full(count, SMALL_COUNT, dtype=np.int8),
                published=np.full(count, -1, dtype=np.int32),
            )

    def _sizes(self) -> list[int]:
        return [len(self.counts.manifest.releases), *(len(each.axis.members) for each in self.dimensions)]

    def _atoms_of(self, crossing: Flags) -> tuple[Codes, Boxes]:
        """Return labels and boxes of all combinations of atoms of some dimensions, the others at their total.

        Raises:
            InputError: there are more than fit into memory.
        """
        crossed = [each for each, inside in zip(self.dimensions, crossing, strict=True) if inside]
        size = prod(len(each.atom_label) for each in crossed)
        if size > _MOST_CELLS:
            names = " by ".join(each.axis.name for each in crossed)
            what = f"{names} has {size:,} cells, more than are looked at"
            remedy = "put fewer dimensions into one table, or name the labels' coarser atoms in [table] categories"
            raise InputError([Problem(NAME, what, remedy)])
        choices = [
            each.atom_label if inside else np.array([each.total], dtype=np.int32)
            for each, inside in zip(self.dimensions, crossing, strict=True)
        ]
        label = _combinations(choices)
        return label, self._boxes_of(label)

    def _boxes_of(self, label: Codes) -> Boxes:
        columns = [each.set_of[label[:, place]] for place, each in enumerate(self.dimensions)]
        return np.stack(columns, axis=1).astype(np.int32)

    def _increases(self) -> Iterator[CountQuestions]:
        """Yield, for releases that only grow, what each box that two releases in turn publish has grown by."""
        if self.over_time != "cumulative":
            return
        for later in range(1, len(self.counts.manifest.releases)):
            now, before = self.shown & (self.release == later), self.shown & (self.release == later - 1)
            rows = np.flatnonzero(now)
            keys = _keys(self.box[rows], self._sizes()[1:])
            _, first = np.unique(keys, return_index=True)
            first = np.sort(first)
            again = np.isin(keys[first], _keys(self.box[before], self._sizes()[1:]))
            rows = rows[first[again]]
            yield CountQuestions(
                label=self.label[rows],
                release=np.full(len(rows), later, dtype=np.int32),
                since=np.full(len(rows), later - 1, dtype=np.int32),
                rule=np.full(len(rows), SMALL_COUNT, dtype=np.int8),
                published=np.full(len(rows), -1, dtype=np.int32),
            )

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
        total = np.array([each.total for each in self.dimensions])
        crossings = self.label != total
        for release, *crossing in np.unique(np.column_stack([self.release, crossings]), axis=0).tolist():
            inside = (self.release == release) & (crossings == np.array(crossing, dtype=np.bool_)).all(axis=1)
            labels = self.label[inside]
            choices = [
                self._labels_shown(place, labels[:, place]) if crossed else np.array([total[place]])
                for place, crossed in enumerate(crossing)
            ]
            grid = _combinations(choices)
            sizes = [len(each.labels) for each in self.dimensions]
            missing = grid[~np.isin(_keys(grid, sizes), _keys(labels, sizes))]
            yield self._boxes_of(missing), 0 if self.over_time == "same" else release

    def _labels_shown(self, place: int, labels: Codes) -> Codes:
        """Return the labels of a dimension that a table has; all that were ever published where none nest."""
        dimension = self.dimensions[place]
        if dimension.axis.name in self.counts.manifest.categories:
            return np.unique(labels)
        return np.array([one for one in dimension.atom_label.tolist() if one < dimension.published], dtype=np.int32)

    def _parts(
        self, questions: CountQuestions, absent: tuple[Boxes, Codes, Counts, Counts]
    ) -> Iterator[tuple[CountTables, CountQuestions, Codes]]:
        """Yield what falls apart: each independent release by itself, else everything."""
        said = np.flatnonzero(
            self.shown | (self.counts.upper[self.rows] < UNBOUNDED) | (self.counts.lower[self.rows] > 0)
        )
        boxes = np.concatenate([self.box[said], absent[0]])
        period = np.concatenate([self.period[said], absent[1]])
        lower = np.concatenate([self.counts.lower[self.rows][said], absent[2]])
        upper = np.concatenate([self.counts.upper[self.rows][said], absent[3]])
        rows = np.concatenate([self.rows[said], np.full(len(absent[1]), -1)]).astype(np.int32)
        asked_period = np.zeros_like(questions.release) if self.over_time == "same" else questions.release
        asked = self._boxes_of(questions.label)
        releases = len(self.counts.manifest.releases)
        apart = self.over_time == "independent"
        for part in range(releases) if apart else [0]:
            mine = period == part if apart else np.ones(len(period), dtype=np.bool_)
            own = asked_period == part if apart else np.ones(len(asked_period), dtype=np.bool_)
            time = _time_axis(releases if self.over_time == "cumulative" else 1)
            shift = np.zeros_like if apart else np.asarray
            at, asked_at = shift(period[mine]), shift(asked_period[own])
            since = questions.since[own]
            upto = _prefixes(len(time.members), releases) if self.over_time == "cumulative" else np.zeros(1, np.int32)
            asked_sets = np.where(since >= 0, asked_at, upto[asked_at]) if len(upto) > 1 else upto[asked_at]
            yield (
                CountTables(
                    axes=(*(each.axis for each in self.dimensions), time),
                    boxes=np.column_stack([boxes[mine], upto[at]]).astype(np.int32),
                    lower=lower[mine],
                    upper=upper[mine],
                    asked=np.column_stack([asked[own], asked_sets]).astype(np.int32),
                    rule=questions.rule[own],
                    min_count=self.limits["min_count"],
                    min_width=self.limits["min_width"],
                ),
                _selected(questions, own),
                rows[mine],
            )


def _combinations(choices: Sequence[npt.NDArray[np.integer]]) -> Codes:
    """Return all ways to take one of each; shape (ways, choices), the last choice changes first."""
    found = np.zeros((1, len(choices)), dtype=np.int32)
    for place, some in enumerate(choices):
        before = len(found)
        found = np.repeat(found, len(some), axis=0)
        found[:, place] = np.tile(some, before)
    return found


def _time_axis(periods: int) -> Axis:
    """Return an axis with an atom for each period and, after the atoms, all periods up to each but the first."""
    members = [np.array([atom], dtype=np.int32) for atom in range(periods)]
    members += [np.arange(last + 1, dtype=np.int32) for last in range(1, periods)]
    return Axis("time", periods, members, len(members) - 1)


def _prefixes(sets: int, periods: int) -> Codes:
    """Return the set of all periods up to each; shape (periods,)."""
    return np.array([0, *range(periods, sets)], dtype=np.int32)


def _joined(parts: list[CountQuestions]) -> CountQuestions:
    return CountQuestions(
        label=np.concatenate([each.label for each in parts]),
        release=np.concatenate([each.release for each in parts]),
        since=np.concatenate([each.since for each in parts]),
        rule=np.concatenate([each.rule for each in parts]),
        published=np.concatenate([each.published for each in parts]),
    )


def _selected(questions: CountQuestions, which: Flags) -> CountQuestions:
    return CountQuestions(
        label=questions.label[which],
        release=questions.release[which],
        since=questions.since[which],
        rule=questions.rule[which],
        published=questions.published[which],
    )


def _keys(columns: npt.NDArray[np.integer], sizes: list[int]) -> npt.NDArray[np.int64]:
    """Return one number for each row; the sizes say how many values each column may have."""
    keys = np.zeros(len(columns), dtype=np.int64)
    for place, size in enumerate(sizes):
        keys = keys * max(1, size) + columns[:, place]
    return keys
