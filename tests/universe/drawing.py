"""Which part of what was enumerated a test looks at.

`AUDIT_TEST_DEEP` asks for all of it. Otherwise a share is drawn by `AUDIT_TEST_SEED`, which is today's date where it is
not set: tests that run at once draw the same, and each day draws another.
"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeVar

import numpy as np

T = TypeVar("T")

DEEP = bool(os.environ.get("AUDIT_TEST_DEEP"))
SEED = int(os.environ.get("AUDIT_TEST_SEED") or datetime.now(UTC).strftime("%Y%m%d"))


def share(everything: Sequence[T], size: int, *, of_all: int | None = None) -> list[T]:
    """Return so many of these, in their order: with `AUDIT_TEST_DEEP` the number `of_all`, or every one."""
    size = min(len(everything), (of_all or len(everything)) if DEEP else size)
    chosen = np.random.default_rng(SEED).choice(len(everything), size, replace=False)
    return [everything[place] for place in sorted(chosen)]


def batches(everything: Sequence[T], size: int) -> list[Sequence[T]]:
    """Return all of these in parts of so many."""
    return [everything[start : start + size] for start in range(0, len(everything), size)]
