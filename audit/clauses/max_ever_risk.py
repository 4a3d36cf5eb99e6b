"""The clause `max_ever_risk`: the probability that a person ever had a grave value must stay below the limit.

Guarantees for single releases do not bound this risk: with a probability of 1/4 in each of twelve releases, and values
that change freely, it is 97 %. If `joint` ran, histories are worlds. The histories of `update-graph`, one person at a
time, give an estimate: a history is a value of the person's pool in each release, weighted by its share there, along
transitions weighted by their probability. The weight of the histories without grave values, divided by the weight of
all, is the probability of never having had one.

Cost: rows x values^2 with transitions, rows x values without; two numbers and two bits for each person and value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from audit.clauses.clause import ClauseKnowledge, E, JudgedAudit, ListedValue, RiskClause, TrueValues, attack_reason
from audit.findings.disclosure import GraveHistories
from audit.model.arrays import Flags, Floats
from audit.model.evidence import CandidatePools, Evidence, claimed_code
from audit.model.finding import Claims
from audit.model.outcome import BELOW_ONE, EverRisks, Outcome, Result, reaches, reaches_all
from audit.model.report import Violation
from audit.runtime.budget import Budget
from audit.runtime.phrases import Phrase, Reason, ReasonKind, say, say_count


class MaxEverRisk(RiskClause):
    """In force only if stated, with `grave`, the grave values."""

    name: ClassVar[str] = "max_ever_risk"
    default: ClassVar[float | None] = None
    fails: ClassVar[str] = "The probability that a person ever had a grave value reaches the policy's limit."
    remedy: ClassVar[str] = "Publish fewer releases, or groups in which grave values are rare."
    meaning: ClassVar[Phrase] = Phrase("highest allowed probability that a person ever had a grave value")

    breach: ClassVar[Phrase] = Phrase(
        "nobody may be known, with {most} or more, to have ever had a grave value; {found} (max_ever_risk, found by "
        "{attack})"
    )
    certain: ClassVar[Phrase | None] = Phrase(
        "of nobody may it be certain that they have ever had a grave value; {found} (max_ever_risk, found by {attack})"
    )
    further: ClassVar[bool] = True

    def statistic(self, result: Result[E], known: ClauseKnowledge) -> Result[E]:
        """Return a result with each person's probability of ever having had a grave value, if the attack finds it."""
        outcome, seen = result.outcome, result.evidence
        if not known.grave or not outcome.ran:
            return result
        codes, ever = value_codes(seen, known.grave), None
        if self.name in result.attack.decides and (outcome.status == "complete" or outcome.knowing is not None):
            ever = ever_risks(seen, known.grave, codes, known.left_out(), outcome)
        return replace(result, grave=codes, histories=ever)

    def claims(self, result: Result[Evidence], limit: float, truth: TrueValues) -> Claims | None:
        """Return the people who certainly had a grave value, or reach the limit by the share of all worlds."""
        ever = _left(result)
        if ever is None:
            return None
        high = ever.certain | (reaches_all(ever.risk, limit) if _in_worlds(result) else False)
        person = np.flatnonzero(high)
        risk = np.where(ever.certain[person], 1.0, ever.risk[person])
        last = np.full(len(person), len(result.evidence.tags) - 1, dtype=np.int32)
        return GraveHistories(person.astype(np.int32), last, risk, person)

    def judges(self, findings: JudgedAudit) -> bool:
        """Return whether an attack on histories ran."""
        return any(entry.histories is not None for entry in findings.ran)

    def not_judged(self, findings: JudgedAudit) -> str:
        """Return why no attack on histories ran."""
        if not findings.grave:
            return Reason(say('it needs the grave values: write grave = ["…"] under [policy]'), ReasonKind.NEEDS)
        return _missing(findings)

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield, for each attack, the highest probability of ever having had a grave value; 1 if one is certain.

        Below certainty only worlds decide; with several attributes, worlds of their combinations.
        """
        for entry in findings.ran:
            ever = _left(entry)
            sure = _certain(entry) or (ever is not None and bool(ever.certain.any()))
            value = 1.0 if sure else ever.highest if ever is not None and _in_worlds(entry) else None
            if value is not None and reaches(value, limit):
                claims = self.claims(entry, limit, lambda risks: risks.person)
                people = None if claims is None else entry.number_of(claims.person)
                yield Violation(entry.outcome.attack, self.name, limit, value, entry.sensitive, people=people)

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield why people may have had grave values that no attack found; a value may also be misspelt."""
        known = [entry.histories for entry in findings.ran if entry.histories is not None]
        if not known:
            return
        published = {value.casefold() for ever in known for value in ever.named.difference(ever.unpublished)}
        unpublished = {value for ever in known for value in ever.unpublished}
        for value in sorted(value for value in unpublished if value.casefold() not in published):
            yield say('no release has the grave value "{value}"; write it as the releases do', value=value)
        if all(ever.highest is None and not ever.open(limit) for ever in known):
            yield str(self.no_one)
        if any(self.violations(findings, limit)):
            return
        deciding = list(filter(_in_worlds, findings.ran))
        if not deciding:
            yield _missing(findings)
        for entry in deciding:
            ever = _left(entry)
            count = None if ever is None else ever.open(limit)
            if count:
                what = say_count("for {count} [person|people] it is not known how likely a grave value is", count)
                yield attack_reason(entry.outcome.attack, what)


def _missing(findings: JudgedAudit) -> str:
    """Return why no worlds decide the clause."""
    if any(MaxEverRisk.name in entry.attack.decides for entry in findings.attacks):
        return say("only the attack joint can decide it, from all worlds, and it did not finish")
    return say("only the attack joint can decide it, from all worlds; run it, too")


def _left(entry: Result[Evidence]) -> EverRisks | None:
    """Return each person's probability of ever having had a grave value, unless it is accepted."""
    return None if entry.histories is None else entry.histories.less(entry.accepted_by(MaxEverRisk.name))


def _in_worlds(entry: Result[Evidence]) -> bool:
    """Return whether a result covers all worlds; with several attributes, worlds of their combinations."""
    return entry.whole and entry.histories is not None and entry.histories.without is not None


def _certain(entry: Result[Evidence]) -> bool:
    """Return whether an attack claims a grave value of any person."""
    claims, grave = entry.claims, entry.grave
    if claims is None or claims.versions is None or not grave:
        return False
    return bool(np.isin(np.delete(claims.values(), entry.waived), sorted(grave)).any())


# The time limit for counting worlds again, in total.
_SECONDS = 60.0


def value_codes(evidence: Evidence, listed: Collection[ListedValue], *, wholly: bool = False) -> frozenset[int]:
    """Return the codes of listed values, and of claims that a person has one of them among several attributes.

    Combinations count if they have such a part, or, if `wholly`, only such parts.
    """
    if evidence.combined is None:
        meant = {value for attribute, value in listed if attribute in {None, evidence.sensitive}}
        return frozenset(code for code, value in enumerate(evidence.values) if value in meant)
    names, parts = evidence.combined.attributes, evidence.combined.parts()
    has, found = [], set[int]()
    for at, attribute in enumerate(names):
        meant = {value for each, value in listed if each in {None, attribute}}
        values = np.unique(parts[:, at])
        claims = claimed_code(at, values, len(names))
        named = np.array([evidence.values[int(code)] in meant for code in claims.tolist()], dtype=np.bool_)
        has.append(np.isin(parts[:, at], values[named]))
        found |= {*claims[named].tolist()}
    combinations = np.all(has, axis=0) if wholly else np.any(has, axis=0)
    return frozenset({*np.flatnonzero(combinations).tolist(), *found})


def ever_risks(
    evidence: Evidence, grave: Collection[ListedValue], codes: frozenset[int], left_out: Flags, outcome: Outcome
) -> EverRisks:
    """Return each person's probability of ever having had a grave value, except for people left out.

    It is the share of all worlds if the outcome counts them, otherwise an estimate from each person's own groups.

    Args:
        evidence: what was attacked.
        grave: the grave values, of any attribute or of one.
        codes: their codes.
        left_out: the people to leave out, by person code; shape (at most people,), bool.
        outcome: the outcome of the attack.
    """
    meant = {value for attribute, value in grave if attribute in {None, evidence.sensitive}}
    named = frozenset(meant if evidence.combined is None else ())
    unpublished = tuple(sorted(named - set(evidence.values)))
    flags = np.isin(np.arange(len(evidence.values)), sorted(codes))
    if outcome.knowing is not None:
        known = outcome.knowing.ever(flags, Budget(_SECONDS))
        kept = known.counted.copy()
        kept[: len(left_out)] &= ~left_out[: len(kept)]
        risk = np.where(kept, known.risk, np.nan)
        return EverRisks(risk, known.certain & kept, unpublished, named, known.without & kept, kept)
    risk, certain = _estimated(evidence, flags, left_out)
    return EverRisks(risk, certain, unpublished, named)


def _estimated(evidence: Evidence, grave: Flags, left_out: Flags) -> tuple[Floats, Flags]:
    """Return each person's probability of ever having had a grave value, and whether it is certain, by own groups.

    `every` and `never` are sums over all histories so far that end in each value: of all, and of those without a grave
    value; `may` says where there are any of the latter, however small their weight.
    """
    people, values = evidence.pools(len(evidence.tags) - 1).people, len(grave)
    every, never, may = np.ones((3, people, values))
    seen, counted = np.zeros((2, people), dtype=np.bool_)
    follows = None if evidence.transitions is None else evidence.transitions.weight

    for pools in evidence.stream():
        person, share = pools.person, _shares(pools, values)
        clean = np.where(grave, 0.0, share)
        whole, without, free = every[person], never[person], may[person]
        if follows is not None:
            before = seen[person, np.newaxis]
            whole, without = np.where(before, whole @ follows, 1.0), np.where(before, without @ follows, 1.0)
            free = np.where(before, free @ (follows > 0), 1.0)
        whole, without = whole * share, without * clean
        # Both sums are scaled by the same factor, so that long histories do not vanish.
        scale = whole.max(axis=1, keepdims=True)
        scale[scale == 0] = 1.0
        every[person], never[person], may[person] = whole / scale, without / scale, (free > 0) & (clean > 0)
        counted[person] |= True if pools.counted is None else pools.counted
        seen[person] = True

    counted[: len(left_out)] &= ~left_out[:people]
    total = every.sum(axis=1)
    possible = counted & (total > 0)
    certain = possible & ~may.any(axis=1)
    risk = np.full(people, np.nan)
    risk[possible] = np.minimum(1.0 - never.sum(axis=1)[possible] / total[possible], BELOW_ONE)
    risk[certain] = 1.0  # only a certain event has risk 1
    return risk, certain


def _shares(pools: CandidatePools, values: int) -> Floats:
    """Return the share of each value in the pool of each person; shape (persons, values)."""
    rows = pools.table()
    share = (rows / np.maximum(rows.sum(axis=1, keepdims=True), 1))[pools.pool]
    share = np.pad(share, ((0, 0), (0, values - rows.shape[1])))
    if pools.fixed is not None:
        known = np.flatnonzero(pools.fixed >= 0)
        share[known] = 0.0
        share[known, pools.fixed[known]] = 1.0
    return share
