"""Who knows more never finds less: what the files alone give away of a class stays found, of the class or its people.

A class of rows with one value is found under every adversary, unless all its rows are counterfeits, or its people are
found themselves.
"""

import random
from collections import Counter

import pytest

from attacks.homogeneity import HomogeneityAttack
from attacks.intersection import IntersectionAttack
from audit.adversary.build_evidence import build_evidence
from audit.adversary.view import handed
from audit.io.series import open_series
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, write
from tests.helpers.running import run_audit

CELLS = {"20-29": range(20, 30), "30-39": range(30, 40), "20-39": range(20, 40)}


def drawn(rng):
    """Releases of rows: whose it is ("" for a counterfeit), the exact age, the published cell, and the value."""
    releases, value = [], [rng.choice("aab") for _ in range(7)]
    for _ in range(rng.randint(1, 2)):
        rows = []
        for number in range(rng.randint(4, 7)):
            age = 20 + 3 * number
            who = "" if rng.random() < 0.15 else f"p{number}"
            cell = rng.choice([cell for cell, ages in CELLS.items() if age in ages])
            rows.append((who, age, cell, value[number]))
        releases.append(rows)
    return releases


def written(folder, releases, *, listed=None, registered=None):
    """The series with keys that list some people, or with a register of some; None for neither."""
    names = []
    for place, rows in enumerate(releases, 1):
        names.append(f'"{place}.csv"')
        write(folder / f"{place}.csv", as_csv([["age", "d"], *([cell, value] for _, _, cell, value in rows)]))
        if listed is not None:
            key = [[str(row), who] for row, (who, *_) in enumerate(rows) if who in listed]
            write(folder / f"private/{place}.key.csv", as_csv([["row", "individual"], *key]))
    text = [
        "[series]",
        f"releases = [{', '.join(names)}]",
        "[columns]",
        'sensitive = "d"',
        'quasi_identifiers = ["age"]',
    ]
    if registered is not None:
        lines = [
            [who, age, place] for place, rows in enumerate(releases, 1) for who, age, *_ in rows if who in registered
        ]
        write(folder / "register.csv", as_csv([["individual", "age", "release"], *lines]))
        text += ["[adversary]", 'register = "register.csv"']
    write(folder / "series.toml", "\n".join(text) + "\n")
    return folder


def found(folder, adversary, limit=1.0):
    """The classes that are found, by release, value and rows; and who is found, by release."""
    [evidence] = build_evidence(open_series(folder), adversary)
    outcome = HomogeneityAttack(limit).run(handed(evidence), Budget(None))
    claims = [] if outcome.claims is None else outcome.claims.certify(range(len(outcome.claims)))
    classes = Counter((each.release, each.group, evidence.values[each.value], each.rows) for each in claims)
    people = set()
    if evidence.adversary.knows_people:
        outcome = IntersectionAttack().run(handed(evidence), Budget(None))
        people = {evidence.series.people.name(code) for code in outcome.claims.person.tolist()}
    return classes, people


def assert_nothing_lost(less, more, releases):
    """Each class that is found with less knowledge is found with more, or its people are, or it is counterfeits'."""
    classes, people = more
    for key, times in (less[0] - classes).items():
        release, group, _, rows = key
        cells = list(dict.fromkeys(cell for _, _, cell, _ in releases[release]))
        mine = [who for who, _, cell, _ in releases[release] if cell == cells[int(group) - 1]]
        assert times == 1
        assert len(mine) == rows
        assert {who for who in mine if who} <= people, key
    assert less[1] <= people


@pytest.mark.parametrize("seed", range(some(25)))
def test_classes_stay_found(tmp_path, seed):
    rng = random.Random(seed)  # noqa: S311
    releases = drawn(rng)
    everybody = sorted({who for rows in releases for who, *_ in rows if who})
    some = set(rng.sample(everybody, rng.randint(0, len(everybody))))
    files = found(written(tmp_path / "files", releases), "published")
    if some:
        partial = found(written(tmp_path / "partial", releases, registered=some), "register")
        assert_nothing_lost(files, partial, releases)
        if all(who for rows in releases for who, *_ in rows):
            full = found(written(tmp_path / "full", releases, registered=set(everybody)), "register")
            assert_nothing_lost(partial, full, releases)
    holes = found(written(tmp_path / "holes", releases, listed=some | {""}), "linked")
    whole = found(written(tmp_path / "whole", releases, listed={*everybody, ""}), "linked")
    assert_nothing_lost(files, holes, releases)
    assert_nothing_lost(holes, whole, releases)


def test_a_row_that_the_key_leaves_out_is_a_strangers(tmp_path):
    rows = [("A", 31, "30-39", "flu"), ("B", 34, "30-39", "gas"), ("C", 20, "20-29", "HIV"), ("D", 23, "20-29", "HIV")]
    folder = written(tmp_path / "holes", [rows], listed={"A", "B"})
    code, result, _ = run_audit(folder)
    assert code == 1
    [violation] = result["policy"]["violations"]
    assert (violation["attack"], violation["measure"]) == ("homogeneity", "max_risk")
    diverse = [*rows[:3], ("D", 23, "20-29", "flu")]
    code, result, _ = run_audit(written(tmp_path / "holes", [diverse], listed={"A", "B"}), "--attack", "homogeneity")
    assert {each["clause"]: each["state"] for each in result["policy"]["clauses"]}["max_risk"] == "holds"
    # An empty individual is a counterfeit: a class of these is nobody's.
    fake = [*rows[:2], ("", 20, "20-29", "HIV"), ("", 23, "20-29", "HIV")]
    _, result, _ = run_audit(written(tmp_path / "fake", [fake], listed={"A", "B", ""}))
    assert {each["clause"]: each["state"] for each in result["policy"]["clauses"]}["max_risk"] == "holds"


def test_strangers_of_a_register_are_judged(tmp_path):
    rows = [("A", 31, "30-39", "flu"), ("B", 34, "30-39", "gas"), ("C", 20, "20-29", "HIV"), ("D", 23, "20-29", "HIV")]
    code, result, _ = run_audit(written(tmp_path / "r", [rows], registered={"A", "B"}))
    assert code == 1
    assert [each["attack"] for each in result["policy"]["violations"]] == ["homogeneity"]
    diverse = [*rows[:3], ("D", 23, "20-29", "flu")]
    code, result, _ = run_audit(written(tmp_path / "r", [diverse], registered={"A", "B"}))
    assert code == 0
    # Whose only class it is are found themselves: the class is no finding of its own.
    _, result, _ = run_audit(written(tmp_path / "all", [rows], registered={"A", "B", "C", "D"}))
    counts = {each["attack"]: each["findings_total"] for each in result["attacks"] if each["status"] != "skipped"}
    assert (counts["intersection"], counts["homogeneity"]) == (2, 0)


RECORDS = """
[series]
releases = ["1.csv", "2.csv"]
[columns]
sensitive = "d"
quasi_identifiers = ["age", "city"]
record = "id"
"""


def test_rows_beside_record_ids_are_judged(tmp_path):
    """Records 1 and 2 alone fit both the ages of the first release and the cities of the second."""
    first = [[1, "20-29", "*", "a"], [2, "20-29", "*", "a"], [3, "20-29", "*", "b"], [4, "20-29", "*", "b"]]
    second = [[1, "*", "x", "a"], [2, "*", "x", "a"], [3, "*", "y", "b"], [4, "*", "y", "b"]]
    mixed = [[1, "*", "x", "a"], [3, "*", "x", "b"], [2, "*", "y", "a"], [4, "*", "y", "b"]]
    head = ["id", "age", "city", "d"]
    write(tmp_path / "series.toml", RECORDS)
    write(tmp_path / "1.csv", as_csv([head, *first]))
    states = {}
    for name, rows in (("single", second), ("mixed", mixed)):
        write(tmp_path / "2.csv", as_csv([head, *rows]))
        code, result, _ = run_audit(tmp_path)
        states[name] = code, {each["clause"]: each["state"] for each in result["policy"]["clauses"]}["max_risk"]
    assert states == {"single": (1, "violated"), "mixed": (0, "holds")}


def test_records_that_look_alike_over_all_releases_are_judged(tmp_path):
    first = [[1, "20-29", "*", "a"], [2, "20-29", "*", "a"], [3, "20-29", "*", "b"], [4, "20-29", "*", "b"]]
    first += [[5, "30-39", "*", "a"], [6, "30-39", "*", "a"], [7, "30-39", "*", "b"], [8, "30-39", "*", "b"]]
    halves = [[1, "*", "x", "a"], [2, "*", "x", "a"], [3, "*", "y", "b"], [4, "*", "y", "b"]]
    halves += [[7, "*", "x", "b"], [8, "*", "x", "b"], [5, "*", "y", "a"], [6, "*", "y", "a"]]
    write(tmp_path / "series.toml", RECORDS)
    head = ["id", "age", "city", "d"]
    write(tmp_path / "1.csv", as_csv([head, *first]))
    write(tmp_path / "2.csv", as_csv([head, *halves]))
    code, result, _ = run_audit(tmp_path)
    assert code == 1
    [violation] = result["policy"]["violations"]
    assert (violation["attack"], violation["measure"], violation["value"]) == ("homogeneity", "max_risk", 1.0)
    [entry] = [each for each in result["attacks"] if each["attack"] == "homogeneity"]
    assert (entry["measures"]["linked"], entry["measures"]["at_limit"]) == (4, 4)
    assert {(each["after"], each["rows"], each["risk"]) for each in entry["findings"]} == {("2", 2, 1.0)}


@pytest.mark.parametrize(("attacks", "state"), [(("joint", "homogeneity"), "holds"), (("homogeneity",), "undecided")])
def test_shares_of_strangers_rows_say_nothing_of_people(tmp_path, attacks, state):
    """Below certainty the worlds of the people of a register decide, whatever the classes of strangers tell."""
    rows = [("A", 31, "30-39", "a"), ("B", 34, "30-39", "b"), ("C", 37, "30-39", "c")]
    rows += [("D", 20, "20-29", "a"), ("E", 23, "20-29", "b"), ("F", 26, "20-29", "c")]
    words = [word for name in attacks for word in ("--attack", name)]
    folder = written(tmp_path, [rows], registered={"A", "B"})
    _, result, _ = run_audit(folder, "--policy", "max_risk=0.5", "--attack", "intersection", *words)
    assert {each["clause"]: each["state"] for each in result["policy"]["clauses"]}["max_risk"] == state
