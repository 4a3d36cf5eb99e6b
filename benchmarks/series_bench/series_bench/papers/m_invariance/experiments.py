"""Repeat the m-invariance paper's experiments.

`python -m series_bench.papers.m_invariance.experiments [POPULATION] --out FOLDER`

docs/experiments.md describes the method and the figures. Runs of the same setting that FOLDER/experiments.json already
has are not repeated.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from series_bench.papers.processes import BenchmarkError, Process, machine, run, versions

QUASI_IDENTIFIERS = "Age,Gender,Education,Birthplace"
FIGURES = (4, 5, 6, 7, 8, 9)
AUDIT = str(Path(sys.executable).with_name("audit"))


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


def plan(figures: Sequence[int], setting: MInvarianceSetting) -> list[MInvarianceRun]:
    """Return the series that some figures need, those of one update volume together."""
    slow, quick = min(setting.volumes), max(setting.volumes)
    by_volume = {(volume, setting.strictest) for volume in setting.volumes}
    by_parameter = {(slow, parameter) for parameter in setting.parameters}
    needs = {
        5: {(slow, setting.strictest)},
        6: by_volume | by_parameter,
        7: {(slow, setting.strictest), (quick, setting.strictest)},
        8: by_parameter,
        9: by_volume | by_parameter,
    }
    wanted = {MInvarianceRun(volume, "m-invariance", m) for figure in figures for volume, m in needs.get(figure, ())}
    if 4 in figures:
        wanted |= {
            MInvarianceRun(volume, "l-diversity", each) for volume in setting.volumes for each in setting.parameters
        }
    return sorted(wanted)


def simulate(population: Path | None, folder: Path, volume: int, setting: MInvarianceSetting) -> None:
    """Make the series of snapshots of an update volume: T(1) of `rows` rows, then r out and r in from the pool."""
    options: dict[str, object] = {
        "--output": folder,
        "--rows": setting.rows,
        "--insertions": volume,
        "--deletions": volume,
        "--snapshots": setting.snapshots(volume),
        "--seed": 1,
    }
    if population is not None:
        options |= {"--population": population.absolute(), "--individual": "id"}
        options |= {"--quasi-identifiers": QUASI_IDENTIFIERS, "--sensitive": "Occupation"}
    run([AUDIT, "simulate", *(str(word) for pair in options.items() for word in pair)])


def measure(wanted: MInvarianceRun, microdata: Path, series: Path, setting: MInvarianceSetting) -> dict[str, Any]:
    """Publish a series, measure it, and delete it. A method may refuse: new rows need not be m-eligible."""
    option = {"m-invariance": "--m", "l-diversity": "--l"}[wanted.method]
    command = [
        AUDIT,
        "anonymize",
        "--no-audit",
        str(microdata),
        "--method",
        wanted.method,
        option,
        str(wanted.parameter),
    ]
    found: dict[str, Any] = asdict(wanted)
    try:
        published = publish([*command, "--output", str(series)])
        if isinstance(published, str):
            return {**found, "refused": published}
        found |= utility(microdata, series, thetas(wanted, setting), setting.queries) | vulnerable(series)
        return {**found, "seconds": published.seconds / len(found["counterfeits"])}
    finally:
        shutil.rmtree(series, ignore_errors=True)


def publish(command: list[str]) -> Process | str:
    """Publish a series; return why not where the method refuses."""
    try:
        return run(command)
    except BenchmarkError as error:
        code, _, reason = str(error).partition(": exit ")[2].partition(": ")
        if code != "2":
            raise
        return reason.strip()


def thetas(wanted: MInvarianceRun, setting: MInvarianceSetting) -> Sequence[float]:
    """Return the selectivities at which a series' query error is drawn in some figure."""
    if wanted.method == "l-diversity":
        return ()
    slowest = (min(setting.volumes), setting.strictest)
    return setting.thetas if (wanted.volume, wanted.parameter) == slowest else setting.thetas[-1:]


def utility(microdata: Path, series: Path, thetas: Sequence[float], queries: int) -> dict[str, Any]:
    """Return the counterfeits of each release, and for each theta the median query error of each release."""
    from audit.io.microdata import open_microdata
    from audit.io.series import open_series
    from audit.metrics.utility import Queries
    from audit.metrics.utility import measure as measured

    named = [(str(series), open_series(series))]
    (plain,) = measured(named, None, Queries())
    errors = {}
    for theta in thetas:
        (releases,) = measured(named, open_microdata(microdata), Queries(queries, theta))
        errors[str(theta)] = [release.query_error for release in releases]
    return {"counterfeits": [release.counterfeits for release in plain], "query_error": errors}


def vulnerable(series: Path) -> dict[str, Any]:
    """Return how many people's values are certain, by Lemma 1."""
    command = [AUDIT, str(series), "--attack", "intersection", "--format", "json", "--findings", "0"]
    printed = run([*command, "--time-limit", "3600"], allowed=(0, 1, 3)).printed
    (attack,) = json.loads(printed)["attacks"]
    if attack["status"] != "complete":
        raise BenchmarkError(f"intersection is {attack['status']}: {attack['reason']}")
    return {name: attack["measures"][name] for name in ("vulnerable", "individuals")}


# -- figures ------------------------------------------------------------------------------------------------------


def tables(found: Iterable[dict[str, Any]], figures: Sequence[int], setting: MInvarianceSetting) -> Iterator[str]:
    """Yield the figures as tables."""
    by_run = {(each["method"], each["volume"], each["parameter"]): each for each in found}

    def cell(volume: int, parameter: int, show: str, method: str = "m-invariance") -> str:
        entry = by_run.get((method, volume, parameter))
        return "" if entry is None else "refused" if "refused" in entry else _shown(entry, show, setting.thetas[-1])

    slow, strictest, last = min(setting.volumes), setting.strictest, setting.thetas[-1]
    volumes, parameters = setting.volumes, setting.parameters
    if 4 in figures:
        rows = [[f"l = {p}", *(cell(v, p, "vulnerable", "l-diversity") for v in volumes)] for p in parameters]
        yield table("Figure 4: vulnerable people by r, l-diverse releases", ["", *map(_thousand, volumes)], rows)
    if 5 in figures:
        yield _over_time(by_run, "Figure 5: counterfeits by release", [(slow, strictest)], "counterfeits", last)
    if 6 in figures:
        row = [["average", *(cell(v, strictest, "counterfeits") for v in volumes)]]
        yield table(f"Figure 6a: counterfeits of a release by r, m = {strictest}", ["", *map(_thousand, volumes)], row)
        row = [["average", *(cell(slow, p, "counterfeits") for p in parameters)]]
        title = f"Figure 6b: counterfeits of a release by m, r = {_thousand(slow)}"
        yield table(title, ["", *map(str, parameters)], row)
    if 7 in figures:
        runs = [(slow, strictest), (max(volumes), strictest)]
        yield _over_time(by_run, f"Figure 7: query error by release, theta = {last:g}", runs, "query_error", last)
    if 8 in figures:
        entry = by_run.get(("m-invariance", slow, strictest), {})
        row = [["average", *(_shown(entry, "query_error", theta) for theta in setting.thetas)]]
        title = f"Figure 8a: query error by theta, r = {_thousand(slow)}, m = {strictest}"
        yield table(title, ["", *(f"{theta:g}" for theta in setting.thetas)], row)
        row = [["average", *(cell(slow, p, "query_error") for p in parameters)]]
        title = f"Figure 8b: query error by m, r = {_thousand(slow)}, theta = {last:g}"
        yield table(title, ["", *map(str, parameters)], row)
    if 9 in figures:
        row = [["seconds", *(cell(v, strictest, "seconds") for v in volumes)]]
        yield table(f"Figure 9a: time of a release by r, m = {strictest}", ["", *map(_thousand, volumes)], row)
        row = [["seconds", *(cell(slow, p, "seconds") for p in parameters)]]
        yield table(f"Figure 9b: time of a release by m, r = {_thousand(slow)}", ["", *map(str, parameters)], row)


def _over_time(
    by_run: dict[tuple[str, int, int], dict[str, Any]],
    title: str,
    runs: Sequence[tuple[int, int]],
    measure_: str,
    theta: float,
) -> str:
    """Return a table of some ten releases from the first to the last, with the least and the greatest of all."""
    rows = []
    for volume, parameter in runs:
        entry = by_run.get(("m-invariance", volume, parameter), {})
        series = entry.get(measure_, {})
        values = series.get(str(theta), []) if isinstance(series, dict) else series
        form = "{:.2%}" if measure_ == "query_error" else "{:,}"
        step = max(1, len(values) // 10)
        known = [value for value in values if value is not None]
        some = [f"{place + 1}: " + form.format(values[place]) for place in range(0, len(values), step)]
        ends = [form.format(min(known)), form.format(max(known))] if known else ["", ""]
        rows.append([f"r = {_thousand(volume)}, m = {parameter}", *ends, ", ".join(some)])
    return table(title, ["", "least", "most", "release: figure"], rows)


def _shown(entry: dict[str, Any], name: str, theta: float) -> str:
    value = entry.get(name)
    if name == "query_error" and value is not None:
        known = [error for error in value.get(str(theta), []) if error is not None]
        return f"{statistics.mean(known):.2%}" if known else ""
    if name == "counterfeits" and value is not None:
        return f"{statistics.mean(value):.2f} (at most {max(value):,}, none in {value.count(0)} of {len(value)})"
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else f"{value:,}"


def _thousand(number: int) -> str:
    return f"{number // 1000}k" if number % 1000 == 0 else f"{number:,}"


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown under its title."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join([title, "", *("| " + " | ".join(cells) + " |" for cells in lines), ""])


# -- the whole ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Experiment:
    """What was asked for, and what is known of it already.

    Attributes:
        population: the table of people, None for simulated ones.
        figures: which figures to print.
        setting: the sizes.
        folder: where to work.
        results: the file of the results.
        document: what it holds, or will hold.
    """

    population: Path | None
    figures: list[int]
    setting: Any
    folder: Path
    results: Path
    document: dict[str, Any]

    def add(self, run_: dict[str, Any]) -> None:
        """Keep the results of one series."""
        self.document["runs"].append(run_)
        self.results.write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")


def asked(parser: argparse.ArgumentParser, file: str, figures: Sequence[int], settings: tuple[Any, Any]) -> Experiment:
    """Read the command line, to which this adds what all experiments have; `settings` are the full and the quick."""
    parser.add_argument("--out", type=Path, required=True, help=f"folder for {file} and the series at work")
    parser.add_argument("--figures", type=int, nargs="+", choices=figures, default=list(figures), metavar="N")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, four releases")
    arguments = parser.parse_args()
    setting = settings[arguments.quick]
    folder = arguments.out.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    population = arguments.population.name if arguments.population else "audit simulate"
    document = begun(folder / file, {"population": population, "setting": asdict(setting)})
    return Experiment(arguments.population, arguments.figures, setting, folder, folder / file, document)


def main() -> int:
    """Run what is missing, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    told = f"table with the columns id, {QUASI_IDENTIFIERS} and Occupation; default: simulated people"
    parser.add_argument("population", type=Path, nargs="?", metavar="POPULATION", help=told)
    experiment = asked(parser, "experiments.json", FIGURES, (FULL, QUICK))
    work(experiment, plan(experiment.figures, experiment.setting))
    print(*tables(experiment.document["runs"], experiment.figures, experiment.setting), sep="\n")
    return 0


def begun(results: Path, about: dict[str, Any]) -> dict[str, Any]:
    """Return the document that a file holds, or a new one where there is none or one of something else."""
    about = json.loads(json.dumps(about))
    document = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
    if any(document.get(name) != value for name, value in about.items()):
        document = {**about, "machine": machine(), "versions": versions(), "runs": []}
    return document


def work(experiment: Experiment, wanted: Sequence[MInvarianceRun]) -> None:
    """Run what is missing, one update volume after the other, and write the results after each series."""
    setting, folder = experiment.setting, experiment.folder
    for volume in sorted({each.volume for each in wanted}):
        there = [
            MInvarianceRun(entry["volume"], entry["method"], entry["parameter"])
            for entry in experiment.document["runs"]
        ]
        missing = [each for each in wanted if each.volume == volume and each not in there]
        microdata = folder / f"microdata-{volume}"
        if not missing:
            continue
        shutil.rmtree(microdata, ignore_errors=True)
        simulate(experiment.population, microdata, volume, setting)
        try:
            for each in missing:
                print(f"{each.method} {each.parameter}, r = {volume} …", file=sys.stderr, flush=True)
                experiment.add(measure(each, microdata, folder / "series", setting))
        finally:
            shutil.rmtree(microdata, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
