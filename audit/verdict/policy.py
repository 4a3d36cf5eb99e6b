"""The policy: which clause each attack decides, what is violated, and what could not be decided.

A clause counts as held only when an attack that can decide it has done so. Sources: the exit codes of the manual.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from audit.core.evidence import Evidence
from audit.core.outcome import Attack, Disclosures, Equivalences, Narrowings, Places
from audit.core.report import PolicyReport, Undecided, Violation, Waived
from audit.reading.manifest import Waiver
from audit.verdict.scoring import Scored

DEFAULTS: Mapping[str, float] = {"max_risk": 1.0, "min_e": 2, "k": 2}
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Judged:
    """One attack's result, on one sensitive attribute when several are audited, and the places of waived claims."""

    attack: Attack
    sensitive: str | None
    scored: Scored
    waived: Places = field(default_factory=lambda: np.zeros(0, dtype=np.intp))


def decide(
    limits: Mapping[str, float], judged: Sequence[Judged], evidence: Sequence[Evidence], *, all_attacks: bool
) -> tuple[list[Violation], list[Undecided], list[str]]:
    """Return the violations, the clauses that are undecided, and those that were not asked about."""
    violations: list[Violation] = []
    undecided: list[Undecided] = []
    not_asked: list[str] = []
    for clause, limit in limits.items():
        deciding = [entry for entry in judged if clause in entry.attack.decides]
        if not deciding:
            why = _applies(clause, evidence)
            if why and all_attacks:
                undecided.append(Undecided(clause, f"no attack of this version decides it, {why}"))
            elif why:
                not_asked.append(clause)
        ran = [entry for entry in judged if entry.scored.outcome.status != "skipped"]
        if deciding and not any(entry in ran for entry in deciding) and _applies_not(clause, evidence):
            not_asked.append(clause)
        for entry in ran:
            _judge(clause, limit, entry, violations, undecided)
    return violations, undecided, not_asked


def _applies(clause: str, evidence: Sequence[Evidence]) -> str:
    """Return why a clause concerns a series, or nothing when it does not."""
    if clause == "max_risk":
        return "though the series has sensitive values"
    if clause == "min_e" and any(e.kind == "linked" and e.transitions is None for e in evidence):
        return "though the series links constant values to people"
    if clause == "k" and any(e.records is not None and e.records.attributes for e in evidence):
        return "though the series links the rows of a record"
    return ""


def _applies_not(clause: str, evidence: Sequence[Evidence]) -> bool:
    """Tell whether a clause is about people of whom this adversary knows nothing, so that it is not judged."""
    return clause == "max_risk" and any(e.kind == "pseudonym" for e in evidence)


def _judge(clause: str, limit: float, entry: Judged, violations: list[Violation], undecided: list[Undecided]) -> None:
    """Note what an attack says about a clause: any attack may violate it, but only some can find that it holds."""
    outcome = entry.scored.outcome
    value = _BREACHES[clause](entry, limit)
    if value is not None:
        violations.append(Violation(outcome.attack, clause, limit, value, entry.sensitive))
    elif _doubtful(clause, entry) or (
        clause in entry.attack.decides and not _DECIDED.get(clause, _complete)(entry, limit)
    ):
        reason = outcome.reason or "not every risk could be computed"
        undecided.append(Undecided(clause, f"{outcome.attack}: {reason}"))


def reaches(risk: float, limit: float) -> bool:
    """Tell whether a risk reaches a limit; below certainty, rounding counts against the series.

    >>> reaches(1 - 1e-15, 1.0), reaches(0.6 - 1e-15, 0.6)
    (False, True)
    """
    return risk >= limit or (limit < 1.0 and risk >= limit - _ROUNDING)


def _risk(entry: Judged, limit: float) -> float | None:
    """Return the highest risk where it reaches the limit."""
    risk = entry.scored.max_risk(entry.waived)
    return risk if risk is not None and reaches(risk, limit) else None


def _class(entry: Judged, limit: float) -> float | None:
    """Return the smallest class that a record was ever in, where it is below the limit."""
    claims = entry.scored.outcome.claims
    if not isinstance(claims, Narrowings) or len(claims) == len(entry.waived):
        return None
    smallest = int(np.delete(claims.smallest, entry.waived).min())
    return smallest if smallest < limit else None


def _least_e(entry: Judged, limit: float) -> float | None:
    """Return the least number of people on a side of an equivalence, where it is below the limit."""
    claims = entry.scored.outcome.claims
    if not isinstance(claims, Equivalences):
        return None
    left = np.delete(claims.e, entry.waived)
    least = int(left[left > 0].min(initial=np.iinfo(np.int32).max))
    return least if least < limit else None


def _doubtful(clause: str, entry: Judged) -> bool:
    """Tell whether values may be certain that an attack on equivalences would have shown, had it come to an end."""
    claims = entry.scored.outcome.claims
    if clause != "max_risk" or "min_e" not in entry.attack.decides:
        return False
    return claims.doubt if isinstance(claims, Equivalences) else True


def _complete(entry: Judged, limit: float) -> bool:
    """Tell whether an attack that found nothing against a clause has looked at everything."""
    return entry.scored.outcome.status == "complete"


def _no_higher_risk(entry: Judged, limit: float) -> bool:
    """Tell whether no risk reaches the limit: below certainty that takes risks, which an attack may not have.

    An attack need not come to an end to know that nothing but what it claims is certain.
    """
    outcome, claims = entry.scored.outcome, entry.scored.outcome.claims
    if limit >= 1.0:
        return outcome.status == "complete" or (isinstance(claims, Disclosures) and claims.exhaustive)
    known = entry.scored.risks is not None or not isinstance(claims, Disclosures)
    return outcome.status == "complete" and known


def _no_lesser_e(entry: Judged, limit: float) -> bool:
    """Tell whether it is proved that every equivalence below the limit, if there is one, is among the claims."""
    outcome = entry.scored.outcome
    if not isinstance(outcome.claims, Equivalences):
        return False
    bounds = outcome.measures.get("min_e")
    if not isinstance(bounds, dict):
        return False
    proved_none = bounds["lower"] is None and bounds["upper"] is None
    return proved_none or max(bounds["lower"] or 0, outcome.claims.spanned + 1) >= limit


_BREACHES: Mapping[str, Callable[[Judged, float], float | None]] = {
    "max_risk": _risk,
    "min_e": _least_e,
    "k": _class,
}
"""For each clause that attacks decide, what violates it: None where nothing does."""

_DECIDED: Mapping[str, Callable[[Judged, float], bool]] = {
    "min_e": _no_lesser_e,
    "max_risk": _no_higher_risk,
}
"""For clauses that take more, or less, than a complete attack to be decided, when nothing violates them."""


def sort_waivers(
    waivers: Sequence[Waiver], present: frozenset[str], today: datetime.date, *, stable: bool
) -> tuple[frozenset[str], list[Waived]]:
    """Return the ids that are waived, and what became of each waiver."""
    applied, told = set(), []
    for waiver in waivers:
        state = "applied"
        if waiver.expires < today:
            state = "expired"
        elif not stable or waiver.finding not in present:
            state = "unknown"
        else:
            applied.add(waiver.finding)
        told.append(Waived(waiver.finding, waiver.reason, waiver.expires.isoformat(), state))
    return frozenset(applied), told


def policy_report(
    limits: Mapping[str, float],
    result: tuple[list[Violation], list[Undecided], list[str]],
    waived: Sequence[Waived],
) -> PolicyReport:
    """Return the decision as data."""
    violations, undecided, not_asked = result
    return PolicyReport(dict(limits), tuple(violations), tuple(undecided), tuple(not_asked), tuple(waived))
