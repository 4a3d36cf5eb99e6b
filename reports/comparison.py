"""The comparison of several series line by line, and how to take it. Persons do not occur in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from audit.model.comparison import ComparedSeries, Comparison, QueryDesign
from audit.model.errors import printable
from audit.model.measures import ABSENT
from audit.model.report import AttackReport
from audit.runtime.phrases import figure, parted, risk_text, say, say_count
from reports.sentences import ended_early, fallen, named, seconds

Row: TypeAlias = tuple[str, list[str]]


def table(comparison: Comparison) -> list[Row]:
    """Return what there is to compare, line by line: its name, and the figure of each series."""
    return [*_facts(comparison.sides), *_attacks(comparison.sides), *_utility(comparison)]


def numbered(sides: tuple[ComparedSeries, ...]) -> Iterator[tuple[int, ComparedSeries]]:
    """Yield the series with the numbers that the table calls them by."""
    return enumerate(sides, 1)


def _facts(sides: tuple[ComparedSeries, ...]) -> Iterator[Row]:
    yield say("releases"), [figure(len(side.releases)) for side in sides]
    yield say("rows"), [figure(sum(release.rows for release in side.releases)) for side in sides]
    yield say("people"), ["?" if side.individuals is None else figure(side.individuals) for side in sides]
    fakes = [[release.counterfeits for release in side.releases] for side in sides]
    yield say("counterfeits of a release, at most"), [figure(max(each, default=0)) for each in fakes]
    yield say("counterfeits of all releases"), [figure(sum(each)) for each in fakes]
    yield say("adversary"), [side.adversary or say("none") for side in sides]


def _attacks(sides: tuple[ComparedSeries, ...]) -> Iterator[Row]:
    """Yield what is found and the highest risk, for each attack on each sensitive attribute."""
    found: dict[tuple[str, str], dict[int, AttackReport]] = {}
    for place, side in enumerate(sides):
        for attack in side.attacks:
            if attack.ran:
                found.setdefault((attack.attack, attack.sensitive or ""), {})[place] = attack
    for (name, sensitive), by_side in found.items():
        shown = f"{name} ({printable(sensitive)})" if sensitive else name
        yield (
            say("{attack}: finds", attack=shown),
            [_cell(by_side.get(place), fallen) for place in range(len(sides))],
        )
        if any(attack.risks.max_risk is not ABSENT for attack in by_side.values()):
            risks = [_cell(by_side.get(place), _risk) for place in range(len(sides))]
            yield say("{attack}: highest risk", attack=shown), risks
        yield say("{attack}: time", attack=shown), [_cell(by_side.get(place), seconds) for place in range(len(sides))]


def _cell(attack: AttackReport | None, show: Callable[[AttackReport], str]) -> str:
    return "-" if attack is None else show(attack)


def _risk(attack: AttackReport) -> str:
    return "-" if attack.risks.max_risk is ABSENT else risk_text(attack.risks.max_risk)


def _utility(comparison: Comparison) -> Iterator[Row]:
    sides = comparison.sides
    yield say("discernibility"), [_mean(side, "discernibility", ",.0f") for side in sides]
    yield say("rows of a group"), [_mean(side, "average_group", ",.2f") for side in sides]
    if comparison.asked is not None:
        yield say("perimeter"), [_mean(side, "perimeter", ",.1f") for side in sides]
        yield say("normalized certainty penalty"), [_mean(side, "ncp", ".4f") for side in sides]
        yield say("query error, median of a release"), [_mean(side, "query_error", ".2%") for side in sides]
        yield say("queries without an error"), [_mean(side, "skipped", ",.1f") for side in sides]


def _mean(side: ComparedSeries, measure: str, form: str) -> str:
    mean = side.mean(measure)
    return "-" if mean is None else figure(mean, form)


def notes(comparison: Comparison) -> Iterator[str]:
    """Yield what each attack finds, and how to take the figures."""
    asked = comparison.asked
    yield say("Figures of releases are means over the releases.")
    if len({side.exact for side in comparison.sides}) > 1:
        yield say(
            "Anatomy publishes exact cells, generalization does not: compare the two only by the error of counts."
        )
    if asked is None:
        yield say("To see the error of queries and the width of cells, name the original data with --microdata.")
    else:
        yield from _asked(asked)
    for place, side in enumerate(comparison.sides, 1):
        ran = [attack for attack in side.attacks if attack.ran]
        if ran:
            yield f"{say('{name}: {text}', name=place, text=parted(map(_found, ran)))}."
    yield from _unfinished(comparison.sides)
    if len({side.adversary for side in comparison.sides}) > 1:
        yield say("The adversaries differ, so their risks do not mean the same.")
    if len({tuple(release.tag for release in side.releases) for side in comparison.sides}) > 1:
        yield say("The series do not have the same releases.")
    yield say("This is no verdict: `audit SERIES` gives one.")


def _found(attack: AttackReport) -> str:
    return say("{attack} {found}", attack=named(attack), found=fallen(attack))


def _asked(asked: QueryDesign) -> Iterator[str]:
    """Yield which queries were asked."""
    original = asked.style == "m-invariance"
    yield say_count(
        "{count} random COUNT query of each release, ranges {ranges}, theta {theta}, seed {seed};",
        "{count} random COUNT queries of each release, ranges {ranges}, theta {theta}, seed {seed};",
        asked.queries,
        ranges="|A| · theta^(1/d)" if original else "|A| · theta",
        theta=figure(asked.theta, "g"),
        seed=str(asked.seed),
    )
    microdata = printable(asked.microdata, 150)
    if original:
        yield say("the error is relative to the actual count in {microdata}.", microdata=microdata)
    else:
        yield say("the error is relative to the estimated count in {microdata}.", microdata=microdata)


def _unfinished(sides: tuple[ComparedSeries, ...]) -> Iterator[str]:
    """Yield what was not attacked, or not to the end, and why."""
    for place, side in numbered(sides):
        if side.not_audited is not None:
            yield say("{series} is not attacked: {reason}.", series=place, reason=printable(side.not_audited, 400))
    told: dict[str, list[int]] = {}
    for place, side in numbered(sides):
        for attack in side.attacks:
            if attack.reason:
                told.setdefault(ended_early(attack.attack, attack), []).append(place)
    for sentence, places in told.items():
        yield f"{', '.join(map(str, dict.fromkeys(places)))}: {sentence}."
