"""The person matrix and the value matrix, as dense matrices built row by row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.matrix import Matrix
from audit.model.evidence import Members, ValueCounts


def members(rows, individual, values, n_groups=None, counts=None):
    """One release from (column, group, value) rows; column -1 is a counterfeit without identity."""
    column, group, value = (np.array([row[i] for row in rows], dtype=np.int32) for i in range(3))
    size = n_groups or int(group.max(initial=-1)) + 1
    return Members(column, group, size, ValueCounts(group, value, counts), np.array(individual, dtype=bool), values)


def dense(matrix):
    """S and U as tables."""
    people = np.zeros((matrix.groups, matrix.columns), dtype=int)
    people[matrix.group_of(), matrix.member] = 1
    values = np.zeros((matrix.groups, matrix.values), dtype=int)
    values[np.repeat(np.arange(matrix.groups), np.diff(matrix.value_start)), matrix.value] = matrix.rows
    return people, values


def test_two_releases():
    first = members([(0, 0, 0), (1, 0, 1), (2, 1, 0), (-1, 1, 1)], [True, True, True], 2)
    second = members([(2, 0, 0), (3, 0, 1), (-1, 0, 1)], [True, True, True, False], 2)
    matrix = Matrix.joined([first, second])
    people, values = dense(matrix)
    assert people.tolist() == [[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 1, 0], [0, 0, 1, 1, 0, 1]]
    assert values.tolist() == [[1, 1], [1, 1], [1, 2]]
    assert (matrix.release.tolist(), matrix.code.tolist()) == ([0, 0, 1], [0, 1, 0])
    assert (matrix.nameless, matrix.individual.tolist()) == (2, [True, True, True, False, False, False])


def test_empty_groups_and_entries_that_cancel_are_left_out():
    counts = np.array([2, 0, 1], dtype=np.int64)
    release = Members(
        np.array([4, 1], dtype=np.int32),
        np.array([2, 2], dtype=np.int32),
        3,
        ValueCounts(np.array([2, 2, 2], dtype=np.int32), np.array([0, 1, 0], dtype=np.int32), counts),
        np.ones(5, dtype=bool),
        2,
    )
    matrix = Matrix.joined([release])
    people, values = dense(matrix)
    assert people.tolist() == [[0, 1, 0, 0, 1]]
    assert values.tolist() == [[3, 0]]
    assert matrix.code.tolist() == [2]
    assert matrix.individual.tolist() == [False, True, False, False, True]


def test_no_release():
    matrix = Matrix.joined([])
    assert (matrix.groups, matrix.columns, len(matrix.member), matrix.releases) == (0, 0, 0, 0)


@st.composite
def series(draw):
    people, values = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    releases = []
    for _ in range(draw(st.integers(1, 4))):
        present = draw(st.lists(st.integers(0, people - 1), unique=True, max_size=people))
        nobody = draw(st.integers(0, 2))
        rows = [(who, draw(st.integers(0, 2)), draw(st.integers(0, values - 1))) for who in [*present, *[-1] * nobody]]
        releases.append((rows, values))
    return people, releases


@given(series())
def test_prefixes_and_columns(drawn):
    people, releases = drawn
    parts = [members(rows, [True] * people, values, n_groups=3) for rows, values in releases]
    matrix = Matrix.joined(parts)
    whole, counts = dense(matrix)
    assert whole.sum() == sum(len(rows) for rows, _ in releases)
    assert (whole.sum(axis=1) == counts.sum(axis=1)).all()
    for number in range(len(parts) + 1):
        early, early_counts = dense(matrix.prefix(number))
        keep = matrix.release < number
        assert np.array_equal(early, whole[keep])
        assert np.array_equal(early_counts, counts[keep])
        assert matrix.prefix(number).releases == number
        assert np.array_equal(matrix.prefix(number).individual, matrix.individual & whole[keep].any(axis=0))
    start, group = matrix.by_column()
    for column in range(matrix.columns):
        assert group[start[column] : start[column + 1]].tolist() == np.flatnonzero(whole[:, column]).tolist()
    numbers = np.arange(1, matrix.columns + 1, dtype=np.uint64)
    assert matrix.sums_of(numbers).tolist() == (whole * numbers.astype(int)).sum(axis=1).tolist()
    seen = [matrix.release[whole[:, column] > 0] for column in range(matrix.columns)]
    assert matrix.first_release().tolist() == [int(releases.min(initial=len(parts))) % len(parts) for releases in seen]


@pytest.mark.parametrize("chosen", [[], [0], [0, 2], [1, 2]])
def test_restricted(chosen):
    rows = [(0, 0, 0), (1, 0, 1), (2, 1, 0), (3, 1, 1), (4, 2, 0), (-1, 2, 1)]
    matrix = Matrix.joined([members(rows, [True] * 5, 2)])
    people, values = dense(matrix.restricted(np.array(chosen, dtype=int)))
    whole, counts = dense(matrix)
    assert np.array_equal(people, whole[chosen])
    assert np.array_equal(values, counts[chosen])


@given(st.integers(1, 100_000), st.integers(1, 1_000))
def test_counts_and_codes_of_any_size(rows, value):
    """Counts and codes are kept in the smallest type that holds them."""
    counts = np.array([rows, 1], dtype=np.int64)
    release = members([(0, 0, value), (1, 0, 0)], [True, True], value + 1, counts=counts)
    matrix = Matrix.joined([release])
    assert (matrix.value.tolist(), matrix.rows.tolist()) == ([0, value], [1, rows])
