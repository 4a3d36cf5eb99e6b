"""JSON: the whole report on count tables, in the form that other programs rely on."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from audit.model.count_report import (
    AssumedTerm,
    CertificateStep,
    CertificateSum,
    CertifiedBound,
    CountAttackReport,
    CountFinding,
    CountReport,
    CountRules,
    SumTerm,
)
from reports.escaping import as_json


@dataclass(frozen=True)
class CountJson:
    """Render a report on count tables as one JSON object."""

    name: str = "json"

    def render(self, report: CountReport) -> str:
        """Return the report as indented JSON with a final line break."""
        return as_json(document(report))


def document(report: CountReport) -> dict[str, object]:
    """Return the report as the entries of a JSON object."""
    series = asdict(report.series)
    return {
        "schema_version": report.schema_version,
        "tool": {"name": "series-audit", "version": report.tool_version},
        "made": report.made.isoformat(),
        "inputs": [{"path": each.path, "sha256": each.sha256, "rows": each.rows} for each in report.inputs],
        "series": {"kind": "tables", **series, "rules": _rules(report.series.rules)},
        "adversary": {"kind": "published", "transitions": False, "known": 0},
        "time_limit": report.time_limit,
        "attacks": [_attack(report.attack)],
        "policy": {
            "passed": report.policy.passed,
            **asdict(report.policy),
            "violations": [_without_none(asdict(each)) for each in report.policy.violations],
        },
    }


def _rules(rules: CountRules) -> dict[str, object]:
    rates = None if rules.rates is None else dict(zip(_RATES, rules.rates, strict=True))
    rounding = None if rules.rounding is None else {"to": rules.rounding[0], "how": rules.rounding[1]}
    return {**asdict(rules), "rounding": rounding, "rates": rates}


_RATES = ("column", "per", "decimals", "denominator")


def _attack(attack: CountAttackReport) -> dict[str, object]:
    return {
        "attack": attack.attack,
        "status": attack.status,
        "reason": attack.reason,
        "seconds": attack.seconds,
        "measures": asdict(attack.measures),
        "findings": [finding_entry(each) for each in attack.findings],
        "findings_total": attack.findings_total,
        "certificates_checked": attack.certificates_checked,
    }


def finding_entry(finding: CountFinding) -> dict[str, object]:
    """Return a finding with its certificate."""
    return {
        "id": finding.id,
        "kind": finding.kind,
        "release": finding.release,
        **({} if finding.since is None else {"since": finding.since}),
        **({} if finding.measure is None else {"measure": finding.measure}),
        "cell": finding.cell,
        **({} if finding.shown is None else {"published": finding.shown}),
        "lower": finding.lower,
        "upper": finding.upper,
        **({} if finding.exact else {"exact": False}),
        "certificate": [bound_entry(each) for each in finding.certificate],
    }


def bound_entry(bound: CertifiedBound) -> dict[str, object]:
    """Return what shows a bound."""
    return {"bound": bound.bound, **_step(bound.step), "steps": _sums(bound.step), "rounded": bound.rounded}


def _step(step: CertificateStep) -> dict[str, object]:
    if isinstance(step, CertificateSum):
        said: dict[str, object] = {"sum": [_term(term) for term in step.terms], "value": step.value}
        return {**said, "impossible": True} if step.impossible else said
    where = {"release": step.release, **({} if step.since is None else {"since": step.since}), "cell": step.cell}
    return {
        "cases": [
            {**where, "at_most": step.at_most, **_step(step.below)},
            {**where, "at_least": step.at_most + 1, **_step(step.above)},
        ]
    }


def _term(term: SumTerm | AssumedTerm) -> dict[str, object]:
    if isinstance(term, AssumedTerm):
        return {"case": term.case, "weight": term.weight, "count": term.end}
    where = {} if term.file is None else {"file": term.file, "line": term.line}
    published = {} if term.shown is None else {"published": term.shown}
    return {
        "release": term.release,
        "cell": term.cell,
        "weight": term.weight,
        **published,
        "count": term.end,
        **where,
    }


def _sums(step: CertificateStep) -> int:
    """Return how many sums a certificate takes."""
    return 1 if isinstance(step, CertificateSum) else _sums(step.below) + _sums(step.above)


def _without_none(entry: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in entry.items() if value is not None}
