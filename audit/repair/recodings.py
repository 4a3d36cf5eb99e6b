"""Recodings: all rows of a candidate get coarser cells of some columns, as bands are joined or postcodes are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from audit.repair.candidate_rows import CandidateRows, RepairPlan


def least_recoding(
    rows: CandidateRows, way: Sequence[list[int]], keeps: Callable[[RepairPlan], bool]
) -> list[int] | None:
    """Return the number of each column's recoding, so that the policy is kept, and is not with a finer one of a column.

    On a way of coarser and coarser cells, each audit halves what is open; then columns are made finer, the dearest
    first. None if nothing on the way keeps the policy.
    """
    low, high = 0, len(way)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if keeps(rows.recoded(way[middle])) else (middle + 1, high)
    if low == len(way):
        return None
    found, costs = way[low], rows.recoding_costs(rows.recoded(way[low]))
    for place in sorted(range(len(found)), key=lambda place: -costs[place]):
        while found[place] and keeps(rows.recoded(finer := finer_at(found, place))):
            found = finer
    return found


def finer_at(recoding: list[int], place: int) -> list[int]:
    """Return a recoding with one column finer."""
    return [number - (at == place) for at, number in enumerate(recoding)]


def ways_of_columns(rows: CandidateRows) -> Iterator[list[list[int]]]:
    """Yield the recodings of each column alone, coarser and coarser."""
    for place, column in enumerate(rows.columns):
        yield [
            [number * (at == place) for at in range(len(rows.columns))] for number in range(1, len(column.recodings))
        ]


def way_to_anything(rows: CandidateRows) -> Iterator[list[int]]:
    """Yield recodings, one column coarser each time: the one that loses least for each class of rows less; last `*`."""
    starts, order = rows.group_order
    cells = [column.codes[order[starts[:-1]]] for column in rows.columns]
    tables = [
        np.stack([codes[own] for codes in column.recodings]) for own, column in zip(cells, rows.columns, strict=True)
    ]
    costs = [column.costs()[table] @ rows.people for table, column in zip(tables, rows.columns, strict=True)]
    now = [0] * len(tables)

    def classes(recoding: list[int]) -> int:
        return len(np.unique(np.stack([table[n] for table, n in zip(tables, recoding, strict=True)]), axis=1).T)

    while left := [place for place, table in enumerate(tables) if now[place] + 1 < len(table)]:
        many = classes(now)
        coarser = {place: [n + (at == place) for at, n in enumerate(now)] for place in left}
        now = min(
            coarser.values(),
            key=lambda each: (
                sum(costs[at][n] - costs[at][m] for at, (n, m) in enumerate(zip(each, now, strict=True)))
                / (many - classes(each) + 0.5)
            ),
        )
        yield now
