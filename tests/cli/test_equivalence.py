"""`equivalence` on the command line: the paper's chain, pinned values, waivers, known values, bad premises."""

import json

import pytest

from tests.helpers.running import refused, run_audit
from tests.helpers.tiny import Known, Row, TinySeries

EQUIVALENCE = ("--attack", "equivalence")


def series(*releases, **more):
    """A series from releases as lists of groups, a group as a text such as `Alice cancer, Bob flu`."""
    rows = [
        [
            Row(None if name == "-" else name, str(number), value)
            for number, group in enumerate(groups, 1)
            for name, value in (member.split() for member in group.split(", "))
        ]
        for groups in releases
    ]
    return TinySeries(rows, **more)


@pytest.fixture
def chain(tmp_path):
    """Section I: Alice stays, and Bob, Greg and Kate follow each other beside her."""
    return series(
        ["Alice cancer, Bob flu", "Chris cancer, Dan measles"],
        ["Alice cancer, Greg flu", "Chris cancer, Dan measles"],
        ["Alice cancer, Kate flu", "Chris cancer, Dan measles"],
    ).write(tmp_path / "chain")


def measures(result):
    [entry] = result["attacks"]
    return entry["measures"]


def test_known_values_are_taken_out(tmp_path):
    """Once Bob's value is known, Greg's, Kate's and Alice's are pinned."""
    folder = series(
        ["Alice cancer, Bob flu"],
        ["Alice cancer, Greg flu"],
        ["Alice cancer, Kate flu"],
        known=[Known("Bob", "flu")],
    ).write(tmp_path / "s")
    code, result, _ = run_audit(folder, *EQUIVALENCE, "--reveal", "--findings", "all")
    [entry] = result["attacks"]
    pins = {f["individual"]: f["value"] for f in entry["findings"] if f["kind"] == "disclosure"}
    assert code == 1
    assert pins == {"Alice": "cancer", "Greg": "flu", "Kate": "flu"}
    assert entry["measures"]["individuals"] == 3
    assert entry["measures"]["pinned"] == 5
    assert {violation["measure"] for violation in result["policy"]["violations"]} == {"max_risk", "min_e"}
    assert "Bob" not in json.dumps(result)


def test_waived_equivalences(chain):
    (chain / "private").mkdir()
    for _ in range(2):
        _, result, _ = run_audit(chain, *EQUIVALENCE, "--findings", "all")
        [entry] = result["attacks"]
        first = next(f["id"] for f in entry["findings"] if f["e"] == 1)
        assert result["policy"]["violations"][0]["value"] == 1
        with (chain / "series.toml").open("a", encoding="utf-8") as file:
            file.write(f'\n[[waiver]]\nfinding = "{first}"\nreason = "consent"\nexpires = 2999-01-01\nsize = 1\n')
    code, result, _ = run_audit(chain, *EQUIVALENCE)
    assert (code, result["policy"]["violations"]) == (0, [])
    # All that is left has 2 on a side; that there is nothing below 2 but what is waived is known, below 3 it is not.
    code, result, _ = run_audit(chain, *EQUIVALENCE, "--policy", "min_e=3")
    assert code in (1, 3)


@pytest.mark.parametrize("words", [["--max-e", "0"], ["--max-e", "101"], ["--max-e", "two"]])
def test_bad_limits(chain, words):
    assert "1 to 100" in refused(str(chain), *words)
