"""Charts: lines over places, for reports, each with the same figures as a table.

They are as wide as a phone, so that their letters are legible there, and take their colours from the page's style, for
dark screens and for paper. Lines differ by marker and dashes as well as by colour (Okabe and Ito's palette), so that
prints in grey can be read. The places of things are computed here; the template `chart.html.j2` draws them.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import TypeAlias

from audit.runtime.phrases import figure

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
# Units of the picture, which has some 96 to the inch on a telephone.
_WIDTH, _HEIGHT, _TOP, _RIGHT, _LINE = 360, 170, 18, 12, 18
# How wide letters are, as shares of their size, in DejaVu Sans, which is wider than what most browsers have.
_SIZE, _WIDTHS = 12, {0.36: "fijlrtI.,:;'|!()[] -", 0.66: "", 0.80: "ABCDEFGHKLNOPQRSTUVXYZ+=<>", 1.02: "mwMW%@—…"}
_SLANT = math.radians(35)  # as the template turns names
_MOST_TICKS, _CROWDED = 12, 260
_STEPS, _LEVELS, _LEAST = (1, 2, 2.5, 5, 10), 5, 1e-6

Lines: TypeAlias = Sequence[tuple[str, Sequence[float | None]]]
"""A number for each place, or for the first ones, by name; None if there is none. Names may be equal."""


@dataclass(frozen=True)
class Chart:
    """A picture and what it shows.

    Attributes:
        title: its subject.
        drawing: what the template draws, with coordinates.
        head: the names of the table's columns.
        rows: the table.
    """

    title: str
    drawing: Mapping[str, object]
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    @property
    def flat(self) -> bool:
        """Whether all its lines are flat, so that numbers show as much as a picture."""
        return len({tuple(figures) for _, *figures in self.rows}) < 2


@dataclass(frozen=True)
class _Frame:
    """Where numbers and places are drawn.

    Attributes:
        left: the position of the numbers' axis.
        levels: the numbers beside it, ascending from 0.
        places: the number of places.
    """

    left: float
    levels: Sequence[float]
    places: int

    def x(self, place: float) -> float:
        """Return where a place, or a point between two, is drawn."""
        return self.left + (_WIDTH - _RIGHT - self.left) * (place + 0.5) / max(1, self.places)

    def y(self, value: float) -> float:
        """Return where a number is drawn."""
        return _TOP + _HEIGHT * (1 - value / self.levels[-1])


def lines(title: str, ticks: Sequence[str], series: Lines, *, axes: tuple[str, str]) -> Chart:
    """Return lines over the same places, one for each name.

    Args:
        title: the subject of the chart.
        ticks: the names of the places.
        series: what to draw.
        axes: the names of both axes.
    """
    frame, kinds = _frame(len(ticks), series), len(_MARKERS)
    curves: list[dict[str, object]] = []
    for number, (name, values) in enumerate(series):
        kind, turn = number % kinds, number // kinds
        points = [(frame.x(place), frame.y(value)) for place, value in enumerate(values) if value is not None]
        curves.append(
            {
                "name": name,
                "colour": f"c{kind}",
                "dashes": _DASHES[(kind + 2 * turn) % kinds],
                "marker": _MARKERS[(kind + turn) % kinds],
                "paths": [_path(frame, part) for part in _parts(values)],
                "points": [f"{x:.1f} {y:.1f}" for x, y in points],
            }
        )
    shown = range(0, len(ticks), 1 + (len(ticks) - 1) // _MOST_TICKS)
    rows = [
        [tick, *(_figure(v[place]) if place < len(v) else "" for _, v in series)] for place, tick in enumerate(ticks)
    ]
    drawing = _drawing(frame, [(place, ticks[place]) for place in shown], axes, curves)
    return Chart(title, drawing, [axes[0], *(name for name, _ in series)], rows)


def _figure(value: float | None) -> str:
    return "" if value is None else figure(value, ",.6g" if value < 10**6 or value % 1 else ",.0f")


def _parts(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    """Yield the stretches of a line, which is interrupted where numbers are missing."""
    for _, part in groupby(enumerate(values), key=lambda each: each[1] is None):
        if points := [(place, value) for place, value in part if value is not None]:
            yield points


def _path(frame: _Frame, part: Sequence[tuple[int, float]]) -> str:
    return "M" + "L".join(f"{frame.x(place):.1f} {frame.y(value):.1f}" for place, value in part)


def _frame(places: int, series: Lines) -> _Frame:
    numbers = [value for value in chain.from_iterable(values for _, values in series) if value is not None]
    levels = levels_of(max(numbers, default=0.0), whole=all(value == int(value) for value in numbers))
    return _Frame(30 + max(width_of(_level(level)) for level in levels), levels, places)


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


def width_of(text: str) -> float:
    """Return an upper bound of the width of a text, in units of the picture; a letter of another script is a square.

    >>> width_of("ill") < width_of("men"), width_of("€") == 12 * 0.66, width_of("人") > 12
    (True, True, True)
    """
    known = {letter: share for share, letters in _WIDTHS.items() for letter in letters}
    plain = (unicodedata.normalize("NFD", letter)[0] for letter in text)
    return _SIZE * sum(known.get(each, 0.66 if each < "\u2e80" else 1.02) for each in plain)


def _level(value: float) -> str:
    return figure(value, ",.12g")


def _drawing(
    frame: _Frame, ticks: Sequence[tuple[int, str]], axes: tuple[str, str], curves: Sequence[Mapping[str, object]]
) -> Mapping[str, object]:
    """Return what is drawn, and where; names of several lines are below, and the picture is as wide as any name."""
    named = curves if len(curves) > 1 else ()
    wide = max((width_of(str(each["name"])) for each in named), default=0) + 44
    across = max(1, int((_WIDTH - 10) // wide))
    widths = [width_of(name) for _, name in ticks]
    crowded = sum(widths) > _CROWDED
    below = _TOP + _HEIGHT + (18 + math.sin(_SLANT) * max(widths, default=0) if crowded else 18)
    legend = below + 2 * _LINE
    # How far a name reaches to the left and to the right of its place.
    left, right = (math.cos(_SLANT), 0.1) if crowded else (0.5, 0.5)
    starts = [frame.x(place) - left * width - 8 for (place, _), width in zip(ticks, widths, strict=True)]
    ends = [frame.x(place) + right * width for (place, _), width in zip(ticks, widths, strict=True)]
    centre, title = frame.x((frame.places - 1) / 2), width_of(axes[0]) / 2
    start = math.floor(min(0, centre - title, *starts))
    end = math.ceil(max(_WIDTH, centre + title, 5 + wide * min(across, len(named)), *ends))
    top = math.floor(min(0, _TOP + (_HEIGHT - width_of(axes[1])) / 2))
    return {
        "start": start,
        "above": top,
        "width": end - start,
        "height": round(below + 22 + _LINE * (1 + math.ceil(len(named) / across) if named else 0)) - top,
        "left": f"{frame.left:.1f}",
        "top": _TOP,
        "beside": f"{frame.left - 6:.1f}",
        "centre": f"{frame.x((frame.places - 1) / 2):.1f}",
        "bottom": _TOP + _HEIGHT,
        "end": _WIDTH - _RIGHT,
        "middle": _TOP + _HEIGHT / 2,
        "below": round(below),
        "crowded": crowded,
        "axes": axes,
        "levels": [(f"{frame.y(level):.1f}", _level(level)) for level in frame.levels],
        "ticks": [(f"{frame.x(place):.1f}", name) for place, name in ticks],
        "curves": curves,
        "legend": [
            {**each, "at": f"{5 + wide * (number % across):.0f} {legend + _LINE * (number // across):.0f}"}
            for number, each in enumerate(named)
        ],
    }
