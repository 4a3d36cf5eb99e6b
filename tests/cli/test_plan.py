"""`audit plan`: what is recommended keeps the policy, and is what `audit` says of it."""

import json

import pytest

from tests.cli.forms import EXAMPLES
from tests.helpers.running import run_main

CLINIC = str(EXAMPLES / "clinic-microdata")


@pytest.fixture(scope="module")
def clinic():
    code, out, err = run_main("plan", CLINIC, "--queries", "20", "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_what_is_recommended_keeps_the_policy(clinic, tmp_path):
    best = clinic["recommended"]
    words = ["--method", best["method"], *best["parameters"].split()]
    assert run_main("anonymize", CLINIC, *words, "--output", str(tmp_path / "s"), "--seed", "0")[0] == 0
    assert run_main(str(tmp_path / "s"))[0] == 0


def test_each_method_ends_as_its_own_audit_says(clinic, tmp_path):
    [tried] = [each for each in clinic["tried"] if (each["method"], each["parameters"]) == ("m-invariance", "--m 2")]
    run_main(
        "anonymize", CLINIC, "--method", "m-invariance", "--m", "2", "--output", str(tmp_path / "s"), "--seed", "0"
    )
    assert run_main(str(tmp_path / "s"))[0] == tried["exit_code"] == 1


def test_a_refusal_says_why(clinic):
    refused = [each for each in clinic["tried"] if each["method"] == "monotonic-mondrian"]
    assert refused
    assert all("not published" in each["refused"] for each in refused)
    assert clinic["recommended"]["method"] != "monotonic-mondrian"


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_table_names_nobody_and_is_no_wider_than_a_page(form):
    words = ["plan", CLINIC, "--queries", "20", "--format", form, "--method", "m-invariance", "--method", "mondrian"]
    code, out, _ = run_main(*words)
    assert code == 0
    assert "Recommendation: none of these" in out
    assert not any(name in out for name in ("Alice", "Bob", "Greg"))
    assert form == "markdown" or max(map(len, out.splitlines())) <= 105


def test_widths_of_cells_are_in_the_attributes_own_units(clinic):
    """An age of 21 to 25 covers five years; cells of Anatomy pairs are exact."""
    [tried] = [each for each in clinic["tried"] if (each["method"], each["parameters"]) == ("m-invariance", "--m 2")]
    assert set(tried["widths"]) == {"Age", "Zip"}
    assert 1 < tried["widths"]["Age"] < 20
    [exact] = [
        each for each in clinic["tried"] if (each["method"], each["parameters"]) == ("e-equivalence", "--m 2 --e 2")
    ]
    assert set(exact["widths"].values()) == {1.0}


def test_the_page_shows_the_table(clinic):
    words = ["plan", CLINIC, "--queries", "20", "--format", "html"]
    code, out, _ = run_main(*words)
    assert code == 0
    assert out.count("<tr>") > len(clinic["tried"])
    violating = {(each["method"], *each["violating"]) for each in clinic["tried"] if each["violating"]}
    assert ("m-invariance", "equivalence") in violating
