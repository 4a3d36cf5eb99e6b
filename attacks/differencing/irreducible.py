"""Irreducible contradictions: a minimal set of published numbers that contradict each other.

Source of the deletion filter: Chinneck and Dravnieks, Locating minimal infeasible constraint sets in linear programs,
ORSA Journal on Computing 3(2), 1991.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from attacks.differencing.lattice import build_lattice
from attacks.differencing.programs import NoSolutionError, components, first_point
from attacks.differencing.propagation import first_bounds
from audit.model.count_tables import Axis, ContradictingCountsError, CountTables
from audit.runtime.budget import Budget

_MOST = 400


def contradiction(tables: CountTables, numbers: Iterable[int]) -> ContradictingCountsError:
    """Return the error with a minimal subset of some numbers that contradict each other.

    A number is dropped if the remaining numbers contradict each other without it.
    """
    left = sorted(numbers)
    if len(left) > _MOST:
        return ContradictingCountsError(left, irreducible=False)
    for number in list(left):
        others = [each for each in left if each != number]
        if others and not has_solution(coarsened(tables, others)):
            left = others
    return ContradictingCountsError(left, irreducible=True)


def has_solution(tables: CountTables) -> bool:
    """Return whether some integers agree with everything; true if a limit is reached."""
    bounds = first_bounds(build_lattice(tables.axes, tables.boxes, tables.asked), tables)
    if bounds.contradicting is None:
        bounds.run()
    if bounds.contradicting is not None:
        return False
    try:
        for each in components(bounds.lattice, bounds.ends):
            first_point(each, bounds.ends, Budget(None))
    except NoSolutionError:
        return False
    return True


def coarsened(tables: CountTables, numbers: Sequence[int]) -> CountTables:
    """Return only some of the numbers; atoms that are in the same boxes are merged."""
    kept = np.array(numbers, dtype=np.int64)
    boxes = tables.boxes[kept]
    axes, columns = [], []
    for place, axis in enumerate(tables.axes):
        coarse, codes = _coarse_axis(axis, boxes[:, place])
        axes.append(coarse)
        columns.append(codes)
    return CountTables(
        axes=tuple(axes),
        boxes=np.stack(columns, axis=1).astype(np.int32).reshape(len(kept), len(axes)),
        lower=tables.lower[kept],
        upper=tables.upper[kept],
        asked=np.zeros((0, len(axes)), dtype=np.int32),
        rule=np.zeros(0, dtype=np.int8),
        min_count=tables.min_count,
        min_width=tables.min_width,
    )


def _coarse_axis(axis: Axis, sets: np.ndarray) -> tuple[Axis, np.ndarray]:
    """Return an axis on which atoms in the same sets are merged, and the new codes of these sets."""
    used, place = np.unique(sets, return_inverse=True)
    inside = np.zeros((len(used), axis.atoms), dtype=np.bool_)
    for row, one in enumerate(used.tolist()):
        inside[row, axis.members[one]] = True
    patterns = np.unique(inside, axis=1)
    atoms = patterns.shape[1]
    members = [np.array([atom], dtype=np.int32) for atom in range(atoms)]
    codes: dict[tuple[int, ...], int] = {(atom,): atom for atom in range(atoms)}
    new = []
    for row in [*patterns, np.ones(atoms, dtype=np.bool_)]:
        key = tuple(np.flatnonzero(row).tolist())
        if key not in codes:
            codes[key] = len(members)
            members.append(np.array(key, dtype=np.int32))
        new.append(codes[key])
    return Axis(axis.name, atoms, members, new[-1]), np.array(new[:-1])[place]
