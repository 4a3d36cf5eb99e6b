"""People followed by published record ids: the series as one release, whose rows are its records.

The id of a record is one more attribute of its rows, and it never changes. A person who is known to be in some
releases, in known row classes (`linked`) or with known exact quasi-identifiers (`register`), is a record in the same
releases and in matching row classes; no two people are the same record. Records that are in the same row classes in all
releases form a class. Values never change, so a record has one combination of values. So the whole knowledge has the
form of one release: classes of records with their values, and the people who may be in each. The id itself discloses
nothing; the common part of the possible values does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.adversary.held_series import CombinedVocabulary, HeldSeries, SeenRelease, record_of
from audit.adversary.known_groups import KnownGroups
from audit.adversary.record_candidates import ABSENT, TooManyRecordsError, fitting_pairs, kinds_of_rows
from audit.io.tables import Coded
from audit.model.arrays import NOBODY, UNKNOWN, Codes, Counts, Flags, Places, ragged, starts
from audit.model.errors import UsageError
from audit.model.evidence import CandidateGroups, CandidatePools, Members, ValueCounts
from audit.runtime.phrases import Reason, ReasonKind, say, say_count

_BETWEEN = "/"
_NOWHERE = "-"


class UnfollowedError(Exception):
    """People cannot be followed by the record ids; `reason` is the cause."""

    def __init__(self, text: str, kind: ReasonKind = ReasonKind.UNFIT) -> None:
        super().__init__(text)
        self.reason = Reason(text, kind)


@dataclass(frozen=True)
class RecordClasses:
    """Records that are in the same row classes in all releases.

    Attributes:
        code: the code of each record; shape (records,).
        of_record: the class of each record; shape (records,), int32.
        rows: the row class of each class in each release, -1 without a row; shape (classes, releases), int32.
        value: the combination of values of each record; shape (records,), int32.
    """

    code: Places
    of_record: Codes
    rows: Codes
    value: Codes

    @property
    def contents(self) -> ValueCounts:
        """The values of the classes."""
        return ValueCounts(self.of_record, self.value, None)


@dataclass(frozen=True)
class RecordChoices:
    """The classes of records that each person may belong to.

    Attributes:
        person: all people known to be in some release, ascending; shape (n,), int32.
        kind: equal numbers for people with the same known facts; shape (n,), int32.
        start: the first index of each kind in `record_class`; shape (kinds + 1,).
        record_class: these, ascending for each kind; shape (pairs,), int32.
    """

    person: Codes
    kind: Codes
    start: Counts
    record_class: Codes

    @property
    def settled(self) -> bool:
        """Whether each person may be in one class only, so that the class of every person is known."""
        return bool((np.diff(self.start) == 1).all())


@dataclass(frozen=True)
class FollowedPeople(KnownGroups):
    """The knowledge of people whose rows are followed by record ids, too: one release, which holds all records.

    Attributes:
        plain: the knowledge of them release by release.
        count: the number of followed releases.
        combined: the combinations of values.
        group: the groups of each release.
        records: the records.
        placed: the people, ascending, -1 for each record of an unknown person, and the class of records of each; None
            if the adversary does not know it.
        choices: the classes of records that may hold each person.
    """

    plain: KnownGroups
    count: int
    combined: CombinedVocabulary
    group: tuple[Coded, ...]
    records: RecordClasses
    placed: tuple[Codes, Codes] | None
    choices: RecordChoices

    def present(self, position: int) -> Codes:
        """Return all people, without counterfeits, who are known to be in some release; shape (n,), int32."""
        return self.choices.person[self.individual[self.choices.person]]

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the classes of records that may hold each of some people."""
        choices, found = self.choices, []
        for place in np.searchsorted(choices.person, people).tolist():
            kind = choices.kind[place]
            mine = choices.record_class[choices.start[kind] : choices.start[kind + 1]]
            found.append(tuple(self.group_names(position, mine)))
        return found

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some classes of records, made of their groups in all releases."""
        rows = self.records.rows[groups].tolist()
        return [
            self.named_by([None if c == ABSENT else g.name(c) for g, c in zip(self.group, row, strict=True)])
            for row in rows
        ]

    def named_by(self, names: Sequence[str | None]) -> str:
        """Return the name of a class of records, given that of its row class in each release, None without a row."""
        between, nowhere = self._marks
        return f" {between} ".join(nowhere if name is None else name for name in names)

    @cached_property
    def _marks(self) -> tuple[str, str]:
        """The separator of names, and the text for a missing row; neither occurs in a name."""
        names = {name for group in self.group for name in group.names}
        between, nowhere = _BETWEEN, _NOWHERE
        while any(between in name for name in names):
            between += _BETWEEN
        while nowhere in names:
            nowhere += _NOWHERE
        return between, nowhere

    def members(self, position: int) -> Members:
        """Return the people of each class of records.

        Raises:
            UsageError: the adversary does not know it.
        """
        if self.placed is None:
            raise UsageError("only the adversary `linked` knows the person of a record")
        classes = len(self.records.rows)
        return Members(*self.placed, classes, self.records.contents, self.individual, self.values)

    def candidate_groups(self, position: int) -> CandidateGroups:
        """Return all records, and which classes of them may hold each person."""
        choices, classes = self.choices, np.arange(len(self.records.rows), dtype=np.int32)
        rows = np.bincount(self.records.of_record, minlength=len(classes)).astype(np.int64)
        size = np.diff(choices.start)[choices.kind]
        candidates = starts(size), choices.record_class[ragged(choices.start[choices.kind], size)]
        return self._hosts(position, choices.person, candidates, (classes, classes, rows), rows)

    def entries(self, position: int) -> ValueCounts:
        """Return the values of the classes of records."""
        return self.records.contents


def follow(plain: KnownGroups, held: HeldSeries, count: int) -> tuple[FollowedPeople, Codes]:
    """Return the evidence about people followed through the first `count` releases, and each person's record.

    Raises:
        UnfollowedError: people cannot be followed.
    """
    combined, group = CombinedVocabulary(held.series.vocabularies), tuple(each.pool for each in held.seen[:count])
    records = _records(held, combined, count)
    owner = _owners(held, records, count)
    choices = _choices(plain, records, count)
    values, individual = len(combined), plain.individual
    order = np.lexsort((records.of_record, owner))
    knows = (owner[order], records.of_record[order]) if held.adversary.knows_groups and choices.settled else None
    pooled = (_pools(records, choices, individual, values),)
    followed = FollowedPeople(
        *((), combined.name, values, individual, True, (None,), pooled),
        *(plain, count, combined, group, records, knows, choices),
    )
    return followed, owner


def _records(held: HeldSeries, combined: CombinedVocabulary, count: int) -> RecordClasses:
    """Return all records with their row classes and values; codes of unused ids are dropped."""
    table = np.full((held.names.size, count), ABSENT, dtype=np.int32)
    value = np.full(held.names.size, UNKNOWN, dtype=np.int32)
    for position, read in enumerate(held.seen[:count]):
        record = record_of(read)
        _check_fit(read, held)
        codes = combined.add(read.release)
        if ((value[record] != UNKNOWN) & (value[record] != codes)).any():
            raise UnfollowedError(say("the values of records change, although they must not"))
        value[record], table[record, position] = codes, read.pool.codes
    there = np.flatnonzero(value != UNKNOWN)
    first, of_record = kinds_of_rows(table[there])
    return RecordClasses(there, of_record, table[there][first], value[there])


def _check_fit(read: SeenRelease, held: HeldSeries) -> None:
    release = read.release
    if not release.values_by_row or release.counts is not None:
        raise UnfollowedError(say("values are published apart from their rows, or one row counts several people"))
    if release.counterfeits and not held.adversary.knows_groups:
        raise UnfollowedError(say("counterfeits are published, and nothing shows which records they are"))


def _owners(held: HeldSeries, records: RecordClasses, count: int) -> Codes:
    """Return the person of each record by the key, -1 if unknown.

    Raises:
        UnfollowedError: a person has several records.
    """
    record_of_person = np.full(held.series.people.size, UNKNOWN, dtype=np.int32)
    for read, keyed in zip(held.seen[:count], held.keyed, strict=False):
        if keyed.person is not None:
            rows = np.flatnonzero(keyed.person != NOBODY)
            person, now = keyed.person[rows], record_of(read)[rows]
            before = record_of_person[person]
            if ((before != UNKNOWN) & (before != now)).any():
                raise UnfollowedError(say("people have several record ids, so that an id does not stand for a person"))
            record_of_person[person] = now
    owner = np.full(held.names.size, NOBODY, dtype=np.int32)
    people = np.flatnonzero(record_of_person != UNKNOWN)
    owner[record_of_person[people]] = people
    return owner[records.code]


def _choices(plain: KnownGroups, records: RecordClasses, count: int) -> RecordChoices:
    """Return which classes of records may hold each person."""
    table, fitting = np.full((len(plain.individual), count), ABSENT, dtype=np.int32), []
    for position in range(count):
        person, label, fits = plain.known_in(position)
        table[person, position] = label
        fitting.append(fits)
    people = np.flatnonzero((table != ABSENT).any(axis=1))
    first, kind = kinds_of_rows(table[people])
    try:
        pairs, record_class = fitting_pairs(table[people[first]], records.rows, fitting)
    except TooManyRecordsError:
        raise UnfollowedError(say("too many records may belong to one person"), ReasonKind.TOO_HARD) from None
    start = np.searchsorted(pairs, np.arange(len(first) + 1)).astype(np.int64)
    without = int(np.count_nonzero((np.diff(start) == 0)[kind]))
    if without:
        raise UnfollowedError(
            say_count("{count} [person fits|people fit] no record that is in the same releases", without),
            ReasonKind.CONTRADICTION,
        )
    return RecordChoices(people.astype(np.int32), kind, start, record_class)


def _pools(records: RecordClasses, choices: RecordChoices, individual: Flags, values: int) -> CandidatePools:
    """Return the pools: people with the same known facts have the same pool."""
    real, kinds = individual[choices.person], len(choices.start) - 1
    pool = np.repeat(np.arange(kinds), np.diff(choices.start))
    table = records.contents.tabled(len(records.rows), values)
    bag, value = np.nonzero(table)
    first, last = np.searchsorted(bag, [choices.record_class, choices.record_class + 1])
    at = ragged(first, last - first)
    key, place = np.unique(np.repeat(pool, last - first) * values + value[at], return_inverse=True)
    count = np.zeros(len(key), dtype=np.int64)
    np.add.at(count, place, table[bag, value][at])
    contents = ValueCounts((key // values).astype(np.int32), (key % values).astype(np.int32), count)
    return CandidatePools(
        choices.person[real], choices.kind[real], kinds, contents, None, None, len(individual), values
    )
