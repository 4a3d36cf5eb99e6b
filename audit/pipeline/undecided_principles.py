"""Deciding: where a principle's own check cannot decide whether a promise is kept, an attack may."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from audit.clauses.min_e import NOT_ALL_PAIRS, in_all_worlds
from audit.findings.disclosure import certain_alike
from audit.findings.equivalence import Equivalence, Equivalences
from audit.model.errors import printable
from audit.model.measures import BoundedMeasures
from audit.model.outcome import RefinableAttack
from audit.model.scored import NOWHERE
from audit.runtime.budget import Budget
from audit.runtime.phrases import parted, say, say_count

if TYPE_CHECKING:
    from audit.io.series import Series
    from audit.model.evidence import Evidence
    from audit.model.outcome import Attack, Outcome
    from audit.principles.checker import Verdict
    from audit.principles.principle import Principle, PrincipleViolation

Search: TypeAlias = "Callable[[int], Attack]"
"""Makes an attack that looks for equivalences of up to so many people."""
_PATIENCE = 300.0
_PAIRS = 2
"""From this e on, no two people may have the same value for certain."""
_GROUPS_SHOWN = 3


def decided(verdict: Verdict, principle: Principle, series: Series, search: Search, worlds: Attack) -> Verdict:
    """Return a verdict that attacks may still change, as they decide it, if they can.

    The principle's own check judges linear reasoning over the published groups, or leaves it to an attack on
    equivalences. Two people may be equal in all worlds all the same: that takes what `worlds` rules out.

    Nothing is taken to be known beforehand: a promise is kept or broken by what is published.

    Raises:
        InputError: the series cannot be read.
    """
    from audit.principles.e_equivalence import EEquivalence

    if (
        not isinstance(principle, EEquivalence)
        or verdict.broken
        or principle.e < _PAIRS
        or series.manifest.values_change
    ):
        return verdict
    from audit.adversary.build_evidence import build_evidence
    from audit.io.series import Series

    plain = Series.of(replace(series.manifest, known=None))
    attack = search(1 if verdict.undecided is None else principle.e - 1)
    reasons = []
    for evidence in build_evidence(plain, "linked"):
        outcome, beside = attack.run(evidence, Budget(_PATIENCE)), worlds.run(evidence, Budget(_PATIENCE))
        if isinstance(attack, RefinableAttack):
            outcome = attack.refined(evidence, outcome, beside, Budget(_PATIENCE))
        lower, upper = _bounds(outcome)
        least = _least(outcome, beside)
        if min(least, upper or principle.e) < principle.e:
            return _broken(verdict, principle.e, plain, evidence, outcome, least)
        if not in_all_worlds(outcome.claims):
            reasons.append(str(NOT_ALL_PAIRS))
        if verdict.undecided is not None and lower is not None and lower < principle.e:
            shown = say(
                "the attack equivalence shows only that e is at least {lower} ({reason})",
                lower=str(lower),
                reason=outcome.reason,
            )
            reasons.append(shown)
    if not reasons:
        return replace(verdict, undecided=None)
    return replace(verdict, undecided=parted([*filter(None, [verdict.undecided]), *dict.fromkeys(reasons)]))


def _least(outcome: Outcome, beside: Outcome) -> int:
    """Return the fewest people on a side of what is claimed: 1 where two are certain of the same value."""
    if certain_alike(beside.claims, NOWHERE):
        return 1
    least = None if outcome.claims is None else outcome.claims.smallest_e(NOWHERE)
    return np.iinfo(np.int32).max if least is None else least


def _bounds(outcome: Outcome) -> tuple[int | None, int | None]:
    """Return the bounds of the least e; both None where it is proved that there is no equivalence."""
    if not isinstance(outcome.measures, BoundedMeasures):
        raise TypeError("the attack has no bounds of the least e")
    return outcome.measures.min_e.lower, outcome.measures.min_e.upper


def _broken(verdict: Verdict, e: int, series: Series, evidence: Evidence, outcome: Outcome, least: int) -> Verdict:
    """Return that an equivalence below e was found, with those that were."""
    from audit.principles.principle import SHOWN, PrincipleViolation

    found: list[Equivalence[int]] = []
    total = 1
    if isinstance(outcome.claims, Equivalences):
        sizes = outcome.claims.e
        places = np.flatnonzero((sizes > 0) & (sizes < e))
        some = outcome.claims.certify(places[np.argsort(sizes[places], kind="stable")[:SHOWN]])
        found = [each for each in some if isinstance(each, Equivalence)]
        total = max(1, len(places))
    offences = [_offence(finding, series, evidence.tags) for finding in found if finding.certificate]
    if not offences:
        what = say("an equivalence with e = {e}", e=str(min(least, _bounds(outcome)[1] or least)))
        offences = [PrincipleViolation(evidence.tags[-1], (), None, what)]
    clause = say("equivalences with e below {e}", e=str(e))
    return replace(verdict, broken={clause: total}, first=tuple(offences), undecided=None)


def _offence(finding: Equivalence[int], series: Series, tags: Sequence[str]) -> PrincipleViolation:
    """Return an equivalence as an offence of the last release that it needs."""
    from audit.principles.principle import PrincipleViolation

    releases = sorted({each.release for each in finding.certificate})
    groups = tuple(each.group for each in finding.certificate if each.release == releases[-1])
    shown = ", ".join(printable(tags[release]) for release in releases)
    what = say_count(
        "an equivalence with e = {e}, from {count} group of releases {releases}",
        "an equivalence with e = {e}, from {count} groups of releases {releases}",
        len(finding.certificate),
        e=str(finding.e),
        releases=shown,
    )
    names = tuple(series.people.name(who) for who in finding.people())
    return PrincipleViolation(tags[releases[-1]], groups[:_GROUPS_SHOWN], None, what, names)
