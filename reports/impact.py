"""The impact of one more release, as a page and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from audit.findings.count import CountFinding
from audit.findings.wording import line_runs, listing
from audit.model.errors import SENTENCE
from audit.model.measures import PEOPLE
from audit.model.release_impact import Cause, ComparedAttack, NewFinding, ReleaseImpact, alone
from audit.model.report import AttackReport, Report, ReportWarning
from audit.runtime.phrases import Phrase, figure, joined, parted, printable, printable_path, risk_text, say, say_count
from reports import repair
from reports.audit_page import showing_counts, signed_page, terminal_head
from reports.page import Block, Bullets, Entry, Facts, Page, PageSteps, PageTable, Paragraph, Section
from reports.sentences import CONTRADICTED, best_so_far, facts, named, reasons, result_text, steps
from reports.summary_text import copying, glossary, next_step, of_attacks, repairing
from reports.verdict import left_out, more_if_unchanged

_WITHOUT = Phrase("{attack} without the candidate is incomplete: {reason}.")
_WITH = Phrase("{attack} with it is incomplete: {reason}.")


def page(impact: ReleaseImpact) -> Page:
    """Return the sheet with the verdict, what to do and the decision, then the changes and their causes."""
    after = impact.after
    behind = [*reasons(after), *([str(CONTRADICTED)] if after.contradictions else [])]
    shown = [Bullets(behind), Bullets(list(_before(impact)), soft=True)]
    further = [*_proposal(impact), *_beyond_repair(impact)]
    # What follows from a violation alone, the decision below says.
    first = (
        []
        if len(further) > len(impact.not_computed)
        and (after.policy.violations or impact.adds_nothing)
        and not after.contradictions
        else [next_step(after)]
    )
    head = terminal_head(after) if after.tables is None else [Paragraph(facts(after))]
    todo = [*first, *further] if impact.cells is None else list(repair.cells_todo(impact, impact.cells))
    sheet = signed_page(
        after,
        [*head, Bullets(list(_read(impact)), soft=True)],
        shown,
        [Bullets(todo)],
        before=impact.without,
        adds_nothing=impact.adds_nothing,
    )
    cells = impact.cells
    found = any(each.findings for each in impact.attacks)
    if cells is not None and (found or cells.hide or cells.changes or cells.show or cells.unavoidable):
        sheet = showing_counts(sheet, in_findings=found)
    elif found and not sheet.inside:
        mark = say(
            "INTERNAL: findings show what would follow from a file that is not published. To share numbers alone, use "
            "--findings 0."
        )
        sheet = replace(sheet, inside=True, mark=mark, band=say("INTERNAL: shows what is not published"))
    return replace(sheet, annex=list(_annex(impact)))


def _annex(impact: ReleaseImpact) -> Iterator[Section]:
    pairs = list(zip(impact.without.attacks, impact.after.attacks, strict=True))
    unfinished = [line for old, new in pairs for line in _unfinished(old, new)]
    if many := impact.after.contradictions.changed + impact.after.contradictions.infeasible:
        unfinished.append(
            say_count(
                "{count} [person|people] whose values contradict the assumptions [is|are] not in these numbers.", many
            )
        )
    yield Section(say("What the candidate changes"), [_changes(pairs), Bullets(unfinished, soft=True)])
    shown = impact.after.shown_attacks
    for attack, report in zip(impact.attacks, impact.after.attacks, strict=True):
        if report in shown and attack.new:
            yield _findings(attack, by_version=report.measures.by_version)
    if impact.cells is not None:
        yield from repair.cell_sections(impact.cells, impact.after)
    yield Section(say("Terms"), [Facts([*glossary(impact.after), *of_attacks(impact.after)], terms=True)])


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
    if impact.candidate.column is not None:
        yield say(
            'It is the rows with "{release}" in the column "{column}"; any other rows are those of the series.',
            column=printable(impact.candidate.column),
            **about,
        )


def _before(impact: ReleaseImpact) -> Iterator[str]:
    """Yield what holds without the candidate."""
    before = impact.without
    if not before.inputs:  # nothing is published yet
        pass
    elif before.policy.violations:
        known = joined(list(dict.fromkeys(each.measure for each in before.policy.violations)))
        yield say("Without the candidate the policy was violated already ({clauses}).", clauses=known)
    elif before.policy.undecided:
        yield say("Without the candidate the policy was not violated, but not everything was decided either.")
    elif before.left_out:
        yield say_count(
            "Without the candidate the policy held, except for what is waived or in the baseline: {count} "
            "[finding|findings].",
            before.left_out,
        )
    else:
        yield say("Without the candidate the policy held.")
    yield from more_if_unchanged(before, impact.after)
    cut = [each for each in impact.attacks if "incomplete" in (each.status_before, each.after.status)]
    whole = [each for each in impact.attacks if each not in cut]
    total, new = sum(each.after.findings_total for each in whole), sum(each.new for each in whole)
    yield say(
        "Findings with the candidate: {total} (new: {new}; found without it, too: {known}).",
        total=total,
        new=new,
        known=total - new,
    )
    if impact.after.known_before:
        yield from left_out(impact.after)
    if cut:
        names = joined([named(each.after) for each in cut])
        yield say(
            "Not counted, because these attacks ended early with or without the candidate: {attacks}.", attacks=names
        )
    if impact.cells is not None:
        yield from repair.of_cells(impact)


def _changes(pairs: Sequence[tuple[AttackReport, AttackReport]]) -> PageTable:
    """Return the results of each attack without and with the candidate."""
    ran = [pair for pair in pairs if pair[0].ran or pair[1].ran]
    rows = [[named(new), *map(result_text, (old, new))] for old, new in ran]
    heads = [say("attack"), say("without the candidate"), say("with it")]
    if any("max_risk" in attack.risks for pair in ran for attack in pair):
        rows = [[*row, *map(_highest_risk, pair)] for row, pair in zip(rows, ran, strict=True)]
        heads += [say("highest risk without it"), say("with it")]
    return PageTable(heads, rows, words=3)


def _highest_risk(attack: AttackReport) -> str:
    return risk_text(attack.risks["max_risk"]) if "max_risk" in attack.risks else ""


def with_news(impact: ReleaseImpact) -> Report:
    """Return the audit of the series with the candidate; its findings are those that the candidate adds.

    Sentences about the candidate, and about its repair, become warnings, for formats without a place for them.
    """
    added = {(each.after.attack, each.after.sensitive): each for each in impact.attacks}
    attacks = []
    for attack in impact.after.attacks:
        news = added[attack.attack, attack.sensitive]
        found = tuple(new.finding for new in news.findings)
        attacks.append(replace(attack, findings=found, findings_total=news.new))
    further = [*_proposal(impact), *_beyond_repair(impact)]
    further = further if impact.cells is None else [*repair.cells_todo(impact, impact.cells)]
    lines = [*_read(impact), *_before(impact), *further]
    new = (new for each in impact.attacks for new in each.findings)
    causes = tuple(f"{each.finding.id}: {_cause(each.cause)}" for each in new if [*_caused(each)])
    *most, last = (line.strip().rstrip(".:") for line in lines)
    noted = *(ReportWarning("candidate", line) for line in most), ReportWarning("candidate", last, causes)
    return replace(impact.after, attacks=tuple(attacks), warnings=(*noted, *impact.after.warnings))


def _unfinished(before: AttackReport, after: AttackReport) -> Iterator[str]:
    for attack, phrase in ((before, _WITHOUT), (after, _WITH)):
        if attack.reason and attack.status != "skipped":
            yield phrase.filled(attack=attack.attack, reason=printable(attack.reason, SENTENCE))
    if after.incomplete and before.measures.found > after.measures.found:
        yield say(
            "With the candidate {attack} ended before it had proved as much; what it proved without it still holds: "
            "{found}.",
            attack=named(before),
            found=result_text(before),
        )
    if before.status == "incomplete" and after.status != "skipped":
        yield say(
            "Some findings of {attack} may be called new although they were possible before.", attack=after.attack
        )


def _findings(attack: ComparedAttack, *, by_version: bool) -> Section:
    counts = say("{new} of {total}", new=figure(attack.new), total=figure(attack.after.findings_total))
    if attack.people:
        counts = say("{counts}, about {people}", counts=counts, people=PEOPLE.counted(attack.people))
    blocks: list[Block] = [
        Entry(
            new.finding.sentence(by_version=by_version),
            [PageSteps([*steps(new.finding), *_caused(new)])],
            [new.finding.id],
        )
        for new in attack.findings
    ]
    if len(attack.findings) < attack.new:
        blocks.append(Paragraph(say("{count} more: --findings all", count=attack.new - len(attack.findings))))
    return Section(say("New findings of {attack} ({counts})", attack=named(attack.after), counts=counts), blocks)


def _caused(new: NewFinding) -> Iterator[str]:
    """Yield the cause of a finding; the sums that show a count name the releases themselves."""
    if not isinstance(new.finding, CountFinding):
        yield say("cause: {cause}", cause=_cause(new.cause))


def _cause(new: Cause) -> str:
    """Return the cause of a finding, in words."""
    rows = parted(
        say("group {group}, {lines}", group=printable(each.group), lines=line_runs(each.lines)) for each in new.rows
    )
    if not new.releases:
        return say("{rows} of the candidate alone", rows=rows) if rows else say("the candidate as a whole")
    many, releases = len(new.releases), listing(new.releases)
    noted = say_count("the candidate as a whole with [release|releases] {releases}", many, releases=releases)
    if rows:
        noted = say_count(
            "{rows} of the candidate with [release|releases] {releases}", many, rows=rows, releases=releases
        )
    return noted if new.least else say("{cause} (perhaps not all of it)", cause=noted)


def _proposal(impact: ReleaseImpact) -> Iterator[str]:
    if impact.repair is not None:
        yield say(
            "The policy holds after these changes, the smallest that were found: {changes}.",
            changes=repair.short(impact.repair),
        )
        if impact.repair.stopped is not None:
            yield best_so_far(impact.repair.stopped)
        yield say("{command} makes them, and writes the file.", command=repairing(impact.candidate.files))


def _beyond_repair(impact: ReleaseImpact) -> Iterator[str]:
    for reason in impact.not_computed:
        yield say("Not computed - {reason}.", reason=printable(reason, SENTENCE))
    if impact.adds_nothing or (impact.without.policy.violations and sum(attack.old for attack in impact.attacks)):
        yield say("No candidate can undo what the earlier releases disclose.")
        standing = impact.without.policy.standing
        if impact.adds.violations and standing is not None:
            yield say(
                "Whatever of the candidate is changed, the policy would be undecided even without new findings: "
                "{reasons}.",
                reasons=standing,
            )
        elif impact.adds.violations:
            files, column = impact.candidate.files, impact.candidate.column
            if column is not None:
                files = (alone(impact.candidate.release, files[0]),)  # a repair changes a file of one release
                yield copying(impact.candidate.release, column, files[0])
            command = repairing(files)
            yield say("{command} looks for a change after which it adds nothing to that.", command=command)
        elif not impact.adds.undecided:
            yield say("To what they disclose, the candidate adds nothing that the policy forbids.")
