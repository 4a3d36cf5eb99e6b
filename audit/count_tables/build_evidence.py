"""Build evidence from published counts: boxes over atoms and time, their intervals, and questions (docs/tables.md).

All people of a cell are of one kind if the counts of all other labels of a sensitive dimension are 0. Whether they are
is asked after the attack on all other questions. The kinds are the fewest labels that cover all atoms whose counts may
be above 0. A label that covers all people discloses nothing, and neither does a harmless one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.count_tables.count_questions import (
    CountQuestions,
    QuestionBuilder,
    StatisticRows,
    Unasked,
    combinations,
    keys,
)
from audit.count_tables.label_sets import Dimension, LabelSets
from audit.count_tables.manifest import TableManifest
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_texts import Interval
from audit.model.arrays import UNBOUNDED, Codes, Flags
from audit.model.count_tables import (
    ALL,
    NOTHING,
    OPEN,
    PROTECTED,
    SAME_KIND,
    SMALL_COUNT,
    Axis,
    Boxes,
    CountBound,
    CountOutcome,
    CountTables,
)
from audit.runtime.phrases import say


@dataclass(frozen=True)
class EvidencePart:
    """A part of the evidence, about one statistic, that does not depend on other parts.

    Attributes:
        statistic: the index of the statistic.
        measure: the name of the statistic; None if there is only one.
        tables: the input of an attack.
        questions: the questions, in the order of `tables.asked`.
        rows: the published row of each number, -1 for a missing row that means 0; shape (numbers,), int32.
        release: the release of each number; shape (numbers,), int32.
        dimensions: the dimensions with a label for each set in a question; the published labels come first.
    """

    statistic: int
    measure: str | None
    tables: CountTables
    questions: CountQuestions
    rows: Codes
    release: Codes
    dimensions: tuple[Dimension, ...]


@dataclass(frozen=True)
class CountEvidence:
    """All evidence about published counts.

    Attributes:
        parts: the parts.
        unasked: the questions that are left out.
        cells: the number of published cells.
        protected: the number of these cells that show only markers.
        empty: the number of further cells, which show nothing.
    """

    parts: Sequence[EvidencePart]
    unasked: Sequence[Unasked]
    cells: int
    protected: int
    empty: int


def build_evidence(
    counts: PublishedCounts, limits: Mapping[str, int], asked: CountQuestions | None = None
) -> CountEvidence:
    """Return the evidence with the questions of an audit, or with the given questions about each statistic.

    The labels of given questions are those of `asked_dimensions`.
    """
    builders, dimensions, questions = _questions(counts, limits["min_count"])
    cells = [each.cells for each in builders]
    parts, unasked = list[EvidencePart](), list[Unasked]()
    for place, builder in enumerate(builders):
        part = _EvidenceBuilder(counts, place, builder.rows, limits, dimensions)
        parts += part.parts(asked or questions[place])
        unasked += [*builder.unasked, *part.unasked()]
    return CountEvidence(
        parts,
        unasked,
        sum(len(first) for first, _ in cells),
        sum(int(protected.sum()) for _, protected in cells),
        sum(each.empty for each in builders),
    )


def _questions(
    counts: PublishedCounts, min_count: int = 0
) -> tuple[list[QuestionBuilder], tuple[Dimension, ...], list[CountQuestions]]:
    """Return the builder and the questions of each statistic, and the dimensions with all sets in questions."""
    sets = [LabelSets(each) for each in counts.dimensions]
    builders = [QuestionBuilder(StatisticRows(counts, place), sets, min_count) for place in range(len(counts.measures))]
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
        """Yield what is not asked about hidden denominators of rates."""
        values = self.counts.denominators[self.rows.row]
        both = PROTECTED, SMALL_COUNT
        if count := int((values == 0).sum()):
            yield Unasked(count, say("the denominators of some rates are unknown, or too many to try"), both)
        if count := int(((values > 0) & (values < self.limits["min_width"])).sum()):
            yield Unasked(count, say("rates leave some hidden denominators fewer values than min_width"), (PROTECTED,))

    def _boxes_of(self, label: Codes) -> Boxes:
        columns = [each.set_of[label[:, place]] for place, each in enumerate(self.dimensions)]
        return np.stack(columns, axis=1).astype(np.int32)

    def _left_out(self) -> Iterator[tuple[Boxes, int, Interval]]:
        """Yield the combinations of a table's labels that no row shows, as boxes, its release, and its zero."""
        rows = self.rows
        total, crossings, of_counts = rows.totals, rows.crossings, ~rows.without_count
        sizes, file = [len(each.labels) for each in self.dimensions], self.counts.file[rows.row]
        is_exact = np.array([part.is_exact for part in self.counts.parts], dtype=np.bool_)[file]
        for release, *crossing in np.unique(np.column_stack([rows.release, crossings])[of_counts], axis=0).tolist():
            inside = (rows.release == release) & (crossings == np.array(crossing, dtype=np.bool_)).all(axis=1)
            inside &= of_counts
            kinds = np.unique(is_exact[inside]).tolist()
            for of_exact in kinds:  # beside others, exact tables say nothing of labels that they lack
                own = np.flatnonzero(inside & (is_exact == of_exact))
                choices = [
                    np.array([total[place]])
                    if not crossed
                    else zero
                    if len(zero := rows.zero[place]) and of_exact == kinds[0]
                    else np.unique(rows.label[own, place])
                    for place, crossed in enumerate(crossing)
                ]
                grid = combinations(choices)
                missing = grid[~np.isin(keys(grid, sizes), keys(rows.label[inside], sizes))]
                yield self._boxes_of(missing), release, self.counts.zero(int(file[own[0]]))

    def parts(self, questions: CountQuestions) -> Iterator[EvidencePart]:
        """Yield the independent parts: each release, if releases are independent, otherwise one part for all."""
        manifest = self.counts.manifest
        left_out = [*self._left_out()] if manifest.absent_is_zero else []
        many = [len(box) for box, *_ in left_out]
        absent = np.repeat([at for _, at, _ in left_out], many).astype(np.int32)
        low, high = np.repeat(np.array([zero for *_, zero in left_out], dtype=np.int64).reshape(-1, 2), many, axis=0).T
        lower, upper = self.counts.lower[self.rows.row], self.counts.upper[self.rows.row]
        said = self.rows.shown | (upper < UNBOUNDED) | (lower > 0)
        boxes = np.concatenate([self.box[said], *(box for box, *_ in left_out)])
        release = np.concatenate([self.rows.release[said], absent])
        period = np.zeros_like(release) if self.over_time == "same" else release
        lower, upper = np.concatenate([lower[said], low]), np.concatenate([upper[said], high])
        rows = np.concatenate([self.rows.row[said], np.full(len(absent), -1)]).astype(np.int32)
        asked_period = np.zeros_like(questions.release) if self.over_time == "same" else questions.release
        asked, since = self._boxes_of(questions.label), questions.since
        releases = len(self.counts.manifest.releases)
        time, upto = _time_axis(releases if self.over_time == "cumulative" else 1)
        axes = (*(each.axis for each in self.dimensions), time)
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
            yield EvidencePart(
                self.statistic, measure, tables, questions.take(own), rows[mine], release[mine], self.dimensions
            )


def _time_axis(periods: int) -> tuple[Axis, Codes]:
    """Return the axis of time, and its set of the periods from one (row) up to another (column).

    Its atoms are the periods. Its sets are the atoms, then the periods up to each one, then all other spans.
    """
    spans = [(period, period) for period in range(periods)] + [(0, last) for last in range(1, periods)]
    spans += [(first, last) for last in range(periods) for first in range(1, last)]
    found = np.zeros((periods, periods), dtype=np.int32)
    found[tuple(zip(*spans, strict=True))] = np.arange(len(spans))
    members = [np.arange(first, last + 1, dtype=np.int32) for first, last in spans]
    return Axis("time", periods, members, int(found[0, -1])), found


_MOST_COUNTS, _MOST_CHOICES = 500_000, 10_000
Run = Callable[[EvidencePart], CountOutcome]


def with_people_of_one_kind(
    manifest: TableManifest, evidence: CountEvidence, outcomes: Sequence[CountOutcome], min_labels: int, run: Run
) -> tuple[CountEvidence, list[CountOutcome]]:
    """Return the evidence and the outcomes with more parts: which cells have people of one kind only.

    There is one more part for each part and sensitive dimension.

    Args:
        manifest: the manifest, which names sensitive dimensions and harmless labels.
        evidence: the evidence so far.
        outcomes: the outcomes of its parts.
        min_labels: the number of labels that the people of a cell must be able to have.
        run: attacks a part and returns the outcome.
    """
    parts, found, unasked = [*evidence.parts], [*outcomes], [*evidence.unasked]
    dimensions = {part.statistic: part.dimensions for part in parts}
    for name in manifest.sensitive:
        for part in evidence.parts:
            own = dimensions[part.statistic]
            place = [each.axis.name for each in own].index(name)
            kinds = _Kinds(own[place], frozenset(manifest.harmless.get(name, ())), min_labels)
            if kinds.labels:
                more, outcome, left = _PeopleOfOneKind(replace(part, dimensions=own), place, kinds, run).answer()
                parts.append(more)
                found.append(outcome)
                unasked += left
                dimensions[part.statistic] = more.dimensions
    return replace(evidence, parts=parts, unasked=unasked), found


class _Kinds:
    """The labels of a sensitive dimension, as flags over its atoms, and which of them are harmless."""

    def __init__(self, dimension: Dimension, harmless: frozenset[str], min_labels: int) -> None:
        self.most = min_labels - 1
        self.atoms, sets = dimension.axis.atoms, dict[str, frozenset[int]]()
        rest = [] if dimension.rest < 0 else [int(dimension.atom_label[dimension.rest])]
        for label in [*range(dimension.published), *rest]:
            members = frozenset(dimension.axis.members[int(dimension.set_of[label])].tolist())
            if len(members) < self.atoms:
                sets.setdefault(dimension.labels[label], members)
        self.labels = sets
        self.harmless = frozenset().union(*(sets.get(label, frozenset()) for label in harmless))

    def cover(self, atoms: frozenset[int]) -> tuple[str, ...] | None:
        """Return the fewest labels that cover the atoms, the smallest ones; None if it takes too many.

        Empty if there are no atoms, or too many combinations to try, so that the answer is open.
        """
        if not atoms:
            return ()
        useful = {label: members for label, members in self.labels.items() if members & atoms}
        order = sorted(useful, key=lambda label: len(useful[label]))
        for size in range(1, self.most + 1):
            for place, some in enumerate(itertools.combinations(order, size)):
                if place >= _MOST_CHOICES:
                    return ()
                if atoms <= frozenset().union(*(useful[label] for label in some)):
                    return some
        return None


@dataclass(frozen=True)
class _PeopleOfOneKind:
    """The questions about one part of the evidence and one sensitive dimension."""

    part: EvidencePart
    place: int
    kinds: _Kinds
    run: Run

    def answer(self) -> tuple[EvidencePart, CountOutcome, list[Unasked]]:
        """Return the additional part, its outcome, and its questions that were too many."""
        tables, atoms = self.part.tables, self.kinds.atoms
        boxes, first = self._boxes(tables)
        left = max(0, len(boxes) - _MOST_COUNTS // atoms)
        boxes, first = boxes[: len(boxes) - left], first[: len(first) - left]
        each = np.repeat(boxes, atoms, axis=0)
        each[:, self.place] = np.tile(np.arange(atoms), len(boxes))
        # Two values are enough to see that a count can be above 0.
        inside = self._asked(replace(_asking(tables, each, PROTECTED), min_width=2))
        empty = (inside.upper == 0).reshape(-1, atoms)
        some = ((inside.verdict == NOTHING) | (inside.lower > 0)).reshape(-1, atoms)
        verdict, names = np.full(len(boxes), NOTHING, dtype=np.int8), dict[int, tuple[str, ...]]()
        for box, (gone, seen) in enumerate(zip(empty, some, strict=True)):
            verdict[box], names[box] = self._judged(_atoms(~gone), _atoms(seen))
        # With so large a limit every count is small: the verdict only shows whether a count is certainly at least 1.
        asked = np.flatnonzero(verdict != NOTHING)
        people = self._asked(replace(_asking(tables, boxes[asked], SMALL_COUNT), min_count=4 * UNBOUNDED))
        verdict[asked[people.verdict == NOTHING]] = NOTHING
        verdict[asked[people.verdict == OPEN]] = OPEN
        ends = np.zeros((2, len(boxes)), dtype=np.int64)
        ends[:, asked] = people.lower, people.upper
        row_of = dict(zip(asked.tolist(), range(len(asked)), strict=True))

        def bounds(box: int) -> tuple[CountBound, ...]:
            others = np.flatnonzero(empty[box]) + box * atoms
            return (*people.bounds(row_of[box]), *(one for other in others for one in inside.bounds(int(other))))

        undecided = bool((verdict == OPEN).any())
        outcome = CountOutcome(
            status="incomplete" if undecided else "complete",
            reason=(inside.reason or people.reason or say("some counts are undecided")) if undecided else None,
            verdict=verdict,
            lower=ends[0],
            upper=ends[1],
            exact=np.isin(np.arange(len(boxes)), asked[people.exact]),
            smallest_width=None,
            bounds=bounds,
            interrupted=inside.interrupted or people.interrupted,
        )
        unasked = Unasked.of(left, [self.part.dimensions[self.place].axis.name], (SAME_KIND,))
        return self._named(_asking(tables, boxes, SAME_KIND), first, names), outcome, unasked

    def _asked(self, tables: CountTables) -> CountOutcome:
        return self.run(replace(self.part, tables=tables))

    def _boxes(self, tables: CountTables) -> tuple[Boxes, np.ndarray]:
        """Return the boxes of all questions with a label replaced by all people, and one question for each box."""
        boxes = tables.asked.copy()
        boxes[:, self.place] = tables.axes[self.place].whole
        _, first = np.unique(boxes, axis=0, return_index=True)
        return boxes[np.sort(first)], np.sort(first)

    def _judged(self, left: frozenset[int], seen: frozenset[int]) -> tuple[int, tuple[str, ...]]:
        """Return the verdict on a box, and its kinds; atoms in `left` may have people, those in `seen` can."""
        cover = self.kinds.cover(left)
        if left <= self.kinds.harmless or (cover is None and self.kinds.cover(seen) is None):
            return NOTHING, ()
        if not cover or seen <= self.kinds.harmless:
            return OPEN, ()
        return ALL, cover

    def _named(self, tables: CountTables, first: np.ndarray, names: Mapping[int, tuple[str, ...]]) -> EvidencePart:
        """Return the questions of the part with cells named by the kinds that all their people have."""
        dimension = self.part.dimensions[self.place]
        chosen = [" or ".join(names[box]) for box in range(len(first))]
        new = [text for text in dict.fromkeys(chosen) if text not in dimension.labels]
        labels = (*dimension.labels, *new)
        set_of = np.concatenate([dimension.set_of, np.full(len(new), dimension.axis.whole)]).astype(np.int32)
        dimensions = list(self.part.dimensions)
        dimensions[self.place] = replace(dimension, labels=labels, set_of=set_of)
        questions = self.part.questions.take(first)
        label = questions.label.copy()
        label[:, self.place] = [labels.index(text) for text in chosen]
        rule, published = np.full(len(first), SAME_KIND, dtype=np.int8), np.full(len(first), -1, dtype=np.int32)
        questions = replace(questions, label=label, rule=rule, published=published, kinds=self.place)
        return replace(self.part, tables=tables, questions=questions, dimensions=tuple(dimensions))


def _asking(tables: CountTables, boxes: Boxes, rule: int) -> CountTables:
    return replace(tables, asked=boxes.astype(np.int32), rule=np.full(len(boxes), rule, dtype=np.int8))


def _atoms(flags: Flags) -> frozenset[int]:
    return frozenset(np.flatnonzero(flags).tolist())
