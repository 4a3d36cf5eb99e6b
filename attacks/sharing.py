"""Sharing the rows of one release among the threads that a budget's engine has."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from audit.core.budget import Budget
from audit.core.engine import Local

T = TypeVar("T")
_LEAST = 1 << 17


def shared(budget: Budget, rows: int, work: Callable[[slice], T]) -> list[T]:
    """Return what a kernel makes of some rows, in their order; each thread does as many of them as any other.

    The kernel lets go of the interpreter's lock and writes only what belongs to its rows: people are distinct within
    a release, so that what it makes of each does not depend on how many threads there are.
    """
    jobs = budget.engine.jobs if isinstance(budget.engine, Local) else 1
    threads = min(jobs, max(1, rows // _LEAST))
    if threads == 1:
        return [work(slice(0, rows))]
    ends = [rows * part // threads for part in range(threads + 1)]
    with ThreadPoolExecutor(threads) as workers:
        return list(workers.map(work, map(slice, ends[:-1], ends[1:])))
