"""Exact answers for bucket series: least vectors by integer programming, between cuts and witnesses.

Claim: `solve` finds the least e of any equivalence, and everybody's least e up to a limit, exactly where it says so.
Cuts decide which buckets, and which nodes of their graphs, can take part up to some e; integer programmes over x
itself do the rest (`attacks.equivalence.blocks`). A programme's answer counts where it is a vector that satisfies all
relations in exact arithmetic, or a proof that there is none. Equivalences within single buckets are all there are
below a bound (`coupled_floor`); from there on buckets are solved together where their totals can cancel.
Cost: NP-hard in general; milliseconds a bucket for some twenty releases.

The releases must not contradict each other. Source: equivalence paper, Section VI.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np

from attacks.equivalence.blocks import Block, Relation, System
from attacks.equivalence.buckets import Buckets
from attacks.equivalence.coupling import coupled, coupled_floor, knots
from attacks.equivalence.programme import Programme, UnsolvedError
from attacks.equivalence.vectors import Exact, Vector
from attacks.matrix import Matrix
from audit.core.budget import Budget
from audit.core.cuts import NO_CUT
from audit.core.evidence import Counts
from audit.core.outcome import Flags

_EASY = 100
"""Vectors of a basis that are tried as first equivalences."""
_GIVEN, _FEW = 500, 50
"""Systems are given away together up to so many variables; fewer than that all in all are not given away."""

Found = tuple[list[list[int]], bool]
"""Vectors of a system, and whether those are enough for sure."""


def solve(matrix: Matrix, max_e: int, budget: Budget) -> Exact | None:
    """Return the least equivalences of a bucket series, or None when the matrix is none.

    Args:
        matrix: the series.
        max_e: up to which e everybody's least e is wanted.
        budget: when it is spent, bounds are returned.
    """
    buckets = Buckets.of(matrix)
    return None if buckets is None else _Search(buckets, budget).run(max_e)


@dataclass
class _Search:
    """What is known so far of one series.

    Attributes:
        buckets: the series.
        budget: how long the search may go on.
        least: by kind, the least e found for its columns, 0 for none; shape (kinds,), int64.
        found: equivalences: e, the kinds with entries, and the entries.
        best: the least e found.
        lower: no equivalence has a lesser e; None when there is none at all.
    """

    buckets: Buckets
    budget: Budget
    least: Counts = field(init=False)
    found: list[tuple[int, Counts, Counts]] = field(default_factory=list)
    best: int | None = None
    lower: int | None = 1

    def __post_init__(self) -> None:
        """Start with nobody known to take part in any equivalence."""
        self.least = np.zeros(self.buckets.first[-1], dtype=np.int64)

    def run(self, max_e: int) -> Exact:
        """Find everybody's least e up to a limit, then the least e of all."""
        complete = True
        for e in range(1, max_e + 1):
            try:
                self._level(e)
            except UnsolvedError:
                complete = False
            if complete:
                self.lower = self.best or e + 1
        if self.best is None:
            self._minimise()
        least = np.append(np.where(self.least <= max_e, self.least, 0), 0)[self.buckets.kind]
        shown = max(max_e, self.best or 0)
        vectors = self._vectors([entries for e, *entries in self.found if e <= shown])
        return Exact(self.lower, self.best, least.astype(np.int32), complete, vectors)

    def _level(self, e: int) -> None:
        """Find for every kind not settled yet an equivalence of this e that it takes part in, if there is one.

        Raises:
            UnsolvedError: not all were found.
        """
        blocks = self._blocks(self._within(2 * e), 2 * e)
        self._settle([[block] for block in blocks], e)
        self._settle(coupled(blocks, 2 * e, self.budget), e)

    def _settle(self, knots: list[list[Block]], e: int) -> None:
        """Do the same in some classes of blocks, each for itself, that have no kinds in common.

        The largest come first, so that they do not come last while others have nothing left to do: programmes have a
        limit of their own.
        """
        systems = [system for knot in knots if (self.least[(system := System.of(knot)).kind] == 0).any()]
        order = sorted(range(len(systems)), key=lambda place: -len(systems[place].cost))
        engine, alone, bunches = self.budget.engine, self.budget.alone(), _bunched([systems[place] for place in order])
        given = ((bunch, [self.least[each.kind] == 0 for each in bunch], 2 * e, alone) for bunch in bunches)
        if sum(len(each.cost) for each in systems) <= _FEW:
            results: Iterator[list[Found]] = (settled(*each) for each in given)
        else:
            results = engine.results(engine.submit(settled, *each) for each in given)
        found = dict(zip(order, chain.from_iterable(results), strict=True))
        for place, system in enumerate(systems):
            for vector in found[place][0]:
                self._note(system, vector)
        if not all(done for _, done in found.values()):
            raise UnsolvedError

    def _minimise(self) -> None:
        """Find the least e of all, or bounds of it, where no equivalence is known yet."""
        places = self._within(NO_CUT - 1)
        unsolved = []
        for place in places:
            floor = (int(self.buckets.floors[place]) + 1) // 2
            if self.best is not None and floor >= self.best:
                break
            if self.best is None:
                self._ease(self._blocks([place], None))
            if self.best is not None and not self._least_of(self._blocks([place], self._lesser), floor):
                unsolved.append(floor)
        if self.best is None:
            for knot in knots(self._blocks(places, None)):
                self._ease(knot)
        if self.best is None:
            self.lower = None
            return
        bound = self._lesser
        joint = coupled(self._blocks(self._within(bound), bound), bound, self.budget)
        unsolved += [coupled_floor(knot) for knot in joint if not self._least_of(knot, 1)]
        self.lower = max(self.lower or 1, min([*unsolved, self.best]))

    @property
    def _lesser(self) -> int:
        """The norm of vectors below the best one known."""
        return 2 * (self.best or 0) - 2

    def _within(self, bound: int) -> list[int]:
        """Return the buckets whose floors are at most a bound, the lowest first."""
        floors = self.buckets.floors
        order = np.argsort(floors, kind="stable")
        return order[: np.searchsorted(floors[order], bound, side="right")].tolist()

    def _blocks(self, places: list[int], bound: int | None) -> list[Block]:
        """Return the blocks of some buckets for vectors of a norm up to a bound, or of any."""
        buckets = self.buckets
        if bound is None:
            labels = [np.arange(len(buckets.buckets[place].groups) + 1) for place in places]
        else:
            labels = buckets.inseparable(places, bound)
        blocks = (
            Block.of(buckets.buckets[place], label, int(buckets.first[place]), int(buckets.floors[place]))
            for place, label in zip(places, labels, strict=True)
        )
        return [block for block in blocks if block is not None]

    def _ease(self, blocks: list[Block]) -> None:
        """Note an equivalence of some blocks that is easy to find, if there is one at all."""
        if blocks:
            system = System.of(blocks)
            self._note(system, min(islice(system.basis(), _EASY), key=system.norm, default=None))

    def _least_of(self, blocks: list[Block], floor: int) -> bool:
        """Look in some blocks for the least e between a floor and the best; tell whether no lesser is left for sure."""
        if not blocks or not self._lesser:
            return True
        if self.budget.spent():
            return False
        system = System.of(blocks)
        programme = Programme(system, self._lesser)
        vector, proved = programme.least(_entries(system.free), 2 * max(floor, self.lower or 1), self.budget)
        self._note(system, vector)
        return proved

    def _note(self, system: System, vector: list[int] | None) -> None:
        """Note an equivalence."""
        if vector is None:
            return
        e = system.norm(vector) // 2
        entries = system.sign * np.array(vector)[system.variable]
        some = np.flatnonzero(entries)
        kinds = system.kind[some]
        self.found.append((e, kinds, entries[some]))
        self.best = e if self.best is None else min(e, self.best)
        least = self.least[kinds]
        self.least[kinds] = np.where((least == 0) | (least > e), e, least)

    def _vectors(self, found: list[list[Counts]]) -> tuple[Vector, ...]:
        """Return equivalences by columns instead of kinds."""
        kind = self.buckets.kind
        order = np.argsort(kind, kind="stable")
        first = np.searchsorted(kind[order], np.arange(len(self.least) + 1))
        vectors = []
        for kinds, times in found:
            columns = np.concatenate([order[first[one] : first[one + 1]] for one in kinds])
            entries = np.repeat(times, (first[1:] - first[:-1])[kinds])
            vectors.append(Vector.of(dict(zip(columns.tolist(), entries.tolist(), strict=True))))
        return tuple(vectors)


def settled(systems: Sequence[System], wanted: Sequence[Flags], bound: int, budget: Budget) -> list[Found]:
    """Return vectors of some systems, up to a norm, that have all wanted kinds that any has; a kernel for engines.

    Args:
        systems: some systems.
        wanted: which kinds are wanted, by place in the system.
        bound: the norm.
        budget: how long.

    Returns:
        For each system the vectors, and whether those are enough for sure.
    """
    return [_settled(system, some, bound, budget) for system, some in zip(systems, wanted, strict=True)]


def _settled(system: System, wanted: Flags, bound: int, budget: Budget) -> Found:
    vectors: list[list[int]] = []
    if budget.spent():
        return vectors, False
    programme = Programme(system, bound)
    while len(variables := np.unique(system.variable[wanted])):
        try:
            vector = programme.some(_entries(variables.tolist()), budget)
        except UnsolvedError:
            return vectors, False
        if vector is None:
            break
        vectors.append(vector)
        wanted = wanted & (np.array(vector)[system.variable] == 0)
    return vectors, True


def _bunched(systems: Sequence[System]) -> list[list[System]]:
    """Return systems that are given away together, in order."""
    bunches: list[list[System]] = []
    variables = _GIVEN
    for system in systems:
        if variables + len(system.cost) > _GIVEN:
            bunches.append([])
            variables = 0
        bunches[-1].append(system)
        variables += len(system.cost)
    return bunches


def _entries(variables: Iterable[int]) -> list[Relation]:
    """Return the sums that are an entry each."""
    return [((variable,), (1,)) for variable in variables]
