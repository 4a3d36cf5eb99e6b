"""How much the tests draw at random: a share (AUDIT_TEST_SHARE) of the numbers written in them.

`make test` draws a fifth, so that it answers in minutes; `.ci/run` and `make test-deep` draw more.
"""

import os

import pytest

SHARE = float(os.environ.get("AUDIT_TEST_SHARE") or 0.2)
slow = pytest.mark.skipif(SHARE < 0.3, reason="it takes long: `.ci/run` runs it, and AUDIT_TEST_SHARE=0.3 does")


def some(number: int) -> int:
    """Return the share of a number of draws, and one draw at least."""
    return max(1, round(number * SHARE))
