"""Principles about cells: how many people share them, and how those of a person change from release to release.

k-anonymity: at least k people share each published combination of cells. Rows of one group with equal cells form a
class. Counterfeits are not people; the key says which rows they are. Without a key, each class is assumed to hold as
many of its group's published counterfeits as possible, as long as one person may remain. A class that consists only of
counterfeits breaks nothing. In an Anatomy release the exact quasi-identifiers form the classes. Rows with `*` in all
quasi-identifiers form no class if neither groups nor record ids are published. Source: monotonic paper, Section 2.

Monotonic: cells may only shrink, and people with different cells keep different cells. Each release is k-anonymous, and
the next one contains all of its people. For these, (1) the new cell of each quasi-identifier equals the old one or lies
within it, and (2) people whose cells differed still have different cells. People are followed by the key, without
counterfeits, or if there is no key by the published record id. Source: monotonic paper, Section 4.2 and Theorem 1; its
updates only insert (Section 2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from audit.io.cells import contains
from audit.io.releases import IdentifierEncoder, KeyedRelease
from audit.io.series import Series
from audit.model.arrays import Codes, Counts, Flags, Places, combine, distinct, tally
from audit.principles.principle import (
    BrokenClause,
    Check,
    OneByOne,
    PrincipleNeeds,
    PrincipleViolation,
    breaches,
    first_rows,
    is_person,
    listed,
    seen_in_rows,
)
from audit.runtime.phrases import printable, say


@dataclass(frozen=True)
class KAnonymity:
    """Every class of every release holds at least `k` people."""

    k: int
    name: ClassVar[str] = "k-anonymity"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(cells="used", key="used")

    def start(self, series: Series, /) -> Check:
        """Return a check of the classes of each release."""
        return OneByOne(lambda release: small_classes(series, release, self.k))


def small_classes(series: Series, release: KeyedRelease, k: int) -> list[BrokenClause]:
    """Return the classes of a release that hold fewer than `k` people."""
    cells = [(codes, len(series.attributes[name].cells)) for name, codes in release.cells.items()]
    _, place = distinct(*combine([(release.group.codes, release.group.size), *cells], release.rows))
    row = first_rows(place, int(place.max(initial=-1)) + 1)
    people = _people(series, release, place, len(row))
    described = True if release.suppressed is None else release.group.codes[row] != release.suppressed
    small = np.flatnonzero((people > 0) & (people < k) & described)

    def what(number: int) -> str:
        return say(
            "a class of rows with equal cells holds too few people: {count}; at least {k} are required",
            count=int(people[small[number]]),
            k=k,
        )

    return seen_in_rows(release, say("classes of fewer than {k} people", k=k), row[small], what)


def _people(series: Series, release: KeyedRelease, place: Codes, classes: int) -> Counts:
    """Return how many people each class holds, or without a key the fewest that it may hold.

    `place` is the class of each row.
    """
    real = is_person(series, release)
    if real is None:
        return release.fewest_people(place, classes)
    return tally(place, classes, real.astype(np.int64) if release.counts is None else release.counts * real)


@dataclass(frozen=True)
class Monotonic:
    """Each release is k-anonymous, and monotonic compared with the release before."""

    k: int
    name: ClassVar[str] = "monotonic"
    needs: ClassVar[PrincipleNeeds] = PrincipleNeeds(cells="required", key="required", record=True)

    def start(self, series: Series, /) -> Check:
        """Return a check that compares each release with the one before."""
        return _Monotonicity(series, self.k)


@dataclass
class _Monotonicity:
    """The check of one series: the release before, and the numbers of its record ids."""

    series: Series
    k: int
    before: _Seen | None = None
    records: IdentifierEncoder = field(default_factory=IdentifierEncoder)

    def add(self, release: KeyedRelease, /) -> list[BrokenClause]:
        found = small_classes(self.series, release, self.k)
        now = self.followed(release)
        if self.before is not None:
            found += _Step(self.series, self.before, now).breaches()
        self.before = now
        return found

    def followed(self, release: KeyedRelease) -> _Seen:
        real = is_person(self.series, release)
        if real is not None and release.person is not None:
            row = np.flatnonzero(real)
            return _Seen(release, row, release.person[row], self.series.people)
        if release.records is None:
            raise ValueError("monotonicity is checked on releases that were read with their key or record ids")
        return _Seen(release, np.arange(release.rows), self.records.encode_coded(release.records), self.records)


@dataclass(frozen=True)
class _Seen:
    """A release, the rows of its people, and their codes in `people`; `row`, `who`: shape (people,)."""

    release: KeyedRelease
    row: Places
    who: Codes
    people: IdentifierEncoder

    def group(self, row: int) -> str:
        return self.release.group.name(int(self.release.group.codes[row]))


class _Step:
    """The step from one release to the next.

    Attributes:
        gone: people of the old release who are missing in the new one, as places among its people.
        who, old, new: the people in both, and their rows in the old and in the new release; shape (people in both,).
    """

    def __init__(self, series: Series, before: _Seen, now: _Seen) -> None:
        self.series, self.before, self.now = series, before, now
        row = np.full(now.people.size, -1, dtype=np.intp)
        row[now.who] = now.row
        found = row[before.who]
        stay = np.flatnonzero(found >= 0)
        self.gone = np.flatnonzero(found < 0)
        self.who, self.old, self.new = before.who[stay], before.row[stay], found[stay]
        self.tag, self.old_tag = now.release.tag, printable(before.release.tag)

    def breaches(self) -> list[BrokenClause]:
        return [*self.missing(), *self.outside(), *self.joined()]

    def missing(self) -> list[BrokenClause]:
        """Return the people of the old release who are missing in the new one."""
        row = self.before.row[self.gone]

        def offence(number: int) -> PrincipleViolation:
            who = self.before.people.name(int(self.before.who[self.gone[number]]))
            group = printable(self.before.group(int(row[number])))
            what = say("a person of group {group} of release {release} is missing", group=group, release=self.old_tag)
            return PrincipleViolation(self.tag, (), None, what, (who,))

        return breaches(say("people missing"), row, offence)

    def outside(self) -> list[BrokenClause]:
        """Return the people whose new cells do not lie within their old ones: condition (1)."""
        beyond = {name: self.beyond(name) for name in self.now.release.cells}
        wrong = np.flatnonzero(np.any(list(beyond.values()), axis=0))

        def offence(number: int) -> PrincipleViolation:
            place = int(wrong[number])
            row, who = int(self.new[place]), self.now.people.name(int(self.who[place]))
            attributes = listed(name for name, is_beyond in beyond.items() if is_beyond[place])
            what = say(
                "the cell does not lie within the person's cell of release {release} on: {attributes}",
                release=self.old_tag,
                attributes=attributes,
            )
            return PrincipleViolation(self.tag, (self.now.group(row),), row, what, (who,))

        return breaches(say("people whose cells do not lie within their older ones"), self.new[wrong], offence)

    def beyond(self, name: str) -> Flags:
        """Return whether each person's new cell of an attribute reaches beyond the old one; shape (people in both,)."""
        cells = self.series.attributes[name].cells
        old, new = self.before.release.cells[name][self.old], self.now.release.cells[name][self.new]
        pair, place = distinct(*combine([(old, len(cells)), (new, len(cells))], len(old)))
        cell_pairs = zip(old[pair].tolist(), new[pair].tolist(), strict=True)
        within = [a == b or contains(cells[a], cells[b]) for a, b in cell_pairs]
        return ~np.array(within, dtype=np.bool_)[place]

    def joined(self) -> list[BrokenClause]:
        """Return the classes of equal new cells that hold people with different old cells: condition (2)."""
        old, new = self.classes(self.before, self.old), self.classes(self.now, self.new)
        size = len(old) + 1
        pair, _ = distinct(new.astype(np.int64) * size + old, size * size)
        several = np.flatnonzero(np.bincount(new[pair]) > 1)
        if not len(several):
            return []
        order = np.argsort(self.new)
        first = order[first_rows(new[order], size)[several]]

        def offence(number: int) -> PrincipleViolation:
            members = order[new[order] == several[number]]
            two = int(members[0]), int(members[np.argmax(old[members] != old[members[0]])])
            groups = dict.fromkeys(self.now.group(int(self.new[place])) for place in two)
            names = tuple(self.now.people.name(int(self.who[place])) for place in two)
            what = say("people whose cells differed in release {release} have the same cells", release=self.old_tag)
            return PrincipleViolation(self.tag, tuple(groups), int(self.new[two[0]]), what, names)

        return breaches(say("classes that join people of different older cells"), self.new[first], offence)

    def classes(self, seen: _Seen, row: Places) -> Codes:
        """Return a number for each person in both releases, equal for people with equal cells."""
        cells = seen.release.cells.items()
        columns = [(codes[row], len(self.series.attributes[name].cells)) for name, codes in cells]
        return distinct(*combine(columns, len(row)))[1]
