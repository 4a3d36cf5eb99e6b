"""Files as they come: titles above headers, hierarchies, and what is too large or lacks memory."""

from __future__ import annotations

import dataclasses
import gzip
import random
import tempfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.io import table_forms, tables
from audit.io.cell_reading import Hierarchy, read_hierarchy
from audit.io.dialect import Declared, check_file, dialect_of, open_bytes, read_dialect
from audit.io.header_rows import header_place, joined_header
from audit.io.paths import is_there
from audit.model.errors import Problems
from tests.helpers.messy import write
from tests.helpers.published_forms import open_document
from tests.helpers.running import refused, run_main
from tests.mutants.mutant import kills

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


@kills("audit.io.header_rows.joined_header", "not any(row[at] for row in body)", "True")
def test_an_empty_column_has_its_name_in_the_upper_line_of_a_header():
    """A column of codes that nobody has filled in, before places and two columns of counts."""
    rows = [["Code", "Kreis", "davon", ""], ["", "", "m", "w"], ["", "Ahaus", "3", "5"], ["", "Borken", "8", "."]]
    assert joined_header(rows, 1) == ["Code", "Kreis", "m", "w"]
    assert joined_header([*rows, ["1", "Coesfeld", "4", "4"]], 1) == []


def test_no_row_of_data_is_lost():
    """Whatever cells are missing in the first rows, a table that begins with its header is read from there."""
    rng = random.Random(5)  # noqa: S311
    for _ in range(300):
        width = rng.randint(2, 6)
        header = [f"c{n}" for n in range(width)]
        rows = [[rng.choice(["", "x", f"v{rng.random()}"]) for _ in range(width)] for _ in range(rng.randint(1, 9))]
        assert header_place([header, *rows]) == 0


@kills("audit.io.header_rows.joined_header", "(recurs or has_two)", "recurs")
@kills("audit.io.header_rows.joined_header", "(recurs or", "(False or")
@kills("audit.io.header_rows.joined_header", "bool(groups) and", "")
@kills("audit.io.header_rows.joined_header", "{True, False} not in of_counts and ", "")
def test_no_row_below_a_header_is_a_second_line_of_it():
    """Where a column has no name, the first row may lack the cells that the header has."""
    rng = random.Random(6)  # noqa: S311
    values = [["", "flu", "cold"], ["", "f", "m"], ["", "Ahaus", "Borken"], ["x", "y", "z"]]
    for _ in range(500):
        header = ["disease", "sex", "place", "more"]
        header[rng.randrange(1, 4)] = ""
        rows = [[rng.choice(some) for some in values] for _ in range(12)]
        assert header_place([header, *rows]) == 0
    counts = [["All", "", ".", "a)"], ["A", "f", "12", ""], ["A", "m", "15", ""], ["B", "f", "16", ""]]
    assert header_place([["area", "sex", "n", ""], *counts]) == 0
    counts[0][2:] = ["s", "a)"]
    assert header_place([["area", "sex", "n", ""], *counts]) == 0
    counts[0] = ["", "", "geheim", "Hinweis"]
    assert header_place([["area", "sex", "n", ""], *counts]) == 0
    people = [["Bob", "Ahaus", "north", ""], ["Al", "Borken", "south", "late"], ["Cy", "Coesfeld", "west", "soon"]]
    assert header_place([["name", "city", "", "remark"], *people]) == 0
    assert header_place([["", "age", "sex"], ["Bob", "", ""], ["Al", "f", "m"]]) == 0


@kills("audit.io.header_rows.header_place", "rows[: last + 1]", "rows", case="[3-Report of 2024-8]")
@pytest.mark.parametrize("notes", [0, 2, 8])
@pytest.mark.parametrize("title", ["Report of 2024", "Report of 2024, provisional"])
@pytest.mark.parametrize("many", [3, len(ROWS)])
def test_delimiters_below_titles(many, title, notes):
    """The delimiter is that of most rows, however many notes with other ones follow a small table."""
    below = ["", *("Source: Office, 2024" if at % 2 else "Note: no babies; no visitors" for at in range(notes))]
    text = f"{title}\n\n" + "\n".join([*(";".join(row) for row in [HEADER, *ROWS[:many]]), *below])
    dialect = dialect_of(text.encode())
    assert (dialect.delimiter, dialect.above) == (";", 2)
    assert text[dialect.skipped :].startswith("id;age")
    assert dialect_of(text.encode(), Declared(delimiter=",")).above == 0


def test_a_title_that_an_empty_line_parts_from_the_table():
    text = "\nQuarter,1,2024\n\n" + "\n".join(",".join(row) for row in [HEADER, *ROWS]) + "\n"
    dialect = dialect_of(text.encode())
    assert (dialect.delimiter, text[dialect.skipped :].partition("\n")[0]) == (",", ",".join(HEADER))


def read(folder: Path, data: bytes | str) -> tuple[Hierarchy | None, list[tuple[int | None, str]]]:
    path = folder / "h.csv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    problems = Problems()
    hierarchy = read_hierarchy(path, "shown.csv", problems)
    assert all(problem.file == "shown.csv" and problem.remedy for problem in problems.found)
    return hierarchy, [(problem.line, problem.what) for problem in problems.found]


def test_levels_and_leaves(tmp_path: Path) -> None:
    hierarchy, problems = read(tmp_path, "Rome;Italy;*\nMilan;Italy;*\n\nOslo; Norway ;*\nOther;Other;*\n")
    assert problems == []
    assert hierarchy is not None
    assert hierarchy.name == "shown.csv"
    assert hierarchy.levels[1] == ("Italy", "Italy", "Norway", "Other")
    assert hierarchy.leaves_of("Italy") == {"Rome", "Milan"}
    assert hierarchy.leaves_of("Norway") == {"Oslo"}
    assert hierarchy.leaves_of("Other") == {"Other"}
    assert hierarchy.leaves_of("*") == {"Rome", "Milan", "Oslo", "Other"}
    assert hierarchy.leaves_of("Sweden") is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        hierarchy.name = "other"  # type: ignore[misc]


def test_quotes_bom_and_windows_lines(tmp_path: Path) -> None:
    hierarchy, problems = read(tmp_path, '\ufeffa;"x;y"\r\n"b ""c""";"x;y"\r\n'.encode())
    assert problems == []
    assert hierarchy is not None
    assert hierarchy.leaves_of("x;y") == {"a", 'b "c"'}


@pytest.mark.parametrize(
    ("data", "line", "part"),
    [
        ("", None, "empty"),
        ("\n  \n", None, "empty"),
        ("a;x;*\nb;*\n", 2, "has 2 levels"),
        ("a;x;*\n\nb;x;*;*\n", 3, "has 4 levels"),
        ("a;x;*\nb;y;*\na;y;*\n", 3, "other ancestors"),
        ("a;x;*\nb;;*\n", 2, "empty"),
        ("a x *\n", 1, "single level"),
        (b"a;x\nb;y\nc\x81;x\n", 3, "UTF-8"),
        ('a;x\n"b;x\n', 2, "not well-formed"),
        ('a;x\n"b"c;x\n', 2, "not well-formed"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, data: bytes | str, line: int | None, part: str) -> None:
    hierarchy, problems = read(tmp_path, data)
    assert hierarchy is None
    assert [found for found, _ in problems] == [line]
    assert part in problems[0][1]


@given(st.binary() | st.text("ab;\"'*\n\r\0 ").map(str.encode))
def test_any_bytes_are_a_hierarchy_or_problems(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        hierarchy, problems = read(Path(folder), data)
    assert (hierarchy is None) == bool(problems)
    if hierarchy is not None:
        for labels in zip(*hierarchy.levels, strict=True):
            assert all(labels[0] in (hierarchy.leaves_of(label) or ()) for label in labels)


MANIFEST = '[series]\nreleases = ["{name}"]\n[columns]\nsensitive = "D"\nquasi_identifiers = ["A"]\n{more}'


@pytest.mark.parametrize(
    "error", [MemoryError(), pa.ArrowMemoryError("malloc of size 9 failed"), OSError(12, "Cannot allocate memory")]
)
def test_a_lack_of_memory_is_no_fault_of_a_text(tmp_path, monkeypatch, error):
    def fail(*_, **__):
        raise error

    path = write(tmp_path / "1.csv", "A,D\n1,x\n2,y\n")
    write(tmp_path / "series.toml", MANIFEST.format(name="1.csv", more=""))
    monkeypatch.setattr(table_forms, "_parse_csv", fail)
    with pytest.raises(MemoryError):
        tables.read_table(path, "1.csv", ["A"], Problems())
    err = refused(str(tmp_path))
    assert err.splitlines() == ["audit: out of memory; audit fewer releases at once, or use a machine with more memory"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ImportError("libarrow.so: failed to map segment from shared object"), 2),
        (RuntimeError("can't start new thread"), 2),
        (ImportError("No module named 'pyarrow'"), 4),
    ],
)
def test_a_library_that_finds_no_memory_is_no_bug(tmp_path, monkeypatch, error, code):
    def fail(_):
        raise error

    monkeypatch.setattr("audit.cli.audit.run", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found, _, err = run_main(str(tmp_path))
    assert (found, "out of memory" in err, len(err.splitlines())) == (code, code == 2, 1)


def workbook_with(path, rows):
    """A workbook of two columns, and these rows as they stand in its file."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["A", "D"])
    book.save(path)
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    [sheet] = [name for name in parts if name.startswith("xl/worksheets/")]
    parts[sheet] = parts[sheet].replace(b"</sheetData>", rows + b"</sheetData>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)


@pytest.mark.parametrize("result", ["", ' office:value-type="float" office:value="4"'])
def test_a_formula_of_libreoffice_without_its_result_is_no_empty_cell(tmp_path, result):
    path = tmp_path / "1.ods"
    path.write_bytes(open_document([["A", "D"], f'<table:table-cell table:formula="of:=2+2"{result}/>']))
    write(tmp_path / "series.toml", MANIFEST.format(name=path.name, more=""))
    err = run_main(str(tmp_path))[2]
    assert ("this workbook has formulas whose results are not stored" in err) == (not result)


@kills("audit.io.foreign_files._read_workbook", "_WITHOUT_RESULT.search(packed.read(part))", "False")
@pytest.mark.parametrize("results", ["<v/>", "<v></v>", "", "<v>4</v>"])
def test_a_formula_without_its_result_is_no_empty_cell(tmp_path, results):
    """Libraries write formulas without results, which only a spreadsheet program computes."""
    path = tmp_path / "1.xlsx"
    row = f'<row><c s="1"><f>2+2</f>{results}</c><c t="str"><f>""</f><v></v></c></row>'
    workbook_with(path, row.encode())
    write(tmp_path / "series.toml", MANIFEST.format(name=path.name, more=""))
    err = run_main(str(tmp_path))[2]
    assert ("this workbook has formulas whose results are not stored" in err) == ("4" not in results)


@pytest.mark.parametrize("name", ["1.csv.gz", "1.xlsx"])
def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch, name):
    monkeypatch.setattr("audit.io.dialect._AT_ONCE", 1 << 16)
    monkeypatch.setattr("audit.io.dialect._MOST_PACKED", 100)
    if name.endswith("xlsx"):
        row = b'<row><c t="inlineStr"><is><t>1</t></is></c><c t="inlineStr"><is><t>x</t></is></c></row>'
        workbook_with(tmp_path / name, row * 200_000)
    else:
        write(tmp_path / name, gzip.compress(b"A,D\n" + b"1,x\n" * 500_000))
    write(tmp_path / "series.toml", MANIFEST.format(name=name, more=""))
    [line] = refused(str(tmp_path)).splitlines()
    assert f"{name}: this file unpacks to several hundred times its size, which no table does; unpack it" in line


def test_a_file_in_a_folder_that_cannot_be_looked_into_may_be_there(tmp_path, monkeypatch):
    """From Python 3.14 on, `Path.exists` says that it is not; a key would be taken for none."""

    def forbidden(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", forbidden)
    monkeypatch.setattr(Path, "exists", lambda self: False)
    problems = Problems()
    assert is_there(tmp_path / "key.csv")
    assert not check_file(tmp_path / "key.csv", "key.csv", problems)
    assert "its folder cannot be read" in str(problems.found[0])


@pytest.mark.parametrize("name", ["1.csv.gz", "1.csv"])
def test_a_table_larger_than_the_memory_is_not_read(tmp_path, monkeypatch, name):
    content = b"A,D\n" + b"".join(b"%d,x\n" % (n % 97) for n in range(20_000))
    write(tmp_path / name, gzip.compress(content) if name.endswith("gz") else content)
    write(tmp_path / "series.toml", MANIFEST.format(name=name, more=""))
    monkeypatch.setattr("audit.io.dialect._AT_ONCE", 1 << 10)
    monkeypatch.setattr("audit.io.dialect.memory_bytes", lambda: 3 * len(content))
    assert run_main(str(tmp_path))[0] != 2
    monkeypatch.setattr("audit.io.dialect.memory_bytes", lambda: 2 * len(content))
    [line] = refused(str(tmp_path)).splitlines()
    assert line.startswith("audit: out of memory; ")


def test_a_hundred_thousand_columns(tmp_path):
    names = [*(f"c{n}" for n in range(100_000)), "A", "D"]
    path = write(tmp_path / "1.csv", ",".join(names) + "\n" + ",".join("1" * len(names)) + "\n")
    table = tables.read_table(path, "1.csv", ["A", "D"], Problems())
    assert table is not None


def test_a_key_that_goes_under_way(tmp_path, monkeypatch):
    write(tmp_path / "1.csv", "A,D\n1,x\n1,y\n")
    write(tmp_path / "private/1.key.csv", "row,individual\n0,a\n1,b\n")
    write(tmp_path / "series.toml", MANIFEST.format(name="1.csv", more=""))
    from audit.io import release_reading

    monkeypatch.setattr(release_reading, "is_there", lambda _: False)
    assert "private/1.key.csv: the key file has disappeared; put it back" in refused(str(tmp_path))


def test_how_a_file_is_written_is_found_out_once_while_it_stays_the_same(tmp_path, monkeypatch):
    opened, path = [], tmp_path / "1.csv"
    monkeypatch.setattr("audit.io.dialect.open_bytes", lambda path: opened.append(path) or open_bytes(path))
    path.write_text("a;b\n1;2\n", encoding="utf-8")
    assert [read_dialect(path).delimiter for _ in range(3)] == [";"] * 3
    assert len(opened) == 1
    path.write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    assert read_dialect(path).delimiter == ","
    assert len(opened) == 2
