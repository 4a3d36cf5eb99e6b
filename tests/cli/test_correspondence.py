"""`correspondence` on the command line: growing series of files alone, findings, what does not apply."""

import json

import pytest

from tests.helpers.running import run_audit, run_main
from tests.oracle.test_examples import EXAMPLES

ATTACK = ("--attack", "correspondence")


def write(folder, *releases, updates='updates = "growing"\n', more=""):
    """A series of plain tables: each release a list of (job, country, disease)."""
    (folder / "releases").mkdir(parents=True)
    names = []
    for number, rows in enumerate(releases, 1):
        names.append(f'"releases/{number}.csv"')
        lines = ["Job;Country;Disease", *(";".join(row) for row in rows)]
        (folder / f"releases/{number}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = f'[series]\nreleases = [{", ".join(names)}]\n{updates}\n[columns]\nsensitive = "Disease"\n'
    text += f'quasi_identifiers = ["Job", "Country"]\n{more}'
    (folder / "series.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def crossed(tmp_path):
    """Whoever is new in the second release with (a, x) can have flu alone: the others fill those with cold."""
    first = [("a", "*", "cold"), ("a", "*", "cold")]
    second = [("*", "x", "cold"), ("*", "x", "cold"), ("a", "x", "flu"), ("b", "x", "flu")]
    return write(tmp_path / "s", first, second)


def test_720_worlds():
    code, result, _ = run_audit(EXAMPLES.parent / "published_examples" / "growing-lawyers", *ATTACK)
    [entry] = result["attacks"]
    assert (code, entry["status"], entry["measures"]["worlds"], entry["findings"]) == (0, "complete", 720, [])
    code, result, _ = run_audit(EXAMPLES.parent / "published_examples" / "growing-lawyers", *ATTACK, "--policy", "k=5")
    assert code == 1
    assert "attack" in str(result["policy"]["violations"])


def test_rows_that_fill_others_leave_one(crossed):
    code, result, _ = run_audit(crossed, *ATTACK, "--reveal")
    [entry] = result["attacks"]
    assert code == 1
    assert {violation["measure"] for violation in result["policy"]["violations"]} == {"k", "max_risk"}
    found = next(f for f in entry["findings"] if f["first"] == "2" and f["point"] == {"Job": "a", "Country": "x"})
    assert (found["rows"], found["value"], found["risk"], found["evidence"]) == (1, "flu", 1.0, "proof")
    [step] = found["certificate"]
    assert (step["rows"], step["values"], step["next_values"]) == (2, ["cold"], ["cold"])


def test_nothing_of_anybody_is_told_unless_revealed(crossed):
    _, result, _ = run_audit(crossed, *ATTACK)
    assert all("point" not in finding for finding in result["attacks"][0]["findings"])
    for form in ("text", "markdown", "html", "sarif", "json"):
        code, out, err = run_main(str(crossed), *ATTACK, "--format", form)
        assert (code, err) == (1, "")
        assert "Traceback" not in out
    text = run_main(str(crossed), *ATTACK)[1]
    assert "new in release 2 can only be 1 row" in text


def test_a_record_that_is_lost_contradicts(tmp_path):
    folder = write(tmp_path / "s", [("a", "x", "flu")], [("a", "x", "cold"), ("b", "x", "flu")])
    code, result, _ = run_audit(folder, *ATTACK)
    [entry] = result["attacks"]
    assert (code != 0, entry["status"]) == (True, "incomplete")
    assert "growing" in entry["reason"]


def test_it_is_skipped_where_it_says_nothing(tmp_path):
    folder = write(tmp_path / "s", [("a", "x", "flu")], [("a", "x", "flu")], updates="")
    assert run_main(str(folder), *ATTACK)[0] == 2
    result = json.loads(run_main(str(folder), "--format", "json")[1])
    [entry] = [each for each in result["attacks"] if each["attack"] == "correspondence"]
    assert entry["status"] == "skipped"
    folder = write(tmp_path / "t", [("a", "x", "flu")], updates='updates = "shrinking"\n')
    code, _, err = run_main(str(folder))
    assert (code, "growing" in err) == (2, True)
