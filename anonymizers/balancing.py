"""Balancing and assignment over numbers of rows: how many new rows of which value go where.

S- are the rows of people who were never published, told here by how many of them have each sensitive value. It is
m-eligible when no value is in more than 1/m of them; exactly then it can be cut into groups of at least m rows with
distinct values. Source: Xiao and Tao, *m-invariance* (SIGMOD 2007), Sections 4.1 and 4.2.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Iterator

import numpy as np

from audit.model.arrays import Counts

Signature = tuple[int, ...]


def eligible(counts: Counts, m: int) -> bool:
    """Return whether no value is in more than 1/m of the rows.

    >>> eligible(np.array([2, 1, 1]), 2), eligible(np.array([3, 1, 1]), 2)
    (True, False)
    """
    return bool(counts.max(initial=0) * m <= counts.sum())


def keep(counts: Counts, m: int) -> Counts:
    """Return how many rows of each value are kept so that the kept are m-eligible and as many as possible.

    Kept rows of which t have the most frequent value are at most sum(min(n, t)), and must be m * t or more. The more
    t, the more are kept, and the t that can be are those up to a largest one: sum(min(n, t)) - m * t is concave in t
    and 0 at 0.

    >>> keep(np.array([7, 2, 1]), 2)
    array([3, 2, 1])
    """
    levels = range(1, int(counts.max(initial=0)) + 1)
    level = bisect_left(levels, True, key=lambda t: bool(np.minimum(counts, t).sum() < m * t))
    return np.minimum(counts, level)


def fill(counts: Counts, short: Counts, m: int) -> Counts:
    """Return how many rows of each value move from S- into buckets so that the fewest counterfeits are needed.

    S- is m-eligible and has to remain so. Let u = min(counts, short) be the most that can move. Whatever moves, some
    value keeps max(counts - u) rows in S-, which therefore keeps m times as many: no more than

        min(sum(u), sum(counts) - m * max(counts - u))

    can move. So many do: those above max(counts - u) rows of a value have to, and are at most m-eligibility's leave,
    sum(max(0, n - t)) <= sum(n) - m * t for every t up to the largest count, as this holds at both ends and the
    difference is concave in t; any others may follow. The order of the buckets does not matter, then.

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


def batches(
    counts: Counts, m: int, known: Iterable[Signature] = (), enough: int = 0
) -> Iterator[tuple[Signature, int]]:
    """Yield the batches in which S- goes into buckets: a signature, ascending, and how many rows of each of its values.

    First as much as can goes to known signatures, one after the other; the rest as in Figure 3 of the paper, which
    would form new buckets most of the time. Buckets that grow few and high lose less of their height when people leave,
    so that later releases have fewer gaps: with m = 10, 200,000 people of whom 5,000 are replaced each time, and 81
    releases, there were 1,100 counterfeits at most in a release without this, and 150 with it.

    The values wait in a heap, the most frequent first, then the one of the lower code, so that a batch costs as much
    as its signature is long, however many values there are.

    Args:
        counts: rows in S- of each value, m-eligible; shape (values,).
        m: the parameter of m-invariance.
        known: signatures of buckets that there are, of at least m of these values, in the order to fill them.
        enough: how many rows a new batch should have; it has more values for that where it can.
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
            heapq.heappush(heap, (number + rows, value))
        yield tuple(sorted(value for _, value in taken)), rows


def most(counts: Counts, signature: Signature, m: int) -> int:
    """Return how many rows of each value of a signature can be taken so that the rest is m-eligible."""
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
    """Take the next batch's values from the heap; return them and alpha, the number of rows of each.

    Beta, the number of values, is the least from m on for which Inequalities 5 to 7 leave alpha at least 1. Solved for
    alpha they read: alpha <= n_beta, alpha * (beta - m) <= left - m * n_1, alpha * beta <= left - m * n_(beta + 1).

    The second, Inequality 6, need not be looked at for this beta. It is true for beta = m. Where that leaves no alpha
    by the third, n_(m + 1) > left / m - 1, so that more than m values have the greatest number that m-eligibility
    allows; beta is at most the number of these values (proof of Lemma 5), and with alpha <= n_1 it follows that
    alpha * (beta - m) <= n_1 * beta - n_1 * m <= left - m * n_1.

    Where the batch has fewer than `enough` rows, the least beta is taken that gives it so many; or else the one with
    which the fewest rows are missing, counted in full sets of beta, and of these the one with the most rows.
    """
    taken: list[tuple[int, int]] = []
    best: tuple[int, int, int] | None = None
    while heap:
        taken.append(heapq.heappop(heap))
        beta = len(taken)
        if beta < m:
            continue
        following = -heap[0][0] if heap else 0
        alpha = min(-taken[-1][0], (left - m * following) // beta)
        if best is not None:
            alpha = min(alpha, (left + m * taken[0][0]) // (beta - m))
        if alpha >= 1:
            missing = max(0, -(-(enough - alpha * beta) // beta) * beta)
            batch = missing, -alpha * beta, beta
            best = min(best or batch, batch)
            if not missing:
                break
    if best is None:
        raise AssertionError("S- was not m-eligible: Lemma 5 promises a batch")
    _, rows, beta = best
    for item in taken[beta:]:
        heapq.heappush(heap, item)
    return taken[:beta], -rows // beta
