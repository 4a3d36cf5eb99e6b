"""Figures 4 to 21 of the monotonic paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from series_bench.papers.figure import Claim, Entry, PaperFigure, all_of, curves, falls, percent
from series_bench.papers.monotonic.experiments import METHODS, MonotonicRun, MonotonicSetting, mean, plan

_WHAT = {"safe": "percent safe", "discernibility": "penalty", "seconds": "s"}
_SHOWN = {
    4: ("safe", "k"),
    5: ("safe", "update"),
    6: ("safe", "rows"),
    7: ("discernibility", "k"),
    8: ("discernibility", "update"),
    9: ("discernibility", "rows"),
    10: ("seconds", "k"),
    11: ("seconds", "update"),
    12: ("seconds", "rows"),
    13: ("safe", "k"),
    14: ("safe", "k"),
    15: ("discernibility", "k"),
    16: ("discernibility", "k"),
    17: ("discernibility", "update"),
    18: ("seconds", "k"),
    19: ("seconds", "k"),
    20: ("seconds", "update"),
    21: ("seconds", "rows"),
}
"""Of each figure: what is measured, and what varies."""
_AXES: dict[str, tuple[str, Callable[[MonotonicRun], str]]] = {
    "k": ("k", lambda each: str(each.k)),
    "update": ("update in percent of T", lambda each: str(each.share)),
    "rows": ("rows of T", lambda each: f"{each.rows:,}"),
}
_TITLES = {"safe": "privacy leakage", "discernibility": "anonymization quality", "seconds": "runtime"}
_CENSUS = (
    "people here are simulated, and differ more: the shares agree on the real Adult table, where most columns have one "
    "frequent value (docs/figures.md)"
)
_SECONDS = "here reading, checking and writing are timed too, of all rows"


@dataclass(frozen=True)
class MonotonicFigures:
    """What was found, run by run."""

    setting: MonotonicSetting
    runs: Sequence[Entry]

    @staticmethod
    def of(document: dict[str, Any], setting: MonotonicSetting) -> MonotonicFigures:
        """Read what `series_bench.papers.monotonic.experiments` wrote."""
        return MonotonicFigures(setting, document["runs"])

    def figures(self) -> Iterator[PaperFigure]:
        """Yield all of them."""
        for number, (measure, varies) in _SHOWN.items():
            yield self._figure(number, measure, varies)

    def _figure(self, number: int, measure: str, varies: str) -> PaperFigure:
        wanted = plan([number], self.setting)
        values = {method: [mean(self.runs, each, method, measure) for each in wanted] for method in METHODS}
        what, tick = _AXES[varies]
        shown = {name: percent(line) for name, line in values.items()} if measure == "safe" else values
        title = f"{_TITLES[measure]} against {what} ({wanted[0].data})"
        chart = curves(
            title[0].upper() + title[1:], [tick(each) for each in wanted], shown, axes=(what, _WHAT[measure])
        )
        alone, monotonic = (values[name] for name in METHODS)
        claims = {"safe": _safe, "discernibility": _quality, "seconds": _runtime}[measure](alone, monotonic, number)
        return PaperFigure(f"Figure {number}", title, chart, claims)


def _safe(alone: list[float | None], monotonic: list[float | None], number: int) -> list[Claim]:
    claims = [
        Claim(
            "monotonic anonymization keeps every tuple safe", all_of([None if v is None else v == 1 for v in monotonic])
        )
    ]
    if number in (4, 13, 14):
        claims.append(Claim("of releases made alone, fewer are safe as k grows", falls(alone)))
    if number == 4:
        broken = [None if value is None else value < 0.6 for value in alone[1:]]
        claims.append(Claim("more than 40 % are unsafe for k of 10 and more", all_of(broken)))
    if number == 5:
        claims.append(Claim("fewer are safe the larger the update", falls(alone), _CENSUS))
    if number == 6:
        kept = [None if value is None else 0.55 <= value <= 0.75 for value in alone]
        claims.append(Claim("it is stable at 60 to 70 %", all_of(kept), _CENSUS))
    return claims


def _quality(alone: list[float | None], monotonic: list[float | None], _number: int) -> list[Claim]:
    pairs = [(a, m) for a, m in zip(alone, monotonic, strict=True) if a is not None and m is not None]
    near = all(m <= 1.5 * a for a, m in pairs) if pairs else None
    below = all(a <= m for a, m in pairs) if pairs else None
    why = "here both cut groups as long as they can be cut, and either may end with the smaller ones"
    return [
        Claim("the two are very similar", near),
        Claim("releases made alone always have a slightly smaller penalty", below, why),
    ]


def _runtime(alone: list[float | None], monotonic: list[float | None], _number: int) -> list[Claim]:
    pairs = [(a, m) for a, m in zip(alone, monotonic, strict=True) if a is not None and m is not None]
    return [
        Claim("much faster than to anonymize all again", all(m <= a / 2 for a, m in pairs) if pairs else None, _SECONDS)
    ]
