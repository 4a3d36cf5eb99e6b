"""Deciding: what is possible after all releases, and what of it was certain after each release before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.arrays import Numbers
from attacks.joint.knowledge import Knowledge
from attacks.joint.network import ConstraintNetwork
from attacks.joint.network_builder import OutOfTimeError, network_of
from attacks.joint.settling import ALL, TWO, Settling
from attacks.joint.values import Findings
from audit.model.arrays import Flags
from audit.model.evidence import Evidence
from audit.runtime.budget import Budget

# The share of the time that may be used for what is possible after all releases, not for what was certain when.
_FOR_LAST = 0.8
# The share of it in which the network has to be built: with less time left nothing would be found out.
_FOR_NETWORK = 0.6
AIMS = (TWO, ALL)
"""Worlds are wanted of two values of everybody first, which tells who is certain, then of all values."""


@dataclass(frozen=True)
class Decided:
    """What was decided.

    Attributes:
        last: what is possible after all releases.
        earlier: what of that was certain after the last releases before, in their order; nothing is before the first.
        counts: how many versions were certain, and of how many people, after the last releases before; none were before
            the first of these.
        whole: whether it is known of each release who was certain then.
    """

    last: Knowledge
    earlier: list[Findings]
    counts: list[tuple[int, ...]]
    whole: bool


def decide(
    evidence: Evidence,
    budget: Budget,
    seed: int = 0,
    aims: tuple[int, ...] = AIMS,
    person: int | None = None,
    *,
    each_part: bool = False,
) -> Decided:
    """Return what is possible after all releases, and what of that was certain after fewer, where all values are asked.

    Whatever is certain early is certain in the end: backward from the last release but one, those alone are asked about
    who are certain after the next. Where nobody is, nobody was before.

    Of one person, given by code, it is only what is possible after all releases: what it is when everybody is decided.

    With `each_part` the worlds of small parts are counted where others are too large.

    Raises:
        TooManyChoicesError: people may have too many rows.
        OutOfTimeError: the time was up before anything was known.
    """
    releases = len(evidence.tags)
    network = network_of(evidence, releases, budget.fraction(_FOR_NETWORK))
    settling = Settling(evidence, network, budget.fraction(_FOR_LAST), seed)
    last = settling.settle(None, aims) if person is None else settling.settle(_of(network, person), aims, of_whole=True)
    if each_part:
        settling.count_small_parts()
    if not last.feasible:
        return Decided(last, [], [], whole=True)
    if evidence.adversary.knows_groups and settling.counts.variables[network.counted(last.alive) > 1].all():
        last.number = settling.counts.worlds(network, last.alive)
    if person is not None:
        return Decided(last, [], [], whole=True)
    final, whole = Findings(last, combined=evidence.combined), True
    places, asks_all = final.certain, ALL in aims
    earlier, counts = list[Findings](), list[tuple[int, ...]]()
    for release in range(releases - 1, 0, -1):
        if not len(places):
            break
        part = _in_time(evidence, release, budget) if asks_all else None
        if part is None:
            whole = False
            break
        places = places[places < len(part.versions.person)]
        wanted = np.zeros(part.variables, dtype=np.bool_)
        wanted[part.versions.variable[places]] = True
        settling = Settling(evidence, part, budget.fraction(1 / release), seed, walked=settling.walked)
        decision = settling.settle(wanted, (TWO,) if evidence.combined is None else (TWO, ALL))
        last.feasible &= decision.feasible  # what has no world has none with more to explain
        earlier.append(Findings(decision, places, evidence.combined))
        places = earlier[-1].certain
        counts.append(_counts(part, places))
    whole = whole and all(each.decided.all() for each in earlier)
    return Decided(last, earlier[::-1], counts[::-1], whole)


def _in_time(evidence: Evidence, releases: int, budget: Budget) -> ConstraintNetwork | None:
    """Return the network of the first releases; None where the time is up."""
    try:
        return None if budget.exhausted() else network_of(evidence, releases, budget)
    except OutOfTimeError:
        return None


def _counts(network: ConstraintNetwork, certain: Numbers) -> tuple[int, int]:
    """Return how many versions are certain, and of how many people."""
    return len(certain), len(np.unique(network.versions.person[certain]))


def _of(network: ConstraintNetwork, person: int) -> Flags:
    """Return which variables are a person's; shape (variables,)."""
    found = np.zeros(network.variables, dtype=np.bool_)
    found[network.versions.variable[network.versions.person == person]] = True
    return found
