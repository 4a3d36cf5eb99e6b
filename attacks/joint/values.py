"""From columns to values: what is possible for every person in every release."""

from __future__ import annotations

import numpy as np

from attacks.joint.arrays import Integers, Numbers, ragged, segments
from attacks.joint.knowledge import Knowledge, distinct
from attacks.joint.network import ConstraintNetwork
from audit.model.arrays import Codes, Flags
from audit.model.evidence import Combinations, claimed_code


class VersionValues:
    """The values of versions that columns stand for."""

    def __init__(self, network: ConstraintNetwork) -> None:
        self.network = network

    def of(self, some: Flags, release: int) -> tuple[Numbers, Numbers]:
        """Return pairs of a version of a release, counted from its first, and a value that some columns stand for.

        Each pair once, in order; of versions whose value is to be found out.
        """
        version, column, pair = self.columns(release)
        kept = some[column]
        version, column, pair = version[kept], column[kept], pair[kept]
        if self.network.plain:
            return _distinct(version, self.network.kind[column].astype(np.int64), len(self.network.kind_of))
        first, size = self._values_of(release)
        return _distinct(
            np.repeat(version, size[pair]),
            self._values(release)[ragged(first[pair], size[pair])],
            len(self.network.kind_of),
        )

    def columns(self, release: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return each column of each version of a release: version, column, and the place in the release's contents."""
        net = self.network
        begin, end = np.searchsorted(net.versions.release, [release, release + 1])
        version = np.flatnonzero(net.versions.entry[begin:end] >= 0)
        variable = net.versions.variable[begin:end][version]
        size = np.diff(net.start)[variable]
        column = segments(net.start, variable)
        version = np.repeat(version, size)
        entry = net.versions.entry[begin:end][version]
        has = net.row_start[column] < net.row_start[column + 1]
        pair = np.full(len(column), -1, dtype=np.int64)
        pair[has] = net.row[net.row_start[column[has]] + entry[has]] - net.first_row[release]
        free = np.flatnonzero(~has)
        if len(free):
            group = net.versions.group[begin:end][version[free]]
            pair[free] = net.contents[release].find(group, net.kind[column[free]])
        return version, column, pair

    def _values_of(self, release: int) -> tuple[Numbers, Numbers]:
        contents = self.network.contents[release]
        size = contents.values
        return np.cumsum(size) - size, size

    def _values(self, release: int) -> Numbers:
        """Return the values of each pair of a group and a class, one pair after the other."""
        contents = self.network.contents[release]
        kind = self.network.kind_of[contents.value]
        order = np.lexsort((contents.value, kind, contents.value_group))
        found: Numbers = contents.value[order]
        return found


def _distinct(version: Numbers, value: Numbers, values: int) -> tuple[Numbers, Numbers]:
    key = version * values + value
    if len(key) and not (key[1:] > key[:-1]).all():
        key = np.unique(key)
    return key // values, key % values


class Findings:
    """What is known of the versions that count.

    Attributes:
        certain: the versions with one possible value, or one of a combined attribute; ascending places.
        claim, value: a version and its value for each claim; several for combinations: one for each attribute of which
            one value is left; int64 and int32.
        decided: of which versions it is known whether they are certain; shape (versions,).
        pairs: (version, value) pairs that people's own groups leave.
        eliminated: those of them that are impossible.
        open: those that are neither shown nor proved impossible.
    """

    def __init__(
        self, decision: Knowledge, places: Numbers | None = None, combined: Combinations | None = None
    ) -> None:
        """Look at all versions, or at those at some places alone; `combined` are attributes that values combine."""
        network = decision.network
        versions = network.versions
        counts = versions.counted.copy()
        if places is not None:
            counts[:] = False
            counts[places] = True
        self.decided = np.ones(len(counts), dtype=np.bool_)
        if not network.plain or combined is not None:
            self._look(decision, counts, None if combined is None else combined.parts())
            return
        sizes = [
            distinct(network, some)[network.versions.variable]
            for some in (np.ones(network.columns, dtype=np.bool_), decision.alive, decision.shown & decision.alive)
        ]
        single = counts & (sizes[1] == 1)
        self.pairs, left, seen = (int(size[counts].sum()) for size in sizes)
        self.eliminated, self.open = self.pairs - left, left - seen
        self.decided = single | (sizes[2] > 1) | ~counts
        self.certain: Numbers = np.flatnonzero(single)
        only = np.zeros(network.variables, dtype=np.int32)
        column = segments(network.start, np.unique(versions.variable[self.certain]))
        living = column[decision.alive[column]]
        only[network.owner[living]] = network.kind[living]
        self.claim = self.certain
        self.value: Codes = only[versions.variable[self.certain]]

    def _look(self, decision: Knowledge, counts: Flags, parts: Codes | None) -> None:
        """Look at each release, where columns stand for several values, or values for several attributes."""
        network = decision.network
        look = VersionValues(network)
        everything = np.ones(network.columns, dtype=np.bool_)
        certain, value = [], []
        self.pairs = self.eliminated = self.open = 0
        for release in range(len(network.contents)):
            begin, end = np.searchsorted(network.versions.release, [release, release + 1]).tolist()
            counted = counts[begin:end]
            own, left, shown = (
                look.of(some, release) for some in (everything, decision.alive, decision.shown & decision.alive)
            )
            sizes = [np.bincount(each[0], minlength=end - begin) for each in (own, left, shown)]
            if parts is None:
                single = counted & (sizes[1] == 1)
                here = np.flatnonzero(single)
                codes: Integers = left[1][np.searchsorted(left[0], here)]
                known = single | (sizes[2] > 1)
            else:
                common = in_common(left, parts, end - begin)
                here, attribute = np.nonzero((common >= 0) & counted[:, np.newaxis])
                codes = common[here, attribute]
                for each in range(parts.shape[1]):
                    mine = attribute == each
                    codes[mine] = claimed_code(each, codes[mine], parts.shape[1])
                known = ((common >= 0) | (in_common(shown, parts, end - begin) == DIFFERENT)).all(axis=1)
            certain.append(begin + here)
            value.append(codes)
            pairs, kept, seen = (int(size[counted].sum()) for size in sizes)
            self.pairs += pairs
            self.eliminated += pairs - kept
            self.open += kept - seen
            self.decided[begin:end] = known | ~counted
        self.claim = np.concatenate(certain).astype(np.int64)
        self.certain = np.unique(self.claim)
        self.value = np.concatenate(value).astype(np.int32)


NOTHING, DIFFERENT = -2, -1


def in_common(pairs: tuple[Numbers, Numbers], parts: Codes, versions: int) -> Codes:
    """Return what the combinations of each version have in common, by attribute; shape (versions, attributes), int32.

    Args:
        pairs: versions and combinations, in order.
        parts: the value of each attribute that each combination is of; shape (combinations, attributes).
        versions: how many there are. Those without combinations have `NOTHING` in common; where values are different
            it is `DIFFERENT`.
    """
    version, value = pairs
    found = np.full((versions, parts.shape[1]), NOTHING, dtype=np.int32)
    if len(version):
        first = np.flatnonzero(np.append(True, version[1:] != version[:-1]))
        least = np.minimum.reduceat(parts[value], first, axis=0)
        most = np.maximum.reduceat(parts[value], first, axis=0)
        found[version[first]] = np.where(least == most, least, DIFFERENT)
    return found
