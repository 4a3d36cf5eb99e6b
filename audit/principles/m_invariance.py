"""m-invariance: each group holds m distinct values, and all groups of a person hold the same values.

Source: m-invariance paper, Definition 16 (signature) and Definition 17. The definition follows a tuple through an
unbroken lifespan. This check follows a person across gaps, too, because an adversary who knows both groups
intersects them. Counterfeits with an identity are followed like people. Each sensitive attribute is checked by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from audit.io.releases import GroupContents, KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes
from audit.model.errors import printable
from audit.principles.group_contents import first_rows, of_attribute
from audit.principles.principle import (
    BrokenClause,
    Check,
    OneByOne,
    PrincipleNeeds,
    PrincipleViolation,
    breaches,
    listed,
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
        return _Invariance(series, self.m, {name: _Signatures() for name in series.manifest.columns.sensitive})


@dataclass
class _Invariance:
    """The check of one series: the first signatures of all people, by sensitive attribute."""

    series: Series
    m: int
    signatures: dict[str, _Signatures]

    def add(self, release: KeyedRelease, /) -> list[BrokenClause]:
        release = release.by_class()
        found = not_unique(self.series, release, self.m)
        for name in release.entry_value:
            found += self.signatures[name].add(self.series, release, name)
        return found


def not_unique(series: Series, release: KeyedRelease, m: int) -> list[BrokenClause]:
    """Return the groups of a release that have fewer than `m` rows, and those with a value twice."""
    size, row = release.group_people(), first_rows(release.group.codes, release.group.size)
    small = np.flatnonzero((size > 0) & (size < m))

    def offence(number: int) -> PrincipleViolation:
        group = int(small[number])
        what = say("the group has too few rows: {rows}; at least {m} are required", rows=int(size[group]), m=m)
        return PrincipleViolation(release.tag, (release.group.name(group),), int(row[group]), what)

    found = breaches(say("groups of fewer than {m} rows", m=m), row[small], offence)
    for name in release.entry_value:
        found += _repeating(series, release, name)
    return found


def _repeating(series: Series, release: KeyedRelease, sensitive: str) -> list[BrokenClause]:
    """Return the groups in which a value of one attribute occurs more than once."""
    held, names = release.contents(sensitive), series.vocabularies[sensitive].names
    twice = np.flatnonzero(held.rows > 1)
    groups = np.unique(held.group[twice])
    row = first_rows(release.group.codes, release.group.size)[groups]

    def offence(number: int) -> PrincipleViolation:
        values = held.value[twice[held.group[twice] == groups[number]]]
        what = say("in more than one row: {values}", values=listed(names[code] for code in values))
        return PrincipleViolation(release.tag, (release.group.name(int(groups[number])),), int(row[number]), what)

    return breaches(of_attribute(say("groups with a repeated value"), series, sensitive), row, offence)


@dataclass
class _Signatures:
    """The first signature of each person, for one sensitive attribute.

    Attributes:
        values: the values of each signature, ascending codes, as bytes.
        of: by person code, the person's first signature as a place in `values`, -1 if not published yet; int32.
        since: by person code, the release of that signature, counted from 0; int32.
        tags: the releases added.
    """

    values: list[bytes] = field(default_factory=list)
    of: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    since: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tags: list[str] = field(default_factory=list)
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def add(self, series: Series, release: KeyedRelease, sensitive: str) -> list[BrokenClause]:
        """Return the people whose signature differs from their first one."""
        if release.person is None:
            raise ValueError("m-invariance is checked on releases that were read with their key")
        self.grow(series.people.size)
        rows = np.flatnonzero(release.person >= 0)
        person = release.person[rows]
        now = self.by_group(release.contents(sensitive), release.group.size)[release.group.codes[rows]]
        new = np.flatnonzero(self.of[person] < 0)
        self.of[person[new]], self.since[person[new]] = now[new], len(self.tags)
        self.tags.append(release.tag)
        moved = np.flatnonzero(self.of[person] != now)
        names = series.vocabularies[sensitive].names

        def offence(number: int) -> PrincipleViolation:
            place = moved[number]
            who, row = int(person[place]), int(rows[place])
            change = self.sentence(int(self.of[who]), int(now[place]), names)
            what = say(
                "compared with the person's group in release {release}, {change}",
                release=printable(self.tags[self.since[who]]),
                change=change,
            )
            group = release.group.name(int(release.group.codes[row]))
            return PrincipleViolation(release.tag, (group,), row, what, (series.people.name(who),))

        clause = of_attribute(say("people in a group of other values than before"), series, sensitive)
        return breaches(clause, rows[moved], offence)

    def grow(self, size: int) -> None:
        """Extend the arrays to people who are new in this release."""
        more = np.full(max(0, size - len(self.of)), -1, dtype=np.int32)
        self.of, self.since = np.concatenate([self.of, more]), np.concatenate([self.since, more])

    def by_group(self, held: GroupContents, size: int) -> Codes:
        """Return the signature of each group, and number new signatures; shape (size,)."""
        first = np.flatnonzero(np.diff(held.group, prepend=-1))
        end = np.append(first[1:], len(held.group))
        width, content = held.value.itemsize, held.value.tobytes()
        numbers = []
        for start, stop in zip((first * width).tolist(), (end * width).tolist(), strict=True):
            signature = content[start:stop]
            number = self._numbers.setdefault(signature, len(self.values))
            if number == len(self.values):
                self.values.append(signature)
            numbers.append(number)
        of_group = np.full(size, -1, dtype=np.int32)
        of_group[held.group[first]] = numbers
        return of_group

    def sentence(self, before: int, now: int, names: Sequence[str]) -> str:
        """Return a sentence about the values in which two signatures differ."""
        old, new = (set(np.frombuffer(self.values[each], dtype=np.int32).tolist()) for each in (before, now))
        parts = []
        if gone := old - new:
            parts.append(say("missing: {values}", values=listed(names[code] for code in gone)))
        if come := new - old:
            parts.append(say("new: {values}", values=listed(names[code] for code in come)))
        return parted(parts)
