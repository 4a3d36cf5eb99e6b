"""Excerpts: what is to be known of some parts of a network, in numbers of their own, to be sent anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from attacks.joint.domains import masks
from attacks.joint.narrowing import Narrowing
from attacks.joint.network import Flags, Network, Numbers, Versions, Words
from audit.core.evidence import Codes, Counts, Entries, Hosts, Transitions


@dataclass(frozen=True)
class Excerpt:
    """Some parts, with the tracks that theirs are linked to.

    Attributes:
        network: their blocks, without anybody else's seats.
        rows: the rows of each cell that settled tracks leave; shape (cells,).
        transitions: of the series.
        possible, shown: the values that are left to each track, and that some world has; shape (tracks, words), uint64.
        parts: the tracks of each part.
    """

    network: Network
    rows: Counts
    transitions: Transitions | None
    possible: Words
    shown: Words
    parts: tuple[tuple[int, ...], ...]

    @cached_property
    def _linked(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for first, last in self.network.link.tolist():
            found.setdefault(first, []).append(last)
            found.setdefault(last, []).append(first)
        return found

    def local(self, part: Sequence[int]) -> Narrowing:
        """Return a part by itself, with the tracks that its tracks are linked to."""
        order = sorted({*part, *(other for track in part for other in self._linked.get(track, ()))})
        return Narrowing(self.network, dict(zip(order, masks(self.possible[order]), strict=True)), ())


class Excerpts:
    """Takes excerpts of a network."""

    def __init__(self, network: Network, rows: Counts, transitions: Transitions | None) -> None:
        self._network, self._rows, self._transitions = network, rows, transitions
        versions = network.versions
        self._version = np.argsort(versions.track, kind="stable")
        self._version_start = np.searchsorted(versions.track[self._version], np.arange(network.tracks + 1))
        self._near = np.full((2, network.tracks), -1, dtype=np.int64)
        self._near[0, network.link[:, 1]], self._near[1, network.link[:, 0]] = network.link.T

    def of(self, parts: Sequence[Sequence[int]], possible: Words, shown: Words) -> tuple[Excerpt, Numbers, Numbers]:
        """Return some parts; and which tracks and cells of the network the excerpt's are."""
        net = self._network
        inside = np.sort(np.concatenate([np.asarray(part, dtype=np.int64) for part in parts]))
        tracks = np.union1d(inside, self._near[:, inside])
        tracks = tracks[tracks >= 0]
        seats = np.sort(_gathered(*net.by_track, inside))
        blocks, sizes = np.unique(net.block_of[seats], return_counts=True)
        cells = _gathered(net.cell_start, np.arange(len(net.cell_value)), blocks)
        version = np.sort(_gathered(self._version_start, self._version, tracks))
        versions, hosts = self._known(version, tracks)
        first = np.searchsorted(tracks, self._near[0, tracks])
        linked = np.flatnonzero(np.isin(self._near[0, tracks], tracks))
        local = Network(
            domain=net.domain[tracks],
            class_of=net.class_of,
            versions=versions,
            seat_start=_starts(sizes),
            seat=np.searchsorted(tracks, net.seat[seats]).astype(np.int32),
            seat_version=np.searchsorted(version, net.seat_version[seats]).astype(np.int32),
            cell_start=_starts(np.diff(net.cell_start)[blocks]),
            cell_value=net.cell_value[cells],
            cell_rows=net.cell_rows[cells],
            cell_group=net.cell_group[cells],
            release=net.release[blocks],
            wide=net.wide[blocks],
            link=np.stack([first[linked], linked], axis=1).astype(np.int32),
            may=net.may,
            hosts=hosts,
        )
        own = tuple(tuple(np.searchsorted(tracks, part).tolist()) for part in parts)
        return Excerpt(local, self._rows[cells], self._transitions, possible[tracks], shown[tracks], own), tracks, cells

    def _known(self, version: Numbers, tracks: Numbers) -> tuple[Versions, tuple[Hosts, ...]]:
        """Return some versions, and for each release which groups may hold them, where several may."""
        net, versions = self._network, self._network.versions
        release = versions.release[version]
        host, hosts = np.zeros(len(version), dtype=np.int32), []
        wide = set(net.release[net.wide].tolist())
        for number, each in enumerate(net.hosts):
            here = np.flatnonzero(release == number) if number in wide else np.zeros(0, dtype=np.int64)
            host[here] = np.arange(len(here))
            hosts.append(_hosting(each, versions.host[version[here]]))
        told = Versions(
            versions.person[version],
            release,
            np.searchsorted(tracks, versions.track[version]).astype(np.int32),
            versions.counted[version],
            host,
        )
        return told, tuple(hosts)


def _hosting(hosts: Hosts, some: Codes) -> Hosts:
    """Return the groups that may hold some people of a release, and nothing else of it."""
    nothing = np.zeros(0, dtype=np.int32)
    individual: Flags = np.zeros(0, dtype=np.bool_)
    start, group = _starts(np.diff(hosts.start)[some]), _gathered(hosts.start, hosts.group, some).astype(np.int32)
    entries = Entries(nothing, nothing, None)
    return Hosts(hosts.person[some], hosts.fixed[some], start, group, hosts.n_groups, entries, individual, hosts.values)


def _gathered(start: Counts, content: npt.NDArray[np.integer], some: npt.NDArray[np.integer]) -> Numbers:
    """Return what stands at some places of a ragged array, one after the other."""
    size = (start[1:] - start[:-1])[some]
    place = np.arange(int(size.sum())) + np.repeat(start[:-1][some] - np.cumsum(size) + size, size)
    return content[place].astype(np.int64)


def _starts(sizes: npt.NDArray[np.integer]) -> Counts:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)])


def bunched(parts: Sequence[Sequence[int]], most: int) -> Iterator[list[Sequence[int]]]:
    """Yield parts that are given away together, in order, up to so many tracks; larger ones go alone."""
    bunch: list[Sequence[int]] = []
    tracks = 0
    for part in parts:
        if bunch and tracks + len(part) > most:
            yield bunch
            bunch, tracks = [], 0
        bunch.append(part)
        tracks += len(part)
    if bunch:
        yield bunch
