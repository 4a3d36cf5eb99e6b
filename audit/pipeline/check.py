"""Checking a series against a principle: by the principle's definition, and by an attack where that cannot decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from audit.clauses.min_e import NOT_ALL_PAIRS, in_all_worlds
from audit.findings.disclosure import certain_alike
from audit.findings.equivalence import Equivalence, Equivalences
from audit.io.irregularities import irregularities
from audit.io.series import Series
from audit.io.unread_keys import check_keys_are_read
from audit.judgement.doubts import gather_doubts, misread_doubts
from audit.model.check_report import CheckReport, Offence
from audit.model.doubt import Doubt
from audit.model.errors import printable
from audit.model.measures import BoundedMeasures
from audit.model.outcome import Attack, RefinableAttack
from audit.model.scored import NOWHERE
from audit.principles.checker import Verdict, checked, line_of
from audit.principles.principle import Principle, PrincipleViolation
from audit.runtime.budget import Budget
from audit.runtime.phrases import parted, say, say_count
from audit.runtime.reasons import combined


def check_series(
    series: Series, principle: Principle, search: Search, worlds: Attack, *, reveal: bool = False
) -> CheckReport:
    """Return whether a series keeps a principle.

    `search` makes the attack that looks for equivalences, `worlds` is the one that rules values out in all worlds.

    Raises:
        UsageError: the series lacks what the principle needs.
        InputError: the series cannot be read.
    """
    check_keys_are_read(series.manifest)
    decision = decided(checked(principle, series), principle, series, search, worlds)
    verdict = _doubted(decision, [*gather_doubts(series), *misread_doubts(irregularities(series, reveal=False))])
    return CheckReport(
        series.manifest.name,
        series.tags,
        verdict.rows,
        verdict.promise.principle,
        dict(verdict.promise.parameters),
        str(verdict.promise),
        verdict.undecided,
        dict(verdict.broken),
        tuple(_offence(series, offence, reveal=reveal) for offence in verdict.first),
        verdict.offences,
        reveal,
    )


def _doubted(verdict: Verdict, doubts: Sequence[Doubt]) -> Verdict:
    """Return a verdict as far as it stands beside doubts; it rests on all that the manifest says."""
    if not doubts or (verdict.broken and not any(each.guessed for each in doubts)):
        return verdict
    reasons = [each.reason for each in doubts]
    undecided = combined([*([verdict.undecided] if verdict.undecided is not None else []), *dict.fromkeys(reasons)])
    return replace(verdict, undecided=undecided, broken={}, first=())


def _offence(series: Series, found: PrincipleViolation, *, reveal: bool) -> Offence:
    """Return an offence; a person's own line is given only where people are named."""
    files = series.manifest.releases[series.tags.index(found.release)]
    hidden = bool(found.individuals) and not reveal
    return Offence(
        found.release,
        found.groups,
        found.place,
        None if found.row is None or hidden else line_of(files, found.row),
        files.rows.name.endswith(".parquet"),
        found.what,
        found.individuals if reveal else (),
        hidden,
    )


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
    offences = [_equivalence(finding, series, evidence.tags) for finding in found if finding.certificate]
    if not offences:
        what = say("an equivalence with e = {e}", e=str(min(least, _bounds(outcome)[1] or least)))
        offences = [PrincipleViolation(evidence.tags[-1], (), None, what)]
    clause = say("equivalences with e below {e}", e=str(e))
    return replace(verdict, broken={clause: total}, first=tuple(offences), undecided=None)


def _equivalence(finding: Equivalence[int], series: Series, tags: Sequence[str]) -> PrincipleViolation:
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
