"""What is irregular about files stands in the report, above the findings, and names nobody without --reveal."""

import random
import shutil
import unicodedata

import pytest

from tests.cli.forms import EXAMPLES, read_rows
from tests.cli.test_messy_files import RESPELLINGS
from tests.helpers.amount import some
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


def test_a_column_numeric_but_for_one_cell(hospital):
    change(hospital / "releases/2.csv", 4, "Age", "middle aged")
    [(key, warning)] = warned(hospital).items()
    assert key == ("stray-cells", "Age")
    assert "would be numeric except for 1 distinct cell" in warning["text"]
    assert warning["examples"] == ["releases/2.csv:6"]
    assert "middle aged" not in run_main(str(hospital), "--format", "html")[1]
    assert warned(hospital, "--reveal")["stray-cells", "Age"]["examples"] == ['"middle aged" (releases/2.csv:6)']


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


@pytest.mark.parametrize("seed", range(some(20)))
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
