"""How exactly a column is published, in words: in years where years are meant."""

import pytest

from audit.model.report import ColumnAccuracy
from reports.documents.sections import accuracy


@pytest.mark.parametrize(
    ("width", "days", "told"),
    [
        (3653.0, True, "ranges of about 10 years"),
        (365.0, True, "only the year"),
        (1.0, True, "exact days"),
        (31.0, True, "ranges of about 31 days"),
        (3653.0, False, "ranges about 3,650 wide"),
    ],
)
def test_a_long_range_of_days_is_one_of_years(width, days, told):
    assert accuracy(ColumnAccuracy("Born", 3, {"range": 1.0}, ordered=True, days=days, width=width)) == told
