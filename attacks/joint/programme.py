"""Programmes: large parts of the network, asked for worlds with values that none has shown yet (CP-SAT).

Each solution is a world of the part and shows one value of everybody in it. The next one is asked to have as many
unseen values as possible; when it is proved that none can have any, what is unseen is impossible. So a part takes few
solutions, and one proof. Only `INFEASIBLE`, or `OPTIMAL` with nothing unseen, counts as a proof.

People who share all groups and possible values (*twins*) may exchange their values in any world: what one of them can
have, all can. So it is asked of one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attacks.joint.counting import Counter
from attacks.joint.narrowing import Mask, Narrowing, members
from audit.core.budget import Budget
from audit.core.engine import stopped_by

World = dict[int, int]


class Programme:
    """The worlds of one part."""

    def __init__(self, narrowed: Narrowing, counter: Counter, tracks: Sequence[int]) -> None:
        from ortools.sat.python import cp_model

        self._cp = cp_model
        self._net, self._domain = narrowed.network, narrowed.domain
        self._model = cp_model.CpModel()
        self.tracks = list(tracks)
        self._has = {(t, v): self._model.new_bool_var("") for t in self.tracks for v in members(self._domain[t])}
        for track in self.tracks:
            self._model.add_exactly_one(self._has[track, value] for value in members(self._domain[track]))
        self._take_rows(narrowed, counter)
        self._link()

    def _take_rows(self, narrowed: Narrowing, counter: Counter) -> None:
        """Let nobody have two rows of a release, and no row two people."""
        start, seats = self._net.by_track
        of_cell: dict[int, list[Any]] = {}
        for track in self.tracks:
            for seat in seats[start[track] : start[track + 1]].tolist():
                for value in members(self._domain[track]):
                    cells = counter.cells(seat, value)
                    if len(cells) == 1:
                        of_cell.setdefault(cells[0], []).append(self._has[track, value])
                        continue
                    rows = [self._model.new_bool_var("") for _ in cells]
                    self._model.add(sum(rows) == self._has[track, value])
                    for cell, row in zip(cells, rows, strict=True):
                        of_cell.setdefault(cell, []).append(row)
        for cell, takers in of_cell.items():
            if len(takers) > int(counter.rows[cell]):
                self._model.add(sum(takers) <= int(counter.rows[cell]))

    def _link(self) -> None:
        """Let values follow one another along transitions."""
        may, inside = self._net.may, set(self.tracks)
        if may is None:
            return
        for first, last in self._net.link.tolist():
            if first not in inside or last not in inside:
                continue  # whoever has no choice was taken into account when the part was narrowed
            for value in members(self._domain[first]):
                followers = [self._has[last, other] for other in members(self._domain[last]) if may[value, other]]
                self._model.add_bool_or([*followers, self._has[first, value].Not()])

    def worlds(self, unseen: dict[int, Mask], budget: Budget) -> Iterator[World | None]:
        """Yield worlds until nothing unseen is possible; last of all None, where the time was up before.

        Args:
            unseen: the values of each track, or of one of its twins, that no world has shown; the caller takes away
                what a world shows.
            budget: how long.

        Raises:
            ValueError: there is no world.
        """
        solver = self._cp.CpSolver()
        solver.parameters.catch_sigint_signal = False  # it would leave Ctrl-C to end the process
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        while True:
            wanted = [self._has[track, value] for track, mask in unseen.items() for value in members(mask)]
            self._model.clear_objective()
            if wanted:
                self._model.maximize(sum(wanted))
            left = budget.left()
            if left is not None:
                solver.parameters.max_time_in_seconds = max(left, 1e-3)
            with stopped_by(solver.stop_search):
                status = solver.solve(self._model)
            if status == self._cp.INFEASIBLE:
                raise ValueError("no world is left for a part of the network")
            if status not in {self._cp.OPTIMAL, self._cp.FEASIBLE}:
                yield None
                return
            shown = sum(solver.value(each) for each in wanted)
            if shown or not wanted:
                yield {
                    track: next(v for v in members(self._domain[track]) if solver.value(self._has[track, v]))
                    for track in self.tracks
                }
            if not shown:
                if status != self._cp.OPTIMAL and wanted:
                    yield None
                return
            if budget.spent():
                yield None
                return


def twins(local: Narrowing, part: Iterable[int]) -> list[list[int]]:
    """Return tracks that may exchange their values in every world, together."""
    network = local.network
    start, seats = network.by_track
    found: dict[tuple[object, ...], list[int]] = {}
    for track in part:
        own = seats[start[track] : start[track + 1]].tolist()
        blocks = tuple(int(network.block_of[seat]) for seat in own)
        hosting = tuple(frozenset(local.hosting(block, seat) or ()) for block, seat in zip(blocks, own, strict=True))
        key = (blocks, hosting, local.domain[track]) if network.may is None else (track,)
        found.setdefault(key, []).append(track)
    return list(found.values())
