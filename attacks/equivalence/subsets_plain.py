"""Sets of people of one published group, or of all, and the plain kernels that form and match them, for few sets."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Counts, Flags, Words
from audit.runtime.budget import Budget

Sets: TypeAlias = npt.NDArray[np.int64]


class SetPlaces(NamedTuple):
    """Who of each group can take part, twins as one: a place for each, in the order of items within each group.

    All people may be such a group too.

    Attributes:
        start: where each group's places begin, and their number at the end; shape (groups + 1,), int64.
        column: the column, of twins the first; shape (places,), int32.
        item: equal for columns with equal h, which twins have with no one else; by column, int32.
        weight: number of twins, 1 for others; by column, int32.
        value, check: sum of their numbers in the fingerprint, and in the second one; by column, uint64.
        prime, check_prime: what the numbers of both are modulo.
    """

    start: Counts
    column: Codes
    item: Codes
    weight: Codes
    value: Words
    check: Words
    prime: np.uint64
    check_prime: np.uint64


class MatchingTask(NamedTuple):
    """Which sets to match.

    Attributes:
        groups: the groups whose sets are formed; int32.
        e: columns in each set.
        bits: so many bits hold a place's position within its group, counted from 1.
        sets: about how many sets there are.
        wanted: whose least e is open, by column.
        repeated: whether a place may be in a set several times.
    """

    groups: Codes
    e: int
    bits: int
    sets: int
    wanted: Flags
    repeated: bool = False


class Pairs(NamedTuple):
    """Pairs of sets with equal sums and no one in common.

    Attributes:
        left, right: the places of both, -1 beyond the last one where twins make it fewer; shape (pairs, e), int64.
        done: whether every column that is wanted and in some such pair is in one of these.
    """

    left: Sets
    right: Sets
    done: bool


def search(places: SetPlaces, task: MatchingTask, budget: Budget) -> Pairs:
    """Return pairs of sets with equal sums and no one in common that have all wanted columns of all such pairs."""
    sets = _all_sets(places, task)
    if budget.exhausted():
        return Pairs(sets[:0], sets[:0], done=False)
    total = _sums(places.value[places.column], sets, places.prime)
    order = np.argsort(total, kind="stable")
    new = np.diff(total[order], prepend=total[order[:1]]) != 0
    first = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    later = np.flatnonzero(first != np.arange(len(order)))
    # In an order that does not depend on the sums, which are random.
    later = later[np.argsort(order[later])]
    one, other = sets[order[first[later]]], sets[order[later]]
    check = places.check[places.column]
    agree = _sums(check, one, places.check_prime) == _sums(check, other, places.check_prime)
    item = np.append(places.item[places.column], -1)
    common = (item[one][:, :, None] == np.where(other < 0, -2, item[other])[:, None, :]).any(axis=(1, 2))
    is_wanted = np.append(task.wanted[places.column], False)
    some = (is_wanted[one] | is_wanted[other]).any(axis=1)
    use = agree & ~common & some
    return Pairs(one[use], other[use], done=True)


def _all_sets(places: SetPlaces, task: MatchingTask) -> Sets:
    """Return all sets of weight e within one group each, as ascending places, -1 after the last; shape (sets, e)."""
    groups, e = task.groups, task.e
    chosen = np.full((len(groups), e), -1, dtype=np.int64)
    left = np.full(len(groups), e)
    following, end = places.start[groups], places.start[groups + 1]
    complete = [chosen[:0]]
    for depth in range(e):
        size = end - following
        parent = np.repeat(np.arange(len(size)), size)
        place = np.arange(len(parent)) + (following - np.cumsum(size) + size)[parent]
        rest = left[parent] - places.weight[places.column[place]]
        chosen = chosen[parent]
        chosen[:, depth] = place
        complete.append(chosen[rest == 0])
        on = rest > 0
        chosen, left, following, end = chosen[on], rest[on], place[on] + (not task.repeated), end[parent[on]]
    return np.concatenate(complete)


def _sums(number: Words, sets: Sets, prime: np.uint64) -> Words:
    """Return the sum of the numbers of each set's places."""
    total = np.append(number, np.uint64(0))[sets].sum(axis=1, dtype=np.uint64)
    return total % prime
