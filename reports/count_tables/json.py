"""JSON: the whole report on count tables, in the form that other programs rely on."""

from __future__ import annotations

from dataclasses import dataclass

from audit.model.count_report import CountReport
from reports.escaping import as_json
from reports.json_forms.count_tables import count_document
from reports.json_values import json_object


@dataclass(frozen=True)
class CountJson:
    """Render a report on count tables as one JSON object."""

    name: str = "json"

    def render(self, report: CountReport) -> str:
        """Return the report as indented JSON with a final line break."""
        return as_json(json_object(count_document(report)))
