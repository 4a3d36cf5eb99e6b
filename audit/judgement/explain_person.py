"""Explaining: what attacks say of one person, beside what the person's own groups leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from audit.adversary.view import View
from audit.findings.disclosure import Disclosures
from audit.model.arrays import Codes
from audit.model.errors import UsageError, printable
from audit.model.evidence import Evidence
from audit.model.explanation import Explained, ExplainedVersion, Explanation, Said, Share
from audit.model.finding import FindingRule
from audit.model.outcome import Attack, Outcome
from audit.model.report import Report
from audit.runtime.budget import Budget
from audit.runtime.phrases import joined, say
from audit.verification.disclosure import Checker
from audit.verification.published_rows import published_by


@dataclass(frozen=True)
class AttackedEvidence:
    """What an attack has found out about all people."""

    attack: str
    sensitive: str
    outcome: Outcome


@dataclass(frozen=True)
class About:
    """An attack that speaks of one person only; what it found out about all people is noted in `seen`.

    `person` is the code of this person by attribute, as far as `among` finds one.
    """

    attack: Attack
    individual: str
    seen: list[AttackedEvidence] = field(default_factory=list)
    person: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The attack's name."""
        return self.attack.name

    @property
    def decides(self) -> frozenset[str]:
        """The clauses of the policy that the attack can decide."""
        return self.attack.decides

    @property
    def per_attribute(self) -> bool:
        """Whether it reasons about sensitive values."""
        return self.attack.per_attribute

    @property
    def rules(self) -> Mapping[str, FindingRule]:
        """What the attack's findings mean."""
        return getattr(self.attack, "rules", {})

    def with_policy(self, limits: Mapping[str, float], /) -> About:
        """Return the attack as the policy's limits want it."""
        return replace(self, attack=self.attack.with_policy(limits))

    def among(self, views: Sequence[View]) -> About:
        """Return the attack as it speaks of one of the people who are seen.

        Raises:
            UsageError: the adversary knows of no one with this identifier.
        """
        return replace(self, person=find(views, self.individual))

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return what the attack finds out, with its claims about the person alone."""
        person = self.person.get(evidence.sensitive)
        if person is None:
            return Outcome.skipped(self.name, say("this person is judged for other sets of releases here"))
        asking: Callable[[int], Attack] | None = getattr(self.attack, "about", None)
        outcome = (self.attack if asking is None else asking(person)).run(evidence, budget)
        self.seen.append(AttackedEvidence(self.attack.name, evidence.sensitive, outcome))
        claims = None if outcome.claims is None else outcome.claims.about(person)
        # Risks are asked for later on, for each value of this person.
        return replace(outcome, claims=claims, model=None)


def find(views: Sequence[View], individual: str) -> dict[str, int]:
    """Return the code of a person, or of a kind of people who may be in the data, by the attributes that have one.

    Raises:
        UsageError: none has: several kinds are of this person, or another person stands for them, or there is no one
            with this identifier; which ones there are is not said.
    """
    series, found = views[0].series, dict[str, int]()
    person = series.person(individual)
    for view in views:
        hosts = [view.source.hosts(release) for release in range(len(view.tags))]
        for code in (person, series.people.find(f"{individual} ")):  # in the data, or in some of the releases
            if any(code in each.person and each.individual[code] for each in hosts):
                found[view.sensitive] = code
    if found:
        return found
    if ways := _judged_as(views, person):
        listed = joined([*map(printable, ways)])
        raise UsageError(f"--individual: who looks alike is judged once, for each set of releases; ask for {listed}")
    where = views[0].adversary.people_listed
    raise UsageError(f"--individual: nobody with this identifier is in {where}; write it as it stands there")


def _judged_as(views: Sequence[View], person: int) -> list[str]:
    """Return the names under which a person who may be in the data is judged, one for each set of releases."""
    kinds = [view.possible_kinds for view in views if view.possible_kinds is not None]
    return [*dict.fromkeys(each.kinds[code].name.strip() for each in kinds for code in each.of_person(person))]


def explanation(
    report: Report,
    views: Sequence[View],
    seen: Sequence[AttackedEvidence],
    individual: str,
    person: Mapping[str, int],
    seconds: float | None,
) -> Explanation:
    """Return what attacks have found out about one person.

    Args:
        report: what they say of the person alone.
        views: what the adversary sees.
        seen: what they found out about all people.
        individual: the person's identifier.
        person: the person's code in the evidence of each attribute.
        seconds: how long finding each risk may take.
    """
    explained = []
    for sensitive in dict.fromkeys(each.sensitive for each in seen):
        mine = {each.attack: each for each in seen if each.sensitive == sensitive}
        said = tuple(
            Said(attack.attack, attack.status, attack.reason, attack.findings)
            for attack in report.attacks
            if attack.sensitive in {None, sensitive} and attack.attack in _worth_telling(mine)
        )
        [view] = [each for each in views if each.sensitive == sensitive]
        explained.append(_Person(view, mine, person[sensitive], seconds).explained(said))
    kinds = [(each.possible_kinds, person[each.sensitive]) for each in views if each.sensitive in person]
    owners = {each.kinds[code].person for each, code in kinds if each is not None}
    also = tuple(name for one in owners for name in _judged_as(views, one) if name != individual)
    return Explanation(report.series.name, individual, report.adversary, tuple(explained), also)


def _worth_telling(seen: Mapping[str, AttackedEvidence]) -> list[str]:
    """Return the attacks that apply; where values never change `update-graph` says what `intersection` says."""
    ran = [name for name, each in seen.items() if each.outcome.ran]
    return [name for name in ran if name != "update-graph" or "intersection" not in ran]


class _Person:
    """One person's versions as attacks on one sensitive attribute see them."""

    def __init__(self, view: View, seen: Mapping[str, AttackedEvidence], code: int, seconds: float | None) -> None:
        self.evidence, self.code = view, code
        self.published = published_by(view)
        self.steps = {step.release: step for step in Checker(self.published).own(self.code)}
        self.joint = seen["joint"].outcome if "joint" in seen else None
        self.shares = {name: self._shares(seen[name].outcome, seconds) for name in _worth_telling(seen)}

    def explained(self, said: tuple[Said, ...]) -> Explained:
        """Return what is known of every version."""
        absent = tuple(tag for at, tag in enumerate(self.evidence.tags) if at not in self.steps)
        return Explained(self.evidence.sensitive, tuple(map(self._version, self.steps)), absent, said)

    def _version(self, release: int) -> ExplainedVersion:
        values, step = self.evidence.values, self.steps[release]
        known, truth = self.published.known(self.code, release), self._truth(release)
        together, left_open = self._together(release)
        shares = [
            Share(attack, values[value], risk)
            for attack, found in self.shares.items()
            for (at, value), risk in sorted(found.items(), key=lambda one: (-one[1], values[one[0][1]]))
            if at == release
        ]
        return ExplainedVersion(
            self.evidence.tags[release],
            step.groups,
            self._texts(step.candidates),
            self._texts(step.feasible or ()),
            None if together is None else self._texts(together),
            None if together is None else self._texts(set(step.feasible or ()) - set(together)),
            None if left_open is None else self._texts(left_open),
            tuple(shares),
            None if known is None else values[known],
            None if truth is None else values[truth],
        )

    def _together(self, release: int) -> tuple[Sequence[int] | None, Sequence[int] | None]:
        """Return what is left when all people are taken together, and what of it is open, as far as that is known."""
        if self.joint is None:
            return None, None
        knowing, claims = self.joint.knowing, self.joint.claims
        if knowing is not None:
            return knowing.possible(self.code, release), knowing.open(self.code, release)
        if not isinstance(claims, Disclosures):
            return None, None
        certain = claims.value[(claims.person == self.code) & (claims.release == release)].tolist()
        return (certain, ()) if certain else (None, None)

    def _shares(self, outcome: Outcome, seconds: float | None) -> dict[tuple[int, int], float]:
        """Return how probable each value is by release and value; nothing where the attack does not say it."""
        found: dict[tuple[int, int], float] = {}
        if outcome.model is None:
            return found
        for value in {value for step in self.steps.values() for value in step.feasible or ()}:
            risks = outcome.model.risks(_AskFor(self.evidence, self.code, value), Budget(seconds))
            if risks is None:
                return {}
            for place in np.flatnonzero((risks.person == self.code) & ~np.isnan(risks.risk)).tolist():
                at = int(risks.release[place])
                found.update({(each, value): float(risks.risk[place]) for each in (self.steps if at < 0 else [at])})
        return found

    def _truth(self, release: int) -> int | None:
        """Return the person's own value where the key says it, but of people whose value is known beforehand."""
        values = self.evidence.key.of_versions(release)
        place = np.flatnonzero(self.evidence.pools(release).person == self.code)
        if values is None or not len(place) or values[place[0]] < 0:
            return None
        return int(values[place[0]])

    def _texts(self, codes: Iterable[int]) -> tuple[str, ...]:
        return tuple(sorted(self.evidence.values[code] for code in codes))


@dataclass(frozen=True)
class _AskFor:
    """Asks how probable a value is for one person, and for the likeliest value of all others."""

    evidence: View
    person: int
    value: int

    def of_versions(self, release: int) -> Codes:
        """Return the value to ask for, for each person of a release's pools in order."""
        return np.where(self.evidence.pools(release).person == self.person, self.value, -1).astype(np.int32)

    def of_people(self) -> Codes:
        """Return the value to ask for, by person code."""
        asked = np.full(self.evidence.series.people.size, -1, dtype=np.int32)
        asked[self.person] = self.value
        return asked
