"""What is irregular about files stands in the report, above the findings, and names nobody without --reveal."""

import random
import shutil
import unicodedata

import pytest

from tests.cli.forms import EXAMPLES, edit, read_rows
from tests.cli.test_messy_files import RESPELLINGS
from tests.helpers.messy import as_csv, write
from tests.helpers.running import run_audit, run_main


@pytest.fixture
def hospital(tmp_path):
    folder = tmp_path / "s"
    shutil.copytree(EXAMPLES / "hospital-l-diverse", folder)
    (folder / "expected.json").unlink()
    return folder


def change(path, row, column, text):
    header, *rows = read_rows(path)
    rows[row][header.index(column)] = text(rows[row][header.index(column)]) if callable(text) else text
    write(path, as_csv([header, *rows]))


def warned(folder, *words):
    _, result, err = run_audit(folder, *words)
    assert result is not None, err
    return {
        (each["kind"], each["text"].split('"')[1] if '"' in each["text"] else ""): each for each in result["warnings"]
    }


def test_a_plain_series_has_no_warnings(hospital):
    assert warned(hospital) == {}


def test_values_that_differ_in_spelling(hospital):
    change(hospital / "releases/2.csv", 2, "Disease", str.upper)
    [(key, warning)] = warned(hospital).items()
    value = read_rows(hospital / "releases/2.csv")[3][4]
    assert key == ("spelling", "Disease")
    assert f'"{value}" (releases/2.csv:4)' in warning["examples"][0]
    assert 'fold = ["Disease"]' in warning["text"]
    text = run_main(str(hospital))[1]
    assert text.index("Look at the files:") < text.index("What to do next" if "What to do next" in text else "Next")


def test_people_who_differ_in_spelling_are_not_named(hospital):
    change(hospital / "releases/2.csv", 0, "Owner", lambda name: f"{name.upper()} ")
    [(key, warning)] = warned(hospital).items()
    assert key == ("spelling", "individual")
    assert warning["examples"] == ["releases/1.csv:2, releases/2.csv:2"]
    [(_, warning)] = warned(hospital, "--reveal").items()
    assert warning["examples"] == ['"Bob" (releases/1.csv:2), "BOB" (releases/2.csv:2)']


def test_a_column_numeric_but_for_one_cell(hospital):
    change(hospital / "releases/2.csv", 4, "Age", "middle aged")
    [(key, warning)] = warned(hospital).items()
    assert key == ("stray-cells", "Age")
    assert "would be numeric except for 1 distinct cell" in warning["text"]
    assert warning["examples"] == ["releases/2.csv:6"]
    assert "middle aged" not in run_main(str(hospital), "--format", "html")[1]
    assert warned(hospital, "--reveal")["stray-cells", "Age"]["examples"] == ['"middle aged" (releases/2.csv:6)']


def test_decimal_commas_that_are_not_declared(hospital):
    for tag in "12":
        header, *rows = read_rows(hospital / f"releases/{tag}.csv")
        for row in rows:
            row[2] = f"{len(row[3])},5"
        write(hospital / f"releases/{tag}.csv", as_csv([header, *rows]))
    assert 'decimal = ","' in warned(hospital)["stray-cells", "Age"]["text"]


def test_totals(hospital):
    header, *rows = read_rows(hospital / "releases/1.csv")
    write(hospital / "releases/1.csv", as_csv([header, *rows, ["Total", "1", "*", "*", "11"]]))
    warning = warned(hospital)["total-row", "Total"]
    assert warning["examples"] == ["releases/1.csv:13"]
    assert 'ignore_rows = { Owner = ["Total"] }' in warning["text"]
    manifest = hospital / "series.toml"
    manifest.write_text(manifest.read_text().replace("[columns]", '[columns]\nignore_rows = { Owner = ["Total"] }'))
    assert warned(hospital)["total-row", ""]["examples"] == ["releases/1.csv: 1"]


def test_releases_that_are_the_same_file_and_files_left_aside(hospital):
    shutil.copy(hospital / "releases/1.csv", hospital / "releases/2.csv")
    shutil.copy(hospital / "releases/1.csv", hospital / "releases/3.csv")
    found = warned(hospital)
    assert found["duplicates", ""]["examples"] == ["releases/1.csv = releases/2.csv"]
    assert found["dropped-file", ""]["examples"] == ["releases/3.csv"]


def test_a_guessed_encoding_is_said(hospital):
    change(hospital / "releases/2.csv", 0, "Disease", "Kehlkopfentzündung")
    path = hospital / "releases/2.csv"
    path.write_bytes(path.read_text(encoding="utf-8").encode("latin-1"))
    assert warned(hospital)["encoding", "cp1252"]["examples"] == ["releases/2.csv"]
    manifest = hospital / "series.toml"
    manifest.write_text(manifest.read_text().replace("[columns]", '[columns]\nencoding = "cp1252"'))
    assert warned(hospital) == {}


@pytest.mark.parametrize("seed", range(20))
def test_every_respelling_is_warned_of_and_nothing_else(hospital, seed):
    """Whatever cells are spelled anew, those columns are warned of in which two texts have become one folded."""
    rng = random.Random(seed)  # noqa: S311
    for tag in "12":
        header, *rows = read_rows(hospital / f"releases/{tag}.csv")
        for row in rows:
            for name in ("Owner", "Disease"):
                if rng.random() < 0.1:
                    place = header.index(name)
                    row[place] = rng.choice(RESPELLINGS)(row[place])
        write(hospital / f"releases/{tag}.csv", as_csv([header, *rows]))
    expected = set()
    for name, called in (("Owner", "individual"), ("Disease", "Disease")):
        texts = set()
        for tag in "12":
            header, *rows = read_rows(hospital / f"releases/{tag}.csv")
            texts |= {row[header.index(name)].strip() for row in rows}
        if len({"".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in texts}) < len(texts):
            expected.add(("spelling", called))
    assert set(warned(hospital)) == expected


def test_a_total_is_recognised_in_the_identifier_alone(hospital):
    edit(hospital / "series.toml", '"Zipcode"]', '"Zipcode"]\ntypes = { Zipcode = "categorical" }')
    for row in range(4):
        change(hospital / "releases/1.csv", row, "Zipcode", "Total")
    assert warned(hospital) == {}
    change(hospital / "releases/1.csv", 0, "Owner", "Total")
    assert [kind for kind, _ in warned(hospital)] == ["total-row"]


def test_values_that_a_crosswalk_renames_are_no_other_spelling(hospital):
    value = read_rows(hospital / "releases/2.csv")[3][4]
    for row, cells in enumerate(read_rows(hospital / "releases/2.csv")[1:]):
        if cells[4] == value:
            change(hospital / "releases/2.csv", row, "Disease", str.upper)
    assert [kind for kind, _ in warned(hospital)] == ["spelling"]
    edit(hospital / "series.toml", "[columns]\n", '[columns]\ncrosswalk = { Disease = "walk.csv" }\n')
    write(hospital / "walk.csv", f"release,from,to\n2,{value.upper()},{value}\n")
    assert warned(hospital) == {}
