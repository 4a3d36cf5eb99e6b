"""What a command does not need is not imported: each of these takes from a tenth of a second to half a second."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.test_command_line import HOSPITAL

HEAVY = ("pandas", "ortools", "numba", "matplotlib", "networkx", "distributed", "IPython")
SERIES = str(HOSPITAL)
UNASKED = ("audit.model.count_tables",)
"""What only series of count tables need, and what only repairs do."""


@pytest.mark.parametrize(
    ("words", "also"),
    [
        (["--help"], ("numpy", "pyarrow", "scipy", "rich", "jinja2", "audit.model.report")),
        (["next", "--help"], ("numpy", "pyarrow", "scipy", "rich", "jinja2")),
        (["--version"], ("pyarrow", "scipy", "rich", "jinja2")),
        (["anonymize", "--help"], ("pyarrow", "scipy", "rich", "jinja2")),
        ([SERIES], ("jinja2", "scipy", *UNASKED)),
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
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert done.stdout.splitlines()[-1].split() == ["imported:"], done.stderr


def test_an_attack_is_imported_without_the_others() -> None:
    program = """
import sys
from audit.cli.entry import main
sys.argv = ["audit", *sys.argv[1:]]
main()
print("\\nimported:", *sorted(name for name in sys.modules if name.startswith("attacks.joint.")))
"""
    few = [SERIES, "--attack", "intersection", "--findings=3", "--format", "json"]
    for words, others in ((few, False), ([*few, "--max-e", "2"], True), ([*few, "--polic", "k=2"], True)):
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=600)
        assert ("attacks.joint.attack" in done.stdout.splitlines()[-1]) == others, done.stderr
