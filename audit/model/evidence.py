"""Evidence: a series as an adversary sees it, as arrays; attacks have no other input.

Per-person attacks read *pools*. A pool is a bag of published values that contains a person's value in one release: for
the `linked` adversary the values of the person's QI-group, for `register` those of all groups whose cells cover the
person. So one attack serves both adversaries. No field refers to the series or its key.

Attacks that follow published record ids read the rows of *records* with their generalized cells instead.

Sources: equivalence paper, Definition 9 (person and value matrix); m-invariance paper, Definitions 6 and 15; monotonic
paper, Section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from audit.model.adversary import ADVERSARIES, Adversary, AdversaryKind
from audit.model.arrays import Codes, Counts, Flags, Floats, Integers, Places
from audit.model.errors import UsageError
from audit.model.nearness import PublishedNumbers
from audit.runtime.phrases import Reason, ReasonKind, say

Table: TypeAlias = Integers


class ValueCounts(NamedTuple):
    """The values in bags, as entries of bag, value and number of rows; a bag is a pool or a QI-group.

    Attributes:
        bag, value: the bag and the value of each entry; shape (m,), int32. Entries of the same pair are added up.
        rows: the number of rows of each entry, shape (m,), int64; None for one row each.
    """

    bag: Codes
    value: Codes
    rows: Counts | None

    def tabled(self, bags: int, values: int) -> Table:
        """Return the number of rows by bag and value; shape (bags, values), of the smallest type that holds them."""
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
        """Return the entries of a table of rows by bag and value; each pair once, in order."""
        bag, value = np.nonzero(table)
        return ValueCounts(bag.astype(np.int32), value.astype(np.int32), table[bag, value].astype(np.int64))


def count_type(largest: int) -> np.dtype[np.integer]:
    """Return the smallest type that `ValueCounts.tabled` uses for counts up to a number."""
    kinds = (np.uint16, np.int32, np.int64)
    return np.dtype(next(kind for kind in kinds if largest <= np.iinfo(kind).max))


@dataclass(frozen=True, slots=True)
class CandidatePools:
    """One release as seen by an adversary who considers one person at a time.

    Attributes:
        person: the people in this release, if values never change only those whose value is not known beforehand;
            distinct, shape (n,), int32.
        pool: the pool of each person; shape (n,), int32, in [0, n_pools).
        n_pools: number of pools.
        contents: the values in the pools as entries, or, if pools hold many values, as a table of rows by pool and
            value, shape (n_pools, values); `entries()` and `table()` return either form.
        counted: false if the value of the version (this person in this release) is known beforehand: attacks use it,
            but measures leave it out; shape (n,), bool, or None if all count.
        fixed: the known value of such a version, -1 for others; shape (n,), int32, or None.
        people: one more than the largest person code of this and all earlier releases.
        values: the number of sensitive values of this and all earlier releases.
    """

    person: Codes
    pool: Codes
    n_pools: int
    contents: ValueCounts | Table
    counted: Flags | None
    fixed: Codes | None
    people: int
    values: int

    def entries(self) -> ValueCounts:
        """Return the values in the pools as entries."""
        return self.contents if isinstance(self.contents, ValueCounts) else ValueCounts.of(self.contents)

    def table(self) -> Table:
        """Return the number of rows by pool and value, shape (n_pools, values): large with many pools and values."""
        return (
            self.contents.tabled(self.n_pools, self.values) if isinstance(self.contents, ValueCounts) else self.contents
        )


@dataclass(frozen=True, slots=True)
class Members:
    """One release as rows of the person matrix and the value matrix (equivalence paper, Definition 9).

    Attributes:
        column: the people in the release, ascending and distinct, except for -1 for each counterfeit without identity;
            people whose values are known beforehand are left out; shape (n,), int32.
        group: the group of each entry; shape (n,), int32, in [0, n_groups).
        n_groups: number of groups, some of which may be empty.
        contents: the values of the groups, without those known beforehand.
        individual: which people are not counterfeits, by person code; shape (people,), bool.
        values: the number of sensitive values of this and all earlier releases.
    """

    column: Codes
    group: Codes
    n_groups: int
    contents: ValueCounts
    individual: Flags
    values: int


@dataclass(frozen=True, slots=True)
class CandidateGroups:
    """One release as rows, and the rows that each person may have: for attacks on all people at once.

    The rows of a published group with equal cells are a *row class*; a person can only be a row of a class whose cells
    cover the person. The values of a class come from one *group*: in a plain table each class is a group of its own,
    because its rows' values are beside its cells; in an Anatomy pair the classes of a published group share its values.
    Under `linked` each person has one class (of an Anatomy pair the published group is the only class then).

    In a world each person has one row, that is, a class and a value of its group. At most as many people have a value
    of a group as it has rows with the value, at most `class_capacity` people are in a class, and at most
    `group_capacity` in the classes of one published group. The other rows belong to counterfeits without identity or to
    strangers.

    Attributes:
        person: all people known to be in the release, including counterfeits that keep their identity (for `register`,
            only the people of the register); distinct, shape (n,), int32.
        fixed: the known value of each person, -1 if unknown; shape (n,), int32.
        start: the first index in `row_class` of each person's possible row classes, and their total number at the end;
            shape (n + 1,), int64.
        row_class: the possible row classes, ascending for each person; int32, in [0, classes).
        class_group: the group from which each class has its values; ascending, shape (classes,), int32, in [0,
            n_groups).
        class_capacity: the most people in each class: its rows, or `group_capacity` if that is less; shape (classes,),
            int64.
        class_rows: the number of rows of each class; shape (classes,), int64.
        published_group: the published group of each class; ascending, shape (classes,), int32. It equals `class_group`
            except in a plain table whose groups have rows with different cells.
        group_capacity: the most people in each published group: its rows less its published counterfeits; shape
            (published groups,), int64.
        n_groups: number of groups.
        contents: all rows of the groups.
        individual: which people are not counterfeits, by person code; shape (people,), bool.
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
    individual: Flags
    values: int


@dataclass(frozen=True, slots=True)
class PublishedClasses:
    """One release alone, as everyone sees it: classes of rows of a group with equal cells; groups for an Anatomy pair.

    Attributes:
        group: the published group of each class, ascending; shape (classes,), int32.
        judged: false if the adversary knows that all rows of the class are counterfeits, or belong to people of whose
            presence the adversary knows; shape (classes,), bool.
        contents: the values of each class.
        values: the number of sensitive values of this and all earlier releases.
        place: the class of each row; shape (rows,), int32.
        strangers: whether some rows may belong to people unknown to the adversary.
    """

    group: Codes
    judged: Flags
    contents: ValueCounts
    values: int
    place: Codes
    strangers: bool = True


@dataclass(frozen=True)
class AnyPair(Mapping[tuple[int, int], Fraction]):
    """The probabilities of transitions by which every value may follow every value, all equally likely.

    Attributes:
        size: the number of values.
    """

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
        """Return the number of pairs."""
        return self.size**2


@dataclass(frozen=True, eq=False)
class PairProduct(Mapping[tuple[int, int], Fraction]):
    """The probabilities of transitions of combinations of values, each part of which changes independently.

    Attributes:
        parts: the transitions of each part; None for one that never changes.
        codes: the value of each combination in each part; shape (combinations, parts).
        possible: whether the first combination may become the second; shape (combinations, combinations).
    """

    parts: tuple[Transitions | None, ...]
    codes: Codes
    possible: Flags

    def __getitem__(self, pair: tuple[int, int]) -> Fraction:
        """Return the probability of a pair of codes of combinations."""
        if not self.possible[pair]:
            raise KeyError(pair)
        before, after = self.codes[pair[0]].tolist(), self.codes[pair[1]].tolist()
        moves = zip(self.parts, before, after, strict=True)
        return prod((part.exact[a, b] for part, a, b in moves if part is not None), start=Fraction(1))

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Return the possible pairs in order."""
        return ((before, after) for before, after in np.argwhere(self.possible).tolist())

    def __len__(self) -> int:
        """Return the number of possible pairs."""
        return int(np.count_nonzero(self.possible))


@dataclass(frozen=True)
class UpdateSets:
    """The candidate update set of each sensitive value: which may follow it, from one version of a person to the next.

    In the m-Distinct paper, Definition 12, `b in CUS(a)` means that a may become b. The paper requires that if a may
    become b, and b may become c, then a may become c (the sets are *closed*), because a person who is missing from a
    release may have changed twice between two versions. Methods also require that each value may remain the same (the
    sets are *reflexive*).

    Attributes:
        may: whether the first value may become the second; shape (values, values), bool.
    """

    may: Flags

    @classmethod
    def unchanging(cls, values: int) -> UpdateSets:
        """Return the sets of values that never change."""
        return cls(np.eye(values, dtype=np.bool_))

    def __len__(self) -> int:
        """Return the number of sensitive values."""
        return len(self.may)

    def closed(self) -> UpdateSets:
        """Return the smallest reflexive and closed sets that contain these.

        >>> chain = np.array([[True, True, False], [False, True, True], [False, False, False]])
        >>> UpdateSets(chain).closed().may.astype(int).tolist()
        [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
        """
        may = self.may | np.eye(len(self.may), dtype=np.bool_)
        while True:
            wider = (may.astype(np.float32) @ may.astype(np.float32)) > 0
            if np.array_equal(wider, may):
                return UpdateSets(may)
            may = wider

    def missing(self) -> Places:
        """Return the pairs that `closed` adds, in order; shape (pairs, 2). Valid sets lack none.

        >>> UpdateSets(np.array([[True, True], [False, False]])).missing().tolist()
        [[1, 1]]
        """
        return np.argwhere(self.closed().may & ~self.may)

    def between(self, first: int, last: int) -> int | None:
        """Return a third value that the first may become and that may become the last; None if there is none."""
        found = np.flatnonzero(self.may[first] & self.may[:, last])
        return next((value for value in found.tolist() if value not in (first, last)), None)


@dataclass(frozen=True)
class Transitions:
    """The values that may follow each other between two consecutive versions of one person, and how often.

    Attributes:
        weight: shape (values, values), float64; the probability of going from row to column, 0 where impossible.
            Without probabilities in the file, it is one divided by the number of values listed for the row.
        exact: the same as exact fractions, for the possible pairs.
        listed: whether the file lists each value; shape (values,), bool.
    """

    weight: Floats
    exact: Mapping[tuple[int, int], Fraction]
    listed: Flags

    @classmethod
    def anything(cls, size: int) -> Transitions:
        """Return transitions by which each of so many values may follow each, equally likely."""
        return cls(np.broadcast_to(1 / max(size, 1), (size, size)), AnyPair(size), np.ones(size, dtype=np.bool_))

    @property
    def constant(self) -> bool:
        """Whether no value changes: the file lists each value as followed by itself alone, equally likely."""
        kept = np.flatnonzero(np.diagonal(self.weight)).tolist()
        is_alone = len(kept) == np.count_nonzero(self.weight) == np.count_nonzero(self.listed)
        return is_alone and len({self.exact[a, a] for a in kept}) <= 1

    @property
    def allow_all(self) -> bool:
        """Whether every value may become every other."""
        return bool((self.weight > 0).all())

    @property
    def sets(self) -> UpdateSets:
        """The candidate update sets: which values may follow which."""
        return UpdateSets(self.weight > 0)


class CombinedName(str):
    """The name of several sensitive attributes together.

    Attributes:
        attributes: their names.
    """

    __slots__ = ("attributes",)
    attributes: tuple[str, ...]


class Combinations(Protocol):
    """The combinations of values of several sensitive attributes that occur in rows."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes."""

    def parts(self) -> Codes:
        """Return the value codes of the parts of each combination; shape (combinations, attributes)."""


def claimed_code(attribute: int | Places, value: Codes | np.int32, attributes: int) -> Codes:
    """Return the codes of claims that a person has a value of one of several attributes, with any values of the others.

    These codes are below -1, which is that of unknown values; the codes of combinations are 0 or above.

    Args:
        attribute: the attribute, or that of each claim.
        value: the code of each value; shape (claims,).
        attributes: the number of attributes.

    >>> claimed_part(int(claimed_code(1, np.array([5]), 3)[0]), 3)
    (1, 5)
    """
    return np.asarray(-2 - (value.astype(np.int64) * attributes + attribute), dtype=np.int32)


def claimed_part(code: int, attributes: int) -> tuple[int, int]:
    """Return the attribute and the value in a claim, given its code."""
    value, attribute = divmod(-2 - code, attributes)
    return attribute, value


class PeopleSource(Protocol):
    """The source of what an adversary knows about the people in each release; releases are counted from 0."""

    def groups(self, release: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups of a release that may hold each person; one entry for each of `people`."""

    def members(self, release: int) -> Members:
        """Return the people of each group of a release, with counterfeits, for an adversary who knows (`linked`)."""

    def candidate_groups(self, release: int) -> CandidateGroups:
        """Return the rows of a release, and the row classes that each person may be in (`linked`, `register`)."""

    def group_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some groups of a release."""

    def published(self, release: int) -> PublishedClasses:
        """Return the classes of equal rows of a release."""

    def accounted(self, release: int, classes: Places) -> Flags:
        """Return which classes of a release hold only people who are known to be in no other class."""

    def published_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""


@dataclass(eq=False)
class WrongCellError(Exception):
    """A cell contradicts earlier cells of its record, or cannot be read.

    Attributes:
        release: the release, counted from 0.
        row: the row of the contradicting cell; None if a cell cannot be read.
        attributes: the quasi-identifiers with such cells in the release, that of the row first.
    """

    release: int
    row: int | None = None
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Records:
    """One release as seen by an adversary who follows published record ids.

    Attributes:
        record: the record of each row: distinct codes, common to all releases; shape (rows,), int32.
        cells: the cell of each row, one array per quasi-identifier, as numbers common to all releases: equal exactly
            where the cells contain the same values, however written; each of shape (rows,), int32.
        real: false for rows that are counterfeits by the publisher's key; shape (rows,), or None if there are none.
        size: one more than the largest record code of this and all earlier releases.
        hidden: the number of published counterfeits, if no key shows which rows they are.
        judged: which rows may belong to people of whose presence the adversary does not know; shape (rows,), or None
            for all.
    """

    record: Codes
    cells: tuple[Codes, ...]
    real: Flags | None
    size: int
    hidden: int = 0
    judged: Flags | None = None


class CellSource(Protocol):
    """The quasi-identifiers of rows, and the intersections of their cells."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""

    def shared(self, attribute: int, left: Codes, right: Codes) -> Codes:
        """Return the number of the intersection of each pair of cells, -1 if empty; shape (pairs,), int32.

        Each pair should be given once.
        """


class RecordSource(CellSource, Protocol):
    """The source of the rows of records, and of the intersections of their cells."""

    def rows(self, release: int) -> Records:
        """Return the rows of a release, counted from 0."""

    def groups(self, release: int, rows: Places) -> list[str]:
        """Return the names of the groups of some rows of a release."""


@dataclass(frozen=True, slots=True)
class PublishedRows:
    """One release row by row, as its file publishes it.

    Attributes:
        cells: numbers of each row's cells, common to all releases, equal where they contain the same values however
            written; shape (rows, attributes), int32.
        value: the sensitive value of each row; None if values are in another file, or if rows stand for several people.
        group: the published group of each row; shape (rows,), int32.
        member: for each row, the index in `Members` of a person with equal cells in the same group, a different person
            for each row; None for adversaries who do not know it (other than `linked`).
        counterfeits: the number of rows that are published as counterfeits, without their places.
    """

    cells: Codes
    value: Codes | None
    group: Codes
    member: Codes | None
    counterfeits: int


class RowSource(CellSource, Protocol):
    """The source of the rows of releases, with their cells."""

    def rows(self, release: int) -> PublishedRows:
        """Return the rows of a release, counted from 0."""

    def atoms(self, attribute: int, cells: Codes) -> tuple[Codes, Flags]:
        """Return points that distinguish the cells of an attribute, and which cells cover each point.

        The cells that cover a point have shape (points, cells), bool.
        """

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
        known: the number of people with a value that is known beforehand.
        rows: the approximate number of rows of all releases together, by which attacks choose algorithms.
        source: the knowledge of the people of each release.
        values: the sensitive values by code.
        records: the source of the rows of records; None if no published id links them.
        published: the source of the classes of equal rows; None for combinations of attributes, and if the adversary
            knows the person of every row.
        combined: the combined attributes, if values are combinations; claims about one of these attributes have codes
            of their own: see `claimed_code`.
        world: the values of the people of `source.candidate_groups` in a world, by release, -1 if unknown; a hint for
            attacks that search for worlds, on which no result depends. Empty if no world is known.
        rows_of: the source of rows and their cells; None for combinations of attributes.
        growing: whether every record of a release is in the next one, with the same value or one that may follow it.
        followed: whether people are followed by record ids; the evidence then has one release, which holds all records.
        unfollowed: why people are not followed, if the series has record ids and people are known; otherwise None.
        pooled: the pools of each release; empty if no people are known.
        numbers: the numbers that the values mean, by sensitive attribute; only for attributes of amounts.
        categories: the members of each category, by sensitive attribute and category: equal numbers for members.
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

    def count_people(self, flags: Flags) -> int:
        """Return the number of people with some codes, given by a flag for each code; shape (people,)."""
        return int(np.count_nonzero(flags))

    def attribute(self, value: int) -> str | None:
        """Return the combined attribute of a claimed value; None for a value or combination."""
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
        """Yield the pools of all releases in order.

        Raises:
            UsageError: no people are known.
        """
        return map(self.pools, range(len(self.tags)))


def per_person_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on single people do not apply, or None if they do."""
    if evidence.adversary.knows_people:
        return None
    needed = say(
        "it needs one row for each person, with a key that says whose it is ([columns] individual), or a register "
        "([adversary] register)"
    )
    return Reason(needed, ReasonKind.NEEDS)


def together_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on all people together do not apply, or None if they do."""
    if evidence.adversary.knows_presence:
        return None
    why = say("the register does not say who is in the data, so each person is judged separately")
    return Reason(why, ReasonKind.UNFIT)


def constant_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on values that never change do not apply, or None if they do."""
    if evidence.transitions is None:
        return None
    return Reason(say("it needs values that never change, and the series has transitions"), ReasonKind.UNFIT)


def linked_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on people whose groups are known do not apply, or None if they do."""
    if evidence.adversary.knows_groups:
        return None
    return Reason(
        say("it needs one row for each person, with a key that says whose it is ([columns] individual)"),
        ReasonKind.NEEDS,
    )


def known_rows_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on rows of unknown people do not apply, or None if they do: some rows may be strangers'."""
    if not evidence.adversary.knows_people:
        return None
    source, releases = evidence.published, range(len(evidence.tags))
    strangers = source is not None and any(source.published(release).judged.any() for release in releases)
    return None if strangers else all_listed_reason()


def all_listed_reason() -> Reason:
    """Return the reason that the adversary knows about all people, so there are no strangers."""
    return Reason(
        say("not needed: each row belongs to a known person, and the attacks on people judge it"), ReasonKind.UNFIT
    )


def quasi_identifiers_reason(evidence: Evidence) -> Reason | None:
    """Return why attacks on rows with quasi-identifiers do not apply, or None if they do."""
    if evidence.rows_of is None:
        return Reason(say("it looks at one sensitive attribute at a time"))
    if not evidence.rows_of.attributes:
        return Reason(say("it needs quasi-identifiers"), ReasonKind.NEEDS)
    return None
