"""Pages of an audit as data for formats: the page to read and sign, and the page of a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from audit.findings.wording import listing
from audit.model.adversary import ADVERSARIES
from audit.model.count_tables import TablesFacts
from audit.model.finding import Finding
from audit.model.measures import PEOPLE, VERSIONS
from audit.model.report import AttackReport, ColumnShare, Exposure, FoundPerson, Input, ReleasePanel, Report
from audit.runtime.phrases import Phrase, figure, joined, printable, printable_path, risk_text, say, say_count, typed
from reports import charts, sentences, summary_text
from reports import count_sentences as counts
from reports.page import (
    Block,
    Bullets,
    Entry,
    Facts,
    Figures,
    More,
    Page,
    PageSteps,
    PageTable,
    PageVerdict,
    Paragraph,
    Section,
    Signing,
    marked,
)
from reports.sentences import breaking_releases
from reports.verdict import contradicted, headline, split

_REPEATED = Phrase("update-graph finds the same people as intersection, since values never change.")
_RELEASES = 8
_OPEN = 3
"""The number of open questions that leave room for the signature on the first sheet."""
_FINDINGS = 5
"""The number of people, and of other findings, that a page shows before a reader asks for more."""
_ON_TERMINAL = 24
"""The number of releases that a terminal shows."""


def audit_page(report: Report) -> Page:
    """Return the page of a report: a sheet with the verdict, what to do and the signature, then the evidence."""
    drawn, open_ones, summary = _drawn(report), list(_open(report)), [*split(report), *sentences.changed(report)]
    summary += [*sentences.violated(report), *sentences.ended(report)]
    shown: list[Block] = [Bullets(summary)]
    shown += [table for each in report.findings[:1] for table in counts.picture_of(each)]
    mending = [str(sentences.CONTRADICTED)] if report.contradictions else []
    todo: list[Block] = [Bullets([summary_text.next_step(report), *sentences.measures(report), *mending])]
    if not report.policy.violations and all(len(each.rows) <= _OPEN for each in open_ones):
        todo, open_ones = [*todo, *open_ones], []
    page = signed_page(report, [Facts(list(_head(report)))], shown, todo)
    return with_findings(report, replace(page, annex=list(_annex(report, open_ones, drawn[1:]))))


def signed_page(
    report: Report,
    head: Sequence[Block],
    shown: Sequence[Block],
    todo: Sequence[Block],
    *,
    before: Report | None = None,
    adds_nothing: bool = False,
) -> Page:
    """Return the sheet to sign: the verdict, a picture, its reasons, what to do, the decision.

    Of a candidate, `before` is the report without it, and the decision names the files that it adds, with their hashes.
    With `adds_nothing`, the policy is broken by releases that are published already alone.
    """
    lines = [say("Name"), say("Function"), say("Place and date"), say("Signature")]
    allowed, choices = summary_text.decision(report, adds_nothing=adds_nothing)
    judged = [
        Paragraph(
            say("About {file}, SHA-256 {sha256}", file=printable_path(each.path), sha256=sentences.fingerprint(each))
        )
        for each in (() if before is None else added_inputs(before, report))
    ]
    deciding = Section(say("Decision"), [Paragraph(allowed, strong=True), *judged, Signing(choices, lines)])
    drawn = [Figures(charts) for charts in [_drawn(report)[:1]] if charts]
    return page_of(report, head, [*drawn, *shown], iter([Section(say("What to do"), todo), deciding]))


def added_inputs(before: Report, after: Report) -> list[Input]:
    """Return the files of a candidate: those that the report without it does not name, or names less often."""
    known = Counter(each.path for each in before.inputs)
    added = []
    for each in after.inputs:
        known[each.path] -= 1
        if known[each.path] < 0:
            added.append(each)
    return added


def _drawn(report: Report) -> list[charts.Chart]:
    """Return the pictures, first the one about the verdict; flat ones are omitted."""
    drawn = [*over_time(report), *below_k(report), *by_risk(report)]
    shown = [each for each in drawn if not each.flat]
    return shown if report.policy.violations else shown[::-1]


def page_of(report: Report, head: Sequence[Block], summary: Sequence[Block], sections: Iterator[Section]) -> Page:
    """Return a page with the verdict of a report, and those sections that are not empty."""
    text, colour = headline(report)
    return Page(
        title=say("Audit of {series}", series=printable(report.series.name, 200)),
        name=printable(report.series.name, 200),
        inside=report.revealed,
        mark=mark(report),
        sheet=say("{date}, series-audit {version}", date=report.made, version=report.tool_version),
        head=head,
        verdict=PageVerdict(
            text, colour, contradicted(report) if report.contradictions and report.policy.violations else None
        ),
        summary=summary,
        sections=list(sections),
    )


def with_findings(report: Report, page: Page) -> Page:
    """Return the page of a report with its findings: for internal use if they show counts, else with a caution."""
    if not any(attack.findings for attack in report.attacks) or (report.tables is None and report.revealed):
        return page
    if report.tables is not None:
        return showing_counts(page)
    caution = say(
        "This page names no person and shows nobody's quasi-identifiers, but whoever has the published files may find "
        "people's values with it. To pass on numbers alone, use --findings 0."
    )
    return replace(page, mark=caution)


def mark(report: Report) -> str:
    """Return the mark of a page without hidden counts: internal use only, or may be shared."""
    if report.tables is None:
        return marked(inside=report.revealed)
    return say("This page may be passed on: it names nobody and shows no count that the tables hide.")


def showing_counts(page: Page, *, in_findings: bool = True) -> Page:
    """Return a page with counts that the tables hide, or should hide: it is for internal use only."""
    mark = say("INTERNAL: this page shows counts of cells to hide or to show.")
    if in_findings:
        mark = say("INTERNAL: findings show counts that the tables hide. To share numbers alone, use --findings 0.")
    return replace(page, inside=True, mark=mark, band=say("INTERNAL: shows hidden counts"))


def terminal_page(report: Report, *, means: bool = True) -> Page:
    """Return a report in the reading order of a terminal; `means` is whether there is room for mean risks."""
    summary = Bullets(
        [*sentences.reasons(report), *([str(sentences.CONTRADICTED)] if report.contradictions else [])], soft=True
    )
    return with_findings(report, page_of(report, terminal_head(report), [summary], _on_terminal(report, means=means)))


def terminal_head(report: Report) -> list[Block]:
    """Return the audited series and the assumed adversary."""
    rules = "" if report.tables is None else " ".join(counts.rules(report.tables))
    return [
        Paragraph(sentences.facts(report)),
        Paragraph(sentences.adversary(report)),
        *([Paragraph(rules)] if rules else []),
    ]


def _on_terminal(report: Report, *, means: bool) -> Iterator[Section]:
    yield Section(say("Look at the files:"), _list(sentences.warnings(report), soft=True))
    yield Section(say("What is proved, and how to check it"), _list(sentences.proved(report), soft=True))
    checked = [] if report.tables is None else [counts.checked(report)]
    yield Section(
        "", [*_ladder(report), Bullets([*sentences.skipped(report), sentences.settings(report), *checked], soft=True)]
    )
    yield Section("", list(_timeline(report)))
    title, count = say("Each release by itself"), len(report.series.releases)
    if count > _ON_TERMINAL:
        title = say("Each release by itself, the last {some} of {count}", some=str(_ON_TERMINAL), count=str(count))
    yield Section(title, list(panel(report, last=_ON_TERMINAL, means=means)))
    yield Section(say("Columns that make rows unique"), list(blamed_columns(report)))
    title = say("Entries about people in the findings below ({count})", count=len(report.people))
    yield Section(title, _list(sentences.people(report), soft=True))
    worst = sentences.violating(report)
    for attack in sorted(report.shown_attacks, key=lambda each: each not in worst):
        yield _findings_of(attack, sentences.people_alike(attack, report.policy.violations))
    yield Section("", _list(sentences.waivers(report), soft=True))
    yield Section(say("Where it stands"), _list(sentences.ended(report), soft=True))
    following = [f"$ {typed(command)}" for command in summary_text.commands(report)]
    first = [summary_text.next_step(report), *_repairing(report)] if report.policy.violations else []
    steps = [*first, *sentences.advice(report)]
    if not steps and report.policy.undecided:
        open_ = (f"{what} ({taken})" for what, _, taken in summary_text.open_questions(report) if taken)
        steps = [summary_text.decision(report, adds_nothing=False)[0], *open_]
    yield Section(say("What to do next"), [Bullets(steps), PageSteps(following)])


def _timeline(report: Report) -> Iterator[Block]:
    """Yield the counts of each attack after each release; for an incomplete attack, 0 is only a lower bound."""
    rows = [(attack, line) for attack, line in report.timelines if any(line)]
    if not rows:
        return
    tags = report.series.releases
    if len(tags) > _ON_TERMINAL:
        yield Paragraph(say("The last {some} of {count} releases:", some=str(_ON_TERMINAL), count=str(len(tags))))
    heads = [
        say("{what} by {attack}", what=attack.measures.timeline_label, attack=sentences.named(attack))
        for attack, _ in rows
    ]
    after = [
        [printable(tag), *(_after(attack, line, place) for attack, line in rows)] for place, tag in enumerate(tags)
    ]
    yield PageTable([say("after release"), *heads], after[-_ON_TERMINAL:])


def _after(attack: AttackReport, line: list[int], place: int) -> str:
    return "?" if place >= len(line) or (attack.incomplete and not line[place]) else figure(line[place])


def _findings_of(attack: AttackReport, alike: int) -> Section:
    """Return the findings of one attack, each with its certificate; one may be about several people who look alike."""
    shown, total = len(attack.findings), attack.findings_total
    about = {"attack": attack.attack, "shown": shown, "total": total}
    head = say("Findings of {attack} ({total})", **about)
    if alike > total:
        head = say("Findings of {attack} ({total}, about {people})", people=PEOPLE.counted(alike), **about)
    blocks: list[Block] = [finding_entry(attack, each) for each in attack.findings]
    if shown < total:
        head = say("Findings of {attack} ({shown} of {total})", **about)
        blocks.append(Paragraph(say("{count} more: --findings all", count=total - shown)))
    return Section(head, blocks)


def _head(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what was audited, when, by which version and for which adversary."""
    yield say("Releases"), _releases(report)
    yield say("Contents"), sentences.facts(report)
    yield say("Adversary"), summary_text.assumed(report)
    yield say("Date"), say("{date}, by series-audit {version}", date=report.made, version=report.tool_version)


def _releases(report: Report) -> str:
    """Return the releases with their dates, if known; of many only the first and the last."""
    dated = []
    published = {} if isinstance(report.series, TablesFacts) else report.series.published
    for tag in report.series.releases:
        day, name = published.get(tag), printable(tag, 60)
        dated.append(name if day is None else say("{release} ({date})", release=name, date=day))
    if len(dated) <= _RELEASES:
        return joined(dated)
    return say("{count} releases, from {first} to {last}", count=len(dated), first=dated[0], last=dated[-1])


def _annex(report: Report, open_ones: Sequence[Block], drawn: Sequence[charts.Chart]) -> Iterator[Section]:
    if report.baseline is not None:
        yield Section(say("What is new since the last report"), [Bullets(list(summary_text.since(report)))])
    yield Section(say("Warnings about the files"), _list(sentences.warnings(report)))
    yield Section(say("What is proved, and how to check it"), _list(sentences.proved(report)))
    yield Section(
        say("What each attack learns"),
        [
            *_ladder(report),
            Bullets(list(sentences.skipped(report)), soft=True),
            Facts(summary_text.of_attacks(report), terms=True),
        ],
    )
    yield Section("", open_ones)
    yield Section(say("Risk over time, and by people"), [Figures(drawn)] if drawn else [])
    alone = list(panel(report))
    yield Section(say("Each release by itself"), [*alone, Facts(summary_text.of_panel(), terms=True)] if alone else [])
    yield Section(say("Columns that make rows unique"), list(blamed_columns(report)))
    yield Section(
        say("Assumptions"),
        [Bullets(list(summary_text.assumptions(report))), Paragraph(sentences.settings(report), soft=True)],
    )
    yield Section(say("Waivers"), _list(sentences.waivers(report)))
    yield Section(say("Terms"), [Facts(summary_text.glossary(report), terms=True)])
    yield Section(
        say("Who learns what from this page"),
        [Bullets([*summary_text.readers(report), *([sentences.ids(report)] if report.tables is None else [])])],
    )
    yield Section(say("Files"), files(report))
    yield Section(say("Findings"), list(_findings(report)))


def _list(lines: Iterable[str], *, soft: bool = False) -> list[Block]:
    return [Bullets(shown, soft)] if (shown := list(lines)) else []


def _repairing(report: Report) -> Iterator[str]:
    """Yield how to find the smallest change of the last release, if that release breaks the policy."""
    if summary_text.only_last(report):
        yield say(
            "If the release is not published yet, remove it from series.toml and run `{command}`, which writes the "
            "changed release.",
            command=typed("audit repair SERIES CANDIDATE --output DIR"),
        )


def _findings(report: Report) -> Iterator[Block]:
    total = sum(attack.findings_total for attack in report.shown_attacks)
    if not total:
        return
    if report.tables is not None:
        yield Paragraph(counts.checked(report), soft=True)
        attack = report.attacks[0]
        yield from _first([finding_entry(attack, each, counts.picture_of(each)) for each in attack.findings])
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
        yield Paragraph(say("Entries about people, the most exposed first."))
    yield from _first(people)
    yield from _first(entries)
    if within:
        yield More(say("Within the policy's limits:"), [Bullets(within, soft=True)])
    yield from _not_shown(total, report)


def _first(entries: Sequence[Block]) -> Iterator[Block]:
    """Yield some entries, and the others for readers who ask for them."""
    yield from entries[:_FINDINGS]
    if more := entries[_FINDINGS:]:
        yield More(say_count("{count} more", len(more)), more)


def _not_shown(total: int, report: Report) -> Iterator[Block]:
    hidden = total - sum(len(attack.findings) for attack in report.shown_attacks)
    if hidden:
        yield Paragraph(say_count("{count} more [finding is|findings are] not shown: --findings all.", hidden))


def _ladder(report: Report) -> Iterator[Block]:
    """Yield the results of each attack; if several find people's values, also the people that each adds."""
    if report.tables is not None:
        yield Facts(counts.measured(report))
        return
    rungs = {(rung.attack, rung.sensitive): rung for rung in report.ladder}
    laddered = len(report.ladder) > len({rung.sensitive for rung in report.ladder})
    rows = []
    for attack in report.attacks:
        if attack.reason is not None and attack.status == "skipped":
            continue  # a line below names the attacks that were not tried
        # Of an incomplete attack, the number is a lower bound (`at least`); the reason follows the table.
        rung = rungs.get((attack.attack, attack.sensitive))
        people = ["", ""] if rung is None else [figure(rung.beyond), figure(rung.so_far)]
        found = [
            sentences.result_text(attack, report.policy.violations),
            *(people if laddered else []),
            *sentences.risk_cells(report, attack),
        ]
        found.append(sentences.seconds(attack) if attack.ran else "")
        rows.append([sentences.named(attack), sentences.status_in_words(attack.status), *found])
    head = [say("attack"), say("status"), say("finds"), *([say("new people"), say("so far")] if laddered else [])]
    yield PageTable([*head, say("highest risk"), say("mean risk"), say("time")], rows, words=3)
    new = say("New people: those whose value is certain by this attack but not by any attack above it.")
    repeated = [str(_REPEATED)] if len(report.shown_attacks) < len(report.attacks) else []
    yield Bullets([*([new] if laddered else []), *sentences.notes(report), *repeated], soft=True)


def _open(report: Report) -> Iterator[PageTable]:
    """Yield what was not judged, and what would be needed to judge it."""
    if rows := list(summary_text.open_questions(report)):
        needed = any(each[2] for each in rows)
        head = [say("not judged"), say("why"), *([say("what is needed")] if needed else [])]
        yield PageTable(head, [each[: len(head)] for each in rows], words=len(head))


def files(report: Report) -> list[Block]:
    """Return the files that were read, and why some of them are not among these."""
    rows = [[printable_path(each.path), sentences.fingerprint(each), figure(each.rows)] for each in report.inputs]
    table = PageTable([say("file"), say("SHA-256"), say("rows")], rows, words=2)
    if report.revealed or report.tables is not None or not ADVERSARIES[report.adversary.kind].has_register:
        return [table]
    why = say(
        "The register was read, too. Where people are not named, nor is its hash, which could confirm who is listed."
    )
    return [table, Paragraph(why)]


_TENTHS = tuple(map(str, range(0, 101, 10)))


def over_time(report: Report) -> Iterator[charts.Chart]:
    """Yield what is found release by release, in people; for attacks on records or classes, in these."""
    tags = [printable(tag, 24) for tag in report.series.releases]
    shown = {(attack.attack, attack.sensitive) for attack in report.shown_attacks}
    exposed = [each for each in report.exposure if (each.attack, each.sensitive) in shown]
    drawn = [_counted(each, report) for each in exposed if each.after_release is not None]
    # If an attack was cut off without a result, nothing is known: there is no line.
    lines = [line for line in drawn if any(count is not None for count in line[1])]
    if len(tags) > 1 and lines:
        axes = (say("after release"), say("people"))
        title = say("People found, release by release")
        if report.has_harmless:
            title = say("People found, release by release, by harmless values too")
        yield charts.lines(title, tags, lines, axes=axes)
    others: dict[str, list[tuple[str, list[float | None]]]] = {}
    for attack in report.shown_attacks if len(tags) > 1 else ():
        line, label = attack.measures.timeline, attack.measures.subjects_label
        if isinstance(line, list) and attack.ran and label not in (PEOPLE, VERSIONS):
            counts: list[float | None] = [count or None if attack.incomplete else count for count in line]
            others.setdefault(str(label), []).append((sentences.named(attack), counts))
    for label, series in others.items():
        title = say("Found, release by release, in {things}", things=label)
        yield charts.lines(title, tags, series, axes=(say("after release"), say("found")))


def below_k(report: Report) -> Iterator[charts.Chart]:
    """Yield how many rows of each release look like too few others, if that alone breaks the policy."""
    panel = {each.release: each.below_k for each in report.panel}
    if len(panel) > 1 and any(each.attack is None for each in report.policy.violations):
        title, axes = say("Rows that look like too few others, release by release"), (say("release"), say("rows"))
        tags = [printable(tag, 24) for tag in panel]
        yield charts.lines(title, tags, [(str(axes[1]), list(panel.values()))], axes=axes)


def _counted(each: Exposure, report: Report) -> tuple[str, list[float | None]]:
    """Return what an attack counts, and the counts."""
    attack = _attack_of(each, report)
    name = say("{what} by {attack}", what=attack.measures.timeline_label, attack=_at_least(attack))
    # "At least 0" means that nothing is known. A point at 0 would look like a result.
    return name, [count or None if attack.incomplete else count for count in each.after_release or ()]


def _attack_of(each: Exposure, report: Report) -> AttackReport:
    return next(a for a in report.attacks if (a.attack, a.sensitive) == (each.attack, each.sensitive))


def _at_least(attack: AttackReport) -> str:
    """Return an attack's name, with a remark if what it counts is a lower bound."""
    return say("{attack}, at least", attack=sentences.named(attack)) if attack.incomplete else sentences.named(attack)


def by_risk(report: Report) -> Iterator[charts.Chart]:
    """Yield the number of people by their highest risk, for the attack that deduces most; for each attribute."""
    strongest = {each.sensitive: each for each in report.exposure if each.by_risk is not None}
    for each in strongest.values():
        title = say("People by the highest risk of a value, by {attack}", attack=_at_least(_attack_of(each, report)))
        axes = (say("risk in percent, from …"), say("people"))
        yield charts.lines(title, _TENTHS, [(each.attack, list(each.by_risk or ()))], axes=axes)


_Found = tuple[AttackReport, Finding[str]]


def finding_entry(attack: AttackReport, finding: Finding[str], more: Iterable[Block] = ()) -> Entry:
    """Return a finding with what shows it, and with further blocks."""
    return Entry(_sentence(attack, finding), [PageSteps(list(sentences.steps(finding))), *more], [finding.id])


def person_entries(report: Report) -> list[Entry]:
    """Return the people found, the worst first."""
    by_id = {finding.id: (attack, finding) for attack in report.attacks for finding in attack.findings}
    listed = [(person, [by_id[ident] for ident in person.findings if ident in by_id]) for person in report.people]
    known = [(person, found) for person, found in listed if found]
    known.sort(key=lambda each: (-max(getattr(found, "risk", 0.0) for _, found in each[1]), -len(each[0].reasons)))
    return [_person(report, person, found) for person, found in known]


def _person(report: Report, person: FoundPerson, found: Sequence[_Found]) -> Entry:
    who, by = printable(person.individual, 200), joined([printable(name) for name in person.reasons])
    if person.sensitive:
        who = f"{who}, {printable(person.sensitive)}"
    claims: dict[object, list[_Found]] = {}
    for attack, finding in found:
        claims.setdefault(_claim(finding, constant=not report.adversary.transitions), []).append((attack, finding))
    blocks: list[Block] = []
    for alike in claims.values():
        attack, finding = min(alike, key=lambda each: _length(each[1]))
        blocks += [Paragraph(f"{_sentence(attack, finding)}.", strong=True), PageSteps(list(sentences.steps(finding)))]
    return Entry(say("{who}: found by {attacks}", who=who, attacks=by), blocks, [finding.id for _, finding in found])


def _claim(finding: Finding[str], *, constant: bool) -> object:
    """Return the claim of a finding; if values never change, the claims of a kind are the same in all releases."""
    said = [getattr(finding, name, None) for name in ("attribute", "value", "category")]
    return finding.kind, *said, None if constant else getattr(finding, "release", None)


def _length(finding: Finding[str]) -> tuple[bool, int]:
    """Return the length of a finding's proof; a finding without a proof comes last."""
    return getattr(finding, "evidence", "proof") != "proof", len(list(sentences.steps(finding)))


def other_entries(report: Report) -> tuple[list[Entry], list[str]]:
    """Return the findings not about a single person: those that break a limit, and one line for the others."""
    people = {ident for person in report.people for ident in person.findings}
    entries, within = [], []
    for attack in report.shown_attacks:
        for finding in attack.findings:
            if finding.id in people:
                continue
            if finding.exceeds(report.policy.limits):
                entries.append(finding_entry(attack, finding))
            else:
                about = {"finding": _sentence(attack, finding), "attack": sentences.named(attack), "id": finding.id}
                within.append(say("{finding} ({attack}, {id})", **about))
    return entries, within


def _sentence(attack: AttackReport, finding: Finding[str]) -> str:
    return finding.sentence(by_version=attack.measures.by_version)


_HEADS = {
    "prosecutor_max": Phrase("prosecutor highest"),
    "prosecutor_mean": Phrase("prosecutor mean"),
    "journalist_max": Phrase("journalist highest"),
    "journalist_mean": Phrase("journalist mean"),
    "marketer": Phrase("marketer"),
    "uniqueness": Phrase("unique"),
}
_COLUMNS_SHOWN = 6


def panel(report: Report, *, last: int | None = None, means: bool = True) -> Iterator[Block]:
    """Yield a table of the last releases, each by itself, and the notes below it.

    The attribute is shown if there are several, the journalist's risk if it is known, and mean risks if `means`.
    """
    tags = report.series.releases[-(last or len(report.series.releases)) :]
    shown = [each for each in report.panel if each.release in tags]
    if not shown:
        return
    several = any(each.sensitive is not None for each in shown)
    words = 2 if several else 1
    known = any(each.journalist_max is not None for each in shown)
    risks = [
        name
        for name in _HEADS
        if (means or not name.endswith("_mean")) and (known or not name.startswith("journalist"))
    ]
    head = [say("release"), say("sensitive"), "k", "l", say("entropy l"), "t", *(str(_HEADS[name]) for name in risks)]
    rows = [
        [
            printable(each.release),
            printable(each.sensitive or ""),
            figure(each.k),
            figure(each.distinct_l),
            figure(each.entropy_l, ",.2f"),
            risk_text(each.t),
            *("" if getattr(each, name) is None else risk_text(getattr(each, name)) for name in risks),
        ]
        for each in shown
    ]
    reasons = dict.fromkeys(each.no_journalist for each in shown if each.no_journalist is not None)
    broken = breaking_releases(report)
    marks = frozenset((place, words) for place, each in enumerate(shown) if each.release in broken)
    if not several:
        head, rows = [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]
    yield PageTable(head, rows, words=words, marked=marks)
    yield Bullets(
        [
            *([say("✗ breaks a limit of the policy.")] if marks else []),
            *_exact(shown),
            *_fewer_people(shown),
            *_suppressed(shown),
            *(say("No journalist's risk: {reason}.", reason=reason) for reason in reasons),
        ],
        soft=True,
    )


def _exact(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield a sentence that pairs publish exact quasi-identifiers, with the number of unique people."""
    pairs = list({each.release: each for each in shown if each.exact}.values())
    if pairs:
        worst = max(pairs, key=lambda each: each.alone / each.rows)
        which = listing([each.release for each in pairs])
        yield say(
            "Exact quasi-identifiers are published in {releases}: {alone} of {rows} rows of release {worst} share "
            "theirs with no other row, so that anyone who knows them can find the row.",
            releases=which,
            alone=worst.alone,
            rows=worst.rows,
            worst=printable(worst.release),
        )


def _fewer_people(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield the classes with fewer people than rows, because counterfeits are rows too."""
    held = [(each.k_people, each) for each in shown if each.k_people is not None and each.k_people < each.k]
    if held:
        people, worst = min(held, key=lambda pair: pair[0])
        yield say_count(
            "k = {k} counts rows. Without counterfeits, and with each person counted once, the smallest class of "
            "release {release} has {count} [person|people]. A k that the policy states counts people.",
            people,
            release=printable(worst.release),
            k=worst.k,
        )


def _suppressed(shown: Sequence[ReleasePanel]) -> Iterator[str]:
    """Yield the number of rows that show only their value."""
    for each in {each.release: each for each in shown if each.suppressed}.values():
        yield say_count(
            "{count} [row|rows] of release {release} [is suppressed: it has|are suppressed: they have] * in every "
            "quasi-identifier, may be anyone's, and [counts|count] in no class.",
            each.suppressed,
            release=printable(each.release),
        )


def blamed_columns(report: Report) -> Iterator[PageTable]:
    """Yield the columns that make rows unique or their groups small, each with the release where this is worst."""
    worst: dict[str, tuple[ColumnShare, ReleasePanel]] = {}
    for each in report.panel:
        for share in each.singling:
            before = worst.get(share.column)
            if before is None or _shares(share) > _shares(before[0]):
                worst[share.column] = share, each
    ordered = sorted(worst.values(), key=lambda pair: _shares(pair[0]), reverse=True)[:_COLUMNS_SHOWN]
    rows = [
        [printable(share.column), printable(each.release), *(_of_rows(one, each.rows) for one in _shares(share))]
        for share, each in ordered
        if any(_shares(share))
    ]
    if rows:
        head = [
            say("column"),
            say("worst in release"),
            say("rows that would not be unique without it"),
            say("rows that it puts into groups of fewer than five"),
            say("rows that it alone makes unique"),
        ]
        yield PageTable(head, rows, words=2)


def _of_rows(share: float, rows: int) -> str:
    return f"{figure(round(share * rows))} ({figure(share, '.1%')})" if share else "0"


def _shares(share: ColumnShare) -> tuple[float, float, float]:
    return share.alone, share.small, share.by_itself
