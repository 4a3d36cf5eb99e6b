"""Sections of the documents that people complete and sign: what was measured, in Markdown, and marked blanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from audit.clauses.clause import attack_reason
from audit.model.errors import printable, printable_path
from audit.model.report import AttackReport, Report
from audit.runtime.phrases import Phrase, figure, say
from reports.escaping import markdown as escaped
from reports.repair import recommended
from reports.sentences import (
    CONTRADICTED,
    absent,
    adversary,
    ended_early,
    facts,
    fallen,
    fingerprint,
    named,
    settings,
    status_in_words,
    undecided,
    violated,
    waivers,
    warnings,
)
from reports.verdict import contradicted, headline

REVEALED = Phrase("**INTERNAL: names people.** Keep this document inside.")
_CLAUSES = {
    "holds": Phrase("{clause}, limit {limit}: holds"),
    "violated": Phrase("{clause}, limit {limit}: is violated"),
    "undecided": Phrase("{clause}, limit {limit}: could not be decided"),
    "not asked": Phrase("{clause}, limit {limit}: was not asked"),
    "not judged": Phrase("{clause}, limit {limit}: was not judged"),
}


def blank(what: str) -> str:
    """Return the place for something that only people know.

    >>> blank("name of the controller")
    '**[to be filled in: name of the controller]**'
    """
    return say("**[to be filled in: {what}]**", what=what)


def document(title: str, purpose: str, report: Report, sections: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Return a document: its title, what it is for, and its sections, each a title and paragraphs or list items."""
    lines = [f"# {title}", "", f"{escaped(printable(report.series.name, 200)) or say('A series')}", ""]
    if report.revealed:
        lines += [str(REVEALED), ""]
    lines += [purpose, ""]
    for number, (heading, body) in enumerate(sections, 1):
        lines += [f"## {number}. {heading}", *_spaced(body), ""]
    made = say(
        "Made by series-audit {version} on {date} from the audit of the same day.",
        version=report.tool_version,
        date=report.made,
    )
    return "\n".join([*lines, made]) + "\n"


def _spaced(body: Iterable[str]) -> Iterator[str]:
    """Yield lines with an empty one before each paragraph, list and table."""
    before = ""
    for line in body:
        kind = line[0] if line.startswith(("* ", "|")) else ""
        if not kind or kind != before:
            yield ""
        yield line
        before = kind


def audited(report: Report) -> Iterator[str]:
    """Yield what was audited, for which adversary, and under which limits."""
    yield say("Releases: {releases}.", releases=escaped(", ".join(printable(tag) for tag in report.series.releases)))
    yield escaped(facts(report)) + "."
    yield escaped(adversary(report))
    yield escaped(settings(report))
    yield from files(report)


def files(report: Report) -> Iterator[str]:
    """Yield the table of the files that were read."""
    yield f"| {say('file')} | {say('rows')} | SHA-256 |"
    yield "|---|---:|---|"
    for each in report.inputs:
        yield f"| {escaped(printable_path(each.path))} | {figure(each.rows)} | {escaped(fingerprint(each))} |"


def verdict(report: Report) -> Iterator[str]:
    """Yield the verdict, clause by clause, and whatever limits what it means."""
    if report.contradictions and report.policy.violations:
        yield f"**{escaped(contradicted(report))}**"
    yield f"**{escaped(headline(report)[0])}**"
    if report.contradictions:
        yield escaped(str(CONTRADICTED))
    for clause in report.policy.clauses:
        why = f" ({escaped(printable(clause.reason, 400))})" if clause.reason else ""
        yield f"* {_CLAUSES[clause.state].filled(clause=clause.clause, limit=figure(clause.limit, 'g'))}{why}"
    yield from items(violated(report))


def attacks(report: Report) -> Iterator[str]:
    """Yield the table of what every attack found."""
    yield f"| {say('attack')} | {say('status')} | {say('what it found')} |"
    yield "|---|---|---|"
    for attack in report.attacks:
        yield f"| {escaped(named(attack))} | {status_in_words(attack.status)} | {escaped(found(attack))} |"


def found(attack: AttackReport) -> str:
    """Return what an attack found, or why it did not look."""
    if not attack.ran:
        return printable(attack.reason or absent(attack), 400)
    return fallen(attack)


def limits_of_the_audit(report: Report) -> Iterator[str]:
    """Yield what was not decided, what is irregular about the files, and what was accepted."""
    lines = list(undecided(report))
    said = {each.reason for each in report.policy.undecided}  # which name the attack that has the reason
    others = [a for a in report.attacks if a.reason and attack_reason(a.attack, a.reason) not in said]
    lines += [ended_early(named(a), a) for a in others]
    yield from items(lines) if lines else [say("Everything that was asked was decided.")]
    yield from items(warnings(report))
    if report.revealed:
        yield from items(waivers(report))
    elif any(each.state == "applied" for each in report.policy.waived):
        told = say(
            "Some findings were accepted beforehand, with reasons; the internal version of this document lists them."
        )
        yield f"* {told}"


def recommendation(report: Report) -> Iterator[str]:
    """Yield what is recommended for the newest release, where that was asked."""
    found = recommended(report)
    if found is not None:
        yield escaped(found.what)
        yield from items(found.changes)
        yield from [escaped(found.how)] if found.how else []


def items(lines: Iterable[str]) -> Iterator[str]:
    """Yield sentences as items of a list."""
    for line in lines:
        yield f"* {escaped(line)}"


def signature(role: str) -> Iterator[str]:
    """Yield the place to sign."""
    yield say("Decision: {blank}", blank=blank(say("publish, publish after changes, or do not publish")))
    yield say(
        "{role}: {name} Date: {date} Signature: {signature}",
        role=role,
        name=blank(say("name")),
        date=blank(say("date")),
        signature=blank(say("signature")),
    )
