"""Repeat the m-Distinct paper's experiments.

`python -m series_bench.papers.m_distinct.experiments [POPULATION] --out FOLDER`

docs/experiments-updates.md describes the method and the figures. Runs of the same setting that FOLDER/updates.json
already has are not repeated.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from audit.model.anonymizer import RefusalError
from series_bench.papers.m_distinct import DOMAINS
from series_bench.papers.m_distinct.republishing import invalidated, second_release
from series_bench.papers.m_invariance.experiments import AUDIT, QUASI_IDENTIFIERS, asked, publish, table
from series_bench.papers.processes import BenchmarkError, run

FIGURES = (3, 4, 5, 6, 7, 8, 9)
Measure = Literal["vulnerable", "invalidated", "queries", "counterfeits", "seconds"]
Entry = dict[str, Any]


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
        return ["--method", name, option, str(self.parameter)]

    def deletions(self, setting: MDistinctSetting) -> int:
        """Return how many people go at each step (paper, Section VI-C2)."""
        return setting.many_deletions if self.measure == "counterfeits" else setting.deletions

    def thetas(self, setting: MDistinctSetting) -> Sequence[float]:
        """Return the ranges of the queries to ask."""
        if self.measure != "queries":
            return ()
        return setting.thetas if (self.parameter, self.diameter) == (4, USUAL) else (THETA,)


def plan(figures: Iterable[int], setting: MDistinctSetting) -> list[MDistinctRun]:
    """Return the measurements that some figures need."""
    by_m, by_d = setting.parameters, setting.diameters
    needs = {
        3: [MDistinctRun("vulnerable", each, d) for d in by_d for each in by_m],
        4: [MDistinctRun("invalidated", m, d) for d in by_d for m in by_m],
        5: [MDistinctRun("queries", m, USUAL) for m in by_m],
        6: [MDistinctRun("queries", 4, d) for d in by_d],
        7: [MDistinctRun("counterfeits", 6, NARROW)],
        8: [MDistinctRun("counterfeits", 6, d) for d in by_d] + [MDistinctRun("counterfeits", m, NARROW) for m in by_m],
        9: [MDistinctRun("seconds", 4, d) for d in by_d] + [MDistinctRun("seconds", m, NARROW) for m in by_m],
    }
    return list(dict.fromkeys(wanted for figure in figures for wanted in needs[figure]))


def simulate(population: Path | None, folder: Path, diameter: int, deletions: int, setting: MDistinctSetting) -> None:
    """Make the snapshots: people come, go, grow older, learn, marry, and some of their values change."""
    options: dict[str, object] = {
        "--output": folder,
        "--rows": setting.rows,
        "--insertions": setting.insertions,
        "--deletions": deletions,
        "--snapshots": setting.snapshots,
        "--diameter": diameter,
        "--seed": 1,
    }
    if diameter > 1:
        options["--changes"] = setting.changes
    if population is None:
        options["--quasi-identifiers"] = DOMAINS
    else:
        options |= {"--population": population.absolute(), "--individual": "id"}
        options |= {"--quasi-identifiers": QUASI_IDENTIFIERS, "--sensitive": "Occupation"}
    closed = ["--closed"] if diameter > 1 else []
    run([AUDIT, "simulate", "--moving", *closed, *(str(word) for pair in options.items() for word in pair)])


def measure(wanted: MDistinctRun, microdata: Path, series: Path, setting: MDistinctSetting) -> Entry:
    """Measure what is wanted; a series is published and deleted again. A method may refuse."""
    found: Entry = asdict(wanted)
    if wanted.measure == "invalidated":
        return found | {"timeline": invalidated(microdata, wanted.parameter)}
    if wanted.measure == "seconds":
        try:
            return found | {"seconds": second_release(microdata, wanted.parameter, setting.times)}
        except RefusalError as refusal:
            return found | {"refused": str(refusal)}
    shutil.rmtree(series, ignore_errors=True)  # of a run that was broken off
    try:
        command = [
            AUDIT,
            "anonymize",
            "--no-audit",
            str(microdata),
            *wanted.method,
            "--seed",
            "1",
            "--output",
            str(series),
        ]
        published = publish(command)
        if isinstance(published, str):
            return found | {"refused": published}
        if wanted.measure != "counterfeits":
            found |= attacked(series)
        if wanted.measure != "vulnerable":
            found |= utility(microdata, series, wanted.thetas(setting), setting.queries)
        return found | {"seconds": published.seconds / setting.snapshots}
    finally:
        shutil.rmtree(series, ignore_errors=True)


def attacked(series: Path) -> Entry:
    """Return what update-graph finds, everybody's group being known."""
    command = [AUDIT, str(series), "--attack", "update-graph", "--format", "json", "--findings", "0"]
    printed = run([*command, "--time-limit", "3600"], allowed=(0, 1, 3)).printed
    (attack,) = json.loads(printed)["attacks"]
    if attack["status"] != "complete":
        raise BenchmarkError(f"update-graph is {attack['status']}: {attack['reason']}")
    measures = attack["measures"]
    if measures["infeasible"]:
        raise BenchmarkError(f"{measures['infeasible']:,} versions have no possible history: the update sets are wrong")
    return {name: measures[name] for name in ("versions", "disclosed", "timeline", "max_risk")}


def utility(microdata: Path, series: Path, thetas: Sequence[float], queries: int) -> Entry:
    """Return groups and counterfeits of each release, and for each theta its median error, as the paper has it."""
    from audit.io.microdata import open_microdata
    from audit.io.series import open_series
    from audit.metrics.utility import Queries
    from audit.metrics.utility import measure as measured

    named = [(str(series), open_series(series))]
    (plain,) = measured(named, None, Queries())
    found: Entry = {name: [getattr(release, name) for release in plain] for name in ("groups", "counterfeits")}
    found |= {"query_error": {}, "skipped": {}}
    for theta in thetas:
        (releases,) = measured(named, open_microdata(microdata), Queries(queries, theta, "m-distinct"))
        for name in ("query_error", "skipped"):
            found[name][str(theta)] = [getattr(release, name) for release in releases]
    return found


# -- figures ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MDistinctTables:
    """All that was found, as tables."""

    setting: MDistinctSetting
    entries: dict[MDistinctRun, Entry]

    def tables(self, figures: Iterable[int]) -> Iterator[str]:
        """Yield the tables of some figures."""
        for figure in figures:
            yield from getattr(self, f"_figure_{figure}")()

    def _figure_3(self) -> Iterator[str]:
        title = f"Figure 3a: vulnerable values after each release, l-diverse releases, d = {USUAL}"
        yield self._by_release(title, "vulnerable", "l", lambda entry, j: f"{entry['timeline'][j]:,}")
        title = "Figure 3b: vulnerable values in the end, l-diverse releases"
        yield self._by_diameter(title, "vulnerable", self.setting.parameters, _disclosed, "l")

    def _figure_4(self) -> Iterator[str]:
        title = f"Figure 4a: invalidated records after each release, m-invariance, d = {USUAL}"
        yield self._by_release(title, "invalidated", "m", lambda entry, j: f"{entry['timeline'][j]:,}")
        title = "Figure 4b: invalidated records in the end, m-invariance"
        yield self._by_diameter(title, "invalidated", self.setting.parameters, lambda e: f"{e['timeline'][-1]:,}")

    def _figure_5(self) -> Iterator[str]:
        title = f"Figure 5a: query error by release, d = {USUAL}, theta = {THETA:g}"
        yield self._by_release(title, "queries", "m", lambda entry, j: _percent(entry["query_error"][str(THETA)][j]))
        usual, thetas = MDistinctRun("queries", 4, USUAL), self.setting.thetas
        rows = [
            ["error", *(self._cell(usual, lambda e, t=t: _error(e, t)) for t in thetas)],
            ["queries without", *(self._cell(usual, lambda e, t=t: f"{sum(e['skipped'][str(t)]):,}") for t in thetas)],
        ]
        title = f"Figure 5b: query error by theta, m = 4, d = {USUAL}, mean of the releases"
        yield table(title, ["", *(f"{theta:g}" for theta in thetas)], rows)
        title = f"Beside it: vulnerable values and the greatest risk in these series, by update-graph, d = {USUAL}"
        yield self._by_m(title, "queries", USUAL, lambda e: f"{_disclosed(e)}, {e['max_risk']:.3f}")

    def _figure_6(self) -> Iterator[str]:
        title = f"Figure 6: query error by d, m = 4, theta = {THETA:g}, mean of the releases"
        yield self._by_diameter(title, "queries", [4], lambda entry: _error(entry, THETA))

    def _figure_7(self) -> Iterator[str]:
        entry = self.entries.get(MDistinctRun("counterfeits", 6, NARROW), {})
        pairs = zip(entry.get("counterfeits", []), entry.get("groups", []), strict=True)
        rows = [[str(j), f"{fake:,}", f"{all_:,}", f"{fake / all_:.3f}"] for j, (fake, all_) in enumerate(pairs, 1)]
        title = f"Figure 7: counterfeits for a group by release, m = 6, d = {NARROW}"
        head = ["release", "counterfeits", "groups", "for a group"]
        yield table(title, head, rows or [["", "refused" if "refused" in entry else "", "", ""]])

    def _figure_8(self) -> Iterator[str]:
        title = "Figure 8a: counterfeits for a group by d, m = 6, mean of the releases"
        yield self._by_diameter(title, "counterfeits", [6], _for_a_group)
        title = f"Figure 8b: counterfeits for a group by m, d = {NARROW}, mean of the releases"
        yield self._by_m(title, "counterfeits", NARROW, _for_a_group)

    def _figure_9(self) -> Iterator[str]:
        title = "Figure 9a: seconds to form the second release by d, m = 4"
        yield self._by_diameter(title, "seconds", [4], lambda entry: f"{entry['seconds']:.2f}")
        title = f"Figure 9b: seconds to form the second release by m, d = {NARROW}"
        yield self._by_m(title, "seconds", NARROW, lambda entry: f"{entry['seconds']:.2f}")

    def _by_release(self, title: str, what: Measure, letter: str, show: Callable[[Entry, int], str]) -> str:
        wanted = [MDistinctRun(what, each, USUAL) for each in self.setting.parameters]
        rows = [
            [str(j + 1), *(self._cell(each, lambda entry, j=j: show(entry, j)) for each in wanted)]
            for j in range(self.setting.snapshots)
        ]
        return table(title, ["release", *(f"{letter} = {each.parameter}" for each in wanted)], rows)

    def _by_diameter(
        self, title: str, what: Measure, parameters: Sequence[int], show: Callable[[Entry], str], letter: str = "m"
    ) -> str:
        head = ["", *(f"d = {d}" for d in self.setting.diameters)]
        rows = [
            [f"{letter} = {each}", *(self._cell(MDistinctRun(what, each, d), show) for d in self.setting.diameters)]
            for each in parameters
        ]
        return table(title, head, rows)

    def _by_m(self, title: str, what: Measure, diameter: int, show: Callable[[Entry], str]) -> str:
        row = [self._cell(MDistinctRun(what, m, diameter), show) for m in self.setting.parameters]
        return table(title, [f"m = {m}" for m in self.setting.parameters], [row])

    def _cell(self, wanted: MDistinctRun, show: Callable[..., str]) -> str:
        entry = self.entries.get(wanted)
        return "" if entry is None else "refused" if "refused" in entry else show(entry)


def _disclosed(entry: Entry) -> str:
    return f"{entry['disclosed']:,} ({entry['disclosed'] / entry['versions']:.1%})"


def _percent(error: float | None) -> str:
    return "" if error is None else f"{error:.2%}"


def _error(entry: Entry, theta: float) -> str:
    known = [error for error in entry["query_error"].get(str(theta), []) if error is not None]
    return _percent(statistics.mean(known) if known else None)


def _for_a_group(entry: Entry) -> str:
    each = [fake / size for fake, size in zip(entry["counterfeits"], entry["groups"], strict=True)]
    return f"{statistics.mean(each):.3f} (at most {max(each):.3f})"


# -- the whole ----------------------------------------------------------------------------------------------------


def main() -> int:
    """Run what is missing, write the results after each series, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    told = f"table with the columns id, {QUASI_IDENTIFIERS} and Occupation of 50 values; default: simulated people"
    parser.add_argument("population", type=Path, nargs="?", metavar="POPULATION", help=told)
    experiment = asked(parser, "updates.json", FIGURES, (FULL, QUICK))
    setting, folder = experiment.setting, experiment.folder
    there = [_wanted(entry) for entry in experiment.document["runs"]]
    missing = [each for each in plan(experiment.figures, setting) if each not in there]
    for diameter, deletions in dict.fromkeys((each.diameter, each.deletions(setting)) for each in missing):
        microdata = folder / "microdata"
        shutil.rmtree(microdata, ignore_errors=True)
        simulate(experiment.population, microdata, diameter, deletions, setting)
        for each in missing:
            if (each.diameter, each.deletions(setting)) != (diameter, deletions):
                continue
            print(f"{each.measure}: {each.parameter}, d = {each.diameter} …", file=sys.stderr, flush=True)
            experiment.add(measure(each, microdata, folder / "series", setting))
        shutil.rmtree(microdata, ignore_errors=True)
    found = {_wanted(entry): entry for entry in experiment.document["runs"]}
    print(*MDistinctTables(setting, found).tables(experiment.figures), sep="\n")
    return 0


def _wanted(entry: Entry) -> MDistinctRun:
    return MDistinctRun(*(entry[name] for name in ("measure", "parameter", "diameter")))


if __name__ == "__main__":
    sys.exit(main())
