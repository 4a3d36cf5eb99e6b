"""`audit SERIES --recommend`: what would mend the newest release, told as `audit repair` finds it."""

import json
import shutil

import pytest

import audit
from reports.registry import FORMATS
from tests.cli.forms import EXAMPLES, edit
from tests.helpers.running import run_main
from tests.helpers.schemas import troubles

HOW = ["--findings", "0"]


@pytest.fixture
def series(tmp_path):
    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")
    return tmp_path / "s"


def as_json(series, *words):
    code, out, err = run_main(str(series), "--format", "json", *HOW, *words)
    assert err == ""
    return code, json.loads(out)


def repaired(series, tmp_path):
    """Return what `audit repair` makes of the newest release, once it is no more in the series."""
    shutil.copytree(series, tmp_path / "earlier")
    last = tmp_path / "earlier" / "releases" / "2.csv"
    shutil.move(last, tmp_path / "2.csv")
    edit(tmp_path / "earlier" / "series.toml", ', "releases/2.csv"', "")
    target = str(tmp_path / "out")
    code, out, err = run_main(
        "repair", str(tmp_path / "earlier"), str(tmp_path / "2.csv"), "--output", target, "--format", "json"
    )
    assert (code, err) == (0, "")
    return json.loads(out)


def test_it_is_what_repair_finds(series, tmp_path):
    expected = repaired(series, tmp_path)
    assert expected["moves"]
    code, result = as_json(series, "--recommend", "--reveal")
    found = result["recommendation"]
    assert code == 1  # the verdict is that of the series as it is
    assert (found["release"], found["changes"], found["refused"]) == ("2", len(expected["moves"]), None)
    assert found["moves"] == expected["moves"]
    assert found["information_lost"] == expected["information_lost"]
    assert sum(each["cost"] for each in found["totals"]) == pytest.approx(sum(m["cost"] for m in expected["moves"]))
    assert troubles("audit", result) == []


def test_a_report_to_share_counts_changes_and_names_none(series):
    _, result = as_json(series, "--recommend")
    found = result["recommendation"]
    assert "moves" not in found
    assert {each["kind"]: each["count"] for each in found["totals"]} == {"merge": 2, "withhold": 2}
    assert troubles("audit", result) == []


@pytest.fixture(scope="module")
def reports():
    """The report without a recommendation, with one to share, and with one that names people."""
    loaded = audit.load(EXAMPLES / "hospital-l-diverse")
    ways = {}, {"recommend": True}, {"recommend": True, "reveal": True}
    return [loaded.audit(findings=0, **how).report for how in ways]


@pytest.mark.parametrize("name", [name for name in FORMATS.names if name != "json"])
def test_every_format_tells_it(reports, name):
    plain, shared, inside = (FORMATS.load(name)().render(report).replace("%25", "%") for report in reports)
    assert "rows withheld" not in plain
    for page, told in (shared, "2 rows withheld"), (inside, "withhold lines 2 and 3"):
        assert told in page
        assert "merge groups" in page or page is shared
        assert "Release 2 keeps the policy after 3 changes; 31.1% of its information is lost" in page


def test_nothing_is_recommended_where_nothing_is_wrong():
    code, result = as_json(EXAMPLES / "hospital-2-invariant", "--recommend", "--policy", "min_e=1", "--policy", "k=1")
    assert code == 0
    assert "recommendation" not in result


def test_a_past_that_breaks_the_policy_is_not_mended(series):
    releases = series / "releases"
    shutil.copy(releases / "2.csv", releases / "3.csv")
    edit(series / "series.toml", '"releases/2.csv"', '"releases/2.csv", "releases/3.csv"')
    _, result = as_json(series, "--recommend")
    found = result["recommendation"]
    assert (found["release"], found["totals"]) == ("3", [])
    assert found["refused"] == "the series violates the policy even without the candidate"
    assert "No change of release 3 is recommended" in run_main(str(series), "--recommend", *HOW)[1]


def test_a_single_release_has_none_before_it(series):
    edit(series / "series.toml", '"releases/1.csv", ', "")
    code, result = as_json(series, "--recommend", "--policy", "k=5")
    assert code == 1
    assert "one release only" in result["recommendation"]["refused"]


def test_the_page_of_next_recommends_too(series, tmp_path):
    last = series / "releases" / "2.csv"
    shutil.move(last, tmp_path / "2.csv")
    edit(series / "series.toml", ', "releases/2.csv"', "")
    words = ["next", str(series), str(tmp_path / "2.csv"), *HOW]
    moves = json.loads(run_main(*words, "--format", "json")[1])["repair"]["moves"]
    page = run_main(*words, "--format", "markdown")[1]
    section = page.split("## Recommendation for release 2\n")[1].split("\n## ")[0]
    assert moves
    assert "keeps the policy after" in section
    assert sum(section.count(f"* {kind} ") for kind in {move["kind"] for move in moves}) == len(moves)


def test_count_tables_have_another_way(tmp_path):
    code, _, err = run_main(str(EXAMPLES.parent / "count_table_examples" / "tables-safe"), "--recommend")
    assert code == 2
    assert "--recommend is about series of rows about people" in err
