"""Sharing the rows of one release among the threads that a budget's engine has, if need be in buckets of people."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from audit.model.evidence import Codes, Counts
from audit.runtime.budget import Budget
from audit.runtime.engine import Local

T = TypeVar("T")
_LEAST = 1 << 17


def shared(budget: Budget, rows: int, work: Callable[[slice], T], *, least: int = _LEAST) -> list[T]:
    """Return what a kernel makes of some rows, in their order; each thread does as many of them as any other.

    A thread of its own pays from `least` rows on.

    The kernel lets go of the interpreter's lock and writes only what belongs to its rows: people are distinct within
    a release, so that what it makes of each does not depend on how many threads there are.
    """
    jobs = budget.engine.jobs if isinstance(budget.engine, Local) else 1
    threads = min(jobs, max(1, rows // least))
    if threads == 1:
        return [work(slice(0, rows))]
    ends = [rows * part // threads for part in range(threads + 1)]
    with ThreadPoolExecutor(threads) as workers:
        return list(workers.map(work, map(slice, ends[:-1], ends[1:])))


def in_buckets(budget: Budget, person: Codes, people: int, shift: int, gather: Callable[[slice, Counts], None]) -> None:
    """Put rows in the order of buckets of 2^`shift` codes of people, in which they stay in the order that they have.

    What is kept of a bucket's people fits into a processor's cache, and threads that share the rows afterwards are far
    from one another: those that write to neighbours in memory wait for each other.

    Args:
        budget: whose threads there are.
        person: the person of each row; shape (rows,).
        people: one more than the largest code.
        shift: how large a bucket is.
        gather: puts some rows where they belong; is given them, and where the next row of each bucket goes.
    """
    from attacks.candidates_compiled import tally

    rows = len(person)
    counts = shared(budget, rows, lambda some: (some.start, tally(person[some], shift, people)))
    table = np.stack([count for _, count in counts], axis=1)
    begin = np.cumsum(table).reshape(table.shape) - table
    start = {first: begin[:, place].copy() for place, (first, _) in enumerate(counts)}
    shared(budget, rows, lambda some: gather(some, start[some.start]))
