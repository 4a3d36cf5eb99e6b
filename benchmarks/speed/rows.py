"""Rows of the result table: measurements and their bars."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from benchmarks.speed.measure import MB, S1_MEMBERSHIPS
from series_bench.papers.processes import Process


@dataclass(frozen=True, slots=True)
class Bar:
    """How good a figure must be and what is dreamt of: at most so much, or `at_least`."""

    bar: float
    dream: float | None
    unit: str
    at_least: bool = False

    def held(self, figure: float, limit: float | None) -> bool:
        """Return whether a figure keeps a limit."""
        if limit is None:
            return False
        return figure >= limit if self.at_least else figure <= limit

    def show(self, limit: float | None) -> str:
        """Render a limit."""
        if limit is None:
            return ""
        return f"{'≥' if self.at_least else '≤'} {limit:g}{self.unit}"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `figure` is what the bar is about, `runs` are all measurements behind it."""

    name: str
    what: str
    measured: str
    figure: float
    bar: Bar | None = None
    unit: str = ""
    runs: dict[str, object] = field(default_factory=dict)

    def cells(self) -> list[str]:
        """Return the table's cells."""
        if self.bar is None:
            return [self.what, self.measured, f"{self.figure:.3g}{self.unit}", "", "", ""]
        verdict = "no"
        if self.bar.held(self.figure, self.bar.bar):
            verdict = "dream" if self.bar.held(self.figure, self.bar.dream) else "yes"
        limits = [self.bar.show(limit) for limit in (self.bar.bar, self.bar.dream)]
        return [self.what, self.measured, f"{self.figure:.3g}{self.bar.unit}", *limits, verdict]


def beyond_read(name: str, what: str, ours: int, read: int, bar: tuple[float, float] = (24, 12)) -> Row:
    """Return the row of an attack's peak memory beyond the read, per membership of S1; both in bytes."""
    return Row(
        f"memory {name}",
        f"{what}: peak memory beyond the read, per membership",
        f"{ours / MB:.0f} - {read / MB:.0f} MB",
        (ours - read) / S1_MEMBERSHIPS,
        Bar(*bar, " B"),
        runs={"attack_bytes": ours, "read_bytes": read},
    )


def median_seconds(runs: list[Process]) -> float:
    """Return the median wall time of some processes."""
    return statistics.median(walls(runs))


def walls(runs: list[Process]) -> list[float]:
    """Return the wall time of each process."""
    return [run.seconds for run in runs]


def ms(seconds: float) -> str:
    """Render seconds."""
    return f"{seconds * 1000:,.0f} ms" if seconds < 10 else f"{seconds:,.1f} s"
