"""What a series of count tables published: all rows of all releases as integer columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from audit.count_tables.categories import Dimension
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
