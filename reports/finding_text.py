"""Telling findings: each in one sentence, and the steps of its certificate in a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.model.errors import printable, printable_path
from audit.model.named_findings import (
    DisclosureStep,
    NamedDisclosure,
    NamedEquivalence,
    NamedFinding,
    NamedGroup,
    NamedLinkage,
    NamedNarrowed,
    NamedPin,
    NamedRisk,
    WeightedGroup,
)
from audit.model.report import AttackReport, Report
from audit.runtime.phrases import Phrase, figure, parted, percent, say, say_count
from reports.proof_text import in_short
from reports.sentences import ROWS, described, listing, multiset

_RUNS_SHOWN = 24
_CAUSES = {
    "group change": Phrase("group change"),
    "subgroup expanding": Phrase("subgroup expanding"),
    "widow": Phrase("widow"),
    "small group": Phrase("small group"),
}
UNPROVED = Phrase("no proof was found within the limits: only the attack itself says that no other value is possible")
REPEATED = Phrase("update-graph finds the same people as intersection, since values never change.")


def shown_attacks(report: Report) -> list[AttackReport]:
    """Return the attacks whose people are told one by one: what `update-graph` only repeats is left out."""
    names = {attack.attack for attack in report.attacks if attack.ran}
    repeats = "intersection" in names and not report.adversary.transitions
    return [attack for attack in report.attacks if not (repeats and attack.attack == "update-graph")]


def timelines(report: Report) -> list[tuple[AttackReport, list[int]]]:
    """Return what each attack has found after each release, where there are several releases."""
    if len(report.series.releases) < 2:
        return []
    lines = [(attack, attack.measures.timeline) for attack in shown_attacks(report) if attack.ran]
    return [(attack, line) for attack, line in lines if isinstance(line, list)]


def sentence(finding: NamedFinding, *, by_version: bool) -> str:
    """Return what a finding says, without a full stop; `by_version` tells whether values hold in one release."""
    if isinstance(finding, NamedNarrowed):
        return say(
            "{record}: only {left} in its class after release {release} ({cause})",
            record=printable(finding.record),
            left=finding.class_size,
            release=printable(finding.release),
            cause=_CAUSES[finding.cause],
        )
    if isinstance(finding, NamedLinkage):
        return _linkage(finding)
    if isinstance(finding, NamedGroup):
        return _group(finding)
    if isinstance(finding, NamedEquivalence):
        return say_count(
            "{left} has the same value as {right} (e = {e})",
            "{left} have the same values as {right} (e = {e})",
            finding.e,
            left=multiset(finding.left),
            right=multiset(finding.right),
            e=str(finding.e),
        )
    return _value(finding, by_version=by_version)


def _value(finding: NamedDisclosure | NamedPin | NamedRisk, *, by_version: bool) -> str:
    """Return which value somebody has."""
    about = {"who": printable(finding.individual), "release": printable(finding.release)}
    if isinstance(finding, NamedRisk):
        value = say("some value") if finding.value is None else printable(finding.value)
        return say(
            "{who} has {value} with {risk}, by release {release}", **about, value=value, risk=percent(finding.risk)
        )
    value = printable(finding.value)
    if isinstance(finding, NamedDisclosure) and finding.attribute is not None:
        value = f"{printable(finding.attribute)} {value}"
    if isinstance(finding, NamedDisclosure) and finding.alone:
        return say("{who} has {value} in release {release}, whatever other releases show", **about, value=value)
    if isinstance(finding, NamedDisclosure) and by_version:
        return say("{who} has {value}, in release {release}", **about, value=value)
    return say("{who} has {value}, certain from release {release} on", **about, value=value)


def _group(finding: NamedGroup) -> str:
    """Return which value rows that look alike have."""
    about = {"release": printable(finding.release), "group": printable(finding.group)}
    value = printable(finding.value)
    if finding.after is not None:
        return _linked(finding, finding.after)
    if finding.rows <= 1:
        return say("release {release}, group {group}: a row that looks like no other has {value}", **about, value=value)
    if finding.risk == 1:
        return say(
            "release {release}, group {group}: all {rows} rows that look alike have {value}",
            **about,
            rows=finding.rows,
            value=value,
        )
    return say(
        "release {release}, group {group}: {share} of {rows} rows that look alike have {value}",
        **about,
        share=figure(finding.risk, ".1%"),
        rows=finding.rows,
        value=value,
    )


def _linked(finding: NamedGroup, after: str) -> str:
    """Return which value linked records have that look alike over the releases."""
    about = {
        "release": printable(finding.release),
        "after": printable(after),
        "group": printable(finding.group),
        "value": printable(finding.value),
    }
    if finding.rows <= 1:
        return say(
            "release {release}: a record that looks like no other over the releases up to {after} (last in group "
            "{group}) has {value}",
            **about,
        )
    return say(
        "release {release}: {share} of {rows} records that look alike over the releases up to {after} (one of them "
        "last in group {group}) have {value}",
        **about,
        share=figure(finding.risk, ".1%"),
        rows=finding.rows,
    )


def steps(finding: NamedFinding) -> Iterator[str]:
    """Yield the steps of a finding's certificate, what follows in a case indented, and where its groups stand."""
    if isinstance(finding, NamedDisclosure | NamedRisk):
        yield from _disclosure(finding)
    elif isinstance(finding, NamedNarrowed):
        yield from _narrowed(finding)
    elif isinstance(finding, NamedLinkage):
        yield from _fillings(finding)
    elif not isinstance(finding, NamedGroup):
        yield from _combined(finding)
    yield from places(finding)


def places(finding: NamedFinding) -> Iterator[str]:
    """Yield where the groups of a finding stand, and what is published of their rows, if that is told."""
    for each in finding.located:
        where = say(
            "in {file}, group {group}: {lines}",
            file=printable_path(each.file),
            group=printable(each.group),
            lines=line_runs(each.lines),
        )
        shown = parted(described(cells) for cells in each.cells)
        yield say("{name}: {text}", name=where, text=shown) if shown else where


def line_runs(lines: Sequence[int]) -> str:
    """Return lines with their runs joined.

    >>> line_runs((2, 3, 4, 7)), line_runs((5,))
    ('lines 2-4, 7', 'line 5')
    """
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    listed = ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs[:_RUNS_SHOWN])
    if len(runs) > _RUNS_SHOWN:
        return say("lines {lines} and {more} more runs of lines", lines=listed, more=str(len(runs) - _RUNS_SHOWN))
    return say_count("line {lines}", "lines {lines}", len(lines), lines=listed)


def _linkage(finding: NamedLinkage) -> str:
    """Return what is left to somebody."""
    left = say_count(
        "{rows} of release {release}, group {groups}",
        "{rows} of release {release}, groups {groups}",
        len(finding.groups),
        rows=ROWS.counted(finding.rows),
        release=printable(finding.release),
        groups=listing(finding.groups),
    )
    first = printable(finding.first)
    if finding.point is None:
        told = say("a person who is new in release {first} can only be {left}", first=first, left=left)
    else:
        told = say(
            "a person with {cells} who is new in release {first} can only be {left}",
            cells=described(finding.point),
            first=first,
            left=left,
        )
    return told if finding.value is None else say("{told}, and has {value}", told=told, value=printable(finding.value))


def _fillings(finding: NamedLinkage) -> Iterator[str]:
    if finding.evidence != "proof":
        yield say("other rows are ruled out by a solver")
    for step in finding.certificate:
        yield say_count(
            "release {release}: the {count} row with {values} in groups {groups} takes up all rows with "
            "{next_values} in groups {next_groups} of release {next_release}",
            "release {release}: the {count} rows with {values} in groups {groups} take up all rows with "
            "{next_values} in groups {next_groups} of release {next_release}",
            step.rows,
            release=printable(step.release),
            values=listing(step.values),
            groups=listing(step.groups),
            next_values=listing(step.next_values),
            next_groups=listing(step.next_groups),
            next_release=printable(step.next_release),
        )


def _disclosure(finding: NamedDisclosure | NamedRisk) -> Iterator[str]:
    for step in finding.certificate:
        line = candidates(step)
        if step.feasible is not None and step.feasible != step.candidates:
            line = say("{step}; on a possible path: {values}", step=line, values=listing(step.feasible))
        yield line
    if isinstance(finding, NamedDisclosure) and finding.proof is not None:
        yield from in_short(finding.proof, finding.individual, finding.value)
    elif isinstance(finding, NamedDisclosure) and finding.evidence == "solver":
        yield str(UNPROVED)


def candidates(step: DisclosureStep) -> str:
    """Return which values the groups of a step leave."""
    return say_count(
        "release {release}, group {groups}: {values}",
        "release {release}, groups {groups}: {values}",
        len(step.groups),
        release=printable(step.release),
        groups=listing(step.groups),
        values=listing(step.candidates),
    )


def _combined(finding: NamedEquivalence | NamedPin) -> Iterator[str]:
    if finding.error is not None:
        yield unproved(finding.error)
    for group in finding.certificate:
        yield weighted(group)


def weighted(group: WeightedGroup) -> str:
    """Return how often a group is counted."""
    where = {"release": printable(group.release), "group": printable(group.group)}
    return say("{weight} x release {release}, group {group}", weight=f"{group.weight:>4}", **where)


def unproved(error: float) -> str:
    """Return how something is known that no sum of groups was found for."""
    told = figure(max(error, 1e-12), ".0e")
    return say("shown by random linear algebra over all groups; probability of an error below {error}", error=told)


def _narrowed(finding: NamedNarrowed) -> Iterator[str]:
    if finding.description is not None:
        yield say("known about it: {cells}", cells=described(finding.description))
    for step in finding.certificate:
        line = say_count(
            "release {release}, group {group}: {count} record with equal cells",
            "release {release}, group {group}: {count} records with equal cells",
            step.size,
            release=printable(step.release),
            group=printable(step.group),
        )
        yield line if step.cells is None else say("{name}: {text}", name=line, text=described(step.cells))
