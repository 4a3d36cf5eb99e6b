"""Releases: what one file, or an Anatomy pair, publishes, as integer columns, with its key where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from audit.io.encoding import NOBODY, IdentifierEncoder, Vocabulary
from audit.io.row_classes import RowClasses
from audit.io.singling_columns import SinglingColumn
from audit.io.tables import Coded
from audit.model.arrays import Codes, Counts, Flags
from audit.model.composite_keys import counted, ranks, tally


class GroupContents(NamedTuple):
    """Each value of each group, sorted by group and value.

    Attributes:
        group, value: distinct pairs; shape (m,), int32.
        rows: how many of the group's rows have the value; shape (m,), int64.
    """

    group: Codes
    value: Codes
    rows: Counts


@dataclass(frozen=True)
class Release:
    """What one release publishes.

    Attributes:
        tag: the release's name.
        group: the QI-group of each row; shape (rows,).
        classes: the row classes.
        entry_group, entry_value, entry_count: the published values: group, code and number of rows of each
            entry, shape (entries,); `entry_count` None means one each. For a plain table an entry is a row.
        counts: how many people each row stands for, or None for one each.
        values_by_row: whether entry i is the value of row i (false for an Anatomy pair).
        cells: the generalized cells of each quasi-identifier that was asked for, by row, as numbers of the
            series' `Attribute`s; of a plain table at least those in which rows of one group differ.
        texts: the cells of each quasi-identifier as they are written: codes by row, and the text of each code.
        records: the published record id of each row, distinct, where it was asked for.
        suppressed: the group of the rows whose quasi-identifiers are all `*`, beside others, where neither groups nor
            record ids are published; None elsewhere.
        singling: what each quasi-identifier does to rows alone or in small groups; none where there are none.
        counterfeits: number of counterfeits by group code, as published; empty when nothing is published.
    """

    tag: str
    group: Coded
    classes: RowClasses
    entry_group: Codes
    entry_value: Mapping[str, Codes]
    entry_count: Counts | None
    counts: Counts | None
    values_by_row: bool
    cells: dict[str, Codes]
    records: Coded | None
    suppressed: int | None = None
    singling: tuple[SinglingColumn, ...] = ()
    counterfeits: dict[int, int] = field(default_factory=dict)
    texts: Mapping[str, tuple[npt.NDArray[np.integer], Sequence[str]]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of rows in the file."""
        return len(self.group.codes)

    @property
    def people(self) -> int:
        """Number of people, counterfeits among them, that the rows stand for."""
        return self.rows if self.counts is None else int(self.counts.sum())

    def group_people(self) -> Counts:
        """Return how many people, counterfeits among them, each group has; 0 for codes without a group."""
        return tally(self.entry_group, self.group.size, self.entry_count)

    def contents(self, sensitive: str) -> GroupContents:
        """Return the values of a sensitive attribute in the groups."""
        value = self.entry_value[sensitive]
        bound = int(value.max(initial=0)) + 1
        pair, rows = counted(
            self.entry_group.astype(np.int64) * bound + value, self.group.size * bound, self.entry_count
        )
        return GroupContents((pair // bound).astype(np.int32), (pair % bound).astype(np.int32), rows)

    def by_class(self) -> Self:
        """Return the same with what publishes values together as its groups: row classes in a plain table."""
        row = self.classes.row
        return replace(self, group=row, entry_group=row.codes) if self.values_by_row else self


@dataclass(frozen=True)
class KeyedRelease(Release):
    """A release beside the publisher's key, which no attack is handed.

    Attributes:
        person: who each row is, -1 for a counterfeit without identity; None without a key.
        strangers: which rows are of people without saying whose: those that a key file does not list, and the rows of
            a person beside the one that is followed; None where none are. `person` is -1 there; shape (rows,).
        owner: whose row each is, -1 for a counterfeit without identity, where people may have several; None where
            `person` says it, and where nothing does.
        own: the value of each row of an Anatomy pair as its key file has it, by attribute: codes of texts, and these.
    """

    person: Codes | None = None
    strangers: Flags | None = None
    owner: Codes | None = None
    own: Mapping[str, tuple[Codes, Sequence[str]]] = field(default_factory=dict)

    def published(self) -> Release:
        """Return what is published of it, without the key."""
        return Release(**{each.name: getattr(self, each.name) for each in fields(Release)})

    def counterfeit_rows(self, people: IdentifierEncoder) -> Flags | None:
        """Return which rows the key says are counterfeits, shape (rows,); None without a key."""
        if self.person is None:
            return None
        fake: Flags = np.append(people.is_counterfeit(), True)[self.person]  # the last is a row without a person
        return fake if self.strangers is None else fake & ~self.strangers

    def owners(self, people: IdentifierEncoder) -> Codes | None:
        """Return whose row each is, -1 for counterfeits, a number of its own for who is not named; None without a key.

        Shape (rows,).
        """
        owner = self.person if self.owner is None else self.owner
        if owner is None:
            return None
        fake: Flags = np.append(people.is_counterfeit(), True)[owner]
        real = np.where(fake, NOBODY, owner)
        if self.strangers is not None:
            real = np.where((owner == NOBODY) & self.strangers, people.size + np.arange(self.rows), real)
        return real.astype(np.int32)


def own_values(release: KeyedRelease, name: str, vocabularies: Mapping[str, Vocabulary]) -> Codes | None:
    """Return an attribute's value of each row, -1 where it is not known; None where nothing says it; shape (rows,).

    Beside their rows, values were read with the release; of an Anatomy pair they may stand in its key file, which is
    not believed in groups where it has a published value more often than the pair does.
    """
    if release.values_by_row:
        return release.entry_value[name]
    if name not in release.own:
        return None
    codes, texts = release.own[name]
    found = vocabularies[name].codes(texts)[codes]
    found[_too_often(release, name, found)[release.group.codes]] = NOBODY
    return found


def _too_often(release: KeyedRelease, name: str, said: Codes) -> Flags:
    """Return by group code where rows of an Anatomy pair are said to have a published value more often than published.

    A value that is not published for a group at all is left to be reported as the contradiction that it is.
    """
    values = int(max(said.max(initial=0), release.entry_value[name].max(initial=0))) + 1
    known = np.flatnonzero(said != NOBODY)
    of_rows = release.group.codes[known] * np.int64(values) + said[known]
    of_entries = release.entry_group * np.int64(values) + release.entry_value[name]
    place, entries = ranks(np.concatenate([of_entries, of_rows]), release.group.size * values), len(of_entries)
    pairs = int(place.max(initial=-1)) + 1
    published = np.bincount(place[:entries], weights=release.entry_count, minlength=pairs)
    more = np.bincount(place[entries:], minlength=pairs) > published
    groups = np.zeros(release.group.size, dtype=np.bool_)
    groups[release.entry_group[more[place[:entries]]]] = True
    return groups
