"""Outcomes: what an attack found out, how sure it is, and how a reader can check it.

An attack knows neither the truth nor names: people, groups and values are codes, and risks are answered for any value
that the scorer asks about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Columns, Flags, Integers, Numbers, Places
from audit.model.evidence import Evidence
from audit.model.finding import Claims
from audit.model.json_types import WITHOUT_RESULT, Status
from audit.model.measures import Measures
from audit.runtime.budget import Budget
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind, kind_of


@dataclass(frozen=True)
class Risks:
    """Posterior probabilities, one per person or per version (person and release).

    Attributes:
        person: whose; shape (n,), int32.
        release: of which version, counted from 0, or -1 for all versions of the person alike; shape (n,).
        versions: how many versions an entry stands for; shape (n,).
        risk: probability of the value asked for, or of the likeliest where none was asked; NaN where the value
            asked for is impossible; 1.0 exactly when nothing else is possible; shape (n,), float64.
        missing: of how many people no risk is known.
    """

    person: Codes
    release: Codes
    versions: npt.NDArray[np.integer]
    risk: npt.NDArray[np.float64]
    missing: int = 0


class RiskQuery(Protocol):
    """The value whose risk to return; -1, or None instead of an array, asks for the likeliest."""

    def of_versions(self, release: int) -> Codes | None:
        """Return the value to ask for, for each person of a release's pools in order."""

    def of_people(self) -> Codes | None:
        """Return the value to ask for, by person code, where values never change."""


class EverKnown(NamedTuple):
    """What is known of people's having had one of some values in some release, over all worlds; by person code.

    Attributes:
        risk: the share of the worlds in which the person has one; NaN where it is not known, or the person does not
            count; shape (people,), float64.
        certain: who has one in every world.
        without: who has none in some world.
        counted: who counts.
    """

    risk: npt.NDArray[np.float64]
    certain: Flags
    without: Flags
    counted: Flags


class EqualPeople(NamedTuple):
    """People whose values are not certain, but equal in all worlds.

    Attributes:
        pairs: codes of people, which chain up those who are equal, by the word of a solver, beyond those who were known
            to be; shape (pairs, 2), int32.
        whole: whether some world gives every two other people different values, unless these are certain.
    """

    pairs: Codes
    whole: bool


class ValuesLeft(NamedTuple):
    """Pairs of a person and a value that is not ruled out, in one release; those of a person follow one another.

    Attributes:
        person, value: codes; shape (pairs,), int32.
        shown: which pairs some world has; shape (pairs,).
        counts: which are of versions that count; shape (pairs,).
        share: of the worlds that have each; NaN where it is not known; shape (pairs,), float64.
    """

    person: Codes
    value: Codes
    shown: Flags
    counts: Flags
    share: npt.NDArray[np.float64]


class RowCosts(NamedTuple):
    """Points that rows of some groups cost, each value of a class as much.

    Attributes:
        release, group, kind: of which release, group and class of values rows are; shape (some,).
        points: what each such row costs, a whole number above 0; of the same shape.
        kind_of: the class of each value; shape (values,).
    """

    release: Integers
    group: Integers
    kind: Integers
    points: Numbers
    kind_of: Codes


class PossibleValues(Protocol):
    """What is known about any version, certain or not, when all people are considered together.

    Codes of people and values, ascending; releases are counted from 0. Nothing of versions that there are not.
    """

    def possible(self, person: int, release: int) -> Sequence[int]:
        """Return the values that are not ruled out."""

    def open(self, person: int, release: int) -> Sequence[int]:
        """Return those of them that are not shown to be possible either."""

    def ever(self, grave: Flags, budget: Budget) -> EverKnown:
        """Return what is known of all people's having had one of some values, by code; shape (values,)."""

    def left(self, release: int) -> ValuesLeft:
        """Return what is left of all in a release whose value is to be found out."""

    def worlds(self) -> Iterator[tuple[tuple[Codes, Codes], ...]]:
        """Yield row classes and values of the people of `hosts` by release, in some worlds that differ."""

    def points(self, budget: Budget) -> Iterator[RowCosts]:
        """Yield the points of rows that prove what is in no world, one step after the other, as time allows."""

    def equal_people(self, known: Codes, budget: Budget) -> EqualPeople:
        """Return the people who have equal values in all worlds, if values never change, without those who are certain.

        Args:
            known: pairs of people who are known to be equal, which are not asked about; shape (pairs, 2), int32.
            budget: how long it may take.
        """


class RiskModel(Protocol):
    """What an attack says about probabilities.

    Risks are estimates, which decide nothing below certainty, unless the model says `counts_worlds = True`.
    """

    def risks(self, asked: RiskQuery, budget: Budget) -> Risks | None:
        """Return the probability of the values asked for, or None when the budget did not suffice."""


class Estimator(Protocol):
    """The guesses of an attack, to be compared with the truth; they decide nothing."""

    def scored(self, asked: RiskQuery, budget: Budget) -> Measures | None:
        """Return the attack's measures, with its guesses compared with the true values; None where they cannot be."""


@dataclass(frozen=True)
class Outcome:
    """What an attack found out.

    `complete`: every measure is exact. `incomplete`: counts are bounds from below, for the reason given. `skipped`:
    the attack does not apply, for the reason given. `failed`: another package's attack broke, as the reason says.
    `knowing` says what is left of versions that are not certain, where
    the attack knows more of it than the person's own groups say. `estimate` holds guesses against the truth. `exposed`
    are how many people's value is certain after each release, where the measures' timeline counts something else.
    `near` are the classes of rows that give numbers or categories away, by what judges them, where it is about classes.

    Scoring adds `risks`, those of the true values, or of the likeliest where the truth is not known; and `alone`, by
    columns of person, release and value, what groups of one value give away of people whose own values contradict the
    assumptions, and are not in the outcome otherwise; None where there are none.
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
    near: Mapping[str, Claims] = field(default_factory=dict)
    risks: Risks | None = None
    alone: Columns | None = None

    @property
    def subjects(self) -> int | None:
        """How many people, versions of people or records were judged; None where the attack does not count them."""
        return self.measures.subjects

    @property
    def counted(self) -> bool:
        """Whether its risks are shares of worlds, not products of shares, which estimate them."""
        return self.risks is not None and bool(getattr(self.model, "counts_worlds", False))

    @property
    def interrupted(self) -> bool:
        """Whether the user interrupted it."""
        return kind_of(self.reason) is ReasonKind.INTERRUPTED

    def people_at(self, places: Places) -> list[int]:
        """Return which people the claims at some places are about."""
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
        """Return the outcome of an attack that is complete unless there is a reason; risks are for complete ones."""
        if reason is None:
            return cls(attack, "complete", None, measures, claims, model)
        return cls(attack, "incomplete", reason, measures, claims)

    @classmethod
    def skipped(cls, attack: str, reason: str) -> Outcome:
        """Return the outcome of an attack that does not apply."""
        return cls(attack, "skipped", reason)

    @classmethod
    def failed(cls, attack: str, reason: str) -> Outcome:
        """Return the outcome of another package's attack that did not come to a result that holds."""
        return cls(attack, "failed", reason)

    @property
    def ran(self) -> bool:
        """Whether the attack found anything out."""
        return self.status not in WITHOUT_RESULT

    @classmethod
    def cut_off(cls, attack: str) -> Outcome:
        """Return the outcome of an attack that the user interrupted, or that was still to come then."""
        return cls(attack, "skipped", interruption())


class Attack(Protocol):
    """An adversary's way to reason; its fields are its options."""

    @property
    def name(self) -> str:
        """The attack's name on the command line."""

    @property
    def decides(self) -> frozenset[str]:
        """The clauses of the policy that the attack can decide."""

    @property
    def per_attribute(self) -> bool:
        """Whether it reasons about sensitive values, so that it runs once for each sensitive attribute."""

    def with_policy(self, limits: Mapping[str, float], /) -> Attack:
        """Return the attack as the policy's limits want it: with options that are clauses of the policy."""

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Deduce what can be deduced within the budget; a limit reached is `incomplete`, never `complete`."""


class FailedAttack:
    """An attack of another package of which nothing is known: it cannot be imported, or fails before it runs."""

    decides: ClassVar[frozenset[str]] = frozenset()
    per_attribute: ClassVar[bool] = True

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def with_policy(self, limits: Mapping[str, float], /) -> FailedAttack:
        """Return the attack itself."""
        return self

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        """Return that the attack failed."""
        return Outcome.failed(self.name, self.reason)


@runtime_checkable
class NarrowableAttack(Attack, Protocol):
    """An attack that finds the verdict sooner than all there is to be found."""

    def only_deciding(self, limits: Mapping[str, float], /) -> Attack:
        """Return the attack looking for nothing that the policy's limits do not ask for: every clause ends the same."""


@runtime_checkable
class RefinableAttack(Attack, Protocol):
    """An attack that finds more once values are struck out that another one shows to be in no world."""

    def refined(self, evidence: Evidence, outcome: Outcome, beside: Outcome, budget: Budget, /) -> Outcome:
        """Return its own outcome, joined with what follows from the other one's, whose `knowing` is not None."""


@runtime_checkable
class PerPersonAttack(Attack, Protocol):
    """An attack on one person at a time.

    What it finds of a person follows from the person's own pools, so that it can be run without some people.
    """

    def claims(self, evidence: Evidence, person: Codes, release: Codes, value: Codes) -> Claims:
        """Return claims, given as columns, with what builds their findings."""


def interruption() -> Reason:
    """Return why an attack that the user interrupted has no result."""
    return Reason(say("the run was interrupted before the attack finished"), ReasonKind.INTERRUPTED)


def per_person_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on single people do not apply, or None when they do."""
    if evidence.adversary.knows_people:
        return None
    needed = say(
        "it needs a key that says whose row is whose ([columns] individual), or a register ([adversary] register)"
    )
    return Reason(needed, ReasonKind.NEEDS)


def together_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on all people together do not apply, or None when they do."""
    if evidence.adversary.knows_presence:
        return None
    why = say("the register does not say who is in the data, so each person is judged separately")
    return Reason(why, ReasonKind.UNFIT)


def constant_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on values that never change do not apply, or None when they do."""
    if evidence.transitions is None:
        return None
    return Reason(say("it needs values that never change, and the series has transitions"), ReasonKind.UNFIT)


def linked_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on people whose groups are known do not apply, or None when they do."""
    if evidence.adversary.knows_groups:
        return None
    return Reason(say("it needs a key that says whose row is whose ([columns] individual)"), ReasonKind.NEEDS)


def known_rows_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on rows of people who are not known do not apply, or None when there are some."""
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
    """Return why attacks on rows with quasi-identifiers do not apply, or None when they do."""
    if evidence.rows_of is None:
        return Reason(say("it looks at one sensitive attribute at a time"))
    if not evidence.rows_of.attributes:
        return Reason(say("it needs quasi-identifiers"), ReasonKind.NEEDS)
    return None


def sizes_table(sizes: Sequence[int] | npt.NDArray[np.integer]) -> dict[str, int]:
    """Return how often each size occurs, for a JSON object.

    >>> sizes_table([1, 2, 2])
    {'1': 1, '2': 2}
    """
    return counts_table(np.bincount(np.asarray(sizes, dtype=np.intp)))


def counts_table(counts: npt.NDArray[np.integer]) -> dict[str, int]:
    """Return the same where it is known how often each size occurs; shape (sizes,)."""
    return {str(size): int(counts[size]) for size in np.flatnonzero(counts)}
