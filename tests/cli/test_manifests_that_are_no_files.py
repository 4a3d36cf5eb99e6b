"""A `series.toml` that is a folder, a pipe or a device ends every command with one clear line."""

import os

import pytest

from tests.cli.forms import EXAMPLES
from tests.helpers.running import run_main

MAKE = {
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
}
COMMANDS = {
    "audit": lambda series: [series],
    "the file": lambda series: [series / "series.toml"],
    "check": lambda series: ["check", series, "--principle", "k-anonymity", "--k", "2"],
    "next": lambda series: ["next", series, series / "2.csv"],
    "explain": lambda series: ["explain", series, "--individual", "p"],
    "repair": lambda series: ["repair", series, series / "2.csv", "--output", series / "out"],
    "compare": lambda series: ["compare", series, EXAMPLES / "hospital-2-invariant"],
    "waive": lambda series: ["waive", series, "joint-1", "--reason", "r", "--until", "2030-01-01"],
    "init": lambda series: ["init", series, "--yes"],
    "anonymize": lambda series: [
        *("anonymize", EXAMPLES / "hospital-microdata", "--method", "mondrian", "--k", "2", "--output", series)
    ],
    "history": lambda series: ["history", series],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", MAKE)
def test_one_line_says_what_it_is(kind, command, tmp_path):
    series = tmp_path / "series"
    series.mkdir()
    MAKE[kind](series / "series.toml")
    (series / "2.csv").write_text("g,age,d\n1,20,flu\n1,20,gout\n")
    code, out, err = run_main(*map(str, COMMANDS[command](series)))
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert str(series) in err
