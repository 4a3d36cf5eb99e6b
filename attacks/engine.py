"""Which kernel folds candidate sets: numpy for what is small, the compiled twin for what is large."""

from __future__ import annotations

from attacks.candidates import Candidates
from audit.core.budget import Budget
from audit.core.evidence import Evidence


def fold_all(evidence: Evidence, budget: Budget) -> tuple[Candidates, int]:
    """Return everybody's candidates, and after how many releases the budget was spent (all of them if it sufficed)."""
    state = Candidates()
    releases = len(evidence.tags)
    for done, pools in enumerate(evidence.stream()):
        if budget.spent():
            return state, done
        state.fold(pools, done)
        budget.progress(done + 1, releases)
    return state, releases
