"""All worlds of a tiny series, one by one: every way to give each person a row in each of the person's releases."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise, product
from math import comb, factorial, prod

from tests.helpers.tiny import Row, TinySeries
from tests.oracle.per_person import Version, known_values, possible_rows, rooms

Group = tuple[int, str]
Kind = tuple[object, ...]
"""A release and a row class, as `Row.row_class` tells it."""
Slot = tuple[int, str, str]
"""A release, the name of what publishes a value, and the value."""
Choice = tuple[Kind, Slot]
Column = tuple[str | None, list[list[Choice]]]


@dataclass(frozen=True)
class Free:
    """The places that are left: rows with a value, rows of each row class, and rooms of each published group."""

    slots: Counter[Slot]
    kinds: Counter[Kind]
    rooms: Counter[Group]

    def fits(self, choices: Sequence[Choice]) -> bool:
        return all(
            self.slots[slot] and self.kinds[kind] and self.rooms[slot[0], str(kind[1])] for kind, slot in choices
        )

    def less(self, choices: Sequence[Choice]) -> "Free":
        return Free(
            self.slots - Counter(slot for _, slot in choices),
            self.kinds - Counter(kind for kind, _ in choices),
            self.rooms - Counter((slot[0], str(kind[1])) for kind, slot in choices),
        )

    def ways(self, choices: Sequence[Choice], *, apart: bool) -> int:
        """In how many ways the rows of these can be chosen; in an Anatomy pair values are chosen `apart` from rows."""
        return prod(self.slots[slot] * (self.kinds[kind] if apart else 1) for kind, slot in choices)


@dataclass
class Worlds:
    """How many there are, and the weight of those in which a version has a value, or a person ever has it.

    `count` is of distinct assignments of values to columns; under `register`, where strangers take what is
    left, it is of assignments of (row class, value) to people. `weight` tells rows of equal values apart.
    """

    count: int = 0
    weight: Fraction = Fraction(0)
    weights: dict[Version, dict[str, Fraction]] = field(default_factory=dict)
    ever: Counter[tuple[str, str]] = field(default_factory=Counter)

    def possible(self, person: str, release: int) -> set[str]:
        return set(self.weights.get((person, release), ()))

    def posterior(self, person: str, release: int) -> dict[str, Fraction]:
        return {value: part / self.weight for value, part in self.weights[person, release].items()}

    def posteriors(self) -> dict[Version, dict[str, Fraction]]:
        return {version: self.posterior(*version) for version in self.weights}


def worlds(series: TinySeries, adversary: str = "linked") -> Worlds:
    """Enumerate them all; a world's weight is the product of its transitions' weights, times the choices of rows.

    Which rows are the published counterfeits is chosen among those that are nobody's who is known.
    In an Anatomy pair the values of rows that are nobody's who is known can be given to these in any way.
    """
    found = Worlds()
    for versions, weight in histories(series, adversary):
        found.count += 1
        found.weight += weight
        for version, value in versions:
            through = found.weights.setdefault(version, {})
            through[value] = through.get(value, Fraction(0)) + weight
        for pair in {(person, value) for (person, _), value in versions}:
            found.ever[pair] += weight
    return found


def histories(series: TinySeries, adversary: str) -> Iterator[tuple[list[tuple[Version, str]], Fraction]]:
    """Yield each world, as the values of versions, and its weight."""
    yield from _fill(series, _columns(series, adversary), _free(series, adversary), adversary)


def few(series: TinySeries, adversary: str, most: int) -> bool:
    """Whether there are no more worlds than so many."""
    every = histories(series, adversary)
    return next(islice(every, most, None), None) is None


def _free(series: TinySeries, adversary: str) -> Free:
    rows = [(j, row) for j, release in enumerate(series.releases) for row in release]
    # Whose rows are known takes them, counterfeits or not.
    inside = [rooms(series, j) for j in range(len(series.releases))]
    every = Counter((j, row.group) for j, row in rows)
    return Free(
        Counter((j, series.places[j][row], row.value) for j, row in rows),
        Counter((j, *row.row_class) for j, row in rows) if adversary == "register" else every,
        Counter({(j, group): inside[j][group] for j, group in every}) if adversary == "register" else every,
    )


def _columns(series: TinySeries, adversary: str) -> list[Column]:
    """Everyone who takes up rows: a counterfeit without identity is a column of its own."""
    if adversary == "register":
        names: set[str] = set(series.people(adversary))
    else:
        names = {row.individual for release in series.releases for row in release if row.individual is not None}
    columns: list[Column] = [
        (name, [_choices(series, name, j, possible_rows(series, name, j, adversary), adversary) for j in stay])
        for name in names
        for stay in [series.presence(name, adversary)]
    ]
    columns += [
        (None, [_choices(series, None, j, _mates(series, j, row), adversary)])
        for j, release in enumerate(series.releases)
        for row in release
        if row.individual is None and adversary == "linked"
    ]
    return sorted(columns, key=lambda column: (min(map(repr, column[1][0]), default=""), column[0] or ""))


def _mates(series: TinySeries, release: int, row: Row) -> list[Row]:
    """The rows that are published in the same place."""
    places = series.places[release]
    own = places[row]
    return [other for other in series.releases[release] if places[other] == own]


def _choices(series: TinySeries, name: str | None, release: int, rows: list[Row], adversary: str) -> list[Choice]:
    """The row classes and values of some rows, in the order of values; in an Anatomy pair any of the group's values."""
    known = known_values(series, release, adversary).get(name or "")
    found = set()
    for row in rows:
        kind: Kind = (release, *row.row_class)
        if adversary == "linked":
            kind = (release, row.group)
        place = series.places[release][row]
        found |= {(kind, (release, place, other.value)) for other in _mates(series, release, row)}
    return sorted((choice for choice in found if known in {None, choice[1][2]}), key=repr)


def _choices_of_counterfeits(series: TinySeries, free: Free) -> int:
    """In how many ways the published counterfeits can be chosen; rooms are what they leave, less the people there."""
    return prod(
        comb(free.rooms[release, group] + count, count)
        for release, counts in enumerate(series.counterfeits)
        for group, count in counts.items()
    )


def _fill(
    series: TinySeries, columns: list[Column], free: Free, adversary: str
) -> Iterator[tuple[list[tuple[Version, str]], Fraction]]:
    """Give the first column each history that it may have, and the others what is left."""
    apart = series.anatomy and adversary == "register"
    if not columns:
        left = Counter[Group]()
        for (release, group, _), rows in free.slots.items():
            left[release, group] += rows
        hidden = _choices_of_counterfeits(series, free) if adversary == "register" else 1
        yield [], Fraction(hidden * (prod(map(factorial, left.values())) if apart else 1))
        return
    (name, choices), *others = columns
    for history in product(*choices):
        weight = prod((series.step(a[1][2], b[1][2]) for a, b in pairwise(history)), start=Fraction(1))
        if not weight or not free.fits(history):
            continue
        weight *= free.ways(history, apart=apart)
        mine = [] if name is None else [((name, slot[0]), slot[2]) for _, slot in history]
        for rest, its_weight in _fill(series, others, free.less(history), adversary):
            yield mine + rest, weight * its_weight
