"""Findings can be located: who, by which attacks, in which lines of which file, beside which cells."""

import csv
import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.forms import FORMS, edit
from tests.helpers.running import run_main


def audited(folder, *words):
    out = run_main(str(folder), "--format", "json", "--findings", "all", *words)[1]
    return json.loads(out)


def table(path):
    """The lines of a file as dicts, by the numbers that reports give them."""
    if path.name.endswith(".parquet"):
        return dict(enumerate(pq.read_table(path).to_pylist(), 1))
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.name.endswith(".gz") else content).decode()
    return dict(enumerate(csv.DictReader(text.splitlines()), 2))


def assert_located(folder, result, group_column):
    """The lines of each group are those of the file with its name, and their cells what the file says."""
    count = 0
    for entry in result["attacks"]:
        for finding in entry["findings"]:
            named = {(step["release"], group) for step in finding["certificate"] if "release" in step
                     for group in step.get("groups", [step.get("group")]) if group}  # fmt: skip
            assert {(each["release"], each["group"]) for each in finding["rows"]} >= named
            for each in finding["rows"]:
                lines = table(folder / each["file"])
                mine = [number for number, line in lines.items() if str(line[group_column]) == each["group"]]
                assert each["lines"] == mine
                cells = [dict(cells) for cells in each["cells"]]
                assert cells == [dict(pair) for pair in dict.fromkeys(
                    tuple((name, str(lines[number][name])) for name in cells[0]) for number in mine)]  # fmt: skip
                count += 1
    assert count


def as_form(folder, form):
    """Store the releases as another kind of file."""
    for path in sorted((folder / "releases").glob("*.csv")):
        if form == "csv.gz":
            path.with_suffix(".csv.gz").write_bytes(gzip.compress(path.read_bytes()))
        else:
            columns = csv.DictReader(path.read_text().splitlines())
            rows = list(columns)
            pq.write_table(pa.Table.from_pylist(rows), path.with_suffix(".parquet"))
        path.unlink()
    edit(folder / "series.toml", ".csv", f".{form}")


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet"])
def test_every_kind_of_file(form, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    if form != "csv":
        as_form(tmp_path / "s", form)
    result = audited(tmp_path / "s", "--reveal")
    assert_located(tmp_path / "s", result, "Group-ID")


def test_a_pair_stands_in_two_files(tmp_path):
    FORMS["anatomy"](tmp_path / "s")
    result = audited(tmp_path / "s", "--reveal")
    found = [one for entry in result["attacks"] for one in entry["findings"]]
    assert found
    for one in found:
        assert len({each["file"] for each in one["rows"]}) == 2 * len({each["release"] for each in one["rows"]})


@pytest.mark.parametrize("form", ["text", "markdown", "html", "sarif"])
def test_formats_say_where(form, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    page = run_main(str(tmp_path / "s"), "--reveal", "--format", form)[1]
    assert "lines 2-3" in page
    told = run_main("explain", str(tmp_path / "s"), "--individual", "Bob", "--format", form)[1]
    assert "lines 2-3" in told


def test_reasons_are_all_attacks_whatever_is_shown(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    result = json.loads(run_main(str(tmp_path / "s"), "--format", "json", "--findings", "1", "--reveal")[1])
    for each in result["people"]:
        if each["individual"] in {"Bob", "David"}:
            assert each["reasons"] == ["intersection", "update-graph", "joint"]
