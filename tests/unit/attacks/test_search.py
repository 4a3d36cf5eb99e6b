"""The search for integer vectors: types, elimination, models, parts and limits."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.equivalence import integer_model, search
from attacks.equivalence.elimination import Elimination
from attacks.equivalence.integer_model import SolverContradictionError
from attacks.equivalence.lattice import Block, lattices
from attacks.equivalence.parts import Parts
from attacks.equivalence.search import SearchQuestion, solve
from attacks.equivalence.vectors import Vector, Witnesses
from attacks.matrix import Types
from audit.runtime.budget import Budget
from tests.helpers.equivalences import (
    Plan,
    agrees,
    brute_force,
    is_equivalence,
    matrix_of,
    relations,
    searched,
    tiny_series,
)

seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
small = st.integers(-3, 3)


def everything(matrix):
    """The types of a series and the lattices of all its parts together."""
    parts = Parts.of(matrix)
    labels = [None if part.delta is None else np.arange(len(part.groups) + 1) for part in parts.parts]
    return parts.types, lattices([Block.of(parts, place, label) for place, label in enumerate(labels)])


def by_column(types, system, vector):
    """A vector of a lattice by columns."""
    entries = np.zeros(len(types.size) + 1, dtype=int)
    for kind, variable, sign in zip(system.type, system.variable, system.sign, strict=True):
        entries[kind] = sign * vector.get(int(variable), 0)
    return entries[types.of]


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
    assert types.of[types.example].tolist() == list(range(len(types.size)))
    assert types.size.tolist() == np.bincount(types.of[types.of >= 0], minlength=len(types.size)).tolist()


def test_types_whose_numbers_agree_by_chance_are_told_apart(monkeypatch):
    """Numbers that are all 0 make everybody alike at first; then others are drawn."""
    matrix, _ = tiny_series(np.random.default_rng(3))
    right, proper, seeds_drawn = Types.among(matrix), np.random.default_rng, []

    class Zeros:
        def integers(self, *_, **__):
            return np.zeros(matrix.groups, dtype=np.uint64)

    monkeypatch.setattr(
        np.random, "default_rng", lambda seed: seeds_drawn.append(seed) or (proper(seed) if seed else Zeros())
    )
    assert Types.among(matrix).of.tolist() == right.of.tolist()
    assert seeds_drawn == [0, 1]


@given(seeds, st.lists(small, min_size=8, max_size=8))
def test_lattices_hold_exactly_the_equivalences(rng, entries):
    matrix, _ = tiny_series(rng)
    types, systems = everything(matrix)
    of_all = relations(matrix)
    covered = [kind for system in systems for kind in system.type.tolist()]
    assert len(covered) == len(set(covered))
    assert sum(len(system.basis) for system in systems) == matrix.columns - len(of_all)
    for system in systems:
        vector = {at: times for at, times in enumerate(entries[: len(system.cost)]) if times}
        inside = not (of_all @ by_column(types, system, vector)).any()
        assert system.holds(vector) == inside
        assert system.norm(vector) == np.abs(by_column(types, system, vector)).sum()
        for row in system.basis:
            assert system.holds(row)
            assert not (of_all @ by_column(types, system, row)).any()
            assert np.gcd.reduce(list(row.values())) == 1
        assert sorted({at for row in system.basis for at in row}) == list(range(len(system.cost)))


def test_lattices_have_nothing_in_common():
    matrix = pairs([[0, 1], [2, 3]], [[0, 4], [2, 5]], truth=[0, 1, 2, 3, 1, 3])
    types, systems = everything(matrix)
    told = sorted(by_column(types, system, row).tolist() for system in systems for row in system.basis)
    assert [list(map(abs, row)) for row in told] == [[0, 1, 0, 0, 1, 0], [0, 0, 0, 1, 0, 1]]


def test_a_series_in_which_nobody_is_has_no_equivalences():
    matrix = matrix_of(Plan([0, 1], [[]]))[0]
    assert everything(matrix)[1] == lattices([]) == []
    found = searched(matrix, 4)
    assert (found.lower, found.complete, found.witnesses) == (None, True, ())


def same(one, other):
    return (one.lower, one.upper, one.least.tolist()) == (other.lower, other.upper, other.least.tolist())


def test_models_allow_for_people_who_are_taken_several_times():
    """Somebody's value three times over is that of three people, of whom nothing else is known."""
    matrix = pairs([[0], [1, 2, 3], [4, 5, 6]], truth=[0] * 7)
    assert searched(matrix, 4).least.tolist() == [3] * 7
    assert searched(matrix, 2).upper == 3


@pytest.mark.parametrize(("seed", "m", "signatures"), [(0, 3, 1), (1, 4, 2), (2, 5, 1), (3, 6, 1), (4, 4, 1)])
def test_larger_series_have_witnesses_that_are_true(seed, m, signatures):
    matrix, truth = regrouped(np.random.default_rng(seed), 4 * m * signatures, m, 3, signatures)
    found = searched(matrix, 3)
    assert found.complete
    assert found.lower == found.upper
    assert all(is_equivalence(matrix, vector) and agrees(vector, truth) for vector in found.witnesses)


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


def test_two_parts_with_equal_values_are_an_equivalence():
    matrix = pairs([[0, 1, 2], [3, 4, 5], [6, 7, 8]], truth=[0, 1, 2, 0, 1, 2, 3, 4, 5])
    for max_e in (1, 3):
        found = searched(matrix, max_e)
        assert (found.lower, found.upper, found.complete) == (3, 3, True)
    assert found.least.tolist() == [3] * 6 + [0] * 3


def test_signatures_that_are_linearly_dependent():
    matrix = pairs([[0, 1], [2, 3], [4, 5], [6, 7]], truth=[0, 1, 2, 3, 0, 2, 1, 3])
    found = searched(matrix, 1)
    assert (found.lower, found.upper, found.complete) == (4, 4, True)
    assert not found.least.any()
    assert searched(matrix, 4).least.tolist() == [4] * 8


def test_independent_values_are_no_equivalence():
    found = searched(pairs([[0, 1], [2, 3], [4]], truth=[0, 1, 0, 2, 3]), 4)
    assert (found.lower, found.upper, found.complete, found.witnesses) == (None, None, True, ())


def test_a_large_least_e():
    matrix, truth = regrouped(np.random.default_rng(0), 36, 12, 2, churn=0)
    found = searched(matrix, 2)
    assert found.lower == found.upper > 5
    assert found.complete
    assert not found.least.any()
    assert [is_equivalence(matrix, vector) and agrees(vector, truth) for vector in found.witnesses] == [True]


def test_what_is_known_beforehand_is_used():
    for seed in range(60):
        matrix, _ = tiny_series(np.random.default_rng(seed))
        found = searched(matrix, 4)
        # Counterfeits that are equal to each other, of which `lower` says nothing, are not known beforehand.
        least = min([found.lower or 1, *found.least[found.least > 0].tolist()])
        assert same(searched(matrix, 4, settled=least - 1), found)


def test_columns_with_equal_values_stand_for_each_other(monkeypatch):
    """With e = 1 known, the model leaves out all columns of a class but one, and loses nothing."""
    idle = []
    proper = integer_model.IntegerModel
    monkeypatch.setattr(
        integer_model, "IntegerModel", lambda *words: idle.append(len(words[2:]) and len(words[2])) or proper(*words)
    )
    for seed in range(60):
        matrix, _ = tiny_series(np.random.default_rng(seed))
        wanted = brute_force(matrix, 8)
        one = wanted == 1
        relation = relations(matrix)
        label = np.where(matrix.present(), np.arange(matrix.columns), -1).astype(np.int32)
        for column in np.flatnonzero(one):
            same_as = [
                other
                for other in range(column)
                if label[other] >= 0 and not (relation[:, column] - relation[:, other]).any()
            ]
            label[column] = label[same_as[0]] if same_as else label[column]
        question = SearchQuestion(label, one.astype(np.int32), Witnesses.of(()), 1, 4)
        found = solve(Parts.of(matrix), question, Budget())
        assert found.least.tolist() == np.where(wanted <= 4, wanted, 0).tolist(), seed
    assert any(idle)


def test_what_is_known_and_ruled_out_is_a_bug():
    """A witness that is none stands for cuts or eliminations that rule out one that is."""
    matrix, _ = regrouped(np.random.default_rng(0), 12, 3, 3)
    nobody, label = np.zeros(matrix.columns, dtype=np.int32), np.arange(matrix.columns, dtype=np.int32)
    true = [vector for vector in searched(matrix, 4).witnesses if vector.e < 4]
    assert solve(Parts.of(matrix), SearchQuestion(label, nobody, Witnesses.of(true), 0, 4), Budget()).complete
    wrong = Vector.of({0: 1, 1: -1})
    assert not is_equivalence(matrix, wrong)
    with pytest.raises(SolverContradictionError):
        solve(Parts.of(matrix), SearchQuestion(label, nobody, Witnesses.of([wrong]), 0, 4), Budget())


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


def test_eliminations_that_take_too_long(monkeypatch):
    matrix, _ = regrouped(np.random.default_rng(0), 24, 4, 3)
    monkeypatch.setattr(Elimination, "most", 50)
    found = searched(matrix, 4, settled=1)
    assert (found.lower, found.upper, found.complete, found.witnesses) == (2, None, False, ())


def test_equivalences_that_are_too_long_to_be_stated(monkeypatch):
    matrix, _ = regrouped(np.random.default_rng(0), 36, 12, 2, churn=0)
    exact = searched(matrix, 4)
    monkeypatch.setattr(search, "_STATED", 6)
    found = searched(matrix, 4)
    assert (found.lower, found.upper, found.complete, found.witnesses) == (6, None, True, ())
    assert exact.lower >= 6
    matrix = pairs([list(range(7)), list(range(7, 14))], truth=[*range(7), *range(7)])
    found = searched(matrix, 4)
    assert (found.lower, found.upper, found.complete) == (7, None, True)


def test_many_buckets_alike_need_no_solver(monkeypatch):
    """Any two of them cancel, which the basis of their lattice says; the work grows with them, not with its square."""
    monkeypatch.setattr(integer_model, "_EFFORT", 0.0)
    matrix = pairs([[2 * at, 2 * at + 1] for at in range(400)], truth=[0, 1] * 400)
    found = searched(matrix, 4)
    assert (found.lower, found.upper, found.complete) == (2, 2, True)
    assert found.least.tolist() == [2] * 800


def test_effort_that_ends_on_the_way(monkeypatch):
    matrix, _ = regrouped(np.random.default_rng(1), 24, 4, 3)
    exact, complete = searched(matrix, 4), []
    for effort in (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 10.0):
        monkeypatch.setattr(integer_model, "_EFFORT", effort)
        found = searched(matrix, 4)
        assert found.lower <= exact.lower <= exact.upper
        assert exact.upper <= (found.upper or exact.upper)
        assert all(is_equivalence(matrix, vector) for vector in found.witnesses)
        assert not found.complete or same(found, exact)
        complete.append(found.complete)
    assert complete == sorted(complete)
    assert complete[-1] > complete[0]


def test_the_same_answer_every_time():
    matrix, _ = regrouped(np.random.default_rng(5), 24, 4, 3)
    one, other = (searched(matrix, 3) for _ in range(2))
    assert [vector.columns.tolist() for vector in one.witnesses] == [
        vector.columns.tolist() for vector in other.witnesses
    ]
