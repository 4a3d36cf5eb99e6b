"""The Python API: the same as the command line, file by file and argument by argument."""

import doctest
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from audit.api import AttackResult, AuditError, AuditResult, InputError, UsageError, load
from tests.cli.forms import EXAMPLES, append, read_rows, write_rows
from tests.helpers.results import EXPECTED, made, timeless
from tests.helpers.running import run_main

MEASURES = {"intersection": {"vulnerable"}, "update-graph": {"disclosed"}, "joint": {"certain", "worlds"}}
MEASURES["inference-table"] = {"k", "records", "unsafe", "smallest_class"}
HOSPITAL = EXAMPLES / "hospital-l-diverse"


# -- values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "attack"), [(name, attack) for name, attacks in EXPECTED.items() for attack in attacks]
)
def test_worked_examples(name, attack):
    expected = EXPECTED[name][attack]
    result = load(EXAMPLES / name).attack(attack, reveal=True, findings=None)
    assert isinstance(result, AttackResult)
    for measure in MEASURES.get(attack, set()) & expected.keys():
        assert result.measures[measure] == expected[measure], measure
    if attack == "equivalence":
        assert result.measures["min_e.lower"] == result.measures["min_e.upper"] == expected["min_e"]
        assert {str(e): result.measures[f"compromised.{e}"] for e in range(1, 5)}.items() <= expected[
            "compromised"
        ].items()
        assert (result.findings["kind"] == "equivalence").any()
    elif attack == "inference-table":
        assert set(result.findings["record"]) == set(expected["who"])
    elif attack == "intersection":
        assert set(result.findings["individual"]) == set(expected["who"])
    else:
        who = {(one["individual"], int(one["release"][-1])) for _, one in result.findings.iterrows()}
        assert who == {(person, release) for person, release, *_ in expected["who"]}
    if "timeline" in expected:
        assert result.timeline[attack].tolist() == expected["timeline"]
    assert result.measures["status"] == "complete"
    assert len(result.findings) == result.measures["findings_total"]


def test_an_audit_has_all_attacks():
    result = load(HOSPITAL).audit(findings=None, policy={"max_risk": 1, "min_e": 2})
    assert isinstance(result, AuditResult)
    assert list(result.timeline.columns) == ["intersection", "update-graph", "equivalence", "joint"]
    assert list(result.timeline.index) == ["1", "2"]
    assert result.ladder.set_index("attack")["so_far"].to_dict() == {
        "intersection": 2,
        "update-graph": 2,
        "equivalence": 2,
        "joint": 4,
    }
    measures = result.measures.set_index("attack")
    assert measures["status"].value_counts().to_dict() == {"complete": 4, "skipped": 3}
    assert measures.loc["intersection", "vulnerable"] == 2
    assert measures.loc["equivalence", "min_e.upper"] == 1
    assert pd.isna(measures.loc["equivalence", "vulnerable"])
    assert (result.passed, result.exit_code) == (False, 1)
    assert result.verdict == "NOT SAFE: by joint, the sensitive value is certain for 4 of 16 people."
    assert result.inputs["path"].tolist() == ["releases/1.csv", "releases/2.csv"]


@pytest.mark.parametrize(("name", "policy", "code"), [("distinct-star-skewed", {}, 0), ("clinic-merged", {"k": 2}, 1)])
def test_exit_codes(name, policy, code):
    result = load(EXAMPLES / name).audit(policy=policy)
    assert (result.exit_code, result.passed) == (code, code == 0)


def test_a_clause_that_was_not_asked_about_is_undecided():
    merged = load(EXAMPLES / "clinic-merged")
    assert merged.attack("intersection").exit_code == 0
    assert merged.attack("intersection", policy={"min_e": 3}).exit_code == 3


# -- the same as the command line -----------------------------------------------------------------------

SAME = [
    ("hospital-l-diverse", [], None, {}),
    ("hospital-l-diverse", ["--attack", "equivalence"], "equivalence", {}),
    ("hospital-l-diverse", ["--attack", "equivalence", "--max-e", "2"], "equivalence", {"max_e": 2}),
    ("hospital-l-diverse", ["--findings", "all"], None, {"findings": None}),
    ("hospital-l-diverse", ["--policy", "max_risk=0.5"], None, {"policy": {"max_risk": 0.5}}),
    ("cases-independent", ["--reveal", "--k", "3"], None, {"reveal": True, "policy": {"k": 3}}),
    ("joint-breaks-2-distinct", ["--findings", "3"], None, {"findings": 3}),
    ("everything", ["--adversary", "register", "--reveal"], None, {"adversary": "register", "reveal": True}),
    ("everything", ["--time-limit", "60"], None, {"time_limit": 60}),
    ("two_values", ["--findings", "all"], None, {"findings": None}),
    ("two_values", ["--attack", "joint"], "joint", {}),
    ("keyed", [], None, {}),
    ("changing", [], None, {}),
    ("parquet-outsider", [], None, {}),
]


@pytest.mark.parametrize(("form", "words", "attack", "settings"), SAME)
def test_json_is_the_command_lines(form, words, attack, settings, tmp_path):
    folder = made(form, tmp_path / "s")
    code, out, err = run_main(str(folder), "--format", "json", "--stable-ids", *words)
    series, settings = load(folder), {**settings, "stable_ids": True}
    result = series.audit(**settings) if attack is None else series.attack(attack, **settings)
    assert err == ""
    assert timeless(result.to_json()) == timeless(out)
    assert result.exit_code == code


def test_one_audit_leaves_nothing_for_the_next(tmp_path):
    series = load(made("everything", tmp_path / "s"))
    first = timeless(series.audit(stable_ids=True).to_json())
    series.audit(adversary="register", reveal=True)
    series.attack("joint", findings=0)
    assert timeless(series.audit(stable_ids=True).to_json()) == first


def test_a_relative_path_is_that_of_the_time(tmp_path, monkeypatch):
    made("hospital-l-diverse", tmp_path / "s")
    monkeypatch.chdir(tmp_path)
    series = load("s")
    monkeypatch.chdir("/")
    assert series.attack("intersection").measures["vulnerable"] == 2


def test_releases_are_read_anew(tmp_path):
    """Ages become words in the files: what was seen of them before does not count."""
    folder = made("hospital-l-diverse-outsider", tmp_path / "s")
    series = load(folder)
    before = series.audit().inputs["sha256"].tolist()
    for path in [folder / "register.csv", *folder.glob("releases/*.csv")]:
        header, *rows = read_rows(path)
        age = header.index("Age")
        for row in rows:
            ends = [int(end) for end in re.findall("[0-9]+", row[age])]
            words = [f"y{year}" for year in range(ends[0], ends[-1] + 1)]
            row[age] = words[0] if len(ends) == 1 else f"{{{', '.join(words)}}}"
        write_rows(path, [header, *rows])
    after = series.audit(stable_ids=True)
    assert not set(before) & set(after.inputs["sha256"])
    assert timeless(after.to_json()) == timeless(load(folder).audit(stable_ids=True).to_json())


def test_waivers(tmp_path):
    folder = made("hospital-l-diverse", tmp_path / "s")
    ids = load(folder).attack("intersection", stable_ids=True).findings["id"].tolist()
    for ident in ids:
        append(
            folder / "series.toml",
            f'\n[[waiver]]\nfinding = "{ident}"\nreason = "asked"\nexpires = 2999-01-01\nsize = 1\n',
        )
    result = load(folder).attack("intersection")
    assert (result.exit_code, len(result.findings), result.measures["findings_total"]) == (0, 0, 0)
    assert result.measures["vulnerable"] == 2
    assert [(waived.finding, waived.state) for waived in result.report.policy.waived] == [
        (ident, "applied") for ident in ids
    ]


# -- wrong arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: s.attack("guess"), "choose from intersection"),
        (lambda s: s.attack("inference-table"), "columns] record"),
        (lambda s: s.attack("intersection", max_e=2), "max_e is an option of the attack equivalence"),
        (lambda s: s.audit(depth=2), "no attack has the option depth"),
        (lambda s: s.audit(max_e=0), "from 1 to 100"),
        (lambda s: s.audit(max_e=2.5), "from 1 to 100"),
        (lambda s: s.audit(max_e=101), "from 1 to 100"),
        (lambda s: s.audit(adversary="everybody"), "linked, register, pseudonym"),
        (lambda s: s.audit(adversary="register"), "[adversary] register"),
        (lambda s: s.audit(time_limit=0), "time_limit"),
        (lambda s: s.audit(time_limit=float("nan")), "time_limit"),
        (lambda s: s.audit(findings="all"), "None for all"),
        (lambda s: s.audit(findings=-1), "None for all"),
        (lambda s: s.audit(reveal="no"), "True or False"),
        (lambda s: s.audit(policy={"max_risk": 2}), "above 0 and at most 1"),
        (lambda s: s.audit(policy={"k": True}), "whole number"),
        (lambda s: s.audit(policy={"secrets": 1}), "no such limit"),
    ],
)
def test_wrong_arguments(call, said):
    series = load(HOSPITAL)
    with pytest.raises(UsageError) as error:
        call(series)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError) as error:
        load(tmp_path)
    assert isinstance(error.value, AuditError)
    assert error.value.problems[0].file.endswith("series.toml")
    folder = made("hospital-l-diverse", tmp_path / "s")
    series = load(folder / "series.toml")
    (folder / "releases/2.csv").unlink()
    with pytest.raises(InputError):
        series.audit()


def test_numbers_of_other_libraries(tmp_path):
    import numpy as np

    folder = made("hospital-l-diverse", tmp_path / "s")
    plain = load(folder).audit(findings=3, max_e=2, time_limit=60.0, policy={"k": 3, "max_risk": 0.5}, stable_ids=True)
    other = load(folder).audit(
        findings=np.int64(3),
        max_e=np.int32(2),
        time_limit=np.int64(60),
        policy={"k": np.int64(3), "max_risk": np.float32(0.5)},
        stable_ids=True,
    )
    assert timeless(other.to_json()) == timeless(plain.to_json())


def test_interrupts_are_not_caught(monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("attacks.intersection.IntersectionAttack.run", stop)
    with pytest.raises(KeyboardInterrupt):
        load(HOSPITAL).attack("intersection")


# -- shape ----------------------------------------------------------------------------------------------


def test_what_is_imported_by_the_import():
    slow = ("pandas", "ortools", "matplotlib", "jinja2", "rich", "pyarrow")
    words = f"import sys, audit.api; print([name for name in {slow} if name in sys.modules])"
    called = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=60)
    assert (called.stdout, called.stderr) == ("[]\n", "")


def test_how_things_show_themselves():
    series = load(HOSPITAL)
    assert series.name.startswith("Hospital, 2-diverse")
    assert series.releases == ("1", "2")
    assert repr(series) == f"LoadedSeries({series.name!r}, 2 releases)"
    head, line = repr(series.attack("intersection")).split("\n")
    assert head == (f"{series.name}: NOT SAFE: by intersection, the sensitive value is certain for 2 of 16 people.")
    assert re.fullmatch(r"  intersection: 2 of 16 people \(complete, \d+\.\d\d s\)", line)


MANUAL = (EXAMPLES.parents[1] / "docs/api.md").read_text(encoding="utf-8")


def test_the_manuals_examples(tmp_path, monkeypatch):
    made("hospital-l-diverse", tmp_path / "hospital")
    shutil.copytree(EXAMPLES.parent / "count_table_examples/tables-one-left-out", tmp_path / "tables-one-left-out")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall("```pycon\n(.*?)```", MANUAL, re.DOTALL)
    parsed = doctest.DocTestParser().get_doctest("".join(blocks), {}, "api.md", "docs/api.md", 0)
    told = []
    failed, tried = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(parsed, out=told.append)
    assert not failed, "".join(told)
    assert tried > 8
