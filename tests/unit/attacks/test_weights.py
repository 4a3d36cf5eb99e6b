"""Weights beside linear algebra over the rationals, and added up by hand; the chains of pairs to show by them."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.equivalence.spanning_forest import spanning_forest
from attacks.equivalence.vectors import Vector
from attacks.equivalence.weights import Solver
from attacks.matrix import Matrix
from audit.model.evidence import Members, ValueCounts

NAMELESS = -1


def matrix_of(releases, people):
    """Return the matrix of releases, each a list of groups of members with values."""
    joined = []
    for groups in releases:
        rows = [(who, place, value) for place, group in enumerate(groups) for who, value in group]
        column, group, value = (np.array([row[i] for row in rows], dtype=np.int32) for i in range(3))
        individual = np.ones(people, dtype=np.bool_)
        joined.append(Members(column, group, len(groups), ValueCounts(group, value, None), individual, 3))
    return Matrix.joined(joined)


@st.composite
def matrices(draw):
    """Up to seven people in up to four releases, and counterfeits without identity."""
    people = draw(st.integers(2, 7))
    value = draw(st.lists(st.integers(0, 2), min_size=people, max_size=people))
    releases = []
    for _ in range(draw(st.integers(1, 4))):
        order = draw(st.permutations(range(people)))[: draw(st.integers(1, people))]
        rows = [(who, value[who]) for who in order]
        rows += [(NAMELESS, v) for v in draw(st.lists(st.integers(0, 2), max_size=1))]
        groups = []
        while rows:
            size = draw(st.integers(1, 4))
            groups.append(rows[:size])
            rows = rows[size:]
        releases.append(groups)
    return matrix_of(releases, people)


def rows_of(matrix):
    """Return the rows of S and U side by side, as lists of whole numbers."""
    rows = []
    for group in range(matrix.groups):
        row = [0] * (matrix.columns + matrix.values)
        for column in matrix.member[matrix.start[group] : matrix.start[group + 1]]:
            row[column] = 1
        for place in range(matrix.value_start[group], matrix.value_start[group + 1]):
            row[matrix.columns + matrix.value[place]] = int(matrix.rows[place])
        rows.append(row)
    return rows


def reduced(rows):
    """Return a basis of what the rows span, by their leading places."""
    basis = {}
    for entries in rows:
        left = remainder(basis, entries)
        lead = next((place for place, entry in enumerate(left) if entry), None)
        if lead is not None:
            basis[lead] = [entry / left[lead] for entry in left]
    return basis


def remainder(basis, entries):
    left = [Fraction(entry) for entry in entries]
    for lead in sorted(basis):
        times = left[lead]
        left = [entry - times * other for entry, other in zip(left, basis[lead], strict=True)]
    return left


def claimed(matrix, entries, value):
    target = [0] * (matrix.columns + matrix.values)
    for column, times in entries.items():
        target[column] = times
    if value is not None:
        target[matrix.columns + value] = 1
    return target


def added(rows, found):
    return [sum((w * rows[group][place] for group, w in found.items()), Fraction(0)) for place in range(len(rows[0]))]


def assert_right(matrix, claims):
    """Weights are found for what is true alone, and add up to it."""
    rows, solver = rows_of(matrix), Solver(matrix)
    basis = reduced(rows)
    for entries, value in claims:
        vector = Vector.of(entries)
        found = solver.weights(vector, value)
        target = claimed(matrix, dict(zip(vector.columns, vector.times, strict=True)), value)
        assert (found is not None) == (not any(remainder(basis, target)))
        if found is not None:
            assert all(found.values())
            assert list(found) == sorted(found)
            assert added(rows, found) == target


def small_claims(matrix):
    pairs = [({left: 1, right: -1}, None) for left, right in combinations(range(matrix.columns), 2)]
    return pairs + [({column: 1}, value) for column in range(matrix.columns) for value in range(matrix.values)]


@given(matrices())
def test_pairs_and_pinned_values(matrix):
    assert_right(matrix, small_claims(matrix))


@given(matrices(), st.integers(0, 2**32 - 1))
def test_combinations_of_groups_are_found_again(matrix, seed):
    rng, rows = np.random.default_rng(seed), rows_of(matrix)
    claims = []
    for _ in range(5):
        chosen = {int(group): Fraction(int(rng.integers(-2, 3))) for group in rng.integers(0, matrix.groups, 3)}
        sums = added(rows, chosen)
        entries = {column: int(times) for column, times in enumerate(sums[: matrix.columns]) if times}
        if entries:
            claims.append((entries, None))
    assert_right(matrix, claims)


@pytest.mark.parametrize(("people", "told"), [(16, True), (40, True), (100, False)])
def test_fractions_too_large_to_be_told_from_residues_are_never_told_wrong(people, told):
    """Random groups, as many as people, whose weights have denominators like the determinant of the person matrix."""
    rng = np.random.default_rng(5)
    chosen = rng.random((people, people)) < 0.5
    matrix = matrix_of([[[(who, 0) for who in np.flatnonzero(row).tolist()]] for row in chosen], people)
    found = Solver(matrix).weights(Vector.of({0: 1, 1: -1}))
    assert (found is not None) == told
    if told:
        assert added(rows_of(matrix), found) == claimed(matrix, {0: 1, 1: -1}, None)
        assert max(weight.denominator for weight in found.values()) > people


def classes_of(matrix):
    """Return a label for each column: columns whose difference is a combination of groups without values share it."""
    basis = reduced(rows_of(matrix))
    label = np.full(matrix.columns, -1, dtype=np.int32)
    for column in np.unique(matrix.member).tolist():
        others = np.flatnonzero(label == np.arange(matrix.columns)).tolist()
        same = [other for other in others if not any(remainder(basis, claimed(matrix, {other: 1, column: -1}, None)))]
        label[column] = same[0] if same else column
    return label


def differing(matrix):
    """Return the pairs of columns that are all in which two groups with equal values differ."""
    rows = [row[matrix.columns :] for row in rows_of(matrix)]
    groups = [set(matrix.member[a:b].tolist()) for a, b in zip(matrix.start[:-1], matrix.start[1:], strict=True)]
    pairs = set()
    for (one, values), (other, others) in combinations(zip(groups, rows, strict=True), 2):
        if len(one - other) == len(other - one) == 1 and values == others:
            pairs.add(frozenset((one - other) | (other - one)))
    return pairs


def joined_up(columns, pairs):
    """Return what belongs together by pairs, as a set of sets."""
    sets = {column: frozenset([column]) for column in columns}
    for left, right in map(tuple, pairs):
        both = sets[left] | sets[right]
        sets.update(dict.fromkeys(both, both))
    return set(sets.values())


@given(matrices())
def test_chains_tell_the_classes_and_begin_with_differences_of_two_groups(matrix):
    label = classes_of(matrix)
    people = set(np.flatnonzero(matrix.individual).tolist())
    there = np.flatnonzero((label >= 0) & np.isin(label, label[matrix.individual])).tolist()
    chains = spanning_forest(matrix, label)
    pairs = [frozenset(pair) for pair in chains.pair.tolist()]
    assert all(people & pair for pair in pairs)  # counterfeits alone say nothing of anybody
    assert joined_up(there, pairs) == {frozenset(np.flatnonzero(label == one).tolist()) for one in set(label[there])}
    sizes = Counter(label[there].tolist())
    assert len(pairs) == len(there) - len(sizes)
    assert sorted(chains.effort.tolist()) == chains.effort.tolist()
    easy = [pair for pair, effort in zip(pairs, chains.effort, strict=True) if effort == 0]
    shown = {pair for pair in differing(matrix) if people & pair}
    assert set(easy) <= shown
    assert joined_up(there, easy) == joined_up(there, shown)
