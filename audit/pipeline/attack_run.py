"""One run of attacks: give them the evidence, and score their outcomes.

If an attack of another package fails in any way, the audit continues and reports the failure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter

from audit.adversary.followed_people import UnfollowedError
from audit.adversary.held_series import HeldSeries
from audit.adversary.view import View, build_evidence, followed_until, handed
from audit.clauses.clause import Stated
from audit.clauses.registry import CLAUSES, in_force
from audit.io.roles import check_keys_are_read
from audit.io.series import Series, input_files
from audit.io.table_forms import form_of
from audit.judgement.pseudonyms import Pseudonymizer, find
from audit.judgement.scoring import attacked, run_attack, score, set_aside
from audit.judgement.selection import KnownClaims, gathered, people_found, selection_of
from audit.metrics.release_summary import facts, rows_of_files, summarize_release
from audit.model.audit_options import AuditOptions
from audit.model.errors import AuditError, UsageError
from audit.model.outcome import (
    NOWHERE,
    Attack,
    FailedAttack,
    Outcome,
    PerPersonAttack,
    RefinableAttack,
    Result,
    interruption,
)
from audit.model.report import Input, ReleasePanel, SeriesFacts
from audit.runtime.budget import Budget
from audit.runtime.outside_code import ClauseWatch, OutsideCodeError, is_own, run_outside
from audit.runtime.phrases import Reason, ReasonKind, combined, printable, say


def with_policy(attack: Attack, limits: Mapping[str, float], seconds: float | None) -> Attack:
    """Return an attack configured by the policy; if another package's attack raises, return one that fails."""
    if is_own(attack):
        return attack.with_policy(limits)
    try:
        return run_outside(partial(attack.with_policy, limits), seconds)
    except OutsideCodeError as error:
        return FailedAttack(attack.name, _reason(attack, str(error)))


def run_guarded(attack: Attack, run: Callable[[], Outcome], limit: float | None) -> Outcome:
    """Run an attack; if one of another package raises, exits or overruns its limit, return a failed outcome.

    `limit` is in seconds.

    Raises:
        AuditError: the attack found the series faulty.
    """
    if is_own(attack):
        return run()
    try:
        return run_outside(run, limit)
    except OutsideCodeError as error:
        if isinstance(error.__cause__, AuditError):
            raise error.__cause__ from None
        return Outcome.failed(attack.name, _reason(attack, str(error)))


def ask_all(attack: Attack, outcome: Outcome) -> None:
    """Call every method of the measures that reports use, so that a failure shows here."""
    measures = outcome.measures
    dict(measures)
    measures.found_in_words(at_least=outcome.status == "incomplete")
    tuple(measures.notes(attack.name))


def _reason(attack: Attack, what: str) -> str:
    return say("{package}: {what}; correct it, or leave it out", package=_package(attack), what=what)


def _package(attack: Attack) -> str:
    """Return the name of an attack's distribution, or else of its module."""
    from importlib.metadata import packages_distributions

    module = type(attack).__module__
    names = packages_distributions().get(module.partition(".")[0], ())
    return (
        say("the package {name}", name=printable(names[0]))
        if names
        else say("the module {name}", name=printable(module))
    )


@dataclass(frozen=True)
class AuditRun:
    """A series with the results of attacks on it, not yet a report.

    Attributes:
        series, options: the series, and how it is audited.
        evidence: what was attacked.
        asking: the clauses to decide, with their limits: those that the manifest states or the evidence calls for.
        results: the result of each attack on each evidence.
        facts, inputs, panel: what was audited, from which files, and the risks of each release by itself.
        accepted: releases for which a waiver accepts the smallest class.
        certain_if_unchanged: who is certain if values do not change, see `AdversaryFacts`.
        known: what was known before the last release, and is left out of the results; None if nothing is left out.
    """

    series: Series
    options: AuditOptions
    evidence: Sequence[View]
    asking: Mapping[str, Stated]
    results: Sequence[Result[View]]
    facts: SeriesFacts
    inputs: tuple[Input, ...]
    panel: tuple[ReleasePanel, ...]
    accepted: frozenset[str] = frozenset()
    certain_if_unchanged: Result[View] | None = None
    known: KnownClaims | None = None

    @property
    def releases(self) -> HeldSeries:
        """The releases that were attacked."""
        return self.evidence[0].held

    @property
    def limits(self) -> dict[str, float]:
        """The limits of the clauses to decide."""
        return {name: each.limit for name, each in self.asking.items()}

    def checked(self, namer: Pseudonymizer) -> AuditRun:
        """Return the run after checking all claims of other packages' attacks; a false claim fails its attack."""
        results = [each if is_own(each.attack) else _with_checked_claims(each, namer) for each in self.results]
        return replace(self, results=results)


def run_attacks(
    series: Series,
    attacks: Sequence[Attack],
    options: AuditOptions,
    prepare: Callable[[Sequence[View]], object] | None = None,
    individual: str | None = None,
) -> AuditRun:
    """Run attacks on a series, or on one person alone.

    `prepare` receives what the adversary sees before attacks run.

    Raises:
        InputError: the series cannot be read, or contradicts its register or known values.
        UsageError: no attack applies, a requested attack does not apply, or there is no such person.
    """
    stated = in_force(series.manifest.policy, options.limits)
    limits = {name: each.limit for name, each in stated.items()}
    check_keys_are_read(series.manifest, limits)
    attacks = [with_policy(each, limits, options.time_limit) for each in attacks]
    evidence = _evidence(series, attacks, options)
    if prepare is not None:
        prepare(evidence)
    watch = ClauseWatch(options.time_limit)
    asking = {
        name: each
        for name, each in stated.items()
        if each.stated or watch.ask(CLAUSES[name], partial(CLAUSES[name].asks, evidence), otherwise=True)
    }
    limits = {name: each.limit for name, each in asking.items()}
    run = _Attacking(evidence, attacks, options, watch, None if individual is None else find(evidence, individual))
    found = [gathered(each, limits) for each in run.results()]
    results = set_aside(found if run.interrupted or individual is not None else run.refined(found), limits)
    _check_applies(results, named=options.explicit)
    watched = Budget(on_progress=options.progress("each release by itself"))
    described = [summarize_release(evidence[0], at, limits.get("k", 0)) for at in watched.each(range(len(series.tags)))]
    return AuditRun(
        series,
        options,
        evidence,
        asking,
        results,
        facts(evidence[0].held, described),
        _inputs(series, options, rows_of_files(series, described)),
        tuple(one for each in described for one in each.panel),
        certain_if_unchanged=None if run.interrupted or individual is not None else run.certain_if_unchanged(limits),
    )


def _evidence(series: Series, attacks: Sequence[Attack], options: AuditOptions) -> tuple[View, ...]:
    """Return what the adversary sees: one view for each sensitive attribute, and one for several together."""
    # The attack of another package may lack this attribute.
    records = any(getattr(each, "follows_records", not each.per_attribute) for each in attacks)
    follow = any(each.per_attribute for each in attacks) and (len(series.tags) > 1 or options.follow == "always")
    watched = Budget(on_progress=options.progress("reading"))
    evidence = build_evidence(series, options.adversary, records=records, follow=follow, watched=watched)
    if evidence[-1].followed and options.follow == "never":
        unfollowed = Reason(say("with the candidate, people cannot be followed"), ReasonKind.UNFIT)
        evidence = (replace(evidence[0], unfollowed=unfollowed), *evidence[1:-1])
    return evidence


def _inputs(series: Series, options: AuditOptions, rows: Mapping[str, int]) -> tuple[Input, ...]:
    """Return each file that was read, with its hash and number of rows."""
    watched = Budget(on_progress=options.progress("files"))
    watched.stage("hashes")
    return tuple(
        Input(
            name,
            series.digests.get(file) or file.digest(),
            rows[name] if name in rows else form_of(file.path).rows(file.path),
            file.columns,
        )
        for name, file in watched.each(input_files(series.manifest, reveal=options.reveal).items())
    )


@dataclass
class _Attacking:
    """Attacks on evidence, or on one person, given by a code in the evidence of each attribute.

    If requested, an interrupt keeps the results of finished attacks and marks the others as interrupted.
    """

    evidence: Sequence[View]
    attacks: Sequence[Attack]
    options: AuditOptions
    watch: ClauseWatch
    person: Mapping[str, int] | None
    interrupted: bool = False

    def results(self) -> list[Result[View]]:
        """Run each attack on each evidence."""
        results: list[Result[View]] = []
        several = sum(not each.followed for each in self.evidence) > 1
        for seen in self.evidence:
            whole = seen is self.evidence[-1] or self.evidence[-1].combined is None
            for attack in self.attacks:
                if not attack.per_attribute and seen is not self.evidence[0]:
                    continue
                about = seen.sensitive if (several or seen.followed) and attack.per_attribute else None
                result = Result(attack, about, seen, Outcome.cut_off(attack.name), whole=whole, watch=self.watch)
                if not self.interrupted:
                    try:
                        result = self._attacked(result)
                    except KeyboardInterrupt:
                        if not self.options.keeps_finished or all(map(_is_skipped, results)):
                            raise
                        self.interrupted = True
                # If people are followed, this attack is about rows, not about people.
                if not (seen.followed and _is_skipped(result) and not result.outcome.interrupted):
                    results.append(result)
        return results

    def _attacked(self, result: Result[View]) -> Result[View]:
        """Return a result with the outcome of its attack."""
        attack, seen, start = result.attack, result.evidence, time.perf_counter()
        budget, person = self.options.budget(attack.name), (self.person or {}).get(seen.sensitive)

        def run() -> Outcome:
            if self.person is not None:
                asking = getattr(attack, "about", None)
                asked: Attack = attack if asking is None or person is None else asking(person)
                return run_attack(asked, seen, budget)
            outcome = attacked(attack, seen, seen.key, budget)
            if seen.followed:
                outcome = _with_timeline(attack, seen, outcome, len(self.evidence[0].tags), budget)
            if outcome.alone is not None and outcome.claims is not None:
                outcome = replace(outcome, claims=outcome.claims.with_alone(seen, outcome.alone))
            return outcome

        of_all = None
        if self.person is not None and person is None:
            why = say("for this attribute, the person is judged for other sets of releases")
            outcome = Outcome.skipped(attack.name, why)
        else:
            outcome = run_guarded(attack, run, self.options.time_limit)
        if person is not None:
            of_all, claims = outcome, None if outcome.claims is None else outcome.claims.about(person)
            # The explanation asks later for the risk of each value of this person.
            outcome = score(seen, seen.key, replace(outcome, claims=claims, model=None), budget)
        return replace(result, outcome=outcome, of_all=of_all, seconds=time.perf_counter() - start)

    def certain_if_unchanged(self, limits: Mapping[str, float]) -> Result[View] | None:
        """Return the result of an attack on single people for values that do not change, about most certain people.

        None unless every value may become every other, or if nothing can be said.
        """
        found = list[tuple[int, Result[View]]]()
        attack = next((each for each in self.attacks if is_own(each) and isinstance(each, PerPersonAttack)), None)
        seen = [each for each in self.evidence if each.transitions is not None and each.transitions.allow_all]
        if seen and seen[0].possible_kinds is not None:  # people who may be in the data are in other sets of releases
            manifest = replace(seen[0].series.manifest, any_transitions=False)
            seen = [each for each in build_evidence(Series.of(manifest), seen[0].kind) if each.transitions is None]
        for each in seen:
            if attack is None or each.known or len(each.tags) == 1:
                continue
            fixed = replace(each, transitions=None)
            outcome = attacked(attack, fixed, fixed.key, self.options.budget(attack.name))
            [result] = set_aside([Result(attack, None, fixed, outcome)], limits)
            if outcome.status == "complete" and (people := people_found(result)) is not None:
                found.append((people, result))
        return max(found, key=itemgetter(0), default=(0, None))[1]

    def refined(self, results: Sequence[Result[View]]) -> list[Result[View]]:
        """Return the results; attacks on groups also use what another attack rules out in the same evidence.

        Each attack has only the rest of its time.
        """
        beside = {id(each.evidence): each.outcome for each in results if each.outcome.knowing is not None}
        found = []
        for each in results:
            attack, outcome, start, seconds = each.attack, each.outcome, time.perf_counter(), each.seconds
            if id(each.evidence) in beside and isinstance(attack, RefinableAttack):
                budget = self.options.budget(attack.name, each.seconds)
                refined = partial(attack.refined, handed(each.evidence), outcome, beside[id(each.evidence)], budget)
                try:
                    outcome = run_guarded(attack, refined, budget.seconds)
                except KeyboardInterrupt:
                    if not self.options.keeps_finished:
                        raise
                    outcome = replace(outcome, status="incomplete", reason=interruption())
                seconds += time.perf_counter() - start
            found.append(replace(each, outcome=outcome, seconds=seconds))
        return found


def _is_skipped(result: Result[View]) -> bool:
    return result.outcome.status == "skipped"


def _with_timeline(attack: Attack, evidence: View, outcome: Outcome, releases: int, budget: Budget) -> Outcome:
    """Return an outcome on people followed by record ids, with its findings after each release added.

    `outcome` is the result after all releases. Everyone found early is also found after all releases: if that result is
    empty, so are the earlier ones.
    """
    last = outcome.measures.timeline
    if not isinstance(last, list) or not outcome.ran:
        return outcome
    counts, exposed, reason = [*last[-1:]], [*(outcome.exposed or ())[-1:]], None
    for count in range(releases - 1, 0, -1):
        if not any(counts[:1]):
            break
        before = None
        try:
            if not budget.exhausted():
                early = followed_until(evidence, count)
                before = attacked(attack, early, early.key, budget)
        except UnfollowedError as error:
            reason = error.reason
        line = None if before is None else before.measures.timeline
        if before is None or not isinstance(line, list):
            why = combined([outcome.reason or "", reason or budget.reason or "", Outcome.timeline_bounds()])
            outcome = replace(outcome, status="incomplete", reason=why)
            break
        counts, exposed = [*line[-1:], *counts], [*(before.exposed or ())[-1:], *exposed]
    counts = [0] * (releases - len(counts)) + counts
    people = None if outcome.exposed is None else (0,) * (releases - len(exposed)) + tuple(exposed)
    return replace(outcome, measures=replace(outcome.measures, timeline=counts), exposed=people)


def _check_applies(results: Sequence[Result[View]], *, named: bool) -> None:
    skipped: dict[str, list[str]] = {}
    apply = {each.attack.name for each in results if not _is_skipped(each)}
    for each in results:
        if _is_skipped(each) and not each.outcome.interrupted and each.attack.name not in apply:
            skipped.setdefault(str(each.outcome.reason), []).append(each.attack.name)
    reasons = "; ".join(f"{', '.join(dict.fromkeys(idents))}: {reason}" for reason, idents in skipped.items())
    if reasons and named:
        raise UsageError.say(
            "a requested attack does not apply - {reasons}; leave it out, or add what it needs", reasons=reasons
        )
    if sum(len(idents) for idents in skipped.values()) == len(results):
        raise UsageError.say(
            "no attack applies to this series - {reasons}; add what they need to the manifest", reasons=reasons
        )


def _with_checked_claims(result: Result[View], namer: Pseudonymizer) -> Result[View]:
    def checked() -> Outcome:
        if (selection := selection_of(result, namer)) is not None:
            selection.select(None, NOWHERE)
        ask_all(result.attack, result.outcome)
        return result.outcome

    return replace(result, outcome=run_guarded(result.attack, checked, result.watch.limit))
