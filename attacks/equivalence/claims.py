"""Claims: what was found as findings that span it, each with weights that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from attacks.equivalence.chains import Chains, chained
from attacks.equivalence.judging import Found
from attacks.equivalence.vectors import Vector
from attacks.equivalence.weights import Solver
from attacks.matrix import Matrix
from audit.core.budget import Budget
from audit.core.evidence import Codes, Evidence
from audit.core.outcome import Equivalence, Equivalences, Nameless, Places, Somebody, Weighted

# Weights are sought even where the time is up: nothing is claimed without them.
_CERTAIN = 10.0
_PATIENCE = 60.0
_TRIES = 20


@dataclass(frozen=True)
class Claims:
    """Pinned values, pairs of columns with equal values, and equivalences with more people, one after the other.

    Attributes:
        evidence: what the groups and values are called.
        matrix: the releases that were judged.
        found: what was found in them.
        pin: columns of individuals whose value is pinned.
        chains: pairs of columns with equal values, which together chain up each class.
        more: places of the witnesses with e of 2 and more.
        uncertain: whether pinned values were left out that no weights show.
    """

    evidence: Evidence
    matrix: Matrix
    found: Found
    pin: Codes
    chains: Chains
    more: Places
    uncertain: bool = False

    @classmethod
    def of(cls, evidence: Evidence, matrix: Matrix, found: Found) -> Claims:
        """Return the claims that span what was found."""
        pin = np.flatnonzero(matrix.individual & (found.pinned >= 0)).astype(np.int32)
        more = np.flatnonzero(found.witnesses.e > 1)
        return cls(evidence, matrix, found, pin, chained(matrix, found.label), more)

    @cached_property
    def e(self) -> Codes:
        """People on each side of each claim, 0 where a value is pinned."""
        some = [
            np.zeros(len(self.pin), np.int32),
            np.ones(len(self.chains.pair), np.int32),
            self.found.witnesses.e[self.more],
        ]
        return np.concatenate(some)

    @property
    def _pinned(self) -> Codes:
        """Whose value each claim pins, -1 where none is."""
        pinned = np.full(len(self.e), -1, dtype=np.int32)
        pinned[: len(self.pin)] = self.pin
        return pinned

    @cached_property
    def _effort(self) -> Codes:
        """How hard each claim is to show, 0 for the easiest."""
        effort = np.zeros(len(self.e), dtype=np.int32)
        effort[len(self.pin) : len(self.pin) + len(self.chains.pair)] = self.chains.effort
        return effort

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.matrix)

    @cached_property
    def _first(self) -> Codes:
        """By column, the release in which it is first."""
        first = np.zeros(self.matrix.columns, dtype=np.int32)
        first[self.matrix.member[::-1]] = self.matrix.release[self.matrix.group_of()][::-1]
        return first

    def shown(self, nothing: Mapping[str, object]) -> Equivalences:
        """Return the claims as columns; `nothing` are the measures that hold if values do change."""
        when = [
            self._first[self.pin],
            self._first[self.chains.pair].max(axis=1, initial=0),
            np.array([self._first[self.found.witnesses.vector(p).columns].max() for p in self.more], dtype=np.int32),
        ]
        found = self.found
        decided = found.lower is None or found.lower > 1 or found.upper == 1
        whole = found.releases == len(self.evidence.tags)
        spanned, doubt = int(whole and decided), self.uncertain or not whole
        return Equivalences(
            self.e, self._effort, np.concatenate(when), spanned, doubt, nothing, self._sides, self._build, self._pinned
        )

    def sure(self) -> Claims:
        """Return the same without pinned values, and without equivalences below the first e, that no weights show."""
        unsure, budget = [], Budget(_CERTAIN)
        for e in np.unique(self.e).tolist():
            shown = any(self._combined(int(place), budget) for place in self._easiest(e))
            if not shown:
                unsure.append(e)
            elif e > 0:
                break
        return self._without(unsure) if unsure else self

    def _easiest(self, e: int) -> Places:
        """Return the places of some claims with an e, those that are easiest to show."""
        places = np.flatnonzero(self.e == e)
        return places[np.argsort(self._effort[places], kind="stable")[:_TRIES]]

    def _without(self, unsure: list[int]) -> Claims:
        found = self.found
        least = np.where(np.isin(found.least, unsure), 0, found.least).astype(np.int32)
        sizes = self.e[(self.e > 0) & ~np.isin(self.e, unsure)]
        nobody = np.full(self.matrix.columns, -1, dtype=np.int32)
        told = ", ".join("pinned values" if e == 0 else f"equivalences with e = {e}" for e in unsure)
        doubt = f"there seem to be {told}, but no sum of groups was found that shows one"
        found = replace(
            found,
            label=nobody if 1 in unsure else found.label,
            pinned=nobody if 0 in unsure else found.pinned,
            lower=min([e for e in (found.lower, *unsure) if e]),
            upper=int(sizes.min()) if len(sizes) else None,
            least=least,
            exact=False,
            reason="; ".join([doubt, found.reason] if found.reason else [doubt]),
        )
        more = self.more[~np.isin(found.witnesses.e[self.more], unsure)]
        chains = Chains(self.chains.pair[:0], self.chains.effort[:0]) if 1 in unsure else self.chains
        pin = self.pin[:0] if 0 in unsure else self.pin
        return Claims(self.evidence, self.matrix, found, pin, chains, more, uncertain=0 in unsure)

    def _vector(self, place: int) -> tuple[Vector, int | None]:
        """Return what a claim says: the vector, and the value that it pins."""
        if place < len(self.pin):
            column = int(self.pin[place])
            return Vector.of({column: 1}), int(self.found.pinned[column])
        place -= len(self.pin)
        if place < len(self.chains.pair):
            left, right = self.chains.pair[place].tolist()
            return Vector.of({left: 1, right: -1}), None
        return self.found.witnesses.vector(int(self.more[place - len(self.chains.pair)])), None

    def _combined(self, place: int, budget: Budget) -> tuple[Weighted, ...]:
        """Return the groups that show a claim with their weights; none where they were not found in time."""
        vector, value = self._vector(place)
        weights = self._solver.weights(vector, value, budget) or {}
        release = self.matrix.release
        return tuple(Weighted(int(release[g]), self._name(g), weights[g]) for g in sorted(weights))

    def _name(self, group: int) -> str:
        return self.evidence.source.group_names(int(self.matrix.release[group]), self.matrix.code[[group]])[0]

    def _sides(self, places: Places) -> list[Equivalence]:
        return [self._told(int(place), ()) for place in places]

    def _build(self, places: Places) -> list[Equivalence | None]:
        budget = Budget(_PATIENCE)
        shown = [(int(place), self._combined(int(place), budget)) for place in places]
        return [self._told(place, certificate) if certificate else None for place, certificate in shown]

    def _told(self, place: int, certificate: tuple[Weighted, ...]) -> Equivalence:
        vector, value = self._vector(place)
        entries = list(zip(map(self._somebody, vector.columns.tolist()), vector.times.tolist(), strict=True))
        left = tuple((who, times) for who, times in entries if times > 0)
        right = tuple((who, -times) for who, times in entries if times < 0)
        return Equivalence(left, right, value, certificate)

    def _somebody(self, column: int) -> Somebody:
        """Return who a column is."""
        matrix = self.matrix
        people = matrix.columns - matrix.nameless
        if column < people:
            return column
        place = int(np.flatnonzero(matrix.member == column)[0])
        group = int(np.searchsorted(matrix.start, place, side="right")) - 1
        others = matrix.member[matrix.start[group] : place]
        return Nameless(int(matrix.release[group]), self._name(group), int((others >= people).sum()))
