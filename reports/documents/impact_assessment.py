"""The annex to a data protection impact assessment (GDPR, Article 35(7)): purpose, necessity, risks, measures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from audit.model.report import Report
from audit.runtime.phrases import say
from reports.documents.sections import (
    attacks,
    audited,
    blank,
    document,
    items,
    limits_of_the_audit,
    recommendation,
    signature,
    verdict,
)
from reports.sentences import advice


@dataclass(frozen=True)
class ImpactAssessment:
    """Render a report as the annex to a data protection impact assessment."""

    name: str = "dpia"

    def render(self, report: Report) -> str:
        """Return the document as Markdown with a final line break."""
        return document(
            say("Annex to the data protection impact assessment: risk of re-identification by a series of releases"),
            say("What was measured stands here; what only the controller knows is a marked blank."),
            report,
            [
                (say("The processing (Article 35(7)(a))"), _processing(report)),
                (say("Necessity and proportionality (Article 35(7)(b))"), _necessity()),
                (say("Risks to the people in the data (Article 35(7)(c)): what was measured"), _risks(report)),
                (say("What was not decided, and what limits the result"), limits_of_the_audit(report)),
                (say("Measures (Article 35(7)(d))"), _measures(report)),
                (say("Decision"), signature(say("Data protection officer"))),
            ],
        )


def _processing(report: Report) -> Iterator[str]:
    yield say("Controller: {blank}", blank=blank(say("name and contact")))
    yield say("Purpose of the publication: {blank}", blank=blank(say("purpose, legal basis, recipients")))
    yield from audited(report)


def _necessity() -> Iterator[str]:
    yield blank(say("why these data, in this detail, this often, are needed for the purpose"))


def _risks(report: Report) -> Iterator[str]:
    yield from verdict(report)
    yield from attacks(report)
    yield say(
        "Severity for the people concerned: {blank}",
        blank=blank(say("what follows for somebody whose value becomes known")),
    )


def _measures(report: Report) -> Iterator[str]:
    yield from recommendation(report)
    yield from items(advice(report))
    yield say("Measures taken, with who is responsible: {blank}", blank=blank(say("measures")))
    yield say("Risk that remains, and its acceptance: {blank}", blank=blank(say("assessment")))
