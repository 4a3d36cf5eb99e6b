"""Microdata folders: what is read from good ones, and the line that tells of each fault of the others."""

import csv
import datetime
import decimal
import gzip
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.io.cells import Kind
from audit.io.encoding import IdentifierEncoder, Vocabulary
from audit.io.microdata import Microdata, ReadSnapshot, open_microdata
from audit.model.errors import InputError
from tests.helpers.microdata import write_microdata

ROWS = [("Bo", 21, "Rye", "flu"), ("Al", 22, "Ely", "cold"), ("Cy", 40, "Rye", "flu"), ("Di", 41, "York", "gout")]
MORE = [*ROWS[1:], ("Ed", 23, "Ely", "cold")]
NO_NAME = 'no such column is named; write {} = "…" under [columns]'
NO_TEXT = 'this has to be a text that is not empty; write {} = "…"'
NO_LIST = 'this has to be a list of texts; write {} = ["…", "…"]'
NO_DOMAIN = 'this is no domain; write {} = [17, 95] for numbers, or ["a", "b"] for values in their order'
NO_TABLE = "this has to be a table; write [{}] and its keys below it"
OUTSIDE = "a path may not leave the microdata folder; copy the file into the folder"


@pytest.fixture
def folder(tmp_path):
    return write_microdata(tmp_path / "micro", {"1": ROWS, "2": MORE})


def read(micro: Microdata, position: int = 0) -> ReadSnapshot:
    return micro.read(position, IdentifierEncoder(), Vocabulary())


def snapshot(folder: Path, rows, **form: str) -> ReadSnapshot:
    return read(open_microdata(write_microdata(folder / "micro", {"1": rows}, **form)))


def told(call) -> list[str]:
    with pytest.raises(InputError) as caught:
        call()
    return [str(problem) for problem in caught.value.problems]


# -- microdata.toml --------------------------------------------------------------------------------------------------


def test_a_good_folder(folder):
    micro = open_microdata(folder)
    assert (micro.name, micro.tags, micro.transitions) == ("Ward", ("1", "2"), None)
    assert (micro.individual, micro.quasi_identifiers, micro.sensitive) == ("Name", ("Age", "Town"), "Disease")
    assert micro.kinds == {"Age": Kind.NUMERIC, "Town": Kind.CATEGORICAL}
    assert micro.is_whole("Age")
    assert not micro.is_whole("Town")
    assert open_microdata(folder / "microdata.toml").snapshots == micro.snapshots


def test_snapshots_by_a_pattern_come_in_the_order_of_their_numbers(tmp_path):
    folder = write_microdata(tmp_path / "micro", dict.fromkeys(("10", "9", "2024-1"), ROWS))
    text = (folder / "microdata.toml").read_text(encoding="utf-8")
    (folder / "microdata.toml").write_text(text.replace('["10.csv", "9.csv", "2024-1.csv"]', '["*.csv"]'))
    assert open_microdata(folder).tags == ("9", "10", "2024-1")


def test_a_name_is_not_needed(folder):
    path = folder / "microdata.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('name = "Ward"\n', ""))
    assert open_microdata(folder).name == "micro"


S = '["1.csv", "2.csv"]'
FAULTS = [
    ('"Name"', "5", [f":6: `individual`: {NO_TEXT.format('individual')}"]),
    ('"Name"', '" "', [f":6: `individual`: {NO_TEXT.format('individual')}"]),
    ('"Name"', '["Name"]', [f":6: `individual`: {NO_TEXT.format('individual')}"]),
    ('individual = "Name"\n', "", [f": `individual`: {NO_NAME.format('individual')}"]),
    ('"Disease"', '["Disease"]', [f":8: `sensitive`: {NO_TEXT.format('sensitive')}"]),
    ('sensitive = "Disease"\n', "", [f": `sensitive`: {NO_NAME.format('sensitive')}"]),
    ('["Age", "Town"]', '"Age"', [f":7: `quasi_identifiers`: {NO_LIST.format('quasi_identifiers')}"]),
    ('["Age", "Town"]', '["Age", 1]', [f":7: `quasi_identifiers`: {NO_LIST.format('quasi_identifiers')}"]),
    ('["Age", "Town"]', '["Age", ""]', [f":7: `quasi_identifiers`: {NO_LIST.format('quasi_identifiers')}"]),
    ('["Age", "Town"]', '["Age", "Age"]', [":7: `quasi_identifiers`: a name stands twice; name each once"]),
    (
        '"Disease"',
        '"Age"',
        [":7: `Age`: one column has two meanings in [columns]; give each meaning its own column"],
    ),
    (
        "individual",
        "owner",
        [
            ":6: `owner`: [columns] has no such key; use one of codes, hierarchies, individual, quasi_identifiers, "
            "sensitive",
            f": `individual`: {NO_NAME.format('individual')}",
        ],
    ),
    (
        "[columns]",
        "[extra]\n[columns]",
        [":5: `extra`: there is no such table; use one of microdata, columns, updates, domains, grids"],
    ),
    ('"Ward"', "5", [f":2: `name`: {NO_TEXT.format('name')}"]),
    (f"snapshots = {S}", "", [': `snapshots`: no snapshot is named; write snapshots = ["1.csv"] under [microdata]']),
    (S, "[]", [':3: `snapshots`: no snapshot is named; write snapshots = ["1.csv"] under [microdata]']),
    (S, '"1.csv"', [f":3: `snapshots`: {NO_LIST.format('snapshots')}"]),
    (S, '["1.csv", "1.csv"]', [":3: `snapshots`: a name stands twice; name each once"]),
    (S, '["1.csv", "./1.csv"]', [':3: `snapshots`: two snapshots have the name "1"; rename one of the files']),
    (S, '["../1.csv"]', [f":3: `snapshots`: {OUTSIDE}"]),
    (S, '["/etc/*.csv"]', [f":3: `snapshots`: {OUTSIDE}"]),
    (S, '["a\\u0000.csv"]', [f":3: `snapshots`: {OUTSIDE}"]),
    (S, '["x*.csv"]', [':3: `snapshots`: no file matches "x*.csv"; correct the pattern']),
    (
        S,
        '["microdata.toml"]',
        [
            ':3: `snapshots`: "microdata.toml" is no table; use files that end in .csv, .csv.gz, .parquet, '
            ".xlsx, .dta, .sas7bdat, .sav, .xpt, .tab, .tsv"
        ],
    ),
    ("[columns]", '[updates]\ntransitions = "../t.csv"\n[columns]', [f":6: `transitions`: {OUTSIDE}"]),
    (
        "[columns]",
        "[updates]\ntransitions = []\n[columns]",
        [f":6: `transitions`: {NO_TEXT.format('transitions')}"],
    ),
]


@pytest.mark.parametrize(("old", "new", "lines"), FAULTS)
def test_faults_of_the_manifest(folder, old, new, lines):
    path = folder / "microdata.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert told(lambda: open_microdata(folder)) == [f"microdata.toml{line}" for line in lines]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"[[[", "microdata.toml:1: this is not TOML: Invalid initial character for a key part; see https://toml.io"),
        (b"name = \xe9", "microdata.toml: the text is not UTF-8; save the file as UTF-8"),
        (b"n = " + b"9" * 5000, "microdata.toml:1: this is not TOML"),
        (b"x = " + b"[" * 3000, "microdata.toml:1: this is not TOML"),
    ],
)
def test_no_toml(folder, content, line):
    (folder / "microdata.toml").write_bytes(content)
    [only] = told(lambda: open_microdata(folder))
    assert only.startswith(line)


def test_no_manifest(folder):
    (folder / "microdata.toml").unlink()
    [line] = told(lambda: open_microdata(folder))
    assert line.endswith("microdata.toml: there is no such file; write a microdata.toml, or make microdata with "
                         "`audit simulate`")  # fmt: skip
    [line] = told(lambda: open_microdata(folder / "nowhere"))
    assert line.endswith("there is no such file; correct the path")
    (folder / "microdata.toml").mkdir()
    [line] = told(lambda: open_microdata(folder))
    assert "this is a folder or a pipe" in line


@pytest.mark.parametrize("table", ["microdata", "columns", "domains"])
@pytest.mark.parametrize("kind", ["5", '"x"', "[1]"])
def test_tables_that_are_none(folder, table, kind):
    path = folder / "microdata.toml"
    text = path.read_text(encoding="utf-8").replace(f"[{table}]\n", "[old]\n")
    path.write_text(f"{table} = {kind}\n{text}", encoding="utf-8")
    assert f"microdata.toml:1: `{table}`: {NO_TABLE.format(table)}" in told(lambda: open_microdata(folder))


@pytest.mark.parametrize("name", ["[1]", "a*b", "a?", "1.rows.rows", "1.values.values", "", "\u202e", "a\tb"])
def test_names_that_no_release_can_have(tmp_path, name):
    folder = write_microdata(tmp_path / "micro", {"1": ROWS})
    (folder / "1.csv").rename(folder / f"{name}.csv")
    path = folder / "microdata.toml"
    written = name.replace("\u202e", "\\u202e").replace("\t", "\\t")
    path.write_text(path.read_text(encoding="utf-8").replace('"1.csv"', f'"{written}.csv"'), encoding="utf-8")
    [line] = told(lambda: open_microdata(folder))
    assert line.startswith("microdata.toml:3: `snapshots`: no release can have the name ")


@pytest.mark.parametrize("name", ["2024-Q1", "a b", "é", "1.csv", "..", "-x", "x" * 200, "'"])
def test_names_that_a_release_can_have(tmp_path, name):
    folder = write_microdata(tmp_path / "micro", {name: ROWS})
    assert open_microdata(folder).tags == (name,)


# -- domains ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "domain",
    ["[1]", "[1, 1]", "[]", "5", '"x"', "[true, false]", "[nan, 1]", "[0, inf]", '[1, "a"]', '["a", "a"]', '["*"]',
     '["a", ""]', "[[1, 2]]", "{ a = 1 }", "[0, 1e400]", f"[0, 1{'0' * 301}]", f"[0, 0x{'f' * 5000}]"],
)  # fmt: skip
def test_what_is_no_domain(tmp_path, domain):
    folder = write_microdata(tmp_path / "micro", {"1": ROWS}, domains=f"Age = {domain}")
    assert told(lambda: open_microdata(folder)) == [f"microdata.toml:11: `Age`: {NO_DOMAIN.format('Age')}"]


@pytest.mark.parametrize("name", ["Zip", "Name", "Disease"])
def test_domains_of_other_columns(tmp_path, name):
    folder = write_microdata(tmp_path / "micro", {"1": ROWS}, domains=f"{name} = [1, 2]")
    what = "[domains] names a column that is no quasi-identifier; name one of them"
    assert told(lambda: open_microdata(folder)) == [f"microdata.toml:11: `{name}`: {what}"]


def test_a_domain_of_numbers_spans_an_interval(tmp_path):
    found = snapshot(tmp_path, ROWS, domains="Age = [121, 1, 21]")
    assert found.numbers[0] == [21, 22, 40, 41]
    assert found.snapshot.scales[0].place.tolist() == pytest.approx([20 / 120, 21 / 120, 39 / 120, 40 / 120])


def test_a_domain_of_texts_gives_their_order_even_of_those_that_nobody_has(tmp_path):
    found = snapshot(tmp_path, ROWS, domains='Town = ["York", " Hull ", "Rye", "Ely"]')
    assert found.texts[1] == ["York", "Hull", "Rye", "Ely"]
    assert found.snapshot.point[:, 1].tolist() == [2, 3, 2, 0]
    assert found.snapshot.scales[1].place.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])


def test_numbers_may_be_listed_as_texts(tmp_path):
    found = snapshot(tmp_path, ROWS, domains='Age = ["41", "40", "22", "21", "0"]')
    assert found.numbers[0] == []
    assert found.snapshot.point[:, 0].tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize(
    ("domain", "line"),
    [
        ("Age = [22, 40]", '1.csv:2, column "Age": the value is not in the declared domain (and 1 more such lines)'),
        ('Town = ["Rye", "Ely"]', '1.csv:5, column "Town": the value is not in the declared domain'),
        ("Town = [1, 2]", '1.csv:2, column "Town": the value is not a number (and 3 more such lines)'),
    ],
)
def test_values_out_of_their_domain(tmp_path, domain, line):
    [only] = told(lambda: snapshot(tmp_path, ROWS, domains=domain))
    assert only.startswith(f"{line}; ")


# -- snapshots -------------------------------------------------------------------------------------------------------


def test_people_values_and_places(folder):
    micro, people, values = open_microdata(folder), IdentifierEncoder(), Vocabulary()
    first, second = (micro.read(position, people, values) for position in range(2))
    assert [people.name(code) for code in first.snapshot.person] == ["Bo", "Al", "Cy", "Di"]
    assert second.snapshot.person[:3].tolist() == first.snapshot.person[1:].tolist()
    assert [values.names[code] for code in second.snapshot.value] == ["cold", "flu", "gout", "cold"]
    assert first.texts == (["21", "22", "40", "41"], ["Ely", "Rye", "York"])
    assert first.snapshot.point.tolist() == [[0, 1], [1, 0], [2, 1], [3, 2]]
    assert (first.snapshot.tag, second.snapshot.tag) == ("1", "2")
    assert first.snapshot.point.dtype == first.snapshot.person.dtype == first.snapshot.value.dtype == np.int32


NUMBERS = {
    "007": 7,
    "+5": 5,
    "1.50": Fraction(3, 2),
    "1.5e0": Fraction(3, 2),
    "-0": 0,
    ".5": Fraction(1, 2),
    " 5 ": 5,
    "–5": -5,
    "9" * 40: 10**40 - 1,
    "1e-300": Fraction(1, 10**300),
    "1e300": 10**300,
}


@pytest.mark.parametrize("written", NUMBERS)
def test_numbers_are_exact_however_they_are_written(tmp_path, written):
    assert snapshot(tmp_path, [("A", written, "x", "flu")]).numbers[0] == [NUMBERS[written]]


def test_numbers_that_are_equal_have_one_place(tmp_path):
    cells = ["1.50", "1.5", "15e-1", "2", "2.0", "+02", "1.4999999999999999999999999"]
    found = snapshot(tmp_path, [(f"P{n}", cell, "x", "flu") for n, cell in enumerate(cells)])
    assert found.snapshot.point[:, 0].tolist() == [1, 1, 1, 2, 2, 2, 0]


def test_whole_numbers_are_told_from_others(tmp_path):
    for cells, whole in ((["1", "+2", "-3"], True), (["1", "2.0"], False), (["x", *map(str, range(18))], 0)):
        rows = [(f"P{n}", cell, "x", "flu") for n, cell in enumerate(cells)]
        micro = open_microdata(write_microdata(tmp_path / "micro", {"1": rows}))
        assert micro.is_whole("Age") is bool(whole)
    rows = [("A", 1, "x", "flu")]
    assert not open_microdata(write_microdata(tmp_path / "m2", {"1": rows}, domains="Age = [0.5, 9]")).is_whole("Age")


def test_identifiers_are_texts(tmp_path):
    """7 and 007 are two people, and a large number is one."""
    ids = [
        "7",
        "007",
        "0",
        "00",
        "-1",
        "1e3",
        "1000",
        "9" * 50,
        "4294967296",
        "é",
        "e\u0301",
        "a,b",
        'say "hi"',
        "x\ny",
    ]
    people = IdentifierEncoder()
    folder = write_microdata(tmp_path / "micro", {"1": [(who, 20, "x", "flu") for who in ids]})
    found = open_microdata(folder).read(0, people, Vocabulary())
    assert [people.name(code) for code in found.snapshot.person] == ids


@pytest.mark.parametrize(
    "text", ["{a, b}", "a\nb", "\0", "=cmd()", "\x1b[2J", "x" * 100_000, '"', "204*", "NA", "null"]
)
def test_hostile_cells_are_values_like_others(tmp_path, text):
    found = snapshot(tmp_path, [("A", 1, text, text), ("B", 2, "x", "flu")])
    assert set(found.texts[1]) == {text, "x"}
    assert found.texts[1][found.snapshot.point[0, 1]] == text
    assert found.snapshot.values[found.snapshot.value[0]] == text


def test_a_snapshot_may_be_without_quasi_identifiers(tmp_path):
    rows = [(name, value) for name, _, _, value in ROWS]
    found = snapshot(tmp_path, rows, head=("Name", "Disease"))
    assert found.snapshot.point.shape == (4, 0)
    assert found.snapshot.places().shape == (4, 0)


BAD = [
    ([("", *ROWS[0][1:]), (" ", *ROWS[1][1:])], [':2, column "Name": the row names nobody (and 1 more such lines); '
                                                 "write whose row it is"]),
    ([ROWS[0], ("~ghost", *ROWS[1][1:])], [':3, column "Name": identifiers that begin with ~ are kept for '
                                           "counterfeits; give this person another identifier"]),
    ([*ROWS, ROWS[0]], [':2, column "Name": this person stands again on line 6; keep one row for each person']),
    ([*ROWS, ROWS[2], ROWS[0], (" Cy ", *ROWS[2][1:])], [':2, column "Name": this person stands again on line 7, and '
                                                         "so do 2 more; keep one row for each person"]),
    ([("Bo", 21, "a\nb\n\nc", "flu"), *ROWS[1:], ROWS[3]], [':8, column "Name": this person stands again on line 9; '
                                                            "keep one row for each person"]),
    ([ROWS[0], ("Al", 22, "Ely", " ")], [':3, column "Disease": the row has no value; write its value']),
    ([ROWS[0], ("Al", 22, "*", "flu")], [':3, column "Town": the cell has no value; write the exact value, or leave '
                                         "the column out"]),
    ([*ROWS, *((f"P{n}", n, "x", "flu") for n in range(20)), ("X", "[20, 30]", "x", "flu"), ("Y", "", "x", "flu")],
     [':26, column "Age": the value is not a number; correct it, or list the column\'s values under [domains]',
      ':27, column "Age": the cell has no value; write the exact value, or leave the column out']),
    ([*ROWS, *((f"P{n}", n, "x", "flu") for n in range(20)), ("X", "1e999", "x", "flu"), ("Y", "1" * 41, "x", "flu")],
     [':26, column "Age": the value is not a number (and 1 more such lines); correct it, or list the column\'s values '
      "under [domains]"]),
    ([("A", "-1.1e300", "x", "flu"), ("B", "1", "x", "flu"), ("C", "9" * 30 + "e299", "x", "flu")],
     [':2, column "Age": the number is too large (and 1 more such lines); write a number of at most 300 digits']),
    ([("A", "²", "x", "flu"), *((f"P{n}", n, "x", "flu") for n in range(20))],
     [':2, column "Age": the value is not a number; correct it, or list the column\'s values under [domains]']),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "lines"), BAD)
def test_faults_of_a_snapshot(tmp_path, rows, lines):
    found = told(lambda: snapshot(tmp_path, rows))
    assert found == [f"1.csv{line}" for line in lines]


DAMAGES = [
    (lambda data: b"", ["1.csv:1: the file is empty; write a header line with the column names"]),
    (lambda data: data.split(b"\r\n")[0] + b"\n", ["1.csv: the snapshot has no rows; drop it from the microdata"]),
    (lambda data: data + b"E,1,x,flu,more\n", ["1.csv:6: 5 cells where the header has 4; give every line one cell a "
                                               "column; delete it if it is a note below the table"]),
    (lambda data: data + b"E,1\n", ["1.csv:6: 2 cells where the header has 4; give every line one cell a column; "
                              "delete it if it is a note below the table"]),
    (lambda data: data + b"E,1,\x81,flu\n", ["1.csv:6: the text is not UTF-8; save the file as UTF-8, or name its "
                                              "encoding under [columns] of series.toml"]),
    (lambda data: data + b'E,1,"x,flu\n', ["1.csv:6: the row that begins here is not well-formed CSV; close every "
                                           "quote, and double the quotes inside a cell"]),
    (lambda data: data.replace(b"Town", b"Age", 1), ["1.csv:1: columns 2 and 3 have the same name in the header; "
                                                     "rename one of them"]),
    (lambda data: data.replace(b"Town", b"Twon", 1), ['1.csv:1, column "Town": the column is not in the file, which '
                                                      "has: Name, Age, Twon, Disease; correct its name in the "
                                                      "manifest, or add it to the file"]),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "lines"), DAMAGES)
def test_files_that_cannot_be_read(folder, spoil, lines):
    path = folder / "1.csv"
    path.write_bytes(spoil(path.read_bytes()))
    assert told(lambda: read(open_microdata(folder))) == lines


def test_a_file_without_its_header_is_not_quoted(folder):
    path = folder / "1.csv"
    path.write_bytes(path.read_bytes().split(b"\r\n", 1)[1])
    lines = told(lambda: open_microdata(folder))
    assert len(lines) == 4
    assert not any(word in line for line in lines for word in ("Bo", "21", "Rye", "flu"))


@pytest.mark.parametrize(
    "form", [lambda data: b"\xef\xbb\xbf" + data, lambda data: data.replace(b"\r\n", b"\n"),
             lambda data: data.replace(b"\r\n", b"\r"), lambda data: data.replace(b"\r\n", b"\r\n\r\n"),
             lambda data: data.replace(b",", b" ,  ")],
)  # fmt: skip
def test_forms_of_csv_that_are_read(folder, form):
    path = folder / "1.csv"
    path.write_bytes(form(path.read_bytes()))
    found = read(open_microdata(folder))
    assert found.snapshot.point.tolist() == [[0, 1], [1, 0], [2, 1], [3, 2]]


@pytest.mark.parametrize("where", ["gone", "folder"])
def test_files_that_are_not_there(folder, where):
    (folder / "1.csv").unlink()
    if where == "folder":
        (folder / "1.csv").mkdir()
    [line] = told(lambda: open_microdata(folder))
    assert line.startswith("1.csv: there is no such file" if where == "gone" else "1.csv: this is a folder")
    (folder / "microdata.toml").write_text(
        (folder / "microdata.toml").read_text(encoding="utf-8") + '[updates]\ntransitions = "t.csv"\n'
    )
    assert told(lambda: open_microdata(folder))[1].startswith("t.csv: there is no such file")


# -- compressed files and Parquet ------------------------------------------------------------------------------------


def renamed(folder: Path, name: str) -> Path:
    """Another file in the place of the first snapshot's."""
    path = folder / "microdata.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('"1.csv"', f'"{name}"'), encoding="utf-8")
    return folder / name


def parquet(folder: Path, **columns: pa.Array) -> Path:
    path = renamed(folder, "1.parquet")
    header, *rows = csv.reader((folder / "1.csv").read_text(encoding="utf-8").splitlines())
    usual = {name: pa.array(list(cells)) for name, cells in zip(header, zip(*rows, strict=True), strict=True)}
    pq.write_table(pa.table({**usual, **columns}), path)
    return path


@pytest.mark.parametrize("spoil", [lambda data: data[: len(data) // 2], lambda data: b"x", lambda data: b"PAR1" * 3])
@pytest.mark.parametrize("kind", ["gzip", "Parquet"])
def test_damaged_files(folder, kind, spoil):
    if kind == "gzip":
        path = renamed(folder, "1.csv.gz")
        path.write_bytes(gzip.compress((folder / "1.csv").read_bytes()))
    else:
        path = parquet(folder)
    assert read(open_microdata(folder)).table.rows == 4
    path.write_bytes(spoil(path.read_bytes()))
    assert told(lambda: read(open_microdata(folder)))[0].startswith(f"{path.name}: this is not a whole {kind} file")


def test_parquet_without_rows(folder):
    path = parquet(folder)
    pq.write_table(pq.ParquetFile(path).read().slice(0, 0), path)
    [line] = told(lambda: read(open_microdata(folder)))
    assert line == "1.parquet: the snapshot has no rows; drop it from the microdata"


DAYS = [datetime.date(2020, 1, day) for day in (9, 10, 2, 1)]
COLUMNS = [
    ({"Age": pa.array([21, 3, 40, 3])}, 0, [1, 0, 2, 0], ["3", "21", "40"]),
    ({"Age": pa.array([21, 3, 40, 3], pa.uint8())}, 0, [1, 0, 2, 0], ["3", "21", "40"]),
    ({"Age": pa.array([2.5, -1.0, 1e30, 2.5])}, 0, [1, 0, 2, 1], ["-1", "2.5", str(int(1e30))]),
    ({"Age": pa.array(map(decimal.Decimal, ("1.50", "1", "2", "1.5")))}, 0, [1, 0, 2, 1], ["1.00", "1.50", "2.00"]),
    ({"Town": pa.array([True, False, True, True])}, 1, [1, 0, 1, 1], ["false", "true"]),
    ({"Town": pa.array(DAYS)}, 1, [2, 3, 1, 0], ["2020-01-01", "2020-01-02", "2020-01-09", "2020-01-10"]),
    ({"Town": pa.array(["b", "a", "b", "c"]).dictionary_encode()}, 1, [1, 0, 1, 2], ["a", "b", "c"]),
    ({"Town": pa.array(["b", "a", "b", "c"], pa.large_string())}, 1, [1, 0, 1, 2], ["a", "b", "c"]),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "column", "places", "texts"), COLUMNS)
def test_columns_of_parquet(folder, columns, column, places, texts):
    parquet(folder, **columns)
    found = read(open_microdata(folder))
    assert found.snapshot.point[:, column].tolist() == places
    assert found.texts[column] == texts


@pytest.mark.parametrize(
    ("ids", "names"),
    [([3, 1, 2, 0], "3 1 2 0"), ([3.0, 1.0, 2.0, 0.0], "3 1 2 0"), ([-1, 2**40, 7, 0], f"-1 {2**40} 7 0")],
)
def test_identifiers_of_parquet(folder, ids, names):
    parquet(folder, Name=pa.array(ids))
    people = IdentifierEncoder()
    found = open_microdata(folder).read(0, people, Vocabulary())
    assert [people.name(code) for code in found.snapshot.person] == names.split()


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ({"Name": pa.array([None, 1, 2, 3])}, '1.parquet:1, column "Name": the row names nobody'),
        ({"Name": pa.array([1, 2, 3, 1])}, '1.parquet:1, column "Name": this person stands again on line 4'),
        ({"Town": pa.array([None, "x", "y", None]).dictionary_encode()}, '1.parquet:1, column "Town": the cell has no '
         "value (and 1 more such lines)"),
        ({"Disease": pa.array([None] * 4, pa.string())}, '1.parquet:1, column "Disease": the row has no value'),
        ({"Age": pa.array([1, 2, 3, float("nan")])}, None),
        ({"Town": pa.array([[1]] * 4)}, '1.parquet, column "Town": the column holds lists or structures'),
    ],
)  # fmt: skip
def test_columns_of_parquet_that_are_refused(folder, columns, line):
    parquet(folder, **columns)
    if line is None:  # three numbers of four are too few for a column of numbers
        assert read(open_microdata(folder)).numbers[0] == []
    else:
        assert told(lambda: read(open_microdata(folder)))[0].startswith(line)
