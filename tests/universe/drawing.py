"""Which part of what was enumerated a test looks at.

A share is drawn by `AUDIT_TEST_SEED`, which is today's date where it is not set: tests that run at once draw the same,
and each day draws another. `AUDIT_TEST_DEEP` asks for all of what can be enumerated, and is how many seconds each test
goes on to draw what cannot.
"""

import os
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import TypeVar

import numpy as np

T = TypeVar("T")

DEEP = float(os.environ.get("AUDIT_TEST_DEEP") or 0)
SEED = int(os.environ.get("AUDIT_TEST_SEED") or datetime.now(UTC).strftime("%Y%m%d"))


def share(everything: Sequence[T], size: int) -> list[T]:
    """Return so many of these, in their order; with `AUDIT_TEST_DEEP` all."""
    size = len(everything) if DEEP else min(len(everything), size)
    chosen = np.random.default_rng(SEED).choice(len(everything), size, replace=False)
    return [everything[place] for place in sorted(chosen)]


def rounds(number: int) -> Iterator[np.random.Generator]:
    """Yield what to draw by: once, or with `AUDIT_TEST_DEEP` for so many seconds; each number draws something else."""
    ends = time.monotonic() + DEEP
    for turn in count():
        yield np.random.default_rng([SEED, number, turn])
        if time.monotonic() >= ends:
            return


def batches(everything: Sequence[T], size: int) -> list[Sequence[T]]:
    """Return all of these in parts of at most so many, neighbours apart: in some shapes a release is empty."""
    parts = -(-len(everything) // size)
    return [everything[part::parts] for part in range(parts)]
