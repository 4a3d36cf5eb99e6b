"""Equal sums: sets of people of one published group, or of all, formed some at a time, and matched by their sums.

All sets are formed again for each use, which is cheaper than storing them: first only their sums, of which the repeated
ones are kept, as many at a time as fit into memory; then the sets with these sums, each of which is matched with the
first set of its sum.
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
# The number of sums in memory at a time, 8 bytes each, and of their remainders that are looked up first.
_HELD, _FILTER = 1 << 25, 1 << 22


class SetPlaces(NamedTuple):
    """The people of each group who can take part, with twins merged: one place for each, in the order of items.

    The set of all people may also be such a group.

    Attributes:
        start: where each group's places begin, and their number at the end; shape (groups + 1,), int64.
        column: the column, of twins the first; shape (places,), int32.
        item: equal for columns with equal h, which twins have with no one else; by column, int32.
        weight: number of twins, 1 for others; by column, int32.
        value, check: sum of their numbers in the fingerprint, and in the second one; by column, uint64.
        prime, check_prime: what the numbers of both are modulo.
        repeated: whether a place may be in a set several times.
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
    """Sets that have as many places each, and those that they were made of by one more place.

    Attributes:
        before: the sets with one place less; None if there are none yet.
        parent: the set of `before` that each set extends.
        place: the added place.
        left: the missing weight.
        following, end: the places that may be added.
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
        """Return all places of each, ascending, -1 after the last; shape (sets, e)."""
        backward, formed, rows = list[Numbers](), self, np.arange(len(self.place))
        while formed.before is not None:
            backward.append(formed.place[rows])
            formed, rows = formed.before, formed.parent[rows]
        found = np.full((len(self.place), e), -1, dtype=np.int64)
        found[:, : len(backward)] = np.stack(backward[::-1], axis=1)
        return found


def search(places: SetPlaces, e: int, sets: int, wanted: Flags, budget: Budget) -> tuple[Sets, Sets]:
    """Return pairs of disjoint sets with equal sums that contain all wanted columns of all such pairs.

    Their order does not depend on the sums, which are random. If the budget is exhausted, pairs may be missing.

    Args:
        places: the people who can take part.
        e: columns in each set.
        sets: about how many sets there are.
        wanted: the columns whose least e is open.
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
    """Yield pairs of sets with some sums, which are ascending, that have all wanted columns of such pairs.

    Each set is matched with the first one of its sum.
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
        one, some = first[at].astype(np.int64), np.ones(len(at), dtype=np.bool_)
        some[fresh] = False
        some &= (wanted[one] | wanted[sets]).any(axis=1)
        one, other = one[some], sets[some]
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
    """Yield all sets of weight e within one group each, in blocks, and their sums modulo the prime."""
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
