"""Harmless values: knowledge of them violates nothing, whether it is certain or likely.

Claims about harmless values only are set aside like waived ones, except claims about the number of rows that can be a
person's, which harmless values do not change. A risk is set aside if the true value is harmless. If the true value is
unknown, the risk is that of the likeliest value, which may be harmless and hide the risk of another one: such a risk
decides nothing. Equal values of people with certain, harmless values are set aside, because each value is known by
itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from audit.adversary.view import View
from audit.clauses.clause import ListedValue
from audit.clauses.max_ever_risk import value_codes
from audit.findings.disclosure import Disclosures
from audit.findings.equivalence import Equivalences, Pinned
from audit.findings.linkage import Linkages
from audit.io.rules.disclosure import Harmless
from audit.io.series import Series
from audit.judgement.scoring import true_values
from audit.model.arrays import Places
from audit.model.finding import Member
from audit.model.outcome import Risks
from audit.model.scored import Result, reaches_all

Results = Sequence[Result[View]]


def listed_values(series: Series) -> list[ListedValue]:
    """Return the harmless values, as the series spells them."""
    rules = series.columns.rules
    return [(name, rules.spelled(name, text)) for name, texts in rules[Harmless].values.items() for text in texts]


def set_aside(results: Results, limits: Mapping[str, float]) -> Results:
    """Return results in which claims about harmless values only violate nothing."""
    listed = listed_values(results[0].evidence.series) if results else []
    if not listed:
        return results
    found = [_one(entry, listed, limits["max_risk"]) for entry in results]
    sure: dict[int, set[Member]] = {}
    for entry in found:
        sure.setdefault(id(entry.evidence), set()).update(_certain(entry, _codes(entry.evidence, listed)))
    return [_equal(entry, sure[id(entry.evidence)]) for entry in found]


def _codes(seen: View, listed: Sequence[ListedValue]) -> list[int]:
    return sorted(value_codes(seen, listed, wholly=True))


def _one(entry: Result[View], listed: Sequence[ListedValue], limit: float) -> Result[View]:
    """Return a result without its claims about harmless values, and without their risks."""
    seen, claims, risks = entry.evidence, entry.claims, entry.outcome.risks
    codes = _codes(seen, listed)
    unclear = False
    if isinstance(claims, Linkages):
        # The number of rows is the same. Only the certainty of their value no longer counts.
        entry = entry.with_outcome(replace(entry.outcome, claims=claims.without_values(codes)))
    elif claims is not None:
        gone = np.flatnonzero(np.isin(claims.values(), codes))
        entry = entry.without(gone)
        if claims.counts_rows:
            # The share of a value other than the harmless one, or of one that linked rows show, may be too large, too.
            behind = bool(reaches_all(1.0 - claims.severity[gone], limit).any())
            linked = seen.records is not None and (limit < 1.0 or seen.transitions is not None)
            unclear = behind or (linked and len(gone) > 0)
    if risks is not None and limit < 1.0:
        mixed = value_codes(seen, listed).difference(codes)
        harmless, unknown = _risks(seen, risks, codes, sorted(mixed), limit)
        entry = entry.without_entries("max_risk", np.concatenate([harmless, unknown]))
        unclear = unclear or bool(len(unknown))
    return replace(entry, unclear=unclear)


def _risks(seen: View, risks: Risks, codes: Sequence[int], mixed: Sequence[int], limit: float) -> tuple[Places, Places]:
    """Return the indices of risks of harmless values, and of risks whose value may be harmless or not.

    The risk of a combination is that of its likeliest part, which may be harmless while others are not.
    """
    values = true_values(seen, risks)
    untold = (values == -1) & ((risks.risk < 1.0) | (seen.combined is not None))
    unknown = reaches_all(risks.risk, limit) & (untold | np.isin(values, mixed))
    return np.flatnonzero(np.isin(values, codes)), np.flatnonzero(unknown)


def _certain(entry: Result[View], codes: Sequence[int]) -> set[Member]:
    """Return the people whose value is certain and harmless; with several attributes, all of their values."""
    claims = entry.claims
    if isinstance(claims, Disclosures):
        return {*claims.person[np.isin(claims.value, [code for code in codes if code >= 0])].tolist()}
    if isinstance(claims, Equivalences):
        pinned = claims.sides(np.flatnonzero(claims.e == 0))
        return {finding.individual for finding in pinned if isinstance(finding, Pinned) and finding.value in codes}
    return set()


def _equal(entry: Result[View], sure: set[Member]) -> Result[View]:
    """Return a result without equal values of people with certain, harmless values; their equals have the same."""
    claims = entry.claims
    if not isinstance(claims, Equivalences) or not sure:
        return entry
    places = np.flatnonzero(claims.e > 0)
    people = [set(each.mentioned()) for each in claims.sides(places)]
    pairs = [each for each, e in zip(people, claims.e[places].tolist(), strict=True) if e == 1]
    before = -1
    while before < len(sure):
        before = len(sure)
        sure = sure.union(*(pair for pair in pairs if pair & sure))
    return entry.without(places[np.array([each <= sure for each in people], dtype=np.bool_)])
