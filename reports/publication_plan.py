"""The plan of a publication as text, Markdown and JSON. People do not occur in it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace

from audit.model.errors import printable
from audit.model.publication_plan import PlannedSeries, PublicationPlan
from reports.comparison_formats import attack_without_findings
from reports.escaping import as_json as dumped
from reports.sentences import fallen

_VERDICT = {0: "holds", 1: "VIOLATED", 3: "undecided"}
_HEAD = ("method", "policy", "counterfeits", "withheld", "cells", "count error")
_WORST_FIRST = ("joint", "equivalence", "inference-table", "update-graph", "intersection")


def text(plan: PublicationPlan) -> str:
    """Return the plan as a table of at most 100 columns, with what falls below each method."""
    lines = [f"{printable(plan.microdata, 60)}: what each method would make of it", ""]
    lines.append(f"{_HEAD[0]:<34}{_HEAD[1]:<11}{_HEAD[2]:>13}{_HEAD[3]:>10}{_HEAD[4]:>9}{_HEAD[5]:>13}")
    for each in plan.tried:
        cells = _cells(each)
        lines.append(f"{cells[0]:<34}{cells[1]:<11}{cells[2]:>13}{cells[3]:>10}{cells[4]:>9}{cells[5]:>13}")
        if (why := _why(each)) is not None:
            lines += textwrap.wrap(why, 100, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([*lines, "", *_notes(plan)]) + "\n"


def markdown(plan: PublicationPlan) -> str:
    """Return the plan as a Markdown table."""
    rows = [(*_HEAD, "why"), tuple("---" for _ in range(len(_HEAD) + 1))]
    rows += [(*_cells(each), _why(each) or "") for each in plan.tried]
    table = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([*table, "", *_notes(plan)]) + "\n"


def as_json(plan: PublicationPlan) -> str:
    """Return the plan as one JSON object."""
    best = plan.recommended
    tried = [
        {**asdict(replace(each, attacks=())), "attacks": [attack_without_findings(a) for a in each.attacks]}
        for each in plan.tried
    ]
    return dumped(
        {
            "microdata": plan.microdata,
            "tried": tried,
            "recommended": None if best is None else {"method": best.method, "parameters": best.parameters},
        }
    )


FORMATS: Mapping[str, Callable[[PublicationPlan], str]] = {"text": text, "markdown": markdown, "json": as_json}


def _cells(each: PlannedSeries) -> tuple[str, ...]:
    name = f"{each.method} {each.parameters}".strip()
    if each.refused is not None:
        return name, "refused", "-", "-", "-", "-"
    width = "exact" if each.form == "anatomy" else "-" if each.ncp is None else f"{each.ncp:.1%}"
    error = "-" if each.query_error is None else f"{each.query_error:.1%}"
    return name, _VERDICT[each.exit_code], f"{each.counterfeits:,}", f"{each.withheld:,}", width, error


def _why(each: PlannedSeries) -> str | None:
    """Return why a method was refused, or what falls to the attack that tells most; None where the policy holds."""
    if each.refused is not None:
        return printable(each.refused, 400)
    if each.exit_code == 0:
        return None
    found = {attack.attack: attack for attack in each.attacks if attack.status != "skipped"}
    worst = [found[name] for name in _WORST_FIRST if name in found and _counts(found[name].measures)]
    if worst:
        return f"{worst[0].attack}: {fallen(worst[0])}"
    return next((f"{a.attack}: {printable(a.reason, 150)}" for a in found.values() if a.reason), None)


def _counts(measures: Mapping[str, object]) -> bool:
    """Tell whether an attack with these measures found anybody."""
    compromised = measures.get("compromised")
    if isinstance(compromised, dict) and any(compromised.values()):
        return True
    return any(measures.get(name) for name in ("certain", "once_unsafe", "disclosed", "vulnerable"))


def _notes(plan: PublicationPlan) -> Iterator[str]:
    best = plan.recommended
    if best is None:
        yield "Recommendation: none of these. No method that was tried keeps the policy; try other parameters, coarser"
        yield "values or a policy that you can defend, and look at what falls above."
    else:
        error = "" if best.query_error is None else f", with the least error of counts ({best.query_error:.1%})"
        yield f"Recommendation: {best.method} {best.parameters}, which keeps the policy{error}."
        yield f"Next: audit anonymize MICRODATA --method {best.method} {best.parameters} --output SERIES"
    if any(each.form == "anatomy" for each in plan.tried):
        yield "exact: the method publishes exact quasi-identifiers (Anatomy); people can be singled out by them."
    yield "policy: the default policy against every attack that applies; cells: how much of their range cells cover;"
    yield "count error: median relative error of random COUNT queries. A plan is no verdict: audit what you publish."
