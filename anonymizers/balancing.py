"""Balancing and assignment: compute how many new rows of each value go into which buckets.

S- holds the rows of people who were never published, given as the number of rows of each sensitive value. S- is
m-eligible if no value has more than 1/m of its rows; exactly then it can be divided into groups of at least m rows
with distinct values. Source: Xiao and Tao, *m-invariance* (SIGMOD 2007), Sections 4.1 and 4.2; "the paper" below.

`Slots` number the places of buckets: one for each sensitive value of a bucket's signature.

Division (Section 4.1): put people who were published before into the bucket of their signature, and choose the new
people.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from audit.model.anonymizer import RefusalError, Snapshot
from audit.model.arrays import Codes, Counts, Numbers, numbered
from audit.runtime.phrases import say, say_count

Signature = tuple[int, ...]


def eligible(counts: Counts, m: int) -> bool:
    """Return whether no value has more than 1/m of the rows.

    >>> eligible(np.array([2, 1, 1]), 2), eligible(np.array([3, 1, 1]), 2)
    (True, False)
    """
    return bool(counts.max(initial=0) * m <= counts.sum())


def keep(counts: Counts, m: int) -> Counts:
    """Return the largest m-eligible part of the rows, as the number of rows of each value; shape (values,).

    If each value keeps at most t of its n rows, sum(min(n, t)) rows are kept, and at least m * t are required.
    sum(min(n, t)) - m * t is concave in t and 0 at 0, so that the feasible t are those up to a largest one, which keeps
    the most rows.

    >>> keep(np.array([7, 2, 1]), 2)
    array([3, 2, 1])
    """
    levels = range(1, int(counts.max(initial=0)) + 1)
    level = bisect_left(levels, True, key=lambda t: bool(np.minimum(counts, t).sum() < m * t))
    return np.minimum(counts, level)


def fill(counts: Counts, short: Counts, m: int) -> Counts:
    """Return how many rows of each value move from S- into buckets so that the fewest counterfeits are needed.

    S- is m-eligible and must remain so. Let u = min(counts, short) be the most rows that can move. Some value always
    keeps max(counts - u) rows in S-, which must then keep m times as many. So at most

        min(sum(u), sum(counts) - m * max(counts - u))

    rows can move, and this many do: rows beyond max(counts - u) of a value must move, and there are few enough of them,
    since sum(max(0, n - t)) <= sum(n) - m * t for every t up to the largest count: it holds at both ends, and the
    difference is concave in t. Any other rows may follow. So the order of the buckets does not matter.

    Args:
        counts: rows in S- of each value; shape (values,).
        short: rows that all buckets together lack of each value; shape (values,).
        m: the parameter of m-invariance.

    >>> fill(np.array([1, 2, 2]), np.array([1, 1, 0]), 2)  # dyspepsia, flu, gastritis in the paper's Figure 2a
    array([1, 0, 0])
    """
    most = np.minimum(counts, short)
    cap = int((counts - most).max(initial=0))
    least = np.maximum(counts - cap, 0)
    more = min(int(most.sum()), int(counts.sum()) - m * cap) - int(least.sum())
    room = most - least
    return least + np.clip(more - (np.cumsum(room) - room), 0, room)


def assignments(
    counts: Counts, m: int, known: Iterable[Signature] = (), enough: int = 0
) -> Iterator[tuple[Signature, int]]:
    """Yield the assignments that move S- into buckets: an ascending signature, and the number of rows of each value.

    As many rows as possible go to known signatures, one after the other; the rest follows Figure 3 of the paper, which
    mostly forms new buckets. A few high buckets need fewer counterfeits when people leave: with m = 10, 81 releases,
    and 5,000 of 200,000 people replaced each time, a release had at most 150 counterfeits, but up to 1,100 without
    known signatures.

    A heap holds the values, the most frequent first, then the lower code, so that the cost of a batch depends on the
    length of its signature, not on the number of values.

    Args:
        counts: rows in S- of each value, m-eligible; shape (values,).
        m: the parameter of m-invariance.
        known: signatures of existing buckets, each with at least m of these values, in the order to fill them.
        enough: the number of rows that a new batch should have; a batch gets more values to reach it if possible.

    Raises:
        AssertionError: S- is not m-eligible.
    """
    counts = counts.copy()
    for signature in known:
        rows = most(counts, signature, m)
        if rows:
            counts[np.array(signature)] -= rows
            yield signature, rows
    heap = [(-number, value) for value, number in enumerate(counts.tolist())]
    heapq.heapify(heap)
    left = int(counts.sum())
    while left:
        taken, rows = _batch(heap, left, m, enough)
        left -= rows * len(taken)
        for number, value in taken:
            heapq.heappush(heap, (rows - number, value))
        yield tuple(sorted(value for _, value in taken)), rows


def most(counts: Counts, signature: Signature, m: int) -> int:
    """Return how many rows of each value of a signature can be taken so that the rest remains m-eligible."""
    values = np.array(signature)
    inside = counts[values]
    if not inside.all():
        return 0
    outside = counts.copy()
    outside[values] = 0
    total, beta = int(counts.sum()), len(values)
    rows = min(int(inside.min()), (total - m * int(outside.max())) // beta)
    if beta > m:
        rows = min(rows, (total - m * int(inside.max())) // (beta - m))
    return rows


def _batch(heap: list[tuple[int, int]], left: int, m: int, enough: int) -> tuple[list[tuple[int, int]], int]:
    """Take the next batch's values from the heap; return their numbers of rows, and them, and alpha, the rows of each.

    The heap holds pairs of minus the number of rows and the value, so that the most frequent value comes first.

    Beta, the number of values, is the least number from m on for which Inequalities 5 to 7 allow alpha >= 1. Solved for
    alpha they read: alpha <= n_beta, alpha * (beta - m) <= left - m * n_1, alpha * beta <= left - m * n_(beta + 1).

    The second one, Inequality 6, always holds for this beta. It is true for beta = m. If the third one allows no alpha
    there, n_(m + 1) > left / m - 1, so that more than m values have the greatest count that m-eligibility allows; beta
    is at most the number of these values (proof of Lemma 5), and with alpha <= n_1 it follows that
    alpha * (beta - m) <= n_1 * beta - n_1 * m <= left - m * n_1.

    If the batch has fewer than `enough` rows, the least beta is taken that gives it enough, or else the one that lacks
    the fewest rows, counted in full sets of beta, and among equals the one with the most rows.
    """
    taken: list[tuple[int, int]] = []
    best: tuple[int, int, int] | None = None
    while heap:
        number, value = heapq.heappop(heap)
        taken.append((-number, value))
        beta = len(taken)
        if beta < m:
            continue
        following = -heap[0][0] if heap else 0
        alpha = min(taken[-1][0], (left - m * following) // beta)
        if best is not None:
            alpha = min(alpha, (left - m * taken[0][0]) // (beta - m))
        if alpha >= 1:
            missing = max(0, -(-(enough - alpha * beta) // beta) * beta)
            batch = missing, alpha * beta, beta
            best = min(best or batch, batch, key=lambda each: (each[0], -each[1]))
            if not missing:
                break
    if best is None:
        raise AssertionError("S- was not m-eligible: Lemma 5 promises a batch")
    _, rows, beta = best
    for number, value in taken[beta:]:
        heapq.heappush(heap, (-number, value))
    return taken[:beta], rows // beta


@dataclass(frozen=True)
class Slots:
    """A slot for each value of each bucket's signature, bucket by bucket.

    Attributes:
        signatures: the signatures of the buckets, all different, with ascending values.
        start: the first slot of each bucket; shape (buckets,).
        value: the sensitive value of each slot; shape (slots,).
    """

    signatures: list[Signature]
    start: Numbers
    value: Numbers

    @classmethod
    def of(cls, signatures: list[Signature]) -> Slots:
        """Return the slots of the buckets of these signatures."""
        width = np.array([len(signature) for signature in signatures], dtype=np.int64)
        value = np.fromiter(chain.from_iterable(signatures), dtype=np.int64, count=int(width.sum()))
        return cls(signatures, np.cumsum(width) - width, value)

    def __len__(self) -> int:
        """Return the number of slots."""
        return len(self.value)

    def width(self) -> Numbers:
        """Return the number of values of each bucket's signature."""
        return np.diff(self.start, append=len(self.value))

    def spread(self, numbers: Numbers) -> Numbers:
        """Return the number of each slot's bucket."""
        return np.repeat(numbers, self.width())

    def by_value(self, people: Numbers) -> Numbers:
        """Return the slots of some people, sorted by value: these fill the slots of their value one after the other.

        Args:
            people: how many of them come into each slot; shape (slots,).
        """
        order = np.argsort(self.value, kind="stable")
        return np.repeat(order, people[order])

    def find(self, bucket: Numbers, value: Codes) -> Numbers:
        """Return the slot of each pair of a bucket and a value, -1 if the signature lacks the value."""
        if not len(self):
            return np.full(len(bucket), -1)
        size = int(max(self.value.max(), value.max(initial=0))) + 1
        keys = self.spread(np.arange(len(self.start))) * size + self.value
        wanted = bucket * size + value
        slot = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[slot] == wanted, slot, -1)

    def height(self, held: Numbers) -> Numbers:
        """Return the largest number of rows in a slot of each bucket; shape (buckets,)."""
        return np.maximum.reduceat(held, self.start) if len(self) else held

    def total(self, numbers: Numbers) -> Numbers:
        """Return the sum over the slots of each bucket; shape (buckets,)."""
        return np.add.reduceat(numbers, self.start) if len(self) else numbers

    def balance(self, counts: Counts, short: Numbers, m: int) -> tuple[Counts, Numbers]:
        """Return how many rows of S- of each value are left, and how many go into each slot that lacks rows.

        Args:
            counts: rows in S- of each value, m-eligible; shape (values,).
            short: rows that each slot lacks; shape (slots,).
            m: the parameter of m-invariance.
        """
        lacking = np.zeros(len(counts), dtype=np.int64)
        np.add.at(lacking, self.value, short)
        moved = fill(counts, lacking, m)
        return counts - moved, self.hand_out(moved, short)

    def hand_out(self, amount: Numbers, short: Numbers) -> Numbers:
        """Return how many rows of its value each slot gets; earlier slots are filled first.

        Args:
            amount: available rows of each value; shape (values,).
            short: rows that each slot lacks; shape (slots,).

        >>> Slots.of([(0, 1), (1, 2)]).hand_out(np.array([0, 3, 1]), np.array([1, 2, 2, 0]))
        array([0, 2, 1, 0])
        """
        order = np.argsort(self.value, kind="stable")
        value, room = self.value[order], short[order]
        before = np.cumsum(room) - room
        before -= before[np.searchsorted(value, value)]
        result = np.zeros_like(short)
        result[order] = np.clip(amount[value] - before, 0, room)
        return result


def divide(
    snapshot: Snapshot, signatures: Sequence[Signature], signature: Codes, back: Numbers, m: int
) -> tuple[Slots, Numbers, Numbers]:
    """Return the slots of the buckets of known people, the slot of each person, and the signature of each bucket.

    Args:
        snapshot: the microdata.
        signatures: all signatures.
        signature: the number of the signature of each row of the snapshot, -1 for new people; shape (rows,).
        back: the rows of people who were published before.
        m: the least number of values of a signature.

    Raises:
        RefusalError: a signature has fewer than m values, or lacks the person's.
    """
    needed = np.flatnonzero(np.bincount(signature[back], minlength=len(signatures)))
    slots = Slots.of([signatures[number] for number in needed.tolist()])
    bucket = numbered(needed, len(signatures))[signature[back]].astype(np.int64)
    small = slots.width()[bucket] < m
    if small.any():
        raise RefusalError(
            say(
                "{count} people were last published in groups with fewer than {m} sensitive values",
                count=int(small.sum()),
                m=m,
            ),
            say("choose an m that the series has kept so far, or begin a new series"),
            rows=back[small].astype(np.int32),
        )
    slot = slots.find(bucket, snapshot.value[back])
    if (slot < 0).any():
        raise misplaced(back[slot < 0])
    return slots, slot, needed


def misplaced(rows: Numbers) -> RefusalError:
    """Return the refusal of people whose last groups, by the keys, do not contain their values."""
    return RefusalError(
        say("{count} people were last published in groups without their sensitive value", count=len(rows)),
        say("correct the key of the last release that has them, or begin a new series"),
        rows=rows,
        column="sensitive",
    )


def newcomers(snapshot: Snapshot, signature: Codes, m: int, rng: np.random.Generator, *, withhold: bool) -> Numbers:
    """Return the rows of new people who are published, sorted by value, then in random order.

    Args:
        snapshot: the microdata.
        signature: the number of the signature of each row of the snapshot, -1 for new people; shape (rows,).
        m: the parameter of m-invariance.
        rng: draws the order.
        withhold: whether to withhold as few of them as possible if a value is too frequent.

    Raises:
        RefusalError: a value has more than 1/m of them, and `withhold` is not set.
    """
    drawn = rng.permutation(np.flatnonzero(signature < 0))
    value = snapshot.value[drawn]
    counts = np.bincount(value)
    kept = keep(counts, m)
    if not eligible(counts, m) and not withhold:
        above = np.flatnonzero(counts * m > counts.sum())
        names = ", ".join(snapshot.values[code] for code in above.tolist())
        raise RefusalError(
            say_count(
                "more than 1/{m} of the {people} people never published before share a sensitive value ({values}); at "
                "least {count} [row|rows] must wait",
                int((counts - kept).sum()),
                m=m,
                people=int(counts.sum()),
                values=names,
            ),
            say("let the fewest wait with --withhold, choose a smaller m, or publish later, with more people"),
            rows=np.sort(drawn[np.isin(value, above)]).astype(np.int32),
            column="sensitive",
        )
    order = np.argsort(value, kind="stable")
    before = np.cumsum(counts) - counts
    ordered = value[order]
    return drawn[order[np.arange(len(order)) - before[ordered] < kept[ordered]]]
