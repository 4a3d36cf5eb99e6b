"""The page of an audit: what somebody who answers for a release reads, follows and signs, as data for formats."""

from __future__ import annotations

from collections.abc import Iterator

from audit.findings.count import found_counts
from audit.model.errors import printable, printable_path
from audit.model.report import Report
from audit.runtime.phrases import figure, joined, risk_text, say, say_count
from reports import page_charts
from reports.count_tables import sentences as counts
from reports.finding_text import REPEATED, shown_attacks
from reports.glossary import glossary
from reports.page import (
    Block,
    Bullets,
    Entry,
    Facts,
    Figures,
    Page,
    PageSteps,
    PageTable,
    PageVerdict,
    Paragraph,
    Section,
    Signing,
)
from reports.person_entries import other_entries, person_entries
from reports.release_risk import blamed_columns, panel
from reports.repair import recommended
from reports.sentences import (
    CONTRADICTED,
    absent,
    advice,
    facts,
    fallen,
    fingerprint,
    named,
    notes,
    reasons,
    seconds,
    secrecy,
    settings,
    status_in_words,
    waivers,
    warnings,
)
from reports.summary_text import (
    allowed,
    assumed,
    assumptions,
    choices,
    last_release,
    only_last,
    open_questions,
    readers,
    since,
    summary,
)
from reports.verdict import audited_against, contradicted, headline

_FILES, _RELEASES = 6, 8


def audit_page(report: Report) -> Page:
    """Return the page of a report."""
    text, colour = headline(report)
    one = report.about is not None
    shows_counts = report.tables is not None and bool(report.attacks[0].findings)
    return Page(
        title=say("Audit of {series}", series=printable(report.series.name, 200)),
        name=printable(report.series.name, 200),
        inside=report.revealed or shows_counts,
        mark=_mark(report),
        band=say("INTERNAL: shows hidden counts") if shows_counts else None,
        sheet=say("{date}, series-audit {version}", date=report.made, version=report.tool_version),
        head=[Facts(list(_head(report)))],
        verdict=PageVerdict(
            {"red": "✗", "yellow": "?", "green": "✓"}[colour],
            colour,
            text,
            contradicted(report) if report.contradictions and report.policy.violations else None,
        ),
        summary=[Paragraph(audited_against(report))]
        if one
        else [*map(Paragraph, summary(report)), Bullets(list(reasons(report)), soft=True)],
        sections=[each for each in (_about_one(report) if one else _sections(report)) if each.blocks],
    )


def _mark(report: Report) -> str:
    if report.tables is not None:
        if report.attacks[0].findings:
            return say("INTERNAL: findings show counts that the tables hide. To share numbers alone, use --findings 0.")
        return say("Shareable: the tables name nobody, and no count is shown that they hide.")
    if report.revealed:
        return say("INTERNAL: this report names people. Keep it inside.")
    return say("Shareable: no person is named, and no quasi-identifier of anybody is shown.")


def _head(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what was audited, when, by what and for whom."""
    yield say("Releases"), _releases(report)
    yield say("Contents"), facts(report)
    files = [printable(each.path, 60) for each in report.inputs]
    yield say("Files"), say("{files}; fingerprints at the end", files=joined(files, most=_FILES))
    yield say("Adversary"), assumed(report)
    yield say("Date"), say("{date}, by series-audit {version}", date=report.made, version=report.tool_version)


def _releases(report: Report) -> str:
    """Return the releases, each with its date where that is known; of many the first and the last."""
    told_of = []
    for tag in report.series.releases:
        day, name = report.series.published.get(tag), printable(tag, 60)
        told_of.append(name if day is None else say("{release} ({date})", release=name, date=day))
    if len(told_of) <= _RELEASES:
        return joined(told_of)
    return say("{count} releases, from {first} to {last}", count=len(told_of), first=told_of[0], last=told_of[-1])


def _sections(report: Report) -> Iterator[Section]:
    yield Section(say("What is new since the last report"), [Bullets(list(since(report)))])
    yield Section(say("Recommendation for release {release}", release=last_release(report)), list(_advice(report)))
    yield Section(say("Warnings about the files"), _list(list(warnings(report))))
    yield Section(say("Findings"), list(_findings(report)))
    yield Section(say("What each attack learns"), list(_ladder(report)))
    yield Section(say("Risk over time, and by people"), list(_pictures(report)))
    yield Section(say("Each release by itself"), list(_panel(report)))
    yield Section(say("Columns that make rows unique"), list(_columns(report)))
    yield Section(say("What was not judged, and what is needed to judge it"), list(_open(report)))
    yield Section(say("Assumptions"), [Bullets(list(assumptions(report))), Paragraph(settings(report), soft=True)])
    yield Section(say("Waivers"), _list(list(waivers(report))))
    yield Section(say("Terms"), [Facts(glossary(report))])
    yield Section(say("Who learns what from this page"), [Bullets([*readers(report), *_ids(report)])])
    yield Section(say("Files"), [_files(report)])
    yield Section(say("Decision"), list(_decision(report)))


def _about_one(report: Report) -> Iterator[Section]:
    """Yield what there is to say where one person was asked about: nothing that is about everybody."""
    yield Section(say("Findings"), list(_findings(report)))
    yield Section(say("What was not judged, and what is needed to judge it"), list(_open(report)))
    yield Section(say("Assumptions"), [Bullets(list(assumptions(report))), Paragraph(settings(report), soft=True)])
    yield Section(say("Terms"), [Facts(glossary(report))])
    yield Section(say("Who learns what from this page"), [Bullets(list(readers(report)))])
    yield Section(say("Files"), [_files(report)])


def _list(lines: list[str]) -> list[Block]:
    return [Bullets(lines)] if lines else []


def _advice(report: Report) -> Iterator[Block]:
    yield Paragraph(allowed(report), strong=True)
    if (told_of := recommended(report)) is not None:
        yield Paragraph(told_of.what)
        yield from _list(told_of.changes)
        yield from [Paragraph(told_of.how)] if told_of.how else []
    mending = [str(CONTRADICTED)] if report.contradictions else []
    yield Bullets([*_repairing(report), *advice(report), *mending])


def _repairing(report: Report) -> Iterator[str]:
    """Yield how to find the least change of the last release, where that is what breaks the policy."""
    if report.recommendation is None and only_last(report):
        yield say(
            "With --recommend the least change of release {release} that keeps the policy is looked for: groups are "
            "merged or rows withheld, the result is audited, and what it costs is told here.",
            release=last_release(report),
        )


def _findings(report: Report) -> Iterator[Block]:
    total = sum(attack.findings_total for attack in shown_attacks(report))
    if not total:
        return
    if report.tables is not None:
        yield Paragraph(counts.checked(report.attacks[0]), soft=True)
        yield from _counts(report)
        yield from _not_shown(total, report)
        return
    entries, within = other_entries(report)
    people = person_entries(report)
    yield Paragraph(
        say(
            "Each finding was checked again, in exact arithmetic, before it was written here, unless it says otherwise."
        ),
        soft=True,
    )
    if people:
        yield Paragraph(
            say_count("{count} person, the most exposed first.", "{count} people, the most exposed first.", len(people))
        )
    yield from people
    yield from entries
    if within:
        yield Paragraph(say("Within the policy’s limits:"), soft=True)
        yield Bullets(within, soft=True)
    yield from _not_shown(total, report)


def _counts(report: Report) -> Iterator[Block]:
    """Yield the findings about counts, each with the part of a table around it."""
    for finding in found_counts(report):
        blocks: list[Block] = [PageSteps(list(finding.steps()))]
        if finding.picture is not None:
            blocks.append(counts.picture_table(finding.picture, finding.release, finding.facts))
        yield Entry(finding.sentence(), blocks, [finding.id])


def _not_shown(total: int, report: Report) -> Iterator[Block]:
    hidden = total - sum(len(attack.findings) for attack in shown_attacks(report))
    if hidden:
        yield Paragraph(
            say_count(
                "{count} more finding is not shown: --findings all.",
                "{count} more findings are not shown: --findings all.",
                hidden,
            )
        )


def _ladder(report: Report) -> Iterator[Block]:
    if report.tables is not None:
        yield Facts(counts.measured(report))
        return
    rungs = {(rung.attack, rung.sensitive): rung for rung in report.ladder}
    rows = []
    for attack in report.attacks:
        if not attack.ran:
            rows.append([named(attack), status_in_words(attack.status), absent(attack), *[""] * 5])
            continue
        rung, m = rungs.get((attack.attack, attack.sensitive)), attack.risks
        people = ["", ""] if rung is None else [figure(rung.beyond), figure(rung.so_far)]
        risks = [risk_text(m[risk]) if risk in m else "" for risk in ("max_risk", "mean_risk")]
        rows.append([named(attack), status_in_words(attack.status), fallen(attack), *people, *risks, seconds(attack)])
    head = [
        say("attack"),
        say("status"),
        say("finds"),
        say("new people"),
        say("so far"),
        say("highest risk"),
        say("mean risk"),
        say("time"),
    ]
    yield Paragraph(
        say(
            "The first attacks look at one person at a time, the last at everybody at once. New people are "
            "those whose value is certain by this attack but not by any attack above it."
        ),
        soft=True,
    )
    yield PageTable(head, rows, words=3)
    repeated = [str(REPEATED)] if len(shown_attacks(report)) < len(report.attacks) else []
    yield Bullets([*notes(report), *repeated], soft=True)


def _pictures(report: Report) -> Iterator[Block]:
    drawn = [*page_charts.over_time(report), *page_charts.by_risk(report)]
    if drawn:
        yield Figures(drawn)


def _panel(report: Report) -> Iterator[Block]:
    shown = panel(report)
    if shown.rows:
        if shown.marks:
            yield Paragraph(say("✗ breaks a limit of the policy."))
        yield PageTable(shown.whole_heads, shown.rows, words=shown.words, marked=shown.marks)
        yield Bullets(shown.notes, soft=True)


def _columns(report: Report) -> Iterator[Block]:
    rows = [
        [
            printable(share.column),
            printable(release),
            figure(share.alone, ".0%"),
            figure(share.small, ".0%"),
            figure(share.by_itself, ".0%"),
        ]
        for share, release in blamed_columns(report)
    ]
    if rows:
        head = [
            say("column"),
            say("worst in release"),
            say("rows that only this column makes unique"),
            say("rows that it puts into groups of fewer than five"),
            say("rows that it alone makes unique"),
        ]
        yield PageTable(head, rows, words=2)


def _open(report: Report) -> Iterator[Block]:
    rows = [list(each) for each in open_questions(report)]
    if not rows:
        yield Paragraph(say("Nothing: every attack finished, and every clause of the policy was decided."))
        return
    yield PageTable([say("what"), say("why"), say("what is needed")], rows, words=3)


def _ids(report: Report) -> Iterator[str]:
    if report.tables is None:
        yield next(iter(secrecy(report)))


def _files(report: Report) -> PageTable:
    rows = [[printable_path(each.path), fingerprint(each), figure(each.rows)] for each in report.inputs]
    return PageTable([say("file"), say("SHA-256"), say("rows")], rows, words=2)


def _decision(report: Report) -> Iterator[Block]:
    # A sheet that is signed says what it is about, also where it lies by itself.
    yield Facts([(say("Series"), printable(report.series.name, 200)), (say("Verdict"), headline(report)[0])])
    yield Paragraph(allowed(report))
    lines = [say("Name"), say("Function"), say("Place and date"), say("Signature")]
    yield Signing(choices(report), lines)
