"""Telling findings: each in one sentence, and the steps of its certificate in a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.model.errors import printable
from audit.model.report import (
    AttackReport,
    NamedDisclosure,
    NamedEquivalence,
    NamedFinding,
    NamedGroup,
    NamedLinkage,
    NamedNarrowed,
    NamedPin,
    NamedRisk,
    Report,
)
from audit.model.words import plural
from reports.proof_text import in_short
from reports.sentences import described, listing, multiset, percent

_RUNS_SHOWN = 24
UNPROVED = "no proof was written within the limits: that no other value is possible is the attack's word alone"
REPEATED = "update-graph finds the same people as intersection, since values never change."


def told(report: Report) -> list[AttackReport]:
    """Return the attacks whose people are told one by one: what `update-graph` only repeats is left out."""
    names = {attack.attack for attack in report.attacks if attack.status != "skipped"}
    repeats = "intersection" in names and not report.adversary.transitions
    return [attack for attack in report.attacks if not (repeats and attack.attack == "update-graph")]


def timelines(report: Report) -> list[tuple[AttackReport, list[int]]]:
    """Return what each attack has found after each release, where there are several releases."""
    if len(report.series.releases) < 2:
        return []
    lines = [(attack, attack.measures.timeline) for attack in told(report) if attack.status != "skipped"]
    return [(attack, line) for attack, line in lines if isinstance(line, list)]


def sentence(finding: NamedFinding, *, by_version: bool) -> str:
    """Return what a finding says, without a full stop; `by_version` tells whether values hold in one release."""
    if isinstance(finding, NamedNarrowed):
        size = f"{finding.class_size:,} left in its class after release {printable(finding.release)}"
        return f"{printable(finding.record)}: {size} ({finding.cause})"
    if isinstance(finding, NamedLinkage):
        return _linkage(finding)
    if isinstance(finding, NamedGroup):
        share = "all" if finding.risk == 1 else f"{finding.risk:.1%} of"
        where = f"release {printable(finding.release)}, group {printable(finding.group)}"
        who = f"{share} {finding.rows:,} rows that look alike have"
        return f"{where}: {who if finding.rows > 1 else 'a row that is like no other has'} {printable(finding.value)}"
    if isinstance(finding, NamedEquivalence):
        left, right = multiset(finding.left), multiset(finding.right)
        return f"{left} {'has' if finding.e == 1 else 'have'} the same as {right} (e = {finding.e})"
    release = printable(finding.release)
    if isinstance(finding, NamedRisk):
        value = "some value" if finding.value is None else printable(finding.value)
        return f"{printable(finding.individual)} has {value} with {percent(finding.risk)}, by release {release}"
    when = f"certain from release {release} on"
    if isinstance(finding, NamedDisclosure) and (by_version or finding.alone):
        when = f"in release {release}" + (", whatever other releases say" if finding.alone else "")
    value = printable(finding.value)
    if isinstance(finding, NamedDisclosure) and finding.attribute is not None:
        value = f"{printable(finding.attribute)} {value}"
    return f"{printable(finding.individual)} has {value}, {when}"


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
        shown = "; ".join(described(cells) for cells in each.cells)
        where = f"in {printable(each.file, 200)}, group {printable(each.group)}: {line_runs(each.lines)}"
        yield f"{where}: {shown}" if shown else where


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
    shown = [str(low) if low == high else f"{low}-{high}" for low, high in runs[:_RUNS_SHOWN]]
    more = f" and {len(runs) - _RUNS_SHOWN} more runs of lines" if len(runs) > _RUNS_SHOWN else ""
    return f"line{'' if len(lines) == 1 else 's'} {', '.join(shown)}{more}"


def _linkage(finding: NamedLinkage) -> str:
    """Return what is left to somebody."""
    who = "somebody" if finding.point is None else f"somebody with {described(finding.point)}"
    where = f"release {printable(finding.release)}, {'group' if len(finding.groups) == 1 else 'groups'}"
    left = f"{plural(finding.rows, 'row')} of {where} {listing(finding.groups)}"
    can = f"{who} new in release {printable(finding.first)} can only be {left}"
    return can if finding.value is None else f"{can}, and has {printable(finding.value)}"


def _fillings(finding: NamedLinkage) -> Iterator[str]:
    if finding.evidence != "proof":
        yield "other rows are ruled out by a solver"
    for step in finding.certificate:
        rows = f"the {plural(step.rows, 'row')} with {listing(step.values)} of groups {listing(step.groups)}"
        fill = f"those with {listing(step.next_values)} of groups {listing(step.next_groups)}"
        yield f"release {printable(step.release)}: {rows} fill {fill} of release {printable(step.next_release)}"


def _disclosure(finding: NamedDisclosure | NamedRisk) -> Iterator[str]:
    for step in finding.certificate:
        groups = "group " + listing(step.groups) if len(step.groups) == 1 else "groups " + listing(step.groups)
        line = f"release {printable(step.release)}, {groups}: {listing(step.candidates)}"
        if step.feasible is not None and step.feasible != step.candidates:
            line += f"; on a possible path: {listing(step.feasible)}"
        yield line
    if isinstance(finding, NamedDisclosure) and finding.proof is not None:
        yield from in_short(finding.proof, finding.individual, finding.value)
    elif isinstance(finding, NamedDisclosure) and finding.evidence == "solver":
        yield UNPROVED


def _combined(finding: NamedEquivalence | NamedPin) -> Iterator[str]:
    if finding.error is not None:
        yield unproved(finding.error)
    for group in finding.certificate:
        yield f"{group.weight:>4} x release {printable(group.release)}, group {printable(group.group)}"


def unproved(error: float) -> str:
    """Return how something is known that no sum of groups was found for."""
    return f"known by random linear algebra over all groups; error below {max(error, 1e-12):.0e}"


def _narrowed(finding: NamedNarrowed) -> Iterator[str]:
    if finding.description is not None:
        yield f"known of it: {described(finding.description)}"
    for step in finding.certificate:
        line = f"release {printable(step.release)}, group {printable(step.group)}: "
        line += f"{plural(step.size, 'record')} with equal cells"
        yield line if step.cells is None else f"{line}: {described(step.cells)}"
