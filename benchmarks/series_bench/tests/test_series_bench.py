"""The benchmark: its tasks tell no truth, its truth is right, and its scores punish what is wrong."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anonymizers.registry import METHODS
from series_bench.cases import POPULATIONS, Case, cases, write_task
from series_bench.command import main
from series_bench.methods import ANSWER, MethodError, answer, baselines, load_method
from series_bench.questions import AttackedSeries
from series_bench.scoring import AnswerError, score
from series_bench.tiny import draw_island
from tests.helpers.tiny import Row, TinySeries
from tests.oracle.worlds import worlds

ATTACKED = list(cases(["1"], ["attack"]))
SHARES = """
def attack(series):
    found = series.candidates
    return found.assign(probability=found["rows"] / found.groupby("question")["rows"].transform("sum"))
"""
PAIRS = """
def publish(people, before, rng):
    order = people["Age"].rank(method="first").astype(int) - 1
    return (order // 6).clip(upper=(len(people) // 6) - 1)
"""
STARS = """
RULES = {"markers": '{ "*" = [0, inf] }'}
def protect(table, rng):
    texts = table.astype(str)
    texts[table < 20] = "*"
    return texts
"""


def files(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@pytest.fixture
def method(tmp_path):
    def write(text: str):
        path = tmp_path / "own.py"
        path.write_text(text)
        return load_method(path)

    return write


@pytest.mark.parametrize("case", [*ATTACKED, Case("publish", "changing", "1")], ids=lambda case: case.folder)
def test_tasks_depend_on_the_seed_alone(tmp_path, case):
    for name, secret in (("one", "s"), ("same", "s"), ("other", "t")):
        write_task(case, tmp_path / name, secret)
    assert files(tmp_path / "one") == files(tmp_path / "same") != files(tmp_path / "other")


@pytest.mark.parametrize("case", ATTACKED, ids=lambda case: case.folder)
def test_no_file_of_an_attacked_series_tells_the_truth(tmp_path, case):
    truth = write_task(case, tmp_path / "task", "")
    number, written = str(case.number("")), files(tmp_path / "task")
    assert [name for name, content in written.items() if number in content.decode()] == []
    heads = {
        name: {*content.decode().splitlines()[0].split(",")} for name, content in written.items() if ".csv" in name
    }
    assert [name for name, head in heads.items() if "individual" in head and head & {"Disease", "Value"}] == []
    # Where rows have their values beside them, nothing says whose they are.
    plain = [name for name, head in heads.items() if {"Group", "Age", "Disease"} <= head]
    assert not (plain and any("private" in name for name in written))
    assert {*AttackedSeries(tmp_path / "task").questions} <= {*truth.values}


def test_microdata_to_publish_are_not_those_that_are_attacked():
    for name in POPULATIONS:
        numbers = {Case(kind, name, "1").number("") for kind in ("publish", "attack")}
        assert len(numbers) == 2


def test_islands_have_the_worlds_of_the_oracle():
    for seed in range(20):
        island = draw_island(np.random.default_rng(seed))
        releases = [
            [
                Row(f"p{person}", str(group), island.values[person])
                for person, group in enumerate(groups)
                if group is not None
            ]
            for groups in island.groups
        ]
        oracle = worlds(TinySeries(releases))
        for release, groups in enumerate(island.groups):
            for person, group in enumerate(groups):
                if group is not None:
                    exact = oracle.posterior(f"p{person}", release)
                    assert island.posterior()[person] == pytest.approx({v: float(p) for v, p in sorted(exact.items())})


def test_all_methods_are_baselines():
    assert {name.partition("/")[2] for name in baselines() if name.startswith("publish/")} == {*METHODS.own}


def answered(tmp_path, case, method):
    write_task(case, tmp_path / "task", "")
    answer(method, case, tmp_path / "task", tmp_path / "answer")
    return tmp_path / "answer"


def test_joint_finds_all_that_is_certain_and_is_exact(tmp_path):
    case = Case("attack", "tiny", "1")
    scores = score(case, answered(tmp_path, case, baselines()["attack/joint"]), "")
    assert scores["found of what is certain"] == 1
    assert scores["certain but wrong"] == 0
    assert scores["distance from all worlds"] == pytest.approx(0, abs=1e-9)


def test_shares_are_calibrated_and_find_less(tmp_path, method):
    case = Case("attack", "tiny", "1")
    scores = score(case, answered(tmp_path, case, method(SHARES)), "")
    assert scores["calibration error"] < 0.05
    assert 0 < scores["found of what is certain"] < 0.5


def test_a_wrong_certainty_costs_all_recall(tmp_path, method):
    case = Case("attack", "tiny", "1")
    folder = answered(tmp_path, case, method(SHARES))
    truth = write_task(case, tmp_path / "again", "")
    claims = pd.read_csv(folder / ANSWER, dtype={"question": str})
    question, value = next(
        (q, v) for q, v in claims[["question", "value"]].itertuples(index=False) if truth.values[q] != v
    )
    claims.loc[claims["question"] == question, "probability"] = 0.0
    claims.loc[(claims["question"] == question) & (claims["value"] == value), "probability"] = 1.0
    claims.to_csv(folder / ANSWER, index=False)
    scores = score(case, folder, "")
    assert (scores["recall at precision 1"], scores["certain but wrong"]) == (0, 1)


@pytest.mark.parametrize(
    ("column", "value"),
    [("question", "1/nobody"), ("probability", "1.5"), ("probability", "nan"), ("probability", "-1")],
)
def test_answers_that_are_none_are_refused(tmp_path, method, column, value):
    case = Case("attack", "tiny", "1")
    folder = answered(tmp_path, case, method(SHARES))
    claims = pd.read_csv(folder / ANSWER, dtype=str)
    claims.loc[0, column] = value
    claims.to_csv(folder / ANSWER, index=False)
    with pytest.raises(AnswerError):
        score(case, folder, "")


def test_series_that_lie_are_refused(tmp_path, method):
    case = Case("publish", "growing", "1")
    folder = answered(tmp_path, case, method(PAIRS))
    release = folder / "series/releases/1.csv"
    table = pd.read_csv(release, dtype=str)
    table["Disease"] = table["Disease"].to_numpy()[::-1]
    table.to_csv(release, index=False)
    with pytest.raises(AnswerError, match="not in the snapshot"):
        score(case, folder, "")


def test_an_own_way_to_protect_is_scored(tmp_path, method):
    case = Case("protect", "quarters", "1")
    scores = score(case, answered(tmp_path, case, method(STARS)), "")
    assert scores["recovered"] > 0
    assert scores["counts: mean error"] > 0


def test_a_held_out_run(tmp_path, capfd):
    (tmp_path / "secret").write_text("only the keeper has this\n")
    (tmp_path / "own.py").write_text(SHARES)
    tasks, own, out = tmp_path / "tasks", tmp_path / "submission", tmp_path / "out"
    assert main(["tasks", "--output", str(tasks), "--secret", str(tmp_path / "secret")]) == 0
    assert main(["submit", str(tmp_path / "own.py"), "--tasks", str(tasks), "--output", str(own)]) == 0
    assert "only the keeper" not in "".join(
        content.decode() for content in [*files(tasks).values(), *files(own).values()]
    )
    assert main(["score", str(own), "--output", str(out), "--secret", str(tmp_path / "secret")]) == 0
    table = pd.read_csv(out / "results.csv")
    assert {*table["case"]} == {"growing", "turnover", "changing", "episodes", "monthly", "quarters", "tiny"}
    assert "recall at precision 1" in (out / "index.html").read_text()
    # Answers to held-out tasks are none to the public ones.
    assert main(["score", str(own), "--output", str(out)]) == 2
    assert json.loads((own / "submission.json").read_text())["method"] == "own"


def test_a_method_in_a_file_is_scored_by_one_command(tmp_path, capfd):
    (tmp_path / "own.py").write_text(PAIRS)
    assert main(["run", str(tmp_path / "own.py"), "--quick", "--output", str(tmp_path / "out")]) == 0
    table = pd.read_csv(tmp_path / "out/results.csv")
    found = table[table["measure"] == "linked: people found"]["value"].astype(float)
    assert len(found) == len(POPULATIONS)
    assert (found > 0).any()


def test_files_that_are_no_methods_are_refused(tmp_path, method, capfd):
    with pytest.raises(MethodError, match="0 are"):
        method("x = 1\n")
    with pytest.raises(MethodError, match="2 are"):
        method(SHARES + PAIRS)
    assert main(["run", str(tmp_path / "none.py")]) == 2
    assert "there is no such file" in capfd.readouterr().err
