"""On a terminal something is said at once, and nothing of it stays."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.test_command_line import HOSPITAL

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from audit.cli.entry import main; sys.exit(main())"


def on_terminal(words, term="xterm"):
    """Run a command, and return what it writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": term, "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=theirs, env=environment
    )
    os.close(theirs)
    said = b""
    with suppress(OSError):  # how Linux says that nobody has the other end any more
        while part := os.read(ours, 4096):
            said += part
    process.wait()
    os.close(ours)
    return said.decode()


def test_something_is_said_at_once_and_taken_away_again():
    said = on_terminal([str(HOSPITAL), "--attack", "intersection"])
    assert said.startswith("audit: starting …\r\x1b[K")
    assert "reading" in said


def test_before_it_is_said_nothing_is_imported_that_takes_time():
    program = "import sys; before = {*sys.modules}; import audit.cli.entry; print(*{*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert {name for name in done.stdout.split() if name.startswith("audit")} == {
        "audit",
        "audit.cli",
        "audit.cli.entry",
        "audit.cli.first_line",
    }
    assert {"argparse", "dataclasses", "numpy"}.isdisjoint(done.stdout.split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], []])
def test_nothing_is_said_where_the_answer_comes_at_once(words):
    assert "starting" not in on_terminal(words)


def test_a_terminal_that_cannot_erase_is_spared():
    assert "starting" not in on_terminal([str(HOSPITAL), "--attack", "intersection"], term="dumb")


def test_an_error_stands_on_a_line_of_its_own():
    assert on_terminal([str(HOSPITAL), "--frobnicate"]).startswith("audit: starting …\r\x1b[Kaudit: ")
