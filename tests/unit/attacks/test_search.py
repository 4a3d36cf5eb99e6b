"""The search for integer vectors: types, elimination, models, parts and limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.equivalence import integer_model
from attacks.equivalence.elimination import Elimination
from attacks.equivalence.lattice import Lattice
from audit.runtime.budget import Budget
from tests.helpers.equivalences import (
    Plan,
    agrees,
    is_equivalence,
    matrix_of,
    searched,
)

seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


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


@given(seeds)
def test_parts_and_the_whole_agree(rng):
    """Series of two or three tiny ones side by side, which meet in their values alone."""
    plans, truth = [], []
    for _ in range(rng.integers(2, 4)):
        two = rng.integers(0, 3, 2).tolist()
        plans.append([[len(truth) + at for at in part] for part in ([0, 1], [1, 2], [0, 3])])
        truth += [*two, two[0], two[1]]
    groups = [(named, []) for plan in plans for named in plan]
    homes = rng.integers(0, 4, len(groups))
    releases = [[] for _ in range(12)]
    for at, group in enumerate(groups):
        releases[3 * int(homes[at]) + at % 3].append(group)
    matrix, truth = matrix_of(Plan(truth, releases))
    found = [searched(matrix, max_e) for max_e in (1, 2, 4)]
    for one in found:
        assert one.complete
        assert (one.lower, one.upper) == (found[0].lower, found[0].upper)
        assert one.lower == one.upper
        assert all(is_equivalence(matrix, vector) and agrees(vector, truth) for vector in one.witnesses)
    for one, most in zip(found, (1, 2), strict=False):
        assert one.least.tolist() == np.where(found[2].least <= most, found[2].least, 0).tolist()


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
