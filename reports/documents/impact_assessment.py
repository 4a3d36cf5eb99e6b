"""The annex to a data protection impact assessment (GDPR, Article 35(7)): purpose, necessity, risks, measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from audit.model.report import Report
from audit.runtime.phrases import Phrase, say
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
        return [
            (say("The processing (Article 35(7)(a))"), _processing(report)),
            (say("Necessity and proportionality (Article 35(7)(b))"), [_necessity()]),
            (say("Risks to the people in the data (Article 35(7)(c)): what was measured"), _risks(report)),
            sections.limits_of_the_audit(report),
            (say("Measures (Article 35(7)(d))"), _measures(report)),
            (say("Review (Article 35(11))"), _review()),
            (say("Decision"), _decision()),
        ]


def _processing(report: Report) -> Iterator[Block]:
    yield sections.to_fill(
        (say("Controller"), say("name and contact; also of the data protection officer and of processors")),
        (say("Why an assessment is made (Article 35(1), (3) and (4))"), say("criteria that are met, or the list")),
        (
            say("Purpose of the publication, and legal basis"),
            say("purpose; Article 6, and Article 9 or 10 if they apply"),
        ),
        (say("People in the data"), say("who they are, from which period, children or patients among them")),
        (say("Recipients"), say("who gets the releases, also outside the European Union, and under which conditions")),
        (say("Storage"), say("systems, keys and who has them; until when releases are offered; when keys are deleted")),
    )
    yield from sections.audited(report)


def _necessity() -> Block:
    return sections.to_fill(
        (say("Necessity"), say("why these data, in this detail, this often, are needed for the purpose")),
        (say("Milder means"), say("why ranges, fewer columns or fewer releases would not do")),
        (say("Limits of the policy"), say("why the limits of the policy, listed under Terms, fit these data")),
        (
            say("Rights of the people (Articles 12 to 22)"),
            say("how they are informed, and can have data corrected or left out"),
        ),
    )


def _risks(report: Report) -> Iterator[Block]:
    yield Paragraph(
        say(
            "The audit measures what an adversary with the knowledge assumed above can find out, not whether one tries."
        )
    )
    yield from sections.verdict(report)
    yield from sections.grave(report)
    yield from sections.attacks(report)
    yield sections.to_fill(
        (say("Who could try, with which knowledge, and how likely that is"), say("assessment")),
        (say("Severity for the people concerned"), say("what follows for somebody whose value becomes known")),
    )


def _measures(report: Report) -> Iterator[Block]:
    if found := list(sections.measures_found(report)):
        yield Paragraph(say("Measures taken, as the published files and the manifest show them:"))
        yield Bullets(found)
    else:
        yield Paragraph(say("The published files show no measure: no coarser, withheld or added values."))
    if further := list(measures(report)):
        yield Paragraph(say("What can be done now:"))
        yield Bullets(further)
    yield sections.to_fill(
        (say("Columns left out"), say("which columns are not published, such as names, addresses and ids")),
        (say("Rows left out"), say("which rows are not published, and how many, such as refusals or withheld people")),
        (say("Further measures taken"), say("measures, who is responsible, and since when")),
        (say("Risk that remains"), say("likelihood and severity after the measures, and why it is accepted")),
    )


def _review() -> Iterator[Block]:
    yield Paragraph(
        say(
            "The result is about the releases named above. Audit again before the next release, and when a file is "
            "changed or other data about the same people appear."
        )
    )
    yield sections.to_fill((say("Next review"), say("date, and who watches for what changes")))


def _decision() -> Iterator[Block]:
    """Yield the decision of the controller, with what Articles 35 and 36 ask for before it."""
    yield sections.to_fill(
        (
            say("Advice of the data protection officer (Article 35(2))"),
            say("advice, and the reasons if it is not followed"),
        ),
        (say("Views of the people concerned (Article 35(9))"), say("views, or why they were not sought")),
        (
            say("Prior consultation of the supervisory authority (Article 36)"),
            say("date and answer, if a high risk remains"),
        ),
    )
    yield from sections.signature(say("For the controller"))
