"""Who knows more never finds less: what the files alone give away of a class stays found, of the class or its people.

A class of rows with one value is found under every adversary, unless all its rows are counterfeits, or its people are
found themselves.
"""

import random
from collections import Counter

import numpy as np
import pytest

from attacks.homogeneity import HomogeneityAttack
from attacks.intersection import IntersectionAttack
from audit.adversary.build_evidence import build_evidence
from audit.adversary.view import handed
from audit.io.series import open_series
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.messy import as_csv, series_of, write
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
    tables = [[["age", "d"], *([cell, value] for _, _, cell, value in rows)] for rows in releases]
    for place, rows in enumerate(releases, 1):
        if listed is not None:
            key = [[str(row), who] for row, (who, *_) in enumerate(rows) if who in listed]
            write(folder / f"private/{place}.key.csv", as_csv([["row", "individual"], *key]))
    columns = 'sensitive = "d"\nquasi_identifiers = ["age"]'
    if registered is None:
        return series_of(folder, tables, columns)
    lines = [[who, age, place] for place, rows in enumerate(releases, 1) for who, age, *_ in rows if who in registered]
    register = [["individual", "age", "release"], *lines]
    return series_of(folder, tables, columns, '[adversary]\nregister = "register.csv"', register=register)


def found(folder, adversary, limit=1.0):
    """The classes that are found, by release, value and rows; and who is found, by release."""
    [evidence] = build_evidence(open_series(folder), adversary)
    outcome = HomogeneityAttack(limit).run(handed(evidence), Budget(None))
    claims = [] if outcome.claims is None else outcome.claims.certify(np.arange(len(outcome.claims)))
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


@pytest.mark.parametrize(("attacks", "state"), [(("joint", "homogeneity"), "holds"), (("homogeneity",), "undecided")])
def test_shares_of_strangers_rows_say_nothing_of_people(tmp_path, attacks, state):
    """Below certainty the worlds of the people of a register decide, whatever the classes of strangers tell."""
    rows = [("A", 31, "30-39", "a"), ("B", 34, "30-39", "b"), ("C", 37, "30-39", "c")]
    rows += [("D", 20, "20-29", "a"), ("E", 23, "20-29", "b"), ("F", 26, "20-29", "c")]
    words = [word for name in attacks for word in ("--attack", name)]
    folder = written(tmp_path, [rows], registered={"A", "B"})
    _, result, _ = run_audit(folder, "--policy", "max_risk=0.5", "--attack", "intersection", *words)
    assert {each["clause"]: each["state"] for each in result["policy"]["clauses"]}["max_risk"] == state
