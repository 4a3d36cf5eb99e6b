"""Values: the possible values of every person in every release, from the columns of the network."""

from __future__ import annotations

import numpy as np

from attacks.joint.knowledge import Knowledge, distinct
from attacks.joint.network import ConstraintNetwork
from attacks.ragged import ragged, segments
from audit.model.arrays import Codes, Flags, Integers, Numbers
from audit.model.evidence import Combinations, claimed_code


def version_values(network: ConstraintNetwork, columns: Flags, release: int) -> tuple[Numbers, Numbers]:
    """Return the distinct pairs of a version and a value that given columns represent in a release, sorted.

    Versions are counted from the first of the release; those with known row class and value are left out.

    Args:
        network: the network.
        columns: the given columns; shape (columns,), bool.
        release: the release.
    """
    version, _, value, _ = listed_values(network, columns, release)
    values = len(network.kind_of)
    key = version * values + value
    if len(key) and not (key[1:] > key[:-1]).all():
        key = np.unique(key)
    return key // values, key % values


def listed_values(network: ConstraintNetwork, some: Flags, release: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return what given columns represent in a release: version, column, value, and how many rows have the value.

    A column stands for all values of its class that the group has. The four arrays have shape (n,), int64.

    Args:
        network: the network.
        some: the given columns; shape (columns,), bool.
        release: the release.
    """
    net, contents = network, network.contents[release]
    begin, end = np.searchsorted(net.versions.release, [release, release + 1])
    version = np.flatnonzero(net.versions.entry[begin:end] >= 0)
    variable = net.versions.variable[begin:end][version]
    column = segments(net.start, variable)
    version = np.repeat(version, np.diff(net.start)[variable])
    version, column = version[some[column]], column[some[column]]
    entry = net.versions.entry[begin:end][version]
    pair = net.row[net.row_start[column] + entry] - net.first_row[release]
    if net.plain:
        return version, column, net.kind[column].astype(np.int64), contents.rows[pair]
    order = np.lexsort((contents.value, net.kind_of[contents.value], contents.value_group))
    size = contents.values[pair]
    place = order[ragged((np.cumsum(contents.values) - contents.values)[pair], size)]
    return np.repeat(version, size), np.repeat(column, size), contents.value[place], contents.value_rows[place]


class Findings:
    """The findings about the versions that count.

    Attributes:
        certain: the numbers of versions with one possible value (or one of some combined attribute), ascending; int64.
        claim, value: the version and the value of each claim, int64 and int32. If attributes are combined, a version
            has a claim for each attribute with one possible value.
        decided: whether it is known if the version is certain; true for versions that do not count; (versions,), bool.
        pairs: the number of (version, value) pairs that people's own groups leave.
        eliminated: how many of them are impossible.
        open: how many of them are neither shown nor proved impossible.
    """

    def __init__(
        self, decision: Knowledge, places: Numbers | None = None, combined: Combinations | None = None
    ) -> None:
        """Read the findings from what is known about the columns.

        Args:
            decision: the knowledge of the columns.
            places: the versions that count, by number; None for all that measures count.
            combined: the attributes whose combinations are the values; None if values are of one attribute.
        """
        network = decision.network
        versions = network.versions
        counts = versions.counted.copy()
        if places is not None:
            counts[:] = False
            counts[places] = True
        self.decided = np.ones(len(counts), dtype=np.bool_)
        stages = np.ones(network.columns, dtype=np.bool_), decision.alive, decision.shown & decision.alive
        if not network.plain or combined is not None:
            self._look(network, counts, stages, None if combined is None else combined.parts())
            return
        sizes = [distinct(network, each)[versions.variable] for each in stages]
        single = counts & (sizes[1] == 1)
        self.pairs, left, seen = (int(size[counts].sum()) for size in sizes)
        self.eliminated, self.open = self.pairs - left, left - seen
        self.decided = single | (sizes[2] > 1) | ~counts
        self.claim = self.certain = np.flatnonzero(single)
        only, living = np.zeros(network.variables, dtype=np.int32), np.flatnonzero(decision.alive)
        only[network.owner[living]] = network.kind[living]
        self.value: Codes = only[versions.variable[self.certain]]

    def _look(
        self, network: ConstraintNetwork, counts: Flags, stages: tuple[Flags, Flags, Flags], parts: Codes | None
    ) -> None:
        """Read release by release, if columns represent several values, or values combine several attributes."""
        certain, value = list[Numbers](), list[Integers]()
        totals = np.zeros(3, dtype=np.int64)
        for release in range(len(network.contents)):
            begin, end = np.searchsorted(network.versions.release, [release, release + 1]).tolist()
            counted = counts[begin:end]
            own, left, shown = (version_values(network, each, release) for each in stages)
            sizes = [np.bincount(each[0], minlength=end - begin) for each in (own, left, shown)]
            # Without combinations, each value is its own only part.
            of = np.arange(len(network.kind_of), dtype=np.int32)[:, np.newaxis] if parts is None else parts
            common = in_common(left, of, end - begin)
            place, attribute = np.nonzero((common >= 0) & counted[:, np.newaxis])
            codes = common[place, attribute]
            if parts is not None:
                codes = claimed_code(attribute, codes, parts.shape[1])
            known = ((common >= 0) | (in_common(shown, of, end - begin) == DIFFERENT)).all(axis=1)
            certain.append(begin + place)
            value.append(codes)
            totals += [int(size[counted].sum()) for size in sizes]
            self.decided[begin:end] = known | ~counted
        self.pairs, self.eliminated, self.open = int(totals[0]), int(totals[0] - totals[1]), int(totals[1] - totals[2])
        self.claim = np.concatenate(certain).astype(np.int64)
        self.certain = np.unique(self.claim)
        self.value = np.concatenate(value).astype(np.int32)


NOTHING, DIFFERENT = -2, -1


def in_common(pairs: tuple[Numbers, Numbers], parts: Codes, versions: int) -> Codes:
    """Return the value of each attribute that all combinations of a version share; shape (versions, attributes), int32.

    It is `DIFFERENT` if they have several values, and `NOTHING` if the version has no combinations.

    Args:
        pairs: the version and the combination of each pair, sorted by version; two arrays of shape (pairs,).
        parts: the value of each attribute in each combination; shape (combinations, attributes).
        versions: the number of versions.
    """
    version, value = pairs
    found = np.full((versions, parts.shape[1]), NOTHING, dtype=np.int32)
    if len(version):
        first = np.flatnonzero(np.append(True, version[1:] != version[:-1]))
        least = np.minimum.reduceat(parts[value], first, axis=0)
        most = np.maximum.reduceat(parts[value], first, axis=0)
        found[version[first]] = np.where(least == most, least, DIFFERENT)
    return found
