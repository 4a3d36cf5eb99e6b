"""The comparison of several series as one table with a row for each: text, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import NamedTuple

from audit.model.comparison import ComparedSeries, Comparison
from audit.model.errors import printable
from audit.model.measures import ABSENT
from audit.runtime.phrases import figure, risk_text, say
from reports.sentences import share_fallen

_WIDE = 22


class ComparedColumn(NamedTuple):
    """One figure: its heading, what it means in a sentence, and its text for a series."""

    head: str
    means: str
    cell: Callable[[ComparedSeries], str]


def columns(comparison: Comparison) -> list[ComparedColumn]:
    """Return the figures that there are."""
    found = [
        ComparedColumn(
            say("form"), say("generalization publishes wider cells, anatomy exact ones with the values apart"), _form
        ),
        ComparedColumn(say("releases"), say("how many were published"), lambda side: figure(len(side.releases))),
        ComparedColumn(
            say("rows/group"),
            say("mean rows of a group; more is safer and coarser"),
            lambda s: _mean(s, "average_group"),
        ),
        ComparedColumn(
            say("fakes"),
            say("counterfeits of all releases"),
            lambda s: figure(sum(r.counterfeits for r in s.releases)),
        ),
        ComparedColumn(
            say("found"),
            say("share of people whose value is certain, or of records found, by the attack that finds most"),
            _found,
        ),
        ComparedColumn(say("risk"), say("highest probability of a person's value"), _risk),
        ComparedColumn(
            say("min e"),
            say("smallest number of people who are known to have, together, the same values as equally many others"),
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


def text(comparison: Comparison, notes: Sequence[str]) -> str:
    """Return the table in at most 100 columns, with what its figures mean."""
    told, sides = columns(comparison), comparison.sides
    rows = [["", say("method"), *(each.head for each in told)]]
    rows += [[str(n), _method(side)[:_WIDE], *(each.cell(side) for each in told)] for n, side in enumerate(sides, 1)]
    width = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [f"{n}  {printable(s.name, 150)}  ({printable(s.path, 150)})" for n, s in enumerate(sides, 1)]
    lines.append("")
    for row in rows:
        first = [row[0].rjust(width[0]), row[1].ljust(width[1])]
        lines.append(" ".join([*first, *(c.rjust(w) for c, w in zip(row[2:], width[2:], strict=True))]).rstrip())
    lines += ["", *(f"{each.head}: {each.means}." for each in told), *notes]
    return "\n".join(lines) + "\n"


def as_csv(comparison: Comparison) -> str:
    """Return the table as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(_rows(comparison))
    return out.getvalue()


def markdown(comparison: Comparison, notes: Sequence[str]) -> str:
    """Return the table as Markdown, with what its figures mean."""
    head, *rows = [[cell.replace("|", "\\|") for cell in row] for row in _rows(comparison)]
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
    told = [f"* *{each.head}*: {each.means}." for each in columns(comparison)]
    return "\n".join([*lines, "", *told, *(f"* {note}" for note in notes)]) + "\n"


def _rows(comparison: Comparison) -> list[list[str]]:
    told = columns(comparison)
    rows = [[_printed(side.path), _method(side), *(each.cell(side) for each in told)] for side in comparison.sides]
    return [[say("series"), say("method"), *(each.head for each in told)], *rows]


def _printed(path: str) -> str:
    return printable(path, 150)


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
        shares = [share_fallen(each) for each in side.attacks if each.ran]
    return figure(max(shares), ".1%") if shares else "-"


def _risk(side: ComparedSeries) -> str:
    risks = [attack.risks.max_risk for attack in side.attacks if attack.risks.max_risk is not ABSENT]
    known = [risk for risk in risks if isinstance(risk, float)]
    return risk_text(max(known)) if known else "-"


def _min_e(side: ComparedSeries) -> str:
    bounds = [getattr(attack.measures, "min_e", None) for attack in side.attacks if attack.ran]
    return next((str(each) for each in bounds if each is not None), "-")
