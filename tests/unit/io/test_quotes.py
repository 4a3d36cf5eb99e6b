"""How quotes stand in a text: whether rows may be read wrongly, and whether a cell holds more than one line."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.io import diagnostics
from audit.io.diagnostics import Quotes, quotes_of
from audit.io.tables import read_table
from audit.model.errors import Problems

CELLS = st.text(alphabet='ab ,;"\n\r', max_size=6)
TABLES = st.integers(2, 3).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=6))


@given(TABLES, st.sampled_from([1, 2, 5, 1 << 20]), st.booleans())
def test_of_what_python_writes(rows, at_a_time, marked):
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    content = (b"\xef\xbb\xbf" if marked else b"") + text.getvalue().encode()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(diagnostics, "_AT_A_TIME", at_a_time)
        found = quotes_of(content)
    assert found == Quotes(odd=False, lines=any("\n" in cell or "\r" in cell for row in rows for cell in row))


@given(st.text(alphabet='a,"\n', max_size=30), st.sampled_from([1, 3, 7]))
def test_pieces_say_what_the_whole_does(text, at_a_time):
    whole = quotes_of(text.encode())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(diagnostics, "_AT_A_TIME", at_a_time)
        assert quotes_of(text.encode()) == whole


@pytest.mark.parametrize("text", ['1,"x,2;3,"y,4', 'a"b,c"d', '"open,1\n2,3\n', '"x"y,1'])
def test_odd_ones(text):
    assert quotes_of(text.encode()).odd


def test_cells_of_several_lines_are_read_over_the_ends_of_blocks(tmp_path, monkeypatch):
    cells = [f"line {number}\nand more" for number in range(300)]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["x", "y"], *([cell, number] for number, cell in enumerate(cells))])
    monkeypatch.setattr("audit.io.tables._BLOCK", 64)
    problems = Problems()
    table = read_table(tmp_path / "a.csv", "a.csv", ["x", "y"], problems)
    assert not problems.found
    assert table is not None
    assert table.texts("x") == cells
