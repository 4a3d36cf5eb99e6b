"""What one more release would change, as a page for reading and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from audit.findings.wording import line_runs, listing
from audit.model.errors import printable, printable_path
from audit.model.measures import PEOPLE, LeastBounds
from audit.model.release_impact import Cause, Change, ComparedAttack, ReleaseImpact
from audit.model.report import AttackReport, Report, ReportWarning
from audit.runtime.phrases import Phrase, figure, joined, parted, risk_text, say, say_count
from reports.audit_page import page_of, terminal_head, terminal_summary
from reports.finding_text import shown_attacks, steps
from reports.frames import frames
from reports.page import Block, Bullets, Entry, Page, PageSteps, PageTable, Paragraph, Section
from reports.repair import short
from reports.sentences import named, reasons

_WITHOUT = Phrase("{attack} without the candidate is incomplete: {reason}.")
_WITH = Phrase("{attack} with it is incomplete: {reason}.")


def page(impact: ReleaseImpact) -> Page:
    """Return the verdict with the candidate, what changes, what causes it, and a repair."""
    after = impact.after
    head = [*terminal_head(after), Bullets(list(_read(impact)), soft=True)]
    return page_of(after, head, terminal_summary(after), _sections(impact))


def _sections(impact: ReleaseImpact) -> Iterator[Section]:
    pairs = zip(impact.without.attacks, impact.after.attacks, strict=True)
    unfinished = [line for old, new in pairs for line in _unfinished(old, new)]
    yield Section("", [Bullets(list(_before(impact)), soft=True)])
    yield Section("", [_changes(impact), Bullets(unfinished, soft=True)])
    shown = shown_attacks(impact.after)
    for attack, report in zip(impact.attacks, impact.after.attacks, strict=True):
        if report in shown and attack.new:
            yield _findings(attack, by_version=report.measures.by_version)
    proposed = [*_proposal(impact), *_beyond_repair(impact)]
    yield Section(say("Repair"), [Bullets(proposed, soft=True)] if proposed else [])


def _read(impact: ReleaseImpact) -> Iterator[str]:
    about = {
        "release": printable(impact.candidate.release),
        "files": joined([printable_path(name) for name in impact.candidate.files]),
    }
    if impact.candidate.key is None:
        yield say("Of these, release {release} is the candidate, not yet published: {files}.", **about)
    else:
        yield say(
            "Of these, release {release} is the candidate, not yet published: {files}; key: {key}.",
            **about,
            key=printable_path(impact.candidate.key),
        )


def _before(impact: ReleaseImpact) -> Iterator[str]:
    """Yield what holds without the candidate."""
    before = impact.without
    if before.policy.violations:
        yield say("Without the candidate the policy was violated already:")
        yield from (f"  {line}" for line in reasons(before))
    elif before.policy.undecided:
        yield say("Without the candidate nothing was found, but not everything was decided either.")
    else:
        yield say("Without the candidate the policy held.")
    old = sum(attack.old for attack in impact.attacks)
    yield say(
        "Findings that the candidate adds: {new}; findings that were possible before: {old}.", new=impact.new, old=old
    )


def _changes(impact: ReleaseImpact) -> Block:
    rows = [(attack, change) for attack in impact.attacks for change in attack.changes]
    if not rows:
        return Paragraph(say("No measure of any attack changes."))
    head = [say("attack"), say("measure"), say("before"), say("after")]
    names = [named(attack.after) for attack, _ in rows]
    return PageTable(
        head,
        [
            ["" if place and names[place - 1] == name else name, *_cells(change)]
            for place, (name, (_, change)) in enumerate(zip(names, rows, strict=True))
        ],
        words=2,
    )


def _cells(change: Change) -> list[str]:
    values = (_value(change.measure, value) for value in (change.before, change.after))
    return [change.measure.replace("_", " "), *values]


def _value(measure: str, value: object) -> str:
    if isinstance(value, dict):
        return _table(value)
    if value is None:
        return "-"
    if measure.endswith("_risk"):
        return risk_text(value)
    return figure(value) if isinstance(value, int) else printable(str(value))


def _table(value: Mapping[str, object]) -> str:
    """Return bounds, an estimate with its interval, or any other table in words.

    >>> _table({"lower": 2, "upper": 4}), _table({"value": 0.5, "low": 0.4, "high": 0.75}), _table({"worst": 3})
    ('2 to 4', '0.500 (0.400 to 0.750)', 'worst 3')
    """
    lower, upper = value.get("lower"), value.get("upper")
    if value.keys() == {"lower", "upper"} and all(isinstance(each, int | None) for each in (lower, upper)):
        return str(LeastBounds(_whole(lower), _whole(upper)))
    if value.keys() >= {"value", "low", "high"}:
        return say("{value} ({low} to {high})", **{name: risk_text(value[name]) for name in ("value", "low", "high")})
    return ", ".join(f"{name} {printable(str(entry))}" for name, entry in value.items())


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def with_news(impact: ReleaseImpact) -> Report:
    """Return the audit of the series with the candidate, its findings those that the candidate adds.

    Sentences about the candidate are warnings, for formats that have no place of their own for them; a repair is the
    recommendation.
    """
    added = {(each.after.attack, each.after.sensitive): each for each in impact.attacks}
    attacks = []
    for attack in impact.after.attacks:
        news = added[attack.attack, attack.sensitive]
        found = tuple(new.finding for new in news.findings)
        attacks.append(replace(attack, findings=found, findings_total=news.new))
    lines = [*_read(impact), *_before(impact), *_beyond_repair(impact)]
    causes = tuple(f"{new.finding.id}: {_cause(new.cause)}" for each in impact.attacks for new in each.findings)
    *most, last = (line.strip().rstrip(".:") for line in lines)
    noted = *(ReportWarning("candidate", line) for line in most), ReportWarning("candidate", last, causes)
    advised = None if impact.repair is None else impact.repair.recommendation(named=True)
    warnings = (*noted, *impact.after.warnings)
    return replace(impact.after, attacks=tuple(attacks), warnings=warnings, recommendation=advised)


def _unfinished(before: AttackReport, after: AttackReport) -> Iterator[str]:
    for attack, phrase in ((before, _WITHOUT), (after, _WITH)):
        if attack.reason and attack.status != "skipped":
            yield phrase.filled(attack=attack.attack, reason=printable(attack.reason, 400))
    if before.status == "incomplete" and after.status != "skipped":
        yield say(
            "Some findings of {attack} may be called new although they were possible before.", attack=after.attack
        )


def _findings(attack: ComparedAttack, *, by_version: bool) -> Section:
    counts = figure(attack.new)
    if attack.people:
        counts = f"{counts}, {PEOPLE.counted(attack.people)}"
    if attack.old:
        counts = say("{counts}; {old} were possible before", counts=counts, old=attack.old)
    blocks: list[Block] = [
        Entry(
            new.finding.sentence(by_version=by_version),
            [PageSteps([*steps(new.finding), say("cause: {cause}", cause=_cause(new.cause))])],
            [new.finding.id],
        )
        for new in attack.findings
    ]
    if len(attack.findings) < attack.new:
        blocks.append(Paragraph(say("{count} more: --findings all", count=attack.new - len(attack.findings))))
    return Section(say("New findings of {attack} ({counts})", attack=named(attack.after), counts=counts), blocks)


def _cause(new: Cause) -> str:
    """Return what a finding follows from, in words."""
    rows = parted(
        say("group {group}, {lines}", group=printable(each.group), lines=line_runs(each.lines)) for each in new.rows
    )
    if not new.releases:
        return say("{rows} of the candidate alone", rows=rows) if rows else say("the candidate as a whole")
    noted = say_count(
        "{rows} of the candidate with release {releases}",
        "{rows} of the candidate with releases {releases}",
        len(new.releases),
        rows=rows or say("the candidate as a whole"),
        releases=listing(new.releases),
    )
    return noted if new.least else say("{cause} (perhaps not all of it)", cause=noted)


def _proposal(impact: ReleaseImpact) -> Iterator[str]:
    if impact.repair is not None:
        yield say("The policy holds after these changes: {changes}.", changes=short(impact.repair))
        yield say("`audit repair SERIES CANDIDATE --output DIR` looks for the smallest change, and writes it.")


def _beyond_repair(impact: ReleaseImpact) -> Iterator[str]:
    for reason in impact.not_computed:
        yield say("Not computed - {reason}.", reason=printable(reason, 400))
    if impact.without.policy.violations and sum(attack.old for attack in impact.attacks):
        yield say("No candidate can repair what could be found before.")


FORMATS = frames(page)
