"""People followed by the published record ids beside them: the series as one release, whose rows are its records.

The id of a record is one more attribute of its rows, which never changes. Whoever is known to be in some releases, and
in which row classes (`linked`) or with which exact quasi-identifiers (`register`), is a record that is in the same
releases, in row classes that fit, and no two people are one record. Records that are in the same row classes throughout
make a class. As values never change, a record has one combination of them. So all that is known together is one
release: classes of records with their values, and who may be in which. What is known of the id itself discloses
nothing; what the values that are left have in common does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.adversary.combined_values import CombinedVocabulary
from audit.adversary.held_series import LoadedRelease
from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.record_candidates import ABSENT, TooManyRecordsError, fitting_pairs, kinds_of_rows
from audit.io.encoding import NOBODY
from audit.io.tables import Coded
from audit.model.arrays import UNKNOWN, Codes, Counts, Flags
from audit.model.evidence import CandidateGroups, CandidatePools, Members, ValueCounts
from audit.runtime.phrases import say, say_count
from audit.runtime.reasons import Reason, ReasonKind

_BETWEEN = "/"
_NOWHERE = "-"


class UnfollowedError(Exception):
    """People cannot be followed by the record ids; `reason` says why."""

    def __init__(self, text: str, kind: ReasonKind = ReasonKind.UNFIT) -> None:
        super().__init__(text)
        self.reason = Reason(text, kind)


@dataclass(frozen=True)
class RecordClasses:
    """Records that are in the same row classes throughout.

    Attributes:
        of_record: the class of each record; shape (records,), int32.
        rows: the row class of each class in each release, -1 where it has no row; shape (classes, releases), int32.
        value: the combination of values of each record; shape (records,), int32.
    """

    of_record: Codes
    rows: Codes
    value: Codes


@dataclass(frozen=True)
class RecordChoices:
    """Which classes of records each person may be of.

    Attributes:
        person: everybody who is known to be in some release, ascending; shape (n,), int32.
        kind: who is known alike; shape (n,), int32.
        start: where the classes of each kind begin; shape (kinds + 1,).
        record_class: these, ascending for each kind; shape (pairs,), int32.
    """

    person: Codes
    kind: Codes
    start: Counts
    record_class: Codes


class FollowedPeopleSource(KnownGroupsSource):
    """Pools when rows are followed by record ids too: of one release, that of all records.

    `plain` has the pools of the releases, of which the first so many are followed; all of them are read.

    Raises:
        UnfollowedError: people cannot be followed.
        InputError: releases cannot be read.
    """

    def __init__(self, plain: KnownGroupsSource, count: int) -> None:
        super().__init__(plain.releases, plain.sensitive, None)
        self.plain, self.count = plain, count
        self.combined = CombinedVocabulary(self.series.vocabularies)
        self._group: list[Coded] = []
        self._own = np.zeros(0, dtype=np.int32)
        self.records = self._read_records()
        self.choices = self._read_choices()
        self._size = np.bincount(self.records.of_record, minlength=len(self.records.rows)).astype(np.int64)

    @property
    def settled(self) -> bool:
        """Whether everybody may be of one class alone, so that it is known who is in which."""
        return bool((np.diff(self.choices.start) == 1).all())

    # -- what is read ------------------------------------------------------------------------------------------

    def _read_records(self) -> RecordClasses:
        """Read all records with their row classes and values, and whose they are as the key tells."""
        combined = self.combined
        if combined is None:
            raise AssertionError("values are combinations")
        table = np.zeros((0, self.count), dtype=np.int32)
        value = np.zeros(0, dtype=np.int32)
        for position in range(self.count):
            read = self.releases.get(position)
            if read.record is None:
                raise AssertionError("this evidence was gathered without records")
            self._check_fit(read)
            more = max(0, int(read.record.max(initial=-1)) + 1 - len(value))
            table = np.pad(table, ((0, more), (0, 0)), constant_values=ABSENT)
            value = np.append(value, np.full(more, UNKNOWN, dtype=np.int32))
            codes = combined.add(read.release)
            if ((value[read.record] != UNKNOWN) & (value[read.record] != codes)).any():
                raise UnfollowedError(say("the values of records change, although they must not"))
            value[read.record], table[read.record, position] = codes, read.seen.group.codes
            self._group.append(read.seen.group)
            self._note_owners(read)
        # Codes are given to ids that no release has, too.
        there = np.flatnonzero(value != UNKNOWN)
        number = np.full(len(value) + 1, UNKNOWN, dtype=np.int32)
        number[there] = np.arange(len(there), dtype=np.int32)
        self._own = number[self._own]
        first, of_record = kinds_of_rows(table[there])
        return RecordClasses(of_record, table[there][first], value[there])

    def _check_fit(self, read: LoadedRelease) -> None:
        release = read.release
        if not release.values_by_row or release.counts is not None:
            raise UnfollowedError(say("values stand apart from rows, or rows stand for several people"))
        if release.counterfeits and not self.releases.adversary.knows_groups:
            raise UnfollowedError(say("counterfeits are published, and nothing tells which records they are"))

    def _note_owners(self, read: LoadedRelease) -> None:
        """Note whose record each is, as the key tells.

        Raises:
            UnfollowedError: somebody has several.
        """
        person = read.release.person
        if person is None or read.record is None:
            return
        more = max(0, int(person.max(initial=-1)) + 1 - len(self._own))
        self._own = np.append(self._own, np.full(more, UNKNOWN, dtype=np.int32))
        rows = np.flatnonzero(person != NOBODY)
        before, now = self._own[person[rows]], read.record[rows]
        if ((before != UNKNOWN) & (before != now)).any():
            raise UnfollowedError(say("people have several record ids, so that an id does not stand for a person"))
        self._own[person[rows]] = now

    def _read_choices(self) -> RecordChoices:
        """Find out which classes of records each person may be of."""
        labels, fitting = [], []
        for position in range(self.count):
            person, label, fits = self.plain.known_in(position)
            column = np.full(self.series.people.size, ABSENT, dtype=np.int32)
            column[person] = label
            labels.append(column)
            fitting.append(fits)
        table = np.stack(labels, axis=1)
        people = np.flatnonzero((table != ABSENT).any(axis=1))
        first, kind = kinds_of_rows(table[people])
        try:
            pairs, record_class = fitting_pairs(table[people[first]], self.records.rows, fitting)
        except TooManyRecordsError:
            raise UnfollowedError(say("people may be too many records"), ReasonKind.TOO_HARD) from None
        start = np.searchsorted(pairs, np.arange(len(first) + 1)).astype(np.int64)
        nobody = int(np.count_nonzero((np.diff(start) == 0)[kind]))
        if nobody:
            raise UnfollowedError(
                say_count(
                    "{count} person fits no record that is in the same releases",
                    "{count} people fit no record that is in the same releases",
                    nobody,
                ),
                ReasonKind.CONTRADICTION,
            )
        return RecordChoices(people.astype(np.int32), kind, start, record_class)

    # -- as evidence asks for it -------------------------------------------------------------------------------

    def pools(self, position: int, people: Codes | None = None) -> CandidatePools:
        """Return the pools: who is known alike has the same."""
        del position, people
        choices, real = self.choices, self._individual[self.choices.person]
        pool = np.repeat(np.arange(len(choices.start) - 1), np.diff(choices.start))
        values = len(self.vocabulary)
        table = self._contents.tabled(len(self.records.rows), values)
        bag, value = np.nonzero(table)
        rows = table[bag, value].astype(np.int64)
        first, last = np.searchsorted(bag, [choices.record_class, choices.record_class + 1])
        size = last - first
        at = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size) + np.repeat(first, size)
        key, place = np.unique(np.repeat(pool, size) * values + value[at], return_inverse=True)
        count = np.zeros(len(key), dtype=np.int64)
        np.add.at(count, place, rows[at])
        contents = ValueCounts((key // values).astype(np.int32), (key % values).astype(np.int32), count)
        kinds = len(choices.start) - 1
        return CandidatePools(
            choices.person[real], choices.kind[real], kinds, contents, None, None, self.series.people.size, values
        )

    def present(self, position: int) -> Codes:
        """Return everybody who is known to be in some release, counterfeits left out."""
        del position
        return self.choices.person[self._individual[self.choices.person]]

    def groups(self, position: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the classes of records that each of some people may be of."""
        choices, found = self.choices, []
        for place in np.searchsorted(choices.person, people).tolist():
            kind = choices.kind[place]
            mine = choices.record_class[choices.start[kind] : choices.start[kind + 1]]
            found.append(tuple(self.group_names(position, mine)))
        return found

    def group_names(self, position: int, groups: Codes) -> list[str]:
        """Return the names of some classes of records: those of their groups in all releases."""
        del position
        rows = self.records.rows[groups].tolist()
        return [
            self.named_by([None if c == ABSENT else g.name(c) for g, c in zip(self._group, row, strict=True)])
            for row in rows
        ]

    def named_by(self, names: Sequence[str | None]) -> str:
        """Return the name of a class of records, given that of its row class in each release, None for no row."""
        between, nowhere = self._marks
        return f" {between} ".join(nowhere if name is None else name for name in names)

    @cached_property
    def _marks(self) -> tuple[str, str]:
        """What stands between names, and for no row; neither stands in a name."""
        names = {name for group in self._group for name in group.names or ()}
        between, nowhere = _BETWEEN, _NOWHERE
        while any(between in name for name in names):
            between += _BETWEEN
        while nowhere in names:
            nowhere += _NOWHERE
        return between, nowhere

    def members(self, position: int) -> Members:
        """Return who is in which class of records, where that is known."""
        del position
        owner = np.full(len(self.records.value), NOBODY, dtype=np.int32)
        people = np.flatnonzero(self._own != UNKNOWN)
        owner[self._own[people]] = people
        values, classes = len(self.vocabulary), len(self.records.rows)
        return Members(owner, self.records.of_record, classes, self._contents, self._individual, values)

    def hosts(self, position: int) -> CandidateGroups:
        """Return all records, and which classes of them may be whose."""
        del position
        choices, classes = self.choices, np.arange(len(self.records.rows), dtype=np.int32)
        size = np.diff(choices.start)[choices.kind]
        start = np.zeros(len(size) + 1, dtype=np.int64)
        np.cumsum(size, out=start[1:])
        at = np.arange(start[-1]) - np.repeat(start[:-1], size) + np.repeat(choices.start[choices.kind], size)
        return CandidateGroups(
            person=choices.person,
            fixed=np.full(len(choices.person), UNKNOWN, dtype=np.int32),
            start=start,
            row_class=choices.record_class[at],
            class_group=classes,
            class_capacity=self._size,
            class_rows=self._size,
            published_group=classes,
            group_capacity=self._size,
            n_groups=len(classes),
            contents=self._contents,
            individual=self._individual,
            values=len(self.vocabulary),
        )

    @property
    def _contents(self) -> ValueCounts:
        return ValueCounts(self.records.of_record, self.records.value, None)

    @property
    def _individual(self) -> Flags:
        return ~self.series.people.is_counterfeit()

    def values_of(self, people: Codes) -> Codes | None:
        """Return the values of some people as the key tells them, -1 where it does not; None without a key."""
        if not len(self._own):
            return None
        own = np.append(self._own, np.full(max(0, self.series.people.size - len(self._own)), UNKNOWN, dtype=np.int32))
        record = own[people]
        return np.where(record == UNKNOWN, UNKNOWN, self.records.value[record]).astype(np.int32)
