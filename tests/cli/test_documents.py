"""Documents about an audit: what was measured stands in them, what only people know is a marked blank."""

import json
import re
from html import unescape

import pytest

from audit.cli.main import COMMANDS
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
        assert "NOT SAFE: the sensitive value is certain for 4 of 16 people." in out
        assert "\\[to be filled in: " in out


@pytest.mark.parametrize("name", TO_COMPLETE)
def test_a_document_is_a_page_as_well(name):
    """The page has what the Markdown has, word for word."""
    code, out = rendered(name, "--format", "html")
    assert code == 1
    words = unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?(span|code)[^>]*>", "", out.split("<body")[1])))
    plain = re.sub(r"[\\*#|`]", "", rendered(name)[1])
    for line in plain.splitlines():
        if line.strip() and "---" not in line and "releases/" not in line and "%" not in line:
            assert all(word.rstrip(":") in words for word in line.split()), line


@pytest.mark.parametrize(
    ("file", "words", "begins"),
    [
        ("dpia.html", ("--document", "dpia"), "<!doctype html>"),
        ("dpia.md", ("--document", "dpia"), "# "),
        ("report.HTM", (), "<!doctype html>"),
        ("report.json", (), "{"),
        ("report.html", ("--format", "markdown"), "# "),
        ("report.txt", (), "Hospital"),
        ("report.csv", (), "Hospital"),
    ],
)
def test_the_name_of_a_file_says_its_format_unless_an_option_does(tmp_path, file, words, begins):
    assert run_main(str(HOSPITAL), "--attack", "intersection", "--output", str(tmp_path / file), *words)[0] == 1
    assert (tmp_path / file).read_text(encoding="utf-8").lstrip().lower().startswith(begins.lower())


NUMBER = re.compile(r"\d[\d,.]*")


@pytest.mark.parametrize("name", TO_COMPLETE)
@pytest.mark.parametrize("series", ["hospital-l-diverse", "ward-l-diverse", "clinic-2-equivalence"])
def test_a_document_has_the_numbers_of_the_page_and_no_commands(name, series):
    """An authority reads what the page of the same run says, and nothing that one types."""
    page = run_main(str(EXAMPLES / series), "--format", "markdown")[1]
    text = rendered(name, series=EXAMPLES / series)[1]
    [verdict] = re.findall(r"^## Verdict\n\n\*\*(.*)\*\*$", page, re.MULTILINE)
    assert f"**{verdict}**" in text
    for row in re.findall(r"^\| ([a-z-]+) \| complete \| (.*) \|$", text, re.MULTILINE):
        [shown] = re.findall(rf"^\| {row[0]} \| complete \| (.*?) \|", page, re.MULTILINE)
        assert shown == row[1]
    told = "".join(re.findall(r"^[*|].*$", text.split("## Terms")[0], re.MULTILINE))
    assert set(NUMBER.findall(told)) <= set(NUMBER.findall(page))
    assert len(set(NUMBER.findall(told))) > 5
    assert not re.search(rf"--[a-z]|audit (SERIES|{'|'.join(COMMANDS)})|\$ ", text)
    assert "## Terms" in text


@pytest.mark.parametrize(
    ("series", "words", "said"),
    [
        ("hospital-l-diverse", (), "Yes, by assumption: this adversary knows which group holds a person"),
        ("hospital-l-diverse-outsider", (), "Judged: this adversary knows people’s exact quasi-identifiers"),
        ("hospital-2-invariant", ("--adversary", "published"), "Not judged: no attack"),
        ("cases-monotonic", (), "inference-table: none of 6 records below k = 2"),
    ],
)
def test_linkability_is_answered_where_it_was_judged(series, words, said):
    text = rendered("wp29", *words, series=EXAMPLES / series)[1]
    answer = text.split("## Linkability")[1].split("## ")[0]
    assert said in answer
    assert ("Not judged" in answer) == ("Not judged" in said)


@pytest.mark.parametrize(
    ("series", "right"), [("hospital-l-diverse", "key"), ("hospital-l-diverse-outsider", "register")]
)
def test_what_has_to_be_right_is_what_the_adversary_has(series, right):
    _, out = rendered("dpia", series=EXAMPLES / series)
    assert {what for what in ("key", "register") if f"The {what} is right about" in out} == {right}


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


def test_an_unknown_document_is_one_line():
    code, out, err = run_main(str(HOSPITAL), "--document", "letter")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
