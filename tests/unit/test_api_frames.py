"""Results of the Python API: frames of stated columns, and what a notebook shows, which names nobody."""

import dataclasses
import json
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

from audit.api import AuditResult, load
from audit.findings.proof import Proof, RefutedCase
from audit.pipeline.dataframes import certificates
from audit.pipeline.settings import Settings
from tests.cli.forms import EXAMPLES, edit, private_texts
from tests.helpers.results import EXPECTED, made

TEXT, COUNT, NUMBER, OBJECT = pd.StringDtype(), pd.Int64Dtype(), pd.Float64Dtype(), object
COLUMNS = {
    "findings": {
        **dict.fromkeys(["id", "attack", "sensitive", "kind", "individual", "record", "release", "value"], TEXT),
        "risk": NUMBER,
        "evidence": TEXT,
        "e": COUNT,
        **dict.fromkeys(["left", "right"], OBJECT),
        "class_size": COUNT,
        "cause": TEXT,
        "description": OBJECT,
    },
    "certificates": {
        **dict.fromkeys(["finding", "step", "kind", "release"], TEXT),
        **dict.fromkeys(["groups", "candidates", "feasible"], OBJECT),
        "weight": TEXT,
        "size": COUNT,
        "cells": OBJECT,
        **dict.fromkeys(["rows", "points", "least"], COUNT),
        **dict.fromkeys(["individual", "value"], TEXT),
    },
    "ladder": {
        **dict.fromkeys(["attack", "sensitive"], TEXT),
        **dict.fromkeys(["people", "beyond", "so_far"], COUNT),
        "seconds": NUMBER,
    },
    "inputs": {"path": TEXT, "sha256": TEXT, "rows": COUNT},
}
ATTACK = {
    **dict.fromkeys(["attack", "sensitive", "status", "reason"], TEXT),
    "seconds": NUMBER,
    "findings_total": COUNT,
}
FRAMES = ["measures", "findings", "certificates", "timeline", "ladder", "inputs"]
HOSPITAL = EXAMPLES / "hospital-l-diverse"


def texts(result):
    """All that a result shows."""
    frames = [getattr(result, name).to_csv() for name in FRAMES]
    return "\n".join([*frames, result.verdict, repr(result), result._repr_html_(), result.to_json()])


# -- frames ---------------------------------------------------------------------------------------------


def assert_frames(result):
    for name, columns in COLUMNS.items():
        assert getattr(result, name).dtypes.to_dict() == columns, name
    assert result.timeline.index.name == "release"
    assert set(result.timeline.dtypes) <= {COUNT}
    if isinstance(result, AuditResult):
        assert dict(list(result.measures.dtypes.items())[: len(ATTACK)]) == ATTACK


@pytest.mark.parametrize("name", sorted(EXPECTED))
@pytest.mark.parametrize("findings", [0, None])
def test_columns_and_dtypes(name, findings):
    result = load(EXAMPLES / name).audit(findings=findings)
    assert_frames(result)
    shown = [finding for attack in json.loads(result.to_json())["attacks"] for finding in attack["findings"]]
    assert result.findings["id"].tolist() == [finding["id"] for finding in shown]
    assert result.findings["kind"].tolist() == [finding["kind"] for finding in shown]
    assert len(result.certificates) == sum(steps(finding.get("certificate", ())) for finding in shown)
    if findings == 0:
        assert result.findings.empty


def steps(certificate):
    return sum(
        len(step["points"]) + len(step["spent"]) if "points" in step else 1 + steps(step.get("leads_to", []))
        for step in certificate
    )


def test_several_sensitive_attributes(tmp_path):
    series = load(made("two_values", tmp_path / "s"))
    result = series.audit(findings=None)
    assert_frames(result)
    assert result.measures.groupby("attack").size().to_dict() == {
        **dict.fromkeys({attack.attack for attack in result.report.attacks}, 3),  # each attribute, and both together
        "inference-table": 1,
    }
    assert {"joint (Disease)", "joint (Ward)"} <= set(result.timeline.columns)
    attack = series.attack("intersection")
    assert attack.measures.index.names == ["sensitive", "measure"]
    # The ward of one of the 16 people changes: nothing is claimed of it.
    assert [attack.measures[name]["individuals"] for name in ("Disease", "Ward")] == [16, 15]
    assert set(attack.findings["sensitive"]) <= {"Disease", "Ward", "Disease + Ward"}
    assert {rung.sensitive for rung in attack.report.ladder} == set(attack.ladder["sensitive"])


def test_cases_of_a_proof_are_numbered_below_it():
    report = load(EXAMPLES / "joint-breaks-2-distinct").attack("joint", findings=1).report
    [finding] = report.attacks[0].findings
    points, spent = finding.proof.points[:1], finding.proof.spent[:2]
    leaf = Proof(points, (), (), 1, spent)
    case = RefutedCase("person-000001", "1", "d", leaf)
    nested = RefutedCase("person-000002", "1", "d", Proof((), (), (case, case)))
    proved = dataclasses.replace(finding, certificate=(), proof=Proof((), (), (nested, case)))
    entry = dataclasses.replace(report.attacks[0], findings=(proved,))
    frame = certificates(dataclasses.replace(report, attacks=(entry,)))
    found = dict(zip(frame["step"], frame["kind"], strict=True))
    below = {"1": "points", "2": "spent", "3": "spent"}
    inner = {f"1.{n}{rest}": kind for n in (1, 2) for rest, kind in {"": "case", **dotted(below)}.items()}
    assert found == {"1": "case", **inner, "2": "case", **{f"2{rest}": kind for rest, kind in dotted(below).items()}}
    assert len(frame) == len(found)


def dotted(kinds):
    return {f".{step}": kind for step, kind in kinds.items()}


def test_a_changed_frame_changes_nothing_else():
    result = load(HOSPITAL).attack("equivalence")
    before = result.to_json()
    frame = result.findings
    frame.loc[0, "left"].clear()
    frame["kind"] = "none"
    result.measures["ways"].clear()
    assert result.to_json() == before
    assert result.findings.loc[0, "left"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.report = None


# -- secrets, and other people's words ------------------------------------------------------------------


@pytest.mark.parametrize("form", ["hospital-l-diverse", "everything", "two_values", "changing", "cases-independent"])
def test_nobody_is_named_unless_revealed(form, tmp_path):
    folder = made(form, tmp_path / "s")
    series = load(folder)
    secrets = private_texts(folder)
    if form == "cases-independent":
        secrets = {"20433", "2043*", "female"}
    assert secrets
    told = texts(series.audit(findings=None))
    assert not [secret for secret in secrets if secret in told]
    assert [secret for secret in secrets if secret in texts(series.audit(findings=None, reveal=True))]
    assert not [secret for secret in secrets if secret in repr(series)]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.attributes, self.words = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.words.append(data)


def test_html_escapes_what_it_quotes(tmp_path):
    folder = made("hospital-l-diverse", tmp_path / "s")
    edit(folder / "series.toml", 'name = "Hospital', 'name = "<script>alert(1)</script>')
    for release in folder.glob("releases/*.csv"):
        release.write_text(
            release.read_text()
            .replace("Bob", "<script>Bob</script>")
            .replace("dyspepsia", "<img src=x onerror=alert(1)>&amp;")
        )
    result = load(folder).audit(reveal=True, findings=None)
    page = Tags()
    page.feed(result._repr_html_())
    page.close()
    assert page.seen <= {"div", "p", "br", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.attributes == [("class", "series-audit")]
    assert "<script>Bob</script> has <img src=x onerror=alert(1)>&amp;" in page.words
    assert page.words[0].startswith("<script>alert(1)</script>")


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_html_has_every_attack_and_the_first_findings(name):
    result = load(EXAMPLES / name).audit(findings=None)
    page = Tags()
    page.feed(result._repr_html_())
    page.close()
    measures, findings = result.measures, result.findings
    assert set(measures["attack"]) <= set(page.words)
    assert page.words.count("does not apply") == (measures["status"] == "skipped").sum()
    shown = [ident for ident in findings["id"] if ident in page.words]
    again = {"update-graph"} if {"intersection"} <= set(findings["attack"]) else set()
    told = findings[~findings["attack"].isin(again)]["id"].tolist()
    assert shown == told[:5]
    assert (f"{len(told) - 5:,} more findings" in page.words) == (len(told) > 6)


def test_terminals_are_not_written_to(tmp_path):
    folder = made("hospital-l-diverse", tmp_path / "s")
    edit(folder / "series.toml", 'name = "Hospital', 'name = "\\u001b[2J\\nHospital')
    series = load(folder)
    assert repr(series).isprintable()
    result = series.audit()
    lines = repr(result).split("\n")
    assert len(lines) == 1 + len(result.report.attacks)
    assert all(line.isprintable() for line in lines)


MANUAL = (EXAMPLES.parents[1] / "docs/api.md").read_text(encoding="utf-8")


def test_the_manual_has_every_argument_attribute_and_column():
    words = set(re.findall(r"`(\w+)", MANUAL))
    arguments = set(Settings.__annotations__)
    attributes = {name for name in dir(AuditResult) if not name.startswith("_")}
    columns = {column for frame in COLUMNS.values() for column in frame}
    assert arguments | attributes | columns <= words
