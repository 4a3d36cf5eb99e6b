"""All documents, by their names on the command line; each renders a report, as a format does."""

from __future__ import annotations

from audit.model.registry import Registry
from reports.registry import Format

DOCUMENTS: Registry[type[Format]] = Registry(
    "series_audit.documents",
    "document",
    {
        "dpia": "reports.documents.impact_assessment:ImpactAssessment",
        "expert": "reports.documents.expert_determination:ExpertDetermination",
        "wp29": "reports.documents.anonymisation_criteria:AnonymisationCriteria",
        "satre": "reports.documents.disclosure_criteria:DisclosureCriteria",
        "openmed": "reports.documents.composition_evidence:CompositionEvidence",
    },
)
