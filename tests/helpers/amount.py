"""The number of random draws: a share (AUDIT_TEST_SHARE) of the numbers in the tests.

`make test` draws a twentieth, so that it answers in minutes; `.ci/run` and `make test-deep` draw more.
"""

import os
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

SHARE = float(os.environ.get("AUDIT_TEST_SHARE") or 0.05)
WHOLE = 0.2
"""The share from which on no test and no case of one is left out, as in `.ci/run`."""
slow = pytest.mark.skipif(SHARE < WHOLE, reason=f"it takes long: `.ci/run` runs it, and AUDIT_TEST_SHARE={WHOLE} does")


def some(number: int) -> int:
    """Return the share of a number of draws, at least 1."""
    return max(1, round(number * SHARE))


def rotated(number: int, *choices: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return as many seeds as `some`, each with the next one of all combinations of choices."""
    every = [*product(*choices)]
    return [(seed, *every[seed % len(every)]) for seed in range(some(number))]
