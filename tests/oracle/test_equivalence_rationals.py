"""Equal values and pinned ones of `equivalence` beside exact algebra over the rationals, by FLINT.

Row operations on the groups leave their null space alone: numbers of the columns and of the values that every group's
equation holds for. Two columns are equal by linear reasoning where their numbers are equal in all of it, and a column
has a value where its number is the value's (equivalence paper, Definition 9).
"""

import numpy as np
import pytest
from flint import fmpz_mat

from attacks.equivalence import fingerprint as module
from attacks.equivalence.fingerprint import classes, fingerprint, pinned
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.equivalences import tiny_series
from tests.unit.attacks.test_fingerprint import WAYS, consistent, large_series, members, random_series

SERIES = some(1_000)
SHARES = some(10)


def exact(matrix):
    """Return the class of each column that is in a group, and its value or -1, over the rationals."""
    rows = np.zeros((matrix.groups, matrix.columns + matrix.values), dtype=np.int64)
    for group in range(matrix.groups):
        np.add.at(rows[group], matrix.member[matrix.start[group] : matrix.start[group + 1]], 1)
        held = slice(matrix.value_start[group], matrix.value_start[group + 1])
        np.subtract.at(rows[group], matrix.columns + matrix.value[held], matrix.rows[held])
    basis, size = fmpz_mat(rows.tolist()).nullspace()
    numbers = [tuple(int(basis[place, at]) for at in range(size)) for place in range(rows.shape[1])]
    of_value = {numbers[matrix.columns + value]: value for value in range(matrix.values)}
    there = members(matrix)
    number = {}
    label = [number.setdefault(numbers[column], len(number)) for column in there]
    return label, [of_value.get(numbers[column], -1) for column in there]


def assert_exact(matrix, seed):
    numbers = fingerprint(matrix, np.random.default_rng(seed), Budget())
    label, value = exact(matrix)
    there = members(matrix)
    found = classes(matrix, numbers)[there].tolist()
    assert len(set(zip(found, label, strict=True))) == len(set(found)) == len(set(label))
    assert pinned(matrix, numbers)[there].tolist() == value
    return len(label) - len(set(label)), sum(one >= 0 for one in value)


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("limit", WAYS.values(), ids=WAYS)
def test_small_series(limit, share, monkeypatch):
    """Half of the series have up to 15 columns, half are of the kinds that publishers make."""
    monkeypatch.setattr(module, "_PLAIN_MEMBERSHIPS", limit)
    equal = fixed = 0
    for seed in range(share, SERIES, SHARES):
        matrix = consistent(*random_series(seed)) if seed % 4 < 2 else tiny_series(np.random.default_rng(seed))[0]
        more, pins = assert_exact(matrix, seed)
        equal, fixed = equal + more, fixed + pins
    assert min(equal, fixed) > 50


@pytest.mark.parametrize("seed", range(3))
def test_a_series_of_hundreds(seed):
    matrix = consistent(*large_series(seed, people=150))
    assert_exact(matrix, seed)
