"""Certificates of counts: coverage of atoms, looked at in one go or axis by axis."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from audit.judgement import check_count_bounds as count_bounds
from audit.judgement.check_count_bounds import is_proved
from audit.model.arrays import UNBOUNDED
from audit.model.count_tables import Axis, CaseSplit, CountBound, CountTables, WeightedNumber, WeightedSum
from tests.helpers.amount import some
from tests.mutants.mutant import kills


def axis(name, rng, atoms=4, sets=3):
    members = [np.array([atom], dtype=np.int32) for atom in range(atoms)]
    members += [
        np.sort(rng.choice(atoms, size=rng.integers(2, atoms + 1), replace=False)).astype(np.int32) for _ in range(sets)
    ]
    return Axis(name, atoms, members, atoms)


def covers(axes, boxes, weights, sign):
    """Coverage by definition: every atom of the product."""
    for atom in itertools.product(*(range(each.atoms) for each in axes)):
        inside = [
            all(one in each.members[part] for one, each, part in zip(atom, axes, box, strict=True)) for box in boxes
        ]
        if sign * sum(weight for weight, holds in zip(weights, inside, strict=True) if holds) < 0:
            return False
    return True


@kills("audit.judgement.check_count_bounds._covers_each", "if all(weight", "if any(weight")
@pytest.mark.parametrize("most", [1, 6, 1 << 20])
def test_coverage_is_what_its_definition_says(most, monkeypatch):
    monkeypatch.setattr(count_bounds, "_CELLS", most)
    rng, seen = np.random.default_rng(5), set()
    for _ in range(some(600)):
        axes = [axis(name, rng) for name in "abc"]
        boxes = [tuple(rng.integers(0, 7, size=3).tolist()) for _ in range(rng.integers(1, 6))]
        weights = [Fraction(int(rng.integers(-2, 4)) or 1, int(rng.integers(1, 3))) for _ in boxes]
        for is_upper in (True, False):
            wanted = covers(axes, boxes, weights, 1 if is_upper else -1)
            assert count_bounds._covers(axes, boxes, weights, is_upper=is_upper) == wanted
            seen.add(wanted)
    assert seen == {True, False}


def test_a_sum_over_many_dimensions_is_checked():
    """A table of twenty-four dimensions: two cells and everybody."""
    dimensions = [Axis(str(n), 2, [np.array([0]), np.array([1]), np.array([0, 1])], 2) for n in range(24)]
    boxes = np.array([[0] * 24, [1] + [2] * 23, [2] * 24], dtype=np.int32)
    tables = CountTables(
        (*dimensions, Axis("time", 1, [np.array([0])], 0)),
        np.column_stack([boxes, np.zeros(3, dtype=np.int32)]),
        np.array([3, 8, 12]),
        np.array([3, 8, 12]),
        np.zeros((0, 25), dtype=np.int32),
        np.zeros(0, dtype=np.int8),
        5,
        2,
    )
    rest = (*[0] * 24, 0)
    proof = WeightedSum((WeightedNumber(2, Fraction(1)), WeightedNumber(1, Fraction(-1))))
    assert is_proved(tables, CountBound(rest, True, 4, proof))
    assert not is_proved(tables, CountBound(rest, True, 3, proof))
    assert not is_proved(tables, CountBound((1, *[0] * 23, 0), True, 4, proof))


@pytest.mark.parametrize("whole", [5, 4])
def test_an_impossible_case_of_a_lower_bound_is_a_sum_of_upper_ends(whole):
    """Of 5 at most 3 are in the first part, so that at least 2 are in the second: with at most 1 there are too few."""
    axis = Axis("part", 2, [np.array([0]), np.array([1]), np.array([0, 1])], 2)
    boxes, none = np.array([[0], [2]], dtype=np.int32), np.zeros((0, 1), dtype=np.int32)
    ends = np.array([0, whole]), np.array([3, whole])
    tables = CountTables((axis,), boxes, *ends, none, np.zeros(0, dtype=np.int8), 5, 2)
    one = Fraction(1)
    too_few = WeightedSum((WeightedNumber(0, one), WeightedNumber(0, one, assumed=True), WeightedNumber(1, -one)), True)
    enough = WeightedSum((WeightedNumber(0, one, assumed=True),))
    bound = CountBound((1,), False, 2, CaseSplit((1,), 1, too_few, enough))
    assert is_proved(tables, bound) == (whole == 5)


ONE = Fraction(1)
A, B, BOTH = (0, 0), (1, 0), (2, 0)


@pytest.fixture
def two():
    """Of a and b together there are at most 5; a is exactly 2 in one number, and without an upper end in another."""
    axes = (
        Axis("x", 2, [np.array(one, dtype=np.int32) for one in ([0], [1], [0, 1])], 2),
        Axis("time", 1, [np.array([0], dtype=np.int32)], 0),
    )
    boxes = np.array([BOTH, A, A], dtype=np.int32)
    lower, upper = np.array([0, 2, 0]), np.array([5, 2, UNBOUNDED])
    return CountTables(axes, boxes, lower, upper, boxes[:0], np.zeros(0, dtype=np.int8), 5, 2)


@kills("audit.judgement.check_count_bounds._sum_holds", "value < 0 and", "value <= 0 and")
@pytest.mark.parametrize(
    "terms", [(), (WeightedNumber(1, ONE), WeightedNumber(1, -ONE))], ids=["no number", "a number"]
)
@pytest.mark.parametrize("is_upper", [True, False])
def test_what_adds_up_to_nothing_is_no_contradiction(two, terms, is_upper):
    assert not is_proved(two, CountBound(B, is_upper, 0 if is_upper else 9, WeightedSum(terms, impossible=True)))


@kills("audit.judgement.check_count_bounds.value_of", "case.is_upper != end_is_upper", "False")
def test_a_case_bounds_from_its_own_side_alone(two):
    """If a is at most 1, b is not at most 5 less 1."""
    less = WeightedSum((WeightedNumber(0, ONE), WeightedNumber(0, -ONE, assumed=True)))
    impossible = WeightedSum((WeightedNumber(1, ONE), WeightedNumber(0, -ONE, assumed=True)), impossible=True)
    known = WeightedSum((WeightedNumber(0, ONE), WeightedNumber(1, -ONE)))
    assert is_proved(two, CountBound(B, True, 3, known))
    # At most 2: the number of a is not used, and the assumption says nothing of what a is at least.
    assert not is_proved(two, CountBound(B, True, 3, CaseSplit(A, 2, less, impossible)))
    assert is_proved(two, CountBound(B, True, 3, CaseSplit(A, 2, known, impossible)))


@kills("audit.judgement.check_count_bounds.value_of", "end >= UNBOUNDED", "False")
def test_an_end_that_is_none_bounds_nothing(two):
    assert not is_proved(two, CountBound(A, True, UNBOUNDED, WeightedSum((WeightedNumber(2, ONE),))))
    assert is_proved(two, CountBound(A, True, 2, WeightedSum((WeightedNumber(1, ONE),))))


@kills("audit.judgement.check_count_bounds._covers", ">= 2**62", ">= 2**99")
def test_weights_too_large_to_be_added_up_prove_nothing(two):
    """Less than the least number of 64 bits is a large one, where nobody looks."""
    weights = -(2**62), -(2**62), -2
    terms = tuple(WeightedNumber(1, Fraction(weight)) for weight in weights)
    assert not is_proved(two, CountBound(B, True, 0, WeightedSum(terms, impossible=True)))
