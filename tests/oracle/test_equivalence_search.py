"""The search for integer vectors against enumeration: tiny series of every kind."""

import numpy as np
import pytest

from tests.helpers.amount import some
from tests.helpers.equivalences import agrees, brute_force, is_equivalence, searched, tiny_series

MAX_E = 4
ENUMERATED = 6
EACH = 25


@pytest.mark.parametrize("first", range(0, some(500), EACH))
def test_tiny_series(first):
    for seed in range(first, first + EACH):
        matrix, truth = tiny_series(np.random.default_rng(seed))
        wanted = brute_force(matrix, 2 * ENUMERATED)
        shown = wanted[matrix.individual & (wanted > 0)]
        for max_e in (1, MAX_E):
            found = searched(matrix, max_e)
            assert found.complete, seed
            assert found.lower == found.upper, seed
            if len(shown):
                assert found.lower == shown.min(), seed
            else:
                assert found.lower is None or found.lower > ENUMERATED, seed
            assert found.least.tolist() == np.where(wanted <= max_e, wanted, 0).tolist(), seed
            check_witnesses(matrix, truth, found)


def check_witnesses(matrix, truth, found):
    for vector in found.witnesses:
        assert is_equivalence(matrix, vector)
        assert agrees(vector, truth)
    shown = np.zeros(matrix.columns, dtype=int)
    for vector in sorted(found.witnesses, key=lambda vector: -vector.e):
        shown[vector.columns] = vector.e
    settled = found.least > 0
    assert shown[settled].tolist() == found.least[settled].tolist()
    of_people = (vector.e for vector in found.witnesses if matrix.individual[vector.columns].any())
    assert min(of_people, default=None) == found.upper
