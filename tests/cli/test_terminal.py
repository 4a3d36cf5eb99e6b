"""On a terminal something is said at once, and nothing of it stays."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.test_command_line import HOSPITAL

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from audit.cli.entry import main; sys.exit(main())"


def on_terminal(words, term="xterm", columns=100):
    """Run a command, and return what it writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": term, "COLUMNS": str(columns)}
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


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_times_are_never_cut_and_never_left_open(columns):
    said = on_terminal([str(HOSPITAL), "--findings", "all"], columns=columns)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said).replace("\n", "\r")
    lines = [line.rstrip() for line in plain.split("\r") if "gone" in line]
    assert len(lines) > 3
    for line in lines:
        assert len(line) <= columns
        assert re.search(r" \d:\d\d:\d\d gone(, \d:\d\d:\d\d left)?$", line), line


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
