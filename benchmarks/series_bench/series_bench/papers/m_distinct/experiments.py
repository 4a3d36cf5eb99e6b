"""The m-Distinct paper's experiments; docs/experiments-updates.md describes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from audit.metrics.utility import Queries
from audit.model.anonymizer import RefusalError
from series_bench.papers.experiment import Entry, Experiment, completed, published, simulated, utility
from series_bench.papers.m_distinct import DOMAINS
from series_bench.papers.m_distinct.republishing import invalidated, second_release
from series_bench.papers.processes import BenchmarkError

Measure = Literal["vulnerable", "invalidated", "queries", "counterfeits", "seconds"]


@dataclass(frozen=True)
class MDistinctSetting:
    """The sizes of an experiment.

    Attributes:
        rows: people in the first snapshot.
        insertions: how many come in at each step.
        deletions: how many go out.
        many_deletions: the same where counterfeits are counted.
        changes: how many of those who stay get another value at each step.
        snapshots: how many there are.
        parameters: values of m and l.
        diameters: sizes of the update sets, which are blocks of 50 values.
        thetas: the queries' ranges, as parts of the domains.
        queries: of each release.
        times: how often a release is made where its time is taken.
    """

    rows: int = 20_000
    insertions: int = 5_000
    deletions: int = 2_000
    many_deletions: int = 3_000
    changes: int = 5_000
    snapshots: int = 20
    parameters: tuple[int, ...] = (2, 4, 6, 8)
    diameters: tuple[int, ...] = (1, 2, 5, 10, 25, 50)
    thetas: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    queries: int = 10_000
    times: int = 5


FULL = MDistinctSetting()
QUICK = MDistinctSetting(2_000, 500, 200, 300, 500, 4, (4, 6), (1, 5, 10), thetas=(0.1, 0.5), queries=1_000, times=1)
USUAL, NARROW = 10, 5
"""The diameter where another thing varies, and that of the figures about counterfeits."""
THETA = 0.5


@dataclass(frozen=True)
class MDistinctRun:
    """What to measure of one series; the parameter is l or m."""

    measure: Measure
    parameter: int
    diameter: int

    @property
    def method(self) -> list[str]:
        """Return the method with its parameter, as `audit anonymize` takes them."""
        name, option = ("l-diversity", "--l") if self.measure == "vulnerable" else ("m-distinct", "--m")
        return [name, option, str(self.parameter)]

    def deletions(self, setting: MDistinctSetting) -> int:
        """Return how many people go at each step (paper, Section VI-C2)."""
        return setting.many_deletions if self.measure == "counterfeits" else setting.deletions

    def thetas(self, setting: MDistinctSetting) -> Sequence[float]:
        """Return the ranges of the queries to ask."""
        if self.measure != "queries":
            return ()
        return setting.thetas if (self.parameter, self.diameter) == (4, USUAL) else (THETA,)


def plan(setting: MDistinctSetting) -> list[MDistinctRun]:
    """Return the measurements that the figures need."""
    by_m, by_d = setting.parameters, setting.diameters
    wanted = [MDistinctRun("vulnerable", each, d) for d in by_d for each in by_m]  # Figure 3
    wanted += [MDistinctRun("invalidated", m, d) for d in by_d for m in by_m]  # Figure 4
    wanted += [MDistinctRun("queries", m, USUAL) for m in by_m]  # Figure 5
    wanted += [MDistinctRun("queries", 4, d) for d in by_d]  # Figure 6
    parts: list[tuple[Measure, int]] = [("counterfeits", 6), ("seconds", 4)]  # Figures 7 and 8, Figure 9
    for measure, m in parts:
        wanted += [MDistinctRun(measure, m, d) for d in by_d] + [MDistinctRun(measure, m, NARROW) for m in by_m]
    return list(dict.fromkeys(wanted))


def experiment(begun: Experiment) -> None:
    """Run what is missing."""
    setting: MDistinctSetting = begun.setting
    there = [MDistinctRun(each["measure"], each["parameter"], each["diameter"]) for each in begun.document["runs"]]

    def simulate(wanted: MDistinctRun, folder: Path) -> None:
        """People come, go, grow older, learn, marry, and some of their values change."""
        options: dict[str, object] = {
            "--rows": setting.rows,
            "--insertions": setting.insertions,
            "--deletions": wanted.deletions(setting),
            "--snapshots": setting.snapshots,
            "--diameter": wanted.diameter,
            "--quasi-identifiers": DOMAINS,
        }
        changing = wanted.diameter > 1
        options |= {"--changes": setting.changes} if changing else {}
        simulated(folder, options, begun.population, "--moving", *(["--closed"] if changing else []))

    def measure(wanted: MDistinctRun, microdata: Path, series: Path) -> Entry:
        return asdict(wanted) | _measured(wanted, microdata, series, setting)

    missing = [each for each in plan(setting) if each not in there]
    begun.run(missing, lambda each: (each.diameter, each.deletions(setting)), simulate, measure)


def _measured(wanted: MDistinctRun, microdata: Path, series: Path, setting: MDistinctSetting) -> Entry:
    """Return what is wanted."""
    if wanted.measure == "invalidated":
        return {"timeline": invalidated(microdata, wanted.parameter)}
    if wanted.measure == "seconds":
        try:
            return {"seconds": second_release(microdata, wanted.parameter, setting.times)}
        except RefusalError as refusal:
            return {"refused": str(refusal)}
    process = published(microdata, series, wanted.method)
    if isinstance(process, str):
        return {"refused": process}
    found: Entry = {"seconds": process.seconds / setting.snapshots}
    if wanted.measure != "counterfeits":
        measures = completed(series, "update-graph")
        if measures["infeasible"]:
            raise BenchmarkError(f"{measures['infeasible']:,} versions have no possible history: update sets are wrong")
        found |= {name: measures[name] for name in ("versions", "disclosed", "timeline", "max_risk")}
    if wanted.measure != "vulnerable":
        thetas = wanted.thetas(setting)
        found |= utility(microdata, series, thetas, lambda theta: Queries(setting.queries, theta, "m-distinct"))
    return found
