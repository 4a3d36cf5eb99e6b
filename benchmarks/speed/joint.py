"""Rows about the attack `joint`: its stages on l-diverse, m-Distinct and m-invariant series, and anonypyx."""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed.measure import CROWDS, DISTINCT_RELEASES, RELEASES, Lab
from benchmarks.speed.rows import Bar, Row, ms
from series_bench.papers.processes import BenchmarkError, TimeLimitError, run

ANONYPYX_LIMIT = 120.0
_SLACK = 600.0
"""Seconds beyond the attack's time limits after which a process is taken for hanging."""


@dataclass(frozen=True)
class Case:
    """A series, or some first releases of it, to attack.

    Attributes:
        series, what: the name of the published series, and what it is in words.
        releases: how many.
        limit: the attack's time limit in seconds.
        fixpoint: the bar of narrowing to a fixpoint.
        handed, withheld: the bars of the whole, from the publisher's world and with that world withheld.
        settled: the bar of the share of pairs that are settled where it need not finish, in percent.
    """

    series: str
    what: str
    releases: int
    limit: int
    fixpoint: Bar | None = None
    handed: Bar | None = None
    withheld: Bar | None = None
    settled: Bar | None = None


SMALL = tuple(Case(f"S1-hundredth-{m}-diverse", f"{m}-diverse, 2,000 people", 5, 60) for m in (3, 10))
CASES = (
    *(Case("S1-tenth-3-diverse", "3-diverse, 20,000 people", releases, 60) for releases in (5, RELEASES)),
    Case("S1-tenth-10-diverse", "10-diverse, 20,000 people", 5, 60, handed=Bar(10, 3, " s"), withheld=Bar(10, 3, " s")),
    Case("S1-tenth-10-diverse", "10-diverse, 20,000 people", RELEASES, 60),
    Case(
        "S1-3-diverse", "3-diverse, 200,000 people", 5, 300, Bar(3, 1, " s"), Bar(5, 2, " s"), withheld=Bar(5, 2, " s")
    ),
    Case(
        "S1-3-diverse",
        "3-diverse, 200,000 people",
        RELEASES,
        60,
        Bar(5, 2, " s"),
        Bar(10, 4, " s"),
        withheld=Bar(10, 4, " s"),
    ),
    Case(
        "S1-10-diverse",
        "10-diverse, 200,000 people",
        5,
        300,
        Bar(3, 1, " s"),
        settled=Bar(75, 100, " %", at_least=True),
    ),
    Case("S1-10-diverse", "10-diverse, 200,000 people", RELEASES, 300, Bar(5, 2, " s"), Bar(120, 30, " s")),
    Case("D-distinct", "m-distinct, m = 6, D", DISTINCT_RELEASES, 300),
)


def small(lab: Lab) -> Iterator[Row]:
    """Two thousand people, to check that everything runs."""
    for case in SMALL:
        yield from _rows(lab, case)


def large(lab: Lab) -> Iterator[Row]:
    """Series that `audit anonymize` makes of simulated people."""
    for case in CASES:
        yield from _rows(lab, case)


def settled(lab: Lab) -> Iterator[Row]:
    """Everybody decided, then every value settled after five releases: strict groups, relaxed ones, and a wide one."""
    for rows, decided, whole in (
        (20_000, Bar(1, 0.5, " s"), Bar(2, 1, " s")),
        (200_000, Bar(25, 8, " s"), Bar(90, 30, " s")),
    ):
        yield from _settled(
            lab, lab.published(f"five-{rows}-strict"), f"strict 3-diverse, {rows:,} people", decided, whole
        )
    yield from _settled(lab, lab.relaxed("five-200000"), "relaxed 3-diverse, 200,000 people", None, Bar(5, 2, " s"))
    for values, bar in ((60, None), (70, Bar(0.3, None, " s"))):
        found = lab.warm({"attack-joint": lab.wide_group(values)})
        seconds = found.median("attack-joint")
        what = f"joint, one group of {values} distinct values among 6,000 people × 2, read included"
        yield Row(f"joint-wide {values}", what, ms(seconds), seconds, bar, " s", dict(found.runs))


def _settled(lab: Lab, series: Path, label: str, decided: Bar | None, whole: Bar) -> Iterator[Row]:
    job = "settled-5"
    # Kernels are loaded by a first run, but for the largest series, where that is nothing.
    found = lab.warm({job: series}, repeat=3) if "20000-" in series.name else lab.once(job, series)
    answer = found.answers[job]
    left = f"{answer['undecided']:,} versions undecided, {answer['open']:,} of {answer['pairs']:,} pairs open"
    what = f"joint, {label} × 5, last release"
    for name, figure, bar in (
        ("policy decided", answer["decided"], decided),
        ("all settled", answer["seconds"], whole),
    ):
        yield Row(
            f"joint-settled {series.name} {name}",
            f"{what}: {name}",
            f"{ms(figure)}, {left}",
            figure,
            bar,
            " s",
            found.runs,
        )


def proofs(lab: Lab) -> Iterator[Row]:
    """Convictions with a checked proof, and the number of groups that the proofs use."""
    for rows in (2_000, 20_000):
        with tempfile.TemporaryDirectory(dir=lab.data) as folder:
            report = Path(folder) / "report.json"
            options = ["--attack", "joint", "--findings", "all", "--format", "json", "--output", str(report)]
            run([str(lab.audit_command), str(lab.published(f"five-{rows}-strict")), *options], (1,))
            (attack,) = json.loads(report.read_text(encoding="utf-8"))["attacks"]
        findings = attack["findings"]
        proved = [each for each in findings if each["evidence"] == "proof"]
        sizes = sorted(_length(each) for each in proved)
        total = attack["findings_total"]
        measured = f"{len(proved):,} of {total:,}; groups: median {statistics.median(sizes):g}, most {sizes[-1]}"
        what = f"joint, strict 3-diverse, {rows:,} people × 5: convictions with a checked proof"
        yield Row(
            f"joint-proofs {rows}",
            what,
            measured,
            100 * len(proved) / total,
            Bar(100, None, " %", at_least=True),
        )


def _length(finding: dict[str, Any]) -> int:
    """Return the number of groups in a certificate: those of the person, and those whose rows are counted."""
    named = set[tuple[str, str]]()
    waiting: list[Any] = [finding["certificate"]]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, dict):
            groups = [entry["group"]] if "group" in entry else entry.get("groups", [])
            named |= {(entry.get("release", ""), group) for group in groups}
        waiting += entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else []
    return len(named)


def invariant(lab: Lab) -> Iterator[Row]:
    """Where nothing can be eliminated: m-invariant groups."""
    case = Case("S1-fine", "m-invariant S1, m = 10", RELEASES, 60, handed=Bar(4, 1, " s"))
    found = _asked(lab, case)
    if found["handed"]["eliminated"]:
        raise BenchmarkError(f"{case.what}: {found['handed']['eliminated']:,} pairs were eliminated")
    yield from _case_rows(case, found)


def _rows(lab: Lab, case: Case) -> Iterator[Row]:
    return _case_rows(case, _asked(lab, case))


def _asked(lab: Lab, case: Case) -> dict[str, Any]:
    job = f"joint-{case.releases}-{case.limit}"
    found = lab.once(job, lab.published(case.series), 2 * case.limit + _SLACK).answers[job]
    if found["contradictions"] or not (found["handed"]["feasible"] and found["withheld"]["feasible"]):
        raise BenchmarkError(f"{case.what}: different answers with and without a world to start from: {found}")
    return found


def _case_rows(case: Case, found: dict[str, Any]) -> Iterator[Row]:
    """Yield the rows of a series: people with certain values, stages, memory, with and without a world."""
    name, what = f"{case.series} {case.releases}", f"joint, {case.what} × {case.releases}"
    alone, narrowed, whole = (found["fallen"][rung] for rung in ("alone", "narrowed", "whole"))
    yield Row(
        f"joint-fallen {name}",
        f"{what}: people who fall, each alone / by narrowing / by the whole",
        f"{alone:,} / {narrowed:,} / {whole:,} of {found['people']:,}",
        100 * whole / found["people"],
        unit=" %",
        runs=found,
    )
    clock = found["clock"]
    yield Row(f"joint-network {name}", f"{what}: network", ms(clock["network"]), clock["network"], unit=" s")
    yield Row(
        f"joint-fixpoint {name}",
        f"{what}: fixpoint, from the network",
        ms(clock["fixpoint"]),
        clock["fixpoint"],
        case.fixpoint,
        " s",
    )
    for way, label, bar in (
        ("handed", "the whole", case.handed),
        ("withheld", "the same, without the publisher's world", case.withheld),
    ):
        yield _whole(f"joint-{way} {name}", f"{what}: {label}", (found[way], found["left"]), bar, case)
    what += ": peak memory, read included"
    yield Row(f"joint-memory {name}", what, f"{found['peak_mb']:.0f} MB", found["peak_mb"], unit=" MB")


def _whole(name: str, what: str, found: tuple[dict[str, Any], int], bar: Bar | None, case: Case) -> Row:
    """Return the row of the whole attack: its seconds if it finished, otherwise the share of settled pairs."""
    (answer, left), took = found, ms(found[0]["seconds"])
    if not answer["open"]:
        settled = case.settled if bar is None else None
        if settled is not None:
            return Row(name, what, f"done in {took}", 100.0, settled)
        return Row(name, what, took, answer["seconds"], bar, " s")
    share = 100 * (1 - answer["open"] / left)
    measured = f"{answer['open']:,} of {left:,} pairs open after {took}"
    # An attack that did not finish fails a bar of seconds.
    wanted = case.settled or (Bar(100, None, " %", at_least=True) if bar else None)
    return Row(name, f"{what}, settled in {case.limit} s", measured, share, wanted, " %")


def anonypyx(lab: Lab) -> Iterator[Row]:
    """The possible values of all people in a register, compared with anonypyx's exact attacker."""
    for label, (_, sizes) in CROWDS.items():
        for rows in sizes:
            yield _beside_anonypyx(lab, label, rows)


def _beside_anonypyx(lab: Lab, label: str, rows: int) -> Row:
    folder = lab.registered(f"crowd-{rows} {label}")
    found = lab.warm({"crowd-joint": folder}, repeat=3)
    what = f"joint against anonypyx's exact attacker, {rows} rows × 3 releases, {label}, all people in a register"
    name, ours = f"joint-anonypyx {rows} {label}", found.median("crowd-joint")
    try:
        found.add(lab.once("crowd-anonypyx", folder, ANONYPYX_LIMIT))
    except TimeLimitError:
        times = f"{ms(ours)} / no answer in {ANONYPYX_LIMIT:g} s"
        return Row(name, what, times, ANONYPYX_LIMIT / ours, unit=" × at least", runs=dict(found.runs))
    found.agree("crowd-joint", "crowd-anonypyx", keys=("possible",))
    anonypyx_seconds = found.median("crowd-anonypyx")
    return Row(
        name, what, f"{ms(ours)} / {ms(anonypyx_seconds)}", anonypyx_seconds / ours, unit=" ×", runs=dict(found.runs)
    )
