"""Documents that people complete and sign, as pages: what was measured, and marked blanks."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import ClassVar

from audit.clauses.clause import attack_reason
from audit.clauses.registry import clause_of
from audit.model.adversary import ADVERSARIES
from audit.model.count_tables import TablesFacts
from audit.model.errors import SENTENCE
from audit.model.measures import ABSENT
from audit.model.report import ColumnAccuracy, Report, SeriesFacts
from audit.runtime.phrases import Phrase, figure, joined, parted, printable, risk_text, say, say_count
from reports import count_sentences as counts
from reports import markdown, sentences
from reports.audit_page import files, mark, panel
from reports.page import Block, Bullets, Facts, Page, PageTable, Paragraph, Section
from reports.summary_text import assumptions, glossary, next_step, of_attacks, of_panel, since
from reports.verdict import contradicted, headline, split

_YEAR = 365.2425  # days
_FORMS = {
    "exact": Phrase("one text each, exact or a broader class"),
    "range": Phrase("ranges without an end"),
    "prefix": Phrase("first characters"),
    "set": Phrase("several values together"),
    "withheld": Phrase("a withheld value"),
    "missing": Phrase("no known value"),
}
_STATES = {
    "holds": Phrase("{clause}: holds"),
    "undecided": Phrase("{clause}: could not be decided"),
    "not asked": Phrase("{clause}: was not asked"),
    "not judged": Phrase("{clause}: was not judged"),
}
_CLAUSE = Phrase("{name}, limit {limit}")
_MARK = " *"  # of what holds, or is counted, apart from what a line below names

_ROLES = {
    "sensitive": Phrase("sensitive: what no one may learn about a person"),
    "quasi_identifiers": Phrase("quasi-identifier: by which a person might be recognised"),
    "group": Phrase("group: which rows were published together"),
    "record": Phrase("record id: links the rows of one record over the releases"),
    "count": Phrase("count: how many people a row stands for"),
    "individual": Phrase("key: whose row it is; it is not published"),
    "unlinkable": Phrase(
        "not judged: the manifest declares that it tells no outsider whose a row is, or anything about a person"
    ),
    "without_role": Phrase("without a role: not judged, so that the policy cannot hold until it has one"),
}
_RISK_OF_PEOPLE = Phrase(
    "A risk is the probability that an adversary gives to a person's true value; the table shows the highest "
    "and the mean over all people. Below 1, the value is a guess and not certain."
)
_RISK_OF_ROWS = Phrase(
    "A risk is the probability that an adversary gives to the true value of a row; the table shows the highest and the "
    "mean over all rows. Below 1, the value is a guess and not certain."
)
NO_RECURRING_ID = Phrase("record id: none occurs in two releases, so that it links no rows")

Part = tuple[str, Iterable[Block]]
"""A section under its title."""


class Document(ABC):
    """A document about an audit; as a format it is Markdown.

    Attributes:
        title: its title.
        purpose: its purpose.
    """

    title: ClassVar[Phrase]
    purpose: ClassVar[Phrase]

    @abstractmethod
    def parts(self, report: Report) -> Sequence[Part]:
        """Return its sections."""

    def page(self, report: Report) -> Page:
        """Return it as a page."""
        made = say(
            "Made by series-audit {version} on {date} from the audit of the same day.",
            version=report.tool_version,
            date=report.made,
        )
        sections = [Section(title, list(blocks)) for title, blocks in self.parts(report)]
        if report.witness:
            sections.append(
                Section(say("What is proved, and how to check it"), [Bullets(list(sentences.proved(report)))])
            )
        terms = dict([*glossary(report), *of_attacks(report)])
        terms |= {name: text for name, text in of_panel() if report.panel and name not in terms}
        sections.append(Section(say("Terms"), [Facts([*terms.items()], terms=True)]))
        head = [Paragraph(printable(report.series.name, 200) or say("A series")), Paragraph(str(self.purpose))]
        head.append(Paragraph(made, soft=True))
        sheet = say("{date}, series-audit {version}", date=report.made, version=report.tool_version)
        return Page(str(self.title), report.revealed, head, sections, mark=mark(report), sheet=sheet)

    def render(self, report: Report) -> str:
        """Return it as Markdown with a final line break."""
        return markdown.drawn(self.page(report))


_INSTRUCTS = re.compile(r"`|\[[a-z]+\]|\b[a-z_]+ = |--[a-z]|\bseries\.toml\b|\b(?:columns|adversary|series)\.[a-z]")


def blank(what: str) -> str:
    """Return the place for something that only people know.

    >>> blank("name of the controller")
    '[to be filled in: name of the controller]'
    """
    return say("[to be filled in: {what}]", what=what)


def to_fill(*rows: tuple[str, str]) -> Facts:
    """Return places for what only people know, each under its name."""
    return Facts([(name, blank(what)) for name, what in rows])


def audited(report: Report) -> Iterator[Block]:
    """Yield what was audited, for which adversary, and with which limits."""
    yield Paragraph(say("Releases: {releases}.", releases=", ".join(map(printable, report.series.releases))))
    yield Paragraph(f"{sentences.facts(report)}.")
    series = report.series
    if isinstance(series, TablesFacts):
        rows = [
            [printable(name), say("dimension: by which the counts are divided"), figure(many)]
            for name, many in series.categories.items()
        ]
        yield PageTable([say("column"), say("role"), say("categories")], rows, words=2)
        further = blank(say("how the further cells to hide were chosen, and with which program"))
        yield Paragraph(say("What is declared about hidden or changed numbers is listed below. {blank}", blank=further))
    else:
        measured = {each.column: each for each in series.accuracy}
        rows = [
            [
                printable(name),
                str(NO_RECURRING_ID if role == "record" and not series.ids_recur else _ROLES.get(role, role)),
                accuracy(measured[name]) if name in measured else "",
                figure(measured[name].different) if name in measured else "",
            ]
            for role, names in series.columns.items()
            for name in names
        ]
        caption = say(
            "The columns, and how exactly release {release} publishes them, measured in its file",
            release=printable(report.series.releases[-1]),
        )
        yield PageTable(
            [say("column"), say("role"), say("published as"), say("different values")], rows, words=3, caption=caption
        )
        method = series.anonymized
        stated = blank(say("method and parameters")) if method is None else _in_words(method)
        yield Paragraph(say("Method of anonymization, as declared by the publisher: {method}.", method=stated))
        if isinstance(series := report.series, SeriesFacts) and series.kept_row in _KEPT_ROWS:
            yield Paragraph(str(_KEPT_ROWS[series.kept_row]))
    if ran := dict.fromkeys(each.attack for each in report.attacks if each.ran):
        how = say(
            "Method of the audit: the published releases were attacked as an adversary would do it, by {attacks}; "
            "proofs of findings were checked again by code that is independent of the attacks.",
            attacks=joined(list(ran)),
        )
        yield Paragraph(how if report.tables is None else f"{how} {counts.scope()}")
    yield Paragraph(say("We assume, without having checked it:"))
    yield Bullets(list(assumptions(report)))
    if report.tables is None:
        which = blank(say("none; or which ones, and why they disclose nothing beside these"))
        yield Paragraph(say("Other publications about the same people: {blank}", blank=which))
    yield from files(report)


_KEPT_ROWS = {
    "latest": Phrase(
        "Of a person with several rows in an exact table, such as stays, the releases have only the latest row. "
        "The others were not published: nothing can be counted from them, and the audit does not judge them."
    ),
    "gravest": Phrase(
        "Of a person with several rows in an exact table, such as stays, the releases have only the row with "
        "the gravest value, by an order that the publisher stated. The others were not published: nothing can be "
        "counted from them, and the audit does not judge them."
    ),
}


def _in_words(method: str) -> str:
    """Return a method and its parameters, which the manifest names as on a command line.

    >>> _in_words("m-distinct --m 2 --transitions")
    'm-distinct, m = 2, transitions'
    """
    name, *parameters = method.split(" --")
    return printable(", ".join([name, *(each.replace(" ", " = ", 1) for each in parameters)]), SENTENCE)


def accuracy(column: ColumnAccuracy) -> str:
    """Return in which form the cells of a column are published."""
    parts = []
    for form, share in sorted(column.shares.items(), key=lambda each: -each[1]):
        what = str(_FORMS[form])
        if form == "exact" and column.ordered:
            what = say("exact days") if column.days else say("exact numbers")
        elif form == "range" and column.width is not None:
            width = round(column.width / _YEAR, 1) if column.days and column.width >= _YEAR - 1 else column.width
            what = say("ranges about {width} wide", width=_width(width))
            if column.days and width == 1:
                what = say("exact days") if column.width == 1 else say("only the year")
            elif column.years or width != column.width:
                what = say("ranges of about {width} years", width=_width(width))
            elif column.days:
                what = say("ranges of about {width} days", width=_width(width))
        elif form == "prefix" and column.kept is not None:
            what = say("the first {least} to {most} characters", least=column.kept[0], most=column.kept[1])
            if column.kept[0] == column.kept[1]:
                what = say_count("the first [character|{count} characters]", column.kept[0])
        several = len(column.shares) > 1
        parts.append(say("{what} in {share} of the rows", what=what, share=_share(share)) if several else what)
    return parted(parts)


def _width(width: float) -> str:
    return figure(float(f"{width:.3g}"), ",.12g")


def _share(share: float) -> str:
    return figure(share, ".1%") if share >= 0.001 else say("fewer than {share}", share=figure(0.001, ".1%"))


def _coarsened(accuracy: Iterable[ColumnAccuracy]) -> Iterator[str]:
    """Yield the columns with coarser cells, each with the share of its rows that has them, where others are exact."""
    for each in accuracy:
        share = sum(share for form, share in each.shares.items() if form in {"range", "prefix", "set"})
        if share:
            column = printable(each.column)
            in_part = "exact" in each.shares
            yield say("{column} in {share} of the rows", column=column, share=_share(share)) if in_part else column


def measures_found(report: Report) -> Iterator[str]:
    """Yield the measures against re-identification that the published files show."""
    series, newest = report.series, report.series.releases[-1]
    if isinstance(series, TablesFacts):
        yield from counts.protections(series)
        hidden, cells = report.count_measures.protected, report.count_measures.cells
        if hidden:
            yield say("{hidden} of {cells} cells are hidden by a marker.", hidden=hidden, cells=cells)
        if isinstance(empty := report.count_measures.empty, int):
            yield say_count("{count} further [cell shows|cells show] no count.", empty)
        return
    if series.anonymized is not None:
        yield say("Method of anonymization that the manifest declares: {method}.", method=_in_words(series.anonymized))
    coarse = list(_coarsened(series.accuracy))
    if coarse:
        yield say("Coarsened columns: {columns}.", columns=", ".join(coarse))
    withheld = [
        say("{column} in {share} of the rows", column=printable(each.column), share=_share(each.shares["withheld"]))
        for each in series.accuracy
        if "withheld" in each.shares
    ]
    if withheld:
        yield say("Withheld cells: {columns}.", columns=", ".join(withheld))
    suppressed = max((each.suppressed for each in report.panel if each.release == newest), default=0)
    if suppressed:
        yield say_count(
            "{count} [row|rows] of release {release} [has all its|have all their] quasi-identifiers withheld.",
            suppressed,
            release=printable(newest),
        )
    if series.counterfeits:
        yield say_count("{count} [counterfeit was|counterfeits were] added.", series.counterfeits)
    if series.pairs:
        yield say("Quasi-identifiers and sensitive values are in two tables, which only groups connect.")
    yield from _classes(report)


def _classes(report: Report) -> Iterator[str]:
    """Yield how many rows look alike at least, and of how many people they may be."""
    rows = min((each.k for each in report.panel), default=1)
    people = min((each.k_people for each in report.panel if each.k_people is not None), default=rows)
    if rows > 1:
        yield say(
            "In each release, every row has others that look like it, at least {count} together (k).",
            count=figure(rows),
        )
    if people < rows:
        yield say_count(
            "They may belong to only {count} [person|people], as people have several rows or some are counterfeits.",
            people,
        )


def grave(report: Report) -> Iterator[Block]:
    """Yield which values are declared grave, and what was found about them."""
    if report.tables is not None:
        return
    if report.grave is None:
        yield Paragraph(
            say("The policy names no grave values (grave under [policy]); findings are not ranked by their value.")
        )
        return
    values = ", ".join(map(printable, report.grave.values))
    lines = [say("Declared to be grave, so that findings about them come first: {values}.", values=values)]
    if report.grave.people is not None and any(each.incomplete for each in report.attacks):
        lines.append(
            say_count(
                "At least {count} [person certainly has|people certainly have] one of these values; not every attack "
                "finished.",
                report.grave.people,
            )
        )
    elif report.grave.people is not None:
        lines.append(
            say_count("{count} [person certainly has|people certainly have] one of these values.", report.grave.people)
        )
    ever = [each for each in report.attacks if each.risks.max_ever_risk not in (ABSENT, None)]
    lines += [
        say(
            "The highest probability that a person ever had one of them is {risk} (by {attack}).",
            risk=risk_text(each.risks.max_ever_risk),
            attack=sentences.named(each),
        )
        for each in ever
    ]
    yield Bullets(lines)


def verdict(report: Report) -> Iterator[Block]:
    """Yield the verdict, clause by clause, and what limits its meaning."""
    if report.contradictions and report.policy.violations:
        yield Paragraph(contradicted(report), strong=True)
    yield Paragraph(headline(report)[0], strong=True)
    if report.contradictions:
        yield Paragraph(next_step(report))
    lines = [*split(report), *sentences.violated(report)]
    for each in report.policy.clauses:
        if each.state in _STATES:  # violated clauses are above
            named = {"name": each.clause, "limit": figure(each.limit, "g")}
            clause = _CLAUSE.filled(**named)
            if meaning := clause_of(each.clause).meaning:
                clause = say("{meaning} ({name}, limit {limit})", meaning=str(meaning), **named)
            why = f" ({printable(each.reason, SENTENCE)})" if each.reason and each.state == "holds" else ""
            marked = _MARK if each.state == "holds" and _accepts(report) else ""
            lines.append(f"{_STATES[each.state].filled(clause=clause)}{marked}{why}")
    if any(_MARK in line for line in lines):
        lines.append(f"{_MARK.strip()} {_footnote(report)}")
    yield Bullets([*lines, *since(report)])


def _footnote(report: Report) -> str:
    """Return what is said of a clause that has the mark: what was left out before it holds."""
    if report.tables is not None and report.known_before:
        return say("A clause holds here apart from what is in the earlier report already, or waived.")
    if report.tables is not None:
        return say("A clause holds here apart from what is accepted.")
    if report.known_before:
        return say(
            "A clause holds here apart from what is in the earlier report already (nobody has accepted it by that), or "
            "waived: risks and k below count it as well."
        )
    return say("A clause holds here apart from what is accepted: risks and k below count that as well.")


def _accepts(report: Report) -> bool:
    """Return whether findings are left out, by waivers or a baseline."""
    return bool(report.left_out) or any(each.state == "applied" for each in report.policy.waived)


def attacks(report: Report) -> Iterator[Block]:
    """Yield the results of each attack and each release by itself; for tables, also the measures."""
    ran = [each for each in report.attacks if each.ran]
    head = [say("attack"), say("status"), say("what it found")]
    rows = [
        [
            sentences.named(each),
            sentences.status_in_words(each.status),
            sentences.result_text(each, report.policy.violations),
        ]
        for each in ran
    ]
    if any(each.people is not None for each in ran):
        plain = say("people whose value is certain")
        plain = say("people with a certain, harmful value") if report.has_harmless else plain
        if report.known_before:
            plain = f"{say('{people}, not in the earlier report already', people=plain)}{_MARK}"
        elif _accepts(report):
            plain = f"{say('{people}, not accepted', people=plain)}{_MARK}"
        head.append(plain)
        rows = [[*row, "" if a.people is None else figure(a.people)] for row, a in zip(rows, ran, strict=True)]
    risky = any("max_risk" in each.risks for each in ran)
    if risky:
        head += [say("highest risk"), say("mean risk")]
        rows = [[*row, *sentences.risk_cells(report, each)] for row, each in zip(rows, ran, strict=True)]
    yield PageTable(head, rows, words=3)
    if risky:
        risk = str(_RISK_OF_PEOPLE if ADVERSARIES[report.adversary.kind].knows_people else _RISK_OF_ROWS)
        yield Bullets([risk, *sentences.notes(report)])
    yield from panel(report)
    if report.tables is not None:
        yield from (Facts(counts.measured(report)), Paragraph(counts.checked(report)))


def limits_of_the_audit(report: Report) -> Part:
    """Return the section on what was not decided, irregularities of the files, and accepted findings."""
    return say("What was not decided, and what limits the result"), _limits_of_the_audit(report)


def _limits_of_the_audit(report: Report) -> Iterator[Block]:
    lines = [*sentences.undecided(report)]
    said = {each.reason for each in report.policy.undecided}  # these name the attack with the reason
    cut = [a for a in report.attacks if a.reason and a.status != "skipped"]
    lines += [
        sentences.ended_early(sentences.named(a), a) for a in cut if attack_reason(a.attack, a.reason or "") not in said
    ]
    if report.policy.passed and any(each.incomplete for each in cut):
        lines.append(say("What an incomplete attack left open does not matter to the clauses that hold."))
    if not lines and any(
        sentences.UNKNOWN in sentences.risk_cells(report, each) for each in report.attacks if each.ran
    ):
        yield Paragraph(say("Every clause of the policy was decided; risks with a question mark are not known."))
    elif not lines:
        yield Paragraph(say("Everything that was asked was decided."))
    if aside := dict.fromkeys(each.attack for each in report.attacks if each.status == "skipped"):
        lines.append(say("Not tried, as not applicable or not needed: {attacks}.", attacks=", ".join(aside)))
    lines += sentences.warnings(report)
    plain = [*filter(None, map(without_instructions, lines))]
    if plain != lines:
        plain.append(say("The report of the audit says what the publisher can do about each of these."))
    lines = plain
    if report.revealed:
        lines += sentences.waivers(report)
    elif report.known_before and report.policy.waived:
        lines.append(
            say_count(
                "{count} [finding is|findings are] in the earlier report already, or waived; a report made with "
                "--reveal names the waivers, and the reasons.",
                report.known_before,
            )
        )
    elif report.left_out and report.policy.waived:
        lines.append(
            say_count(
                "{count} [finding was|findings were] accepted beforehand; a report made with --reveal names [it|them], "
                "and the [reason|reasons].",
                report.left_out,
            )
        )
    yield from [Bullets(lines)] if lines else []


def without_instructions(text: str) -> str:
    """Return a text without what it says of keys of the manifest and of commands, and what follows in the sentence.

    >>> without_instructions('2 files are not in UTF-8; write encoding = "cp1252" under [columns], if this is so')
    '2 files are not in UTF-8'
    >>> without_instructions("not judged: min_e (equivalence: it needs a key ([columns] individual)). It is so.")
    'not judged: min_e (equivalence). It is so.'
    """
    kept = []
    for sentence in re.split(r"(?<=\.)\s+", text) if _INSTRUCTS.search(text) else [text]:
        clauses = re.split(r"(?<=[:;])\s+", sentence)
        plain = " ".join(takewhile(lambda clause: not _INSTRUCTS.search(clause), clauses))
        plain = plain.rstrip(":; \N{NO-BREAK SPACE}")
        kept.append(plain + ")" * (plain.count("(") - plain.count(")")))
    kept = [*filter(None, kept)]
    return " ".join([*(each if each.endswith((".", "?", "!")) else f"{each}." for each in kept[:-1]), *kept[-1:]])


def signature(role: str) -> Iterator[Block]:
    """Yield the place to sign."""
    yield Paragraph(say("Decision: {blank}", blank=blank(say("publish, publish after changes, or do not publish"))))
    yield Paragraph(
        say(
            "{role}: {name} Date: {date} Signature: {signature}",
            role=role,
            name=blank(say("name")),
            date=blank(say("date")),
            signature=blank(say("signature")),
        )
    )
