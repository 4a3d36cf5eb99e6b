"""`audit compare`: its whole text, its JSON, its refusals, and that it contains nothing about persons."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.running import done, refused

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
    return done("compare", *words)


def as_json(*words: str) -> dict[str, Any]:
    return json.loads(compare(*words, "--format", "json"))


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
        "1, 2: correspondence is skipped: it needs a series in which each record of a release is also in the next one",
    ):
        assert told in plain
    assert plain.endswith("This is not a verdict: `audit SERIES` gives one.")


@pytest.mark.usefixtures("here")
def test_privacy_and_utility():
    found = compare("hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--queries", "7")
    rows = [line.split() for line in found.splitlines()[6:8]]
    assert [row[-2] for row in rows] == ["19.0%", "14.0%"]
    assert "7 random COUNT queries of each release, ranges |A| · theta^(1/d), theta 0.1, seed 0.\n" in found
    assert "relative to the actual count in Hospital (m-invariance paper, Tables 1a and 2a).\n" in found
    assert "--microdata" not in found
    assert all(len(line) <= 100 for line in found.splitlines())


@pytest.mark.usefixtures("here")
def test_json_has_the_means_and_every_release():
    found = as_json("hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--seed", "3")
    assert found["schema_version"] == 2
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


def test_a_series_without_a_key_is_compared_as_published(here: Path):
    edit(here / "hospital-l-diverse/series.toml", 'individual = "Owner"\n', "")
    words = ("hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--queries", "9")
    found = compare(*words)
    assert "\n  The adversaries differ, so their risks do not mean the same.\n" in found
    series = as_json(*words)["series"]
    assert series[0]["adversary"] == "published"
    assert [each["attack"] for each in series[0]["attacks"] if each["status"] == "complete"] == ["homogeneity"]
    assert series[0]["means"]["query_error"] is not None


def test_nothing_is_said_of_persons(here: Path):
    with (here / "hospital-microdata/1.csv").open(newline="", encoding="utf-8") as file:
        people = list(csv.DictReader(file))
    for form in ("text", "json"):
        found = compare(
            "hospital-l-diverse", "hospital-2-invariant", "--microdata", "hospital-microdata", "--format", form
        )
        assert not any(person["Name"] in found or person["Zipcode"] in found for person in people)


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
    err = refused("compare", *words)
    assert err.count("\n") == 1
    assert told in err


def test_faults_of_the_microdata_quote_nobody(here: Path):
    edit(here / "hospital-microdata/2.csv", ",21,", ",twenty-one,")
    words = ("compare", "hospital-2-invariant", "--microdata", "hospital-microdata")
    err = refused(*words)
    assert "hospital-microdata/2.csv:" in err
    assert "twenty-one" not in err
