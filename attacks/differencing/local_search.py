"""Local search for tables of integers that agree with everything: if tables share few counts, no programme is needed.

A rounded series is one component, for which a linear programme takes minutes. But almost any table near the published
one can be repaired move by move; each move is the best of a few that repair a violated bound. The search looks for
solutions with the counts that a question needs, and checks each before it is used.

Sources: WalkSAT (Selman, Kautz and Cohen, AAAI 1994), with weights on what is still violated (Morris, AAAI 1993).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from attacks.differencing.lattice import Ids, MarginLattice
from attacks.differencing.propagation import LOWER, UPPER, Ends
from audit.model.arrays import Counts, Flags
from audit.model.json_types import UNBOUNDED
from audit.runtime.compiling import kernel

_FIRST = 400
_STEPS = 60
_CHOICES = 24
_SOFT, _NEARLY_SOFT, _HARD = 1, 2, 8
"""Weights of violations; those above 1 grow."""


class Moves(NamedTuple):
    """The changes of each move as a sparse matrix of places by moves.

    Attributes:
        start, place, by: by move: where its entries begin, the places that it changes, and by how much (CSC).
        place_start, move, place_by: by place: where its entries begin, the moves that change it, and by how much (CSR).
    """

    start: Ids
    place: Ids
    by: Counts
    place_start: Ids
    move: Ids
    place_by: Counts


class LocalSearch:
    """Tables of the lattice's finest cells, and the moves between them.

    Attributes:
        point: shape (nodes,); the last solution that was found, None before there is one.
    """

    def __init__(self, lattice: MarginLattice, ends: Ends, published: Ids) -> None:
        """Prepare the search; bounds of the `published` nodes imply all others."""
        self.ends = ends
        self.atoms, self.sums = _incidence(lattice)
        self._changes = _changes(lattice, self.atoms, ends[LOWER][self.atoms] < ends[UPPER][self.atoms])
        self._kept = np.union1d(published, self.atoms)
        self._bounds = np.ascontiguousarray(ends[:, self._kept])
        self._atom_at = np.searchsorted(self._kept, self.atoms)
        self._hard = _moves(self.sums[self._kept] @ self._changes)
        self._runs = 0
        # The start hardly matters: any table is repaired as fast as one near the published numbers.
        middle = (ends[LOWER] + np.where(ends[UPPER] >= UNBOUNDED, ends[LOWER] + 1, ends[UPPER])) // 2
        self.point = self._tested(self.sums[self._kept] @ middle[self.atoms], _FIRST * len(self.atoms))

    def toward(self, goals: Any, low: Counts, high: Counts) -> Counts | None:  # noqa: ANN401 - scipy's matrices have no types
        """Return a solution in which as many goals as possible lie within other limits; None if none was found.

        A goal is a row of weights of the lattice's nodes, in a matrix of shape (goals, nodes).
        """
        if self.point is None:
            return None
        moves, value, bounds = self._with_goals(goals, self.point)
        kept, steps = len(self._kept), _STEPS * len(low)
        bounds[:, kept:] = low, high
        weight = np.full(len(value), _HARD)
        weight[kept:] = _SOFT
        self._mend(moves, bounds, value, weight, steps)
        # Goals are dropped, so that constraints can be satisfied.
        found = self._tested(value[:kept].copy(), 20 * steps)
        self.point = self.point if found is None else found
        return found

    def each_toward(
        self,
        goals: Any,  # noqa: ANN401 - as above
        low: Counts,
        high: Counts,
        steps: int,
        watched: Any,  # noqa: ANN401 - as above
    ) -> Ends:
        """Search near the last solution for one solution for each goal, in which its count is within other limits.

        Args:
            goals: rows of weights of the lattice's nodes; shape (goals, nodes).
            low: the least count of each goal; shape (goals,).
            high: the greatest count of each goal; shape (goals,).
            steps: the most moves for each goal.
            watched: rows like goals; shape (watched, nodes).

        Returns:
            The least and the greatest counts of `watched` in these solutions; shape (2, watched).

        Raises:
            RuntimeError: there is no solution to start from.
        """
        if self.point is None:
            raise RuntimeError("there is no solution to start from")
        base = self.point
        moves, start, bounds = self._with_goals(goals, base)
        changes = [np.zeros(len(self.atoms), dtype=np.int64)]
        for place, least_wanted, most_wanted in zip(
            range(len(self._kept), len(start)), low.tolist(), high.tolist(), strict=True
        ):
            bounds[:, place] = least_wanted, most_wanted
            value = start.copy()
            if not self._mend(moves, bounds, value, np.full(len(value), _NEARLY_SOFT), steps):
                changes.append(value[self._atom_at] - base[self.atoms])
            bounds[:, place] = -UNBOUNDED, UNBOUNDED
        change = self.sums @ sparse.csc_matrix(np.stack(changes, axis=1))
        at = change.tocoo()
        value = base[at.row] + at.data
        holds = np.ones(len(changes), dtype=np.bool_)
        holds[at.col[(value < self.ends[LOWER][at.row]) | (self.ends[UPPER][at.row] < value)]] = False
        change = change[:, np.flatnonzero(holds)]
        self.point = base + change[:, [-1]].toarray()[:, 0]
        seen, now = (watched @ change).tocsr(), watched @ base
        return np.stack([now + most.toarray().ravel() for most in (seen.min(axis=1), seen.max(axis=1))])

    def _with_goals(self, goals: Any, point: Counts) -> tuple[Moves, Counts, Ends]:  # noqa: ANN401 - as above
        """Return the moves of published counts and goals, the counts, and their bounds; goals are unlimited."""
        moves = _moves(sparse.vstack([self.sums[self._kept], goals @ self.sums]) @ self._changes)
        endless = np.outer([-UNBOUNDED, UNBOUNDED], np.ones(goals.shape[0], dtype=np.int64))
        return moves, np.append(point[self._kept], goals @ point), np.append(self._bounds, endless, axis=1)

    def _mend(self, moves: Moves, bounds: Ends, value: Counts, weight: Counts, steps: int) -> int:
        self._runs += 1
        return int(_mend(moves, bounds, value, weight, (steps, _CHOICES, self._runs)))

    def _tested(self, value: Counts, steps: int) -> Counts | None:
        """Repair a table, and return the counts of all nodes if it agrees with everything."""
        if self._mend(self._hard, self._bounds, value, np.full(len(value), _HARD), steps):
            return None
        point: Counts = self.sums @ value[self._atom_at]
        holds = (self.ends[LOWER] <= point) & (point <= self.ends[UPPER])
        return point if holds.all() else None


def _incidence(lattice: MarginLattice) -> tuple[Ids, Any]:
    """Return the nodes that are not sums, and a matrix with a row for each node: the nodes whose sum it is."""
    size = len(lattice)
    parent = [block.parent[block.line][block.defines[block.line]] for block in lattice.blocks]
    child = [block.child[block.defines[block.line]] for block in lattice.blocks]
    rows = np.concatenate([*parent, np.zeros(0, dtype=np.int64)])
    columns = np.concatenate([*child, np.zeros(0, dtype=np.int64)])
    # Cliques define shared nodes again: the first definition of a node is kept.
    step = sparse.csr_matrix((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(size, size))
    atoms = np.flatnonzero(np.diff(step.indptr) == 0)
    found = sparse.csr_matrix((np.ones(len(atoms), dtype=np.int64), (atoms, np.arange(len(atoms)))), (size, len(atoms)))
    added = found
    while added.nnz:
        added = step @ added
        found = found + added
    return atoms, found.tocsr()


def _changes(lattice: MarginLattice, atoms: Ids, free: Flags) -> Any:  # noqa: ANN401 - as above
    """Return a matrix with a column for each move: a cell by one, or from one time to the next."""
    movable = np.flatnonzero(free)
    key = lattice.keys[atoms[movable]]
    following = np.flatnonzero(
        (np.diff(key) == 1) & (key[:-1] % len(lattice.axes[-1].members) + 1 < lattice.axes[-1].atoms)
    )
    count, pairs = len(movable), len(following)
    rows = np.concatenate([movable, movable[following], movable[following + 1]])
    columns = np.concatenate([np.arange(count + pairs), np.arange(count, count + pairs)])
    values = np.repeat([1, -1], [count + pairs, pairs])
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(atoms), count + pairs))


def _moves(changes: Any) -> Moves:  # noqa: ANN401 - as above
    """Return moves by a matrix with a row for each place and a column for each move."""
    changes.eliminate_zeros()
    both = changes.tocsc(), changes.tocsr()
    return Moves(*(each.astype(np.int64) for of in both for each in (of.indptr, of.indices, of.data)))


@kernel
def _priced(bounds: Ends, value: Counts, weight: Counts, place: int, price: Counts) -> bool:
    """Store by how much one less, and one more, at a place make the violations worse; return whether it is violated."""
    low, high, now = bounds[0, place], bounds[1, place], value[place]
    price[0, place] = weight[place] if now <= low else 0
    price[1, place] = weight[place] if now >= high else 0
    if now < low:
        price[1, place] = -weight[place]
    elif now > high:
        price[0, place] = -weight[place]
    return now < low or now > high


@kernel
def _note(bad: Counts, where: Counts, count: int, place: int, violated: bool) -> int:
    """Add a place to the `count` violated ones in `bad`, or remove it; `where` holds the index of each."""
    if violated and where[place] < 0:
        bad[count], where[place] = place, count
        return count + 1
    if not violated and where[place] >= 0:
        last = bad[count - 1]
        bad[where[place]], where[last] = last, where[place]
        where[place] = -1
        return count - 1
    return count


@kernel
def _mend(moves: Moves, bounds: Ends, value: Counts, weight: Counts, limits: tuple[int, int, int]) -> int:
    """Change `value` until it is within its bounds everywhere; return the number of remaining violations.

    Args:
        moves: the possible changes.
        bounds: shape (2, places), int64; least and greatest values.
        value: shape (places,), int64; changed in place.
        weight: shape (places,), int64; how bad a violation is; grows, changed in place, unless it is 1.
        limits: how many moves to make at most, from how many to choose each, and a seed of the random choices.
    """
    bad, where, count = np.empty(len(value), dtype=np.int64), np.full(len(value), -1, dtype=np.int64), 0
    price = np.empty((2, len(value)), dtype=np.int64)
    for place in range(len(value)):
        count = _note(bad, where, count, place, _priced(bounds, value, weight, place, price))
    state = np.uint64(limits[2] * 2 + 1)
    for _ in range(limits[0]):
        if count == 0:
            break
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        place = bad[int(state >> np.uint64(33)) % count]
        wanted = 1 if value[place] < bounds[0, place] else -1
        begin, size = moves.place_start[place], moves.place_start[place + 1] - moves.place_start[place]
        if size == 0:
            return count
        best, best_cost, best_way = -1, 1 << 60, 0
        for choice in range(min(limits[1], size)):
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            entry = begin + (choice if size <= limits[1] else int(state >> np.uint64(33)) % size)
            way = wanted * moves.place_by[entry]
            # Ties are broken at random.
            cost = 0
            for at in range(moves.start[moves.move[entry]], moves.start[moves.move[entry] + 1]):
                cost += price[1 if way * moves.by[at] > 0 else 0, moves.place[at]]
            cost = 16 * cost + int(state >> np.uint64(60))
            if cost < best_cost:
                best, best_cost, best_way = moves.move[entry], cost, way
        if best_cost >= 0 and weight[place] > 1:
            weight[place] += 2
            _priced(bounds, value, weight, place, price)
        for at in range(moves.start[best], moves.start[best + 1]):
            place = moves.place[at]
            value[place] += best_way * moves.by[at]
            count = _note(bad, where, count, place, _priced(bounds, value, weight, place, price))
    return count
