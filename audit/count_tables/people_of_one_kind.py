"""Boxes of which all people are of one kind: the counts of all other labels of a sensitive dimension are 0.

Kinds are the fewest labels that cover whatever can be above 0. Labels of all people say nothing, nor do harmless ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from audit.count_tables.build_evidence import CountEvidence, EvidencePart
from audit.count_tables.count_questions import Unasked
from audit.count_tables.label_sets import Dimension
from audit.count_tables.manifest import TableManifest
from audit.model.arrays import Flags
from audit.model.count_tables import (
    ALL,
    NOTHING,
    OPEN,
    PROTECTED,
    SAME_KIND,
    SMALL_COUNT,
    Boxes,
    CountBound,
    CountOutcome,
    CountTables,
)
from audit.model.json_types import UNBOUNDED
from audit.runtime.phrases import say

_MOST_COUNTS, _MOST_CHOICES = 500_000, 10_000
Run = Callable[[EvidencePart], CountOutcome]


def with_people_of_one_kind(
    manifest: TableManifest, evidence: CountEvidence, outcomes: Sequence[CountOutcome], min_labels: int, run: Run
) -> tuple[CountEvidence, list[CountOutcome]]:
    """Return the evidence and the outcomes with a part more for each part and sensitive dimension.

    `run` returns what an attack finds out of a part.
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
        """Return the fewest labels that cover some atoms, the smallest ones; None where it takes too many labels.

        The empty tuple says that it is not settled: no atom is known to be there, or there are too many ways to try.
        """
        if not atoms:
            return ()
        useful = {label: members for label, members in self.labels.items() if members & atoms}
        order = sorted(useful, key=lambda label: len(useful[label]))
        for size in range(1, self.most + 1):
            for place, some in enumerate(combinations(order, size)):
                if place >= _MOST_CHOICES:
                    return ()
                if atoms <= frozenset().union(*(useful[label] for label in some)):
                    return some
        return None


@dataclass(frozen=True)
class _PeopleOfOneKind:
    """What is asked of one part of the evidence about one sensitive dimension."""

    part: EvidencePart
    place: int
    kinds: _Kinds
    run: Run

    def answer(self) -> tuple[EvidencePart, CountOutcome, list[Unasked]]:
        """Return one part more, its outcome, and what of it was too much to ask."""
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
        # A count is certainly at least 1 where it is small for so large a limit.
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
            reason=(inside.reason or people.reason or say("not all counts were settled")) if undecided else None,
            verdict=verdict,
            lower=ends[0],
            upper=ends[1],
            exact=np.isin(np.arange(len(boxes)), asked[people.exact]),
            smallest_width=None,
            width_exact=True,
            bounds=bounds,
            interrupted=inside.interrupted or people.interrupted,
        )
        reason = say("{names} has more boxes than are asked about", names=self.part.dimensions[self.place].axis.name)
        unasked = [Unasked(left, reason, (SAME_KIND,))] if left else []
        return self._named(_asking(tables, boxes, SAME_KIND), first, names), outcome, unasked

    def _asked(self, tables: CountTables) -> CountOutcome:
        return self.run(replace(self.part, tables=tables))

    def _boxes(self, tables: CountTables) -> tuple[Boxes, np.ndarray]:
        """Return the boxes of all questions with all people in the place of a label, and a question of each."""
        boxes = tables.asked.copy()
        boxes[:, self.place] = tables.axes[self.place].whole
        _, first = np.unique(boxes, axis=0, return_index=True)
        return boxes[np.sort(first)], np.sort(first)

    def _judged(self, left: frozenset[int], seen: frozenset[int]) -> tuple[int, tuple[str, ...]]:
        """Return what is certain of a box, and the kinds: `left` can be above 0 as far as is known, `seen` can be."""
        cover = self.kinds.cover(left)
        if left <= self.kinds.harmless or (cover is None and self.kinds.cover(seen) is None):
            return NOTHING, ()
        if not cover or seen <= self.kinds.harmless:
            return OPEN, ()
        return ALL, cover

    def _named(self, tables: CountTables, first: np.ndarray, names: Mapping[int, tuple[str, ...]]) -> EvidencePart:
        """Return the part of the questions, their cells named by the kinds that all people are of."""
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
