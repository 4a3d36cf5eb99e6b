"""What a series of count tables published: all rows of all releases as integer columns, and totals by their sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from audit.count_tables.label_sets import Dimension
from audit.count_tables.manifest import NAME, TableFile, TableManifest
from audit.count_tables.table_shapes import (
    NestedLabels,
)
from audit.io.tables import Table
from audit.model.arrays import Codes, Counts, Flags
from audit.model.errors import Problems
from audit.model.json_types import UNBOUNDED


@dataclass(frozen=True)
class PublishedCounts:
    """All rows, in the order of releases, files and lines.

    Attributes:
        manifest: the rules.
        dimensions: each with its labels.
        measures: names of the statistics; one, None, where there is no such column.
        release, measure: shape (rows,), int32.
        label: shape (rows, dimensions), int32; labels of the dimensions.
        lower, upper: shape (rows,), int64; the counts that each row can stand for.
        denominators: shape (rows,), int64; how many values the hidden denominator of a rate can have, `UNBOUNDED` where
            none is hidden, 0 where it can have too many to try them all.
        hidden: shape (rows,); whether the row shows a marker that leaves several counts.
        number: shape (rows,); whether it shows a number, or a marker that stands for one.
        text: shape (rows,), int32; what is shown, as a place in `texts`.
        file, row: shape (rows,), int32; where it stands: a place in `files`, and the row there.
        files: the tables.
        column_of: the column of each table that has the counts.
        untied: for columns with rates or changes, how many of them tie two counts that are both not exact.
        nested: dimensions of nested labels, and each file's paths of labels.
        tables: the same as they were read, which know on which line a row stands.
        rows_of: how many rows each table has.
    """

    manifest: TableManifest
    dimensions: tuple[Dimension, ...]
    measures: tuple[str | None, ...]
    release: Codes
    measure: Codes
    label: Codes
    lower: Counts
    upper: Counts
    denominators: Counts
    hidden: Flags
    number: Flags
    text: Codes
    texts: tuple[str, ...]
    file: Codes
    row: Codes
    files: tuple[TableFile, ...]
    tables: tuple[Table, ...]
    rows_of: tuple[int, ...]
    nested: Mapping[str, tuple[NestedLabels, ...]] = field(default_factory=dict)
    column_of: tuple[str, ...] = ()
    untied: Mapping[str, int] = field(default_factory=dict)

    @property
    def shown(self) -> Flags:
        """Return which rows show something; an empty cell counts as not published. Shape (rows,)."""
        return self.hidden | self.number

    def cell(self, row: int) -> dict[str, str]:
        """Return the labels of a row by dimension."""
        labels = zip(self.dimensions, self.label[row].tolist(), strict=True)
        return {dimension.axis.name: dimension.labels[label] for dimension, label in labels}

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and the line of a row."""
        file = int(self.file[row])
        return self.files[file].shown, self.tables[file].line(int(self.row[row]))


def check_audited(counts: PublishedCounts) -> None:
    """Refuse a series that publishes nothing, or counts of more than can be added up.

    Raises:
        InputError: it is one.
    """
    problems = Problems()
    if not counts.shown.any():
        problems.add(NAME, "no release has a number or a marker", "name the column with the counts as value")
    if counts.lower.sum() >= UNBOUNDED:
        problems.add(
            NAME, f"the counts add up to {UNBOUNDED:,} or more", "count in thousands, say, or audit fewer tables"
        )
    problems.check()


Ends = tuple[int, int]
Line = Mapping[str, Ends | None]
"""The numbers of one line of a table by label: what each can stand for; None where no number is shown."""

LINES = 3
"""A label is a total by its sums where so many lines show it."""


def lines_along(counts: PublishedCounts, place: int, *, hidden: bool = False) -> list[Line]:
    """Return the lines along a dimension, None where no number is shown; with `hidden` markers have their ends too."""
    keys = np.column_stack([counts.release, counts.measure, np.delete(counts.label, place, axis=1)]).tolist()
    labels = counts.label[:, place].tolist()
    shown = counts.shown if hidden else counts.number
    ends = zip(counts.lower.tolist(), counts.upper.tolist(), shown.tolist(), strict=True)
    lines: dict[tuple[int, ...], dict[str, Ends | None]] = {}
    for key, label, (low, high, is_shown) in zip(keys, labels, ends, strict=True):
        lines.setdefault(tuple(key), {})[counts.dimensions[place].labels[label]] = (low, high) if is_shown else None
    return list(lines.values())


def totals_by_sums(lines: Iterable[Line]) -> list[str]:
    """Return the labels that are sums wherever a line shows all of its numbers, in at least `LINES` lines.

    A line of zeros shows nothing, nor does one with a single other label; one that lacks a label refutes nothing. Where
    another label is always 0, several labels may be sums.

    >>> totals_by_sums([{"f": (n, n), "m": (1, 1), "Summe": (n + 1, n + 1)} for n in range(1, 5)])
    ['Summe']
    """
    lines = list(lines)
    labels = max(map(len, lines), default=0)
    shown, refuted = Counter[str](), set[str]()
    for line in lines:
        for label, ends in line.items():
            if ends is None or len(line) <= 2 or label in refuted:
                continue
            low = sum(other[0] for other in line.values() if other is not None) - ends[0]
            high = sum(other[1] for other in line.values() if other is not None) - ends[1]
            whole = all(other is not None for other in line.values())
            if low > ends[1] or (whole and high < ends[0] and len(line) == labels):
                refuted.add(label)
            elif whole and high >= ends[0] > 0:
                shown[label] += 1
    return [label for label, times in shown.items() if times >= LINES and label not in refuted]
