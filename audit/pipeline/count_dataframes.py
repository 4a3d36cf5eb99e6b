"""Frames: a report on count tables as tables for pandas, columns and dtypes always the same.

A cell is a dict of labels by dimension: `findings.join(pandas.DataFrame([*findings["cell"]]))` has a column for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from audit.model.count_report import (
    CellExplanation,
    CertificateCases,
    CertificateStep,
    CountFinding,
    CountReport,
    HiddenCell,
    SumTerm,
)
from audit.pipeline.dataframes import COUNT, OBJECT, TEXT, TRUTH, Row, fields_of, frame

if TYPE_CHECKING:
    import pandas as pd

_FINDING = {
    "id": TEXT,
    "kind": TEXT,
    "release": TEXT,
    "since": TEXT,
    "measure": TEXT,
    "cell": OBJECT,
    "shown": TEXT,
    "lower": COUNT,
    "upper": COUNT,
    "exact": TRUTH,
}
_TERM = {
    "finding": TEXT,
    "bound": TEXT,
    "case": TEXT,
    "release": TEXT,
    "cell": OBJECT,
    "weight": TEXT,
    "shown": TEXT,
    "count": COUNT,
    "file": TEXT,
    "line": COUNT,
}
_EXPLAINED = {
    "release": TEXT,
    "since": TEXT,
    "measure": TEXT,
    "shown": OBJECT,
    "lower": COUNT,
    "upper": COUNT,
    "exact": TRUTH,
}
_HIDDEN = {"cell": OBJECT, "shown": TEXT, "file": TEXT, "line": COUNT}


def measured(report: CountReport) -> pd.Series:
    """Return what was measured, by name."""
    import pandas as pd

    attack = report.attack
    found = {
        "status": attack.status,
        "reason": attack.reason,
        "seconds": attack.seconds,
        **asdict(attack.measures),
        "findings_total": attack.findings_total,
        "certificates_checked": attack.certificates_checked,
    }
    return pd.Series(list(found.values()), list(found), object, name=attack.attack).rename_axis("measure")


def findings(found: Sequence[CountFinding]) -> pd.DataFrame:
    """Return findings, one row for each."""
    return frame(_FINDING, [fields_of(each, _FINDING) for each in found])


def certificates(found: Sequence[CountFinding]) -> pd.DataFrame:
    """Return the sums that prove findings, one row for each number in them; `case` is `1.2` in case 2 of case 1."""
    rows = [
        {"finding": finding.id, "bound": bound.bound, **term}
        for finding in found
        for bound in finding.certificate
        for term in _terms(bound.step, "")
    ]
    return frame(_TERM, rows)


def explained(told: CellExplanation) -> pd.DataFrame:
    """Return what can be told of a cell, one row for each release, increase and statistic."""
    return frame(_EXPLAINED, [fields_of(each, _EXPLAINED) for each in told.counts])


def hidden(cells: Sequence[HiddenCell]) -> pd.DataFrame:
    """Return cells to hide, one row for each."""
    return frame(_HIDDEN, [fields_of(each, _HIDDEN) for each in cells])


def _terms(step: CertificateStep, case: str) -> Iterator[Row]:
    if isinstance(step, CertificateCases):
        for number, below in enumerate((step.below, step.above), 1):
            yield from _terms(below, f"{case}.{number}" if case else str(number))
        return
    for term in step.terms:
        told = fields_of(term, _TERM) if isinstance(term, SumTerm) else {"weight": term.weight}
        yield {**told, "case": case or None, "count": term.end}
