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
from audit.model.count_tables import UNBOUNDED, Counts

_STEPS = 60
_LONG = 20_000
_CHOICES = 24
_HARD = 8
_LINES = 2
_FAR = 1 << 16
_BRANCHED = 2_000


class LocalSearch:
    """Tables of the lattice's finest cells, and the moves between them.

    Attributes:
        point: shape (nodes,); the last solution that was found, None before there is one.
    """

    def __init__(self, lattice: MarginLattice, ends: Ends, wanted: Ids) -> None:
        """Prepare the search; `wanted` are the nodes whose bounds imply all others, and those that are asked about."""
        self.lattice, self.ends = lattice, ends
        self.atoms, self.sums = _incidence(lattice)
        free = ends[LOWER][self.atoms] < ends[UPPER][self.atoms]
        self.wanted = np.union1d(wanted, self.atoms)
        moves = _moves(lattice, self.atoms, free)
        touched = (self.sums[self.wanted] @ moves).astype(np.int64)
        touched.eliminate_zeros()
        by_move, by_row = touched.tocsc(), touched.tocsr()
        self._moves = by_move.indptr.astype(np.int64), by_move.indices.astype(np.int64), by_move.data
        self._rows = by_row.indptr.astype(np.int64), by_row.indices.astype(np.int64), by_row.data
        self._atom_at = np.searchsorted(self.wanted, self.atoms)
        self._start = _first_table(lattice, ends, self.atoms)
        self.point: Counts | None = None
        self._runs = 0

    def start(self) -> bool:
        """Look for a first solution, and tell whether there is one."""
        value = self.sums[self.wanted] @ self._start
        self.point = self._tested(value, 400 * len(self.atoms))
        return self.point is not None

    def toward(self, node: Ids, low: Counts, high: Counts, *, hard: bool = False) -> Counts | None:
        """Return a solution in which as many nodes as can be lie between other limits; None if none was found.

        With `hard` it is worth many steps that they do.
        """
        if self.point is None:
            return None
        place = np.searchsorted(self.wanted, node)
        least, most = self.ends[LOWER][self.wanted].copy(), self.ends[UPPER][self.wanted].copy()
        least[place], most[place] = np.maximum(least[place], low), np.minimum(most[place], high)
        weight = np.full(len(value := self.point[self.wanted].copy()), _HARD)
        if not hard:
            weight[place] = 1
        self._mend(value, least, most, weight, (_LONG if hard else _STEPS) * len(place))
        # What was wished for and not reached is given up, so that what has to hold can be mended.
        given_up = (value < least) | (value > most)
        least = np.where(given_up, self.ends[LOWER][self.wanted], least)
        most = np.where(given_up, self.ends[UPPER][self.wanted], most)
        self._mend(value, least, most, np.full(len(value), _HARD), _STEPS * len(place))
        found = self._tested(value, 20 * _STEPS * len(place))
        self.point = self.point if found is None else found
        return found

    def nearby(self, node: int, side: int, rng: np.random.Generator, *, seconds: float | None) -> Counts | None:
        """Return a solution with a node's count as small, or large, as a few lines of cells around it allow.

        All other cells stay as they are (large neighbourhood search: Shaw, CP 1998).
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        if self.point is None:
            return None
        free = self._around(node, rng)
        table = self.point[self.atoms]
        rows = self.sums[:, free].tocsr()
        touched = self.wanted[np.diff(rows.indptr)[self.wanted] > 0]
        matrix = rows[touched]
        others = self.point[touched] - matrix @ table[free]
        upper = self.ends[UPPER][touched].astype(float)
        upper[upper >= UNBOUNDED] = np.inf
        end = self.ends[:, self.atoms[free]].astype(float)
        cost = rows[[node]].toarray().ravel().astype(float)
        answer = milp(
            cost if side == LOWER else -cost,
            constraints=LinearConstraint(matrix, self.ends[LOWER][touched] - others, upper - others),
            bounds=Bounds(end[LOWER], np.minimum(end[UPPER], table[free] + _FAR)),
            integrality=np.ones(len(free)),
            options={"node_limit": _BRANCHED} | ({} if seconds is None else {"time_limit": max(0.1, seconds)}),
        )
        if answer.x is None:
            return None
        table = table.copy()
        table[free] = np.rint(answer.x).astype(np.int64)
        point: Counts = self.sums @ table
        if not ((self.ends[LOWER] <= point) & (point <= self.ends[UPPER])).all():
            return None
        self.point = point
        return point

    def _around(self, node: int, rng: np.random.Generator) -> Ids:
        """Return the places of the cells of a few lines: those of the node on the longest axis but time, and others."""
        lattice = self.lattice
        axis = max(range(len(lattice.axes) - 1), key=lambda one: lattice.axes[one].atoms)
        size = len(lattice.axes[axis].members)
        members = lattice.axes[axis].members[lattice.box(node)[axis]]
        inside = rng.permutation(members)[:_LINES]
        chosen = np.union1d(inside, rng.integers(0, lattice.axes[axis].atoms, _LINES + 1 - len(inside)))
        place = lattice.keys[self.atoms] // lattice.radix[axis] % size
        loose = self.ends[LOWER][self.atoms] < self.ends[UPPER][self.atoms]
        return np.flatnonzero(np.isin(place, chosen) & loose)

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

    loose = np.flatnonzero(free)
    times = len(lattice.axes[-1].members)
    key = lattice.keys[atoms[loose]]
    following = np.searchsorted(key, key + 1)
    pairs = np.flatnonzero((following < len(key)) & (key % times + 1 < times))
    pairs = pairs[key[following[pairs]] == key[pairs] + 1]
    count = len(loose)
    rows = np.concatenate([loose, loose[pairs], loose[following[pairs]]])
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
