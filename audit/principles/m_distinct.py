"""m-Distinct and m-Distinct*: values may change, and no later group rules out a value of an earlier one.

Source: m-Distinct paper, Definition 15 and Section IV-B. A person's group is compared with the last group that held
the person, the paper's most recent version, however many releases lie between. If rows of one group have
different cells, each row class counts as a group. Counterfeits with an identity are followed like people. Each
sensitive attribute is checked by itself. Without transitions, values never change.

Legal updates, by which the values of one group can have become those of another: Definitions 12 to 14.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from audit.io.background_knowledge import check_listed, update_sets
from audit.io.releases import GroupContents, KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes, Flags, Places, combine, distinct
from audit.model.evidence import UpdateSets
from audit.principles.m_invariance import not_unique
from audit.principles.principle import (
    BrokenClause,
    Check,
    PrincipleNeeds,
    Signatures,
    compared,
    for_people,
    listed,
    of_attribute,
    seen_in_rows,
)
from audit.runtime.phrases import parted, say, say_count


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

    def start(self, series: Series, /) -> Check:
        """Return a check that records the last group of each person."""
        return _Distinctness(series, self.m, star=False)


@dataclass(frozen=True)
class MDistinctStar:
    """m-Distinct, and no two values of the first group of a person may become the same."""

    m: int
    name: ClassVar[str] = "m-distinct-star"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(key="required")

    def start(self, series: Series, /) -> Check:
        """Return a check that records the last group of each person."""
        return _Distinctness(series, self.m, star=True)


@dataclass
class _Distinctness:
    """The check of one series; `star` adds the condition of m-Distinct*."""

    series: Series
    m: int
    star: bool
    steps: dict[str, _Steps] = field(default_factory=dict)

    def add(self, release: KeyedRelease, /) -> list[BrokenClause]:
        release = release.by_class()
        found = not_unique(self.series, release, self.m)
        for name in release.entry_value:
            if name not in self.steps:
                # A publisher knows the update sets only once it has a release.
                self.steps[name] = _Steps(self.series, name, UpdateRule(update_sets(self.series, name)))
            found += self.steps[name].add(release, star=self.star)
        return found


@dataclass
class _Steps:
    """The steps of all people from one group to the next, for one sensitive attribute.

    Attributes:
        signatures, sets: the sets of values of all groups.
        last, rows, since: by person code, the person's last group: the number of its set of values, -1 if not published
            yet, its number of rows, and its release, counted from 0; int32.
        tags: the releases added.
    """

    series: Series
    sensitive: str
    rule: UpdateRule
    signatures: Signatures = field(default_factory=Signatures)
    sets: list[UpdateMasks] = field(default_factory=list)
    last: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    rows: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    since: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tags: list[str] = field(default_factory=list)

    def add(self, release: KeyedRelease, *, star: bool) -> list[BrokenClause]:
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
        if star:
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
        return listed(self.series.vocabularies[self.sensitive].names[value] for value in values)
