"""Search: the proved least e of all equivalences, and of each column's, by a loop over e and buckets.

Least cuts exclude buckets, and merge nodes of their graphs, that cannot take part up to some e; integer vectors decide
the rest. Answers are exact, or marked as bounds.
Cost: NP-hard in general; milliseconds for each bucket of some twenty releases.

The releases must not contradict each other. Source: equivalence paper, Section VI (buckets, Theorem 2, Lemma 3) and
Theorem 1 (NP-hard); the loop over e is ours.

Integer model: find nonzero vectors of a lattice up to some norm, or prove that there are none.

No entry exceeds the norm divided by its variable's cost, so the bounds of variables are exact. A vector is accepted if
it satisfies all relations in exact arithmetic, outside the solver. That no vector exists is the solver's word, if it
contradicts no known vector; what rests on it is marked (`believed`). Effort is counted in the solver's deterministic
seconds, so that answers do not depend on the machine or its load; only the user's limit is in clock time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from attacks.equivalence.elimination import Row, TooMuchWorkError
from attacks.equivalence.parts import Parts
from attacks.equivalence.vector_lattices import Block, Lattice, coupled, lattices
from attacks.equivalence.vectors import Vector, Witnesses
from audit.model.arrays import Codes, Counts, Flags, flagged
from audit.model.minimum_cuts import NO_CUT
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import solved

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


_VARIABLES = 1_500
"""The most variables of a model."""
_EXACT = 1 << 62
"""The limit of any sum in a model: the solver computes in 64 bits."""
_EFFORT = 10.0
"""The solver's limit for one model, in its own deterministic seconds."""


class SolverContradictionError(AssertionError):
    """The solver ruled out a vector that is known to exist: a bug, from which no answer may be derived."""


class IntegerModel:
    """The integer vectors of a lattice up to some norm ||x||₁, with some variables fixed to 0.

    Attributes:
        effort: the solver's remaining time, in deterministic seconds.
        believed: whether only the solver's word says that there is no (further) vector.
    """

    def __init__(self, lattice: Lattice, bound: int, represented_by_twin: frozenset[int] = frozenset()) -> None:
        from ortools.sat.python import cp_model

        self.lattice, self.bound, self.effort, self.believed = lattice, bound, _EFFORT, False
        limit = {
            at: bound // cost for at, cost in enumerate(lattice.cost) if at not in represented_by_twin and cost <= bound
        }
        self._check_size(limit)
        self.model = cp_model.CpModel()
        self.entry = {at: self.model.new_int_var(-most, most, "") for at, most in limit.items()}
        size = {at: self.model.new_int_var(0, most, "") for at, most in limit.items()}
        for at, entry in self.entry.items():
            self.model.add(size[at] >= entry)
            self.model.add(size[at] >= -entry)
        norm = cp_model.LinearExpr.weighted_sum(list(size.values()), [lattice.cost[at] for at in size])
        self.model.add(norm <= bound)
        for relation in lattice.relations:
            row = {at: times for at, times in relation.items() if at in self.entry}
            terms = [self.entry[at] for at in row]
            self.model.add(cp_model.LinearExpr.weighted_sum(terms, list(row.values())) == 0)
        self._positive: dict[int, cp_model.IntVar] = {}

    def _check_size(self, limit: dict[int, int]) -> None:
        """Refuse a model that is too large, or may overflow, before it is built."""
        sums = (sum(abs(times) * limit.get(at, 0) for at, times in row.items()) for row in self.lattice.relations)
        norm = sum(most * self.lattice.cost[at] for at, most in limit.items())
        if len(limit) > _VARIABLES or norm >= _EXACT or any(total >= _EXACT for total in sums):
            raise TooMuchWorkError

    def some(self, wanted: Sequence[int], budget: Budget) -> Row | None:
        """Return a vector in which at least one of these variables is not 0; None if it is proved that there is none.

        All later calls also require this.

        Raises:
            TooMuchWorkError: the limit was reached before either was found.
        """
        wanted = [at for at in wanted if at in self.entry]
        if not wanted:
            return None
        for at in wanted:
            if at not in self._positive:
                self._positive[at] = self.model.new_bool_var("")
                self.model.add(self.entry[at] >= 1).only_enforce_if(self._positive[at])
        # That an entry is positive is as good as not 0, as the negative of a vector is one.
        self.model.add_bool_or([self._positive[at] for at in wanted])
        if self.effort <= 0 or budget.exhausted():
            raise TooMuchWorkError
        answer, solver = solved(self.model, self.effort, budget, cp_model_presolve=False)
        self.effort -= solver.response_proto.deterministic_time
        self.believed = answer == "none"
        if self.believed:
            return None
        values = ((at, solver.value(entry)) for at, entry in self.entry.items() if answer != "unknown")
        vector = {at: times for at, times in values if times}
        if not vector or self.lattice.norm(vector) > self.bound or not self.lattice.holds(vector):
            raise TooMuchWorkError
        return vector


def covering(
    lattice: Lattice,
    wanted: set[int],
    bound: int,
    represented_by_twin: frozenset[int],
    budget: Budget,
    *,
    one: bool = False,
) -> tuple[list[Row], bool, bool]:
    """Return vectors of a lattice up to a norm; each wanted variable that is in any such vector is in one of them.

    With `one`, a single vector with a wanted variable suffices.

    Returns:
        The vectors, whether no wanted variable is missing, and whether that is the solver's word.
    """
    left, vectors = set(wanted), list[Row]()
    for short in lattice.basis:  # this needs no solver, and often it suffices
        if lattice.norm(short) <= bound and not left.isdisjoint(short) and represented_by_twin.isdisjoint(short):
            vectors.append(short)
            left -= set(left if one else short)
    try:
        model = IntegerModel(lattice, bound, represented_by_twin) if left else None
        while model and left and (vector := model.some(sorted(left), budget)) is not None:
            vectors.append(vector)
            left -= set(left if one else vector)
    except TooMuchWorkError:
        return vectors, False, False
    return vectors, True, model is not None and model.believed


_STATED = 1_000_000
"""Equivalences with a greater e are not reported."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The result of the search.

    Attributes:
        lower: every equivalence in which people take part has at least this e; None if it is proved that there is none.
        proved: equivalences with a lesser e are all known without a solver's word; None if nothing rests on it.
        upper: the least e of such an equivalence that was found; None if none was found.
        least: by column, the least e up to `max_e` of an equivalence that the column takes part in; 0 if none was
            found; shape (columns,), int32.
        complete: whether `least` is proved: no column takes part in an equivalence of a smaller e, and columns with 0
            in none up to `max_e`.
        witnesses: equivalences that show `upper` and every entry of `least` that was not known before.
    """

    lower: int | None
    proved: int | None
    upper: int | None
    least: Codes
    complete: bool
    witnesses: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """The question of a search, and what is known beforehand.

    Attributes:
        label: the class of each column, of columns with equal values (e = 1); -1 if it is in no group; (columns,).
        known: the least known e of an equivalence of each column; 0 for none; (columns,).
        witnesses: the known equivalences.
        settled: the e up to which all equivalences are known.
        max_e: the e up to which the equivalences of all columns are asked for.
    """

    label: Codes
    known: Codes
    witnesses: Witnesses
    settled: int
    max_e: int


def solve(parts: Parts, question: SearchQuestion, budget: Budget) -> Exact:
    """Return Min_Eqi(S, U), the least e of all equivalences of a series, and that of each column up to some `max_e`.

    S and U are partitioned into buckets, delta encoding makes a graph of each (`Parts`), and then for each e:

    * Theorem 2: buckets without a cut of 2e or less have no equivalence, and nodes that no such cut separates count as
      one (`with_small_cuts`).
    * Lemma 3: each bucket is searched alone, and only from some e on together with others, because their sums of values
      may cancel (`coupled`).
    * The integer vectors x = W S with W U = 0 of the remaining buckets form lattices (`lattices`). For each column
      without a known equivalence, they are searched for a vector up to norm 2e (`find`).

    If no person is in one, the loop goes on with one vector for all people, up to the shortest vector of
    the bases. Bounds are returned if effort or budget do not suffice.

    Raises:
        SolverContradictionError: a known equivalence was ruled out; this is a bug of the program or the solver.
    """
    search = _VectorSearch(parts, question, budget)
    for e in range(question.settled + 1, question.max_e + 1):
        for lattice in search.lattices(e):
            search.find(lattice, e)
        if search.complete:
            search.lower = min(search.upper or e + 1, e + 1)
            search.proved = search.proved if search.believed else e + 1
        elif not parts.are_buckets:
            break
    complete = search.complete
    if search.upper is None:
        search.minimise(question.max_e)
    return search.found_up_to(question.max_e, complete=complete)


@dataclass
class _VectorSearch:
    """The knowledge about one series so far.

    Attributes:
        least: by type, the least e found for its columns, 0 for none; shape (types,), int64.
        represented_by_twin: single columns for which an earlier column with an equal value can stand in; (types,).
        people: types of which some columns are people; shape (types,).
        known: by part, equivalences within it that are known beforehand: e, and the entries by type.
        found: equivalences: e, the types with entries, and the entries.
        upper: the least e found of an equivalence in which people take part; None if none was found.
        lower: no such equivalence has a lesser e; None when there is none at all.
        proved: all equivalences with a lesser e are known without a solver's word.
        believed: whether something rests on a solver's word.
        complete: whether everything that was asked so far was found.
    """

    parts: Parts
    question: SearchQuestion
    budget: Budget
    least: Counts = field(init=False)
    represented_by_twin: Flags = field(init=False)
    people: Flags = field(init=False)
    known: dict[int, list[tuple[int, Row]]] = field(default_factory=dict)
    found: list[tuple[int, Counts, Counts]] = field(default_factory=list)
    upper: int | None = None
    lower: int | None = 1
    proved: int = 1
    believed: bool = False
    complete: bool = True

    def __post_init__(self) -> None:
        """Read what is known.

        The first of several columns with equal values represents them all: moving the others' entries to it makes no
        equivalence larger, and does not remove a column that is asked for.
        """
        asked, types = self.question, self.parts.types
        self.least = asked.known[types.example].astype(np.int64)
        first = np.zeros(int(asked.label.max(initial=-1)) + 1, dtype=np.int64)
        first[asked.label[types.example[::-1]]] = types.example[::-1]
        self.represented_by_twin = (types.size == 1) & (first[asked.label[types.example]] != types.example)
        matrix = self.parts.matrix
        self.people = flagged(types.of[np.flatnonzero(matrix.individual)], len(types.example))
        home = np.empty(len(types.example), dtype=np.int64)
        for number, part in enumerate(self.parts.parts):
            home[part.types] = number
        for place in range(len(asked.witnesses)):
            vector = asked.witnesses.vector(place)
            entries = dict(zip(types.of[vector.columns].tolist(), vector.times.tolist(), strict=True))
            if len(homes := set(home[list(entries)].tolist())) == 1:
                self.known.setdefault(homes.pop(), []).append((vector.e, entries))
        known = self.least[self.people & (self.least > 0)]
        self.upper = int(known.min()) if len(known) else None
        self.proved = asked.settled + 1
        self.lower = min(self.proved, self.upper or self.proved)

    def with_small_cuts(self, bound: int) -> list[Block]:
        """Return the blocks of parts that can have vectors up to a norm by their cuts, the least cuts first."""
        order = np.argsort(self.parts.norm_lower_bounds, kind="stable")
        within = self.parts.norm_lower_bounds[order] <= min(bound, NO_CUT - 1)
        return self._blocks(order[within].tolist(), bound)

    def _blocks(self, places: Sequence[int], bound: int) -> list[Block]:
        """Return the blocks of some parts for vectors up to a norm, or for any vectors if it is `NO_CUT`."""
        labels = self.parts.inseparable(places, bound)
        blocks = (Block.of(self.parts, place, label) for place, label in zip(places, labels, strict=True))
        return [block for block in blocks if block.cost]

    def lattices(self, e: int) -> Iterator[Lattice]:
        """Yield the lattices of buckets that have columns without an equivalence up to e, first of each bucket alone.

        Raises:
            SolverContradictionError: cuts or elimination have ruled out an equivalence that is known.
        """
        buckets = self.with_small_cuts(2 * e)
        for coupled_blocks in ([[bucket] for bucket in buckets], coupled(buckets, 2 * e)):
            systems: list[Lattice] = []
            for together in coupled_blocks:
                if any(self._wanted(block.type, e).any() for block in together):
                    try:
                        found = lattices(together)
                    except TooMuchWorkError:
                        self.complete = False
                        continue
                    if len(together) == 1:
                        self._check_known(together[0].part, found, e)
                    systems += [system for system in found if self._wanted(system.type, e).any()]
            yield from sorted(systems, key=lambda system: -len(system.cost))

    def _wanted(self, types: Counts, e: int) -> Flags:
        """Return the types for which no equivalence up to e is known."""
        wanted: Flags = (self.least[types] == 0) | (self.least[types] > e)
        return wanted

    def _check_known(self, part: int, systems: Sequence[Lattice], e: int) -> None:
        """Compare known equivalences of a part with the relations of its lattices."""
        for size, entries in self.known.get(part, []):
            left = dict(entries) if size <= e else {}
            rows = [_taken(system, left) for system in systems]
            if left or not all(system.holds(row) for system, row in zip(systems, rows, strict=True)):
                raise SolverContradictionError(f"an equivalence with e = {size} that is known was ruled out")

    def find(self, system: Lattice, e: int, *, one_person: bool = False) -> None:
        """Find, for each open type of a lattice, or for one of its people, an equivalence up to e with it."""
        wanted = self._people(system) if one_person else set(system.variable[self._wanted(system.type, e)].tolist())
        if all(wanted.isdisjoint(vector) for vector in system.basis):
            return
        vectors, done, believed = covering(system, wanted, 2 * e, self._zero(system), self.budget, one=one_person)
        self.complete &= done
        self.believed |= believed
        for vector in vectors:
            self._note(system, vector)

    def _zero(self, system: Lattice) -> frozenset[int]:
        """Return the variables for which others can stand in."""
        return frozenset(system.variable[self.represented_by_twin[system.type]].tolist())

    def minimise(self, e: int) -> None:
        """Find the least e of all above a given one, or bounds of it: one e after the other, up to that of a basis."""
        norms = self.parts.norm_lower_bounds
        for place in np.argsort(norms, kind="stable")[: np.count_nonzero(norms < NO_CUT)].tolist():
            if self.upper is None:
                self._ease([place])
        for together in coupled(self.with_small_cuts(NO_CUT), NO_CUT) if self.upper is None else ():
            self._ease([block.part for block in together])
        if self.upper is None and self.complete:
            self.lower = None
        while self.complete and self.lower is not None and self.lower < (self.upper or _STATED):
            e += 1
            for lattice in self.lattices(e):
                if (self.upper or _STATED) > e:
                    self.find(lattice, e, one_person=True)
            if self.complete:
                self.lower = max(self.lower, min(self.upper or e + 1, e + 1))

    def _ease(self, places: Sequence[int]) -> None:
        """Store the shortest basis vectors of some parts as equivalences, which gives a first upper bound."""
        try:
            systems = lattices(self._blocks(places, NO_CUT))
        except TooMuchWorkError:
            self.complete = False
            return
        for system in systems:
            people = self._people(system)
            vectors = [each for each in system.basis if not people.isdisjoint(each)]
            for vector in sorted(vectors, key=system.norm)[:1]:
                if system.norm(vector) > 2 * _STATED:
                    self.complete = False
                elif system.norm(vector) < 2 * (self.upper or _STATED + 1):
                    self._note(system, vector)

    def _people(self, system: Lattice) -> set[int]:
        """Return the variables of people."""
        return set(system.variable[self.people[system.type]].tolist())

    def _note(self, system: Lattice, vector: Row) -> None:
        """Store an equivalence, and the least e of its columns."""
        e = system.norm(vector) // 2
        entry = np.zeros(len(system.cost), dtype=np.int64)
        entry[list(vector)] = list(vector.values())
        entries = system.sign * entry[system.variable]
        nonzero = np.flatnonzero(entries)
        types, times = system.type[nonzero], entries[nonzero]
        self.found.append((e, types, times))
        if self.people[types].any() and e <= (self.upper or e):
            self.upper = e
        least = self.least[types]
        self.least[types] = np.where((least == 0) | (least > e), e, least)

    def found_up_to(self, max_e: int, *, complete: bool) -> Exact:
        """Return the result by columns instead of types; `complete` is about equivalences up to `max_e`."""
        of_type = self.parts.types
        least = np.append(np.where(self.least <= max_e, self.least, 0), 0)[of_type.of].astype(np.int32)
        vectors = []
        for e, types, times in self.found:
            if e <= max(max_e, self.upper or 0):
                columns, entries = of_type.columns(types), np.repeat(times, of_type.size[types])
                vectors.append(Vector.of(dict(zip(columns.tolist(), entries.tolist(), strict=True))))
        proved = self.proved if self.believed else None
        return Exact(self.lower, proved, self.upper, least, complete, tuple(vectors))


def _taken(system: Lattice, entries: Row) -> Row:
    """Return the entries of a lattice's variables, given by type, and remove them."""
    row: Row = {}
    for type_, variable, sign in zip(
        *(each.tolist() for each in (system.type, system.variable, system.sign)), strict=True
    ):
        if type_ in entries:
            row[variable] = sign * entries.pop(type_)
    return row
