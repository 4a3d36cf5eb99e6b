"""Parts of a narrowed network that share neither rows nor links, each of which can be looked at by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.domains import compiled, unpacked
from attacks.joint.network import Flags, Network, Numbers, Words
from audit.core.evidence import Counts


@dataclass(frozen=True)
class Parts:
    """The parts.

    Attributes:
        settled: which tracks have no choice, or are in no release yet; shape (tracks,).
        of: the part of each other track, -1 for settled ones; shape (tracks,).
        rows: the rows of each cell that settled tracks leave; shape (cells,).
    """

    settled: Flags
    of: Numbers
    rows: Counts

    def lists(self, wanted: Flags | None) -> list[list[int]]:
        """Return the tracks of each part, the smallest first; of those alone that have a wanted track, if any is."""
        free = np.flatnonzero(self.of >= 0)
        if wanted is not None:
            free = free[np.isin(self.of[free], self.of[free[wanted[free]]])]
        order = free[np.argsort(self.of[free], kind="stable")]
        ends = np.flatnonzero(np.diff(self.of[order], append=-1)) + 1
        found = [part.tolist() for part in np.split(order, ends[:-1])] if len(order) else []
        return sorted(found, key=lambda part: (len(part), part[0]))


def split(network: Network, left: Words) -> Parts:
    """Return the parts; `left` are the values that are left to each track."""
    if compiled(network) and not len(network.link):
        return _split_large(network, left)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    seat, cell = choices(network, left)
    ways = np.bincount(seat, minlength=len(network.seat))
    settled = np.bitwise_count(left).sum(axis=1) <= 1
    settled[network.seat[ways > 1]] = False  # under `register` a value may have several rows
    there = np.zeros(network.tracks, dtype=np.bool_)
    there[network.seat] = True
    settled |= ~there
    first, last = network.link.T if len(network.link) else np.zeros((2, 0), dtype=np.int32)
    # How probable the version before is depends on a version that has no choice.
    settled[last[np.bitwise_count(left[first]).sum(axis=1) > 1]] = False
    mine = settled[network.seat[seat]]
    rows = network.cell_rows.copy()
    np.subtract.at(rows, cell[mine], 1)
    one = np.concatenate([network.seat[seat[~mine]].astype(np.int64), first.astype(np.int64)])
    other = np.concatenate([cell[~mine] + network.tracks, last.astype(np.int64)])
    joined = np.ones(len(one), dtype=np.bool_)
    joined[len(one) - len(first) :] = ~settled[first] & ~settled[last]
    nodes = network.tracks + len(rows)
    graph = coo_array((joined[joined], (one[joined], other[joined])), shape=(nodes, nodes))
    label = connected_components(graph, directed=False)[1][: network.tracks].astype(np.int64)
    return Parts(settled, np.where(settled, -1, label), rows)


def _split_large(network: Network, left: Words) -> Parts:
    """Return the parts of a large network without links, each block being one group."""
    from attacks.joint.remainder_compiled import joined

    settled = np.bitwise_count(left).sum(axis=1) <= 1
    there = np.zeros(network.tracks, dtype=np.bool_)
    there[network.seat] = True
    settled |= ~there
    rows = network.cell_rows.copy()
    seats, cells = (network.seat_start, network.seat), (network.cell_start, network.cell_value)
    return Parts(settled, joined(seats, cells, left, ~settled, rows), rows)


def choices(network: Network, left: Words) -> tuple[Numbers, Numbers]:
    """Return every cell that every seat may have, as pairs of places."""
    width = np.diff(network.cell_start)[network.block_of]
    seat = np.repeat(np.arange(len(network.seat)), width)
    cell = np.arange(len(seat)) - np.repeat(np.cumsum(width) - width, width)
    cell += np.repeat(network.cell_start[network.block_of], width)
    value = network.cell_value[cell]
    track = network.seat[seat]
    word = left[track, value >> 6]
    fits = (word >> (value & 63).astype(np.uint64)) & np.uint64(1) != 0
    if network.wide.any():
        fits &= _hosted(network, seat, cell)
    return seat[fits], cell[fits]


def _hosted(network: Network, seat: Numbers, cell: Numbers) -> Flags:
    """Return whether the group of a cell may hold the seat beside it."""
    found = np.zeros(len(seat), dtype=np.bool_)
    release = network.release[network.block_of[seat]]
    for position, hosts in enumerate(network.hosts):
        here = np.flatnonzero(release == position)
        of_host = np.repeat(np.arange(len(hosts.person)), np.diff(hosts.start))
        keys = np.sort(of_host.astype(np.int64) * hosts.n_groups + hosts.group)
        host = network.versions.host[network.seat_version[seat[here]]].astype(np.int64)
        wanted = host * hosts.n_groups + network.cell_group[cell[here]]
        place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
        found[here] = keys[place] == wanted if len(keys) else False
    return found


def possible_values(network: Network, words: Words, release: int) -> Flags:
    """Return which values the classes of some tracks allow in a release; shape (versions of the release, values)."""
    versions, hosts = network.versions, network.hosts[release]
    track = versions.track[versions.release == release]
    kinds = unpacked(words[track], int(network.class_of.max(initial=0)) + 1)
    held = hosts.contents.tabled(hosts.n_groups, hosts.values) > 0
    of_host = np.bitwise_or.reduceat(held[hosts.group], hosts.start[:-1], axis=0) if len(track) else held[:0]
    return kinds[:, network.class_of[: hosts.values]] & of_host
