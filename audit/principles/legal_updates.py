"""Legal updates: decide for many pairs of groups whether the values of one can have become those of the other.

Source: m-Distinct paper, Definitions 12 to 14.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from audit.io.releases import GroupContents
from audit.model.arrays import Codes, Counts, Flags, Integers
from audit.model.composite_keys import tally
from audit.model.update_sets import Pairs, UpdateSets

_WORD = 64

Masks = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Groups:
    """The groups of one or several releases, with their values of one sensitive attribute.

    Attributes:
        value: the distinct values, group after group, ascending within each; int32.
        size: the number of distinct values of each group; shape (groups,), int64.
        rows: the number of rows of each group; shape (groups,), int64.
        release: the release of each, counted from 0; shape (groups,), int64.
    """

    value: Codes
    size: Counts
    rows: Counts
    release: Counts

    @classmethod
    def of(cls, held: GroupContents, groups: int, release: int) -> Groups:
        """Return the groups of a release by their codes; codes without rows have no values."""
        size = np.bincount(held.group, minlength=groups).astype(np.int64)
        rows = tally(held.group, groups, held.rows)
        return cls(held.value, size, rows, np.full(groups, release, dtype=np.int64))

    @classmethod
    def none(cls) -> Groups:
        """Return an empty list of groups."""
        no_count = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(0, dtype=np.int32), no_count, no_count, no_count)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.size)

    @cached_property
    def first(self) -> Counts:
        """Where the values of each group begin; shape (groups,)."""
        return np.cumsum(self.size) - self.size

    def values(self, group: int) -> frozenset[int]:
        """Return the values of one group."""
        first = int(self.first[group])
        return frozenset(self.value[first : first + int(self.size[group])].tolist())

    def and_then(self, others: Groups) -> Groups:
        """Return these groups and, after them, the others."""
        return Groups(
            np.concatenate([self.value, others.value]),
            np.concatenate([self.size, others.size]),
            np.concatenate([self.rows, others.rows]),
            np.concatenate([self.release, others.release]),
        )

    def only(self, kept: Flags) -> Groups:
        """Return the groups that `kept` marks, in order."""
        return Groups(self.value[np.repeat(kept, self.size)], self.size[kept], self.rows[kept], self.release[kept])

    def same(self, old: Integers, new: Integers) -> Flags:
        """Return whether groups have the same values, pair by pair; shape (pairs,)."""
        found = self.size[old] == self.size[new]
        for place in range(int(self.size[old].max(initial=0))):
            pair = np.flatnonzero(found & (self.size[old] > place))
            before, after = (self.first[groups[pair]] + place for groups in (old, new))
            found[pair] = self.value[before] == self.value[after]
        return found

    def united(self, masks: Masks, groups: Integers) -> Masks:
        """Return the union of the masks of all values of each group asked for; shape (groups asked for, words)."""
        size, first = self.size[groups], self.first[groups]
        found = np.zeros((len(groups), masks.shape[1]), dtype=np.uint64)
        for place in range(int(size.max(initial=0))):
            larger = np.flatnonzero(size > place)
            found[larger] |= masks[self.value[first[larger] + place]]
        return found


@dataclass(frozen=True)
class Rule:
    """The rule of which values a value may become; `sets` is None if values never change."""

    sets: UpdateSets | None

    @cached_property
    def own(self) -> Masks:
        """Each value as a bit of its own; shape (values, words)."""
        return _masks(np.eye(len(self.may), dtype=np.bool_))

    @cached_property
    def after(self) -> Masks:
        """The candidate update set of each value, by bits; shape (values, words)."""
        return _masks(self.may)

    @cached_property
    def before(self) -> Masks:
        """The values that may become each value, by bits; shape (values, words)."""
        return _masks(self.may.T)

    @property
    def may(self) -> Pairs:
        """The candidate update sets of values that change."""
        if self.sets is None:
            raise ValueError("values that never change have no candidate update sets")
        return self.sets.may

    def becomes(self, value: int) -> frozenset[int]:
        """Return the candidate update set of a value."""
        return frozenset([value] if self.sets is None else np.flatnonzero(self.sets.may[value]).tolist())

    def legal(self, groups: Groups, old: Integers, new: Integers) -> Flags:
        """Return whether groups are legal update instances of older ones, pair by pair; shape (pairs,).

        The new group has as many values as the old one has rows; an old value may become each new value; and each old
        value may become a new one (Definition 14).
        """
        as_many = groups.size[new] == groups.rows[old]
        if self.sets is None:
            return as_many & groups.same(old, new)
        strays = groups.united(self.own, new) & ~groups.united(self.after, old)
        ends = groups.united(self.own, old) & ~groups.united(self.before, new)
        return as_many & ~(strays | ends).any(axis=1)

    def overlapping(self, groups: Groups) -> Flags:
        """Return the groups in which the values of two rows may become the same; shape (groups,)."""
        repeated = groups.rows > groups.size
        if self.sets is None:
            return repeated
        group = np.repeat(np.arange(len(groups)), groups.size)
        reached = tally(group, len(groups), self.may.sum(axis=1)[groups.value])
        united = groups.united(self.after, np.arange(len(groups)))
        return repeated | (reached > np.bitwise_count(united).sum(axis=1))


def _masks(pairs: Pairs) -> Masks:
    """Return the bits of each row, in whole words; shape (rows, words)."""
    rows, columns = pairs.shape
    padded = np.zeros((rows, -(-columns // _WORD) * _WORD), dtype=np.bool_)
    padded[:, :columns] = pairs
    return np.packbits(padded, axis=1).view(np.uint64)
