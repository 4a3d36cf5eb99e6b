"""Findings as entries of a page: people first, the worst first, each once with all that is found of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.findings.disclosure import CertificateStep, Disclosure
from audit.findings.equivalence import Combination, Pinned, unproved
from audit.findings.likely_value import LikelyValue
from audit.findings.proof import in_short
from audit.findings.wording import listing, places
from audit.model.errors import printable
from audit.model.finding import Finding
from audit.model.report import AttackReport, FoundPerson, Report
from audit.runtime.phrases import Phrase, joined, say, say_count
from reports.finding_text import shown_attacks
from reports.page import Block, Bullets, Entry, PageSteps, PageTable, Paragraph
from reports.sentences import named

_COLUMNS, _ROWS, _CELLS = 16, 16, 2
_SIGNS = {
    "●": Phrase("● the release leaves this value possible"),
    "○": Phrase("○ it is in the groups, but no allowed path leads through it"),
    "×": Phrase("× it is not in the groups"),
}
_Found = tuple[AttackReport, Finding[str]]


def person_entries(report: Report) -> list[Entry]:
    """Return those of whom something is found, the worst first."""
    by_id = {finding.id: (attack, finding) for attack in report.attacks for finding in attack.findings}
    listed = [(person, [by_id[ident] for ident in person.findings if ident in by_id]) for person in report.people]
    known = [(person, found) for person, found in listed if found]
    known.sort(key=lambda each: _badness(*each))
    return [_person(report, person, found) for person, found in known]


def _badness(person: FoundPerson, found: Sequence[_Found]) -> tuple[float, int]:
    return -max(getattr(finding, "risk", 0.0) for _, finding in found), -len(person.reasons)


def _person(report: Report, person: FoundPerson, found: Sequence[_Found]) -> Entry:
    who, by = printable(person.individual), joined([printable(name) for name in person.reasons])
    if person.sensitive:
        title = say(
            "{who}, {attribute}: found by {attacks}", who=who, attribute=printable(person.sensitive), attacks=by
        )
    else:
        title = say("{who}: found by {attacks}", who=who, attacks=by)
    claims: dict[object, list[_Found]] = {}
    for attack, finding in found:
        claims.setdefault(_claim(finding, constant=not report.adversary.transitions), []).append((attack, finding))
    blocks: list[Block] = []
    for alike in claims.values():
        attack, finding = min(alike, key=lambda each: _length(each[1]))
        blocks.append(Paragraph(f"{_sentence(attack, finding)}.", strong=True))
        blocks += shown(finding)
    return Entry(title, blocks, [finding.id for _, finding in found])


def _claim(finding: Finding[str], *, constant: bool) -> object:
    """Return what a finding claims: where values never change, the same one of every release."""
    value = getattr(finding, "value", None)
    attribute = getattr(finding, "attribute", None)
    certain = not isinstance(finding, LikelyValue)
    return certain, attribute, value, None if constant else getattr(finding, "release", None)


def _length(finding: Finding[str]) -> tuple[bool, int]:
    """Return how long it takes to follow a finding; one without a proof is followed last."""
    steps_of = len(getattr(finding, "certificate", ()))
    proof = finding.proof if isinstance(finding, Disclosure) else None
    more = 0 if proof is None else len(in_short(proof, "", ""))
    return getattr(finding, "evidence", "proof") != "proof", more * 10 + steps_of


def other_entries(report: Report) -> tuple[list[Entry], list[str]]:
    """Return the findings about no single person that break a limit, and in a line each those that break none."""
    people = {ident for person in report.people for ident in person.findings}
    entries, within = [], []
    for attack in shown_attacks(report):
        for finding in attack.findings:
            if finding.id in people:
                continue
            if finding.exceeds(report.policy.limits):
                entries.append(Entry(_sentence(attack, finding), shown(finding), [finding.id]))
            else:
                within.append(
                    say(
                        "{finding} ({attack}, {id})",
                        finding=_sentence(attack, finding),
                        attack=named(attack),
                        id=finding.id,
                    )
                )
    return entries, within


def _sentence(attack: AttackReport, finding: Finding[str]) -> str:
    return finding.sentence(by_version=attack.measures.by_version)


def shown(finding: Finding[str]) -> list[Block]:
    """Return what shows a finding, so that it can be followed by hand."""
    blocks: list[Block] = []
    if isinstance(finding, Disclosure):
        blocks += _disclosure(finding)
    elif isinstance(finding, Combination):
        blocks += _weights(finding)
    elif lines := list(finding.steps()):
        blocks.append(Bullets(lines))
    if finding.located:
        blocks.append(Bullets(list(places(finding.located)), soft=True))
    return blocks


def _disclosure(finding: Disclosure[str]) -> Iterator[Block]:
    drawn = _proof_table(finding)
    if drawn is not None:
        yield from drawn
    elif finding.certificate:
        yield Bullets(list(_releases(finding)))
    if finding.evidence == "solver":
        yield Paragraph(
            say("No proof was found within the limits: only the attack itself says that no other value is possible.")
        )
    elif finding.proof is not None:
        yield PageSteps(in_short(finding.proof, finding.individual, finding.value))
    elif any(step.feasible is not None for step in finding.certificate):
        yield Paragraph(say("On the paths that the transitions allow, one value is left."), soft=True)
    else:
        yield Paragraph(say("Only one value is possible in all releases."), soft=True)


def _proof_table(finding: Disclosure[str]) -> list[Block] | None:
    """Return which values each release leaves to the person; None where it would be too large to be followed.

    A number beside a sign is how many rows of the group with the value the proof counts.
    """
    steps = _telling(finding.certificate)
    counted: dict[tuple[str, ...], dict[str, int]] = {}
    for each in () if finding.proof is None else finding.proof.points:
        counted.setdefault((each.release, each.group), {})[each.value] = each.rows
    columns: dict[tuple[str, ...], CertificateStep[str] | None] = {(step.release, *step.groups): step for step in steps}
    columns |= {place: None for place in counted if place not in columns}
    values = sorted({v for step in steps for v in step.candidates} | {v for rows in counted.values() for v in rows})
    if len(columns) > _COLUMNS or len(values) > _ROWS or len(values) * len(columns) < _CELLS:
        return None
    head = [say("value, by release and group"), *map(_place_name, columns)]
    signs = [[_sign(step, value) for step in columns.values()] for value in values]
    rows = [
        [
            printable(value, 60),
            *(f"{sign} {counted.get(at, {}).get(value, '')}".strip() for sign, at in zip(of, columns, strict=True)),
        ]
        for value, of in zip(values, signs, strict=True)
    ]
    caption = say("Which values the releases leave to {who}", who=printable(finding.individual))
    used = {sign for of in signs for sign in of}
    key = [str(meaning) for sign, meaning in _SIGNS.items() if sign in used]
    key += [say("a number: so many rows of the group have the value")] if counted else []
    return [PageTable(head, rows, words=1, caption=caption), Bullets(key, soft=True)]


def _telling(steps: Sequence[CertificateStep[str]]) -> Sequence[CertificateStep[str]]:
    """Return the steps after which fewer values are left, where there are more than can be shown."""
    if len(steps) <= _COLUMNS or any(step.feasible is not None for step in steps):
        return steps
    left: set[str] | None = None
    kept = []
    for step in steps:
        after = set(step.candidates) if left is None else left & set(step.candidates)
        if after != left:
            kept.append(step)
        left = after
    return kept


def _place_name(place: tuple[str, ...]) -> str:
    release, *groups = (printable(each, 20) for each in place)
    if len(groups) == 1:
        return say("{release}, group {group}", release=release, group=groups[0])
    return say("{release}, {count} groups", release=release, count=len(groups))


def _sign(step: CertificateStep[str] | None, value: str) -> str:
    if step is None:
        return ""
    if value in (step.candidates if step.feasible is None else step.feasible):
        return "●"
    return "○" if value in step.candidates else "×"


def _releases(finding: Disclosure[str]) -> Iterator[str]:
    for step in finding.certificate:
        left = listing(step.candidates if step.feasible is None else step.feasible)
        yield say_count(
            "Release {release}, group {groups}: {values}.",
            "Release {release}, groups {groups}: {values}.",
            len(step.groups),
            release=printable(step.release),
            groups=listing(step.groups),
            values=left,
        )


def _weights(finding: Combination[str]) -> Iterator[Block]:
    if finding.error is not None:
        yield Paragraph(f"{unproved(finding.error)}.")
        return
    if isinstance(finding, Pinned):
        yield Paragraph(
            say("Add up these groups, each multiplied by its weight: only this person and this value remain.")
        )
    else:
        yield Paragraph(
            say(
                "Add up these groups, each multiplied by its weight: only the people of one side minus those "
                "of the other remain, and no value."
            )
        )
    head = [say("release"), say("group"), say("weight")]
    rows = [
        [printable(each.release), printable(each.group), str(each.weight).replace("-", "−")]
        for each in finding.certificate
    ]
    yield PageTable(head, rows, words=2)
