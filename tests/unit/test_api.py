"""The Python API: the same as the command line, file by file and argument by argument."""

import subprocess
import sys

import pytest

from audit.api import AuditError, InputError, UsageError, load
from tests.cli.forms import EXAMPLES
from tests.helpers.results import made, timeless
from tests.helpers.running import run_main

HOSPITAL = EXAMPLES / "hospital-l-diverse"


# -- the same as the command line -----------------------------------------------------------------------

SAME = [
    ("hospital-l-diverse", [], None, {}),
    ("hospital-l-diverse", ["--attack", "equivalence"], "equivalence", {}),
    ("hospital-l-diverse", ["--attack", "equivalence", "--max-e", "2"], "equivalence", {"max_e": 2}),
    ("hospital-l-diverse", ["--findings", "all"], None, {"findings": None}),
    ("hospital-l-diverse", ["--policy", "max_risk=0.5"], None, {"policy": {"max_risk": 0.5}}),
    ("cases-independent", ["--reveal", "--k", "3"], None, {"reveal": True, "policy": {"k": 3}}),
    ("joint-breaks-2-distinct", ["--findings", "3"], None, {"findings": 3}),
    ("everything", ["--adversary", "register", "--reveal"], None, {"adversary": "register", "reveal": True}),
    ("everything", ["--time-limit", "3600"], None, {"time_limit": 3600}),
    ("two_values", ["--findings", "all"], None, {"findings": None}),
    ("two_values", ["--attack", "joint"], "joint", {}),
    ("keyed", [], None, {}),
    ("changing", [], None, {}),
    ("parquet-outsider", [], None, {}),
]


@pytest.mark.many
@pytest.mark.parametrize(("form", "words", "attack", "settings"), SAME)
def test_json_is_the_command_lines(form, words, attack, settings, tmp_path):
    folder = made(form, tmp_path / "s")
    code, out, err = run_main(str(folder), "--format", "json", "--stable-ids", *words)
    series, settings = load(folder), {**settings, "stable_ids": True}
    result = series.audit(**settings) if attack is None else series.attack(attack, **settings)
    assert err == ""
    assert timeless(result.to_json()) == timeless(out)
    assert result.exit_code == code


# -- wrong arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: s.attack("guess"), "choose from intersection"),
        (lambda s: s.attack("inference-table"), "columns] record"),
        (
            lambda s: s.attack("intersection", max_e=2),
            "equivalence; ask for it too, or leave max_e out",
        ),
        (lambda s: s.audit(depth=2), "audit has no depth; there are max_e, "),
        (lambda s: s.audit(max_e=0), "from 1 to 100"),
        (lambda s: s.audit(max_e=2.5), "from 1 to 100"),
        (lambda s: s.audit(max_e=101), "from 1 to 100"),
        (lambda s: s.audit(adversary="everybody"), "linked, register, possible, pseudonym"),
        (lambda s: s.audit(adversary="register"), "[adversary] register"),
        (lambda s: s.audit(time_limit=0), "time_limit"),
        (lambda s: s.audit(time_limit=float("nan")), "time_limit"),
        (lambda s: s.audit(findings="all"), "None for all"),
        (lambda s: s.audit(findings=-1), "None for all"),
        (lambda s: s.audit(reveal="no"), "True or False"),
        (lambda s: s.audit(policy={"max_risk": 2}), "above 0 and at most 1"),
        (lambda s: s.audit(policy={"k": True}), "whole number"),
        (lambda s: s.audit(policy={"secrets": 1}), "unknown limit"),
    ],
)
def test_wrong_arguments(call, said):
    series = load(HOSPITAL)
    with pytest.raises(UsageError) as error:
        call(series)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError) as error:
        load(tmp_path)
    assert isinstance(error.value, AuditError)
    assert error.value.problems[0].file.endswith("series.toml")
    folder = made("hospital-l-diverse", tmp_path / "s")
    series = load(folder / "series.toml")
    (folder / "releases/2.csv").unlink()
    with pytest.raises(InputError):
        series.audit()


def test_interrupts_are_not_caught(monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("attacks.intersection.IntersectionAttack.run", stop)
    with pytest.raises(KeyboardInterrupt):
        load(HOSPITAL).attack("intersection")


# -- shape ----------------------------------------------------------------------------------------------


def test_what_is_imported_by_the_import():
    slow = ("pandas", "ortools", "matplotlib", "jinja2", "rich", "pyarrow")
    words = f"import sys, audit.api, audit.cli.main; print([name for name in {slow} if name in sys.modules])"
    called = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=600)
    assert (called.stdout, called.stderr) == ("[]\n", "")


def test_what_the_package_shows():
    import audit

    assert set(dir(audit)) == set(audit.__all__)
