"""The disclosure criteria of an output and how it met them, as a record for machines (SATRE, statement 3.3.09)."""

from __future__ import annotations

from dataclasses import asdict

from audit.model.report import Report
from reports.escaping import as_json

_DECISIONS = {0: "met", 1: "not met", 3: "undecided", 4: "undecided", 130: "interrupted"}


class DisclosureCriteria:
    """Render a report as the record of the disclosure criteria for an output, and how it met them."""

    name = "satre"

    def render(self, report: Report) -> str:
        """Return the record as indented JSON with a final line break; what only people know is null."""
        return as_json(
            {
                "specification": "SATRE",
                "statement": "3.3.09",
                "output": {
                    "name": report.series.name,
                    "releases": list(report.series.releases),
                    "files": [
                        {"path": each.path, "sha256": each.sha256, "rows": each.rows, "columns": each.columns}
                        for each in report.inputs
                    ],
                },
                "checked": {
                    "by": {"tool": "series-audit", "version": report.tool_version},
                    "on": report.made.isoformat(),
                    "adversary": report.adversary.kind,
                    "attacks": [
                        {
                            "attack": each.attack,
                            "sensitive": each.sensitive,
                            "status": each.status,
                            "reason": each.reason,
                        }
                        for each in report.attacks
                    ],
                },
                "criteria": [asdict(each) for each in report.policy.clauses],
                "outcome": _DECISIONS[report.exit_code],
                "accepted_findings": sum(each.state == "applied" for each in report.policy.waived),
                "decision": {"released": None, "by": None, "on": None, "reason": None},
            }
        )
