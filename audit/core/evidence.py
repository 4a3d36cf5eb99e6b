"""Evidence: a series seen with some knowledge, as arrays. All that an attack may look at.

Per-person attacks read *pools*. A pool is a bag of published values from which a person's value in one release
must come: under the `linked` adversary the person's QI-group, under `register` the union of all the groups whose
boxes cover the person. With pools, one attack serves both adversaries, and one release is in memory at a time.

Who follows published record ids reads the rows of *records* with their generalized cells instead.

Sources: equivalence paper, Definition 9 (person and value matrix); m-invariance paper, Definitions 6 and 15; monotonic
paper, Section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.core.errors import InputError
from audit.core.updates import UpdateSets

Codes = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
Table: TypeAlias = npt.NDArray[np.integer]
AdversaryKind = Literal["linked", "register", "pseudonym"]


class Entries(NamedTuple):
    """Contents of bags as (bag, value, number of rows), where a bag is a pool or a QI-group.

    Attributes:
        bag, value: shape (m,), int32. A pair may stand in several entries, which add up.
        rows: number of rows of each, or None for one row each.
    """

    bag: Codes
    value: Codes
    rows: Counts | None

    def tabled(self, bags: int, values: int) -> Table:
        """Return the same as a table of rows by bag and value; shape (bags, values)."""
        key = self.bag.astype(np.int64) * values + self.value
        if self.rows is None:
            table = np.bincount(key, minlength=bags * values)
        else:
            table = np.zeros(bags * values, dtype=np.int64)
            np.add.at(table, key, self.rows)
        return table.astype(count_type(int(table.max(initial=0))), copy=False).reshape(bags, values)

    @staticmethod
    def of(table: Table) -> Entries:
        """Return what a table of rows by bag and value says; each pair once, in order."""
        bag, value = np.nonzero(table)
        return Entries(bag.astype(np.int32), value.astype(np.int32), table[bag, value].astype(np.int64))


def count_type(largest: int) -> np.dtype[np.integer]:
    """Return the smallest type for counts up to a number."""
    kinds = (np.uint16, np.int32, np.int64)
    return np.dtype(next(kind for kind in kinds if largest <= np.iinfo(kind).max))


@dataclass(frozen=True, slots=True)
class Pools:
    """One release as an adversary sees it who looks at one person at a time.

    Attributes:
        person: the people in this release whose value is not known beforehand; distinct, shape (n,), int32.
        pool: the pool of each; shape (n,), int32, in [0, n_pools).
        n_pools: number of pools.
        contents: what is in the pools: entries, or a table of rows by pool and value, shape (n_pools, values), where
            pools hold many values. Either can be had of both: `entries()`, `table()`.
        counted: false where the version (this person in this release) is known beforehand, so that it takes
            part in reasoning but in no measure; shape (n,), or None when all count.
        fixed: the known value of such a version, -1 elsewhere; shape (n,), or None.
        people: one more than the largest person code of this and all earlier releases.
        values: the number of sensitive values of this and all earlier releases.
    """

    person: Codes
    pool: Codes
    n_pools: int
    contents: Entries | Table
    counted: npt.NDArray[np.bool_] | None
    fixed: Codes | None
    people: int
    values: int

    def entries(self) -> Entries:
        """Return what is in the pools as entries."""
        return self.contents if isinstance(self.contents, Entries) else Entries.of(self.contents)

    def table(self) -> Table:
        """Return what is in the pools as a table, which is large where there are many pools and values."""
        return self.contents.tabled(self.n_pools, self.values) if isinstance(self.contents, Entries) else self.contents


@dataclass(frozen=True, slots=True)
class Members:
    """One release as rows of the person matrix and the value matrix (equivalence paper, Definition 9).

    Attributes:
        column: who each row is, -1 for a counterfeit without identity; people whose values are known beforehand are
            left out; otherwise distinct; shape (n,), int32.
        group: the group of each; shape (n,), int32, in [0, n_groups).
        n_groups: number of groups, some of which may be empty.
        contents: the values of the groups, less those that are known beforehand.
        individual: which people are no counterfeits, by person code; shape (people,).
        values: the number of sensitive values of this and all earlier releases.
    """

    column: Codes
    group: Codes
    n_groups: int
    contents: Entries
    individual: npt.NDArray[np.bool_]
    values: int


@dataclass(frozen=True, slots=True)
class Hosts:
    """One release as rows, and who may have which: for whoever reasons about everybody at once.

    Rows that are left when everybody has one belong to counterfeits without identity or to strangers.

    Attributes:
        person: everybody who is known to be in the release, counterfeits that keep their identity among them (under
            `register` nobody but the people of the register); distinct, shape (n,), int32.
        fixed: the value of each that is known beforehand, -1 elsewhere; shape (n,), int32.
        start: where the groups that may hold each begin in `group`, and their number at the end; shape (n + 1,), int64.
        group: these groups, ascending for each; int32, in [0, n_groups).
        n_groups: number of groups.
        contents: all rows of the groups.
        individual: which people are no counterfeits, by person code; shape (people,).
        values: the number of sensitive values of this and all earlier releases.
    """

    person: Codes
    fixed: Codes
    start: Counts
    group: Codes
    n_groups: int
    contents: Entries
    individual: npt.NDArray[np.bool_]
    values: int


@dataclass(frozen=True)
class Transitions:
    """Which value may follow which between two consecutive versions of one person, and how often.

    Attributes:
        weight: shape (values, values), float64; the probability of going from row to column, 0 where impossible.
            Without probabilities in the file it is one over the number of values listed for the row.
        exact: the same, exactly, for the pairs that are possible.
        listed: whether the file says what may follow each value; shape (values,).
    """

    weight: npt.NDArray[np.float64]
    exact: dict[tuple[int, int], Fraction]
    listed: npt.NDArray[np.bool_]

    @property
    def sets(self) -> UpdateSets:
        """The candidate update sets: what may follow at all."""
        return UpdateSets(self.weight > 0)


class PoolSource(Protocol):
    """Where evidence gets a release's pools from."""

    def pools(self, release: int) -> Pools:
        """Return the pools of a release, counted from 0."""

    def stream(self) -> Iterator[Pools]:
        """Yield the pools of all releases in order, reading ahead."""

    def pools_of(self, release: int, people: Codes) -> Pools:
        """Return the pools of a release with these people at least, as far as they are in it, and what is in theirs.

        The rest may be left out: who looks up some people need not wait for everybody.
        """

    def groups(self, release: int, people: Codes) -> list[tuple[str, ...]]:
        """Return, for each of some people in a release, the names of the groups that may hold the person."""

    def members(self, release: int) -> Members:
        """Return who is in which group of a release, counterfeits included, where that is known (`linked`)."""

    def hosts(self, release: int) -> Hosts:
        """Return the rows of a release and which groups may hold whom (`linked`, `register`)."""

    def world(self, release: int) -> Codes | None:
        """Return the values of the people of `hosts(release)` in a world, -1 where not told; None where none is known.

        Who looks for worlds may start from it to save time; nothing that is found out may depend on it.
        """

    def group_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some groups of a release."""


@dataclass(frozen=True, slots=True)
class Records:
    """One release as an adversary sees it who follows published record ids.

    Attributes:
        record: whose row each is: distinct codes, common to all releases; shape (rows,), int32.
        cells: the cell of each row, one array per quasi-identifier, as numbers common to all releases: equal exactly
            where the cells contain the same values, however written; each of shape (rows,), int32.
        real: false for rows that the publisher's key says are counterfeits; shape (rows,), or None when it tells of
            none.
        size: one more than the largest record code of this and all earlier releases.
        hidden: number of counterfeits that are published without a key that tells which rows they are.
    """

    record: Codes
    cells: tuple[Codes, ...]
    real: npt.NDArray[np.bool_] | None
    size: int
    hidden: int = 0


class RecordSource(Protocol):
    """Where evidence gets the rows of records from, and what their cells have in common."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""

    def rows(self, release: int) -> Records:
        """Return the rows of a release, counted from 0."""

    def stream(self) -> Iterator[Records]:
        """Yield the rows of all releases in order, reading ahead."""

    def shared(self, attribute: int, left: Codes, right: Codes) -> Codes:
        """Return the numbers of what pairs of cells have in common, -1 where nothing; each pair should stand once."""

    def groups(self, release: int, rows: npt.NDArray[np.intp]) -> list[str]:
        """Return the names of the groups of some rows of a release."""

    def contradiction(self, release: int, row: int, attribute: int) -> InputError:
        """Return the error of a row whose cell has nothing in common with the record's earlier ones."""


@dataclass(frozen=True)
class Evidence:
    """A series as one adversary sees it, for one sensitive attribute.

    Attributes:
        kind: the adversary.
        sensitive: name of the sensitive attribute.
        tags: the releases, in order of publication.
        transitions: which values may follow which; None when values never change.
        known: number of people with a value that is known beforehand.
        rows: about how many rows the releases have together, for choosing kernels.
        source: where the pools come from.
        values: the sensitive values by code; grows while releases are read.
        records: where the rows of records come from; None where no id is published that links them.
    """

    kind: AdversaryKind
    sensitive: str
    tags: tuple[str, ...]
    transitions: Transitions | None
    known: int
    rows: int
    source: PoolSource
    values: Sequence[str]
    records: RecordSource | None = None

    def pools(self, release: int) -> Pools:
        """Return the pools of a release, counted from 0."""
        return self.source.pools(release)

    def stream(self) -> Iterator[Pools]:
        """Yield the pools of all releases in order, reading ahead."""
        return self.source.stream()
