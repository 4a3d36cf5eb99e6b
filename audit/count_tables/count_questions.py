"""Count questions: build the questions about cells, about boxes that labels distinguish, and about their increases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from audit.count_tables.label_sets import LabelSets, LabelView, Mask, atoms_of
from audit.count_tables.published_counts import PublishedCounts
from audit.model.arrays import Codes, Counts, Flags, Integers, Places
from audit.model.count_tables import PERHAPS_LARGE, PROTECTED, SMALL_COUNT
from audit.runtime.phrases import printable, say

MOST_BOXES = 100_000
_MOST_TRIED = 500_000
_MOST_QUESTIONS = 20_000_000
_MOST_CROSSINGS = 4096


@dataclass(frozen=True)
class CountQuestions:
    """Questions about one statistic, with the cells as labels; arrays have shape (questions,) if no other is given.

    Attributes:
        label: the labels of the cell; shape (questions, dimensions), int32.
        release: the release that publishes the cell, or from which it is derived; int32.
        since: the earlier release of an increase, otherwise -1; int32.
        rule: `PROTECTED`, `PERHAPS_LARGE`, `SMALL_COUNT` or `SAME_KIND`; int8.
        published: the row that shows the cell, -1 for a derived cell; int32.
        kinds: the index of the dimension in which all people may be of one kind; None for other questions.
    """

    label: Codes
    release: Codes
    since: Codes
    rule: npt.NDArray[np.int8]
    published: Codes
    kinds: int | None = None

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.release)

    def take(self, which: npt.NDArray[np.bool_ | np.intp]) -> CountQuestions:
        """Return the questions that flags or indices choose; `kinds` is left out."""
        return CountQuestions(
            self.label[which], self.release[which], self.since[which], self.rule[which], self.published[which]
        )


@dataclass(frozen=True)
class Unasked:
    """How many questions were left out, why, and by which rules they would have been judged."""

    count: int
    reason: str
    rules: tuple[int, ...] = (SMALL_COUNT,)

    @classmethod
    def of(cls, count: int, names: Iterable[str], rules: tuple[int, ...] = (SMALL_COUNT,)) -> list[Unasked]:
        """Return that there are too many boxes of these dimensions; none if no question was left out."""
        reason = say("{names} has more combinations than are checked", names=printable(" x ".join(names)))
        return [cls(count, reason, rules)] if count else []


class StatisticRows:
    """The published rows of one statistic; all arrays have one entry, or row, for each.

    Attributes:
        row: the index among all rows; int32.
        label: the labels of the cell; shape (rows, dimensions), int32.
        release, period, table: the release, the period (releases about the same people are one), and the table (the
            columns of one file are one); int32.
        shown, hidden, exact: whether the row shows anything, a marker that can stand for several counts, or one exact
            count; bool.
        said_most: as `PublishedCounts.said_most`; int64.
        without_count: as `PublishedCounts.without_count`; bool.
        over_time: how the releases are related.
        totals: the label that covers all people, -1 for none; shape (dimensions,), int32.
        zero: for each dimension, the labels that stand for 0 in a table that lacks them; int32.
    """

    def __init__(self, counts: PublishedCounts, statistic: int) -> None:
        self.row = rows = np.flatnonzero(counts.measure == statistic).astype(np.int32)
        self.label, self.release, self.over_time = counts.label[rows], counts.release[rows], counts.manifest.over_time
        self.period = np.zeros_like(self.release) if self.over_time == "same" else self.release
        number = {file: place for place, file in enumerate(dict.fromkeys(part.file for part in counts.parts))}
        self.table = np.array([number[part.file] for part in counts.parts], dtype=np.int32)[counts.file[rows]]
        self.shown, self.hidden = counts.shown[rows], counts.hidden[rows]
        self.said_most = counts.said_most[rows]
        self.without_count = counts.without_count[rows]
        self.exact = counts.number[rows] & (counts.lower[rows] == counts.upper[rows])
        self.totals = np.array([each.total for each in counts.dimensions], dtype=np.int32)
        own = {*counts.manifest.categories, *counts.manifest.codes}  # each table has labels of its own
        self.zero = [
            each.atom_label[each.atom_label < each.published]
            if counts.manifest.absent_is_zero and each.axis.name not in own
            else each.atom_label[:0]
            for each in counts.dimensions
        ]

    @property
    def crossings(self) -> Flags:
        """Which dimensions of each row are not at their total; shape (rows, dimensions), bool."""
        return self.label != self.totals


class QuestionBuilder:
    """Builds the questions about one statistic; new sets get a label in `sets`.

    Attributes:
        unasked: the questions left out so far because they were too many.
    """

    def __init__(self, rows: StatisticRows, sets: Sequence[LabelSets], min_count: int) -> None:
        self.rows, self.sets, self.min_count = rows, sets, min_count
        self.unasked: list[Unasked] = []
        self._masks = [
            {label: each.mask(label) for label in np.union1d(column, zero).tolist()}
            for each, column, zero in zip(sets, rows.label.T, rows.zero, strict=True)
        ]
        self._names = rows.label.copy()
        for place, masks in enumerate(self._masks):
            lookup = np.zeros(max(masks, default=0) + 1, dtype=np.int32)
            for label, mask in masks.items():
                lookup[label] = sets[place].label(mask)
            self._names[:, place] = lookup[rows.label[:, place]]

    def questions(self) -> CountQuestions:
        """Return all questions."""
        derived = list(self._derived())
        return joined([self._of_cells(), *derived, *self._increases(derived)])

    @cached_property
    def cells(self) -> tuple[Codes, Flags]:
        """The first row of each published cell, and whether all its rows are hidden."""
        rows = np.unique(self._first_row).astype(np.int32)
        protected = ~np.isin(rows, self._first_row[~self.rows.hidden[self.rows.shown]])
        return rows, protected

    @property
    def empty(self) -> int:
        """The number of cells of which no row shows anything."""
        rows = self.rows.shown | ~self.rows.without_count
        every = np.column_stack([self.rows.period, self.rows.label])[rows]
        return len(np.unique(every, axis=0)) - len(self.cells[0])

    @cached_property
    def _first_row(self) -> Places:
        """The first row of the cell of each row that shows anything; shape (rows that do,), intp."""
        shown = np.flatnonzero(self.rows.shown)
        keys = np.column_stack([self.rows.period[shown], self.rows.label[shown]])
        _, first, cell = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        return shown[first[cell.ravel()]]

    def _of_cells(self) -> CountQuestions:
        rows, protected = self.cells
        says_small = np.isin(rows, self._first_row[self.rows.said_most[self.rows.shown] < self.min_count])
        return CountQuestions(
            label=self.rows.label[rows],
            release=self.rows.release[rows],
            since=np.full(len(rows), -1, dtype=np.int32),
            rule=np.where(protected, np.where(says_small, PROTECTED, PERHAPS_LARGE), SMALL_COUNT).astype(np.int8),
            published=self.rows.row[rows].astype(np.int32),
        )

    def _derived(self) -> Iterator[CountQuestions]:
        """Yield questions about unpublished boxes: those of each crossing, and those of lines of tables."""
        rows = self.rows
        atoms = [self._atoms(place, np.ones(len(rows.row), dtype=np.bool_)) for place in range(len(self.sets))]
        for period in np.unique(rows.period).tolist():
            mine = rows.period == period
            views = [self._view(place, mine) for place in range(len(self.sets))]
            if rows.over_time == "independent":
                atoms = [self._atoms(place, mine) for place in range(len(self.sets))]
            choices = []
            for place, (sets, view) in enumerate(zip(self.sets, views, strict=True)):
                labels, left = sets.of_view(view, atoms[place])
                choices.append(np.array(labels, dtype=np.int32))
                self._note(left, [place])
            published = self._names[mine & rows.shown]
            for crossing, release in self._crossings(mine, choices):
                label = self._of_crossing(crossing, choices, published)
                yield asking(label, release)
                if any(view.whole_is_label for view in views):
                    # A box may belong to two crossings, if a label beside the total covers all people.
                    published = np.concatenate([published, label])
            for release, label in self._of_lines(mine, views, choices):
                fresh = label[~self._among(label, published)]
                yield asking(fresh, release)
                published = np.concatenate([published, fresh])

    def _crossings(self, mine: Flags, choices: Sequence[Codes]) -> Iterator[tuple[Flags, int]]:
        """Yield the crossings of some rows, and what they leave if dimensions are at their total, as if published.

        A crossing is the set of dimensions that are not at their total. With each comes the last release that has it,
        or, if no table has it, the last one that has it with further dimensions. The smallest of the latter come first,
        up to a limit.
        """
        crossings, release = self.rows.crossings[mine], self.rows.release[mine]
        own, summable = np.unique(crossings, axis=0), np.flatnonzero(self.rows.totals >= 0).tolist()
        for crossing in own:
            yield crossing, int(release[(crossings == crossing).all(axis=1)].max())
        summed, many = own, 0
        for place in summable:
            without = summed[: max(0, _MOST_CROSSINGS - len(summed))].copy()
            many += len(summed) - len(without)
            without[:, place] = False
            summed = np.unique(np.concatenate([summed, without]), axis=0)
        seen, left = {each.tobytes() for each in own}, _MOST_TRIED
        sizes = [prod(len(choices[place]) for place in np.flatnonzero(each).tolist()) for each in summed]
        for place in sorted(range(len(summed)), key=sizes.__getitem__):
            crossing = summed[place]
            if crossing.tobytes() not in seen:
                left -= sizes[place]
                if left >= 0:
                    yield crossing, int(release[(crossings >= crossing).all(axis=1)].max())
        self._note(many + max(0, -left), summable)

    def _atoms(self, place: int, mine: Flags) -> list[Mask]:
        """Return the atoms of a dimension that the labels of some rows distinguish."""
        labels = self._labels(place, mine)
        return atoms_of((self._masks[place][label] for label in labels), self.sets[place].whole.bit_length())

    def _labels(self, place: int, mine: Flags) -> list[int]:
        """Return the labels of a dimension in some rows, and those that stand for 0 without a row."""
        return np.union1d(self.rows.label[mine, place], self.rows.zero[place]).tolist()

    def _view(self, place: int, mine: Flags) -> LabelView:
        """Return the labels of a dimension that occur in some rows."""
        masks, rows, total = self._masks[place], self.rows, int(self.rows.totals[place])
        shown = self._labels(place, mine)
        labels = [masks[label] for label in shown]
        every_atom = self.sets[place].whole
        whole = [every_atom] if total >= 0 else []
        number = mine & rows.shown & ~rows.hidden
        margin = ~np.delete(rows.crossings, place, axis=1).any(axis=1)
        numbers: dict[frozenset[Mask], None] = {}
        for which in (number, number & margin):  # a label without a number in the margin may have one elsewhere
            tables: dict[int, set[Mask]] = {}
            pairs = np.unique(np.column_stack([rows.table, rows.label[:, place]])[which], axis=0)
            for table, label in pairs.tolist():
                tables.setdefault(table, set()).add(masks[label])
            numbers |= dict.fromkeys(map(frozenset, tables.values()))
        is_label = total < 0 or any(masks[label] == every_atom for label in shown if label != total)
        return LabelView(tuple(dict.fromkeys([*labels, *whole])), tuple(numbers), is_label)

    def _of_crossing(self, crossing: Flags, choices: Sequence[Codes], published: Codes) -> Codes:
        """Return the labels of the unpublished boxes of a crossing, up to a limit."""
        some = [
            labels if crossed else np.array([total], dtype=np.int32)
            for labels, crossed, total in zip(choices, crossing, self.rows.totals, strict=True)
        ]
        size = prod(len(each) for each in some)
        label = combinations(some, _MOST_TRIED)
        label = label[~self._among(label, published)]
        self._note(size - min(size, _MOST_TRIED) + max(0, len(label) - MOST_BOXES), np.flatnonzero(crossing).tolist())
        return label[:MOST_BOXES]

    def _of_lines(self, mine: Flags, views: Sequence[LabelView], asked: Sequence[Codes]) -> Iterator[tuple[int, Codes]]:
        """Yield the release of each table, and boxes of lines: what numbers leave of labels, and hidden sums."""
        for table in np.unique(self.rows.table[mine & self.rows.shown]).tolist():
            rows = np.flatnonzero(mine & self.rows.shown & (self.rows.table == table)).astype(np.int32)
            parts = [
                self._of_axis(rows, place, view, frozenset(asked[place].tolist())) for place, view in enumerate(views)
            ]
            yield int(self.rows.release[rows[0]]), np.unique(np.concatenate(parts), axis=0)

    def _of_axis(self, rows: Codes, place: int, view: LabelView, asked: frozenset[int]) -> Codes:
        """Return the labels of the boxes of a table's lines along one dimension."""
        _, line = np.unique(np.delete(self._names[rows], place, axis=1), axis=0, return_inverse=True)
        order = np.argsort(line.ravel(), kind="stable")
        starts = np.flatnonzero(np.diff(line.ravel()[order], prepend=-1))
        patterns: dict[tuple[frozenset[int], frozenset[int]], list[int]] = {}
        found = [np.zeros((0, len(self.sets)), dtype=np.int32)]
        for one in np.split(rows[order], starts[1:]):
            labels, hidden = self._names[one, place], self.rows.hidden[one]
            key = frozenset(labels[~hidden].tolist()), frozenset(labels[hidden].tolist())
            if key not in patterns:
                numbers, behind = ({self.sets[place].mask(label) for label in each} for each in key)
                patterns[key] = self._of_pattern(place, view, numbers, sorted(behind), asked)
            if patterns[key]:
                more = np.repeat(self._names[one[:1]], len(patterns[key]), axis=0)
                more[:, place] = patterns[key]
                found.append(more)
        return np.concatenate(found)

    def _of_pattern(
        self, place: int, view: LabelView, numbers: set[Mask], hidden: Sequence[Mask], asked: frozenset[int]
    ) -> list[int]:
        """Return the labels to ask about in a line in which some sets are shown as numbers and others are hidden."""
        sets, every = self.sets[place], 0
        for one in hidden:
            every |= one
        recipes = [*([(every, " + ", hidden)] if len(hidden) > 1 else []), *sets.left_of(view, numbers)]
        made = dict.fromkeys(sets.made(*each) for each in recipes if each[0] not in (0, sets.whole))
        return [label for label in made if label not in asked]

    def _among(self, label: Codes, others: Codes) -> Flags:
        """Return which boxes are among others, both given by labels; shape (boxes,), bool."""
        sizes = [each.size for each in self.sets]
        if prod(sizes) >= 2**62:
            known = set(map(tuple, others.tolist()))
            return np.array([tuple(box) in known for box in label.tolist()], dtype=np.bool_)
        return np.isin(keys(label, sizes), keys(others, sizes))

    def _note(self, count: int, places: Sequence[int]) -> None:
        self.unasked += Unasked.of(count, (self.sets[place].name for place in places))

    def _increases(self, derived: Sequence[CountQuestions]) -> Iterator[CountQuestions]:
        """Yield, for releases that only grow, the increase of each box since earlier releases.

        The earlier releases go back to the last one that gives the count as an exact number.
        """
        rows, asked = self.rows, 0
        for release in range(1, int(rows.release.max(initial=0)) + 1 if rows.over_time == "cumulative" else 0):
            now = np.flatnonzero(rows.shown & (rows.release == release))
            _, first = np.unique(self._names[now], axis=0, return_index=True)
            first = now[np.sort(first)]
            more = [each.label for each in derived if len(each) and each.release[0] == release]
            label = np.concatenate([rows.label[first], *more])
            name = np.concatenate([self._names[first], *more])
            for since in range(release - 1, -1, -1):
                asked += len(label)
                if asked > _MOST_QUESTIONS:
                    self._note(len(label), range(len(self.sets)))
                    return
                yield asking(label, release, since)
                exact = rows.exact & rows.shown & (rows.release == since)
                left = ~self._among(name, self._names[exact])
                label, name = label[left], name[left]


def asking(label: Codes, release: int, since: int = -1) -> CountQuestions:
    """Return questions about unpublished boxes in a release, or about their increase since an earlier release."""
    count = len(label)
    return CountQuestions(
        label=label,
        release=np.full(count, release, dtype=np.int32),
        since=np.full(count, since, dtype=np.int32),
        rule=np.full(count, SMALL_COUNT, dtype=np.int8),
        published=np.full(count, -1, dtype=np.int32),
    )


def combinations(choices: Sequence[Integers], most: int | None = None) -> Codes:
    """Return the combinations of one item of each choice, at most `most`; shape (combinations, choices), int32.

    The last item varies fastest.
    """
    size = prod(len(each) for each in choices)
    place = np.arange(size if most is None else min(size, most))
    found = np.zeros((len(place), len(choices)), dtype=np.int32)
    for column in range(len(choices) - 1, -1, -1):
        items = choices[column]
        found[:, column] = items[place % len(items)] if len(items) else 0
        place = place // max(1, len(items))
    return found


def joined(parts: Sequence[CountQuestions]) -> CountQuestions:
    """Return the questions of several parts, one after the other; `kinds` is left out."""
    columns = ([each.label, each.release, each.since, each.rule, each.published] for each in parts)
    label, release, since, rule, published = map(np.concatenate, zip(*columns, strict=True))
    return CountQuestions(label, release, since, rule, published)


def keys(columns: Integers, sizes: Sequence[int]) -> Counts:
    """Return a number for each row, equal for equal rows; shape (rows,), int64.

    `sizes` holds a bound on the values of each column; the product of all has to be below 2^63.
    """
    found = np.zeros(len(columns), dtype=np.int64)
    for place, size in enumerate(sizes):
        found = found * max(1, size) + columns[:, place]
    return found
