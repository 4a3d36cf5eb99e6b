"""One audit: attacks run on a series, what they found judged by the policy and its waivers, and all of it reported."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from audit.adversary.view import View
from audit.clauses.clause import JudgedAudit, attack_reason, decide
from audit.clauses.registry import CLAUSES, in_force
from audit.io.irregularities import irregularities
from audit.io.series import Series
from audit.judgement.baseline import Baseline
from audit.judgement.doubts import combination_doubts, gather_doubts, missing_doubts, record_doubts
from audit.judgement.exposure import exposure
from audit.judgement.findings import AnySelection
from audit.judgement.found_people import found_people
from audit.judgement.harmless import harmless_warnings, listed_values
from audit.judgement.ladder import ladder, people_found
from audit.judgement.locations import Locator
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.risk_findings import RiskSelection
from audit.judgement.waivers import WaiverBook
from audit.model.arrays import Places
from audit.model.doubt import Doubt
from audit.model.named_findings import NamedDisclosure, NamedFinding
from audit.model.outcome import Attack, Finding
from audit.model.report import (
    AdversaryFacts,
    AttackReport,
    ClauseReport,
    Contradictions,
    FoundPerson,
    PolicyReport,
    Report,
    ReportWarning,
    Undecided,
    Waived,
)
from audit.model.scored import Judged
from audit.pipeline.attack_run import AuditOptions, AuditRun, Progress, Selections, run_attacks
from audit.pipeline.known_people import known_warnings, register_warnings
from audit.runtime.budget import Budget
from audit.runtime.log import logged_stage
from audit.runtime.phrases import figure, say
from audit.runtime.reasons import Reason, ReasonKind
from audit.runtime.version import version

__all__ = [
    "AuditOptions",
    "AuditRun",
    "Progress",
    "build_report",
    "pseudonymizer",
    "remaining_findings",
    "run_attacks",
    "run_audit",
]

_LOG = logging.getLogger(__name__)
_MANY_COUNTERFEITS = 0.1


@dataclass(frozen=True)
class WaivedRun:
    """The results of a run with their waived claims and risks marked.

    `told` is what became of each waiver; `accepted` are the releases whose smallest class is accepted; `left_out` is
    how many findings are waived, or in the baseline, `still` how many of these are in the baseline.
    """

    entries: list[Judged]
    told: list[Waived]
    accepted: frozenset[str]
    left_out: int = 0
    still: int = 0


def run_audit(series: Series, attacks: Sequence[Attack], options: AuditOptions) -> Report:
    """Return the report of some attacks on a series.

    Raises:
        InputError, UsageError: as for `attack`.
    """
    namer = pseudonymizer(series, options)  # what is wrong with its key is told before a long run
    return build_report(run_attacks(series, attacks, options), namer, options)


def pseudonymizer(series: Series, options: AuditOptions) -> Pseudonymizer:
    """Return what names findings and people in a report.

    Raises:
        UsageError: ids are to stay, and the series has no folder for their key.
    """
    return Pseudonymizer(series, reveal=options.reveal, stable=options.stable_ids)


@logged_stage(_LOG, "certificates and report")
def build_report(attacked: AuditRun, namer: Pseudonymizer, options: AuditOptions) -> Report:
    """Return what attacks found out as a report."""
    attacked = attacked.checked(namer)
    series, evidence, shelves = attacked.series, attacked.evidence, attacked.shelves(namer)
    waived = _waive(attacked, shelves, namer, options)
    entries = waived.entries
    contradictions = _contradictions(attacked, entries, reveal=options.reveal)
    reports, people = _attack_reports(attacked, entries, shelves, namer, options)
    return Report(
        tool_version=version(),
        made=options.made or options.today,
        inputs=attacked.inputs,
        series=attacked.facts,
        adversary=AdversaryFacts(
            evidence[0].kind, evidence[0].transitions is not None, max(seen.known for seen in evidence)
        ),
        attacks=reports,
        people=people,
        contradictions=contradictions,
        policy=_decide(attacked, waived, contradictions, options),
        time_limit=options.time_limit,
        revealed=options.reveal,
        ids_are_stable=namer.stable,
        ladder=ladder(entries),
        panel=attacked.panel,
        warnings=(
            *_unrecognised(namer, options),
            *warnings_of(series, attacked, reveal=options.reveal),
            *known_warnings(attacked, options),
            *register_warnings(attacked),
            *harmless_warnings(attacked.judged, listed_values(series)),
        ),
        exposure=exposure(entries),
        known_before=None if options.baseline is None else waived.left_out,
        baseline=None if options.baseline is None else options.baseline.facts(waived.still),
        interrupted=any(entry.scored.outcome.interrupted for entry in entries),
    )


def _unrecognised(namer: Pseudonymizer, options: AuditOptions) -> tuple[ReportWarning, ...]:
    """Return that the findings of a baseline cannot be recognised, where the key of their ids is gone."""
    if options.baseline is None or namer.keyed:
        return ()
    what = say(
        "the key of the baseline's ids, private/finding.key, is not there: all findings count as new; put it back"
    )
    return (ReportWarning("baseline", what),)


def warnings_of(series: Series, attacked: AuditRun, *, reveal: bool) -> tuple[ReportWarning, ...]:
    """Return what is irregular about the files of a series that was attacked."""
    by_hash: dict[str, list[str]] = {}
    for each in attacked.inputs:
        by_hash.setdefault(each.sha256, []).append(each.path)
    twice = tuple(" = ".join(paths) for paths in by_hash.values() if len(paths) > 1)
    what = say("files have the same content; publish each release once, or correct the manifest")
    same = [ReportWarning("duplicates", what, twice)] if twice else []
    share, rows = attacked.facts.counterfeits, attacked.facts.rows
    if share > _MANY_COUNTERFEITS * rows:
        what = say(
            "{share} of the rows are counterfeits; users of the series cannot tell them from people",
            share=figure(share / rows, ".0%"),
        )
        same.append(ReportWarning("counterfeit-share", what))
    return (*irregularities(series, reveal=reveal), *same)


def remaining_findings(
    attacked: AuditRun, hidden: Sequence[Places], namer: Pseudonymizer, options: AuditOptions
) -> tuple[tuple[AttackReport, ...], list[Sequence[Finding]], list[Places]]:
    """Return what attacks found less the claims that are hidden, and less those that are waived, at some places.

    Each attack's findings are returned as they are told and as codes; then the places of all claims that are left.
    """
    shelves = attacked.shelves(namer)
    less = [
        entry.without(places)
        for entry, places in zip(_waive(attacked, shelves, namer, options).entries, hidden, strict=True)
    ]
    reports, _ = _attack_reports(attacked, less, shelves, namer, options)
    findings: list[Sequence[Finding]] = [() if shelf is None else shelf.findings for shelf in shelves]
    left = [
        np.delete(np.arange(0 if shelf is None else len(shelf.claims)), entry.waived)
        for shelf, entry in zip(shelves, less, strict=True)
    ]
    return reports, findings, left


def _waive(attacked: AuditRun, shelves: Selections, namer: Pseudonymizer, options: AuditOptions) -> WaivedRun:
    """Return the results with their waived claims and risks marked, and what became of each waiver."""
    book = WaiverBook(attacked.series.manifest.waivers, options.today, namer)
    entries, before, still = [], 0, 0
    for (seen, entry), shelf in zip(attacked.judged, shelves, strict=True):
        marked = entry
        if book.waivers and shelf is not None:
            marked = marked.without(np.flatnonzero(book.waived(shelf.claimed())))
        if book.waivers and (risky := _risky(seen, marked, attacked, namer, options)) is not None:
            marked = marked.without(risks=risky.places[book.waived(risky.claimed())])
        if options.baseline is not None and namer.keyed:
            claims, risks = _known(options.baseline, shelf, _risky(seen, marked, attacked, namer, options))
            still += len(claims) + len(risks)
            marked = marked.without(claims, risks)
        before += len(marked.waived) + len(marked.waived_risks) - len(entry.waived) - len(entry.waived_risks)
        entries.append(marked)
    accepted = {tag for tag in attacked.series.tags if book.accepts_release(tag)}
    if options.baseline is not None:
        accepted |= {each.release for each in attacked.panel if options.baseline.has_class(each.release, each.k)}
    return WaivedRun(entries, book.outcomes(reveal=options.reveal), frozenset(accepted), before, still)


def _known(baseline: Baseline, shelf: AnySelection | None, risky: RiskSelection | None) -> tuple[Places, Places]:
    """Return the places of the claims, and of the risks, that the baseline has."""
    none = np.zeros(0, dtype=np.intp)
    return (
        none if shelf is None else np.flatnonzero(baseline.known(shelf.claimed())),
        none if risky is None else risky.places[baseline.known(risky.claimed())],
    )


def _risky(
    seen: View, entry: Judged, attacked: AuditRun, namer: Pseudonymizer, options: AuditOptions
) -> RiskSelection | None:
    """Return the risks of a result that reach the limit; None where certainty alone does, or none is counted."""
    limit, risks = attacked.limits(options)["max_risk"], entry.scored.risks
    if limit >= 1.0 or risks is None or not (options.risk_findings and entry.whole and entry.scored.counted):
        return None
    return RiskSelection(seen, entry, risks, limit, namer)


def _attack_reports(
    attacked: AuditRun, judged: Sequence[Judged], shelves: Selections, namer: Pseudonymizer, options: AuditOptions
) -> tuple[tuple[AttackReport, ...], tuple[FoundPerson, ...]]:
    """Select findings, and return what each attack found, and whom."""
    limit = attacked.limits(options)["max_risk"]
    risky = [
        _risky(seen, new, attacked, namer, options) for (seen, _), new in zip(attacked.judged, judged, strict=True)
    ]
    watched = Budget(on_progress=options.progress("report"))
    for entry, shelf, risks in watched.each(list(zip(judged, shelves, risky, strict=True))):
        watched.stage(f"choosing findings of {entry.attack.name}, with their proofs")
        taken = 0
        if shelf is not None:
            shelf.select(options.findings, entry.waived)
            taken = len(shelf.findings)
        if risks is not None:
            risks.select(None if options.findings is None else max(0, options.findings - taken))
    mentioned = [one for some in (*shelves, *risky) if some is not None for one in some.mentioned()]
    watched.stage("naming whom and what is found")
    locator = Locator(attacked.releases) if options.reveal else None
    namer.assign(mentioned)
    seen = [(evidence, entry) for (evidence, _), entry in zip(attacked.judged, judged, strict=True)]
    people = found_people(seen, list(zip(shelves, risky, strict=True)), namer)
    told = [
        tuple(
            finding if locator is None else locator.located(finding)
            for some in selections
            if some is not None
            for finding in some.to_report()
        )
        for selections in zip(shelves, risky, strict=True)
    ]
    reports = tuple(
        AttackReport(
            attack=entry.attack.name,
            sensitive=entry.sensitive,
            status=entry.scored.outcome.status,
            reason=entry.scored.outcome.reason,
            seconds=round(entry.scored.seconds, 6),
            measures=entry.scored.outcome.measures.with_unproved(_unproved(findings)),
            risks=entry.scored.risk_measures(limit),
            findings=findings,
            findings_total=(0 if shelf is None else len(shelf.claims) - len(entry.waived))
            + (0 if risks is None else len(risks.places)),
            people=people_found(entry),
            rules=getattr(entry.attack, "rules", {}),  # an attack may leave them out
        )
        for entry, shelf, risks, findings in zip(judged, shelves, risky, told, strict=True)
    )
    return reports, people


def _unproved(findings: Sequence[NamedFinding]) -> int:
    """Return how many findings rest on a solver's word."""
    return sum(isinstance(each, NamedDisclosure) and each.evidence == "solver" for each in findings)


def _contradictions(attacked: AuditRun, judged: Sequence[Judged], *, reveal: bool) -> Contradictions:
    series, evidence, changed = attacked.series, attacked.evidence, attacked.changed
    by_name = {seen.sensitive: people for seen, people in zip(evidence, changed, strict=True)}
    infeasible = 0
    for entry in judged:
        risks = entry.scored.risks
        if risks is not None:
            lost = np.unique(risks.person[np.isnan(risks.risk)])
            own = by_name[entry.sensitive or evidence[0].sensitive]
            infeasible = max(infeasible, int((~own[lost]).sum()))
    # Whose combination changes has a value that does.
    each = [people for seen, people in zip(evidence, changed, strict=True) if seen.combined is None]
    codes = np.unique(np.concatenate([np.flatnonzero(people) for people in each])) if reveal else ()
    names = tuple(series.people.name(int(code)) for code in codes) if len(codes) else None
    return Contradictions(sum(int(people.sum()) for people in each), infeasible, names)


def _decide(
    attacked: AuditRun,
    waived: WaivedRun,
    contradictions: Contradictions,
    options: AuditOptions,
) -> PolicyReport:
    manifest, seen = attacked.series.manifest, attacked.evidence[0]
    stated = in_force(manifest.policy, options.limits)
    asked = attacked.panel if _judges_releases(waived.entries, options) else ()
    releases = [each for each in asked if each.release not in waived.accepted]
    findings = JudgedAudit(
        attacks=waived.entries,
        releases=releases,
        accepted=len(releases) < len(asked),
        adversary=attacked.evidence[0].adversary,
        narrowed=options.explicit,
        linked_records=len(attacked.series.tags) > 1 and manifest.columns.record is not None,
        grave=manifest.grave,
        doubts=(
            *gather_doubts(
                attacked.series,
                register=seen.adversary.has_register,
                published=not seen.adversary.knows_people,
                reveal=options.reveal,
            ),
            *(combination_doubts(attacked.series) if seen.adversary.knows_people else ()),
            *(missing_doubts(attacked.series) if seen.adversary.knows_people or manifest.columns.record else ()),
            *record_doubts(attacked.evidence),
            *_failed(waived.entries),
        ),
        stated=frozenset(name for name, each in stated.items() if each.manifest or each.asked),
    )
    decisions = [decide(CLAUSES[name], each, findings) for name, each in stated.items()]
    undecided = [each for decision in decisions for each in decision.undecided]
    if all(each.state in ("not asked", "not judged") for each in decisions):
        reason = say("no clause of the policy was asked; run all attacks, or name one that decides a clause")
        undecided.append(Undecided("policy", Reason(reason)))
    if contradictions:
        told = say("people's own published values contradict them")
        undecided.append(Undecided("assumptions", Reason(told, ReasonKind.CONTRADICTION)))
    return PolicyReport(
        tuple(ClauseReport(each.clause.name, each.limit, each.state, each.reason) for each in decisions),
        tuple(violation for each in decisions if each.state == "violated" for violation in each.violations),
        tuple(undecided),
        tuple(waived.told),
        tuple(violation for each in decisions if each.state == "undecided" for violation in each.violations),
    )


def _failed(entries: Sequence[Judged]) -> Iterator[Doubt]:
    """Yield that attacks of other packages failed: what they would have found is not known."""
    for entry in entries:
        outcome = entry.scored.outcome
        if outcome.status == "failed":
            yield Doubt(attack_reason(outcome.attack, outcome.reason or ""))


def _judges_releases(judged: Sequence[Judged], options: AuditOptions) -> bool:
    """Return whether classes of rows are in question too: where single attacks were asked for, they may not be."""
    return not options.explicit or "k" in options.limits or any("k" in entry.attack.decides for entry in judged)
