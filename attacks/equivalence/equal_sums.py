"""Equal sums: find sets of people with equal sums, of one published group or of all people.

Sets are formed twice, block by block, which is cheaper than storing them. The first pass only computes sums and keeps
those that occur several times, as many at a time as fit into memory. The second pass forms the sets with these sums,
and matches each with the first set of its sum.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from attacks.ragged import ragged
from audit.model.arrays import Codes, Counts, Flags, Numbers, Words
from audit.runtime.budget import Budget

Sets: TypeAlias = npt.NDArray[np.int64]

# The number of sets formed at a time, which fit into a processor's cache.
_AT_A_TIME = 1 << 16
# How many sums are in memory at a time, 8 bytes each; and the size of a table of their low bits, which is asked first.
_HELD, _FILTER = 1 << 25, 1 << 22


class SetPlaces(NamedTuple):
    """The people of each group who can take part, one place for each set of twins, in the order of items.

    The set of all people may also be such a group.

    Attributes:
        start: where each group's places begin, and their number at the end; shape (groups + 1,), int64.
        column: the column of each place, of twins the first; shape (places,), int32.
        item: the class of columns with equal numbers in the fingerprints; by column, int32.
        weight: the number of twins; by column, int32.
        value, check: the sum of the twins' numbers in the first and in the second fingerprint; by column, uint64.
        prime, check_prime: the primes of the two fingerprints.
        repeated: whether a set may contain a place several times.
    """

    start: Counts
    column: Codes
    item: Codes
    weight: Codes
    value: Words
    check: Words
    prime: np.uint64
    check_prime: np.uint64
    repeated: bool = False


class _Formed(NamedTuple):
    """Sets with equally many places, as extensions of smaller sets by one place each.

    Attributes:
        before: the smaller sets; None for empty sets.
        parent: the set of `before` that each set extends.
        place: the place that is added.
        left: the weight that is still missing.
        following, end: the range of places that may be added next.
        total: the sum so far, modulo 2⁶⁴.
    """

    before: _Formed | None
    parent: Numbers
    place: Numbers
    left: Numbers
    following: Numbers
    end: Numbers
    total: Words

    def some(self, rows: Numbers | slice) -> _Formed:
        """Return the sets at some indices."""
        return self._replace(**{name: getattr(self, name)[rows] for name in self._fields[1:]})

    def sets(self, e: int) -> Sets:
        """Return the places of each set, ascending, -1 after the last; shape (sets, e)."""
        backward, formed, rows = list[Numbers](), self, np.arange(len(self.place))
        while formed.before is not None:
            backward.append(formed.place[rows])
            formed, rows = formed.before, formed.parent[rows]
        found = np.full((len(self.place), e), -1, dtype=np.int64)
        found[:, : len(backward)] = np.stack(backward[::-1], axis=1)
        return found


def search(places: SetPlaces, e: int, sets: int, wanted: Flags, budget: Budget) -> tuple[Sets, Sets]:
    """Return pairs of disjoint sets with equal sums; each wanted column that is in any such pair is in a returned one.

    Their order does not depend on the sums, which are random. If the budget is exhausted, pairs may be missing.

    Args:
        places: the people who can take part.
        e: the number of columns in each set.
        sets: about how many sets there are.
        wanted: the columns whose least e is unknown; shape (columns,), bool.
        budget: the time limit.

    Returns:
        The places of both sets, -1 beyond the last one where twins make it fewer; shape (pairs, e), int64.
    """
    bounds, again = np.linspace(0, float(places.prime), sets // _HELD + 2).astype(np.uint64), list[Words]()
    bounds[-1] = places.prime
    for low, high in pairwise(bounds):
        sums = array("Q")  # grows in place
        for _, total in _formed(places, e, budget):
            sums.frombytes(total[(total >= low) & (total < high)].tobytes())
        held: Words = np.frombuffer(sums, dtype=np.uint64)
        held.sort()
        equal = held[1:] == held[:-1]
        again.append(held[1:][equal & ~np.append(False, equal[:-1])[: len(equal)]])
    nothing: Sets = np.zeros((0, e), dtype=np.int64)
    found = [(nothing, nothing), *_matched(places, e, wanted, np.concatenate(again), budget)]
    left, right = map(np.concatenate, zip(*found, strict=True))
    return left, right


def _matched(places: SetPlaces, e: int, wanted: Flags, again: Words, budget: Budget) -> Iterator[tuple[Sets, Sets]]:
    """Yield pairs of sets with given sums (ascending) that have wanted columns, block by block.

    Each set is matched with the first set of its sum.
    """
    if not len(again):
        return
    first, wanted = np.full((len(again), e), -1, dtype=np.int32), np.append(wanted[places.column], False)
    check, item = np.append(places.check[places.column], np.uint64(0)), np.append(places.item[places.column], -1)
    near, low = np.zeros(_FILTER, dtype=np.bool_), np.uint64(_FILTER - 1)
    near[again & low] = True
    for formed, total in _formed(places, e, budget):
        rows = np.flatnonzero(near.take(total & low))
        at = np.minimum(np.searchsorted(again, total[rows]), len(again) - 1)
        same = again[at] == total[rows]
        at, sets = at[same], formed.some(rows[same]).sets(e)
        sums, fresh = np.unique(at, return_index=True)
        fresh = fresh[first[sums, 0] < 0]
        first[at[fresh]] = sets[fresh]
        one, useful = first[at].astype(np.int64), np.ones(len(at), dtype=np.bool_)
        useful[fresh] = False
        useful &= (wanted[one] | wanted[sets]).any(axis=1)
        one, other = one[useful], sets[useful]
        one_check, other_check = (check[each].sum(axis=1) % places.check_prime for each in (one, other))
        use = one_check == other_check
        use &= ~(item[one][:, :, None] == np.where(other < 0, -2, item[other])[:, None, :]).any(axis=(1, 2))
        kept = np.flatnonzero(use)[with_all_wanted(one[use], other[use], wanted)]
        yield one[kept], other[kept]


def with_all_wanted(one: npt.NDArray[np.integer], other: npt.NDArray[np.integer], wanted: Flags) -> Numbers:
    """Return the indices of the first pairs of sets that contain each wanted entry, ascending."""
    both = np.concatenate([one, other], axis=1)
    row, side = np.nonzero(wanted[both])
    return np.unique(row[np.unique(both[row, side], return_index=True)[1]])


def _formed(places: SetPlaces, e: int, budget: Budget) -> Iterator[tuple[_Formed, Words]]:
    """Yield blocks of sets of weight e, each set within one group, with their sums modulo the prime."""
    weight, value = places.weight[places.column], places.value[places.column]
    none = np.zeros(len(places.start) - 1, dtype=np.int64)
    ends = places.start[:-1], places.start[1:]
    waiting = [_Formed(None, none, none, np.full(len(none), e), *ends, none.astype(np.uint64))]
    while waiting and not budget.exhausted():
        formed = waiting.pop()
        size = formed.end - formed.following
        if len(size) > 1 and size.sum() > _AT_A_TIME:
            waiting += [formed.some(slice(len(size) // 2, None)), formed.some(slice(len(size) // 2))]
            continue
        parent = np.repeat(np.arange(len(size)), size)
        place = ragged(formed.following, size)
        left = formed.left[parent] - weight[place]
        total = formed.total[parent] + value[place]
        more = _Formed(formed, parent, place, left, place + (not places.repeated), formed.end[parent], total)
        complete = more if not left.any() else more.some(np.flatnonzero(left == 0))
        yield complete, complete.total % places.prime
        if left.max(initial=0) > 0:
            waiting.append(more.some(np.flatnonzero(left > 0)))
