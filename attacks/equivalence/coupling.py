"""Coupled buckets: equivalences in which the totals of several buckets cancel, though no bucket has one by itself.

One release with buckets {a, b}, {c, d}, {a, c} and {b, d} has the equivalence {a, b} + {c, d} = {a, c} + {b, d} with
e = 4, while each bucket alone has none. Such equivalences are large, or need buckets that move totals cheaply: this
module finds out which buckets need to be solved together for equivalences up to some norm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from attacks.equivalence.blocks import Block, Relation, System, echelon, length, relations_of
from attacks.equivalence.programme import Programme, UnsolvedError
from audit.core.budget import Budget
from audit.core.cuts import NO_CUT
from audit.core.evidence import Counts

# Blocks are given away together up to so many; so few are not given away.
_GIVEN, _FEW = 20, 10


def coupled_floor(blocks: Sequence[Block]) -> int:
    """Return a number that no e of an equivalence is below whose total of some value is not 0 in some block.

    Let t be the totals of the blocks in such an equivalence: whole numbers, as the entries of x and everybody's one
    value are, and their sum is 0. ||x||₁ of a block is at least ||t||₁ of it, and at least its floor where t is not 0.
    At least two blocks have t other than 0, and three where the totals of each block are multiples of one vector u
    without a common divisor, different in all blocks. If these have no negative entries, then either two or more units
    of u are added, or one is added and equals two or more that are subtracted, as it is no u itself: the sum of all
    ||t||₁ is at least 4 ||u||₁ for the least of them. With values equally frequent ||u||₁ is their number. `NO_CUT`
    where there can be no such equivalence.
    """
    spans = [span for block in blocks if (span := block.spans())]
    lines = [span[0] for span in spans if len(span) == 1]
    simple = len(set(lines)) == len(spans)
    least = sorted(max(block.floor, block.least_total) for block in blocks if block.totals)
    needed = 3 if simple else 2
    if len(least) < needed:
        return NO_CUT
    norm = sum(least[:needed])
    if simple and all(min(factors) > 0 for _, factors in lines):
        norm = max(norm, 4 * min(map(length, lines)))
    return (norm + 1) // 2


def knots(blocks: Sequence[Block]) -> list[list[Block]]:
    """Return classes of blocks such that an equivalence's totals add up to 0 in each class.

    That is so where the totals that blocks can have span spaces whose sum is direct. Blocks are in one class when a
    vector of one depends on independent ones of others (fundamental circuits).
    """
    columns = [(place, vector) for place, block in enumerate(blocks) for vector in block.spans()]
    values = sorted({value for _, (support, _) in columns for value in support})
    table = np.zeros((len(values), len(columns)), dtype=object)
    for column, (_, (support, factors)) in enumerate(columns):
        table[np.searchsorted(values, support), column] = factors
    pivots = echelon(table, range(len(columns)))
    home = list(range(len(blocks)))
    for column, (place, _) in enumerate(columns):
        for row in np.flatnonzero(table[: len(pivots), column]):
            old, new = sorted((home[place], home[columns[pivots[row]][0]]), reverse=True)
            home = [new if other == old else other for other in home]
    return [[block for block, other in zip(blocks, home, strict=True) if other == one] for one in sorted(set(home))]


def coupled(blocks: Sequence[Block], bound: int, budget: Budget) -> list[list[Block]]:
    """Return classes of blocks such that the other blocks' parts of equivalences up to some norm are ones themselves.

    A block whose totals are not 0 needs as much again in others. First the least norm of each block with totals other
    than 0 is found, then whether totals can cancel at all that are bought at these prices. What is not proved in time
    stays in.
    """
    if 2 * coupled_floor(blocks) > bound:
        return []
    able = list(_able(blocks, bound, budget))
    able = [block for knot in knots(able) if 2 * coupled_floor(knot) <= bound for block in knot]
    able = _cancelling(able, bound, budget)
    return [knot for knot in knots(able) if 2 * coupled_floor(knot) <= bound]


def _able(blocks: Sequence[Block], bound: int, budget: Budget) -> Iterator[Block]:
    """Yield the blocks that can have totals other than 0, in their order."""
    engine, alone = budget.engine, budget.alone()
    some = [block for block in blocks if block.totals]
    bunches = [some[first : first + _GIVEN] for first in range(0, len(some), _GIVEN)]
    tasks = (engine.submit(priced, bunch, bound, alone) for bunch in bunches)
    for each in engine.results(tasks) if len(some) > _FEW else (priced(bunch, bound, alone) for bunch in bunches):
        yield from each


def priced(blocks: Sequence[Block], bound: int, budget: Budget) -> list[Block]:
    """Return the blocks whose totals can be other than 0, with what that costs; a kernel for engines."""
    return [found for block in blocks if (found := _priced(block, bound, budget)) is not None]


def _priced(block: Block, bound: int, budget: Budget) -> Block | None:
    """Return a block with the least norm at which its totals are not 0 as its floor; None when that is too much."""
    rest = bound - block.least_total
    if not block.totals or rest < block.floor:
        return None
    if budget.spent():
        return block
    system = System.of([block])
    vector, proved = Programme(system.loose(), rest).least(system.balances, block.floor, budget)
    if not proved:
        return block
    return None if vector is None else replace(block, floor=system.norm(vector))


def _cancelling(blocks: Sequence[Block], bound: int, budget: Budget) -> list[Block]:
    """Return the blocks whose totals can be other than 0 and cancel with others, if floors were all they cost."""
    if not blocks:
        return []
    system, home = _totals(blocks)
    programme = Programme(system, bound)
    places = [np.flatnonzero(home == place).tolist() for place in range(len(blocks))]
    programme.charge((mine, block.floor) for mine, block in zip(places, blocks, strict=True))
    found: set[int] = set()
    while len(found) < len(blocks):
        wanted = [((variable,), (1,)) for variable in np.flatnonzero(~np.isin(home, list(found))).tolist()]
        try:
            vector = programme.some(wanted, budget, presolve=True)
        except UnsolvedError:
            return list(blocks)
        if vector is None:
            break
        found |= set(home[np.flatnonzero(vector)].tolist())
    return [blocks[place] for place in sorted(found)]


def _totals(blocks: Sequence[Block]) -> tuple[System, Counts]:
    """Return the vectors of totals that blocks may have and that cancel, and the block of each variable.

    Where a block's totals are multiples of one vector, its variable is how many; else it has one for each value.
    """
    cost: list[int] = []
    home: list[int] = []
    links: list[Relation] = []
    terms: dict[int, dict[int, int]] = {}
    for place, block in enumerate(blocks):
        spans, first = block.spans(), len(cost)
        if len(spans) == 1:
            cost.append(length(spans[0]))
            for value, factor in zip(*spans[0], strict=True):
                terms.setdefault(value, {})[first] = factor
        else:
            cost += [1] * len(block.totals)
            for at, value in enumerate(block.totals):
                terms.setdefault(value, {})[first + at] = 1
            links += [(tuple(first + at for at in places), factors) for places, factors in _links(block, spans)]
        home += [place] * (len(cost) - first)
    balances = tuple((tuple(term), tuple(term.values())) for term in terms.values())
    nothing = np.zeros(0, dtype=np.int64)
    system = System(nothing, nothing, nothing, tuple(cost), (), (*links, *balances), balances)
    return system, np.array(home, dtype=np.int64)


def _links(block: Block, spans: Sequence[Relation]) -> Iterator[Relation]:
    """Give the relations between the totals of a block's values, by place of the value."""
    values = list(block.totals)
    table = np.zeros((len(spans), len(values)), dtype=object)
    for row, (support, factors) in enumerate(spans):
        table[row, [values.index(value) for value in support]] = factors
    free = echelon(table, range(len(values)))
    return relations_of(table[: len(free)], free)
