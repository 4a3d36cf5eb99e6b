"""Fresh processes, their wall time and their peak memory, and the series they work on.

The parent stays small on purpose, without numpy or pyarrow: Linux counts into a child's peak memory what its
parent held when it forked.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from threading import Timer
from typing import Any

ROOT = Path(__file__).resolve().parent
KIB, MB = 1024, 1_000_000
RELEASES = 21
S1_MEMBERSHIPS = 200_000 * RELEASES
DISTINCT_RELEASES = 20
CROWD_ROWS = (20, 40)
CROWDS = {
    "2-diverse": ("--method l-diversity --l 2", CROWD_ROWS),
    "k = 4": ("--method mondrian --k 4", CROWD_ROWS),
    "k = 6": ("--method mondrian --k 6", CROWD_ROWS[:1]),
}
"""How a few people are published, and how many rows there are of them."""
DISTINCT_DOMAINS = "Age=1..100,Gender=2,Marital=6,Education=1..17"
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
        f"--quasi-identifiers {DISTINCT_DOMAINS} --rows 20000 --insertions 5000 --deletions 2000 "
        f"--snapshots {DISTINCT_RELEASES} --diameter 5 --closed --changes 5000 --moving"
    ).split(),
    "S1-hundredth": ["--rows", "2000"],
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
    "D-distinct": ("D", "--method m-distinct --m 6"),
    **{
        f"crowd-{rows} {told}": (f"crowd-{rows}", options)
        for told, (options, sizes) in CROWDS.items()
        for rows in sizes
    },
}
"""What is published of which microdata, and how."""
PACKAGES = ("series-audit", "numpy", "scipy", "pyarrow", "numba", "ortools", "duckdb", "anonypyx", "pandas", "igraph")


class BenchmarkError(Exception):
    """A measured command failed, or two tools gave different answers."""


class TimeLimitError(BenchmarkError):
    """A measured command did not end in time."""


@dataclass(frozen=True, slots=True)
class Process:
    """One finished process: seconds of wall time, peak resident bytes, what it printed, seconds of all cores."""

    seconds: float
    peak: int
    printed: str
    cpu: float = 0.0


@dataclass
class Timings:
    """Jobs timed in turns in one warm process: all runs in seconds, and the answers."""

    runs: dict[str, list[float]]
    answers: dict[str, dict[str, Any]]

    def median(self, job: str) -> float:
        """Return the median of a job's runs."""
        return statistics.median(self.runs[job])

    def ratio(self, job: str, other: str) -> float:
        """Return how many times as long `job` took as `other`."""
        return self.median(job) / self.median(other)

    def add(self, other: Timings) -> None:
        """Take over the jobs of another process."""
        self.runs |= other.runs
        self.answers |= other.answers

    def agree(self, *jobs: str, keys: tuple[str, ...] = ("individuals", "vulnerable", "candidates")) -> None:
        """Raise unless the jobs gave the same answers, for a start counts of people and candidates."""
        told = [{key: self.answers[job].get(key) for key in keys} for job in jobs]
        if any(answer != told[0] for answer in told):
            raise BenchmarkError(f"different answers of {', '.join(jobs)}: {told}")


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
            self.data.mkdir(parents=True, exist_ok=True)
            print(f"making {name} …", file=sys.stderr, flush=True)
            run([sys.executable, "-m", "benchmarks.make_series", str(folder), *SERIES[name]])
        return folder / variant

    def microdata(self, name: str) -> Path:
        """Return a folder of microdata, made when missing."""
        folder = self.data / f"microdata-{name}"
        if not folder.exists():
            self.data.mkdir(parents=True, exist_ok=True)
            run([*self._audit, "simulate", "--output", str(folder), *MICRODATA[name]])
        return folder

    def published(self, name: str) -> Path:
        """Return a published series, made when missing."""
        folder = self.data / name
        if not folder.exists():
            micro, options = PUBLISHED[name]
            command = [*self._audit, "anonymize", str(self.microdata(micro)), *options.split()]
            print(f"making {name} …", file=sys.stderr, flush=True)
            run([*command, "--seed", "1", "--output", str(folder)])
        return folder

    def registered(self, name: str) -> Path:
        """Return a published series of CSV files beside which everybody is in a register, made when missing."""
        folder = self.data / f"{name}-registered"
        if not folder.exists():
            micro = self.microdata(PUBLISHED[name][0])
            run([sys.executable, "-m", "benchmarks.registering", str(micro), str(self.published(name)), str(folder)])
        return folder

    def merged(self, name: str) -> Path:
        """Return a published series with the groups of each signature merged, made when missing."""
        folder = self.data / f"{name}-merged"
        if not folder.exists():
            run([sys.executable, "-m", "benchmarks.merging", str(self.published(name)), str(folder)])
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
        """Run one attack in a process of its own, by this installation unless told, and write its report to a file."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            options = ["--attack", attack, "--format", "json", "--output", str(report)]
            # A verdict is not a failure, but a traceback ends with 1 too: the report tells them apart.
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
        found = json.loads(run([sys.executable, "-m", "benchmarks.warm", *options, *words], limit=limit).printed)
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
            "benchmarks.warm",
            "--cold",
            "--repeat",
            "1",
            *idle,
            f"{job}={series}",
        ]
        return int(statistics.median(run(command).peak for _ in range(repeat)))


def run(
    command: list[str],
    allowed: tuple[int, ...] = (0,),
    limit: float | None = None,
    environment: dict[str, str] | None = None,
) -> Process:
    """Run a command to its end and ask the operating system what it took.

    Raises:
        TimeLimitError: it did not end within `limit` seconds; it was killed.
        BenchmarkError: it ended with another code than those that are allowed.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=ROOT.parent, env=environment)
        timer = None if limit is None else Timer(limit, process.kill)
        if timer is not None:
            timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            # An interrupted measurement leaves nothing running behind.
            process.kill()
            if timer is not None:
                timer.cancel()
            raise
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if timer is not None:
            timer.cancel()
        if limit is not None and seconds >= limit and process.returncode == -signal.SIGKILL:
            raise TimeLimitError(f"{' '.join(command)}: not done after {limit:g} s")
        out.seek(0)
        err.seek(0)
        if process.returncode not in allowed:
            raise BenchmarkError(f"{' '.join(command)}: exit {process.returncode}: {err.read().decode()[-2000:]}")
        cpu = usage.ru_utime + usage.ru_stime
        return Process(seconds, usage.ru_maxrss * KIB, out.read().decode(), cpu)


def machine() -> dict[str, object]:
    """Describe the machine."""
    cpu = _first("/proc/cpuinfo", "model name") or os.uname().machine
    memory = _first("/proc/meminfo", "MemTotal")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory_gib": round(int(memory.split()[0]) / KIB**2, 1) if memory else None,
        "system": f"{os.uname().sysname} {os.uname().release}",
        "load_average": os.getloadavg(),
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that take part."""
    found = {"python": sys.version.split()[0]}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "missing"
    return found


def _first(file: str, key: str) -> str | None:
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), None)
