"""Making: rows about `audit simulate` and `audit anonymize`, which make microdata and series."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator

from benchmarks.speed.measure import DISTINCT_RELEASES, MB, RELEASES, Lab
from benchmarks.speed.rows import Bar, Row, median_seconds, ms, walls
from series_bench.papers.processes import run


def simulate(lab: Lab) -> Iterator[Row]:
    """The papers' setting, made from nothing."""
    runs = lab.audit_anew("simulate", "--output")
    seconds = median_seconds(runs)
    yield Row("simulate", "audit simulate, S1, whole process", ms(seconds), seconds, Bar(15, None, " s"))


def m_invariance(lab: Lab) -> Iterator[Row]:
    """All releases of S1 by m-invariance, read, checked and written."""
    yield _published(lab, "m-invariance, m = 10", ["m-invariance", "--m", "10"], Bar(25, 8, " s"))


def e_equivalence(lab: Lab) -> Iterator[Row]:
    """The same by e-equivalence, and by m-invariance in the same form."""
    yield _published(lab, "e-equivalence, m = 10, e = 5", ["e-equivalence", "--m", "10", "--e", "5"], Bar(30, 10, " s"))
    yield _published(lab, "m-invariance, m = 10, Anatomy", ["m-invariance", "--m", "10", "--publish", "anatomy"], None)


def m_distinct(lab: Lab) -> Iterator[Row]:
    """A release of D by m-distinct, read, checked and written: values change there."""
    micro = str(lab.microdata("D"))
    runs = lab.audit_anew("anonymize", "--no-audit", micro, "--method", "m-distinct", "--m", "6", "--output", repeat=3)
    seconds = [each.seconds / DISTINCT_RELEASES for each in runs]
    measured = f"{ms(median_seconds(runs))} / {DISTINCT_RELEASES}"
    what = "m-distinct, m = 6, a release of D (d = 5), whole process by releases"
    yield Row("m-distinct", what, measured, statistics.median(seconds), Bar(5, 1, " s"), runs={"seconds": seconds})


def _published(lab: Lab, label: str, method: list[str], bar: Bar | None) -> Row:
    micro = str(lab.microdata("S1"))
    runs = lab.audit_anew("anonymize", "--no-audit", micro, "--method", *method, "--output", repeat=3)
    seconds, peaks = median_seconds(runs), [run.peak / MB for run in runs]
    what = f"{label}, all {RELEASES} releases of S1, whole process"
    measured = f"{ms(seconds)}, {statistics.median(peaks):.0f} MB"
    return Row(label, what, measured, seconds, bar, " s", {"seconds": walls(runs), "peak_mb": peaks})


def monotonic(lab: Lab) -> Iterator[Row]:
    """Inserted rows a second by monotonic-mondrian, beside anonypyx's Mondrian; then whole processes."""
    micro, first, inserted, steps = lab.microdata("growing"), 200_000, 20_000, RELEASES - 1
    found = json.loads(run([sys.executable, "-m", "benchmarks.speed.publishing", str(micro)]).printed)
    seconds = statistics.median(sum(each) for each in found["releases"])
    ours = (first + steps * inserted) / seconds
    anonypyx_rows = found["anonypyx_rows"] / statistics.median(found["anonypyx"])
    yield Row(
        "monotonic-anonypyx",
        "monotonic-mondrian, k = 10, 200,000 + 20 × 20,000 rows, against anonypyx's Mondrian, rows inserted a second",
        f"{ours:,.0f} / {anonypyx_rows:,.0f} rows/s",
        ours / anonypyx_rows,
        Bar(100, 500, " ×", at_least=True),
        runs=found,
    )
    runs = lab.audit_anew(
        "anonymize", "--no-audit", str(micro), "--method", "monotonic-mondrian", "--k", "10", "--output", repeat=1
    )
    what = "monotonic-mondrian, the same 21 releases (8.4 million rows), whole process"
    seconds = median_seconds(runs)
    yield Row("monotonic", what, ms(seconds), seconds, unit=" s", runs={"seconds": walls(runs)})
