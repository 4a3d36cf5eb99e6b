"""Documents for people: an impact assessment, an expert determination, the criteria of WP216, a witness's statement.

The statement may be shown: what was audited, decided and proved, without worlds and keys. People complete and sign the
others: the annex to a data protection impact assessment (GDPR, Article 35(7): purpose, necessity, risks, measures);
what an expert determination asks for (45 CFR 164.514(b)(1): methods, results, conditions and an end); and the three
criteria of the Article 29 Working Party (Opinion 05/2014, WP216: singling out, linkability, inference).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from audit.model.adversary import ADVERSARIES
from audit.model.count_tables import TablesFacts
from audit.model.measures import INFERENCE, LINKABILITY, SINGLING_OUT
from audit.model.report import Report
from audit.runtime.phrases import Phrase, day, printable, say, say_count
from reports.documents import sections
from reports.documents.sections import Document, Part
from reports.page import Block, Bullets, Paragraph
from reports.sentences import measures, named, result_text


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


class ExpertDetermination(Document):
    """The technical part of an expert determination."""

    name: ClassVar[str] = "expert"
    title: ClassVar[Phrase] = Phrase("Technical basis of an expert determination")
    purpose: ClassVar[Phrase] = Phrase(
        "Evidence for an expert, who determines whether the risk is very small; it determines nothing by itself."
    )

    def parts(self, report: Report) -> Sequence[Part]:
        """Return its sections."""
        known = sections.blank(say("knowledge and experience with statistical and scientific methods"))
        return [
            (say("The expert"), [Paragraph(say("Name and qualification: {blank}", blank=known))]),
            (say("The data"), sections.audited(report)),
            (say("Methods and results"), _methods(report)),
            sections.limits_of_the_audit(report),
            (say("Conditions"), [Bullets(list(_conditions(report)))]),
            (say("Until when it holds"), _expiry(report)),
            (say("Determination"), sections.signature(say("Expert"))),
        ]


def _methods(report: Report) -> Iterator[Block]:
    checked = say("Each finding has a certificate. Code that is independent of the attack has checked it again.")
    if report.tables is None:
        yield Paragraph(checked)
    yield from sections.attacks(report)
    yield from sections.verdict(report)


def _conditions(report: Report) -> Iterator[str]:
    yield say(
        "The result is about the {releases} releases named above together, and about no other data.",
        releases=str(len(report.series.releases)),
    )
    yield say("It assumes the adversary named above; anybody who knows more can learn more.")
    yield say("Recipients, contracts and controls: {blank}", blank=sections.blank(say("conditions of access")))
    yield say("Other data that recipients can reasonably get: {blank}", blank=sections.blank(say("assessment")))


def _expiry(report: Report) -> Iterator[Block]:
    yield Paragraph(say("It ends when the next release of the series goes out, or earlier:"))
    when = sections.blank(say("date, no further ahead than the data and their environment can be foreseen"))
    ends = [
        say("on {blank};", blank=when),
        say("when a file named above is changed, withdrawn or published elsewhere in another form;"),
        say(
            "when other data about the same people appear: {blank}.", blank=sections.blank(say("who watches for this"))
        ),
    ]
    if applied := [each.expires for each in report.policy.waived if each.state == "applied"]:
        ends.append(
            say(
                "Findings were accepted until {until}: the verdict above ends with them.",
                until=day(min(applied)),
            )
        )
    yield Bullets(ends)


_CRITERIA = {
    SINGLING_OUT: Phrase("Singling out: can records of one person be isolated?"),
    LINKABILITY: Phrase("Linkability: can records of one person, or of a group, be linked?"),
    INFERENCE: Phrase("Inference: can a value be deduced with significant probability?"),
}


_BY_KEY = Phrase(
    "Yes, by assumption: this adversary knows each person's group in each release, and so links the releases. What "
    "that discloses was judged; see inference."
)
_BY_RECORD = Phrase(
    "Yes, by design: record ids are published and stay the same, so that anyone links all rows of a record."
)
_BY_REGISTER = Phrase(
    "Judged: this adversary knows people's exact quasi-identifiers, and links the releases by the groups in which a "
    "person can be. For what that discloses, see inference."
)
_BY_TABLES = Phrase(
    "The tables contain no records of people that could be linked. What the tables of all releases give away together "
    "was judged; see singling out and inference."
)


class AnonymisationCriteria(Document):
    """A report by the three criteria, each with what was measured and by which attack."""

    name: ClassVar[str] = "wp29"
    title: ClassVar[Phrase] = Phrase("Anonymisation by the criteria of Opinion 05/2014")
    purpose: ClassVar[Phrase] = Phrase(
        "For each criterion: which attacks tested it, and what they found in all releases together."
    )

    def parts(self, report: Report) -> Sequence[Part]:
        """Return its sections."""
        return [
            (say("What was audited"), sections.audited(report)),
            *((str(title), _criterion(report, criterion)) for criterion, title in _CRITERIA.items()),
            (say("Verdict by the policy in force"), sections.verdict(report)),
            sections.limits_of_the_audit(report),
            (say("Assessment"), sections.signature(say("Data protection officer"))),
        ]


def _criterion(report: Report, criterion: str) -> Iterator[Block]:
    ran = [each for each in report.attacks if each.ran and criterion in each.measures.criteria]
    lines = list(_alone(report)) if criterion == SINGLING_OUT else []
    if criterion == LINKABILITY:
        lines = list(_linking(report))
    for attack in ran:
        line = say("{name}: {text}", name=named(attack), text=result_text(attack, report.policy.violations))
        if attack.incomplete:
            line = say("{found} (the attack did not finish: there may be more)", found=line)
        lines.append(line)
    if lines:
        yield Bullets(lines)
    else:
        what = say("Not judged: no attack that applies to this series looks at this criterion.")
        yield Paragraph(what, strong=True)
    yield Paragraph(say("Assessment: {blank}", blank=sections.blank(say("whether this is acceptable, and why"))))


def _linking(report: Report) -> Iterator[str]:
    """Yield how this adversary links the releases, if attacks used that."""
    who = ADVERSARIES[report.adversary.kind]
    if isinstance(report.series, TablesFacts):
        yield str(_BY_TABLES)
        return
    if report.series.columns.get("record") and len(report.series.releases) > 1:
        yield str(_BY_RECORD if report.series.ids_recur else sections.NO_RECURRING_ID)
    if (
        who.knows_people
        and len(report.series.releases) > 1
        and any(a.ran and a.people is not None for a in report.attacks)
    ):
        yield str(_BY_KEY if who.knows_groups else _BY_REGISTER)


def _alone(report: Report) -> Iterator[str]:
    for tag in report.series.releases:
        panels = [each for each in report.panel if each.release == tag]
        if panels:
            k, alone = min(each.k for each in panels), max(each.alone for each in panels)
            yield say_count(
                "release {release} by itself: {count} [row shares its|rows share their] quasi-identifiers with no "
                "other; smallest class {k}",
                alone,
                release=printable(tag),
                k=k,
            )


class WitnessStatement(Document):
    """The statement beside a witness."""

    name: ClassVar[str] = "statement"
    title: ClassVar[Phrase] = Phrase("Statement of what an audit of a series of releases has shown")
    purpose: ClassVar[Phrase] = Phrase(
        "Anyone who has the releases and the witness can check what is proved, without trusting the program that wrote "
        "it."
    )

    def parts(self, report: Report) -> Sequence[Part]:
        """Return its sections."""
        return [(say("What was audited"), sections.audited(report)), (say("Verdict"), sections.verdict(report))]
