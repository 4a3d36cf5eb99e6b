"""Telling findings: each in one sentence, and the steps of its certificate in a line each."""

from __future__ import annotations

from collections.abc import Iterator

from audit.core.errors import printable
from audit.core.report import (
    AttackReport,
    NamedDisclosure,
    NamedEquivalence,
    NamedFinding,
    NamedNarrowed,
    NamedPin,
    Report,
)
from reports.proofs import in_short
from reports.wording import described, listing, multiset, plural

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
    lines = [(attack, attack.measures.get("timeline")) for attack in told(report) if attack.status != "skipped"]
    return [(attack, line) for attack, line in lines if isinstance(line, list)]


def sentence(finding: NamedFinding, *, by_version: bool) -> str:
    """Return what a finding says, without a full stop; `by_version` tells whether values hold in one release."""
    if isinstance(finding, NamedNarrowed):
        size = f"{finding.class_size:,} left in its class after release {printable(finding.release)}"
        return f"{printable(finding.record)}: {size} ({finding.cause})"
    if isinstance(finding, NamedEquivalence):
        left, right = multiset(finding.left), multiset(finding.right)
        return f"{left} {'has' if finding.e == 1 else 'have'} the same as {right} (e = {finding.e})"
    release = printable(finding.release)
    alone = by_version and isinstance(finding, NamedDisclosure)
    when = f"in release {release}" if alone else f"certain from release {release} on"
    return f"{printable(finding.individual)} has {printable(finding.value)}, {when}"


def steps(finding: NamedFinding) -> Iterator[str]:
    """Yield the steps of a finding's certificate; what follows in a case is indented."""
    if isinstance(finding, NamedDisclosure):
        yield from _disclosure(finding)
    elif isinstance(finding, NamedNarrowed):
        yield from _narrowed(finding)
    else:
        yield from _combined(finding)


def _disclosure(finding: NamedDisclosure) -> Iterator[str]:
    for step in finding.certificate:
        groups = "group " + listing(step.groups) if len(step.groups) == 1 else "groups " + listing(step.groups)
        line = f"release {printable(step.release)}, {groups}: {listing(step.candidates)}"
        if step.feasible is not None and step.feasible != step.candidates:
            line += f"; on a possible path: {listing(step.feasible)}"
        yield line
    if finding.proof is not None:
        yield from in_short(finding.proof)


def _combined(finding: NamedEquivalence | NamedPin) -> Iterator[str]:
    for group in finding.certificate:
        yield f"{group.weight:>4} x release {printable(group.release)}, group {printable(group.group)}"


def _narrowed(finding: NamedNarrowed) -> Iterator[str]:
    if finding.description is not None:
        yield f"known of it: {described(finding.description)}"
    for step in finding.certificate:
        line = f"release {printable(step.release)}, group {printable(step.group)}: "
        line += f"{plural(step.size, 'record')} with equal cells"
        yield line if step.cells is None else f"{line}: {described(step.cells)}"
