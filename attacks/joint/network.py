"""The constraint network: everybody's values as variables, the rows of every release as constraints on them.

A *world* gives everybody one row of each release in which they are, no row to two. What a person's row says in one
release binds the person's other rows: the value is the same, or follows along a transition. So a variable, a *track*,
stands for all the versions (person and release) that are bound to one another so tightly that one of them tells all:

* values never change: a track is a person, its domain are values;
* transitions that are an equivalence relation (each value of a class becomes each as probably), groups being known:
  a track is a person as well, and its domain are the classes. Within a class the people of a group may exchange their
  values, release by release, as they like;
* other transitions: a track is a version, and consecutive ones are *linked*.

The rows of a release are *cells*: so many rows of a group with a value (or a class). Tracks and cells that share rows
are a *block*. Where groups are known (`linked`) each group is one; under `register` groups that may hold the same
person are in one block, and a track may have several cells of the same value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from audit.core.evidence import Codes, Counts, Entries, Evidence, Hosts, Transitions

Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
_MOST_PAIRS = 20_000_000


@dataclass(frozen=True)
class Versions:
    """Everybody in every release, in the order of releases.

    Attributes:
        person, release, track: codes; shape (versions,), int32.
        counted: which count for measures: people whose value is not known beforehand; shape (versions,).
        host: the place in the release's hosts; shape (versions,), int32.
    """

    person: Codes
    release: Codes
    track: Codes
    counted: Flags
    host: Codes


@dataclass(frozen=True)
class Network:
    """Tracks, their domains, and the blocks that they share.

    Attributes:
        domain: bit v % 64 of word v // 64 says whether a track may have value v; shape (tracks, words), uint64.
        class_of: the value or class that each sensitive value counts as; shape (values,), int32.
        versions: who is in which release, and by which track.
        seat_start: where each block's seats begin, and their number at the end; shape (blocks + 1,), int64.
        seat: the track of each seat; int32.
        seat_version: the version of each seat; int32.
        cell_start: the same for cells; shape (blocks + 1,), int64.
        cell_value, cell_rows: the value of each cell, ascending in a block with one group, and its rows; int32, int64.
        cell_group: the group of each cell; int32.
        release: of each block; shape (blocks,), int32.
        wide: whether a block has several groups; shape (blocks,).
        link: pairs of tracks of consecutive versions; shape (links, 2), int32.
        may: whether one value may follow another, for links; None where there are none.
        hosts: the releases.
    """

    domain: Words
    class_of: Codes
    versions: Versions
    seat_start: Counts
    seat: Codes
    seat_version: Codes
    cell_start: Counts
    cell_value: Codes
    cell_rows: Counts
    cell_group: Codes
    release: Codes
    wide: Flags
    link: Codes
    may: Flags | None
    hosts: tuple[Hosts, ...]

    @property
    def tracks(self) -> int:
        """Number of tracks."""
        return len(self.domain)

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.release)

    @cached_property
    def unwieldy(self) -> bool:
        """Whether seats and the cells of their blocks are too many pairs to be worked on; `register` alone."""
        return bool(self.wide.any()) and int((np.diff(self.cell_start) * np.diff(self.seat_start)).sum()) > _MOST_PAIRS

    @cached_property
    def by_track(self) -> tuple[Counts, Codes]:
        """Where each track's seats begin, shape (tracks + 1,), and its seats, ascending."""
        start = np.zeros(self.tracks + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.seat, minlength=self.tracks), out=start[1:])
        return start, np.argsort(self.seat, kind="stable").astype(np.int32)

    @cached_property
    def block_of(self) -> Codes:
        """The block of each seat."""
        return np.repeat(np.arange(self.blocks, dtype=np.int32), np.diff(self.seat_start))

    def prefix(self, releases: int) -> Network:
        """Return the network of the first releases; tracks and versions keep their numbers."""
        blocks = int(np.searchsorted(self.release, releases))
        seats, cells = int(self.seat_start[blocks]), int(self.cell_start[blocks])
        if releases >= len(self.hosts):
            return self
        there = self.versions.release[self.link[:, 1]] < releases if self.may is not None else slice(0)
        return replace(
            self,
            seat_start=self.seat_start[: blocks + 1],
            seat=self.seat[:seats],
            seat_version=self.seat_version[:seats],
            cell_start=self.cell_start[: blocks + 1],
            cell_value=self.cell_value[:cells],
            cell_rows=self.cell_rows[:cells],
            cell_group=self.cell_group[:cells],
            release=self.release[:blocks],
            wide=self.wide[:blocks],
            link=self.link[there],
            hosts=self.hosts[:releases],
        )


def network_of(evidence: Evidence) -> Network:
    """Return the network of a series."""
    hosts = tuple(evidence.source.hosts(release) for release in range(len(evidence.tags)))
    if evidence.kind == "linked":
        hosts = tuple(map(_less_known, hosts))
    values = max(each.values for each in hosts)
    transitions = evidence.transitions
    class_of = classes(transitions, values) if evidence.kind == "linked" or transitions is None else None
    bound = class_of is not None
    kinds = np.arange(values, dtype=np.int32) if class_of is None else class_of
    versions, link = _versions(hosts, bound=bound)
    tracks = int(versions.track.max(initial=-1)) + 1
    parts = [_blocks(each, kinds, np.flatnonzero(_seated(evidence, each)).astype(np.int32)) for each in hosts]
    joined = _joined(parts, versions)
    domain = _domain(tracks, kinds)
    may = None if bound or transitions is None else transitions.weight[:values, :values] > 0
    return Network(domain, kinds, versions, *joined, link=link, may=may, hosts=hosts)


def classes(transitions: Transitions | None, values: int) -> Codes | None:
    """Return the class of each value where tracks can be people; None where values change in other ways.

    The probabilities within a class have to be equal, so that exchanging values does not change a world's weight.

    >>> from fractions import Fraction
    >>> block = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]])
    >>> classes(Transitions(block, {}, np.ones(3, dtype=bool)), 3).tolist()
    [0, 0, 1]
    """
    if transitions is None:
        return np.arange(values, dtype=np.int32)
    weight = transitions.weight[:values, :values]
    _, place = np.unique(weight > 0, axis=0, return_inverse=True)
    place = place.reshape(-1)
    same = place[:, np.newaxis] == place
    if not np.array_equal(weight > 0, same) or (np.where(same, weight, np.inf).min(axis=1) < weight.max(axis=1)).any():
        return None
    # Numbered by their first values, so that the order of values stays.
    _, first, number = np.unique(place, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[number.reshape(-1)].astype(np.int32)


def _versions(hosts: tuple[Hosts, ...], *, bound: bool) -> tuple[Versions, Codes]:
    """Return all versions with their tracks, and the links between tracks."""
    person = np.concatenate([each.person for each in hosts])
    sizes = [len(each.person) for each in hosts]
    release = np.repeat(np.arange(len(hosts), dtype=np.int32), sizes)
    host = np.concatenate([np.arange(size, dtype=np.int32) for size in sizes])
    counted = np.concatenate([each.individual[each.person] & (each.fixed < 0) for each in hosts])
    if bound:
        known = np.unique(person)
        track = np.searchsorted(known, person).astype(np.int32)
        return Versions(person, release, track, counted, host), np.zeros((0, 2), dtype=np.int32)
    order = np.lexsort((release, person))
    follows = np.flatnonzero(person[order][1:] == person[order][:-1])
    link = np.stack([order[follows], order[follows + 1]], axis=1).astype(np.int32)
    return Versions(person, release, np.arange(len(person), dtype=np.int32), counted, host), link


def _seated(evidence: Evidence, hosts: Hosts) -> Flags:
    """Return whose rows are to be found out; where groups are known, those of known values are out of the way."""
    return np.full(len(hosts.person), True) if evidence.kind == "register" else hosts.fixed < 0


def _less_known(hosts: Hosts) -> Hosts:
    """Return a release without the rows of known values, whose groups are known."""
    known = np.flatnonzero(hosts.fixed >= 0)
    if not len(known):
        return hosts
    table = hosts.contents.tabled(hosts.n_groups, hosts.values).astype(np.int64)
    np.subtract.at(table, (hosts.group[hosts.start[:-1]][known], hosts.fixed[known]), 1)
    return replace(hosts, contents=Entries.of(table))


@dataclass(frozen=True)
class _Blocks:
    """The blocks of one release: the block and the host of each seat, and the cells."""

    number: int
    seat_block: Codes
    seat_host: Codes
    cell_block: Codes
    cell_group: Codes
    cell_value: Codes
    cell_rows: Counts
    wide: bool


def _blocks(hosts: Hosts, kinds: Codes, seated: Codes) -> _Blocks:
    """Return the blocks of a release; groups that may hold the same person are in one."""
    alone = np.diff(hosts.start) == 1
    block_of_group = np.arange(hosts.n_groups, dtype=np.int32)
    if not alone.all():
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        first = np.repeat(hosts.group[hosts.start[:-1]], np.diff(hosts.start))
        graph = coo_array((np.ones(len(first)), (first, hosts.group)), shape=(hosts.n_groups, hosts.n_groups))
        block_of_group = connected_components(graph, directed=False)[1].astype(np.int32)
    seat_block = block_of_group[hosts.group[hosts.start[:-1]]][seated]
    entries = hosts.contents
    key = entries.bag.astype(np.int64) * (int(kinds.max(initial=0)) + 1) + kinds[entries.value]
    rows = np.ones(len(key), dtype=np.int64) if entries.rows is None else entries.rows
    distinct, place = np.unique(key, return_inverse=True)
    total = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(total, place, rows)
    group = (distinct // (int(kinds.max(initial=0)) + 1)).astype(np.int32)
    value = (distinct % (int(kinds.max(initial=0)) + 1)).astype(np.int32)
    kept = total > 0
    group, value, total = group[kept], value[kept], total[kept]
    used = np.zeros(int(block_of_group.max(initial=-1)) + 1, dtype=np.bool_)
    used[seat_block] = True  # what nobody who is known can have is of no interest
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    kept = used[block_of_group[group]]
    cell_block = number[block_of_group[group[kept]]]
    order = np.argsort(cell_block, kind="stable")
    return _Blocks(
        int(used.sum()),
        number[seat_block],
        seated,
        cell_block[order],
        group[kept][order],
        value[kept][order],
        total[kept][order],
        not bool(alone.all()),
    )


def _joined(
    parts: list[_Blocks], versions: Versions
) -> tuple[Counts, Codes, Codes, Counts, Codes, Counts, Codes, Codes, Flags]:
    """Return the seats and the cells of all releases, by block."""
    first = np.cumsum([0, *(part.number for part in parts)])
    before = np.concatenate([[0], np.cumsum(np.bincount(versions.release, minlength=len(parts)))])
    block = np.concatenate([part.seat_block + start for part, start in zip(parts, first, strict=False)])
    order = np.argsort(block, kind="stable")
    blocks = int(first[-1])
    seat_version = np.concatenate([part.seat_host + start for part, start in zip(parts, before, strict=False)])[order]
    cell_block = np.concatenate([part.cell_block + start for part, start in zip(parts, first, strict=False)])
    release = np.repeat(np.arange(len(parts), dtype=np.int32), [part.number for part in parts])
    return (
        _starts(np.bincount(block, minlength=blocks)),
        versions.track[seat_version],
        seat_version.astype(np.int32),
        _starts(np.bincount(cell_block, minlength=blocks)),
        np.concatenate([part.cell_value for part in parts]),
        np.concatenate([part.cell_rows for part in parts]),
        np.concatenate([part.cell_group for part in parts]),
        release,
        np.repeat(np.array([part.wide for part in parts], dtype=np.bool_), [part.number for part in parts]),
    )


def _starts(sizes: npt.NDArray[np.integer]) -> Counts:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])


def _domain(tracks: int, kinds: Codes) -> Words:
    """Return domains in which everything is possible."""
    number = int(kinds.max(initial=0)) + 1
    everything = np.zeros((number + 63) // 64 * 64, dtype=np.uint8)
    everything[:number] = 1
    return np.tile(np.packbits(everything, bitorder="little").view(np.uint64), (tracks, 1))
