"""Deciding: where a principle's own check cannot tell whether a promise is kept, an attack may."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from audit.model.errors import printable
from audit.model.measures import BoundedMeasures
from audit.runtime.budget import Budget
from audit.runtime.phrases import parted, say, say_count

if TYPE_CHECKING:
    from audit.io.series import Series
    from audit.model.evidence import Evidence
    from audit.model.outcome import Attack, EquivalenceFinding, Outcome
    from audit.principles.checker import Verdict
    from audit.principles.principle import Principle, PrincipleViolation

Search: TypeAlias = "Callable[[int], Attack]"
"""Makes an attack that looks for equivalences of up to so many people."""
_PATIENCE = 300.0
_GROUPS_SHOWN = 3


def decided(verdict: Verdict, principle: Principle, series: Series, search: Search) -> Verdict:
    """Return a verdict that was left undecided as an attack on equivalences decides it, if it can.

    Nothing is taken to be known beforehand: a promise is kept or broken by what is published.

    Raises:
        InputError: the series cannot be read.
    """
    from audit.principles.e_equivalence import EEquivalence

    if verdict.undecided is None or not isinstance(principle, EEquivalence) or series.manifest.values_change:
        return verdict
    from audit.adversary.build_evidence import build_evidence
    from audit.io.series import Series

    plain = Series.of(replace(series.manifest, known=None))
    attack = search(max(1, principle.e - 1))
    reasons = []
    for evidence in build_evidence(plain, "linked"):
        outcome = attack.run(evidence, Budget(_PATIENCE))
        lower, upper = _bounds(outcome)
        if upper is not None and upper < principle.e:
            return _broken(verdict, principle.e, plain, evidence, outcome)
        if lower is not None and lower < principle.e:
            told = say(
                "the attack equivalence shows only that e is at least {lower} ({reason})",
                lower=str(lower),
                reason=outcome.reason,
            )
            reasons.append(told)
    if not reasons:
        return replace(verdict, undecided=None)
    return replace(verdict, undecided=parted([verdict.undecided, *dict.fromkeys(reasons)]))


def _bounds(outcome: Outcome) -> tuple[int | None, int | None]:
    """Return the bounds of the least e; both None where it is proved that there is no equivalence."""
    if not isinstance(outcome.measures, BoundedMeasures):
        raise TypeError("the attack has no bounds of the least e")
    return outcome.measures.min_e.lower, outcome.measures.min_e.upper


def _broken(verdict: Verdict, e: int, series: Series, evidence: Evidence, outcome: Outcome) -> Verdict:
    """Return that an equivalence below e was found, with those that were."""
    from audit.model.outcome import EquivalenceFindings
    from audit.principles.principle import SHOWN, PrincipleViolation

    found: list[EquivalenceFinding] = []
    total = 1
    if isinstance(outcome.claims, EquivalenceFindings):
        sizes = outcome.claims.e
        places = np.flatnonzero((sizes > 0) & (sizes < e))
        found = outcome.claims.build(places[np.argsort(sizes[places], kind="stable")[:SHOWN]])
        total = max(1, len(places))
    offences = [_offence(finding, series, evidence.tags) for finding in found if finding.certificate]
    if not offences:
        what = say("an equivalence with e = {e}", e=str(_bounds(outcome)[1]))
        offences = [PrincipleViolation(evidence.tags[-1], (), None, what)]
    clause = say("equivalences with e below {e}", e=str(e))
    return replace(verdict, broken={clause: total}, first=tuple(offences), undecided=None)


def _offence(finding: EquivalenceFinding, series: Series, tags: Sequence[str]) -> PrincipleViolation:
    """Return an equivalence as an offence of the last release that it needs."""
    from audit.principles.principle import PrincipleViolation

    releases = sorted({each.release for each in finding.certificate})
    groups = tuple(each.group for each in finding.certificate if each.release == releases[-1])
    told = ", ".join(printable(tags[release]) for release in releases)
    what = say_count(
        "an equivalence with e = {e}, from {count} group of releases {releases}",
        "an equivalence with e = {e}, from {count} groups of releases {releases}",
        len(finding.certificate),
        e=str(finding.e),
        releases=told,
    )
    sides = [who for who, _ in (*finding.left, *finding.right)]
    names = tuple(series.people.name(who) for who in sides if isinstance(who, int))
    return PrincipleViolation(tags[releases[-1]], groups[:_GROUPS_SHOWN], None, what, names)
