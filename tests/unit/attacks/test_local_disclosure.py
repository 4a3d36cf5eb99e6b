"""Who falls with whom beside linear algebra over the rationals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.equivalence.field import Field, multiplied
from attacks.equivalence.fingerprint import fingerprint
from attacks.equivalence.local_disclosure import inverses, local_disclosure
from attacks.matrix import Matrix
from audit.model.evidence import Members, ValueCounts
from audit.runtime.budget import Budget


def matrix_of(columns, groups, individual=None):
    """Return the matrix of groups of columns, a release each, in which everybody has value 0."""
    who = np.ones(columns, dtype=np.bool_) if individual is None else np.array(individual, dtype=np.bool_)
    releases = []
    for group in groups:
        column, zeros = np.array(sorted(group), dtype=np.int32), np.zeros(len(group), dtype=np.int32)
        releases.append(Members(column, zeros, 1, ValueCounts(zeros, zeros, None), who, 1))
    return Matrix.joined(releases)


def rank(rows):
    """The rank of whole numbers in rows, by elimination over the rationals."""
    basis = []
    for entries in rows:
        left = [Fraction(entry) for entry in entries]
        for lead, other in basis:
            left = [entry - left[lead] * b for entry, b in zip(left, other, strict=True)]
        lead = next((place for place, entry in enumerate(left) if entry), None)
        if lead is not None:
            basis.append((lead, [entry / left[lead] for entry in left]))
    return len(basis)


def follows(columns, groups):
    """By column, None where its value is told by the groups, else the columns whose values follow from its value."""
    rows = [[int(column in group) for column in range(columns)] for group in groups]
    unit = [[int(column == one) for column in range(columns)] for one in range(columns)]
    told = rank(rows)
    found = []
    for one in range(columns):
        if rank([*rows, unit[one]]) == told:
            found.append(None)
            continue
        loose = [j for j in range(columns) if j != one and rank([*rows, unit[j]]) > told]
        found.append({j for j in loose if rank([*rows, unit[one], unit[j]]) == told + 1})
    return found


def fallen(matrix):
    return local_disclosure(matrix, np.random.default_rng(3), Budget())


systems = st.integers(1, 7).flatmap(
    lambda columns: st.tuples(
        st.just(columns),
        st.lists(st.sets(st.integers(0, columns - 1), min_size=1, max_size=4), min_size=1, max_size=6),
        st.lists(st.booleans(), min_size=columns, max_size=columns),
    )
)


@given(systems)
def test_who_falls_together(system):
    columns, groups, individual = system
    matrix = matrix_of(columns, groups, individual)
    found, right = fallen(matrix), follows(columns, groups)
    there = set().union(*groups)
    for one in range(columns):
        if one not in there or right[one] is None:
            assert (found.label[one], found.falls[one]) == (-1, 0)
            continue
        assert set(np.flatnonzero(found.label == found.label[one]).tolist()) == right[one] | {one}
        assert found.falls[one] == sum(individual[other] for other in right[one])


def test_a_value_spreads_through_groups_of_two_and_by_fractions():
    """Knowing 0 tells 1 and so 2. In {3, 4, 5}, {3, 4, 6}, {5, 6, 7}: 5 is 6, and 7 the rest of two equal ones."""
    found = fallen(matrix_of(9, [{0, 1}, {1, 2}, {3, 4, 5}, {3, 4, 6}, {5, 6, 7}]))
    assert found.falls.tolist() == [2, 2, 2, 0, 0, 2, 2, 2, 0]
    assert found.label[0] == found.label[2] != found.label[5] == found.label[7]
    assert found.label[8] == -1


def test_nobody_falls_who_is_pinned_already():
    found = fallen(matrix_of(4, [{0, 1}, {1}, {2, 3}]))
    assert found.label.tolist()[:2] == [-1, -1]
    assert found.falls.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("calls", [0, 1])
def test_nothing_is_told_when_the_time_is_up(monkeypatch, calls):
    matrix = matrix_of(2, [{0, 1}])
    answers = [fingerprint(matrix, np.random.default_rng(0), Budget(), homogeneous=True)] * calls + [None]
    monkeypatch.setattr("attacks.equivalence.local_disclosure.fingerprint", lambda *_, **__: answers.pop(0))
    assert fallen(matrix) is None
    assert not answers


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 1000])
def test_inverses(count):
    rng = np.random.default_rng(count)
    field = Field.drawn(rng)
    numbers = rng.integers(1, int(field.prime), count, dtype=np.uint64)
    assert multiplied(numbers, inverses(numbers, field), field).tolist() == [1] * count
