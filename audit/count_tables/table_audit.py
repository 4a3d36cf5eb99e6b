"""One audit of a series of count tables: from its files to the report."""

from __future__ import annotations

import datetime
import hashlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from audit.count_tables.build_evidence import MeasureEvidence, build_evidence
from audit.count_tables.count_findings import CertificateError, FindingBuilder, Known, with_pictures
from audit.count_tables.doubts import check_columns_are_there, table_doubts
from audit.count_tables.guesses import surest_limits, without_guesses
from audit.count_tables.manifest import TableManifest
from audit.count_tables.people_of_one_kind import with_people_of_one_kind
from audit.count_tables.published_counts import PublishedCounts, check_audited
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_files import below_table
from audit.count_tables.table_rules import Rates
from audit.findings.count import COUNT_KINDS, REMEDY, CountFinding, found_counts
from audit.judgement.baseline import Baseline, is_known
from audit.judgement.waivers import NamedFindings, WaiverBook
from audit.model.count_report import CountMeasures, CountRules, RatesEntry, TablesFacts
from audit.model.count_tables import (
    ALL,
    NARROWED,
    OPEN,
    PROTECTED,
    RECOVERED,
    SAME_KIND,
    SMALL,
    SMALL_COUNT,
    VERDICTS,
    ContradictingCountsError,
    CountOutcome,
    CountTables,
    WeightedSum,
)
from audit.model.doubt import Doubt
from audit.model.errors import InputError, Problem
from audit.model.finding import FindingRule
from audit.model.json_types import UNBOUNDED, ClauseState
from audit.model.measures import ABSENT, RiskMeasures
from audit.model.report import (
    AdversaryFacts,
    AttackReport,
    ClauseReport,
    Contradictions,
    CountSize,
    Input,
    PolicyReport,
    Report,
    SeriesFacts,
    Undecided,
    Violation,
    Waived,
)
from audit.runtime.budget import Budget
from audit.runtime.log import logged_stage
from audit.runtime.phrases import Phrase, say
from audit.runtime.reasons import Reason, combined, kind_of
from audit.runtime.version import VERSION

_LOG = logging.getLogger(__name__)
_NAMED = 12
_TERMS, _LONG = 100_000, 200
_FAILED = Phrase("the certificate of a finding does not hold, which is a bug of this program")
_CLAUSE = {SMALL_COUNT: "min_count", PROTECTED: "min_width", SAME_KIND: "min_labels"}
_ORDER = np.array([4, 0, 1, 2, 3], dtype=np.int64)  # by verdict: recovered, narrowed, small, all


class CountAttack(Protocol):
    """An attack on published counts."""

    @property
    def name(self) -> str:
        """Its name on the command line."""

    def run(self, tables: CountTables, budget: Budget) -> CountOutcome:
        """Return what it finds out."""


@dataclass(frozen=True)
class Accepted:
    """Which findings are accepted, by their ids.

    Attributes:
        ids: those of which no more is known than was accepted, or known before.
        unsized: those that a waiver names which does not say how much it accepts: they are not decided.
        waived: what became of each waiver.
        doubts: what such waivers have to say.
        still: how many of the baseline's findings are found again.
    """

    ids: frozenset[str]
    unsized: frozenset[str]
    waived: Sequence[Waived]
    doubts: Sequence[Doubt]
    still: int


@dataclass(frozen=True)
class CountOptions:
    """How to audit count tables.

    Attributes:
        limits: clauses of the policy that replace those of the manifest.
        time_limit: seconds; None is without limit.
        findings: how many findings to show; None for all.
        today: the date at which waivers are judged.
        made: the date that the report bears; `today` when None.
        baseline: what an earlier report found, which does not count again.
        progress: given the attack's name, returns who is told of its progress.
    """

    limits: Mapping[str, float] = field(default_factory=dict)
    time_limit: float | None = 300.0
    findings: int | None = 20
    today: datetime.date = field(default_factory=datetime.date.today)
    made: datetime.date | None = None
    baseline: Baseline | None = None
    progress: Callable[[str], Callable[[int, int], None] | None] = lambda _: None


@dataclass(frozen=True)
class JudgedCounts:
    """Published counts with what the attack found out of them, part by part."""

    counts: PublishedCounts
    evidence: Sequence[MeasureEvidence]
    outcomes: Sequence[Sequence[CountOutcome]]
    limits: Mapping[str, int]
    seconds: float

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped the attack."""
        return any(one.interrupted for some in self.outcomes for one in some)


def audit_tables(manifest: TableManifest, attack: CountAttack, options: CountOptions) -> Report:
    """Return the report on a series of count tables.

    Raises:
        InputError: the series cannot be read, or its numbers contradict each other.
    """
    counts = read_counts(manifest)
    check_columns_are_there(counts)
    return build_report(judge(counts, attack, options), attack, options)


def findings_of(counts: PublishedCounts, attack: CountAttack, options: CountOptions) -> Sequence[CountFinding]:
    """Return all that an attack finds in published counts.

    Raises:
        InputError: as for `judge`.
    """
    options = replace(options, findings=None)
    return found_counts(build_report(judge(counts, attack, options), attack, options))


def judge(counts: PublishedCounts, attack: CountAttack, options: CountOptions) -> JudgedCounts:
    """Run the attack on published counts.

    Raises:
        InputError: the policy is not given, nothing is published, or the numbers contradict each other.
    """
    check_audited(counts)
    limits = counts.manifest.limits(options.limits)
    evidence = build_evidence(counts, limits)
    start = time.perf_counter()
    budget = Budget(options.time_limit, options.progress(attack.name))
    outcomes: list[list[CountOutcome]] = []
    interrupted = False
    for each in evidence:
        found: list[CountOutcome] = []
        for tables, rows in zip(each.tables, each.rows, strict=True):
            with logged_stage(_LOG, f"attack {attack.name}", numbers=len(rows)) as stage:
                outcome = CountOutcome.nothing(len(tables.asked), say("interrupted"), interrupted=True)
                # What was decided before an interrupt is reported; where that is nothing, there is no report.
                with suppress(*([KeyboardInterrupt] if outcomes or found else [])):
                    outcome = outcome if interrupted else attacked(counts, tables, rows, attack, budget)
                stage.count(questions=len(outcome.verdict), open=int((outcome.verdict == OPEN).sum()))
            interrupted = outcome.interrupted
            found.append(outcome)
        outcomes.append(found)
    for place, each in enumerate(evidence if counts.manifest.sensitive else ()):
        evidence[place], outcomes[place] = with_people_of_one_kind(
            counts.manifest,
            each,
            outcomes[place],
            limits["min_labels"],
            lambda tables, rows: attacked(counts, tables, rows, attack, budget),
        )
    return JudgedCounts(counts, evidence, outcomes, limits, time.perf_counter() - start)


def attacked(
    counts: PublishedCounts, tables: CountTables, rows: np.ndarray, attack: CountAttack, budget: Budget
) -> CountOutcome:
    """Return what an attack finds out of some tables.

    Raises:
        InputError: no counts agree with what was published.
    """
    try:
        return attack.run(tables, budget)
    except ContradictingCountsError as error:
        raise _contradiction(counts, rows, error) from None


def _contradiction(counts: PublishedCounts, rows: np.ndarray, error: ContradictingCountsError) -> InputError:
    """Return the error that names the cells that contradict each other."""
    problems = []
    named = [int(rows[number]) for number in error.numbers if rows[number] >= 0]
    without = "; without any one of them there are" if error.irreducible and len(named) > 1 else ""
    what = (
        f"no counts agree with these {len(named)} cells{without}"
        if len(named) > 1
        else "no count agrees with this cell"
    )
    for row in named[:_NAMED]:
        file, line = counts.place(row)
        shown = counts.texts[int(counts.text[row])]
        end = counts.upper[row]
        stands = f"stands for {counts.lower[row]} to {end}" if counts.lower[row] < end else f"stands for {end}"
        if end >= UNBOUNDED:
            stands = f"stands for {counts.lower[row]} or more"
        elif counts.lower[row] > end:
            stands = "is against the rules by itself (threshold, rounding, or the rate beside it)"
        problems.append(
            Problem(
                file,
                f'"{shown}" {stands}: {what}',
                "correct the number, or the rounding, markers, threshold, categories or over_time of the manifest",
                line=line,
                column=counts.column_of[int(counts.file[row])],
            )
        )
    return InputError(problems)


@logged_stage(_LOG, "certificates and report")
def build_report(judged: JudgedCounts, attack: CountAttack, options: CountOptions) -> Report:
    """Return what the attack found out as a report; a finding whose certificate does not hold is not settled."""
    counts, manifest = judged.counts, judged.counts.manifest
    builder = FindingBuilder(counts)
    places = _places(judged)
    accepted = _accepted(judged, builder, places, options)
    kept = places
    if accepted.ids:
        kept = [place for place in places if builder.id_of(judged.evidence, place) not in accepted.ids]
    facts = _facts(counts)
    certified = _certified(judged, builder, kept, options.findings, facts)
    findings, checked, failed = certified.findings, certified.checked, len(certified.failed)
    if failed:
        judged = _reopened(judged, certified.failed)
        kept = [place for place in kept if place not in certified.failed]
    standing, stopped = _standing(judged, attack, options) if kept else (None, False)
    if standing is not None:
        guesses = manifest.unconfirmed
        findings = tuple(each if each.id in standing else replace(each, rests_on=guesses) for each in findings)
    doubts = [*table_doubts(counts, options.limits, nothing_found=not places), *accepted.doubts]
    measures = _measures(judged, kept)
    sure, guessed = kept, list[Place]()
    if standing is not None or accepted.unsized:
        sure = []
        for place in kept:
            ident = builder.id_of(judged.evidence, place)
            if ident in accepted.unsized:
                continue
            if standing is None or ident in standing:
                sure.append(place)
            else:
                guessed.append(place)
    reasons = [one.reason for some in judged.outcomes for one in some if one.reason]
    reasons += [one.reason for each in judged.evidence for one in each.unasked]
    report = AttackReport(
        attack=attack.name,
        sensitive=None,
        status="incomplete" if measures.open or reasons else "complete",
        reason=reasons[0] if reasons else None,
        seconds=round(judged.seconds, 6),
        measures=measures,
        risks=RiskMeasures(),
        findings=with_pictures(counts, findings, _known(judged, builder, kept) if findings else {}),
        findings_total=len(kept),
        rules={kind: FindingRule(each.meaning, REMEDY) for kind, each in COUNT_KINDS.items()},
        certificates_checked=checked,
    )
    return Report(
        tool_version=VERSION,
        made=options.made or options.today,
        inputs=_inputs(counts),
        series=SeriesFacts(facts.name, facts.releases, 0, facts.rows, 0, 0, 0),
        adversary=AdversaryFacts("published", transitions=False, known=0),
        attacks=(report,),
        contradictions=Contradictions(),
        policy=replace(_decide(judged, report, measures, doubts, (sure, guessed)), waived=tuple(accepted.waived)),
        time_limit=options.time_limit,
        revealed=False,
        ids_are_stable=True,
        left_out=len(accepted.ids),
        baseline=None if options.baseline is None else options.baseline.facts(accepted.still),
        interrupted=certified.interrupted or stopped or judged.interrupted,
        tables=facts,
        failed_certificates=failed,
    )


def _facts(counts: PublishedCounts) -> TablesFacts:
    manifest = counts.manifest
    return TablesFacts(
        name=manifest.name,
        releases=manifest.tags,
        tables=len({file.path for file in counts.files}),
        rows=sum(counts.rows_of),
        dimensions=manifest.dimensions,
        totals=dict(manifest.totals),
        measures=tuple(name for name in counts.measures if name is not None),
        over_time=manifest.over_time,
        rules=_rules(manifest),
        notes={file.shown: n for file in counts.files if (n := len(below_table(file.path).notes))},
    )


def _rules(manifest: TableManifest) -> CountRules:
    rates = tuple(map(_rates_entry, manifest.rates))
    return CountRules(
        markers={text: (low, None if high >= UNBOUNDED else high) for text, (low, high) in manifest.markers.items()},
        threshold=manifest.threshold,
        rounding=manifest.rounding,
        perturbation=manifest.perturbation,
        rates=rates[0] if rates else None,
        further_rates=rates[1:],
        absent_is_zero=manifest.absent_is_zero,
        open=tuple(sorted(manifest.open)),
    )


def _rates_entry(rates: Rates) -> RatesEntry:
    cell = ", ".join(f"{name} {label}" for name, label in rates.total.items())
    return RatesEntry(rates.column, rates.per, rates.decimals, rates.denominator or cell)


Place = tuple[int, int, int]
"""A statistic, a part, and a question of it."""


def _places(judged: JudgedCounts) -> list[Place]:
    """Return the findings, the most severe first, then by release and cell."""
    rows = []
    for measure, (evidence, outcomes) in enumerate(zip(judged.evidence, judged.outcomes, strict=True)):
        for part, (questions, outcome) in enumerate(zip(evidence.questions, outcomes, strict=True)):
            found = np.flatnonzero(outcome.verdict > 0)
            count = len(found)
            rows.append(
                np.column_stack(
                    [
                        _ORDER[outcome.verdict[found].astype(np.int64)],
                        questions.release[found],
                        np.full(count, measure),
                        questions.since[found],
                        questions.label[found],
                        np.full(count, part),
                        found,
                    ]
                )
            )
    every = np.concatenate(rows)
    every = every[np.lexsort(every.T[::-1])]
    return list(zip(every[:, 2].tolist(), every[:, -2].tolist(), every[:, -1].tolist(), strict=True))


def _known(judged: JudgedCounts, builder: FindingBuilder, kept: Sequence[Place]) -> Known:
    """Return what is known of all cells that are found, but for increases."""
    found = {}
    for place in kept:
        release, since, cell = builder.subject(judged.evidence, place)
        if since is None:
            measure, part, question = place
            outcome = judged.outcomes[measure][part]
            upper = int(outcome.upper[question])
            ends = int(outcome.lower[question]), None if upper >= UNBOUNDED else upper
            found[release, judged.evidence[measure].measure, tuple(cell.values())] = ends
    return found


@dataclass
class _Certified:
    """Findings to show, how many certificates hold, the places of those that do not, and whether the user stopped."""

    findings: tuple[CountFinding, ...]
    checked: int
    failed: frozenset[Place]
    interrupted: bool


def _certified(
    judged: JudgedCounts, builder: FindingBuilder, kept: Sequence[Place], shown: int | None, facts: TablesFacts
) -> _Certified:
    """Return the first findings with their certificates, and what the check of certificates said.

    Those of the others are checked in random order, up to so many numbers in them.
    """
    findings, checked, failed, left, interrupted = [], 0, set[Place](), _TERMS, False
    chosen = kept if shown is None else kept[:shown]
    others = kept[len(chosen) :]
    try:
        for place in chosen:
            measure, part, _ = place
            try:
                findings.append(builder.finding(judged.evidence, place, judged.outcomes[measure][part], facts))
            except CertificateError:
                failed.add(place)
        for one in np.random.default_rng(0).permutation(len(others)).tolist():
            if left < 0:
                break
            measure, part, question = others[one]
            bounds = judged.outcomes[measure][part].bounds(question)
            left -= sum(len(each.proof.terms) if isinstance(each.proof, WeightedSum) else _LONG for each in bounds)
            if builder.holds(judged.evidence[measure].tables[part], bounds):
                checked += 1
            else:
                failed.add(others[one])
    except KeyboardInterrupt:  # what was decided is shown, with how many certificates were checked
        interrupted = True
    return _Certified(tuple(findings), checked + len(findings), frozenset(failed), interrupted)


def _reopened(judged: JudgedCounts, failed: frozenset[Place]) -> JudgedCounts:
    """Return the same with some questions as not settled, because the certificates of their findings do not hold."""
    outcomes = []
    for measure, some in enumerate(judged.outcomes):
        parts = []
        for part, outcome in enumerate(some):
            mine = [question for m, p, question in failed if (m, p) == (measure, part)]
            if mine:
                verdict = outcome.verdict.copy()
                verdict[mine] = OPEN
                parts.append(replace(outcome, status="incomplete", reason=str(_FAILED), verdict=verdict))
            else:
                parts.append(outcome)
        outcomes.append(parts)
    return replace(judged, outcomes=outcomes)


def _measures(judged: JudgedCounts, kept: Sequence[Place]) -> CountMeasures:
    verdicts = _verdicts(judged, kept)
    widths = [one.smallest_width for some in judged.outcomes for one in some if one.smallest_width is not None]
    return CountMeasures(
        cells=sum(each.cells for each in judged.evidence),
        protected=sum(each.protected for each in judged.evidence),
        questions=sum(len(one) for each in judged.evidence for one in each.questions),
        recovered=int((verdicts == RECOVERED).sum()),
        small=int((verdicts == SMALL).sum()),
        narrowed=int((verdicts == NARROWED).sum()),
        all=int((verdicts == ALL).sum()) if judged.counts.manifest.sensitive else ABSENT,
        smallest_width=min(widths, default=None),
        open=sum(int((one.verdict == OPEN).sum()) for some in judged.outcomes for one in some)
        + sum(one.count for each in judged.evidence for one in each.unasked),
    )


def _accepted(
    judged: JudgedCounts, builder: FindingBuilder, places: Sequence[Place], options: CountOptions
) -> Accepted:
    """Return which findings waivers and the baseline accept."""
    waivers, baseline = judged.counts.manifest.waivers, options.baseline
    found, clauses = dict[str, CountSize](), dict[str, frozenset[str]]()
    for place in places if waivers or baseline is not None else ():
        measure, part, question = place
        outcome = judged.outcomes[measure][part]
        kind = VERDICTS[int(outcome.verdict[question])]
        size = CountSize(kind, int(outcome.lower[question]), int(outcome.upper[question]))
        ident = builder.id_of(judged.evidence, place)
        found[ident] = size
        clause = _CLAUSE[int(judged.evidence[measure].questions[part].rule[question])]
        clauses[ident] = clauses.get(ident, frozenset()) | {clause}
    book, ids = WaiverBook(waivers, options.today), np.array([*found], dtype=np.str_)
    before = [baseline is not None and is_known(baseline.counts, *each) for each in found.items()]
    known = np.array(before, dtype=np.bool_)
    waived, unsized = book.judge(NamedFindings([*found], [*found.values()], [*clauses.values()]), known)
    accepted, doubted = frozenset(ids[waived | known].tolist()), frozenset(ids[unsized].tolist())
    return Accepted(
        accepted, doubted, book.outcomes(reveal=True), [*book.doubts(reveal=True, stable=True)], int(known.sum())
    )


def _standing(judged: JudgedCounts, attack: CountAttack, options: CountOptions) -> tuple[frozenset[str] | None, bool]:
    """Return the ids of what is found without anything that is only a guess, and whether the user stopped it.

    None is returned where nothing is a guess.
    """
    manifest = judged.counts.manifest
    if not manifest.unconfirmed:
        return None, False
    if judged.interrupted:
        return frozenset(), True
    counts = without_guesses(judged.counts)
    if counts is None:
        return frozenset(), False
    left = None if options.time_limit is None else max(0.0, options.time_limit - judged.seconds)
    limits = surest_limits(manifest, judged.limits, options.limits)
    try:
        again = judge(counts, attack, replace(options, time_limit=left, limits={**options.limits, **limits}))
    except (InputError, KeyboardInterrupt) as error:
        return frozenset(), isinstance(error, KeyboardInterrupt)
    builder = FindingBuilder(counts, manifest.over_time)  # so that what is found again has the same id
    return frozenset(builder.id_of(again.evidence, place) for place in _places(again)), again.interrupted


def _decide(
    judged: JudgedCounts,
    report: AttackReport,
    measures: CountMeasures,
    doubts: Sequence[Doubt],
    found: tuple[Sequence[Place], Sequence[Place]],
) -> PolicyReport:
    """Return the decision: hidden counts are judged by `min_width`, all others by `min_count`.

    What is found whatever is guessed violates; what is found beside it, if what is guessed is right, leaves a clause
    undecided.
    """
    sure, guessed = found
    violations, if_confirmed = (
        tuple(
            Violation(report.attack, VERDICTS[kind], 0, count)
            for kind in (RECOVERED, NARROWED, SMALL, ALL)
            if (count := int((_verdicts(judged, places) == kind).sum()))
        )
        for places in (sure, guessed)
    )
    broken = {int(judged.evidence[m].questions[p].rule[q]) for m, p, q in sure}
    left = {
        int(rule)
        for evidence, outcomes in zip(judged.evidence, judged.outcomes, strict=True)
        for questions, outcome in zip(evidence.questions, outcomes, strict=True)
        for rule in np.unique(questions.rule[outcome.verdict == OPEN])
    } | {rule for each in judged.evidence for one in each.unasked for rule in one.rules}
    told = say(
        "{open} of {questions} questions were not settled: {reason}",
        open=str(measures.open),
        questions=str(measures.questions),
        reason=report.reason,
    )
    unsettled = Reason(told, kind_of(report.reason))
    clauses = []
    for rule, clause in ((rule, name) for rule, name in _CLAUSE.items() if name in judged.limits):
        reasons = [each.reason for each in doubts if each.concerns(clause)] + [unsettled] * (rule in left)
        why = None if rule in broken else combined(reasons)
        state: ClauseState = "violated" if rule in broken else "holds" if why is None else "undecided"
        clauses.append(ClauseReport(clause, judged.limits[clause], state, why))
    undecided = tuple(Undecided(each.clause, each.reason) for each in clauses if each.reason is not None)
    return PolicyReport(tuple(clauses), violations, undecided, if_confirmed=if_confirmed)


def _verdicts(judged: JudgedCounts, places: Sequence[Place]) -> np.ndarray:
    return np.array([judged.outcomes[m][p].verdict[q] for m, p, q in places], dtype=np.int64)


def _inputs(counts: PublishedCounts) -> tuple[Input, ...]:
    manifest = counts.manifest
    rows = Counter[tuple[str, Path]]()
    for file, count in zip(counts.files, counts.rows_of, strict=True):
        rows[file.shown, file.path] += count
    found = [Input(shown, _digest(path), count) for (shown, path), count in rows.items()]
    for name in manifest.categories.values():
        content = (manifest.folder / name).read_bytes()
        found.append(Input(name, hashlib.sha256(content).hexdigest(), max(0, content.count(b"\n") - 1)))
    return tuple(found)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
