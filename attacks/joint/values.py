"""Values: what each person can have in each release, and how probably, from the columns of the network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attacks.joint.knowledge import Knowledge, distinct
from attacks.joint.network import ConstraintNetwork
from audit.model.arrays import Codes, Flags, Floats, Integers, Numbers, flagged, ragged, segments
from audit.model.evidence import Combinations, Evidence, claimed_code
from audit.model.outcome import BELOW_ONE, RiskQuery, Risks
from audit.runtime.budget import Budget


def version_values(network: ConstraintNetwork, columns: Flags, release: int) -> tuple[Numbers, Numbers]:
    """Return the distinct pairs of a version and a value that given columns represent in a release, sorted.

    Versions are counted from the first of the release; those with known row class and value are left out.

    Args:
        network: the network.
        columns: the given columns; shape (columns,), bool.
        release: the release.
    """
    version, _, value, _ = listed_values(network, columns, release)
    values = len(network.class_of)
    key = _distinct(version * values + value)[0]
    return key // values, key % values


def listed_values(net: ConstraintNetwork, columns: Flags, release: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Return what given columns represent in a release: version, column, value, and how many rows have the value.

    A column stands for all values of its class that the group has. The four arrays have shape (n,), int64.

    Args:
        net: the network.
        columns: the given columns; shape (columns,), bool.
        release: the release.
    """
    contents, own = net.contents[release], net.versions.of(release)
    version = np.flatnonzero(net.versions.entry[own] >= 0)
    variable = net.versions.variable[own][version]
    column = segments(net.start, variable)
    version = np.repeat(version, np.diff(net.start)[variable])
    version, column = version[columns[column]], column[columns[column]]
    entry = net.versions.entry[own][version]
    pair = net.row[net.row_start[column] + entry] - net.first_row[release]
    if net.plain:
        return version, column, net.value_class[column].astype(np.int64), contents.rows[pair]
    order = np.lexsort((contents.value, net.class_of[contents.value], contents.value_group))
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
        only[network.owner[living]] = network.value_class[living]
        self.value: Codes = only[versions.variable[self.certain]]

    def _look(
        self, network: ConstraintNetwork, counts: Flags, stages: tuple[Flags, Flags, Flags], parts: Codes | None
    ) -> None:
        """Read release by release, if columns represent several values, or values combine several attributes."""
        certain, value = list[Numbers](), list[Integers]()
        totals = np.zeros(3, dtype=np.int64)
        for release in range(len(network.contents)):
            span = network.versions.of(release)
            counted = counts[span]
            own, left, shown = (version_values(network, each, release) for each in stages)
            sizes = [np.bincount(version, minlength=len(counted)) for version, _ in (own, left, shown)]
            # Without combinations, each value is its own only part.
            of = np.arange(len(network.class_of), dtype=np.int32)[:, np.newaxis] if parts is None else parts
            common = in_common(left, of, len(counted))
            place, attribute = np.nonzero((common >= 0) & counted[:, np.newaxis])
            codes = common[place, attribute]
            if parts is not None:
                codes = claimed_code(attribute, codes, parts.shape[1])
            known = ((common >= 0) | (in_common(shown, of, len(counted)) == DIFFERENT)).all(axis=1)
            certain.append(span.start + place)
            value.append(codes)
            totals += [int(size[counted].sum()) for size in sizes]
            self.decided[span] = known | ~counted
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


@dataclass(frozen=True)
class WorldRisks:
    """Risks as shares of worlds, each weighted by its transitions."""

    evidence: Evidence
    decision: Knowledge

    @cached_property
    def counts_worlds(self) -> bool:
        """Whether shares of worlds are exact.

        They are if the adversary knows groups, if no person is in two releases, or if no release has places for people
        outside the register. Otherwise the unknown people of two releases may be the same, which is not counted.
        """
        versions = self.decision.network.versions
        pairs = np.unique(np.stack([versions.person, versions.release]), axis=1)[0]
        if self.evidence.adversary.knows_groups or len(np.unique(pairs)) == len(pairs):
            return True
        releases = map(self.evidence.source.candidate_groups, range(len(self.decision.network.contents)))
        return all(seen.group_capacity.sum() <= len(seen.person) for seen in releases)

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the risk of every version that counts and whose part was counted; None if time runs out.

        Args:
            asked: the requested value of each version, or the likeliest.
            budget: the time limit.
        """
        versions = self.decision.network.versions
        people, releases, risks, uncounted = [], [], [], []
        for release in range(len(self.decision.network.contents)):
            if budget.exhausted():
                return None
            span = versions.of(release)
            person, counted = versions.person[span], versions.counted[span]
            wanted = np.full(int(versions.person.max(initial=-1)) + 1, -1, dtype=np.int64)
            if (values := asked.of_versions(release)) is not None:
                wanted[self.evidence.pools(release).person] = values
            version, value, share = self.shares(release)
            known = counted.copy()
            known[version[np.isnan(share)]] = False
            of_known = known[version]
            risk = self._risk(wanted[person], (version[of_known], value[of_known], share[of_known]))
            people.append(person[known])
            uncounted.append(person[counted & ~known])
            releases.append(np.full(int(known.sum()), release, dtype=np.int32))
            risks.append(risk[known])
        person, missing = np.concatenate(people), len(np.unique(np.concatenate(uncounted)))
        ones = np.ones(len(person), dtype=np.int32)
        return Risks(person, np.concatenate(releases), ones, np.concatenate(risks), missing)

    def _risk(self, target: Integers, shares: tuple[Numbers, Numbers, Floats]) -> Floats:
        """Return the probability of the requested value, or of the likeliest one (-1); NaN if it is impossible.

        For combined attributes it is the highest probability among the attributes' own values.
        """
        version, value, share = shares
        matches = target[version] == value
        possible = flagged(version[matches & (share > 0)], len(target))
        combined = self.evidence.combined
        parts, asked = (each[:, np.newaxis] if combined is None else combined.parts()[each] for each in (value, target))
        risk = np.zeros(len(target))
        for at in range(parts.shape[1]):
            part = parts[:, at].astype(np.int64)
            number = int(part.max(initial=0)) + 1
            keys, place = _distinct(version * number + part)
            total = np.bincount(place, weights=share, minlength=len(keys))
            total = np.clip(total, np.finfo(np.float64).tiny, BELOW_ONE)
            owner, which = keys // number, keys % number
            total[np.bincount(owner, minlength=len(target))[owner] == 1] = 1.0
            asked_for = (target[owner] < 0) | (which == asked[owner, at])
            np.maximum.at(risk, owner[asked_for], total[asked_for])
        found: Floats = np.where((target < 0) | possible, risk, np.nan)
        return found

    def shares(self, release: int) -> tuple[Numbers, Numbers, Floats]:
        """Return triples of a version, a possible value, and the share of worlds that have it, for one release.

        Versions are counted from the first of the release; triples are sorted. The people of a group may exchange
        values of a class, so that the share of a value is proportional to its rows. A share of 0 or 1 by rounding is
        replaced by the next float inside: only a single possible value has share 1. NaN if the part was not counted.
        """
        network = self.decision.network
        version, column, value, rows = listed_values(network, self.decision.alive, release)
        values = len(network.class_of)
        share = self.decision.share[column] * rows / np.bincount(column, weights=rows, minlength=1)[column]
        distinct, where = _distinct(version * values + value)
        total = np.bincount(where, weights=share, minlength=len(distinct))
        version, value = distinct // values, distinct % values
        several = np.bincount(version, minlength=int(version.max(initial=-1)) + 1)[version] > 1
        rounded = np.clip(total, np.finfo(np.float64).tiny, BELOW_ONE)
        return version, value, np.where(several | np.isnan(total), rounded, 1.0)


def _distinct(keys: Numbers) -> tuple[Numbers, Numbers]:
    """Return the distinct numbers, ascending, and the place of each number among them; fast if they are distinct."""
    if (keys[1:] > keys[:-1]).all():
        return keys, np.arange(len(keys))
    return np.unique(keys, return_inverse=True)
