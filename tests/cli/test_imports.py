"""What a command does not need is not imported: each of these takes from a tenth of a second to half a second."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.test_command_line import HOSPITAL

HEAVY = ("pandas", "ortools", "numba", "matplotlib", "networkx", "distributed", "IPython")
SERIES = str(HOSPITAL)


@pytest.mark.parametrize(
    ("words", "also"),
    [
        (["--help"], ("pyarrow", "scipy", "rich", "jinja2")),
        (["--version"], ("pyarrow", "scipy", "rich", "jinja2")),
        (["anonymize", "--help"], ("pyarrow", "scipy", "rich", "jinja2")),
        ([SERIES], ("jinja2",)),
        ([SERIES, "--attack", "intersection", "--format", "json"], ("scipy", "rich", "jinja2")),
        ([SERIES, "--format", "html"], ("rich",)),
    ],
)
def test_a_command_imports_what_it_needs(words, also) -> None:
    program = f"""
import sys
from audit.cli.entry import main
sys.argv = ["audit", *{words!r}]
main()
print("\\nimported:", *(name for name in {(*HEAVY, *also)!r} if name in sys.modules))
"""
    # The proofs of what `joint` finds take a linear programme (ortools, which imports pandas); nothing else does.
    needed = {"ortools", "pandas"} if SERIES in words and "--attack" not in words else set()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert set(done.stdout.splitlines()[-1].split()[1:]) <= needed, done.stderr
