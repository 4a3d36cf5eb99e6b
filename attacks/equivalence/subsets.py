"""Subsets: all equivalences between up to some people of one published group and as many of another.

Numbers h of a fingerprint tell which sets of columns are equivalent: those with equal sums of h. So all sums of e
people of one group are formed, and equal ones matched. What is left out on the way adds nothing to the least e of any
column:

* Columns that are in the same groups (*twins*) have equal entries in every W S: a side has all of them or none. They
  are taken as one, and never where they are more than `max_e`.
* A column whose h another one has takes part in an equivalence with e = 1; its least e is known.
* Take equal sums of P and Q, and a in P, b in Q with equal h; a and b may be one column. The rest of P and the rest of
  Q are equivalent and lie in the same groups: a smaller equivalence, found before this one. It has every column of P or
  Q alone whose h is nobody else's, since none of them was taken away, and no other column's least e is open. So sides
  with an h in common are left out, and sides with all h in common, such as one set found in two groups, are one side.
* It suffices to match every set with the first one of its sum: if P has a column and Q has it not, then one of both
  differs from the first set in that column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.equivalence import subsets_plain
from attacks.equivalence.field import PRIME
from attacks.equivalence.subsets_plain import Numbers, Pairs, Places, Sets, Task
from attacks.equivalence.vectors import Witnesses
from attacks.matrix import Matrix
from audit.core.budget import Budget
from audit.core.evidence import Codes, Counts
from audit.core.kernels import wants_compiled
from audit.core.outcome import Flags

# One set costs the plain kernels as much as this many rows cost others.
_ROWS_PER_SET = 12
# Some minutes for each e.
_SETS_AT_MOST = 1_000_000_000
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Matched:
    """The equivalences whose sides lie within one group each.

    Attributes:
        least: by column, the least e that was found; 0 where none was; shape (columns,), int32.
        complete: whether `least` is exact among equivalences up to `max_e` with each side within one group.
        reason: why not, in words; None when it is.
        witnesses: equivalences that show every entry of `least` from 2 on.
    """

    least: Codes
    complete: bool
    reason: str | None
    witnesses: Witnesses


@dataclass(frozen=True, slots=True)
class _Twins:
    """Columns that are in the same groups.

    Attributes:
        first: by column, the first of its twins; int32.
        size: by column, the number of its twins, itself included.
        order: all columns, twins next to each other.
        start: where each column's twins begin in `order`, by the first of them.
    """

    first: Codes
    size: Counts
    order: Counts
    start: Counts

    @classmethod
    def of(cls, matrix: Matrix) -> _Twins:
        # A random number for each group: columns with equal sums of them are in the same groups.
        number = (np.arange(1, matrix.groups + 1, dtype=np.uint64) * _ODD) ^ np.uint64(0x5DEECE66D)
        number ^= number >> np.uint64(29)
        number *= np.uint64(0xBF58476D1CE4E5B9)
        number ^= number >> np.uint64(32)
        total = np.zeros(matrix.columns, dtype=np.uint64)
        np.add.at(total, matrix.member, number[matrix.group_of()])
        _, first, label, size = np.unique(total, return_index=True, return_inverse=True, return_counts=True)
        start = np.zeros(matrix.columns, dtype=np.int64)
        start[first] = np.cumsum(size) - size
        return cls(first[label].astype(np.int32), size[label], np.argsort(label, kind="stable"), start)


def matched(
    matrix: Matrix,
    of: Numbers,
    max_e: int,
    budget: Budget,
    *,
    among: Flags | None = None,
    second: Numbers | None = None,
) -> Matched:
    """Return the least e of every column up to `max_e`, of equivalences whose sides lie within one group each.

    With n sets in all, some two of them have equal sums by chance with a probability of n² / 2⁵⁸: one in a million for
    600 thousand sets, one in 36 for 90 million. With a second fingerprint that never happens in practice.

    Args:
        matrix: the groups.
        of: the fingerprint's number h of each column; shape (columns,).
        max_e: at most so many columns on a side; from 1 to 100.
        budget: how long it may take.
        among: by column, who may take part; everybody when None.
        second: the numbers of a second fingerprint, drawn independently: what agrees in the first only is no match.
    """
    here = np.zeros(matrix.columns, dtype=np.bool_)
    here[matrix.member] = True
    if among is not None:
        here &= among
    _, item, times = np.unique(of, return_inverse=True, return_counts=True)
    times = np.bincount(item[here], minlength=len(times))
    least = (here & (times[item] > 1)).astype(np.int32)
    twins = _Twins.of(matrix)
    places = _places(matrix, twins, here, max_e, (item, of, of if second is None else second))
    large = np.zeros(matrix.groups, dtype=np.bool_)
    left: list[Codes] = []
    right: list[Codes] = []
    reasons = []
    for e in range(2, max_e + 1):
        wanted = here & (least == 0)
        if not wanted[places.column].any():
            break
        task = _task(places, e, wanted, large)
        pairs = _search(places, task, budget)
        one, other = _chosen(_columns(twins, places, pairs.left, e), _columns(twins, places, pairs.right, e), wanted)
        for side in (one, other):
            least[side] = np.where(wanted[side], e, least[side])
        left.append(one)
        right.append(other)
        if not pairs.done:
            reasons = [budget.reason]
            break
    if large.any():
        size, told = int(np.diff(matrix.start)[large].max()), f"{large.sum():,} of {matrix.groups:,} groups"
        reasons.append(f"too many subsets of up to {max_e} people in {told}, the largest of {size:,}")
    return Matched(least, not reasons, "; ".join(reasons) or None, _witnesses(left, right))


def _places(
    matrix: Matrix, twins: _Twins, here: Flags, max_e: int, numbers: tuple[npt.NDArray[np.intp], Numbers, Numbers]
) -> Places:
    """Return who can take part: of twins the first, where all of them may and they are not too many."""
    item, of, second = numbers
    missing = np.bincount(twins.first[~here], minlength=matrix.columns) > 0
    takes_part = here & (twins.first == np.arange(matrix.columns)) & ~missing & (twins.size <= max_e)
    place = np.flatnonzero(takes_part[matrix.member])
    group = matrix.group_of()[place]
    column = matrix.member[place]
    order = np.argsort(group.astype(np.int64) << 32 | item[column], kind="stable")
    column = column[order]
    start = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=matrix.groups))])
    return Places(
        start,
        column,
        item[column].astype(np.int32),
        twins.size[column].astype(np.int32),
        _summed(twins, of)[column],
        _summed(twins, second)[column],
    )


def _summed(twins: _Twins, of: Numbers) -> Numbers:
    """Return the sum of all twins' numbers by the first of them, where they are not more than a hundred."""
    total = np.zeros(len(of), dtype=np.uint64)
    np.add.at(total, twins.first, np.where(twins.size <= 100, of, np.uint64(0)))
    return total % np.uint64(PRIME)


def _task(places: Places, e: int, wanted: Flags, large: Flags) -> Task:
    """Return which sets to match; groups with too many of them join the ones that are too large."""
    bits = (63 - len(large).bit_length()) // e
    size = np.diff(places.start)
    enough = np.diff(np.concatenate([[0], np.cumsum(places.weight)])[places.start]) >= e
    large |= enough & (size >= 1 << bits)
    sets = np.where(enough & ~large, _visited(places, e), 0.0)
    order = np.argsort(sets, kind="stable")
    large[order[np.cumsum(sets[order]) > _SETS_AT_MOST]] = True
    groups = np.flatnonzero(enough & ~large)
    return Task(groups.astype(np.int32), e, bits, int(np.ceil(sets[groups].sum())), wanted)


def _visited(places: Places, e: int) -> npt.NDArray[np.float64]:
    """Return about how many sets one meets, by group, when one forms all of weight e: all lighter ones and a place."""
    sizes = np.diff(places.start)
    group = np.repeat(np.arange(len(sizes)), sizes)
    lighter = np.zeros((e, len(sizes)))
    lighter[0] = 1.0
    for weight in np.unique(places.weight[places.weight < e]).tolist():
        n = np.bincount(group[places.weight == weight], minlength=len(sizes))
        ways, grown = np.ones(len(sizes)), np.zeros_like(lighter)
        for times in range((e - 1) // weight + 1):
            grown[times * weight :] += ways * lighter[: e - times * weight]
            ways = ways * np.maximum(n - times, 0) / (times + 1)
        lighter = grown
    return (lighter * sizes / np.arange(1, e + 1)[:, None]).sum(axis=0)


def _search(places: Places, task: Task, budget: Budget) -> Pairs:
    """Return the pairs, by the kernels that are faster."""
    if wants_compiled(task.sets * _ROWS_PER_SET):
        from attacks.equivalence import subsets_compiled

        return subsets_compiled.search(places, task, budget)
    return subsets_plain.search(places, task, budget)


def _columns(twins: _Twins, places: Places, sets: Sets, e: int) -> Codes:
    """Return the columns of each set, all twins included; shape (sets, e)."""
    first = places.column[sets[sets >= 0]]
    size = twins.size[first]
    place = np.repeat(twins.start[first] - np.cumsum(size) + size, size) + np.arange(size.sum())
    return twins.order[place].reshape(-1, e).astype(np.int32)


def _chosen(left: Codes, right: Codes, wanted: Flags) -> tuple[Codes, Codes]:
    """Return the first pairs that have every wanted column of all pairs."""
    both = np.concatenate([left, right], axis=1)
    row, side = np.nonzero(wanted[both])
    _, first = np.unique(both[row, side], return_index=True)
    some = np.unique(row[first])
    return left[some], right[some]


def _witnesses(left: list[Codes], right: list[Codes]) -> Witnesses:
    """Return the equivalences between sets of columns, given in arrays for each e."""
    columns, times = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.int32)]
    for one, other in zip(left, right, strict=True):
        both = np.concatenate([one, other], axis=1)
        order = np.argsort(both, axis=1)
        sign = np.where(order < one.shape[1], 1, -1).astype(np.int32)
        columns.append(np.take_along_axis(both, order, axis=1).ravel())
        times.append((sign * sign[:, :1]).ravel())
    e = np.repeat([one.shape[1] for one in left], [len(one) for one in left]).astype(np.int32)
    start = np.concatenate([[0], np.cumsum(2 * e, dtype=np.int64)])
    return Witnesses(start, np.concatenate(columns), np.concatenate(times), e)
