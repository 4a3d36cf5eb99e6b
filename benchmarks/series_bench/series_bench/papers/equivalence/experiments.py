"""The equivalence paper's experiments; docs/experiments-equivalence.md describes them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from audit.metrics.utility import Queries
from series_bench.papers.experiment import Entry, Experiment, attacked, published, simulated, utility
from series_bench.papers.processes import run

FIGURES = (6, 7, 8, 9, 10)
Method = Literal["m-invariance", "merged", "e-equivalence"]
Measure = Literal["attack", "counterfeits", "queries"]


@dataclass(frozen=True)
class EquivalenceSetting:
    """The sizes of an experiment.

    Attributes:
        rows: rows of each snapshot, d.
        volume: update volume r: how many rows go out and come in at each step.
        snapshots: how many there are.
        parameters: values of m; the last is the one where another thing varies.
        sides: values of e.
        side: the e where another thing varies; equivalences below it are counted.
        slopes: how skewed the insertions are.
        thetas: expected selectivities.
        queries: of each release.
        seconds: the time limit of an attack.
    """

    rows: int = 200_000
    volume: int = 20_000
    snapshots: int = 21
    parameters: tuple[int, ...] = (4, 6, 10)
    sides: tuple[int, ...] = (2, 5, 10)
    side: int = 5
    slopes: tuple[int, ...] = tuple(range(16))
    thetas: tuple[float, ...] = (0.02, 0.04, 0.06, 0.08, 0.1)
    queries: int = 10_000
    seconds: int = 7_200

    @property
    def m(self) -> int:
        """The m that is used where another thing varies."""
        return self.parameters[-1]


FULL = EquivalenceSetting()
QUICK = EquivalenceSetting(
    20_000, 2_000, 4, (4, 10), (2, 5), slopes=(0, 1), thetas=(0.02, 0.1), queries=1_000, seconds=5
)


@dataclass(frozen=True)
class EquivalenceRun:
    """One series to make and what to measure of it; `e` is 0 where the method has none, `slope` None by chance."""

    measure: Measure
    method: Method
    m: int
    e: int = 0
    slope: int | None = None


def plan(figures: Sequence[int], setting: EquivalenceSetting) -> list[EquivalenceRun]:
    """Return the measurements that some figures need."""
    m, e = setting.m, setting.side
    by_e = [EquivalenceRun("counterfeits", "m-invariance", m)]
    by_e += [EquivalenceRun("counterfeits", "e-equivalence", m, side) for side in setting.sides]
    three: list[tuple[Method, int]] = [("m-invariance", 0), ("merged", 0), ("e-equivalence", e)]
    plain, _, safe = three
    needs = {
        6: [EquivalenceRun("attack", method, each, side) for each in setting.parameters for method, side in three],
        7: by_e,
        8: [
            EquivalenceRun("counterfeits", method, m, side, s) for s in setting.slopes for method, side in (plain, safe)
        ],
        9: [EquivalenceRun("queries", method, m, side) for method, side in three],
        10: by_e,
    }
    return list(dict.fromkeys(wanted for figure in figures for wanted in needs[figure]))


def experiment(begun: Experiment) -> None:
    """Run what is missing."""
    setting: EquivalenceSetting = begun.setting
    names = ("measure", "method", "m", "e", "slope")
    there = [EquivalenceRun(*(entry[name] for name in names)) for entry in begun.document["runs"]]

    def simulate(wanted: EquivalenceRun, folder: Path) -> None:
        """Make d people, then r out and r in at each step. Skewed insertions are of simulated people."""
        options = {"--rows": setting.rows, "--insertions": setting.volume, "--deletions": setting.volume}
        options |= {"--snapshots": setting.snapshots} | ({} if wanted.slope is None else {"--slope": wanted.slope})
        simulated(folder, options, begun.population if wanted.slope is None else None)

    def measure(wanted: EquivalenceRun, microdata: Path, series: Path) -> Entry:
        return asdict(wanted) | _measured(wanted, microdata, series, setting)

    missing = [each for each in plan(FIGURES, setting) if each not in there]
    begun.run(missing, lambda each: each.slope, simulate, measure)


def _measured(wanted: EquivalenceRun, microdata: Path, series: Path, setting: EquivalenceSetting) -> Entry:
    """Publish a series by Anatomy, and return what is wanted."""
    method = "m-invariance" if wanted.method == "merged" else wanted.method
    words = [method, "--m", wanted.m, "--publish", "anatomy", *(["--e", wanted.e] if wanted.e else [])]
    process = published(microdata, series, words)
    if isinstance(process, str):
        return {"refused": process}
    found: Entry = {"seconds": process.seconds / setting.snapshots}
    merged = series.with_name("merged")
    try:
        if wanted.method == "merged":
            run([sys.executable, "-m", "series_bench.papers.equivalence.merging", str(series), str(merged)])
            series = merged
        if wanted.measure == "attack":
            attack = attacked(series, "equivalence", "--max-e", setting.side - 1, "--time-limit", setting.seconds)
            kept = ("min_e", "compromised", "timeline", "individuals", "ways")
            found |= {name: attack["measures"][name] for name in kept}
            return found | {name: attack[name] for name in ("status", "reason")}
        thetas = setting.thetas if wanted.measure == "queries" else ()
        return found | utility(microdata, series, thetas, lambda theta: Queries(setting.queries, theta))
    finally:
        shutil.rmtree(merged, ignore_errors=True)
