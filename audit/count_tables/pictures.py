"""Pictures of published tables around findings: what was published, what can be told, and which numbers tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from audit.count_tables.published_counts import PublishedCounts
from audit.findings.count import CountFinding, CountPicture, PictureCell
from audit.runtime.phrases import figure

_PICTURES = 6
_ROWS, _COLUMNS = 24, 10
Cell = tuple[str, ...]


Known = Mapping[tuple[str, str | None, Cell], tuple[int, int | None]]
"""Least and greatest count of cells of which something can be told, by release, statistic and labels."""


def with_pictures(counts: PublishedCounts, findings: Sequence[CountFinding], known: Known) -> tuple[CountFinding, ...]:
    """Return findings, the first of them with pictures; `known` is what is known of all cells, shown or not."""
    drawn = (replace(each, picture=_picture(counts, each, known)) for each in findings[:_PICTURES])
    return (*drawn, *findings[_PICTURES:])


def _amount(lower: int, upper: int | None) -> str:
    return figure(lower) if lower == upper else f"{figure(lower)}–{'' if upper is None else figure(upper)}"


def _picture(counts: PublishedCounts, finding: CountFinding, known: Known) -> CountPicture:
    published = _published(counts, finding)
    used = {tuple(term.cell.values()) for term in finding.terms if term.release == finding.release}
    own = tuple(finding.cell.values())
    rows, columns = _axes(counts, [own, *used])
    others = [d for d in range(len(own)) if d not in (rows, columns)]
    near = [cell for cell in [own, *sorted(used), *published] if all(cell[d] == own[d] for d in others)]
    row_labels = list(dict.fromkeys(cell[rows] for cell in near))[:_ROWS]
    column_labels = [""] if columns is None else list(dict.fromkeys(cell[columns] for cell in near))[:_COLUMNS]
    names = counts.manifest.dimensions

    def shown(row: str, column: str) -> PictureCell | None:
        cell = list(own)
        cell[rows] = row
        if columns is not None:
            cell[columns] = column
        key = tuple(cell)
        ends = known.get((finding.release, finding.measure, key))
        said = None if ends is None else _amount(*ends)
        if key == own and finding.since is not None:
            said = f"+{_amount(finding.lower, finding.upper)}"
        if key not in published and said is None:
            return None
        return PictureCell(published.get(key, ""), said, key in used)

    return CountPicture(
        fixed={names[d]: own[d] for d in others},
        rows=names[rows],
        columns=None if columns is None else names[columns],
        row_labels=tuple(row_labels),
        column_labels=tuple(column_labels),
        cells=tuple(tuple(shown(row, column) for column in column_labels) for row in row_labels),
    )


def _published(counts: PublishedCounts, finding: CountFinding) -> dict[Cell, str]:
    release = counts.manifest.tags.index(finding.release)
    measure = counts.measures.index(finding.measure)
    rows = np.flatnonzero((counts.release == release) & (counts.measure == measure) & counts.shown)
    labels = [each.labels for each in counts.dimensions]
    return {
        tuple(names[code] for names, code in zip(labels, cell, strict=True)): counts.texts[text]
        for cell, text in zip(counts.label[rows].tolist(), counts.text[rows].tolist(), strict=True)
    }


def _axes(counts: PublishedCounts, cells: Sequence[Cell]) -> tuple[int, int | None]:
    """Return the dimensions along which the cells of a finding differ most, for rows and for columns."""
    totals = [counts.manifest.totals.get(name) for name in counts.manifest.dimensions]
    differing = [
        (len({cell[d] for cell in cells}), cells[0][d] != totals[d], len(counts.dimensions[d].labels), -d)
        for d in range(len(totals))
    ]
    order = sorted(range(len(totals)), key=lambda d: differing[d], reverse=True)
    return order[0], order[1] if len(order) > 1 else None
