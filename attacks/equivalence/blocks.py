"""Blocks: the integer vectors x = W S of single buckets, and of several together, as exact linear relations.

An equivalence is an integer vector x for which rational weights exist. Asking for x itself instead of weights spares
denominators: where people return, integer weights miss equivalences (a vector may need halves), and bounds on weights
would need proofs of their own, while |x| of a column is at most ||x||₁ over the number of columns like it. Some
entries of x, the *free* ones, determine the others; one relation for each of the others and one balance for each value
say all there is to say. All arithmetic is in Python integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from attacks.equivalence.buckets import Bucket
from audit.core.cuts import Labels
from audit.core.evidence import Counts

Integers: TypeAlias = npt.NDArray[Any]
"""An array of Python integers of any size."""
Relation: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Variables and their coefficients: the sum of the products is 0."""


@dataclass(frozen=True)
class Block:
    """The vectors x = W S of one bucket, with potentials equal within given classes of nodes.

    Kinds of columns whose entries are then equal, or opposite, share a variable; kinds whose entries are 0 have none.

    Attributes:
        kind: numbers of the kinds with a variable, counted through all buckets; shape (k,), int64.
        variable, sign: the variable of each of them, and 1 or -1; shape (k,), int64.
        cost: number of columns of each variable.
        free: the variables that determine the others, the most costly ones that do.
        relations: one for each other variable.
        totals: the total of each value that one unit of each free variable adds, by value.
        floor: the least ||x||₁ of a vector of the bucket whose totals are not all 0, or less.
    """

    kind: Counts
    variable: Counts
    sign: Counts
    cost: tuple[int, ...]
    free: tuple[int, ...]
    relations: tuple[Relation, ...]
    totals: dict[int, tuple[Fraction, ...]]
    floor: int

    @classmethod
    def of(cls, bucket: Bucket, labels: Labels, first: int, floor: int) -> Block | None:
        """Return the block of a bucket, or None when x is 0.

        Args:
            bucket: the bucket.
            labels: the least node of each node's class; shape (nodes,).
            first: the number of the bucket's first kind.
            floor: the bucket's floor.
        """
        delta, rise = bucket.contracted(labels)
        some = np.flatnonzero(delta.any(axis=1))
        if not len(some):
            return None
        delta = delta[some]
        sign = np.sign(delta[np.arange(len(delta)), (delta != 0).argmax(axis=1)])
        rows, variable = np.unique(delta * sign[:, None], axis=0, return_inverse=True)
        cost = np.zeros(len(rows), dtype=np.int64)
        np.add.at(cost, variable, bucket.times[some])
        table = np.concatenate([rows.T, rise], axis=1).astype(object)
        free = echelon(table, np.argsort(-cost, kind="stable").tolist())
        totals = {
            int(value): tuple(Fraction(table[row, len(rows) + place], table[row, at]) for row, at in enumerate(free))
            for place, value in enumerate(bucket.value)
        }
        return cls(
            some + first,
            variable,
            sign,
            tuple(cost.tolist()),
            tuple(free),
            tuple(relations_of(table[: len(free), : len(rows)], free)),
            {value: total for value, total in totals.items() if any(total)},
            floor,
        )

    def spans(self) -> list[Relation]:
        """Return vectors over values that span the totals which the block's vectors can have, no two proportional."""
        rows = (
            {value: total[place] for value, total in self.totals.items() if total[place]}
            for place in range(len(self.free))
        )
        return sorted({whole(row) for row in rows if row})

    @property
    def least_total(self) -> int:
        """The least sum of absolute totals that are not all 0, or less; 0 where they always are."""
        spans = self.spans()
        return length(spans[0]) if len(spans) == 1 else min(len(spans), 1)


def relations_of(table: Integers, free: Sequence[int]) -> Iterator[Relation]:
    """Give the relation of each variable that is not free to the free ones, from a reduced table."""
    for variable in sorted(set(range(table.shape[1])) - set(free)):
        rows = np.flatnonzero(table[:, variable]).tolist()
        parts = [Fraction(table[row, variable], table[row, free[row]]) for row in rows]
        scale = lcm(*(part.denominator for part in parts))
        yield (variable, *(free[row] for row in rows)), (scale, *(int(-part * scale) for part in parts))


def echelon(table: Integers, order: Iterable[int]) -> list[int]:
    """Reduce the rows of a table of Python integers in place, and return the columns of the pivots, row by row.

    Below the pivots' rows, the columns of `order` are 0; a pivot's column is 0 outside its row. Rows are divided by
    their greatest common divisors.

    >>> table = np.array([[2, 4], [1, 3]], dtype=object)
    >>> echelon(table, [0, 1]), table.tolist()
    ([0, 1], [[1, 0], [0, 1]])
    """
    pivots: list[int] = []
    for column in order:
        row = len(pivots)
        below = np.flatnonzero(table[row:, column])
        if not len(below):
            continue
        table[[row, row + below[0]]] = table[[row + below[0], row]]
        table[row] //= np.gcd.reduce(table[row])
        for other in np.flatnonzero(table[:, column]):
            if other != row:
                table[other] = table[other] * table[row, column] - table[row] * table[other, column]
                table[other] //= np.gcd.reduce(table[other]) or 1
        pivots.append(column)
    return pivots


@dataclass(frozen=True)
class System:
    """The equivalences of some blocks together: their variables one after the other, and all relations.

    Attributes:
        kind, variable, sign: as in a block.
        cost: number of columns of each variable.
        free: the variables that determine the others of their blocks.
        relations: all relations between variables; what satisfies them in integers is an equivalence, and conversely.
        balances: those of them that say that the total of a value is 0.
    """

    kind: Counts
    variable: Counts
    sign: Counts
    cost: tuple[int, ...]
    free: tuple[int, ...]
    relations: tuple[Relation, ...]
    balances: tuple[Relation, ...]

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> System:
        """Return the system of some blocks."""
        starts = np.cumsum([0] + [len(block.cost) for block in blocks]).tolist()
        placed = list(zip(starts, blocks, strict=False))
        balances: dict[Relation, None] = {}
        for value in sorted({value for block in blocks for value in block.totals}):
            terms = {
                start + variable: total
                for start, block in placed
                for variable, total in zip(block.free, block.totals.get(value, ()), strict=False)
                if total
            }
            balances[whole(terms)] = None
        relations = [
            (tuple(start + variable for variable in variables), coefficients)
            for start, block in placed
            for variables, coefficients in block.relations
        ]
        return cls(
            np.concatenate([block.kind for block in blocks]),
            np.concatenate([start + block.variable for start, block in placed]),
            np.concatenate([block.sign for block in blocks]),
            tuple(cost for block in blocks for cost in block.cost),
            tuple(start + variable for start, block in placed for variable in block.free),
            (*relations, *balances),
            tuple(balances),
        )

    def loose(self) -> System:
        """Return the same without the balances."""
        return replace(self, relations=self.relations[: len(self.relations) - len(self.balances)], balances=())

    def norm(self, vector: Sequence[int]) -> int:
        """Return the sum of the absolute entries of all columns."""
        return sum(cost * abs(times) for cost, times in zip(self.cost, vector, strict=True))

    def holds(self, vector: Sequence[int]) -> bool:
        """Tell whether a vector satisfies every relation, in exact arithmetic."""
        return all(
            sum(factor * vector[at] for at, factor in zip(variables, factors, strict=True)) == 0
            for variables, factors in self.relations
        )

    def basis(self) -> Iterator[list[int]]:
        """Give equivalences that span all others over the rational numbers; none when there is none."""
        table = np.zeros((len(self.balances), len(self.cost)), dtype=object)
        for row, (variables, factors) in enumerate(self.balances):
            table[row, list(variables)] = factors
        pivots = echelon(table, self.free)
        for loose in sorted(set(self.free) - set(pivots)):
            vector = [Fraction(0)] * len(self.cost)
            vector[loose] = Fraction(1)
            for row, pivot in enumerate(pivots):
                vector[pivot] = Fraction(-table[row, loose], table[row, pivot])
            for variables, factors in self.loose().relations:
                rest = sum(factor * vector[at] for at, factor in zip(variables[1:], factors[1:], strict=True))
                vector[variables[0]] = Fraction(-rest, factors[0])
            scale = lcm(*(entry.denominator for entry in vector))
            whole = [int(entry * scale) for entry in vector]
            common = gcd(*whole)
            yield [entry // common for entry in whole]


def length(vector: Relation) -> int:
    """Return the sum of the absolute entries of a vector."""
    return sum(map(abs, vector[1]))


def whole(terms: dict[int, Fraction]) -> Relation:
    """Return a relation with integer coefficients without a common divisor, the first of them positive."""
    scale = lcm(*(term.denominator for term in terms.values()))
    whole = [int(term * scale) for term in terms.values()]
    common = gcd(*whole) * (1 if whole[0] > 0 else -1)
    return tuple(terms), tuple(entry // common for entry in whole)
