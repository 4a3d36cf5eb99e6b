"""Which kernel folds candidate sets: numpy for what is small, the compiled twin for what is large."""

from __future__ import annotations

from attacks.candidates import Candidates, pool_masks
from audit.core.budget import Budget
from audit.core.evidence import Entries, Evidence, Pools
from audit.core.kernels import wants_compiled


def fold_all(evidence: Evidence, budget: Budget) -> tuple[Candidates, int]:
    """Return everybody's candidates, and after how many releases the budget was spent (all of them if it sufficed)."""
    state = Candidates()
    releases = len(evidence.tags)
    for done, pools in enumerate(evidence.stream()):
        if budget.spent():
            return state, done
        fold = compiled_fold if wants_compiled(evidence.rows) else Candidates.fold
        fold(state, pools, done)
        budget.progress(done + 1, releases)
    return state, releases


def compiled_fold(state: Candidates, pools: Pools, release: int) -> None:
    """Take one more release into account, by the compiled kernels."""
    from attacks import compiled

    state.grow(pools.people, pools.values)
    words = state.masks.shape[1]
    if not isinstance(pools.contents, Entries):
        allowed, flat = compiled.table_masks(pools.contents, words)
    elif pools.contents.rows is None:
        allowed, flat = compiled.pool_masks(pools.contents.bag, pools.contents.value, pools.n_pools, words)
    else:
        allowed, flat = pool_masks(pools, words)
    people, disclosed = compiled.fold(
        state.masks,
        state.versions,
        state.certain_at,
        state.empty_at,
        state.skewed,
        pools.person,
        pools.pool,
        allowed,
        flat,
        release,
    )
    state.count(int(people), int(disclosed))
