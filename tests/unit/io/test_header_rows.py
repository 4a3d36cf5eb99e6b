"""Where the header stands: below titles, and never below a row of data."""

import random

import pytest

from audit.io.dialect import Declared, dialect_of
from audit.io.header_rows import header_place

HEADER = ["id", "age", "sex", "disease"]
ROWS = [[f"p{n}", f"{n}-{n + 9}", "fm"[n % 2], ["flu", "cold"][n // 2 % 2]] for n in range(20, 40)]


@pytest.mark.parametrize(
    ("above", "place"),
    [
        ([], 0),
        ([["Discharges 2024", "", "", ""]], 1),
        ([["Discharges 2024"]], 1),
        ([["Discharges"], ["Person", "", "", "Medicine"]], 0),  # half of its cells are filled: it may be a header
        ([["Discharges"], ["", "", "", "Medicine"]], 2),
        ([["Quarter", "1", "", ""], ["Made by", "the registry", "2024-01-01", ""], ["", "", "", ""]], 3),
        ([["Quarter", "1", "2024"], []], 2),
        ([["Person", "", "Place", "Medicine"]], 0),  # no empty row is below it
    ],
)
def test_titles_stand_above(above, place):
    assert header_place([*above, HEADER, *ROWS]) == place


@pytest.mark.parametrize(
    "header",
    [["", "age", "sex", "disease"], ["", "", "sex", "disease"], ["x", "x", "x", "x"], ["1", "2", "3", "4"]],
)
def test_what_may_be_a_header_is_not_skipped(header):
    """Row names without a name, names that stand twice, and numbers: rows of data below are never the header."""
    assert header_place([header, *ROWS]) == 0


def test_a_row_in_the_form_of_the_next_is_no_header():
    """Of a file with an unknown delimiter, commas inside of cells make no table."""
    rows = ["Owner/Age/Zip", "Bob/[21, 22]/[12000, 14000]", "Al/[21, 22]/[12000, 15000]", "Cy/[30, 41]/[1, 2]"]
    dialect = dialect_of("\n".join(rows).encode())
    assert (dialect.delimiter, dialect.above) == (",", 0)


def test_no_row_of_data_is_lost():
    """Whatever cells are missing in the first rows, a table that begins with its header is read from there."""
    rng = random.Random(5)  # noqa: S311
    for _ in range(300):
        width = rng.randint(2, 6)
        header = [f"c{n}" for n in range(width)]
        rows = [[rng.choice(["", "x", f"v{rng.random()}"]) for _ in range(width)] for _ in range(rng.randint(1, 9))]
        assert header_place([header, *rows]) == 0


def test_delimiters_below_titles():
    text = "Report of 2024, provisional\n\n" + "\n".join(";".join(row) for row in [HEADER, *ROWS])
    dialect = dialect_of(text.encode())
    assert (dialect.delimiter, dialect.above) == (";", 2)
    assert text[dialect.skipped :].startswith("id;age")
    assert dialect_of(text.encode(), Declared(delimiter=",")).above == 0


def test_a_title_that_an_empty_line_parts_from_the_table():
    text = "\nQuarter,1,2024\n\n" + "\n".join(",".join(row) for row in [HEADER, *ROWS]) + "\n"
    dialect = dialect_of(text.encode())
    assert (dialect.delimiter, text[dialect.skipped :].partition("\n")[0]) == (",", ",".join(HEADER))
