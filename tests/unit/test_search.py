"""The parts of the search for integer vectors: elimination, sorting, integer programming, parts and limits."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.equivalence import lattice, multisets, search
from attacks.equivalence.lattice import Types, connected, joint_rows, lattices
from attacks.equivalence.search import solve
from audit.core.budget import Budget
from tests.helpers.equivalences import (
    Plan,
    agrees,
    brute_force,
    is_equivalence,
    matrix_of,
    relations,
    tiny_series,
)

seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
small = st.integers(-3, 3)


def everything(matrix):
    """The types of a series and the blocks of its lattice."""
    types = Types.among(matrix)
    return types, lattices(joint_rows(matrix, types), matrix.values, Budget())


def by_column(types, vector):
    return np.array([vector.get(int(at), 0) for at in types.of])


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


def pairs(*groups, truth):
    """A series of one release for each list of groups of named columns."""
    return matrix_of(Plan(truth, [[(named, []) for named in release] for release in groups]))[0]


@given(seeds)
def test_types_are_columns_with_the_same_groups(rng):
    matrix, _ = tiny_series(rng)
    types = Types.among(matrix)
    groups = [set(matrix.group_of()[matrix.member == column].tolist()) for column in range(matrix.columns)]
    for one, other in combinations_with_replacement(range(matrix.columns), 2):
        if groups[one]:
            assert (types.of[one] == types.of[other]) == (groups[one] == groups[other])
        else:
            assert types.of[one] == -1
    assert [set(types.groups[at]) for at in types.of if at >= 0] == [part for part in groups if part]
    assert types.size == np.bincount(types.of[types.of >= 0], minlength=len(types.groups)).tolist()


@given(seeds, st.lists(small, min_size=8, max_size=8))
def test_lattices_hold_exactly_the_equivalences(rng, entries):
    matrix, _ = tiny_series(rng)
    types, blocks = everything(matrix)
    for block in blocks:
        assert all(block.holds(vector) for vector in block.basis)
        assert sorted({at for vector in block.basis for at in vector}) == block.types
    covered = [at for block in blocks for at in block.types]
    assert len(covered) == len(set(covered))
    assert sum(len(block.basis) for block in blocks) == matrix.columns - len(relations(matrix))
    vector = dict(enumerate(entries[: len(types.size)]))
    inside = all(block.holds(vector) for block in blocks) and not any(
        times for at, times in vector.items() if at not in covered
    )
    assert inside == (not (relations(matrix) @ by_column(types, vector)).any())


@given(seeds)
def test_basis_vectors_are_equivalences(rng):
    matrix, _ = tiny_series(rng)
    types, blocks = everything(matrix)
    for vector in (vector for block in blocks for vector in block.basis):
        assert not (relations(matrix) @ by_column(types, vector)).any()
        assert np.gcd.reduce(list(vector.values())) == 1


def test_blocks_have_nothing_in_common():
    matrix = pairs([[0, 1], [2, 3]], [[0, 4], [2, 5]], truth=[0, 1, 2, 3, 1, 3])
    _, blocks = everything(matrix)
    assert [block.basis for block in blocks] == [[{1: 1, 4: -1}], [{3: 1, 5: -1}]]
    assert connected([[0], [1], [2, 0], [3, 1], [2, 3]]) == [[0, 1, 2, 3, 4]]


@given(st.lists(st.integers(1, 3), min_size=1, max_size=5), st.integers(0, 4))
def test_number_of_multisets(sizes, e):
    counts = [times for times in product(range(e + 1), repeat=len(sizes)) if np.dot(times, sizes) == e]
    assert multisets.number(sizes, e) == len(counts)


def settled_by_sorting(matrix, most):
    """Everybody's least e up to a limit, by sorting alone."""
    types, blocks = everything(matrix)
    least = np.zeros(len(types.size) + 1, dtype=int)
    for e, block in product(range(1, most + 1), blocks):
        wanted = [at for at in block.types if not least[at]]
        for vector in multisets.vectors(block, block.types, types.size, wanted, e):
            assert sum(types.size[at] * abs(times) for at, times in vector.items()) == 2 * e
            for at in vector:
                least[at] = least[at] or e
    return least[types.of]


@given(seeds)
def test_sorting_finds_all_vectors(rng):
    matrix, _ = tiny_series(rng)
    assert settled_by_sorting(matrix, 5).tolist() == brute_force(matrix, 10).tolist()


def test_sorting_in_small_pieces_and_with_marks_that_mislead(monkeypatch):
    proper = multisets._marks
    monkeypatch.setattr(multisets, "_AT_ONCE", 3)
    monkeypatch.setattr(multisets, "_marks", lambda block, seed: proper(block, seed) * np.uint64(seed > 0))
    for seed in range(30):
        matrix, _ = tiny_series(np.random.default_rng(seed))
        assert settled_by_sorting(matrix, 4).tolist() == brute_force(matrix, 8).tolist()


def same(one, other):
    return (one.lower, one.upper, one.least.tolist()) == (other.lower, other.upper, other.least.tolist())


def test_programmes_find_the_same(monkeypatch):
    monkeypatch.setattr(search, "_SORTED", 0)
    monkeypatch.setattr(search, "_SORTED_BEYOND", 0)
    for seed in range(40):
        matrix, truth = tiny_series(np.random.default_rng(seed))
        found, wanted = solve(matrix, 4, Budget()), brute_force(matrix)
        assert found.complete
        assert found.least.tolist() == np.where(wanted <= 4, wanted, 0).tolist()
        assert found.lower == found.upper
        assert (found.upper or 9) > 6 if not wanted.any() else found.upper == wanted[wanted > 0].min()
        assert all(is_equivalence(matrix, vector) and agrees(vector, truth) for vector in found.witnesses)


def test_programmes_allow_for_people_who_are_taken_several_times(monkeypatch):
    """Somebody's value three times over is that of three people, of whom nothing else is known."""
    monkeypatch.setattr(search, "_SORTED", 0)
    matrix = pairs([[0], [1, 2, 3], [4, 5, 6]], truth=[0] * 7)
    assert solve(matrix, 4, Budget()).least.tolist() == [3] * 7
    assert solve(matrix, 2, Budget()).upper == 3


@pytest.mark.parametrize(("seed", "m", "signatures"), [(0, 3, 1), (1, 4, 2), (2, 5, 1), (3, 6, 1), (4, 4, 1)])
def test_sorting_programmes_and_parts_agree(monkeypatch, seed, m, signatures):
    matrix, truth = regrouped(np.random.default_rng(seed), 4 * m * signatures, m, 3, signatures)
    found = solve(matrix, 3, Budget())
    assert found.complete
    assert found.lower == found.upper
    assert all(is_equivalence(matrix, vector) and agrees(vector, truth) for vector in found.witnesses)
    with monkeypatch.context() as patch:
        patch.setattr(search, "_coupled_norm", lambda *_: 0)
        assert same(solve(matrix, 3, Budget()), found)
    monkeypatch.setattr(search, "_SORTED", 0)
    monkeypatch.setattr(search, "_SORTED_BEYOND", 0)
    assert same(solve(matrix, 3, Budget()), found)


@pytest.mark.parametrize(("people", "m", "releases"), [(24, 8, 3), (36, 6, 2), (40, 10, 2)])
@pytest.mark.parametrize("max_e", [1, 2])
def test_programmes_go_on_until_the_least_e_is_found(monkeypatch, people, m, releases, max_e):
    for seed in range(3):
        matrix, _ = regrouped(np.random.default_rng(seed), people, m, releases)
        with monkeypatch.context() as patch:
            patch.setattr(search, "_SORTED", 0)
            patch.setattr(search, "_SORTED_BEYOND", 0)
            found = solve(matrix, max_e, Budget())
        assert max_e < found.lower == found.upper
        monkeypatch.setattr(search, "_SORTED_BEYOND", 10**7)
        assert same(found, solve(matrix, max_e, Budget()))


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
    found = [solve(matrix, max_e, Budget()) for max_e in (1, 2, 4)]
    for one in found:
        assert one.complete
        assert (one.lower, one.upper) == (found[0].lower, found[0].upper)
        assert one.lower == one.upper
        assert all(is_equivalence(matrix, vector) and agrees(vector, truth) for vector in one.witnesses)
    for one, most in zip(found, (1, 2), strict=False):
        assert one.least.tolist() == np.where(found[2].least <= most, found[2].least, 0).tolist()


def test_two_parts_with_equal_values_are_an_equivalence():
    matrix = pairs([[0, 1, 2], [3, 4, 5], [6, 7, 8]], truth=[0, 1, 2, 0, 1, 2, 3, 4, 5])
    for max_e in (1, 3):
        found = solve(matrix, max_e, Budget())
        assert (found.lower, found.upper, found.complete) == (3, 3, True)
    assert found.least.tolist() == [3] * 6 + [0] * 3


def test_signatures_that_are_linearly_dependent():
    matrix = pairs([[0, 1], [2, 3], [4, 5], [6, 7]], truth=[0, 1, 2, 3, 0, 2, 1, 3])
    found = solve(matrix, 1, Budget())
    assert (found.lower, found.upper, found.complete) == (4, 4, True)
    assert not found.least.any()
    assert solve(matrix, 4, Budget()).least.tolist() == [4] * 8


def test_independent_values_are_no_equivalence():
    found = solve(pairs([[0, 1], [2, 3], [4]], truth=[0, 1, 0, 2, 3]), 4, Budget())
    assert (found.lower, found.upper, found.complete, found.witnesses) == (None, None, True, ())


def test_a_large_least_e():
    """Twelve on a side are far beyond what is sorted."""
    matrix, truth = regrouped(np.random.default_rng(0), 36, 12, 2, churn=0)
    found = solve(matrix, 2, Budget())
    assert found.lower == found.upper > 5
    assert found.complete
    assert not found.least.any()
    assert [is_equivalence(matrix, vector) and agrees(vector, truth) for vector in found.witnesses] == [True]


def test_what_is_known_beforehand_is_used():
    for seed in range(60):
        matrix, _ = tiny_series(np.random.default_rng(seed))
        found = solve(matrix, 4, Budget())
        assert same(solve(matrix, 4, Budget(), found.lower or 1), found)


def test_nothing_is_claimed_without_time_or_for_large_series(monkeypatch):
    matrix, _ = regrouped(np.random.default_rng(0), 12, 3, 3)
    found = solve(matrix, 4, Budget(0.0), 2)
    assert (found.lower, found.upper, found.complete, found.witnesses) == (2, None, False, ())
    assert found.least.tolist() == [0] * matrix.columns
    monkeypatch.setattr(search, "_MEMBERSHIPS", 20)
    assert solve(matrix, 4, Budget()).complete is False


@pytest.mark.parametrize("limit", ["_SOLVED", "_LARGE", "_EFFORT"])
def test_bounds_where_programmes_are_not_solved(monkeypatch, limit):
    monkeypatch.setattr(search, limit, 0)
    monkeypatch.setattr(search, "_SORTED", 100)
    monkeypatch.setattr(search, "_SORTED_BEYOND", 0)
    unsolved = 0
    for seed in range(5):
        matrix, _ = regrouped(np.random.default_rng(seed), 24, 6, 3)
        found = solve(matrix, 3, Budget())
        with monkeypatch.context() as patch:
            patch.setattr(search, limit, 1 << 40)
            exact = solve(matrix, 3, Budget())
        assert exact.complete
        assert found.lower <= exact.lower <= found.upper
        assert all(is_equivalence(matrix, vector) for vector in found.witnesses)
        assert not found.complete or found.least.tolist() == exact.least.tolist()
        unsolved += not found.complete
    assert unsolved


def test_eliminations_that_take_too_long(monkeypatch):
    matrix, _ = regrouped(np.random.default_rng(0), 24, 4, 3)
    monkeypatch.setattr(lattice, "_WORK", 50)
    found = solve(matrix, 4, Budget(), 2)
    assert (found.lower, found.upper, found.complete, found.witnesses) == (2, None, False, ())


def test_equivalences_that_are_too_long_to_be_stated(monkeypatch):
    matrix, _ = regrouped(np.random.default_rng(0), 36, 12, 2, churn=0)
    exact = solve(matrix, 4, Budget())
    monkeypatch.setattr(search, "_STATED", 6)
    found = solve(matrix, 4, Budget())
    assert (found.lower, found.upper, found.complete, found.witnesses) == (6, None, True, ())
    assert exact.lower >= 6
    matrix = pairs([list(range(7)), list(range(7, 14))], truth=[*range(7), *range(7)])
    found = solve(matrix, 4, Budget())
    assert (found.lower, found.upper, found.complete) == (7, None, True)


class Brief(Budget):
    """A budget that is spent once somebody has asked some times."""

    times = 0

    def spent(self):
        self.times -= 1
        return self.times < 0


def test_a_budget_that_is_spent_on_the_way():
    matrix, _ = regrouped(np.random.default_rng(1), 24, 4, 3)
    exact, complete = solve(matrix, 4, Budget()), []
    asked = Brief()
    asked.times = 10**9
    solve(matrix, 4, asked)
    for times in range(10**9 - asked.times + 1):
        budget = Brief()
        budget.times = times
        found = solve(matrix, 4, budget)
        assert found.lower <= exact.lower <= exact.upper
        assert exact.upper <= (found.upper or exact.upper)
        assert all(is_equivalence(matrix, vector) for vector in found.witnesses)
        assert not found.complete or same(found, exact)
        complete.append(found.complete)
    assert complete == sorted(complete)
    assert complete[-1] > complete[0]


def test_the_same_answer_every_time(monkeypatch):
    monkeypatch.setattr(search, "_SORTED", 0)
    matrix, _ = regrouped(np.random.default_rng(5), 24, 4, 3)
    one, other = (solve(matrix, 3, Budget()) for _ in range(2))
    assert [vector.columns.tolist() for vector in one.witnesses] == [
        vector.columns.tolist() for vector in other.witnesses
    ]
