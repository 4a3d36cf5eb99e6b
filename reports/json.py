"""JSON: the whole report, in the form that other programs rely on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from audit.model.report import Report
from reports.escaping import as_json
from reports.json_forms.audit import audit_document
from reports.json_forms.count_tables import count_document
from reports.json_values import json_object


@dataclass(frozen=True)
class Json:
    """Render a report as one JSON object."""

    name: str = "json"

    def render(self, report: Report) -> str:
        """Return the report as indented JSON with a final line break."""
        return as_json(as_object(report))


def as_object(report: Report) -> dict[str, Any]:
    """Return the report as the entries of one JSON object."""
    return json_object(
        audit_document(report) if report.tables is None else count_document(report, report.tables),
    )
