"""m-Distinct and m-Distinct*: values may change, and no later group rules out a value of an earlier one.

Source: m-Distinct paper, Definition 15 and Section IV-B. A person's group is compared with the last group that held
the person, however many releases lie between (the paper compares neighbouring releases). If rows of one group have
different cells, each row class counts as a group. Counterfeits with an identity are followed like people. Each
sensitive attribute is checked by itself. Without transitions, values never change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from audit.io.background_knowledge import check_listed, update_sets
from audit.io.releases import GroupContents, KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes, Places
from audit.model.composite_keys import combine, distinct
from audit.model.errors import printable
from audit.principles.group_contents import of_attribute
from audit.principles.legal_updates import Groups, Rule
from audit.principles.m_invariance import not_unique
from audit.principles.principle import BrokenClause, Check, PrincipleNeeds, PrincipleViolation, breaches, listed
from audit.runtime.phrases import parted, say, say_count


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
                self.steps[name] = _Steps(self.series, name, Rule(update_sets(self.series, name)))
            found += self.steps[name].add(release, star=self.star)
        return found


class _People(NamedTuple):
    """People of a release and their rows; `row`, `who`: shape (people,)."""

    release: KeyedRelease
    row: Places
    who: Codes

    def only(self, kept: npt.NDArray[np.bool_] | Places) -> _People:
        return _People(self.release, self.row[kept], self.who[kept])


@dataclass
class _Steps:
    """The steps of all people from one group to the next, for one sensitive attribute.

    Attributes:
        groups: the last groups of all people.
        of: by person code, the person's last group as a place in `groups`, -1 if not published yet; int32.
        tags: the releases added.
    """

    series: Series
    sensitive: str
    rule: Rule
    groups: Groups = field(default_factory=Groups.none)
    of: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    tags: list[str] = field(default_factory=list)

    def add(self, release: KeyedRelease, *, star: bool) -> list[BrokenClause]:
        """Return the illegal steps into a release; with `star`, also first groups with overlapping update sets.

        Raises:
            InputError: a value has no line in the transitions.
        """
        if release.person is None:
            raise ValueError("m-distinctness is checked on releases that were read with their key")
        if self.rule.sets is not None:
            check_listed(self.series, release, self.sensitive, np.count_nonzero(self.rule.may, axis=1) > 0)
        held = release.contents(self.sensitive)
        new = Groups.of(held, release.group.size, len(self.tags))
        self.tags.append(release.tag)
        self.of = np.append(self.of, np.full(max(0, self.series.people.size - len(self.of)), -1, dtype=np.int32))
        row = np.flatnonzero(release.person >= 0)
        people = _People(release, row, release.person[row])
        last, now = self.of[people.who], release.group.codes[row] + np.int32(len(self.groups))
        known = last >= 0
        self.groups = self.groups.and_then(new)
        found = self.moves(people.only(known), last[known], now[known])
        if star:
            found += self.starts(people.only(~known), new, held)
        self.of[people.who] = now
        self.forget()
        return found

    def forget(self) -> None:
        """Drop the groups that are no longer a person's last."""
        used = np.zeros(len(self.groups), dtype=np.bool_)
        used[self.of[self.of >= 0]] = True
        number = np.append(np.cumsum(used) - 1, -1).astype(np.int32)  # the last for those without a group, -1
        self.groups, self.of = self.groups.only(used), number[self.of]

    def moves(self, people: _People, last: Codes, now: Codes) -> list[BrokenClause]:
        """Return the people whose group is no legal update instance of their last one."""
        pair, place = distinct(*combine([(last, len(self.groups)), (now, len(self.groups))], len(last)))
        wrong = np.flatnonzero(~self.rule.legal(self.groups, last[pair], now[pair])[place])

        def sentence(number: int) -> str:
            old, new = int(last[wrong[number]]), int(now[wrong[number]])
            tag = printable(self.tags[self.groups.release[old]])
            return say(
                "compared with the person's group in release {release}, {change}",
                release=tag,
                change=self.illegal(old, new),
            )

        return self.breaches(
            say("people whose group is no legal update instance of their last"), people.only(wrong), sentence
        )

    def starts(self, people: _People, new: Groups, held: GroupContents) -> list[BrokenClause]:
        """Return the people whose first group has two values that may become the same."""
        group = people.release.group.codes[people.row]
        wrong = np.flatnonzero(self.rule.overlapping(new)[group])

        def sentence(number: int) -> str:
            content = np.flatnonzero(held.group == group[wrong[number]])
            return self.overlap(np.repeat(held.value[content], np.minimum(held.rows[content], 2)).tolist())

        return self.breaches(
            say("people first in a group of values that may become the same"), people.only(wrong), sentence
        )

    def breaches(self, clause: str, people: _People, sentence: Callable[[int], str]) -> list[BrokenClause]:
        """Return the breach of a clause, with a sentence about each of the people who break it."""
        release = people.release

        def offence(number: int) -> PrincipleViolation:
            row, who = int(people.row[number]), self.series.people.name(int(people.who[number]))
            group = release.group.name(int(release.group.codes[row]))
            return PrincipleViolation(release.tag, (group,), row, sentence(number), (who,))

        return breaches(of_attribute(clause, self.series, self.sensitive), people.row, offence)

    def illegal(self, old: int, new: int) -> str:
        """Return why a group is no legal update instance of an older one."""
        before, now = self.groups.values(old), self.groups.values(new)
        rows, became = int(self.groups.rows[old]), {value: self.rule.becomes(value) for value in before}
        strays = now.difference(*became.values())
        ends = [value for value in before if not became[value] & now]
        parts = []
        if len(now) != rows:
            parts.append(
                say_count(
                    "{count} different value instead of {rows}",
                    "{count} different values instead of {rows}",
                    len(now),
                    rows=rows,
                )
            )
        if strays:
            values = {"values": self.named(strays), "others": self.named(before)}
            parts.append(say("{values} cannot have come from any of {others}", **values))
        if ends:
            values = {"values": self.named(ends), "others": self.named(now)}
            parts.append(say("{values} cannot have become any of {others}", **values))
        return parted(parts)

    def overlap(self, values: Iterable[int]) -> str:
        """Return a sentence about the first two rows' values that may become the same."""
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
