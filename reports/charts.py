"""Charts: pictures for reports, drawn as SVG, each with the same figures as a table for those who do not see it.

Lines differ by marker and dashes as well as by colour (Okabe and Ito's palette), so that prints in grey can be read.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito, darkest first; the yellow is too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)))
# Inches; a line of the legend is as high as the last.
_WIDTH, _HEIGHT, _LINE = 7.0, 2.7, 0.2
_MOST_TICKS = 24
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "series-audit",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"],
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "text.parse_math": False,  # names may hold dollar signs
}

Lines: TypeAlias = Sequence[tuple[str, Sequence[float | None]]]
"""By name, a number for each place, or for the first ones; None where there is none. Names may be alike."""


@dataclass(frozen=True)
class Chart:
    """A picture and what it shows.

    Attributes:
        title: what it is of.
        source: the picture, a data URL.
        head: the names of the table's columns.
        rows: the table.
    """

    title: str
    source: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def lines(title: str, ticks: Sequence[str], series: Lines, *, axes: tuple[str, str]) -> Chart:
    """Return lines over the same places, one for each name.

    Args:
        title: what the chart is of.
        ticks: the names of the places.
        series: what to draw.
        axes: what the places and the numbers are.
    """

    def draw(ax: Axes) -> None:
        for number, (name, values) in enumerate(series):
            kind, turn = number % len(COLOURS), number // len(COLOURS)
            ax.plot(
                range(len(values)),
                [float("nan") if value is None else value for value in values],
                color=COLOURS[kind],
                marker=_MARKERS[(kind + turn) % len(_MARKERS)],
                linestyle=_DASHES[(kind + 2 * turn) % len(_DASHES)],
                markersize=4,
                label=name,
            )
        shown = range(0, len(ticks), 1 + (len(ticks) - 1) // _MOST_TICKS)
        _ticked(ax, shown, [ticks[place] for place in shown])
        ax.set(xlabel=axes[0], ylabel=axes[1])

    rows = [
        [tick, *(_figure(v[place]) if place < len(v) else "" for _, v in series)] for place, tick in enumerate(ticks)
    ]
    return Chart(title, _drawn(draw, series), [axes[0], *(name for name, _ in series)], rows)


def bars(title: str, ticks: Sequence[str], series: Lines, *, axes: tuple[str, str]) -> Chart:
    """Return bars side by side at each place, one for each name; arguments as of `lines`."""

    def draw(ax: Axes) -> None:
        width = 0.8 / max(1, len(series))
        for number, (name, values) in enumerate(series):
            places = [place - 0.4 + width * (number + 0.5) for place in range(len(values))]
            ax.bar(
                places,
                [0 if value is None else value for value in values],
                width * 0.95,
                color=COLOURS[number % len(COLOURS)],
                edgecolor="black",
                linewidth=0.4,
                hatch=("", "//", "..", "xx", "\\\\", "++")[number % len(COLOURS)],
                label=name,
            )
        _ticked(ax, range(len(ticks)), list(ticks))
        ax.set(xlabel=axes[0], ylabel=axes[1])

    rows = [[tick, *(_figure(values[place]) for _, values in series)] for place, tick in enumerate(ticks)]
    return Chart(title, _drawn(draw, series), [axes[0], *(name for name, _ in series)], rows)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.6g}"


def _ticked(ax: Axes, places: Sequence[int], names: list[str]) -> None:
    """Write names at places, aslant where they are long."""
    crowded = sum(len(name) for name in names) > 70
    ax.set_xticks(list(places), names, rotation=35 if crowded else 0, ha="right" if crowded else "center")


def _drawn(draw: Callable[[Axes], None], series: Lines) -> str:
    """Return a picture of some series as a data URL; the same figures give the same bytes."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    whole = all(value is None or value == int(value) for value in chain.from_iterable(values for _, values in series))
    with mpl.rc_context():
        mpl.rcdefaults()  # whatever a file in the current folder says
        mpl.rcParams.update(_STYLE)
        names = [name for name, _ in series] if len(series) > 1 else []
        columns = 1 + 80 // (8 + max(map(len, names), default=0))
        below = _LINE * -(-len(names) // columns)
        figure = Figure(figsize=(_WIDTH, _HEIGHT + below), layout="constrained")
        ax = figure.add_subplot()
        draw(ax)
        ax.set_ylim(0, max(1.0, ax.get_ylim()[1]) if whole else None)
        if names:
            figure.legend(frameon=False, loc="outside lower left", ncols=columns)
        ax.yaxis.set_major_locator(MaxNLocator(nbins=5, min_n_ticks=2, integer=whole))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        target = io.BytesIO()
        FigureCanvasSVG(figure).print_svg(target, metadata={"Date": None, "Creator": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(target.getvalue()).decode('ascii')}"
