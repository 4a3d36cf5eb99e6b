"""The comparison of several series: a table with a row for each, and notes on it; no person is mentioned."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from audit.model.command_results import ComparedSeries, Comparison, QueryDesign
from audit.model.errors import SENTENCE
from audit.model.measures import ABSENT
from audit.model.report import AttackReport
from audit.runtime.phrases import figure, parted, printable, risk_text, say, say_count
from reports.count_sentences import measured, state
from reports.page import Bullets, Facts, Page, PageTable, Section
from reports.sentences import ended_early, named, result_text


class ComparedColumn(NamedTuple):
    """One figure: its heading, what it means in a sentence, and its text for a series."""

    head: str
    means: str
    cell: Callable[[ComparedSeries], str]


def columns(comparison: Comparison) -> list[ComparedColumn]:
    """Return the available figures."""
    if comparison.of_tables:
        return list(_of_tables(comparison))
    found = [
        ComparedColumn(
            say("form"), say("generalization publishes wider cells, anatomy exact ones and separate values"), _form
        ),
        ComparedColumn(say("releases"), say("how many were published"), lambda side: figure(side.releases)),
        ComparedColumn(
            say("rows/group"),
            say("mean rows of a group; more is safer and coarser"),
            lambda s: _mean(s, "average_group"),
        ),
        ComparedColumn(
            say("fakes"),
            say("counterfeits of all releases"),
            lambda s: figure(sum(r.counterfeits for r in s.measured)),
        ),
        ComparedColumn(
            say("found"),
            say("share of people whose value is certain, or of records found, by the attack that finds most"),
            _found,
        ),
        ComparedColumn(say("risk"), say("highest probability of a person's value"), _risk),
        ComparedColumn(
            say("min e"),
            say("smallest number of people known to have, together, the same values as equally many others"),
            _min_e,
        ),
        ComparedColumn(
            say("same"),
            say("share of rows whose cells are also in the release before, so that their counts can be compared"),
            _comparable,
        ),
    ]
    if comparison.asked is not None:
        found += [
            ComparedColumn(
                say("cells"),
                say("share of their range that cells cover; exact cells cover none of it, and can single people out"),
                _cells,
            ),
            ComparedColumn(
                say("error"), say("median relative error of counts"), lambda s: _mean(s, "query_error", ".1%")
            ),
        ]
    return found


def table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the heads of the table, and a row for each series."""
    found = columns(comparison)
    method = [] if comparison.of_tables else [ComparedColumn(say("method"), "", _method)]
    head = [say("series"), *(each.head for each in [*method, *found])]
    return head, [[printable(s.path, 150), *(each.cell(s) for each in [*method, *found])] for s in comparison.sides]


def _of_tables(comparison: Comparison) -> Iterator[ComparedColumn]:
    """Yield the figures of count tables: the verdict and the measures."""
    yield ComparedColumn(say("verdict"), "", lambda side: "" if side.report is None else state(side.report))
    for name in dict.fromkeys(name for side in comparison.sides for name in _measured(side)):
        yield ComparedColumn(name, "", partial(_measure, name))


def _measured(side: ComparedSeries) -> dict[str, str]:
    return {} if side.report is None else dict(measured(side.report))


def _measure(name: str, side: ComparedSeries) -> str:
    return _measured(side).get(name, "")


def page(comparison: Comparison) -> Page:
    """Return the table and the meaning of its figures."""
    head, rows = table(comparison)
    sides = [(str(place), side) for place, side in enumerate(comparison.sides, 1)]
    meanings = [(each.head, f"{each.means}.") for each in columns(comparison) if each.means]
    numbered = [[place, *row[1:]] for (place, _), row in zip(sides, rows, strict=True)]
    figures = PageTable(["", *head[1:]], numbered, words=3)
    if comparison.of_tables:  # their figures have long names, so each has a row
        names, *columns_ = zip(["", *head[1:]], *numbered, strict=True)
        figures = PageTable(names, columns_)
    sections = [
        Section("", [figures]),
        Section("", [Facts(meanings)]),
        Section("", [Bullets(list(notes(comparison)), soft=True)]),
    ]
    named_sides = [(place, f"{printable(s.name, 150)} ({printable(s.path, 150)})") for place, s in sides]
    return Page(say("Release series compared"), inside=False, head=[Facts(named_sides)], sections=sections)


def as_csv(comparison: Comparison) -> str:
    """Return the table as CSV."""
    head, rows = table(comparison)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return out.getvalue()


def notes(comparison: Comparison) -> Iterator[str]:
    """Yield the results of each attack, and how to read the figures."""
    asked = comparison.asked
    if comparison.of_tables:
        yield from _unfinished(comparison.sides)
        return
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
            yield f"{say('{name}: {text}', name=place, text=parted(map(_in_words, ran)))}."
    yield from _unfinished(comparison.sides)
    if len({side.adversary for side in comparison.sides}) > 1:
        yield say("The adversaries differ, so their risks do not mean the same.")
    if len({side.tags for side in comparison.sides}) > 1:
        yield say("The series do not have the same releases.")
    yield say("This is not a verdict: `audit SERIES` gives one.")


def _in_words(attack: AttackReport) -> str:
    return say("{attack} {found}", attack=named(attack), found=result_text(attack))


def _asked(asked: QueryDesign) -> Iterator[str]:
    """Yield the queries that were used."""
    original = asked.style == "m-invariance"
    yield say_count(
        "{count} random COUNT [query|queries] of each release, ranges {ranges}, theta {theta}, seed {seed}.",
        asked.queries,
        ranges="|A| · theta^(1/d)" if original else "|A| · theta",
        theta=figure(asked.theta, "g"),
        seed=str(asked.seed),
    )
    microdata = printable(asked.microdata, 150)
    if original:
        yield say("The error is relative to the actual count in {microdata}.", microdata=microdata)
    else:
        yield say("The error is relative to the estimated count in {microdata}.", microdata=microdata)


def _unfinished(sides: tuple[ComparedSeries, ...]) -> Iterator[str]:
    """Yield which attacks were not run, or not completed, and why."""
    for place, side in enumerate(sides, 1):
        if side.not_audited is not None:
            yield say("{series} is not attacked: {reason}.", series=place, reason=printable(side.not_audited, SENTENCE))
    found: dict[str, list[int]] = {}
    for place, side in enumerate(sides, 1):
        for attack in side.attacks:
            if attack.reason:
                found.setdefault(ended_early(attack.attack, attack), []).append(place)
    for sentence, places in found.items():
        yield f"{', '.join(map(str, dict.fromkeys(places)))}: {sentence}."


def _method(side: ComparedSeries) -> str:
    return say("not known") if side.method is None else printable(side.method)


def _form(side: ComparedSeries) -> str:
    return say("anatomy") if side.exact else say("general.")


def _mean(side: ComparedSeries, measure: str, form: str = ",.2f") -> str:
    mean = side.mean(measure)
    return "-" if mean is None else figure(mean, form)


def _cells(side: ComparedSeries) -> str:
    return say("exact") if side.exact else _mean(side, "ncp", ".1%")


def _comparable(side: ComparedSeries) -> str:
    return "-" if side.exact else _mean(side, "comparable", ".0%")


def _found(side: ComparedSeries) -> str:
    if side.individuals:
        shares = [each.people / side.individuals for each in side.attacks if each.people is not None]
    else:
        shares = [each.measures.found / (each.measures.subjects or 1) for each in side.attacks if each.ran]
    return figure(max(shares), ".1%") if shares else "-"


def _risk(side: ComparedSeries) -> str:
    risks = [attack.risks.max_risk for attack in side.attacks if attack.risks.max_risk is not ABSENT]
    known = [risk for risk in risks if isinstance(risk, float)]
    return risk_text(max(known)) if known else "-"


def _min_e(side: ComparedSeries) -> str:
    bounds = [getattr(attack.measures, "min_e", None) for attack in side.attacks if attack.ran]
    return next((str(each) for each in bounds if each is not None), "-")
