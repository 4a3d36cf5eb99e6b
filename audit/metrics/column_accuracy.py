"""Column accuracy: in which form a release publishes the cells of a column, and how wide its ranges are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from audit.io.cells import Anything, Cell, CellError, Interval, Kind, Masked, NumberSet, ValueSet
from audit.io.releases import KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Counts, tally
from audit.model.report import ColumnAccuracy

_YEARS = range(1850, 2101)
_READ_TEXTS = 1000
"""The most texts of a column that are read; of more, texts at equal distances are."""


def column_accuracy(series: Series, release: KeyedRelease) -> Iterator[ColumnAccuracy]:
    """Yield the accuracy of each quasi-identifier and each sensitive attribute of a release.

    Withheld and missing cells are counted exactly; of a column with many different texts, the others are measured in a
    sample.
    """
    for name in series.columns.quasi_identifiers:
        codes, texts = release.texts[name]
        yield _measured(series, name, texts, tally(codes, len(texts), release.counts))
    for name, values in release.entry_value.items():
        texts = series.vocabularies[name].names
        yield _measured(series, name, texts, tally(values, len(texts), release.entry_count), single=True)


def _measured(series: Series, name: str, texts: Sequence[str], rows: Counts, *, single: bool = False) -> ColumnAccuracy:
    """Return the accuracy of a column with so many rows of each text; a `single` value may have commas in it."""
    missing, found = series.missing(name), np.flatnonzero(rows)
    unknown = {
        "missing": [code for code in found.tolist() if texts[code] in missing],
        "withheld": [code for code in found.tolist() if texts[code] not in missing and not texts[code].strip("* ")],
    }
    shown = np.setdiff1d(found, [code for codes in unknown.values() for code in codes])
    read = shown[:: max(1, -(-len(shown) // _READ_TEXTS))]
    column = series.column_of_cells(name, [texts[code] for code in read.tolist()])
    share, wide, kept = dict[str, float](), list[tuple[float, int]](), list[int]()
    ranges = list[Interval]()
    for code in read.tolist():
        try:
            cell: Cell = column.parse(texts[code])
        except CellError:  # a sensitive value may look like a faulty range
            cell = ValueSet(frozenset([texts[code]]))
        form = "exact" if single and isinstance(cell, ValueSet) else _form(cell)
        share[form] = share.get(form, 0) + int(rows[code])
        if isinstance(cell, Masked):
            kept.append(len(cell.prefix))
        elif form == "range" and isinstance(cell, Interval):
            ranges.append(cell)
            if (width := _width(cell)) is not None:
                wide.append((width, int(rows[code])))
    total, measured = int(rows.sum()), sum(share.values())
    shares = {form: many / measured * int(rows[shown].sum()) / total for form, many in share.items()}
    shares |= {form: int(rows[codes].sum()) / total for form, codes in unknown.items() if codes}
    return ColumnAccuracy(
        column=name,
        different=len(shown),
        shares=shares,
        ordered=column.kind is not Kind.CATEGORICAL,
        days=column.kind.is_date,
        years=all(end is None or end in _YEARS for each in ranges for end in (each.low, each.high)),
        width=_middle(wide),
        kept=(min(kept), max(kept)) if kept else None,
    )


def _form(cell: Cell) -> str:
    match cell:
        case Anything():
            return "withheld"
        case Interval(low, high):
            return "exact" if low == high else "range"
        case ValueSet(members):
            return "exact" if len(members) == 1 else "set"
        case NumberSet():
            return "set"
        case Masked():
            return "prefix"


def _width(cell: Interval) -> float | None:
    """Return how many whole numbers a range between whole numbers covers, else its length; None without two ends."""
    if cell.low is None or cell.high is None:
        return None
    whole = cell.low.denominator == cell.high.denominator == 1
    return float(cell.high - cell.low) + (1 - cell.low_open - cell.high_open if whole else 0)


def _middle(wide: list[tuple[float, int]]) -> float | None:
    """Return the width of the middle one of all rows with ranges."""
    widths, rows = (np.array(each) for each in zip(*sorted(wide), strict=True)) if wide else ((), ())
    return float(widths[np.searchsorted(np.cumsum(rows), np.sum(rows) / 2)]) if len(widths) else None
