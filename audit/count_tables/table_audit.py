"""Table audit: audit a series of count tables from its files to the report, and write waivers of its findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from audit.clauses.registry import COUNT_CLAUSES
from audit.count_tables.count_findings import FindingBuilder, Known, with_pictures
from audit.count_tables.doubts import check_columns_are_there, surest_limits, table_doubts, without_guesses
from audit.count_tables.judged_counts import CountAttack, JudgedCounts, followed, judge, tables_facts
from audit.count_tables.manifest import TableManifest, parse_table_manifest
from audit.count_tables.published_counts import PublishedCounts, check_audited, earlier_counts
from audit.count_tables.read_counts import read_counts
from audit.count_tables.second_reading import SecondReading, finds_nothing, reading_doubts
from audit.findings.count import COUNT_KINDS, CountFinding
from audit.io.manifest import PRIVATE
from audit.io.series import InputFile
from audit.judgement.baseline import is_known
from audit.judgement.pseudonyms import keep_key, private_key
from audit.judgement.waivers import Acceptance, NamedFindings, WaiverBook, matcher, remedy_of, stated, waive
from audit.model.arrays import UNBOUNDED
from audit.model.audit_options import AuditOptions
from audit.model.count_tables import ALL, HIDE_FURTHER, OPEN, VERDICTS, CountMeasures, TablesFacts, WeightedSum
from audit.model.errors import Doubt, UsageError
from audit.model.finding import FindingRule
from audit.model.measures import ABSENT, RiskMeasures
from audit.model.report import (
    AdversaryFacts,
    AttackReport,
    BaselineFacts,
    Contradictions,
    CountSize,
    Input,
    PolicyReport,
    Report,
    Violation,
    Waived,
)
from audit.runtime.budget import Budget
from audit.runtime.phrases import Reason, ReasonKind, kind_of, printable, say, say_count
from audit.runtime.version import VERSION

_TERMS, _LONG = 50_000, 200


@dataclass(frozen=True)
class AcceptedCounts:
    """The findings that are accepted, by their ids.

    Attributes:
        ids: the findings whose count is known no more precisely than waivers or the baseline accept.
        unsized: the findings of waivers that do not state how much they accept, and those whose exact intervals are
            not known; these are undecided.
        waived: the outcome of each waiver.
        doubts: the doubts that such waivers raise.
        baseline: the baseline, with the number of its findings that are found again, and with those that it did not ask
            for; None without one.
    """

    ids: frozenset[str]
    unsized: frozenset[str]
    waived: Sequence[Waived]
    doubts: Sequence[Doubt]
    baseline: BaselineFacts | None


@dataclass(frozen=True)
class CertifiedCounts:
    """The findings that are not accepted, with valid certificates.

    Attributes:
        judged: the judged counts, in which findings whose certificates failed are undecided.
        kept: the questions with such a finding.
        findings: the first ones.
        checked, failed: the numbers of valid and of failed certificates.
        interrupted: whether the user stopped the checks.
    """

    judged: JudgedCounts
    kept: Sequence[int]
    findings: tuple[CountFinding, ...]
    checked: int
    failed: int
    interrupted: bool


def audit_tables(manifest: TableManifest, attack: CountAttack, options: AuditOptions) -> Report:
    """Return the report on a series of count tables.

    Raises:
        InputError: the series cannot be read, or its numbers contradict each other.
    """
    return report_on(judge(read_published(manifest), attack, options))


def read_published(manifest: TableManifest) -> PublishedCounts:
    """Return the published counts of a series, ready for an audit.

    Raises:
        InputError: the series cannot be read, publishes nothing, or has counts that are too large.
    """
    counts = read_counts(manifest)
    check_columns_are_there(counts)
    check_audited(counts)
    return counts


def report_on(judged: JudgedCounts) -> Report:
    """Return the report on judged counts; a finding whose certificate fails is undecided."""
    counts, facts, options = judged.counts, tables_facts(judged.counts), judged.options
    accepted = accepted_counts(judged)
    certified = certified_counts(judged, accepted.ids, options.findings, facts)
    judged = certified.judged
    reading = SecondReading(judged)
    standing = _standing(reading) if certified.kept else None
    doubts = [*_doubts(reading), *accepted.doubts]
    report = _attack_report(certified, standing)
    counted = [place for place in certified.kept if not accepted.unsized or judged.ids[place] not in accepted.unsized]
    sure = [place for place in counted if standing is None or judged.ids[place] in standing]
    policy = _decide(judged, report, doubts, sure, sorted({*counted}.difference(sure)))
    return Report(
        tool_version=VERSION,
        made=options.made or options.today,
        inputs=_inputs(counts),
        series=facts,
        adversary=AdversaryFacts("published", transitions=False, known=0),
        attacks=(report,),
        contradictions=Contradictions(),
        revealed=False,
        ids_are_stable=True,
        policy=replace(policy, waived=tuple(accepted.waived)),
        time_limit=options.time_limit,
        left_out=len(accepted.ids),
        baseline=accepted.baseline,
        interrupted=certified.interrupted or reading.stopped,
        failed_certificates=certified.failed,
    )


def _attack_report(certified: CertifiedCounts, standing: frozenset[str] | None) -> AttackReport:
    """Return the report on the attack; findings that are not `standing` depend on guesses of the manifest."""
    judged, findings = certified.judged, certified.findings
    if standing is not None:
        guesses = judged.counts.manifest.unconfirmed
        findings = tuple(each if each.id in standing else replace(each, rests_on=guesses) for each in findings)
    measures = measures_of(judged)
    every = [each.reason for each in judged.outcomes] + [each.reason for each in judged.evidence.unasked]
    reasons = [reason for reason in every if reason]
    return AttackReport(
        attack=judged.attack.name,
        sensitive=None,
        status="incomplete" if measures.open or reasons else "complete",
        reason=reasons[0] if reasons else None,
        seconds=round(judged.seconds, 6),
        measures=measures,
        risks=RiskMeasures(),
        findings=with_pictures(judged.counts, findings, _known(judged, certified.kept) if findings else {}),
        findings_total=len(certified.kept),
        rules={kind: FindingRule(each.meaning.sentence, HIDE_FURTHER.sentence) for kind, each in COUNT_KINDS.items()},
        certificates_checked=certified.checked,
    )


def _doubts(reading: SecondReading) -> Iterator[Doubt]:
    """Yield the doubts about what the files and the manifest say."""
    judged = reading.first
    yield from table_doubts(
        judged.counts, judged.options.limits, judged.limits["min_count"], nothing_found=not judged.found
    )
    yield from (Doubt(Reason(why, ReasonKind.NEEDS)) for why in (*_earlier(reading), *reading_doubts(reading)))


def _known(judged: JudgedCounts, kept: Sequence[int]) -> Known:
    """Return the bounds of all cells with a finding, except increases."""
    found = {}
    for place in kept:
        part, question, _ = judged.at(place)
        release, since, cell = judged.builder.subject(part, question)
        if since is None:
            size = judged.size(place)
            ends = size.lower, None if size.upper >= UNBOUNDED else size.upper
            found[release, part.measure, tuple(cell.values())] = ends
    return found


def certified_counts(
    judged: JudgedCounts, accepted: Container[str], shown: int | None, facts: TablesFacts
) -> CertifiedCounts:
    """Return the first findings that are not accepted, after checking certificates.

    Certificates of findings that are not shown are checked in random order, up to a total size.
    """
    kept = [place for place in judged.found if not accepted or judged.ids[place] not in accepted]
    chosen, others = (kept, kept[:0]) if shown is None else (kept[:shown], kept[shown:])
    findings, checked, failed, left, interrupted = list[CountFinding](), 0, set[int](), _TERMS, False
    order = [*chosen, *(others[one] for one in np.random.default_rng(0).permutation(len(others)).tolist())]
    try:
        for rank, place in enumerate(order):
            part, question, outcome = judged.at(place)
            bounds = outcome.bounds(question)
            if not judged.builder.holds(part.tables, bounds):
                failed.add(place)
            else:
                checked += 1
                if rank < len(chosen):
                    findings.append(judged.builder.finding(part, question, outcome, facts))
            if rank >= len(chosen):
                left -= sum(len(each.proof.terms) if isinstance(each.proof, WeightedSum) else _LONG for each in bounds)
            if left < 0:
                break
    except KeyboardInterrupt:  # decided findings are shown, with the number of checked certificates
        interrupted = True
    kept = [place for place in kept if place not in failed]
    judged = judged.without(failed) if failed else judged
    return CertifiedCounts(judged, kept, tuple(findings), checked, len(failed), interrupted)


def measures_of(judged: JudgedCounts) -> CountMeasures:
    """Return the statistics of judged counts."""
    count, evidence = Counter(judged.verdict.tolist()), judged.evidence
    asked = [kind for kind in VERDICTS if kind != ALL or judged.counts.manifest.sensitive]
    found: dict[str, Any] = {VERDICTS[kind]: count[kind] for kind in asked}
    return CountMeasures(
        cells=evidence.cells,
        protected=evidence.protected,
        empty=evidence.empty or ABSENT,
        questions=len(judged.verdict),
        **found,
        smallest_width=min((w for one in judged.outcomes if (w := one.smallest_width) is not None), default=None),
        open=count[OPEN] + sum(each.count for each in evidence.unasked),
    )


def accepted_counts(judged: JudgedCounts) -> AcceptedCounts:
    """Return the findings that waivers and the baseline accept."""
    manifest, baseline, today = judged.counts.manifest, judged.options.baseline, judged.options.today
    key = private_key(manifest.folder / PRIVATE, make=False) if manifest.waivers else None
    found, clauses, inexact = dict[str, CountSize](), dict[str, frozenset[str]](), set[str]()
    for place, ident in judged.ids.items() if manifest.waivers or baseline is not None else ():
        found[ident] = judged.size(place)
        clauses[ident] = clauses.get(ident, frozenset()) | judged.violated(place)
        _, question, outcome = judged.at(place)
        inexact |= {ident} if manifest.relates_releases and not outcome.exact[question] else set()
    book, ids = WaiverBook(manifest.waivers, today, key), np.array([*found], dtype=np.str_)
    before = [baseline is not None and is_known(baseline.counts, *each) for each in found.items()]
    if baseline is not None:
        unasked = frozenset[str]() if all(before) else _unasked_before(judged, baseline)
        counts = {**baseline.counts, **{ident: found[ident] for ident in unasked}}
        baseline = replace(baseline, still=sum(before), counts=counts, known=tuple(sorted({*baseline.known, *unasked})))
        before = [is_before or ident in unasked for is_before, ident in zip(before, found, strict=True)]
    known = np.array(before, dtype=np.bool_)
    waived, unsized = book.judge(NamedFindings([*found], [*found.values()], [*clauses.values()]), known)
    accepted, doubted = frozenset(ids[waived | known].tolist()), frozenset(ids[unsized].tolist())
    doubts = [*book.doubts(reveal=True, stable=True)]
    if perhaps := accepted & inexact:  # more may follow than is proved, and than was known before
        why = say_count(
            "{count} accepted [count|counts] may be known more precisely than is accepted; give more time with "
            "--time-limit SECONDS",
            len(perhaps),
        )
        about = frozenset[str]().union(*(clauses[ident] for ident in perhaps))
        doubts.append(Doubt(Reason(why, ReasonKind.TOO_HARD), about))
    return AcceptedCounts(accepted - perhaps, doubted | perhaps, book.outcomes(reveal=True), doubts, baseline)


def _unasked_before(judged: JudgedCounts, baseline: BaselineFacts) -> frozenset[str]:
    """Return the ids of findings that follow, as precisely, from the releases of a baseline that did not ask for them.

    Which counts are asked for depends on what a further release shows. There are none if the files have changed since.
    """
    manifest = judged.counts.manifest
    earlier = replace(manifest, releases=manifest.releases[: len(baseline.releases)])
    files = {InputFile(table.path) for each in earlier.releases for table in each.tables}
    is_same = earlier.tags == baseline.releases and {each.digest() for each in files} <= baseline.digests
    if not is_same or len(manifest.releases) == len(earlier.releases):
        return frozenset()
    before = judge(read_counts(earlier), judged.attack, judged.options)
    asked = {*map(before.id_of, range(len(before.verdict)))}
    places = [place for place, ident in judged.ids.items() if ident not in asked]
    budget = Budget(judged.options.time_limit)
    return frozenset(judged.ids[place] for place in followed(judged, places, before.counts, budget))


def _standing(reading: SecondReading) -> frozenset[str] | None:
    """Return the ids of findings that depend on no guess; None if nothing is a guess."""
    judged, manifest, given = reading.first, reading.counts.manifest, reading.first.options.limits
    if not manifest.unconfirmed:
        return None
    counts = without_guesses(judged.counts)
    again = None if counts is None else reading.judged(counts, surest_limits(manifest, judged.limits, given))
    if counts is None or again is None:
        return frozenset()
    builder = FindingBuilder(counts, manifest.over_time)  # so that the same finding has the same id
    return frozenset(builder.id_of(*again.at(place)[:2]) for place in again.found)


def _earlier(reading: SecondReading) -> Iterator[str]:
    """Yield why the policy is undecided if changes may reveal counts of a release that is not in the series."""
    counts, change = earlier_counts(reading.counts), reading.counts.manifest.change
    if counts is not None and change is not None and not finds_nothing(reading.judged(counts)):
        yield say(
            "changes in {column} disclose counts of a release that is not in the series, contradict each other, or "
            "were not judged; add that release to the series",
            column=printable(change.column, 60),
        )


def _decide(
    judged: JudgedCounts,
    report: AttackReport,
    doubts: Sequence[Doubt],
    sure: Sequence[int],
    guessed: Sequence[int],
) -> PolicyReport:
    """Return the decision: hidden counts are judged by `min_width`, all others by `min_count`.

    A finding that depends on no guess violates the clause; one that depends on a guess leaves it undecided.
    """
    violations, if_confirmed = (
        tuple(
            Violation(report.attack, name, 0, count)
            for kind, name in VERDICTS.items()
            if (count := int((judged.verdict[places] == kind).sum()))
        )
        for places in ([*sure], [*guessed])
    )
    left = {*judged.rule[judged.verdict == OPEN].tolist()}
    left |= {rule for one in judged.evidence.unasked for rule in one.rules}
    unsettled = say(
        "{open} of {questions} counts are undecided: {reason}",
        open=str(report.measures["open"]),
        questions=str(len(judged.verdict)),
        reason=report.reason,
    )
    broken = frozenset[str]().union(*map(judged.violated, sure))
    open_ = dict.fromkeys(left, Reason(unsettled, kind_of(report.reason) or ReasonKind.TOO_HARD))
    decisions = [COUNT_CLAUSES[name].decided(limit, broken, doubts, open_) for name, limit in judged.limits.items()]
    clauses = tuple(each.reported for each in decisions)
    undecided = tuple(why for each in decisions for why in each.undecided)
    return PolicyReport(clauses, violations, undecided, if_confirmed=if_confirmed)


def _inputs(counts: PublishedCounts) -> tuple[Input, ...]:
    rows, manifest = Counter[tuple[str, Path]](), counts.manifest
    for file, count in counts.rows_of.items():
        rows[file.shown, file.path] += count
    for name in manifest.categories.values():
        rows[name, manifest.folder / name] = max(0, (manifest.folder / name).read_bytes().count(b"\n") - 1)
    return tuple(Input(shown, InputFile(path).digest(), count) for (shown, path), count in rows.items())


def waive_counts(manifest: TableManifest, attack: CountAttack, accepted: Sequence[Acceptance]) -> int:
    """Write waivers of findings that accept no more than is known today; return how many.

    What is known is sealed with the key in `private/`, which is created if necessary: the manifest is published.

    Raises:
        UsageError: a date is past, an id is not one of today's findings, or there is no key.
        InputError: the series cannot be read, or its numbers contradict each other.
    """

    def named() -> list[dict[str, object]]:
        report = audit_tables(replace(manifest, waivers=()), attack, AuditOptions(time_limit=None, findings=None))
        found = []
        for each in accepted:
            matches = [one for one in report.findings if isinstance(one, CountFinding) and matcher(each.named)(one.id)]
            if not matches:
                named = (each.where and f"{each.where}: ") + printable(each.named, 80)
                what = say("{named} is not a finding of these tables", named=named)
                remedy = say("take its id from a report of today, such as differencing-0123456789ab")
                raise UsageError(f"{what}; {remedy_of(each.named, remedy)}")
            found += [(one, each.key) for one in matches]
        keep_key(manifest.folder)  # nothing is written before all is checked
        key = private_key(manifest.folder / PRIVATE, make=False)
        if key is None:
            what = say("there is no {file} to seal what is accepted", file=f"{PRIVATE}/finding.key")
            raise UsageError(f"{what}; {say('make a folder {folder} in the series folder', folder=f'{PRIVATE}/')}")
        waivers = {one.id: {"finding": one.id, "size": stated(one.id, one.size, key), **words} for one, words in found}
        return list(waivers.values())

    return waive(manifest.folder, accepted, named, parse_table_manifest)
