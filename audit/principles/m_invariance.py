"""m-invariance: each group holds m distinct values, and all groups of a person hold the same values.

Source: m-invariance paper, Definition 16 (signature) and Definition 17. The definition follows a tuple through an
unbroken lifespan. This check follows a person across gaps, too, because an adversary who knows both groups
intersects them. Counterfeits with an identity are followed like people. Each sensitive attribute is checked by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from audit.io.releases import KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes, Places
from audit.principles.principle import (
    OTHER_VALUES,
    BrokenClause,
    Check,
    OneByOne,
    PrincipleNeeds,
    Signatures,
    compared,
    first_rows,
    for_people,
    listed,
    of_attribute,
    seen_in_rows,
)
from audit.runtime.phrases import parted, say


@dataclass(frozen=True)
class MUnique:
    """m-uniqueness: each group has at least `m` rows, and no value twice."""

    m: int
    name: ClassVar[str] = "m-unique"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds()

    def start(self, series: Series, /) -> Check:
        """Return a check of the groups of each release."""
        return OneByOne(lambda release: not_unique(series, release.by_class(), self.m))


@dataclass(frozen=True)
class MInvariance:
    """Each release is m-unique, and all groups that ever hold a person have the same signature."""

    m: int
    name: ClassVar[str] = "m-invariance"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(key="required")

    def start(self, series: Series, /) -> Check:
        """Return a check that records the first signature of each person."""
        return _Invariance(series, self.m, {name: _FirstSignatures() for name in series.manifest.columns.sensitive})


def not_unique(series: Series, release: KeyedRelease, m: int) -> list[BrokenClause]:
    """Return the groups of a release that have fewer than `m` rows, and those with a value twice."""
    size, row = release.group_people(), first_rows(release.group.codes, release.group.size)
    small = np.flatnonzero((size > 0) & (size < m))

    def too_few(number: int) -> str:
        rows = int(size[small[number]])
        return say("the group has too few rows: {rows}; at least {m} are required", rows=rows, m=m)

    found = seen_in_rows(release, say("groups of fewer than {m} rows", m=m), row[small], too_few)
    for name in release.entry_value:
        found += _repeating(series, release, name, row)
    return found


def _repeating(series: Series, release: KeyedRelease, sensitive: str, row: Places) -> list[BrokenClause]:
    """Return the groups in which a value of one attribute occurs more than once; `row` is the first row of each."""
    held, names = release.contents(sensitive), series.vocabularies[sensitive].names
    twice = np.flatnonzero(held.rows > 1)
    groups = np.unique(held.group[twice])

    def what(number: int) -> str:
        values = held.value[twice[held.group[twice] == groups[number]]]
        return say("in more than one row: {values}", values=listed(names[code] for code in values))

    clause = of_attribute(say("groups with a repeated value"), series, sensitive)
    return seen_in_rows(release, clause, row[groups], what)


@dataclass
class _Invariance:
    """The check of one series: the first signatures of all people, by sensitive attribute."""

    series: Series
    m: int
    first: dict[str, _FirstSignatures]

    def add(self, release: KeyedRelease, /) -> list[BrokenClause]:
        release = release.by_class()
        found = not_unique(self.series, release, self.m)
        for name in release.entry_value:
            found += self.first[name].add(self.series, release, name)
        return found


@dataclass
class _FirstSignatures:
    """The first signature of each person, for one sensitive attribute.

    Attributes:
        signatures: the signatures of all groups.
        of: by person code, the number of the person's first signature, -1 if not published yet; int32.
        since: by person code, the release of that signature, counted from 0; int32.
        tags: the releases added.
    """

    signatures: Signatures = field(default_factory=Signatures)
    of: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    since: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tags: list[str] = field(default_factory=list)

    def add(self, series: Series, release: KeyedRelease, sensitive: str) -> list[BrokenClause]:
        """Return the people whose signature differs from their first one."""
        if release.person is None:
            raise ValueError("m-invariance is checked on releases that were read with their key")
        self.of, self.since = for_people(self.of, series), for_people(self.since, series)
        rows = np.flatnonzero(release.person >= 0)
        person = release.person[rows]
        of_group = self.signatures.by_group(release.contents(sensitive), release.group.size)
        now = of_group[release.group.codes[rows]]
        new = np.flatnonzero(self.of[person] < 0)
        self.of[person[new]], self.since[person[new]] = now[new], len(self.tags)
        self.tags.append(release.tag)
        moved = np.flatnonzero(self.of[person] != now)
        who, names = person[moved], series.vocabularies[sensitive].names

        def what(number: int) -> str:
            old, new = (set(self.signatures.values[each[number]]) for each in (self.of[who], now[moved]))
            parts = []
            if gone := old - new:
                parts.append(say("missing: {values}", values=listed(names[code] for code in gone)))
            if come := new - old:
                parts.append(say("new: {values}", values=listed(names[code] for code in come)))
            return compared(self.tags[self.since[who[number]]], parted(parts))

        clause = of_attribute(str(OTHER_VALUES), series, sensitive)
        return seen_in_rows(release, clause, rows[moved], what, series.people)
