"""Frames: a report on count tables as tables for pandas, columns and dtypes always the same.

A cell is a dict of labels by dimension: `findings.join(pandas.DataFrame([*findings["cell"]]))` has a column for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from audit.model.count_answers import CellExplanation, HiddenCell
from audit.model.finding import Finding
from audit.pipeline.dataframes import COUNT, OBJECT, TEXT, TRUTH, fields_of, frame

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


def explained(answer: CellExplanation) -> pd.DataFrame:
    """Return what is known of a cell, one row for each release, increase and statistic."""
    return frame(_EXPLAINED, [fields_of(each, _EXPLAINED) for each in answer.counts])


def hidden(cells: Sequence[HiddenCell]) -> pd.DataFrame:
    """Return cells to hide, one row for each."""
    return frame(_HIDDEN, [fields_of(each, _HIDDEN) for each in cells])
