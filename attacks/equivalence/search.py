"""The search: the least e of all equivalences, proved, and each column's own, by integer programming over lattices.

Cuts decide which parts, and which nodes of their graphs, can take part up to some e; integer models over x itself do
the rest. Equivalences within single parts are all there are below a bound (`coupled_lower_bound`); from there on parts
are solved together where their totals can cancel. Answers are exact, or bounds where they say so.
Cost: NP-hard in general; milliseconds a bucket for some twenty releases.

The releases must not contradict each other. Source: equivalence paper, Section VI; Theorem 1 (NP-hard).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from attacks.equivalence.elimination import Elimination, Row, TooMuchWorkError
from attacks.equivalence.integer_model import Effort, IntegerModel, SolverContradictionError
from attacks.equivalence.lattice import Block, Lattice, lattices, length
from attacks.equivalence.parts import Parts
from attacks.equivalence.vectors import Vector, Witnesses
from audit.model.arrays import Codes, Counts, Flags
from audit.model.minimum_cuts import NO_CUT, Labels
from audit.runtime.budget import Budget

_EFFORT = 10.0
"""How long solvers may work on one class of parts for one question, in their own deterministic seconds."""
_STATED = 1_000_000
"""Equivalences with a greater e are not stated."""
_GIVEN, _FEW = 500, 50
"""Lattices are given away together up to so many variables; fewer than that all in all are not given away."""


@dataclass(frozen=True, slots=True)
class Exact:
    """What the search found.

    Attributes:
        lower: every equivalence in which people take part has at least this e; None when it is proved that there is
            none.
        upper: the e of such an equivalence that was found; None where none was found. `lower == upper` is solved.
        least: by column, the least e up to `max_e` of an equivalence that the column takes part in; 0 where none was
            found; shape (columns,), int32.
        complete: whether `least` is exact: no column with 0 takes part in any equivalence up to `max_e`, and no
            column in a lesser one.
        witnesses: equivalences that show `upper` and every entry of `least` that was not known before.
    """

    lower: int | None
    upper: int | None
    least: Codes
    complete: bool
    witnesses: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """What is asked, and what is known beforehand.

    Attributes:
        label: by column, its class of columns with equal values (e = 1); -1 where it is in no group.
        known: by column, the least e of an equivalence that it is known to take part in; 0 for none.
        witnesses: equivalences that are known.
        settled: up to which e all that is known is all that there is.
        max_e: up to which e those of all columns are wanted.
    """

    label: Codes
    known: Codes
    witnesses: Witnesses
    settled: int
    max_e: int


def solve(parts: Parts, question: SearchQuestion, budget: Budget) -> Exact:
    """Return the least e of all equivalences of a series, and of those of each column up to some `max_e`.

    Bounds are returned where effort or budget do not suffice.

    Raises:
        SolverContradictionError: something that is known was ruled out.
    """
    return _VectorSearch(parts, question, budget).run()


@dataclass
class _VectorSearch:
    """What is known so far of one series.

    Attributes:
        least: by type, the least e found for its columns, 0 for none; shape (types,), int64.
        represented_by_twin: types that are in no equivalence which is asked for but in the place of others; (types,).
        people: types of which some columns are people; shape (types,).
        found: equivalences: e, the types with entries, and the entries.
        best: the least e found of an equivalence in which people take part.
        lower: no such equivalence has a lesser e; None when there is none at all.
    """

    parts: Parts
    question: SearchQuestion
    budget: Budget
    least: Counts = field(init=False)
    represented_by_twin: Flags = field(init=False)
    people: Flags = field(init=False)
    found: list[tuple[int, Counts, Counts]] = field(default_factory=list)
    best: int | None = None
    lower: int | None = 1
    _eliminated: dict[tuple[bytes, ...], list[Lattice]] = field(default_factory=dict)
    _known: dict[int, list[tuple[int, Row]]] = field(default_factory=dict)
    _made: dict[int, tuple[bytes, Block]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take over what is known.

        Of columns with equal values the first stands for all: the others' entries can move there, which makes nothing
        larger, and nothing 0 that is asked for.
        """
        asked, types = self.question, self.parts.types
        self.least = asked.known[types.example].astype(np.int64)
        first = np.zeros(int(asked.label.max(initial=-1)) + 1, dtype=np.int64)
        first[asked.label[types.example[::-1]]] = types.example[::-1]
        self.represented_by_twin = (types.size == 1) & (first[asked.label[types.example]] != types.example)
        matrix = self.parts.matrix
        self.people = np.zeros(len(types.example), dtype=np.bool_)
        self.people[types.of[np.flatnonzero(matrix.individual)]] = True
        home = np.empty(len(types.example), dtype=np.int64)
        for number, part in enumerate(self.parts.parts):
            home[part.types] = number
        for place in range(len(asked.witnesses)):
            vector = asked.witnesses.vector(place)
            if len(set(home[types.of[vector.columns]].tolist())) == 1:
                inside = self._known.setdefault(int(home[types.of[vector.columns[0]]]), [])
                entries = zip(types.of[vector.columns].tolist(), vector.times.tolist(), strict=True)
                inside.append((vector.e, dict(entries)))
        known = self.least[self.people & (self.least > 0)]
        self.best = int(known.min()) if len(known) else None
        self.lower = min(asked.settled + 1, self.best or asked.settled + 1)

    def run(self) -> Exact:
        """Find everybody's least e up to a limit, then the least e of all."""
        asked, complete = self.question, True
        for e in range(asked.settled + 1, asked.max_e + 1):
            solved = self._level(e)
            complete = complete and solved
            if complete:
                self.lower = min(self.best or e + 1, e + 1)
            elif not self.parts.are_buckets:
                break
        if self.best is None:
            self._minimise()
        least = np.append(np.where(self.least <= asked.max_e, self.least, 0), 0)[self.parts.types.of]
        shown = max(asked.max_e, self.best or 0)
        vectors = self._vectors([(types, times) for e, types, times in self.found if e <= shown])
        return Exact(self.lower, self.best, least.astype(np.int32), complete, vectors)

    def _level(self, e: int) -> bool:
        """Find for each type not settled yet an equivalence of this e that it takes part in, if there is one.

        Returns:
            Whether all were found.
        """
        blocks = self._blocks(self._within(2 * e), 2 * e)
        alone = self._settle([[block] for block in blocks], e)
        return self._settle(coupled(blocks, 2 * e), e) and alone

    def _settle(self, coupled_blocks: Sequence[Sequence[Block]], e: int) -> bool:
        """Do the same in some classes of blocks, each for itself, that have no types in common.

        The largest come first, so that they do not come last while others have nothing left to do.
        """
        wanted = (self.least == 0) | (self.least > e)
        systems: list[Lattice] = []
        solved = True
        for together in coupled_blocks:
            if any(wanted[block.type].any() for block in together):
                try:
                    found = self._lattices(together)
                except TooMuchWorkError:
                    solved = False
                    continue
                if len(together) == 1:
                    self._check_known(together[0].part, found, e)
                systems += [each for each in found if wanted[each.type].any()]
        systems.sort(key=lambda each: -len(each.cost))
        engine, alone = self.budget.engine, self.budget.single_threaded()
        given = (
            (
                bunch,
                [wanted[each.type] for each in bunch],
                [self.represented_by_twin[each.type] for each in bunch],
                2 * e,
                alone,
            )
            for bunch in _bunched(systems)
        )
        if sum(len(each.cost) for each in systems) <= _FEW:
            results: Iterator[list[Found]] = (settled(*each) for each in given)
        else:
            results = engine.results(engine.submit(settled, *each) for each in given)
        for system, (vectors, done) in zip(systems, chain.from_iterable(results), strict=True):
            solved &= done
            for vector in vectors:
                self._note(system, vector)
        return solved

    def _check_known(self, part: int, systems: Sequence[Lattice], e: int) -> None:
        """Hold equivalences of a part that are known from elsewhere against the relations of its lattices.

        Raises:
            SolverContradictionError: cuts or elimination have ruled one out.
        """
        for size, entries in self._known.get(part, []):
            left = dict(entries) if size <= e else {}
            rows = [_taken(system, left) for system in systems]
            if left or not all(system.holds(row) for system, row in zip(systems, rows, strict=True)):
                raise SolverContradictionError(f"an equivalence with e = {size} that is known was ruled out")

    def _minimise(self) -> None:
        """Find the least e of all, or bounds of it, where no equivalence is known yet."""
        unsolved: list[int] = []
        places = self._within(NO_CUT - 1)
        for place in places:
            lower_bound = (int(self.parts.norm_lower_bounds[place]) + 1) // 2
            if self.best is not None and lower_bound >= self.best:
                break
            self._least_of([place], lower_bound, unsolved)
        bound = NO_CUT if self.best is None else 2 * self.best - 2
        blocks = self._blocks(places if self.best is None else self._within(bound), bound)
        for together in coupled(blocks, bound):
            self._least_of([block.part for block in together], coupled_lower_bound(together), unsolved)
        bounds = unsolved if self.best is None else [*unsolved, self.best]
        self.lower = max(self.lower or 1, min(bounds)) if bounds else None

    def _least_of(self, places: Sequence[int], lower_bound: int, unsolved: list[int]) -> None:
        """Look in some parts for the least e, from a lower bound on; note it where less than the best may be left."""
        lower_bound = max(lower_bound, self.lower or 1)
        try:
            if self.best is None:
                self._ease(places)
            systems = self._of_people(self._blocks(places, NO_CUT if self.best is None else 2 * self.best))
            if not systems or lower_bound >= (self.best or NO_CUT):
                return
            proved = [self._improve(system, people, lower_bound) for system, people in systems]
        except TooMuchWorkError:
            proved = [False]
        if not all(proved):
            unsolved.append(lower_bound)
        elif self.best is None:
            unsolved.append(max(lower_bound, _STATED))

    def _ease(self, places: Sequence[int]) -> None:
        """Note an equivalence of some parts that is easy to find, if there is one at all."""
        for system, people in self._of_people(self._blocks(places, NO_CUT)):
            vector = min((each for each in system.basis if not people.isdisjoint(each)), key=system.norm)
            if system.norm(vector) <= 2 * min(_STATED, (self.best or _STATED + 1) - 1):
                self._note(system, vector)

    def _improve(self, system: Lattice, people: set[int], lower_bound: int) -> bool:
        """Look for a vector that is less than the best one; tell whether it is sure that none is left."""
        known, best = self._known_in(system), self.best or _STATED + 1
        bound = 2 * best - (known is None) * 2
        if bound < 2 * lower_bound:
            return True
        try:
            model = IntegerModel(system, bound)
            vector, proved = model.least(sorted(people), known, 2 * lower_bound, Effort(_EFFORT), self.budget)
        except TooMuchWorkError:
            return False
        if vector is not None and system.norm(vector) < 2 * best:
            self._note(system, vector)
        return proved

    def _known_in(self, system: Lattice) -> Row | None:
        """Return the best equivalence known as a vector of a lattice; None where it is none of it."""
        if self.best is None:
            return None
        _, types, times = next(
            each for each in reversed(self.found) if each[0] == self.best and self.people[each[1]].any()
        )
        left = dict(zip(types.tolist(), times.tolist(), strict=True))
        row = _taken(system, left)
        return None if left else row

    def _of_people(self, blocks: Sequence[Block]) -> list[tuple[Lattice, set[int]]]:
        """Return those lattices of some blocks that have vectors in which people take part, and their variables."""
        pairs = ((each, set(each.variable[self.people[each.type]].tolist())) for each in self._lattices(blocks))
        return [(each, people) for each, people in pairs if not all(people.isdisjoint(vector) for vector in each.basis)]

    def _within(self, bound: int) -> list[int]:
        """Return the parts whose norm_lower_bounds are at most a bound, the lowest first."""
        norm_lower_bounds = self.parts.norm_lower_bounds
        order = np.argsort(norm_lower_bounds, kind="stable")
        return order[: np.searchsorted(norm_lower_bounds[order], bound, side="right")].tolist()

    def _blocks(self, places: list[int] | Sequence[int], bound: int) -> list[Block]:
        """Return the blocks of some parts for vectors of a norm up to a bound, or of any where it is `NO_CUT`."""
        parts = self.parts
        if bound == NO_CUT:
            labels = [None if (of := parts.parts[at]).delta is None else np.arange(len(of.groups) + 1) for at in places]
        else:
            labels = parts.inseparable(places, bound)
        blocks = (self._block(place, label) for place, label in zip(places, labels, strict=True))
        return [block for block in blocks if block.cost]

    def _block(self, place: int, labels: Labels | None) -> Block:
        """Return the block of a part, made again only where other nodes are equal than when it was last asked for."""
        equal = b"" if labels is None else labels.tobytes()
        before = self._made.get(place)
        if before is None or before[0] != equal:
            before = self._made[place] = equal, Block.of(self.parts, place, labels)
        return before[1]

    def _lattices(self, blocks: Sequence[Block]) -> list[Lattice]:
        """Return the lattices of some blocks, computed once."""
        key = tuple(array.tobytes() for block in blocks for array in (block.type, block.variable))
        if key not in self._eliminated:
            self._eliminated[key] = lattices(blocks)
        return self._eliminated[key]

    def _note(self, system: Lattice, vector: Row) -> None:
        """Note an equivalence."""
        e = system.norm(vector) // 2
        entry = np.zeros(len(system.cost), dtype=np.int64)
        entry[list(vector)] = list(vector.values())
        entries = system.sign * entry[system.variable]
        some = np.flatnonzero(entries)
        types = system.type[some]
        self.found.append((e, types, entries[some]))
        if self.people[types].any():
            self.best = e if self.best is None else min(e, self.best)
        least = self.least[types]
        self.least[types] = np.where((least == 0) | (least > e), e, least)

    def _vectors(self, found: list[tuple[Counts, Counts]]) -> tuple[Vector, ...]:
        """Return equivalences by columns instead of types."""
        of = self.parts.types.of
        order = np.argsort(of, kind="stable")
        first = np.searchsorted(of[order], np.arange(len(self.least) + 1))
        vectors = []
        for types, times in found:
            columns = np.concatenate([order[first[one] : first[one + 1]] for one in types])
            entries = np.repeat(times, (first[1:] - first[:-1])[types])
            vectors.append(Vector.of(dict(zip(columns.tolist(), entries.tolist(), strict=True))))
        return tuple(vectors)


def _taken(system: Lattice, entries: dict[int, int]) -> Row:
    """Return what some entries by type say of a lattice's variables, and take them away."""
    row: Row = {}
    for type_, variable, sign in zip(
        *(each.tolist() for each in (system.type, system.variable, system.sign)), strict=True
    ):
        if type_ in entries:
            row[variable] = sign * entries.pop(type_)
    return row


Found = tuple[list[Row], bool]
"""Vectors of a lattice, and whether those are enough for sure."""


def settled(
    systems: Sequence[Lattice],
    wanted: Sequence[Flags],
    represented_by_twin: Sequence[Flags],
    bound: int,
    budget: Budget,
) -> list[Found]:
    """Return vectors of some lattices, up to a norm, that have all wanted types that any has; a kernel for engines.

    Args:
        systems: some lattices.
        wanted: which types are wanted, by place in the lattice.
        represented_by_twin: which types may have no entries.
        bound: the norm.
        budget: how long.

    Returns:
        For each lattice the vectors, and whether those are enough for sure.
    """
    return [_settled(*each, bound, budget) for each in zip(systems, wanted, represented_by_twin, strict=True)]


def _settled(system: Lattice, wanted: Flags, represented_by_twin: Flags, bound: int, budget: Budget) -> Found:
    zero = frozenset(system.variable[represented_by_twin].tolist())
    left = set(system.variable[wanted].tolist())
    vectors: list[Row] = []
    for short in system.basis:  # it needs no solver, and often it is everything
        if system.norm(short) <= bound and not left.isdisjoint(short) and zero.isdisjoint(short):
            vectors.append(short)
            left -= set(short)
    if not left:
        return vectors, True
    effort = Effort(_EFFORT)
    try:
        model = IntegerModel(system, bound, zero)
        while left:
            vector = model.some(sorted(left), effort, budget)
            if vector is None:
                break
            vectors.append(vector)
            left -= set(vector)
    except TooMuchWorkError:
        return vectors, False
    return vectors, True


def _bunched(systems: Sequence[Lattice]) -> list[list[Lattice]]:
    """Return lattices that are given away together, in order."""
    bunches: list[list[Lattice]] = []
    variables = _GIVEN
    for system in systems:
        if variables + len(system.cost) > _GIVEN:
            bunches.append([])
            variables = 0
        bunches[-1].append(system)
        variables += len(system.cost)
    return bunches


def coupled_lower_bound(blocks: Sequence[Block]) -> int:
    """Return a number that no e of an equivalence is below whose total of some value is not 0 in some block.

    Let t be the totals of the blocks in such an equivalence: whole numbers, as the entries of x and everybody's one
    value are, and their sum is 0. ||x||₁ of a block is at least ||t||₁ of it, and at least its bound where t is not 0.
    At least two blocks have t other than 0, and three where the totals of each block are multiples of one vector u
    without a common divisor, different in all blocks. If these have no negative entries, then either two or more units
    of u are added, or one is added and equals two or more that are subtracted, as it is no u itself: the sum of all
    ||t||₁ is at least 4 ||u||₁ for the least of them. With values equally frequent ||u||₁ is their number. `NO_CUT`
    where there can be no such equivalence.

    One release with buckets {a, b}, {c, d}, {a, c} and {b, d} has the equivalence {a, b} + {c, d} = {a, c} + {b, d}
    with e = 4, while each bucket alone has none.
    """
    lines = [block.directions[0] for block in blocks if len(block.directions) == 1]
    able = [block for block in blocks if block.directions]
    simple = len(set(lines)) == len(able)
    least = sorted(max(block.norm_lower_bound, block.least_total) for block in able)
    needed = 3 if simple else 2
    if len(least) < needed:
        return NO_CUT
    norm = sum(least[:needed])
    if simple and all(times > 0 for line in lines for _, times in line):
        norm = max(norm, 4 * min(map(length, lines)))
    return (norm + 1) // 2


def coupled(blocks: Sequence[Block], bound: int) -> list[list[Block]]:
    """Return classes of blocks such that the other blocks' parts of equivalences up to some norm are ones themselves.

    The totals of an equivalence add up to 0 in each class: that is so where the totals that classes can have span
    spaces whose sum is direct. Blocks are in one class when a vector of one depends on independent ones of others
    (fundamental circuits).
    """
    if coupled_lower_bound(blocks) > bound // 2:
        return []
    columns = [(place, vector) for place, block in enumerate(blocks) for vector in block.directions]
    rows: dict[int, Row] = {}
    for column, (_, vector) in enumerate(columns):
        for value, times in vector:
            rows.setdefault(value, {})[column] = times
    elimination = Elimination(rows.values())
    try:
        elimination.reduce()
    except TooMuchWorkError:
        return [list(blocks)]
    home = list(range(len(blocks)))
    for row in elimination.pivots.values():
        homes = {home[columns[column][0]] for column in row}
        least = min(homes)
        home = [least if other in homes else other for other in home]
    coupled_blocks: dict[int, list[Block]] = {}
    for block, where in zip(blocks, home, strict=True):
        coupled_blocks.setdefault(where, []).append(block)
    return [together for together in coupled_blocks.values() if coupled_lower_bound(together) <= bound // 2]
