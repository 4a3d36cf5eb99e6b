"""Fingerprints beside elimination over the rationals, by plain and by compiled kernels."""

import sys

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.equivalence import fingerprint as module
from attacks.equivalence import lanczos
from attacks.equivalence.fingerprint import ContradictionError, classes, fingerprint, pinned
from attacks.matrix import Matrix
from audit.runtime.budget import Budget
from tests.helpers.amount import some

WAYS = {"plain": sys.maxsize, "compiled": -1}


@pytest.fixture(params=sorted(WAYS))
def way(request, monkeypatch):
    monkeypatch.setattr(module, "_PLAIN_MEMBERSHIPS", WAYS[request.param])
    return request.param


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.setattr(module, "_PLAIN_MEMBERSHIPS", WAYS["compiled"])


def of_groups(columns, groups, values=1):
    """Return the matrix of groups, given as release, columns and values."""
    counts = [{value: held.count(value) for value in sorted(held)} for _, _, held in groups]
    individual = np.zeros(columns, dtype=np.bool_)
    individual[[c for _, members, _ in groups for c in members]] = True
    return Matrix(
        np.cumsum([0, *(len(members) for _, members, _ in groups)]),
        np.array([c for _, members, _ in groups for c in sorted(members)], dtype=np.int32),
        np.cumsum([0, *map(len, counts)]),
        np.array([value for count in counts for value in count], dtype=np.int32),
        np.array([rows for count in counts for rows in count.values()], dtype=np.int64),
        np.array([release for release, _, _ in groups], dtype=np.int32),
        np.arange(len(groups), dtype=np.int32),
        individual,
        0,
        max([values, *(1 + value for _, _, held in groups for value in held)]),
        1 + groups[-1][0] if groups else 0,
    )


def consistent(columns, value, releases):
    """Return the matrix of releases, each a list of groups of columns with values of their own."""
    groups = [(r, members, [value[c] for c in members]) for r, groups in enumerate(releases) for members in groups]
    return of_groups(columns, groups, max(value, default=0) + 1)


def random_series(seed):
    """Return values, and releases of groups: anew, as before, united; few people in many releases, or many in few."""
    rng = np.random.default_rng(seed)
    people, releases, kinds = int(rng.integers(1, 13)), int(rng.integers(1, 9)), int(rng.integers(1, 4))
    value = rng.integers(0, kinds, people + 3).tolist()
    series, strangers = [], 0
    for _ in range(releases):
        if series and rng.random() < 0.25:
            groups = [list(group) for group in series[rng.integers(len(series))]]
            if len(groups) > 1 and rng.random() < 0.6:
                groups = [groups[0] + groups[1], *groups[2:]]
        else:
            order = rng.permutation(people)[: rng.integers(1, people + 1)]
            groups, largest = [], int(rng.integers(1, 6))
            while len(order):
                size = int(rng.integers(1, largest + 1))
                groups.append(order[:size].tolist())
                order = order[size:]
            if strangers < 3 and rng.random() < 0.2:
                groups[0].append(people + strangers)
                strangers += 1
        series.append(groups)
    return people + 3, value, series


def random_groups(seed):
    """Return columns, and groups of a random series, now and then with values of one group that do not fit."""
    columns, value, series = random_series(seed)
    groups = [(r, members, [value[c] for c in members]) for r, groups in enumerate(series) for members in groups]
    rng = np.random.default_rng([seed, 1])
    if rng.random() < 0.5:
        held = groups[rng.integers(len(groups))][2]
        held[rng.integers(len(held))] = int(rng.integers(0, 3))
    return columns, groups


def contradictory(matrix):
    """Whether no numbers of columns fulfil all groups: their values have a rank of their own, over the rationals."""
    people = np.zeros((matrix.groups, matrix.columns), dtype=int)
    held = np.zeros((matrix.groups, matrix.values), dtype=int)
    people[matrix.group_of(), matrix.member] = 1
    held[np.repeat(np.arange(matrix.groups), np.diff(matrix.value_start)), matrix.value] = matrix.rows
    alone, both = (fmpz_mat(rows.tolist()).rank() for rows in (people, np.concatenate([people, held], axis=1)))
    return both > alone


def members(matrix):
    return sorted(set(matrix.member.tolist()))


@settings(max_examples=some(100))
@given(seed=st.integers(0, 2**32))
@pytest.mark.parametrize("limit", WAYS.values(), ids=WAYS)
def test_contradictions_are_found_and_their_groups_named(limit, seed):
    columns, groups = random_groups(seed)
    matrix = of_groups(columns, groups)
    found = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PLAIN_MEMBERSHIPS", limit)
        try:
            fingerprint(matrix, np.random.default_rng(seed), Budget())
        except ContradictionError as error:
            found = error
    assert (found is not None) == contradictory(matrix)
    if found is not None:
        assert list(found.groups) == sorted(set(found.groups))
        assert contradictory(matrix.restricted(np.array(found.groups)))
        assert found.release == max(groups[group][0] for group in found.groups)


def large_series(seed, people=900, size=6, releases=7, kinds=5):
    """Return a series with a core of several components, dependent groups and a group of hundreds."""
    rng = np.random.default_rng(seed)
    value = (np.arange(people) % kinds).tolist()
    series = []
    for release in range(releases):
        groups = []
        for part in np.array_split(np.arange(people), 4):
            here = rng.permutation(part)[: len(part) - rng.integers(0, size * release + 1)]
            groups += [group.tolist() for group in np.array_split(here, max(1, len(here) // size))]
        series.append(groups)
    series += [[sorted(c for group in series[0][:80] for c in group)], series[1][:40], [series[-1][0] + series[-1][1]]]
    return people, value, series


@pytest.mark.parametrize(("releases", "size"), [(3, 3), (4, 6), (7, 6), (12, 4)])
def test_both_ways_agree_on_larger_series(monkeypatch, releases, size):
    people, value, series = large_series(releases, 300, size, releases)
    matrix = consistent(people, value, series)
    labels, certain = [], []
    for limit in WAYS.values():
        monkeypatch.setattr(module, "_PLAIN_MEMBERSHIPS", limit)
        numbers = fingerprint(matrix, np.random.default_rng(7), Budget())
        labels.append(classes(matrix, numbers).tolist())
        certain.append(pinned(matrix, numbers).tolist())
    assert labels[0] == labels[1]
    assert certain[0] == certain[1]


@pytest.mark.parametrize("releases", [2, 3])
def test_a_contradiction_among_more_columns_than_groups_is_named(compiled, releases):
    """The smaller of two systems is solved, which cannot tell that there is no solution: then it is the other one."""
    people, value, series = large_series(releases, 120, 6, releases)
    matrix = consistent(people, value, [*series, series[0][:10]])
    held = matrix.value_start[matrix.groups - 3]
    matrix.value[held] = (matrix.value[held] + 1) % 5
    with pytest.raises(ContradictionError):
        fingerprint(matrix, np.random.default_rng(1), Budget())


class Looks(Budget):
    """A budget that is spent after some looks at it."""

    def __init__(self, looks):
        super().__init__()
        self.looks = looks

    def exhausted(self):
        self.looks -= 1
        return self.looks < 0


def test_a_spent_budget_gives_none(compiled, monkeypatch):
    monkeypatch.setattr(lanczos, "_WORK", 0)
    matrix = consistent(*large_series(2))
    assert fingerprint(matrix, np.random.default_rng(3), Budget(0.0)) is None
    assert fingerprint(matrix, np.random.default_rng(3), Looks(10)) is None
    looks = Looks(10_000)
    assert fingerprint(matrix, np.random.default_rng(3), looks) is not None
    assert looks.looks < 10_000 - 50


def test_diagonals_that_fail_are_drawn_again(compiled, monkeypatch):
    matrix = consistent(*large_series(2))
    right = classes(matrix, fingerprint(matrix, np.random.default_rng(3), Budget()))
    drawn, calls = lanczos.uniform, []

    def failing(rng, count, field, least):
        calls.append(count)
        return drawn(rng, count, field, least) * np.uint64(len(calls) > failures)

    monkeypatch.setattr(lanczos, "uniform", failing)
    failures = 6
    numbers = fingerprint(matrix, np.random.default_rng(3), Budget())
    assert len(calls) > failures
    assert np.array_equal(classes(matrix, numbers), right)
    failures = 1_000
    with pytest.raises(ArithmeticError):
        fingerprint(matrix, np.random.default_rng(3), Budget())


def test_a_wrong_solution_is_not_given_out(way, monkeypatch):
    matrix = consistent(*large_series(2, 100))
    name = f"{way}_solution"
    solve = getattr(module, name)

    def wrong(*arguments):
        number = solve(*arguments)
        number[matrix.member[0]] ^= np.uint64(1)
        return number

    monkeypatch.setattr(module, name, wrong)
    with pytest.raises(ArithmeticError):
        fingerprint(matrix, np.random.default_rng(3), Budget())
