"""Exact tables: the rows of a table as an array of counts with all totals, as methods that protect tables take them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields

import numpy as np
import numpy.typing as npt

from audit.count_tables.manifest import NAME, TableManifest
from audit.count_tables.published_counts import PublishedCounts
from audit.model.arrays import Counts
from audit.model.errors import Problems, printable

_PLAIN = {
    *("folder", "name", "releases", "dimensions", "value", "totals", "no_total", "over_time", "absent_is_zero"),
    *("not_counts", "not_published", "sensitive", "harmless", "flags", "policy", "waivers", "hiding", "unconfirmed"),
}
"""What the manifest of exact tables may say."""


@dataclass(frozen=True)
class ExactTable:
    """One table of a release.

    Attributes:
        file: its place in `PublishedCounts.files`.
        rows: shape (n,), int64; its rows among all rows.
        counts: the counts by dimension, the total at the end of each axis.
        place: one array of shape (n,) for each axis, int64; where each row stands in `counts`.
        labels: by dimension the labels along its axis.
    """

    file: int
    rows: npt.NDArray[np.int64]
    counts: Counts
    place: tuple[npt.NDArray[np.int64], ...]
    labels: Mapping[str, tuple[str, ...]]


def with_totals(counts: Counts) -> Counts:
    """Return a table with a total at the end of each axis.

    >>> with_totals(np.array([[1, 2], [3, 4]])).tolist()
    [[1, 2, 3], [3, 4, 7], [4, 6, 10]]
    """
    for axis in range(counts.ndim):
        counts = np.concatenate([counts, counts.sum(axis=axis, keepdims=True)], axis=axis)
    return counts


def check_exact(manifest: TableManifest) -> None:
    """Refuse a series whose rules say that its numbers are not exact, or that is more than plain tables.

    Raises:
        InputError: it is one; all of its faults are named.
    """
    problems = Problems()
    for each in fields(manifest):
        if each.name not in _PLAIN:
            plain = each.default if each.default_factory is MISSING else each.default_factory()
            if getattr(manifest, each.name) != plain:
                problems.add(NAME, f"`{each.name}`: only plain tables of exact counts can be published", "leave it out")
    for release in manifest.releases:
        for table in release.tables:
            if not table.path.name.endswith(".csv"):
                problems.add(table.shown, "only .csv is published", "convert it first")
    problems.check()


def exact_tables(counts: PublishedCounts) -> Iterator[ExactTable]:
    """Yield the tables of a series of exact counts.

    Raises:
        InputError: a combination of labels has no count, or a total is not the sum of its parts.
    """
    for file in range(len(counts.files)):
        yield _exact_table(counts, file)


def _exact_table(counts: PublishedCounts, file: int) -> ExactTable:
    rows = np.flatnonzero((counts.file == file) & counts.shown)
    place, labels = [], dict[str, tuple[str, ...]]()
    for axis, dimension in enumerate(counts.dimensions):
        codes = counts.label[rows, axis]
        parts = np.unique(codes[codes != dimension.total])
        if len(parts):
            place.append(np.where(codes == dimension.total, len(parts), np.searchsorted(parts, codes)))
            labels[dimension.axis.name] = tuple(dimension.labels[code] for code in parts)
    shape = tuple(len(each) + 1 for each in labels.values())
    given = np.full(shape, -1, dtype=np.int64)
    given[tuple(place)] = counts.lower[rows]
    finest = given[tuple(slice(0, -1) for _ in shape)]
    shown, problems = counts.files[file].shown, Problems()
    if (finest < 0).any() and not counts.manifest.absent_is_zero:
        cell = np.argwhere(finest < 0)[0]
        missing = ", ".join(printable(some[at]) for some, at in zip(labels.values(), cell, strict=True))
        remedy = 'give every combination a row, or write absent = "zero" under [table]'
        problems.add(shown, f"the count of {missing} is missing", remedy)
    found = with_totals(np.maximum(finest, 0))
    wrong = np.flatnonzero(found[tuple(place)] != counts.lower[rows])
    if len(wrong) and not problems.found:
        row = int(rows[wrong[0]])
        expected = int(found[tuple(each[wrong[0]] for each in place)])
        what = f'"{counts.texts[int(counts.text[row])]}" is not {expected}, the sum of its parts or the same cell above'
        problems.add(shown, what, "correct the number", line=counts.place(row)[1], column=counts.manifest.value)
    problems.check()
    return ExactTable(file, rows.astype(np.int64), found, tuple(each.astype(np.int64) for each in place), labels)
