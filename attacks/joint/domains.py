"""Domains of tracks as arrays, narrowed release by release, by the kernel that suits the size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from attacks.joint.narrowing import Narrowing
from attacks.joint.network import Flags, Network, Words
from audit.core.budget import Budget
from audit.core.evidence import Codes, Counts, Hosts

# Below so many seats the plain kernel needs less time than numba to be imported.
_COMPILED_SEATS = 4_000
_WIDEST = 64


def compiled(network: Network) -> bool:
    """Tell whether the compiled kernels pay and fit: for many seats, in blocks of one group.

    What else the process has loaded does not matter: large networks are not counted, which shows in the result.
    """
    fits = not network.wide.any() and int(np.diff(network.cell_start).max(initial=0)) <= _WIDEST
    return fits and len(network.versions.person) >= _COMPILED_SEATS  # of the whole series, so that all stages agree


def narrowed(
    network: Network, releases: int, budget: Budget | None = None
) -> Iterator[tuple[Network, Words, Words, bool]]:
    """Yield, after each release: the network so far, what people's own groups leave, what is left, and if anything.

    Nothing is ever possible again, so that each release goes on from the one before. When the time is up, or where a
    network is unwieldy, too much is left.
    """
    limit = Budget() if budget is None else budget
    own, left = network.domain.copy(), network.domain.copy()
    engine = _Compiled if compiled(network) else _Plain
    for release in range(releases):
        so_far = network.prefix(release + 1)
        kernel = engine(so_far)
        fresh = np.flatnonzero(so_far.release == release)
        feasible = kernel.own(own, release)
        before = left.copy()
        left &= own
        changed = np.flatnonzero((left != before).any(axis=1))
        seats = np.flatnonzero(np.isin(so_far.seat, changed)) if len(changed) else changed
        queue = np.unique(np.concatenate([fresh, so_far.block_of[seats]]))
        if not (network.unwieldy or limit.spent()):
            feasible = feasible and kernel.narrow(left, queue, limit)
        yield so_far, own.copy(), left.copy(), feasible
        if not feasible:
            return


def seat_masks(network: Network, first_block: int, last_block: int) -> Words:
    """Return the values of the cells that each seat of some blocks may have; shape (seats, words)."""
    words = network.domain.shape[1]
    seats = slice(int(network.seat_start[first_block]), int(network.seat_start[last_block]))
    cells = slice(int(network.cell_start[first_block]), int(network.cell_start[last_block]))
    value, group = network.cell_value[cells], network.cell_group[cells]
    release = int(network.release[first_block]) if last_block > first_block else 0
    hosts = network.hosts[release]
    of_group = np.zeros((hosts.n_groups, words), dtype=np.uint64)
    host = network.versions.host[network.seat_version[seats]]
    free = _free_rows(network, cells, hosts, host) > 0
    group, value = group[free], value[free]
    np.bitwise_or.at(of_group, (group, value >> 6), np.uint64(1) << (value & 63).astype(np.uint64))
    if not len(hosts.person):
        return of_group[:0]
    of_host = np.bitwise_or.reduceat(of_group[hosts.group], hosts.start[:-1], axis=0)
    of_host[hosts.fixed >= 0] = ~np.uint64(0)  # what is known was taken into account already
    return of_host[host]


def _free_rows(network: Network, cells: slice, hosts: Hosts, seated: Codes) -> Counts:
    """Return the rows of some cells that are not those of known values in groups that are sure."""
    rows = network.cell_rows[cells]
    known = seated[(hosts.fixed[seated] >= 0) & (np.diff(hosts.start)[seated] == 1)]
    if not len(known):
        return rows
    taken = np.zeros((hosts.n_groups, int(network.class_of.max(initial=0)) + 1), dtype=np.int64)
    np.add.at(taken, (hosts.group[hosts.start[:-1]][known], network.class_of[hosts.fixed[known]]), 1)
    return rows - taken[network.cell_group[cells], network.cell_value[cells]]


def fold(network: Network, own: Words, release: int) -> None:
    """Leave tracks what their groups of a release hold, and what is known of it beforehand."""
    hosts, versions = network.hosts[release], network.versions
    known = np.flatnonzero(hosts.fixed >= 0)
    if len(known):
        track = versions.track[np.searchsorted(versions.release, release) + known]
        value = network.class_of[hosts.fixed[known]]
        only = np.zeros((len(known), own.shape[1]), dtype=np.uint64)
        only[np.arange(len(known)), value >> 6] = np.uint64(1) << (value & 63).astype(np.uint64)
        own[track] &= only
    blocks = np.flatnonzero(network.release == release)
    if len(blocks):
        first, last = int(blocks[0]), int(blocks[-1]) + 1
        seats = slice(int(network.seat_start[first]), int(network.seat_start[last]))
        own[network.seat[seats]] &= seat_masks(network, first, last)  # nobody sits twice in a release


class _Plain:
    """The kernel with reasons, which are not asked for here."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def own(self, own: Words, release: int) -> bool:
        """Leave tracks what their own groups and transitions do; tell whether everybody has a value."""
        fold(self._network, own, release)
        if not len(self._network.link):
            return bool(own.any(axis=1).all())
        narrowing = self._loaded(own)
        narrowing.propagate()
        self._store(narrowing, own)
        return bool(own.any(axis=1).all())

    def narrow(self, left: Words, queue: npt.NDArray[np.integer], budget: Budget) -> bool:
        """Narrow some blocks and all that depends on them; tell whether a world may be left."""
        narrowing = self._loaded(left)
        narrowing.propagate()
        feasible = narrowing.feasible and narrowing.run(queue.tolist(), budget)
        self._store(narrowing, left)
        return feasible

    def _loaded(self, words: Words) -> Narrowing:
        network = self._network
        domain = dict(enumerate(masks(words)))
        narrowing = Narrowing(network, domain, range(network.blocks))
        narrowing.link([(first, last) for first, last in network.link.tolist()])
        return narrowing

    def _store(self, narrowing: Narrowing, words: Words) -> None:
        size = words.shape[1] * 8
        content = b"".join(narrowing.domain[track].to_bytes(size, "little") for track in range(len(words)))
        words[:] = np.frombuffer(content, dtype=np.uint64).reshape(words.shape)


def masks(words: Words) -> list[int]:
    """Return each row of words as one number."""
    size, content = words.shape[1] * 8, words.tobytes()
    return [int.from_bytes(content[at : at + size], "little") for at in range(0, len(content), size)]


class _Compiled:
    """The compiled kernel."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._links = _links(network)

    def own(self, own: Words, release: int) -> bool:
        """Leave tracks what their own groups and transitions do; tell whether everybody has a value."""
        from attacks.joint.narrowing_compiled import follow_all

        fold(self._network, own, release)
        if len(self._network.link):
            follow_all(own, self._links)
        return bool(own.any(axis=1).all())

    def narrow(self, left: Words, queue: npt.NDArray[np.integer], _: Budget) -> bool:
        """Narrow some blocks and all that depends on them; tell whether a world may be left."""
        from attacks.joint.narrowing_compiled import follow_all, narrow_all

        net = self._network
        start, seats = net.by_track
        if len(net.link):
            before = left.copy()
            follow_all(left, self._links)
            if not left.any(axis=1).all():
                return False
            changed = (left != before).any(axis=1)
            queue = np.union1d(queue, net.block_of[changed[net.seat]])
        queue = queue[~_free_choice(net, left, queue)] if len(queue) else queue
        chosen = np.full(len(net.seat), -1, dtype=np.int16)
        return (
            narrow_all(
                left,
                chosen,
                (net.seat_start, net.seat),
                (net.cell_start, net.cell_value, net.cell_rows),
                (start, seats, net.block_of),
                self._links,
                queue.astype(np.int32),
            )
            < 0
        )


def _free_choice(network: Network, left: Words, blocks: npt.NDArray[np.integer]) -> Flags:
    """Return in which blocks everybody may have every value: there is nothing to narrow in them; shape (blocks,)."""
    first, last = int(blocks.min()), int(blocks.max()) + 1
    cells = slice(int(network.cell_start[first]), int(network.cell_start[last]))
    seats = slice(int(network.seat_start[first]), int(network.seat_start[last]))
    value, block = (
        network.cell_value[cells],
        np.repeat(np.arange(last - first), np.diff(network.cell_start[first : last + 1])),
    )
    held = np.zeros((last - first, left.shape[1]), dtype=np.uint64)
    np.bitwise_or.at(held, (block, value >> 6), np.uint64(1) << (value & 63).astype(np.uint64))
    of_seat = network.block_of[seats] - first
    free = np.ones(last - first, dtype=np.bool_)
    free[of_seat[(left[network.seat[seats]] != held[of_seat]).any(axis=1)]] = False
    rows = np.bincount(block, weights=network.cell_rows[cells], minlength=last - first)
    least = np.full(last - first, 1, dtype=np.int64)
    np.minimum.at(least, block, network.cell_rows[cells])
    free &= (rows >= np.diff(network.seat_start[first : last + 1])) & (least > 0)
    return free[blocks - first]


def _links(network: Network) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int8], Words]:
    """Return the links by track, and the values that may follow each, and that each may follow, as words."""
    words = network.domain.shape[1]
    if network.may is None or not len(network.link):
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, np.zeros(0, np.int32), np.zeros(0, np.int8), np.zeros((2, 1, words), dtype=np.uint64)
    here = np.concatenate([network.link[:, 0], network.link[:, 1]])
    there = np.concatenate([network.link[:, 1], network.link[:, 0]])
    way = np.repeat(np.array([0, 1], dtype=np.int8), len(network.link))
    order = np.argsort(here, kind="stable")
    start = np.zeros(network.tracks + 1, dtype=np.int64)
    np.cumsum(np.bincount(here, minlength=network.tracks), out=start[1:])
    return start, there[order].astype(np.int32), way[order], np.stack([packed(network.may), packed(network.may.T)])


def packed(flags: Flags) -> Words:
    """Return rows of flags as words; shape (rows, words)."""
    width = (flags.shape[1] + 63) // 64 * 8
    found = np.zeros((len(flags), width), dtype=np.uint8)
    bits = np.packbits(flags, axis=1, bitorder="little")
    found[:, : bits.shape[1]] = bits
    return found.view(np.uint64)


def unpacked(words: Words, values: int) -> Flags:
    """Return words as rows of flags; shape (rows, values)."""
    return np.unpackbits(words.view(np.uint8), axis=1, bitorder="little", count=values).astype(np.bool_)
