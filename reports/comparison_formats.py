"""The comparison of several series in every format: text and a page for reading, JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

from audit.model.comparison import ComparedSeries, Comparison
from audit.model.report import AttackReport
from reports import comparison_table
from reports.comparison import notes
from reports.comparison_page import render
from reports.escaping import as_json as to_json

_MEANS = ("discernibility", "average_group", "perimeter", "ncp", "query_error", "skipped", "comparable")


def text(comparison: Comparison) -> str:
    """Return the comparison as a table with a row for each series."""
    return comparison_table.text(comparison, list(notes(comparison)))


def markdown(comparison: Comparison) -> str:
    """Return the same table in Markdown."""
    return comparison_table.markdown(comparison, list(notes(comparison)))


def as_json(comparison: Comparison) -> str:
    """Return the comparison as one JSON object."""
    document = {
        "schema_version": comparison.schema_version,
        "tool": {"name": "series-audit", "version": comparison.tool_version},
        "time_limit": comparison.time_limit,
        "asked": None if comparison.asked is None else asdict(comparison.asked),
        "series": [_side(side) for side in comparison.sides],
    }
    return to_json(document)


def as_html(comparison: Comparison) -> str:
    """Return the comparison as one self-contained page with plots."""
    return render(comparison)


def _side(side: ComparedSeries) -> dict[str, object]:
    return {
        "path": side.path,
        "name": side.name,
        "releases": len(side.releases),
        "rows": sum(release.rows for release in side.releases),
        "individuals": side.individuals,
        "counterfeits": {
            "max": max((release.counterfeits for release in side.releases), default=0),
            "sum": sum(release.counterfeits for release in side.releases),
        },
        "adversary": side.adversary,
        "method": side.method,
        "form": "anatomy" if side.exact else "generalization",
        "not_audited": side.not_audited,
        "attacks": [attack_without_findings(attack) for attack in side.attacks],
        "means": {name: side.mean(name) for name in _MEANS},
        "by_release": [asdict(release) for release in side.releases],
    }


def attack_without_findings(attack: AttackReport) -> dict[str, object]:
    """Return what an attack found as the entries of a JSON object, without its findings."""
    return {
        "attack": attack.attack,
        "sensitive": attack.sensitive,
        "status": attack.status,
        "reason": attack.reason,
        "seconds": attack.seconds,
        "measures": attack.figures,
        "findings_total": attack.findings_total,
        "people": attack.people,
    }


FORMATS: Mapping[str, Callable[[Comparison], str]] = {
    "text": text,
    "json": as_json,
    "html": as_html,
    "csv": comparison_table.as_csv,
    "markdown": markdown,
    "latex": comparison_table.latex,
}
