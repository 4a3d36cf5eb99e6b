"""Subsets: all equivalences with few people on each side, by equal sums in the fingerprint.

Two sets of columns are equivalent exactly when their sums of the fingerprint's numbers h are equal. So the sums of all
sets of e people are formed, and equal sums matched. If there are not too many, these are sets of all people, in which a
person may occur several times: that finds all equivalences. Otherwise each set is within one published group. What is
left out does not change the least e of any column:

* Columns that are in the same groups (*twins*) have equal entries in every W S: a side has all of them or none. They
  are treated as one, and left out if there are more than `max_e`.
* A column with the same h as another one is in an equivalence with e = 1, so its least e is known. Among all people,
  the first of several columns with the same h represents them.
* Let P and Q have equal sums, and a in P, b in Q equal h (perhaps a is b). The rest of P and the rest of Q are
  equivalent and lie in the same groups: a smaller equivalence, which was found before. It contains every column of P or
  Q with a unique h, and the least e of other columns is known. So sides with a common h are left out, and sides with
  the same numbers h, such as a set found in two groups, count as one.
* It suffices to match every set with the first one of its sum: if only one of P and Q has a column, then P or Q differs
  from the first set in that column.

Sets are formed twice, block by block, which is cheaper than storing them. The first pass only computes sums and keeps
those that occur several times, as many at a time as fit into memory. The second pass forms the sets with these sums,
and matches each with the first set of its sum.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from attacks.equivalence.field import TERMS
from attacks.equivalence.fingerprint import Fingerprint, classes
from attacks.equivalence.vectors import Witnesses
from attacks.matrix import Matrix, Types
from audit.model.arrays import (
    Codes,
    Counts,
    Flags,
    Floats,
    Integers,
    Numbers,
    Words,
    numbered,
    ragged,
    segments,
    starts,
)
from audit.runtime.budget import Budget
from audit.runtime.phrases import Reason, combined, say

Sets: TypeAlias = Numbers

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
        left, useful = first[at].astype(np.int64), np.ones(len(at), dtype=np.bool_)
        useful[fresh] = False
        useful &= (wanted[left] | wanted[sets]).any(axis=1)
        left, right = left[useful], sets[useful]
        use = np.equal(*(check[side].sum(axis=1) % places.check_prime for side in (left, right)))
        use &= ~(item[left][:, :, None] == np.where(right < 0, -2, item[right])[:, None, :]).any(axis=(1, 2))
        kept = np.flatnonzero(use)[with_all_wanted(left[use], right[use], wanted)]
        yield left[kept], right[kept]


def with_all_wanted(left: Integers, right: Integers, wanted: Flags) -> Numbers:
    """Return the indices of the first pairs of sets that contain each wanted entry, ascending."""
    both = np.concatenate([left, right], axis=1)
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


# The most sets within groups for each e; some minutes.
_SETS_AT_MOST = 1_000_000_000
# The most sets of all people for each e; some seconds.
_SETS_OF_ALL = 20_000_000


@dataclass(frozen=True, slots=True)
class Matched:
    """The equivalences that were found.

    Attributes:
        least: by column, the least e that was found; 0 if none was; shape (columns,), int32.
        settled: the e up to which all equivalences were found; 1 if all sides were formed within groups.
        reason: why `least` is not exact among equivalences with each side within one group, in words; None if it is.
        witnesses: equivalences that show every entry of `least` from 2 on.
    """

    least: Codes
    settled: int
    reason: str | None
    witnesses: Witnesses


def matched(
    matrix: Matrix,
    numbers: tuple[Fingerprint, Fingerprint],
    max_e: int,
    budget: Budget,
    *,
    allowed: Flags | None = None,
) -> Matched:
    """Return the least e of every column up to `max_e`, as far as the necessary sets can be formed.

    Two of n sets have equal sums by chance with a probability of n² / 2⁵⁶ in one fingerprint: one in 200 thousand for
    600 thousand sets, one in 9 for 90 million. That it happens in both is practically impossible.

    Args:
        matrix: the groups.
        numbers: two independent fingerprints, of two primes.
        max_e: the most columns on a side; from 1 to 100.
        budget: the time limit.
        allowed: the columns that may take part; None for all.

    Raises:
        OverflowError: `max_e` is above 127.
    """
    if max_e > TERMS:
        raise OverflowError(f"sums of more than {TERMS} numbers may overflow")
    present = matrix.present() if allowed is None else matrix.present() & allowed
    twins = Types.among(matrix)
    item = classes(matrix, *numbers)
    least = (present & (np.bincount(item[present], minlength=len(item))[item] > 1)).astype(np.int32)
    by_group, of_all = _places(matrix, twins, present, max_e, item, numbers)
    large, found, reasons, settled = np.zeros(matrix.groups, dtype=np.bool_), Witnesses.of(()), [], 1
    for e in range(2, max_e + 1):
        wanted = present & (least == 0)
        if not wanted[by_group.column].any():
            settled = max_e if settled == e - 1 else settled
            break
        places, number = of_all, float(_visited(of_all, e)[0])
        whole = settled == e - 1 and number <= _SETS_OF_ALL
        if not whole:
            places, number = _within_groups(by_group, e, large)
        left, right = (
            twins.columns(twins.of[places.column[sets[sets >= 0]]]).reshape(-1, e).astype(np.int32)
            for sets in search(places, e, int(np.ceil(number)), wanted, budget)
        )
        chosen = with_all_wanted(left, right, wanted)
        for side in (left[chosen], right[chosen]):
            least[side] = np.where(wanted[side], e, least[side])
        found = found.and_those(Witnesses.between(left[chosen], right[chosen]))
        if budget.exhausted():
            reasons = [budget.reason]
            break
        settled = e if whole else settled
    if large.any():
        text = say(
            "too many subsets of up to {most} people in {large} of {groups} groups, the largest of {size}",
            most=str(max_e),
            large=int(large.sum()),
            groups=matrix.groups,
            size=int(np.diff(matrix.start)[large].max()),
        )
        reasons.append(Reason(text))
    return Matched(least, settled, combined(reasons), found)


def _places(
    matrix: Matrix, twins: Types, present: Flags, max_e: int, item: Codes, numbers: tuple[Fingerprint, Fingerprint]
) -> tuple[SetPlaces, SetPlaces]:
    """Return the columns that can take part, by group and of all people; one for each set of at most `max_e` twins."""
    many = twins.size > max_e
    many[twins.of[~present & (twins.of >= 0)]] = True
    first = twins.example[~many]
    weight = np.ones(matrix.columns, dtype=np.int32)
    weight[twins.example] = twins.size
    members = np.flatnonzero((twins.of >= 0) & ~np.append(many, True)[twins.of])
    total = np.zeros((2, matrix.columns), dtype=np.uint64)
    for into, each in zip(total, numbers, strict=True):
        np.add.at(into, twins.example[twins.of[members]], each.of[members])
        np.remainder(into, each.field.prime, out=into)
    by_item = first[np.argsort(item[first], kind="stable")].astype(np.int32)
    rank = numbered(by_item, matrix.columns)
    ranks = rank[matrix.member]
    key = (matrix.group_of().astype(np.int64) << 32 | ranks)[ranks >= 0]
    key.sort()
    start = starts(np.bincount(key >> 32, minlength=matrix.groups))
    of_all = by_item[np.unique(item[by_item], return_index=True)[1]]
    shared = (item, weight, *total, *(each.field.prime for each in numbers))
    return (
        SetPlaces(start, by_item[key & 0xFFFFFFFF], *shared),
        SetPlaces(np.array([0, len(of_all)]), of_all, *shared)._replace(repeated=True),
    )


def _within_groups(places: SetPlaces, e: int, large: Flags) -> tuple[SetPlaces, float]:
    """Return the places of groups with not too many sets, and about how many sets; mark other groups in `large`."""
    enough = _totals(places.weight[places.column], places.start) >= e
    sets = np.where(enough & ~large, _visited(places, e), 0.0)
    order = np.argsort(sets, kind="stable")
    large[order[np.cumsum(sets[order]) > _SETS_AT_MOST]] = True
    groups = np.flatnonzero(enough & ~large)
    start, column = starts(np.diff(places.start)[groups]), places.column[segments(places.start, groups)]
    return places._replace(start=start, column=column), float(sets[groups].sum())


def _visited(places: SetPlaces, e: int) -> Floats:
    """Return the approximate number of sets that are visited in forming all sets of weight e; shape (groups,)."""
    weight, sizes = places.weight[places.column], np.diff(places.start)
    lighter = np.zeros((e, len(sizes)))
    lighter[0] = 1.0
    for each in np.unique(weight[weight < e]).tolist():
        n = _totals(weight == each, places.start)
        ways, grown = np.ones(len(sizes)), np.zeros_like(lighter)
        for times in range((e - 1) // each + 1):
            grown[times * each :] += ways * lighter[: e - times * each]
            ways = ways * (n + times if places.repeated else np.maximum(n - times, 0)) / (times + 1)
        lighter = grown
    found: Floats = (lighter * sizes / np.arange(1, e + 1)[:, None]).sum(axis=0)
    return found


def _totals(numbers: npt.NDArray[np.generic], start: Counts) -> Counts:
    """Return the sum of each run of numbers."""
    return np.diff(np.append(0, np.cumsum(numbers))[start])
