"""Test the probabilities of transitions between values, and between combinations of them."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from audit.model.evidence import AnyPair, PairProduct, Transitions


def test_parts_of_combinations_change_independently():
    listed = {(0, 0): Fraction(1, 3), (0, 1): Fraction(2, 3), (1, 1): Fraction(1)}
    parts = Transitions(np.array([[1 / 3, 2 / 3], [0, 1]]), listed, np.array([True, True])), None
    codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    may = {
        (a, b): listed.get((codes[a, 0], codes[b, 0]), 0) * (codes[a, 1] == codes[b, 1])
        for a, b in product(range(4), repeat=2)
    }
    possible = np.array([[may[a, b] > 0 for b in range(4)] for a in range(4)])
    found = PairProduct(parts, codes, possible)
    assert dict(found) == {pair: probability for pair, probability in may.items() if probability}
    assert len(found) == len(dict(found))
    with pytest.raises(KeyError):
        found[2, 0]


@pytest.mark.parametrize(
    ("weight", "exact", "constant"),
    [
        (np.eye(2), {(0, 0): Fraction(1), (1, 1): Fraction(1)}, True),
        (np.diag([1, 0.5]), {(0, 0): Fraction(1), (1, 1): Fraction(1, 2)}, False),
        (np.full((2, 2), 0.5), AnyPair(2), False),
        (np.diag([1.0, 0]), {(0, 0): Fraction(1)}, False),
    ],
)
def test_values_are_constant_where_each_is_followed_by_itself_alone(weight, exact, constant):
    assert Transitions(weight, exact, np.array([True, True])).constant == constant
