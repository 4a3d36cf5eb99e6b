"""What all experiments do: simulate people, publish them, measure the series, and keep what was found."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from audit.io.microdata import open_microdata
from audit.io.series import open_series
from audit.metrics.utility import Queries, measure
from series_bench.papers.processes import BenchmarkError, Process, machine, run, versions

QUASI_IDENTIFIERS = "Age,Gender,Education,Birthplace"
Entry = dict[str, Any]
R = TypeVar("R")


@dataclass(frozen=True)
class Experiment:
    """Where an experiment works, and what is known of it already.

    Attributes:
        population: the table of people, None for simulated ones.
        setting: the sizes.
        folder: where to work.
        results: the file of the results.
        document: what it holds, or will hold.
    """

    population: Path | None
    setting: Any
    folder: Path
    results: Path
    document: Entry

    @classmethod
    def begun(cls, results: Path, setting: Any, population: Path | None) -> Experiment:  # noqa: ANN401 - of its own type
        """Continue what a file holds, or begin anew where there is none or one of something else."""
        about = {"population": population.name if population else "audit simulate", "setting": asdict(setting)}
        about = json.loads(json.dumps(about))
        document = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
        if any(document.get(name) != value for name, value in about.items()):
            document = {**about, "machine": machine(), "versions": versions(), "runs": []}
        return cls(population, setting, results.parent, results, document)

    def add(self, entry: Entry) -> None:
        """Keep the results of one series."""
        self.document["runs"].append(entry)
        self.results.write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")

    def run(
        self,
        missing: Iterable[R],
        of: Callable[[R], Any],
        simulate: Callable[[R, Path], None],
        measure: Callable[[R, Path, Path], Entry],
    ) -> None:
        """Measure what is missing, all of one population together, and keep each.

        `of` has the population that a run needs, `simulate` writes its microdata, and `measure` publishes them into a
        folder.
        """
        microdata, series = self.folder / "microdata", self.folder / "series"
        waiting = list(missing)
        for population in dict.fromkeys(map(of, waiting)):
            wanted = [each for each in waiting if of(each) == population]
            shutil.rmtree(microdata, ignore_errors=True)
            simulate(wanted[0], microdata)
            try:
                for each in wanted:
                    print(f"{each} …", file=sys.stderr, flush=True)
                    shutil.rmtree(series, ignore_errors=True)  # of a run that was broken off
                    self.add(measure(each, microdata, series))
            finally:
                shutil.rmtree(microdata, ignore_errors=True)
                shutil.rmtree(series, ignore_errors=True)


def command(*words: object) -> list[str]:
    """Return the command `audit` of this installation."""
    return [str(Path(sys.executable).with_name("audit")), *map(str, words)]


def simulated(folder: Path, options: Mapping[str, object], population: Path | None, *flags: str) -> None:
    """Write snapshots of simulated people, or of people drawn from a table."""
    options = {"--output": folder, "--seed": 1, **options}
    if population is not None:
        options |= {"--population": population.absolute(), "--individual": "id"}
        options |= {"--quasi-identifiers": QUASI_IDENTIFIERS, "--sensitive": "Occupation"}
    run(command("simulate", *flags, *(word for pair in options.items() for word in pair)))


def published(microdata: Path, series: Path, method: Sequence[object]) -> Process | str:
    """Publish a series; return why not where the method refuses: new rows need not be m-eligible."""
    try:
        words = ("anonymize", "--no-audit", microdata, "--method", *method, "--seed", 1, "--output", series)
        return run(command(*words))
    except BenchmarkError as error:
        code, _, reason = str(error).partition(": exit ")[2].partition(": ")
        if code != "2":
            raise
        return reason.strip()


def attacked(series: Path, attack: str, *options: object) -> Entry:
    """Return the entry of an attack in the report on a series."""
    words = (series, "--attack", attack, "--format", "json", "--findings", 0, *options)
    (found,) = json.loads(run(command(*words), allowed=(0, 1, 3)).printed)["attacks"]
    return dict(found)


def completed(series: Path, attack: str) -> Entry:
    """Return what an attack measured.

    Raises:
        BenchmarkError: it is not complete.
    """
    found = attacked(series, attack, "--time-limit", 3600)
    if found["status"] != "complete":
        raise BenchmarkError(f"{attack} is {found['status']}: {found['reason']}")
    return dict(found["measures"])


def utility(microdata: Path, series: Path, thetas: Sequence[float], queries: Callable[[float], Queries]) -> Entry:
    """Return groups and counterfeits of each release, and for each theta the median query error of each release."""
    named = [(str(series), open_series(series))]
    (plain,) = measure(named, None, Queries())
    found: Entry = {name: [getattr(release, name) for release in plain] for name in ("groups", "counterfeits")}
    found |= {"query_error": {}}
    for theta in thetas:
        (releases,) = measure(named, open_microdata(microdata), queries(theta))
        found["query_error"][str(theta)] = [release.query_error for release in releases]
    return found
