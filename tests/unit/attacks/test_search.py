"""The search for integer vectors: types, elimination, models, parts and limits."""

import numpy as np
import pytest

from attacks.equivalence import integer_model
from attacks.equivalence.elimination import Elimination
from attacks.equivalence.lattice import Lattice
from audit.runtime.budget import Budget
from tests.helpers.equivalences import Plan, is_equivalence, matrix_of, searched


def regrouped(rng, people, m, releases, signatures=1, churn=0.2):
    """An m-invariant series of fine groups, regrouped at random; as many people leave as come."""
    plan, present = Plan([at % m + m * (at % (m * signatures) // m) for at in range(people)]), np.arange(people)
    for _ in range(releases):
        groups = []
        for signature in range(signatures):
            slots = [[at for at in present if plan.truth[at] == m * signature + value] for value in range(m)]
            shuffled = [rng.permutation(slot).tolist() for slot in slots]
            groups += [(list(named), []) for named in zip(*shuffled, strict=True)]
        plan.releases.append(groups)
        leaving = np.flatnonzero(rng.random(people) < churn)
        coming = len(plan.truth) + np.arange(len(leaving))
        plan.truth += [plan.truth[at] for at in present[leaving]]
        present[leaving] = coming
    return matrix_of(plan)


def test_nothing_is_claimed_without_time():
    matrix, _ = regrouped(np.random.default_rng(0), 12, 3, 3)
    found = searched(matrix, 4, Budget(0.0), 1)
    assert (found.lower, found.complete) == (2, False)
    assert all(is_equivalence(matrix, vector) for vector in found.witnesses)


@pytest.mark.parametrize(
    ("module", "limit"), [(integer_model, "_VARIABLES"), (integer_model, "_EXACT"), (integer_model, "_EFFORT")]
)
def test_bounds_where_models_are_not_solved(monkeypatch, module, limit):
    unsolved = 0
    for seed in range(5):
        matrix, _ = regrouped(np.random.default_rng(seed), 24, 6, 3)
        exact = searched(matrix, 3)
        with monkeypatch.context() as patch:
            patch.setattr(module, limit, 0)
            found = searched(matrix, 3)
        assert exact.complete
        assert found.lower <= exact.lower <= found.upper
        assert all(is_equivalence(matrix, vector) for vector in found.witnesses)
        assert not found.complete or found.least.tolist() == exact.least.tolist()
        unsolved += not found.complete
    assert unsolved


def test_a_wrong_answer_of_the_solver_is_none(monkeypatch):
    matrix, _ = regrouped(np.random.default_rng(0), 24, 6, 3)
    exact = searched(matrix, 3)
    monkeypatch.setattr(Lattice, "holds", lambda *_: False)
    found = searched(matrix, 3)
    assert exact.complete
    assert not found.complete
    assert found.lower <= exact.lower <= found.upper


def test_eliminations_that_take_too_long(monkeypatch):
    matrix, _ = regrouped(np.random.default_rng(0), 24, 4, 3)
    monkeypatch.setattr(Elimination, "most", 50)
    found = searched(matrix, 4, settled=1)
    assert (found.lower, found.upper, found.complete, found.witnesses) == (2, None, False, ())
