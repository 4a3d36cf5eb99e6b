"""`--baseline REPORT.json`: exit 1 only for what is new."""

import json
import shutil

import pytest

from tests.cli.forms import EXAMPLES, edit
from tests.helpers.messy import series_of
from tests.helpers.running import refused, run_main

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


@pytest.mark.parametrize("version", [0, 2, "1", None, 1.5])
def test_a_report_of_another_form_is_no_baseline(series, tmp_path, version):
    old = tmp_path / "old.json"
    baseline(series, old)
    report = json.loads(old.read_text(encoding="utf-8"))
    old.write_text(json.dumps(report | {"schema_version": version}), encoding="utf-8")
    assert "its schema_version is not 1, the only one" in refused(str(series), "--baseline", str(old))


def test_a_document_of_another_shape_is_no_baseline(series, tmp_path):
    old = tmp_path / "old.json"
    old.write_text('{"attacks": [], "baseline": []}')
    code, _, err = run_main(str(series), "--baseline", str(old))
    assert code == 2
    assert "this is not a report" in err


def risky(folder, second):
    """One release in which three of four have HIV; and a second one that says more of them, or the same again."""
    first = "".join(f"{who},1,*,{value}\n" for who, value in zip("ABCD", ["HIV", "HIV", "HIV", "flu"], strict=True))
    columns = 'group = "g"\nquasi_identifiers = ["age"]\nindividual = "who"\nsensitive = "d"'
    tables = [f"who,g,age,d\n{rows}" for rows in (first, second)]
    (folder / "private").mkdir(parents=True)
    return series_of(folder, tables[:1], columns, "[policy]\nmax_risk = 0.7\nmin_e = 1\nk = 1", **{"2": tables[1]})


@pytest.mark.parametrize("by", ["baseline", "baseline of a baseline", "*", "ids", "people"])
@pytest.mark.parametrize(
    ("second", "code", "state"),
    [("A,1,*,HIV\n" + ",1,*,flu\n" * 30, 1, "exceeded"), ("E,1,*,HIV\nF,1,*,flu\n", 0, "applied")],
    ids=["a risk grows", "no risk grows"],
)
def test_risks_are_accepted_as_far_as_they_went(tmp_path, second, code, state, by):
    """Equal risks are accepted, and everything about people of whom no more is known; what has grown is new."""
    folder, more = risky(tmp_path / "s", second), []
    if "baseline" in by:
        more = ["--baseline", baseline(folder, tmp_path / "old.json")]
        if by != "baseline":
            more = ["--baseline", baseline(folder, tmp_path / "again.json", *more)]
    else:
        found, out, _ = run_main(str(folder), *HOW)
        assert found == 1
        findings = [one for entry in json.loads(out)["attacks"] for one in entry["findings"]]
        named = {"*": ["*"], "ids": [each["id"] for each in findings], "people": list("ABCD")}[by]
        assert run_main("waive", str(folder), *named, "--reason", "r", "--until", "2999-01-01")[0] == 0
    assert json.loads(run_main(str(folder), *more, *HOW)[1])["policy"]["passed"]
    edit(folder / "series.toml", '"1.csv"', '"1.csv", "2.csv"')
    found, out, _ = run_main(str(folder), *more, *HOW)
    result = json.loads(out)
    kinds = {one["kind"] for entry in result["attacks"] for one in entry["findings"]}
    assert (found, kinds) == (code, {"risk"} if code else set())
    assert by not in ("ids", "people") or state in {each["state"] for each in result["policy"]["waived"]}


def test_a_record_whose_class_has_shrunk_is_new(tmp_path):
    shutil.copytree(EXAMPLES / "cases-independent", tmp_path / "s")
    (tmp_path / "s/private").mkdir(exist_ok=True)
    old = baseline(tmp_path / "s", tmp_path / "old.json")
    report = json.loads((tmp_path / "old.json").read_text())
    assert run_main(str(tmp_path / "s"), "--baseline", old)[0] == 0
    [table] = [entry for entry in report["attacks"] if entry["attack"] == "inference-table"]
    table["findings"][0]["risk"] /= 2
    (tmp_path / "old.json").write_text(json.dumps(report))
    code, out, _ = run_main(str(tmp_path / "s"), "--baseline", old, *HOW)
    assert code == 1
    assert [one["id"] for entry in json.loads(out)["attacks"] for one in entry["findings"]] == [
        table["findings"][0]["id"]
    ]
