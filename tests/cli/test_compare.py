"""`audit compare`: its whole text, its JSON, what it refuses, and that it says nothing of persons."""

from __future__ import annotations

import csv
import html
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.running import run_main

EXAMPLES = Path(__file__).parent.parent / "examples"

HOSPITALS = """\
Release series compared
1  Hospital, 2-diverse releases (m-invariance paper, Tables 1b and 2b) (hospital-l-diverse)
2  Hospital, 2-invariant releases (m-invariance paper, Tables 1b and 3a) (hospital-2-invariant)

                                                                   min
   method     form      releases  rows/group  fakes  found   risk    e  same
1  not known  general.         2        2.20      0  25.0%      1    1    0%
2  not known  general.         2        2.18      2   0.0%  0.500    1   15%
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with copies of the examples, which is the current one."""
    for name in ("hospital-l-diverse", "hospital-2-invariant", "hospital-microdata", "cases-independent"):
        shutil.copytree(EXAMPLES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(*words: str) -> str:
    code, out, err = run_main("compare", *words)
    assert (code, err) == (0, "")
    return out


def as_json(*words: str) -> dict[str, Any]:
    return json.loads(compare(*words, "--format", "json"))


def without_times(series: dict[str, Any]) -> dict[str, Any]:
    attacks = [{name: value for name, value in each.items() if name != "seconds"} for each in series["attacks"]]
    return {**series, "attacks": attacks}


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.usefixtures("here")
def test_privacy_alone():
    found = compare("hospital-l-diverse", "hospital-2-invariant")
    assert found.startswith(HOSPITALS)
    plain = " ".join(found.split())
    for told in (
        "same share of rows whose cells are also in the release before, so that their counts can be compared.",
        "To see the error of queries and the width of cells, name the original data with --microdata.",
        "1: intersection 2 of 16 people; update-graph 4 of 22 versions; equivalence 13 of 16 people",
        '1, 2: correspondence is skipped: it needs `updates = "growing"` in [series]',
    ):
        assert told in plain
    assert plain.endswith("This is no verdict: `audit SERIES` gives one.")


@pytest.mark.usefixtures("here")
def test_privacy_and_utility():
    found = compare("hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--queries", "7")
    rows = [line.split() for line in found.splitlines()[6:8]]
    assert [row[-2] for row in rows] == ["19.0%", "14.0%"]
    assert "7 random COUNT queries of each release, ranges |A| · theta^(1/d), theta 0.1, seed 0;\n" in found
    assert "relative to the actual count in Hospital (m-invariance paper, Tables 1a and 2a).\n" in found
    assert "--microdata" not in found
    assert all(len(line) <= 100 for line in found.splitlines())


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("form", "separator"), [("csv", ","), ("markdown", "|")])
def test_tables_for_other_programs(form, separator):
    found = compare("hospital-l-diverse", "hospital-2-invariant", "--format", form)
    rows = [line for line in found.splitlines() if re.match(r"hospital-|\| [12] \| not", line)]
    assert len(rows) == 2
    assert len({row.count(separator) for row in rows}) == 1


def test_method_and_form_are_those_of_the_manifest(tmp_path):
    for method, form in (("m-invariance", "generalization"), ("e-equivalence", "anatomy")):
        given = ["--m", "2"] if method == "m-invariance" else ["--m", "2", "--e", "2"]
        words = ["anonymize", str(EXAMPLES / "clinic-microdata"), "--method", method, *given, "--seed", "1"]
        run_main(*words, "--output", str(tmp_path / method))
        if (tmp_path / method).exists():
            found = as_json(str(tmp_path / method))["series"][0]
            assert (found["method"].split()[0], found["form"]) == (method, form)
            assert "--m 2" in found["method"]
    assert (tmp_path / "m-invariance").exists()


@pytest.mark.usefixtures("here")
def test_json_has_the_means_and_every_release():
    found = as_json("hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--seed", "3")
    assert found["schema_version"] == 1
    assert found["asked"] == {
        "microdata": "Hospital (m-invariance paper, Tables 1a and 2a)",
        "queries": 10_000,
        "theta": 0.1,
        "style": "m-invariance",
        "seed": 3,
    }
    diverse, invariant = found["series"]
    assert [diverse["path"], invariant["path"]] == ["hospital-l-diverse", "hospital-2-invariant"]
    assert invariant["counterfeits"] == {"max": 2, "sum": 2}
    assert diverse["individuals"] == 16
    attacks = {attack["attack"]: attack for attack in diverse["attacks"]}
    assert attacks["intersection"]["measures"]["vulnerable"] == 2
    assert not any("findings" in attack for attack in diverse["attacks"])
    for series in (diverse, invariant):
        releases = series["by_release"]
        assert [release["tag"] for release in releases] == ["1", "2"]
        for name, mean in series["means"].items():
            known = [release[name] for release in releases if release[name] is not None]
            assert mean == pytest.approx(sum(known) / len(known)), name
        assert series["rows"] == sum(release["rows"] for release in releases)
    # Hosting groups of Bob's and Alice's first release, Tables 1b: the same in both series.
    assert diverse["by_release"][0] == invariant["by_release"][0]


@pytest.mark.usefixtures("here")
def test_a_series_is_measured_alike_whatever_stands_beside_it():
    options = ("--microdata", "hospital-microdata", "--queries", "200")
    both = as_json("hospital-l-diverse", "hospital-2-invariant", *options)["series"]
    turned = as_json("hospital-2-invariant", "hospital-l-diverse", *options)["series"]
    alone = as_json("hospital-2-invariant", *options)["series"]
    assert without_times(both[1]) == without_times(turned[0]) == without_times(alone[0])
    other = as_json("hospital-2-invariant", *options, "--seed", "1")["series"]
    assert other[0]["means"]["query_error"] != alone[0]["means"]["query_error"]


@pytest.mark.usefixtures("here")
def test_the_workload_of_the_m_distinct_paper_is_told():
    words = ("hospital-2-invariant", "--microdata", "hospital-microdata", "--queries", "300")
    found = compare(*words, "--workload", "m-distinct", "--theta", "0.5")
    assert "ranges |A| · theta, theta 0.5, seed 0;\n  the error is relative to the estimated count" in found
    usual = as_json(*words)["series"][0]["means"]["query_error"]
    assert as_json(*words, "--workload", "m-distinct")["series"][0]["means"]["query_error"] != usual


def test_a_series_without_a_key_is_compared_as_published(here: Path):
    edit(here / "hospital-l-diverse/series.toml", 'individual = "Owner"\n', "")
    words = ("hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--queries", "9")
    found = compare(*words)
    assert "\n  The adversaries differ, so their risks do not mean the same.\n" in found
    series = as_json(*words)["series"]
    assert series[0]["adversary"] == "published"
    assert [each["attack"] for each in series[0]["attacks"] if each["status"] == "complete"] == ["homogeneity"]
    assert series[0]["means"]["query_error"] is not None


@pytest.mark.usefixtures("here")
def test_records_without_people():
    found = compare("cases-independent", "hospital-2-invariant")
    lines = [" ".join(line.split()) for line in found.splitlines()]
    assert any(line.startswith("1 not known general. 2 2.00 0 66.7% 1 - ") for line in lines)


def test_series_of_different_releases_are_told(here: Path):
    edit(here / "hospital-2-invariant/series.toml", '"releases/1.csv", ', "")
    found = compare("hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--queries", "9")
    assert "\n  The series do not have the same releases.\n" in found


@pytest.mark.usefixtures("here")
def test_no_query_may_have_an_error():
    words = ("hospital-2-invariant", "--microdata", "hospital-microdata", "--queries", "1", "--theta", "1e-9")
    (series,) = as_json(*words)["series"]
    assert series["means"]["query_error"] is None
    assert series["means"]["skipped"] == 1
    assert compare(*words).splitlines()[5].endswith(" -")


def test_nothing_is_said_of_persons(here: Path):
    with (here / "hospital-microdata/1.csv").open(newline="", encoding="utf-8") as file:
        people = list(csv.DictReader(file))
    for form in ("text", "json"):
        found = compare(
            "hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--format", form
        )
        assert not any(person["Name"] in found or person["Zipcode"] in found for person in people)


def test_names_of_series_cannot_forge_lines(here: Path):
    edit(here / "hospital-2-invariant/series.toml", "Hospital, 2-invariant", "Evil\\u001b[2J\\nadversary none")
    found = compare("hospital-2-invariant")
    assert "\x1b" not in found
    assert found.splitlines()[1].startswith("1  Evil�[2J�adversary none")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "nowhere/series.toml: there is no such file"),
        (["hospital-2-invariant", "--microdata", "nowhere"], "nowhere/microdata.toml: there is no such file"),
        (["cases-independent", "--microdata", "hospital-microdata"], "cases-independent: the microdata has no"),
        (["hospital-2-invariant", "--theta", "0"], "--theta: a number above 0 and at most 1"),
        (["hospital-2-invariant", "--theta", "nan"], "--theta: a number above 0 and at most 1"),
        (["hospital-2-invariant", "--queries", "0"], "--queries: a whole number from 1"),
        (["hospital-2-invariant", "--seed", "-1"], "--seed"),
        (["hospital-2-invariant", "--workload", "other"], "--workload"),
        ([], "SERIES"),
    ],
)
@pytest.mark.usefixtures("here")
def test_wrong_words_are_one_line(words: list[str], told: str):
    code, out, err = run_main("compare", *words)
    assert (code, out) == (2, "")
    assert err.startswith("audit: ")
    assert err.count("\n") == 1
    assert told in err


def test_a_fault_says_in_which_series_it_is(here: Path):
    edit(here / "hospital-2-invariant/releases/2.csv", "gastritis", "")
    code, out, err = run_main("compare", "hospital-l-diverse", "hospital-2-invariant")
    assert (code, out) == (2, "")
    assert "hospital-2-invariant/releases/2.csv:" in err


def test_faults_of_the_microdata_quote_nobody(here: Path):
    edit(here / "hospital-microdata/2.csv", ",21,", ",twenty-one,")
    words = ("compare", "hospital-2-invariant", "--microdata", "hospital-microdata")
    code, out, err = run_main(*words)
    assert (code, out) == (2, "")
    assert "hospital-microdata/2.csv:" in err
    assert "twenty-one" not in err


def test_a_page_shows_each_attack(here):
    page = here / "compared.html"
    words = ("hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--queries", "7")
    assert compare(*words, "--format", "html", "--output", str(page)) == ""
    text = page.read_text(encoding="utf-8")
    for cell in ("2 of 16 people", "12 of 16 people (least e: 1)", "normalized certainty penalty", "19.0%"):
        assert html.escape(cell) in text
    assert text.count("<svg ") >= 3
    assert "<script" not in text


@pytest.mark.usefixtures("here")
def test_no_file_of_a_compared_series_is_written_over():
    code, out, err = run_main("compare", "hospital-l-diverse", "--output", "hospital-l-diverse/releases/1.csv")
    assert (code, out) == (2, "")
    assert "this file is one of the inputs" in err


def test_the_comparison_is_never_written_over_microdata(tmp_path):
    data, series = tmp_path / "data", tmp_path / "series"
    shutil.copytree(EXAMPLES / "hospital-microdata", data)
    shutil.copytree(EXAMPLES / "hospital-2-invariant", series)
    for path in sorted(each for each in data.rglob("*") if each.is_file()):
        before = path.read_bytes()
        code, out, err = run_main("compare", str(series), "--microdata", str(data), "--output", str(path))
        assert (code, out) == (2, "")
        assert "this file is one of the inputs" in err
        assert path.read_bytes() == before
