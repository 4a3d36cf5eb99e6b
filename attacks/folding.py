"""Which kernel folds candidate sets: numpy for what is small, the compiled twin for what is large."""

from __future__ import annotations

import numpy as np

from attacks.candidates import Candidates, Flags, Words, pool_masks
from attacks.sharing import shared
from audit.core.budget import Budget
from audit.core.evidence import Codes, Entries, Evidence, Pools
from audit.core.kernels import wants_compiled

# What is kept of more people than these does not fit into a processor's cache, unless they are taken in buckets.
_FEW = 1 << 20
_SHIFT = 18


def fold_all(evidence: Evidence, budget: Budget) -> tuple[Candidates, int]:
    """Return everybody's candidates, and after how many releases the budget was spent (all of them if it sufficed)."""
    state = Candidates()
    releases = len(evidence.tags)
    for done, pools in enumerate(evidence.stream()):
        if budget.spent():
            return state, done
        if wants_compiled(evidence.rows):
            compiled_fold(state, pools, done, budget)
        else:
            state.fold(pools, done)
        budget.progress(done + 1, releases)
    return state, releases


def compiled_fold(state: Candidates, pools: Pools, release: int, budget: Budget) -> None:
    """Take one more release into account, by the compiled kernels and as many threads as the budget has."""
    from attacks import compiled

    state.grow(pools.people, pools.values)
    words = state.masks.shape[1]
    if not isinstance(pools.contents, Entries):
        allowed, flat = compiled.table_masks(pools.contents, words)
    elif pools.contents.rows is None:
        allowed, flat = compiled.pool_masks(pools.contents.bag, pools.contents.value, pools.n_pools, words)
    else:
        allowed, flat = pool_masks(pools, words)

    known = (state.masks, state.versions, state.certain_at, state.empty_at, state.skewed)
    if pools.people <= _FEW:

        def fold(rows: slice) -> tuple[int, int]:
            return compiled.fold(*known, pools.person[rows], pools.pool[rows], allowed, flat, release)

    else:
        near, left = in_buckets(pools, allowed, flat, budget)

        def fold(rows: slice) -> tuple[int, int]:
            return compiled.fold_near(*known, near[rows], left[rows], release)

    parts = shared(budget, len(pools.person), fold)
    state.count(sum(int(people) for people, _ in parts), sum(int(disclosed) for _, disclosed in parts))


def in_buckets(pools: Pools, allowed: Words, flat: Flags, budget: Budget) -> tuple[Codes, Words]:
    """Return the rows of pools in the order of buckets of people, as `compiled.gather_masks` leaves them.

    What is kept of a bucket's people fits into a processor's cache, and threads that share the rows afterwards are far
    from one another: those that wrote to neighbours in memory would wait for each other.
    """
    from attacks import compiled

    rows = len(pools.person)
    near, left = np.empty(rows, dtype=np.int32), np.empty((rows, allowed.shape[1]), dtype=np.uint64)
    counts = shared(budget, rows, lambda some: (some.start, compiled.tally(pools.person[some], _SHIFT, pools.people)))
    ends = np.cumsum(np.stack([count for _, count in counts], axis=1))
    begin = (ends - np.stack([count for _, count in counts], axis=1).ravel()).reshape(-1, len(counts))
    start = {first: begin[:, place].copy() for place, (first, _) in enumerate(counts)}

    def gather(some: slice) -> None:
        person, pool = pools.person[some], pools.pool[some]
        compiled.gather_masks(person, pool, allowed, flat, _SHIFT, start[some.start], near, left)

    shared(budget, rows, gather)
    return near, left
