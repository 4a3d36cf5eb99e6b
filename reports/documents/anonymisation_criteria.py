"""The three criteria of the Article 29 Working Party (Opinion 05/2014, WP216): singling out, linkability, inference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from audit.model.measures import INFERENCE, LINKABILITY, SINGLING_OUT
from audit.model.report import Report
from audit.runtime.phrases import Phrase, say, say_count
from reports.documents.sections import (
    audited,
    blank,
    document,
    found,
    limits_of_the_audit,
    recommendation,
    signature,
    verdict,
)
from reports.escaping import markdown as escaped
from reports.sentences import named

_CRITERIA = {
    SINGLING_OUT: Phrase("Singling out: can records of one person be isolated?"),
    LINKABILITY: Phrase("Linkability: can records of one person, or of a group, be linked?"),
    INFERENCE: Phrase("Inference: can a value be deduced with significant probability?"),
}


@dataclass(frozen=True)
class AnonymisationCriteria:
    """Render a report by the three criteria, each with what was measured and by which attack."""

    name: str = "wp29"

    def render(self, report: Report) -> str:
        """Return the document as Markdown with a final line break."""
        return document(
            say("Anonymisation by the criteria of Opinion 05/2014"),
            say("For each criterion: which attack looked, and what it found in all releases together."),
            report,
            [
                (say("What was audited"), audited(report)),
                *((str(title), _criterion(report, criterion)) for criterion, title in _CRITERIA.items()),
                (say("Verdict by the policy in force"), chain(verdict(report), recommendation(report))),
                (say("What was not decided, and what limits the result"), limits_of_the_audit(report)),
                (say("Assessment"), signature(say("Data protection officer"))),
            ],
        )


def _criterion(report: Report, criterion: str) -> Iterator[str]:
    ran = [each for each in report.attacks if each.ran and criterion in each.measures.criteria]
    if criterion == SINGLING_OUT:
        yield from _alone(report)
    for attack in ran:
        told = f"{escaped(named(attack))}: {escaped(found(attack))}"
        if attack.incomplete:
            told = say("{found} (the attack did not finish: there may be more)", found=told)
        yield f"* {told}"
    if not ran and (criterion != SINGLING_OUT or not report.panel):
        yield say("**Not judged**: no attack that applies to this series looks at this criterion.")
    yield say("Assessment: {blank}", blank=blank(say("whether this is acceptable, and why")))


def _alone(report: Report) -> Iterator[str]:
    for tag in report.series.releases:
        panels = [each for each in report.panel if each.release == tag]
        if panels:
            k, alone = min(each.k for each in panels), max(each.alone for each in panels)
            told = say_count(
                "release {release} by itself: {count} row shares its quasi-identifiers with no other; smallest class "
                "{k}",
                "release {release} by itself: {count} rows share their quasi-identifiers with no other; smallest class "
                "{k}",
                alone,
                release=escaped(tag),
                k=k,
            )
            yield f"* {told}"
