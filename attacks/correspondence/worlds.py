"""Worlds: which arcs of a network of states are used in some world.

First, arcs are ruled out that two successive releases exclude (`matching`), and arcs that lead nowhere, until nothing
changes. For two releases that is complete. For more, an integer model searches for worlds that use arcs not yet shown,
and its answers are checked; if no such world exists, the other arcs are impossible. Effort is counted in deterministic
work; arcs that are not decided within its limit remain open.

The network holds which rows of successive releases may belong to one record. Rows of a release with equal cells and
equal values are a *class*: they are interchangeable. A record is a chain of rows, from its first release to the last
one, whose cells have a point in common. A *state* consists of the current class of a chain, its first release, and the
intersection of its cells so far, its *box*. *Arcs* lead from states of one release to states of the next. A world is a
whole number of records on each arc such that each state passes on all records that reach it, and all rows of each class
are used.

Matchings of two releases: which classes of rows can correspond, exactly, by one flow.

Every row of the earlier release is a row of the later one, and the other rows there are new: a transportation problem
in which all supplies and all demands are used up. An arc is used by some solution if and only if a given solution uses
it, or it lies on a cycle of the residual graph, that is, its ends are in one strongly connected component (Dulmage and
Mendelsohn, *Coverings of bipartite graphs*, 1958; linear after one flow).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, perm
from typing import TYPE_CHECKING, Any

import numpy as np

from attacks.flows import flow
from audit.model.arrays import Codes, Counts, Flags, component_of, flagged
from audit.model.evidence import PublishedRows, RowSource
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import solved

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


_STATES = 20_000
"""The most different remainders that counting distinguishes."""


@dataclass(frozen=True, slots=True)
class Matching:
    """The arcs that occur in some complete matching of supplies and demands.

    Attributes:
        possible: by arc; shape (arcs,).
        residual: the residual graph of one matching: right nodes, numbered after the left ones, lead back along used
            arcs.
        left: the number of nodes on the left.
    """

    possible: Flags
    residual: Any
    left: int

    def tight(self, right: int) -> tuple[Counts, Counts]:
        """Return a set of nodes on the left that uses up all of its neighbours, and these neighbours (Hall).

        No other node on the left can use these neighbours.

        Args:
            right: a node on the right that is one of the neighbours.
        """
        from scipy.sparse.csgraph import breadth_first_order

        reached = np.sort(breadth_first_order(self.residual, self.left + right, return_predecessors=False))
        return reached[reached < self.left], reached[reached >= self.left] - self.left


def matching(supply: Counts, demand: Counts, left: Counts, right: Counts) -> Matching | None:
    """Return which arcs occur in some complete matching of supplies and demands; None if there is none.

    Args:
        supply: the supply of each node on the left; shape (m,).
        demand: the demand of each node on the right; shape (n,), with the same sum.
        left: the node on the left of each arc; shape (arcs,). Arcs are distinct.
        right: the node on the right of each arc; shape (arcs,).

    Raises:
        OverflowError: there are 2³¹ rows or more.
    """
    from scipy.sparse import csr_array

    m, nodes, sent = len(supply), len(supply) + len(demand), flow(supply, demand, left, right)
    if sent.sum() < supply.sum():
        return None
    used = sent > 0
    # Every arc can carry more, and a used arc can carry less.
    tail, head = np.concatenate([left, m + right[used]]), np.concatenate([m + right, left[used]])
    residual = csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(nodes, nodes))
    label = component_of(tail, head, nodes, strong=True)
    return Matching(used | (label[left] == label[m + right]), residual, m)


def worlds(supply: Counts, demand: Counts, left: Counts, right: Counts) -> int | None:
    """Return the number of ways to assign the rows on the left to rows on the right; None if counting takes too much.

    New rows are not distinguished. Classes on the left are placed one after the other; the state is the number of
    remaining rows of each class on the right.
    """
    ways = {tuple(demand.tolist()): 1}
    for node, rows in enumerate(supply.tolist()):
        ends = right[left == node].tolist()
        following: dict[tuple[int, ...], int] = {}
        for rest, times in ways.items():
            for spread, each in _spread(rest, ends, rows):
                following[spread] = following.get(spread, 0) + times * each
                if len(following) > _STATES:
                    return None
        ways = following
    return sum(ways.values())


def _spread(rest: tuple[int, ...], ends: list[int], rows: int) -> list[tuple[tuple[int, ...], int]]:
    """Return the remainders after some rows were placed on some ends, with the number of ways for each."""
    found = [(rest, rows, 1)]
    for end in ends:
        following = []
        for left, more, times in found:
            for placed in range(min(more, left[end]) + 1):
                ways = times * comb(more, placed) * perm(left[end], placed)
                following.append(((*left[:end], left[end] - placed, *left[end + 1 :]), more - placed, ways))
        found = following
    return [(left, times) for left, more, times in found if not more]


_PAIRS = 20_000_000
"""The most pairs of boxes to compare in one release."""


class TooManyPairsError(Exception):
    """A release has too many different cells to compare all pairs."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of one release.

    Attributes:
        of: the class of each row; shape (rows,), int64.
        cells: the cells of each class; shape (classes, attributes), int32.
        value: the value of each class; shape (classes,), int32.
        rows: the number of rows of each class; shape (classes,), int64.
    """

    of: Counts
    cells: Codes
    value: Codes
    rows: Counts

    @classmethod
    def among(cls, cells: Codes, value: Codes) -> Classes:
        """Return the classes of some rows; shapes (rows, attributes) and (rows,)."""
        both = np.concatenate([cells, value[:, None]], axis=1)
        kinds, of, count = np.unique(both, axis=0, return_inverse=True, return_counts=True)
        return cls(of.ravel(), kinds[:, :-1].astype(np.int32), kinds[:, -1].astype(np.int32), count)


@dataclass(frozen=True, slots=True)
class Layer:
    """The states of one release.

    Attributes:
        classes: the classes of its rows.
        of: the class of each state; shape (states,), int64.
        begun: the first release of the chain, counted from 0; shape (states,), int32.
        box: the codes of the intersections of the chain's cells; shape (states, attributes), int32.
        before: for each arc into the release, the state in the release before, -1 if the chain begins here; shape
            (arcs,), int64.
        after: for each arc, the state in this release; shape (arcs,), int64.
    """

    classes: Classes
    of: Counts
    begun: Codes
    box: Codes
    before: Counts
    after: Counts


def layers(releases: Sequence[PublishedRows], source: RowSource, allowed: Flags) -> list[Layer]:
    """Return the states of each release, and the arcs between them.

    Args:
        releases: the rows of each release.
        source: computes the intersections of cells.
        allowed: whether a value may be followed by another; shape (values, values), bool.

    Raises:
        TooManyPairsError: there are too many different cells.
        TypeError: a release has no values of rows.
    """
    found: list[Layer] = []
    for number, rows in enumerate(releases):
        if rows.value is None:
            raise TypeError("a release has no values of rows")
        classes = Classes.among(rows.cells, rows.value)
        own = np.arange(len(classes.rows))
        of, begun = own, np.full(len(own), number, dtype=np.int32)
        box, before, after = classes.cells, np.full(len(own), -1), own
        if found:
            last = found[-1]
            left, right, common = _compatible(last.box, classes.cells, source)
            fits = allowed[last.classes.value[last.of[left]], classes.value[right]]
            left, right, common = left[fits], right[fits], common[fits]
            key = np.concatenate([right[:, None], last.begun[left][:, None], common], axis=1)
            states, after = np.unique(key, axis=0, return_inverse=True)
            before, after = np.append(left, before), np.append(after.ravel(), len(states) + own)
            of, begun = np.concatenate([states[:, 0], own]), np.concatenate([states[:, 1].astype(np.int32), begun])
            box = np.concatenate([states[:, 2:].astype(np.int32), box])
        found.append(Layer(classes, of, begun, box, before, after))
    return found


def _compatible(left: Codes, right: Codes, source: RowSource) -> tuple[Counts, Counts, Codes]:
    """Return pairs of boxes with a point in common, and their intersections; shape (pairs, …) each."""
    kinds, of_left = np.unique(left, axis=0, return_inverse=True)
    later, of_right = np.unique(right, axis=0, return_inverse=True)
    if len(kinds) * len(later) > _PAIRS or len(left) * len(right) > 4 * _PAIRS:
        raise TooManyPairsError
    meet = np.ones((len(kinds), len(later)), dtype=np.bool_)
    tables = []
    for attribute in range(left.shape[1]):
        cells, at_cells = np.unique(kinds[:, attribute], return_inverse=True)
        later_cells, at_later = np.unique(later[:, attribute], return_inverse=True)
        pairs = np.repeat(cells, len(later_cells)), np.tile(later_cells, len(cells))
        table = source.shared(attribute, *pairs).reshape(len(cells), len(later_cells))
        meet &= (table >= 0)[np.ix_(at_cells.ravel(), at_later.ravel())]
        tables.append((table, at_cells.ravel(), at_later.ravel()))
    first, second = np.nonzero(meet[np.ix_(of_left.ravel(), of_right.ravel())])
    kind, match = of_left.ravel()[first], of_right.ravel()[second]
    common = [table[at_cells[kind], at_later[match]] for table, at_cells, at_later in tables]
    return first, second, np.stack(common, axis=1).astype(np.int32).reshape(len(first), left.shape[1])


_EFFORT = 20.0
"""The solver's limit, in its own deterministic seconds."""
_ARCS = 5_000
"""Larger networks are not given to the solver."""
_TABLES = 50_000_000
"""How many pairs of states are kept."""


class NoWorldError(ValueError):
    """No world fits: some row of a release has no row in the next one, which is counted from 0."""

    def __init__(self, release: int) -> None:
        super().__init__(f"not every row before release {release} can be a row of it")
        self.release = release


@dataclass(frozen=True)
class Settled:
    """What is known about the arcs into each release.

    Attributes:
        alive: by release, which arcs are not ruled out; shape (arcs,), bool.
        shown: by release, which arcs some known world uses; shape (arcs,), bool.
        reached: by release, which pairs of a state and a last state are on one chain of a known world; shape (states,
            last states), bool.
        complete: whether all arcs are decided.
    """

    alive: list[Flags]
    shown: list[Flags]
    reached: list[Flags]
    complete: bool


def settle(layers: Sequence[Layer], budget: Budget) -> Settled:
    """Return which arcs occur in some world.

    Raises:
        NoWorldError: there is no world.
    """
    alive = [np.ones(len(layer.before), dtype=np.bool_) for layer in layers]
    _propagate(layers, alive)
    found = reached(layers, alive)
    if len(layers) <= 2:
        return Settled(alive, alive, found, complete=True)
    shown, found = ([np.zeros_like(each) for each in flags] for flags in (alive, found))
    if sum(int(each.sum()) for each in alive) > _ARCS:
        return Settled(alive, shown, found, complete=False)
    model = _Model(layers, alive)
    while (world := model.another(shown, budget)) is not None:
        _check(layers, world)
        used = [arcs > 0 for arcs in world]
        shown = [*map(np.logical_or, shown, used)]
        found = [*map(np.logical_or, found, reached(layers, used))]
    if not model.exhausted:
        return Settled(alive, shown, found, complete=False)
    return Settled(shown, shown, found, complete=True)


def _propagate(layers: Sequence[Layer], alive: list[Flags]) -> None:
    """Rule out arcs that pairs of successive releases exclude, and arcs that lead nowhere, until nothing changes."""
    before: list[int] = []
    while before != (before := [int(each.sum()) for each in alive]):
        for number in range(1, len(layers)):
            _match(layers, number, alive[number])
        _prune(layers, alive)


def _ends(layers: Sequence[Layer], number: int) -> tuple[Counts, Counts]:
    """Return the classes that each arc into a release connects; new rows have the number of classes."""
    left, right = layers[number - 1], layers[number]
    return np.append(left.of, len(left.classes.rows))[right.before], right.of[right.after]


def matched(layers: Sequence[Layer], number: int, alive: Flags) -> tuple[Matching, Counts, Counts]:
    """Return the matching of the classes of a release and of the one before, and the ends of its arcs.

    The node after the classes of the release before stands for new rows.

    Raises:
        NoWorldError: there is none.
    """
    supply, demand = layers[number - 1].classes.rows, layers[number].classes.rows
    new = int(demand.sum() - supply.sum())
    if new < 0:
        raise NoWorldError(number)
    before, after = _ends(layers, number)
    ends = np.divmod(np.unique(before[alive] * len(demand) + after[alive]), len(demand))
    found = matching(np.append(supply, new), demand, *ends)
    if found is None:
        raise NoWorldError(number)
    return found, *ends


def _match(layers: Sequence[Layer], number: int, alive: Flags) -> None:
    """Rule out the arcs into a release that this release and the one before exclude."""
    found, before, after = matched(layers, number, alive)
    able = np.zeros((len(layers[number - 1].classes.rows) + 1, len(layers[number].classes.rows)), dtype=np.bool_)
    able[before, after] = found.possible
    alive &= able[_ends(layers, number)]


def _prune(layers: Sequence[Layer], alive: list[Flags]) -> None:
    """Rule out arcs from states without incoming arcs, and to states without outgoing arcs."""
    held = np.zeros(0, dtype=np.bool_)
    for number, layer in enumerate(layers):
        alive[number] &= np.append(held, True)[layer.before]
        held = flagged(layer.after[alive[number]], len(layer.of))
    for number in range(len(layers) - 1, 0, -1):
        layer, goes_on = layers[number], np.zeros(len(layers[number - 1].of) + 1, dtype=np.bool_)
        goes_on[layer.before[alive[number]]] = True
        alive[number - 1] &= goes_on[layers[number - 1].after]


def reached(layers: Sequence[Layer], used: Sequence[Flags]) -> list[Flags]:
    """Return which last states can be reached from each state over the arcs that are used, by release.

    Raises:
        TooManyPairsError: the tables are too large.
    """
    last = layers[-1]
    if sum(len(layer.of) for layer in layers) * len(last.of) > _TABLES:
        raise TooManyPairsError
    held = flagged(last.after[used[-1]], len(last.of))
    tables = [np.diag(held)]
    for number in range(len(layers) - 1, 0, -1):
        layer, table = layers[number], np.zeros((len(layers[number - 1].of) + 1, len(last.of)), dtype=np.bool_)
        arcs = np.flatnonzero(used[number])
        np.logical_or.at(table, layer.before[arcs], tables[-1][layer.after[arcs]])
        tables.append(table[:-1])
    return tables[::-1]


def _check(layers: Sequence[Layer], world: Sequence[Counts]) -> None:
    """Check that a proposed world is valid.

    Raises:
        AssertionError: it is not valid, which is a bug.
    """
    held = np.zeros(0, dtype=np.int64)
    for layer, arcs in zip(layers, world, strict=True):
        gone = np.bincount(layer.before + 1, weights=arcs, minlength=len(held) + 1)
        if not np.array_equal(gone[1:], held):
            raise AssertionError("a row of a world is lost, or doubled")
        held = np.bincount(layer.after, weights=arcs, minlength=len(layer.of))
        rows = np.bincount(layer.of, weights=held, minlength=len(layer.classes.rows))
        if not np.array_equal(rows, layer.classes.rows):
            raise AssertionError("a world has more or fewer rows of a class than there are")


class _Model:
    """The integer model of all worlds.

    Attributes:
        exhausted: whether it is proved that no world shows more arcs.
    """

    def __init__(self, layers: Sequence[Layer], alive: Sequence[Flags]) -> None:
        from ortools.sat.python import cp_model

        self.exhausted = False
        self._layers, self._left = layers, _EFFORT
        self._model = model = cp_model.CpModel()
        self._arcs: list[dict[int, cp_model.IntVar]] = []
        self._used: dict[tuple[int, int], cp_model.IntVar] = {}
        held: list[list[cp_model.IntVar]] = []
        for layer, flags in zip(layers, alive, strict=True):
            most = layer.classes.rows[layer.of[layer.after]].tolist()
            arcs = {arc: model.new_int_var(0, most[arc], "") for arc in np.flatnonzero(flags).tolist()}
            gone: list[list[cp_model.IntVar]] = [[] for _ in range(len(held) + 1)]  # the last is of those who begin
            coming: list[list[cp_model.IntVar]] = [[] for _ in layer.of]
            for arc, variable in arcs.items():
                gone[layer.before[arc]].append(variable)
                coming[layer.after[arc]].append(variable)
            for before, after in zip(held, gone, strict=False):
                model.add(sum(before) == sum(after))
            held = coming
            for kind, rows in enumerate(layer.classes.rows.tolist()):
                model.add(sum(v for state in np.flatnonzero(layer.of == kind).tolist() for v in coming[state]) == rows)
            self._arcs.append(arcs)

    def another(self, shown: Sequence[Flags], budget: Budget) -> list[Counts] | None:
        """Return a world, as records on each arc, that uses as many new arcs as possible; None if none was found.

        If the solver finds no world at all, nothing is decided: nothing proves that there is none.
        """
        wanted = [
            self._flag(number, arc, variable)
            for number, variables in enumerate(self._arcs)
            for arc, variable in variables.items()
            if not shown[number][arc]
        ]
        if not wanted:
            self.exhausted = True
            return None
        self._model.maximize(sum(wanted))
        answer, solver = solved(self._model, self._left, budget)
        self._left -= solver.response_proto.deterministic_time
        if answer in {"none", "unknown"} or not any(solver.value(each) for each in wanted):
            self.exhausted = answer == "best"
            return None
        world = [np.zeros(len(layer.before), dtype=np.int64) for layer in self._layers]
        for arcs, variables in zip(world, self._arcs, strict=True):
            arcs[list(variables)] = [solver.value(variable) for variable in variables.values()]
        return world

    def _flag(self, number: int, arc: int, variable: cp_model.IntVar) -> cp_model.IntVar:
        """Return a variable that can only be 1 if an arc is used."""
        if (number, arc) not in self._used:
            self._used[number, arc] = self._model.new_bool_var("")
            self._model.add(variable >= 1).only_enforce_if(self._used[number, arc])
        return self._used[number, arc]
