"""Finding text: the findings that are shown one by one, each as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from audit.findings.wording import places
from audit.model.finding import Finding
from audit.model.report import AttackReport, Report
from audit.runtime.phrases import Phrase

REPEATED = Phrase("update-graph finds the same people as intersection, since values never change.")


def shown_attacks(report: Report) -> list[AttackReport]:
    """Return the attacks whose people are listed one by one, without an `update-graph` that repeats another attack."""
    names = {attack.attack for attack in report.attacks if attack.ran}
    repeats = "intersection" in names and not report.adversary.transitions
    return [attack for attack in report.attacks if not (repeats and attack.attack == "update-graph")]


def timelines(report: Report) -> list[tuple[AttackReport, list[int]]]:
    """Return how many people each attack finds after each release, if there are several.

    For attacks that count no people, how many records or classes.
    """
    if len(report.series.releases) < 2:
        return []
    exposed = {(each.attack, each.sensitive): each.after_release for each in report.exposure}
    lines = [
        (attack, attack.measures.timeline if people is None else list(people))
        for attack in shown_attacks(report)
        if attack.ran
        for people in [exposed.get((attack.attack, attack.sensitive))]
    ]
    return [(attack, line) for attack, line in lines if isinstance(line, list)]


def steps(finding: Finding[str]) -> Iterator[str]:
    """Yield the steps of a finding's certificate, with cases indented, and the locations of its groups."""
    yield from finding.steps()
    yield from places(finding.located)
