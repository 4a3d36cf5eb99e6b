"""Sentences about count tables, if they differ from those about people's data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from audit.findings.count import COUNT_KINDS, CountFinding, cell_name, label_name
from audit.findings.wording import RELEASES, ROWS
from audit.model.count_tables import TablesFacts
from audit.model.errors import SENTENCE
from audit.model.finding import Finding
from audit.model.report import Report
from audit.runtime.phrases import Noun, Phrase, figure, joined, printable, say, say_count
from reports.page import PageTable

_OVER_TIME = {
    "same": Phrase("The adversary has only what was published; every release counts the same people."),
    "cumulative": Phrase(
        "The adversary has only what was published; nobody leaves; each release counts those of the one before and "
        "newcomers."
    ),
    "independent": Phrase("The adversary has only what was published; nothing ties the releases to each other."),
}
_ROUNDED = {
    "nearest": Phrase("Numbers are rounded to the nearest multiple of {base}, halves up."),
    "even": Phrase("Numbers are rounded to the nearest multiple of {base}, halves to the even one."),
    "down": Phrase("Numbers are rounded down to multiples of {base}."),
    "up": Phrase("Numbers are rounded up to multiples of {base}."),
    "random": Phrase("Numbers are rounded at random, up or down, to multiples of {base}."),
    "midpoint": Phrase("Numbers are rounded to the middle of ranges of {base}."),
}
_PARTS = 20
"""The most labels that a sentence names."""


def facts(series: TablesFacts) -> str:
    """Return the sizes of the audited tables."""
    counts = [
        (RELEASES, len(series.releases)),
        (Noun("{count} [table|tables]"), series.tables),
        (ROWS, series.rows),
        (Noun("{count} [dimension|dimensions]"), len(series.dimensions)),
    ]
    if len(series.measures) > 1:
        counts.append((Noun("{count} [statistic|statistics]"), len(series.measures)))
    return ", ".join(noun.counted(count) for noun, count in counts)


def adversary(series: TablesFacts) -> str:
    """Return the assumed adversary, and how the releases are related."""
    return str(_OVER_TIME[series.over_time])


def scope() -> str:
    """Return which counts are checked, and which words beside the tables."""
    return say(
        "Checked: each cell, and each total of labels, published or not; what labels leave of each other; the hidden "
        "cells of each line together. Not checked: other sums of labels, such as of two areas of ten. Numbers "
        'and shares in lines beside the tables are asked about, but not articles, such as "a child".'
    )


def protections(series: TablesFacts) -> Iterator[str]:
    """Yield the declared measures that protect counts: markers for several counts, rounding, perturbation."""
    known = series.rules
    yield from _stands_for((text, ends) for text, ends in known.markers.items() if ends[0] != ends[1])
    if known.threshold is not None:
        yield say("Counts below {threshold} are hidden unless they are 0.", threshold=known.threshold)
    if known.rounding is not None:
        yield _ROUNDED[known.rounding.how].filled(base=known.rounding.to)
    if known.perturbation:
        yield say("Numbers are off by up to {most}.", most=known.perturbation)
    if known.exact:
        yield say("Exact: {names}.", names=", ".join(printable(each, SENTENCE) for each in known.exact))


def _stands_for(markers: Iterable[tuple[str, tuple[int | None, ...]]]) -> Iterator[str]:
    for text, ends in markers:
        yield say("{marker} stands for {counts}.", marker=printable(text), counts=_counts(ends))


def rules(series: TablesFacts) -> Iterator[str]:
    """Yield the assumed meaning of published texts, from the manifest."""
    known = series.rules
    yield from protections(series)
    yield from _stands_for((text, ends) for text, ends in known.markers.items() if ends[0] == ends[1])
    for rates in (*([] if known.rates is None else [known.rates]), *(known.further_rates or ())):
        yield say_count(
            "{column} is per {per} of {denominator}, to {count} [decimal|decimals].",
            rates.decimals,
            per=rates.per,
            column=printable(rates.column),
            denominator=printable(rates.denominator),
        )
    if known.absent_is_zero:
        yield say("A missing row stands for 0.")
    if known.stock:
        yield say("No release corrects another: each counts those who are there at its date, many of them again.")
    for name in known.open:
        if total := series.totals.get(name):
            about = {"dimension": printable(name), "total": printable(total)}
            yield say('"{total}" of {dimension} may count more than its other labels together.', **about)
        else:
            yield say("The labels of {dimension} need not cover everyone.", dimension=printable(name))
    for file, many in (series.notes or {}).items():
        yield say_count(
            "{count} [line|lines] below the table in {file} [is a note, not a row|are notes, not rows].",
            many,
            file=printable(file),
        )
    if known.not_counts:
        columns = ", ".join(printable(each, SENTENCE) for each in known.not_counts)  # who signs must read the notes
        yield say("These numbers disclose nothing about the counts: {columns}.", columns=columns.removesuffix("."))


def labels(series: TablesFacts) -> Iterator[str]:
    """Yield what labels and statistics count, and what is declared about them, from the manifest."""
    rules = series.rules
    totals = [f"{printable(name)} {printable(label)}" for name, label in series.totals.items()]
    if totals:
        yield say("These labels cover everyone: {labels}.", labels=", ".join(totals))
    for dimension, made_up in series.parts.items():
        named = [
            f"{label_name(label, series)} ({joined([_in_list(label_name(each, series)) for each in parts], _PARTS)})"
            for label, parts in made_up.items()
        ]
        if named:
            about = {"dimension": printable(dimension), "labels": joined(named, _PARTS)}
            yield say("Labels of {dimension} that are made up of others: {labels}.", **about)
    for part, whole in rules.part_of.items():
        yield say("{part} counts some of those in {whole}.", part=printable(part), whole=printable(whole))
    for dimension in rules.sensitive:
        yield say(
            "The people of a cell must not all have the same label of {dimension}.", dimension=printable(dimension)
        )
    for dimension, labels in rules.harmless.items():
        about = {"dimension": printable(dimension), "labels": ", ".join(map(printable, labels))}
        yield say("They may all have one of these labels of {dimension}: {labels}.", **about)


def _in_list(label: str) -> str:
    """Return a label as it stands in a list, whose commas it may have."""
    return f'"{label}"' if "," in label else label


def _counts(ends: tuple[int | None, ...]) -> str:
    low, high = ends
    if high is None:
        return say("{low} or more", low=low)
    return say("{low}", low=low) if low == high else say("{low} to {high}", low=low, high=high)


def headline(report: Report) -> tuple[str, str]:
    """Return the verdict in one sentence, and its colour."""
    measures = report.count_measures
    if report.policy.violations:
        found = {each.measure: int(each.value) for each in report.policy.violations}
        alike, exactly = found.pop("all", 0), found.get("recovered", 0)
        if not found:
            return say_count(
                "NOT SAFE: it can be derived that in {count} [cell|cells] of the tables everyone is in the same "
                "category.",
                alike,
            ), "red"
        return say_count(
            "NOT SAFE: {count} small or hidden [count|counts] can be derived from the tables, {how}.",
            (total := sum(found.values())),
            how={0: say("none of them exactly"), total: say("exactly")}.get(
                exactly, say("{count} of them exactly", count=exactly)
            ),
        ), "red"
    if report.policy.undecided and not measures.open:
        return say("UNDECIDED: the tables cannot be called safe until you declare what is named below."), "yellow"
    if report.policy.undecided:
        return say_count("UNDECIDED: {count} [count|counts] could not be decided.", measures.open), "yellow"
    return say(
        "The policy holds: of the counts checked, no small or hidden one can be derived from the tables."
    ), "green"


def state(report: Report) -> str:
    """Return the result for the policy in a word."""
    if report.policy.violations:
        return say("not safe")
    return say("undecided") if report.policy.undecided else say("safe")


def measured(report: Report) -> list[tuple[str, str]]:
    """Return the measures with their values."""
    m, limits = report.count_measures, report.policy.limits
    width = say("no hidden count is bounded") if m.smallest_width is None else figure(m.smallest_width)
    return [
        (say("published cells"), figure(m.cells)),
        (say("hidden by a marker"), figure(m.protected)),
        *([(say("further cells, which are empty"), figure(m.empty))] if isinstance(m.empty, int) else []),
        (say("counts checked"), figure(m.questions)),
        *((str(kind.title), figure(n)) for name, kind in COUNT_KINDS.items() if isinstance(n := m.get(name), int)),
        *([(say("of these, waived or in the baseline"), figure(report.left_out))] if report.left_out else []),
        (say("undecided counts"), figure(m.open)),
        *([(say("smallest number of values possible for a hidden count"), width)] if m.protected else []),
        (say("limit of the policy"), limit(limits)),
    ]


def limit(limits: Mapping[str, float]) -> str:
    """Return what the policy forbids."""
    return say(
        "counts below {limit} may not be known, nor hidden ones to fewer than {width} values",
        limit=figure(limits["min_count"], "g"),
        width=figure(limits["min_width"], "g"),
    )


def allowed(series: TablesFacts, limits: Mapping[str, float]) -> Iterator[str]:
    """Yield what the policy lets everyone know of the counts of a marker for small ones, if there is one."""
    known = [ends for ends in series.rules.markers.values() if ends[0] != ends[1]]
    if any(most is not None and most < limits["min_count"] for _, most in known):
        yield say_count(
            "Where a marker stands for small counts alone, a count of which only {count} [value is|values are] "
            "possible is no finding: min_width allows it.",
            int(limits["min_width"]),
        )


def checked(report: Report) -> str:
    """Return the number of checked certificates."""
    (attack,) = report.attacks
    if not attack.findings_total and report.left_out:
        return say("The certificates of what is waived or in the baseline were not checked again.")
    if not attack.findings_total:
        return say("There is nothing to certify.")
    many = attack.certificates_checked
    if many is None or many >= attack.findings_total:
        return say("All certificates were checked again, in exact fractions.")
    return say(
        "{checked} of {total} certificates were checked again, those shown and others at random, in exact fractions.",
        checked=many,
        total=attack.findings_total,
    )


def readers(report: Report) -> Iterator[str]:
    """Yield who learns what from the page."""
    if report.attacks[0].findings:
        yield say(
            "This version shows counts that the tables hide, and how to derive them. It is only for colleagues who may "
            "see the exact counts."
        )
        return
    total = report.attacks[0].findings_total
    if total:
        yield say_count(
            "Somebody who has the tables as well learns from this page that {count} small or hidden [count|counts] can "
            "be derived from them, but not which; to derive [it|them] takes nothing but the tables.",
            total,
        )
    elif report.policy.undecided:
        yield say("Somebody who has the tables as well learns only that some counts are undecided.")
    else:
        yield say("Somebody who has the tables as well learns nothing more about any count from this page.")
    if report.tables is not None and any(rules(report.tables)):
        yield say(
            'The rules under "Assumptions" say how counts were hidden or rounded. If they are not published with the '
            "tables, leave them out of what you share."
        )


def words() -> list[tuple[str, str]]:
    """Return the terms of the page that not every reader knows."""
    return [
        (say("marker"), say("What a table shows in place of a hidden count.")),
        *((str(each.title), str(each.meaning)) for each in COUNT_KINDS.values()),
        (say("sum"), say("Published counts, added and subtracted so that only the count in question is left.")),
    ]


def picture_of(finding: Finding[str]) -> Iterator[PageTable]:
    """Yield the part of a published table around a finding, with what is known about it, if it has a picture."""
    if not isinstance(finding, CountFinding) or (picture := finding.picture) is None:
        return
    rows, marked = [], set()
    for at, (label, cells) in enumerate(zip(picture.row_labels, picture.cells, strict=True)):
        row = [printable(label)]
        for place, cell in enumerate(cells, 1):
            text = "" if cell is None else printable(cell.shown)
            if cell is not None and cell.known is not None:
                text = say("{shown} → {told}", shown=text, told=cell.known)
                marked.add((at, place))
            row.append(say("{cell} ∑", cell=text) if cell is not None and cell.in_sum else text)
        rows.append(row)
    across = picture.columns
    corner = (
        printable(picture.rows)
        if across is None
        else say("{down} \\ {across}", down=printable(picture.rows), across=printable(across))
    )
    caption = say(
        "Release {release}, {where}: → what can be derived, ∑ used by the sum.",
        release=printable(finding.release),
        where=cell_name(picture.fixed, finding.facts),
    )
    head = [corner, *map(printable, picture.column_labels)]
    yield PageTable(head, rows, marked=frozenset(marked), caption=caption)
