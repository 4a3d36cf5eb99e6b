"""Small series of people whom a register lists, of strangers, and of published counterfeits.

A series is made of rows' owners. Each has an exact quasi-identifier, a value and a way through the releases: absent, or
in some group, with a cell that says the quasi-identifier or less. Owners whom the register lists are the people, those
whom it does not list are strangers, and the counterfeits of a group are published as a number. What is published does
not say whose a row is, so different owners may make the same series.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product
from math import comb

import numpy as np

from tests.helpers.tiny import Registered, Row, TinySeries

EXACT = ("0", "1")
ANY = "[0, 1]"
PERSON, STRANGER, COUNTERFEIT = "person", "stranger", "counterfeit"

Stay = tuple[str, bool] | None
"""The group in one release, and whether the cell is generalized; None for absent."""


@dataclass(frozen=True)
class Owner:
    """One of those whose rows are published."""

    role: str
    exact: str
    value: str
    stays: tuple[Stay, ...]


@dataclass(frozen=True)
class Space:
    """All series of up to so many owners.

    Args:
        owners: How many owners at most.
        releases: How many releases.
        values: Which values there are.
        groups: Which groups a release may have.
        roles: What owners may be; a counterfeit is in one release only.
        anatomy: Releases are Anatomy pairs, whose cells are exact.
        group_column: The groups are published; else rows with the same cell are a group.
    """

    owners: int
    releases: int
    values: str
    groups: str = "g"
    roles: tuple[str, ...] = (PERSON, STRANGER)
    anatomy: bool = False
    group_column: bool = True

    @property
    def countable(self) -> bool:
        """Whether there are so few series that all can be enumerated in a minute or two."""
        return comb(len(self.kinds()) + self.owners, self.owners) < 200_000

    def kinds(self) -> list[Owner]:
        """Return all owners that there may be."""
        stays = [None, *product(self.groups, (False,) if self.anatomy else (False, True))]
        return [
            Owner(role, exact, value, way)
            for role in self.roles
            for exact in EXACT
            for value in self.values
            for way in product(stays, repeat=self.releases)
            if (len(way) - way.count(None) == 1 if role == COUNTERFEIT else any(way))
        ]

    def everything(self) -> Iterator[TinySeries]:
        """Yield every series with a person in it, once up to the names of values, cells and groups."""
        seen = set()
        for size in range(1, self.owners + 1):
            for owners in combinations_with_replacement(self.kinds(), size):
                if any(owner.role == PERSON for owner in owners):
                    key = min(self._published(owners, *renaming) for renaming in self._renamings())
                    if key not in seen:
                        seen.add(key)
                        yield self.series(owners)

    def drawn(self, number: int, rng: np.random.Generator) -> list[TinySeries]:
        """Return so many series drawn at random."""
        kinds = self.kinds()
        people = [owner for owner in kinds if owner.role == PERSON]
        found = []
        for _ in range(number):
            others = [kinds[place] for place in rng.integers(len(kinds), size=rng.integers(self.owners))]
            found.append(self.series([people[rng.integers(len(people))], *others]))
        return found

    def series(self, owners: Sequence[Owner]) -> TinySeries:
        """Return what these owners' rows are published as, with the register of the people."""
        releases, counterfeits, register = [], [], []
        for release in range(self.releases):
            rows, hidden = [], Counter[str]()
            for number, owner in enumerate(owners):
                if stay := owner.stays[release]:
                    cell = ANY if stay[1] else owner.exact
                    group = stay[0] if self.group_column else cell
                    rows.append(Row(None, group, owner.value, (cell,)))
                    hidden[group] += owner.role == COUNTERFEIT
                    if owner.role == PERSON:
                        register.append(Registered(f"p{number}", release, (owner.exact,)))
            releases.append(sorted(rows, key=lambda row: (row.group, row.cells, row.value)))
            counterfeits.append({group: count for group, count in sorted(hidden.items()) if count})
        return TinySeries(
            releases,
            register=register,
            quasi_identifiers=("Q",),
            keyed=False,
            anatomy=self.anatomy,
            counterfeits=counterfeits if COUNTERFEIT in self.roles else (),
        )

    def _renamings(self) -> Iterator[tuple[dict[str, str], dict[str, str], tuple[dict[str, str], ...]]]:
        groups = [dict(zip(self.groups, order, strict=True)) for order in permutations(self.groups)]
        for values in permutations(self.values):
            for exact in permutations(EXACT):
                for names in product(groups, repeat=self.releases):
                    yield dict(zip(self.values, values, strict=True)), dict(zip(EXACT, exact, strict=True)), names

    def _published(
        self,
        owners: tuple[Owner, ...],
        value: dict[str, str],
        exact: dict[str, str],
        groups: tuple[dict[str, str], ...],
    ) -> tuple[object, ...]:
        """What others see of these owners under other names: the register, rows and numbers of counterfeits."""
        register = [
            (exact[owner.exact], tuple(stay is not None for stay in owner.stays))
            for owner in owners
            if owner.role == PERSON
        ]
        rows, hidden = [], []
        for release, names in enumerate(groups):
            stays = [(owner, owner.stays[release]) for owner in owners]
            present = [(owner, names[stay[0]], stay[1]) for owner, stay in stays if stay]
            if self.anatomy:
                rows.append(sorted((group, exact[owner.exact]) for owner, group, _ in present))
                rows.append(sorted((group, value[owner.value]) for owner, group, _ in present))
            else:
                cells = [
                    (group, ANY if wide else exact[owner.exact], value[owner.value]) for owner, group, wide in present
                ]
                rows.append(sorted(cells))
            hidden.append(sorted(group for owner, group, _ in present if owner.role == COUNTERFEIT))
        return tuple(sorted(register)), tuple(map(tuple, rows)), tuple(map(tuple, hidden))


SPACES = {
    "plain tables": Space(3, 2, "ab", group_column=False),
    "plain tables of three values": Space(2, 2, "abc", group_column=False),
    "plain tables of three releases": Space(2, 3, "ab", group_column=False),
    "row classes in groups": Space(3, 2, "ab", "gh"),
    "anatomy pairs": Space(3, 2, "ab", "gh", anatomy=True),
    "anatomy pairs of three values": Space(3, 1, "abc", "gh", anatomy=True),
    "counterfeits": Space(3, 2, "ab", "gh", (PERSON, COUNTERFEIT)),
    "counterfeits in anatomy pairs": Space(3, 2, "ab", "gh", (PERSON, COUNTERFEIT), anatomy=True),
    "counterfeits beside strangers": Space(3, 1, "ab", "gh", (PERSON, STRANGER, COUNTERFEIT)),
    "counterfeits in anatomy pairs beside strangers": Space(
        3, 1, "ab", "gh", (PERSON, STRANGER, COUNTERFEIT), anatomy=True
    ),
}
"""What is enumerated, by what it is about."""
