"""What is interrupted is reported as far as it is finished, of people and of count tables."""

import json
import os
import re
import shutil
import signal
import tempfile
import time
from pathlib import Path

import pytest

from attacks.differencing import attack
from attacks.differencing.components import Remainder
from audit.cli.main import after_imports, main
from audit.count_tables import second_reading
from reports.registry import FORMATS
from tests.cli.forms import EXAMPLES
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

HOSPITAL = str(EXAMPLES / "hospital-l-diverse")
SAFE = str(EXAMPLES / "clinic-2-equivalence")


def stopped(*_):
    raise KeyboardInterrupt


@pytest.fixture
def at_joint(monkeypatch):
    """The user interrupts while `joint` runs."""
    monkeypatch.setattr("attacks.joint.attack.JointAttack.run", stopped)


def test_what_is_finished_is_reported(at_joint):
    code, out, err = run_main(HOSPITAL, "--format", "json")
    result = json.loads(out)
    assert (code, err, result["interrupted"]) == (130, "", True)
    status = {entry["attack"]: entry["status"] for entry in result["attacks"]}
    assert (status["intersection"], status["equivalence"], status["joint"]) == ("complete", "complete", "skipped")
    reasons = {entry["attack"]: entry["reason"] for entry in result["attacks"]}
    assert "interrupted" in reasons["joint"]
    assert "interrupted" in reasons["inference-table"]
    assert not result["policy"]["passed"]


def test_nothing_passes_that_was_interrupted(at_joint):
    code, out, _ = run_main(SAFE, "--format", "json")
    policy = json.loads(out)["policy"]
    assert (code, policy["passed"], policy["violations"]) == (130, False, [])
    assert {each["state"] for each in policy["clauses"]} == {"undecided"}


@pytest.mark.parametrize("name", [each.name for each in FORMATS])
def test_every_format_says_so(name, at_joint, tmp_path):
    target = tmp_path / "report"
    code, out, err = run_main(SAFE, "--format", name, "--output", str(target))
    assert (code, out, err) == (130, "", "")
    assert "interrupted" in target.read_text().lower()
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_before_anything_is_finished_nothing_is_written(monkeypatch, tmp_path):
    monkeypatch.setattr("attacks.intersection.IntersectionAttack.run", stopped)
    target = tmp_path / "report"
    code, out, err = run_main(SAFE, "--output", str(target))
    assert (code, out, err.splitlines()) == (130, "", ["audit: interrupted"])
    assert not target.exists()


@pytest.mark.parametrize("words", [(), ("--time-limit", "0.000001")], ids=["interrupted", "out of time"])
def test_what_is_decided_is_said_in_three_lines(words, request):
    """Each clause is in one of the first two lines, as JSON has it; a run that ended in time has no such lines."""
    if not words:
        request.getfixturevalue("at_joint")
    policy = json.loads(run_main(HOSPITAL, "--format", "json", *words)[1])["policy"]
    lines = run_main(HOSPITAL, *words)[1].split("\nWhere it stands\n")[1].split("\n\n")[0]
    decided, still_open, finished = (" ".join(each.split()) for each in re.split(r"\n  (?=[A-Z])", lines))
    states = {each["clause"]: each["state"] for each in policy["clauses"]}
    how = {"holds": "holds", "violated": "is violated"}
    said = [f"{clause} {how[state]}" for clause, state in states.items() if state in how]
    assert decided == f"Decided: {', '.join(said) or 'none'}."
    assert still_open == f"Open: {', '.join(clause for clause, state in states.items() if state not in how) or 'none'}."
    assert "joint" in finished.split("Cut off: ")[1]
    assert ("intersection" in finished.split("Cut off: ")[0]) == (not words)


def test_a_run_that_ended_says_nothing_of_where_it_stands():
    assert "Where it stands" not in run_main(HOSPITAL)[1]


ROWS = [(("A", "f"), "9"), (("A", "m"), "*"), (("A", "All"), "12")]
TWICE = TinyTables(("area", "sex"), [ROWS, ROWS], totals={"sex": "All", "area": "All"}, markers={"*": (1, 4)})


def stopped_at(*_, **__):
    raise KeyboardInterrupt


def test_a_finished_release_is_kept(monkeypatch, tmp_path):
    calls = []
    real = Remainder.solve

    def solve(self, budget):
        calls.append(1)
        return real(self, budget) if len(calls) == 1 else stopped_at()

    monkeypatch.setattr(Remainder, "solve", solve)
    code, out, _ = run_main(str(TWICE.write(tmp_path)), "--format", "json")
    [entry] = json.loads(out)["attacks"]
    assert code == 130
    assert ("1", 3) in {(each["release"], each["lower"]) for each in entry["findings"]}


def interrupted(real, call):
    """A function that the user interrupts when it is called so often."""
    calls = []

    def calling(*given, **named):
        calls.append(1)
        return stopped_at() if len(calls) == call else real(*given, **named)

    return calling


@pytest.mark.parametrize(
    ("owner", "where"),
    [(attack, "build_lattice"), (attack, "propagated"), (attack, "Remainder"), (Remainder, "ask_sums")],
)
def test_an_early_interrupt_keeps_what_bounds_show(owner, where, monkeypatch, tmp_path):
    monkeypatch.setattr(owner, where, interrupted(getattr(owner, where), 1))
    code, out, err = run_main(str(TWICE.write(tmp_path)), "--format", "json")
    report = json.loads(out)
    [entry] = report["attacks"]
    assert (code, err, report["interrupted"]) == (130, "", True)
    assert (entry["status"], entry["reason"]) == ("incomplete", "interrupted")
    assert {(each["release"], each["lower"], each["upper"]) for each in entry["findings"]} == {("1", 3, 3)}
    assert entry["measures"]["open"] > 0
    assert not report["policy"]["passed"]


@pytest.mark.parametrize(("call", "code", "rests"), [(1, 130, ["table.markers"]), (0, 1, None)])
def test_what_needs_no_guess_is_not_known_after_an_interrupt(call, code, rests, monkeypatch, tmp_path):
    folder = TWICE.write(tmp_path)
    with (folder / "series.toml").open("a", encoding="utf-8") as file:
        file.write('[unconfirmed]\nkeys = ["table.markers"]\n')
    monkeypatch.setattr(second_reading, "judge", interrupted(second_reading.judge, call))
    found, out, _ = run_main(str(folder), "--format", "json")
    report = json.loads(out)
    assert (found, report.get("interrupted")) == (code, call > 0 or None)
    assert [each.get("rests_on") for each in report["attacks"][0]["findings"]] == [rests, rests]


def test_a_repair_says_how_long_it_may_take_without_a_terminal(tmp_path, capsys):
    shutil.copytree(HOSPITAL, tmp_path / "s")
    candidate = (tmp_path / "s" / "releases" / "2.csv").rename(tmp_path / "2.csv")
    manifest = tmp_path / "s" / "series.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(', "releases/2.csv"', ""), encoding="utf-8")
    assert main(["repair", str(tmp_path / "s"), str(candidate), "--output", str(tmp_path / "out")]) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("audit: One audit takes about ")


@kills("audit.cli.main._interrupt", "startswith(_WHOLE)", "startswith(_WHOLE[0])")
def test_a_second_interrupt_leaves_no_private_file(monkeypatch, tmp_path):
    """Ctrl-C twice: while a run removes its temporary folder, the second one waits."""
    remove = os.unlink

    def interrupted_once(*given, **named):
        monkeypatch.setattr(os, "unlink", remove)
        signal.raise_signal(signal.SIGINT)
        remove(*given, **named)

    def run():
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            for name in ("1.key.csv", "2.key.csv"):
                (Path(folder) / name).touch()
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(os, "unlink", interrupted_once)
    with pytest.raises(KeyboardInterrupt), after_imports():
        run()
    assert (os.unlink, [*tmp_path.iterdir()]) == (remove, [])
