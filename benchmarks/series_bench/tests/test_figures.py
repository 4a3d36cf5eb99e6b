"""The papers' figures: claims are held against what was found, and the page has all of them."""

import re
from dataclasses import asdict

import pytest

from series_bench.papers import PAPERS
from series_bench.papers.equivalence.experiments import plan as equivalence_plan
from series_bench.papers.figure import Paper, falls
from series_bench.papers.figures import EXPERIMENTS, as_page, counted
from series_bench.papers.monotonic.experiments import (
    METHODS,
    MonotonicRun,
    MonotonicSetting,
    measure,
    plan,
    simulate,
)
from series_bench.papers.monotonic.figures import MonotonicFigures
from series_bench.papers.worked_tables import WORKED

TINY = MonotonicSetting(60, 60, (2, 5), 5, (50,), (40, 60), 1)


@pytest.mark.parametrize("worked", WORKED, ids=lambda each: f"{each.paper}, {each.tables}")
def test_worked_tables_agree(worked):
    figure = worked.figure()
    assert [claim.said for claim in figure.claims if claim.holds is not True] == []


def test_each_paper_has_its_experiments():
    assert tuple(EXPERIMENTS) == PAPERS


@pytest.mark.parametrize("paper", EXPERIMENTS.values(), ids=lambda each: each.paper)
@pytest.mark.parametrize("quick", [False, True])
def test_nothing_is_claimed_of_what_was_not_run(paper, quick):
    figures = list(paper.read({"runs": []}, paper.setting(quick=quick)).figures())
    assert {claim.holds for figure in figures for claim in figure.claims} == {None}
    assert [figure.charts for figure in figures if figure.charts] == []


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("m-invariance", range(4, 10)),
        ("m-Distinct", range(3, 10)),
        ("equivalence", range(6, 11)),
        ("monotonic", range(4, 22)),
    ],
)
def test_all_figures_of_the_experiments_are_there(name, numbers):
    paper = EXPERIMENTS[name]
    figures = paper.read({"runs": []}, paper.setting(quick=True)).figures()
    assert [figure.name for figure in figures] == [f"Figure {number}" for number in numbers]


def test_where_nobody_is_compromised_no_method_compromises_fewer():
    paper = EXPERIMENTS["equivalence"]
    setting = paper.setting(quick=True)
    nobody = [{**asdict(each), "timeline": [0] * setting.snapshots} for each in equivalence_plan([6], setting)]
    [figure] = [each for each in paper.read({"runs": nobody}, setting).figures() if each.name == "Figure 6"]
    assert [claim.holds for claim in figure.claims] == [None, None, True]


@pytest.mark.parametrize("data", ["census", "uniform"])
def test_the_monotonic_experiments(tmp_path, data):
    wanted = MonotonicRun(data, 60, 50, 5)
    simulate(wanted, tmp_path / "microdata", 1)
    found = {method: measure(wanted, method, tmp_path / "microdata", tmp_path / "series") for method in METHODS}
    assert found["monotonic-mondrian"]["safe"] == 1
    assert 0 <= found["mondrian"]["safe"] <= 1
    # Every group has k rows at least, and 90 rows make some.
    assert all(90 * 5 <= each["discernibility"] <= 90 * 90 for each in found.values())
    assert not (tmp_path / "series").exists()


def test_the_page():
    runs = [
        {
            "data": each.data,
            "rows": each.rows,
            "share": each.share,
            "k": each.k,
            "time": 0,
            "method": method,
            "safe": 1.0 if method == METHODS[1] else 0.5,
            "discernibility": 100 + each.k,
            "seconds": 0.5,
        }
        for each in plan(range(4, 22), TINY)
        for method in METHODS
    ]
    paper = Paper("Monotonic", "Tiny.", list(MonotonicFigures.of({"runs": runs}, TINY).figures()))
    page = as_page([paper], quick=True)
    assert len(re.findall("<svg", page)) == 18
    assert "Figure 21" in page
    told = dict(counted([paper]))
    assert told["agrees"] > 0
    assert told["differs"] > 0


def test_shapes():
    assert falls([5, None, 4]) is True
    assert falls([4, 5]) is False
    assert falls([None, 5]) is None
