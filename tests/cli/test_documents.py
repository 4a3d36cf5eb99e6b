"""Documents about an audit: what was measured stands in them, what only people know is a marked blank."""

import json
import re
from itertools import pairwise

import pytest

from reports.documents.registry import DOCUMENTS
from tests.cli.forms import EXAMPLES
from tests.helpers.running import run_main

HOSPITAL = EXAMPLES / "hospital-l-diverse"
TO_COMPLETE = ("dpia", "expert", "wp29")
# What OpenMed's `CompositionEvidence` accepts.
STATUSES = {"not_assessed", "no_material_increase_observed", "increase_observed", "inconclusive"}


def rendered(name, *words, series=HOSPITAL):
    code, out, err = run_main(str(series), "--document", name, *words)
    assert err == ""
    return code, out


@pytest.mark.parametrize("name", DOCUMENTS.names)
def test_the_verdict_is_in_it_and_nobody_is_named(name):
    code, out = rendered(name)
    assert code == 1
    assert not re.search("Bob|Alice|David|Andy", out)
    if name in TO_COMPLETE:
        assert "NOT SAFE: by joint, the sensitive value is certain for 4 of 16 people." in out
        assert "[to be filled in: " in out


@pytest.mark.parametrize("name", TO_COMPLETE)
def test_lists_tables_and_paragraphs_are_apart(name):
    kinds = [line[:1] if line.startswith(("* ", "|")) else "text" for line in rendered(name)[1].splitlines() if line]
    lines = rendered(name)[1].splitlines()
    for before, line in pairwise(lines):
        assert not (before and line) or before[0] == line[0] in "*|", line
    assert {"*", "|", "text"} == set(kinds)


def test_each_criterion_tells_who_looked():
    sections = dict(re.findall(r"## \d\. (\w+).*?\n(.*?)(?=\n## )", rendered("wp29")[1], re.DOTALL))
    assert "release 1 by itself: 0 rows share their quasi-identifiers with no other" in sections["Singling"]
    assert "Not judged" in sections["Linkability"]
    assert "joint: 6 of 22 versions" in sections["Inference"]
    records = EXAMPLES / "cases-independent"
    sections = dict(re.findall(r"## \d\. (\w+).*?\n(.*?)(?=\n## )", rendered("wp29", series=records)[1], re.DOTALL))
    assert "inference-table: 4 of 6 records" in sections["Singling"]
    assert "inference-table: 4 of 6 records" in sections["Linkability"]


def test_the_record_of_criteria():
    record = json.loads(rendered("satre")[1])
    assert (record["specification"], record["statement"], record["outcome"]) == ("SATRE", "3.3.09", "not met")
    assert {each["clause"]: each["state"] for each in record["criteria"]}["max_risk"] == "violated"
    assert set(record["decision"].values()) == {None}


@pytest.mark.parametrize(
    ("series", "words", "code", "status"),
    [
        ("hospital-l-diverse", (), 1, "increase_observed"),
        ("hospital-2-invariant", ("--attack", "intersection"), 0, "no_material_increase_observed"),
        ("clinic-2-equivalence", ("--attack", "equivalence", "--max-e", "1", "--policy", "min_e=3"), 3, "inconclusive"),
    ],
)
def test_the_statuses_of_composition_evidence_follow_from_exit_codes(series, words, code, status):
    got, out = rendered("openmed", *words, series=EXAMPLES / series)
    evidence = json.loads(out)
    assert got == code
    assert evidence["risk_status"] == status
    assert status in STATUSES
    assert re.fullmatch("sha256:[0-9a-f]{64}", evidence["evidence_digest"])
    assert (evidence["longitudinal_linkage_assessed"], evidence["prior_release_overlap_assessed"]) == (True, True)


def test_one_release_alone_is_not_assessed(tmp_path):
    (tmp_path / "1.csv").write_text("Age,Value\n1,a\n1,b\n", encoding="utf-8")
    (tmp_path / "series.toml").write_text(
        '[series]\nname = "one"\nreleases = ["1.csv"]\n[columns]\nsensitive = "Value"\nquasi_identifiers = ["Age"]\n'
    )
    evidence = json.loads(rendered("openmed", series=tmp_path)[1])
    assert evidence["risk_status"] == "not_assessed"
    assert not evidence["longitudinal_linkage_assessed"]
    assert not evidence["prior_release_overlap_assessed"]


def test_an_unknown_document_is_one_line():
    code, out, err = run_main(str(HOSPITAL), "--document", "letter")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", TO_COMPLETE)
def test_what_a_clause_says_of_an_attack_is_said_once(name):
    code, out = rendered(name, "--time-limit", "0.000001", series=EXAMPLES / "clinic-2-equivalence")
    assert code == 3
    told = out.split("What was not decided, and what limits the result")[1]
    assert "is not decided: intersection: the time limit of" in told
    assert "intersection is incomplete" not in told
    assert "homogeneity is skipped" in told
