"""What an expert determination (45 CFR 164.514(b)(1)) asks for: methods, results, conditions and an end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from audit.model.report import Report
from reports.documents.sections import attacks, audited, blank, document, limits_of_the_audit, signature, verdict


@dataclass(frozen=True)
class ExpertDetermination:
    """Render a report as the technical part of an expert determination."""

    name: str = "expert"

    def render(self, report: Report) -> str:
        """Return the document as Markdown with a final line break."""
        return document(
            "Technical basis of an expert determination",
            "Evidence for an expert, who determines whether the risk is very small; it determines nothing by itself.",
            report,
            [
                ("The expert", _expert()),
                ("The data", audited(report)),
                ("Methods and results", _results(report)),
                ("What was not decided, and what limits the result", limits_of_the_audit(report)),
                ("Conditions", _conditions(report)),
                ("Until when it holds", _expiry(report)),
                ("Determination", signature("Expert")),
            ],
        )


def _expert() -> Iterator[str]:
    yield f"Name and qualification: {blank('knowledge and experience with statistical and scientific methods')}"


def _results(report: Report) -> Iterator[str]:
    yield "Every finding carries a certificate that code which knows nothing of the attack has checked again."
    yield from attacks(report)
    yield from verdict(report)


def _conditions(report: Report) -> Iterator[str]:
    releases = len(report.series.releases)
    yield f"* The result is about the {releases} releases named above together, and about no other data beside them."
    yield "* It assumes the adversary named above; who knows more learns more."
    yield f"* Recipients, contracts and controls: {blank('conditions of access')}"
    yield f"* Other data that recipients can reasonably get: {blank('assessment')}"


def _expiry(report: Report) -> Iterator[str]:
    yield "It ends when the next release of the series goes out, or earlier:"
    yield f"* on {blank('date, at most as far ahead as the data and their surroundings can be foreseen')};"
    yield "* when a file named above is changed, withdrawn or published elsewhere in another form;"
    yield f"* when other data about the same people appear: {blank('who watches for this')}."
    applied = [each.expires for each in report.policy.waived if each.state == "applied"]
    if applied:
        yield f"* Findings were accepted until {min(applied)}: the verdict above ends with them."
