"""Linear programmes that begin at a solution, beside those of another solver that begin at nothing."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from attacks.linear_programmes import Programme, optimum_near
from audit.runtime.budget import Budget
from tests.helpers.amount import some


def drawn(rng):
    """A programme of equalities over whole columns, some of them without an end, and a solution of it."""
    rows = rng.choice([0.0, 1.0, -1.0], (rng.integers(1, 6), rng.integers(2, 9)), p=[0.5, 0.3, 0.2])
    start = rng.integers(0, 6, rows.shape[1]).astype(float)
    lower = start - rng.choice([0.0, 1.0, 3.0], len(start))
    upper = start + rng.choice([0.0, 2.0, 5.0, np.inf], len(start), p=[0.3, 0.3, 0.3, 0.1])
    right = rows @ start
    cost = rng.integers(-2, 3, len(start)).astype(float)
    return Programme(cost, lower, upper, sparse.csr_matrix(rows), right, right), start


@pytest.mark.parametrize("seed", range(some(60)))
def test_an_optimum_is_the_same_wherever_it_is_looked_for_from(seed):
    programme, start = drawn(np.random.default_rng(seed))
    bounds = [
        (low, None if np.isinf(high) else high) for low, high in zip(programme.lower, programme.upper, strict=True)
    ]
    wanted = linprog(-programme.cost, A_eq=programme.rows, b_eq=programme.low, bounds=bounds, method="highs")
    found = optimum_near(programme, start, Budget(None))
    assert (found is None) == (wanted.status != 0)
    if found is not None:
        assert programme.cost @ found.value == pytest.approx(-wanted.fun)
        assert programme.rows @ found.value == pytest.approx(programme.low)
        assert (found.value >= programme.lower - 1e-7).all()
        assert (found.value <= programme.upper + 1e-7).all()
        # Weights of the rows show it: what columns leave is at an end.
        left = programme.cost - found.weight @ programme.rows.toarray()
        ends = np.where(left > 1e-7, programme.upper, np.where(left < -1e-7, programme.lower, 0.0))
        shown = found.weight @ programme.low + np.where(np.abs(left) > 1e-7, left * ends, 0.0).sum()
        assert shown == pytest.approx(-wanted.fun)
