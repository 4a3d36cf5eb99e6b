"""Evidence about repeated releases in the form of OpenMed's expert-review bundle (`CompositionEvidence`).

Its statuses follow from our exit codes: the policy holds, is violated, or is undecided. OpenMed leaves a series of one
release unassessed.
"""

from __future__ import annotations

import hashlib

from audit.model.measures import LINKABILITY
from audit.model.report import Report
from reports.escaping import as_json

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
