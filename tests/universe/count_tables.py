"""Small series of count tables, and what all counts that agree with them say, by trying every count.

A family fixes rules and which cells each release publishes; its series are what these rules make of all small counts.
An atom is a label of each dimension (and the rest, where a dimension is open) in a stretch of time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product

import numpy as np

from tests.helpers.count_tables import TinyTables

TOTAL, REST = "All", "(rest)"
HIDDEN, ERASED = "*", ".."
Cell = tuple[str, ...]
Texts = tuple[tuple[str, ...], ...]
"""For each release, what each of its cells says."""
Interval = tuple[int, int]


@dataclass(frozen=True)
class Family:
    """Rules, and which cells are published.

    Args:
        labels: The labels of each dimension, without the total.
        crossings: For each release, which dimensions are crossed: a cell for each combination of their labels.
        most: The largest count of an atom in the data that are published.
        bound: No atom can count more in any world, as the cells say.
        hidden: The counts that the marker stands for; all from 1 below the threshold are published as it.
        erased: Whether one more cell of the finest crossing is hidden, by a marker that stands for any count.
        rounding: Base and way.
        left_out: Cells of these crossings that no release publishes.
        open: Dimensions whose labels do not cover everybody.
        over_time: `same`, `cumulative` or `independent`.
        nested: Labels of the first dimension that cover several atoms, or an atom of another name.
    """

    labels: tuple[tuple[str, ...], ...]
    crossings: tuple[tuple[tuple[int, ...], ...], ...]
    most: int
    bound: int
    threshold: int | None = None
    erased: bool = False
    rounding: tuple[int, str] | None = None
    left_out: tuple[Cell, ...] = ()
    open: tuple[int, ...] = ()
    over_time: str = "independent"
    min_count: int = 4
    min_width: int = 3
    nested: tuple[tuple[str, str], ...] = ()

    @property
    def dimensions(self) -> range:
        """The places of dimensions."""
        return range(len(self.labels))

    def cells(self, release: int) -> list[Cell]:
        """Return the cells that a release publishes."""
        crossed = (self.combinations(crossing, atoms=False) for crossing in self.crossings[release])
        return [cell for cell in chain.from_iterable(crossed) if cell not in self.left_out]

    def combinations(self, crossing: tuple[int, ...], *, atoms: bool) -> list[Cell]:
        """Return a cell for each combination of labels, or of atoms, of the crossed dimensions."""
        labels = map(self._atoms_of, self.dimensions) if atoms else self.labels
        return list(product(*(each if place in crossing else [TOTAL] for place, each in enumerate(labels))))

    def _atoms_of(self, place: int) -> list[str]:
        if place == 0 and self.nested:
            return sorted(set("".join(atoms for _, atoms in self.nested)))
        return [*self.labels[place], *([REST] if place in self.open else [])]

    def _covers(self, place: int, label: str, atom: str) -> bool:
        return label in (TOTAL, atom) or (place == 0 and atom in dict(self.nested).get(label, ""))

    @cached_property
    def atoms(self) -> list[tuple[Cell, int]]:
        """Each combination of labels, and when: the release in which people came, where that matters."""
        times = range(1 if self.over_time == "same" else len(self.crossings))
        return list(product(self.combinations(tuple(self.dimensions), atoms=True), times))

    def box(self, cell: Cell, release: int, since: int | None = None) -> np.ndarray:
        """Return which atoms a cell counts in a release, or in what it grew by since an earlier one; bool (atoms,)."""
        first = {"same": 0, "cumulative": 0 if since is None else since + 1, "independent": release}[self.over_time]
        last = 0 if self.over_time == "same" else release
        return np.array(
            [
                first <= time <= last and all(map(self._covers, self.dimensions, cell, labels))
                for labels, time in self.atoms
            ]
        )

    @cached_property
    def counts(self) -> np.ndarray:
        """Every way to count atoms up to the bound: (ways, atoms)."""
        return np.indices((self.bound + 1,) * len(self.atoms), dtype=np.int16).reshape(len(self.atoms), -1).T

    def everything(self) -> list[Texts]:
        """Return every series, each once."""
        found: dict[Texts, None] = {}
        for data in product(range(self.most + 1), repeat=len(self.atoms)):
            for texts in self._published(np.array(data)):
                found[texts] = None
        return list(found)

    def _published(self, data: np.ndarray) -> Iterator[Texts]:
        releases = range(len(self.crossings))
        numbers = [[int(data[self.box(cell, release)].sum()) for cell in self.cells(release)] for release in releases]
        for texts in product(*(product(*(self._texts(number) for number in each)) for each in numbers)):
            if not self.erased:
                yield texts
                continue
            for release, cells in enumerate(texts):
                for place, cell in enumerate(self.cells(release)):
                    if TOTAL not in cell and cells[place] != HIDDEN:
                        changed = (*cells[:place], ERASED, *cells[place + 1 :])
                        yield (*texts[:release], changed, *texts[release + 1 :])

    def _texts(self, number: int) -> list[str]:
        """What may be published of a number."""
        if self.threshold and 0 < number < self.threshold:
            return [HIDDEN]
        if self.rounding is None:
            return [str(number)]
        base, way = self.rounding
        below = number - number % base
        above = below + base if number % base else below
        twice = 2 * (number - below)
        if way == "midpoint":
            return [str((number - 1) // base * base + base // 2) if number else "0"]
        if way == "random":
            return sorted({str(below), str(above)})
        up = {
            "down": False,
            "up": True,
            "nearest": twice >= base,
            "even": twice > base or (twice == base and below // base % 2 == 1),
        }[way]
        return [str(above if up else below)]

    def interval(self, text: str) -> Interval:
        """Return the counts that a text stands for."""
        if text == HIDDEN:
            return 1, (self.threshold or 1) - 1
        if text == ERASED:
            return 0, self.bound * len(self.atoms)
        number = int(text)
        low, high = self._before_rounding(number)
        if self.threshold and (number > 0 or low >= 1):
            low = max(low, self.threshold)
        if self.threshold and number == 0 and high < self.threshold:
            high = 0
        return low, high

    def _before_rounding(self, number: int) -> Interval:
        """Return the counts that are published as this number."""
        if self.rounding is None or (self.rounding[1] == "midpoint" and number == 0):
            return number, number
        base, way = self.rounding
        half = base // 2
        nearest = (number - half, number + (base + 1) // 2 - 1)
        low, high = {
            "nearest": nearest,
            "even": (number - half, number + half) if base % 2 == 0 else nearest,
            "down": (number, number + base - 1),
            "up": (number - base + 1, number),
            "random": (number - base + 1, number + base - 1),
            "midpoint": (number - half + 1, number + half),
        }[way]
        return max(low, 0), high

    def tables(self, parts: list[Texts]) -> TinyTables:
        """Return these series as one, with one more dimension that says which of them a cell is from."""
        names = ["part", *(f"d{place}" for place in self.dimensions)]
        markers = {HIDDEN: (1, (self.threshold or 2) - 1), **({ERASED: (0, None)} if self.erased else {})}
        return TinyTables(
            tuple(names),
            [
                [
                    ((f"s{number}", *cell), text)
                    for number, texts in enumerate(parts)
                    for cell, text in zip(self.cells(release), texts[release], strict=True)
                ]
                for release in range(len(self.crossings))
            ],
            totals=dict.fromkeys(names[1:], TOTAL),
            categories={"d0": {label: tuple(atoms) for label, atoms in self.nested}} if self.nested else {},
            open=tuple(names[1 + place] for place in self.open),
            markers=markers if self.threshold else {},
            threshold=self.threshold,
            rounding=self.rounding,
            over_time=self.over_time,
            min_count=self.min_count,
            min_width=self.min_width,
        )


@dataclass(frozen=True)
class Question:
    """A box that is asked about, and as what: a hidden cell, or a count that nobody may find out to be small."""

    release: int
    cell: Cell
    since: int | None = None
    hidden: bool = False


class Worlds:
    """All counts that agree with one series of a family."""

    def __init__(self, family: Family, texts: Texts) -> None:
        self.family, self.texts = family, texts
        kept = np.ones(len(family.counts), dtype=bool)
        reach = np.full(len(family.atoms), family.bound + 1)
        for release, cells in enumerate(texts):
            for cell, text in zip(family.cells(release), cells, strict=True):
                box = family.box(cell, release)
                low, high = family.interval(text)
                numbers = family.counts @ box.astype(np.int16)
                kept &= (low <= numbers) & (numbers <= high)
                reach[box] = np.minimum(reach[box], high)
        assert (reach <= family.bound).all(), "the cells allow larger counts than are tried"
        self.counts = family.counts[kept]

    def interval(self, cell: Cell, release: int, since: int | None = None) -> Interval:
        """Return the least and the largest count of a box in any world."""
        numbers = self.counts @ self.family.box(cell, release, since).astype(np.int16)
        return int(numbers.min()), int(numbers.max())

    def kind(self, question: Question) -> tuple[str, int, int] | None:
        """Return what is found out about a box, with its interval; None where that is nothing."""
        low, high = self.interval(question.cell, question.release, question.since)
        if question.hidden:
            kind = "recovered" if low == high else "narrowed" if high - low + 1 < self.family.min_width else None
        else:
            least = self.family.min_count
            small = low >= 1 and high < least
            kind = "recovered" if small and low == high else "small" if small and high - low + 1 < least - 1 else None
        return kind and (kind, low, high)

    def questions(self) -> Iterator[Question]:
        """Yield each published cell, each cell of a crossing whose box is not published, and each increase."""
        family = self.family
        shown = [dict(zip(family.cells(j), texts, strict=True)) for j, texts in enumerate(self.texts)]
        same = family.over_time == "same"
        boxes = [{family.box(cell, release).tobytes() for cell in cells} for release, cells in enumerate(shown)]
        for release, cells in enumerate(shown):
            for cell, text in cells.items():
                showing = [each[cell] for each in shown if cell in each] if same else [text]
                if same and any(cell in each for each in shown[:release]):
                    continue
                yield Question(release, cell, hidden=all(each in (HIDDEN, ERASED) for each in showing))
                if family.over_time == "cumulative" and release and cell in shown[release - 1]:
                    yield Question(release, cell, since=release - 1)
            for crossing in family.crossings[release]:
                later = same and any(crossing in each for each in family.crossings[release + 1 :])
                for cell in family.combinations(crossing, atoms=True):
                    known = set.union(*boxes) if same else boxes[release]
                    if not later and family.box(cell, release).tobytes() not in known:
                        yield Question(release, cell)


THREE, TWO, CROSSED = (("A", "B", "C"),), (("A", "B"),), (("A", "B"), ("F", "M"))
LINE, SQUARE = ((), (0,)), ((), (0,), (1,), (0, 1))

FAMILIES = {
    "numbers as they are": Family(TWO, (LINE,), 4, 8),
    "hidden in a line": Family(THREE, (LINE,), 5, 10, threshold=4),
    "hidden and erased in a line": Family(THREE, (LINE,), 4, 12, threshold=3, erased=True),
    "hidden in a square": Family(CROSSED, (SQUARE,), 3, 6, threshold=3, min_count=3),
    "hidden and erased in a square": Family(CROSSED, (SQUARE,), 3, 6, threshold=3, erased=True, min_count=3),
    "a square without one of its cells": Family(CROSSED, (SQUARE,), 3, 12, left_out=(("A", "F"),)),
    "a square without one of its margins": Family(CROSSED, (SQUARE,), 3, 6, threshold=3, left_out=(("A", TOTAL),)),
    "rounded up": Family(TWO, (LINE,), 8, 10, rounding=(5, "up"), min_count=6),
    "rounded down": Family(TWO, (LINE,), 8, 14, rounding=(5, "down"), min_count=6),
    "rounded to the nearest": Family(TWO, (LINE,), 8, 12, rounding=(5, "nearest"), min_count=6),
    "rounded to even": Family(TWO, (LINE,), 7, 10, rounding=(4, "even"), min_count=5),
    "rounded at random": Family(TWO, (LINE,), 4, 8, rounding=(3, "random")),
    "rounded to midpoints": Family(TWO, (LINE,), 8, 12, rounding=(6, "midpoint"), min_count=7),
    "rounded and hidden": Family(TWO, (LINE,), 8, 12, threshold=4, rounding=(5, "nearest")),
    "open": Family(TWO, (LINE,), 4, 12, threshold=3, open=(0,)),
    "the same people, twice": Family(CROSSED, (((), (0,)), ((), (1,))), 3, 6, threshold=3, over_time="same"),
    "cumulative": Family(TWO, (LINE, LINE), 3, 6, threshold=3, over_time="cumulative"),
    "nested labels": Family(
        (("P", "Q", "R"),), (LINE,), 2, 6, threshold=3, nested=(("P", "ab"), ("Q", "a"), ("R", "c"))
    ),
    "independent": Family(TWO, (LINE, LINE), 3, 6, threshold=3),
}
"""What is enumerated, by what it is about."""
