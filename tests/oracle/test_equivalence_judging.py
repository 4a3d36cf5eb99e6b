"""What the ways of `equivalence` say together, held against enumeration: tiny series of every kind."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attacks.equivalence import judging
from attacks.equivalence.judging import judge
from attacks.equivalence.timeline import timeline
from attacks.equivalence.vectors import Vector
from attacks.equivalence.weights import Solver
from audit.core.budget import Budget
from tests.helpers.equivalences import agrees, brute_force, dense, is_equivalence, tiny_series

MAX_E = 4
ENUMERATED = 6
EACH = 25


def cases(first):
    for seed in range(first, first + EACH):
        matrix, truth = tiny_series(np.random.default_rng(seed))
        yield seed, matrix, truth, brute_force(matrix, 2 * ENUMERATED)


def least_of(wanted):
    return int(wanted[wanted > 0].min()) if (wanted > 0).any() else None


@pytest.mark.parametrize("first", range(0, 500, EACH))
def test_everything_is_exact(first):
    for seed, matrix, truth, wanted in cases(first):
        found = judge(matrix, MAX_E, Budget())
        least = least_of(wanted)
        assert found.reason is None, seed
        assert found.exact, seed
        if least is None:
            assert found.lower is None or found.lower > ENUMERATED, seed
        else:
            assert (found.lower, found.upper) == (least, least), seed
        assert found.least.tolist() == np.where(wanted <= MAX_E, wanted, 0).tolist(), seed
        check_claims(matrix, truth, found)


def check_claims(matrix, truth, found):
    """Everything that is claimed is true and has weights."""
    solver = Solver(matrix)
    people, values = dense(matrix)
    for place in range(len(found.witnesses)):
        vector = found.witnesses.vector(place)
        assert is_equivalence(matrix, vector)
        assert agrees(vector, truth)
        assert combined(solver, vector, None, people, values)
    shared = [np.flatnonzero(found.label == label) for label in np.unique(found.label[found.label >= 0])]
    for columns in shared:
        for one, other in itertools.pairwise(columns):
            assert truth[one] == truth[other]
            assert combined(solver, Vector.of({int(one): 1, int(other): -1}), None, people, values)
    for column in np.flatnonzero(found.pinned >= 0).tolist():
        assert truth[column] == found.pinned[column]
        assert combined(solver, Vector.of({column: 1}), truth[column], people, values)


def combined(solver, vector, value, people, values):
    """Whether weights are found whose sum of groups is the vector, and that of values nothing or one value."""
    weights = solver.weights(vector, value)
    total = [sum(weight * people[group, c] for group, weight in weights.items()) for c in range(people.shape[1])]
    wanted = np.zeros(people.shape[1], dtype=int)
    wanted[vector.columns] = vector.times
    left = [sum(weight * values[group, v] for group, weight in weights.items()) for v in range(values.shape[1])]
    return total == wanted.tolist() and left == [int(v == value) for v in range(values.shape[1])]


@pytest.mark.parametrize("first", range(0, 100, EACH))
def test_pinned_and_shared_values_are_complete(first):
    for seed, matrix, truth, wanted in cases(first):
        found = judge(matrix, MAX_E, Budget())
        shared = [(found.label == label).sum() > 1 and label >= 0 for label in found.label]
        assert shared == (wanted == 1).tolist(), seed
        rows = np.concatenate(dense(matrix), axis=1)
        rank = np.linalg.matrix_rank(rows) if rows.size else 0
        for column in np.unique(matrix.member).tolist():
            claim = np.zeros((1, rows.shape[1]))
            claim[0, column] = claim[0, matrix.columns + truth[column]] = 1
            fixed = np.linalg.matrix_rank(np.concatenate([rows, claim])) == rank
            assert (found.pinned[column] >= 0) == fixed, seed


@pytest.mark.parametrize("first", range(0, 100, EACH))
def test_timeline(first):
    for seed, matrix, _, wanted in cases(first):
        found = judge(matrix, MAX_E, Budget())
        line, missing = timeline(matrix, found, MAX_E, Budget())
        assert missing is None, seed
        early = [brute_force(matrix.prefix(releases), 2 * MAX_E) for releases in range(1, matrix.releases)]
        expected = [int((matrix.individual & (least > 0) & (least <= MAX_E)).sum()) for least in [*early, wanted]]
        assert line == expected, seed


@pytest.mark.parametrize("first", range(0, 200, EACH))
def test_bounds_where_no_exact_way_is_taken(first, monkeypatch):
    monkeypatch.setattr(judging.balanced, "solve", lambda *_: None)
    monkeypatch.setattr(judging, "_SEARCHED_MEMBERSHIPS", -1)
    for seed, matrix, truth, wanted in cases(first):
        found = judge(matrix, MAX_E, Budget())
        least = least_of(wanted)
        assert found.reason is not None, seed
        assert found.lower <= (least or np.inf), seed
        assert found.upper is None or (least is not None and found.upper >= least), seed
        told = found.least > 0
        assert (wanted[told] > 0).all(), seed
        assert (found.least[told] >= wanted[told]).all(), seed
        assert ((found.least == 1) == (wanted == 1)).all(), seed
        check_claims(matrix, truth, found)


def test_a_timeline_never_falls(monkeypatch):
    """Where a prefix is judged less thoroughly than one before, whoever counted once still counts."""
    real = judge

    def forgetful(matrix, *words, **options):
        found = real(matrix, *words, **options)
        return replace(found, least=found.least * (matrix.releases % 2)) if matrix.releases < 4 else found

    monkeypatch.setattr("attacks.equivalence.timeline.judge", forgetful)
    for _, matrix, _, _ in cases(0):
        line, _ = timeline(matrix, real(matrix, MAX_E, Budget()), MAX_E, Budget())
        assert line == sorted(line)


@pytest.mark.parametrize("first", range(0, 100, EACH))
def test_a_spent_budget_leaves_bounds(first):
    for seed, matrix, truth, wanted in cases(first):
        found = judge(matrix, MAX_E, Budget(0.0))
        if found is None:
            continue
        least = least_of(wanted)
        assert (found.lower or np.inf) <= (least or np.inf), seed
        assert found.upper is None or found.upper >= least, seed
        assert found.reason is not None or found.least.tolist() == np.where(wanted <= MAX_E, wanted, 0).tolist(), seed
        check_claims(matrix, truth, found)
