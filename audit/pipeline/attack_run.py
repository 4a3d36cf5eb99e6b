"""One run of attacks: evidence to attacks, outcomes to scores."""

from __future__ import annotations

import datetime
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from audit.adversary.build_evidence import build_evidence
from audit.adversary.held_series import HeldSeries
from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.view import View
from audit.clauses.registry import in_force
from audit.io.series import Series
from audit.io.tables import count_rows
from audit.io.timeline_file import read_timelines, write_timelines
from audit.io.unread_keys import check_keys_are_read
from audit.judgement.baseline import Baseline
from audit.judgement.consistent import with_alone
from audit.judgement.ever import ListedValue, ever_risks, value_codes
from audit.judgement.findings import AnySelection, select_findings
from audit.judgement.harmless import listed_values, set_aside
from audit.judgement.pseudonyms import Pseudonymizer
from audit.judgement.scoring import attacked, changed_values
from audit.metrics.release_summary import ReleaseSummary, facts, rows_of_files, summarize_release
from audit.model.adversary import AdversaryKind
from audit.model.arrays import Flags
from audit.model.errors import UsageError
from audit.model.outcome import Attack, AttributeDisclosures, Outcome, PerPersonAttack, RefinableAttack, interruption
from audit.model.report import Input, ReleasePanel, SeriesFacts
from audit.model.scored import Judged, Scored
from audit.pipeline.followed_timeline import with_timeline
from audit.pipeline.input_files import digest, input_files
from audit.pipeline.outside_attacks import check_claims, is_own, run_guarded
from audit.runtime.budget import Budget
from audit.runtime.distributed.partitioned_attack import PartitionedSeries
from audit.runtime.engine import Engine, Local, cores
from audit.runtime.log import logged_stage
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind
from audit.runtime.signals import preserve_sigint_handler

_LOG = logging.getLogger(__name__)
Selections = Sequence[AnySelection | None]
Progress = Callable[[str], Callable[[int, int], None] | None]


@dataclass(frozen=True)
class AuditOptions:
    """How to audit.

    Attributes:
        adversary: whom to assume; the worst case that the series allows when None.
        limits: clauses of the policy that replace those of the manifest.
        time_limit: seconds per attack and sensitive attribute; None is without limit.
        findings: how many findings to show of each attack; None for all.
        reveal: whether to name people.
        explicit: whether the attacks were asked for by name.
        stable_ids: whether ids and pseudonyms are to be those of other reports on this series.
        progress: given the name of an attack, or of another part of the work, returns who is told of its progress.
        engine: where attacks have their work done.
        distributed: whether releases too are read there, and people attacked in ranges.
        today: the date at which waivers are judged.
        made: the date that the report bears; `today` when None.
        keeps_finished: whether an interrupt ends the run with a report on the attacks that have come to an end.
        warm_start: whether attacks that look for worlds may start from the publisher's; no result depends on it.
        baseline: an earlier report, whose findings count no more.
        grave: the grave values of the policy, in force with its clause `max_ever_risk` alone.
        risk_findings: whether risks below certainty that reach the policy's limit are findings too.
        cache: whether what earlier audits counted after earlier releases may be kept in `private/`, and used.
        follow: whether people are followed by record ids beside them: where there are several releases, or always, as
            another run does with more releases, or never, as another run cannot.
    """

    adversary: AdversaryKind | None = None
    limits: Mapping[str, float] = field(default_factory=dict)
    time_limit: float | None = 300.0
    findings: int | None = 20
    reveal: bool = False
    explicit: bool = False
    stable_ids: bool = False
    progress: Progress = lambda _: None
    engine: Engine = field(default_factory=lambda: Local(cores()))
    distributed: bool = False
    today: datetime.date = field(default_factory=datetime.date.today)
    made: datetime.date | None = None
    keeps_finished: bool = False
    warm_start: bool = True
    baseline: Baseline | None = None
    grave: frozenset[ListedValue] = frozenset()
    risk_findings: bool = True
    cache: bool = False
    follow: Literal["several", "always", "never"] = "several"


@dataclass(frozen=True)
class AuditRun:
    """A series with what some attacks found out of it, not yet told: each result with the evidence that it is from.

    `changed` tells for each evidence, by person code, whose own published values contradict the assumptions.
    """

    series: Series
    evidence: Sequence[View]
    changed: Sequence[Flags]
    judged: list[tuple[View, Judged]]
    facts: SeriesFacts
    inputs: tuple[Input, ...]
    panel: tuple[ReleasePanel, ...]

    def limits(self, options: AuditOptions) -> dict[str, float]:
        """Return the limits of the policy in force."""
        return {name: each.limit for name, each in in_force(self.series.manifest.policy, options.limits).items()}

    @property
    def releases(self) -> HeldSeries:
        """The releases that were attacked."""
        return self.evidence[0].source.releases

    def checked(self, namer: Pseudonymizer) -> AuditRun:
        """Return the run with all claims of other packages' attacks checked; what does not hold fails its attack."""
        judged = [
            (seen, entry if is_own(entry.attack) else _with_checked_claims(seen, entry, namer))
            for seen, entry in self.judged
        ]
        return replace(self, judged=judged)

    def shelves(self, namer: Pseudonymizer) -> Selections:
        """Return what each result claims; None where nothing can be."""
        return [_shelf(seen, entry, namer) for seen, entry in self.judged]


def run_attacks(series: Series, attacks: Sequence[Attack], options: AuditOptions) -> AuditRun:
    """Run some attacks on a series.

    Raises:
        InputError: the series cannot be read, or contradicts its register or known values.
        UsageError: no attack applies, or one that was asked for by name does not.
    """
    limits = {name: each.limit for name, each in in_force(series.manifest.policy, options.limits).items()}
    check_keys_are_read(series.manifest, limits)
    attacks = [each.with_policy(limits) for each in attacks]
    if "max_ever_risk" in limits:
        options = replace(options, grave=series.grave)
    with logged_stage(_LOG, "evidence", releases=len(series.tags)) as stage:
        # An attack may leave it out.
        records = any(getattr(each, "follows_records", not each.per_attribute) for each in attacks)
        follow = any(each.per_attribute for each in attacks) and (len(series.tags) > 1 or options.follow == "always")
        evidence = build_evidence(series, options.adversary, records=records, follow=follow)
        if evidence[-1].followed and options.follow == "never":
            unfollowed = Reason(say("people of other releases cannot be followed"), ReasonKind.UNFIT)
            evidence = (replace(evidence[0], unfollowed=unfollowed), *evidence[1:-1])
        stage.count(attributes=len(evidence), known=max(each.known for each in evidence))
    _LOG.info("adversary: %s", evidence[0].kind)
    cache = read_timelines(series.manifest.folder) if options.cache and not options.distributed else None
    evidence = tuple(
        replace(seen, warm_start=seen.warm_start if options.warm_start else None, timelines=cache) for seen in evidence
    )
    source = evidence[0].source
    apart = (
        options.distributed
        and evidence[0].adversary.knows_people
        and any(isinstance(each, PerPersonAttack) for each in attacks)
    )
    if not apart:
        source.releases.read(Budget(on_progress=options.progress("reading")))
    files = input_files(series, reveal=options.reveal)
    hasher = options.engine if options.distributed else Local(2)  # beside the attacks, which have threads of their own
    hashes = {name: hasher.submit(digest, file) for name, file in files.items()}
    each = [seen for seen in evidence if seen.combined is None]
    ranges = PartitionedSeries(series, each, options.engine) if apart else None
    judged = [*set_aside(_judged(evidence, attacks, options, ranges), listed_values(series), limits["max_risk"])]
    if cache is not None:
        write_timelines(series.manifest.folder, cache)
    _check_applies([entry for _, entry in judged], named=options.explicit)
    present = source.releases.present() if ranges is None else ranges.present
    described = _described(source, options) if ranges is None else ranges.described
    rows = rows_of_files(series, described)
    watched = Budget(on_progress=options.progress("files"))
    watched.stage("hashes")
    inputs = tuple(
        Input(name, hashes[name].result(), rows[name] if name in rows else count_rows(file.path), file.columns)
        for name, file in watched.each(files.items())
    )
    panel = tuple(one for each in described for one in each.panel)
    changed = _changed(evidence, ranges)
    return AuditRun(series, evidence, changed, judged, facts(source, present, described), inputs, panel)


def _described(source: KnownGroupsSource, options: AuditOptions) -> list[ReleaseSummary]:
    watched = Budget(on_progress=options.progress("each release by itself"))
    return [summarize_release(source, position) for position in watched.each(range(len(source.releases)))]


def _judged(
    evidence: Sequence[View], attacks: Sequence[Attack], options: AuditOptions, ranges: PartitionedSeries | None
) -> list[tuple[View, Judged]]:
    """Run each attack on each evidence.

    An interrupt keeps what has come to an end by then, if that is asked for and anything has; the rest is marked.
    """
    judged: list[tuple[View, Judged]] = []
    interrupted = False
    for seen in evidence:
        for attack in attacks:
            if not attack.per_attribute and seen is not evidence[0]:
                continue
            scored = Scored(Outcome.cut_off(attack.name), None)
            if not interrupted:
                try:
                    with logged_stage(_LOG, f"attack {attack.name}", releases=len(seen.tags)) as stage:
                        scored = _attack(attack, seen, options, ranges, len(evidence[0].tags))
                        stage.count(**_counted(scored.outcome))
                except KeyboardInterrupt:
                    if not options.keeps_finished or all(_is_skipped(entry) for _, entry in judged):
                        raise
                    interrupted = True
            if seen.followed and scored.outcome.status == "skipped" and not scored.outcome.interrupted:
                continue  # it is about rows, not about people
            scored = _with_histories(attack, seen, scored, options)
            whole = seen is evidence[-1] or evidence[-1].combined is None
            judged.append((seen, Judged(attack, _sensitive(attack, seen, evidence), scored, whole=whole)))
    return judged if interrupted else _refined(judged, options)


def _refined(judged: Sequence[tuple[View, Judged]], options: AuditOptions) -> list[tuple[View, Judged]]:
    """Return the results, those of attacks on groups beside what another one rules out of the same evidence.

    An attack has what it left of its time. One that is interrupted is marked, where that is asked for.
    """
    beside = {id(seen): entry.scored.outcome for seen, entry in judged if entry.scored.outcome.knowing is not None}
    found = []
    for seen, entry in judged:
        attack, scored = entry.attack, entry.scored
        if id(seen) in beside and isinstance(attack, RefinableAttack):
            start = time.perf_counter()
            left = None if options.time_limit is None else max(0.0, options.time_limit - scored.seconds)
            budget = Budget(left, options.progress(attack.name), options.engine)
            try:
                outcome = attack.refined(seen, scored.outcome, beside[id(seen)], budget)
            except KeyboardInterrupt:
                if not options.keeps_finished:
                    raise
                outcome = replace(scored.outcome, status="incomplete", reason=interruption())
            scored = replace(scored, outcome=outcome, seconds=scored.seconds + time.perf_counter() - start)
        found.append((seen, replace(entry, scored=scored)))
    return found


def _with_histories(attack: Attack, seen: View, scored: Scored, options: AuditOptions) -> Scored:
    """Return a result with how probable it is for people ever to have had a grave value, where the policy names any."""
    outcome = scored.outcome
    if not options.grave or not outcome.ran:
        return scored
    codes = value_codes(seen, options.grave)
    scored = replace(scored, grave=codes)
    if "max_ever_risk" not in attack.decides or (outcome.status != "complete" and outcome.knowing is None):
        return scored
    return replace(scored, ever=ever_risks(seen, options.grave, codes, changed_values(seen, seen.key), outcome))


def _counted(outcome: Outcome) -> dict[str, int]:
    """Return what the log says of an attack's outcome."""
    claims = 0 if outcome.claims is None else len(outcome.claims)
    return {"skipped": not outcome.ran, "complete": outcome.status == "complete", "claims": claims}


def _is_skipped(entry: Judged) -> bool:
    return entry.scored.outcome.status == "skipped"


def _sensitive(attack: Attack, seen: View, evidence: Sequence[View]) -> str | None:
    several = seen.followed or sum(not each.followed for each in evidence) > 1
    return seen.sensitive if several and attack.per_attribute else None


def _attack(
    attack: Attack, evidence: View, options: AuditOptions, ranges: PartitionedSeries | None, releases: int
) -> Scored:
    start = time.perf_counter()
    budget = Budget(options.time_limit, options.progress(attack.name), options.engine)

    def run() -> Scored:
        if ranges is not None and isinstance(attack, PerPersonAttack) and evidence.combined is None:
            scored = ranges.attack(attack, evidence, budget)
        else:
            scored = attacked(attack, evidence, evidence.key, budget)
        outcome = scored.outcome
        if evidence.followed:
            outcome = with_timeline(attack, evidence, outcome, releases, budget)
        if scored.alone is not None and isinstance(outcome.claims, AttributeDisclosures):
            outcome = replace(outcome, claims=with_alone(evidence, outcome.claims, scored.alone))
        return replace(scored, outcome=outcome)

    with preserve_sigint_handler():
        scored = run() if is_own(attack) else run_guarded(attack, run, options.time_limit)
    return replace(scored, seconds=time.perf_counter() - start)


def _changed(evidence: Sequence[View], ranges: PartitionedSeries | None) -> list[Flags]:
    """Return, for each evidence, by person code, whose own published values contradict the assumptions."""
    found = []
    for seen in evidence:
        changed = None if ranges is None else ranges.changed(seen)
        if changed is None and seen.adversary.knows_people:
            changed = changed_values(seen, seen.key)
        found.append(np.zeros(0, dtype=np.bool_) if changed is None else changed)
    return found


def _check_applies(judged: Sequence[Judged], *, named: bool) -> None:
    skipped: dict[str, list[str]] = {}
    apply = {entry.attack.name for entry in judged if not _is_skipped(entry)}
    for entry in judged:
        if _is_skipped(entry) and not entry.scored.outcome.interrupted and entry.attack.name not in apply:
            skipped.setdefault(str(entry.scored.outcome.reason), []).append(entry.attack.name)
    reasons = "; ".join(f"{', '.join(dict.fromkeys(idents))}: {reason}" for reason, idents in skipped.items())
    if reasons and named:
        raise UsageError(f"an attack that was asked for does not apply - {reasons}; leave it out, or add what it needs")
    if sum(len(idents) for idents in skipped.values()) == len(judged):
        raise UsageError(f"no attack applies to this series - {reasons}; add what they need to the manifest")


def _with_checked_claims(seen: View, entry: Judged, namer: Pseudonymizer) -> Judged:
    def check() -> None:
        if (shelf := _shelf(seen, entry, namer)) is not None:
            shelf.select(None, np.zeros(0, dtype=np.intp))

    return replace(entry, scored=check_claims(entry.attack, entry.scored, check))


def _shelf(seen: View, entry: Judged, namer: Pseudonymizer) -> AnySelection | None:
    claims = entry.scored.outcome.claims
    return None if claims is None else select_findings(entry.attack.name, seen, claims, namer)
