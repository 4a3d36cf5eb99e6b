"""All worlds of a series of any kind, by trying every assignment of rows to people.

A world gives each person, in each release in which the adversary knows the person to be, one row that nobody else has.
Under `linked` it is a row of the person's own group, and rows without a person are columns of their own. Under
`register` it is a row whose cells cover the person; the other rows belong to strangers or are published counterfeits,
which may be chosen in as many ways as there are. In an Anatomy pair a row is chosen by its cells, and all rows of a
group have its values in any order. From release to release a person's value changes along allowed transitions, each
with its weight, and not at all where there are none.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, prod

from tests.helpers.tiny import Row, TinySeries, covers

Values = tuple[str, ...]
"""One value for each of some people, in order."""


@dataclass
class Worlds:
    """Sums over all worlds of a series.

    Args:
        total: The weight of all worlds.
        distinct: How many different assignments of values to people there are.
        having: The weight of the worlds in which a person has a value in a release.
        ever: The weight of the worlds in which a person has a value in some release.
    """

    total: Fraction = Fraction(0)
    distinct: int = 0
    having: dict[tuple[str, int, str], Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    ever: dict[tuple[str, str], Fraction] = field(default_factory=lambda: defaultdict(Fraction))

    def posteriors(self) -> dict[tuple[str, int], dict[str, Fraction]]:
        """Return for each person and release the probability of each value that some world has."""
        found: dict[tuple[str, int], dict[str, Fraction]] = defaultdict(dict)
        for (person, release, value), weight in self.having.items():
            found[person, release][value] = weight / self.total
        return found

    def add(self, history: list[dict[str, str]], weight: Fraction) -> None:
        """Count one world: who has which value in each release."""
        self.total += weight
        self.distinct += 1
        for release, values in enumerate(history):
            for person, value in values.items():
                self.having[person, release, value] += weight
        for person, value in {pair for values in history for pair in values.items()}:
            self.ever[person, value] += weight


def worlds_of(series: TinySeries, adversary: str = "linked") -> Worlds:
    """Return the sums over all worlds of a series."""
    ways = [(_in_groups if adversary == "linked" else _covering)(series, j) for j in range(len(series.releases))]
    found = Worlds()
    for history, weight in _histories(series, ways, {}):
        found.add(history, weight)
    return found


Ways = tuple[list[str], dict[Values, int]]
"""The people of a release, and in how many ways they can have which values."""


def _histories(
    series: TinySeries, ways: list[Ways], latest: dict[str, str]
) -> Iterator[tuple[list[dict[str, str]], Fraction]]:
    """Yield each way to go through these releases after the latest values, with its weight."""
    if not ways:
        yield [], Fraction(1)
        return
    people, assignments = ways[0]
    for values, number in assignments.items():
        weight = Fraction(number)
        for person, value in zip(people, values, strict=True):
            weight *= series.step(latest[person], value) if person in latest else 1
        if weight:
            here = dict(zip(people, values, strict=True))
            for later, rest in _histories(series, ways[1:], {**latest, **here}):
                yield [here, *later], weight * rest


def _in_groups(series: TinySeries, release: int) -> Ways:
    """Each group's people have its values in any order."""
    rows = series.releases[release]
    names = [row.individual or f"row {place} of release {release}" for place, row in enumerate(rows)]
    groups = [[place for place, row in enumerate(rows) if row.group == group] for group in {row.group for row in rows}]
    orders = [sorted(set(permutations(rows[place].value for place in group))) for group in groups]
    people = [names[place] for group in groups for place in group]
    return people, {tuple(value for order in chosen for value in order): 1 for chosen in product(*orders)}


def _covering(series: TinySeries, release: int) -> Ways:
    """Each registered person has a row that covers them, and the other rows hide the counterfeits."""
    rows = series.releases[release]
    lines = [line for line in series.register or () if line.release == release]
    fits = [[place for place, row in enumerate(rows) if _covers(row, line.exact)] for line in lines]
    size = Counter(row.group for row in rows)
    counterfeits = series.counterfeits[release] if series.counterfeits else {}
    found: dict[Values, int] = defaultdict(int)
    for chosen in product(*fits):
        if len(set(chosen)) < len(chosen):
            continue
        taken = Counter(rows[place].group for place in chosen)
        number = 1
        for group, hidden in counterfeits.items():
            number *= comb(size[group] - taken[group], hidden)
        if series.anatomy:
            number *= prod(factorial(size[group] - taken[group]) for group in size)
        if number:
            for values in _values(series, rows, chosen):
                found[values] += number
    return [line.individual for line in lines], dict(found)


def _values(series: TinySeries, rows: list[Row], chosen: tuple[int, ...]) -> Iterator[Values]:
    """Yield what the people on these rows can have: the row's value, or in a pair any of the group's, each once.

    In a pair the strangers' rows have the values that are left, in any order.
    """
    if not series.anatomy:
        yield tuple(rows[place].value for place in chosen)
        return
    mates = [[k for k, row in enumerate(rows) if row.group == rows[place].group] for place in chosen]
    for slots in product(*mates):
        if len(set(slots)) == len(slots):
            yield tuple(rows[slot].value for slot in slots)


def _covers(row: Row, exact: tuple[str, ...]) -> bool:
    return all(covers(cell, value) for cell, value in zip(row.cells, exact, strict=True))
