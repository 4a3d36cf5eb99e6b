"""Proofs about counts, as documents: the weighted published counts that show that a cell has one possible count.

A document has a `lower` and an `upper` bound, the lower one only where it is above 0. A bound is shown by `sum`, counts
by their questions, each with a weight; or by two cases: `box` has at most `at_most`, whose proof is `below`, or more,
whose proof is `above`. Within a case, the number of an enclosing case, the outermost 0, stands for what it assumes.
A box is told by its atoms: labels of each dimension, then places, from 0, of the releases whose people are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from attacks.differencing.attack import Differencing
from audit.count_tables.build_evidence import build_evidence
from audit.count_tables.published_counts import PublishedCounts
from audit.judgement.check_count_bounds import is_proved
from audit.model.count_tables import (
    BoundProof,
    Box,
    CaseSplit,
    CountBound,
    CountOutcome,
    CountTables,
    WeightedNumber,
    WeightedSum,
)
from audit.runtime.budget import Budget
from series_bench.questions import count_questions

_WEIGHT = re.compile(r"-?[0-9]{1,18}(?:/[1-9][0-9]{0,17})?")
_DEEPEST = 50


@dataclass(frozen=True)
class TableQuestions:
    """Tables that are judged together, and the questions about them.

    Attributes:
        published: all that is published.
        tables: what is known of the counts.
        asked: by question, its place in `tables.asked`.
        numbers: by question, the place in `tables` of the published count that answers it.
    """

    published: PublishedCounts
    tables: CountTables
    asked: Mapping[str, int]
    numbers: Mapping[str, int]

    def bounds(self, seconds: float) -> CountOutcome:
        """Return what `differencing` finds about each question."""
        return Differencing(both_ends=True).run(self.tables, Budget(seconds))

    def document(self, bounds: tuple[CountBound, ...]) -> dict[str, Any]:
        """Return proofs of bounds as a document."""
        name = {place: question for question, place in self.numbers.items()}
        return {"upper" if each.is_upper else "lower": self._step(each.proof, name) for each in bounds}

    def is_proved(self, question: str, count: int, document: Mapping[str, Any]) -> bool:
        """Return whether a document shows that a cell has one count.

        Raises:
            KeyError, TypeError, ValueError: it is not a proof, or refers to missing items.
        """
        box: Box = tuple(self.tables.asked[self.asked[question]].tolist())
        ends = [] if count == 0 else ["lower"]  # no count is negative
        return all(
            is_proved(self.tables, CountBound(box, end == "upper", count, self._proof(document[end])))
            for end in [*ends, "upper"]
        )

    def _step(self, proof: BoundProof, name: Mapping[int, str]) -> dict[str, Any]:
        if isinstance(proof, CaseSplit):
            below, above = self._step(proof.below, name), self._step(proof.above, name)
            return {"box": self._atoms(proof.box), "at_most": proof.at, "below": below, "above": above}
        terms = [[each.index if each.assumed else name[each.index], str(each.weight)] for each in proof.terms]
        return {"sum": terms, "impossible": proof.impossible}

    def _proof(self, document: Mapping[str, Any], depth: int = 0) -> BoundProof:
        if depth > _DEEPEST:
            raise ValueError("cases lie too deep")
        if "box" in document:
            below, above = (self._proof(document[case], depth + 1) for case in ("below", "above"))
            return CaseSplit(self._box(document["box"]), _whole(document["at_most"]), below, above)
        terms = tuple(self._term(number, weight, depth) for number, weight in document["sum"])
        return WeightedSum(terms, impossible=document.get("impossible") is True)

    def _term(self, number: object, weight: object, depth: int) -> WeightedNumber:
        if not isinstance(weight, str) or not _WEIGHT.fullmatch(weight):
            raise ValueError("a weight is a fraction, as text")
        if isinstance(number, str):
            return WeightedNumber(self.numbers[number], Fraction(weight))
        if not 0 <= _whole(number) < depth:
            raise ValueError("there is no such case around it")
        return WeightedNumber(_whole(number), Fraction(weight), assumed=True)

    def _atoms(self, box: Box) -> list[list[Any]]:
        *cells, time = (axis.members[one].tolist() for axis, one in zip(self.tables.axes, box, strict=True))
        dimensions = zip(self.published.dimensions, cells, strict=True)
        return [*([each.labels[each.atom_label[atom]] for atom in atoms] for each, atoms in dimensions), time]

    def _box(self, told: list[list[Any]]) -> Box:
        """Return the box of some atoms; the checker only knows sets that were published or are in questions.

        Raises:
            ValueError: it is no such set.
        """
        *cells, time = told
        names = [[each.labels[at] for at in each.atom_label] for each in self.published.dimensions]
        atoms = [sorted(map(known.index, labels)) for known, labels in zip(names, cells, strict=True)]
        found = [
            next((place for place, members in enumerate(axis.members) if members.tolist() == some), None)
            for axis, some in zip(self.tables.axes, [*atoms, sorted(time)], strict=True)
        ]
        if None in found:
            raise ValueError("there is no such box")
        return tuple(place for place in found if place is not None)


def table_questions(published: PublishedCounts) -> Iterator[TableQuestions]:
    """Yield the independent parts of the tables of a series."""
    names = count_questions(published)
    for part in build_evidence(published, published.manifest.limits({})).parts:
        questions = part.questions
        asked = np.flatnonzero((questions.published >= 0) & (questions.since < 0)).tolist()
        yield TableQuestions(
            published,
            part.tables,
            {names[int(questions.published[place])]: place for place in asked},
            {names[row]: place for place, row in enumerate(part.rows.tolist()) if row >= 0},
        )


def _whole(number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError("a whole number is needed")
    return number
