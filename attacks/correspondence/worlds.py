"""Worlds: which arcs of a network of states some world uses.

What two successive releases rule out by themselves is ruled out (`matching`), and so is what then leads nowhere, until
nothing changes. For two releases that is all. For more, worlds are looked for that use arcs not shown yet, by an
integer model whose answers are checked; where there is none left, the rest is impossible. Effort is counted in work;
what it does not settle stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attacks.correspondence.chains import Layer, TooManyPairsError
from attacks.correspondence.matching import Matching, matching
from audit.model.arrays import Counts, Flags
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import solved

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_EFFORT = 20.0
"""How long the solver may work, in its own deterministic seconds."""
_ARCS = 5_000
"""Larger networks are not given to it."""
_TABLES = 50_000_000
"""How many pairs of states are kept."""


class NoWorldError(ValueError):
    """No world fits: some row of a release is in none of the next, which is counted from 0."""

    def __init__(self, release: int) -> None:
        super().__init__(f"not every row before release {release} can be a row of it")
        self.release = release


@dataclass(frozen=True)
class Settled:
    """What is known of each arc into each release but the first, and of who can have come with each.

    Attributes:
        alive: arcs that are not ruled out, by release; shape (arcs,) each.
        shown: arcs that some world uses, by release.
        begins: states that chains can begin with, as far as is known, by release; shape (states,) each.
        begun: states that chains begin with in some world, by release.
        reached: pairs of a state and a last state that one chain has in some world, by release: a table of states by
            last states.
        solver: whether the solver's word was needed to rule something out.
        complete: whether nothing is open.
    """

    alive: list[Flags]
    shown: list[Flags]
    begins: list[Flags]
    begun: list[Flags]
    reached: list[Flags]
    solver: bool
    complete: bool


def settle(layers: Sequence[Layer], budget: Budget) -> Settled:
    """Return which arcs some world uses.

    Raises:
        NoWorldError: there is no world.
    """
    alive = [np.ones(len(layer.before), dtype=np.bool_) for layer in layers]
    begins = [layer.begun == number for number, layer in enumerate(layers)]
    _propagate(layers, alive, begins)
    if len(layers) > 2:
        return _WorldSearch(layers, alive, begins).run(budget)
    return Settled(alive, alive, begins, begins, reached(layers, alive, begins), solver=False, complete=True)


def _propagate(layers: Sequence[Layer], alive: list[Flags], begins: list[Flags]) -> None:
    """Rule out what pairs of successive releases rule out, and what then leads nowhere, until nothing changes."""
    changed = True
    while changed:
        before = [int(each.sum()) for each in (*alive, *begins)]
        for number in range(1, len(layers)):
            _match(layers, number, alive[number], begins[number])
        _prune(layers, alive, begins)
        changed = before != [int(each.sum()) for each in (*alive, *begins)]


def matched(layers: Sequence[Layer], number: int, alive: Flags, begins: Flags) -> tuple[Matching, Counts, Counts]:
    """Return the matching of the classes of a release and of the one before, and the ends of its arcs.

    The node after the classes of the release before stands for rows that came anew.

    Raises:
        NoWorldError: there is none.
    """
    left, right = layers[number - 1], layers[number]
    supply, demand = left.classes.rows, right.classes.rows
    new = int(demand.sum() - supply.sum())
    if new < 0:
        raise NoWorldError(number)
    one, other = left.of[right.before[alive]], right.of[right.after[alive]]
    started = np.unique(right.of[begins])
    key = np.unique(np.concatenate([one * len(demand) + other, len(supply) * len(demand) + started]))
    ends = key // len(demand), key % len(demand)
    found = matching(np.append(supply, new), demand, *ends)
    if found is None:
        raise NoWorldError(number)
    return found, *ends


def _match(layers: Sequence[Layer], number: int, alive: Flags, begins: Flags) -> None:
    """Rule out what one release and the one before rule out."""
    found, one, other = matched(layers, number, alive, begins)
    left, right = layers[number - 1], layers[number]
    able = np.zeros((len(left.classes.rows) + 1, len(right.classes.rows)), dtype=np.bool_)
    able[one, other] = found.possible
    alive &= able[left.of[right.before], right.of[right.after]]
    begins &= able[-1][right.of]


def _prune(layers: Sequence[Layer], alive: list[Flags], begins: list[Flags]) -> None:
    """Rule out arcs from states that nothing comes to, and to states that nothing goes on from."""
    held = begins[0].copy()
    for number in range(1, len(layers)):
        layer = layers[number]
        alive[number] &= held[layer.before]
        held = begins[number].copy()
        held[layer.after[alive[number]]] = True
    for number in range(len(layers) - 1, 0, -1):
        layer = layers[number]
        goes_on = np.zeros(len(layers[number - 1].of), dtype=np.bool_)
        goes_on[layer.before[alive[number]]] = True
        begins[number - 1] &= goes_on
        if number > 1:
            alive[number - 1] &= goes_on[layers[number - 1].after]


def reached(layers: Sequence[Layer], used: Sequence[Flags], begins: Sequence[Flags]) -> list[Flags]:
    """Return which last states can be reached from each state over the arcs that are used, by release.

    Raises:
        TooManyPairsError: the tables are too large.
    """
    last = layers[-1]
    if sum(len(layer.of) for layer in layers) * len(last.of) > _TABLES:
        raise TooManyPairsError
    held = begins[-1].copy()
    held[last.after[used[-1]]] = True
    tables = [np.diag(held)]
    for number in range(len(layers) - 1, 0, -1):
        layer, table = layers[number], np.zeros((len(layers[number - 1].of), len(last.of)), dtype=np.bool_)
        some = np.flatnonzero(used[number])
        np.logical_or.at(table, layer.before[some], tables[-1][layer.after[some]])
        tables.append(table)
    return tables[::-1]


class _WorldSearch:
    """The search for worlds of more than two releases."""

    def __init__(self, layers: Sequence[Layer], alive: list[Flags], begins: list[Flags]) -> None:
        self._layers, self._alive, self._begins = layers, alive, begins
        self._shown = [np.zeros_like(each) for each in alive]
        self._begun = [np.zeros_like(each) for each in begins]
        self._reached = [np.zeros_like(each) for each in reached(layers, alive, begins)]

    def run(self, budget: Budget) -> Settled:
        """Show what worlds can be found for, and rule out the rest where none is left."""
        ruled_out = complete = False
        if sum(int(each.sum()) for each in (*self._alive, *self._begins)) <= _ARCS:
            model = _Model(self._layers, self._alive, self._begins)
            while True:
                world, proved = model.another(self._shown, self._begun, budget)
                if world is None:
                    complete = proved
                    break
                self._note(world)
        if complete:
            open_arcs = [
                alive & ~shown
                for alive, shown in zip((*self._alive, *self._begins), (*self._shown, *self._begun), strict=True)
            ]
            ruled_out = any(each.any() for each in open_arcs)
            self._alive, self._begins = [each.copy() for each in self._shown], [each.copy() for each in self._begun]
        reached = self._reached
        return Settled(self._alive, self._shown, self._begins, self._begun, reached, ruled_out, complete)

    def _note(self, world: tuple[list[Counts], list[Counts]]) -> None:
        """Note what a world shows, once it is checked."""
        arcs, starts = world
        _check(self._layers, arcs, starts)
        for number, (arc, start) in enumerate(zip(arcs, starts, strict=True)):
            self._shown[number] |= arc > 0
            self._begun[number] |= start > 0
        found = reached(self._layers, [arc > 0 for arc in arcs], [start > 0 for start in starts])
        self._reached = [mine | more for mine, more in zip(self._reached, found, strict=True)]


def _check(layers: Sequence[Layer], arcs: Sequence[Counts], starts: Sequence[Counts]) -> None:
    """Check that a world is one.

    Raises:
        AssertionError: it is none, which is a bug.
    """
    held = starts[0]
    for number, layer in enumerate(layers):
        if number:
            gone = np.bincount(layer.before, weights=arcs[number], minlength=len(held)).astype(np.int64)
            if not np.array_equal(gone, held):
                raise AssertionError("a row of a world is lost, or doubled")
            come = np.bincount(layer.after, weights=arcs[number], minlength=len(layer.of))
            held = starts[number] + come.astype(np.int64)
        if (starts[number][layer.begun != number] != 0).any():
            raise AssertionError("a chain of a world begins where it cannot")
        rows = np.bincount(layer.of, weights=held, minlength=len(layer.classes.rows))
        if not np.array_equal(rows.astype(np.int64), layer.classes.rows):
            raise AssertionError("a world has more or fewer rows of a class than there are")


class _Model:
    """The integer model of all worlds."""

    def __init__(self, layers: Sequence[Layer], alive: Sequence[Flags], begins: Sequence[Flags]) -> None:
        from ortools.sat.python import cp_model

        self._layers = layers
        self._model = model = cp_model.CpModel()
        self._left = _EFFORT
        self._arcs: list[dict[int, cp_model.IntVar]] = []
        self._starts: list[dict[int, cp_model.IntVar]] = []
        self._used: dict[tuple[str, int, int], cp_model.IntVar] = {}
        held: list[list[cp_model.IntVar]] = []
        for number, layer in enumerate(layers):
            most = layer.classes.rows[layer.of].tolist()
            starts = {s: model.new_int_var(0, most[s], "") for s in np.flatnonzero(begins[number]).tolist()}
            arcs = {a: model.new_int_var(0, most[layer.after[a]], "") for a in np.flatnonzero(alive[number]).tolist()}
            gone: list[list[cp_model.IntVar]] = [[] for _ in held]
            coming: list[list[cp_model.IntVar]] = [[] for _ in most]
            for arc, variable in arcs.items():
                gone[layer.before[arc]].append(variable)
                coming[layer.after[arc]].append(variable)
            for state, variable in starts.items():
                coming[state].append(variable)
            for before, after in zip(held, gone, strict=True):
                model.add(sum(before) == sum(after))
            held = coming
            for kind, rows in enumerate(layer.classes.rows.tolist()):
                model.add(sum(v for state in np.flatnonzero(layer.of == kind).tolist() for v in coming[state]) == rows)
            self._arcs.append(arcs)
            self._starts.append(starts)

    def another(
        self, shown: Sequence[Flags], begun: Sequence[Flags], budget: Budget
    ) -> tuple[tuple[list[Counts], list[Counts]] | None, bool]:
        """Return a world that uses as much as can be that is not shown yet; None and whether there is none for sure.

        Raises:
            NoWorldError: there is no world at all.
        """
        wanted = [
            self._flag(kind, number, at, variable)
            for kind, several, seen in (("arc", self._arcs, shown), ("start", self._starts, begun))
            for number, variables in enumerate(several)
            for at, variable in variables.items()
            if not seen[number][at]
        ]
        if not wanted:
            return None, True
        self._model.maximize(sum(wanted))
        answer, solver = solved(self._model, self._left, budget)
        self._left -= solver.response_proto.deterministic_time
        if answer == "none":
            if any(each.any() for each in (*shown, *begun)):
                raise AssertionError("the solver rules out worlds that are known")
            raise NoWorldError(len(self._layers) - 1)
        if answer == "unknown":
            return None, False
        if not any(solver.value(each) for each in wanted):
            return None, answer == "best"
        return (
            [self._counts(solver, v, len(layer.before)) for v, layer in zip(self._arcs, self._layers, strict=True)],
            [self._counts(solver, v, len(layer.of)) for v, layer in zip(self._starts, self._layers, strict=True)],
        ), False

    def _flag(self, kind: str, number: int, at: int, variable: cp_model.IntVar) -> cp_model.IntVar:
        """Return what is 1 only where a variable is not 0."""
        key = (kind, number, at)
        if key not in self._used:
            self._used[key] = self._model.new_bool_var("")
            self._model.add(variable >= 1).only_enforce_if(self._used[key])
        return self._used[key]

    @staticmethod
    def _counts(solver: cp_model.CpSolver, variables: dict[int, cp_model.IntVar], size: int) -> Counts:
        counts = np.zeros(size, dtype=np.int64)
        for at, variable in variables.items():
            counts[at] = solver.value(variable)
        return counts
