"""Joint inference: which values remain possible when all people are considered together.

Threat model: the adversary knows, for each release, which people each group holds (`linked`), or all people's exact
quasi-identifiers and presence (`register`), and which value may follow which.

Claim: a *world* assigns to every person who is known to be in a release a row of it, and no row to two people. Each
person has the same value in all releases, or values that follow one another along transitions. A value is possible for
a person in a release exactly when some world has it. A version (a person in a release) with one possible value is
*certain*. A value is *open* if no world with it was found, and no proof that there is none.

Risk: the share of the worlds that have the value, each weighted by its transition probabilities, if all worlds were
counted.

Cost: deciding whether a value is possible is NP-hard in general. `settling` describes the steps.

>>> JointAttack().name
'joint'

`decide` says what is possible given all releases, and how much of it was certain after each earlier release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from attacks.joint.answers import Answers
from attacks.joint.knowledge import Knowledge
from attacks.joint.network_builder import OutOfTimeError, TooManyChoicesError, network_of
from attacks.joint.proofs import disclosures
from attacks.joint.settling import ALL, TWO, Settling
from attacks.joint.values import Findings, WorldRisks
from audit.model.arrays import flagged
from audit.model.evidence import Evidence, per_person_reason, together_reason
from audit.model.finding import WITHHOLD, FindingRule
from audit.model.measures import ABSENT, VERSIONS, Absent, Measures
from audit.model.options import option
from audit.model.outcome import Outcome, PolicyOptions
from audit.runtime.budget import Budget
from audit.runtime.phrases import Noun, Phrase, Reason, ReasonKind, combined, say, say_count

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
        wanted = flagged(part.versions.variable[places], part.variables)
        settling = Settling(evidence, part, budget.fraction(1 / release), seed, walked=settling.walked)
        decision = settling.settle(wanted, (TWO,) if evidence.combined is None else (TWO, ALL))
        last.feasible &= decision.feasible  # without a world for fewer releases there is none for more
        earlier.append(Findings(decision, places, evidence.combined))
        places = earlier[-1].certain
    return Decided(last, final, earlier[::-1], whole and all(each.decided.all() for each in earlier))


@dataclass(frozen=True, eq=False, kw_only=True)
class JointMeasures(Measures):
    """How many values remain possible when all people are considered together.

    Attributes:
        versions: the number of versions (a person in a release) that count.
        certain: the number of versions with one possible value.
        eliminated: the number of (version, value) pairs that the person's own groups leave, after the rows of people
            with known row class and value are removed, and that are impossible.
        open: the number of such pairs that are neither in a known world nor proved impossible.
        worlds: the number of worlds; absent if they were not counted.
        certain_unproved: the number of certain versions that rest on a solver's word without a proof.
    """

    versions: int
    certain: int
    eliminated: int
    open: int
    worlds: int | Absent = ABSENT
    certain_unproved: int = 0

    counted: ClassVar[tuple[str, str] | None] = ("versions", "certain")
    subjects_label: ClassVar[Noun | str] = VERSIONS
    by_version: ClassVar[bool] = True
    about_all_people: ClassVar[bool] = True
    timeline_label: ClassVar[Phrase | str] = Phrase("certain")

    def with_unproved(self, count: int) -> JointMeasures:
        """Return the measures with at least `count` certain versions without a proof."""
        return replace(self, certain_unproved=max(self.certain_unproved, count))

    def notes(self, attack: str) -> Iterator[str]:
        """Yield sentences about values that are open and versions without a proof."""
        if self.open:
            yield say_count(
                "{attack} could not decide whether {count} [value of a person is|values of people are] possible.",
                self.open,
                attack=attack,
            )
        if self.certain_unproved:
            yield say_count(
                "Within the limits, {attack} found no proof for {count} [version|versions] that it calls certain.",
                self.certain_unproved,
                attack=attack,
            )


# The share of the time limit for deciding; the rest is for proofs of the findings.
_FOR_DECIDING = 0.85


@dataclass(frozen=True)
class JointAttack(PolicyOptions):
    """Decide for every person and value whether some world has it.

    Attributes:
        seed: the seed of the search for worlds; another seed may decide more or fewer of the hard values.
        aims: for how many values of each person to find worlds, one aim after another; 0 means all; without aims,
            values are only ruled out group by group.
        max_risk: the policy's limit; below 1, worlds of small parts are counted even if other parts are too large.
        if_constant: the clauses that need all values where values never change.
    """

    seed: int = option(0, help="seed of the random search for worlds", anywhere=True)
    aims: tuple[int, ...] = AIMS
    max_risk: float = 1.0
    if_constant: frozenset[str] = frozenset()
    name: ClassVar[str] = "joint"
    measures: ClassVar[type[JointMeasures]] = JointMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"max_risk", "max_ever_risk", "closeness"})
    asks_worlds: ClassVar[bool] = True
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "disclosure": FindingRule("In all assignments of rows to people that fit, this is the value.", WITHHOLD)
    }

    def only_deciding(self, limits: Mapping[str, float], /) -> JointAttack:
        """Return the attack that looks for only two possible values of each person, if that decides the policy.

        Limits on risks below 1, on risks in any release, and, if values never change, on e require all possible values.
        Without limits, values are ruled out group by group, and no world is searched for.
        """
        if not limits:
            return replace(self, aims=())
        every = limits.get("max_risk", 1.0) < 1 or "max_ever_risk" in limits
        asks_e = frozenset({"min_e"} if limits.get("min_e", 1) > 1 else ())
        return self if every else replace(self, aims=AIMS[:1], if_constant=asks_e)

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return the versions with one possible value as claims; skipped if the attack does not fit the evidence."""
        reason = per_person_reason(evidence) or together_reason(evidence)
        if reason is not None:
            return Outcome.skipped(self.name, reason)
        deciding = budget.fraction(_FOR_DECIDING)
        try:
            # Worlds for two values do not suffice if these are close numbers or of one category.
            every = evidence.numbers or evidence.categories or (self.if_constant and evidence.transitions is None)
            aims = AIMS if self.aims and every else self.aims
            decided = decide(evidence, deciding, self.seed, aims, each_part=self.max_risk < 1)
        except TooManyChoicesError:
            what = say("each person may be in too many rows to analyse all people together")
            return Outcome(self.name, "incomplete", what, _nothing_known(evidence))
        except OutOfTimeError:
            return Outcome(self.name, "incomplete", budget.reason, _nothing_known(evidence))
        return self._outcome(evidence, decided, budget, late=deciding.exhausted())

    def _outcome(self, evidence: Evidence, decided: Decided, budget: Budget, *, late: bool) -> Outcome:
        """Return the outcome of what was decided about all versions; `late` if time was up before the proofs."""
        decision, found, counts = decided.last, decided.final, decided.counts(len(evidence.tags))
        versions = decision.network.versions
        measures = JointMeasures(
            versions=int(versions.counted.sum()),
            certain=len(found.certain),
            eliminated=found.eliminated,
            open=found.open,
            worlds=ABSENT if decision.number is None else decision.number,
            timeline=[certain for certain, _ in counts],
        )
        nothing = _nothing(evidence, measures.versions, found.pairs)
        if not decision.feasible:
            what = (
                say(
                    "no assignment of rows to people fits all releases: values change that must not change, or the "
                    'key or the register is wrong; if values may change, write transitions = "any" under [adversary], '
                    "or name a file that says which value may become which"
                )
                if evidence.transitions is None
                else say(
                    "no assignment of rows to people fits all releases: values change otherwise than the transitions "
                    "allow, or the key or the register is wrong"
                )
            )
            return Outcome(self.name, "incomplete", Reason(what, ReasonKind.CONTRADICTION), nothing)
        place = versions.person[found.claim], versions.release[found.claim], found.value
        claims, unproved = disclosures(evidence, decision, place, budget)
        measures = replace(measures, certain_unproved=unproved)
        claims = replace(claims, nothing=nothing, exhaustive=bool(found.decided.all()))
        reason = None
        if found.open or not decided.whole:
            hard = Reason(say("parts of the series are too large or too hard to decide"), ReasonKind.TOO_HARD)
            left = (
                say_count("{count} [value of a version is|values of versions are] open", found.open)
                if found.open
                else Outcome.timeline_bounds()
            )
            reason = combined([budget.reason if late else hard, left])
        counted = reason is None and not np.isnan(decision.share[decision.alive]).any()
        return Outcome(
            self.name,
            "complete" if reason is None else "incomplete",
            reason,
            measures,
            claims,
            WorldRisks(evidence, decision) if counted or self.max_risk < 1 else None,
            knowing=Answers(decision, evidence),
            exposed=tuple(people for _, people in counts),
        )


def _nothing_known(evidence: Evidence) -> JointMeasures:
    """Return the measures of a series that is too large to attack: every value is open."""
    versions = values = 0
    for seen in evidence.stream():
        values = max(values, seen.values)
        versions += len(seen.person) if seen.counted is None else int(seen.counted.sum())
    return _nothing(evidence, versions, versions * values)


def _nothing(evidence: Evidence, versions: int, pairs: int) -> JointMeasures:
    """Return the measures if nothing is known about the versions."""
    return JointMeasures(versions=versions, certain=0, eliminated=0, open=pairs, timeline=[0] * len(evidence.tags))
