"""A release as an adversary sees it: of the publisher's key there is nothing but what that adversary knows.

It has one form. Rows are in *classes* (the rows of a published group with equal cells), and classes draw on *pools* of
values: in a plain table each class has a pool of its own, in an Anatomy pair the classes of a published group share
one. Who knows where people are knows the class of each, not the row. So people stand here in the order of their codes,
which is not that of any rows: no two columns that can be lined up say which value of a class is whose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audit.io.releases import KeyedRelease, Release
from audit.io.row_classes import RowClasses
from audit.io.tables import Coded
from audit.model.arrays import UNKNOWN, Codes, Counts, Flags, Places
from audit.model.evidence import ValueCounts


@dataclass(frozen=True)
class PlacedPeople:
    """The people in a release.

    Attributes:
        person: who they are, ascending, -1 for each row of a person who is not known; shape (rows,), int32.
        row_class, pool: the class and the pool of each; shape (rows,), int32.
        unnamed: how many entries are -1; they come first.
        strangers: by pool, whether rows of it are of people without saying whose; shape (pools,).
    """

    person: Codes
    row_class: Codes
    pool: Codes
    unnamed: int
    strangers: Flags

    @classmethod
    def of(cls, keyed: KeyedRelease, classes: RowClasses, pool: Coded) -> PlacedPeople | None:
        """Return the people of a release by class; None without a key."""
        if keyed.person is None:
            return None
        row_class = classes.row.codes
        nameless = np.sort(row_class[keyed.person < 0])
        at = np.full(int(keyed.person.max(initial=UNKNOWN)) + 2, UNKNOWN, dtype=np.int32)  # the last is that of -1
        at[keyed.person] = row_class
        person = np.flatnonzero(at[:-1] >= 0).astype(np.int32)
        strangers = np.zeros(pool.size, dtype=np.bool_)
        if keyed.strangers is not None:
            strangers[pool.codes[keyed.strangers]] = True
        unknown = np.full(len(nameless), UNKNOWN, dtype=np.int32)
        row_class = np.append(nameless, at[person])
        own = row_class if pool is classes.row else classes.group[row_class]
        return cls(np.append(unknown, person), row_class, own, len(nameless), strangers)


@dataclass(frozen=True)
class SeenRelease:
    """A release as an adversary sees it.

    Attributes:
        release: what is published; the cells only where records are followed, or where rows of one group differ in
            them; with the combinations of its values, where there are several sensitive attributes.
        classes: its row classes.
        pool: the pool of each row.
        cells: the cells of each class, where there is a register, one of no rows having any; shape (classes,
            attributes).
        record: the record of each row, by codes common to all releases, where records are followed; shape (rows,).
        people: who is in which class; None where the adversary does not know it.
        fakes: how many counterfeits are in each pool, as the key says; None without a key.
        real: which rows of records are no counterfeits, as the key says; None where it says that of none.
        judged: which rows of records may be of people who are not known to be there; None where all may.
    """

    release: Release
    classes: RowClasses
    pool: Coded
    cells: Codes | None
    record: Codes | None
    people: PlacedPeople | None
    fakes: Counts | None
    real: Flags | None
    judged: Flags | None

    @property
    def pool_group(self) -> Codes:
        """The published group of each pool, ascending; shape (pools,), int32."""
        size = np.arange(self.release.group.size, dtype=np.int32)
        return self.classes.group if self.release.values_by_row else size

    @property
    def class_pool(self) -> Codes:
        """The pool of each class, ascending; shape (classes,), int32."""
        own = np.arange(len(self.classes.group), dtype=np.int32)
        return own if self.release.values_by_row else self.classes.group

    @property
    def pools_by_looks(self) -> Places:
        """The pools in the order of their groups and, within a group, of the numbers of equal cells; shape (pools,)."""
        if not self.release.values_by_row:
            return np.arange(self.pool.size)
        return np.lexsort((self.classes.looks, self.pool_group))

    def entries(self, sensitive: str) -> ValueCounts:
        """Return what the pools publish of an attribute."""
        release = self.release
        pool = self.pool.codes if release.values_by_row else release.entry_group
        return ValueCounts(pool, release.entry_value[sensitive], release.entry_count)

    def rows(self, of_row: Coded) -> Counts:
        """Return how many people, counterfeits among them, the rows of each group, class or pool stand for."""
        return np.bincount(of_row.codes, weights=self.release.counts, minlength=of_row.size).astype(np.int64)

    @property
    def capacity(self) -> Counts:
        """How many people each published group can hold: its rows less its published counterfeits."""
        rows = self.rows(self.release.group)
        for group, count in self.release.counterfeits.items():
            rows[group] -= count
        return rows

    @property
    def counterfeits(self) -> Counts:
        """How many counterfeits are in each published group: by the key, else as published."""
        size = self.release.group.size
        if self.fakes is not None:
            return np.bincount(self.pool_group, weights=self.fakes, minlength=size).astype(np.int64)
        return self.rows(self.release.group) - self.capacity

    def row_members(self) -> Codes | None:
        """Return for each row the place of a person of its class, each having one row; None where not known."""
        if self.people is None:
            return None
        place = np.empty(self.release.rows, dtype=np.int32)
        place[np.argsort(self.classes.row.codes, kind="stable")] = np.argsort(self.people.row_class, kind="stable")
        return place


def record_of(read: SeenRelease) -> Codes:
    """Return the record of each row of a release."""
    if read.record is None:
        raise AssertionError("this series was read without records")
    return read.record
