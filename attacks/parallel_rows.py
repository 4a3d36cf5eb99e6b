"""Sharing the rows of one release among the threads that a budget's engine has."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

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
