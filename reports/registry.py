"""All formats and documents, by their names on the command line; a document renders a report, as a format does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from audit.model.options import Registry

if TYPE_CHECKING:
    from audit.model.report import Report


class Format(Protocol):
    """A format for reports."""

    @property
    def name(self) -> str:
        """The format's name on the command line."""

    def render(self, report: Report) -> str:
        """Return the report in this format, with a final line break."""


FORMATS: Registry[type[Format]] = Registry(
    "series_audit.formats",
    "format",
    {
        "text": "reports.formats:Text",
        "json": "reports.formats:Json",
        "markdown": "reports.formats:Markdown",
        "html": "reports.formats:Html",
        "sarif": "reports.program_formats:Sarif",
        "junit": "reports.program_formats:JUnit",
    },
)

DOCUMENTS: Registry[type[Format]] = Registry(
    "series_audit.documents",
    "document",
    {
        "dpia": "reports.documents.assessments:ImpactAssessment",
        "expert": "reports.documents.assessments:ExpertDetermination",
        "wp29": "reports.documents.assessments:AnonymisationCriteria",
        "satre": "reports.documents.records:DisclosureCriteria",
        "openmed": "reports.documents.records:CompositionEvidence",
    },
)
