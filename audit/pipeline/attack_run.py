"""One run of attacks: evidence to attacks, outcomes to scores."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from audit.adversary.build_evidence import build_evidence
from audit.adversary.held_series import HeldSeries
from audit.adversary.view import View, handed
from audit.clauses.clause import FAILURES, ClauseKnowledge, failure
from audit.clauses.registry import CLAUSES, in_force
from audit.findings.disclosure import Disclosures
from audit.io.series import Series
from audit.io.table_forms import form_of
from audit.io.unread_keys import check_keys_are_read
from audit.judgement.explain_person import About
from audit.judgement.harmless import listed_values, set_aside
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.scoring import attacked, changed_values, true_values, with_alone
from audit.judgement.selection import selection_of
from audit.metrics.release_summary import ReleaseSummary, facts, rows_of_files, summarize_release
from audit.model.arrays import Flags
from audit.model.audit_options import AuditOptions
from audit.model.errors import UsageError
from audit.model.outcome import Attack, Outcome, RefinableAttack, interruption
from audit.model.report import Input, ReleasePanel, SeriesFacts
from audit.model.scored import NOWHERE, Result
from audit.pipeline.followed_timeline import with_timeline
from audit.pipeline.input_files import digest, input_files
from audit.pipeline.outside_attacks import check_claims, run_guarded
from audit.runtime.budget import Budget
from audit.runtime.engine import Local
from audit.runtime.log import logged_stage
from audit.runtime.own_packages import is_own
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind
from audit.runtime.signals import preserve_sigint_handler

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class AuditRun:
    """A series with what some attacks found out of it, not yet reported.

    Attributes:
        series: the series.
        evidence: what was attacked.
        changed: for each evidence, by person code, whose own published values contradict the assumptions.
        results: what each attack found of each evidence.
        facts, inputs, panel: what was audited, from which files, and each release by itself.
        accepted: releases whose smallest class is accepted.
    """

    series: Series
    evidence: Sequence[View]
    changed: Sequence[Flags]
    results: Sequence[Result[View]]
    facts: SeriesFacts
    inputs: tuple[Input, ...]
    panel: tuple[ReleasePanel, ...]
    accepted: frozenset[str] = frozenset()

    @property
    def releases(self) -> HeldSeries:
        """The releases that were attacked."""
        return self.evidence[0].held

    def checked(self, namer: Pseudonymizer) -> AuditRun:
        """Return the run with all claims of other packages' attacks checked; what does not hold fails its attack."""
        results = [each if is_own(each.attack) else _with_checked_claims(each, namer) for each in self.results]
        return replace(self, results=results)


def limits_in_force(series: Series, options: AuditOptions) -> dict[str, float]:
    """Return the limits of the policy in force."""
    return {name: each.limit for name, each in in_force(series.manifest.policy, options.limits).items()}


def run_attacks(
    series: Series,
    attacks: Sequence[Attack],
    options: AuditOptions,
    prepare: Callable[[Sequence[View]], None] | None = None,
) -> AuditRun:
    """Run some attacks on a series; `prepare` is given what the adversary sees before it is attacked.

    Raises:
        InputError: the series cannot be read, or contradicts its register or known values.
        UsageError: no attack applies, or one that was asked for by name does not.
    """
    limits = limits_in_force(series, options)
    check_keys_are_read(series.manifest, limits)
    attacks = [each.with_policy(limits) for each in attacks]
    evidence = _evidence(series, attacks, options)
    if prepare is not None:
        prepare(evidence)
    attacks = [each.among(evidence) if isinstance(each, About) else each for each in attacks]
    files = _Files(series, options)
    clauses, harmless = [CLAUSES[name] for name in limits], listed_values(series)

    def gathered(result: Result[View]) -> Result[View]:
        seen, failed = result.evidence, result.failed
        left_out, truth = partial(changed_values, seen, seen.key), partial(true_values, seen)
        known = ClauseKnowledge(limits, series.grave, harmless, left_out, truth)
        for clause in clauses:
            try:
                result = clause.gather(result, known)
            except FAILURES as error:
                failed[clause.name] = failure(clause, error)
        return replace(result, failed=failed)  # a later clause of another package may have made a new result

    results = set_aside(_results(evidence, attacks, options, gathered), harmless, limits)
    _check_applies(results, named=options.explicit)
    described = _described(evidence[0], options, limits.get("k", 0))
    return AuditRun(
        series,
        evidence,
        _changed(evidence),
        results,
        facts(evidence[0].held, described),
        files.inputs(rows_of_files(series, described)),
        tuple(one for each in described for one in each.panel),
    )


def _evidence(series: Series, attacks: Sequence[Attack], options: AuditOptions) -> tuple[View, ...]:
    """Return what the adversary sees, for each sensitive attribute, and for several together."""
    with logged_stage(_LOG, "evidence", releases=len(series.tags)) as stage:
        # An attack may leave it out.
        records = any(getattr(each, "follows_records", not each.per_attribute) for each in attacks)
        follow = any(each.per_attribute for each in attacks) and (len(series.tags) > 1 or options.follow == "always")
        watched = Budget(on_progress=options.progress("reading"))
        evidence = build_evidence(series, options.adversary, records=records, follow=follow, watched=watched)
        if evidence[-1].followed and options.follow == "never":
            unfollowed = Reason(say("people of other releases cannot be followed"), ReasonKind.UNFIT)
            evidence = (replace(evidence[0], unfollowed=unfollowed), *evidence[1:-1])
        stage.count(attributes=len(evidence), known=max(each.known for each in evidence))
    _LOG.info("adversary: %s", evidence[0].kind)
    return evidence


class _Files:
    """The files that were read, whose hashes are computed beside the attacks."""

    def __init__(self, series: Series, options: AuditOptions) -> None:
        self._files, self._options = input_files(series, reveal=options.reveal), options
        hasher = Local(2)  # attacks have threads of their own
        self._hashes = {name: hasher.submit(digest, file) for name, file in self._files.items()}

    def inputs(self, rows: Mapping[str, int]) -> tuple[Input, ...]:
        """Return each file with its hash and its rows, which are counted where they are not known."""
        watched = Budget(on_progress=self._options.progress("files"))
        watched.stage("hashes")
        return tuple(
            Input(
                name,
                self._hashes[name].result(),
                rows[name] if name in rows else form_of(file.path).rows(file.path),
                file.columns,
            )
            for name, file in watched.each(self._files.items())
        )


def _described(evidence: View, options: AuditOptions, k: float) -> list[ReleaseSummary]:
    watched = Budget(on_progress=options.progress("each release by itself"))
    return [summarize_release(evidence, position, k) for position in watched.each(range(len(evidence.tags)))]


def _results(
    evidence: Sequence[View],
    attacks: Sequence[Attack],
    options: AuditOptions,
    gathered: Callable[[Result[View]], Result[View]],
) -> list[Result[View]]:
    """Run each attack on each evidence; `gathered` adds what clauses have to know beside.

    An interrupt keeps what has come to an end by then, if that is asked for and anything has; the rest is marked.
    """
    results: list[Result[View]] = []
    interrupted = False
    for seen in evidence:
        for attack in attacks:
            if not attack.per_attribute and seen is not evidence[0]:
                continue
            outcome, start = Outcome.cut_off(attack.name), time.perf_counter()
            if not interrupted:
                try:
                    with logged_stage(_LOG, f"attack {attack.name}", releases=len(seen.tags)) as stage:
                        outcome = _attack(attack, seen, options, len(evidence[0].tags))
                        stage.count(**_counted(outcome))
                except KeyboardInterrupt:
                    if not options.keeps_finished or all(map(_is_skipped, results)):
                        raise
                    interrupted = True
            if seen.followed and outcome.status == "skipped" and not outcome.interrupted:
                continue  # it is about rows, not about people
            whole = seen is evidence[-1] or evidence[-1].combined is None
            seconds = time.perf_counter() - start
            about = _sensitive(attack, seen, evidence)
            results.append(gathered(Result(attack, about, seen, outcome, whole=whole, seconds=seconds)))
    return results if interrupted else _refined(results, options)


def _refined(results: Sequence[Result[View]], options: AuditOptions) -> list[Result[View]]:
    """Return the results, those of attacks on groups beside what another one rules out of the same evidence.

    An attack has what it left of its time. One that is interrupted is marked, where that is asked for.
    """
    beside = {id(each.evidence): each.outcome for each in results if each.outcome.knowing is not None}
    found = []
    for each in results:
        attack, outcome, seconds = each.attack, each.outcome, each.seconds
        if id(each.evidence) in beside and isinstance(attack, RefinableAttack):
            start = time.perf_counter()
            left = None if options.time_limit is None else max(0.0, options.time_limit - seconds)
            budget = Budget(left, options.progress(attack.name), options.engine)
            try:
                outcome = attack.refined(handed(each.evidence), outcome, beside[id(each.evidence)], budget)
            except KeyboardInterrupt:
                if not options.keeps_finished:
                    raise
                outcome = replace(outcome, status="incomplete", reason=interruption())
            seconds += time.perf_counter() - start
        found.append(replace(each, outcome=outcome, seconds=seconds))
    return found


def _counted(outcome: Outcome) -> dict[str, int]:
    """Return what the log says of an attack's outcome."""
    claims = 0 if outcome.claims is None else len(outcome.claims)
    return {"skipped": not outcome.ran, "complete": outcome.status == "complete", "claims": claims}


def _is_skipped(result: Result[View]) -> bool:
    return result.outcome.status == "skipped"


def _sensitive(attack: Attack, seen: View, evidence: Sequence[View]) -> str | None:
    several = seen.followed or sum(not each.followed for each in evidence) > 1
    return seen.sensitive if several and attack.per_attribute else None


def _attack(attack: Attack, evidence: View, options: AuditOptions, releases: int) -> Outcome:
    budget = Budget(options.time_limit, options.progress(attack.name), options.engine)

    def run() -> Outcome:
        outcome = attacked(attack, evidence, evidence.key, budget)
        if evidence.followed:
            outcome = with_timeline(attack, evidence, outcome, releases, budget)
        if outcome.alone is not None and isinstance(outcome.claims, Disclosures):
            outcome = replace(outcome, claims=with_alone(evidence, outcome.claims, outcome.alone))
        return outcome

    with preserve_sigint_handler():
        return run() if is_own(attack) else run_guarded(attack, run, options.time_limit)


def _changed(evidence: Sequence[View]) -> list[Flags]:
    """Return, for each evidence, by person code, whose own published values contradict the assumptions."""
    no_one = np.zeros(0, dtype=np.bool_)
    return [changed_values(seen, seen.key) if seen.adversary.knows_people else no_one for seen in evidence]


def _check_applies(results: Sequence[Result[View]], *, named: bool) -> None:
    skipped: dict[str, list[str]] = {}
    apply = {each.attack.name for each in results if not _is_skipped(each)}
    for each in results:
        if _is_skipped(each) and not each.outcome.interrupted and each.attack.name not in apply:
            skipped.setdefault(str(each.outcome.reason), []).append(each.attack.name)
    reasons = "; ".join(f"{', '.join(dict.fromkeys(idents))}: {reason}" for reason, idents in skipped.items())
    if reasons and named:
        raise UsageError(f"an attack that was asked for does not apply - {reasons}; leave it out, or add what it needs")
    if sum(len(idents) for idents in skipped.values()) == len(results):
        raise UsageError(f"no attack applies to this series - {reasons}; add what they need to the manifest")


def _with_checked_claims(result: Result[View], namer: Pseudonymizer) -> Result[View]:
    def check() -> None:
        if (selection := selection_of(result, namer)) is not None:
            selection.select(None, NOWHERE)

    return result.with_outcome(check_claims(result.attack, result.outcome, check))
