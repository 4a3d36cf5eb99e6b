"""Time jobs in one warm process, in turns, and print JSON: `python -m benchmarks.speed.warm JOB=SERIES …`.

Every job runs once to warm up; then the jobs take turns, so that a noisy minute hits all of them alike. A job
is timed from opening the files to its answer; what it made is freed outside the clock.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Job = Callable[[], Any]
_PARTS = {
    **dict.fromkeys(("alone", "fingerprint", "subsets", "cuts"), "benchmarks.speed.parts"),
    **dict.fromkeys(("joint", "settled", "crowd"), "benchmarks.speed.joint_parts"),
    "tables": "benchmarks.speed.count_tables",
}


def build(name: str, series: Path) -> Job:
    """Return the job of a name; what it needs is imported here, outside the clock.

    Names: `limit-linked`, `limit-register`, `limit-pairs`, `attack-NAME`, `scored-NAME` (with risks), `duckdb-linked`,
    `duckdb-register-RELEASES`, `anonypyx-PEOPLE`, and those of `parts` and `joint_parts`.
    """
    tool, _, rest = name.partition("-")
    if tool in ("attack", "scored"):
        return _attack(rest, series, scored=tool == "scored")
    if tool == "limit":
        from benchmarks.speed import limit

        read = {"linked": limit.linked, "register": limit.register, "pairs": limit.pairs}[rest]
        return lambda: read(series)
    if tool in _PARTS:
        return importlib.import_module(_PARTS[tool]).build(tool, rest, series)
    from benchmarks.speed import rivals

    if name == "duckdb-linked":
        return rivals.duckdb_linked(series)
    kind, _, size = rest.rpartition("-")
    if tool == "duckdb" and kind == "register":
        return rivals.duckdb_register(series, int(size))
    if tool == "anonypyx":
        return rivals.anonypyx_intersection(series, int(rest))
    raise ValueError(f"there is no job {name}")


def _attack(name: str, series: Path, *, scored: bool) -> Job:
    # A process that goes on working has the compiled kernels loaded, and then uses them.
    import numba  # noqa: F401

    from attacks.registry import find
    from audit.adversary.build_evidence import build_evidence
    from audit.io.series import open_series
    from audit.judgement.scoring import score
    from audit.runtime.budget import Budget

    def run() -> object:
        (evidence,) = build_evidence(open_series(series))
        outcome = find(name).run(evidence, Budget())
        return score(evidence, evidence.key, outcome, Budget()) if scored else outcome

    return run


def answer_of(made: object) -> dict[str, object]:
    """Return what is comparable of a job's answer."""
    if isinstance(made, dict):
        return made
    if isinstance(made, list):
        return {"bytes": sum(table.nbytes for table in made)}
    measures = dict(made.measures)
    sizes = measures.get("candidate_sizes")
    if sizes is not None:
        measures["candidates"] = sum(int(size) * people for size, people in sizes.items())
    return {"status": made.status} | {k: v for k, v in measures.items() if isinstance(v, int | float)}


def once(job: Job) -> tuple[float, dict[str, object]]:
    """Run a job; return its seconds, by its own clock where it has one, and its answer."""
    gc.collect()
    started = time.perf_counter()
    made = job()
    seconds = time.perf_counter() - started
    answer = answer_of(made)
    return float(answer.get("seconds", seconds)), answer


def main() -> None:
    """Parse the command line, run the jobs in turns, print their times."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("jobs", nargs="+", metavar="JOB=SERIES")
    parser.add_argument("--idle", action="append", default=[], help="a job that is imported but not run")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--cold", action="store_true", help="no warm-up")
    options = parser.parse_args()
    idle = [_parse(job) for job in options.idle]
    jobs = {job: _parse(job) for job in options.jobs}
    found: dict[str, dict[str, Any]] = {name: {"seconds": [], "answer": {}} for name in jobs}
    for turn in range(options.repeat + (not options.cold)):
        for name, job in jobs.items():
            seconds, answer = once(job)
            if turn or options.cold:
                found[name]["seconds"].append(seconds)
                found[name]["answer"] = answer
    del idle
    print(json.dumps({name.partition("=")[0]: entry for name, entry in found.items()}))


def _parse(job: str) -> Job:
    name, _, series = job.partition("=")
    return build(name, Path(series))


if __name__ == "__main__":
    main()
