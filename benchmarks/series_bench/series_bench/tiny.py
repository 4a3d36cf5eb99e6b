"""Tiny series whose worlds are all enumerated, so that the probability of every value is known exactly.

A series consists of islands: a few people who share groups with nobody else, whose values never change. A world gives
each of them a value such that every group has the values that are published for it; all worlds are equally likely,
as the rows of a group can be dealt out in equally many ways in each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from series_bench.files import write_csv, write_text

VALUES = ("a", "b", "c")
Group = tuple[int, int]
"""A release and a number."""


@dataclass(frozen=True)
class Island:
    """A few people with their groups.

    Attributes:
        values: the value of each person.
        groups: for each release the group of each person; None where the person is away.
    """

    values: tuple[str, ...]
    groups: tuple[tuple[int | None, ...], ...]

    def published(self) -> Mapping[Group, Counter[str]]:
        """Return how often each group has each value."""
        found: dict[Group, Counter[str]] = {}
        for group, person in self._memberships():
            found.setdefault(group, Counter())[self.values[person]] += 1
        return found

    def worlds(self) -> Iterator[tuple[str, ...]]:
        """Yield everybody's values in each world.

        >>> two = Island(("a", "b"), ((0, 0),))
        >>> sorted(two.worlds())
        [('a', 'b'), ('b', 'a')]
        """
        own: dict[int, list[Group]] = {}
        for group, person in self._memberships():
            own.setdefault(person, []).append(group)
        free = {group: counts.copy() for group, counts in self.published().items()}

        def extend(before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
            if len(before) == len(self.values):
                yield before
                return
            mine = own.get(len(before), [])
            for value in VALUES:
                if mine and all(free[group][value] for group in mine):
                    for group in mine:
                        free[group][value] -= 1
                    yield from extend((*before, value))
                    for group in mine:
                        free[group][value] += 1

        return extend(())

    def posterior(self) -> tuple[Mapping[str, float], ...]:
        """Return for each person how probable each value is, those aside that no world has.

        >>> Island(("a", "b", "b"), ((0, 0, 1), (0, 1, 0))).posterior()[0]
        {'a': 1.0}
        """
        every = list(self.worlds())
        columns = (Counter(world[person] for world in every) for person in range(len(self.values)))
        return tuple({value: count / len(every) for value, count in sorted(column.items())} for column in columns)

    def _memberships(self) -> Iterator[tuple[Group, int]]:
        for release, groups in enumerate(self.groups):
            for person, group in enumerate(groups):
                if group is not None:
                    yield (release, group), person


def draw_island(rng: np.random.Generator) -> Island:
    """Return four to six people in two or three releases, in groups of two or three; everybody is somewhere."""
    people, releases = int(rng.integers(4, 7)), int(rng.integers(2, 4))
    values = tuple(VALUES[code] for code in rng.integers(0, len(VALUES), people))
    away = rng.random((releases, people)) < 0.2
    away[rng.integers(0, releases, people), np.arange(people)] = False
    groups = []
    for absent in away:
        here = rng.permutation(np.flatnonzero(~absent))
        number = dict(zip(here.tolist(), (np.arange(len(here)) // 2).tolist(), strict=True))
        if len(here) % 2 and len(here) > 1:
            number[int(here[-1])] -= 1
        groups.append(tuple(number.get(person) for person in range(people)))
    return Island(values, tuple(groups))


def write_islands(islands: Sequence[Island], folder: Path) -> None:
    """Write islands as one series of Anatomy pairs, whose keys say who is in which group and nothing of values."""
    releases = max(len(island.groups) for island in islands)
    pairs = []
    for release in range(releases):
        tag = str(release + 1)
        there = [(number, island) for number, island in enumerate(islands) if release < len(island.groups)]
        members = [
            (f"{number}.{group}", f"{number}.{person}")
            for number, island in there
            for person, group in enumerate(island.groups[release])
            if group is not None
        ]
        counts = [
            (f"{number}.{group}", value, str(rows))
            for number, island in there
            for (at, group), found in sorted(island.published().items())
            for value, rows in sorted(found.items())
            if at == release
        ]
        write_csv(folder / f"releases/{tag}.rows.csv", ["Group"], [[group] for group, _ in members])
        write_csv(folder / f"releases/{tag}.values.csv", ["Group", "Value", "count"], counts)
        keys = [[str(row), person] for row, (_, person) in enumerate(members)]
        write_csv(folder / f"private/{tag}.key.csv", ["row", "individual"], keys)
        pairs.append(f'{{ rows = "releases/{tag}.rows.csv", values = "releases/{tag}.values.csv" }}')
    lines = ["[series]", 'name = "Tiny series, side by side"', f"releases = [{', '.join(pairs)}]", ""]
    lines += ["[columns]", 'sensitive = "Value"', "quasi_identifiers = []", 'group = "Group"']
    write_text(folder / "series.toml", "\n".join(lines) + "\n")
