"""`audit SERIES --recommend`: the repair of the newest release, as `audit repair` finds it."""

import json
import shutil

import pytest

from audit.repair.judging import Judge
from audit.runtime.budget import Budget
from audit.runtime.candidate_search import SearchOutOfTimeError
from tests.cli.forms import EXAMPLES, edit
from tests.helpers.running import run_main
from tests.helpers.schemas import troubles
from tests.mutants.mutant import kills

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
    assert {each["kind"]: each["count"] for each in found["totals"]} == {"merge": 2, "withhold": 1}
    assert troubles("audit", result) == []


def test_nothing_is_recommended_where_nothing_is_wrong():
    code, result = as_json(EXAMPLES / "hospital-2-invariant", "--recommend", "--policy", "min_e=1", "--policy", "k=1")
    assert code == 0
    assert "recommendation" not in result


@kills("audit.model.release_impact.Repair.recommendation", ", stopped=self.stopped", "")
@kills("audit.model.report.Report.exit_code", " and self.recommendation.interrupted", " and False")
@pytest.mark.parametrize(("how", "code"), [(KeyboardInterrupt, 130), (SearchOutOfTimeError, 1)])
def test_the_best_so_far_is_recommended(series, monkeypatch, how, code):
    own = Judge.judge

    def judge(self, *given, **more):
        if self.tries.best is not None and not more.get("whole"):
            self.tries.budget = Budget(0.0)
            raise how
        return own(self, *given, **more)

    monkeypatch.setattr(Judge, "judge", judge)
    got, result = as_json(series, "--recommend")
    found = result["recommendation"]
    assert (got, found["refused"], found["changes"] > 0, bool(found["stopped"])) == (code, None, True, True)
    assert troubles("audit", result) == []
    assert "This is the best repair so far" in " ".join(run_main(str(series), "--recommend", *HOW)[1].split())


def with_a_third(series, rows):
    (series / "releases" / "3.csv").write_text(rows, encoding="utf-8")
    edit(series / "series.toml", '"releases/2.csv"', '"releases/2.csv", "releases/3.csv"')


def test_a_series_that_breaks_the_policy_gets_no_worse(series, tmp_path):
    """The second release discloses people's values; the new person in the third one is alone in a group of one."""
    text = (series / "releases" / "2.csv").read_text(encoding="utf-8")
    head, *rest = text.splitlines()
    owner, group = head.split(",").index("Owner"), head.split(",").index("Group-ID")
    alone = rest[-1].split(",")
    alone[owner], alone[group] = "Zoe", "99"
    with_a_third(series, "\n".join([head, *rest, ",".join(alone), ""]))
    _, result = as_json(series, "--recommend", "--reveal")
    found = result["recommendation"]
    assert found["past_violates"] is True
    assert (found["refused"], found["changes"] > 0) == (None, True)
    assert troubles("audit", result) == []
    told = " ".join(run_main(str(series), "--recommend", "--reveal", *HOW)[1].split())
    assert "The releases before release 3 already violate the policy. After" in told
    assert f"audit repair {series} CANDIDATE --output DIR" in told
    assert "keeps the policy" not in told


def test_the_page_of_next_recommends_too(series, tmp_path):
    last = series / "releases" / "2.csv"
    shutil.move(last, tmp_path / "2.csv")
    edit(series / "series.toml", ', "releases/2.csv"', "")
    words = ["next", str(series), str(tmp_path / "2.csv"), *HOW]
    moves = json.loads(run_main(*words, "--format", "json")[1])["repair"]["moves"]
    page = run_main(*words, "--format", "markdown")[1]
    section = page.split("## What to do\n")[1].split("\n## ")[0]
    assert moves
    assert "The policy holds after these changes" in section
    assert sum(section.count(f"{kind} ") for kind in {move["kind"] for move in moves}) == len(moves)
