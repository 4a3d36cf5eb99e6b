"""Check a series against a principle: by its definition, and by an attack if that cannot decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from audit.adversary.view import build_evidence
from audit.clauses.clause import JudgedAudit
from audit.clauses.min_e import MinE
from audit.io.irregularities import irregularities
from audit.io.roles import check_keys_are_read
from audit.io.series import Series
from audit.judgement.doubts import gather_doubts, misread_doubts
from audit.model.command_results import CheckReport, Offence
from audit.model.errors import Doubt
from audit.model.evidence import Evidence
from audit.model.finding import Finding
from audit.model.measures import BoundedMeasures, LeastBounds
from audit.model.outcome import NOWHERE, Attack, Outcome, RefinableAttack, Result
from audit.principles.e_equivalence import EEquivalence
from audit.principles.principle import SHOWN, Principle, PrincipleViolation, Verdict, checked
from audit.runtime.budget import Budget
from audit.runtime.phrases import combined, parted, printable, say, say_count

Search: TypeAlias = Callable[[int], Attack]
"""Makes an attack that searches for equivalences of up to the given number of people."""
_PATIENCE = 300.0
_PAIRS = 2
"""From this e on, no two people may certainly have the same value."""
_GROUPS_SHOWN = 3


def check_series(
    series: Series, principle: Principle, search: Search, worlds: Attack, *, reveal: bool = False
) -> CheckReport:
    """Check whether a series keeps a principle.

    `search` makes the attack that searches for equivalences; `worlds` is the attack that finds values that are possible
    in no world.

    Raises:
        UsageError: the series lacks what the principle needs.
        InputError: the series cannot be read.
    """
    check_keys_are_read(series.manifest)
    decision = _decided(checked(principle, series), principle, series, search, worlds)
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
    """Return the verdict after doubts; any guess in the manifest leaves it undecided."""
    if not doubts or (verdict.broken and not any(each.guessed for each in doubts)):
        return verdict
    reasons = [each.reason for each in doubts]
    undecided = combined([*([verdict.undecided] if verdict.undecided is not None else []), *dict.fromkeys(reasons)])
    return replace(verdict, undecided=undecided, broken={}, first=())


def _offence(series: Series, found: PrincipleViolation, *, reveal: bool) -> Offence:
    """Return an offence; a person's own line is given only where people are named."""
    position = series.tags.index(found.release)
    hidden = bool(found.individuals) and not reveal
    return Offence(
        found.release,
        found.groups,
        found.place,
        None if found.row is None or hidden else series.line(position, found.row),
        series.manifest.releases[position].rows.name.endswith(".parquet"),
        found.what,
        found.individuals if reveal else (),
        hidden,
    )


def _decided(verdict: Verdict, principle: Principle, series: Series, search: Search, worlds: Attack) -> Verdict:
    """Return a verdict after attacks that may change it, decided as the clause `min_e` decides.

    The principle's own check covers linear reasoning over the published groups, or leaves it to an attack on
    equivalences. Two people may still have equal values in all worlds, which `worlds` decides.

    Known values and categories of values are ignored: only published data keep or break a promise.

    Raises:
        InputError: the series cannot be read.
    """
    if (
        not isinstance(principle, EEquivalence)
        or principle.e < _PAIRS
        or verdict.broken
        or series.manifest.values_change
    ):
        return verdict
    # Everything is decided that is not left to the attack, except two people with certainly equal values.
    e, clause, reasons = _PAIRS if verdict.undecided is None else principle.e, MinE(), list[str]()
    attack, plain = search(e - 1), Series.of(replace(series.manifest, known=None))
    for seen in build_evidence(plain, "linked"):
        evidence = replace(seen, categories={})
        outcome, beside = attack.run(evidence, Budget(_PATIENCE)), worlds.run(evidence, Budget(_PATIENCE))
        if isinstance(attack, RefinableAttack):
            outcome = attack.refined(evidence, outcome, beside, Budget(_PATIENCE))
        found = JudgedAudit([Result(attack, None, evidence, outcome), Result(worlds, None, evidence, beside)])
        bounds = outcome.measures.min_e if isinstance(outcome.measures, BoundedMeasures) else LeastBounds(None, None)
        least = min(
            [e if bounds.upper is None else bounds.upper, *(each.value for each in clause.violations(found, e))]
        )
        if least < e:
            return _broken(verdict, principle.e, plain, evidence, outcome, int(least))
        if bounds.lower is not None and bounds.lower < e:
            shown = say(
                "the attack equivalence shows only that e is at least {lower} ({reason})",
                lower=str(bounds.lower),
                reason=outcome.reason,
            )
            reasons.append(shown)
        else:
            reasons += clause.doubts(found, e)
    why = dict.fromkeys(filter(None, [verdict.undecided, *reasons] if reasons else []))
    return replace(verdict, undecided=parted(list(why)) or None)


def _broken(verdict: Verdict, e: int, series: Series, evidence: Evidence, outcome: Outcome, least: int) -> Verdict:
    """Return the verdict that a series has equivalences below e, with the equivalences."""
    places = NOWHERE if outcome.claims is None else outcome.claims.equivalences(e)
    found: Sequence[Finding[int]] = () if outcome.claims is None else outcome.claims.certify(places[:SHOWN])
    offences = [_equivalence(finding, series, evidence.tags) for finding in found if any(finding.places())]
    if not offences:
        what = say("an equivalence with e = {e}", e=str(least))
        offences = [PrincipleViolation(evidence.tags[-1], (), None, what)]
    clause = say("equivalences with e below {e}", e=str(e))
    return replace(verdict, broken={clause: max(1, len(places))}, first=tuple(offences), undecided=None)


def _equivalence(finding: Finding[int], series: Series, tags: Sequence[str]) -> PrincipleViolation:
    """Return an equivalence as an offence of the last release that it needs."""
    places = [*finding.places()]
    releases = sorted(finding.releases)
    groups = tuple(group for release, group in places if release == releases[-1])
    what = say_count(
        "an equivalence with e = {e}, from {count} [group|groups] of releases {releases}",
        len(places),
        e=str(finding.extent // 2),
        releases=", ".join(printable(tags[release]) for release in releases),
    )
    names = tuple(series.people.name(who) for who in finding.people())
    return PrincipleViolation(tags[releases[-1]], groups[:_GROUPS_SHOWN], None, what, names)
