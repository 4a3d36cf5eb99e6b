"""JSON: the whole report, in the form that other programs rely on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from audit.core.report import (
    AttackReport,
    DisclosureStep,
    NamedDisclosure,
    NamedEquivalence,
    NamedFinding,
    NamedPin,
    ProofSteps,
    ReleasePanel,
    Report,
)
from reports.escaping import as_json


@dataclass(frozen=True)
class Json:
    """Render a report as one JSON object."""

    ident: str = "json"

    def render(self, report: Report) -> str:
        """Return the report as indented JSON with a final line break."""
        return as_json(document(report))


def document(report: Report) -> dict[str, object]:
    """Return the report as the entries of a JSON object."""
    violations = [_without_none(asdict(violation)) for violation in report.policy.violations]
    return {
        "schema_version": report.schema_version,
        "tool": {"name": "series-audit", "version": report.tool_version},
        "inputs": [asdict(each) for each in report.inputs],
        "series": asdict(report.series),
        "adversary": asdict(report.adversary),
        "contradictions": asdict(report.contradictions),
        "time_limit": report.time_limit,
        "revealed": report.revealed,
        "attacks": [_attack(attack) for attack in report.attacks],
        "ladder": [_without_none(asdict(rung)) for rung in report.ladder],
        "panel": [_panel(each) for each in report.panel],
        "policy": {"passed": report.policy.passed, **asdict(report.policy), "violations": violations},
    }


def _without_none(entry: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in entry.items() if value is not None}


def _panel(panel: ReleasePanel) -> dict[str, object]:
    entry = asdict(panel)
    if panel.sensitive is None:
        del entry["sensitive"]
    return entry


def _attack(attack: AttackReport) -> dict[str, object]:
    named = {} if attack.sensitive is None else {"sensitive": attack.sensitive}
    return {
        "attack": attack.attack,
        **named,
        "status": attack.status,
        "reason": attack.reason,
        "seconds": attack.seconds,
        "measures": attack.measures,
        "findings": [told(finding) for finding in attack.findings],
        "findings_total": attack.findings_total,
    }


def told(finding: NamedFinding) -> dict[str, object]:
    """Return a finding with its certificate."""
    if isinstance(finding, NamedDisclosure):
        steps = [_disclosure_step(step) for step in finding.certificate]
        if finding.proof is not None:
            steps += _proof_steps(finding.proof)
        said = asdict(replace(finding, proof=None))
        del said["proof"]
        return _of_kind(finding, {**said, "certificate": steps})
    if isinstance(finding, NamedEquivalence | NamedPin):
        return _of_kind(finding, asdict(finding))
    steps = [_without_none(asdict(step)) for step in finding.certificate]
    return _of_kind(finding, _without_none({**asdict(finding), "certificate": steps}))


def _of_kind(finding: NamedFinding, said: dict[str, object]) -> dict[str, object]:
    return {"id": finding.id, "kind": finding.kind, **said}


def _disclosure_step(step: DisclosureStep) -> dict[str, object]:
    where: dict[str, object] = {"group": step.groups[0]} if len(step.groups) == 1 else {"groups": list(step.groups)}
    feasible = {} if step.feasible is None else {"feasible": list(step.feasible)}
    return {"release": step.release, **where, "candidates": list(step.candidates), **feasible}


def _proof_steps(proof: ProofSteps) -> list[dict[str, object]]:
    """Return exclusions and, after them, cases, each with the steps that it leads to."""
    exclusions: list[dict[str, object]] = [
        {
            "release": step.release,
            "rows": [{"group": group, "value": value} for group, value in step.rows],
            "holders": list(step.holders),
        }
        for step in proof.exclusions
    ]
    cases: list[dict[str, object]] = [
        {
            "person": case.individual,
            "release": case.release,
            "value": case.value,
            "leads_to": _proof_steps(case.leads_to),
        }
        for case in proof.cases
    ]
    return exclusions + cases
