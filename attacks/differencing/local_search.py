"""Local search for tables of integers that agree with everything: if tables share few counts, no programme is needed.

A rounded series is one component, for which a linear programme takes minutes. But almost any table near the published
one can be repaired move by move; each move is the best of a few that repair a violated bound. The search looks for
solutions with the counts that a question needs, and checks each before it is used.

Sources: WalkSAT (Selman, Kautz and Cohen, AAAI 1994), with weights on what is still violated (Morris, AAAI 1993).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from attacks.differencing.lattice import LOWER, UPPER, Ends, Ids, MarginLattice
from attacks.differencing.programs import defining_rows
from attacks.differencing.sums import widen
from audit.model.arrays import UNBOUNDED, Counts, Flags, Matrix
from audit.runtime.compiling import kernel

_FIRST = 400
_CHOICES = 24
_SOFT, _HARD = 2, 8
"""Weights of violations, which grow."""


class Moves(NamedTuple):
    """The changes of each move as a sparse matrix of places by moves, all by one.

    An entry is twice a place or move, and 1 more if the place grows by the move. A move made backwards has the other
    entry of each place.

    Attributes:
        start, place: by move: where its entries begin, and the places that it changes (CSC).
        place_start, move: by place: where its entries begin, and the moves that change it (CSR).
    """

    start: Ids
    place: Ids
    place_start: Ids
    move: Ids


class Violations(NamedTuple):
    """Values, their bounds, and which of them are out of bounds.

    Attributes:
        bounds: shape (2, places), int64; least and greatest values.
        value: shape (places,), int64.
        weight: shape (places,), int64; how bad a violation is; grows.
        bad: shape (places,); the violated places come first.
        where: shape (places,); the index of each violated place in `bad`, -1 for the others.
        price: shape (2 * places,); by how much one less, and one more, at each place make the violations worse.
    """

    bounds: Ends
    value: Counts
    weight: Counts
    bad: Ids
    where: Ids
    price: Counts


class LocalSearch:
    """Tables of the lattice's finest cells, and the moves between them.

    Attributes:
        point: shape (nodes,); a solution, None if none was found.
    """

    def __init__(self, lattice: MarginLattice, ends: Ends, published: Ids) -> None:
        """Search for a solution; bounds of the `published` nodes imply all others."""
        self.ends = ends
        atoms, self.sums = _incidence(lattice)
        self._kept = np.union1d(published, atoms)
        free = ends[LOWER][atoms] < ends[UPPER][atoms]
        self._changes = _changes(lattice, atoms, free, self.sums[self._kept])
        self._bounds = np.ascontiguousarray(ends[:, self._kept])
        self._runs = 0
        # The start hardly matters: any table is repaired as fast as one near the published numbers.
        middle = (ends[LOWER] + np.where(ends[UPPER] >= UNBOUNDED, ends[LOWER] + 1, ends[UPPER])) // 2
        value = self.sums[self._kept] @ middle[atoms]
        state, count = _violations(self._bounds, value, np.full(len(value), _HARD))
        self._effects = self.sums[self._kept] @ self._changes
        moves, limits = _moves(self._effects), (_FIRST * len(atoms), _CHOICES, self._runs)
        left, _ = _walk(moves, state, count, limits, np.empty((2, 0), dtype=np.int64))
        point = self.sums @ value[np.searchsorted(self._kept, atoms)]
        holds = left == 0 and ((ends[LOWER] <= point) & (point <= ends[UPPER])).all()
        self.point: Counts | None = point if holds else None

    def each_toward(
        self,
        points: Counts,
        goals: Matrix,
        low: Counts,
        high: Counts,
        steps: int,
        watched: Matrix,
    ) -> tuple[Counts, Ends]:
        """Search for one solution for each goal in which its count is within other limits, near the nearest of some.

        Args:
            points: solutions; shape (solutions, nodes).
            goals: rows of weights of the lattice's nodes; shape (goals, nodes).
            low: the least count of each goal; shape (goals,).
            high: the greatest count of each goal; shape (goals,).
            steps: the most moves for each goal.
            watched: rows like goals; shape (watched, nodes).

        Returns:
            The last solution, and the least and the greatest counts of `watched` in all; shape (2, watched).
        """
        moves = _moves(sparse.vstack([self._effects, goals @ self.sums @ self._changes]))
        endless = np.outer([-UNBOUNDED, UNBOUNDED], np.ones(goals.shape[0], dtype=np.int64))
        bounds = np.append(self._bounds, endless, axis=1)  # goals are unlimited
        count = goals @ points.T
        nearest = np.maximum(low[:, np.newaxis] - count, count - high[:, np.newaxis]).argmin(axis=1)
        last, seen = points[0], np.outer([UNBOUNDED, -1], np.ones(watched.shape[0], dtype=np.int64))
        for start in np.unique(nearest).tolist():
            value = np.append(points[start][self._kept], count[:, start])
            near = np.flatnonzero(nearest == start)
            wishes = np.stack([len(self._kept) + near, low[near], high[near]], axis=1)
            change = self._solutions_near(points[start], self._each_mended(moves, bounds, value, wishes, steps))
            moved, now = (watched @ change).tocsr(), watched @ points[start]
            for most in (moved.min(axis=1), moved.max(axis=1)):
                widen(seen, slice(None), now + most.toarray().ravel())
            last = points[start] + change[:, [-1]].toarray()[:, 0]
        return last, seen

    def _each_mended(self, moves: Moves, bounds: Ends, value: Counts, wishes: Counts, steps: int) -> list[Counts]:
        """Return the moves that fulfil each wish, with their directions, if they were found; the first are none."""
        weight, log = np.full(len(value), _SOFT), np.empty((2, 2 * steps), dtype=np.int64)
        made = [log[:, :0]]
        state, _ = _violations(bounds, value, weight)
        for wish in wishes.tolist():
            self._runs += 1
            count = int(_mend_one(moves, state, tuple(wish), (steps, _CHOICES, self._runs), log))
            if count > 0:
                made.append(log[:, :count][:, log[0, :count] >= 0])
        return made

    def _solutions_near(self, base: Counts, made: list[Counts]) -> Matrix:
        """Return the changes of all nodes, a column for each list of moves that leads from a solution to one."""
        column = np.repeat(np.arange(len(made)), [each.shape[1] for each in made])
        move, by = np.concatenate(made, axis=1)
        chosen = sparse.csc_matrix((by, (move, column)), (self._changes.shape[1], len(made)))
        change = self.sums @ (self._changes @ chosen)
        at = change.tocoo()
        value = base[at.row] + at.data
        holds = np.ones(len(made), dtype=np.bool_)
        holds[at.col[(value < self.ends[LOWER][at.row]) | (self.ends[UPPER][at.row] < value)]] = False
        return change[:, np.flatnonzero(holds)]


def _incidence(lattice: MarginLattice) -> tuple[Ids, Matrix]:
    """Return the nodes that are not sums, and a matrix with a row for each node: the nodes whose sum it is."""
    size, rows = len(lattice), defining_rows(lattice)
    step = ((rows < 0).astype(np.int64).T @ rows.maximum(0)).tocsr()
    atoms = np.flatnonzero(np.diff(step.indptr) == 0)
    found = sparse.csr_matrix((np.ones(len(atoms), dtype=np.int64), (atoms, np.arange(len(atoms)))), (size, len(atoms)))
    added = found
    while added.nnz:
        added = step @ added
        found = found + added
    return atoms, found.tocsr()


def _changes(lattice: MarginLattice, atoms: Ids, free: Flags, published: Matrix) -> Matrix:
    """Return a matrix with a column for each free cell: its move is by one, or by one from this time to the next.

    Of these two, the one that changes fewer counts is chosen: if counts add up over time, a later one hardly notices
    that a person came earlier. As either can be made of the others, no table is out of reach.
    """
    movable = np.flatnonzero(free)
    key = lattice.keys[atoms[movable]]
    before = np.flatnonzero(
        (np.diff(key) == 1) & (key[:-1] % len(lattice.axes[-1].members) + 1 < lattice.axes[-1].atoms)
    )
    shape = len(atoms), len(movable)
    alone = sparse.csr_matrix((np.ones(len(movable), dtype=np.int64), (movable, np.arange(len(movable)))), shape)
    later = sparse.csr_matrix((np.ones(len(before), dtype=np.int64), (movable[before + 1], before)), shape)
    fewer = (published @ (alone - later)).count_nonzero(axis=0) < (published @ alone).count_nonzero(axis=0)
    return alone - later.multiply(fewer)


def _moves(changes: Matrix) -> Moves:
    """Return moves by a matrix with a row for each place and a column for each move."""
    changes.eliminate_zeros()
    both = changes.tocsc(), changes.tocsr()
    return Moves(*(each.astype(np.int32) for of in both for each in (of.indptr, 2 * of.indices + (of.data > 0))))


@kernel
def _priced(state: Violations, place: int) -> bool:
    """Store by how much one less, and one more, at a place make the violations worse; return whether it is violated."""
    low, high, now, weight = state.bounds[0, place], state.bounds[1, place], state.value[place], state.weight[place]
    state.price[2 * place] = -weight if now > high else weight if now <= low else 0
    state.price[2 * place + 1] = -weight if now < low else weight if now >= high else 0
    return now < low or now > high


@kernel
def _note(state: Violations, count: int, place: int) -> int:
    """Price a place, and add it to the `count` violated ones or remove it; return how many there are."""
    bad, where, violated = state.bad, state.where, _priced(state, place)
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
def _violations(bounds: Ends, value: Counts, weight: Counts) -> tuple[Violations, int]:
    """Return which values are out of bounds, and how many."""
    bad, where = np.empty(len(value), dtype=np.int64), np.full(len(value), -1, dtype=np.int64)
    state, count = Violations(bounds, value, weight, bad, where, np.empty(2 * len(value), dtype=np.int64)), 0
    for place in range(len(value)):
        count = _note(state, count, place)
    return state, count


@kernel
def _mend_one(
    moves: Moves, state: Violations, wish: tuple[int, int, int], limits: tuple[int, int, int], log: Counts
) -> int:
    """Search for moves that bring one place within other bounds; return the length of their log, 0 if none were found.

    All but the log is as before afterwards, so that no search begins with work on all places.

    Args:
        moves: the possible changes.
        state: nothing in it is violated.
        wish: the place, its least and its greatest value.
        limits: those of `_walk`.
        log: that of `_walk`; nothing is lost if it has two entries for each move.
    """
    place = wish[0]
    low, high = state.bounds[0, place], state.bounds[1, place]
    state.bounds[0, place], state.bounds[1, place] = wish[1], wish[2]
    count, made = _walk(moves, state, _note(state, 0, place), limits, log)
    state.bounds[0, place], state.bounds[1, place] = low, high
    for entry in range(made):
        move, by = log[0, entry], log[1, entry]
        if move < 0:
            state.weight[-1 - move] -= by
        else:
            for at in range(moves.start[move], moves.start[move + 1]):
                state.value[moves.place[at] >> 1] -= by * (2 * (moves.place[at] & 1) - 1)
    for entry in range(made):
        move = log[0, entry]
        if move < 0:
            _priced(state, -1 - move)
        else:
            for at in range(moves.start[move], moves.start[move + 1]):
                _priced(state, moves.place[at] >> 1)
    _priced(state, place)
    for entry in range(count):
        state.where[state.bad[entry]] = -1
    return 0 if count else made


@kernel
def _walk(moves: Moves, state: Violations, count: int, limits: tuple[int, int, int], log: Counts) -> tuple[int, int]:
    """Make moves until nothing is violated; return how many violations remain, and the length of the log.

    Args:
        moves: the possible changes.
        state: what is violated; changed in place.
        count: how many violations there are.
        limits: how many moves to make at most, from how many to choose each, and a seed of the random choices.
        log: shape (2, entries), int64; the moves, each with its direction, and -1 - each place whose weight grows, with
            its growth, as far as there is room.
    """
    bounds, value, weight, price, made = state.bounds, state.value, state.weight, state.price, 0
    random = np.uint64(limits[2] * 2 + 1)
    for _ in range(limits[0]):
        if count == 0:
            break
        random = random * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        place = state.bad[int(random >> np.uint64(33)) % count]
        wanted = 1 if value[place] < bounds[0, place] else 0
        begin, size = moves.place_start[place], moves.place_start[place + 1] - moves.place_start[place]
        if size == 0:
            break
        best, best_cost, best_way = -1, 1 << 60, 0
        for choice in range(min(limits[1], size)):
            random = random * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            entry = begin + (choice if size <= limits[1] else int(random >> np.uint64(33)) % size)
            move, backwards = moves.move[entry] >> 1, (moves.move[entry] & 1) ^ wanted
            # Ties are broken at random.
            cost = 0
            for at in range(moves.start[move], moves.start[move + 1]):
                cost += price[moves.place[at] ^ backwards]
            cost = 16 * cost + int(random >> np.uint64(60))
            if cost < best_cost:
                best, best_cost, best_way = move, cost, 1 - 2 * backwards
        if best_cost >= 0:
            weight[place] += 2
            _priced(state, place)
            if made < log.shape[1]:
                log[0, made], log[1, made] = -1 - place, 2
                made += 1
        if made < log.shape[1]:
            log[0, made], log[1, made] = best, best_way
            made += 1
        for at in range(moves.start[best], moves.start[best + 1]):
            value[moves.place[at] >> 1] += best_way * (2 * (moves.place[at] & 1) - 1)
            count = _note(state, count, moves.place[at] >> 1)
    return count, made
