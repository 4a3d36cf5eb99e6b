"""Rows with hidden cells at the end of a table are rows, not notes below it."""

from __future__ import annotations

import pytest

from audit.io.table_forms import below_table
from tests.helpers.messy import write as write_text
from tests.mutants.mutant import kills


@kills("audit.io.table_forms._below", " and not _is_entry(cells, width)", "")
@pytest.mark.parametrize("sign", ["*", "**", ".", "..", "-", "?", ":", "x"])
@pytest.mark.parametrize("among", [True, False], ids=["among the rows, too", "in the last rows alone"])
@pytest.mark.parametrize("further", [[], ["North"], [""]], ids=["2 columns", "3 columns", "3 columns, blank"])
@pytest.mark.parametrize("shown", [("flu", "gout"), ("5", "7")], ids=["words", "numbers"])
def test_no_row_of_a_person_with_hidden_cells_is_left_out(tmp_path, sign, among, further, shown):
    hidden = [[sign, shown[1], *further]] if among else []
    rows = [
        ["30-39", shown[0], *further],
        *hidden,
        ["40-49", shown[1], *further],
        [sign, "cold", *further],
        [sign, "asthma", *further],
    ]
    lines = [["Age", "Disease", *["Region"] * len(further)], *rows]
    write_text(tmp_path / "1.csv", "\n".join(map(",".join, lines)))
    assert below_table(tmp_path / "1.csv").rows == 0


@kills("audit.io.table_forms._is_entry", "if width > 2 else None", "")
@pytest.mark.parametrize("rows", ["30-39,flu\n*,cold\n.,asthma", "30-39,5\n40-49,*\n20-29,.\n*,unknown\n.,unknown"])
def test_persons_with_different_signs_in_a_table_of_two_columns_are_no_legend(tmp_path, rows):
    write_text(tmp_path / "1.csv", f"Age,Disease\n{rows}")
    assert below_table(tmp_path / "1.csv").rows == 0


@kills("audit.io.table_forms._are_entries", "labels = first | ", "labels = ")
def test_a_sign_that_stands_for_labels_begins_a_row(tmp_path):
    write_text(tmp_path / "1.csv", "Age,Visits,Children\n30-39,5,.\n*,*,3\n*,unknown,\n.,unknown,")
    assert below_table(tmp_path / "1.csv").rows == 0


@kills("audit.io.table_forms._are_entries", "if in_cells and len", "if False and len")
@pytest.mark.parametrize("third", ["mf", "12"], ids=["letters", "numbers"])
@pytest.mark.parametrize("last", [["*,asthma,"], ["*,asthma,", "?,cold,"], ["f,heart attack,"]])
def test_persons_are_no_legend_where_other_columns_have_their_signs(tmp_path, last, third):
    rows = ["Age,Disease,Third", f"30-39,flu,{third[0]}", "40-49,cough,*", f"50-59,gout,{third[1]}", *last]
    write_text(tmp_path / "1.csv", "\n".join(rows))
    assert below_table(tmp_path / "1.csv").rows == 0


def test_a_legend_whose_signs_have_cells_of_their_own_is_left_out(tmp_path):
    rows = ["Region;2024;2025", "North;5;.", "South;7;-", "West;3;4", ".;Zahlenwert geheim;", "-;nichts vorhanden;"]
    write_text(tmp_path / "1.csv", "\n".join(rows))
    assert below_table(tmp_path / "1.csv").rows == 2


@kills("audit.io.table_forms._are_entries", " and each[2] not in shown", "")
@pytest.mark.parametrize("row", ["unknown,4,1", "20-29,4,1"])
def test_a_text_of_the_table_beside_a_sign_is_no_meaning(tmp_path, row):
    rows = ["Age,Visits,Children", "30-39,5,.", "40-49,7,*", row, "*,unknown,", ".,unknown,"]
    write_text(tmp_path / "1.csv", "\n".join(rows))
    assert below_table(tmp_path / "1.csv").rows == 2 * row.startswith("2")


@kills("audit.io.table_forms._among_numbers", "if any(map(_NUMBER.fullmatch, texts)) and ", "if ")
def test_signs_of_letters_in_another_column_begin_no_legend(tmp_path):
    rows = ["Age,Disease,Sex", "30-39,flu,m", "40-49,cough,*", "50-59,gout,?", "*,asthma,", "?,cold,"]
    write_text(tmp_path / "1.csv", "\n".join(rows))
    assert below_table(tmp_path / "1.csv").rows == 0


@kills("audit.io.table_forms._below", "or (word and word[1] in among_numbers)", "or word")
@pytest.mark.parametrize(
    ("notes", "rows"),
    [
        (["secret : effectif inférieur à 11"], 1),
        (["secret : effectif inférieur à 11;;"], 1),
        (["nd = non diffusé;;", "secret : moins de 11;;"], 2),
        (["autre : effectif;;"], 0),
        (["Ouest : effectif;;"], 0),
    ],
)
def test_a_word_in_place_of_counts_begins_a_note(tmp_path, notes, rows):
    write_text(tmp_path / "1.csv", "\n".join(["zone;2023;2024", "Est;5;secret", "Ouest;nd;3", *notes]))
    assert below_table(tmp_path / "1.csv").rows == rows
