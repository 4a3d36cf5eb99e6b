"""What TABLES' definitions say of a tiny series, by integer programming over its atoms and nothing else.

It shares no code with the attack: cells are sets of atoms, every bound is an integer programme of its own.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from tests.helpers.count_tables import TinyTables

REST = "(rest)"
_FAR = 10**6
_Question = tuple[int, int | None, tuple[str, ...], frozenset[tuple[str, ...]], list[int]]


@dataclass(frozen=True)
class Answer:
    """What is expected: None where the series contradicts itself."""

    cells: int
    protected: int
    questions: int
    smallest_width: int | None
    findings: frozenset[tuple[object, ...]]


class Oracle:
    """One series with its atoms."""

    def __init__(self, series: TinyTables) -> None:
        self.series = series
        self.atoms = [self._atoms(place) for place in range(len(series.dimensions))]
        periods = 1 if series.over_time == "same" else len(series.releases)
        self.cells = list(product(*self.atoms, range(periods)))
        self.number = {cell: place for place, cell in enumerate(self.cells)}

    def _atoms(self, place: int) -> list[str]:
        series, name = self.series, self.series.dimensions[place]
        total = series.totals.get(name)
        labels = dict.fromkeys(cell[place] for rows in series.releases for cell, _ in rows if cell[place] != total)
        if not labels:
            return ["everybody"]
        if name in series.categories:
            atoms = list(dict.fromkeys(atom for each in series.categories[name].values() for atom in each))
        else:
            atoms = list(labels)
        return [*atoms, *([REST] if name in series.open else [])]

    def covered(self, place: int, label: str) -> list[str]:
        name = self.series.dimensions[place]
        if label == self.series.totals.get(name):
            return self.atoms[place]
        return list(self.series.categories[name][label]) if name in self.series.categories else [label]

    def box(self, labels: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
        return frozenset(product(*(self.covered(place, label) for place, label in enumerate(labels))))

    def periods(self, release: int) -> list[int]:
        over = self.series.over_time
        return [0] if over == "same" else list(range(release + 1)) if over == "cumulative" else [release]

    def row(self, box: frozenset[tuple[str, ...]], periods: list[int]) -> np.ndarray:
        row = np.zeros(len(self.cells))
        for cell in box:
            for period in periods:
                row[self.number[*cell, period]] = 1
        return row

    def interval(self, text: str) -> tuple[float, float]:
        series = self.series
        if text in series.markers:
            low, high = series.markers[text]
            return low, np.inf if high is None else high
        v = int(text)
        low, high = (v, v) if series.rounding is None else counts_of(v, *series.rounding)
        t = series.threshold
        if t is not None and (v > 0 or low >= 1):
            low = max(low, t)
        elif t is not None and high < t:
            high = 0
        return low, high

    def answer(self) -> Answer | None:
        series = self.series
        rows = [
            (self.row(self.box(cell), self.periods(release)), *self.interval(text))
            for release, shown in enumerate(series.releases)
            for cell, text in shown
            if text
        ]
        matrix = np.array([row for row, _, _ in rows])
        self.constraint = LinearConstraint(matrix, [low for _, low, _ in rows], [high for _, _, high in rows])
        if any(low > high for _, low, high in rows) or self.bound(np.zeros(len(self.cells))) is None:
            return None
        return self._judged()

    def bound(self, objective: np.ndarray) -> int | None:
        """Return the least value of an objective; None where nothing agrees."""
        answer = milp(
            objective,
            constraints=self.constraint,
            integrality=np.ones(len(objective)),
            bounds=Bounds(0, _FAR),
        )
        if answer.status == 2:
            return None
        assert answer.status == 0, answer.message
        return round(answer.fun)

    def _judged(self) -> Answer:
        series, findings, questions, widths = self.series, set(), 0, []
        cells = self._cells()
        for (_, labels), (release, texts) in cells.items():
            protected = all(text in series.markers and not _single(series.markers[text]) for text in texts)
            if not protected and all(text in series.markers for text in texts):
                continue
            questions += 1
            low, high = self._range(self.box(labels), self.periods(release))
            width = high - low + 1
            if protected and high < _FAR // 2:
                widths.append(width)
            if protected and width < series.min_width:
                findings.add(("recovered" if width == 1 else "narrowed", release, None, labels, low, high))
            if not protected:
                findings |= self._small(release, None, labels, low, high)
        for release, since, labels, box, periods in [*self._derived(), *self._increases()]:
            questions += 1
            low, high = self._range(box, periods)
            findings |= self._small(release, since, labels, low, high)
        hidden = sum(
            all(t in series.markers and not _single(series.markers[t]) for t in texts) for _, texts in cells.values()
        )
        return Answer(len(cells), hidden, questions, min(widths, default=None), frozenset(findings))

    def _cells(self) -> dict[tuple[int, tuple[str, ...]], tuple[int, list[str]]]:
        found: dict[tuple[int, tuple[str, ...]], tuple[int, list[str]]] = {}
        for release, shown in enumerate(self.series.releases):
            for cell, text in shown:
                if text:
                    period = 0 if self.series.over_time == "same" else release
                    found.setdefault((period, cell), (release, []))[1].append(text)
        return found

    def _range(self, box: frozenset[tuple[str, ...]], periods: list[int]) -> tuple[int, int]:
        row = self.row(box, periods)
        low, high = self.bound(row), self.bound(-row)
        assert low is not None
        assert high is not None
        return low, -high

    def _small(
        self, release: int, since: int | None, labels: tuple[str, ...], low: int, high: int
    ) -> set[tuple[object, ...]]:
        k = self.series.min_count
        if low == high and 1 <= low <= k - 1:
            return {("recovered", release, since, labels, low, high)}
        if low != high and low >= 1 and high <= k - 1 and high - low + 1 < k - 1:
            return {("small", release, since, labels, low, high)}
        return set()

    def _derived(self) -> list[_Question]:
        series, last = self.series, {}
        totals = [series.totals.get(name) for name in series.dimensions]
        published = {
            (0 if series.over_time == "same" else release, self.box(cell))
            for release, shown in enumerate(series.releases)
            for cell, text in shown
            if text
        }
        for release, shown in enumerate(series.releases):
            for cell, _ in shown:
                crossing = tuple(label != total for label, total in zip(cell, totals, strict=True))
                last[0 if series.over_time == "same" else release, crossing] = release
        found = []
        for (period, crossing), release in last.items():
            choices = [self.atoms[d] if inside else [totals[d]] for d, inside in enumerate(crossing)]
            for labels in product(*choices):
                sets = [[labels[d]] if inside else self.atoms[d] for d, inside in enumerate(crossing)]
                box = frozenset(product(*sets))
                if (period, box) not in published:
                    found.append((release, None, labels, box, self.periods(release)))
        return found

    def _increases(self) -> list[_Question]:
        series, found = self.series, []
        for release in range(1, len(series.releases) if series.over_time == "cumulative" else 0):
            before = {self.box(cell) for cell, text in series.releases[release - 1] if text}
            done = set()
            for cell, text in series.releases[release]:
                box = self.box(cell)
                if text and box in before and box not in done:
                    done.add(box)
                    found.append((release, release - 1, cell, box, [release]))
        return found


def _single(ends: tuple[int, int | None]) -> bool:
    return ends[0] == ends[1]


def counts_of(v: int, base: int, how: str) -> tuple[int, int]:
    """Return the counts that are published as v, as docs/tables.md has it."""
    half = base // 2
    low, high = {
        "nearest": (v - half, v + -(-base // 2) - 1),
        "even": (v - half, v + half) if base % 2 == 0 else (v - half, v + -(-base // 2) - 1),
        "down": (v, v + base - 1),
        "up": (v - base + 1, v),
        "random": (v - base + 1, v + base - 1),
        "midpoint": (0, 0) if v == 0 else (v - half + 1, v + half),
    }[how]
    return max(0, low), high
