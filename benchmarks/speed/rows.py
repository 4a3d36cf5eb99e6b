"""Rows of the result table: measurements and their bars."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Bar:
    """How large a figure may be, and which one is dreamt of."""

    bar: float
    dream: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `figure` is what the bar is about, in `unit`, `runs` are all measurements behind it."""

    what: str
    measured: str
    figure: float
    unit: str
    bar: Bar | None = None
    runs: dict[str, object] = field(default_factory=dict)

    def cells(self) -> list[str]:
        """Return the table's cells."""
        figure = f"{self.figure:.3g}{self.unit}"
        if self.bar is None:
            return [self.what, self.measured, figure, "", "", ""]
        dream = self.bar.dream
        held = "no" if self.figure > self.bar.bar else "dream" if dream and self.figure <= dream else "yes"
        limits = [f"≤ {limit:g}{self.unit}" if limit else "" for limit in (self.bar.bar, dream)]
        return [self.what, self.measured, figure, *limits, held]


def duration(seconds: float) -> str:
    """Render seconds."""
    return f"{seconds * 1000:,.0f} ms" if seconds < 10 else f"{seconds:,.1f} s"
