"""Deciding: what is possible given all releases, and how much of it was certain after each earlier release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.knowledge import Knowledge
from attacks.joint.network_builder import OutOfTimeError, network_of
from attacks.joint.settling import ALL, TWO, Settling
from attacks.joint.values import Findings
from audit.model.evidence import Evidence
from audit.runtime.budget import Budget

# The share of the time limit for the question about all releases; the rest is for the timeline.
_FOR_LAST = 0.8
# The share of the time limit in which the network must be built: later, no time would be left to find anything.
_FOR_NETWORK = 0.6
AIMS = (TWO, ALL)
"""First find worlds for two values of each person, which decides whose value is certain, then for all values."""


@dataclass(frozen=True)
class Decided:
    """What was decided about all versions.

    Attributes:
        last: the knowledge given all releases.
        final: the findings that follow from it.
        earlier: the findings after each number of releases before, ascending; numbers without findings are left out.
        whole: whether the certain versions after each number of releases are known exactly.
    """

    last: Knowledge
    final: Findings
    earlier: list[Findings]
    whole: bool

    def counts(self, releases: int) -> list[tuple[int, int]]:
        """Return, for each number of releases, how many versions were certain after them, and of how many people."""
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
    """Return what is possible given all releases and, if `aims` has all values, what was certain after fewer releases.

    A value that is certain remains certain in later releases. So numbers of releases are tried in descending order, and
    only versions are asked about that are certain after one release more.

    Args:
        evidence: the series and what the adversary knows.
        budget: the time limit.
        seed: the seed of the search for worlds.
        aims: for how many values of each person to find worlds, one aim after another; 0 means all.
        each_part: whether to count the worlds of small parts even if other parts are too large.

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
        last.feasible &= decision.feasible  # without a world for fewer releases there is none for more
        earlier.append(Findings(decision, places, evidence.combined))
        places = earlier[-1].certain
    return Decided(last, final, earlier[::-1], whole and all(each.decided.all() for each in earlier))
