"""One audit: run attacks on a series, judge their findings by the policy and its waivers, and report.

`compare_candidate` audits a series before and after one more release: what is newly found, and what causes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress

import numpy as np

from audit.adversary.view import View
from audit.clauses.clause import ClauseDecision, JudgedAudit, attack_reason, decide
from audit.clauses.max_ever_risk import value_codes
from audit.clauses.registry import CLAUSES
from audit.io.paths import is_there
from audit.io.rules.rule import Rules
from audit.io.rules.spelling import OtherReading
from audit.io.series import Series
from audit.judgement.baseline import found_before
from audit.judgement.doubts import audit_doubts
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.scoring import changed_values
from audit.judgement.selection import (
    CertainValue,
    KnownClaims,
    certain_people,
    certain_values,
    exposure,
    found_people,
    ladder,
    located,
    people_at_once,
    people_found,
    repeated_claims,
    republished,
    select_findings,
    selections_of,
    still_certain,
)
from audit.judgement.waivers import FoundClaims, WaiverBook
from audit.model.arrays import Flags
from audit.model.audit_options import AuditOptions
from audit.model.errors import AuditError, Doubt
from audit.model.finding import Finding, KnownReleases
from audit.model.outcome import Attack, Result
from audit.model.release_impact import Candidate, Cause, ComparedAttack, GroupRows, NewFinding, ReleaseImpact, changed
from audit.model.report import (
    AdversaryFacts,
    AttackReport,
    BaselineFacts,
    Contradictions,
    GraveFacts,
    PolicyReport,
    Report,
    ReportWarning,
    Undecided,
    Waived,
)
from audit.pipeline.attack_run import AuditRun, run_attacks
from audit.pipeline.report_warnings import report_warnings
from audit.runtime.budget import Budget
from audit.runtime.phrases import Reason, ReasonKind, joined, printable, say
from audit.runtime.version import VERSION

_PLACES = 3


@dataclass(frozen=True)
class AcceptedResults:
    """The results of a run with their accepted claims and risks marked as waived.

    Attributes:
        results: the results, with accepted claims and risks marked.
        judged: the same, with further marks on findings whose waiver does not say how much it accepts: these neither
            violate nor decide a clause.
        waivers, doubts: the state of each waiver, and doubts about waivers without such a size.
        releases: releases whose small classes are accepted, even by a waiver without a size.
        left_out: the number of findings that are waived or in the baseline.
        still: the number of these that are in the baseline.
    """

    results: Sequence[Result[View]]
    judged: Sequence[Result[View]]
    waivers: Sequence[Waived]
    doubts: Sequence[Doubt]
    releases: frozenset[str]
    left_out: int
    still: int


def run_audit(series: Series, attacks: Sequence[Attack], options: AuditOptions) -> Report:
    """Run attacks on a series and return the report.

    Raises:
        InputError, UsageError: as for `attack`.
    """
    namer = pseudonymizer(series, options)  # report a faulty key before a long run
    return build_report(run_attacks(series, attacks, options), namer)


def pseudonymizer(series: Series, options: AuditOptions) -> Pseudonymizer:
    """Return the pseudonymizer that makes ids of findings and people.

    Raises:
        UsageError: stable ids are requested, and the series has no folder for their key.
    """
    return Pseudonymizer(series, reveal=options.reveal, stable=options.stable_ids)


def build_report(run: AuditRun, namer: Pseudonymizer) -> Report:
    """Return the report of a run."""
    run, options = run.checked(namer), run.options
    accepted = _accepted(run, namer)
    contradictions = _contradictions(run, accepted.results, reveal=options.reveal)
    warnings = report_warnings(run, namer)
    results = _selected(run, accepted.results, namer)
    seen, baseline = run.evidence[0], options.baseline
    return Report(
        tool_version=VERSION,
        made=options.made or options.today,
        inputs=run.inputs,
        series=run.facts,
        adversary=AdversaryFacts(
            seen.kind,
            seen.transitions is not None,
            max(each.known for each in run.evidence),
            seen.transitions is not None and seen.transitions.allow_all,
            *_if_unchanged(run.certain_if_unchanged, reveal=options.reveal),
        ),
        attacks=_attack_reports(run, results),
        people=found_people(results, run.limits),
        contradictions=contradictions,
        policy=_decide(run, accepted, contradictions, warnings),
        time_limit=options.time_limit,
        revealed=options.reveal,
        ids_are_stable=namer.stable,
        ladder=ladder(results),
        panel=run.panel,
        warnings=warnings,
        exposure=exposure(results),
        left_out=accepted.left_out,
        baseline=None if baseline is None else replace(baseline, still=accepted.still),
        interrupted=any(each.outcome.interrupted for each in results),
        grave=_grave(run, accepted.results),
    )


def _grave(run: AuditRun, results: Sequence[Result[View]]) -> GraveFacts | None:
    """Return the grave values, and how many people certainly have one; None if none is declared."""
    declared, found = run.series.manifest.grave, list[int]()
    for each in results if declared else ():
        if each.claims is not None:
            others = ~np.isin(each.claims.values(), sorted(value_codes(each.evidence, run.series.grave)))
            people = people_found(each.without(np.flatnonzero(others)))
            found += [] if people is None else [people]
    values = tuple(value if column is None else f"{column} = {value}" for column, value in declared)
    return GraveFacts(values, max(found, default=None)) if declared else None


def remaining_findings(run: AuditRun, namer: Pseudonymizer) -> list[Result[View]]:
    """Return the results without accepted claims, with the findings to show of the rest."""
    return _selected(run, _accepted(run, namer).results, namer)


def less_the_past(run: AuditRun, known: KnownClaims) -> AuditRun:
    """Return the run of a series with a candidate, its last release, without what was known before the candidate."""
    last = len(run.series.tags) - 1
    earlier, less = republished(run.releases, last), [known.accepted(result) for result in run.results]
    if earlier is not None:
        less = [new.without(repeated_claims(new, last, earlier)) for new in less]
    accepted = frozenset(run.series.tags[-1:] if earlier is not None else ())
    return replace(run, results=less, panel=run.panel[-1:], accepted=accepted, known=known)


def _accepted(run: AuditRun, namer: Pseudonymizer) -> AcceptedResults:
    """Mark accepted claims and risks in the results, and return these with the state of each waiver."""
    book, baseline = WaiverBook(run.series.manifest.waivers, run.options.today, namer.kept), run.options.baseline
    results, judged, still, certain = [], [], 0, set[CertainValue]()
    repeated = [] if baseline is None else [*_repeated(run, baseline)]
    for result in run.results:
        marked, unsized = result, []
        for selection in selections_of(result, namer, run.limits):
            known = np.zeros(len(selection.claims), dtype=np.bool_)
            if baseline is not None and namer.keyed:
                known = found_before(baseline, selection)
                still += int(known.sum())
                if selection.claims is result.claims:
                    certain.update(compress(certain_values(result), known))
            waived, without_size = (
                book.judge(FoundClaims(selection), known) if book.waivers else (known, ~known & known)
            )
            marked = marked.accepting(selection.claims, np.flatnonzero(waived | known))
            unsized.append((selection.claims, np.flatnonzero(without_size)))
        for position, earlier in repeated:
            marked = marked.without(repeated_claims(marked, position, earlier))
        results.append(marked)
        for claims, places in unsized:
            marked = marked.accepting(claims, places)
        judged.append(marked)
    known_still = [still_certain(each, certain) for each in run.results]
    results, judged = ([*map(Result.without, some, known_still)] for some in (results, judged))
    left_out = sum(each.accepted for each in results) - sum(each.accepted for each in run.results)
    small = {each.release: each.small for each in run.panel}
    least = run.limits.get("k", 0)
    releases = {tag for tag, size in small.items() if size.smallest < least and book.accepts(tag, size)} | run.accepted
    if baseline is not None:
        releases |= {tag for tag, known in baseline.classes.items() if tag in small and known.covers(small[tag])}
        releases |= {run.series.tags[at] for at, earlier in repeated if run.series.tags[earlier] in releases}
    reveal = run.options.reveal
    doubts = [*book.doubts(reveal=reveal, stable=namer.stable and namer.keyed)]
    return AcceptedResults(results, judged, book.outcomes(reveal=reveal), doubts, frozenset(releases), left_out, still)


def _repeated(run: AuditRun, baseline: BaselineFacts) -> Iterator[tuple[int, int]]:
    """Yield each release that is new since the baseline and repeats an earlier one, with that earlier one."""
    for position, tag in enumerate(run.series.tags):
        if tag not in baseline.releases and (earlier := republished(run.releases, position)) is not None:
            yield position, earlier


def _selected(run: AuditRun, results: Sequence[Result[View]], namer: Pseudonymizer) -> list[Result[View]]:
    """Return the results with the findings to show; if people are named, also with the places of their groups."""
    watched = Budget(on_progress=run.options.progress("report"))
    selected = select_findings(results, namer, run.limits, run.options.findings, watched)
    return located(selected, run.releases) if run.options.reveal else selected


def _attack_reports(run: AuditRun, results: Sequence[Result[View]]) -> tuple[AttackReport, ...]:
    """Return the report of each attack."""
    limit = run.limits["max_risk"]
    return tuple(
        AttackReport(
            attack=each.attack.name,
            sensitive=each.sensitive,
            status=each.outcome.status,
            reason=each.outcome.reason,
            seconds=round(each.seconds, 6),
            measures=each.outcome.measures.with_unproved(sum(finding.unproved for finding in each.shown)),
            risks=each.risk_measures(limit),
            findings=each.shown,
            findings_total=each.total,
            people=people_found(each),
            people_at_once=people_at_once(each),
            rules=getattr(each.attack, "rules", {}),  # the attack of another package may lack this attribute
        )
        for each in results
    )


def _if_unchanged(result: Result[View] | None, *, reveal: bool) -> tuple[int | None, tuple[str, ...] | None]:
    """Return how many people have a certain value if values do not change, and who, if people are revealed."""
    if result is None:
        return None, None
    people, seen = certain_people(result), result.evidence
    named = reveal and people is not None and len(people) > 0 and seen.possible_kinds is None
    codes = np.unique(people).tolist() if named and people is not None else []
    return people_found(result), tuple(map(seen.series.people.name, codes)) or None


def _contradictions(run: AuditRun, results: Sequence[Result[View]], *, reveal: bool) -> Contradictions:
    series, evidence = run.series, run.evidence
    no_one: Flags = np.zeros(0, dtype=np.bool_)
    changed = [changed_values(each, each.key) if each.adversary.knows_people else no_one for each in evidence]
    by_name = {seen.sensitive: people for seen, people in zip(evidence, changed, strict=True)}
    infeasible = 0
    for each in results:
        risks = each.outcome.risks
        if risks is not None:
            lost = np.unique(risks.person[np.isnan(risks.risk)])
            own = by_name[each.sensitive or evidence[0].sensitive]
            infeasible = max(infeasible, int((~own[lost]).sum()))
    # If a combination changes, one of its values changes.
    alone = [people for seen, people in zip(evidence, changed, strict=True) if seen.combined is None]
    codes = np.unique(np.concatenate([np.flatnonzero(people) for people in alone]))
    names = tuple(series.people.name(int(code)) for code in codes) if reveal and len(codes) else None
    return Contradictions(len(codes), infeasible, names)


def _decide(
    run: AuditRun,
    accepted: AcceptedResults,
    contradictions: Contradictions,
    warnings: Sequence[ReportWarning],
    *,
    settling: bool = True,
) -> PolicyReport:
    """Judge the clauses; `settling` audits again, with other spellings as one, if one is violated or holds."""
    manifest, options = run.series.manifest, run.options
    judged = not options.explicit or "k" in options.limits or any("k" in each.attack.decides for each in run.results)
    asked = run.panel if judged else ()
    releases = [each for each in asked if each.release not in accepted.releases]
    findings = JudgedAudit(
        attacks=accepted.judged,
        releases=releases,
        accepted=len(releases) < len(asked),
        adversary=run.evidence[0].adversary,
        narrowed=options.explicit,
        linked_records=len(run.series.tags) > 1 and manifest.columns.record is not None,
        grave=manifest.grave,
        doubts=(
            *audit_doubts(run.evidence, warnings, reveal=options.reveal, beside=run.known is not None),
            *_failed(accepted.judged),
            *accepted.doubts,
        ),
        stated=frozenset(name for name, each in run.asking.items() if each.stated),
    )
    decisions = [decide(CLAUSES[name], each, findings) for name, each in run.asking.items()]
    if settling and any(each.state in ("violated", "holds") for each in decisions):
        findings = replace(findings, doubts=(*findings.doubts, *_unsettled(run, decisions)))
        decisions = [decide(CLAUSES[name], each, findings) for name, each in run.asking.items()]
    undecided = [each for decision in decisions for each in decision.undecided]
    if all(each.state in ("not asked", "not judged") for each in decisions):
        reason = say("no requested attack decides a clause of the policy; run all attacks, or name one that does")
        undecided.append(Undecided("policy", Reason(reason)))
    if contradictions:
        why = say("people's own published values contradict them")
        undecided.append(Undecided("assumptions", Reason(why, ReasonKind.CONTRADICTION)))
    return PolicyReport(
        tuple(each.reported for each in decisions),
        tuple(violation for each in decisions if each.state == "violated" for violation in each.violations),
        tuple(undecided),
        tuple(accepted.waivers),
        tuple(violation for each in decisions if each.state == "undecided" for violation in each.violations),
    )


def _unsettled(run: AuditRun, decisions: Sequence[ClauseDecision]) -> Iterator[Doubt]:
    """Yield a doubt about the clauses that are violated in one reading of cells and rows, and not in another.

    The second audit has the rest of each attack's time. If it does not finish as the first did, nothing that holds is
    known to hold in both.
    """
    series = run.series
    texts = series.written.whole()
    rule = OtherReading.of(texts)
    if not (rule.names or texts.doubtful_rows):
        return
    rules = Rules((rule, *series.columns.rules))
    as_one = Series.of(replace(series.manifest, columns=replace(series.columns, rules=rules)))
    again = _judged_again(run, as_one)
    states = {each.clause.name: (each.state, again.get(each.clause.name, "undecided")) for each in decisions}
    columns = ", ".join(f'"{printable(name)}"' for name in rule.names or rule.columns)
    places = joined([*_respelled(run, rule), *texts.doubtful_rows], most=_PLACES)
    first = f" ({say('the first: {places}', places=places)})"
    if hidden := {name for name, both in states.items() if both == ("holds", "violated")}:
        what = say(
            "the policy is violated if cells of {columns} mean the same as others like them, or if rows that need not "
            "be people are none: delete such rows, and write equal cells in one way; else write spelled = [{columns}] "
            "under [columns]",
            columns=columns,
        )
        yield Doubt(Reason(what + first, ReasonKind.UNDECLARED), frozenset(hidden))
    if unknown := {name for name, both in states.items() if both == ("holds", "undecided")}:
        what = say(
            "it was not decided whether the policy also holds if cells of {columns} mean the same as others like them, "
            "or if rows that need not be people are none: give the attacks more time, or delete such rows and write "
            "equal cells in one way; else write spelled = [{columns}] under [columns]",
            columns=columns,
        )
        yield Doubt(Reason(what + first, ReasonKind.UNDECLARED), frozenset(unknown))
    if gone := {name for name, (old, new) in states.items() if again and old == "violated" != new}:
        what = say(
            "the violation depends on rows that need not be people, or on cells of {columns} that may be other "
            "spellings of others: delete such rows, and write equal cells in one way; else write spelled = [{columns}] "
            "under [columns]",
            columns=columns,
        )
        yield Doubt(Reason(what + first, ReasonKind.UNDECLARED), frozenset(gone), guessed=True)


def _respelled(run: AuditRun, rule: OtherReading) -> Iterator[str]:
    """Yield the places of the texts that may be other spellings, with the texts if they are sensitive values."""
    texts = run.series.written
    for name, plain in rule.names.items():
        quoted = run.options.reveal or name in run.series.columns.sensitive
        for pair in ([text, other] for text, other in plain.items() if text != other):
            yield texts.example(name, pair, quoted=quoted)


def _judged_again(run: AuditRun, as_one: Series) -> dict[str, str]:
    """Return the state of each clause in another reading of a series; none if it was not judged as completely."""
    options, used = run.options, max((each.seconds for each in run.results), default=0)
    left = None if options.time_limit is None else max(options.time_limit - used, 0)
    attacks = list({each.attack.name: each.attack for each in run.results}.values())
    try:
        again = run_attacks(as_one, attacks, replace(options, time_limit=left))
        cut = (
            each.outcome.status == "incomplete" != old.outcome.status or each.outcome.interrupted
            for each, old in zip(again.results, run.results, strict=False)
        )
        if any(cut):
            return {}
        again = again if run.known is None else less_the_past(again, run.known)
        namer = Pseudonymizer(as_one, reveal=options.reveal, stable=options.stable_ids, makes=False)
        accepted = _accepted(again, namer)
    except AuditError:  # the cells cannot be read so
        return {}
    contradictions = _contradictions(again, accepted.results, reveal=False)
    judged = _decide(again, accepted, contradictions, (), settling=False)
    return {each.clause: each.state for each in judged.clauses}


def _failed(results: Sequence[Result[View]]) -> Iterator[Doubt]:
    """Yield a doubt for each failed attack of another package, since its findings are unknown."""
    for each in results:
        if each.outcome.status == "failed":
            yield Doubt(attack_reason(each.outcome.attack, each.outcome.reason or ""))


def compare_candidate(before: Series, after: Series, attacks: Sequence[Attack], options: AuditOptions) -> ReleaseImpact:
    """Compare a series with the same series and one more release; nothing is written.

    Raises:
        InputError: the series or the candidate cannot be read, or contradicts what the adversary knows.
        UsageError: no attack applies, or a requested attack does not apply.
    """
    namer = Pseudonymizer(after, reveal=options.reveal, stable=options.stable_ids, makes=False)
    shown, options = options.findings, replace(options, follow="always", findings=0)
    now = run_attacks(after, attacks, options)  # first, to report faults of the candidate early
    was = run_attacks(before, attacks, options)
    if was.evidence[-1].followed != now.evidence[-1].followed:
        options = replace(options, follow="never")
        now, was = run_attacks(after, attacks, options), run_attacks(before, attacks, options)
    # Both reports use the same ids of findings.
    without, report = (build_report(run, namer) for run in (was, now))
    known, candidate = KnownClaims(was.results, namer, now.limits), _Candidate(after, now.evidence[0])
    added = less_the_past(now, known)
    news = remaining_findings(replace(added, options=replace(options, findings=shown)), namer)
    # If the candidate's key lacks rows, record ids follow people less far than before.
    olds = {(each.attack, each.sensitive): each for each in without.attacks}
    report = replace(report, attacks=tuple(_at_least(new, olds[new.attack, new.sensitive]) for new in report.attacks))
    compared = [
        ComparedAttack(
            after=new,
            status_before=old.status,
            changes=changed(old, new),
            old=old.findings_total,
            new=fresh.total,
            people=people_found(fresh) or 0,
            findings=tuple(
                candidate.caused(shown, found, followed=fresh.evidence.followed)
                for shown, found in zip(fresh.shown, fresh.found, strict=True)
            ),
        )
        for new, fresh in zip(report.attacks, news, strict=True)
        for old in [olds[new.attack, new.sensitive]]
    ]
    files = after.manifest.releases[-1]
    key = None if files.key is None or not is_there(files.key) else after.manifest.shown(files.key)
    names = tuple(name for name in (files.shown, files.values_shown) if name)
    return ReleaseImpact(
        after=report,
        attacks=tuple(compared),
        candidate=Candidate(files.tag, names, key, files.by),
        without=without,
        adds=build_report(added, namer).policy,
    )


def _at_least(new: AttackReport, old: AttackReport) -> AttackReport:
    """Return an attack with a candidate; if it ended early, at least as many people are found as without it.

    One more release rules out worlds, and adds none. Where presence is unknown, it divides kinds of people.
    """
    cut = new.incomplete and new.people is not None and new.people_at_once is None
    return replace(new, people=max(new.people or 0, old.people or 0)) if cut else new


class _Candidate:
    """The last release of a series, and the people of its rows."""

    def __init__(self, series: Series, view: View) -> None:
        self.series, self.source = series, view.source
        read = view.held.seen[-1]
        # Findings name row classes; those that follow record ids name published groups.
        groups = [read.release.group, read.pool]
        self._named = {
            group.name(code): (group.codes, code) for group in groups for code in np.unique(group.codes).tolist()
        }

    def caused(self, named: Finding[str], finding: Finding[int], *, followed: bool) -> NewFinding:
        """Return a finding with its causes; `followed` says that people were followed by record ids."""
        need = finding.follows_from(self.source, len(self.series.tags) - 1)
        if followed:  # by all releases
            need = KnownReleases(tuple(range(len(self.series.tags) - 1)), False, ())
        rows, line = [], partial(self.series.line, len(self.series.tags) - 1)
        for name in need.groups:
            codes, group = self._named[name]
            rows.append(GroupRows(name, tuple(map(line, np.flatnonzero(codes == group).tolist()))))
        tags = tuple(self.series.tags[release] for release in need.releases)
        return NewFinding(named, Cause(tags, need.least, tuple(rows)))
