"""Elimination: rational solutions of small sparse systems of equations with whole coefficients.

Equations are reduced modulo a prime so large that a solution whose numerators and denominators have up to 18 digits is
known from its residues. Whoever uses a solution checks it in exact arithmetic: a larger one comes out wrong.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

import numpy as np

Equation: TypeAlias = tuple[dict[int, int], int]
"""The coefficients of the unknowns that are in it, none of them 0, and what they add up to."""

_PRIME = 2**127 - 1
# Coefficients that may be changed before a system is given up, about half a second of work.
_WORK = 1_000_000
_NEGLIGIBLE = 1e-7


def solved(equations: list[Equation]) -> dict[int, Fraction] | None:
    """Return a solution of some equations, or None when there is none, or it takes too much work.

    Where several exist, as many of the last unknowns as possible are 0. Unknowns that are left out are 0.

    >>> solved([({0: 1, 1: 2}, 1), ({1: 2, 2: 1}, 0)])
    {0: Fraction(1, 1)}
    """
    pivots: dict[int, Equation] = {}
    work = _WORK
    for terms, sum_of_terms in sorted(equations, key=lambda equation: len(equation[0])):
        row, total = dict(terms), sum_of_terms
        while row:
            first = min(row)
            if first not in pivots:
                break
            pivot, right = pivots[first]
            times = row[first]
            total = (total - times * right) % _PRIME
            _subtract(row, times, pivot)
            work -= len(pivot)
        if work < 0 or (not row and total % _PRIME):
            return None
        if row:
            scale = pow(row[first], -1, _PRIME)
            pivots[first] = {unknown: entry * scale % _PRIME for unknown, entry in row.items()}, total * scale % _PRIME
    residues: dict[int, int] = {}
    for first in sorted(pivots, reverse=True):
        row, total = pivots[first]
        rest = sum(entry * residues[unknown] for unknown, entry in row.items() if unknown in residues)
        residue = (total - rest) % _PRIME
        if residue:
            residues[first] = residue
    return {unknown: _rational(residues[unknown]) for unknown in sorted(residues)}


def plainer(equations: list[Equation], unknowns: int) -> dict[int, Fraction] | None:
    """Return a solution with a small sum of absolute values, which tends to have few entries, or None.

    A linear program finds out which unknowns are wanted; the solution itself is computed anew.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    entries = [(place, unknown, entry) for place, (row, _) in enumerate(equations) for unknown, entry in row.items()]
    place, unknown, entry = np.array(entries, dtype=np.float64).reshape(-1, 3).T
    where = place.astype(np.int64), unknown.astype(np.int64)
    coefficients = csr_array((entry, where), shape=(len(equations), unknowns))
    totals = np.array([float(total) for _, total in equations])
    both = hstack([coefficients, -coefficients])
    result = linprog(np.ones(2 * unknowns), A_eq=both, b_eq=totals, bounds=(0, None), method="highs-ds")
    if result.status != 0:
        return None
    wanted = set(np.flatnonzero(np.abs(result.x[:unknowns] - result.x[unknowns:]) > _NEGLIGIBLE).tolist())
    return solved([({u: c for u, c in row.items() if u in wanted}, total) for row, total in equations])


def _subtract(row: dict[int, int], times: int, other: dict[int, int]) -> None:
    """Subtract so many times another row from a row."""
    for unknown, entry in other.items():
        left = (row.get(unknown, 0) - times * entry) % _PRIME
        if left:
            row[unknown] = left
        else:
            del row[unknown]


def _rational(residue: int) -> Fraction:
    """Return the fraction with the smallest terms that has a residue, by Euclid's algorithm stopped half way."""
    before, now, lower, upper = _PRIME, residue, 0, 1
    while 2 * now * now > _PRIME:
        times = before // now
        before, now = now, before - times * now
        lower, upper = upper, lower - times * upper
    return Fraction(now, upper)
