"""Sharing the rows of one release among the threads that a budget's engine has, if need be in buckets of people."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from audit.model.arrays import Codes
from audit.model.evidence import CandidatePools
from audit.runtime.budget import Budget
from audit.runtime.engine import Local

T = TypeVar("T")
_LEAST = 1 << 17


def threads_for(budget: Budget, rows: int, *, least: int | None = None) -> int:
    """Return how many threads share some rows; each one but the first pays from `least` rows on."""
    jobs = budget.engine.jobs if isinstance(budget.engine, Local) else 1
    return min(jobs, max(1, rows // (_LEAST if least is None else least)))


def shared(budget: Budget, rows: int, work: Callable[[slice], T], *, least: int | None = None) -> list[T]:
    """Return what a kernel makes of some rows, in their order; each thread does as many of them as any other.

    A thread of its own pays from `least` rows on.

    The kernel lets go of the interpreter's lock and writes only what belongs to its rows: people are distinct within
    a release, so that what it makes of each does not depend on how many threads there are.
    """
    threads = threads_for(budget, rows, least=least)
    if threads == 1:
        return [work(slice(0, rows))]
    ends = [rows * part // threads for part in range(threads + 1)]
    with ThreadPoolExecutor(threads) as workers:
        return list(workers.map(work, map(slice, ends[:-1], ends[1:])))


def in_buckets(budget: Budget, pools: CandidatePools, shift: int) -> tuple[Codes, Codes]:
    """Return the person and the pool of each row, in the order of buckets of 2^`shift` codes of people.

    What is kept of a bucket's people fits into a processor's cache, and threads that share the rows afterwards are far
    from one another: those that write to neighbours in memory wait for each other. Within a bucket rows stay in the
    order that they have.
    """
    from attacks.candidates_compiled import gather, tally

    rows = len(pools.person)
    person, pool = np.empty_like(pools.person), np.empty_like(pools.pool)
    counts = shared(budget, rows, lambda some: (some.start, tally(pools.person[some], shift, pools.people)))
    table = np.stack([count for _, count in counts], axis=1)
    begin = np.cumsum(table).reshape(table.shape) - table
    start = {first: begin[:, place].copy() for place, (first, _) in enumerate(counts)}
    shared(
        budget,
        rows,
        lambda some: gather(pools.person[some], pools.pool[some], shift, start[some.start], person, pool),
    )
    return person, pool
