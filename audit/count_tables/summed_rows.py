"""Summed rows: columns whose numbers may each count several rows together, read as the totals of these rows.

Such a number is repeated in each of the rows, or written once above blanks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, takewhile
from math import prod

import numpy as np

from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.published_texts import Interpreter, Interval, number_of, points_part_thousands
from audit.count_tables.table_rules import STATISTIC
from audit.model.arrays import Flags
from audit.model.json_types import UNBOUNDED


def columns_of_sums(counts: PublishedCounts) -> list[str]:
    """Return the columns whose numbers may count several rows together: of several counts, and denominators."""
    manifest = counts.manifest
    views = [view.column for view in manifest.views] if manifest.wide is None and len(manifest.views) > 1 else []
    return [name for name in dict.fromkeys([*views, *sorted(manifest.denominators)]) if name not in manifest.not_counts]


def read_as_sums(counts: PublishedCounts, column: str) -> Iterator[tuple[PublishedCounts, int]]:
    """Yield the counts with the numbers of a column as totals of rows, and the first of these, if nothing refutes it.

    The rows of one number have the same labels of some dimensions, and any labels of the others.
    """
    is_own = np.array([part.view.column == column for part in counts.parts], dtype=np.bool_)[counts.file]
    known = _numbers(counts, column, np.flatnonzero(~is_own & ~counts.without_count).tolist())
    places = [place for place, each in enumerate(counts.dimensions) if each.axis.name != STATISTIC]
    differing = list[frozenset[int]]()
    for left in (some for size in range(1, len(places) + 1) for some in combinations(places, size)):
        if any(each.issubset(left) for each in differing):
            continue  # rows of more labels have those numbers, too
        blocks = dict[tuple[int, ...], list[int]]()
        keys = np.column_stack([counts.release, counts.measure, np.delete(counts.label, left, axis=1)]).tolist()
        for row in np.flatnonzero(~is_own).tolist():
            blocks.setdefault(tuple(keys[row]), []).append(row)
        numbers = ({known[row] for row in some if row in known} for some in blocks.values())
        if any(len(each) > 1 for each in numbers):
            differing.append(frozenset(left))
            continue
        firsts = {next(filter(known.get, some)): some for some in blocks.values() if not known.keys().isdisjoint(some)}
        each = (_adds(counts, some, known, left) for some in firsts.values())
        adds = [*takewhile(lambda adding: adding is not None, each)]
        if any(adds) and len(adds) == len(firsts):
            yield _with_totals(counts, is_own, {row: known[row] for row in firsts}, left), next(iter(firsts))


def _numbers(counts: PublishedCounts, column: str, rows: Sequence[int]) -> dict[int, Interval]:
    """Return the number of a column in each of some rows that have one."""
    texts, readers = list[list[str]](), list[Interpreter]()
    for file, part in enumerate(counts.parts):
        texts.append(part.table.texts(column) if column in part.table else [""] * part.table.rows)
        readers.append(Interpreter(counts.rules(file)))
        readers[-1].point = points_part_thousands({*texts[-1]})
    found = ((row, (file := int(counts.file[row])), texts[file][counts.row[row]]) for row in rows)
    return {
        row: readers[file].interval(text)
        for row, file, text in found
        if number_of(text, point=readers[file].point) is not None
    }


def _adds(
    counts: PublishedCounts, rows: Sequence[int], known: Mapping[int, Interval], left: Sequence[int]
) -> bool | None:
    """Return whether a number would count several of some rows, and no row shows their total; None if it cannot.

    The rows have any labels of the dimensions `left`. Their sums may contradict it.
    """
    dimensions = [counts.dimensions[place] for place in left]
    low, high = next(known[row] for row in rows if row in known)
    total, cells = tuple(each.total for each in dimensions), dict[tuple[int, ...], Interval]()
    for row, some in zip(rows, map(tuple, counts.label[np.ix_(rows, left)].tolist()), strict=True):
        if some == total or all(
            each.axis.members[each.set_of[one]].size == 1 for one, each in zip(some, dimensions, strict=True)
        ):
            cells[some] = int(counts.lower[row]), int(counts.upper[row])
    whole = cells.pop(total, (0, UNBOUNDED))
    least, most = (sum(ends[side] for ends in cells.values()) for side in (0, 1))
    is_complete = len(cells) == prod(each.axis.atoms for each in dimensions)
    if whole[0] > high or whole[1] < low or least > high or (is_complete and most < low):
        return None
    return len(cells) > 1 and whole[0] < whole[1]


def _with_totals(
    counts: PublishedCounts, is_own: Flags, sums: Mapping[int, Interval], left: Sequence[int]
) -> PublishedCounts:
    """Return the counts with one more row for each of some rows, at the totals of these dimensions, with its number.

    The rows `is_own`, which had the numbers, are left empty.
    """
    rows, dimensions = [*sums], [*counts.dimensions]
    label = counts.label[rows]
    for place in left:
        dimensions[place] = dimensions[place].with_total()
        label[:, place] = dimensions[place].total
    lower, upper = zip(*sums.values(), strict=True)
    return replace(counts.emptied(is_own), dimensions=tuple(dimensions)).with_numbers(rows, label, lower, upper)
