"""The linear attacks on S1, S10, S100, as whole processes, beside the DuckDB SQL: `python -m benchmarks.speed.large`.

One series after the other is made, measured and removed again (S1 is kept), also when the run is interrupted; a series
that was there before stays. S100 takes some 4.5 GB of disk, and half an hour to make on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.speed.measure import MB, RELEASES, ROOT, SERIES
from benchmarks.speed.rows import Bar, Row, median_seconds, ms, walls
from series_bench.papers.processes import BenchmarkError, Process, TimeLimitError, machine, run, versions

SIZES = {"S1": 1, "S10": 10, "S100": 100}
ATTACKS = ("intersection", "update-graph")
_BARS = {
    ("S1", "intersection"): (Bar(1.2, 0.5, " s"), Bar(400, None, " MB")),
    ("S100", "intersection"): (Bar(60, 15, " s"), Bar(8000, 3000, " MB")),
}
_GROWTH = Bar(12, 10, " ×")
_RIVAL = {"S10": Bar(4, 8, " ×", at_least=True)}
_LIMIT = 1800.0
_LARGE = "S100"
Answer = dict[str, int]


@dataclass(frozen=True)
class Measured:
    """Some runs of one command, and what it answered."""

    runs: list[Process]
    answer: Answer

    @property
    def seconds(self) -> float:
        """The median wall time."""
        return median_seconds(self.runs)

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
            "seconds": walls(self.runs),
            "cpu_seconds": [run.cpu for run in self.runs],
            "peak_mb": [run.peak / MB for run in self.runs],
            "answer": self.answer,
        }


@contextmanager
def series(data: Path, size: str) -> Iterator[Path]:
    """Make a series where it is missing; it is removed in the end unless it was there, or is small."""
    folder = data / f"{size}-diverse"
    made = not folder.exists()
    try:
        if made:
            print(f"making {size} …", file=sys.stderr, flush=True)
            data.mkdir(parents=True, exist_ok=True)
            # The S1 that is kept is that of the other benchmarks.
            short = ["--kind", "diverse", "--scale", str(SIZES[size]), "--variants", "linked"]
            command = [sys.executable, "-m", "benchmarks.speed.make_series", str(folder)]
            run([*command, *(SERIES[folder.name] if size == "S1" else short)])
        yield folder / "linked"
    finally:
        if made and size != "S1":
            shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(folder.with_name(folder.name + ".part"), ignore_errors=True)


def attack(folder: Path, name: str, repeat: int) -> Measured:
    """Run one attack as a user does: a process of its own, its report written to a file."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.json"
        command = [str(Path(sys.executable).with_name("audit")), str(folder), "--attack", name, "--format", "json"]
        command += ["--time-limit", str(_LIMIT), "--output", str(report)]
        runs = [run(command, (0, 1, 3), _LIMIT) for _ in range(repeat)]
        result = json.loads(report.read_text(encoding="utf-8"))
    (found,) = result["attacks"]
    if found["status"] != "complete":
        raise BenchmarkError(f"{folder}: {name} is {found['status']}: {found['reason']}")
    measures = found["measures"]
    answer = {key: measures[key] for key in ("individuals", "vulnerable", "versions", "disclosed") if key in measures}
    if "candidate_sizes" in measures:
        answer["candidates"] = sum(int(size) * people for size, people in measures["candidate_sizes"].items())
    return Measured(runs, answer)


def duckdb(folder: Path, repeat: int) -> Measured:
    """Ask DuckDB for the candidates, without risks, certificates or hashes of files."""
    command = [sys.executable, "-m", "benchmarks.speed.warm", "--cold", "--repeat", "1", f"duckdb-linked={folder}"]
    runs = [run(command, limit=_LIMIT) for _ in range(repeat)]
    return Measured(runs, json.loads(runs[-1].printed)["duckdb-linked"]["answer"])


def rows_of(folder: Path, size: str, repeat: int, before: dict[str, Measured]) -> Iterator[Row]:
    """Yield the rows of one size; `before` are the measurements of the size before, and becomes those of this one."""
    found: dict[str, Measured] = {}
    for name in ATTACKS:
        found[name] = measured = attack(folder, name, repeat)
        bars = _BARS.get((size, name), (None, None))
        yield from _alone(f"{name}, whole process, {size}", f"{name} {size}", measured, bars)
        if name in before:
            small = before[name]
            yield Row(
                f"growth {name} {size}",
                f"{name}: growth to {size}, ten times as large",
                f"{ms(small.seconds)} → {ms(measured.seconds)}",
                measured.seconds / small.seconds,
                _GROWTH,
            )
    before.clear()
    before.update(found)
    yield from _beside(folder, size, found["intersection"], repeat)


def _alone(what: str, name: str, found: Measured, bars: tuple[Bar | None, Bar | None]) -> Iterator[Row]:
    measured = f"{ms(found.seconds)}, of cores {ms(found.cpu)}"
    yield Row(f"process {name}", what, measured, found.seconds, bars[0], " s", found.kept())
    yield Row(f"memory {name}", f"{what}: peak memory", f"{found.peak:,.0f} MB", found.peak, bars[1], " MB")


def _beside(folder: Path, size: str, ours: Measured, repeat: int) -> Iterator[Row]:
    """Yield the rows of the rival, whose answers must be the same."""
    try:
        rival = duckdb(folder, repeat)
    except TimeLimitError:
        measured = f"no answer in {_LIMIT:g} s"
        yield Row(f"duckdb {size}", f"DuckDB SQL, {size}", measured, _LIMIT / ours.seconds, None, " × at least")
        return
    yield from _alone(f"DuckDB SQL, whole process, {size}", f"duckdb {size}", rival, (None, None))
    keys = ("individuals", "vulnerable", "candidates")
    if any(int(ours.answer[key]) != int(rival.answer[key]) for key in keys):
        raise BenchmarkError(f"different answers on {size}: {ours.answer}, DuckDB {rival.answer}")
    yield Row(
        f"intersection-duckdb {size}",
        f"intersection, risks and report included, against DuckDB SQL, whole processes, {size}",
        f"{ms(ours.seconds)} / {ms(rival.seconds)}",
        rival.seconds / ours.seconds,
        _RIVAL.get(size),
        " ×",
    )


def main() -> int:
    """Measure one size after the other, print a table, write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.large", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--repeat", type=int, default=3, help="runs of each command; S100 is run once")
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="where series are made")
    parser.add_argument("--output", type=Path, default=ROOT / "results-large.json")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what Python compiles is kept, as where people work
    # A terminated run cleans up as an interrupted one does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    about = {"started": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "machine": machine(), "versions": versions()}
    rows: list[Row] = []
    failures: dict[str, str] = {}
    before: dict[str, Measured] = {}
    for cells in (["what", "measured", "figure", "bar", "dream", "held?"], ["---"] * 6):
        _print(cells)
    for size in options.sizes:
        try:
            with series(options.data.absolute(), size) as folder:
                for row in rows_of(folder, size, 1 if size == _LARGE else options.repeat, before):
                    _print(row.cells())
                    rows.append(row)
                    _write(options.output, about, rows, failures)
        except BenchmarkError as error:
            failures[size] = str(error)
            print(f"{size}: {error}", file=sys.stderr, flush=True)
            _write(options.output, about, rows, failures)
    return 1 if failures else 0


def _write(output: Path, about: dict[str, object], rows: list[Row], failures: dict[str, str]) -> None:
    """Write the results so far, because a long run may be interrupted."""
    entries = [{**asdict(row), "cells": row.cells()} for row in rows]
    ended = {"releases": RELEASES, "load_average_after": os.getloadavg(), "rows": entries, "failures": failures}
    output.write_text(json.dumps(about | ended, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _print(cells: list[str]) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
