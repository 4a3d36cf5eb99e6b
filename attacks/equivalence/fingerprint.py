"""A fingerprint of a series: one random number for each column, which shows equal values.

Give every sensitive value v a random number c_v, and let h be a random solution of S h = U c modulo a large random
prime, for the person matrix S and the value matrix U. If W U = 0 for some rational weights W of the groups, the sum of
h over W S is 0. Since h is uniform over the solutions, its sum over any other vector is random, and 0 by chance with a
probability of about 10**-16. So columns are equal (e = 1) exactly when their numbers are, h_i = c_v shows that column i
certainly has value v, and sets of columns are equivalent exactly when their sums are equal. One sparse linear system is
solved for all of them.

This holds for all primes except those that divide a denominator of W, or a minor of S and U. So each fingerprint draws
a new prime, and a result on which two fingerprints agree is almost certain (`chance_of_error`).

Small systems are solved by plain elimination, large ones by `attacks.equivalence.peeling` and
`attacks.equivalence.lanczos`. The solution is checked, group by group.

Source: equivalence paper, Definitions 9 and 10, for the matrices and for what an equivalence is.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from math import inf

import numpy as np

from attacks.equivalence.elimination import RIGHT, Elimination
from attacks.equivalence.field import BITS, LEAST_PRIME, PRIMES, Field, Residues, multiplied, sums, uniform
from attacks.matrix import Matrix, blocks
from audit.model.arrays import Codes
from audit.runtime.budget import Budget

# With more memberships, elimination may take longer than importing numba and loading the kernels: half a second.
_PLAIN_MEMBERSHIPS = 2_000


class ContradictionError(ValueError):
    """No values of the columns fit all groups.

    Attributes:
        groups: groups that contradict each other, ascending: a weighted sum of them has no members, but values.
        release: the last of their releases, counted from 0, which completes the contradiction.
    """

    def __init__(self, groups: tuple[int, ...], release: int) -> None:
        super().__init__(f"{len(groups)} groups contradict each other")
        self.groups = groups
        self.release = release


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Random numbers of columns and values, modulo a prime.

    Attributes:
        of: h, by column; columns that are in no group have independent random numbers; shape (columns,), uint64.
        value: c, by sensitive value; shape (values,), uint64.
        field: the field of the prime.
    """

    of: Residues
    value: Residues
    field: Field


def secret_generator() -> np.random.Generator:
    """Return a generator with a seed drawn by the operating system, so that no series can be crafted against it."""
    return np.random.default_rng(secrets.randbits(128))


def fingerprint(
    matrix: Matrix,
    rng: np.random.Generator,
    budget: Budget,
    field: Field | None = None,
) -> Fingerprint | None:
    """Return a random solution h, uniform over all solutions; None if the budget is exhausted.

    Args:
        matrix: the groups.
        rng: the source of the prime, h and c. Its seed must not be known to the publisher.
        budget: the time limit.
        field: the field; drawn if None.

    Raises:
        ContradictionError: there is no solution.
        ArithmeticError: the solution does not satisfy the equations; this is a bug of the program.
    """
    field = field or Field.drawn(rng)
    for_values, for_columns = rng.spawn(2)
    value = uniform(for_values, matrix.values, field)
    target = _targets(matrix, value, field)
    drawn = uniform(for_columns, matrix.columns, field)
    if len(matrix.member) > _PLAIN_MEMBERSHIPS:
        number = compiled_solution(matrix, target, drawn, (for_columns, field), budget)
    else:
        number = plain_solution(matrix, target, drawn, field)
    if number is None:
        return None
    if not _sum_to(matrix, number, target, field):
        raise ArithmeticError("the numbers of some group's members do not sum to those of its values")
    return Fingerprint(number, value, field)


def _targets(matrix: Matrix, value: Residues, field: Field) -> Residues:
    """Return the sum that the numbers of each group's members must have, from the group's values; shape (groups,)."""
    target = np.zeros(matrix.groups, dtype=np.uint64)
    for first, last in blocks(matrix.value_start):
        span = slice(matrix.value_start[first], matrix.value_start[last])
        terms = multiplied(value[matrix.value[span]], matrix.rows[span].astype(np.uint64), field)
        target[first:last] = sums(matrix.value_start[first : last + 1] - span.start, terms, field)
    return target


def _sum_to(matrix: Matrix, number: Residues, target: Residues, field: Field) -> bool:
    """Return whether the numbers of each group's members have the required sum."""
    for first, last in blocks(matrix.start):
        span = slice(matrix.start[first], matrix.start[last])
        found = sums(matrix.start[first : last + 1] - span.start, number[matrix.member[span]], field)
        if not np.array_equal(found, target[first:last]):
            return False
    return True


def classes(matrix: Matrix, *fingerprints: Fingerprint) -> Codes:
    """Return the class of each column, numbered by first members; shape (columns,), int32; -1 for columns in no group.

    Columns are in one class if their numbers are equal in all fingerprints.
    """
    label = np.full(matrix.columns, -1, dtype=np.int32)
    present = np.flatnonzero(matrix.present())
    place = np.zeros(len(present), dtype=np.int64)
    for numbers in fingerprints:
        place = place * len(present) + np.unique(numbers.of[present], return_inverse=True)[1]
        _, first, place = np.unique(place, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int32)
    order[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    label[present] = order[place]
    return label


def pinned(matrix: Matrix, *fingerprints: Fingerprint) -> Codes:
    """Return the code of each column's certain value on which all fingerprints agree, else -1; (columns,), int32."""
    certain = np.array([_pinned(matrix, numbers) for numbers in fingerprints])
    return np.where((certain == certain[0]).all(axis=0), certain[0], np.int32(-1))


def _pinned(matrix: Matrix, numbers: Fingerprint) -> Codes:
    certain = np.full(matrix.columns, -1, dtype=np.int32)
    present = np.flatnonzero(matrix.present())
    order = np.argsort(numbers.value)
    place = np.searchsorted(numbers.value[order], numbers.of[present])
    near = np.flatnonzero(place < len(order))
    code = order[place[near]]
    equal = numbers.value[code] == numbers.of[present[near]]
    certain[present[near[equal]]] = code[equal]
    return certain


def chance_of_error(matrix: Matrix) -> float:
    """Return an upper bound of the probability that two fingerprints agree on a wrong result.

    A fingerprint errs about a pair of columns, or a column and a value, if the prime divides a minor of the matrices,
    or if two random numbers are equal. Hadamard's bound limits the number of such primes (`factors`).
    """
    columns = int(matrix.present().sum())
    pairs = columns * ((columns - 1) / 2 + matrix.values)
    factors = np.log2(np.diff(matrix.start) + 1.0).sum() / (BITS - 2)
    return float(pairs * (factors / PRIMES + 1 / LEAST_PRIME) ** 2)


def compiled_solution(
    matrix: Matrix,
    target: Residues,
    drawn: Residues,
    draw: tuple[np.random.Generator, Field],
    budget: Budget,
) -> Residues | None:
    """Return a solution, uniform over all; shape (columns,), uint64. None if the budget is exhausted.

    Args:
        matrix: the groups.
        target: the required sum of each group's members; shape (groups,).
        drawn: uniform numbers of the columns; shape (columns,).
        draw: the source of further random numbers, and the field.
        budget: the time limit.

    Raises:
        ContradictionError: there is no solution.
    """
    from attacks.equivalence import lanczos, peeling
    from attacks.equivalence.peeling import laid_out

    easy, number = peeling.peeled(matrix), drawn.copy()
    if budget.exhausted():
        return None
    core = laid_out(matrix, easy.left)
    try:
        solved = lanczos.solution(core, target[core.group], drawn[core.column], draw, budget)
    except lanczos.InconsistentError as error:
        raise _contradiction(matrix, error.groups.tolist()) from error
    if solved is None:
        return None
    number[core.column] = solved
    peeling.substitute(matrix, easy, target, number, draw[1])
    return number


def plain_solution(matrix: Matrix, target: Residues, drawn: Residues, field: Field) -> Residues:
    """Return a solution as `compiled_solution` does, by plain elimination, columns in few groups first.

    The coefficient of column ~g in a row is the weight of group g in it, which names the groups of a contradiction.

    Raises:
        ContradictionError: there is no solution.
    """
    start, member, prime = matrix.start.tolist(), matrix.member.tolist(), int(field.prime)
    elimination = Elimination(
        (
            dict.fromkeys(member[start[g] : start[g + 1]], 1) | {~g: 1} | ({RIGHT: right} if right else {})
            for g, right in enumerate(target.tolist())
        ),
        prime,
        most=inf,
    )
    elimination.forward([column for column in elimination.holders if column >= 0])
    for row in elimination.left():
        if RIGHT in row:
            raise _contradiction(matrix, [~column for column in row if column != RIGHT])
    numbers = dict(enumerate(drawn.tolist()))
    elimination.substitute(numbers)
    return np.array(list(numbers.values()), dtype=np.uint64)


def _contradiction(matrix: Matrix, groups: list[int]) -> ContradictionError:
    return ContradictionError(tuple(sorted(groups)), int(matrix.release[groups].max()))
