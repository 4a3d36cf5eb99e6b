"""Frames: a report on count tables as tables for pandas, columns and dtypes always the same.

A cell is a dict of labels by dimension: `findings.join(pandas.DataFrame([*findings["cell"]]))` has a column for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from audit.findings.count import found_counts
from audit.model.count_answers import CellExplanation, HiddenCell
from audit.model.count_certificates import CountStep, CountSum, PublishedTerm
from audit.model.finding import Finding
from audit.model.report import Report
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


def findings(found: Sequence[Finding[str]]) -> pd.DataFrame:
    """Return findings, one row for each."""
    return frame(_FINDING, [fields_of(each, _FINDING) for each in found])


def certificates(report: Report) -> pd.DataFrame:
    """Return the sums that prove findings, one row for each number in them; `case` is `1.2` in case 2 of case 1."""
    rows = [
        {"finding": finding.id, "bound": bound.bound, **term}
        for finding in found_counts(report)
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


def _terms(step: CountStep, case: str) -> Iterator[Row]:
    if not isinstance(step, CountSum):
        for number, below in enumerate(step.cases, 1):
            yield from _terms(below.step, f"{case}.{number}" if case else str(number))
        return
    for term in step.terms:
        told = fields_of(term, _TERM) if isinstance(term, PublishedTerm) else {"weight": term.weight}
        yield {**told, "case": case or None, "count": term.end}
