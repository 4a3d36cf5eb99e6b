"""Principles about values: which sensitive values the groups of a release have, and those of a person over time.

l-diversity: no sensitive value has more than one in l of a group's rows. Values that are declared harmless may have any
frequency. This is the form of l-diversity of the m-invariance paper, and the weakest that limits the risk of a guess to
1/l.

m-invariance: each group holds m distinct values, and all groups of a person hold the same values. Source: m-invariance
paper, Definition 16 (signature) and Definition 17. The definition follows a tuple through an unbroken lifespan. This
check follows a person across gaps, too, because an adversary who knows both groups intersects them.

m-Distinct and m-Distinct*: values may change, and no later group rules out a value of an earlier one. Source:
m-Distinct paper, Definition 15 and Section IV-B; legal updates, by which the values of one group can have become those
of another: Definitions 12 to 14. A person's group is compared with the last group that held the person, the paper's
most recent version, however many releases lie between. Without transitions, values never change.

If rows of one group have different cells, each row class counts as a group. All published rows count, counterfeits
included; those with an identity are followed like people. Each sensitive attribute is checked by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from audit.io.background_knowledge import check_listed, update_sets
from audit.io.releases import GroupContents, KeyedRelease
from audit.io.rules.rows_and_values import Harmless
from audit.io.series import Series
from audit.model.arrays import Codes, Flags, Places, combine, distinct
from audit.model.evidence import UpdateSets
from audit.principles.principle import (
    OTHER_VALUES,
    BrokenClause,
    Check,
    OneByOne,
    PrincipleNeeds,
    Signatures,
    compared,
    for_people,
    of_attribute,
    rows_of_groups,
    seen_in_rows,
    values_of,
)
from audit.runtime.phrases import parted, printable, say, say_count


@dataclass(frozen=True)
class LDiversity:
    """No value has more than 1/`l` of the rows of a group."""

    l: int  # noqa: E741 - the literature's name
    name: ClassVar[str] = "l-diversity"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds()

    def start(self, series: Series, /) -> Check:
        """Return a check of the groups of each release."""

        def broken(release: KeyedRelease) -> list[BrokenClause]:
            groups = release.by_class()
            return [b for name in release.entry_value for b in self.frequent(series, groups, name)]

        return OneByOne(broken)

    def frequent(self, series: Series, release: KeyedRelease, sensitive: str) -> list[BrokenClause]:
        """Return the groups in which a value of an attribute is too frequent, with their most frequent value."""
        held, names = release.contents(sensitive), series.vocabularies[sensitive].names
        harmless = series.vocabularies[sensitive].codes(series.rules[Harmless].values.get(sensitive, ()))
        counted = ~np.isin(held.value, harmless)
        held = GroupContents(held.group[counted], held.value[counted], held.rows[counted])
        size, row = release.group_people(), rows_of_groups(release)
        most = np.zeros(len(size), dtype=np.int64)
        np.maximum.at(most, held.group, held.rows)
        over = np.flatnonzero(most > size // self.l)  # count * l > size, where the product might not fit

        def what(number: int) -> str:
            group = int(over[number])
            values = held.value[(held.group == group) & (held.rows == most[group])]
            value = printable(min(names[code] for code in values))
            return say("{value} has {most} of {rows} rows", value=value, most=int(most[group]), rows=int(size[group]))

        clause = say("groups with a value in more than 1/{l} of their rows", l=self.l)
        return seen_in_rows(release, of_attribute(clause, series, sensitive), row[over], what)


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
        return _PeopleFollowed(series, self.m, _FirstSignatures)


def not_unique(series: Series, release: KeyedRelease, m: int) -> list[BrokenClause]:
    """Return the groups of a release that have fewer than `m` rows, and those with a value twice."""
    size, row = release.group_people(), rows_of_groups(release)
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
    held = release.contents(sensitive)
    twice = np.flatnonzero(held.rows > 1)
    groups = np.unique(held.group[twice])

    def what(number: int) -> str:
        values = held.value[twice[held.group[twice] == groups[number]]]
        return say("in more than one row: {values}", values=values_of(series, sensitive, values.tolist()))

    clause = of_attribute(say("groups with a repeated value"), series, sensitive)
    return seen_in_rows(release, clause, row[groups], what)


@dataclass
class _PeopleFollowed:
    """The check of one series: m-unique releases, and the groups of all people, by sensitive attribute."""

    series: Series
    m: int
    follow: Callable[[Series, str], _FirstSignatures | _Steps]
    followed: dict[str, _FirstSignatures | _Steps] = field(default_factory=dict)

    def add(self, release: KeyedRelease, /) -> list[BrokenClause]:
        release = release.by_class()
        found = not_unique(self.series, release, self.m)
        for name in release.entry_value:
            if name not in self.followed:  # a publisher knows the update sets only once it has a release
                self.followed[name] = self.follow(self.series, name)
            found += self.followed[name].add(release)
        return found


@dataclass
class _FirstSignatures:
    """The first signature of each person, for one sensitive attribute.

    Attributes:
        series, sensitive: the series and the attribute.
        signatures: the signatures of all groups.
        of: by person code, the number of the person's first signature, -1 if not published yet; int32.
        since: by person code, the release of that signature, counted from 0; int32.
        tags: the releases added.
    """

    series: Series
    sensitive: str
    signatures: Signatures = field(default_factory=Signatures)
    of: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    since: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tags: list[str] = field(default_factory=list)

    def add(self, release: KeyedRelease) -> list[BrokenClause]:
        """Return the people whose signature differs from their first one."""
        if release.person is None:
            raise ValueError("m-invariance is checked on releases that were read with their key")
        self.of, self.since = for_people(self.of, self.series), for_people(self.since, self.series)
        rows = np.flatnonzero(release.person >= 0)
        person = release.person[rows]
        of_group = self.signatures.by_group(release.contents(self.sensitive), release.group.size)
        now = of_group[release.group.codes[rows]]
        new = np.flatnonzero(self.of[person] < 0)
        self.of[person[new]], self.since[person[new]] = now[new], len(self.tags)
        self.tags.append(release.tag)
        moved = np.flatnonzero(self.of[person] != now)
        who = person[moved]

        def what(number: int) -> str:
            old, new = (set(self.signatures.values[each[number]]) for each in (self.of[who], now[moved]))
            parts = []
            if gone := old - new:
                parts.append(say("missing: {values}", values=values_of(self.series, self.sensitive, gone)))
            if come := new - old:
                parts.append(say("new: {values}", values=values_of(self.series, self.sensitive, come)))
            return compared(self.tags[self.since[who[number]]], parted(parts))

        clause = of_attribute(str(OTHER_VALUES), self.series, self.sensitive)
        return seen_in_rows(release, clause, rows[moved], what, self.series.people)


class UpdateMasks(NamedTuple):
    """The values of a group as bits, and those that may come after, or have been before, one of them.

    Attributes:
        own, after, before: bit v of each whole number stands for value v.
        overlaps: whether two of the values may become the same.
    """

    own: int
    after: int
    before: int
    overlaps: bool

    def follows(self, old: UpdateMasks, rows: int) -> bool:
        """Return whether a group with these values is a legal update instance of an older one with so many rows.

        It has as many values as the old one has rows; an old value may become each of them; and each old value may
        become one of them (Definition 14).
        """
        return self.own.bit_count() == rows and not self.own & ~old.after and not old.own & ~self.before


class UpdateRule:
    """The rule of which values a value may become; `sets` is None if values never change."""

    def __init__(self, sets: UpdateSets | None) -> None:
        self.sets = sets
        self._after, self._before = ([], []) if sets is None else (_bits(sets.may), _bits(sets.may.T))

    def becomes(self, value: int) -> frozenset[int]:
        """Return the candidate update set of a value."""
        return frozenset([value] if self.sets is None else np.flatnonzero(self.sets.may[value]).tolist())

    def of(self, values: tuple[int, ...]) -> UpdateMasks:
        """Return a set of values."""
        own = after = before = reached = 0
        for value in values:
            may = 1 << value if self.sets is None else self._after[value]
            own, after, reached = own | 1 << value, after | may, reached + may.bit_count()
            before |= 1 << value if self.sets is None else self._before[value]
        return UpdateMasks(own, after, before, reached > after.bit_count())


def _bits(pairs: Flags) -> list[int]:
    """Return the places of each row that are set, as the bits of a whole number."""
    return [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in pairs]


@dataclass(frozen=True)
class MDistinct:
    """Each release is m-unique, and each person's group is a legal update instance of the person's last one."""

    m: int
    name: ClassVar[str] = "m-distinct"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(key="required")
    star: ClassVar[bool] = False

    def start(self, series: Series, /) -> Check:
        """Return a check that records the last group of each person."""
        return _PeopleFollowed(series, self.m, partial(_Steps, star=self.star))


@dataclass(frozen=True)
class MDistinctStar(MDistinct):
    """m-Distinct, and no two values of the first group of a person may become the same."""

    name: ClassVar[str] = "m-distinct-star"
    star: ClassVar[bool] = True


@dataclass
class _Steps:
    """The steps of all people from one group to the next, for one sensitive attribute.

    Attributes:
        series, sensitive: the series and the attribute.
        star: whether the condition of m-Distinct* is added: no first group has two values that may become the same.
        signatures, sets: the sets of values of all groups.
        last, rows, since: by person code, the person's last group: the number of its set of values, -1 if not published
            yet, its number of rows, and its release, counted from 0; int32.
        tags: the releases added.
    """

    series: Series
    sensitive: str
    star: bool
    signatures: Signatures = field(default_factory=Signatures)
    sets: list[UpdateMasks] = field(default_factory=list)
    last: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    rows: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    since: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tags: list[str] = field(default_factory=list)

    @cached_property
    def rule(self) -> UpdateRule:
        """Which values a value may become."""
        return UpdateRule(update_sets(self.series, self.sensitive))

    def add(self, release: KeyedRelease) -> list[BrokenClause]:
        """Return the illegal steps into a release; with `star`, also first groups with overlapping update sets.

        Raises:
            InputError: a value has no line in the transitions.
        """
        if release.person is None:
            raise ValueError("m-distinctness is checked on releases that were read with their key")
        if self.rule.sets is not None:
            check_listed(self.series, release, self.sensitive, np.count_nonzero(self.rule.sets.may, axis=1) > 0)
        held, row = release.contents(self.sensitive), np.flatnonzero(release.person >= 0)
        of_group = self.signatures.by_group(held, release.group.size)
        self.sets += map(self.rule.of, self.signatures.values[len(self.sets) :])
        self.last, self.rows, self.since = (
            for_people(each, self.series) for each in (self.last, self.rows, self.since)
        )
        who, group = release.person[row], release.group.codes[row]
        old = self.last[who] >= 0
        found = self.moves(release, row[old], who[old], of_group[group[old]])
        if self.star:
            found += self.starts(release, row[~old], of_group, held)
        self.last[who], self.rows[who], self.since[who] = of_group[group], release.group_people()[group], len(self.tags)
        self.tags.append(release.tag)
        return found

    def moves(self, release: KeyedRelease, row: Places, who: Codes, now: Codes) -> list[BrokenClause]:
        """Return the people whose group is not a legal update instance of their last group."""
        old, rows, since = self.last[who], self.rows[who], self.since[who]
        bounds = [(old, len(self.sets)), (rows, int(rows.max(initial=0)) + 1), (now, len(self.sets))]
        pair, place = distinct(*combine(bounds, len(row)))
        changes = zip(old[pair].tolist(), rows[pair].tolist(), now[pair].tolist(), strict=True)
        legal = np.array([self.sets[b].follows(self.sets[a], n) for a, n, b in changes], dtype=np.bool_)
        wrong = np.flatnonzero(~legal[place])

        def what(number: int) -> str:
            at = wrong[number]
            return compared(self.tags[since[at]], self.illegal(int(old[at]), int(rows[at]), int(now[at])))

        clause = say("people whose group is not a legal update instance of their last group")
        return self.breaches(release, clause, row[wrong], what)

    def starts(self, release: KeyedRelease, row: Places, of_group: Codes, held: GroupContents) -> list[BrokenClause]:
        """Return the people whose first group has two values that may become the same."""
        overlapping = np.append([each.overlaps for each in self.sets], False).astype(np.bool_)[of_group]
        overlapping[held.group[held.rows > 1]] = True
        row = row[overlapping[release.group.codes[row]]]

        def what(number: int) -> str:
            content = np.flatnonzero(held.group == release.group.codes[row[number]])
            return self.overlap(np.repeat(held.value[content], np.minimum(held.rows[content], 2)).tolist())

        return self.breaches(release, say("people first in a group of values that may become the same"), row, what)

    def breaches(
        self, release: KeyedRelease, clause: str, row: Places, what: Callable[[int], str]
    ) -> list[BrokenClause]:
        """Return the breach of a clause, with a sentence about each of the people who break it."""
        clause = of_attribute(clause, self.series, self.sensitive)
        return seen_in_rows(release, clause, row, what, self.series.people)

    def illegal(self, old: int, rows: int, new: int) -> str:
        """Return why a group is no legal update instance of an older one with so many rows."""
        before, now = (frozenset(self.signatures.values[each]) for each in (old, new))
        became = {value: self.rule.becomes(value) for value in before}
        strays = now.difference(*became.values())
        ends = [value for value in before if not became[value] & now]
        parts = []
        if len(now) != rows:
            parts.append(say_count("{count} different [value|values] instead of {rows}", len(now), rows=rows))
        if strays:
            values = {"values": self.named(strays), "others": self.named(before)}
            parts.append(say("{values} cannot have come from any of {others}", **values))
        if ends:
            values = {"values": self.named(ends), "others": self.named(now)}
            parts.append(say("{values} cannot have become any of {others}", **values))
        return parted(parts)

    def overlap(self, values: Iterable[int]) -> str:
        """Return a sentence about the first pair of values (in order of names) that may become the same."""
        names = self.series.vocabularies[self.sensitive].names
        pairs = combinations(sorted(values, key=names.__getitem__), 2)
        shared = ((first, second, self.rule.becomes(first) & self.rule.becomes(second)) for first, second in pairs)
        first, second, both = next(each for each in shared if each[-1])
        return say(
            "{one} and {other} may both become {values}",
            one=self.named([first]),
            other=self.named([second]),
            values=self.named(both),
        )

    def named(self, values: Iterable[int]) -> str:
        return values_of(self.series, self.sensitive, values)
