"""Entries of a page about people: the worst first, each person once with all findings."""

from __future__ import annotations

from collections.abc import Sequence

from audit.findings.likely_value import LikelyValue
from audit.model.errors import printable
from audit.model.finding import Finding
from audit.model.report import AttackReport, FoundPerson, Report
from audit.runtime.phrases import joined, say
from reports.finding_text import shown_attacks, steps
from reports.page import Block, Entry, PageSteps, Paragraph
from reports.sentences import named

_Found = tuple[AttackReport, Finding[str]]


def finding_entry(attack: AttackReport, finding: Finding[str]) -> Entry:
    """Return a finding with what shows it."""
    return Entry(_sentence(attack, finding), [PageSteps(list(steps(finding)))], [finding.id])


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
    """Return the claim of a finding; if values never change, the claims of all releases are the same."""
    value = getattr(finding, "value", None)
    attribute = getattr(finding, "attribute", None)
    certain = not isinstance(finding, LikelyValue)
    return certain, attribute, value, None if constant else getattr(finding, "release", None)


def _length(finding: Finding[str]) -> tuple[bool, int]:
    """Return the length of a finding's proof; a finding without a proof comes last."""
    return getattr(finding, "evidence", "proof") != "proof", len(list(steps(finding)))


def other_entries(report: Report) -> tuple[list[Entry], list[str]]:
    """Return the findings not about a single person: those that break a limit, and one line for the others."""
    people = {ident for person in report.people for ident in person.findings}
    entries, within = [], []
    for attack in shown_attacks(report):
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
