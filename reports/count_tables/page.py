"""The page of an audit of count tables, as data for formats: the same parts as that of people's data."""

from __future__ import annotations

from collections.abc import Iterator

from audit.model.count_report import CountPicture, CountReport
from audit.model.errors import printable, printable_path
from audit.model.report import Undecided
from audit.runtime.phrases import figure, joined, say, say_count
from audit.runtime.reasons import ReasonKind, kind_of
from reports.count_tables.sentences import (
    KINDS,
    adversary,
    advice,
    allowed,
    cell_name,
    checked,
    choices,
    facts,
    headline,
    measured,
    readers,
    reasons,
    rules,
    sentence,
    steps,
    summary,
    waiver_lines,
    words,
)
from reports.page import (
    Block,
    Bullets,
    Entry,
    Facts,
    Page,
    PageSteps,
    PageTable,
    PageVerdict,
    Paragraph,
    Section,
    Signing,
)

_FILES, _RELEASES = 6, 8


def count_page(report: CountReport) -> Page:
    """Return the page of a report on count tables."""
    text, colour = headline(report)
    made = say("{date}, by series-audit {version}", date=report.made, version=report.tool_version)
    return Page(
        title=say("Audit of {series}", series=printable(report.series.name, 200)),
        name=printable(report.series.name, 200),
        inside=bool(report.attack.findings),
        mark=_mark(report),
        band=say("INTERNAL: shows hidden counts") if report.attack.findings else None,
        sheet=made,
        head=[
            Facts(
                [
                    (say("Releases"), joined([printable(tag, 60) for tag in report.series.releases], most=_RELEASES)),
                    (say("Contents"), facts(report)),
                    (say("Files"), joined([printable(each.path, 60) for each in report.inputs], most=_FILES)),
                    (say("Adversary"), adversary(report)),
                    (say("Date"), made),
                ]
            )
        ],
        verdict=PageVerdict({"red": "✗", "yellow": "?", "green": "✓"}[colour], colour, text),
        summary=[*(Paragraph(line) for line in summary(report)), Bullets(list(reasons(report)), soft=True)],
        sections=[section for section in _sections(report) if section.blocks],
    )


def _mark(report: CountReport) -> str:
    if report.attack.findings:
        return say("INTERNAL: findings show counts that the tables hide. To share numbers alone, use --findings 0.")
    return say("Shareable: the tables name nobody, and no count is shown that they hide.")


def _sections(report: CountReport) -> Iterator[Section]:
    yield Section(say("Recommendation"), [Paragraph(allowed(report), strong=True), Bullets(list(advice(report)))])
    yield Section(say("Findings"), list(_findings(report)))
    yield Section(say("What was asked"), [Facts(measured(report))])
    yield Section(say("What was not judged, and what is needed to judge it"), list(_open(report)))
    yield Section(say("Assumptions"), [Bullets([adversary(report)]), *_rules(report)])
    lines = list(waiver_lines(report))
    yield Section(say("Waivers"), [Bullets(lines)] if lines else [])
    yield Section(say("Terms"), [Facts(words())])
    yield Section(say("Who learns what from this page"), [Bullets(list(readers(report)))])
    rows = [[printable_path(each.path), each.sha256, figure(each.rows)] for each in report.inputs]
    yield Section(say("Files"), [PageTable([say("file"), say("SHA-256"), say("rows")], rows, words=2)])
    signing = Signing(choices(report), [say("Name"), say("Function"), say("Place and date"), say("Signature")])
    about = Facts([(say("Series"), printable(report.series.name, 200)), (say("Verdict"), headline(report)[0])])
    yield Section(say("Decision"), [about, Paragraph(allowed(report)), signing])


def _rules(report: CountReport) -> list[Block]:
    told = list(rules(report))
    return [Paragraph(say("The rules are those of series.toml:")), Bullets(told)] if told else []


def _findings(report: CountReport) -> Iterator[Block]:
    attack, pictures = report.attack, {each.finding: each for each in report.pictures}
    if not attack.findings_total:
        return
    yield Paragraph(checked(report), soft=True)
    for finding in attack.findings:
        blocks: list[Block] = [PageSteps(list(steps(finding, report)))]
        if finding.id in pictures:
            blocks.append(_picture(pictures[finding.id], report))
        title = say("{kind}: {finding}", kind=KINDS[finding.kind], finding=sentence(finding, report))
        yield Entry(title, blocks, [finding.id])
    hidden = attack.findings_total - len(attack.findings)
    if hidden:
        yield Paragraph(
            say_count(
                "{count} more finding is not shown: --findings all.",
                "{count} more findings are not shown: --findings all.",
                hidden,
            )
        )


def _picture(picture: CountPicture, report: CountReport) -> PageTable:
    """Return a part of a published table around a finding, with what can be told of it."""
    rows, told = [], set()
    for at, (label, cells) in enumerate(zip(picture.row_labels, picture.cells, strict=True)):
        row = [printable(label)]
        for place, cell in enumerate(cells, 1):
            text = "" if cell is None else printable(cell.shown)
            if cell is not None and cell.told is not None:
                text = say("{shown} → {told}", shown=text, told=cell.told)
                told.add((at, place))
            row.append(say("{cell} ∑", cell=text) if cell is not None and cell.in_sum else text)
        rows.append(row)
    across = picture.columns
    corner = (
        printable(picture.rows)
        if across is None
        else say("{down} \\ {across}", down=printable(picture.rows), across=printable(across))
    )
    caption = say(
        "Release {release}, {where}: → what can be derived, ∑ used by the sum.",
        release=printable(picture.release),
        where=cell_name(picture.fixed, report.series.totals),
    )
    head = [corner, *map(printable, picture.column_labels)]
    return PageTable(head, rows, marked=frozenset(told), caption=caption)


def _needed(undecided: Undecided) -> str:
    declared = kind_of(undecided.reason) is ReasonKind.NEEDS
    return say("a line in series.toml") if declared else say("more time: --time-limit SECONDS")


def _open(report: CountReport) -> Iterator[Block]:
    attack = report.attack
    rows = [[each.measure, printable(each.reason, 400), _needed(each)] for each in report.policy.undecided]
    if attack.reason:
        rows.append([attack.attack, printable(attack.reason, 400), ""])
    if not rows:
        yield Paragraph(say("Nothing: every count in question was decided."))
        return
    yield PageTable([say("what"), say("why"), say("what is needed")], rows, words=3)
