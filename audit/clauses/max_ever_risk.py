"""The clause `max_ever_risk`: no one may be as likely as the limit to have had a grave value in some release."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from audit.clauses.clause import Clause, E, JudgedAudit, ListedValue, TrueValues, attack_reason
from audit.clauses.grave_histories import ever_risks, value_codes
from audit.findings.ever_grave import GraveHistories
from audit.model.arrays import Flags
from audit.model.evidence import Evidence
from audit.model.finding import Claims
from audit.model.report import Violation
from audit.model.scored import EverRisks, Result, reaches, reaches_all
from audit.runtime.phrases import say, say_count
from audit.runtime.reasons import Reason, ReasonKind


class MaxEverRisk(Clause):
    """In force only where it is stated, with `grave`, the values that it is about."""

    name: ClassVar[str] = "max_ever_risk"
    default: ClassVar[float | None] = None
    fails: ClassVar[str] = "Somebody is too likely to have had a grave value in some release."
    remedy: ClassVar[str] = "Publish fewer releases, or groups in which grave values are rare."
    example: ClassVar[str] = "write a number above 0 and at most 1, such as 0.5"

    def allows(self, limit: float) -> bool:
        """Return whether a number is a probability above 0."""
        return 0 < limit <= 1

    def statistic(self, result: Result[E], grave: Collection[ListedValue], left_out: Callable[[], Flags]) -> Result[E]:
        """Return a result with how probable it is for people ever to have had a grave value, if the attack says so."""
        outcome, seen = result.outcome, result.evidence
        if not grave or not outcome.ran:
            return result
        codes, ever = value_codes(seen, grave), None
        if self.name in result.attack.decides and (outcome.status == "complete" or outcome.knowing is not None):
            ever = ever_risks(seen, grave, codes, left_out(), outcome)
        return replace(result, grave=codes, histories=ever)

    def claims(self, result: Result[Evidence], limit: float, truth: TrueValues) -> Claims | None:
        """Return who is certain to have had one, or as likely as the limit by all worlds."""
        del truth
        ever = _left(result)
        if ever is None:
            return None
        high = ever.certain | (reaches_all(ever.risk, limit) if _in_worlds(result) else False)
        person = np.flatnonzero(high)
        risk = np.where(ever.certain[person], 1.0, ever.risk[person])
        last = np.full(len(person), len(result.evidence.tags) - 1, dtype=np.int32)
        return GraveHistories(person.astype(np.int32), last, risk)

    def judges(self, findings: JudgedAudit) -> bool:
        """Return whether histories were looked at."""
        return any(entry.histories is not None for entry in findings.ran)

    def not_judged(self, findings: JudgedAudit) -> str:
        """Return why no histories were looked at."""
        if not findings.grave:
            return Reason(say('it needs the grave values: write grave = ["…"] under [policy]'), ReasonKind.NEEDS)
        return say("only the attack joint can decide it, from all worlds, and it did not finish")

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield, for each attack, the highest probability ever to have had a grave value: 1 where one is certain.

        Below certainty only worlds decide, and of several attributes those of the combinations.
        """
        for entry in findings.ran:
            ever = _left(entry)
            sure = _certain(entry) or (ever is not None and bool(ever.certain.any()))
            value = 1.0 if sure else ever.highest if ever is not None and _in_worlds(entry) else None
            if value is not None and reaches(value, limit):
                yield Violation(entry.outcome.attack, self.name, limit, value, entry.sensitive)

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield why people may have had grave values that no attack has shown: values may be misspelt as well."""
        known = [entry.histories for entry in findings.ran if entry.histories is not None]
        if not known:
            return
        published = {value.casefold() for ever in known for value in ever.named.difference(ever.unpublished)}
        unpublished = {value for ever in known for value in ever.unpublished}
        for value in sorted(value for value in unpublished if value.casefold() not in published):
            yield say('no release has the grave value "{value}"; write it as the releases do', value=value)
        if all(ever.highest is None and not ever.open(limit) for ever in known):
            yield say("nobody could be judged: every row is a counterfeit or its value is known beforehand")
        if any(self.violations(findings, limit)):
            return
        deciding = list(filter(_in_worlds, findings.ran))
        if not deciding:
            yield say("only the attack joint can decide it, from all worlds, and it did not finish")
        for entry in deciding:
            ever = _left(entry)
            count = None if ever is None else ever.open(limit)
            if count:
                what = say_count(
                    "of {count} person it is not known how many worlds have a grave value",
                    "of {count} people it is not known how many worlds have a grave value",
                    count,
                )
                yield attack_reason(entry.outcome.attack, what)


def _left(entry: Result[Evidence]) -> EverRisks | None:
    """Return how probable it is for people ever to have had a grave value, where that is not accepted."""
    return None if entry.histories is None else entry.histories.less(entry.accepted_by(MaxEverRisk.name))


def _in_worlds(entry: Result[Evidence]) -> bool:
    """Return whether a result says it of all worlds: of the combinations, where there are several attributes."""
    return entry.whole and entry.histories is not None and entry.histories.without is not None


def _certain(entry: Result[Evidence]) -> bool:
    """Return whether an attack claims a grave value of anyone."""
    claims, grave = entry.claims, entry.grave
    if claims is None or claims.versions is None or not grave:
        return False
    return bool(np.isin(np.delete(claims.values(), entry.waived), sorted(grave)).any())
