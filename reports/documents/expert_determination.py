"""What an expert determination (45 CFR 164.514(b)(1)) asks for: methods, results, conditions and an end."""

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
    limits_of_the_audit,
    recommendation,
    signature,
    verdict,
)


@dataclass(frozen=True)
class ExpertDetermination:
    """Render a report as the technical part of an expert determination."""

    name: str = "expert"

    def render(self, report: Report) -> str:
        """Return the document as Markdown with a final line break."""
        return document(
            say("Technical basis of an expert determination"),
            say(
                "Evidence for an expert, who determines whether the risk is very small; it determines nothing by "
                "itself."
            ),
            report,
            [
                (say("The expert"), _expert()),
                (say("The data"), audited(report)),
                (say("Methods and results"), _results(report)),
                (say("What was not decided, and what limits the result"), limits_of_the_audit(report)),
                (say("Conditions"), _conditions(report)),
                (say("Until when it holds"), _expiry(report)),
                (say("Determination"), signature(say("Expert"))),
            ],
        )


def _expert() -> Iterator[str]:
    yield say(
        "Name and qualification: {blank}",
        blank=blank(say("knowledge and experience with statistical and scientific methods")),
    )


def _results(report: Report) -> Iterator[str]:
    yield say("Every finding carries a certificate that code which knows nothing of the attack has checked again.")
    yield from attacks(report)
    yield from verdict(report)
    yield from recommendation(report)


def _conditions(report: Report) -> Iterator[str]:
    releases = len(report.series.releases)
    told = say(
        "The result is about the {releases} releases named above together, and about no other data beside them.",
        releases=str(releases),
    )
    yield f"* {told}"
    yield f"* {say('It assumes the adversary named above; anybody who knows more can learn more.')}"
    yield f"* {say('Recipients, contracts and controls: {blank}', blank=blank(say('conditions of access')))}"
    yield f"* {say('Other data that recipients can reasonably get: {blank}', blank=blank(say('assessment')))}"


def _expiry(report: Report) -> Iterator[str]:
    yield say("It ends when the next release of the series goes out, or earlier:")
    when = blank(say("date, no further ahead than the data and their environment can be foreseen"))
    yield f"* {say('on {blank};', blank=when)}"
    yield f"* {say('when a file named above is changed, withdrawn or published elsewhere in another form;')}"
    yield f"* {say('when other data about the same people appear: {blank}.', blank=blank(say('who watches for this')))}"
    applied = [each.expires for each in report.policy.waived if each.state == "applied"]
    if applied:
        told = say("Findings were accepted until {until}: the verdict above ends with them.", until=min(applied))
        yield f"* {told}"
