"""Forms: rows about identifiers of different types, and about machines that never ran the program."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.speed.measure import MB, ROOT, Lab
from benchmarks.speed.rows import Bar, Row, median_seconds, ms, walls
from series_bench.papers.processes import BenchmarkError, Process, run

IDENTIFIERS = {
    "S1r-number": Bar(1.2, 0.5, " s"),
    "S1r-text": Bar(8, 4, " ×"),
    "S1r-uuid": Bar(10, 5, " ×"),
    "S1r-hash": Bar(10, 5, " ×"),
    "S1r-text-csv": Bar(8, 4, " ×"),
}
"""Series, and how much longer than reading its columns a whole process may take, or how long."""


def identifiers(lab: Lab) -> Iterator[Row]:
    """Intersection as a user runs it, on files as pandas writes them: zstd and dictionaries, any identifiers."""
    for name, bar in IDENTIFIERS.items():
        folder = lab.series(name, "linked")
        read = lab.warm({"limit-linked": folder, "duckdb-linked": folder})
        limit = read.median("limit-linked")
        runs = lab.audit_to_file(folder, "intersection")
        kept: dict[str, object] = {"seconds": walls(runs), "limit": read.runs["limit-linked"]}
        kept |= {"cpu": [each.cpu for each in runs], "duckdb": read.runs["duckdb-linked"]}
        measured = f"{ms(median_seconds(runs))} / {ms(limit)}; DuckDB {ms(read.median('duckdb-linked'))}"
        what = f"intersection, whole process, against reading its columns, {name}"
        figure = median_seconds(runs) if bar.unit == " s" else median_seconds(runs) / limit
        if lab.before is not None:
            try:
                then = lab.audit_to_file(folder, "intersection", lab.before)
                kept["before"] = walls(then)
                measured += f"; before {ms(median_seconds(then))}"
            except BenchmarkError:
                measured += "; before: refused"
        yield Row(f"identifiers {name}", what, measured, figure, bar, runs=kept)
        peak = statistics.median(each.peak / MB for each in runs)
        yield Row(f"identifiers-memory {name}", f"{what}: peak memory", f"{peak:.0f} MB", peak, None, " MB")


def small(lab: Lab) -> Iterator[Row]:
    """A series of a few rows: what every audit takes, whatever it is about."""
    hospital = ROOT.parents[1] / "tests" / "examples" / "hospital-l-diverse"
    runs = lab.audit(str(hospital), allowed=(1,))
    seconds = median_seconds(runs)
    kept = {"seconds": walls(runs), "cpu": [each.cpu for each in runs]}
    yield Row("small", "`audit hospital`, all attacks", ms(seconds), seconds, Bar(0.4, None, " s"), runs=kept)


def installed(lab: Lab) -> Iterator[Row]:
    """What `pip install` puts on the disk, pip itself left out."""
    with tempfile.TemporaryDirectory(dir=lab.data) as home:
        run([sys.executable, "-m", "venv", "--without-pip", home])
        python = str(Path(home) / "bin" / "python")
        run(
            [
                sys.executable,
                "-m",
                "pip",
                "--python",
                python,
                "install",
                "--quiet",
                "--no-compile",
                str(ROOT.parents[1]),
            ]
        )
        yield _size_of("installed", "installed size, without compiled Python", Path(home, "lib"))
        run([python, "-m", "compileall", "-q", "-j", "0", str(Path(home, "lib"))], (0, 1))  # as pip does by default
        yield _size_of("installed compiled", "installed size, all of Python compiled", Path(home, "lib"))


def _size_of(name: str, what: str, folder: Path) -> Row:
    size = sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file()) / MB
    return Row(name, what, f"{size:.0f} MB", size, Bar(750, 450, " MB"))


def cold(lab: Lab) -> Iterator[Row]:
    """What a machine that never ran it pays once: processor time of the first run less that of the second."""
    micro = lab.microdata("S1-tenth")
    anonymize = ["anonymize", "--no-audit", str(micro), "--method", "m-invariance", "--m", "10", "--output"]
    for name, words, bar in (("demo", ["demo"], Bar(12, 2, " s")), ("anonymize", anonymize, Bar(2, 0, " s"))):
        tries = [_twice(lab, words, lab.audit_command) for _ in range(3)]
        extra = statistics.median(first.cpu - second.cpu for first, second in tries)
        first, second = (statistics.median(each[place].cpu for each in tries) for place in (0, 1))
        measured = f"{ms(first)} / {ms(second)} of processor time"
        if lab.before is not None:
            earlier = _twice(lab, words, lab.before)
            measured += f"; before {ms(earlier[0].cpu)} / {ms(earlier[1].cpu)}"
        kept = {"cpu": [[each.cpu for each in pair] for pair in tries]}
        what = "`audit demo`" if name == "demo" else "`audit anonymize`, m-invariance, 20,000 rows a release"
        yield Row(f"cold {name}", f"{what}: a first run beyond a second", measured, extra, bar, runs=kept)


def _twice(lab: Lab, words: list[str], command: Path) -> tuple[Process, Process]:
    """Run a command twice with an empty home, and nothing compiled at first."""
    with tempfile.TemporaryDirectory(dir=lab.data) as home:
        environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home, "NUMBA_CACHE_DIR": str(Path(home) / "numba")}
        first, second = (
            run([str(command), *words, str(Path(home) / name)], (0, 1, 3), environment=environment)
            for name in ("first", "second")
        )
    return first, second
