"""Tiny growing series, and all their worlds by enumeration: row by row, point by point.

A cell is a set of points of its attribute, a row a tuple of cells and a value. The enumeration knows nothing of
classes, states or flows.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise, permutations, product

import numpy as np

from audit.model.evidence import PublishedRows


@dataclass
class Growing:
    """A growing series: rows of each release as (cells, value); which value may follow which; points by attribute."""

    releases: list
    allowed: np.ndarray
    domain: list


class CellTable:
    """Numbers of cells, as the attack is given them."""

    def __init__(self, domain):
        self.domain = domain
        self.cells = [[] for _ in domain]
        self.number = [{} for _ in domain]

    def add(self, attribute, cell):
        number = self.number[attribute].setdefault(cell, len(self.cells[attribute]))
        if number == len(self.cells[attribute]):
            self.cells[attribute].append(cell)
        return number

    def shared(self, attribute, left, right):
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        common = (self.cells[attribute][one] & self.cells[attribute][other] for one, other in pairs)
        return np.array([self.add(attribute, cell) if cell else -1 for cell in common], dtype=np.int32)

    def atoms(self, attribute, cells):
        table = [[point in self.cells[attribute][cell] for cell in cells.tolist()] for point in self.domain[attribute]]
        kinds, first = np.unique(
            np.array(table, dtype=np.bool_).reshape(len(table), len(cells)), axis=0, return_index=True
        )
        points = [self.add(attribute, frozenset([self.domain[attribute][at]])) for at in first.tolist()]
        return np.array(points, dtype=np.int32), kinds

    def rows(self, release):
        cells = [[self.add(at, cell) for at, cell in enumerate(cells)] for cells, _ in release]
        width = len(self.domain)
        return PublishedRows(
            np.array(cells, dtype=np.int32).reshape(len(release), width),
            np.array([value for _, value in release], dtype=np.int32),
            np.zeros(len(release), dtype=np.int32),
            None,
            0,
        )


def growing(rng, releases=None, rows=5):
    """Return a small growing series that a true world fits."""
    releases = releases or int(rng.choice([1, 2, 2, 2, 3, 3]))
    width, points, values = int(rng.integers(1, 3)), int(rng.integers(2, 5)), int(rng.integers(1, 4))
    domain = [list(range(points))] * width
    allowed = np.eye(values, dtype=np.bool_)
    if rng.random() < 0.3:
        allowed |= rng.random((values, values)) < 0.3
    kinds = [[frozenset(np.flatnonzero(rng.random(points) < 0.5).tolist()) for _ in range(4)] for _ in range(width)]
    people, found = [], []
    for _ in range(releases):
        people = [(point, int(rng.choice(np.flatnonzero(allowed[value])))) for point, value in people]
        for _ in range(int(rng.integers(0 if people else 1, 4))):
            if len(people) < rows:
                people.append((rng.integers(0, points, width).tolist(), int(rng.integers(values))))
        release = []
        for point, value in people:
            cells = []
            for attribute, at in enumerate(point):
                fitting = [kind for kind in kinds[attribute] if at in kind] or [frozenset([at])]
                cells.append(fitting[int(rng.integers(len(fitting)))])
            release.append((tuple(cells), value))
        found.append([release[at] for at in rng.permutation(len(release))])
    return Growing(found, allowed, domain)


def worlds(series):
    """Yield all worlds: for each row of the last release, the chain of rows that leads to it, and its first release."""

    def follow(number, chains):
        if number == len(series.releases):
            yield chains
            return
        rows = series.releases[number]
        for choice in permutations(range(len(rows)), len(chains)):
            longer = []
            for (first, chain, box), row in zip(chains, choice, strict=True):
                cells, value = rows[row]
                common = tuple(one & other for one, other in zip(box, cells, strict=True))
                before = series.releases[number - 1][chain[-1]][1]
                if not all(common) or not series.allowed[before, value]:
                    break
                longer.append((first, (*chain, row), common))
            else:
                new = [(number, (row,), rows[row][0]) for row in range(len(rows)) if row not in choice]
                yield from follow(number + 1, longer + new)

    yield from follow(1, [(0, (row,), cells) for row, (cells, _) in enumerate(series.releases[0])])


@dataclass
class Truth:
    """What all worlds together say.

    Attributes:
        count: how many worlds there are.
        links: by release but the first, pairs of rows, with the number of worlds that have each.
        left: by point, first release and release, the rows that some world leaves.
    """

    count: int
    links: list
    left: dict


def truth(series):
    """Return what all worlds of a series say."""
    count, links, left = 0, [defaultdict(int) for _ in series.releases], defaultdict(set)
    boxes = defaultdict(set)
    for world in worlds(series):
        count += 1
        for first, chain, box in world:
            for step, (one, other) in enumerate(pairwise(chain), first + 1):
                links[step][one, other] += 1
            boxes[first, chain].add(box)
    for (first, chain), several in boxes.items():
        for box in several:
            for point in product(*(sorted(cell) for cell in box)):
                for release, row in enumerate(chain, first):
                    left[point, first, release].add(row)
    return Truth(count, links, left)
