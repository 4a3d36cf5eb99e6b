"""Notes below a table are no rows, and what may be a row is never taken for a note."""

import gzip
import io
import json

import pytest

from tests.helpers.published_forms import lines
from tests.helpers.running import run_main

ROWS = ("area,sex,count", "N,f,*", "N,m,20", "N,All,24", "S,f,11", "S,m,14", "S,All,25", "All,f,15", "All,All,49")
MANIFEST = """[series]
kind = "tables"
releases = ["{name}"]
[table]
dimensions = ["area", "sex"]
value = "count"
totals = {{ area = "All", sex = "All" }}
markers = {{ "*" = [1, 9] }}
"""
NOTES = {
    "a source": ("Source: Office of Statistics",),
    "a sign": ("* Small counts are not shown",),
    "sentences after a note": ("Notes:", "People who live in the area", "Counted in March 2024: provisional"),
    "several languages": ("Quelle: Amt", "Source : Insee", "Fuente: INE"),
    "numbered": ("1. Residents at the end of March", "2. Provisional, to be revised"),
    "lines of dashes": ("---", "Dataset: Causes of Death", "Query Parameters:", "---"),
    "what a letter means": ("c = confidential", "\u00a9 Office of Statistics"),
}


def workbook(rows):
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([int(cell) if cell.isdigit() else cell or None for cell in row])
    book.save(content := io.BytesIO())
    return content.getvalue()


def padded(notes):
    return lines(*ROWS, ",,", *(f'"{note}",,' for note in notes)).encode()


WAYS = {
    "padded.csv": padded,
    "ragged.csv": lambda notes: lines(*ROWS, "", *(f'"{note}"' for note in notes)).encode(),
    "packed.csv.gz": lambda notes: gzip.compress(padded(notes)),
    "semicolons.csv": lambda notes: lines(*(row.replace(",", ";") for row in ROWS), *notes).encode("utf-16"),
    "book.xlsx": lambda notes: workbook([*(row.split(",") for row in ROWS), [""], *([note] for note in notes)]),
}


def found_in(folder):
    code, out, _ = run_main(str(folder), "--format", "json", "--findings", "all")
    return code, json.loads(out)


def findings(found):
    return [(f["cell"], f["lower"], f["upper"]) for f in found["attacks"][0]["findings"]]


def series(folder, name, content):
    folder.mkdir()
    (folder / name).write_bytes(content)
    (folder / "series.toml").write_text(MANIFEST.format(name=name), encoding="utf-8")
    return folder


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", NOTES)
def test_a_table_with_notes_is_the_table_without(way, kind, tmp_path):
    plain = found_in(series(tmp_path / "plain", "t.csv", lines(*ROWS).encode()))[1]
    code, found = found_in(series(tmp_path / "noted", way, WAYS[way](NOTES[kind])))
    assert (code, found["series"].pop("notes")) == (1, {way: len(NOTES[kind])})
    assert "notes" not in plain["series"]
    assert found["series"]["rows"] == plain["series"]["rows"] == len(ROWS) - 1
    assert findings(found) == findings(plain) != []


@pytest.mark.parametrize("way", WAYS)
def test_a_text_alone_that_is_no_note_is_refused(way, tmp_path):
    """Taken for a label, it would count people, and the sums that give counts away would be none."""
    folder = series(tmp_path / "s", way, WAYS[way](["Residents at the end of March"]))
    assert run_main(str(folder))[0] == 2
    (folder / "series.toml").unlink()
    code, _, error = run_main("init", str(folder), "--yes")
    assert (code, len(error.splitlines()), "note below the table" in error) == (2, 1, True)
    assert not (folder / "series.toml").exists()


@pytest.mark.parametrize("last", ["Source: a,,", "Source: a,,\nWest,,"])
def test_what_may_be_a_row_is_named_with_its_line(last, tmp_path):
    folder = series(tmp_path / "s", "t.csv", lines(*ROWS, last).encode())
    code, _, error = run_main(str(folder))
    assert (code, "t.csv:11: the row has a text" in error) == ((2, True) if "West" in last else (1, False))


@pytest.mark.parametrize(
    ("last", "rows"),
    [
        (",,49", 9),  # everybody
        ("W,,", None),  # a label alone
        ("W,f,0\nW,,", 10),  # the same label has a count elsewhere
        ("* W,f,3\n* W,m,12\n* Y and its three parts,,", None),  # labels look like notes
        ("Source: a,,3", 9),  # it has a count
    ],
)
def test_rows_are_no_notes(last, rows, tmp_path):
    table = [row for row in ROWS if row != "All,All,49"]
    code, found = found_in(series(tmp_path / "s", "t.csv", lines(*table, last).encode()))
    assert (code == 2) == (rows is None)
    if rows is not None:
        assert (found["series"]["rows"], found["series"].get("notes")) == (rows - 1, None)


@pytest.mark.parametrize(
    ("rows", "key", "code"),
    [
        (("area,n", "All,30", "A,12", "Counts of the last year,"), "", 2),
        (("area,n", "All,30", "A,12", "B,"), "", 0),  # beside counts alone, a count that is not shown
        (("area,n", "A,12", "B,9", "All,"), "", 0),
        (("area,sex,n", "A,f,12", "A,m,9", "A,All,21", "B,,"), "", 2),
        (("area,sex,n", "A,f,12", "A,m,9", "A,All,21", "B,,"), 'categories = { area = "areas.csv" }\n', 0),
        (("area,sex,n", "A,f,12", "A,m,9", "A,All,21", "All,,"), "", 0),
    ],
)
def test_known_labels_are_no_notes(rows, key, code, tmp_path):
    folder = series(tmp_path / "s", "t.csv", lines(*rows).encode())
    (folder / "areas.csv").write_text("label,atom\nA,A\nB,B\n", encoding="utf-8")
    sexes = "sex" in rows[0]
    text = MANIFEST.format(name="t.csv").replace('"count"', '"n"') + key + "[policy]\nmin_count = 2\n"
    if not sexes:
        text = text.replace(', "sex"', "").replace(', sex = "All"', "")
    (folder / "series.toml").write_text(text, encoding="utf-8")
    assert run_main(str(folder))[0] == code
