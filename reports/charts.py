"""Charts: pictures for reports, drawn as SVG in the page, each with the same figures as a table.

They are as wide as a telephone, so that their letters stay legible there, and take their colours from the page's style,
so that they suit a dark screen and paper. Lines differ by marker and dashes as well as by colour (Okabe and Ito's
palette), and bars by hatching, so that prints in grey can be read. The places of things are computed here; what is
drawn is the template `chart.svg.j2`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from audit.runtime.phrases import figure

if TYPE_CHECKING:
    from jinja2 import Environment

_KINDS = 6
_DASHES = ("none", "6 3", "6 2 1.5 2", "1.5 2.5", "8 2 1.5 2 1.5 2", "1.5 5")
# Drawn around a point, each some nine units wide.
_MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.6L4.4 3.4H-4.4z",
    "M0-4.8L4.8 0L0 4.8L-4.8 0z",
    "M0 4.6L4.4-3.4H-4.4z",
    "M-1.5-4.4h3v2.9h2.9v3h-2.9v2.9h-3v-2.9h-2.9v-3h2.9z",
)
_HATCHES = ("", "M0 6L6 0", "M2 2h2v2h-2z", "M0 6L6 0M0 0L6 6", "M0 0L6 6", "M3 0v6M0 3h6")
# Units of the picture, which has some 96 to the inch on a telephone; letters of its type are about 7 wide.
_WIDTH, _HEIGHT, _TOP, _RIGHT, _LINE, _LETTER = 360, 170, 18, 12, 18, 6.6
_MOST_TICKS, _CROWDED, _LABELLED = 12, 38, 12
_STEPS, _LEVELS, _LEAST = (1, 2, 2.5, 5, 10), 5, 1e-6
_TEMPLATES = Path(__file__).parent / "templates"

Lines: TypeAlias = Sequence[tuple[str, Sequence[float | None]]]
"""By name, a number for each place, or for the first ones; None where there is none. Names may be alike."""


@dataclass(frozen=True)
class Chart:
    """A picture and what it shows.

    Attributes:
        title: what it is of.
        svg: the picture, an element of the page.
        head: the names of the table's columns.
        rows: the table.
    """

    title: str
    svg: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class _Frame:
    """Where numbers and places are drawn.

    Attributes:
        left: where the numbers' axis stands.
        levels: the numbers that are written beside it, ascending from 0.
        places: how many places there are.
    """

    left: float
    levels: Sequence[float]
    places: int

    def x(self, place: float) -> float:
        """Return where a place, or what lies between two, is drawn."""
        return self.left + (_WIDTH - _RIGHT - self.left) * (place + 0.5) / max(1, self.places)

    def y(self, value: float) -> float:
        """Return where a number is drawn."""
        return _TOP + _HEIGHT * (1 - value / self.levels[-1])


def lines(title: str, ticks: Sequence[str], series: Lines, *, axes: tuple[str, str]) -> Chart:
    """Return lines over the same places, one for each name.

    Args:
        title: what the chart is of.
        ticks: the names of the places.
        series: what to draw.
        axes: what the places and the numbers are.
    """
    frame = _frame(len(ticks), series)
    curves = []
    for number, (name, values) in enumerate(series):
        kind, turn = number % _KINDS, number // _KINDS
        points = [(frame.x(place), frame.y(value)) for place, value in enumerate(values) if value is not None]
        curves.append(
            {
                "name": name,
                "colour": f"c{kind}",
                "dashes": _DASHES[(kind + 2 * turn) % len(_DASHES)],
                "marker": _MARKERS[(kind + turn) % len(_MARKERS)],
                "paths": [_path(frame, part) for part in _parts(values)],
                "points": [f"{x:.1f} {y:.1f}" for x, y in points],
            }
        )
    shown = range(0, len(ticks), 1 + (len(ticks) - 1) // _MOST_TICKS)
    rows = [
        [tick, *(_figure(v[place]) if place < len(v) else "" for _, v in series)] for place, tick in enumerate(ticks)
    ]
    drawn = _drawn(title, frame, [(place, ticks[place]) for place in shown], axes, curves=curves)
    return Chart(title, drawn, [axes[0], *(name for name, _ in series)], rows)


def bars(title: str, ticks: Sequence[str], series: Lines, *, axes: tuple[str, str]) -> Chart:
    """Return bars side by side at each place, one for each name, its number above it; arguments as of `lines`."""
    frame, width = _frame(len(ticks), series), 0.8 / max(1, len(series))
    blocks, labels = [], []
    for number, (name, values) in enumerate(series):
        of_place = []
        for place, value in enumerate(values):
            start, end = (frame.x(place - 0.4 + width * (number + side)) for side in (0.025, 0.975))
            if value:
                of_place.append(f"M{start:.1f} {frame.y(0):.1f}V{frame.y(value):.1f}H{end:.1f}V{frame.y(0):.1f}z")
                labels.append((f"{(start + end) / 2:.1f}", f"{frame.y(value) - 4:.1f}", _figure(value)))
        kind = number % _KINDS
        blocks.append({"name": name, "kind": kind, "path": "".join(of_place)})
    rows = [[tick, *(_figure(values[place]) for _, values in series)] for place, tick in enumerate(ticks)]
    few = len(series) == 1 and len(ticks) <= _LABELLED
    drawn = _drawn(
        title, frame, list(enumerate(ticks)), axes, blocks=blocks, labels=labels if few and _narrow(labels) else []
    )
    return Chart(title, drawn, [axes[0], *(name for name, _ in series)], rows)


def _figure(value: float | None) -> str:
    return "" if value is None else figure(value, ",.6g" if value < 10**6 or value % 1 else ",.0f")


def _narrow(labels: Sequence[tuple[str, str, str]]) -> bool:
    """Return whether numbers fit side by side."""
    return max((len(text) for _, _, text in labels), default=0) <= 4


def _parts(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    """Yield the stretches of a line, which is broken where there is no number."""
    part: list[tuple[int, float]] = []
    for place, value in enumerate(values):
        if value is not None:
            part.append((place, value))
        elif part:
            yield part
            part = []
    if part:
        yield part


def _path(frame: _Frame, part: Sequence[tuple[int, float]]) -> str:
    return "M" + "L".join(f"{frame.x(place):.1f} {frame.y(value):.1f}" for place, value in part)


def _frame(places: int, series: Lines) -> _Frame:
    numbers = [value for value in chain.from_iterable(values for _, values in series) if value is not None]
    levels = levels_of(max(numbers, default=0.0), whole=all(value == int(value) for value in numbers))
    widest = max(len(_level(level)) for level in levels)
    return _Frame(28 + _LETTER * widest, levels, places)


def levels_of(most: float, *, whole: bool) -> list[float]:
    """Return round numbers from 0 to one that is at least as large as all numbers drawn.

    >>> levels_of(7, whole=True), levels_of(0.9, whole=False), levels_of(0, whole=True)
    ([0, 2, 4, 6, 8], [0, 0.2, 0.4, 0.6, 0.8, 1.0], [0, 1])
    """
    most = max(most, 1.0) if whole or most < _LEAST else most
    power = 10.0 ** math.floor(math.log10(most / _LEVELS))
    step = next(power * each for each in _STEPS if power * each * _LEVELS >= most * (1 - 1e-9))
    if whole:
        step = max(1, math.ceil(step))
    count = math.ceil(most / step - 1e-9)
    return [0, *(round(step * number, 12) for number in range(1, count + 1))]


def _level(value: float) -> str:
    return figure(value, ",.12g")


def _drawn(
    title: str,
    frame: _Frame,
    ticks: Sequence[tuple[int, str]],
    axes: tuple[str, str],
    labels: Sequence[tuple[str, str, str]] = (),
    **content: Sequence[Mapping[str, object]],
) -> str:
    """Return a picture; the same figures give the same text."""
    named = [each for kind in content.values() for each in kind]
    names = [str(each["name"]) for each in named] if len(named) > 1 else []
    wide = max(map(len, names), default=0) * _LETTER + 44
    across = max(1, int((_WIDTH - 10) // wide))
    crowded = sum(len(name) for _, name in ticks) > _CROWDED
    longest = max((len(name) for _, name in ticks), default=0)
    below = _TOP + _HEIGHT + (16 + 0.6 * _LETTER * longest if crowded else 18)
    legend = below + 2 * _LINE
    return _render(
        title,
        width=_WIDTH,
        height=round(below + _LINE + _LINE * (1 + math.ceil(len(names) / across) if names else 0)),
        left=f"{frame.left:.1f}",
        top=_TOP,
        beside=f"{frame.left - 6:.1f}",
        centre=f"{frame.x((frame.places - 1) / 2):.1f}",
        bottom=_TOP + _HEIGHT,
        end=_WIDTH - _RIGHT,
        middle=_TOP + _HEIGHT / 2,
        below=round(below),
        crowded=crowded,
        axes=axes,
        labels=labels,
        levels=[(f"{frame.y(level):.1f}", _level(level)) for level in frame.levels],
        ticks=[(f"{frame.x(place):.1f}", name) for place, name in ticks],
        hatches=[(kind, hatch) for kind, hatch in enumerate(_HATCHES[: len(content.get("blocks", ()))]) if hatch],
        legend=[
            {**each, "at": f"{5 + wide * (number % across):.0f} {legend + _LINE * (number // across):.0f}"}
            for number, each in enumerate(named if names else [])
        ],
        **content,
    )


def _render(title: str, **content: object) -> str:
    """Return a picture, whose parts have names that no other picture of a page has."""
    drawn = _environment().get_template("chart.svg.j2")
    mark = hashlib.sha256(repr((title, content)).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    svg: str = drawn.render(title=title, mark=f"p{mark}", **content)
    return svg


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader

    return Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True)
