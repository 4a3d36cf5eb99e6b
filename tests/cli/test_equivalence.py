"""`equivalence` on the command line: the paper's chain, pinned values, waivers, known values, bad premises."""

import json

import pytest

from tests.helpers.running import run_audit, run_main
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


def test_a_chain_of_equal_people(chain):
    code, result, _ = run_audit(chain, *EQUIVALENCE, "--reveal")
    told = measures(result)
    assert code == 1
    assert told["classes"] == {"3": 1}
    assert told["compromised"]["1"] == 3
    assert told["timeline"] == [0, 2, 3]


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


def test_a_pinned_value_is_a_risk_of_one(tmp_path):
    """A, B and C in overlapping pairs: who is where tells nothing of one person alone, and everything together."""
    folder = series(
        ["A flu, B flu, C cancer, D cancer"],
        ["A flu, B flu, C cancer, E cancer"],
        ["D cancer"],
    ).write(tmp_path / "s")
    code, result, _ = run_audit(folder, *EQUIVALENCE, "--policy", "min_e=1", "--reveal")
    [entry] = result["attacks"]
    assert code == 1
    assert [(v["attack"], v["measure"], v["value"]) for v in result["policy"]["violations"]] == [
        ("equivalence", "max_risk", 1.0)
    ]
    assert {f["individual"] for f in entry["findings"] if f["kind"] == "disclosure"} == {"D", "E"}
    text = run_main(str(folder), *EQUIVALENCE, "--reveal")[1]
    assert "E has cancer, certain from release 3 on" in text


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


def test_changing_values_leave_nothing(tmp_path):
    folder = series(["A flu, B cancer"], ["A cancer, C flu"]).write(tmp_path / "s")
    code, result, _ = run_audit(folder, *EQUIVALENCE)
    [entry] = result["attacks"]
    assert (code, entry["status"], entry["findings_total"]) == (3, "incomplete", 0)
    assert "change" in entry["reason"]
    assert entry["measures"]["min_e"] == {"lower": 1, "upper": None}


def test_contradicting_releases_are_named(tmp_path):
    folder = series(["A flu, B cancer"], ["A flu, B flu"]).write(tmp_path / "s")
    code, result, _ = run_audit(folder, *EQUIVALENCE)
    [entry] = result["attacks"]
    assert (code, entry["status"]) == (3, "incomplete")
    assert "contradict" in entry["reason"]


@pytest.mark.parametrize("words", [["--max-e", "0"], ["--max-e", "101"], ["--max-e", "two"]])
def test_bad_limits(chain, words):
    code, _, err = run_main(str(chain), *words)
    assert code == 2
    assert "1 to 100" in err


@pytest.mark.parametrize("words", [["--max-e", "3"], ["--max-e", "4"]])
def test_options_of_an_attack_that_is_not_asked_for(chain, words):
    code, _, err = run_main(str(chain), "--attack", "intersection", *words)
    assert (code, err.count("\n")) == (2, 1)
    assert words[0] in err


def test_skipped_with_transitions_and_registers(tmp_path):
    changing = series(["A flu"], ["A cold"], transitions={("flu", "cold"): None, ("cold", "cold"): None})
    code, _, err = run_main(str(changing.write(tmp_path / "s")), *EQUIVALENCE)
    assert code == 2
    assert "never change" in err


def test_counterfeits_without_identity_take_part(tmp_path):
    folder = series(["A flu, B cancer"], ["A flu, - cancer"]).write(tmp_path / "s")
    code, result, _ = run_audit(folder, *EQUIVALENCE, "--reveal")
    [entry] = result["attacks"]
    [finding] = entry["findings"]
    assert code == 1
    assert {**finding["left"], **finding["right"]} == {"B": 1, "~(release 2, group 1, 1)": 1}
    assert entry["measures"]["classes"] == {}
    assert entry["measures"]["compromised"]["1"] == 1


def test_a_value_pinned_by_fractions_alone(tmp_path):
    """A is half of A and B, less B and C, and A and C together."""
    folder = series(["A flu, B cancer"], ["B cancer, C cold"], ["A flu, C cold"]).write(tmp_path / "s")
    code, result, _ = run_audit(folder, *EQUIVALENCE, "--reveal")
    [entry] = result["attacks"]
    pins = {f["individual"]: f for f in entry["findings"] if f["kind"] == "disclosure"}
    assert code == 1
    assert {who: pin["value"] for who, pin in pins.items()} == {"A": "flu", "B": "cancer", "C": "cold"}
    assert [group["weight"] for group in pins["A"]["certificate"]] == ["1/2", "-1/2", "1/2"]
    assert pins["A"]["release"] == "3"
