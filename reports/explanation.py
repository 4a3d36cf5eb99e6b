"""The explanation of what can be learnt about one person, as a page and as JSON; it names people."""

from __future__ import annotations

from collections.abc import Iterator

from audit.findings.count import amount, bound_lines, cell_name
from audit.findings.proof import either, listed
from audit.findings.wording import places, shown_value
from audit.model.adversary import ADVERSARIES
from audit.model.command_results import Explained, ExplainedCount, ExplainedVersion, Explanation, Said
from audit.model.count_tables import TablesFacts
from audit.model.errors import SENTENCE
from audit.model.finding import Finding
from audit.runtime.phrases import parted, printable, risk_text, say, say_count
from reports import count_sentences as counts
from reports.audit_page import showing_counts
from reports.page import Block, Entry, Facts, Page, PageSteps, Paragraph, Section
from reports.sentences import changing, status_in_words


def page(explanation: Explanation) -> Page:
    """Return the explanation, release by release, then finding by finding."""
    if explanation.tables is not None:
        return _of_cell(explanation, explanation.tables)
    adversary = explanation.adversary
    who = say(
        "{who}, seen by {adversary} ({name}); {values}.",
        who=printable(explanation.individual or "", 200),
        adversary=ADVERSARIES[adversary.kind].person,
        name=adversary.kind,
        values=changing(adversary),
    )
    also = []
    if explanation.also:
        asked = say("Other sets of releases have other names: ask for {others}.", others=listed(explanation.also))
        also = [Paragraph(asked)]
    if explanation.alike:
        same = say_count(
            "{count} other [person|people] of the register [looks|look] alike in the releases: the answer is the "
            "[same|same for each of them].",
            explanation.alike,
        )
        also.insert(0, Paragraph(same))
    if explanation.not_judged:
        also.append(Paragraph(say("Not judged: {what}.", what=printable(explanation.not_judged, SENTENCE))))
    possible = not ADVERSARIES[adversary.kind].knows_presence
    several = len(explanation.explained) > 1 or bool(explanation.also)
    head = [Paragraph(who), *also, Paragraph(say("Contains names: internal use only."))]
    sections = [
        part
        for each in explanation.explained
        for part in _sections(each, several=several, possible=possible, any_change=adversary.any_change)
    ]
    return Page(printable(explanation.series, 200), inside=True, head=head, sections=sections)


_MORE_THAN_ONE = 1.001  # shares are rounded


def _sections(explained: Explained, *, several: bool, possible: bool, any_change: bool) -> Iterator[Section]:
    alone = "update-graph" if any(each.attack == "update-graph" for each in explained.said) else "intersection"
    blocks: list[Block] = [
        Paragraph(_conclusion(explained, possible=possible)),
        *(map(Paragraph, _if_unchanged(explained)) if any_change else ()),
        *map(Paragraph, _of_combinations(explained)),
        *(_version(each, alone) for each in explained.versions),
    ]
    if explained.absent:
        tags = listed(explained.absent)
        absent = say_count("not in [release|releases] {releases}", len(explained.absent), releases=tags)
        blocks.append(Paragraph(absent))
    yield Section(printable(explained.sensitive) if several else "", blocks)
    for said in explained.said:
        if said.findings or said.reason:
            yield _said(said)


def _of_combinations(explained: Explained) -> Iterator[str]:
    """Yield what the risks of combinations are, if those of one row add up to more than 1."""
    for version in explained.versions:
        for attack in {each.attack for each in version.shares}:
            if sum(each.risk or 0 for each in version.shares if each.attack == attack) > _MORE_THAN_ONE:
                yield say(
                    "The risk of a combination is that of the likeliest of its values: several may add up to more "
                    "than 1."
                )
                return


def _conclusion(explained: Explained, *, possible: bool) -> str:
    """Return what is certain about the person in a sentence, or how much is not; `possible` people may be elsewhere."""
    of_people = [each for each in explained.said if each.findings and each.attack != "homogeneity"]
    of_rows = [each for each in explained.said if each.findings and each.attack == "homogeneity"]
    if found := of_people[-1:] + of_rows:  # the last attack on people reasons about most
        pairs = [(said, finding) for said in found for finding in said.findings]
        full = (next(iter(each.in_full(by_version=said.attack != "intersection"))) for said, each in pairs)
        certain, every = parted(dict.fromkeys(full)), dict.fromkeys(each.release for each in explained.versions)
        enough = {tag for _, each in pairs for tag in getattr(each, "enough", ()) or every}
        there = listed([tag for tag in every if tag in enough])
        if possible:
            return say("Conclusion: if in {releases}, it is certain: {findings}.", releases=there, findings=certain)
        if len(enough) < len(every):
            return say("Conclusion: {releases} suffice; it is certain: {findings}.", releases=there, findings=certain)
        return say("Conclusion: it is certain: {findings}.", findings=certain)
    if any(said.reason for said in explained.said) or any(version.open for version in explained.versions):
        return say("Conclusion: nothing was found to be certain about this person, but not everything was decided.")
    shares = [share for version in explained.versions for share in version.shares if share.risk is not None]
    if not shares:
        return say("Conclusion: nothing is certain about this person by these attacks.")
    most = max(shares, key=lambda share: share.risk)
    return say(
        "Conclusion: nothing is certain about this person by these attacks; the highest risk is that of {value}, "
        "{risk} by {attack}.",
        value=shown_value(most.value),
        risk=risk_text(most.risk),
        attack=most.attack,
    )


def _if_unchanged(explained: Explained) -> Iterator[str]:
    """Yield the only value that all releases of the person leave possible, which is certain if values do not change."""
    common = set[str].intersection(*({*version.candidates} for version in explained.versions))
    if len(explained.versions) < 2 or len(common) != 1:
        return
    [value] = common
    if any(version.truth not in (None, value) for version in explained.versions):
        yield say(
            "The person's value did change: whoever takes values to stay the same infers {value} from all releases, "
            "which is wrong in one of them.",
            value=shown_value(value),
        )
    else:
        yield say(
            "If values do not change, {value} is certain: no other is in the person's groups of all releases.",
            value=shown_value(value),
        )


def _version(version: ExplainedVersion, alone: str) -> Entry:
    title = say_count(
        "release {release}, [group|groups] {groups}",
        len(version.groups),
        release=printable(version.release),
        groups=", ".join(map(printable, version.groups)),
    )
    if version.known is not None:
        return Entry(title, [Paragraph(say("known beforehand: {value}", value=shown_value(version.known)))])
    facts = [
        (say("published there"), either(version.candidates)),
    ]
    if version.alone is not None:
        facts.append((say("possible by {attack}", attack=alone), either(version.alone)))
    if version.together is not None:
        facts.append((say("possible by {attack}", attack="joint"), either(version.together)))
    if version.open:
        undecided = say("{values} (neither shown to be possible nor ruled out)", values=either(version.open))
        facts.append((say("of these undecided"), undecided))
    if version.ruled_out:
        facts.append((say("ruled out by {attack}", attack="joint"), listed(version.ruled_out)))
    for attack in dict.fromkeys(share.attack for share in version.shares):
        shares = [f"{shown_value(s.value)} {risk_text(s.risk)}" for s in version.shares if s.attack == attack]
        facts.append((say("risk by {attack}", attack=attack), ", ".join(shares)))
    if version.truth is not None:
        facts.append((say("true value"), shown_value(version.truth)))
    return Entry(title, [Facts(facts)])


def _said(said: Said) -> Section:
    """Return the findings of an attack with their evidence."""
    title = said.attack
    if said.reason:
        title = f"{title} ({status_in_words(said.status)}: {printable(said.reason, SENTENCE)})"
    blocks: list[Block] = [_finding(finding, by_version=said.attack != "intersection") for finding in said.findings]
    return Section(title, blocks or [Paragraph(say("nothing is certain about this person"))])


def _finding(finding: Finding[str], *, by_version: bool) -> Entry:
    head, *steps = finding.in_full(by_version=by_version)
    lines = [*(step.removeprefix("  ") for step in steps), *places(finding.located)]
    return Entry(head, [PageSteps(lines)], [finding.id])


def _of_cell(explanation: Explanation, tables: TablesFacts) -> Page:
    """Return what is known about a cell in each release."""
    where = say("What can be derived about: {where}", where=cell_name(explanation.cell, tables))
    sections = [("", [counts.facts(tables), where])]
    sections += [(_title(each), [*_count(each, tables)]) for each in explanation.counts]
    parts = [Section(head, [PageSteps(lines)]) for head, lines in sections]
    return showing_counts(Page(printable(explanation.series, 200), inside=True, head=[], sections=parts))


def _title(count: ExplainedCount) -> str:
    when = say("Release {release}", release=count.release)
    if count.since is not None:
        when = say("Increase from {since} to {release}", since=count.since, release=count.release)
    return printable(when if count.measure is None else f"{when}, {count.measure}", 200)


def _count(count: ExplainedCount, tables: TablesFacts) -> Iterator[str]:
    if count.shown:
        yield say("published as {texts}", texts=", ".join(printable(text) for text in dict.fromkeys(count.shown)))
    elif count.since is None:
        yield say("not published")
    known = amount(count.lower, count.upper)
    if count.upper in (None, count.lower) or count.exact:
        yield known
    else:
        yield say("{count}; perhaps fewer values are possible", count=known)
    for bound in count.certificate:
        yield from (f"  {line}" for line in bound_lines(bound, tables))
