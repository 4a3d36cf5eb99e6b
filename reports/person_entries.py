"""Entries of a page about people: the worst first, each person once with all findings.

The axes of the page's pictures count people if people are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from audit.model.finding import Finding
from audit.model.measures import PEOPLE, VERSIONS
from audit.model.report import AttackReport, Exposure, FoundPerson, Report
from audit.runtime.phrases import joined, printable, say
from reports import charts
from reports.page import Block, Entry, PageSteps, Paragraph
from reports.sentences import named, steps

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
            others.setdefault(str(label), []).append((named(attack), counts))
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
    attack = _attack(each, report)
    name = say("{what} by {attack}", what=attack.measures.timeline_label, attack=_at_least(attack))
    # "At least 0" means that nothing is known. A point at 0 would look like a result.
    return name, [count or None if attack.incomplete else count for count in each.after_release or ()]


def _attack(each: Exposure, report: Report) -> AttackReport:
    return next(a for a in report.attacks if (a.attack, a.sensitive) == (each.attack, each.sensitive))


def _at_least(attack: AttackReport) -> str:
    """Return an attack's name, with a remark if what it counts is a lower bound."""
    return say("{attack}, at least", attack=named(attack)) if attack.incomplete else named(attack)


def by_risk(report: Report) -> Iterator[charts.Chart]:
    """Yield the number of people by their highest risk, for the attack that deduces most; for each attribute."""
    strongest = {each.sensitive: each for each in report.exposure if each.by_risk is not None}
    for each in strongest.values():
        title = say("People by the highest risk of a value, by {attack}", attack=_at_least(_attack(each, report)))
        axes = (say("risk in percent, from …"), say("people"))
        yield charts.lines(title, _TENTHS, [(each.attack, list(each.by_risk or ()))], axes=axes)


_Found = tuple[AttackReport, Finding[str]]


def finding_entry(attack: AttackReport, finding: Finding[str], more: Iterable[Block] = ()) -> Entry:
    """Return a finding with what shows it, and with further blocks."""
    return Entry(_sentence(attack, finding), [PageSteps(list(steps(finding))), *more], [finding.id])


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
        blocks += [Paragraph(f"{_sentence(attack, finding)}.", strong=True), PageSteps(list(steps(finding)))]
    return Entry(say("{who}: found by {attacks}", who=who, attacks=by), blocks, [finding.id for _, finding in found])


def _claim(finding: Finding[str], *, constant: bool) -> object:
    """Return the claim of a finding; if values never change, the claims of a kind are the same in all releases."""
    said = [getattr(finding, name, None) for name in ("attribute", "value", "category")]
    return finding.kind, *said, None if constant else getattr(finding, "release", None)


def _length(finding: Finding[str]) -> tuple[bool, int]:
    """Return the length of a finding's proof; a finding without a proof comes last."""
    return getattr(finding, "evidence", "proof") != "proof", len(list(steps(finding)))


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
                about = {"finding": _sentence(attack, finding), "attack": named(attack), "id": finding.id}
                within.append(say("{finding} ({attack}, {id})", **about))
    return entries, within


def _sentence(attack: AttackReport, finding: Finding[str]) -> str:
    return finding.sentence(by_version=attack.measures.by_version)
