"""People whose groups are known, as arrays: nothing here leads to a file, to the key or to a person's identifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.adversary.held_series import SeenRelease
from audit.adversary.record_candidates import Fitting
from audit.adversary.row_classes import RowClassGroups, capacity, places
from audit.io.encoding import NOBODY
from audit.io.releases import Release
from audit.model.arrays import UNKNOWN, Codes, Counts, Flags, Places
from audit.model.composite_keys import combine, distinct
from audit.model.errors import UsageError
from audit.model.evidence import CandidateGroups, CandidatePools, Members, PublishedClasses, ValueCounts


def entries_of(release: Release, sensitive: str) -> ValueCounts:
    """Return what the groups of a release publish of an attribute."""
    return ValueCounts(release.entry_group, release.entry_value[sensitive], release.entry_count)


@dataclass(frozen=True)
class KnownGroups:
    """What is seen of people when it is known who is in which group: a person's pool is the group.

    Attributes:
        releases: the releases as the adversary sees them.
        sensitive: the sensitive attribute, or the combinations of several.
        values: the number of its values.
        individual: which people are no counterfeits, by person code; shape (people,).
        constant: whether values never change.
        fixed: by release and person code, the value known beforehand, -1 where none is; None where nothing is known.
        pooled: the pools of each release; none where no people are known.
    """

    releases: tuple[SeenRelease, ...]
    sensitive: str
    values: int
    individual: Flags
    constant: bool
    fixed: Sequence[Codes | None]
    pooled: tuple[CandidatePools, ...]

    def present(self, position: int) -> Codes:
        """Return the people, counterfeits left out, who are in a release."""
        person = self.releases[position].person
        return np.zeros(0, dtype=np.int32) if person is None else person[real_rows(person, self.individual)]

    def known_in(self, position: int) -> tuple[Codes, Codes, Fitting]:
        """Return who is known to be in a release, each with a label, and which row classes fit a label."""
        read = self.releases[position]
        rows, person, group = self._rows(read)
        every = np.arange(read.seen.group.size, dtype=np.int32)
        strangers = read.strangers is not None and bool(read.strangers.any())
        return person[rows], group[rows], Fitting(every, every, strangers)

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people in a release: of the one that does."""
        read = self.releases[position]
        group, person = read.seen.group, read.person
        if person is None:
            return []
        rows = np.flatnonzero(np.isin(person, people))
        order = np.argsort(person[rows], kind="stable")
        row = rows[order[np.searchsorted(person[rows], people, sorter=order)]]
        return [(group.name(int(code)),) for code in group.codes[row]]

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some groups of a release."""
        group = self.releases[position].seen.group
        return [group.name(int(code)) for code in groups]

    def members(self, position: int) -> Members:
        """Return who is in which group of a release, counterfeits included."""
        read = self.releases[position]
        _, person, group = self._rows(read)
        contents, at = self.pooled[position].entries(), self._fixed_of(position, person)
        if at is not None:
            rows = np.flatnonzero(at == UNKNOWN)
            person, group = person[rows], group[rows]
        return Members(person, group, read.seen.group.size, contents, self.individual, self.values)

    def hosts(self, position: int) -> CandidateGroups:
        """Return the rows of a release and the group of each person, counterfeits that keep their identity included."""
        read = self.releases[position]
        rows, person, group = self._rows(read)
        person, group = person[rows], group[rows]
        # Each person's row is known: so many people are there, counterfeits that keep their identity among them.
        there = places(read.release, read.classes)
        there = there._replace(rows=np.bincount(group, minlength=len(there.rows)))
        held = np.bincount(there.published, weights=there.rows, minlength=read.release.group.size).astype(np.int64)
        return self._hosts(position, person, (np.arange(len(rows) + 1, dtype=np.int64), group), there, held)

    def published(self, position: int) -> PublishedClasses:
        """Return a release as its readers see it."""
        read = self.releases[position]
        release = read.release
        place, group = classes_of_rows(release)
        contents = entries_of(release, self.sensitive)
        contents = contents._replace(bag=place) if release.values_by_row else contents
        return PublishedClasses(group, self._judged(read, place, group), contents, self.values, place)

    def _judged(self, read: SeenRelease, place: Codes, group: Codes) -> Flags:
        """Return which classes may hold people that the adversary does not know to be there; shape (classes,)."""
        if read.person is not None:
            judged = np.zeros(len(group), dtype=np.bool_)
            if read.strangers is not None:
                judged[place[read.strangers]] = True
            return judged
        if read.counterfeit is not None:
            return np.bincount(place[~read.counterfeit], minlength=len(group)) > 0
        held: Flags = capacity(read.release) > 0
        return held[group]

    def accounted(self, position: int, classes: Places) -> Flags:
        """Return which of some classes hold only people who are known to be in no other: none, without a register."""
        del position
        return np.zeros(len(classes), dtype=np.bool_)

    def published_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""
        group = self.releases[position].release.group
        return [group.name(int(code)) for code in groups]

    def _rows(self, read: SeenRelease) -> tuple[Places, Codes, Codes]:
        """Return the rows of people with an identity, who each row is, and the group of each.

        Raises:
            UsageError: the adversary does not know it.
        """
        if read.person is None:
            raise UsageError("who is in which group is known to the adversary `linked` alone")
        return np.flatnonzero(read.person != NOBODY), read.person, read.seen.group.codes

    def _fixed_of(self, position: int, person: Codes) -> Codes | None:
        """Return the value that is known beforehand of each of some people, -1 elsewhere."""
        fixed = self.fixed[position]
        return None if fixed is None else np.append(fixed, np.int32(UNKNOWN))[person]

    def _hosts(
        self, position: int, person: Codes, candidates: tuple[Counts, Codes], there: RowClassGroups, held: Counts
    ) -> CandidateGroups:
        """Return people with their known values, their candidate classes, and what these can hold."""
        at = self._fixed_of(position, person)
        return CandidateGroups(
            person,
            np.full(len(person), UNKNOWN, dtype=np.int32) if at is None else at,
            *candidates,
            there.group,
            np.minimum(there.rows, held[there.published]),
            there.rows,
            there.published,
            held,
            int(there.group.max(initial=-1)) + 1,
            entries_of(self.releases[position].seen, self.sensitive),
            self.individual,
            self.values,
        )


def real_rows(person: Codes, individual: Flags) -> Places | slice:
    """Return the rows that are people and no counterfeits."""
    if individual.all() and (not len(person) or person.min() != NOBODY):
        return slice(None)
    return np.flatnonzero((person != NOBODY) & np.append(individual, False)[person])


def classes_of_rows(release: Release) -> tuple[Codes, Codes]:
    """Return the class of each row of a release, shape (rows,), and the group of each class, ascending."""
    alike = release.alike
    if not release.values_by_row or alike is None:
        return release.group.codes, np.arange(release.group.size, dtype=np.int32)
    columns = [(release.group.codes, release.group.size), (alike, int(alike.max(initial=-1)) + 1)]
    first, place = distinct(*combine(columns, release.rows))
    return place, release.group.codes[first]
