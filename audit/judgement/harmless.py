"""Harmless values: what is known of them violates nothing, whether it is certain or likely.

What an attack claims of them alone is set aside as what is waived is, but for rows that can be somebody's: there are as
few of them as before. A risk is set aside where the true value is harmless. Where nobody knows the true value, the risk
is that of the likeliest one, which may be harmless or not, and behind it stands another one: such a risk decides
nothing. Equal values of people who are certain of harmless ones are set aside, as each is known by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from audit.adversary.view import View
from audit.io.rules.value_meaning import Harmless
from audit.io.series import Series
from audit.judgement.ever import ListedValue, value_codes
from audit.judgement.risk_findings import true_values
from audit.model.arrays import Places
from audit.model.errors import printable
from audit.model.outcome import (
    AttributeDisclosures,
    EquivalenceFindings,
    GroupDisclosures,
    LinkageDisclosures,
    Risks,
    Somebody,
)
from audit.model.report import ReportWarning
from audit.model.scored import Judged, reaches_all
from audit.runtime.phrases import say_count

Results = Sequence[tuple[View, Judged]]


def listed_values(series: Series) -> list[ListedValue]:
    """Return the harmless values, as the series spells them."""
    rules = series.columns.rules
    return [(name, rules.spelled(name, text)) for name, texts in rules[Harmless].values.items() for text in texts]


def set_aside(judged: Results, listed: Sequence[ListedValue], limit: float) -> Results:
    """Return results in which what is about harmless values alone violates nothing; `limit` is that of risks."""
    if not listed:
        return judged
    found = [_one(seen, entry, listed, limit) for seen, entry in judged]
    sure: dict[int, set[Somebody]] = {}
    for seen, entry in found:
        sure.setdefault(id(seen), set()).update(_certain(entry, _codes(seen, listed)))
    return [(seen, _equal(entry, sure[id(seen)])) for seen, entry in found]


def harmless_warnings(judged: Results, listed: Sequence[ListedValue]) -> tuple[ReportWarning, ...]:
    """Return how much was found of harmless values alone."""
    what = say_count(
        "{count} finding is about harmless values alone, as the manifest declares, and violates nothing",
        "{count} findings are about harmless values alone, as the manifest declares, and violate nothing",
        sum(len(entry.waived) for _, entry in judged),
    )
    values = (f"{printable(str(name))}: {printable(text)}" for name, text in listed)
    return (ReportWarning("harmless-value", what, tuple(values)),) if listed else ()


def _codes(seen: View, listed: Sequence[ListedValue]) -> list[int]:
    return sorted(value_codes(seen, listed, wholly=True))


def _one(seen: View, entry: Judged, listed: Sequence[ListedValue], limit: float) -> tuple[View, Judged]:
    """Return a result without what it claims of harmless values, and without their risks."""
    claims, risks, codes = entry.scored.outcome.claims, entry.scored.risks, _codes(seen, listed)
    unclear = False
    if isinstance(claims, AttributeDisclosures):
        entry = entry.without(np.flatnonzero(np.isin(claims.value, codes)))
    elif isinstance(claims, EquivalenceFindings):
        pinned = np.flatnonzero(claims.e == 0)
        values = [finding.value for finding in claims.sides(pinned)]
        entry = entry.without(pinned[np.isin(np.array(values, dtype=np.int64), codes)])
    elif isinstance(claims, GroupDisclosures):
        every = claims.build(np.arange(len(claims)))
        gone = np.flatnonzero(np.isin(np.array([each.value for each in every], dtype=np.int64), codes))
        entry = entry.without(gone)
        # The share of a value behind the harmless one, or of one that linked rows tell, may be too large as well.
        behind = bool(reaches_all(1.0 - claims.risk[gone], limit).any())
        linked = seen.records is not None and (limit < 1.0 or seen.transitions is not None)
        unclear = behind or (linked and len(gone) > 0)
    elif isinstance(claims, LinkageDisclosures):
        values = [-1 if each.value is None else each.value for each in claims.build(np.arange(len(claims)))]
        certain = claims.certain & ~np.isin(np.array(values, dtype=np.int64), codes)
        outcome = replace(entry.scored.outcome, claims=replace(claims, certain=certain))
        entry = replace(entry, scored=replace(entry.scored, outcome=outcome))
    if risks is not None and limit < 1.0:
        mixed = value_codes(seen, listed).difference(codes)
        harmless, unknown = _risks(seen, risks, codes, sorted(mixed), limit)
        entry = entry.without(risks=np.concatenate([harmless, unknown]))
        unclear = unclear or bool(len(unknown))
    return seen, replace(entry, unclear=unclear)


def _risks(seen: View, risks: Risks, codes: Sequence[int], mixed: Sequence[int], limit: float) -> tuple[Places, Places]:
    """Return the places of risks of harmless values, and of those that may be of a harmless value or of another one.

    The risk of a combination is that of its likeliest part, which may be harmless while others are not.
    """
    values = true_values(seen, risks)
    untold = (values == -1) & ((risks.risk < 1.0) | (seen.combined is not None))
    unknown = reaches_all(risks.risk, limit) & (untold | np.isin(values, mixed))
    return np.flatnonzero(np.isin(values, codes)), np.flatnonzero(unknown)


def _certain(entry: Judged, codes: Sequence[int]) -> set[Somebody]:
    """Return whose value is certain, and harmless: of several attributes all of them."""
    claims = entry.scored.outcome.claims
    if isinstance(claims, AttributeDisclosures):
        return {*claims.person[np.isin(claims.value, [code for code in codes if code >= 0])].tolist()}
    if isinstance(claims, EquivalenceFindings):
        pinned = claims.sides(np.flatnonzero(claims.e == 0))
        return {finding.left[0][0] for finding in pinned if finding.value in codes}
    return set()


def _equal(entry: Judged, sure: set[Somebody]) -> Judged:
    """Return a result without equal values of people who are certain of harmless ones, as whoever equals them is."""
    claims = entry.scored.outcome.claims
    if not isinstance(claims, EquivalenceFindings) or not sure:
        return entry
    places = np.flatnonzero(claims.e > 0)
    people = [{who for side in (each.left, each.right) for who, _ in side} for each in claims.sides(places)]
    pairs = [each for each, e in zip(people, claims.e[places].tolist(), strict=True) if e == 1]
    before = -1
    while before < len(sure):
        before = len(sure)
        sure = sure.union(*(pair for pair in pairs if pair & sure))
    return entry.without(places[np.array([each <= sure for each in people], dtype=np.bool_)])
