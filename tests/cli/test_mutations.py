"""No mutated copy of a series makes the audit fail in any other way than it should."""

import json
import random
import re
from pathlib import Path

import pytest

from audit.io import roles
from reports.registry import FORMATS
from tests.cli.forms import FORMS, private_texts, snapshot
from tests.cli.mutating import ALWAYS_REFUSED, MAKES_PRIVATE_PUBLIC, MUTATIONS, NotHere, mutate
from tests.helpers.amount import slow, some
from tests.helpers.running import run_audit, run_main
from tests.helpers.sarif import assert_sarif
from tests.helpers.schemas import fits

ROUNDS = some(6)
CASES = [(kind, number) for kind in MUTATIONS for number in range(ROUNDS)]
LONGEST_LINE = 2000


def mutated(folder: Path, kind: str, rng: random.Random) -> tuple[str, Path, set[str]]:
    """Make a series of a random form, spoil it, and return its form, its folder and what is private in it."""
    for name in rng.sample(sorted(FORMS), len(FORMS)):
        series = folder / name
        FORMS[name](series)
        private = private_texts(series)
        try:
            mutate(kind, series, rng)
        except NotHere:
            continue
        return name, series, private
    raise AssertionError(f"no form can be mutated by {kind}")


def options(kind: str, rng: random.Random) -> list[str]:
    words = ["--format", rng.choice(list(FORMATS.names))]
    if kind not in ALWAYS_REFUSED:
        words += rng.choice([[], [], [], [], [], ["--adversary", "linked"], ["--adversary", "register"]])
        words += rng.choice([[], [], [], [], [], ["--policy", "max_risk=0.5"], ["--attack", "update-graph"]])
    words += rng.choice([[], [], [], ["--reveal"]])
    words += rng.choice([[], [], [], ["--findings", "all"], ["--findings", "0"]])
    return words


def trace_of(err: str) -> str:
    """What stands in the trace that a bug has left, for the failure's message."""
    found = re.search(r"the trace is in (\S+)", err)
    return Path(found[1]).read_text(encoding="utf-8") if found else ""


@pytest.mark.many
@pytest.mark.parametrize(("kind", "number"), CASES, ids=[f"{kind}-{number}" for kind, number in CASES])
def test_a_mutated_series(kind, number, tmp_path):
    rng = random.Random(f"{kind}-{number}")  # noqa: S311
    form, series, private = mutated(tmp_path, kind, rng)
    words = options(kind, rng)
    before = snapshot(series)
    code, out, err = run_main(str(series), *words)
    told = f"{form} {' '.join(words)}: exit {code}\n{err[:3000]}\n{trace_of(err)}"
    assert code in ({2} if kind in ALWAYS_REFUSED else {0, 1, 2, 3}), told
    if code == 2:
        assert_refused(out, words[1], told)
        assert_clear(err, told)
        assert snapshot(series) == before, told
    else:
        assert err == "", told
        assert set(snapshot(series).items()) >= set(before.items()), told
        assert_harmless(out, words[1], told)
    if kind not in MAKES_PRIVATE_PUBLIC:
        said = err if "--reveal" in words and code != 2 else out + err
        # What nothing covers has to be said to be mended: one value of one column, which names no one.
        said = re.sub(r'no cell of "[^"]*" in release \S+ contains .*? \(cells: .*?\); is it written', "", said)
        leaked = {text for text in private if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", said)}
        assert not leaked, told


@pytest.mark.many
@pytest.mark.parametrize("kind", MUTATIONS)
@slow
def test_a_large_series_is_judged_as_a_small_one(kind, tmp_path, monkeypatch):
    _, series, _ = mutated(tmp_path, kind, random.Random(f"large-{kind}"))  # noqa: S311
    seen = []
    for most in (roles.MOST_ROWS, 0):
        monkeypatch.setattr(roles, "MOST_ROWS", most)
        code, result, _ = run_audit(series)
        clauses = [] if result is None else result["policy"]["clauses"]
        seen.append((code, {each["clause"]: each["state"] for each in clauses}))
    assert seen[0] == seen[1]


def assert_refused(out, form, told):
    """Nothing is on standard output but, for programs, what is wrong."""
    if form not in ("json", "sarif"):
        assert out == "", told
        return
    assert_harmless(out, form, told)
    if form == "json":
        assert fits("error", json.loads(out)), told
    else:
        assert_sarif(json.loads(out))


def assert_harmless(out, form, told):
    """Whatever stood in the files, a report neither moves the cursor nor runs a script."""
    if form in ("json", "sarif"):
        json.loads(out, parse_constant=pytest.fail)
        assert not re.search(r"[^\n -~\u00a0-\U0010ffff]", out), told
    elif form == "text":
        assert all(line.isprintable() for line in out.split("\n")), told
    else:
        assert "\x1b" not in out, told
        assert "<script>alert" not in out, told


def assert_clear(err, told):
    assert err.endswith("\n"), told
    lines = err[:-1].split("\n")
    for line in lines:
        assert line.startswith("audit: "), told
        assert re.search("; |audit: and |: it needs ", line), told
        assert line.isprintable(), told
        assert len(line) < LONGEST_LINE, told
    assert "Traceback" not in err, told
    assert len(lines) <= 21, told
