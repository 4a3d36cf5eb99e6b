"""Outcomes: what an attack returns (findings, how complete they are, risks), and what each step of an audit adds to it.

An attack knows neither the truth nor names: people, groups and values are codes. The scorer asks it for the risk of the
true values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from audit.model.arrays import Codes, Columns, Flags, Floats, Integers, Numbers, Places, blocks, flagged
from audit.model.evidence import Evidence
from audit.model.finding import Claims, Finding
from audit.model.json_types import WITHOUT_RESULT, Status
from audit.model.measures import ABSENT, Measures, RiskMeasures
from audit.runtime.budget import Budget
from audit.runtime.outside_code import ClauseWatch
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


def sizes_table(sizes: Sequence[int] | Integers) -> dict[str, int]:
    """Return the number of occurrences of each size, for a JSON object.

    >>> sizes_table([1, 2, 2])
    {'1': 1, '2': 2}
    """
    return counts_table(np.bincount(np.asarray(sizes, dtype=np.intp)))


def counts_table(counts: Integers) -> dict[str, int]:
    """Return the number of occurrences of each size that occurs, given those of all sizes from 0; shape (sizes,)."""
    return {str(size): int(counts[size]) for size in np.flatnonzero(counts)}


# -- results ----------------------------------------------------------------------------------------------------------


_TENTHS = 10
_ROUNDING = 1e-9
_BELOW = 1e-12
_HALF, _REST = 1 << 26, 1 << 34
_SHARES = (0.9, 0.5)
NOWHERE: Places = np.zeros(0, dtype=np.intp)
Weighed: TypeAlias = tuple[Floats, Integers]


@dataclass(frozen=True)
class EverRisks:
    """What is known about people who had a grave value in some release.

    Attributes:
        risk: the probability of each person; NaN for people who do not count or have no possible sequence of values;
            shape (people,), float64.
        certain: whether every possible sequence of the person's values has a grave one; shape (people,), bool.
        unpublished: the grave values that no release has.
        named: the names of the grave values; combinations have other names.
        without: whether the person has no grave value in some world; shape (people,), bool; None if worlds were not
            used, so that `risk` is an estimate from the person's own groups.
        counted: whether the person counts; shape (people,), bool; None if worlds were not used.
    """

    risk: Floats
    certain: Flags
    unpublished: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    without: Flags | None = None
    counted: Flags | None = None

    def less(self, people: Places) -> EverRisks:
        """Return the same without some people."""
        left = np.ones(len(self.risk), dtype=np.bool_)
        left[people] = False
        counted = None if self.counted is None else self.counted & left
        return replace(self, risk=np.where(left, self.risk, np.nan), certain=self.certain & left, counted=counted)

    def open(self, limit: float) -> int | None:
        """Return the number of people who may or may not reach a limit by the worlds; None if worlds were not used."""
        if self.without is None or self.counted is None:
            return None
        known = self.certain | (self.without if limit >= 1.0 else ~np.isnan(self.risk))
        return int(np.count_nonzero(self.counted & ~known))

    @property
    def highest(self) -> float | None:
        """The highest known probability; None if none is known."""
        known = self.risk[~np.isnan(self.risk)]
        return float(known.max()) if len(known) else None

    @property
    def highest_of_all(self) -> float | None:
        """The highest probability of all people who count; None if it is unknown, or if no one counts."""
        unknown = self.counted is not None and bool((self.counted & np.isnan(self.risk)).any())
        return self.highest if not unknown or self.highest == 1.0 else None


def _risk_counts(risks: Risks) -> list[int]:
    """Return the number of versions with a risk below 0.1, from 0.1 to below 0.2, …, and exactly 1."""
    total = np.zeros(_TENTHS + 1, dtype=np.int64)
    for risk, weights in _weighed(risks):
        total += np.bincount(tenth_of(risk), weights=weights, minlength=_TENTHS + 1).astype(np.int64)
    return total.tolist()


def _weighed(risks: Risks) -> Iterator[Weighed]:
    """Yield the risks, and the number of versions of each, in blocks that fit into a processor's cache."""
    for block in blocks(len(risks.risk)):
        risk, counts = risks.risk[block], ~np.isnan(risks.risk[block])
        yield risk[counts], risks.versions[block][counts]


def tenth_of(risk: Floats) -> Places:
    """Return the tenth of each probability: 0 below 0.1, 1 from 0.1 to below 0.2, …, and 10 for exactly 1.

    A risk that rounding left slightly below a tenth belongs to that tenth; only a certain value has 10.

    >>> tenth_of(np.array([0.0, 0.3 - 1e-15, 0.99999, 1.0])).tolist()
    [0, 3, 9, 10]
    """
    most = np.where(risk == 1, _TENTHS, _TENTHS - 1)
    return np.minimum(np.floor(risk * _TENTHS + _ROUNDING), most).astype(np.intp)


def mean(parts: Iterable[Weighed]) -> float | None:
    """Return the weighted mean of probabilities; None if there are none.

    It does not depend on the order of the numbers, as sums of floating-point numbers would: they are added as whole
    multiples of 2^-60, in two halves.

    >>> mean([(np.array([1.0, 0.25, 0.1]), np.array([1, 2, 1], dtype=np.int32))])
    0.4
    """
    total = count = 0
    for risk, weights in parts:
        high = np.rint(risk * _HALF)
        low = np.rint((risk - high / _HALF) * (_HALF * _REST))
        total += int((high.astype(np.int64) * weights).sum()) * _REST + int((low.astype(np.int64) * weights).sum())
        count += int(weights.sum(dtype=np.int64))
    return float(Fraction(total, count * _HALF * _REST)) if count else None


def _left_out(risks: Risks, person: Codes, release: Codes, waived: Places) -> Flags:
    """Return which entries of the risks have all their claims waived; shape (entries,), bool."""
    people, claimed = np.unique(person, return_counts=True)
    gone, times = np.unique(person[waived], return_counts=True)
    wholly = gone[times == claimed[np.searchsorted(people, gone)]]
    versions = (person[waived].astype(np.int64) << 32) + release[waived]
    of_versions = np.isin((risks.person.astype(np.int64) << 32) + risks.release, versions)
    return of_versions | ((risks.release < 0) & np.isin(risks.person, wholly))


E_co = TypeVar("E_co", bound=Evidence, covariant=True)


@dataclass(frozen=True)
class Result(Generic[E_co]):
    """The result of one attack, on one sensitive attribute if there are several; each step of an audit adds to it.

    Attributes:
        attack: the attack.
        sensitive: the attribute, if several are audited.
        evidence: the attacked evidence.
        outcome: the outcome of the attack, with its risks.
        waived: the indices of the attack's claims that are accepted, harmless, or in the baseline.
        by_clause: the accepted claims of each clause, by the numbers that `Claims.entries_at` returns.
        whole: whether it is about all attributes together: the only one, or the combinations of several.
        unclear: whether risks below certainty are left out, because they may belong to harmless values or to others.
        found: the selected findings, as codes.
        shown: the selected findings with names, as in the report.
        total: the number of findings.
        watch: runs the clauses of other packages; shared by all results of a run.
        seconds: the time of the attack and of scoring.
        grave: the codes of the policy's grave values.
        histories: the probability that people ever had a grave value, if requested and known to the attack.
        gathered: what clauses need besides the outcome, by clause.
        of_all: the outcome for all people, if `outcome` is about one of them.
    """

    attack: Attack
    sensitive: str | None
    evidence: E_co
    outcome: Outcome
    waived: Places = field(default_factory=lambda: NOWHERE)
    by_clause: Mapping[str, Places] = field(default_factory=dict)
    whole: bool = True
    unclear: bool = False
    found: tuple[Finding[int], ...] = ()
    shown: tuple[Finding[str], ...] = ()
    total: int = 0
    watch: ClauseWatch = field(default_factory=ClauseWatch)
    seconds: float = 0.0
    grave: frozenset[int] = frozenset()
    histories: EverRisks | None = None
    gathered: Mapping[str, object] = field(default_factory=dict)
    of_all: Outcome | None = None

    @property
    def claims(self) -> Claims | None:
        """The claims; None if the attack cannot claim anything."""
        return self.outcome.claims

    @property
    def left(self) -> Places:
        """The indices of claims that are not waived."""
        return NOWHERE if self.claims is None else np.delete(self.claims.everything(), self.waived)

    @property
    def label(self) -> tuple[str, str | None]:
        """The attack's name and the attribute."""
        return self.attack.name, self.sensitive

    def without(self, places: Places) -> Self:
        """Return the result with more of the attack's claims accepted."""
        return replace(self, waived=np.union1d(self.waived, places).astype(np.intp))

    def accepted_by(self, clause: str) -> Places:
        """Return the numbers with which a clause's claims are noted as accepted."""
        return self.by_clause.get(clause, NOWHERE)

    def without_entries(self, clause: str, entries: Places) -> Self:
        """Return the result with more of a clause's claims accepted."""
        known = np.union1d(self.accepted_by(clause), entries).astype(np.intp)
        return replace(self, by_clause={**self.by_clause, clause: known})

    def accepting(self, claims: Claims, places: Places) -> Self:
        """Return the result with the claims at more indices accepted, of the attack or of a clause."""
        return self.without_entries(claims.clause, claims.entries_at(places)) if claims.clause else self.without(places)

    @property
    def accepted(self) -> int:
        """The number of accepted claims of all kinds."""
        return len(self.waived) + sum(map(len, self.by_clause.values()))

    def with_gathered(self, clause: str, found: object) -> Self:
        """Return the result with what a clause needs besides the outcome."""
        return replace(self, gathered={**self.gathered, clause: found})

    def risk_measures(self, limit: float) -> RiskMeasures:
        """Return the measures of risks, given the limit of the policy.

        If some risks are unknown, the only measures are the numbers of people who are known to reach limits.
        """
        outcome, claims = self.outcome, self.claims
        if outcome.risks is not None and outcome.risks.missing:
            return replace(self, outcome=replace(outcome, risks=None)).risk_measures(limit)
        alone = ABSENT if outcome.alone is None or not len(outcome.alone[0]) else len(np.unique(outcome.alone[0]))
        max_risk = replace(self, waived=NOWHERE, by_clause={}).max_risk
        if claims is not None and claims.counts_rows:
            mean_risk = claims.mean_risk()
            return RiskMeasures(max_risk=max_risk, mean_risk=ABSENT if mean_risk is None else mean_risk)
        if claims is None or claims.versions is None:
            return RiskMeasures(alone=alone)
        at_limit, *above = self._people_at((limit, *_SHARES))
        return RiskMeasures(
            max_risk=max_risk,
            mean_risk=None if outcome.risks is None else mean(_weighed(outcome.risks)),
            risk_counts=None if outcome.risks is None else _risk_counts(outcome.risks),
            at_limit=at_limit,
            above_0_9=above[0],
            above_0_5=above[1],
            max_ever_risk=ABSENT if self.histories is None else self.histories.highest_of_all,
            certain_ever=ABSENT if self.histories is None else int(np.count_nonzero(self.histories.certain)),
            alone=alone,
        )

    def _people_at(self, limits: Sequence[float]) -> list[int | None]:
        """Return the number of people with a value in some release that reaches each limit, None if it is unknown.

        For an attack that was not complete, it is the number of people found so far.
        """
        people, risks = None if self.claims is None else self.claims.versions, self.outcome.risks
        if people is None:
            return [None for _ in limits]
        if risks is None:
            sure = self.evidence.count_people(flagged(people, int(people.max(initial=-1)) + 1))
            return [sure if limit >= 1.0 else None for limit in limits]
        # A bit for each limit, by person code.
        codes = max(int(each.max(initial=-1)) for each in (people, risks.person)) + 1
        reached = np.zeros(codes, dtype=np.uint8)
        reached[people] = (1 << len(limits)) - 1
        for place, limit in enumerate(limits):
            reached[risks.person[reaches_all(risks.risk, limit)]] |= np.uint8(1 << place)
        return [self.evidence.count_people((reached & (1 << place)) > 0) for place in range(len(limits))]

    def number_of(self, *people: Codes | None) -> int | None:
        """Return the number of distinct people in some columns of codes; None if there are none."""
        known = [each for each in people if each is not None and len(each)]
        return self.evidence.count_people(np.bincount(np.concatenate(known)) > 0) if known else None

    @property
    def max_risk(self) -> float | None:
        """The highest risk of a value that is not accepted; None if there is none.

        An incomplete attack has no risks, but each of its claims is certain.
        """
        claims, risks = self.claims, self.outcome.risks
        highest = None if claims is None else claims.highest_risk(self.waived)
        if claims is None or highest is not None or claims.versions is None or risks is None:
            return highest
        counts = ~np.isnan(risks.risk)
        counts[self.accepted_by("max_risk")] = False
        if len(self.waived):
            counts &= ~_left_out(risks, claims.versions, claims.release, self.waived)
        return float(risks.risk[counts].max()) if counts.any() else None


def reaches_all(risk: Floats, limit: float) -> Flags:
    """Return whether each risk reaches a limit, as `reaches`; NaN never does; shape as `risk`, bool."""
    return risk >= (limit if limit >= 1.0 else limit - _BELOW)


def reaches(risk: float, limit: float) -> bool:
    """Return whether a risk reaches a limit; a risk that rounding left slightly below a limit under 1 reaches it, too.

    >>> reaches(1 - 1e-15, 1.0), reaches(0.6 - 1e-15, 0.6)
    (False, True)
    """
    return risk >= limit or (limit < 1.0 and risk >= limit - _BELOW)
