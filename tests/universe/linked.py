"""Every linked series of up to 4 people, 3 releases and 3 values that has a world, with what all its worlds say.

Values never change. A *shape* says who is with whom: for each release a partition of the people present, one of 52 for
4 people, so 52³ shapes, 8,205 up to the names of people. Order of releases counts; a release may be empty, and a person
in none. Each series of a shape comes from some world, so the series of a shape are the classes of its 3⁴ assignments of
values that publish the same groups, up to the names of values and of people whom the shape does not tell apart.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, combinations, permutations, product

import numpy as np

from tests.universe.linear import Group, Linear, reason

PEOPLE, RELEASES, VALUES = 4, 3, 3
ABSENT = 0

Partition = tuple[int, ...]
"""Each person's group, numbered from 1 in order of their first member; 0 for absent."""


def partitions() -> list[Partition]:
    """Return every partition of every set of people."""
    found = [()]
    for _ in range(PEOPLE):
        found = [(*p, group) for p in found for group in range(max(p, default=0) + 2)]
    return found


def numbered(labels: Partition) -> Partition:
    """Return the same partition with groups numbered in order."""
    number = {ABSENT: ABSENT}
    return tuple(number.setdefault(label, len(number)) for label in labels)


PARTITIONS = partitions()
NAMINGS = list(permutations(range(PEOPLE)))
RENAMED = np.array([[PARTITIONS.index(numbered([p[i] for i in naming])) for p in PARTITIONS] for naming in NAMINGS])
ASSIGNMENTS = np.array(list(product(range(VALUES), repeat=PEOPLE)))
VALUE_NAMINGS = np.array(list(permutations(range(VALUES))))


def shapes() -> np.ndarray:
    """Return one shape for each orbit under renaming people: int64 (shapes, releases), places in `PARTITIONS`."""
    every = np.array(list(product(range(len(PARTITIONS)), repeat=RELEASES)))
    place = len(PARTITIONS) ** np.arange(RELEASES)[::-1]
    codes = (RENAMED[:, every] @ place).max(axis=0)  # the greatest: people who are in no release come last
    return every[np.unique(codes)]


@dataclass(frozen=True)
class Linked:
    """One series: its shape, and all worlds, any of which gives what was published.

    Args:
        releases: A partition for each release.
        worlds: Each world's value of each person, (worlds, people); people in no release are left out.
    """

    releases: tuple[Partition, ...]
    worlds: np.ndarray

    @property
    def people(self) -> int:
        """How many people are in some release: the first so many."""
        return self.worlds.shape[1]

    @cached_property
    def groups(self) -> list[list[tuple[list[int], list[int]]]]:
        """For each release, its groups: members, and the values published of them in order."""
        return [
            [
                (members, sorted(int(self.worlds[0, i]) for i in members))
                for group in range(1, max(partition) + 1)
                for members in [[i for i, label in enumerate(partition) if label == group]]
            ]
            for partition in self.releases
        ]

    @cached_property
    def counts(self) -> np.ndarray:
        """In how many worlds each person has each value, (people, values)."""
        return (self.worlds[:, :, None] == np.arange(VALUES)).sum(axis=0)

    def posterior(self, person: int, value: int) -> Fraction:
        """Return the share of worlds in which the person has the value."""
        return Fraction(int(self.counts[person, value]), len(self.worlds))

    @property
    def equal(self) -> list[tuple[int, int]]:
        """Pairs of people who have the same value in every world."""
        return [
            (i, j) for i, j in combinations(range(self.people), 2) if (self.worlds[:, i] == self.worlds[:, j]).all()
        ]

    @property
    def homogeneous(self) -> list[tuple[int, int]]:
        """Release and group, numbered from 1, of each group that has one value only."""
        return [
            (release, number)
            for release, groups in enumerate(self.groups)
            for number, (_, values) in enumerate(groups, 1)
            if len(set(values)) == 1
        ]

    @property
    def linear(self) -> Linear:
        """What linear reasoning over the published groups shows."""
        return reason(map(self._counted, chain.from_iterable(self.groups)), self.people, VALUES)

    def _counted(self, group: tuple[list[int], list[int]]) -> Group:
        members, values = group
        return tuple(int(i in members) for i in range(self.people)), tuple(values.count(v) for v in range(VALUES))


def what_is_published(releases: Sequence[Partition], worlds: np.ndarray) -> np.ndarray:
    """Return a number for what each group shows in each world: int64 (groups, worlds)."""
    groups = [
        (np.array(partition[: worlds.shape[1]]) == group) @ (PEOPLE + 1) ** worlds.T
        for partition in releases
        for group in range(1, max(partition) + 1)
    ]
    return np.array(groups, dtype=np.int64).reshape(-1, len(worlds))


@cache
def assignments(people: int) -> np.ndarray:
    """Return every assignment of values to so many people: (assignments, people)."""
    return np.array(list(product(range(VALUES), repeat=people)), dtype=np.int64).reshape(VALUES**people, people)


def worlds_like(releases: Sequence[Partition], world: Sequence[int]) -> np.ndarray:
    """Return all worlds of the series that shows this one; (worlds, people)."""
    every = assignments(len(world))
    same = what_is_published(releases, every) == what_is_published(releases, np.array([world], dtype=np.int64))
    return every[same.all(axis=0)]


def series_of(shape: np.ndarray) -> Iterator[Linked]:
    """Yield the series of a shape: one for each orbit under renaming values and people whom the shape confuses."""
    releases = [PARTITIONS[place] for place in shape]
    present = np.array(releases).any(axis=0)
    worlds = ASSIGNMENTS[(ASSIGNMENTS[:, ~present] == 0).all(axis=1)]
    published = what_is_published(releases, worlds)
    kind = np.unique(published, axis=1, return_inverse=True)[1].ravel()
    place_of = np.full(VALUES**PEOPLE, -1)
    weight = VALUES ** np.arange(PEOPLE)
    place_of[worlds @ weight] = np.arange(len(worlds))
    stabilizer = [NAMINGS[k] for k in range(len(NAMINGS)) if (RENAMED[k, shape] == shape).all()]
    least = kind
    for naming, values in product(stabilizer, VALUE_NAMINGS):
        image = np.where(present, values[worlds[:, naming]], 0)
        least = np.minimum(least, kind[place_of[image @ weight]])
    for one in np.unique(least):
        yield Linked(tuple(releases), worlds[kind == one][:, present])


def universe() -> Iterator[Linked]:
    """Yield every series, shape by shape."""
    for shape in shapes():
        yield from series_of(shape)
