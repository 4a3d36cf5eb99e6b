"""Microdata folders: what is read from good ones, and the line that tells of each fault of the others."""

from pathlib import Path

import pytest

from audit.io.cells import Kind
from audit.io.microdata import Microdata, ReadSnapshot, open_microdata
from audit.io.releases import IdentifierEncoder, Vocabulary
from audit.model.errors import InputError
from tests.helpers.microdata import write_microdata

ROWS = [("Bo", 21, "Rye", "flu"), ("Al", 22, "Ely", "cold"), ("Cy", 40, "Rye", "flu"), ("Di", 41, "York", "gout")]
MORE = [*ROWS[1:], ("Ed", 23, "Ely", "cold")]
NO_NAME = 'no such column is named; write {} = "…" under [columns]'
ONE_ROW = (
    'keep one row for each person, or write under [columns] which row counts: latest_by = "…", a column of dates, or '
    'gravest = ["…", …], all sensitive values, the gravest first'
)
NO_TEXT = 'this has to be a text that is not empty; write {} = "…"'
NO_LIST = 'this has to be a list of texts; write {} = ["…", "…"]'
NO_DOMAIN = 'this is not a domain; write {} = [17, 95] for numbers, or ["a", "b"] for values in their order'
NO_TABLE = "this has to be a table; write [{}] and its keys below it"
OUTSIDE = "the path leads out of the microdata folder; copy the file into the folder"


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


def test_the_columns_that_change_are_read_once_for_all_methods(folder, monkeypatch):
    micro, times = open_microdata(folder), []
    monkeypatch.setattr(Microdata, "read_all", lambda *_: times.append(1) or [])
    assert [micro.changing(), micro.changing({}), micro.changing(micro.kinds)] == [()] * 3
    assert len(times) == 1


def test_snapshots_by_a_pattern_come_in_the_order_of_their_numbers(tmp_path):
    folder = write_microdata(tmp_path / "micro", dict.fromkeys(("10", "9", "2024-1"), ROWS))
    text = (folder / "microdata.toml").read_text(encoding="utf-8")
    (folder / "microdata.toml").write_text(text.replace('["10.csv", "9.csv", "2024-1.csv"]', '["*.csv"]'))
    assert open_microdata(folder).tags == ("9", "10", "2024-1")


S = '["1.csv", "2.csv"]'
FAULTS = [
    ('"Name"', "5", [f":6: `individual`: {NO_TEXT.format('individual')}"]),
    ('"Name"', '" "', [f":6: `individual`: {NO_TEXT.format('individual')}"]),
    ('"Name"', '["Name"]', [f":6: `individual`: {NO_TEXT.format('individual')}"]),
    ('individual = "Name"\n', "", [f": `individual`: {NO_NAME.format('individual')}"]),
    (
        '"Disease"',
        '["Disease"]',
        [':8: `sensitive`: only one column of microdata can be sensitive; write sensitive = "…"'],
    ),
    ('sensitive = "Disease"\n', "", [f": `sensitive`: {NO_NAME.format('sensitive')}"]),
    ('["Age", "Town"]', '"Age"', [f":7: `quasi_identifiers`: {NO_LIST.format('quasi_identifiers')}"]),
    ('["Age", "Town"]', '["Age", 1]', [f":7: `quasi_identifiers`: {NO_LIST.format('quasi_identifiers')}"]),
    ('["Age", "Town"]', '["Age", ""]', [f":7: `quasi_identifiers`: {NO_LIST.format('quasi_identifiers')}"]),
    ('["Age", "Town"]', '["Age", "Age"]', [":7: `quasi_identifiers`: a name is listed twice; list each name once"]),
    ('"Disease"', '"Age"', [":7: `Age`: the column has two roles in [columns]; give each role its own column"]),
    (
        "individual",
        "owner",
        [
            ":6: `owner`: [columns] has no such key; use one of codes, dates, decimal, gravest, harmless, "
            "hierarchies, individual, latest_by, left_out, quasi_identifiers, sensitive, similar, spelled, unlinkable",
            f": `individual`: {NO_NAME.format('individual')}",
        ],
    ),
    (
        '"Disease"',
        '"Disease"\nharmless = ["flu"]\nleft_out = ["flu"]',
        [":10: `left_out`: harmless names one of these values, too; keep one of them"],
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
    (S, '["1.csv", "1.csv"]', [":3: `snapshots`: a name is listed twice; list each name once"]),
    (S, '["1.csv", "./1.csv"]', [':3: `snapshots`: two releases have the tag "1"; rename one of the files']),
    (S, '["../1.csv"]', [f":3: `snapshots`: {OUTSIDE}"]),
    (S, '["/etc/*.csv"]', [f":3: `snapshots`: {OUTSIDE}"]),
    (S, '["a\\u0000.csv"]', [f":3: `snapshots`: {OUTSIDE}"]),
    (S, '["x*.csv"]', [':3: `snapshots`: no file matches "x*.csv"; correct the pattern']),
    (
        S,
        '["microdata.toml"]',
        [
            ':3: `snapshots`: "microdata.toml" is not a table; use files that end in .csv, .csv.gz, .parquet, '
            ".xlsx, .ods, .dta, .sas7bdat, .sav, .xpt, .tab, .tsv"
        ],
    ),
    ("[columns]", '[updates]\ntransitions = "../t.csv"\n[columns]', [f":6: `transitions`: {OUTSIDE}"]),
    ("[columns]", "[updates]\ntransitions = []\n[columns]", [f":6: `transitions`: {NO_TEXT.format('transitions')}"]),
]


@pytest.mark.parametrize(("old", "new", "lines"), FAULTS)
def test_faults_of_the_manifest(folder, old, new, lines):
    path = folder / "microdata.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert told(lambda: open_microdata(folder)) == [f"microdata.toml{line}" for line in lines]


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
def test_keys_that_are_not_tables_are_refused(folder, table, kind):
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


# -- domains ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "domain",
    ["[1]", "[1, 1]", "[]", "5", '"x"', "[true, false]", "[nan, 1]", "[0, inf]", '[1, "a"]', '["a", "a"]', '["*"]',
     '["a", ""]', "[[1, 2]]", "{ a = 1 }", "[0, 1e400]", f"[0, 1{'0' * 301}]", f"[0, 0x{'f' * 5000}]"],
)  # fmt: skip
def test_invalid_domains_are_refused(tmp_path, domain):
    folder = write_microdata(tmp_path / "micro", {"1": ROWS}, domains=f"Age = {domain}")
    assert told(lambda: open_microdata(folder)) == [f"microdata.toml:11: `Age`: {NO_DOMAIN.format('Age')}"]


@pytest.mark.parametrize("name", ["Zip", "Name", "Disease"])
def test_domains_of_other_columns(tmp_path, name):
    folder = write_microdata(tmp_path / "micro", {"1": ROWS}, domains=f"{name} = [1, 2]")
    what = "[domains] names a column that is not a quasi-identifier; delete it, or name a quasi-identifier"
    assert told(lambda: open_microdata(folder)) == [f"microdata.toml:11: `{name}`: {what}"]


@pytest.mark.parametrize(
    ("domain", "line"),
    [
        ("Age = [22, 40]", '1.csv:2, column "Age": the value is not in the declared domain (and 1 more such line)'),
        ('Town = ["Rye", "Ely"]', '1.csv:5, column "Town": the value is not in the declared domain'),
        ("Town = [1, 2]", '1.csv:2, column "Town": the value is not a number (and 3 more such lines)'),
    ],
)
def test_values_out_of_their_domain(tmp_path, domain, line):
    [only] = told(lambda: snapshot(tmp_path, ROWS, domains=domain))
    assert only.startswith(f"{line}; ")


# -- snapshots -------------------------------------------------------------------------------------------------------


def test_whole_numbers_are_told_from_others(tmp_path):
    for cells, whole in ((["1", "+2", "-3"], True), (["1", "2.0"], False), (["x", *map(str, range(18))], 0)):
        rows = [(f"P{n}", cell, "x", "flu") for n, cell in enumerate(cells)]
        micro = open_microdata(write_microdata(tmp_path / "micro", {"1": rows}))
        assert micro.is_whole("Age") is bool(whole)
    rows = [("A", 1, "x", "flu")]
    assert not open_microdata(write_microdata(tmp_path / "m2", {"1": rows}, domains="Age = [0.5, 9]")).is_whole("Age")


NO_VALUE = (
    'the cell has no value; write the exact value into the table; or a text such as "unknown", which counts as a value '
    "of its own, and list all values under [domains] if microdata.toml is there already; or delete the column from the "
    "table"
)
BAD = [
    ([("", *ROWS[0][1:]), (" ", *ROWS[1][1:])], [':2, column "Name": the cell is empty (and 1 more such line); '
                                                 "write whose row it is"]),
    ([ROWS[0], ("~ghost", *ROWS[1][1:])], [':3, column "Name": identifiers that begin with ~ are reserved for '
                                           "counterfeits; give this person another identifier"]),
    ([ROWS[0], (" Total:", *ROWS[1][1:])], [':3, column "Name": the row looks like a total, not like a person; delete '
                                            "it, or give the person another identifier"]),
    ([*ROWS, ROWS[0]], [f':2, column "Name": this person has another row on line 6; {ONE_ROW}']),
    ([*ROWS, ROWS[2], ROWS[0], (" Cy ", *ROWS[2][1:])], [':2, column "Name": this person has another row on line 7, '
                                                         f"and so do 2 more; {ONE_ROW}"]),
    ([("Bo", 21, "a\nb\n\nc", "flu"), *ROWS[1:], ROWS[3]], [':8, column "Name": this person has another row on line 9; '
                                                            f"{ONE_ROW}"]),
    ([ROWS[0], ("Al", 22, "Ely", " ")], [':3, column "Disease": the row has no value; write its value, such as '
                                       'None if a blank says that there is none; or a text such as "unknown", which '
                                       "microdata.toml may name under left_out, so that these rows are not published; "
                                       "or delete the row"]),
    ([ROWS[0], ("Al", 22, "*", "flu")], [f':3, column "Town": {NO_VALUE}']),
    ([*ROWS, *((f"P{n}", n, "x", "flu") for n in range(20)), ("X", "[20, 30]", "x", "flu"), ("Y", "", "x", "flu")],
     [':26, column "Age": the value is not a number; correct it, or list the column\'s values under [domains]',
      f':27, column "Age": {NO_VALUE}']),
    ([*ROWS, *((f"P{n}", n, "x", "flu") for n in range(20)), ("X", "1e999", "x", "flu"), ("Y", "1" * 41, "x", "flu")],
     [':26, column "Age": the value is not a number (and 1 more such line); correct it, or list the column\'s values '
      "under [domains]"]),
    ([("A", "-1.1e300", "x", "flu"), ("B", "1", "x", "flu"), ("C", "9" * 30 + "e299", "x", "flu")],
     [':2, column "Age": the number is too large (and 1 more such line); write a number of at most 300 digits']),
    ([("A", "²", "x", "flu"), *((f"P{n}", n, "x", "flu") for n in range(20))],
     [':2, column "Age": the value is not a number; correct it, or list the column\'s values under [domains]']),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "lines"), BAD)
def test_faults_of_a_snapshot(tmp_path, rows, lines):
    found = told(lambda: snapshot(tmp_path, rows))
    assert found == [f"1.csv{line}" for line in lines]


def test_a_file_without_its_header_is_not_quoted(folder):
    path = folder / "1.csv"
    path.write_bytes(path.read_bytes().split(b"\r\n", 1)[1])
    lines = told(lambda: open_microdata(folder))
    assert len(lines) == 1
    assert not any(word in line for line in lines for word in ("Bo", "21", "Rye", "flu"))


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
