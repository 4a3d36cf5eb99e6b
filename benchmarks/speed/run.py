"""Measure everything against its bar: `python -m benchmarks.speed.run [--only NAME]… [--scale 1|10|100]`."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks.speed import equivalence, forms, joint, making
from benchmarks.speed.measure import MB, RELEASES, ROOT, Lab, Timings
from benchmarks.speed.rows import Bar, Row, beyond_read, median_seconds, ms, walls
from series_bench.papers.processes import BenchmarkError, machine, versions

KINDS = ("invariant", "diverse")
ANONYPYX_PEOPLE = 300


def help_text(lab: Lab) -> Iterator[Row]:
    """`audit --help` must feel instant."""
    runs = lab.audit("--help")
    seconds = median_seconds(runs)
    yield Row("help", "`audit --help`", ms(seconds), seconds, Bar(0.15, 0.08, " s"), runs={"seconds": walls(runs)})


def process(lab: Lab) -> Iterator[Row]:
    """Intersection as a user runs it: a process of its own, its report written to a file."""
    for kind in KINDS:
        yield from _process(lab, f"S1-{kind}", (Bar(1.2, 0.5, " s"), Bar(400, None, " MB")))
    yield from _process(lab, "S1-diverse-csv", (None, None))


def process_s100(lab: Lab) -> Iterator[Row]:
    """Intersection over 420 million memberships."""
    yield from _process(lab, "S100-diverse", (Bar(60, 15, " s"), Bar(8000, 3000, " MB")))


def _process(lab: Lab, series: str, bars: tuple[Bar | None, Bar | None]) -> Iterator[Row]:
    runs = lab.audit_to_file(lab.series(series, "linked"), "intersection")
    peaks = [run.peak / MB for run in runs]
    what = f"intersection, whole process, {series}"
    kept = {"seconds": walls(runs), "peak_mb": peaks}
    yield Row(f"process {series}", what, ms(median_seconds(runs)), median_seconds(runs), bars[0], " s", kept)
    peak = statistics.median(peaks)
    yield Row(f"process-memory {series}", f"{what}: peak memory", f"{peak:.0f} MB", peak, bars[1], " MB")


def intersection(lab: Lab) -> Iterator[Row]:
    """Intersection in a warm process, read included, against the read alone and against DuckDB."""
    for kind in KINDS:
        yield from _intersection(lab, f"S1-{kind}", Bar(2, 5, " ×", at_least=True))
    folder = lab.series("S1-diverse-csv", "linked")
    found = lab.warm({"limit-linked": folder, "attack-intersection": folder})
    yield _ratio(found, "attack-intersection", "S1-diverse-csv", Bar(4, 2, " ×"))


def intersection_s10(lab: Lab) -> Iterator[Row]:
    """Intersection over 42 million memberships."""
    yield from _intersection(lab, "S10-diverse", Bar(4, 8, " ×", at_least=True))


def _intersection(lab: Lab, series: str, rival: Bar) -> Iterator[Row]:
    folder = lab.series(series, "linked")
    ours, duckdb = "attack-intersection", "duckdb-linked"
    found = lab.warm({"limit-linked": folder, ours: folder, duckdb: folder, _SCORED: folder})
    found.agree(ours, duckdb)
    yield _ratio(found, ours, series, Bar(4, 2, " ×"))
    yield _scored(found, _SCORED, series)
    yield Row(
        f"intersection-duckdb {series}",
        f"intersection against DuckDB SQL, {series}",
        f"{ms(found.median(ours))} / {ms(found.median(duckdb))}",
        found.ratio(duckdb, ours),
        rival,
    )


def update_graph(lab: Lab) -> Iterator[Row]:
    """update-graph, with constant values and with values that change, against the read alone."""
    for kind, variant in (*((kind, "linked") for kind in KINDS), ("diverse", "transitions")):
        folder = lab.series(f"S1-{kind}", variant)
        scored = "scored-update-graph"
        found = lab.warm({"limit-linked": folder, "attack-update-graph": folder, scored: folder})
        yield _ratio(found, "attack-update-graph", f"S1-{kind} {variant}", Bar(15, 5, " ×"))
        yield _scored(found, scored, f"S1-{kind} {variant}")


def register(lab: Lab) -> Iterator[Row]:
    """Covering and intersection by an adversary with a register, against the read alone and DuckDB."""
    ours, duckdb = "attack-intersection", f"duckdb-register-{RELEASES}"
    for kind in KINDS:
        series = f"S1-{kind}"
        folder = lab.series(series, "register")
        found = lab.warm({"limit-register": folder, ours: folder, _SCORED: folder})
        yield _ratio(found, ours, f"{series} register", Bar(10, 4, " ×"))
        yield _scored(found, _SCORED, f"{series} register")
        found.add(lab.warm({duckdb: folder}, repeat=1))
        found.agree(ours, duckdb)
        yield Row(
            f"register-duckdb {series}",
            f"register intersection against DuckDB SQL, {series}",
            f"{ms(found.median(ours))} / {ms(found.median(duckdb))}",
            found.ratio(duckdb, ours),
            unit=" ×",
            runs={duckdb: found.runs[duckdb]},
        )


_SCORED = "scored-intersection"


def _scored(found: Timings, ours: str, what: str) -> Row:
    """Return how long it takes with the risks of the true values, which no rival computes and no bar is about."""
    limit = next(job for job in found.runs if job.startswith("limit"))
    attack = ours.removeprefix("scored-")
    return Row(
        f"scored {what}" if attack == "intersection" else f"scored {attack} {what}",
        f"{attack} with risks against the limit, {what}",
        f"{ms(found.median(ours))} / {ms(found.median(limit))}",
        found.ratio(ours, limit),
        unit=" ×",
    )


def _ratio(found: Timings, ours: str, what: str, bar: Bar) -> Row:
    limit = next(job for job in found.runs if job.startswith("limit"))
    attack = ours.removeprefix("attack-")
    return Row(
        f"{attack}-limit {what}",
        f"{attack} against the limit, {what}",
        f"{ms(found.median(ours))} / {ms(found.median(limit))}",
        found.ratio(ours, limit),
        bar,
        runs=dict(found.runs),
    )


def anonypyx(lab: Lab) -> Iterator[Row]:
    """People a second of anonypyx's intersection attacker, on a series small enough for it."""
    folder = lab.series("tiny", "register")
    ours, rival, duckdb = "attack-intersection", f"anonypyx-{ANONYPYX_PEOPLE}", "duckdb-register-5"
    found = lab.warm({ours: folder, rival: folder, duckdb: folder}, repeat=3)
    found.agree(ours, duckdb)
    rates = {job: found.answers[job]["individuals"] / found.median(job) for job in (ours, rival)}
    yield Row(
        "anonypyx",
        "register intersection against anonypyx, 2,800 people × 5 releases",
        f"{rates[ours]:,.0f} / {rates[rival]:,.0f} people/s",
        rates[ours] / rates[rival],
        unit=" ×",
        runs=dict(found.runs),
    )


def memory(lab: Lab) -> Iterator[Row]:
    """Peak memory beyond the read, per membership."""
    for attack, variant in (
        ("intersection", "linked"),
        ("update-graph", "linked"),
        ("update-graph", "transitions"),
        ("intersection", "register"),
    ):
        folder = lab.series("S1-diverse", variant)
        job = f"attack-{attack}"
        ours = lab.peak(job, folder, job)
        read = lab.peak("limit-register" if variant == "register" else "limit-linked", folder, job)
        yield beyond_read(f"{attack} {variant}", f"{attack}, S1-diverse {variant}", ours, read)


def differencing(lab: Lab) -> Iterator[Row]:
    """Series of count tables: the time to determine all unpublished counts, and the number left open."""
    suppressed = {5_000: Bar(5, 1, " s"), 50_000: Bar(20, 5, " s")}
    rounded = {5_000: Bar(10, 5, " s"), 50_000: Bar(120, 30, " s")}
    for kind in ("independent", "year-to-date", "secondary", "cumulative", "rounded"):
        for numbers, bar in (rounded if kind == "rounded" else suppressed).items():
            job = f"tables-{kind}"
            found = lab.warm({job: lab.count_tables(kind, numbers)}, repeat=1)
            answer, seconds = found.answers[job], found.median(job)
            what = f"differencing, {kind}, {numbers:,} published numbers"
            measured = f"{ms(seconds)}, {answer['open']:,} of {answer['asked']:,} open"
            yield Row(f"differencing {kind} {numbers}", what, measured, seconds, bar, runs=dict(found.runs))


def growth(lab: Lab) -> Iterator[Row]:
    """Ten times the work in at most twelve times the time."""
    for attack, variant in (
        ("intersection", "linked"),
        ("update-graph", "linked"),
        ("update-graph", "transitions"),
        ("intersection", "register"),
    ):
        found = [lab.warm({f"attack-{attack}": lab.series(f"{size}-diverse", variant)}) for size in ("S1", "S10")]
        small, large = (timings.median(f"attack-{attack}") for timings in found)
        yield Row(
            f"growth {attack} {variant}",
            f"{attack}, {variant}: growth from S1 to S10",
            f"{ms(small)} → {ms(large)}",
            large / small,
            Bar(12, 10, " ×"),
            runs={size: dict(t.runs) for size, t in zip(("S1", "S10"), found, strict=True)},
        )


ROWS: dict[str, tuple[int, Callable[[Lab], Iterator[Row]]]] = {
    "help": (1, help_text),
    "small": (1, forms.small),
    "installed": (1, forms.installed),
    "process": (1, process),
    "identifiers": (1, forms.identifiers),
    "cold": (1, forms.cold),
    "intersection": (1, intersection),
    "update-graph": (1, update_graph),
    "register": (1, register),
    "anonypyx": (1, anonypyx),
    "memory": (1, memory),
    "simulate": (1, making.simulate),
    "m-invariance": (1, making.m_invariance),
    "e-equivalence": (1, making.e_equivalence),
    "m-distinct": (1, making.m_distinct),
    "monotonic": (1, making.monotonic),
    "equivalence": (1, equivalence.buckets),
    "equivalence-fine": (1, equivalence.fine),
    "min-cut": (1, equivalence.cuts),
    "equivalence-memory": (1, equivalence.memory),
    "differencing": (1, differencing),
    "joint-settled": (1, joint.settled),
    "joint-proofs": (1, joint.proofs),
    "joint-small": (1, joint.small),
    "joint": (1, joint.large),
    "joint-invariant": (1, joint.invariant),
    "joint-anonypyx": (1, joint.anonypyx),
    "intersection-s10": (10, intersection_s10),
    "growth": (10, growth),
    "process-s100": (100, process_s100),
}
"""What is measured, and the least `--scale` at which it is."""


def main() -> int:
    """Run what was asked for, print a table, write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=list(ROWS), help="repeatable; default: all")
    parser.add_argument("--scale", type=int, choices=[1, 10, 100], default=1, help="the largest series used")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--output", type=Path, help="default: benchmarks/speed/results.json, unless --only")
    parser.add_argument("--data", type=Path, default=ROOT / "data", help="where series are kept")
    parser.add_argument(
        "--before", type=Path, metavar="AUDIT", help="the command of an earlier installation, to compare"
    )
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what Python compiles is kept, as where people work
    output = options.output or (None if options.only else ROOT / "results.json")
    lab = Lab(options.data.absolute(), options.repeat, options.before)
    lab.data.mkdir(parents=True, exist_ok=True)
    about = {"started": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "machine": machine(), "versions": versions()}
    rows: list[Row] = []
    failures: dict[str, str] = {}
    _print_row(["what", "measured", "figure", "bar", "dream", "held?"])
    _print_row(["---"] * 6)
    for name in options.only or [name for name, (scale, _) in ROWS.items() if scale <= options.scale]:
        try:
            for row in ROWS[name][1](lab):
                _print_row(row.cells())
                rows.append(row)
        except BenchmarkError as error:
            failures[name] = str(error)
            print(f"{name}: {error}", file=sys.stderr, flush=True)
        if output:  # a run takes long, and may be interrupted
            kept = [{**asdict(row), "cells": row.cells()} for row in rows]
            ended = {"load_average_after": os.getloadavg(), "rows": kept, "failures": failures}
            output.write_text(json.dumps(about | ended, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 1 if failures else 0


def _print_row(cells: list[str]) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
