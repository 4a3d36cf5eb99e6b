"""How much is known of a count: what was accepted covers what is known now, or it does not."""

import pytest

from audit.model.report import CountSize


@pytest.mark.parametrize(
    ("accepted", "known", "covers"),
    [
        (CountSize("narrowed", 1, 4), CountSize("narrowed", 1, 4), True),
        (CountSize("narrowed", 1, 4), CountSize("narrowed", 0, 9), True),
        (CountSize("narrowed", 1, 4), CountSize("narrowed", 1, 3), False),
        (CountSize("narrowed", 1, 4), CountSize("narrowed", 2, 4), False),
        (CountSize("narrowed", 4, 4), CountSize("recovered", 4, 4), False),
        (CountSize("recovered", 4, 4), CountSize("narrowed", 4, 4), True),
    ],
)
def test_no_worse_kind_and_no_narrower_limits_are_covered(accepted, known, covers):
    assert accepted.covers(known) == covers
