"""Claims: findings that span all equivalences found, each with weights of groups that prove it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, TypeAlias, TypedDict

import numpy as np

from attacks.equivalence.fingerprint import chance_of_error
from attacks.equivalence.spanning_forest import SpanningForest, spanning_forest
from attacks.equivalence.strategy import Found
from attacks.equivalence.vectors import Vector
from attacks.equivalence.weights import Solver
from attacks.matrix import Matrix
from audit.findings.equivalence import AnyCombination, Equivalence, Equivalences, Pinned, WeightedGroup
from audit.model.arrays import Codes, Places
from audit.model.evidence import Evidence
from audit.model.finding import AnonymousCounterfeit, Member
from audit.model.measures import Measures
from audit.runtime.budget import Budget

FindingsAt: TypeAlias = Callable[[Places], Sequence[AnyCombination]]
"""Returns the findings at some indices."""


class Shown(TypedDict):
    """The proof of a finding."""

    certificate: tuple[WeightedGroup[int], ...]
    evidence: Literal["proof", "fingerprint"]
    error: float | None


@dataclass
class SpanningClaims:
    """Pinned values, pairs of columns with equal values, and equivalences with more people, in this order.

    Attributes:
        evidence: the names of groups and values.
        matrix: the judged releases.
        found: the result for them.
        seconds: the time limit of the search for weights; None means no limit.
        pin: columns of individuals whose value is pinned.
        forest: pairs of columns with equal values, which together span each class.
        more: the indices of the witnesses with e of at least 2 in which people take part.
    """

    evidence: Evidence
    matrix: Matrix
    found: Found
    seconds: float | None
    pin: Codes
    forest: SpanningForest
    more: Places

    @classmethod
    def of(cls, evidence: Evidence, matrix: Matrix, found: Found, seconds: float | None) -> SpanningClaims:
        """Return claims that span everything found."""
        pin = np.flatnonzero(matrix.individual & (found.pinned >= 0)).astype(np.int32)
        more = np.flatnonzero((found.witnesses.e > 1) & found.witnesses.with_some(matrix.individual))
        return cls(evidence, matrix, found, seconds, pin, spanning_forest(matrix, found.label), more)

    def shown(self, nothing: Measures) -> Equivalences:
        """Return the claims as columns; `nothing` are the measures to report if values turn out to change."""
        pins, pairs, more = len(self.pin), len(self.forest.pair), self.found.witnesses
        e = np.concatenate([np.zeros(pins, np.int32), np.ones(pairs, np.int32), more.e[self.more]])
        effort, person = np.zeros(len(e), dtype=np.int32), np.full(len(e), -1, dtype=np.int32)
        effort[pins : pins + pairs], person[:pins] = self.forest.effort, self.pin
        first = self.matrix.first_release()
        when = [
            first[self.pin],
            first[self.forest.pair].max(axis=1, initial=0),
            np.array([first[more.vector(place).columns].max() for place in self.more.tolist()], dtype=np.int32),
        ]
        whole = self.found.releases == len(self.evidence.tags)
        build, sides = self._build, self._sides
        return Equivalences(e, effort, np.concatenate(when), int(whole), not whole, nothing, sides, build, person)

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.matrix)

    def _vector(self, place: int) -> tuple[Vector, int | None]:
        """Return the vector of a claim, and the value that it pins."""
        if place < len(self.pin):
            column = int(self.pin[place])
            return Vector.of({column: 1}), int(self.found.pinned[column])
        place -= len(self.pin)
        if place < len(self.forest.pair):
            left, right = self.forest.pair[place].tolist()
            return Vector.of({left: 1, right: -1}), None
        return self.found.witnesses.vector(int(self.more[place - len(self.forest.pair)])), None

    def _combined(self, place: int, budget: Budget) -> tuple[WeightedGroup[int], ...]:
        """Return the weighted groups that prove a claim; empty if none were found."""
        vector, value = self._vector(place)
        weights = self._solver.weights(vector, value, budget) or {}
        release = self.matrix.release
        return tuple(WeightedGroup(int(release[g]), self._name(g), weights[g]) for g in sorted(weights))

    def _name(self, group: int) -> str:
        return name_of(self.evidence, self.matrix, group)

    def _sides(self, places: Places) -> list[AnyCombination]:
        return [self._claimed(int(place), ()) for place in places]

    def _build(self, places: Places) -> list[AnyCombination]:
        budget, begun = Budget(self.seconds), time.monotonic()
        built: list[AnyCombination] = [self._claimed(place, self._combined(place, budget)) for place in places.tolist()]
        if self.seconds is not None:
            self.seconds = max(0.0, self.seconds - (time.monotonic() - begun))
        return built

    def _claimed(self, place: int, certificate: tuple[WeightedGroup[int], ...]) -> AnyCombination:
        vector, value = self._vector(place)
        entries = list(
            zip(
                map(partial(member_of, self.evidence, self.matrix), vector.columns.tolist()),
                vector.times.tolist(),
                strict=True,
            )
        )
        left = {who: times for who, times in entries if times > 0}
        right = {who: -times for who, times in entries if times < 0}
        error = None if certificate else self.found.error
        shown: Shown = {
            "certificate": certificate,
            "evidence": "proof" if error is None else "fingerprint",
            "error": error,
        }
        if value is None:
            return Equivalence(sum(right.values()), left, right, **shown)
        [who] = left
        release = max((step.release for step in certificate), default=len(self.evidence.tags) - 1)
        return Pinned(who, release, value, 1.0, **shown)


def equal_pair(evidence: Evidence, matrix: Matrix, pair: Codes, *, solver: bool) -> Equivalence[int]:
    """Return the finding that two columns are equal in all worlds, by a solver or by groups with ruled-out values."""
    left, right = (member_of(evidence, matrix, column) for column in pair.tolist())
    error = None if solver else chance_of_error(matrix)
    return Equivalence(1, {left: 1}, {right: 1}, evidence="solver" if solver else "fingerprint", error=error)


def name_of(evidence: Evidence, matrix: Matrix, group: int) -> str:
    """Return the name of a group."""
    return evidence.source.group_names(int(matrix.release[group]), matrix.code[[group]])[0]


def member_of(evidence: Evidence, matrix: Matrix, column: int) -> Member:
    """Return the person or counterfeit of a column."""
    people = matrix.columns - matrix.nameless
    if column < people:
        return column
    place = int(np.flatnonzero(matrix.member == column)[0])
    group = int(np.searchsorted(matrix.start, place, side="right")) - 1
    others = matrix.member[matrix.start[group] : place]
    return AnonymousCounterfeit(
        int(matrix.release[group]), name_of(evidence, matrix, group), int((others >= people).sum())
    )
