"""Solutions: the questions about counts, and the least and greatest counts in known solutions.

Where there is no solution, `contradiction` finds a minimal set of published numbers that contradict each other. Source
of its deletion filter: Chinneck and Dravnieks, Locating minimal infeasible constraint sets in linear programs,
ORSA Journal on Computing 3(2), 1991.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from attacks.differencing.lattice import LOWER, UPPER, Ends, Ids, MarginLattice, build_lattice, propagated
from attacks.differencing.programs import Component, NoSolutionError, Point, components, first_point
from attacks.differencing.sums import BoxSums, Screened, shows_nothing, widen
from audit.model.arrays import UNBOUNDED, Counts, Flags, Matrix, Places
from audit.model.count_tables import (
    NARROWED,
    NOTHING,
    OPEN,
    PERHAPS_LARGE,
    PROTECTED,
    RECOVERED,
    SMALL,
    SMALL_COUNT,
    Axis,
    ContradictingCountsError,
    CountTables,
)
from audit.runtime.budget import Budget

_MOST = 400
Rules = npt.NDArray[np.int8]
"""The rule of each question."""
Verdicts = npt.NDArray[np.int8]
"""The verdict on each question."""


def contradiction(tables: CountTables, numbers: Iterable[int]) -> ContradictingCountsError:
    """Return the error with a minimal subset of some numbers that contradict each other.

    A number is dropped if the remaining numbers contradict each other without it.
    """
    left = sorted(numbers)
    if len(left) > _MOST:
        return ContradictingCountsError(left, irreducible=False)
    for number in list(left):
        fewer = [each for each in left if each != number]
        if fewer and not has_solution(coarsened(tables, fewer)):
            left = fewer
    return ContradictingCountsError(left, irreducible=True)


def has_solution(tables: CountTables) -> bool:
    """Return whether some integers agree with everything; true if a limit is reached."""
    bounds = propagated(build_lattice(tables.axes, tables.boxes, tables.asked), tables)
    if bounds.contradicting is not None:
        return False
    try:
        for each in components(bounds.lattice, bounds.ends):
            first_point(each, bounds.ends, Budget(None))
    except NoSolutionError:
        return False
    return True


def coarsened(tables: CountTables, numbers: Sequence[int]) -> CountTables:
    """Return only some of the numbers; atoms that are in the same boxes are merged."""
    kept = np.array(numbers, dtype=np.int64)
    boxes = tables.boxes[kept]
    axes, columns = [], []
    for place, axis in enumerate(tables.axes):
        coarse, codes = _coarse_axis(axis, boxes[:, place])
        axes.append(coarse)
        columns.append(codes)
    return CountTables(
        axes=tuple(axes),
        boxes=np.stack(columns, axis=1).astype(np.int32).reshape(len(kept), len(axes)),
        lower=tables.lower[kept],
        upper=tables.upper[kept],
        asked=np.zeros((0, len(axes)), dtype=np.int32),
        rule=np.zeros(0, dtype=np.int8),
        min_count=tables.min_count,
        min_width=tables.min_width,
    )


def _coarse_axis(axis: Axis, sets: np.ndarray) -> tuple[Axis, np.ndarray]:
    """Return an axis on which atoms in the same sets are merged, and the new codes of these sets."""
    used, place = np.unique(sets, return_inverse=True)
    inside = np.zeros((len(used), axis.atoms), dtype=np.bool_)
    for row, one in enumerate(used.tolist()):
        inside[row, axis.members[one]] = True
    patterns = np.unique(inside, axis=1)
    atoms = patterns.shape[1]
    members = [np.array([atom], dtype=np.int32) for atom in range(atoms)]
    codes: dict[tuple[int, ...], int] = {(atom,): atom for atom in range(atoms)}
    new = []
    for row in [*patterns, np.ones(atoms, dtype=np.bool_)]:
        key = tuple(np.flatnonzero(row).tolist())
        if key not in codes:
            codes[key] = len(members)
            members.append(np.array(key, dtype=np.int32))
        new.append(codes[key])
    return Axis(axis.name, atoms, members, new[-1]), np.array(new[:-1])[place]


@dataclass(frozen=True)
class Questions:
    """Questions, each about the count of a node, or of a sum of nodes: sums are numbered after the nodes.

    Attributes:
        node: shape (questions,); the node or sum of each.
        rule: `PROTECTED`, `PERHAPS_LARGE` or `SMALL_COUNT`; shape (questions,).
        min_count, min_width: the limits of the policy.
    """

    node: Ids
    rule: Rules
    min_count: int
    min_width: int

    @property
    def protected(self) -> Flags:
        """Whether each is about a hidden count; shape (questions,)."""
        return self.rule != SMALL_COUNT

    def decide(self, proved: Ends, seen: Ends) -> Verdicts:
        """Return the verdict on each question; `OPEN` if uncertain, or if the interval of a finding is not exact yet.

        Args:
            proved: proved bounds of all nodes and sums; shape (2, nodes and sums).
            seen: the least and greatest counts in known solutions; of the same shape.
        """
        (low, high), (least, most) = proved[:, self.node], seen[:, self.node]
        exact = (low == least) & (high == most)
        width = most - least + 1
        result = np.full(len(self.node), OPEN, dtype=np.int8)
        hidden, large = self.protected, self.rule == PERHAPS_LARGE
        wide = np.where(
            large, (least <= 0) | (most >= self.min_count), shows_nothing(seen[:, self.node], self.min_count)
        )
        wide |= (low >= self.min_count) | (high <= 0) | (hidden & ~large)
        wide &= most >= least
        result[(~hidden | (width >= self.min_width)) & wide] = NOTHING
        found = exact & ((~hidden | large) & ~wide | hidden & (width < self.min_width))
        return np.where(found, self.kind(low, high), result)

    def is_settled(self, place: int, proved: Ends, seen: Ends, *, exactly: bool) -> bool:
        """Return whether one question is settled; a finding without an exact interval is, unless `exactly`."""
        node = self.node[place : place + 1]
        alone = replace(self, node=np.zeros_like(node), rule=self.rule[place : place + 1])
        proved, seen = proved[:, node], seen[:, node]
        return bool(alone.decide(proved, seen)[0] != OPEN or (not exactly and alone.is_finding(proved)[0]))

    def wishes(self, chosen: Places, proved: Ends, seen: Ends, rng: np.random.Generator) -> tuple[Ids, Counts, Counts]:
        """Return which counts would settle some questions: nodes, and the least and greatest count wanted of each.

        These counts either exclude a finding, or are an end of the proved interval that no known solution attains.
        """
        node = self.node[chosen]
        (low, high), (least, most) = proved[:, node], seen[:, node]
        down = np.where(least == low, False, np.where(most == high, True, rng.random(len(chosen)) < 0.5))
        finding, hidden = self.is_finding(proved)[chosen], self.protected[chosen]
        is_wide = (self.rule[chosen] == PERHAPS_LARGE) & (most - least + 1 >= self.min_width)
        free = (~hidden | is_wide) & ~finding
        # A count of 0, or a large enough count, shows that a small count is not certain.
        down = np.where(free & (low > 0) & (high >= self.min_count), False, down)
        down = np.where(free & (low <= 0) & (high < self.min_count), True, down)
        wish_low = np.where(down, low, np.where(high >= UNBOUNDED, most + 1, high))
        wish_high = np.where(down, low, high)
        # A count without a finding need not attain its bounds: one other value suffices for a hidden count.
        easy = hidden & ~finding & ~free
        wish_low = np.where(easy & ~down, np.minimum(most + 1, wish_low), wish_low)
        wish_high = np.where(easy & down, np.maximum(least - 1, wish_high), wish_high)
        wish_low = np.where(free & ~down & (high >= self.min_count), self.min_count, wish_low)
        node, first = np.unique(node, return_index=True)
        return node, wish_low[first], wish_high[first]

    def is_finding(self, proved: Ends) -> Flags:
        """Return which questions are findings for every remaining interval."""
        low, high = proved[:, self.node]
        width = high - low + 1
        near = (width == 1) | (width < self.min_count - 1) | (self.rule == PERHAPS_LARGE)
        small = (low >= 1) & (high < self.min_count) & near & (self.rule != PROTECTED)
        return small | (self.protected & (width < self.min_width) & (high < UNBOUNDED))

    def bounded(self, verdict: Verdicts, proved: Ends) -> Verdicts:
        """Return the verdicts, with open questions that are findings by their proved bounds counted as such."""
        return np.where((verdict == OPEN) & self.is_finding(proved), self.kind(*proved[:, self.node]), verdict)

    def kind(self, low: Counts, high: Counts) -> Verdicts:
        """Return the verdict on each question if it is a finding that its count is in this interval."""
        small = (self.rule != PROTECTED) & (low >= 1) & (high < self.min_count)
        return np.where(low == high, RECOVERED, np.where(small, SMALL, NARROWED)).astype(np.int8)


_POINTS = 16


class Solutions:
    """What is known about the nodes of a lattice, and about sums of nodes, which are numbered after the nodes.

    Attributes:
        lattice: the nodes.
        ends: their propagated bounds; shape (2, nodes).
        questions: the questions.
        proved: the proved bounds; shape (2, nodes), later (2, nodes and sums).
        seen: the least and greatest counts in known solutions; of the same shape.
        points: shape (solutions, nodes); some solutions, -1 for unknown counts.
        matrix: the weights of all nodes in each sum; CSR, shape (sums, nodes).
        left: shape (sums,); the numbers of these sums among all that are asked about.
        of_node: the component of each node that is not fixed.
    """

    def __init__(self, lattice: MarginLattice, ends: Ends, questions: Questions) -> None:
        from scipy import sparse

        self.lattice, self.ends, self.questions = lattice, ends, questions
        self.proved: Ends = ends.copy()
        fixed = self.proved[LOWER] == self.proved[UPPER]
        self.seen: Ends = np.where(fixed, self.proved, np.array([[UNBOUNDED], [-1]]))
        self.points = np.tile(np.where(fixed, self.proved[LOWER], -1), (_POINTS, 1))
        self.matrix: Matrix = sparse.csr_matrix((0, len(lattice)), dtype=np.int64)
        self.left: Ids = np.zeros(0, dtype=np.int64)
        self.of_node: dict[int, Component] = {}
        self._noted: dict[int, int] = {}

    def row(self, target: int) -> dict[int, int]:
        """Return the nodes, with weights, whose weighted sum is a node or sum."""
        row = target - len(self.lattice)
        if row < 0:
            return {target: 1}
        entries = slice(*self.matrix.indptr[row : row + 2])
        return dict(zip(self.matrix.indices[entries].tolist(), self.matrix.data[entries].tolist(), strict=True))

    def rows_of(self, targets: Ids) -> Matrix:
        """Return the weights of all nodes in some nodes and sums; CSR, shape (targets, nodes)."""
        from scipy import sparse

        nodes = len(self.lattice)
        alone = targets[targets < nodes]
        entries = np.ones(len(alone), dtype=np.int64), (np.arange(len(alone)), alone)
        found = sparse.csr_matrix(entries, shape=(len(alone), nodes))
        # Sums are numbered after the nodes, so that they come last where targets ascend.
        return sparse.vstack([found, self.matrix[targets[targets >= nodes] - nodes]], format="csr")

    def open(self) -> Places:
        """Return which questions are open."""
        return np.flatnonzero(self.questions.decide(self.proved, self.seen) == OPEN)

    def open_targets(self, chosen: Ids) -> Ids:
        """Return the nodes and sums of open questions among some questions."""
        return np.unique(self.questions.node[chosen[self.questions.decide(self.proved, self.seen)[chosen] == OPEN]])

    def join(self, sums: BoxSums, found: Screened, left: Ids, rule: Rules) -> None:
        """Add the sums whose interval must be computed."""
        nodes = len(self.lattice)
        self.matrix = sums.matrix(left)
        self.proved = np.concatenate([self.proved, found.proved[:, left]], axis=1)
        self.seen = np.concatenate([self.seen, found.seen[:, left]], axis=1)
        asked, self.left = self.questions, left
        self.questions = replace(
            asked,
            node=np.concatenate([asked.node, nodes + np.arange(len(left))]),
            rule=np.concatenate([asked.rule, rule]),
        )

    def note_all(self, point: Point) -> None:
        """Store a solution of everything."""
        nodes = np.arange(len(point))
        self._keep(-1, nodes, point)
        widen(self.seen, nodes, point)
        self._note_sums(point)

    def note(self, component: Component, point: Point | None) -> None:
        """Store a solution of a component, if there is one."""
        if point is None:
            return
        nodes = component.nodes
        widen(self.seen, nodes, point)
        self._keep(int(nodes[0]), nodes, point)
        every = self.points[0].copy()
        every[nodes] = point
        self._note_sums(every)

    def _note_sums(self, every: Point) -> None:
        """Extend the least and greatest counts of sums to those in a solution, which has -1 for unknown counts."""
        known = np.flatnonzero(self.matrix.astype(np.bool_) @ (every < 0) == 0)
        widen(self.seen, len(self.lattice) + known, (self.matrix @ every)[known])

    def solution(self, component: Component, row: Mapping[int, int], side: int) -> Point | None:
        """Return the known solution of a component with the least or greatest count of a sum; None if there is none.

        It has an entry for each node; the entries of other components have no meaning.
        """
        known = self.points[(self.points[:, component.nodes] >= 0).all(axis=1)]
        if not len(known):
            return None
        value = known[:, list(row)] @ np.array(list(row.values()))
        point: Point = known[int(value.argmax() if side == UPPER else value.argmin())]
        return point

    def _keep(self, name: int, nodes: Ids, point: Point) -> None:
        """Keep the last solutions of some nodes; if there are fewer, the first one is repeated."""
        times = self._noted.get(name, 0)
        self._noted[name] = times + 1
        self.points[times % _POINTS if times else slice(None), nodes] = point
