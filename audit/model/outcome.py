"""Outcomes: what an attack returns: its findings, how complete they are, and the risks of values.

An attack knows neither the truth nor names: people, groups and values are codes. The scorer asks it for the risk of the
true values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from audit.model.arrays import Codes, Columns, Flags, Floats, Integers, Numbers, Places
from audit.model.evidence import Evidence
from audit.model.finding import Claims
from audit.model.json_types import WITHOUT_RESULT, Status
from audit.model.measures import Measures
from audit.runtime.budget import Budget
from audit.runtime.phrases import Reason, ReasonKind, kind_of, say

BELOW_ONE = np.nextafter(1.0, 0.0)
"""The greatest risk: only what is certain has risk 1, and no sum of floats is rounded to it."""


@dataclass(frozen=True)
class Risks:
    """Posterior probabilities, one for each person or for each version (person and release).

    Attributes:
        person: the person; shape (n,), int32.
        release: the release of the version, counted from 0, or -1 for all versions of the person; shape (n,).
        versions: the number of versions of each entry; shape (n,).
        risk: the probability of the requested value, or of the likeliest value without a request; NaN if the requested
            value is impossible; exactly 1.0 if no other value is possible; shape (n,), float64.
        missing: the number of people without a known risk.
    """

    person: Codes
    release: Codes
    versions: Integers
    risk: Floats
    missing: int = 0


class RiskQuery(Protocol):
    """The requested value of each risk; -1, or None instead of an array, requests the likeliest value."""

    def of_versions(self, release: int) -> Codes | None:
        """Return the requested value of each person in a release's pools, in order."""

    def of_people(self) -> Codes | None:
        """Return the requested value of each person code, if values never change."""


class EverKnown(NamedTuple):
    """What all worlds show about people who had one of the grave values in some release, by person code.

    Attributes:
        risk: the share of worlds in which the person has such a value; NaN if unknown, or if the person does not
            count; shape (people,), float64.
        certain: whether the person has one in every world; shape (people,), bool.
        without: whether the person has none in some world; shape (people,), bool.
        counted: whether the person counts; shape (people,), bool.
    """

    risk: Floats
    certain: Flags
    without: Flags
    counted: Flags


class EqualPeople(NamedTuple):
    """People whose values are not certain, but equal in all worlds.

    Attributes:
        pairs: codes of people with equal values, as chains, in addition to those known before; shape (pairs, 2), int32.
        whole: whether these are all: for any two other people without certain values, some world has different values.
    """

    pairs: Codes
    whole: bool


class ValuesLeft(NamedTuple):
    """Pairs of a person and a value that is not ruled out, in one release; the pairs of a person are consecutive.

    Attributes:
        person, value: codes; shape (pairs,), int32.
        shown: which pairs occur in some world; shape (pairs,), bool.
        counts: which pairs belong to versions that count; shape (pairs,), bool.
        share: the share of worlds with each pair; NaN if unknown; shape (pairs,), float64.
    """

    person: Codes
    value: Codes
    shown: Flags
    counts: Flags
    share: Floats


class RowCosts(NamedTuple):
    """The points that rows of groups cost; all values of a class cost the same.

    Attributes:
        release, group, kind: the release, the group and the class of the value of such a row; shape (n,).
        points: the points that it costs, a whole number above 0; shape (n,).
        kind_of: the class of each value; shape (values,), int32.
    """

    release: Integers
    group: Integers
    kind: Integers
    points: Numbers
    kind_of: Codes


class PossibleValues(Protocol):
    """What is known about the value of each version, certain or not, if all people are considered together.

    Codes of people and values are ascending; releases are counted from 0. Only people in a release have a version.
    """

    def possible(self, person: int, release: int) -> Sequence[int]:
        """Return the values that are not ruled out."""

    def open(self, person: int, release: int) -> Sequence[int]:
        """Return the values that are neither ruled out nor shown to be possible."""

    def ever(self, grave: Flags, budget: Budget) -> EverKnown:
        """Return what is known about all people who had a grave value; `grave` flags values, shape (values,)."""

    def left(self, release: int) -> ValuesLeft:
        """Return the values that are not ruled out, for all people in a release whose value is not known beforehand."""

    def worlds(self) -> Iterator[tuple[tuple[Codes, Codes], ...]]:
        """Yield different worlds: the row classes and the values of the people of `candidate_groups`, by release."""

    def points(self) -> Iterator[RowCosts]:
        """Yield the points of rows by which values are ruled out, step by step."""

    def equal_people(self, known: Codes, budget: Budget) -> EqualPeople:
        """Return the people with equal values in all worlds, if values never change, without those of certain values.

        Args:
            known: pairs of people who are known to be equal, which are not asked about; shape (pairs, 2), int32.
            budget: how long it may take.
        """


class RiskModel(Protocol):
    """The probabilities that an attack gives to values.

    Below certainty they are estimates, which decide nothing, unless the model has `counts_worlds = True`.
    """

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the probabilities of the requested values; None if the budget was not enough."""


class Estimator(Protocol):
    """The guesses of an attack, to compare with the truth; they decide nothing."""

    def scored(self, asked: RiskQuery, budget: Budget) -> Measures | None:
        """Return the attack's measures, with its guesses compared with the true values; None if that is impossible."""


@dataclass(frozen=True)
class Outcome:
    """The result of an attack.

    Scoring adds `risks` and `alone`.

    Attributes:
        attack: the name of the attack.
        status: `complete`: every measure is exact. `incomplete`: counts are lower bounds. `skipped`: the attack does
            not apply. `failed`: an attack of another package returned no valid result.
        reason: why it is not complete; None if it is.
        measures: the numbers that the attack reports.
        claims: its findings; None if it cannot claim anything.
        model: returns the probabilities of values; None without any.
        knowing: what is known about values that are not certain, if the attack knows more than a person's own groups
            show; otherwise None.
        estimate: guesses to compare with the truth; None without any.
        exposed: the number of people whose value is certain after each release, if the timeline of the measures counts
            something else; otherwise None.
        left: returns the values that are left in a release, if people are judged separately, so that no one's value
            rules out another's; otherwise None.
        near: the classes of rows that disclose close numbers or categories, by kind, if the attack is about classes.
        risks: the risks of the true values, or of the likeliest values if the truth is unknown.
        alone: what groups of one value disclose about people whose values contradict the assumptions, and who are not
            in the outcome otherwise; None if there are none.
    """

    attack: str
    status: Status
    reason: str | None = None
    measures: Measures = field(default_factory=Measures)
    claims: Claims | None = None
    model: RiskModel | None = None
    knowing: PossibleValues | None = None
    estimate: Estimator | None = None
    exposed: tuple[int, ...] | None = None
    left: Callable[[int], ValuesLeft] | None = None
    near: Mapping[str, Claims] = field(default_factory=dict)
    risks: Risks | None = None
    alone: Columns | None = None

    @property
    def subjects(self) -> int | None:
        """The number of judged people, versions of people or records; None if the attack does not count them."""
        return self.measures.subjects

    @property
    def counted(self) -> bool:
        """Whether its risks are shares of worlds, and not products of shares, which are estimates."""
        return self.risks is not None and bool(getattr(self.model, "counts_worlds", False))

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted it."""
        return kind_of(self.reason) is ReasonKind.INTERRUPTED

    def people_at(self, places: Places) -> list[int]:
        """Return the people in the claims at some indices."""
        return [] if self.claims is None or not len(places) else self.claims.people_at(places).tolist()

    @classmethod
    def judged(
        cls,
        attack: str,
        reason: str | None,
        measures: Measures,
        claims: Claims | None = None,
        model: RiskModel | None = None,
    ) -> Outcome:
        """Return the outcome of an attack: complete without a reason; an incomplete one has no risks."""
        if reason is None:
            return cls(attack, "complete", None, measures, claims, model)
        return cls(attack, "incomplete", reason, measures, claims)

    @classmethod
    def skipped(cls, attack: str, reason: str) -> Outcome:
        """Return the outcome of an attack that does not apply."""
        return cls(attack, "skipped", reason)

    @classmethod
    def failed(cls, attack: str, reason: str) -> Outcome:
        """Return the outcome of an attack of another package that returned no valid result."""
        return cls(attack, "failed", reason)

    @property
    def ran(self) -> bool:
        """Whether the attack returned a result."""
        return self.status not in WITHOUT_RESULT

    @classmethod
    def cut_off(cls, attack: str) -> Outcome:
        """Return the outcome of an attack that the user interrupted, or that had not started by then."""
        return cls(attack, "skipped", interruption())

    @staticmethod
    def timeline_bounds() -> Reason:
        """Return why an attack is incomplete that finished only for all releases."""
        return Reason(say("the timeline's numbers are lower bounds"))


class Attack(Protocol):
    """A kind of reasoning by an adversary; its fields are its options."""

    @property
    def name(self) -> str:
        """The attack's name on the command line."""

    @property
    def decides(self) -> frozenset[str]:
        """The clauses of the policy that the attack can decide."""

    @property
    def per_attribute(self) -> bool:
        """Whether it reasons about sensitive values, so that it runs separately for each sensitive attribute."""

    def with_policy(self, limits: Mapping[str, float], /) -> Attack:
        """Return the attack with the options that are clauses of the policy set to its limits."""

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Deduce what the budget permits; if a limit is reached, the outcome is `incomplete`, never `complete`."""


class PolicyOptions:
    """An attack whose options with the names of clauses take the policy's limits; about sensitive values by default."""

    per_attribute: ClassVar[bool] = True

    def with_policy(self, limits: Mapping[str, float], /) -> Self:
        """Return the attack with these limits."""
        attack: Any = self
        own = {each.name: getattr(self, each.name) for each in fields(attack) if each.name in limits}
        changed: Self = replace(attack, **{name: type(default)(limits[name]) for name, default in own.items()})
        return changed


class FailedAttack(PolicyOptions):
    """An attack of another package that cannot be imported, or fails before it runs."""

    decides: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def with_policy(self, limits: Mapping[str, float], /) -> Self:
        """Return the attack itself."""
        return self

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return the outcome of a failed attack."""
        return Outcome.failed(self.name, self.reason)


@runtime_checkable
class NarrowableAttack(Attack, Protocol):
    """An attack that can decide the policy faster than it can find everything."""

    def only_deciding(self, limits: Mapping[str, float], /) -> Attack:
        """Return the attack restricted to what decides the policy's limits; each clause has the same outcome.

        Without limits, it only returns what it finds quickly, and is incomplete unless that is everything.
        """


@runtime_checkable
class RefinableAttack(Attack, Protocol):
    """An attack that finds more once another attack has ruled out values."""

    def refined(self, evidence: Evidence, outcome: Outcome, beside: Outcome, budget: Budget, /) -> Outcome:
        """Return its own outcome, combined with what follows from the other outcome, whose `knowing` is not None."""


@runtime_checkable
class PerPersonAttack(Attack, Protocol):
    """An attack on one person at a time.

    Its findings about a person follow from the person's own pools, so it can be run without some people.
    """

    @property
    def per_person(self) -> Literal[True]:
        """Whether it is such an attack; others have no such attribute."""


def interruption() -> Reason:
    """Return why an attack that the user interrupted has no result."""
    return Reason(say("the run was interrupted before the attack finished"), ReasonKind.INTERRUPTED)


def per_person_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on single people do not apply, or None if they do."""
    if evidence.adversary.knows_people:
        return None
    needed = say(
        "it needs one row for each person, with a key that says whose it is ([columns] individual), or a register "
        "([adversary] register)"
    )
    return Reason(needed, ReasonKind.NEEDS)


def together_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on all people together do not apply, or None if they do."""
    if evidence.adversary.knows_presence:
        return None
    why = say("the register does not say who is in the data, so each person is judged separately")
    return Reason(why, ReasonKind.UNFIT)


def constant_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on values that never change do not apply, or None if they do."""
    if evidence.transitions is None:
        return None
    return Reason(say("it needs values that never change, and the series has transitions"), ReasonKind.UNFIT)


def linked_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on people whose groups are known do not apply, or None if they do."""
    if evidence.adversary.knows_groups:
        return None
    return Reason(
        say("it needs one row for each person, with a key that says whose it is ([columns] individual)"),
        ReasonKind.NEEDS,
    )


def known_rows_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on rows of unknown people do not apply, or None if they do: some rows may be strangers'."""
    if not evidence.adversary.knows_people:
        return None
    source, releases = evidence.published, range(len(evidence.tags))
    strangers = source is not None and any(source.published(release).judged.any() for release in releases)
    return None if strangers else all_listed_reason()


def all_listed_reason() -> Reason:
    """Return the reason that the adversary knows about all people, so there are no strangers."""
    return Reason(
        say("not needed: each row belongs to a known person, and the attacks on people judge it"), ReasonKind.UNFIT
    )


def quasi_identifiers_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on rows with quasi-identifiers do not apply, or None if they do."""
    if evidence.rows_of is None:
        return Reason(say("it looks at one sensitive attribute at a time"))
    if not evidence.rows_of.attributes:
        return Reason(say("it needs quasi-identifiers"), ReasonKind.NEEDS)
    return None


def sizes_table(sizes: Sequence[int] | Integers) -> dict[str, int]:
    """Return the number of occurrences of each size, for a JSON object.

    >>> sizes_table([1, 2, 2])
    {'1': 1, '2': 2}
    """
    return counts_table(np.bincount(np.asarray(sizes, dtype=np.intp)))


def counts_table(counts: Integers) -> dict[str, int]:
    """Return the number of occurrences of each size that occurs, given those of all sizes from 0; shape (sizes,)."""
    return {str(size): int(counts[size]) for size in np.flatnonzero(counts)}
