"""Small series of people whose values change along known transitions.

A series has a shape (who is with whom, as for values that never change), a relation between values in which each value
leads somewhere, and what each release shows of some history along it. Pairs of the relation have probabilities, or all
pairs of a value are equally likely.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, permutations, product

import numpy as np

from tests.helpers.tiny import Row, TinySeries, Transitions
from tests.universe.linked import ABSENT, NAMINGS, PARTITIONS, RENAMED, Partition, shapes

Relation = frozenset[tuple[str, str]]
History = tuple[tuple[str | None, ...], ...]
"""Each person's value in each release, None where absent."""

PROBABILITIES = tuple(Fraction(n, 4) for n in (1, 2, 3))


@dataclass(frozen=True)
class Space:
    """All series of so many people at most, the last so many releases of a shape, and so many values."""

    people: int
    releases: int
    values: str

    @cached_property
    def shapes(self) -> list[np.ndarray]:
        """Shapes whose further people and earlier releases are empty."""
        empty = PARTITIONS.index((ABSENT,) * len(PARTITIONS[0]))
        return [
            shape
            for shape in shapes()
            if (shape[: -self.releases] == empty).all()
            and shape[-1] != empty
            and not any(any(PARTITIONS[place][self.people :]) for place in shape)
        ]

    @cached_property
    def relations(self) -> list[Relation]:
        """Relations in which each value leads to some value."""
        subsets = [
            [value for value, taken in zip(self.values, chosen, strict=True) if taken]
            for chosen in product([True, False], repeat=len(self.values))
            if any(chosen)
        ]
        return [
            frozenset((source, target) for source, part in zip(self.values, chosen, strict=True) for target in part)
            for chosen in product(subsets, repeat=len(self.values))
        ]

    def everything(self) -> Iterator[TinySeries]:
        """Yield every series without probabilities, once up to the names of people and values."""
        namings = [dict(zip(self.values, order, strict=True)) for order in permutations(self.values)]
        for shape in self.shapes:
            confused = [NAMINGS[k] for k in range(len(NAMINGS)) if (RENAMED[k, shape] == shape).all()]
            partitions = [PARTITIONS[place] for place in shape[-self.releases :]]
            seen = set()
            for relation in self.relations:
                for history in self._histories(partitions, relation):
                    key = min(
                        (
                            sorted((name[a], name[b]) for a, b in relation),
                            shown(
                                partitions,
                                tuple(tuple(v and name[v] for v in history[i]) for i in naming[: self.people]),
                            ),
                        )
                        for name in namings
                        for naming in ([n for n in confused if n[self.people :] == NAMINGS[0][self.people :]])
                    )
                    if (found := repr(key)) not in seen:
                        seen.add(found)
                        yield series_of(partitions, history, dict.fromkeys(sorted(relation)))

    def _histories(self, partitions: list[Partition], relation: Relation) -> Iterator[History]:
        def ways(present: list[bool]) -> Iterator[tuple[str | None, ...]]:
            for way in product(*([*self.values] if here else [None] for here in present)):
                versions = [value for value in way if value]
                if all(step in relation for step in pairwise(versions)):
                    yield way

        people = range(self.people)
        return product(*(ways([partition[i] != ABSENT for partition in partitions]) for i in people))

    def drawn(self, number: int, rng: np.random.Generator) -> list[TinySeries]:
        """Return so many series drawn at random, every second one with probabilities."""
        return [self._draw(rng, weighted=bool(k % 2)) for k in range(number)]

    def _draw(self, rng: np.random.Generator, *, weighted: bool) -> TinySeries:
        shape = self.shapes[rng.integers(len(self.shapes))]
        partitions = [PARTITIONS[place] for place in shape[-self.releases :]]
        relation = self.relations[rng.integers(len(self.relations))]
        history = []
        for person in range(self.people):
            way, latest = [], None
            for partition in partitions:
                if partition[person] == ABSENT:
                    way.append(None)
                    continue
                choices = [b for a, b in sorted(relation) if a == latest] if latest else [*self.values]
                latest = choices[rng.integers(len(choices))]
                way.append(latest)
            history.append(tuple(way))
        chances = [PROBABILITIES[rng.integers(len(PROBABILITIES))] if weighted else None for _ in relation]
        return series_of(partitions, tuple(history), dict(zip(sorted(relation), chances, strict=True)))


def shown(partitions: list[Partition], history: History) -> list[list[tuple[int, list[str]]]]:
    """Return the values that each group shows of a history."""
    return [
        [
            (group, sorted(way[j] or "" for way, label in zip(history, partition, strict=False) if label == group))
            for group in range(1, max(partition) + 1)
        ]
        for j, partition in enumerate(partitions)
    ]


def series_of(partitions: list[Partition], history: History, transitions: Transitions | None) -> TinySeries:
    """Return the series that shows this history; each row has its owner and the owner's value."""
    return TinySeries(
        [
            [
                Row(f"p{i}", str(label), value)
                for i, (way, label) in enumerate(zip(history, partition, strict=False))
                if (value := way[j])
            ]
            for j, partition in enumerate(partitions)
        ],
        transitions,
    )


SPACES = {
    "three people, two values": Space(3, 2, "ab"),
    "two people, three values": Space(2, 2, "abc"),
    "two people, three releases": Space(2, 3, "ab"),
    "three people, three releases": Space(3, 3, "ab"),
}
"""What is enumerated, by what it is about."""
