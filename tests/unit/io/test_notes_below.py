"""Rows with hidden cells at the end of a table are rows, not notes below it."""

from __future__ import annotations

import pytest

from audit.io.notes_below import below_table
from tests.helpers.messy import write as write_text


@pytest.mark.parametrize("sign", ["*", "**", ".", "..", "-", "?", ":", "x"])
@pytest.mark.parametrize("among", [True, False], ids=["among the rows, too", "in the last rows alone"])
@pytest.mark.parametrize("further", [[], ["North"], [""]], ids=["2 columns", "3 columns", "3 columns, blank"])
def test_no_row_of_a_person_with_hidden_cells_is_left_out(tmp_path, sign, among, further):
    hidden = [[sign, "gout", *further]] if among else []
    rows = [
        ["30-39", "flu", *further],
        *hidden,
        ["40-49", "gout", *further],
        [sign, "cold", *further],
        [sign, "asthma", *further],
    ]
    lines = [["Age", "Disease", *["Region"] * len(further)], *rows]
    write_text(tmp_path / "1.csv", "\n".join(map(",".join, lines)))
    assert below_table(tmp_path / "1.csv").rows == 0


def test_persons_with_different_signs_in_a_table_of_two_columns_are_no_legend(tmp_path):
    write_text(tmp_path / "1.csv", "Age,Disease\n30-39,flu\n*,cold\n.,asthma")
    assert below_table(tmp_path / "1.csv").rows == 0
