"""The three criteria of the Article 29 Working Party (Opinion 05/2014, WP216): singling out, linkability, inference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from audit.model.adversary import ADVERSARIES
from audit.model.count_tables import TablesFacts
from audit.model.measures import INFERENCE, LINKABILITY, SINGLING_OUT
from audit.model.report import Report
from audit.runtime.phrases import Phrase, printable, say, say_count
from reports.documents import sections
from reports.documents.sections import Document, Part
from reports.page import Block, Bullets, Paragraph
from reports.sentences import named, result_text

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
