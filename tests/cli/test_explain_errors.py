"""`audit explain` where it cannot explain: what it says, in one line, and how it is stopped."""

import os
import signal

import pytest

from tests.cli.forms import EXAMPLES, FORMS, append, write_rows
from tests.cli.test_command_line import only_line
from tests.helpers.running import run_main
from tests.helpers.tiny import Row, TinySeries

HOSTILE = [
    "\x1b[31mEve\x1b[0m",
    "Two\nlines",
    "=cmd|' /C calc'!A0",
    "[red]Eve[/red]",
    "Bob\u202egnp",
    "x" * 3000,
    "太郎",
]


def refused(path, *words):
    code, out, err = run_main("explain", str(path), *words)
    assert (code, out) == (2, "")
    return only_line(err)


@pytest.mark.parametrize(
    ("name", "adversary", "said"),
    [
        ("cases-independent", "linked", "the adversary `linked` needs [columns] individual"),
        ("hospital-l-diverse", "register", "the adversary `register` needs [adversary] register"),
        ("hospital-l-diverse-outsider", "linked", "the adversary `linked` needs [columns] individual"),
    ],
)
def test_an_adversary_that_the_series_does_not_allow(name, adversary, said):
    assert said in refused(EXAMPLES / name, "--individual", "Bob", "--adversary", adversary)


def test_a_missing_key(tmp_path):
    FORMS["keyed"](tmp_path / "s")
    (tmp_path / "s/private/2.key.csv").unlink()
    said = refused(tmp_path / "s", "--individual", "Bob")
    assert "releases/2.csv: there is no key for this release" in said
    (tmp_path / "s/private/1.key.csv").unlink()
    assert "nobody is known to be in this series" in refused(tmp_path / "s", "--individual", "Bob")


def test_known_values_that_contradict_the_releases(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    write_rows(tmp_path / "s/known.csv", [["individual", "value"], ["Bob", "flu"]])
    append(tmp_path / "s/series.toml", '\n[adversary]\nknown = "known.csv"\n')
    assert "known.csv:2" in refused(tmp_path / "s", "--individual", "Alice")


@pytest.mark.parametrize("who", HOSTILE)
def test_hostile_names_move_no_cursor_and_forge_no_line(who, tmp_path):
    rows = [Row(who, "g\x1b]0;t\x07", "flu\x1b[2J"), Row("Bob", "g\x1b]0;t\x07", "a\nforged: b")]
    path = TinySeries([rows, rows[:1]]).write(tmp_path)
    code, out, err = run_main("explain", str(path), "--individual", who)
    assert (code, err) == (0, "")
    assert out.replace("\n", "").isprintable()
    assert "\nforged" not in out
    assert max(map(len, out.splitlines())) < 300
    assert refused(path, "--individual", who + "\x1b[31m").startswith("--individual: nobody with this identifier")


@pytest.mark.parametrize("at", ["intersection", "joint"])
def test_an_interrupt(at, monkeypatch):
    """Whichever attack runs when the user stops the command."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    from attacks.registry import find

    def stopped(self, evidence, budget, /):
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(type(find(at)), "run", stopped)
    try:
        told = run_main("explain", str(EXAMPLES / "hospital-l-diverse"), "--individual", "Bob")
    finally:
        signal.signal(signal.SIGINT, before)
    assert told == (130, "", "audit: interrupted\n")
