"""Completion in a shell: what may follow the words of a line."""

import os
import subprocess
import sys

import pytest

from attacks.registry import ATTACKS
from audit.cli.main import COMMANDS
from reports.registry import FORMATS


def completed(line, folder):
    """Return the words that the shell is told."""
    told = folder / "told"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SHELL": "bash",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(told),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    command = [sys.executable, "-m", "audit.cli.main"]
    done = subprocess.run(command, env={**os.environ, **asked}, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return {word.strip() for word in told.read_text().split("\n") if word}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("audit ", {*COMMANDS, "clinic/"}),
        ("audit cl", {"clinic/"}),
        ("audit comp", {"compare"}),
        ("audit clinic --attack ", {*ATTACKS.names, "differencing"}),
        ("audit clinic --format ", set(FORMATS.names)),
        ("audit clinic --rev", {"--reveal"}),
        ("audit check clinic --princ", {"--principle"}),
        ("audit init cl", {"clinic/"}),
    ],
)
def test_what_may_follow(tmp_path, line, words):
    (tmp_path / "clinic").mkdir()
    found = completed(line, tmp_path)
    if not line.split(" ")[-1].startswith("-"):
        found = {word for word in found if not word.startswith("-")}
    assert found == words


def test_options_of_another_command_do_not_follow(tmp_path):
    assert "--principle" not in completed("audit clinic --", tmp_path)
    assert {"--principle", "--m"} <= completed("audit check clinic --", tmp_path)
