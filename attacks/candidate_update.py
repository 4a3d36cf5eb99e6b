"""Which kernel folds candidate sets: numpy for what is small, the compiled twin for what is large."""

from __future__ import annotations

from attacks.candidates import Candidates, pool_masks
from attacks.common_parts import CommonParts
from attacks.parallel_rows import in_buckets, shared, threads_for
from audit.model.evidence import CandidatePools, Evidence, ValueCounts
from audit.runtime.budget import Budget
from audit.runtime.kernels import pays

# What is kept of so many people, and so many bytes of masks, fit into a processor's cache.
_SHIFT = 18
_CACHED = 1 << 23
_SAVED = 3e-8  # seconds that the compiled kernels save a row


def fold_all(evidence: Evidence, budget: Budget, common: CommonParts | None = None) -> tuple[Candidates, int]:
    """Return everybody's candidates, and after how many releases the budget was spent (all of them if it sufficed).

    `common` notes what candidates have in common after each release.
    """
    state = Candidates()
    releases = len(evidence.tags)
    compiled = pays("attacks.candidates_compiled", _SAVED * evidence.rows)
    for done, pools in enumerate(evidence.stream()):
        if budget.exhausted():
            return state, done
        if compiled:
            compiled_fold(state, pools, done, budget)
        else:
            state.fold(pools, done)
        if common is not None:
            common.note(state, pools, done)
        budget.stage(f"release {done + 1} of {releases}")
        budget.progress(done + 1, releases)
    return state, releases


def compiled_fold(state: Candidates, pools: CandidatePools, release: int, budget: Budget) -> None:
    """Take one more release into account, by the compiled kernels and as many threads as the budget has."""
    from attacks import candidates_compiled

    state.grow(pools.people, pools.values)
    words = state.masks.shape[1]
    if not isinstance(pools.contents, ValueCounts):
        allowed, flat = candidates_compiled.table_masks(pools.contents, words)
    elif pools.contents.rows is None:
        allowed, flat = candidates_compiled.pool_masks(pools.contents.bag, pools.contents.value, pools.n_pools, words)
    else:
        allowed, flat = pool_masks(pools, words)

    known = (state.masks, state.versions, state.certain_at, state.empty_at, state.skewed)
    rows, person, pool = len(pools.person), pools.person, pools.pool
    if state.masks.nbytes > _CACHED or threads_for(budget, rows) > 1:
        person, pool = in_buckets(budget, pools, _SHIFT)

    def fold(some: slice) -> tuple[int, int]:
        return candidates_compiled.fold(*known, person[some], pool[some], allowed, flat, release)

    parts = shared(budget, rows, fold)
    state.count(sum(int(people) for people, _ in parts), sum(int(disclosed) for _, disclosed in parts))
