"""An interrupt while count tables are audited: what was decided by then is reported, and nothing passes."""

import json

import pytest

from attacks.differencing import attack
from attacks.differencing.components import Remainder
from audit.count_tables import table_audit
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main

ROWS = [(("A", "f"), "9"), (("A", "m"), "*"), (("A", "All"), "12")]
TWICE = TinyTables(("area", "sex"), [ROWS, ROWS], totals={"sex": "All", "area": "All"}, markers={"*": (1, 4)})


def stopped(*_, **__):
    raise KeyboardInterrupt


def test_what_was_decided_is_reported(monkeypatch, tmp_path):
    """The user interrupts when sums are asked about, in the first release."""
    monkeypatch.setattr(Remainder, "ask_sums", stopped)
    code, out, err = run_main(str(TWICE.write(tmp_path)), "--format", "json", "--findings", "all")
    report = json.loads(out)
    [entry] = report["attacks"]
    assert (code, err, report["interrupted"], entry["reason"]) == (130, "", True, "interrupted")
    assert {(each["release"], each["lower"]) for each in entry["findings"]} == {("1", 3)}
    assert entry["measures"]["open"] > 0
    assert not report["policy"]["passed"]


def test_a_finished_release_is_kept(monkeypatch, tmp_path):
    calls = []
    real = Remainder.solve

    def solve(self, budget):
        calls.append(1)
        return real(self, budget) if len(calls) == 1 else stopped()

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
        return stopped() if len(calls) == call else real(*given, **named)

    return calling


@pytest.mark.parametrize("where", ["build_lattice", "first_bounds", "Remainder"])
def test_an_early_interrupt_keeps_what_bounds_show(where, monkeypatch, tmp_path):
    monkeypatch.setattr(attack, where, interrupted(getattr(attack, where), 1))
    code, out, err = run_main(str(TWICE.write(tmp_path)), "--format", "json")
    report = json.loads(out)
    [entry] = report["attacks"]
    assert (code, err, report["interrupted"]) == (130, "", True)
    assert (entry["status"], entry["reason"]) == ("incomplete", "interrupted")
    assert {(each["release"], each["lower"], each["upper"]) for each in entry["findings"]} == {("1", 3, 3)}
    assert entry["measures"]["open"] > 0


@pytest.mark.parametrize(("call", "code", "rests"), [(2, 130, ["table.markers"]), (0, 1, None)])
def test_what_needs_no_guess_is_not_known_after_an_interrupt(call, code, rests, monkeypatch, tmp_path):
    folder = TWICE.write(tmp_path)
    with (folder / "series.toml").open("a", encoding="utf-8") as file:
        file.write('[unconfirmed]\nkeys = ["table.markers"]\n')
    monkeypatch.setattr(table_audit, "judge", interrupted(table_audit.judge, call))
    found, out, _ = run_main(str(folder), "--format", "json")
    report = json.loads(out)
    assert (found, report.get("interrupted")) == (code, call > 0 or None)
    assert [each.get("rests_on") for each in report["attacks"][0]["findings"]] == [rests, rests]
