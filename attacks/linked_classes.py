"""Classes of records that look alike over the releases, and which of them give a sensitive value away.

Who follows published record ids knows what each record's cells have in common (`descriptions`), and reads the record's
value in each of its rows. Who fits a description has one of its records' values: where values never change, that of
any record of the class; where they change, in each release that of one of the records that have a row there. Classes
are looked at after every release, as a class may be larger later on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attacks.descriptions import RecordDescriptions, equal_rows
from audit.findings.homogeneous_class import HomogeneousClass
from audit.model.arrays import Codes, Counts, Flags, Floats
from audit.model.evidence import Evidence, Records, RecordSource, RowSource

_BELOW = 1e-12


def reached(share: Floats, limit: float, *, strangers: bool) -> Flags:
    """Return which shares of a value give it away; one below certainty says something of strangers alone."""
    return (share == 1.0) | ((share >= limit - (_BELOW if limit < 1 else 0)) & strangers)


class LikeliestValues(NamedTuple):
    """The likeliest value of each class that has rows, that of the least code where several are; shape (classes,).

    Attributes:
        number: the class, ascending.
        value: code.
        rows, with_value: how many rows it has, and how many of them have the value.
    """

    number: Counts
    value: Codes
    rows: Counts
    with_value: Counts


def likeliest_values(classes: Codes, value: Codes, rows: Counts | None = None) -> LikeliestValues:
    """Return the likeliest values of classes, given the class and the value of each row, or of several alike."""
    values = int(value.max(initial=-1)) + 1
    pairs, place = np.unique(classes.astype(np.int64) * values + value, return_inverse=True)
    count = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(count, place, 1 if rows is None else rows)
    owner = pairs // max(values, 1)
    order = np.lexsort((pairs, -count, owner))
    best = order[np.flatnonzero(np.diff(owner[order], prepend=-1))]
    total = np.add.reduceat(count, np.flatnonzero(np.diff(owner, prepend=-1)))
    return LikeliestValues(owner[best], (pairs[best] % max(values, 1)).astype(np.int32), total, count[best])


class _Members:
    """Records with a value each, of one release or of all, and how far each was given away so far; shape (members,).

    Attributes:
        release: the release; None where values never change.
        place: which record each is.
        value: its value.
        given: the share of a value in the worst class that was reported of it, 0 where none was.
    """

    def __init__(self, release: int | None, place: Codes, value: Codes, given: Floats) -> None:
        self.release, self.place, self.value, self.given = release, place, value, given


@dataclass(frozen=True)
class LinkedClasses:
    """The classes of linked records that give a value away, and say more than the releases do by themselves.

    Each stands after the first release after which it does; in their order.

    Attributes:
        below: the largest share of a value in any other class; None where there is none.
        source: where the records come from.
        release, value, rows, with_value, record, after: as `HomogeneousClass` has them; shape (classes,).
        seen, row: the release and the row in which the record was seen last; shape (classes,).
    """

    below: float | None
    source: RecordSource
    release: Codes
    value: Codes
    rows: Codes
    with_value: Codes
    record: Codes
    after: Codes
    seen: Codes
    row: Codes

    @property
    def risk(self) -> Floats:
        """The share of the value in each class."""
        return self.with_value / self.rows

    def build(self, at: int) -> HomogeneousClass[int]:
        """Return what is claimed of one class."""
        return HomogeneousClass(
            int(self.release[at]),
            self.source.groups(int(self.seen[at]), self.row[at : at + 1].astype(np.intp))[0],
            0,
            int(self.value[at]),
            int(self.with_value[at]) / int(self.rows[at]),
            int(self.rows[at]),
            int(self.with_value[at]),
            int(self.record[at]),
            int(self.after[at]),
        )


def linked_classes(
    evidence: Evidence, limit: float, reported: Sequence[Floats], *, strangers: bool
) -> LinkedClasses | None:
    """Return the classes of linked records whose likeliest value has a share at or above the limit.

    None where values are separate from rows, or change though they must not.

    Args:
        evidence: the series, with record ids.
        limit: the share.
        reported: for each release the share that is reported of the class of each row, 0 where it is no finding.
        strangers: whether shares below certainty say something, since nothing is known of the people of some rows.

    Raises:
        InputError: the cells of a record have nothing in common.
    """
    records, source = evidence.records, evidence.rows_of
    if records is None or source is None:
        raise TypeError("this evidence has no record ids")
    following = _Following(evidence, records, source, limit, strangers=strangers)
    for release, given in enumerate(reported):
        if not following.add(release, given):
            return None
    return following.found()


class _Following:
    """Records followed release by release."""

    def __init__(
        self, evidence: Evidence, records: RecordSource, source: RowSource, limit: float, *, strangers: bool
    ) -> None:
        self._records, self._source = records, source
        self._limit, self._strangers = limit, strangers
        self._constant = evidence.transitions is None
        self._known = RecordDescriptions(records)
        none = np.zeros(0, dtype=np.int32)
        self._judged = np.zeros(0, dtype=np.bool_)
        self._seen, self._row = none, none  # the release and the row in which each record was seen last
        self._all = _Members(None, none, none, np.zeros(0))
        self._each: list[_Members] = []
        self._below: float | None = None
        self._found: list[tuple[npt.NDArray[np.integer], ...]] = [(none,) * 8]

    def found(self) -> LinkedClasses:
        """Return what was found so far."""
        columns = (np.concatenate(column).astype(np.int32) for column in zip(*self._found, strict=True))
        return LinkedClasses(self._below, self._records, *columns)

    def add(self, release: int, given: Floats) -> bool:
        """Take a release into account, and return whether its records can be judged."""
        rows, value = self._records.rows(release), self._source.rows(release).value
        if value is None:
            return False
        place = self._known.add(rows, release)
        self._note(rows, place, release)
        if self._constant:
            if not self._keep(place, value, given):
                return False
            some = [self._all]
        else:
            self._each.append(_Members(release, place, value, given.copy()))
            some = self._each
        if release:  # one release by itself is judged by its own classes
            classes = equal_rows(self._known.cells)[1]
            for members in some:
                self._look(members, classes, release)
        return True

    def _note(self, rows: Records, place: Codes, release: int) -> None:
        """Note where records stand, and which of them the adversary does not know to be a person's."""
        more = len(self._known.record) - len(self._judged)
        self._judged = np.append(self._judged, np.zeros(more, dtype=np.bool_))
        self._judged[place if rows.judged is None else place[rows.judged]] = True
        self._seen = np.append(self._seen, np.zeros(more, dtype=np.int32))
        self._row = np.append(self._row, np.zeros(more, dtype=np.int32))
        self._seen[place], self._row[place] = release, np.arange(len(place), dtype=np.int32)

    def _keep(self, place: Codes, value: Codes, given: Floats) -> bool:
        """Note values that never change, and return whether those that were known before are the same."""
        known = self._all
        more = len(self._judged) - len(known.value)
        values = np.append(known.value, np.full(more, -1, dtype=np.int32))
        same = bool(((values[place] < 0) | (values[place] == value)).all())
        values[place] = value
        reported = np.append(known.given, np.zeros(more))
        reported[place] = np.maximum(reported[place], given)
        self._all = _Members(None, np.arange(len(values), dtype=np.int32), values, reported)
        return same

    def _look(self, members: _Members, classes: Codes, after: int) -> None:
        """Note which classes give a value away after a release, and did not do so before."""
        number = classes[members.place]
        found = likeliest_values(number, members.value)
        size = int(classes.max(initial=-1)) + 1
        first = np.full(size, len(number), dtype=np.int64)
        np.minimum.at(first, number, np.arange(len(number)))
        least = np.ones(size)
        np.minimum.at(least, number, members.given)
        held = np.bincount(number[self._judged[members.place]], minlength=size) > 0
        share = found.with_value / found.rows
        gives = held[found.number] & reached(share, self._limit, strangers=self._strangers)
        rest = share[held[found.number] & ~gives] if self._strangers else share[:0]
        self._below = max(self._below or 0.0, float(rest.max())) if len(rest) else self._below
        new = np.flatnonzero(gives & (least[found.number] < share))
        reported = np.zeros(size)
        reported[found.number[new]] = share[new]
        members.given = np.maximum(members.given, reported[number])
        release = after if members.release is None else members.release
        place = members.place[first[found.number[new]]]
        columns = (found.value, found.rows, found.with_value)
        self._found.append(
            (
                np.full(len(new), release),
                *(column[new] for column in columns),
                self._known.record[place],
                np.full(len(new), after),
                self._seen[place],
                self._row[place],
            )
        )
