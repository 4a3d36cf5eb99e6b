"""The papers' worked tables: the releases that they print, with what the papers deduce from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from series_bench.papers.figure import Claim, PaperFigure

EXAMPLES = Path(__file__).with_name("examples")
"""The tables; in a checkout a link to the examples of its tests."""


@dataclass(frozen=True)
class WorkedTables:
    """Some tables of a paper that are a series.

    Attributes:
        paper: which paper.
        tables: what they are called there.
        title: what they show.
        series: the folder.
        attack: what the paper deduces with.
        said: what it deduces.
        holds: whether a result of the attack says so.
    """

    paper: str
    tables: str
    title: str
    series: str
    attack: str
    said: str
    holds: Callable[[Any], bool]

    def figure(self) -> PaperFigure:
        """Return them as a figure without pictures."""
        from audit.api import load

        result = load(EXAMPLES / self.series, kind="microdata").attack(self.attack, reveal=True, findings=None)
        return PaperFigure(self.tables, self.title, [], [Claim(self.said, self.holds(result))], result.verdict)


def _people(result: Any) -> set[str]:  # noqa: ANN401 - a result of the API
    return {str(name) for name in result.findings["individual"].dropna()}


def _equivalent(result: Any, left: set[str], right: set[str]) -> bool:  # noqa: ANN401
    sides = [({*one.left}, {*one.right}) for one in result.findings.itertuples()]
    return (left, right) in sides or (right, left) in sides


WORKED = (
    WorkedTables(
        "m-invariance",
        "Tables 1 and 2",
        "two 2-diverse releases of a hospital, for somebody with a register",
        "hospital-l-diverse-outsider",
        "intersection",
        "Bob's disease is breached after the second release",
        lambda result: "Bob" in _people(result),
    ),
    WorkedTables(
        "m-invariance",
        "Table 3",
        "the second release with counterfeits: 2-invariant",
        "hospital-2-invariant",
        "intersection",
        "nobody's disease can be told",
        lambda result: not _people(result),
    ),
    WorkedTables(
        "equivalence",
        "Tables I and III",
        "a 2-invariant series in fine partitions",
        "clinic-2-invariant",
        "equivalence",
        "Bob and Greg have the same value",
        lambda result: _equivalent(result, {"Bob"}, {"Greg"}),
    ),
    WorkedTables(
        "equivalence",
        "Tables IV to VI",
        "the same, partitions merged",
        "clinic-merged",
        "equivalence",
        "{Bob, Dan} and {Greg, a counterfeit} have the same values",
        lambda result: _equivalent(result, {"Bob", "Dan"}, {"Greg", "~c1"}),
    ),
    WorkedTables(
        "equivalence",
        "Table VII",
        "a 2-equivalence series",
        "clinic-2-equivalence",
        "equivalence",
        "no equivalence of one person on a side is left",
        lambda result: result.measures["min_e.lower"] >= 2,
    ),
    WorkedTables(
        "m-Distinct",
        "Tables III and IV",
        "two 2-diverse releases of a ward whose values change",
        "ward-l-diverse",
        "update-graph",
        "the diseases of Julia, Ken and Lily are disclosed",
        lambda result: {"Julia", "Ken", "Lily"} <= _people(result),
    ),
    WorkedTables(
        "m-Distinct",
        "Tables III, V and VI",
        "the second release 2-Distinct, with counterfeits",
        "ward-2-distinct",
        "update-graph",
        "nobody's disease can be told",
        lambda result: not _people(result),
    ),
    WorkedTables(
        "monotonic",
        "Tables 2, 5 and 6",
        "two 2-anonymous releases made one by one",
        "cases-independent",
        "inference-table",
        "by both, four of six cases are alone with what is known of them",
        lambda result: result.measures["unsafe"] == 4,
    ),
    WorkedTables(
        "monotonic",
        "Tables 2 and 4",
        "the same cases, the new ones in groups of their own",
        "cases-monotonic",
        "inference-table",
        "every case stays 2-anonymous",
        lambda result: result.measures["unsafe"] == 0,
    ),
)
