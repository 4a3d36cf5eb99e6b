"""An interrupt while count tables are audited: what was decided by then is reported, and nothing passes."""

import json

import pytest

from attacks.differencing.components import Remainder
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
    [attack] = report["attacks"]
    assert (code, err, report["interrupted"], attack["reason"]) == (130, "", True, "interrupted")
    assert {(each["release"], each["lower"]) for each in attack["findings"]} == {("1", 3)}
    assert attack["measures"]["open"] > 0
    assert not report["policy"]["passed"]


@pytest.mark.parametrize("form", ["text", "markdown", "html", "github", "junit"])
def test_every_format_says_so(form, monkeypatch, tmp_path):
    monkeypatch.setattr(Remainder, "ask_sums", stopped)
    code, out, _ = run_main(str(TWICE.write(tmp_path)), "--format", form)
    assert code == 130
    assert "interrupted" in out.lower()


def test_a_finished_release_is_kept(monkeypatch, tmp_path):
    calls = []
    real = Remainder.solve

    def solve(self, budget):
        calls.append(1)
        return real(self, budget) if len(calls) == 1 else stopped()

    monkeypatch.setattr(Remainder, "solve", solve)
    code, out, _ = run_main(str(TWICE.write(tmp_path)), "--format", "json")
    [attack] = json.loads(out)["attacks"]
    assert code == 130
    assert ("1", 3) in {(each["release"], each["lower"]) for each in attack["findings"]}


def test_before_anything_is_decided_nothing_is_written(monkeypatch, tmp_path):
    monkeypatch.setattr("attacks.differencing.attack.build_lattice", stopped)
    code, out, err = run_main(str(TWICE.write(tmp_path)))
    assert (code, out, err) == (130, "", "audit: interrupted\n")


def test_without_an_interrupt_the_same_series_is_decided(tmp_path):
    code, out, _ = run_main(str(TWICE.write(tmp_path)), "--format", "json")
    report = json.loads(out)
    assert (code, "interrupted" in report, report["attacks"][0]["measures"]["open"]) == (1, False, 0)
