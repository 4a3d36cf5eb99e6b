"""The solutions that were found, as far as questions need them: what counts can be, and what they are in a few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from attacks.differencing.lattice import Ids
from attacks.differencing.programs import Component, Point
from attacks.differencing.propagation import LOWER, UPPER, BoundPropagation, Ends
from attacks.differencing.questions import Questions
from attacks.differencing.screening import Screened
from attacks.differencing.sums import BoxSums
from audit.model.arrays import Flags
from audit.model.count_tables import OPEN
from audit.model.json_types import UNBOUNDED

_POINTS = 16


class Solutions:
    """What is known of the nodes of a lattice, and of sums of them, which are numbered after the nodes.

    Attributes:
        bounds: of the nodes, by propagation.
        questions: what is asked.
        proved: bounds that all solutions keep; shape (2, nodes), later (2, nodes and sums).
        seen: least and greatest count of each of them in the solutions found; of the same shape.
        points: shape (solutions, nodes); some solutions, -1 where a count is not known.
        rows: for each sum its nodes, with their weights.
        left: shape (sums,); which of all sums that are asked about these are.
        of_node: the component of each node that is not fixed.
    """

    def __init__(self, bounds: BoundPropagation, questions: Questions) -> None:
        self.bounds, self.questions = bounds, questions
        self.proved: Ends = bounds.ends.copy()
        fixed = self.proved[LOWER] == self.proved[UPPER]
        self.seen: Ends = np.where(fixed, self.proved, np.array([[UNBOUNDED], [-1]]))
        self.points = np.tile(np.where(fixed, self.proved[LOWER], -1), (_POINTS, 1))
        self.rows: list[dict[int, int]] = []
        self.left: Ids = np.zeros(0, dtype=np.int64)
        self.of_node: dict[int, Component] = {}
        self._noted: dict[int, int] = {}
        self._matrix: Any = None

    def row(self, target: int) -> dict[int, int]:
        """Return the nodes, with their weights, whose counts make up that of a node or sum."""
        nodes = len(self.bounds.lattice)
        return {target: 1} if target < nodes else self.rows[target - nodes]

    def rows_of(self, targets: Ids) -> Any:  # noqa: ANN401 - scipy's matrices have no types
        """Return the weights of all nodes in some nodes and sums; CSR, shape (targets, nodes)."""
        from scipy import sparse

        nodes = len(self.bounds.lattice)
        alone = targets[targets < nodes]
        entries = np.ones(len(alone), dtype=np.int64), (np.arange(len(alone)), alone)
        found = sparse.csr_matrix(entries, shape=(len(alone), nodes))
        if len(alone) == len(targets):
            return found
        # Sums are numbered after the nodes, so that they come last where targets ascend.
        return sparse.vstack([found, self._matrix[targets[targets >= nodes] - nodes]], format="csr")

    def open(self) -> npt.NDArray[np.intp]:
        """Return which questions are not settled."""
        return np.flatnonzero(self.questions.decide(self.proved, self.seen) == OPEN)

    def open_targets(self, mine: Ids) -> Ids:
        """Return the nodes and sums of those of some questions that are not settled."""
        return np.unique(self.questions.node[mine[self.questions.decide(self.proved, self.seen)[mine] == OPEN]])

    def join(self, sums: BoxSums, found: Screened, left: Ids, protected: Flags) -> None:
        """Take in the sums that have to be looked at closely."""
        from scipy import sparse

        nodes = len(self.bounds.lattice)
        self.rows = [sums.row(place) for place in left.tolist()]
        start = np.cumsum([0, *map(len, self.rows)])
        columns = np.array([node for row in self.rows for node in row], dtype=np.int64)
        weights = np.array([weight for row in self.rows for weight in row.values()], dtype=np.int64)
        self._matrix = sparse.csr_matrix((weights, columns, start), shape=(len(left), nodes))
        self.proved = np.concatenate([self.proved, found.proved[:, left]], axis=1)
        self.seen = np.concatenate([self.seen, found.seen[:, left]], axis=1)
        self.note_apart()
        self.left, self.questions = left, self.questions.with_sums(nodes + np.arange(len(left)), protected)

    def note_apart(self) -> None:
        """Note what sums can be of which each node lies in a component of its own: those have any counts together."""
        nodes = len(self.bounds.lattice)
        of_node = np.full(nodes, -1, dtype=np.int64)
        for place, component in enumerate(dict.fromkeys(self.of_node.values())):
            of_node[component.nodes] = place
        for place, row in enumerate(self.rows):
            inside = [int(of_node[node]) for node in row if of_node[node] >= 0]
            if len(set(inside)) < len(inside) or (self.seen[UPPER][list(row)] < 0).any():
                continue
            ends = self.seen[:, list(row)]
            weights = np.array(list(row.values()))
            low = int(np.where(weights > 0, weights * ends[LOWER], weights * ends[UPPER]).sum())
            high = int(np.where(weights > 0, weights * ends[UPPER], weights * ends[LOWER]).sum())
            self.seen[LOWER][nodes + place] = min(self.seen[LOWER][nodes + place], low)
            self.seen[UPPER][nodes + place] = max(self.seen[UPPER][nodes + place], high)

    def note_all(self, point: Point) -> None:
        """Note a solution of everything."""
        self._keep(-1, np.arange(len(point)), point)
        self.seen[LOWER] = np.minimum(self.seen[LOWER], point)
        self.seen[UPPER] = np.maximum(self.seen[UPPER], point)

    def note(self, component: Component, point: np.ndarray) -> None:
        """Note a solution of a component."""
        nodes = component.nodes
        self.seen[LOWER][nodes] = np.minimum(self.seen[LOWER][nodes], point)
        self.seen[UPPER][nodes] = np.maximum(self.seen[UPPER][nodes], point)
        self._keep(int(nodes[0]), nodes, point)
        if self.rows:
            every, start = self.points[0].copy(), len(self.bounds.lattice)
            every[nodes] = point
            known = self._matrix.astype(np.bool_) @ (every < 0) == 0
            value = self._matrix @ every
            self.seen[LOWER][start:][known] = np.minimum(self.seen[LOWER][start:], value)[known]
            self.seen[UPPER][start:][known] = np.maximum(self.seen[UPPER][start:], value)[known]

    def solution(self, component: Component, row: Mapping[int, int], side: int) -> Point | None:
        """Return the known solution of a component in which a sum is the least or greatest; None where there is none.

        It has an entry for each node; those of the other components are of no meaning.
        """
        known = self.points[(self.points[:, component.nodes] >= 0).all(axis=1)]
        if not len(known):
            return None
        value = known[:, list(row)] @ np.array(list(row.values()))
        point: Point = known[int(value.argmax() if side == UPPER else value.argmin())]
        return point

    def _keep(self, name: int, nodes: Ids, point: Point) -> None:
        """Keep the last solutions of some nodes; where there are fewer, the first stands for others."""
        times = self._noted.get(name, 0)
        self._noted[name] = times + 1
        self.points[times % _POINTS if times else slice(None), nodes] = point
