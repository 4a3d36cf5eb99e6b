"""Matched subsets of groups, and of everybody, beside all pairs of them, judged by algebra over the rationals."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.equivalence import subsets, subsets_compiled
from attacks.equivalence.field import Field
from attacks.equivalence.fingerprint import Fingerprint, fingerprint
from attacks.matrix import Matrix
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.equivalences import agrees, brute_force, is_equivalence, tiny_series

MAX_E = 4


@pytest.fixture(params=["plain", "compiled"])
def kernels(request, monkeypatch):
    """Take the kernels of either kind, the compiled ones with as little memory as they can do with."""
    use(monkeypatch, request.param)


@pytest.fixture
def groups_alone(monkeypatch):
    """Form sets within groups, however few there are of everybody."""
    monkeypatch.setattr(subsets, "_SETS_OF_ALL", -1)


def use(monkeypatch, kind):
    monkeypatch.setattr(subsets, "_PLAIN_SETS", -1 if kind == "compiled" else 10**9)
    monkeypatch.setattr(subsets, "_HELD", 5)
    monkeypatch.setattr(subsets_compiled, "_PER_BUCKET", 2)
    monkeypatch.setattr(subsets_compiled, "_PER_CALL", 7)


def of_groups(columns, groups, nameless=0):
    """Return the matrix of groups, given as release, columns and values."""
    sizes = [len(members) for _, members, _ in groups]
    counts = [{value: values.count(value) for value in sorted(values)} for _, _, values in groups]
    individual = np.zeros(columns, dtype=np.bool_)
    individual[[c for _, members, _ in groups for c in members if c < columns - nameless]] = True
    return Matrix(
        np.cumsum([0, *sizes]),
        np.array([c for _, members, _ in groups for c in sorted(members)], dtype=np.int32),
        np.cumsum([0, *map(len, counts)]),
        np.array([value for count in counts for value in count], dtype=np.int32),
        np.array([rows for count in counts for rows in count.values()], dtype=np.int64),
        np.array([release for release, _, _ in groups], dtype=np.int32),
        np.arange(len(groups), dtype=np.int32),
        individual,
        nameless,
        1 + max(value for _, _, values in groups for value in values),
        1 + groups[-1][0],
    )


def random_matrix(seed):
    """Return a small series: people come, leave and return, and are grouped anew or moved a little in each release."""
    rng = np.random.default_rng(seed)
    people, values, releases = int(rng.integers(4, 17)), int(rng.integers(1, 4)), int(rng.integers(1, 5))
    largest, spare, moved = int(rng.integers(2, 9)), 3, int(rng.integers(1, 8))
    value = rng.integers(0, values, people + spare).tolist()
    anew = rng.random() < 0.4
    order = rng.permutation(people)
    groups, nameless = [], 0
    for release in range(releases):
        for _ in range(moved):
            one, other = rng.integers(0, people, 2)
            order[[one, other]] = order[[other, one]]
        order = rng.permutation(people) if anew else order
        present = order[: rng.integers(people // 2, people + 1)].tolist()
        while present:
            size = int(rng.integers(1, largest + 1)) if anew else largest
            members, present = present[:size], present[size:]
            if nameless < spare and rng.random() < 0.1:
                members.append(people + nameless)
                nameless += 1
            groups.append((release, members, [value[c] for c in members]))
    return of_groups(people + spare, groups, spare)


def dense(matrix, kind):
    """Return the person matrix and the value matrix as lists of rows."""
    person = [[kind(0)] * matrix.columns for _ in range(matrix.groups)]
    values = [[kind(0)] * matrix.values for _ in range(matrix.groups)]
    for g in range(matrix.groups):
        for c in matrix.member[matrix.start[g] : matrix.start[g + 1]].tolist():
            person[g][c] = kind(1)
        for k in range(matrix.value_start[g], matrix.value_start[g + 1]):
            values[g][matrix.value[k]] = kind(int(matrix.rows[k]))
    return person, values


def reduce_rows(rows, width):
    """Bring rows of fractions into reduced echelon form by their first columns; return them with their pivots."""
    rows, pivots = [row[:] for row in rows], []
    for column in range(width):
        at = len(pivots)
        found = next((r for r in range(at, len(rows)) if rows[r][column]), None)
        if found is None:
            continue
        rows[at], rows[found] = rows[found], rows[at]
        rows[at] = [entry / rows[at][column] for entry in rows[at]]
        for r in range(len(rows)):
            if r != at and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[at], strict=True)]
        pivots.append(column)
    return rows, pivots


class Judge:
    """Tells which integer vectors are equivalences: x = W S for rational W with W U = 0."""

    def __init__(self, matrix):
        person, values = dense(matrix, Fraction)
        both, pivots = reduce_rows([u + s for u, s in zip(values, person, strict=True)], matrix.values)
        space = [row[matrix.values :] for row in both[len(pivots) :]]
        self.rows, self.pivots = reduce_rows(space, matrix.columns)

    def rest(self, x):
        """Return what the equivalences leave of a vector: the same for two vectors that differ by one."""
        x = [Fraction(int(entry)) for entry in x]
        for row, pivot in zip(self.rows, self.pivots, strict=False):
            if x[pivot]:
                factor = x[pivot]
                x = [a - factor * b for a, b in zip(x, row, strict=True)]
        return tuple(x)


def groups_of(matrix):
    return [set(matrix.member[matrix.start[g] : matrix.start[g + 1]].tolist()) for g in range(matrix.groups)]


def by_all_pairs(matrix, max_e=MAX_E, among=None, groups=None):
    """Return the least e by column from all pairs of disjoint subsets of groups."""
    judge, least = Judge(matrix), np.zeros(matrix.columns, dtype=np.int32)
    everybody = set(matrix.member.tolist())
    groups = groups_of(matrix) if groups is None else groups
    for e in range(1, max_e + 1):
        sides = {frozenset(side) for group in (groups if e > 1 else [everybody]) for side in combinations(group, e)}
        if among is not None:
            sides = {side for side in sides if among[list(side)].all()}
        equal = {}
        for side in sides:
            equal.setdefault(judge.rest(np.isin(np.arange(matrix.columns), list(side))), []).append(side)
        for sets in equal.values():
            for one, other in combinations(sets, 2):
                if not one & other:
                    for column in one | other:
                        least[column] = least[column] or e
    return least


def numbers(matrix, seed, prime=2**57 - 13):
    """Return a random solution h of S h = U c modulo a prime, for random c."""
    rng = np.random.default_rng([77, seed])
    drawn = [int(x) for x in rng.integers(0, prime, matrix.values + matrix.columns)]
    c, h = drawn[: matrix.values], drawn[matrix.values :]
    person, values = dense(matrix, int)
    rows = [[*s, sum(a * b for a, b in zip(u, c, strict=True))] for s, u in zip(person, values, strict=True)]
    pivots = []
    for column in range(matrix.columns):
        at = len(pivots)
        found = next((r for r in range(at, len(rows)) if rows[r][column] % prime), None)
        if found is None:
            continue
        rows[at], rows[found] = rows[found], rows[at]
        inverse = pow(rows[at][column], -1, prime)
        rows[at] = [entry * inverse % prime for entry in rows[at]]
        for r in range(len(rows)):
            if r != at and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [(a - factor * b) % prime for a, b in zip(rows[r], rows[at], strict=True)]
        pivots.append(column)
    for row, pivot in zip(rows, pivots, strict=False):
        others = sum(row[j] * h[j] for j in range(matrix.columns) if j != pivot)
        h[pivot] = (row[-1] - others) % prime
    return Fingerprint(np.array(h, dtype=np.uint64), np.array(c, dtype=np.uint64), Field.of(prime))


def check_witnesses(matrix, result):
    """Every witness is an equivalence between subsets of groups, and every least e from 2 on is in one of that e."""
    judge, groups = Judge(matrix), groups_of(matrix)
    zero = judge.rest([0] * matrix.columns)
    shown = np.zeros((1 + result.least.max(initial=0), matrix.columns), dtype=np.bool_)
    seen = result.witnesses
    assert seen.start[-1] == len(seen.columns) == len(seen.times)
    for place in range(len(seen)):
        vector = seen.vector(place)
        assert vector.e == seen.e[place] >= 2
        assert (np.diff(vector.columns) > 0).all()
        assert vector.times[0] == 1
        assert set(np.abs(vector.times).tolist()) == {1}
        x = np.zeros(matrix.columns)
        x[vector.columns] = vector.times
        assert judge.rest(x) == zero
        for side in (vector.columns[vector.times == 1], vector.columns[vector.times == -1]):
            assert len(side) == vector.e
            assert any(set(side.tolist()) <= group for group in groups)
        shown[vector.e, vector.columns] = True
    for column in np.flatnonzero(result.least >= 2):
        assert shown[result.least[column], column]


def check(matrix, seed, among=None, max_e=MAX_E):
    """The least e of both kinds of kernels is that of all pairs of subsets."""
    expected, h = by_all_pairs(matrix, max_e, among), numbers(matrix, seed)
    for kind in ("plain", "compiled"):
        with pytest.MonkeyPatch.context() as patch:
            use(patch, kind)
            patch.setattr(subsets, "_SETS_OF_ALL", -1)
            result = subsets.matched(matrix, (h, h), max_e, Budget(), among=among)
        assert result.complete
        assert result.reason is None
        assert result.least.dtype == np.int32
        np.testing.assert_array_equal(result.least, expected)
        check_witnesses(matrix, result)
    return expected


@given(st.integers(0, 2**32))
@settings(max_examples=some(60), deadline=None)
def test_all_pairs_of_subsets_agree(seed):
    check(random_matrix(seed), seed)


def check_bounds(matrix, result, expected):
    """What was found is true, if not the least; and e = 1 is always known."""
    check_witnesses(matrix, result)
    assert (expected[result.least > 0] > 0).all()
    assert (result.least >= expected)[result.least > 0].all()
    np.testing.assert_array_equal(result.least == 1, expected == 1)


@pytest.mark.usefixtures("kernels", "groups_alone")
def test_a_group_whose_places_do_not_fit_into_a_word_is_too_large(monkeypatch):
    monkeypatch.setattr(subsets, "_HELD", 10_000)
    people = list(range(16))
    halves = [(1 + k, [p for p in people if p >> k & 1 == bit]) for k in range(4) for bit in (0, 1)]
    matrix = of_groups(16, [(0, people, people), *((release, half, half) for release, half in halves)])
    result = subsets.matched(matrix, (numbers(matrix, 1),) * 2, 11, Budget())
    assert result.complete
    result = subsets.matched(matrix, (numbers(matrix, 1),) * 2, 12, Budget())
    assert result.reason == "too many subsets of up to 12 people in 1 of 9 groups, the largest of 16"
    assert not result.complete
    assert not result.least.any()


class Few(Budget):
    """A budget that is spent when it was asked some times."""

    def __init__(self, times):
        super().__init__(3.0)
        self.times = times

    def exhausted(self):
        self.times -= 1
        return self.times < 0


@pytest.mark.usefixtures("kernels", "groups_alone")
def test_a_spent_budget_leaves_what_was_found():
    for seed in range(400, 405):
        matrix = random_matrix(seed)
        expected, times, complete, last = by_all_pairs(matrix), 0, False, 0
        while not complete:
            result = subsets.matched(matrix, (numbers(matrix, seed),) * 2, MAX_E, Few(times))
            check_bounds(matrix, result, expected)
            complete = result.complete
            assert complete or result.reason == "the time limit of 3 s was reached"
            assert (result.least > 0).sum() >= last
            last = (result.least > 0).sum()
            times += 1
        np.testing.assert_array_equal(result.least, expected)


@pytest.mark.usefixtures("kernels", "groups_alone")
def test_the_second_fingerprint_refutes_what_agrees_by_chance():
    groups = [(0, [0, 1, 2, 3], [0, 1, 2, 3]), (0, [4, 5, 6, 7], [4, 5, 6, 7])]
    matrix = of_groups(8, [*groups, (1, [0, 2, 4, 6], [0, 2, 4, 6]), (2, [1, 2, 5, 6], [1, 2, 5, 6]), (3, [3], [3])])
    assert not by_all_pairs(matrix).any()
    h, other = numbers(matrix, 1), numbers(matrix, 2)
    h.of[0] = (int(h.of[4]) + int(h.of[5]) - int(h.of[1])) % int(h.field.prime)
    assert subsets.matched(matrix, (h, h), 2, Budget()).least.tolist() == [2, 2, 0, 0, 2, 2, 0, 0]
    assert not subsets.matched(matrix, (h, other), 2, Budget()).least.any()


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_sets_of_everybody_find_all_equivalences(first):
    """Some may be in a set several times: held against enumeration of all integer vectors."""
    for seed in range(first, first + 20):
        matrix, truth = tiny_series(np.random.default_rng(seed))
        wanted = brute_force(matrix, 10)
        drawn = (fingerprint(matrix, np.random.default_rng(each), Budget()) for each in (1, 2))
        found = subsets.matched(matrix, tuple(drawn), 5, Budget())
        assert (found.settled, found.complete) == (5, True), seed
        assert found.least.tolist() == np.where(wanted <= 5, wanted, 0).tolist(), seed
        shown = np.zeros(matrix.columns, dtype=int)
        for vector in sorted(map(found.witnesses.vector, range(len(found.witnesses))), key=lambda each: -each.e):
            assert is_equivalence(matrix, vector), seed
            assert agrees(vector, truth), seed
            shown[vector.columns] = vector.e
        assert shown[found.least > 1].tolist() == found.least[found.least > 1].tolist(), seed


def test_sums_that_may_overflow_are_refused():
    matrix = random_matrix(1)
    with pytest.raises(OverflowError):
        subsets.matched(matrix, (numbers(matrix, 1),) * 2, 128, Budget())
