"""On a terminal progress is shown, and nothing of it is left."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress

import pytest

from tests.cli.test_command_line import HOSPITAL

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


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_times_are_never_cut_and_never_left_open(columns):
    said = on_terminal([str(HOSPITAL), "--findings", "all"], columns=columns)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said).replace("\n", "\r")
    lines = [line.rstrip() for line in plain.split("\r") if "gone" in line]
    assert len(lines) > 3
    for line in lines:
        assert len(line) <= columns
        assert re.search(r" \d:\d\d:\d\d gone(, \d:\d\d:\d\d left)?$", line), line
