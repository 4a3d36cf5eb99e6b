"""Linked classes: classes of records that look alike over the releases, and which of them disclose a sensitive value.

An adversary who follows published record ids knows the intersection of each record's cells (`descriptions`), and reads
the record's value in each of its rows. Records with equal descriptions are a class. A person who fits the description
and is known to be in a release has the value of one of the records of the class that have a row there, and of those in
the same releases if it is known which these are. If values never change, a person in unknown releases has the value of
one of all its records. Classes are formed after every release, because a class may be larger later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from attacks.descriptions import RecordDescriptions, equal_rows
from audit.model.arrays import Codes, Counts, Flags, Floats, Places, flagged
from audit.model.evidence import Evidence, RecordSource, RowSource
from audit.model.nearness import Nearness
from audit.model.outcome import BELOW_ONE
from audit.runtime.phrases import Reason, ReasonKind, say

_BELOW, _NONE = 1e-12, np.zeros(0, dtype=np.int32)


class LikeliestValues(NamedTuple):
    """The likeliest value of each class that has rows; among equally likely ones that with the least code.

    If close numbers count as one, it is instead the set of numbers close to one of them that most rows have. All arrays
    have shape (classes,).

    Attributes:
        number: the number of the class, ascending.
        lower, upper: the code of the value twice, or the codes of the least and the largest of the close numbers.
        rows, with_value: how many rows the class has, and how many of them have the value, or one of the numbers.
        certain: whether all rows have the value, or numbers that are all close to each other.
        more: whether the numbers are more frequent than each single value; true for plain values.
    """

    number: Counts
    lower: Codes
    upper: Codes
    rows: Counts
    with_value: Counts
    certain: Flags
    more: Flags

    @property
    def share(self) -> Floats:
        """The share of the rows; only a certain value has share 1."""
        return shares(self.with_value, self.rows, self.certain)

    def some(self, chosen: Flags | Places) -> LikeliestValues:
        """Return the values of some classes."""
        return LikeliestValues._make(column[chosen] for column in self)

    def reached(self, limit: float, *, strangers: bool) -> Flags:
        """Return which values are disclosed: certain ones and, if `strangers`, those whose share is at the limit."""
        likely = (self.share >= limit - _BELOW) & strangers & (limit < 1)
        return self.more & (self.certain | likely)


def shares(with_value: npt.NDArray[np.integer], rows: npt.NDArray[np.integer], certain: Flags) -> Floats:
    """Return the share of the rows with a value; only a certain value has share 1."""
    return np.where(certain, 1.0, np.minimum(with_value / np.maximum(rows, 1), BELOW_ONE))


def likeliest_values(
    classes: Codes, value: Codes, rows: Counts | None = None, near: Nearness | None = None
) -> LikeliestValues:
    """Return the likeliest value of each class.

    Args:
        classes: the class of each entry; shape (entries,).
        value: the code of its value; shape (entries,).
        rows: how many equal rows it stands for; None for one each.
        near: which numbers are close, if close numbers count as one.
    """
    values = int(value.max(initial=-1)) + 1
    pairs, place = np.unique(classes.astype(np.int64) * values + value, return_inverse=True)
    count = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(count, place, 1 if rows is None else rows)
    owner = pairs // max(values, 1)
    code = (pairs % max(values, 1)).astype(np.int32)
    alone = count if near is None else np.where(near.rank[code] >= 0, count, 0)  # what is no number is not asked for
    within = count if near is None else np.where(alone > 0, near.windows(owner, code, count).within, 0)
    order = np.lexsort((pairs, -within, owner))
    best = order[np.flatnonzero(np.diff(owner[order], prepend=-1))]
    start = np.flatnonzero(np.diff(owner, prepend=-1))
    total = np.add.reduceat(count, start)
    if near is None or not len(best):
        every = np.ones(len(best), dtype=np.bool_)
        return LikeliestValues(owner[best], code[best], code[best], total, within[best], within[best] == total, every)
    _, low, high = (column[best] for column in near.windows(owner, code, count))
    certain = near.together(low, high) & (within[best] == total)
    more = within[best] > np.maximum.reduceat(alone, start)
    lower, upper = (np.append(near.code, np.int32(0))[each] for each in (low, high))  # no number has the rank -1
    return LikeliestValues(owner[best], lower, upper, total, within[best], certain, more)


class _Members:
    """Records with their values, of one release or of all releases; arrays have shape (members,).

    Attributes:
        release: the release; None for all releases.
        record: the record code of each.
        value: its value.
        given: the largest share of a value in a reported class of the record, 0 if none was reported.
    """

    def __init__(self, release: int | None, record: Codes, value: Codes, given: Floats) -> None:
        self.release, self.record, self.value, self.given = release, record, value, given


@dataclass(frozen=True)
class LinkedClasses:
    """The classes of linked records that disclose a value with a larger share than single releases do.

    Classes are sorted by the first release after which they disclose it (`after`).

    Attributes:
        below: the largest share of a value in any other class; None if there is none.
        source: the source of the records.
        release, lower, upper, rows, with_value, record, after: as in `CloseNumbers`; shape (classes,).
        there: whether only records with a row in the release are counted, as in `CloseNumbers`; 0 or 1.
        together: whether only records in the same releases as the record are counted; 0 or 1.
        certain: whether all rows have such a value; 0 or 1.
        seen, row: the last release and row of the record; shape (classes,).
    """

    below: float | None
    source: RecordSource
    release: Codes
    lower: Codes
    upper: Codes
    rows: Codes
    with_value: Codes
    certain: Codes
    record: Codes
    after: Codes
    there: Codes
    together: Codes
    seen: Codes
    row: Codes

    @property
    def risk(self) -> Floats:
        """The share of the value in each class."""
        return shares(self.with_value, self.rows, self.certain > 0)

    def group(self, at: int) -> str:
        """Return the last group of the first record of a class."""
        return self.source.groups(int(self.seen[at]), self.row[at : at + 1].astype(np.intp))[0]


def linked_classes(
    evidence: Evidence, limit: float, reported: Sequence[Floats], near: Nearness | None, *, strangers: bool
) -> LinkedClasses | Reason:
    """Return the classes of linked records in which the share of the likeliest value is at least the limit.

    Return why they are not judged if values are published separately from rows, or change although they must not.

    Args:
        evidence: the series, with record ids.
        limit: the share.
        reported: for each release, the share that is reported for the class of each row, 0 if it is no finding.
        near: which numbers are close, if close numbers count as one.
        strangers: whether shares below 1 count as disclosure, because the people of some rows are unknown.

    Raises:
        InputError: the cells of a record have nothing in common.
        TypeError: the evidence has no record ids.
    """
    records, source = evidence.records, evidence.rows_of
    if records is None or source is None:
        raise TypeError("this evidence has no record ids")
    following = _Following(evidence, records, source, limit, near, len(reported), strangers)
    for release, given in enumerate(reported):
        if (reason := following.add(release, given)) is not None:
            return reason
    return following.found()


@dataclass
class _Following:
    """Records followed release by release."""

    evidence: Evidence
    records: RecordSource
    source: RowSource
    limit: float
    near: Nearness | None
    releases: int
    strangers: bool

    def __post_init__(self) -> None:
        self._known = RecordDescriptions(self.records, self.releases)
        size = len(self._known.seen)
        self._judged = np.zeros(size, dtype=np.bool_)
        # The release and the row in which each record was seen last, and values that never change.
        self._seen, self._row, self._value = (np.full(size, -1, dtype=np.int32) for _ in range(3))
        self._releases = np.zeros(size, dtype=np.int32)  # a number for the releases that each record is in
        self._given = np.zeros(size)
        self._each: list[_Members] = []
        self._below: float | None = None
        self._found: list[dict[str, npt.NDArray[Any]]] = []

    def found(self) -> LinkedClasses:
        """Return what was found so far."""
        names = [each.name for each in fields(LinkedClasses)][2:]
        columns = {name: np.concatenate([_NONE, *(each[name] for each in self._found)]) for name in names}
        return LinkedClasses(
            self._below, self.records, **{name: each.astype(np.int32) for name, each in columns.items()}
        )

    def add(self, release: int, given: Floats) -> Reason | None:
        """Add a release, and return why its records cannot be judged, or None if they can."""
        rows, value = self.records.rows(release), self.source.rows(release).value
        if value is None:
            why = say(
                "records that look alike over the releases are not judged where values are published apart from their "
                "rows, or a row counts several people"
            )
            return Reason(why, ReasonKind.UNFIT)
        record = rows.record
        self._known.add(rows, release)
        # The latest release of a record decides whether it may be a stranger's.
        self._judged[record] = True if rows.judged is None else rows.judged
        self._seen[record], self._row[record] = release, np.arange(len(record), dtype=np.int32)
        self._releases = equal_rows([self._releases, flagged(record, len(self._releases)).astype(np.int32)])[1]
        self._each.append(_Members(release, record, value, given.copy()))
        to_judge = self._each
        if self.evidence.transitions is None:
            if ((self._value[record] >= 0) & (self._value[record] != value)).any():
                why = say(
                    "records that look alike over the releases are not judged, as values of records change and the "
                    'manifest does not say so: write transitions = "any" under [adversary] if they may change'
                )
                return Reason(why, ReasonKind.CONTRADICTION)
            self._value[record] = value
            self._given[record] = np.maximum(self._given[record], given)
            seen = np.flatnonzero(self._known.seen).astype(np.int32)
            to_judge = [_Members(None, seen, self._value[seen], self._given[seen]), *self._each]
        if release:  # one release by itself is judged by its own classes
            classes = self._known.classes()
            for members in to_judge:
                self._look(members, classes, release)
            in_same_releases = equal_rows([classes + 1, self._releases])[1]
            for members in to_judge if self.evidence.transitions is not None else to_judge[:1]:
                self._look(members, in_same_releases, release, together=True)
        return None

    def _look(self, members: _Members, classes: Codes, after: int, *, together: bool = False) -> None:
        """Store the classes that disclose a value after a release with a larger share than reported before."""
        if self.evidence.transitions is None:  # what is told once is told for all releases
            members.given = self._given[members.record]
        number = classes[members.record]
        found = likeliest_values(number, members.value, near=self.near)
        size = int(classes.max(initial=-1)) + 1
        first = np.full(size, len(number), dtype=np.int64)
        np.minimum.at(first, number, np.arange(len(number)))
        least = np.ones(size)
        np.minimum.at(least, number, members.given)
        held = np.bincount(number[self._judged[members.record]], minlength=size) > 0
        share = found.share
        gives = held[found.number] & found.reached(self.limit, strangers=self.strangers)
        rest = share[held[found.number] & ~gives] if self.strangers else share[:0]
        self._below = max(self._below or 0.0, float(rest.max())) if len(rest) else self._below
        new = np.flatnonzero(gives & (least[found.number] < share))
        reported = np.zeros(size)
        reported[found.number[new]] = share[new]
        members.given = np.maximum(members.given, reported[number])
        if self.evidence.transitions is None:
            self._given[members.record] = members.given
        record = members.record[first[found.number[new]]]
        release: Codes | int = after if members.release is None else members.release
        if together and members.release is None:
            release = self._seen[record]
        some, every = found.some(new), np.ones(len(new), dtype=np.int32)
        columns = {
            "release": release * every,
            "lower": some.lower,
            "upper": some.upper,
            "rows": some.rows,
            "with_value": some.with_value,
            "certain": some.certain,
            "record": record,
            "after": after * every,
            "there": (together or members.release is not None) * every,
            "together": together * every,
            "seen": self._seen[record],
            "row": self._row[record],
        }
        self._found.append(columns)
