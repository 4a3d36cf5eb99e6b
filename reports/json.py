"""JSON: the whole report, in the form that other programs rely on."""

from __future__ import annotations

import datetime
from dataclasses import asdict, dataclass, replace

from audit.model.evidence import CombinedName
from audit.model.recommendation import Recommendation
from audit.model.report import (
    AttackReport,
    DisclosureStep,
    NamedDisclosure,
    NamedEquivalence,
    NamedFinding,
    NamedGroup,
    NamedLinkage,
    NamedPin,
    NamedRisk,
    PolicyReport,
    ProofSteps,
    ReleasePanel,
    Report,
    SeriesFacts,
    Violation,
)
from reports.escaping import as_json


@dataclass(frozen=True)
class Json:
    """Render a report as one JSON object."""

    name: str = "json"

    def render(self, report: Report) -> str:
        """Return the report as indented JSON with a final line break."""
        return as_json(document(report))


def document(report: Report) -> dict[str, object]:
    """Return the report as the entries of a JSON object."""
    return {
        "schema_version": report.schema_version,
        "tool": {"name": "series-audit", "version": report.tool_version},
        "made": report.made.isoformat(),
        "inputs": [_without_none(asdict(each)) for each in report.inputs],
        "series": _series(report.series),
        "adversary": asdict(report.adversary),
        "contradictions": _without_none(asdict(report.contradictions)),
        "time_limit": report.time_limit,
        "revealed": report.revealed,
        "stable_ids": report.ids_are_stable,
        **({"interrupted": True} if report.interrupted else {}),
        **({} if report.known_before is None else {"known_before": report.known_before}),
        **({} if report.baseline is None else {"baseline": _dated(asdict(report.baseline))}),
        **({} if report.recommendation is None else {"recommendation": _recommendation(report.recommendation)}),
        "people": [_without_none(asdict(each)) for each in report.people],
        "attacks": [_attack(attack) for attack in report.attacks],
        "warnings": [asdict(each) for each in report.warnings],
        "ladder": [_without_none(asdict(rung)) for rung in report.ladder],
        "exposure": [_without_none(asdict(each)) for each in report.exposure],
        "panel": [_panel(each) for each in report.panel],
        "policy": policy(report.policy),
    }


def _series(facts: SeriesFacts) -> dict[str, object]:
    """Return what was audited, with the dates of publication where any is known."""
    entry = {**asdict(facts), "published": {tag: day.isoformat() for tag, day in facts.published.items()}}
    return entry if facts.published else {key: value for key, value in entry.items() if key != "published"}


def _recommendation(found: Recommendation) -> dict[str, object]:
    """Return what is recommended, without its changes where their groups and lines may not be told."""
    entry = asdict(found)
    return entry if found.moves else {key: value for key, value in entry.items() if key != "moves"}


def _dated(entry: dict[str, object]) -> dict[str, object]:
    made = entry["made"]
    return {**entry, "made": made.isoformat() if isinstance(made, datetime.date) else None}


def policy(decided: PolicyReport) -> dict[str, object]:
    """Return the decision, with every clause in force and how it ended."""
    return {
        "passed": decided.passed,
        "limits": decided.limits,
        "clauses": [asdict(each) for each in decided.clauses],
        "violations": [_violation(each) for each in decided.violations],
        "undecided": [asdict(each) for each in decided.undecided],
        "not_asked": [each.clause for each in decided.ended("not asked")],
        "not_judged": [each.clause for each in decided.ended("not judged")],
        "waived": [_without_none(asdict(each)) for each in decided.waived],
    }


def _violation(violation: Violation) -> dict[str, object]:
    """Return a violation: by an attack, or by a release alone."""
    return {"attack": violation.attack} | _without_none(asdict(violation))


def _without_none(entry: dict[str, object]) -> dict[str, object]:
    return {
        key: _sensitive(value) if isinstance(value, str) else value for key, value in entry.items() if value is not None
    }


def _panel(panel: ReleasePanel) -> dict[str, object]:
    entry = asdict(panel)
    if panel.sensitive is None:
        del entry["sensitive"]
    return entry


def _sensitive(name: str) -> str | list[str]:
    """Return a sensitive attribute, or the list of several whose values are combined."""
    return list(name.attributes) if isinstance(name, CombinedName) else name


def _attack(attack: AttackReport) -> dict[str, object]:
    named = {} if attack.sensitive is None else {"sensitive": _sensitive(attack.sensitive)}
    return {
        "attack": attack.attack,
        **named,
        "status": attack.status,
        "reason": attack.reason,
        "seconds": attack.seconds,
        "measures": attack.figures,
        "findings": [told(finding) for finding in attack.findings],
        "findings_total": attack.findings_total,
        "people": attack.people,
    }


def told(finding: NamedFinding) -> dict[str, object]:
    """Return a finding with its certificate."""
    if isinstance(finding, NamedDisclosure):
        steps = [_disclosure_step(step) for step in finding.certificate]
        if finding.proof is not None:
            steps += _proof_steps(finding.proof)
        said = asdict(replace(finding, proof=None))
        del said["proof"]
        if not finding.alone:
            del said["alone"]
        if finding.attribute is None:
            del said["attribute"]
        return _of_kind(finding, {**said, "certificate": steps})
    if isinstance(finding, NamedRisk):
        return _of_kind(finding, {**asdict(finding), "certificate": [_disclosure_step(s) for s in finding.certificate]})
    if isinstance(finding, NamedEquivalence | NamedPin | NamedGroup | NamedLinkage):
        return _of_kind(finding, _without_none(asdict(finding)))
    steps = [_without_none(asdict(step)) for step in finding.certificate]
    return _of_kind(finding, _without_none({**asdict(finding), "certificate": steps}))


def _of_kind(finding: NamedFinding, said: dict[str, object]) -> dict[str, object]:
    """Return a finding of its kind, with where its groups stand if that is told."""
    told = {"id": finding.id, "kind": finding.kind, **said}
    del told["located"]
    # How many rows a group has stands in `rows` already.
    name = "located" if isinstance(finding, NamedGroup | NamedLinkage) else "rows"
    return {**told, name: [asdict(each) for each in finding.located]} if finding.located else told


def _disclosure_step(step: DisclosureStep) -> dict[str, object]:
    where: dict[str, object] = {"group": step.groups[0]} if len(step.groups) == 1 else {"groups": list(step.groups)}
    feasible = {} if step.feasible is None else {"feasible": list(step.feasible)}
    return {"release": step.release, **where, "candidates": list(step.candidates), **feasible}


def _proof_steps(proof: ProofSteps) -> list[dict[str, object]]:
    """Return the points that are counted, or the cases, each with the steps that it leads to."""
    points: list[dict[str, object]] = []
    if proof.points or proof.nobody is not None:
        points.append(
            {
                "points": [asdict(each) for each in proof.points],
                "total": proof.total,
                "spent": [{"person": each.individual, "least": each.least} for each in proof.spent],
                **({} if proof.nobody is None else {"nobody": proof.nobody}),
            }
        )
    cases: list[dict[str, object]] = [
        {
            "person": case.individual,
            "release": case.release,
            "value": case.value,
            "leads_to": _proof_steps(case.leads_to),
        }
        for case in proof.cases
    ]
    return points + cases
