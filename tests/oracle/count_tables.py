"""What TABLES' definitions say of a tiny series, by integer programming over its atoms and nothing else.

It shares no code with the attack: cells are sets of atoms, every bound is an integer programme of its own.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from tests.helpers.count_tables import TinyTables

REST = "(rest)"
LEFT_OUT = "-0"
"""The text of a count of 0 whose row is left out."""
_FAR = 10**6
Box = frozenset[tuple[str, ...]]
Asked = tuple[Box, tuple[int, ...]]
_Question = tuple[int, int | None, Box, list[int]]


@dataclass(frozen=True)
class Answer:
    """What is expected; a finding is kind, release, earlier release, box as atoms, least and greatest count."""

    cells: int
    protected: int
    questions: int
    smallest_width: int | None
    findings: frozenset[tuple[object, ...]]


def is_published(text: str) -> bool:
    """Return whether a file shows a text; a row without one shows nothing."""
    return text not in {"", LEFT_OUT}


class Oracle:
    """One series with its atoms."""

    def __init__(self, series: TinyTables) -> None:
        self.series = series
        self.atoms = [self._atoms(place) for place in range(len(series.dimensions))]
        periods = 1 if series.over_time == "same" else len(series.releases)
        self.cells = list(product(*self.atoms, range(periods)))
        self.ranges: dict[object, tuple[int, int]] = {}
        self.solutions: list[np.ndarray] = []
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

    def interval(self, text: str, release: int | None = None) -> tuple[float, float]:
        series = self.series
        if text in series.markers:
            low, high = series.markers[text]
            return low, np.inf if high is None else high
        v, rounding = int(text), None if release in series.exact else series.rounding
        return self.with_threshold(text, *((v, v) if rounding is None else counts_of(v, *rounding)))

    def with_threshold(self, text: str, low: float, high: float | None) -> tuple[float, float]:
        """Return what a threshold leaves of the counts that a text stands for."""
        t, high = self.series.threshold, np.inf if high is None else high
        if t is None or text in self.series.markers:
            return low, high
        if int(text) > 0 or low >= 1:
            return max(low, t), high
        return low, 0 if high < t else high

    def ends(self, release: int, cell: tuple[str, ...], text: str) -> tuple[float, float]:
        """Return the counts that a text stands for, with what else is told of its cell."""
        low, high = self.interval(text, release)
        least, most = self.series.told.get((release, cell), (low, high))
        return max(low, least), high if most is None else min(high, most)

    def answer(self) -> Answer | None:
        series = self.series
        rows = [
            (self.row(self.box(cell), self.periods(release)), *self.ends(release, cell, text))
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
            objective, constraints=self.constraint, integrality=np.ones(len(objective)), bounds=Bounds(0, _FAR)
        )
        if answer.status == 2:
            return None
        assert answer.status == 0, answer.message
        self.solutions.append(np.rint(answer.x))
        return round(answer.fun)

    def _judged(self) -> Answer:
        series, findings, questions, widths = self.series, set(), 0, []
        cells = self._cells()
        for (_, labels), (release, texts) in cells.items():
            protected = all(text in series.markers and not _single(series.markers[text]) for text in texts)
            if not protected and all(text in series.markers for text in texts):
                continue
            questions += 1
            box = self.box(labels)
            if not protected:
                findings |= self._small(release, None, box, self.periods(release))
                continue
            low, high = self._range(box, self.periods(release))
            width = high - low + 1
            if high < _FAR // 2:
                widths.append(width)
            small = self.is_unsaid(texts) and low >= 1 and high < series.min_count
            if small or width < series.min_width:
                kind = "recovered" if width == 1 else "small" if small else "narrowed"
                findings.add((kind, release, None, box, low, high))
        derived = self._derived()
        for release, since, box, periods in [*derived, *self._increases(derived)]:
            questions += 1
            findings |= self._small(release, since, box, periods)
        hidden = sum(
            all(t in series.markers and not _single(series.markers[t]) for t in texts) for _, texts in cells.values()
        )
        return Answer(len(cells), hidden, questions, min(widths, default=None), frozenset(findings))

    def unsaid(self) -> set[Asked]:
        """Return the boxes of hidden cells whose markers do not say that their counts are small."""
        return {
            (self.box(labels), tuple(self.periods(release)))
            for (_, labels), (release, texts) in self._cells().items()
            if all(map(self._hides, texts)) and self.is_unsaid(texts)
        }

    def is_unsaid(self, texts: list[str]) -> bool:
        """Whether no marker of a hidden cell says that its count is small."""
        most = [self.series.markers[text][1] for text in texts]
        return all(end is None or end >= self.series.min_count for end in most)

    def _cells(self) -> dict[tuple[int, tuple[str, ...]], tuple[int, list[str]]]:
        found: dict[tuple[int, tuple[str, ...]], tuple[int, list[str]]] = {}
        for release, shown in enumerate(self.series.releases):
            for cell, text in shown:
                if is_published(text):
                    period = 0 if self.series.over_time == "same" else release
                    found.setdefault((period, cell), (release, []))[1].append(text)
        return found

    def _range(self, box: Box, periods: list[int]) -> tuple[int, int]:
        key = box, tuple(periods)
        if key not in self.ranges:
            row = self.row(box, periods)
            low, high = self.bound(row), self.bound(-row)
            assert low is not None
            assert high is not None
            self.ranges[key] = low, -high
        return self.ranges[key]

    def interval_of(self, box: Box, periods: list[int]) -> tuple[int, int | None]:
        """Return the least and the greatest count of a box, None where there is none."""
        low, high = self._range(box, periods)
        return low, None if high >= _FAR // 2 else high

    def _small(self, release: int, since: int | None, box: Box, periods: list[int]) -> set[tuple[object, ...]]:
        k = self.series.min_count
        seen = [round(self.row(box, periods) @ solution) for solution in self.solutions[-60:]]
        if any(count <= 0 or count >= k for count in seen):
            return set()  # some counts agree with everything and are none that are small
        low, high = self._range(box, periods)
        if low == high and 1 <= low <= k - 1:
            return {("recovered", release, since, box, low, high)}
        if low != high and low >= 1 and high <= k - 1 and high - low + 1 < k - 1:
            return {("small", release, since, box, low, high)}
        return set()

    def period(self, release: int) -> int:
        return 0 if self.series.over_time == "same" else release

    def rows(self, period: int) -> list[tuple[int, tuple[str, ...], str]]:
        """All rows of a period: release, labels, what is published."""
        return [
            (release, cell, text)
            for release, shown in enumerate(self.series.releases)
            for cell, text in shown
            if self.period(release) == period
        ]

    def of_labels(self) -> tuple[set[Asked], set[Asked]]:
        """Hidden cells; and the others, with all boxes of atoms, labels, and pairs of labels, and their increases."""
        behind, others = set[Asked](), set[Asked]()
        for (_, labels), (release, texts) in self._cells().items():
            some = behind if all(map(self._hides, texts)) else others
            some.add((self.box(labels), tuple(self.periods(release))))
        derived = [(release, box) for release, _, box, _ in self._derived(remainders=False)]
        others |= self.unsaid() | {(box, tuple(self.periods(release))) for release, box in derived}
        if self.series.over_time == "cumulative":
            shown = [(release, self.box(labels)) for release, labels in self._cells()]
            others |= {(box, (release,)) for release, box in [*shown, *derived] if release}
        return behind, others

    def _derived(self, *, remainders: bool = True) -> list[_Question]:
        """Every box of sets of labels, in each crossing that is published, and of lines, that is not published.

        Without remainders of labels beside all numbers that lie in them, if that is false.
        """
        found = []
        for period in sorted({self.period(release) for release in range(len(self.series.releases))}):
            rows = self.rows(period)
            published = {self.box(cell) for _, cell, text in rows if is_published(text)}
            every = [row for p in range(len(self.series.releases)) for row in self.rows(p)]
            told = rows if self.series.over_time == "independent" else every
            sets = [self._sets(place, rows, told, remainders) for place in range(len(self.atoms))]
            asked: dict[Box, int] = {}
            for crossing, last in self._crossings(rows):
                choices = [sets[d] if inside else [frozenset(self.atoms[d])] for d, inside in enumerate(crossing)]
                for chosen in product(*choices):
                    asked.setdefault(frozenset(product(*chosen)), last)
            for release, box in self._lines(rows) if remainders else ():
                asked.setdefault(box, release)
            found += [
                (release, None, box, self.periods(release)) for box, release in asked.items() if box not in published
            ]
        return found

    def _crossings(self, rows: list[tuple[int, tuple[str, ...], str]]) -> list[tuple[tuple[bool, ...], int]]:
        """The crossings of rows, then those that are left where dimensions are summed over, with their last release."""
        totals = [self.series.totals.get(name) is not None for name in self.series.dimensions]
        own = {self._crossing(cell): release for release, cell, _ in sorted(rows)}
        left: dict[tuple[bool, ...], int] = {}
        for crossing, release in own.items():
            for some in product(
                *({inside, inside and not total} for inside, total in zip(crossing, totals, strict=True))
            ):
                left[some] = max(left.get(some, 0), release)
        return [*sorted(own.items()), *sorted((some, last) for some, last in left.items() if some not in own)]

    def _crossing(self, cell: tuple[str, ...]) -> tuple[bool, ...]:
        totals = [self.series.totals.get(name) for name in self.series.dimensions]
        return tuple(label != total for label, total in zip(cell, totals, strict=True))

    def _labels(self, place: int, rows: list[tuple[int, tuple[str, ...], str]]) -> list[frozenset[str]]:
        has_total = self.series.dimensions[place] in self.series.totals
        labels = {frozenset(self.covered(place, cell[place])) for _, cell, _ in rows}
        return list(labels | ({frozenset(self.atoms[place])} if has_total else set()))

    def _sets(
        self,
        place: int,
        rows: list[tuple[int, tuple[str, ...], str]],
        told: list[tuple[int, tuple[str, ...], str]],
        remainders: bool,
    ) -> list[frozenset[str]]:
        labels, apart = self._labels(place, rows), self._labels(place, told)
        alike: dict[frozenset[int], set[str]] = {}
        for atom in self.atoms[place]:
            alike.setdefault(frozenset(n for n, one in enumerate(apart) if atom in one), set()).add(atom)
        found = {*labels, *map(frozenset, alike.values())}
        for one, other in product(labels, labels):
            found |= {one & other, one - other}
        for release, margin in product({release for release, _, _ in rows} if remainders else (), (False, True)):
            numbers = {
                frozenset(self.covered(place, cell[place]))
                for at, cell, text in rows
                if at == release and is_published(text) and not self._hides(text)
                if not margin or not any(d != place and inside for d, inside in enumerate(self._crossing(cell)))
            }
            found |= set(self._left(labels, numbers))
        everybody, total = frozenset(self.atoms[place]), self.series.totals.get(self.series.dimensions[place])
        is_label = total is None or any(
            cell[place] != total and frozenset(self.covered(place, cell[place])) == everybody for _, cell, _ in rows
        )
        return [one for one in found if one and (is_label or one != everybody)]

    def _hides(self, text: str) -> bool:
        return text in self.series.markers and not _single(self.series.markers[text])

    @staticmethod
    def _left(labels: list[frozenset[str]], numbers: set[frozenset[str]]) -> list[frozenset[str]]:
        found = []
        for label in labels:
            meeting = [one for one in numbers if one & label and label - one]
            inside = [one for one in meeting if one <= label]
            found += [label - frozenset().union(*some) for some in (inside, meeting) if len(some) > 1]
        return found

    def _lines(self, rows: list[tuple[int, tuple[str, ...], str]]) -> list[tuple[int, Box]]:
        """What the numbers of each line leave of each label, and the sum of its hidden cells."""
        found = []
        for place in range(len(self.atoms)):
            labels = self._labels(place, rows)
            lines: dict[tuple[object, ...], list[tuple[tuple[str, ...], str]]] = {}
            for release, cell, text in rows:
                if is_published(text):
                    around = tuple(frozenset(self.covered(d, label)) for d, label in enumerate(cell) if d != place)
                    lines.setdefault((release, around), []).append((cell, text))
            for (release, around), line in lines.items():
                split: dict[bool, set[frozenset[str]]] = {True: set(), False: set()}
                for cell, text in line:
                    split[self._hides(text)].add(frozenset(self.covered(place, cell[place])))
                sets = self._left(labels, split[False])
                sets += [frozenset().union(*split[True])] if len(split[True]) > 1 else []
                for one in sets:
                    if one and one != frozenset(self.atoms[place]):
                        chosen = [*around[:place], one, *around[place:]]
                        found.append((release, frozenset(product(*chosen))))
        return found

    def _increases(self, derived: list[_Question]) -> list[_Question]:
        series, found = self.series, []
        for release in range(1, len(series.releases) if series.over_time == "cumulative" else 0):
            boxes = [self.box(cell) for cell, text in series.releases[release] if is_published(text)]
            boxes += [box for at, _, box, _ in derived if at == release]
            for box in dict.fromkeys(boxes):
                for since in range(release - 1, -1, -1):
                    found.append((release, since, box, list(range(since + 1, release + 1))))
                    before = [row for row in series.releases[since] if is_published(row[1]) and self.box(row[0]) == box]
                    if any(not self._hides(text) and _single(self.ends(since, cell, text)) for cell, text in before):
                        break
        return found


def _single(ends: tuple[int, int | None]) -> bool:
    return ends[0] == ends[1]


def counts_of(v: int, base: int, how: str) -> tuple[int, int]:
    """Return the counts that are published as v, as docs/tables.md has it."""
    half = base // 2
    to_even = [count for count in range(v - base, v + base + 1) if round(Fraction(count, base)) * base == v]
    low, high = {
        "nearest": (v - half, v + -(-base // 2) - 1),
        "even": (min(to_even, default=v), max(to_even, default=v)),
        "down": (v, v + base - 1),
        "up": (v - base + 1, v),
        "random": (v - base + 1, v + base - 1),
        "midpoint": (0, 0) if v == 0 else (v - half + 1, v + half),
    }[how]
    return max(0, low), high
