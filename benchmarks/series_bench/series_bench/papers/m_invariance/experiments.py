"""The m-invariance paper's experiments; docs/experiments.md describes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from audit.metrics.utility import Queries
from series_bench.papers.experiment import Entry, Experiment, completed, published, simulated, utility


@dataclass(frozen=True)
class MInvarianceSetting:
    """The sizes of an experiment.

    Attributes:
        rows: rows of each snapshot; the pool has twice as many more.
        volumes: update volumes r: how many rows go out and come in at each step.
        parameters: values of m and l.
        thetas: expected selectivities; the last is the one where another thing varies.
        queries: for each release.
        releases: at most so many, though the pool has more.
    """

    rows: int = 200_000
    volumes: tuple[int, ...] = (5_000, 10_000, 20_000, 40_000)
    parameters: tuple[int, ...] = (2, 4, 6, 8, 10)
    thetas: tuple[float, ...] = (0.02, 0.04, 0.06, 0.08, 0.1)
    queries: int = 10_000
    releases: int = 10_000

    def snapshots(self, volume: int) -> int:
        """Return H = 1 + 400,000 / r for 200,000 rows."""
        return min(self.releases, 1 + 2 * self.rows // volume)

    @property
    def strictest(self) -> int:
        """The m that is used where another thing varies."""
        return self.parameters[-1]


FULL = MInvarianceSetting()
QUICK = MInvarianceSetting(
    rows=20_000, volumes=(500, 4_000), parameters=(2, 10), thetas=(0.02, 0.1), queries=1_000, releases=4
)


@dataclass(frozen=True, order=True)
class MInvarianceRun:
    """One series to make, of an update volume."""

    volume: int
    method: str
    parameter: int


def plan(setting: MInvarianceSetting) -> list[MInvarianceRun]:
    """Return the series that the figures need, those of one update volume together."""
    slow, quick, strictest = min(setting.volumes), max(setting.volumes), setting.strictest
    pairs = {(volume, strictest) for volume in setting.volumes}  # Figures 6 and 9 by r
    pairs |= {(slow, parameter) for parameter in setting.parameters}  # Figures 5, 6, 8 and 9 by m
    pairs |= {(quick, strictest)}  # Figure 7
    wanted = [MInvarianceRun(volume, "m-invariance", m) for volume, m in pairs]
    wanted += [
        MInvarianceRun(r, "l-diversity", each) for r in setting.volumes for each in setting.parameters
    ]  # Figure 4
    return sorted(wanted)


def experiment(begun: Experiment) -> None:
    """Run what is missing."""
    setting: MInvarianceSetting = begun.setting
    there = [MInvarianceRun(entry["volume"], entry["method"], entry["parameter"]) for entry in begun.document["runs"]]

    def simulate(wanted: MInvarianceRun, folder: Path) -> None:
        """Make T(1) of `rows` rows, then r out and r in from the pool."""
        options = {"--rows": setting.rows, "--insertions": wanted.volume, "--deletions": wanted.volume}
        simulated(folder, options | {"--snapshots": setting.snapshots(wanted.volume)}, begun.population)

    def measure(wanted: MInvarianceRun, microdata: Path, series: Path) -> Entry:
        found = asdict(wanted)
        option = {"m-invariance": "--m", "l-diversity": "--l"}[wanted.method]
        process = published(microdata, series, [wanted.method, option, wanted.parameter])
        if isinstance(process, str):
            return found | {"refused": process}
        found |= utility(microdata, series, thetas(wanted, setting), lambda theta: Queries(setting.queries, theta))
        measures = completed(series, "intersection")  # certain values by Lemma 1
        found |= {name: measures[name] for name in ("vulnerable", "individuals")}
        return found | {"seconds": process.seconds / len(found["counterfeits"])}

    begun.run([each for each in plan(setting) if each not in there], lambda each: each.volume, simulate, measure)


def thetas(wanted: MInvarianceRun, setting: MInvarianceSetting) -> Sequence[float]:
    """Return the selectivities at which a series' query error is drawn in some figure."""
    if wanted.method == "l-diversity":
        return ()
    slowest = (min(setting.volumes), setting.strictest)
    return setting.thetas if (wanted.volume, wanted.parameter) == slowest else setting.thetas[-1:]
