"""Measure everything against its bar: `python -m benchmarks.speed.run [--only NAME]… [--scale 1|10|100]`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks.speed.measure import DISTINCT_RELEASES, MB, RELEASES, ROOT, Lab, Measured
from benchmarks.speed.rows import Bar, Row, duration
from series_bench.papers.processes import BenchmarkError, machine, run, versions

HOSPITAL = ROOT.parents[1] / "tests" / "examples" / "hospital-l-diverse"


def start(lab: Lab) -> Iterator[Row]:
    """What every command takes, and every audit of a series of a few rows."""
    yield _seconds("`audit --help`", lab.run([str(lab.audit_command), "--help"]), Bar(0.15, 0.08))
    yield _seconds(
        "`audit hospital`, all attacks", lab.run([str(lab.audit_command), str(HOSPITAL)], (1,)), Bar(0.7, 0.35)
    )


def installed(lab: Lab) -> Iterator[Row]:
    """What `pip install` puts on the disk, pip itself left out, with all of Python compiled as pip does by default."""
    with tempfile.TemporaryDirectory(dir=lab.data) as home:
        run([sys.executable, "-m", "venv", "--without-pip", home])
        python = str(Path(home) / "bin" / "python")
        run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", str(ROOT.parents[1])])
        size = sum(file.lstat().st_size for file in Path(home, "lib").rglob("*") if file.is_file()) / MB
    yield Row("installed size", f"{size:.0f} MB", size, " MB", Bar(750, 450))


def intersection(lab: Lab) -> Iterator[Row]:
    """Intersection on files as users have them, beside reading their columns and an analyst's SQL."""
    for name in ("S1-invariant", "S1r-number", "S1r-text", "S1r-uuid", "S1r-hash", "S1r-text-csv"):
        yield from _beside_sql(lab, lab.series(name), "linked", name)


def register(lab: Lab) -> Iterator[Row]:
    """Intersection by an adversary with a register, beside reading and an analyst's SQL."""
    for name in ("S1-invariant", "S1-diverse"):
        yield from _beside_sql(replace(lab, repeat=1), lab.series(name, "register"), "register", name)


def _beside_sql(lab: Lab, folder: Path, adversary: str, name: str) -> Iterator[Row]:
    ours = lab.attack(folder, "intersection")
    sql = lab.rival(f"duckdb-{adversary}", folder)
    read = lab.rival("reading" if adversary == "linked" else "reading-register", folder)
    measures = ours.answer["measures"]
    sizes = {int(size): people for size, people in measures["candidate_sizes"].items()}
    found = {
        "individuals": measures["individuals"],
        "vulnerable": measures["vulnerable"],
        "candidates": sum(size * people for size, people in sizes.items()),
    }
    if found != sql.answer:
        raise BenchmarkError(f"different answers about {name}: {found}, DuckDB {sql.answer}")
    bars = adversary == "linked"
    runs: dict[str, object] = {"audit": ours.kept(), "duckdb": sql.kept(), "reading": read.kept()}
    for what, figure, then, bar in (
        ("processor time against DuckDB's SQL", ours.cpu, sql.cpu, Bar(1.6, 0.7)),
        ("processor time against reading its columns", ours.cpu, read.cpu, Bar(12, 4)),
    ):
        measured = f"{duration(figure)} / {duration(then)}"
        yield Row(
            f"intersection, {adversary}, {name}: {what}", measured, figure / then, " ×", bar if bars else None, runs
        )
    memory = f"{ours.peak:,.0f} / {sql.peak:,.0f} MB"
    what = f"intersection, {adversary}, {name}: memory against DuckDB's"
    yield Row(what, memory, ours.peak / sql.peak, " ×", Bar(1) if bars else None)


def update_graph(lab: Lab) -> Iterator[Row]:
    """update-graph, with constant values and with values that change."""
    for variant in ("linked", "transitions"):
        yield _attack(lab, lab.series("S1-diverse", variant), "update-graph", f"S1-diverse, {variant}")


def anonypyx(lab: Lab) -> Iterator[Row]:
    """People a second of anonypyx's intersection attacker, on a series small enough for it."""
    folder = lab.series("tiny", "register")
    ours, rival = lab.attack(folder, "intersection"), lab.rival("anonypyx-intersection", folder, "300")
    each = [m / p for m, p in ((ours.cpu, ours.answer["measures"]["individuals"]), (rival.answer["seconds"], 300))]
    measured = " / ".join(f"{1 / seconds:,.0f} people/s" for seconds in each)
    yield Row("register intersection against anonypyx, 2,800 people × 5", measured, each[0] / each[1], " ×")


def large(lab: Lab) -> Iterator[Row]:
    """Intersection over 42 million memberships."""
    yield from _large(lab, "S10-diverse", Bar(9, 4), None)


def largest(lab: Lab) -> Iterator[Row]:
    """Intersection over 420 million memberships."""
    yield from _large(replace(lab, repeat=0), "S100-diverse", Bar(90, 30), Bar(10_000))


def _large(lab: Lab, name: str, bar: Bar, memory: Bar | None) -> Iterator[Row]:
    measured = lab.attack(lab.series(name), "intersection")
    yield _seconds(f"intersection, {name}", measured, bar)
    yield _memory(f"intersection, {name}", measured, memory)


def making(lab: Lab) -> Iterator[Row]:
    """`audit simulate`, and `audit anonymize` on it: read, publish, check, write."""
    yield _seconds("audit simulate, S1", lab.writing([str(lab.audit_command), "simulate", "--output"]), Bar(15))
    once = replace(lab, repeat=1)
    for microdata, options, bar in (
        ("S1", "--method m-invariance --m 10", Bar(25, 8)),
        ("S1", "--method e-equivalence --m 10 --e 5", Bar(30, 10)),
        ("growing", "--method monotonic-mondrian --k 10", None),
        ("D", "--method m-distinct --m 6", Bar(5 * DISTINCT_RELEASES, DISTINCT_RELEASES)),
    ):
        measured = once.writing([*lab.anonymize(microdata, options), "--output"])
        yield _seconds(f"audit anonymize, {microdata}, {options}", measured, bar)
        if microdata == "growing":
            rival = lab.rival("anonypyx-mondrian", lab.microdata("growing"), "5000").answer
            ours = measured.cpu / (200_000 + (RELEASES - 1) * 20_000)
            rates = [1 / ours, rival["rows"] / rival["seconds"]]
            what = "the same against the partition by anonypyx's Mondrian, rows inserted a second"
            yield Row(what, " / ".join(f"{rate:,.0f}" for rate in rates), rates[1] / rates[0], " ×")


def equivalence(lab: Lab) -> Iterator[Row]:
    """Series of whole buckets, exact; fine m-invariant groups, e up to 4 within groups."""
    once = replace(lab, repeat=1)
    for series, bar in (
        (lab.merged("S1-fine"), Bar(30, 5)),
        (lab.published("S1-e-equivalence"), Bar(30, 5)),
        (lab.published("S1-fine"), Bar(75, 30)),
    ):
        yield _attack(once, series, "equivalence", series.name, bar, ("min_e", "compromised"))


def differencing(lab: Lab) -> Iterator[Row]:
    """Series of count tables: all unpublished counts and their sums."""
    for kind in ("independent", "year-to-date", "secondary", "cumulative", "rounded"):
        bars = (
            {5_000: Bar(10, 5), 50_000: Bar(120, 30)} if kind == "rounded" else {5_000: Bar(5, 1), 50_000: Bar(20, 5)}
        )
        for numbers, bar in bars.items():
            series = lab.count_tables(kind, numbers)
            what = f"{kind}, {numbers:,} published numbers"
            yield _attack(replace(lab, repeat=0), series, "differencing", what, bar, ("open", "questions"))


def joint(lab: Lab) -> Iterator[Row]:
    """Everybody at once, until every value is settled or the attack has done what it can."""
    for name, bar in (
        ("tenth-five-3-diverse", Bar(2, 1)),
        ("five-3-diverse", Bar(90, 30)),
        ("tenth-five-10-diverse", Bar(3, 0.5)),
        ("tenth-10-diverse", Bar(30, 5)),
        ("two-fine", Bar(10, 2)),
        ("D-distinct", None),
    ):
        kept = ("certain", "open", "versions")
        yield _attack(replace(lab, repeat=0), lab.published(name), "joint", name, bar, kept)


def witness(lab: Lab) -> Iterator[Row]:
    """What evidence costs beyond the audit, and what it costs to check it."""
    for name in ("five-3-diverse", "five-fine"):
        series = lab.published(name)
        with tempfile.TemporaryDirectory(dir=lab.data) as folder:
            alone = run([str(lab.audit_command), str(series)], (0, 1, 3))
            written = run([str(lab.audit_command), str(series), "--witness", f"{folder}/witness"], (0, 1, 3))
            checked = run([str(lab.audit_command), "verify", str(series), f"{folder}/witness"], (0, 1, 3))
        more = written.cpu - alone.cpu
        measured = f"{duration(written.cpu)} of processor time, without {duration(alone.cpu)}"
        yield Row(f"--witness, {name}, beyond the audit", measured, more, " s", Bar(30, 5))
        yield Row(f"audit verify, {name}", duration(checked.cpu), checked.cpu, " s", Bar(10, 2))


def _attack(lab: Lab, series: Path, attack: str, what: str, bar: Bar | None = None, kept: tuple[str, ...] = ()) -> Row:
    measured = lab.attack(series, attack)
    measures = measured.answer["measures"]
    shown = "".join(f", {key} {json.dumps(measures[key])}" for key in kept if key in measures)
    return _seconds(f"{attack}, {what} ({measured.answer['status']}{shown})", measured, bar)


def _seconds(what: str, found: Measured, bar: Bar | None) -> Row:
    measured = f"{duration(found.seconds)}, of cores {duration(found.cpu)}, {found.peak:,.0f} MB"
    return Row(what, measured, found.cpu, " s", bar, found.kept())


def _memory(what: str, found: Measured, bar: Bar | None) -> Row:
    return Row(f"{what}: peak memory", f"{found.peak:,.0f} MB", found.peak, " MB", bar)


ROWS: dict[str, tuple[int, Callable[[Lab], Iterator[Row]]]] = {
    "start": (1, start),
    "installed": (1, installed),
    "intersection": (1, intersection),
    "register": (1, register),
    "update-graph": (1, update_graph),
    "anonypyx": (1, anonypyx),
    "making": (1, making),
    "equivalence": (1, equivalence),
    "differencing": (1, differencing),
    "joint": (1, joint),
    "witness": (1, witness),
    "large": (10, large),
    "largest": (100, largest),
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
    parser.add_argument("--audit", type=Path, help="the command of another installation, to compare")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what Python compiles is kept, as where people work
    output = options.output or (None if options.only else ROOT / "results.json")
    lab = Lab(options.data.absolute(), options.repeat)
    if options.audit:
        lab = replace(lab, audit_command=options.audit.absolute())
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
            ended = {"load_average_after": os.getloadavg(), "rows": [asdict(row) for row in rows], "failures": failures}
            output.write_text(json.dumps(about | ended, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 1 if failures else 0


def _print_row(cells: list[str]) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
