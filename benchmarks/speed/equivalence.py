"""Rows about the equivalence attack: series of whole buckets, fine groups, least cuts, memory."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import replace

from benchmarks.speed.measure import MB, RELEASES, Lab
from benchmarks.speed.rows import Bar, Row, beyond_read, median_seconds, ms, walls
from series_bench.papers.processes import BenchmarkError

NODES = (20, 80, 400)
FINE, SAFE = "S1-fine", "S1-e-equivalence"
MAX_E = 4


def buckets(lab: Lab) -> Iterator[Row]:
    """Series of whole buckets, exact: as a user runs it, and the attack alone in a warm process."""
    for what, series in (("merged m-invariant S1", lab.merged(FINE)), ("e-equivalent S1", lab.published(SAFE))):
        runs = replace(lab, repeat=2).audit_to_file(series, "equivalence")
        title, kept = f"equivalence, exact, {what}, m = 10", {"seconds": walls(runs)}
        yield Row(
            f"equivalence {series.name}",
            f"{title}, whole process",
            ms(median_seconds(runs)),
            median_seconds(runs),
            Bar(30, 5, " s"),
            runs=kept,
        )
        peak = statistics.median(run.peak / MB for run in runs)
        yield Row(f"equivalence-peak {series.name}", f"{title}: peak memory", f"{peak:.0f} MB", peak, unit=" MB")
        found = lab.warm({"alone-equivalence": series}, repeat=2)
        answer = found.answers["alone-equivalence"]
        bounds = answer["min_e"]
        if bounds["lower"] != bounds["upper"]:
            raise BenchmarkError(f"{series}: the least e is not exact: {bounds}")
        seconds = found.median("alone-equivalence")
        known = f"least e {bounds['upper']}, {answer['compromised'][str(MAX_E)]:,} people with e ≤ {MAX_E}"
        yield Row(
            f"equivalence-alone {series.name}",
            f"{title} ({known}), the attack alone",
            ms(seconds),
            seconds,
            unit=" s",
            runs={**found.runs, **answer},
        )


def fine(lab: Lab) -> Iterator[Row]:
    """Fine m-invariant groups: all of e = 1, then e up to 4 within groups, from matrices in a warm process."""
    series = lab.published(FINE)
    for releases, bar in ((7, Bar(3, 0.5, " s")), (RELEASES, Bar(30, 6, " s"))):
        job = f"fingerprint-{releases}"
        found = lab.warm({job: series}, repeat=3)
        if not found.answers[job]["complete"]:
            raise BenchmarkError(f"{job} is not complete")
        yield Row(
            f"equivalence-{job}",
            f"equivalence e = 1, complete, fine m-invariant groups of S1, {releases} releases, from the matrix",
            ms(found.median(job)),
            found.median(job),
            bar,
            runs={**found.runs, **found.answers[job]},
        )
    peak = lab.peak(job, series, repeat=1) / MB
    what = f"… {releases} releases: peak memory of the process, read included"
    yield Row("equivalence-fingerprint-memory", what, f"{peak:.0f} MB", peak, Bar(2000, 700, " MB"))
    job = f"subsets-{MAX_E}"
    found = lab.warm({job: series}, repeat=1)
    yield Row(
        f"equivalence-{job}",
        f"equivalence e ≤ {MAX_E} within groups, {RELEASES} releases, beyond e = 1",
        ms(found.median(job)),
        found.median(job),
        Bar(180, 30, " s"),
        runs={**found.runs, **found.answers[job]},
    )


def cuts(lab: Lab) -> Iterator[Row]:
    """Least cuts beside igraph's, on the same graphs: dense random ones, and those of S1's buckets."""
    series = lab.merged(FINE)
    for which, what in (*((str(n), f"dense graphs of {n} nodes") for n in NODES), ("buckets", "S1's bucket graphs")):
        ours, igraph = (f"cuts-{tool}-{which}" for tool in ("numpy", "igraph"))
        found = lab.warm({ours: series, igraph: series})
        found.agree(ours, igraph, keys=("cuts",))
        graphs = len(found.answers[ours]["cuts"])
        each = [f"{found.median(job) / graphs * 1e6:,.0f} µs" for job in found.runs]
        yield Row(
            f"min-cut {which}",
            f"least cut of {graphs} {what}, each: numpy / igraph",
            " / ".join(each),
            found.ratio(igraph, ours),
            unit=" ×",
            runs=dict(found.runs),
        )


def memory(lab: Lab) -> Iterator[Row]:
    """Peak memory beyond the read, per membership."""
    job = "attack-equivalence"
    for what, series in (("merged m-invariant S1", lab.merged(FINE)), ("fine m-invariant S1", lab.published(FINE))):
        ours, read = (lab.peak(each, series, job, repeat=1) for each in (job, "limit-pairs"))
        yield beyond_read(f"equivalence {series.name}", f"equivalence, {what}", ours, read, (60, 24))
