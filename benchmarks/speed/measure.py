"""Measure: the series that benchmarks use, and measurements in fresh processes."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from series_bench.papers.m_distinct import DOMAINS
from series_bench.papers.processes import BenchmarkError, Process, run

ROOT = Path(__file__).resolve().parent
MB = 1_000_000
RELEASES = 21
S1_MEMBERSHIPS = 200_000 * RELEASES
DISTINCT_RELEASES = 20
CROWD_ROWS = (20, 40)
FIVE_ROWS = (2_000, 20_000, 200_000)
"""Sizes of series of five releases."""
CROWDS = {
    "2-diverse": ("--method l-diversity --l 2", CROWD_ROWS),
    "k = 4": ("--method mondrian --k 4", CROWD_ROWS),
    "k = 6": ("--method mondrian --k 6", CROWD_ROWS[:1]),
}
"""How a few people are published, and how many rows there are of them."""
SERIES = {
    "S1-invariant": ["--kind", "invariant"],
    "S1-diverse": ["--kind", "diverse"],
    "S1-diverse-csv": ["--kind", "diverse", "--format", "csv", "--variants", "linked"],
    "S1r-number": ["--kind", "diverse", "--compression", "zstd", "--variants", "linked"],
    **{
        f"S1r-{name}": ["--kind", "diverse", "--compression", "zstd", "--variants", "linked", "--identifiers", name]
        for name in ("text", "uuid", "hash")
    },
    "S1r-text-csv": ["--kind", "diverse", "--format", "csv", "--variants", "linked", "--identifiers", "text"],
    "S10-diverse": ["--kind", "diverse", "--scale", "10"],
    "S100-diverse": ["--kind", "diverse", "--scale", "100", "--variants", "linked"],
    "tiny": ["--kind", "diverse", "--rows", "2000", "--turnover", "200", "--releases", "5"],
}
MICRODATA: dict[str, list[str]] = {
    "S1": [],
    "growing": ["--deletions", "0"],
    "D": (
        f"--quasi-identifiers {DOMAINS} --rows 20000 --insertions 5000 --deletions 2000 "
        f"--snapshots {DISTINCT_RELEASES} --diameter 5 --closed --changes 5000 --moving"
    ).split(),
    "S1-hundredth": ["--rows", "2000"],
    **{f"five-{rows}": ["--rows", str(rows), "--snapshots", "5"] for rows in FIVE_ROWS},
    "S1-tenth": ["--rows", "20000"],
    **{
        f"crowd-{rows}": (
            f"--quasi-identifiers Age=1..100,Education=1..17 --sensitive Occupation=20 --rows {rows} "
            f"--insertions {rows // 5} --deletions {rows // 5} --snapshots 3 --file-type csv"
        ).split()
        for rows in CROWD_ROWS
    },
}
PUBLISHED = {
    "S1-fine": ("S1", "--method m-invariance --m 10 --publish anatomy"),
    "S1-e-equivalence": ("S1", "--method e-equivalence --m 10 --e 5 --publish anatomy"),
    **{
        f"{micro}-{least}-diverse": (micro, f"--method l-diversity --l {least}")
        for micro in ("S1", "S1-tenth", "S1-hundredth")
        for least in (3, 10)
    },
    **{f"five-{rows}-strict": (f"five-{rows}", "--method l-diversity --l 3") for rows in FIVE_ROWS},
    "D-distinct": ("D", "--method m-distinct --m 6"),
    **{
        f"crowd-{rows} {label}": (f"crowd-{rows}", options)
        for label, (options, sizes) in CROWDS.items()
        for rows in sizes
    },
}
"""The microdata and the options of each published series."""


@dataclass
class Timings:
    """Jobs timed in turns in one warm process: all runs in seconds, and the answers."""

    runs: dict[str, list[float]]
    answers: dict[str, dict[str, Any]]

    def median(self, job: str) -> float:
        """Return the median of a job's runs."""
        return statistics.median(self.runs[job])

    def ratio(self, job: str, base: str) -> float:
        """Return the time of `job` divided by that of `base`."""
        return self.median(job) / self.median(base)

    def add(self, more: Timings) -> None:
        """Add the jobs of another process."""
        self.runs |= more.runs
        self.answers |= more.answers

    def agree(self, *jobs: str, keys: tuple[str, ...] = ("individuals", "vulnerable", "candidates")) -> None:
        """Raise unless the jobs gave the same answers, for a start counts of people and candidates."""
        answers = [{key: self.answers[job].get(key) for key in keys} for job in jobs]
        if any(answer != answers[0] for answer in answers):
            raise BenchmarkError(f"different answers of {', '.join(jobs)}: {answers}")


@dataclass
class Lab:
    """Where series are kept and how often each measurement is repeated."""

    data: Path = ROOT / "data"
    repeat: int = 5
    before: Path | None = None
    """The command `audit` of another installation, an earlier one, that whole processes are compared with."""
    audit_command: Path = field(default_factory=lambda: Path(sys.executable).with_name("audit"))
    _audit: list[str] = field(default_factory=lambda: [str(Path(sys.executable).with_name("audit"))])

    def series(self, name: str, variant: str) -> Path:
        """Return a variant's folder, made when missing."""
        folder = self.data / name
        if not folder.exists():
            print(f"making {name} …", file=sys.stderr, flush=True)
            run([sys.executable, "-m", "benchmarks.speed.make_series", str(folder), *SERIES[name]])
        return folder / variant

    def microdata(self, name: str) -> Path:
        """Return a folder of microdata, made when missing."""
        folder = self.data / f"microdata-{name}"
        if not folder.exists():
            run([*self._audit, "simulate", "--output", str(folder), *MICRODATA[name]])
        return folder

    def published(self, name: str) -> Path:
        """Return a published series, made when missing."""
        folder = self.data / name
        if not folder.exists():
            micro, options = PUBLISHED[name]
            command = [*self._audit, "anonymize", "--no-audit", str(self.microdata(micro)), *options.split()]
            print(f"making {name} …", file=sys.stderr, flush=True)
            run([*command, "--seed", "1", "--output", str(folder)])
        return folder

    def registered(self, name: str) -> Path:
        """Return a published series of CSV files with a register of all people, and make it if it is missing."""
        micro = self.microdata(PUBLISHED[name][0])
        return self._made(f"{name}-registered", "benchmarks.speed.registering", str(micro), str(self.published(name)))

    def merged(self, name: str) -> Path:
        """Return a published series with the groups of each signature merged, made when missing."""
        folder = self.data / f"{name}-merged"
        if not folder.exists():
            run(
                [
                    sys.executable,
                    "-m",
                    "series_bench.papers.equivalence.merging",
                    str(self.published(name)),
                    str(folder),
                ]
            )
        return folder

    def relaxed(self, name: str) -> Path:
        """Return a series published in small groups by relaxed splits, made when missing."""
        return self._made(f"{name}-relaxed", "benchmarks.speed.relaxed", str(self.microdata(name)))

    def wide_group(self, values: int) -> Path:
        """Return a small series with one group of so many distinct values, made when missing."""
        return self._made(f"wide-{values}", "benchmarks.speed.wide_group", str(values))

    def count_tables(self, kind: str, numbers: int) -> Path:
        """Return a series of count tables, made when missing."""
        return self._made(f"tables-{kind}-{numbers}", "benchmarks.speed.count_tables", kind, str(numbers))

    def _made(self, name: str, module: str, *words: str) -> Path:
        folder = self.data / name
        if not folder.exists():
            run([sys.executable, "-m", module, *words, str(folder)])
        return folder

    def audit_anew(self, *arguments: str, repeat: int | None = None) -> list[Process]:
        """Run a command whose last word names its output, once to warm up and then some times, each time anew."""
        runs = []
        for _ in range((repeat or self.repeat) + 1):
            with tempfile.TemporaryDirectory(dir=self.data) as folder:
                runs.append(run([*self._audit, *arguments, str(Path(folder) / "out")]))
        return runs[1:]

    def audit(self, *arguments: str, allowed: tuple[int, ...] = (0,)) -> list[Process]:
        """Run the command once to warm up and then `repeat` times."""
        return [run([*self._audit, *arguments], allowed) for _ in range(self.repeat + 1)][1:]

    def audit_to_file(self, series: Path, attack: str, command: Path | None = None) -> list[Process]:
        """Run one attack in a process of its own, by default of this installation, and write its report to a file."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            options = ["--attack", attack, "--format", "json", "--output", str(report)]
            # A verdict is not a failure, but a traceback ends with 1 too: the report distinguishes them.
            words = [str(command or self.audit_command), str(series), *options]
            runs = [run(words, (0, 1, 3)) for _ in range(self.repeat + 1)][1:]
            if not report.exists():
                raise BenchmarkError(f"audit {series} wrote no report")
            (found,) = json.loads(report.read_text(encoding="utf-8"))["attacks"]
            if found["status"] != "complete":
                raise BenchmarkError(f"audit {series}: {attack} is {found['status']}: {found['reason']}")
            return runs

    def warm(self, jobs: dict[str, Path], repeat: int | None = None) -> Timings:
        """Time jobs in turns in one warm process."""
        return self._timed(jobs, ["--repeat", str(repeat or self.repeat)])

    def once(self, job: str, series: Path, limit: float | None = None) -> Timings:
        """Time a job that takes long, or warms up by itself, once.

        Raises:
            TimeLimitError: it did not end within `limit` seconds.
        """
        return self._timed({job: series}, ["--cold", "--repeat", "1"], limit)

    def _timed(self, jobs: dict[str, Path], options: list[str], limit: float | None = None) -> Timings:
        words = [f"{job}={series}" for job, series in jobs.items()]
        found = json.loads(run([sys.executable, "-m", "benchmarks.speed.warm", *options, *words], limit=limit).printed)
        return Timings(
            {job: entry["seconds"] for job, entry in found.items()},
            {job: entry["answer"] for job, entry in found.items()},
        )

    def peak(self, job: str, series: Path, loaded: str | None = None, *, repeat: int = 3) -> int:
        """Return the median peak memory in bytes of one cold run of a job, `loaded` being imported too."""
        idle = [] if loaded is None else ["--idle", f"{loaded}={series}"]
        command = [
            sys.executable,
            "-m",
            "benchmarks.speed.warm",
            "--cold",
            "--repeat",
            "1",
            *idle,
            f"{job}={series}",
        ]
        return int(statistics.median(run(command).peak for _ in range(repeat)))
