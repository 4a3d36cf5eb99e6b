"""Answers about single versions: their possible values, and what their people ever had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from attacks.joint.distinguishing import equal_people
from attacks.joint.ever import ever
from attacks.joint.few_worlds import few_worlds, values_of
from attacks.joint.knowledge import Knowledge
from attacks.joint.posteriors import WorldRisks
from attacks.joint.row_costs import row_costs
from attacks.joint.values import version_values
from audit.model.arrays import Codes, Flags
from audit.model.evidence import Evidence
from audit.model.outcome import EqualPeople, EverKnown, RowCosts, ValuesLeft
from audit.runtime.budget import Budget


@dataclass(frozen=True)
class Answers:
    """The possible values of any one version, as decided; each answer computes the whole release."""

    decision: Knowledge
    evidence: Evidence

    def ever(self, grave: Flags, budget: Budget) -> EverKnown:
        """Return what is known about people having had each of some values in any release; shape (values,)."""
        return ever(self.evidence, self.decision, grave, budget)

    def equal_people(self, known: Codes, budget: Budget) -> EqualPeople:
        """Return the people with equal values in all worlds, without `known` pairs and people with certain values."""
        return equal_people(self.decision, known, budget)

    def possible(self, person: int, release: int) -> Sequence[int]:
        """Return the values that are not proved impossible; empty if the person is not in the release."""
        return self._values(self.decision.alive, person, release)

    def open(self, person: int, release: int) -> Sequence[int]:
        """Return the values without a known world that are not proved impossible; a single value is in every world."""
        possible = self.possible(person, release)
        if len(possible) == 1:
            return ()
        shown = set(self._values(self.decision.shown, person, release))
        return [value for value in possible if value not in shown]

    def worlds(self) -> Iterator[tuple[tuple[Codes, Codes], ...]]:
        """Yield the row classes and values of the people of each release, in a few different worlds."""
        hosts = [self.evidence.source.hosts(release) for release in range(len(self.evidence.tags))]
        for number, world in enumerate(few_worlds(self.decision)):
            yield tuple(values_of(hosts, self.decision, world, number))

    def points(self, budget: Budget) -> Iterator[RowCosts]:
        """Yield the points of rows that prove what is impossible and what single groups do not prove."""
        return row_costs(self.decision, budget)

    def left(self, release: int) -> ValuesLeft:
        """Return the possible values of all people in a release whose value is to be found."""
        decision, versions, risks = (
            self.decision,
            self.decision.network.versions,
            WorldRisks(self.evidence, self.decision),
        )
        version, value, share = risks.shares(release)
        if not risks.counts_worlds:
            share = np.full(len(share), np.nan)
        shown = version_values(decision.network, decision.shown & decision.alive, release)
        values = len(decision.network.kind_of)
        seen = np.isin(version * values + value, shown[0] * values + shown[1])
        place = int(np.searchsorted(versions.release, release)) + version
        return ValuesLeft(versions.person[place], value.astype(np.int32), seen, versions.counted[place], share)

    def _values(self, some: Flags, person: int, release: int) -> Sequence[int]:
        versions = self.decision.network.versions
        begin, end = np.searchsorted(versions.release, [release, release + 1])
        place = np.flatnonzero(versions.person[begin:end] == person)
        if not len(place):
            return ()
        if versions.entry[begin + place[0]] < 0:
            column = np.flatnonzero(some & (self.decision.network.owner == versions.variable[begin + place[0]]))
            return np.unique(self.decision.network.kind[column]).tolist()
        version, value = version_values(self.decision.network, some, release)
        found: list[int] = value[version == place[0]].tolist()
        return found
