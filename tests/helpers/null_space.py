"""Null spaces of whole numbers, by FLINT."""

from collections.abc import Sequence
from math import gcd

from flint import fmpz_mat


def null_space(rows: Sequence[Sequence[int]], width: int) -> list[list[int]]:
    """Return a basis of the vectors of that width that are orthogonal to all rows, in lowest terms."""
    basis, size = fmpz_mat(len(rows), width, [int(entry) for row in rows for entry in row]).nullspace()
    vectors = [[int(basis[place, at]) for place in range(width)] for at in range(size)]
    return [[entry // gcd(*vector) for entry in vector] for vector in vectors]
