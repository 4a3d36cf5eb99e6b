"""The series that benchmarks use, and measurements: whole processes, as a user starts them."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from series_bench.papers.m_distinct import DOMAINS
from series_bench.papers.processes import BenchmarkError, Process, run

ROOT = Path(__file__).resolve().parent
MB = 1_000_000
RELEASES = 21
DISTINCT_RELEASES = 20
AUDIT = Path(sys.executable).with_name("audit")
_LIMIT = 600
"""Seconds that an attack may take."""
_SMALL = "--kind diverse --variants linked"
SERIES = {
    "S1-invariant": "--kind invariant",
    "S1-diverse": "--kind diverse",
    **{
        f"S1r-{name}": f"{_SMALL} --compression zstd --identifiers {name}"
        for name in ("number", "text", "uuid", "hash")
    },
    "S1r-text-csv": f"{_SMALL} --format csv --identifiers text",
    "S10-diverse": f"{_SMALL} --scale 10",
    "S100-diverse": f"{_SMALL} --scale 100",
    "tiny": "--kind diverse --rows 2000 --turnover 200 --releases 5",
}
MICRODATA = {
    "S1": "",
    "growing": "--deletions 0",
    "D": (
        f"--quasi-identifiers {DOMAINS} --rows 20000 --insertions 5000 --deletions 2000 "
        f"--snapshots {DISTINCT_RELEASES} --diameter 5 --closed --changes 5000 --moving"
    ),
    "tenth": "--rows 20000",
    "tenth-five": "--rows 20000 --snapshots 5",
    "five": "--snapshots 5",
    "two": "--snapshots 2",
}
PUBLISHED = {
    "S1-fine": ("S1", "--method m-invariance --m 10 --publish anatomy"),
    "S1-e-equivalence": ("S1", "--method e-equivalence --m 10 --e 5 --publish anatomy"),
    "two-fine": ("two", "--method m-invariance --m 10 --publish anatomy"),
    "five-fine": ("five", "--method m-invariance --m 10 --publish anatomy"),
    "five-3-diverse": ("five", "--method l-diversity --l 3"),
    "tenth-five-3-diverse": ("tenth-five", "--method l-diversity --l 3"),
    "tenth-five-10-diverse": ("tenth-five", "--method l-diversity --l 10"),
    "tenth-10-diverse": ("tenth", "--method l-diversity --l 10"),
    "D-distinct": ("D", "--method m-distinct --m 6"),
}
"""The microdata and the options of each published series."""


@dataclass(frozen=True)
class Measured:
    """Some runs of one command, and the JSON that it wrote."""

    runs: list[Process]
    answer: dict[str, Any]

    @property
    def seconds(self) -> float:
        """The median wall time."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def cpu(self) -> float:
        """The median time of all cores together, which depends less on what else the machine does."""
        return statistics.median(run.cpu for run in self.runs)

    @property
    def peak(self) -> float:
        """The median peak memory in megabytes."""
        return statistics.median(run.peak for run in self.runs) / MB

    def kept(self) -> dict[str, object]:
        """Return every single measurement."""
        return {
            "seconds": [run.seconds for run in self.runs],
            "cpu_seconds": [run.cpu for run in self.runs],
            "peak_mb": [run.peak / MB for run in self.runs],
        }


@dataclass(frozen=True)
class Lab:
    """Where series are kept, which installation is measured, and how often a command is started after a warm-up."""

    data: Path = ROOT / "data"
    repeat: int = 5
    audit_command: Path = AUDIT

    def series(self, name: str, variant: str = "linked") -> Path:
        """Return a variant's folder, made when missing."""
        module = [sys.executable, "-m", "benchmarks.speed.make_series"]
        return self._made(name, lambda folder: [*module, folder, *SERIES[name].split()]) / variant

    def microdata(self, name: str) -> Path:
        """Return a folder of microdata, made when missing."""
        simulate = [str(self.audit_command), "simulate", *MICRODATA[name].split(), "--output"]
        return self._made(f"microdata-{name}", lambda folder: [*simulate, folder])

    def published(self, name: str) -> Path:
        """Return a published series, made when missing."""
        microdata, options = PUBLISHED[name]
        anonymize = self.anonymize(microdata, options)
        return self._made(name, lambda folder: [*anonymize, "--seed", "1", "--output", folder])

    def merged(self, name: str) -> Path:
        """Return a published series with the groups of each signature merged, made when missing."""
        module = [sys.executable, "-m", "series_bench.papers.equivalence.merging", str(self.published(name))]
        return self._made(f"{name}-merged", lambda folder: [*module, folder])

    def count_tables(self, kind: str, numbers: int) -> Path:
        """Return a series of count tables, made when missing."""
        module = [sys.executable, "-m", "benchmarks.speed.count_tables", kind, str(numbers)]
        return self._made(f"tables-{kind}-{numbers}", lambda folder: [*module, folder])

    def anonymize(self, microdata: str, options: str) -> list[str]:
        """Return the command that publishes microdata, but for the name of the output."""
        return [str(self.audit_command), "anonymize", "--no-audit", str(self.microdata(microdata)), *options.split()]

    def _made(self, name: str, command: Callable[[str], list[str]]) -> Path:
        folder = self.data / name
        if not folder.exists():
            print(f"making {name} …", file=sys.stderr, flush=True)
            run(command(str(folder)))
        return folder

    def run(self, command: list[str], allowed: tuple[int, ...] = (0,)) -> Measured:
        """Start a command once to warm up and then `repeat` times; it may print JSON."""
        runs = [run(command, allowed) for _ in range(self.repeat + 1)][-max(1, self.repeat) :]
        printed = runs[-1].printed
        return Measured(runs, json.loads(printed) if printed.startswith("{") else {})

    def writing(self, command: list[str], allowed: tuple[int, ...] = (0,)) -> Measured:
        """Start a command whose last word names its output, each time anew."""
        runs = []
        for _ in range(self.repeat + 1):
            with tempfile.TemporaryDirectory(dir=self.data) as folder:
                runs.append(run([*command, str(Path(folder) / "out")], allowed))
        return Measured(runs[-max(1, self.repeat) :], {})

    def attack(self, series: Path, name: str) -> Measured:
        """Run one attack, its report written to a file; the answer is its entry in the report.

        Raises:
            BenchmarkError: it wrote no report.
        """
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = [str(self.audit_command), str(series), "--attack", name, "--time-limit", str(_LIMIT)]
            # A verdict is not a failure, but a traceback ends with 1 too: the report distinguishes them.
            measured = self.run([*command, "--output", str(report)], (0, 1, 3))
            if not report.exists():
                raise BenchmarkError(f"audit {series} wrote no report")
            (found,) = json.loads(report.read_text(encoding="utf-8"))["attacks"]
            return Measured(measured.runs, found)

    def rival(self, tool: str, folder: Path, *words: str) -> Measured:
        """Ask another tool the same."""
        return self.run([sys.executable, "-m", "benchmarks.speed.rivals", tool, str(folder), *words])
