"""Pictures of an audit's page; their axes count people if people are known."""

from __future__ import annotations

from collections.abc import Iterator

from audit.model.errors import printable
from audit.model.measures import PEOPLE, VERSIONS
from audit.model.report import AttackReport, Exposure, Report
from audit.runtime.phrases import say
from reports import charts
from reports.finding_text import shown_attacks
from reports.sentences import named

_TENTHS = tuple(map(str, range(0, 101, 10)))


def over_time(report: Report) -> Iterator[charts.Chart]:
    """Yield what is found release by release, in people; for attacks on records or classes, in these."""
    tags = [printable(tag, 24) for tag in report.series.releases]
    shown = {(attack.attack, attack.sensitive) for attack in shown_attacks(report)}
    exposed = [each for each in report.exposure if (each.attack, each.sensitive) in shown]
    drawn = [_counted(each, report) for each in exposed if each.after_release is not None]
    # If an attack was cut off without a result, nothing is known: there is no line.
    lines = [line for line in drawn if any(count is not None for count in line[1])]
    if len(tags) > 1 and lines:
        axes = (say("after release"), say("people"))
        yield charts.lines(say("People found, release by release"), tags, lines, axes=axes)
    others: dict[str, list[tuple[str, list[float | None]]]] = {}
    for attack in shown_attacks(report) if len(tags) > 1 else ():
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
    if len(panel) > 1 and any(each.attack is None and each.measure == "k" for each in report.policy.violations):
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
