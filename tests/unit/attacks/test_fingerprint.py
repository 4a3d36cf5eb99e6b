"""Equivalences by fingerprints, models and subsets: what both ways find, and what no series can be made to hide."""

import sys
from decimal import Decimal, localcontext

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.equivalence import fingerprint as module
from attacks.equivalence import lanczos, search, subsets
from attacks.equivalence.elimination import Elimination
from attacks.equivalence.field import Field
from attacks.equivalence.fingerprint import ContradictionError, classes, fingerprint, pinned
from attacks.equivalence.strategy import judge
from attacks.equivalence.vector_lattices import Lattice
from attacks.matrix import Matrix
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.equivalences import Plan, is_equivalence, matrix_of, searched
from tests.mutants.mutant import kills

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
        assert contradictory(of_groups(columns, [groups[group] for group in found.groups]))
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


@kills("attacks.equivalence.lanczos._go_on", "status == _FAILED", "False")
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


@kills(
    "attacks.equivalence.lanczos._end", " and _dot(state.weight[row:end], state.target[row:end], state.field) != 0", ""
)
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


@kills("attacks.equivalence.search._VectorSearch.find", "self.complete &= done", "pass")
@pytest.mark.parametrize(("module", "limit"), [(search, "_VARIABLES"), (search, "_EXACT"), (search, "_EFFORT")])
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


@kills("attacks.equivalence.search._VectorSearch.lattices", "self.complete = False", "pass")
def test_eliminations_that_take_too_long(monkeypatch):
    matrix, _ = regrouped(np.random.default_rng(0), 24, 4, 3)
    monkeypatch.setattr(Elimination, "most", 50)
    found = searched(matrix, 4, settled=1)
    assert (found.lower, found.upper, found.complete, found.witnesses) == (2, None, False, ())


PEOPLE = list(range(16))
HALVES = [[([p for p in PEOPLE if p >> k & 1 == bit], []) for bit in (0, 1)] for k in range(4)]


def matched(most):
    """Match sets of so many of sixteen people with values of their own, halved anew in each of four releases."""
    matrix, _ = matrix_of(Plan(PEOPLE, [[(PEOPLE, [])], *HALVES]))
    drawn = fingerprint(matrix, np.random.default_rng(1), Budget())
    return subsets.matched(matrix, (drawn, drawn), most, Budget())


def test_groups_with_too_many_sets_are_left_out_and_that_is_said(monkeypatch):
    monkeypatch.setattr(subsets, "_SETS_OF_ALL", -1)
    assert matched(12).reason is None
    monkeypatch.setattr(subsets, "_SETS_AT_MOST", 5_000)
    result = matched(12)
    assert result.reason == "too many subsets of up to 12 people in 1 of 9 groups, the largest of 16"
    assert not result.least.any()


@kills("attacks.equivalence.subsets.search", "(total < high)", "(total <= high // 2)")
def test_witnesses_do_not_depend_on_the_turn_in_which_a_random_sum_comes(monkeypatch):
    """Any two of a + b = c + d, a + e = c + f and b + f = d + e show all six people: the first two are taken."""
    pairs = [[0, 1], [2, 3]], [[0, 4], [2, 5]]
    matrix, _ = matrix_of(Plan([0, 1, 0, 1, 2, 2], [[(group, []) for group in groups] for groups in pairs]))
    monkeypatch.setattr(subsets, "_HELD", 3)
    for seed in range(8):
        one, other = (fingerprint(matrix, np.random.default_rng([seed, each]), Budget()) for each in range(2))
        found = subsets.matched(matrix, (one, other), 2, Budget())
        assert found.witnesses.columns.tolist() == [0, 1, 2, 3, 0, 2, 4, 5]


def test_sums_that_may_overflow_are_refused():
    with pytest.raises(OverflowError):
        matched(128)


PUBLIC, OTHER = 2**57 - 13, 2**55 + 3


def fibonacci(n):
    one, other = 0, 1
    for _ in range(abs(n)):
        one, other = other, one + other
    return one if n >= 0 or n % 2 else -one


def expansion(number):
    """Return exponents whose powers of the golden ratio sum to a number."""
    with localcontext() as context:
        context.prec = 200
        ratio = (1 + Decimal(5).sqrt()) / 2
        whole, times, exponents, n = number, 0, [], 400
        while (whole, times) != (0, 0):
            while ratio**n > whole + times * ratio + Decimal(10) ** -90:
                n -= 1
            whole, times = whole - fibonacci(n - 1), times - fibonacci(n)
            exponents.append(n)
    return exponents


def series(prime, *, with_sum=True):
    """Return the matrix of the series made for a prime, and who `a`, `b` and f(0) are."""
    exponents = expansion(prime)
    low, high = min(exponents), max(exponents)
    groups = [["a", "na"], ["f0", "b", "na"]]
    for n in range(low, high - 1):
        groups += [[f"f{n}", f"f{n + 1}", f"g{n + 2}"], [f"g{n + 2}", f"f{n + 2}"]]
    if with_sum:
        groups.append([f"f{n}" for n in exponents])
    people = sorted({member for group in groups for member in group})
    code = {name: place for place, name in enumerate(people)}
    values = np.random.default_rng(7).integers(0, 6, len(people)).tolist()
    values[code["b"]] = values[code["a"]]
    releases = []
    for group in groups:
        members = {code[name] for name in group}
        free = next((release for release in releases if not any(members & set(other) for other, _ in release)), None)
        if free is None:
            releases.append(free := [])
        free.append((sorted(members), []))
    return matrix_of(Plan(values, releases))[0], [code[name] for name in ("a", "b", "f0")]


@pytest.mark.parametrize("prime", [PUBLIC, OTHER])
def test_a_known_prime_can_be_made_harmful(prime):
    """The case is what it claims to be: modulo its own prime nothing is seen, modulo another one everything."""
    matrix, (a, b, start) = series(prime)
    for modulus in (PUBLIC, OTHER):
        numbers = fingerprint(matrix, np.random.default_rng(1), Budget(), field=Field.of(modulus))
        label = classes(matrix, numbers)
        assert (label[a] == label[b]) == (modulus != prime)
        assert (pinned(matrix, numbers)[start] >= 0) == (modulus != prime)


@pytest.mark.parametrize("prime", [PUBLIC, OTHER])
def test_no_prime_is_known_beforehand(prime):
    matrix, (a, b, start) = series(prime)
    found = judge(matrix, 1, Budget())
    assert found.label[a] == found.label[b]
    assert found.pinned[start] >= 0
    assert (found.lower, found.upper, found.exact) == (1, 1, True)
