"""Answers to questions about a decided network: possible values of a version, values that a person ever had."""

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
    """Answers from the knowledge about all columns; an answer about one version computes its whole release."""

    decision: Knowledge
    evidence: Evidence

    def ever(self, grave: Flags, budget: Budget) -> EverKnown:
        """Return for each person whether they had a grave value in any release.

        Args:
            grave: which values to look for, by value code; shape (values,), bool.
            budget: the time limit.
        """
        return ever(self.evidence, self.decision, grave, budget)

    def equal_people(self, known: Codes, budget: Budget) -> EqualPeople:
        """Return the pairs of people with equal values in all worlds, except people with certain values.

        Args:
            known: pairs that are already known to be equal, and are not returned; shape (pairs, 2), int32.
            budget: the time limit.
        """
        return equal_people(self.decision, known, budget)

    def possible(self, person: int, release: int) -> Sequence[int]:
        """Return the value codes that are not proved impossible; empty if the person is not in the release."""
        return self._values(self.decision.alive, person, release)

    def open(self, person: int, release: int) -> Sequence[int]:
        """Return the possible values that no known world contains; none if only one value is possible."""
        possible = self.possible(person, release)
        if len(possible) == 1:
            return ()
        shown = set(self._values(self.decision.shown, person, release))
        return [value for value in possible if value not in shown]

    def worlds(self) -> Iterator[tuple[tuple[Codes, Codes], ...]]:
        """Yield a few different worlds; each gives, by release, the row class and the value of each person."""
        hosts = [self.evidence.source.hosts(release) for release in range(len(self.evidence.tags))]
        for number, world in enumerate(few_worlds(self.decision)):
            yield tuple(values_of(hosts, self.decision, world, number))

    def points(self, budget: Budget) -> Iterator[RowCosts]:
        """Yield points of rows that prove values impossible which no single group proves impossible."""
        return row_costs(self.decision, budget)

    def left(self, release: int) -> ValuesLeft:
        """Return the possible values of every person in a release whose value is not known beforehand."""
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

    def _values(self, columns: Flags, person: int, release: int) -> Sequence[int]:
        versions = self.decision.network.versions
        begin, end = np.searchsorted(versions.release, [release, release + 1])
        place = np.flatnonzero(versions.person[begin:end] == person)
        if not len(place):
            return ()
        if versions.entry[begin + place[0]] < 0:
            column = np.flatnonzero(columns & (self.decision.network.owner == versions.variable[begin + place[0]]))
            return np.unique(self.decision.network.kind[column]).tolist()
        version, value = version_values(self.decision.network, columns, release)
        found: list[int] = value[version == place[0]].tolist()
        return found
