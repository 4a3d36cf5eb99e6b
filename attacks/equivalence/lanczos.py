"""Lanczos: one random solution of the core's equations, uniform over all of them.

The free columns f of a component determine its pivots; its deferred rows then require M f = w. M, the Schur complement,
is never built: a product with it, or with its transpose, is one sweep of additions over the component. Start from
random numbers g for the free columns. If d solves M d = w - M g and depends on the right side only, g + d is uniform
over the solutions. With random diagonals R and C, such a d is C M^T R y for the y with (R M C M^T R) y = R (w - M g),
and C z for the z with (C M^T R M C) z = C M^T R (w - M g). The smaller of the two symmetric systems is solved by
Lanczos' method over the field, with as many products as the rank of M. Duplicate and dependent groups do no harm, as
right sides are images. If there is no solution, the residual is a weighted sum of groups without members, but with
values: a proof.

Sources: B. LaMacchia and A. Odlyzko, Solving large sparse linear systems over finite fields (1990); W. Eberly and
E. Kaltofen, On randomized Lanczos algorithms (1997), for the diagonals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attacks.equivalence.field import BITS, Field, Residues, multiplied, reduced, uniform
from attacks.equivalence.peeling import EliminationOrder, difference
from audit.model.arrays import Array
from audit.runtime.budget import Budget
from audit.runtime.compiling import inlined, kernel

# The number of additions between two checks of the budget: about a tenth of a second.
_WORK = 50_000_000
_ATTEMPTS = 8
_SPENT, _FAILED, _INCONSISTENT, _SOLVED = 0, 1, 2, 3
_COMPONENT, _RUNNING, _BY_COLUMNS, _FORCED, _STEPS = 0, 1, 2, 3, 4
_TARGET, _ANSWER, _CURRENT, _PREVIOUS, _IMAGE = 0, 1, 2, 3, 4
_ZERO, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)
_reduced = inlined(reduced)
_multiplied = inlined(multiplied)


class InconsistentError(ValueError):
    """The equations of some `groups` have no solution: a combination of them has no members, but a nonzero sum."""

    def __init__(self, groups: Array) -> None:
        super().__init__("groups contradict each other")
        self.groups = groups


class _State(NamedTuple):
    """The state of the solver.

    Attributes:
        place: the component; whether it is being solved, whether by the system of its free columns, whether that system
            is to be used whatever its size, and how many steps were taken.
        drawn: the numbers g of the columns, in the system's order; solutions in components that are solved.
        target: what each row sums to.
        nothing: zeros, by row.
        number: by column, to sweep with.
        weight: by row, to sweep with.
        row_scale, column_scale: the random diagonals R and C.
        vectors: the right side, the answer so far, the current and the previous Lanczos vector, and the image of the
            current one, of the component being solved; shape (5, longest).
        inverse: 1 over the product of the previous vector and its image; shape (1,).
        field: what all numbers are modulo.
    """

    place: Array
    drawn: Array
    target: Array
    nothing: Array
    number: Array
    weight: Array
    row_scale: Array
    column_scale: Array
    vectors: Array
    inverse: Array
    field: Field


def solution(
    system: EliminationOrder,
    target: Residues,
    drawn: Residues,
    draw: tuple[np.random.Generator, Field],
    budget: Budget,
) -> Residues | None:
    """Return numbers of the system's columns that solve its equations, uniform over all that do.

    Args:
        system: the equations.
        target: the required sum of each row; shape (rows,).
        drawn: uniform numbers of the columns, shape (columns,); the solver starts from those of the free columns, and
            overwrites them.
        draw: the random source of the diagonals, and the field.
        budget: the time limit; None is returned when it is exhausted.

    Raises:
        InconsistentError: there is no solution.
        ArithmeticError: the diagonals failed repeatedly, which does not happen by chance.
    """
    rng, field = draw
    rows, columns, size = len(target), len(drawn), (np.diff(system.column_first) - system.pivots).max(initial=0)
    weight, nothing = np.zeros((2, rows), dtype=np.uint64)
    number, vectors = np.zeros(columns, dtype=np.uint64), np.zeros((5, size), dtype=np.uint64)
    place, inverse = np.zeros(5, dtype=np.int64), np.zeros(1, dtype=np.uint64)
    for _ in range(_ATTEMPTS):
        scales = uniform(rng, rows, field, 1), uniform(rng, columns, field, 1)
        state = _State(place, drawn, target, nothing, number, weight, *scales, vectors, inverse, field)
        status = _SPENT
        while status == _SPENT:
            if budget.exhausted():
                return None
            status = _go_on(system, state, _WORK)
        if status == _SOLVED:
            return drawn
        if status == _INCONSISTENT:
            row, end = system.row_first[place[_COMPONENT] :][:2]
            raise InconsistentError(np.sort(system.group[row:end][weight[row:end] != 0]))
    raise ArithmeticError("no random diagonals solve the equations of the groups")


@kernel
def _go_on(system: EliminationOrder, state: _State, work: int) -> int:
    """Solve components until a limit of work is reached; return why it ended."""
    place = state.place
    while place[_COMPONENT] < len(system.pivots):
        c = place[_COMPONENT]
        if not place[_RUNNING]:
            _begin(system, state, c)
        cost = 1 + 2 * int(system.row_start[system.row_first[c + 1]] - system.row_start[system.row_first[c]])
        while _step(system, state, c):
            work -= cost
            if work < 0:
                return _SPENT
        work -= cost
        status = _end(system, state, c)
        place[_RUNNING] = False
        place[_FORCED] = status == _FAILED
        if status != _SOLVED:
            return status
        place[_COMPONENT] += 1
    return _SOLVED


@kernel
def _free(system: EliminationOrder, c: int, by_column: Array) -> Array:
    """Return the part of an array by column for the free columns of a component."""
    return by_column[system.column_first[c] + system.pivots[c] : system.column_first[c + 1]]


@kernel
def _deferred(system: EliminationOrder, c: int, by_row: Array) -> Array:
    """Return the part of an array by row for the deferred rows of a component."""
    return by_row[system.row_first[c] + system.pivots[c] : system.row_first[c + 1]]


@kernel
def _scale(left: Array, right: Array, out: Array, field: Field) -> None:
    """Multiply entry by entry."""
    for i in range(len(out)):
        out[i] = _multiplied(left[i], right[i], field)


@kernel
def _copy(source: Array, out: Array) -> None:
    # Slices take numba seconds to compile.
    for i in range(len(out)):
        out[i] = source[i]


@kernel
def _dot(left: Array, right: Array, field: Field) -> np.uint64:
    total = _ZERO
    for i in range(len(left)):
        total = _reduced(total + _multiplied(left[i], right[i], field), field)
    return total


@kernel
def _inverse(number: np.uint64, field: Field) -> np.uint64:
    """Return 1 over a number, by Fermat's little theorem."""
    power, square, exponent = _ONE, number, field.prime - _TWO
    for _ in range(BITS):
        if exponent & _ONE:
            power = _multiplied(power, square, field)
        square = _multiplied(square, square, field)
        exponent >>= _ONE
    return power


@kernel
def _down(system: EliminationOrder, state: _State, target: Array, c: int) -> None:
    """Compute a component's pivots from its free columns; set deferred rows to target minus sum."""
    row, column, start = system.row_first[c], system.column_first[c], system.row_start
    number, content = state.number, system.row_column
    for k in range(system.pivots[c]):
        r = row + k
        number[column + k] = difference(target[r], number, content, start[r], start[r + 1], state.field)
    for r in range(row + system.pivots[c], system.row_first[c + 1]):
        state.weight[r] = difference(target[r], number, content, start[r], start[r + 1], state.field)


@kernel
def _up(system: EliminationOrder, state: _State, c: int) -> None:
    """Compute weights of rows from the deferred rows so that pivots cancel; set free columns to negative sums."""
    row, column, start = system.row_first[c], system.column_first[c], system.column_start
    weight, content = state.weight, system.column_row
    for k in range(system.pivots[c] - 1, -1, -1):
        weight[row + k] = difference(_ZERO, weight, content, start[column + k], start[column + k + 1], state.field)
    for i in range(column + system.pivots[c], system.column_first[c + 1]):
        state.number[i] = difference(_ZERO, weight, content, start[i], start[i + 1], state.field)


@kernel
def _spread(system: EliminationOrder, state: _State, c: int, vector: Array) -> None:
    """Set the numbers of a component's free columns from a vector of the solved system: C M^T R y, or C z."""
    number, weight = _free(system, c, state.number), _deferred(system, c, state.weight)
    if state.place[_BY_COLUMNS]:
        _scale(vector, _free(system, c, state.column_scale), number, state.field)
    else:
        _scale(vector, _deferred(system, c, state.row_scale), weight, state.field)
        _up(system, state, c)
        _scale(number, _free(system, c, state.column_scale), number, state.field)


@kernel
def _gather(system: EliminationOrder, state: _State, c: int, target: Array, vector: Array) -> None:
    """Compute target minus sum of deferred rows, as a vector of the solved system: R w, or C M^T R w."""
    weight = _deferred(system, c, state.weight)
    _down(system, state, target, c)
    _scale(weight, _deferred(system, c, state.row_scale), weight, state.field)
    if state.place[_BY_COLUMNS]:
        _up(system, state, c)
        _scale(_free(system, c, state.number), _free(system, c, state.column_scale), vector, state.field)
    else:
        _copy(weight, vector)


@kernel
def _begin(system: EliminationOrder, state: _State, c: int) -> None:
    """Set up a component."""
    number = _free(system, c, state.number)
    _copy(_free(system, c, state.drawn), number)
    deferred = len(_deferred(system, c, state.weight))
    state.place[_RUNNING], state.place[_STEPS] = True, 0
    state.place[_BY_COLUMNS] = state.place[_FORCED] == 1 or len(number) < deferred
    target = state.vectors[_TARGET][: len(number) if state.place[_BY_COLUMNS] else deferred]
    _gather(system, state, c, state.target, target)
    for i in range(len(target)):
        state.vectors[_CURRENT, i] = target[i]
        state.vectors[_ANSWER, i] = state.vectors[_PREVIOUS, i] = _ZERO
    state.inverse[0] = _ZERO


@kernel
def _step(system: EliminationOrder, state: _State, c: int) -> bool:
    """Take one Lanczos step; return whether there may be another one."""
    size = len(_free(system, c, state.number) if state.place[_BY_COLUMNS] else _deferred(system, c, state.weight))
    target, answer = state.vectors[_TARGET][:size], state.vectors[_ANSWER][:size]
    current, previous = state.vectors[_CURRENT][:size], state.vectors[_PREVIOUS][:size]
    image, field = state.vectors[_IMAGE][:size], state.field
    _spread(system, state, c, current)
    _gather(system, state, c, state.nothing, image)
    length = _dot(current, image, field)
    state.place[_STEPS] += 1
    if length == 0 or state.place[_STEPS] > size:
        return False
    inverse = _inverse(length, state.field)
    share = _multiplied(_dot(current, target, field), inverse, field)
    along = field.prime - _multiplied(_dot(image, image, field), inverse, field)
    back = field.prime - _multiplied(length, state.inverse[0], field)
    for i in range(size):
        answer[i] = _reduced(answer[i] + _multiplied(share, current[i], field), field)
        following = image[i] + _multiplied(along, current[i], field) + _multiplied(back, previous[i], field)
        previous[i], current[i] = current[i], _reduced(following, field)
    state.inverse[0] = inverse
    return True


@kernel
def _end(system: EliminationOrder, state: _State, c: int) -> int:
    """Return the status of a component: solved (its numbers are stored), inconsistent, or failed by chance."""
    number, weight = _free(system, c, state.number), _deferred(system, c, state.weight)
    drawn = _free(system, c, state.drawn)
    _spread(system, state, c, state.vectors[_ANSWER])
    for i in range(len(number)):
        number[i] = _reduced(drawn[i] + state.field.prime - number[i], state.field)
    _down(system, state, state.target, c)
    if _vanishes(weight):
        column, end = system.column_first[c], system.column_first[c + 1]
        _copy(state.number[column:end], state.drawn[column:end])
        return _SOLVED
    if not state.place[_BY_COLUMNS]:
        return _FAILED
    # The residual is orthogonal to all images, but not to the right-hand side.
    _scale(weight, _deferred(system, c, state.row_scale), weight, state.field)
    _up(system, state, c)
    row, end = system.row_first[c], system.row_first[c + 1]
    if _vanishes(number) and _dot(state.weight[row:end], state.target[row:end], state.field) != 0:
        return _INCONSISTENT
    return _FAILED


@kernel
def _vanishes(vector: Array) -> bool:
    anything = _ZERO
    for i in range(len(vector)):
        anything |= vector[i]
    return anything == _ZERO
