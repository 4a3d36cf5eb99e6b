"""Repair many random candidates, and compare each verdict with that of enumeration.

`python -m tests.oracle.repairs 100 key records` draws so many of each kind, by default of all, and prints for each kind
how many were repaired, had none by proof, or were left open; how many of these answers are wrong; and the seconds of a
repair beside those of one audit of the series with the candidate.
"""

import json
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from attacks.differencing.attack import Differencing
from attacks.registry import all_attacks
from audit.count_tables.candidate import release_of
from audit.count_tables.candidate import with_candidate as with_table
from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.table_audit import audit_tables
from audit.io.candidate import with_candidate
from audit.io.series import open_series
from audit.model.audit_options import AuditOptions
from audit.pipeline.audit_run import run_audit
from tests.helpers.running import run_main
from tests.oracle.test_repairs import EVERY, Drawn, repair

FORM = "{:<10}{:>6}{:>10}{:>6}{:>6}{:>7}{:>8}{:>14}{:>14}{:>14}"


def main(number: int, *kinds: str) -> int:
    """Print a line for each kind, and each wrong answer; return how many answers are wrong."""
    heads = "kind", "drawn", "repaired", "none", "open", "wrong", "missed", "repair s", "audit s", "ratio"
    show(FORM.format(*heads))
    wrong = 0
    for kind in kinds or EVERY:
        said, seconds = Counter[str](), list[tuple[float, float]]()
        for seed in range(number):
            with TemporaryDirectory() as folder:
                drawn = EVERY[kind](seed, Path(folder))
                begun = time.perf_counter()
                code, told, _ = repair(drawn, Path(folder), *drawn.words)
                taken = time.perf_counter() - begun
                found = answers(drawn, code, told, Path(folder))
                said.update(found)
                if {"wrong", "missed"} & {*found}:
                    show(f"  {kind} {seed}: exit {code}, {' '.join(found)}")
                seconds.append((taken, one_audit(drawn)))
        wrong += said["wrong"]
        counts = [said[each] for each in ("repaired", "none", "open", "wrong", "missed")]
        ratios = [repaired / audited for repaired, audited in seconds]
        columns = [*zip(*seconds, strict=True), ratios]
        show(FORM.format(kind, number, *counts, *map(spread, columns)))
    return wrong


def show(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def answers(drawn: Drawn, code: int, told: str, folder: Path) -> list[str]:
    """What a repair came to, and whether that is wrong by enumeration, or misses a repair that exists."""
    found = json.loads(told)
    wrote = (folder / "out").exists()
    is_none = code == 1 and (found.get("proved", True) and not wrote)
    came_to = "repaired" if wrote else "none" if is_none else "open"
    exists = None if drawn.exists is None else drawn.exists()
    if wrote:
        files = [str(folder / "out" / path.name) for path in drawn.files]
        ahead, told, _ = run_main("next", str(drawn.series), *files, *drawn.words)
        holds = ahead == 0 or "adds nothing that the policy forbids" in " ".join(told.split())
        is_safe = ahead or drawn.is_safe is None or drawn.is_safe(folder / "out")
        return [came_to, *["wrong"] * (not holds or not is_safe or exists is False or code not in {0, 130})]
    return [came_to, *["wrong"] * bool(is_none and exists), *["missed"] * bool(not is_none and exists)]


def one_audit(drawn: Drawn) -> float:
    """The seconds of one audit of the series with the unchanged candidate."""
    begun, manifest = time.perf_counter(), drawn.series / "series.toml"
    if 'kind = "tables"' in manifest.read_text(encoding="utf-8"):
        tables = read_table_manifest(drawn.series)
        with_it = with_table(tables, release_of(tables, drawn.files, drawn.series))
        audit_tables(with_it, Differencing(), AuditOptions())
    else:
        options = AuditOptions(adversary="register" if "register" in drawn.words else None)
        run_audit(with_candidate(open_series(drawn.series), drawn.files)[1], all_attacks(), options)
    return time.perf_counter() - begun


def spread(numbers: list[float]) -> str:
    """The median and the 95 % quantile."""
    many = sorted(numbers)
    return f"{statistics.median(many):.2f} {many[int(0.95 * (len(many) - 1))]:.2f}"


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), *sys.argv[2:])))
