"""View: evidence of a series, with data that only the naming, checking and scoring of findings may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

import numpy as np

from audit.adversary.followed_people import FollowedPeople
from audit.adversary.held_series import CombinedVocabulary, HeldSeries
from audit.adversary.known_groups import KnownGroups, PossibleKinds
from audit.adversary.record_linkage import FollowedRecords
from audit.io.background_knowledge import Known, Register
from audit.io.releases import own_values
from audit.io.series import Series
from audit.model.arrays import NOBODY, UNKNOWN, Codes, Flags
from audit.model.evidence import Evidence
from audit.runtime.own_packages import is_own


@dataclass(frozen=True)
class Key:
    """The true values of people.

    Attributes:
        rows: by release, distinct people, -1 for none, and the true value of each, -1 if unknown; None if the release
            has no key.
        pooled: the people of the pools of each release.
        size: one more than the largest code of people.
    """

    rows: Sequence[tuple[Codes, Codes] | None]
    pooled: Sequence[Codes]
    size: int

    def of(self, release: int, people: Codes) -> Codes | None:
        """Return the true values of some people in a release, -1 if unknown; None without a key."""
        rows = self.rows[release]
        if rows is None:
            return None
        own = np.full(self.size + 1, UNKNOWN, dtype=np.int32)
        own[rows[0]] = rows[1]
        own[NOBODY] = UNKNOWN
        return own[people]

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people in a release's pools, -1 if unknown; None without a key."""
        return self.of(release, self.pooled[release])

    def of_people(self) -> Codes | None:
        """Return the first true value of all people, -1 if unknown; shape (people,), int32; None without a key."""
        return self._first[0]

    def changed(self) -> Flags:
        """Return which people have a value that changes later; shape (people,), bool, by person code."""
        return self._first[1]

    @cached_property
    def _first(self) -> tuple[Codes | None, Flags]:
        first, changed, recorded = np.full(self.size, UNKNOWN, np.int32), np.zeros(self.size, np.bool_), False
        for release, person in enumerate(self.pooled):
            values = self.of_versions(release)
            if values is not None:
                recorded, before = True, first[person]
                rows = np.flatnonzero(values != before)
                who, now, new = person[rows], values[rows], before[rows] == UNKNOWN
                first[who[new]] = now[new]
                changed[who] |= ~new & (now != UNKNOWN)
        return first if recorded else None, changed


def key_of(held: HeldSeries, people: KnownGroups) -> Key:
    """Return the true values of an attribute."""
    rows, name = list[tuple[Codes, Codes] | None](), people.sensitive
    for keyed, read in zip(held.keyed, held.seen, strict=True):
        by_row = keyed.values_by_row
        values = read.release.entry_value[name] if by_row else own_values(keyed, name, held.series.vocabularies)
        rows.append(None if keyed.person is None or values is None else (keyed.person, values))
    return Key(rows, [each.person for each in people.pooled], len(people.individual))


@dataclass(frozen=True)
class View(Evidence):
    """A series as one adversary sees it, together with the series itself and the publisher's key.

    Attributes:
        source: the evidence about people.
        records: the rows of records; None if no published id links them.
        combined: the combinations of values; None if the values are those of one attribute.
        held: the series.
        key: the true values of people.
        beforehand: the values known beforehand; None if there are none.
        possible_kinds: the kinds of people who may be in the data; None if presence is known.
    """

    source: KnownGroups
    records: FollowedRecords | None = None
    combined: CombinedVocabulary | None = None
    held: HeldSeries = field(kw_only=True)
    key: Key = field(kw_only=True)
    beforehand: Known | None = None
    possible_kinds: PossibleKinds | None = None

    @property
    def series(self) -> Series:
        """The series."""
        return self.held.series

    def name(self, person: int) -> str:
        """Return the identifier of a person."""
        return self.series.people.name(person)

    def count_people(self, flags: Flags) -> int:
        """Return the number of people with some codes; of those who may be in the data, all who look alike."""
        return super().count_people(flags) if self.possible_kinds is None else self.possible_kinds.count(flags)

    @property
    def register(self) -> Register | None:
        """The people of each release; if presence is unknown, the people who represent their kinds."""
        kinds = self.possible_kinds
        return self.held.register if kinds is None else kinds.register

    @property
    def followed_people(self) -> FollowedPeople | None:
        """The evidence about people followed by record ids; None if they are not followed."""
        return self.source if isinstance(self.source, FollowedPeople) else None


def handed(seen: Evidence, attack: object = None) -> Evidence:
    """Return the input of an attack: only evidence, and a world if an attack of this program asks for one.

    An attack of another package could read people's values from such a world.
    """
    evidence = Evidence(**{each.name: getattr(seen, each.name) for each in fields(Evidence)})
    if not (isinstance(seen, View) and is_own(attack) and getattr(attack, "asks_worlds", False)):
        return evidence
    groups = map(seen.source.candidate_groups, range(len(seen.tags) if seen.source.pooled else 0))
    world = [seen.key.of(at, each.person) for at, each in enumerate(groups)]
    return replace(evidence, world=tuple(each for each in world if each is not None))
