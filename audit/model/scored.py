"""Scored results: the outcome of an attack, the risks of the true values, and what each step of an audit adds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Generic, Self, TypeAlias, TypeVar

import numpy as np

from audit.model.arrays import Codes, Flags, Floats, Integers, Places, blocks, flagged
from audit.model.evidence import Evidence
from audit.model.finding import Claims, Finding
from audit.model.measures import ABSENT, RiskMeasures
from audit.model.outcome import Attack, Outcome, Risks
from audit.runtime.outside_code import ClauseWatch

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
