"""What an expert determination (45 CFR 164.514(b)(1)) asks for: methods, results, conditions and an end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from audit.model.report import Report
from audit.runtime.phrases import Phrase, day, say
from reports.documents import sections
from reports.documents.sections import Document, Part
from reports.page import Block, Bullets, Paragraph


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
            (say("Methods and results"), _results(report)),
            sections.limits_of_the_audit(report),
            (say("Conditions"), [Bullets(list(_conditions(report)))]),
            (say("Until when it holds"), _expiry(report)),
            (say("Determination"), sections.signature(say("Expert"))),
        ]


def _results(report: Report) -> Iterator[Block]:
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
