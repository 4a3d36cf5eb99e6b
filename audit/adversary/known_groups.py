"""People whose groups are known, as arrays: nothing here leads to a file, to the key or to a person's identifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.adversary.record_candidates import Fitting
from audit.adversary.seen_release import PlacedPeople, SeenRelease
from audit.model.arrays import UNKNOWN, Codes, Counts, Flags, Places
from audit.model.errors import UsageError
from audit.model.evidence import CandidateGroups, CandidatePools, Members, PublishedClasses


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
        people = self.releases[position].people
        return np.zeros(0, dtype=np.int32) if people is None else people.person[real_people(people, self.individual)]

    def known_in(self, position: int) -> tuple[Codes, Codes, Fitting]:
        """Return who is known to be in a release, each with a label, and which row classes fit a label."""
        people = self._placed(position)
        every = np.arange(self.releases[position].pool.size, dtype=np.int32)
        strangers = bool(people.strangers.any())
        return people.person[people.unnamed :], people.pool[people.unnamed :], Fitting(every, every, strangers)

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people in a release: of the one that does."""
        read = self.releases[position]
        if read.people is None:
            return []
        pool = read.people.pool[np.searchsorted(read.people.person, people)]
        return [(read.pool.name(code),) for code in pool.tolist()]

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some pools of a release."""
        return [self.releases[position].pool.name(code) for code in groups.tolist()]

    def members(self, position: int) -> Members:
        """Return who is in which group of a release, counterfeits included."""
        people = self._placed(position)
        person, group = people.person, people.pool
        contents, at = self.pooled[position].entries(), self._fixed_of(position, person)
        if at is not None:
            rows = np.flatnonzero(at == UNKNOWN)
            person, group = person[rows], group[rows]
        size = self.releases[position].pool.size
        return Members(person, group, size, contents, self.individual, self.values)

    def hosts(self, position: int) -> CandidateGroups:
        """Return the rows of a release and the group of each person, counterfeits that keep their identity included."""
        read, people = self.releases[position], self._placed(position)
        person, pool = people.person[people.unnamed :], people.pool[people.unnamed :]
        # The class of each is known: so many people are there, counterfeits that keep their identity among them.
        there = np.bincount(pool, minlength=read.pool.size)
        held = np.bincount(read.pool_group, weights=there, minlength=read.release.group.size).astype(np.int64)
        own = np.arange(read.pool.size, dtype=np.int32)
        return self._hosts(position, person, (np.arange(len(person) + 1), pool), (own, read.pool_group, there), held)

    def published(self, position: int) -> PublishedClasses:
        """Return a release as its readers see it."""
        read = self.releases[position]
        if read.people is not None:
            judged = read.people.strangers
        elif read.fakes is not None:
            judged = read.rows(read.pool) > read.fakes
        else:
            judged = (read.capacity > 0)[read.pool_group]
        order, number = read.pools_by_looks, np.empty(read.pool.size, dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        contents = read.entries(self.sensitive)
        contents = contents._replace(bag=number[contents.bag])
        return PublishedClasses(read.pool_group, judged[order], contents, self.values, number[read.pool.codes])

    def accounted(self, position: int, classes: Places) -> Flags:
        """Return which of some classes hold only people who are known to be in no other: none, without a register."""
        del position
        return np.zeros(len(classes), dtype=np.bool_)

    def published_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""
        group = self.releases[position].release.group
        return [group.name(code) for code in groups.tolist()]

    def _placed(self, position: int) -> PlacedPeople:
        """Return the people of a release.

        Raises:
            UsageError: the adversary does not know them.
        """
        people = self.releases[position].people
        if people is None:
            raise UsageError("who is in which group is known to the adversary `linked` alone")
        return people

    def _fixed_of(self, position: int, person: Codes) -> Codes | None:
        """Return the value that is known beforehand of each of some people, -1 elsewhere."""
        fixed = self.fixed[position]
        return None if fixed is None else np.append(fixed, np.int32(UNKNOWN))[person]

    def _hosts(
        self,
        position: int,
        person: Codes,
        candidates: tuple[Counts, Codes],
        classes: tuple[Codes, Codes, Counts],
        held: Counts,
    ) -> CandidateGroups:
        """Return people with their known values, their candidate classes, and what these can hold.

        `classes` are the pool of each, its published group, and how many rows it has.
        """
        at, (pool, group, rows) = self._fixed_of(position, person), classes
        return CandidateGroups(
            person,
            np.full(len(person), UNKNOWN, dtype=np.int32) if at is None else at,
            *candidates,
            pool,
            np.minimum(rows, held[group]),
            rows,
            group,
            held,
            int(pool.max(initial=-1)) + 1,
            self.releases[position].entries(self.sensitive),
            self.individual,
            self.values,
        )


def real_people(people: PlacedPeople, individual: Flags) -> Places | slice:
    """Return the places of people who are no counterfeits."""
    if individual.all():
        return slice(people.unnamed, None)
    return people.unnamed + np.flatnonzero(individual[people.person[people.unnamed :]])
