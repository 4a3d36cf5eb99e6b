"""Records for programs: the disclosure criteria of an output (SATRE, statement 3.3.09), and OpenMed's evidence.

OpenMed's expert-review bundle has evidence about repeated releases (`CompositionEvidence`). Its statuses follow from
our exit codes: the policy holds, is violated, or is undecided. OpenMed leaves a series of one release unassessed.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict

from audit.model.measures import LINKABILITY
from audit.model.report import Report
from reports.json_values import as_json

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


_STATUS = {0: "no_material_increase_observed", 1: "increase_observed"}


class CompositionEvidence:
    """Render a report as one `CompositionEvidence` object."""

    name = "openmed"

    def render(self, report: Report) -> str:
        """Return indented JSON with a final line break.

        `evidence_digest` is the SHA-256 of the basis of the status: the inputs' hashes, the attacks and the clauses.
        """
        several = len(report.series.releases) > 1
        ran = [each for each in report.attacks if each.status == "complete"]
        linked = several and any(LINKABILITY in each.measures.criteria or each.people is not None for each in ran)
        return as_json(
            {
                "release_count": len(report.series.releases),
                "longitudinal_linkage_assessed": linked,
                "prior_release_overlap_assessed": several and bool(ran),
                "risk_status": _STATUS.get(report.exit_code, "inconclusive") if several else "not_assessed",
                "evidence_digest": f"sha256:{_digest(report)}",
            }
        )


def _digest(report: Report) -> str:
    rests_on = {
        "inputs": sorted(each.sha256 for each in report.inputs),
        "attacks": [[each.attack, each.sensitive, each.status, each.findings_total] for each in report.attacks],
        "clauses": [[each.clause, each.limit, each.state] for each in report.policy.clauses],
    }
    return hashlib.sha256(as_json(rests_on).encode()).hexdigest()
