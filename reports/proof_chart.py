"""A disclosure as a picture: which values the groups of each release hold, and which of them are still possible."""

from __future__ import annotations

from collections.abc import Sequence

from audit.findings.disclosure import CertificateStep, Disclosure
from audit.model.errors import printable
from audit.runtime.phrases import figure, say, say_count
from reports.charts import Chart, GridCell, grid

_COLUMNS, _ROWS, _CELLS = 16, 16, 2


def proof_chart(finding: Disclosure[str]) -> Chart | None:
    """Return the picture of a disclosure; None where it would be too large to be followed."""
    steps = _telling(finding.certificate)
    counted: dict[tuple[str, str], dict[str, int]] = {}
    for each in () if finding.proof is None else finding.proof.points:
        counted.setdefault((each.release, each.group), {})[each.value] = each.rows
    own = {(step.release, group) for step in steps if len(step.groups) == 1 for group in step.groups}
    others = [place for place in counted if place not in own]
    values = sorted({v for step in steps for v in step.candidates} | {v for rows in counted.values() for v in rows})
    if len(steps) + len(others) > _COLUMNS or len(values) > _ROWS or len(values) * (len(steps) + len(others)) < _CELLS:
        return None
    columns = [_step_name(step) for step in steps]
    columns += [say("{release}, group {group}", release=printable(r, 20), group=printable(g, 20)) for r, g in others]
    rows = []
    for value in values:
        cells: list[GridCell | None] = [
            _cell(step, value, counted.get((step.release, step.groups[0]), {}) if len(step.groups) == 1 else {})
            for step in steps
        ]
        cells += [_counted(counted[place].get(value)) for place in others]
        rows.append((printable(value, 60), cells))
    key = {
        "n" if each.sign[0].isdigit() else each.sign: each for _, cells in rows for each in cells if each is not None
    }
    marked = values.index(finding.value) if finding.value in values else None
    if not steps:
        counts = say("The rows that the proof counts, by value and group")
        return grid(counts, say("value, by release and group"), columns, rows, _key(list(key)), None)
    title = say("Which values the releases leave to {who}", who=printable(finding.individual))
    return grid(title, say("value, by release and group"), columns, rows, _key(list(key)), marked)


def _telling(steps: Sequence[CertificateStep[str]]) -> Sequence[CertificateStep[str]]:
    """Return the steps after which fewer values are left, where there are more than can be drawn."""
    if len(steps) <= _COLUMNS or any(step.feasible is not None for step in steps):
        return steps
    left: set[str] | None = None
    kept = []
    for step in steps:
        here = set(step.candidates) if left is None else left & set(step.candidates)
        if here != left:
            kept.append(step)
        left = here
    return kept


def _step_name(step: CertificateStep[str]) -> str:
    if len(step.groups) == 1:
        return say("{release}, group {group}", release=printable(step.release, 20), group=printable(step.groups[0], 20))
    return say("{release}, {count} groups", release=printable(step.release, 20), count=len(step.groups))


def _cell(step: CertificateStep[str], value: str, counted: dict[str, int]) -> GridCell:
    rows = counted.get(value)
    if value in (step.candidates if step.feasible is None else step.feasible):
        return GridCell("●", "yes proof" if rows else "yes", say("possible"))
    if value in step.candidates:
        return GridCell("○", "proof" if rows else "", say("in the groups, but on no allowed path"))
    return GridCell("×", "no", say("not in the groups"))


def _counted(rows: int | None) -> GridCell | None:
    return (
        None
        if rows is None
        else GridCell(figure(rows), "proof", say_count("{count} row counted", "{count} rows counted", rows))
    )


def _key(signs: Sequence[str]) -> list[GridCell]:
    """Return what the signs in use mean."""
    meanings = {
        "●": say("the release leaves this value possible"),
        "○": say("it is in the groups, but no allowed path leads through it"),
        "×": say("it is not in the groups"),
        "n": say("so many rows of the group have the value"),
    }
    return [GridCell(sign, "", meanings[sign]) for sign in meanings if sign in signs]
