"""The explanation in every format: text and JSON tell all of it, the others the findings about the person."""

from __future__ import annotations

from audit.model.explanation import Explanation
from audit.model.report import Report
from reports.escaping import as_json as to_json
from reports.escaping import markdown as escaped
from reports.explanation import text
from reports.json_values import json_object
from reports.registry import Format


def render(explanation: Explanation, report: Report, form: Format) -> str:
    """Return what can be learnt of one person; `report` is what the attacks say of the person alone."""
    if form.name == "text":
        return text(explanation)
    if form.name == "json":
        return as_json(explanation)
    if form.name == "markdown":
        lines = [f"# {escaped(explanation.series)}", "", "```text", text(explanation).replace("```", "'''"), "```"]
        return "\n".join(lines) + "\n"
    return form.render(report)


def as_json(explanation: Explanation) -> str:
    """Return the explanation as one JSON object."""
    return to_json(json_object(explanation))
