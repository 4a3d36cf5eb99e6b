"""What type checkers accept of what a user may write, and what they refuse."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from attacks.registry import all_attacks
from audit.model.options import options_of
from audit.pipeline.settings import Settings
from tests.helpers.amount import slow

pytestmark = slow

ACCEPTED = """\
import audit

series = audit.load("ward")
one = series.attack("equivalence", max_e=2, reveal=True)
text: str = audit.load("ward").attack("joint", seed=1, policy={"k": 3}).verdict
passed: bool = series.audit(adversary="linked", time_limit=None, findings=5).passed
rest = series.audit(attack=["joint", "intersection"], risks="risks.csv", witness="proof", proofs="veripb")
new: int = series.next("2024.csv", attack="intersection", stable_ids=True).new
repaired: bool = series.repair("2024.csv", "out", policy={"k": 2}, progress=False).repaired
counted: str = audit.load("tables", kind="tables").audit(findings=None, policy={"min_count": 10}).verdict
"""
REFUSED = [
    'audit.load("ward").attack("joint", sede=1)',
    'audit.load("ward").attack("joint", findings="all")',
    'audit.load("ward").audit(timelimit=3)',
    'audit.load("ward").audit(adversary="neighbour")',
    'audit.load("ward").audit(proofs="drat")',
    'audit.load("ward").audit(attack=1)',
    'audit.load("ward").next("2024.csv", reveals=True)',
    'audit.load("ward").repair("2024.csv", "out", reveals=True)',
    'audit.load("tables", kind="tables").audit(reveal=True)',
    'audit.load("tables", kind="tables").audit(risks="risks.csv")',
    'audit.lod("ward")',
]


def mypy(file: Path) -> dict[int, str]:
    """Return what mypy says of a file, by line; it has read the program where `make lint` has run."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", str(file)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    found = (line.split("mine.py:", 1)[1].split(":", 1) for line in done.stdout.splitlines() if "mine.py:" in line)
    return {int(line): text for line, text in found if "error:" in text}


def pyright(file: Path) -> dict[int, str]:
    """Return what pyright says of a file, by line."""
    pytest.importorskip("basedpyright", reason="pyright is not installed: pip install basedpyright")
    root = Path(__file__).parents[2]
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(root)], "include": [file.name]}
    (file.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable],
        capture_output=True, text=True, check=False, cwd=file.parent,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == 1
    return {each["range"]["start"]["line"] + 1: each["message"] for each in found["generalDiagnostics"]}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_what_a_user_may_write_is_accepted_and_each_mistake_refused(
    checker: Callable[[Path], dict[int, str]], tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(ACCEPTED + "\n".join(REFUSED) + "\n", encoding="utf-8")
    errors, first = checker(tmp_path / "mine.py"), ACCEPTED.count("\n") + 1
    assert sorted(errors) == list(range(first, first + len(REFUSED))), errors


def test_each_option_of_an_attack_is_an_argument() -> None:
    options = {option.name for attack in all_attacks() for option in options_of(type(attack))}
    assert options <= Settings.__annotations__.keys()
