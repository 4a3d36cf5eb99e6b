"""Local search for tables of integers that agree with everything: what is loosely tied needs no programme.

Rounded series are one component that takes a linear programme minutes, while almost any table near the published one
can be mended. Solutions are looked for that lie where a question needs them; each is tested before it counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attacks.differencing.lattice import Ids, MarginLattice
from attacks.differencing.propagation import LOWER, UPPER, Ends
from audit.model.arrays import Counts
from audit.model.json_types import UNBOUNDED

_STEPS = 60
_CHOICES = 24
_HARD = 8
_LOG = 2_000_000


class LocalSearch:
    """Tables of the lattice's finest cells, and the moves between them.

    Attributes:
        point: shape (nodes,); the last solution that was found, None before there is one.
    """

    def __init__(self, lattice: MarginLattice, ends: Ends, published: Ids, asked: Ids) -> None:
        """Prepare the search; bounds of the `published` nodes imply all others."""
        self.lattice, self.ends = lattice, ends
        self.atoms, self.sums = _incidence(lattice)
        free = ends[LOWER][self.atoms] < ends[UPPER][self.atoms]
        self.wanted = np.union1d(np.union1d(published, asked), self.atoms)
        moves = _moves(lattice, self.atoms, free)
        self._moves, self._rows = _touched(self.sums[self.wanted] @ moves)
        # Where one question is asked at a time, only what was published has to be looked at.
        self._changes = moves.tocsc()
        self._kept = np.union1d(published, self.atoms)
        self._hard = _touched(self.sums[self._kept] @ moves)
        self._atom_at = np.searchsorted(self.wanted, self.atoms)
        self._start = _first_table(lattice, ends, self.atoms)
        self.point: Counts | None = None
        self._runs = 0

    def start(self) -> bool:
        """Look for a first solution, and return whether there is one."""
        value = self.sums[self.wanted] @ self._start
        self.point = self._tested(value, 400 * len(self.atoms))
        return self.point is not None

    def toward(self, node: Ids, low: Counts, high: Counts) -> Counts | None:
        """Return a solution in which as many nodes as can be lie between other limits; None if none was found."""
        if self.point is None:
            return None
        place = np.searchsorted(self.wanted, node)
        least, most = self.ends[LOWER][self.wanted].copy(), self.ends[UPPER][self.wanted].copy()
        least[place], most[place] = np.maximum(least[place], low), np.minimum(most[place], high)
        weight = np.full(len(value := self.point[self.wanted].copy()), _HARD)
        weight[place] = 1
        self._mend(value, least, most, weight, _STEPS * len(place))
        # What was wished for and not reached is given up, so that what has to hold can be mended.
        given_up = (value < least) | (value > most)
        least = np.where(given_up, self.ends[LOWER][self.wanted], least)
        most = np.where(given_up, self.ends[UPPER][self.wanted], most)
        self._mend(value, least, most, np.full(len(value), _HARD), _STEPS * len(place))
        found = self._tested(value, 20 * _STEPS * len(place))
        self.point = self.point if found is None else found
        return found

    def each_toward(
        self,
        goals: Any,  # noqa: ANN401 - scipy's matrices have no types
        low: Counts,
        high: Counts,
        steps: int,
        watched: Any,  # noqa: ANN401 - as above
    ) -> Ends:
        """Look near the last solution for one for each goal, whose count lies between other limits.

        A goal is a row of weights of the lattice's nodes, in a matrix of shape (goals, nodes), and so is what is
        watched. Returns the least and greatest count of all that is watched in these solutions; shape (2, watched).
        `steps` limits how many moves each may be away.
        """
        from attacks.differencing.local_search_compiled import probe

        if self.point is None:
            raise RuntimeError("there is no solution to start from")
        base = self.point
        rows = (goals @ self.sums @ self._changes).tocsr()
        rows.eliminate_zeros()
        start = goals @ base
        reached = np.stack([watched @ base] * 2)
        moves, kept = self._hard
        ends = self.ends[:, self._kept]
        size = max(steps, _LOG)
        log = np.zeros(len(low), dtype=np.int64), np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        first = 0
        while first < len(low):
            self._runs += 1
            wish = start[first:], low[first:], high[first:]
            done = probe(
                moves,
                kept,
                (*_arrays(rows[first:]), *wish),
                *ends,
                base[self._kept],
                log,
                (steps, _CHOICES, self._runs),
            )
            self._note(base, log, int(done), watched, reached)
            first += int(done)
        return reached

    def _note(
        self,
        base: Counts,
        log: tuple[Ids, Ids, Ids],
        goals: int,
        watched: Any,  # noqa: ANN401 - as above
        reached: Ends,
    ) -> None:
        """Test the tables that a log of moves leads to, note what is watched, and go on from the last of them."""
        from scipy import sparse

        found = log[0][:goals][log[0][:goals] >= 0]
        if not len(found):
            return
        table = np.repeat(np.arange(len(found)), np.diff(found, prepend=0))
        shape = self._changes.shape[1], len(found)
        made = sparse.csc_matrix((log[2][: found[-1]], (log[1][: found[-1]], table)), shape=shape)
        every = (self.sums @ (self._changes @ made)).tocsc()
        change = every.tocoo()
        value = base[change.row] + change.data
        within = (self.ends[LOWER][change.row] <= value) & (value <= self.ends[UPPER][change.row])
        holds = np.ones(len(found), dtype=np.bool_)
        holds[change.col[~within]] = False
        seen = (watched @ every[:, np.flatnonzero(holds)]).tocoo()
        count = (watched @ base)[seen.row] + seen.data
        np.minimum.at(reached[LOWER], seen.row, count)
        np.maximum.at(reached[UPPER], seen.row, count)
        last = change.col == np.flatnonzero(holds).max(initial=-1)
        self.point = base.copy()
        self.point[change.row[last]] = value[last]

    def _mend(self, value: Counts, low: Counts, high: Counts, weight: Counts, steps: int) -> int:
        from attacks.differencing.local_search_compiled import mend

        self._runs += 1
        return int(mend(self._moves, self._rows, low, high, value, weight, (steps, _CHOICES, self._runs)))

    def _tested(self, value: Counts, steps: int) -> Counts | None:
        """Mend a table, and return the counts of all nodes if it agrees with everything."""
        hard = self.ends[LOWER][self.wanted], self.ends[UPPER][self.wanted]
        if self._mend(value, *hard, np.full(len(value), _HARD), steps):
            return None
        point: Counts = self.sums @ value[self._atom_at]
        holds = (self.ends[LOWER] <= point) & (point <= self.ends[UPPER])
        return point if holds.all() else None


def _touched(changes: Any) -> tuple[tuple[Ids, Ids, Counts], tuple[Ids, Ids, Counts]]:  # noqa: ANN401 - scipy has no types
    """Return a matrix with a row for each place and a column for each move by columns, and by rows."""
    changes.eliminate_zeros()
    return _arrays(changes.tocsc()), _arrays(changes.tocsr())


def _arrays(matrix: Any) -> tuple[Ids, Ids, Counts]:  # noqa: ANN401 - as above
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data.astype(np.int64)


def _incidence(lattice: MarginLattice) -> tuple[Ids, Any]:
    """Return the nodes that are no sums, and a matrix with a row for each node: of which of them it is the sum."""
    from scipy import sparse

    size = len(lattice)
    parent = [block.parent[block.line][block.defines[block.line]] for block in lattice.blocks]
    child = [block.child[block.defines[block.line]] for block in lattice.blocks]
    rows, columns = np.concatenate([*parent, _NONE]), np.concatenate([*child, _NONE])
    # Cliques define what they share anew: the first definition of a node is kept.
    step = sparse.csr_matrix((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=(size, size))
    atoms = np.flatnonzero(np.diff(step.indptr) == 0)
    found = sparse.csr_matrix((np.ones(len(atoms), dtype=np.int64), (atoms, np.arange(len(atoms)))), (size, len(atoms)))
    added = found
    while added.nnz:
        added = step @ added
        found = found + added
    return atoms, found.tocsr()


_NONE = np.zeros(0, dtype=np.int64)


def _moves(lattice: MarginLattice, atoms: Ids, free: npt.NDArray[np.bool_]) -> Any:  # noqa: ANN401 - scipy has no types
    """Return a matrix with a column for each move: a cell by one, or from one time to the next."""
    from scipy import sparse

    movable = np.flatnonzero(free)
    times = len(lattice.axes[-1].members)
    key = lattice.keys[atoms[movable]]
    following = np.searchsorted(key, key + 1)
    pairs = np.flatnonzero((following < len(key)) & (key % times + 1 < times))
    pairs = pairs[key[following[pairs]] == key[pairs] + 1]
    count = len(movable)
    rows = np.concatenate([movable, movable[pairs], movable[following[pairs]]])
    columns = np.concatenate([np.arange(count), count + np.arange(len(pairs)), count + np.arange(len(pairs))])
    values = np.concatenate([np.ones(count + len(pairs)), -np.ones(len(pairs))]).astype(np.int64)
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(atoms), count + len(pairs)))


def _first_table(lattice: MarginLattice, ends: Ends, atoms: Ids) -> Counts:
    """Return counts of the finest cells that are near the middle of their bounds, and grow with time."""
    low, high = ends[LOWER], np.where(ends[UPPER] >= UNBOUNDED, ends[LOWER] + 1, ends[UPPER])
    middle = (low + high) // 2
    times = lattice.axes[-1].atoms
    table = middle[atoms].copy()
    if times == 1:
        return table
    key = lattice.keys[atoms]
    sets = len(lattice.axes[-1].members)
    time = key % sets
    before = np.zeros(len(np.unique(key - time)), dtype=np.int64)
    _, line = np.unique(key - time, return_inverse=True)
    for at in range(times):
        mine = np.flatnonzero(time == at)
        upto = key[mine] - at + (0 if at == 0 else times + at - 1)
        node = np.minimum(np.searchsorted(lattice.keys, upto), len(lattice.keys) - 1)
        reached = np.where(lattice.keys[node] == upto, middle[node], before[line[mine]])
        grown = np.clip(reached - before[line[mine]], low[atoms[mine]], high[atoms[mine]])
        table[mine] = grown
        before[line[mine]] += grown
    return table
