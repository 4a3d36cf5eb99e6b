"""HTML: one file to read, print, sign and keep; it needs no network and no script.

Pictures are embedded, styles are named by their hash in the content-security policy, and nothing else may be loaded.
Names are escaped by the template, control characters by `printable`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from audit.model.errors import printable
from audit.model.measures import Distribution
from audit.model.report import AttackReport, DisclosureStep, NamedDisclosure, NamedFinding, Report
from audit.model.words import number, plural
from reports import charts
from reports.finding_text import UNPROVED, places, sentence, steps, timelines, told, unproved
from reports.proof_text import in_short
from reports.release_risk import panel
from reports.sentences import (
    CONTRADICTED,
    absent,
    adversary,
    advice,
    contradicted,
    counted,
    described,
    facts,
    fallen,
    fingerprint,
    headline,
    known_of,
    listing,
    multiset,
    named,
    notes,
    people,
    percent,
    reasons,
    seconds,
    secrecy,
    settings,
    undecided,
    warnings,
)

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"
_SIZES, _COLUMNS = 20, 12
_RISKS = [*(f"{tenth / 10:g}–" for tenth in range(10)), "1"]


@dataclass(frozen=True)
class Html:
    """Render a report as a page."""

    name: str = "html"

    def render(self, report: Report) -> str:
        """Return the report as one self-contained page."""
        verdict, colour = headline(report)
        return page(
            "report.html.j2",
            title=f"Audit of {printable(report.series.name, 200)}",
            internal=report.revealed,
            report=report,
            verdict=verdict,
            sign={"red": "✗", "yellow": "?", "green": "✓"}[colour],
            colour=colour,
            told=told(report),
            undecided=list(_undecided(report)),
            pictures=list(_charts(report)),
            panel=panel(report),
        )


def page(template: str, *, internal: bool, **content: object) -> str:
    """Return a page from a template, with its styles; an internal one says on every printed sheet what it is."""
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8") + _sheets(internal=internal)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    rendered: str = (
        _environment().get_template(template).render(style=style, policy=policy, internal=internal, **content)
    )
    return rendered


def _sheets(*, internal: bool) -> str:
    """Return the style of printed sheets."""
    mark = "INTERNAL: names people" if internal else "Shareable: names nobody"
    corner = "font: 9pt sans-serif; color: " + ("#7a0016" if internal else "#555555")
    return (
        f'@page {{ size: A4; margin: 18mm 16mm; @top-right {{ content: "{mark}"; {corner} }}\n'
        f'@bottom-right {{ content: counter(page) " of " counter(pages); {corner} }} }}\n'
    )


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": percent,
        "sentence": lambda finding: sentence(finding, by_version=False),
        "steps": steps,
        "unproved": unproved,
        "printable": printable,
        "style": Markup,  # our own file, which escaping would break
        "number": number,
        "described": described,
    }
    environment.globals |= {
        "absent": absent,
        "advice": advice,
        "adversary": adversary,
        "contradicted": contradicted,
        "CONTRADICTED": CONTRADICTED,
        "facts": facts,
        "settings": settings,
        "fallen": fallen,
        "fingerprint": fingerprint,
        "secrecy": secrecy,
        "solver_word": UNPROVED,
        "in_short": in_short,
        "listing": listing,
        "multiset": multiset,
        "kind": _kind,
        "left": _left,
        "matrix": _matrix,
        "notes": notes,
        "people": people,
        "warnings": warnings,
        "places": places,
        "plural": plural,
        "reasons": reasons,
        "seconds": seconds,
    }
    return environment


def _kind(finding: NamedFinding) -> str:
    """Return which part of the template draws a finding."""
    return {
        "NamedDisclosure": "disclosure",
        "NamedNarrowed": "narrowed",
        "NamedEquivalence": "equivalence",
        "NamedPin": "pin",
        "NamedGroup": "group",
        "NamedRisk": "risk",
        "NamedLinkage": "linkage",
    }[type(finding).__name__]


def _left(step: DisclosureStep) -> Sequence[str]:
    """Return the values that a release leaves possible; on a possible path, where values may change."""
    return step.candidates if step.feasible is None else step.feasible


def _matrix(finding: NamedDisclosure) -> list[str] | None:
    """Return the columns of the drawing of a disclosure: all values that its groups hold; None where too many do."""
    values = sorted({value for step in finding.certificate for value in step.candidates})
    return values if len(values) <= _COLUMNS else None


def _undecided(report: Report) -> Iterator[str]:
    """Yield what the audit leaves open."""
    yield from undecided(report)
    for attack in report.attacks:
        if attack.status != "complete":
            yield f"{named(attack)} is {attack.status}: {printable(attack.reason or '', 400)}"


def _charts(report: Report) -> Iterator[charts.Chart]:
    """Yield the pictures of a report."""
    tags = [printable(tag, 24) for tag in report.series.releases]
    over_time = []
    for attack, line in timelines(report):
        of = known_of(attack)
        if of:
            bound = ", at least" if attack.status == "incomplete" else ""
            name = f"{counted(attack)} by {named(attack)}, % of {of[1]}{bound}"
            over_time.append((name, [100 * each / of[0] for each in line]))
    if over_time:
        yield charts.lines("What is found, release by release", tags, over_time, axes=("after release", "%"))
    for attack in report.attacks:
        for each in attack.measures.distributions():
            yield _distribution(attack, each)
    risks = []
    for attack in told(report):
        counts = attack.risks.risk_counts
        if isinstance(counts, list) and any(counts):
            risks.append((named(attack), [100 * each / sum(counts) for each in counts]))
    if risks:
        title = "How probable the true value is, for how many"
        yield charts.bars(title, _RISKS, risks, axes=("risk", "% of people or versions"))


def _distribution(attack: AttackReport, what: Distribution) -> charts.Chart:
    sizes = what.counts
    most = max(sizes)
    shown = range(min(sizes.keys() | {1}), min(most, _SIZES) + 1)  # 0 where somebody contradicts the assumptions
    ticks = [str(size) for size in shown]
    counts: list[float | None] = [sizes.get(size, 0) for size in shown]
    if most > _SIZES:
        ticks.append(f">{_SIZES}")
        counts.append(sum(count for size, count in sizes.items() if size > _SIZES))
    title = f"{what.title}, by {named(attack)}"
    return charts.bars(title, ticks, [(what.vertical, counts)], axes=(what.horizontal, what.vertical))
