"""The annex to a data protection impact assessment (GDPR, Article 35(7)): purpose, necessity, risks, measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from audit.model.report import Report
from audit.runtime.phrases import Phrase, say
from reports.audit_page import recommendation
from reports.documents import sections
from reports.documents.sections import Document, Part
from reports.page import Block, Bullets, Paragraph
from reports.sentences import measures


class ImpactAssessment(Document):
    """The annex to a data protection impact assessment."""

    name: ClassVar[str] = "dpia"
    title: ClassVar[Phrase] = Phrase(
        "Annex to the data protection impact assessment: risk of re-identification by a series of releases"
    )
    purpose: ClassVar[Phrase] = Phrase(
        "This annex states what was measured; what only the controller knows is left as a marked blank."
    )

    def parts(self, report: Report) -> Sequence[Part]:
        """Return its sections."""
        why = sections.blank(say("why these data, in this detail, this often, are needed for the purpose"))
        return [
            (say("The processing (Article 35(7)(a))"), _processing(report)),
            (say("Necessity and proportionality (Article 35(7)(b))"), [Paragraph(why)]),
            (say("Risks to the people in the data (Article 35(7)(c)): what was measured"), _risks(report)),
            (say("What was not decided, and what limits the result"), sections.limits_of_the_audit(report)),
            (say("Measures (Article 35(7)(d))"), _measures(report)),
            (say("Decision"), _decision()),
        ]


def _processing(report: Report) -> Iterator[Block]:
    yield Paragraph(say("Controller: {blank}", blank=sections.blank(say("name and contact"))))
    purpose = sections.blank(say("purpose, legal basis, recipients"))
    yield Paragraph(say("Purpose of the publication: {blank}", blank=purpose))
    yield from sections.audited(report)


def _risks(report: Report) -> Iterator[Block]:
    yield from sections.verdict(report)
    yield from sections.attacks(report)
    severity = sections.blank(say("what follows for somebody whose value becomes known"))
    yield Paragraph(say("Severity for the people concerned: {blank}", blank=severity))


def _measures(report: Report) -> Iterator[Block]:
    yield from recommendation(report, commands=False)
    yield Bullets(list(measures(report)))
    yield Paragraph(say("Measures taken, with who is responsible: {blank}", blank=sections.blank(say("measures"))))
    yield Paragraph(say("Risk that remains, and its acceptance: {blank}", blank=sections.blank(say("assessment"))))


def _decision() -> Iterator[Block]:
    """Yield the decision of the controller, with what Articles 35 and 36 ask for before it."""
    advice = sections.blank(say("advice, and the reasons if it is not followed"))
    yield Paragraph(say("Advice of the data protection officer (Article 35(2)): {blank}", blank=advice))
    views = sections.blank(say("views, or why they were not sought"))
    yield Paragraph(say("Views of the people concerned (Article 35(9)): {blank}", blank=views))
    asked = sections.blank(say("date and answer, if a high risk remains"))
    yield Paragraph(say("Prior consultation of the supervisory authority (Article 36): {blank}", blank=asked))
    yield from sections.signature(say("For the controller"))
