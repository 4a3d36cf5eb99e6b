"""The log: stages with counts and seconds, only where somebody asks for it, and nothing private in it."""

import logging
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from audit.runtime.log import ROOT, logged_stage
from tests.cli.forms import EXAMPLES, FORMS, edit, read_rows
from tests.helpers.running import run_main

COUNTS = Path(__file__).parents[1] / "count_table_examples"
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (?:INFO|DEBUG) audit[a-z_.]*: (?P<said>.*)")
NUMBERS = re.compile(r"(?: [a-z_]+=-?\d+(?:\.\d{3})?)+$")
FOLDER = "kept-by-nobody-else"


def logged(err):
    """What the log says, line by line."""
    return [found["said"] for found in map(LINE.fullmatch, err.splitlines()) if found]


def words(text):
    """Words of three letters and more, and numbers of five digits and more."""
    return {each.lower() for each in re.findall(r"[^\W\d_]{3,}|\d{5,}", text)}


def private_words(folder):
    """All words of a folder's tables, and of where it lies."""
    cells = [cell for path in folder.rglob("*.csv") for row in read_rows(path)[1:] for cell in row]
    return words(" ".join([*cells, FOLDER]))


def hospital(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / FOLDER)
    return tmp_path / FOLDER


def repaired(tmp_path):
    folder = hospital(tmp_path)
    candidate = (folder / "releases" / "2.csv").rename(tmp_path / "2.csv")
    edit(folder / "series.toml", ', "releases/2.csv"', "")
    return ["repair", str(folder), str(candidate), "--output", str(tmp_path / "out"), "--findings", "3"]


def published(tmp_path):
    shutil.copytree(EXAMPLES / "hospital-microdata", tmp_path / FOLDER)
    words = ["--method", "m-invariance", "--m", "2", "--output", str(tmp_path / "out")]
    return ["anonymize", str(tmp_path / FOLDER), *words]


def counted(tmp_path):
    shutil.copytree(COUNTS / "tables-all-and-male", tmp_path / FOLDER)
    return [str(tmp_path / FOLDER)]


def failing(tmp_path):
    folder = hospital(tmp_path)
    edit(folder / "releases" / "2.csv", "David,1,", "Bob,1,")
    return [str(folder)]


COMMANDS = {
    "audit": lambda tmp_path: [str(hospital(tmp_path)), "--reveal", "--findings", "all"],
    "explain": lambda tmp_path: ["explain", str(hospital(tmp_path)), "--individual", "Bob"],
    "repair": repaired,
    "anonymize": published,
    "count tables": counted,
    "an error that names somebody": failing,
}


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_log_names_nobody(kind, tmp_path, monkeypatch):
    asked = COMMANDS[kind](tmp_path)
    monkeypatch.setenv("AUDIT_LOG", "debug")
    code, _, err = run_main(*asked)
    said = logged(err)
    assert said[0].startswith("command ")
    assert any(f"exit_code={code}" in line for line in said) or (kind.startswith("an error") and code == 2)
    known = private_words(tmp_path)
    assert len(known) > 4
    assert {line for line in said if words(line) & known} == set()
    # All that a stage adds to words of the program are numbers.
    assert [line for line in said if "seconds=" in line and not NUMBERS.search(line)] == []


def test_nothing_is_logged_unless_asked_for_and_no_report_changes(tmp_path, monkeypatch):
    asked = [str(hospital(tmp_path)), "--format", "json", "--stable-ids"]
    (tmp_path / FOLDER / "private").mkdir()
    code, out, err = run_main(*asked)
    assert (code, err) == (1, "")
    monkeypatch.setenv("AUDIT_LOG", "debug")
    again, same, err = run_main(*asked)
    assert (again, err != "") == (1, True)
    seconds = re.compile(r'"seconds": [\d.e-]+')
    assert seconds.sub("", same) == seconds.sub("", out)
    assert not ROOT.handlers[1:]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has it")
def test_a_log_that_cannot_be_written_changes_no_verdict():
    series = str(EXAMPLES / "clinic-2-equivalence")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "audit.cli.main", series, "--attack", "intersection", "--policy", "max_risk=0.9"],
            env={"AUDIT_LOG": "debug", "PYTHONPATH": str(EXAMPLES.parents[1])},
            stdout=subprocess.PIPE,
            stderr=full,
            timeout=600,
        )
    assert done.returncode in {0, 3}
    assert done.stdout


def test_of_an_error_the_kind_is_logged_and_not_what_it_says(caplog):
    with (
        caplog.at_level(logging.INFO, logger="audit"),
        pytest.raises(ValueError, match="Bob"),
        logged_stage(ROOT, "stage", rows=3),
    ):
        raise ValueError("Bob")
    assert caplog.messages[0].startswith("stage: ended by ValueError rows=3 seconds=")
