"""Lattices: all integer vectors x = W S with W U = 0 and rational W, by exact elimination.

The search is for x and not for the weights W, because integer weights miss equivalences (a vector may need halves), and
because bounds on weights would need proofs of their own, while |x| of a column is at most ||x||₁ divided by the number
of its twins. Eliminating the value matrix and then the person matrix leaves a reduced basis of the vectors. It falls
into independent lattices. Its orthogonal complement, the *relations*, decides which integer vectors belong to a lattice
(Definitions 9 and 10 of the equivalence paper; its Lemma 2, integer weights, is not needed).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from attacks.equivalence.elimination import Elimination, Row, TooMuchWorkError
from attacks.equivalence.parts import Parts, classes
from audit.model.arrays import Counts, component_of
from audit.model.minimum_cuts import NO_CUT, Labels

Direction: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Block:
    """The vectors x of one part, if the potentials of its nodes are equal within given classes.

    Types whose entries are then equal, or opposite, share a variable; types whose entries are 0 have none.

    Attributes:
        part: the number of the part.
        type: the types with a variable; shape (k,), int64.
        variable, sign: the variable of each of these types, and 1 or -1; shape (k,), int64.
        cost: the number of columns of each variable.
        rows: for each class of nodes, or each group, its coefficient of each variable, and of each value v as ~v.
        norm_lower_bound: a lower bound of ||x||₁ for vectors of the part other than 0.
    """

    part: int
    type: Counts
    variable: Counts
    sign: Counts
    cost: tuple[int, ...]
    rows: tuple[Row, ...]
    norm_lower_bound: int

    @classmethod
    def of(cls, parts: Parts, number: int, labels: Labels | None) -> Block:
        """Return the block of a part; `labels` are the least nodes of the classes, None where the part is no bucket."""
        matrix, types, part = parts.matrix, parts.types, parts.parts[number]
        norm_lower_bound = int(parts.norm_lower_bounds[number])
        # Value v is ~v: numbers from 0 on are variables.
        values = [{~value: rows for value, rows in matrix.values_of(group).items()} for group in part.groups.tolist()]
        if labels is None or part.delta is None:
            place = dict(zip(part.types.tolist(), range(len(part.types)), strict=True))
            rows = tuple(values)
            for row, group in zip(rows, part.groups.tolist(), strict=True):
                members = types.of[matrix.members(group)]
                row.update(dict.fromkeys((place[of] for of in members.tolist()), 1))
            every_type = np.arange(len(part.types))
            return cls(
                number,
                part.types,
                every_type,
                np.ones_like(every_type),
                tuple(part.size.tolist()),
                rows,
                norm_lower_bound,
            )
        # Lists: most parts are so small that a call of numpy would cost more than all the work on them.
        steps = part.delta @ classes(labels)
        moving = np.flatnonzero(steps.any(axis=1))
        sign = [1 if next(filter(None, row)) > 0 else -1 for row in steps[moving].tolist()]
        entries = [tuple(up * at for at in row) for up, row in zip(sign, steps[moving].tolist(), strict=True)]
        kinds = sorted(set(entries))
        place = {kind: at for at, kind in enumerate(kinds)}
        variable, cost = [place[entry] for entry in entries], [0] * len(kinds)
        for at, size in zip(variable, part.size[moving].tolist(), strict=True):
            cost[at] += size
        rises = [_difference(row, before) for before, row in zip([Row(), *values[:-1]], values, strict=True)]
        nodes: dict[int, list[int]] = {}
        for node, label in enumerate(labels.tolist()):
            nodes.setdefault(label, []).append(node)
        rows = tuple(
            _sum(rises[node - 1] for node in nodes[label]) | {at: kind[of] for at, kind in enumerate(kinds) if kind[of]}
            for of, label in enumerate(sorted(nodes)[1:])
        )
        chosen, up = np.array(variable, dtype=np.int64), np.array(sign, dtype=np.int64)
        return cls(number, part.types[moving], chosen, up, tuple(cost), rows, norm_lower_bound)

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """Vectors over values that span the possible totals W U of the block, no two of them proportional."""
        rows = ({at: times for at, times in row.items() if at < 0} for row in self.rows)
        return tuple(sorted({_direction(row) for row in rows if row}))

    @property
    def least_total(self) -> int:
        """A lower bound of the sum of absolute totals that are not all 0; totals are whole numbers."""
        return length(self.directions[0]) if len(self.directions) == 1 else min(len(self.directions), 1)


def length(direction: Direction) -> int:
    """Return the sum of the absolute entries of a vector."""
    return sum(abs(times) for _, times in direction)


def coupled_lower_bound(blocks: Sequence[Block]) -> int:
    """Return a lower bound of e for equivalences in which some block has a total of values that is not 0.

    `NO_CUT` if there can be no such equivalence. Let t be the totals of a block in such an equivalence. They are whole
    numbers, as entries of x are and each person has one value, and their sum over all blocks is 0. ||x||₁ of a block is
    at least ||t||₁, and at least the block's bound if t is not 0. At least two blocks have t other than 0. At least
    three do if the totals of each block are multiples of one vector u without a common divisor, and these vectors
    differ. If they have no negative entries, either two or more units of such vectors are added, or one is added and
    equals two or more that are subtracted: the sum of all ||t||₁ is at least 4 ||u||₁ for the shortest u. If all values
    are equally frequent, ||u||₁ is their number.

    One release with buckets {a, b}, {c, d}, {a, c} and {b, d} has the equivalence {a, b} + {c, d} = {a, c} + {b, d}
    with e = 4, while each bucket alone has none.
    """
    lines = [block.directions[0] for block in blocks if len(block.directions) == 1]
    able = [block for block in blocks if block.directions]
    simple = len(set(lines)) == len(able)
    least = sorted(max(block.norm_lower_bound, block.least_total) for block in able)
    needed = 3 if simple else 2
    if len(least) < needed:
        return NO_CUT
    norm = sum(least[:needed])
    if simple and all(times > 0 for line in lines for _, times in line):
        norm = max(norm, 4 * min(map(length, lines)))
    return (norm + 1) // 2


def coupled(blocks: Sequence[Block], bound: int) -> list[list[Block]]:
    """Return the classes of blocks that must be searched together for equivalences up to some norm.

    Other blocks can be searched alone: the restriction of an equivalence to them is an equivalence. The totals of an
    equivalence add up to 0 in each class if the spaces that the classes' totals span have a direct sum. Blocks are in
    one class if a direction of one depends on independent directions of others (fundamental circuits).
    """
    if coupled_lower_bound(blocks) > bound // 2:
        return []
    columns = [(place, vector) for place, block in enumerate(blocks) for vector in block.directions]
    rows: dict[int, Row] = {}
    for column, (_, vector) in enumerate(columns):
        for value, times in vector:
            rows.setdefault(value, {})[column] = times
    elimination = Elimination(rows.values())
    try:
        elimination.reduce()
    except TooMuchWorkError:
        return [list(blocks)]
    home = list(range(len(blocks)))
    for row in elimination.pivots.values():
        homes = {home[columns[column][0]] for column in row}
        least = min(homes)
        home = [least if place in homes else place for place in home]
    coupled_blocks: dict[int, list[Block]] = {}
    for block, where in zip(blocks, home, strict=True):
        coupled_blocks.setdefault(where, []).append(block)
    return [together for together in coupled_blocks.values() if coupled_lower_bound(together) <= bound // 2]


@dataclass(frozen=True)
class Lattice:
    """The equivalences over a set of variables that does not divide into independent sets.

    Attributes:
        type, variable, sign: as in a block.
        cost: the number of columns of each variable.
        free: variables that determine all others: if they are 0, the vector is 0.
        basis: a vector for each of them; every vector of the lattice is a rational combination of these.
        relations: an integer vector belongs exactly when its product with each of these rows is 0.
    """

    type: Counts
    variable: Counts
    sign: Counts
    cost: tuple[int, ...]
    free: tuple[int, ...]
    basis: tuple[Row, ...]
    relations: tuple[Row, ...]

    def norm(self, vector: Row) -> int:
        """Return the sum of the absolute entries of all columns."""
        return sum(self.cost[at] * abs(times) for at, times in vector.items())

    def holds(self, vector: Row) -> bool:
        """Return whether an integer vector belongs to the lattice, in exact arithmetic."""
        return not any(sum(times * vector.get(at, 0) for at, times in row.items()) for row in self.relations)


def lattices(blocks: Sequence[Block]) -> list[Lattice]:
    """Return the independent lattices of the equivalences of some blocks together; none if there are no equivalences.

    Time grows with the number and the digits of non-zero entries of the reduced basis, which is sparse as long as most
    groups have a person who is in few groups.

    Raises:
        TooMuchWorkError: it takes too long.
    """
    firsts = np.cumsum([0, *(len(block.cost) for block in blocks)]).tolist()
    rows = [
        {at if at < 0 else at + first: times for at, times in row.items()}
        for first, block in zip(firsts, blocks, strict=False)
        for row in block.rows
    ]
    without_values = Elimination(rows)
    without_values.forward(sorted({at for row in rows for at in row if at < 0}))
    elimination = Elimination(without_values.left())
    elimination.reduce()
    if not elimination.pivots:
        return []
    cost = [cost for block in blocks for cost in block.cost]
    variable = np.concatenate([block.variable + first for first, block in zip(firsts, blocks, strict=False)])
    types, signs = (np.concatenate([getattr(block, name) for block in blocks]) for name in ("type", "sign"))
    found = []
    for pivots in _independent(elimination.pivots):
        used = sorted({at for row in pivots.values() for at in row})
        number = {at: place for place, at in enumerate(used)}
        chosen = np.flatnonzero(np.isin(variable, used))
        found.append(
            Lattice(
                types[chosen],
                np.searchsorted(used, variable[chosen]),
                signs[chosen],
                tuple(cost[at] for at in used),
                tuple(number[at] for at in pivots),
                tuple({number[at]: times for at, times in row.items()} for row in pivots.values()),
                tuple({number[at]: times for at, times in row.items()} for row in _relations(pivots)),
            )
        )
    return found


def _independent(pivots: Mapping[int, Row]) -> list[dict[int, Row]]:
    """Return the connected components of a reduced basis, whose rows share columns; each as rows by pivot."""
    width = 1 + max(at for row in pivots.values() for at in row)
    ends = np.array([(head, at) for head, row in pivots.items() for at in row]).T
    label = component_of(ends[0], ends[1], width).tolist()
    together: dict[int, dict[int, Row]] = {}
    for head, row in pivots.items():
        together.setdefault(label[head], {})[head] = row
    return list(together.values())


def _relations(pivots: Mapping[int, Row]) -> list[Row]:
    """Return each column without a pivot as a combination of the pivot columns, in rows of integers."""
    common: dict[int, int] = {}
    for head, row in pivots.items():
        for at in row:
            common[at] = math.lcm(common.get(at, 1), row[head])
    parts: dict[int, Row] = {at: {} for at in sorted(common) if at not in pivots}
    for head, row in pivots.items():
        for at, times in row.items():
            if at != head:
                parts[at][head] = common[at] // row[head] * times
    relations = []
    for at, part in parts.items():
        divisor = math.gcd(common[at], *part.values())
        relations.append({at: -common[at] // divisor} | {head: times // divisor for head, times in part.items()})
    return relations


def _difference(row: Row, less: Row) -> Row:
    return {at: left for at in row | less if (left := row.get(at, 0) - less.get(at, 0))}


def _sum(rows: Iterable[Row]) -> Row:
    total: Row = {}
    for row in rows:
        for at, times in row.items():
            total[at] = total.get(at, 0) + times
    return {at: times for at, times in total.items() if times}


def _direction(row: Row) -> Direction:
    """Return a vector divided by the common divisor of its entries, with a positive first entry."""
    entries = sorted(row.items())
    divisor = math.gcd(*row.values()) * (1 if entries[0][1] > 0 else -1)
    return tuple((at, times // divisor) for at, times in entries)
