"""`--baseline REPORT.json`: exit 1 only for what is new."""

import json
import re
import shutil

import pytest

from tests.cli.forms import EXAMPLES, edit
from tests.helpers.running import refused, run_main
from tests.mutants.mutant import kills

COUNT_EXAMPLES = EXAMPLES.parent / "count_table_examples"
HOW = ["--format", "json", "--stable-ids", "--findings", "all"]


@pytest.fixture
def series(tmp_path):
    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")
    (tmp_path / "s" / "private").mkdir()
    return tmp_path / "s"


def baseline(series, target, *words):
    run_main(str(series), *HOW, "--output", str(target), *words)
    return str(target)


def test_only_what_is_new_fails(series, tmp_path):
    assert run_main(str(series))[0] == 1
    old = baseline(series, tmp_path / "old.json")
    code, out, err = run_main(str(series), "--baseline", old, "--format", "json")
    result = json.loads(out)
    assert (code, err, result["policy"]["violations"]) == (0, "", [])
    assert result["known_before"] == sum(
        entry["findings_total"] for entry in json.loads((tmp_path / "old.json").read_text())["attacks"]
    )
    assert all(entry["findings"] == [] for entry in result["attacks"])
    earlier = json.loads((tmp_path / "old.json").read_text())
    assert result["baseline"] == {
        "made": earlier["made"],
        "releases": ["1", "2"],
        "passed": False,
        "findings": result["known_before"],
        "still": result["known_before"],
        "known": sorted(one["id"] for entry in earlier["attacks"] for one in entry["findings"]),
        "risks": {one["id"]: one["risk"] for entry in earlier["attacks"] for one in entry["findings"] if "risk" in one},
    }
    assert "except for what is waived or in the baseline" in " ".join(
        run_main(str(series), "--baseline", old)[1].split()
    )


def test_what_an_earlier_report_has_is_not_called_accepted(series, tmp_path):
    """A baseline leaves findings out, which nobody has accepted by that."""
    old = baseline(series, tmp_path / "old.json")
    out = run_main(str(series), "--baseline", old, "--document", "dpia")[1]
    assert "not accepted" not in out
    assert "people whose value is certain, not in the earlier report already" in out
    assert "A clause holds here apart from what is in the earlier report already" in out
    assert "(max\\_risk, limit 1): holds \\*" in out
    page = run_main(str(series), "--baseline", old, "--format", "markdown")[1]
    new = page.partition("## What is new since the last report")[2].partition("## ")[0].strip()
    assert "18 findings of that report are found again." in new
    assert new in out, "the document says what the page of the same run does"


def test_a_further_release_is_judged_by_what_it_adds(series, tmp_path):
    last = series / "releases/2.csv"
    shutil.move(last, tmp_path / "2.csv")
    edit(series / "series.toml", ', "releases/2.csv"', "")
    old = baseline(series, tmp_path / "old.json")
    assert run_main(str(series), "--baseline", old)[0] == 0
    shutil.move(tmp_path / "2.csv", last)
    edit(series / "series.toml", '"releases/1.csv"', '"releases/1.csv", "releases/2.csv"')
    code, out, _ = run_main(str(series), "--baseline", old, "--format", "json", "--findings", "all")
    known = {one["id"] for entry in json.loads((tmp_path / "old.json").read_text())["attacks"] for one in entry["findings"]}  # fmt: skip # noqa: E501
    assert code == 1
    assert not known & {one["id"] for entry in json.loads(out)["attacks"] for one in entry["findings"]}


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("example", ["hospital-l-diverse", "tables-one-left-out"])
def test_a_candidate_is_judged_by_the_same_baseline_as_once_it_is_published(example, whole, tmp_path):
    home = next(each / example for each in (EXAMPLES, COUNT_EXAMPLES) if (each / example).exists())
    series, last = tmp_path / "s", tmp_path / "2.csv"
    shutil.copytree(home, series)
    (series / "private").mkdir(exist_ok=True)
    text, found = (series / "series.toml").read_text(), [*series.rglob("2*.csv")]
    new = re.sub(r', ?"[^"]*2\.csv"|^2 = .*$', "", text, flags=re.MULTILINE)
    assert new != text
    old = baseline(series, tmp_path / "old.json") if whole else ""
    shutil.move(found[0], last)
    (series / "series.toml").write_text(new)
    old = old or baseline(series, tmp_path / "old.json")
    ahead, out, err = run_main("next", str(series), str(last), "--baseline", old, "--format", "json")
    assert err == ""
    shutil.move(last, found[0])
    (series / "series.toml").write_text(text)
    code, audited, _ = run_main(str(series), "--baseline", old, "--format", "json")
    assert (ahead, json.loads(out)["policy"]) == (code, json.loads(audited)["policy"])
    assert code == (0 if whole else 1)


@kills("reports.impact._before", "elif before.left_out", "elif False")
@pytest.mark.parametrize("example", ["hospital-l-diverse", "tables-one-left-out"])
def test_what_a_baseline_leaves_out_is_said_of_the_series_without_the_candidate(example, tmp_path):
    """The candidate is the last release once more."""
    home = next(each / example for each in (EXAMPLES, COUNT_EXAMPLES) if (each / example).exists())
    shutil.copytree(home, tmp_path / "s")
    (tmp_path / "s" / "private").mkdir(exist_ok=True)
    shutil.copy(next((tmp_path / "s").rglob("2*.csv")), tmp_path / "3.csv")
    words = ["next", str(tmp_path / "s"), str(tmp_path / "3.csv")]
    assert "Without the candidate the policy was violated already" in " ".join(run_main(*words)[1].split())
    old = baseline(tmp_path / "s", tmp_path / "old.json")
    known = sum(entry["findings_total"] for entry in json.loads((tmp_path / "old.json").read_text())["attacks"])
    said = " ".join(run_main(*words, "--baseline", old)[1].split())
    assert f"policy held, except for what is waived or in the baseline: {known} finding" in said
    assert "waived or in the baseline, and not counted." in said


def test_a_report_that_forgot_what_was_known_is_no_baseline(series, tmp_path):
    """Reports of versions that did not write down what they left out."""
    old = baseline(series, tmp_path / "old.json")
    second = baseline(series, tmp_path / "second.json", "--baseline", old)
    report = json.loads((tmp_path / "second.json").read_text())
    del report["baseline"]["known"]
    (tmp_path / "second.json").write_text(json.dumps(report))
    assert "made with a baseline by an earlier version" in refused(str(series), "--baseline", second)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "json", "--findings", "all"], "valid in that report only"),
        (["--format", "json", "--stable-ids", "--findings", "1"], "findings out"),
        (["--format", "markdown"], "this is not a report"),
    ],
)
def test_invalid_baselines_are_refused(words, said, series, tmp_path):
    target = tmp_path / "old"
    run_main(str(series), *words, "--output", str(target))
    assert said in refused(str(series), "--baseline", str(target))


def test_a_report_of_the_former_form_is_a_baseline(series, tmp_path):
    old = tmp_path / "old.json"
    baseline(series, old)
    code, out, _ = run_main(str(series), "--baseline", str(old), "--format", "json")
    report = json.loads(old.read_text(encoding="utf-8"))
    old.write_text(json.dumps(report | {"schema_version": 1}), encoding="utf-8")
    again = run_main(str(series), "--baseline", str(old), "--format", "json")
    assert (again[0], json.loads(again[1])["baseline"]) == (code, json.loads(out)["baseline"])


@pytest.mark.parametrize("version", [0, 3, "1", None, 1.5])
def test_a_report_of_another_form_is_no_baseline(series, tmp_path, version):
    old = tmp_path / "old.json"
    baseline(series, old)
    report = json.loads(old.read_text(encoding="utf-8"))
    old.write_text(json.dumps(report | {"schema_version": version}), encoding="utf-8")
    assert "its schema_version is neither 1 nor 2" in refused(str(series), "--baseline", str(old))


def test_a_document_of_another_shape_is_no_baseline(series, tmp_path):
    old = tmp_path / "old.json"
    old.write_text('{"attacks": [], "baseline": []}')
    code, _, err = run_main(str(series), "--baseline", str(old))
    assert code == 2
    assert "this is not a report" in err
