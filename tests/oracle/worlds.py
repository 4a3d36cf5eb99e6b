"""All worlds of a tiny series, one by one: every way to give everybody a row of each of their releases."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise, product
from math import prod

from tests.helpers.tiny import TinySeries
from tests.oracle.per_person import Version, hosts, known_values

Column = tuple[str | None, list[int], list[set[str]]]
Slot = tuple[int, str, str]


@dataclass
class Worlds:
    """How many there are, and the weight of those in which a version has a value.

    `count` is of distinct assignments of values to columns; under `register`, where strangers take what is
    left, it is of assignments of (group, value) to people. `weight` tells rows of equal values apart.
    """

    count: int = 0
    weight: Fraction = Fraction(0)
    weights: dict[Version, dict[str, Fraction]] = field(default_factory=dict)

    def possible(self, person: str, release: int) -> set[str]:
        return set(self.weights.get((person, release), ()))

    def posterior(self, person: str, release: int) -> dict[str, Fraction]:
        return {value: part / self.weight for value, part in self.weights[person, release].items()}


def worlds(series: TinySeries, adversary: str = "linked") -> Worlds:
    """Enumerate them all; a world's weight is the product of its transitions' weights, times the choices of rows."""
    found = Worlds()
    free = Counter((j, row.group, row.value) for j, release in enumerate(series.releases) for row in release)
    for histories, weight in _fill(series, _columns(series, adversary), free, adversary):
        found.count += 1
        found.weight += weight
        for version, value in histories:
            through = found.weights.setdefault(version, {})
            through[value] = through.get(value, Fraction(0)) + weight
    return found


def few(series: TinySeries, adversary: str, most: int) -> bool:
    """Whether there are no more worlds than so many."""
    free = Counter((j, row.group, row.value) for j, release in enumerate(series.releases) for row in release)
    return next(islice(_fill(series, _columns(series, adversary), free, adversary), most, None), None) is None


def _columns(series: TinySeries, adversary: str) -> list[Column]:
    """Everyone who takes up rows: a counterfeit without identity is a column of its own."""
    if adversary == "register":
        return [
            (person, stay, [hosts(series, person, j, adversary) for j in stay])
            for person in series.people(adversary)
            for stay in [series.presence(person, adversary)]
        ]
    names = {row.individual for release in series.releases for row in release if row.individual is not None}
    columns: list[Column] = [
        (name, stay, [hosts(series, name, j, adversary) for j in stay])
        for name in names
        for stay in [series.presence(name)]
    ]
    columns += [
        (None, [j], [{row.group}])
        for j, release in enumerate(series.releases)
        for row in release
        if row.individual is None
    ]
    return sorted(columns, key=lambda column: (column[1][0], min(column[2][0]), column[0] or ""))


def _fill(
    series: TinySeries, columns: list[Column], free: Counter[Slot], adversary: str
) -> Iterator[tuple[list[tuple[Version, str]], Fraction]]:
    """Give the first column each history that it may have, and the others what is left."""
    if not columns:
        yield [], Fraction(1)
        return
    (name, stay, groups), *others = columns
    choices = [_open(series, name, j, where, free, adversary) for j, where in zip(stay, groups, strict=True)]
    for slots in product(*choices):
        weight = prod((series.step(before[2], after[2]) for before, after in pairwise(slots)), start=Fraction(1))
        if not weight:
            continue
        weight *= prod(free[slot] for slot in slots)
        left = free - Counter(slots)
        mine = [] if name is None else [((name, slot[0]), slot[2]) for slot in slots]
        for rest, its_weight in _fill(series, others, left, adversary):
            yield mine + rest, weight * its_weight


def _open(
    series: TinySeries, name: str | None, release: int, groups: set[str], free: Counter[Slot], adversary: str
) -> list[Slot]:
    known = known_values(series, release, adversary).get(name or "")
    return [slot for slot in free if slot[0] == release and slot[1] in groups and known in {None, slot[2]}]
