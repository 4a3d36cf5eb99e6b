"""Check that weighted published counts prove a bound, in exact fractions and without any solver.

The count of a box is a sum over its atoms, none of which is negative. Suppose the weights of the boxes that cover an
atom add up to at least 1 for each atom of the box in question, and to at least 0 for each other atom. Then the weighted
sum of upper ends is an upper bound of its count; lower bounds work in the same way with at most (weak duality:
Schrijver, Theory of Linear and Integer Programming, section 7.4). At the end, bounds are rounded to whole numbers, and
cases split at a whole number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, lcm, prod

import numpy as np
import numpy.typing as npt

from audit.judgement.field_types import misfit
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import (
    Axis,
    BoundProof,
    Box,
    CountBound,
    CountTables,
    WeightedNumber,
    WeightedSum,
)

_CELLS = 1 << 20


@dataclass(frozen=True)
class _Assumption:
    """The assumption that the count of a box is at most, or at least, a value."""

    box: Box
    is_upper: bool
    value: int


def is_proved(tables: CountTables, bound: CountBound) -> bool:
    """Return whether the proof of a bound is valid for the published numbers."""
    return misfit(bound) is None and _is_box(tables, bound.box) and _holds(tables, bound, bound.proof, ())


def _holds(tables: CountTables, bound: CountBound, proof: BoundProof, assumed: tuple[_Assumption, ...]) -> bool:
    if isinstance(proof, WeightedSum):
        return _sum_holds(tables, bound, proof, assumed)
    if not _is_box(tables, proof.box):
        return False
    below = (*assumed, _Assumption(proof.box, True, proof.at))
    above = (*assumed, _Assumption(proof.box, False, proof.at + 1))
    return _holds(tables, bound, proof.below, below) and _holds(tables, bound, proof.above, above)


def _sum_holds(tables: CountTables, bound: CountBound, proof: WeightedSum, assumed: Sequence[_Assumption]) -> bool:
    counts = (len(assumed) if term.assumed else len(tables.boxes) for term in proof.terms)
    if not all(t.weight != 0 and 0 <= t.index < count for t, count in zip(proof.terms, counts, strict=True)):
        return False
    # A contradiction is always stated for upper ends, whatever the side of its case.
    value = value_of(tables, proof.terms, assumed, is_upper=bound.is_upper or proof.impossible)
    if value is None:
        return False
    boxes = [assumed[t.index].box if t.assumed else tuple(tables.boxes[t.index].tolist()) for t in proof.terms]
    weights = [term.weight for term in proof.terms]
    if proof.impossible:
        return value < 0 and _covers(tables.axes, boxes, weights, is_upper=True)
    if not _covers(tables.axes, [*boxes, bound.box], [*weights, Fraction(-1)], is_upper=bound.is_upper):
        return False
    return floor(value) <= bound.value if bound.is_upper else ceil(value) >= bound.value


def _is_box(tables: CountTables, box: Box) -> bool:
    """Return whether all sets of a box exist, one on each axis."""
    return len(box) == len(tables.axes) and all(
        0 <= one < len(axis.members) for one, axis in zip(box, tables.axes, strict=True)
    )


def value_of(
    tables: CountTables, terms: Sequence[WeightedNumber], assumed: Sequence[_Assumption], *, is_upper: bool
) -> Fraction | None:
    """Return the weighted sum of published intervals, before rounding; None if an end is missing."""
    total, scale = 0, lcm(*(term.weight.denominator for term in terms))
    for term in terms:
        end_is_upper = (term.weight.numerator > 0) == is_upper
        if term.assumed:
            case = assumed[term.index]
            if case.is_upper != end_is_upper:
                return None
            end = case.value
        else:
            end = int((tables.upper if end_is_upper else tables.lower)[term.index])
            if end >= UNBOUNDED:
                return None
        total += term.weight.numerator * (scale // term.weight.denominator) * end
    return Fraction(total, scale)


def _covers(axes: Sequence[Axis], boxes: Sequence[Box], weights: Sequence[Fraction], *, is_upper: bool) -> bool:
    """Return whether weights of boxes add up to at least 0 (at most 0 if not `is_upper`) on every atom.

    Atoms of an axis in the same boxes are checked once; weights are scaled to whole numbers. If too many atoms are
    left, those of the first axis are checked one after another, each with the boxes around it.
    """
    scale = lcm(*(weight.denominator for weight in weights))
    sign = scale if is_upper else -scale
    whole = [weight.numerator * sign // weight.denominator for weight in weights]
    inside = [_patterns(axis, [box[place] for box in boxes]) for place, axis in enumerate(axes)]
    if sum(map(abs, whole)) >= 2**62:
        return False
    # The largest axis is last; it is covered by one sum over all boxes.
    inside.sort(key=lambda each: each.shape[1])
    size = prod(each.shape[1] for each in inside[:-1])
    if len(axes) > 1 and size * max(len(boxes), inside[-1].shape[1]) > _CELLS:
        return _covers_each(axes, boxes, weights, is_upper=is_upper)
    around = np.array(whole)[:, None]
    for each in inside[:-1]:
        around = (around[:, :, None] * each[:, None, :]).reshape(len(whole), -1)
    return bool((around.T @ inside[-1] >= 0).all())


def _covers_each(
    axes: Sequence[Axis],
    boxes: Sequence[Box],
    weights: Sequence[Fraction],
    *,
    is_upper: bool,
) -> bool:
    """Return whether they add up to that on every atom, checking one atom of the first axis at a time."""
    for atom in _patterns(axes[0], [box[0] for box in boxes]).T:
        around = np.flatnonzero(atom).tolist()
        some = [weights[place] for place in around]
        if all(weight >= 0 if is_upper else weight <= 0 for weight in some):
            continue
        if not _covers(axes[1:], [boxes[place][1:] for place in around], some, is_upper=is_upper):
            return False
    return True


def _patterns(axis: Axis, sets: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return which boxes contain the atoms of an axis, one column for equal atoms; shape (boxes, columns).

    Atoms in none of the boxes may be left out.
    """
    row = {one: place for place, one in enumerate(dict.fromkeys(sets))}
    if len(row) == 1:
        return np.ones((len(sets), 1), dtype=np.bool_)
    return _columns(axis.atoms, tuple(tuple(axis.members[one].tolist()) for one in row))[[row[one] for one in sets]]


@lru_cache(maxsize=10_000)  # proofs about the same table combine the same sets again and again
def _columns(atoms: int, members: tuple[tuple[int, ...], ...]) -> npt.NDArray[np.bool_]:
    """Return which sets contain the atoms, one column for equal atoms; shape (sets, columns), not to be changed."""
    rows = np.zeros((len(members), atoms), dtype=np.bool_)
    for row, inside in zip(rows, members, strict=True):
        row[list(inside)] = True
    columns = np.ascontiguousarray(np.packbits(rows, axis=0).T)
    return rows[:, np.unique(columns.view(f"V{columns.shape[1]}").ravel(), return_index=True)[1]]
