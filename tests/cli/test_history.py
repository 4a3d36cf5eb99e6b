"""`audit history`: eight quarters of one series, from its reports."""

import json
import shutil

import pytest

from tests.cli.forms import EXAMPLES
from tests.helpers.running import done, run_main

QUARTERS = 8


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    """A series, and a report of each quarter: safe for three of them, then with findings, undecided in the end."""
    folder = tmp_path_factory.mktemp("history") / "series"
    shutil.copytree(EXAMPLES / "hospital-l-diverse", folder)
    (folder / "private").mkdir(mode=0o700)
    (folder / "reports").mkdir()
    words = [str(folder), "--format", "json", "--stable-ids", "--findings", "all"]
    report = json.loads(run_main(*words)[1])
    for quarter in range(QUARTERS):
        told = json.loads(json.dumps(report))
        told["made"] = f"20{24 + quarter // 4}-{3 * (quarter % 4) + 1:02}-15"
        told["series"]["releases"] = [str(n + 1) for n in range(quarter + 1)]
        if quarter < 3 or quarter == QUARTERS - 1:
            told["policy"]["violations"] = []
            told["policy"]["passed"] = quarter < 3
            for entry in told["attacks"]:
                entry["findings"], entry["findings_total"] = [], 0
        (folder / "reports" / f"Q{QUARTERS - quarter}.json").write_text(json.dumps(told), encoding="utf-8")
    (folder / "reports" / "Q1.html").write_text("<p>the page</p>", encoding="utf-8")
    return folder


def test_by_date_with_verdicts_and_what_is_new(series):
    out = done("history", str(series), "--format", "json")
    reports = json.loads(out)["reports"]
    assert [each["made"] for each in reports] == sorted(each["made"] for each in reports)
    assert [each["verdict"] for each in reports] == ["holds"] * 3 + ["violated"] * 4 + ["undecided"]
    found = reports[3]["findings"]
    assert [each["new_findings"] for each in reports] == [None, 0, 0, found, 0, 0, 0, 0]
    assert found > 0
    assert {each["certain"] for each in reports} == {4}
    assert [each["page"] for each in reports] == [None] * 7 + ["Q1.html"]


def test_what_a_baseline_left_out_was_found_all_the_same(tmp_path):
    """Reports of one series, each with the one before as its baseline: nothing is new but in the first."""
    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")
    (tmp_path / "s/private").mkdir()
    (tmp_path / "s/reports").mkdir()
    words = []
    for name in ("1", "2", "3"):
        target = tmp_path / f"s/reports/{name}.json"
        how = ["--format", "json", "--stable-ids", "--findings", "all", "--output", str(target)]
        run_main(str(tmp_path / "s"), *how, *words)
        words = ["--baseline", str(target)]
    told = json.loads(run_main("history", str(tmp_path / "s"), "--format", "json")[1])["reports"]
    assert [each["findings"] for each in told] == [18] * 3
    assert [each["new_findings"] for each in told] == [None, 0, 0]


def test_other_files_and_none_are_one_line(series, tmp_path):
    for reports in (tmp_path, tmp_path / "nowhere"):
        code, out, err = run_main("history", str(series), "--reports", str(reports))
        assert (code, out, err.count("\n")) == (2, "", 1)
    for text in ("{", "[]", '{"attacks": 3}', "[" * 100_000):
        (tmp_path / "other.json").write_text(text)
        code, out, err = run_main("history", str(series), "--reports", str(tmp_path))
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "other.json" in err


@pytest.mark.parametrize("version", [1, 2])
def test_what_is_new_is_known_of_counts_after_a_report_of_an_earlier_version(version, tmp_path):
    """It did not say that its ids are stable, as those of counts always are."""
    report = json.loads(
        run_main(
            str(EXAMPLES.parent / "count_table_examples" / "tables-one-left-out"),
            "--format",
            "json",
            "--findings",
            "all",
        )[1]
    )
    (tmp_path / "reports").mkdir()
    for year in (2024, 2025):
        told = report | {"made": f"{year}-01-15"}
        if year == 2024 and version == 1:
            told = {key: each for key, each in told.items() if key != "stable_ids"} | {"schema_version": 1}
        (tmp_path / "reports" / f"{year}.json").write_text(json.dumps(told), encoding="utf-8")
    reports = json.loads(done("history", str(tmp_path), "--format", "json"))["reports"]
    assert [each["new_findings"] for each in reports] == [None, 0]
    assert reports[0]["findings"] == 1
