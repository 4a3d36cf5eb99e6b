"""Narrowing: what no world can have, found block by block, with the reasons.

The rows of a block are a *global cardinality constraint*: everybody there has one cell, no cell more people than rows.
Régin (AAAI 1996) tells in polynomial time which choices are in some solution of one block: take any solution; a choice
of another cell is in one exactly when some chain of people who each move on to the next one's cell leads from there
back to the cell that becomes free, or to a cell with rows to spare. Where it is not, all cells that can be reached
from there (a *Hall set*) are full of people who can have no other: that is the reason, which a reader can count.

Blocks are narrowed again as long as somebody in them has lost a value, in whatever block, until nothing changes.

This kernel keeps the reasons. It is the oracle of its compiled twin, and explains what that one has found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attacks.joint.network import Network
from audit.core.budget import Budget

Mask = int


@dataclass(frozen=True)
class Reason:
    """Cells that are full: each holder can have no other in the block, and there are as many rows as holders, or fewer.

    Attributes:
        block: which.
        cells: places in the network's cells.
        seats: the holders, as places in its seats.
        lost: tracks that lost a value by it.
    """

    block: int
    cells: tuple[int, ...]
    seats: tuple[int, ...]
    lost: frozenset[int]


class Narrowing:
    """Domains of the tracks in some blocks, while they are narrowed.

    Attributes:
        domain: the possible values of each track that is in the blocks, as masks.
        reasons: why values were lost, in order.
        feasible: whether everybody has a possible value.
        empty: where not, the tracks that show it.
    """

    def __init__(self, network: Network, domain: dict[int, Mask], blocks: Iterable[int]) -> None:
        self.network = network
        self.domain = domain
        self.reasons: list[Reason] = []
        self.feasible = all(domain.values())
        self.empty: frozenset[int] = frozenset()
        self._blocks = list(blocks)
        self._inside = set(self._blocks)
        self._assigned: dict[int, int] = {}
        start, seats = network.by_track
        self._start, self._seats = start, seats
        self._linked: dict[int, list[tuple[int, bool]]] = {}

    @property
    def blocks(self) -> Sequence[int]:
        """The blocks that are looked at."""
        return self._blocks

    def copy(self) -> Narrowing:
        """Return the same, to try something out."""
        other = Narrowing(self.network, dict(self.domain), self._blocks)
        other._assigned = dict(self._assigned)
        other._linked = self._linked
        return other

    def link(self, links: Iterable[tuple[int, int]]) -> None:
        """Bind tracks of consecutive versions to each other."""
        for first, last in links:
            self._linked.setdefault(first, []).append((last, True))
            self._linked.setdefault(last, []).append((first, False))

    def run(self, blocks: Iterable[int] | None = None, budget: Budget | None = None) -> bool:
        """Narrow some blocks, all of them at first, and those that depend on them; tell whether a world may be left.

        When the time is up the rest stays as it is, which leaves too much.
        """
        queue = dict.fromkeys(self._blocks if blocks is None else blocks)
        while queue and self.feasible and not (budget is not None and budget.spent()):
            block = next(iter(queue))
            del queue[block]
            for track in self._follow(self._narrow(block)):
                queue.update(dict.fromkeys(other for other in self.blocks_of(track) if other != block))
        return self.feasible

    def propagate(self) -> None:
        """Carry everything over to the versions before and after."""
        self._follow(set(self.domain))

    def restrict(self, track: int, mask: Mask) -> bool:
        """Leave a track only some values, and narrow what depends on it."""
        self.domain[track] &= mask
        if not self.domain[track]:
            self._fail(track)
            return False
        blocks = [block for other in self._follow({track}) for block in self.blocks_of(other)]
        return self.run(blocks) if self.feasible else False

    def _fail(self, track: int) -> None:
        """Note that there is no world, since a track has no value left."""
        self.feasible = False
        self.empty |= {track}

    def blocks_of(self, track: int) -> Iterator[int]:
        """Yield the blocks of a track that are looked at."""
        for seat in self._seats[self._start[track] : self._start[track + 1]].tolist():
            block = int(self.network.block_of[seat])
            if block in self._inside:
                yield block

    def _follow(self, changed: set[int]) -> set[int]:
        """Carry what tracks lost over to the versions before and after; return all tracks that changed."""
        waiting = [track for track in changed if track in self._linked]
        changed = set(changed)
        while waiting:
            track = waiting.pop()
            for other, after in self._linked[track]:
                left = self.domain[other] & self._next(self.domain[track], after=after)
                if left != self.domain[other]:
                    self.domain[other] = left
                    changed.add(other)
                    waiting.append(other)
                    if not left:
                        self._fail(other)
        return changed

    def _next(self, mask: Mask, *, after: bool) -> Mask:
        may = self.network.may
        if may is None:
            raise ValueError("tracks are linked by transitions alone")
        rows = may if after else may.T
        return mask_of(np.flatnonzero(rows[members(mask)].any(axis=0)).tolist())

    # -- one block --------------------------------------------------------------------------------------------

    def options(self, block: int) -> tuple[list[int], list[Mask]]:
        """Return the seats of a block, and which of its cells each may have, as masks."""
        net = self.network
        cells = range(int(net.cell_start[block]), int(net.cell_start[block + 1]))
        seats = list(range(int(net.seat_start[block]), int(net.seat_start[block + 1])))
        values = net.cell_value[cells.start : cells.stop].tolist()
        groups = net.cell_group[cells.start : cells.stop].tolist()
        found = []
        for seat in seats:
            mask, hosting = self.domain[int(net.seat[seat])], self.hosting(block, seat)
            fits = (
                place
                for place, (value, group) in enumerate(zip(values, groups, strict=True))
                if mask >> value & 1 and (hosting is None or group in hosting)
            )
            found.append(mask_of(fits))
        return seats, found

    def hosting(self, block: int, seat: int) -> set[int] | None:
        """Return the groups that may hold a seat, or None where the block is one group."""
        net = self.network
        if not net.wide[block]:
            return None
        hosts, host = net.hosts[int(net.release[block])], int(net.versions.host[net.seat_version[seat]])
        return set(hosts.group[hosts.start[host] : hosts.start[host + 1]].tolist())

    def _narrow(self, block: int) -> set[int]:
        """Take away what no solution of a block has; return the tracks that lost a value."""
        net, first = self.network, int(self.network.cell_start[block])
        seats, options = self.options(block)
        caps = net.cell_rows[first : int(net.cell_start[block + 1])].tolist()
        chosen, stuck = _solved(options, caps, [self._assigned.get(seat, -1) for seat in seats])
        if stuck is not None:
            who, full = stuck
            holders = [seat for seat, cell in zip(seats, chosen, strict=True) if cell >= 0 and full >> cell & 1]
            self._note(block, full, [*holders, seats[who]], frozenset({int(net.seat[seats[who]])}))
            self._fail(int(net.seat[seats[who]]))
            return set()
        self._assigned.update(zip(seats, chosen, strict=True))
        reach = _reach(options, chosen, len(caps))
        used = [chosen.count(cell) for cell in range(len(caps))]
        spare = mask_of(cell for cell, cap in enumerate(caps) if used[cell] < cap)
        lost: set[int] = set()
        by_set: dict[Mask, set[int]] = {}
        for seat, mask, cell in zip(seats, options, chosen, strict=True):
            bad = [c for c in members(mask & ~(1 << cell)) if not (reach[c] & spare or reach[c] >> cell & 1)]
            track = int(net.seat[seat])
            good = {int(net.cell_value[first + c]) for c in members(mask) if c not in bad}
            left = self.domain[track] & mask_of(good)
            if left != self.domain[track]:
                for c in bad:
                    by_set.setdefault(reach[c], set()).add(track)
                lost.add(track)
                self.domain[track] = left
        for full, tracks in by_set.items():
            holders = [seat for seat, cell in zip(seats, chosen, strict=True) if full >> cell & 1]
            self._note(block, full, holders, frozenset(tracks))
        return lost

    def _note(self, block: int, full: Mask, seats: Sequence[int], lost: frozenset[int]) -> None:
        first = int(self.network.cell_start[block])
        self.reasons.append(Reason(block, tuple(first + cell for cell in members(full)), tuple(sorted(seats)), lost))


def mask_of(values: Iterable[int]) -> Mask:
    """Return a set of numbers as a mask."""
    mask = 0
    for value in values:
        mask |= 1 << value
    return mask


def members(mask: Mask) -> list[int]:
    """Return the numbers of a mask, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _solved(
    options: Sequence[Mask], caps: Sequence[int], before: Sequence[int]
) -> tuple[list[int], tuple[int, Mask] | None]:
    """Return a cell for everybody, from an older choice; or who gets none, and the full cells in the way."""
    chosen, used = [-1] * len(options), [0] * len(caps)
    for who, cell in enumerate(before):
        if cell >= 0 and options[who] >> cell & 1 and used[cell] < caps[cell]:
            chosen[who] = cell
            used[cell] += 1
    holders: list[set[int]] = [set() for _ in caps]
    for who, cell in enumerate(chosen):
        if cell >= 0:
            holders[cell].add(who)
    for who in range(len(options)):
        if chosen[who] < 0:
            full = _placed(who, options, caps, chosen, holders)
            if full is not None:
                return chosen, (who, full)
    return chosen, None


def _placed(
    who: int, options: Sequence[Mask], caps: Sequence[int], chosen: list[int], holders: list[set[int]]
) -> Mask | None:
    """Give somebody a cell, others moving on where they have to; return the full cells where none is left."""
    came: dict[int, int] = dict.fromkeys(members(options[who]), who)
    seen, queue = options[who], members(options[who])
    for cell in queue:
        if len(holders[cell]) < caps[cell]:
            while True:
                mover = came[cell]
                before = chosen[mover]
                holders[cell].add(mover)
                chosen[mover] = cell
                if mover == who:
                    return None
                holders[before].discard(mover)
                cell = before  # noqa: PLW2901 - the chain goes on
        for other in sorted(holders[cell]):
            for further in members(options[other] & ~seen):
                seen |= 1 << further
                came[further] = other
                queue.append(further)
    return seen


def _reach(options: Sequence[Mask], chosen: Sequence[int], cells: int) -> list[Mask]:
    """Return the cells to which people can move on from each, the cell itself among them."""
    on = [1 << cell for cell in range(cells)]
    for mask, cell in zip(options, chosen, strict=True):
        on[cell] |= mask
    for middle in range(cells):
        for cell in range(cells):
            if on[cell] >> middle & 1:
                on[cell] |= on[middle]
    return on
