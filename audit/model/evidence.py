"""Evidence: a series seen with some knowledge, as arrays. All that an attack may look at.

Per-person attacks read *pools*. A pool is a bag of published values from which a person's value in one release
must come: under the `linked` adversary the person's QI-group, under `register` the union of all the groups whose
boxes cover the person. With pools, one attack serves both adversaries. Nothing here leads to the series or its key.

Attacks that follow published record ids read the rows of *records* with their generalized cells instead.

Sources: equivalence paper, Definition 9 (person and value matrix); m-invariance paper, Definitions 6 and 15; monotonic
paper, Section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.model.adversary import ADVERSARIES, Adversary, AdversaryKind
from audit.model.arrays import Codes, Counts, Places
from audit.model.errors import UsageError
from audit.model.nearness import PublishedNumbers
from audit.model.update_sets import UpdateSets
from audit.runtime.reasons import Reason

Table: TypeAlias = npt.NDArray[np.integer]


class ValueCounts(NamedTuple):
    """Contents of bags as (bag, value, number of rows), where a bag is a pool or a QI-group.

    Attributes:
        bag, value: shape (m,), int32. Several entries of a pair add up.
        rows: number of rows of each, or None for one row each.
    """

    bag: Codes
    value: Codes
    rows: Counts | None

    def tabled(self, bags: int, values: int) -> Table:
        """Return the same as a table of rows by bag and value; shape (bags, values)."""
        key = self.bag.astype(np.int64) * values + self.value
        if self.rows is None:
            table = np.zeros(bags * values, dtype=count_type(int(np.bincount(self.bag).max(initial=0))))
            np.add.at(table, key, table.dtype.type(1))
        else:
            table = np.zeros(bags * values, dtype=np.int64)
            np.add.at(table, key, self.rows)
        return table.astype(count_type(int(table.max(initial=0))), copy=False).reshape(bags, values)

    @staticmethod
    def of(table: Table) -> ValueCounts:
        """Return what a table of rows by bag and value says; each pair once, in order."""
        bag, value = np.nonzero(table)
        return ValueCounts(bag.astype(np.int32), value.astype(np.int32), table[bag, value].astype(np.int64))


def count_type(largest: int) -> np.dtype[np.integer]:
    """Return the smallest type for counts up to a number."""
    kinds = (np.uint16, np.int32, np.int64)
    return np.dtype(next(kind for kind in kinds if largest <= np.iinfo(kind).max))


@dataclass(frozen=True, slots=True)
class CandidatePools:
    """One release as seen by an adversary who considers one person at a time.

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
    contents: ValueCounts | Table
    counted: npt.NDArray[np.bool_] | None
    fixed: Codes | None
    people: int
    values: int

    def entries(self) -> ValueCounts:
        """Return what is in the pools as entries."""
        return self.contents if isinstance(self.contents, ValueCounts) else ValueCounts.of(self.contents)

    def table(self) -> Table:
        """Return what is in the pools as a table, which is large where there are many pools and values."""
        return (
            self.contents.tabled(self.n_pools, self.values) if isinstance(self.contents, ValueCounts) else self.contents
        )


@dataclass(frozen=True, slots=True)
class Members:
    """One release as rows of the person matrix and the value matrix (equivalence paper, Definition 9).

    Attributes:
        column: who is there, ascending, -1 for each counterfeit without identity; people whose values are known
            beforehand are left out; otherwise distinct; shape (n,), int32.
        group: the group of each; shape (n,), int32, in [0, n_groups).
        n_groups: number of groups, some of which may be empty.
        contents: the values of the groups, less those that are known beforehand.
        individual: which people are no counterfeits, by person code; shape (people,).
        values: the number of sensitive values of this and all earlier releases.
    """

    column: Codes
    group: Codes
    n_groups: int
    contents: ValueCounts
    individual: npt.NDArray[np.bool_]
    values: int


@dataclass(frozen=True, slots=True)
class CandidateGroups:
    """One release as rows, and who may have which: for attacks on all people at once.

    The rows of a published group with equal cells are a *row class*; a person can only be a row of a class whose cells
    cover the person. A class draws on the values of one *group*: in a plain table each class is a group of its own, as
    its rows' values stand beside its cells; in an Anatomy pair the classes of a published group share its values. Under
    `linked` each person has one class (of an Anatomy pair the published group is the only class then).

    In a world each person has one row, that is a class and a value of its group. No more people have a value of a group
    than it has rows with it, no more are in a class than `class_capacity`, and no more in the classes of one published
    group than `group_capacity`. Rows that are left belong to counterfeits without identity or to strangers.

    Attributes:
        person: all who are known to be in the release, counterfeits that keep their identity among them (under
            `register` only the people of the register); distinct, shape (n,), int32.
        fixed: the value of each that is known beforehand, -1 elsewhere; shape (n,), int32.
        start: where the row classes that may hold each begin in `row_class`, and their number at the end; shape
            (n + 1,), int64.
        row_class: these classes, ascending for each; int32, in [0, classes).
        class_group: the group whose values each class has; ascending, shape (classes,), int32, in [0, n_groups).
        class_capacity: how many people each class can hold: its rows, or `group_capacity` where that is less; shape
            (classes,), int64.
        class_rows: how many rows each class has; shape (classes,), int64.
        published_group: the published group of each class; ascending, shape (classes,), int32. It is `class_group` but
            in a plain table whose groups have rows with different cells.
        group_capacity: how many people each published group can hold: its rows less the counterfeits that are published
            for it; shape (published groups,), int64.
        n_groups: number of groups.
        contents: all rows of the groups.
        individual: which people are no counterfeits, by person code; shape (people,).
        values: the number of sensitive values of this and all earlier releases.
    """

    person: Codes
    fixed: Codes
    start: Counts
    row_class: Codes
    class_group: Codes
    class_capacity: Counts
    class_rows: Counts
    published_group: Codes
    group_capacity: Counts
    n_groups: int
    contents: ValueCounts
    individual: npt.NDArray[np.bool_]
    values: int


@dataclass(frozen=True, slots=True)
class PublishedClasses:
    """One release by itself, as all can see it: rows of a group with equal cells; groups where it is an Anatomy pair.

    Attributes:
        group: the published group of each class, ascending; shape (classes,), int32.
        judged: false where all rows are known to be counterfeits, or of people who are there as the adversary knows;
            shape (classes,).
        contents: the values of each class.
        values: the number of sensitive values of this and all earlier releases.
        place: the class of each row; shape (rows,), int32.
        strangers: whether some rows may be of people that the adversary does not know.
    """

    group: Codes
    judged: npt.NDArray[np.bool_]
    contents: ValueCounts
    values: int
    place: Codes
    strangers: bool = True


@dataclass(frozen=True)
class AnyPair(Mapping[tuple[int, int], Fraction]):
    """The transitions by which any of so many values may follow any, one as probably as the other."""

    size: int

    def __getitem__(self, pair: tuple[int, int]) -> Fraction:
        """Return the probability of a pair of codes."""
        if 0 <= pair[0] < self.size and 0 <= pair[1] < self.size:
            return Fraction(1, self.size)
        raise KeyError(pair)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Return all pairs in order."""
        return product(range(self.size), range(self.size))

    def __len__(self) -> int:
        """Return how many pairs there are."""
        return self.size**2


@dataclass(frozen=True)
class Transitions:
    """The values that may follow each other between two consecutive versions of one person, and how often.

    Attributes:
        weight: shape (values, values), float64; the probability of going from row to column, 0 where impossible.
            Without probabilities in the file it is one over the number of values listed for the row.
        exact: the same, exactly, for the pairs that are possible.
        listed: whether the file says what may follow each value; shape (values,).
    """

    weight: npt.NDArray[np.float64]
    exact: Mapping[tuple[int, int], Fraction]
    listed: npt.NDArray[np.bool_]

    @property
    def constant(self) -> bool:
        """Whether no value ever changes, each staying for certain, or each as probably as the others."""
        kept = {a for a, b in self.exact if a == b}
        each = len(kept) == len(self.exact) == np.count_nonzero(self.listed)
        return each and len(set(self.exact.values())) <= 1

    @property
    def sets(self) -> UpdateSets:
        """The candidate update sets: what may follow at all."""
        return UpdateSets(self.weight > 0)


class CombinedName(str):
    """The name of several sensitive attributes together.

    Attributes:
        attributes: their names.
    """

    __slots__ = ("attributes",)
    attributes: tuple[str, ...]


class Combinations(Protocol):
    """The combinations of the values of several sensitive attributes that rows have."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes."""

    def parts(self) -> Codes:
        """Return the value of each attribute that each combination is of, by code; shape (combinations, attributes)."""


def claimed_code(attribute: int | Places, value: Codes | np.int32, attributes: int) -> Codes:
    """Return the codes of claims that a person has some value of one of several attributes, with any others.

    They are below those of combinations, of unknown values (-1) too.

    >>> claimed_part(int(claimed_code(1, np.array([5]), 3)[0]), 3)
    (1, 5)
    """
    return np.asarray(-2 - (value.astype(np.int64) * attributes + attribute), dtype=np.int32)


def claimed_part(code: int, attributes: int) -> tuple[int, int]:
    """Return the attribute and the value that a claim is about, given its code."""
    value, attribute = divmod(-2 - code, attributes)
    return attribute, value


class PeopleSource(Protocol):
    """What evidence knows of the people of releases."""

    def groups(self, release: int, people: Codes) -> list[tuple[str, ...]]:
        """Return, for each of some people in a release, the names of the groups that may hold the person."""

    def members(self, release: int) -> Members:
        """Return who is in which group of a release, counterfeits included, where that is known (`linked`)."""

    def hosts(self, release: int) -> CandidateGroups:
        """Return the rows of a release and which groups may hold which people (`linked`, `register`)."""

    def group_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some groups of a release."""

    def published(self, release: int) -> PublishedClasses:
        """Return the classes of a release, counted from 0."""

    def accounted(self, release: int, classes: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which of some classes of a release hold only people who are known to be in no other."""

    def published_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some groups of a release."""


@dataclass(eq=False)
class WrongCellError(Exception):
    """A cell contradicts the earlier ones of its record, or cannot be read; `row` is None for the latter."""

    release: int
    row: int | None = None
    attribute: int = 0


@dataclass(frozen=True, slots=True)
class Records:
    """One release as an adversary sees it who follows published record ids.

    Attributes:
        record: whose row each is: distinct codes, common to all releases; shape (rows,), int32.
        cells: the cell of each row, one array per quasi-identifier, as numbers common to all releases: equal exactly
            where the cells contain the same values, however written; each of shape (rows,), int32.
        real: false for rows that the publisher's key says are counterfeits; shape (rows,), or None when it says that of
            none.
        size: one more than the largest record code of this and all earlier releases.
        hidden: number of counterfeits that are published without a key that says which rows they are.
        judged: which rows may be of people who are not known to the adversary to be there; shape (rows,), or None when
            all may.
    """

    record: Codes
    cells: tuple[Codes, ...]
    real: npt.NDArray[np.bool_] | None
    size: int
    hidden: int = 0
    judged: npt.NDArray[np.bool_] | None = None


class RecordSource(Protocol):
    """Where evidence gets the rows of records from, and what their cells have in common."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""

    def rows(self, release: int) -> Records:
        """Return the rows of a release, counted from 0."""

    def shared(self, attribute: int, left: Codes, right: Codes) -> Codes:
        """Return the numbers of what pairs of cells have in common, -1 if nothing; each pair should be given once."""

    def groups(self, release: int, rows: npt.NDArray[np.intp]) -> list[str]:
        """Return the names of the groups of some rows of a release."""


@dataclass(frozen=True, slots=True)
class PublishedRows:
    """One release row by row, as its file publishes it.

    Attributes:
        cells: numbers of each row's cells, common to all releases, equal where they contain the same values however
            written; shape (rows, attributes), int32.
        value: the sensitive value of each row; None where they stand in another file, or rows stand for several people.
        group: the published group of each row; shape (rows,), int32.
        member: for each row the place in `Members` of a person who has a row with the same cells in the same group,
            each having one; None for who does not know it (others than `linked`).
        counterfeits: how many rows are published as counterfeits, without telling which.
    """

    cells: Codes
    value: Codes | None
    group: Codes
    member: Codes | None
    counterfeits: int


class RowSource(Protocol):
    """Where evidence gets the rows of releases from, with their cells."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""

    def rows(self, release: int) -> PublishedRows:
        """Return the rows of a release, counted from 0."""

    def shared(self, attribute: int, left: Codes, right: Codes) -> Codes:
        """Return what pairs of cells of an attribute have in common, -1 where nothing."""

    def atoms(self, attribute: int, cells: Codes) -> tuple[Codes, npt.NDArray[np.bool_]]:
        """Return points that cells of an attribute distinguish, as cells, and which cover each; (points, cells)."""

    def text(self, attribute: int, cell: int) -> str:
        """Return a cell as text."""

    def group_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""


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
        source: what is known of the people of each release.
        values: the sensitive values by code.
        records: where the rows of records come from; None where no id is published that links them.
        published: where the classes of rows that look alike come from; None for combinations of attributes, and where
            the adversary knows whose every row is.
        combined: the attributes whose values are combined, where values are combinations; claims about one of these
            attributes have codes of their own: see `claimed_code`.
        world: the values of the people of `source.hosts` by release in a world, -1 where unknown; a hint for attacks
            that search for worlds, on which no result depends. Empty where none is known.
        rows_of: where rows and their cells come from; None for combinations of attributes.
        growing: whether every record of a release is in the next one, with the same value or one that may follow it.
        followed: whether people are followed by record ids: it is evidence of one release, that of all records.
        unfollowed: why they are not, if the series has record ids and people are known; None elsewhere.
        pooled: the pools of each release; none where no people are known.
        numbers: the numbers that values are, by sensitive attribute; only of those whose values may be amounts.
        categories: by sensitive attribute and category, the values that are of it, as equal numbers.
    """

    kind: AdversaryKind
    sensitive: str
    tags: tuple[str, ...]
    transitions: Transitions | None
    known: int
    rows: int
    source: PeopleSource
    values: Sequence[str]
    records: RecordSource | None = None
    published: PeopleSource | None = None
    combined: Combinations | None = None
    world: tuple[Codes, ...] = ()
    rows_of: RowSource | None = None
    growing: bool = False
    followed: bool = False
    unfollowed: Reason | None = None
    pooled: tuple[CandidatePools, ...] = ()
    numbers: Mapping[str, PublishedNumbers] = field(default_factory=dict)
    categories: Mapping[str, Mapping[str, PublishedNumbers]] = field(default_factory=dict)

    @property
    def adversary(self) -> Adversary:
        """The adversary who sees it."""
        return ADVERSARIES[self.kind]

    def attribute(self, value: int) -> str | None:
        """Return which of several combined attributes a claimed value is of; None for a value or combination."""
        if self.combined is None or value >= 0:
            return None
        names = self.combined.attributes
        return names[claimed_part(value, len(names))[0]]

    def pools(self, release: int) -> CandidatePools:
        """Return the pools of a release, counted from 0.

        Raises:
            UsageError: no people are known.
        """
        if not self.pooled:
            raise UsageError("per-person attacks need the adversary `linked` or `register`")
        return self.pooled[release]

    def stream(self) -> Iterator[CandidatePools]:
        """Yield the pools of all releases in order."""
        return map(self.pools, range(len(self.tags)))
