"""Deciding: what is possible after all releases, and which of it was certain after each earlier release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.knowledge import Knowledge
from attacks.joint.network_builder import OutOfTimeError, network_of
from attacks.joint.settling import ALL, TWO, Settling
from attacks.joint.values import Findings
from audit.model.evidence import Evidence
from audit.runtime.budget import Budget

# The share of the time limit for what is possible after all releases, and not for the timeline.
_FOR_LAST = 0.8
# The share of it in which the network must be built: with less time left, nothing would be found.
_FOR_NETWORK = 0.6
AIMS = (TWO, ALL)
"""First find worlds for two values of each person, which decides who is certain, then for all values."""


@dataclass(frozen=True)
class Decided:
    """The decision.

    Attributes:
        last, final: what is possible after all releases, and what that says of the versions that count.
        earlier: what of that was certain after the last releases before, in their order; nothing is before the first.
        whole: whether it is known of each release who was certain then.
    """

    last: Knowledge
    final: Findings
    earlier: list[Findings]
    whole: bool

    def counts(self, releases: int) -> list[tuple[int, int]]:
        """Return how many versions, and how many people's, were certain after each number of releases."""
        person = self.last.network.versions.person
        certain = [each.certain for each in (*self.earlier, self.final)]
        found = [(len(each), len(np.unique(person[each]))) for each in certain]
        return [(0, 0)] * (releases - len(found)) + found


def decide(
    evidence: Evidence,
    budget: Budget,
    seed: int = 0,
    aims: tuple[int, ...] = AIMS,
    *,
    each_part: bool = False,
) -> Decided:
    """Return what is possible after all releases and, if all values are decided, what was certain after fewer.

    A value that is certain early remains certain: so the releases are asked backward from the last but one, and only
    about people who are certain after the next one. Where no one is, no one was before.

    With `each_part` the worlds of small parts are counted where others are too large.

    Raises:
        TooManyChoicesError: people have too many possible rows.
        OutOfTimeError: the time limit was reached before anything was known.
    """
    releases = len(evidence.tags)
    network = network_of(evidence, releases, budget.fraction(_FOR_NETWORK))
    settling = Settling(evidence, network, budget.fraction(_FOR_LAST), seed)
    last = settling.settle(None, aims)
    if each_part:
        settling.count_small_parts()
    final, whole = Findings(last, combined=evidence.combined), True
    if not last.feasible:
        return Decided(last, final, [], whole=True)
    if evidence.adversary.knows_groups and settling.counts.variables[network.counted(last.alive) > 1].all():
        last.number = settling.counts.worlds(network, last.alive)
    places, asks_all = final.certain, ALL in aims
    earlier = list[Findings]()
    for release in range(releases - 1, 0, -1):
        if not len(places):
            break
        if not asks_all or budget.exhausted():
            whole = False
            break
        try:
            part = network_of(evidence, release, budget)
        except OutOfTimeError:
            whole = False
            break
        places = places[places < len(part.versions.person)]
        wanted = np.zeros(part.variables, dtype=np.bool_)
        wanted[part.versions.variable[places]] = True
        settling = Settling(evidence, part, budget.fraction(1 / release), seed, walked=settling.walked)
        decision = settling.settle(wanted, (TWO,) if evidence.combined is None else (TWO, ALL))
        last.feasible &= decision.feasible  # what has no world has none with more constraints
        earlier.append(Findings(decision, places, evidence.combined))
        places = earlier[-1].certain
    return Decided(last, final, earlier[::-1], whole and all(each.decided.all() for each in earlier))
