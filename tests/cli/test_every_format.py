"""`audit next` and `audit explain` take every format and `--attack` that `audit` takes."""

import json
import shutil

import pytest

from reports.impact import _value
from reports.registry import FORMATS
from tests.cli.forms import EXAMPLES, edit
from tests.helpers.running import run_main

NAMES = list(FORMATS.names)
HOSPITAL = EXAMPLES / "hospital-l-diverse"


@pytest.fixture
def held_back(tmp_path):
    """The series without its last release, and that release."""
    shutil.copytree(HOSPITAL, tmp_path / "s")
    shutil.move(tmp_path / "s/releases/2.csv", tmp_path / "2.csv")
    edit(tmp_path / "s/series.toml", ', "releases/2.csv"', "")
    return str(tmp_path / "s"), str(tmp_path / "2.csv")


@pytest.mark.parametrize("name", NAMES)
def test_next(name, held_back):
    code, out, err = run_main("next", *held_back, "--format", name, "--attack", "intersection", "--findings", "all")
    assert (code, err) == (1, "")
    assert "dyspepsia" in out
    if name not in {"text", "json"}:
        assert "Findings that the candidate adds: 2" in out or name in {"sarif", "junit", "github"}
    assert "Bob" not in out


@pytest.mark.parametrize("name", NAMES)
def test_explain(name):
    words = ["explain", str(HOSPITAL), "--individual", "Bob", "--format", name]
    code, out, err = run_main(*words)
    assert (code, err) == (0, "")
    assert "Bob" in out
    assert "dyspepsia" in out
    one = run_main(*words, "--attack", "joint")[1]
    if name != "sarif":  # which lists its rules
        assert "intersection" not in one.replace("possible by intersection", "")


def test_an_explanation_as_json():
    out = json.loads(run_main("explain", str(HOSPITAL), "--individual", "Bob", "--format", "json")[1])
    [attribute] = out["attributes"]
    assert [version["release"] for version in attribute["versions"]] == ["1", "2"]
    assert {said["attack"] for said in attribute["attacks"]} == {"intersection", "equivalence", "joint"}


def test_explain_needs_an_attack_on_people():
    code, out, err = run_main("explain", str(HOSPITAL), "--individual", "Bob", "--attack", "inference-table")
    assert (code, out) == (2, "")
    assert "--attack" in err


@pytest.mark.parametrize(
    ("measure", "value", "told"),
    [
        ("estimated max_risk", {"value": 0.5, "low": 0.25, "high": 0.75}, "0.500 (0.250 to 0.750)"),
        ("min_e", {"lower": 2, "upper": None}, "2 or more"),
    ],
)
def test_a_measure_that_is_a_table_is_told(measure, value, told):
    assert _value(measure, value) == told
