"""`monotonic-mondrian`: publish a growing table in groups that later releases only divide further.

The cells are parts of the domain, not boxes around people: a box that grows to include a newcomer is the "subgroup
expanding" that breaks k-anonymity. Newcomers join an old group whose cells cover them, and groups that then have 2k
people or more are divided. So (1) cells never grow: new ones are given as parts of old ones (`DomainParts`); (2) people
of different groups never get the same cells (`OldCells.divisible`). Hence all releases together reveal no more than the
last one (the property before Lemma 4), and are k-anonymous against incremental updates if each is (Theorem 1).

Source: monotonic paper, Sections 4.2 (monotonic incremental anonymization) and 5 (the algorithm).

`OldCells` are the last release's cells: which of them cover a row of a snapshot, and which may be divided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonymizers.partition import KClasses, Partition, partition
from audit.model.anonymizer import (
    OLD_END,
    DomainParts,
    Draft,
    PreviousCells,
    Promise,
    PublicationHistory,
    PublishedRelease,
    RefusalError,
    Snapshot,
)
from audit.model.arrays import Codes, Flags, Numbers, Places, numbered, tally
from audit.model.options import option
from audit.runtime.phrases import say, say_count

_PAIRS = 1 << 24


class OldCells:
    """The last release's cells, group by group.

    Attributes:
        low, high: the first and the last place that each group's cells cover; shape (groups, attributes), int32.
    """

    def __init__(self, snapshot: Snapshot, look: PreviousCells) -> None:
        ranges = look.ranges()
        self.low, self.high = ranges.low, ranges.high
        self._exact = ranges.exact
        self._look = look
        self._point = np.ascontiguousarray(snapshot.point)
        # The size of cells: the sum of their extents in the domains.
        self._extent = np.zeros(len(ranges.low))
        for scale, low, high in zip(snapshot.scales, ranges.low.T, ranges.high.T, strict=True):
            if len(scale.place):
                # A cell that covers no value may end outside the scale.
                self._extent += scale.place.take(high, mode="clip") - scale.place.take(low, mode="clip")

    def cover(self, group: Codes) -> Flags:
        """Return for each row whether the cells of its group, -1 for none, cover it; shape (rows,)."""
        good = (group >= 0) & ((self.low[group] <= self._point) & (self._point <= self.high[group])).all(axis=1)
        if not self._exact.all():
            near = np.flatnonzero(good)
            good[near] = self._confirm(group[near], near)
        return good

    def smallest_covering(self, rows: Places, groups: Places, but: Codes | None = None) -> Codes:
        """Return for each row the smallest of the groups whose cells cover it, -1 for none; shape (rows,), int32.

        The smallest group has the least sum of extents in the domains; among equals it has the lowest number. `but`
        holds a group for each row that is excluded; shape (rows,).
        """
        order = groups[np.argsort(self._extent[groups], kind="stable")]
        low, high = self.low[order], self.high[order]
        found = np.full(len(rows), -1, dtype=np.int32)
        beyond = np.full(len(rows), -1, dtype=np.int32)
        asked = np.arange(len(rows))
        while len(asked):
            place = first_covering(self._point[rows[asked]], low, high, beyond[asked])
            asked, place = asked[place >= 0], place[place >= 0]
            group = order[place].astype(np.int32)
            # A cell that is not an interval may fail to cover a row in its range: then the next group is tried.
            good = self._confirm(group, rows[asked])
            if but is not None:
                good &= group != but[asked]
            found[asked[good]] = group[good]
            beyond[asked] = place
            asked = asked[~good]
        return found

    def divisible(self, parts: Partition, groups: Codes) -> Flags:
        """Return which groups may be divided without giving people of different groups the same cells: condition (2).

        If cells overlap, a part of one group may get the cells of another group or of its part. Then the group is left
        whole.

        Args:
            parts: the parts of each group; their root is the group's place in `groups`.
            groups: the groups to divide, ascending.
        """
        kept = np.bincount(parts.root, minlength=len(groups)) > 1
        owner = groups[parts.root]
        doubtful = np.flatnonzero(~self._exact[owner] & kept[parts.root])
        if len(doubtful):
            # The parts of a cell that is not an interval are not known here: no other group may cover its people.
            _, example = np.unique(parts.region, return_index=True)
            # Drop the row of region -1, if there is one.
            example = example[len(example) - len(parts.root) :]
            covering = self.smallest_covering(example[doubtful], np.arange(len(self.low)), owner[doubtful])
            kept[parts.root[doubtful[covering >= 0]]] = False
        high = self.high[owner]
        low = np.concatenate([self.low, np.maximum(self.low[owner], parts.after + np.int32(1))])
        high = np.concatenate([self.high, np.where(parts.upto < 0, high, np.minimum(high, parts.upto))])
        cells = np.concatenate([low, high], axis=1)
        while True:
            whole = np.ones(len(self.low), dtype=np.bool_)
            whole[groups[kept]] = False
            shown = np.flatnonzero(np.concatenate([whole, kept[parts.root]]))
            _, place, times = np.unique(cells[shown], axis=0, return_inverse=True, return_counts=True)
            same = shown[times[place.ravel()] > 1]
            same = same[same >= len(self.low)] - len(self.low)
            if not len(same):
                return kept
            # A group that stays whole may in turn have the cells of another group's part.
            kept[parts.root[same]] = False

    def _confirm(self, group: Codes, rows: Places) -> Flags:
        """Return whether the cells of groups cover rows that are in their ranges, pair by pair."""
        good = self._exact[group]
        ask = np.flatnonzero(~good)
        if len(ask):
            good[ask] = self._look.covers(group[ask], rows[ask].astype(np.int32))
        return good


def first_covering(point: Codes, low: Codes, high: Codes, beyond: Codes) -> Codes:
    """Return for each point the first cell after the cell `beyond` that covers it, -1 for none.

    Which cells cover a place of an attribute is looked up as bits, one for each cell.

    Args:
        point: the points; shape (points, attributes), int32.
        low: the first place that a cell covers; shape (cells, attributes), int32.
        high: the last place.
        beyond: a cell for each point, -1 to test all cells; shape (points,), int32.
    """
    found = np.full(len(point), -1, dtype=np.int32)
    step = max(1, _PAIRS // max(1, len(low)))
    for begin in range(0, len(point) if len(low) else 0, step):
        chunk = slice(begin, begin + step)
        covers = np.packbits(np.arange(len(low)) > beyond[chunk, np.newaxis], axis=1)
        for column, first, last in zip(point[chunk].T, low.T, high.T, strict=True):
            places, at = np.unique(column, return_inverse=True)
            place = places[:, np.newaxis]
            covers &= np.packbits((first <= place) & (place <= last), axis=1)[at]
        octet = (covers != 0).argmax(axis=1)
        bits = np.unpackbits(np.take_along_axis(covers, octet[:, np.newaxis], axis=1), axis=1)
        found[chunk] = np.where(bits.any(axis=1), 8 * octet + bits.argmax(axis=1), -1)
    return found


@dataclass(frozen=True)
class MonotonicMondrianAnonymizer(KClasses):
    """Publish a table to which people are only added, k-anonymous over all its releases.

    Attributes:
        withhold: instead of refusing, hold back newcomers outside all old cells while they are fewer than k.
    """

    withhold: bool = option(False, help="if needed, hold back as few rows as possible until a later release")
    name: ClassVar[str] = "monotonic-mondrian"
    constant_quasi_identifiers: ClassVar[bool] = True

    @property
    def promise(self) -> Promise:
        """Monotonic incremental anonymization, which keeps k-anonymity against incremental updates."""
        return Promise("monotonic", {"k": self.k})

    def publish(self, snapshot: Snapshot, so_far: PublicationHistory, _rng: np.random.Generator, /) -> Draft:
        """Return the snapshot in groups that are parts of the last release's groups.

        Raises:
            RefusalError: the first release has fewer than k rows; earlier releases are not k-anonymous or lost people;
                people of the last release are missing, changed their quasi-identifiers or are not covered by their
                cells; or the newcomers outside all old cells are fewer than k.
            ValueError: the history lacks the cells of the last release.
        """
        if so_far.last is None:
            return self._begin(snapshot)
        if so_far.look is None:
            raise ValueError("the cells of the last release are needed to continue a series")
        groups = int(so_far.last.group.max(initial=-1)) + 1
        home = _homes(snapshot, so_far.last)
        people = _sizes(home, groups)
        self._check_past(so_far.last, so_far, people, home)
        old = OldCells(snapshot, so_far.look)
        _check_people(so_far.last, so_far.look, old, home)
        new = np.flatnonzero(home < 0)
        # A group of counterfeits only gets no newcomers, who might be fewer than k.
        home[new] = old.smallest_covering(new, np.flatnonzero(people))
        outside = new[home[new] < 0]
        if len(outside) < self.k:
            self._check_outside(outside)
            outside = outside[:0]
        return _draft(snapshot, self.k, old, home, outside)

    def _begin(self, snapshot: Snapshot) -> Draft:
        """Return the first release: the domain, divided into groups."""
        rows = self.rows(snapshot)
        parts = partition(_cut_with_blocks(snapshot), snapshot.scales, self.k)
        of = np.full(len(parts.root), -1, dtype=np.int32)
        return Draft(rows, parts.region, snapshot.value, DomainParts(of, parts.after, parts.upto))

    def _check_past(self, last: PublishedRelease, so_far: PublicationHistory, people: Places, home: Codes) -> None:
        """Refuse to continue a series that already breaks the promise.

        Raises:
            RefusalError: a group is too small, or people are missing.
        """
        held = _sizes(np.where(last.own < 0, np.int32(-1), last.group), len(people))
        small = (held > 0) & (held < self.k)
        if small.any():
            what = say(
                "{count} groups of the last release have fewer than {k} people, so the promise is already broken",
                count=np.count_nonzero(small),
                k=self.k,
            )
            rows = np.flatnonzero((home >= 0) & small[home]).astype(np.int32)
            raise RefusalError(what, say("ask for a smaller k, or begin another series"), rows=rows)
        lost = np.count_nonzero(so_far.value >= 0) - np.count_nonzero(last.own >= 0)
        if lost > 0:
            what = say(
                "{count} people of earlier releases are missing from the last one, so the promise is already broken",
                count=int(lost),
            )
            raise RefusalError(what, say("begin another series"), column="individual")

    def _check_outside(self, rows: Places) -> None:
        """Refuse newcomers outside all old cells who are too few for a group, unless they may be withheld.

        Raises:
            RefusalError: there are such newcomers, and `withhold` is not set.
        """
        if len(rows) and not self.withhold:
            what = say_count(
                "{count} new [person fits|people fit] no cell of the last release, too few for a group (k = {k})",
                len(rows),
                k=self.k,
            )
            raise RefusalError(what, say("hold them back until there are more"), rows=rows.astype(np.int32))


def _homes(snapshot: Snapshot, last: PublishedRelease) -> Codes:
    """Return the last release's group of each row, -1 for newcomers; shape (rows,), int32."""
    people = max(int(last.person.max(initial=-1)), int(snapshot.person.max(initial=-1))) + 1
    # One more entry for counterfeits without identity, whose code is -1.
    home = np.full(people + 1, -1, dtype=np.int32)
    home[last.person] = last.group
    return home[snapshot.person]


def _sizes(group: Codes, groups: int) -> Numbers:
    """Return the number of rows of each group, given the group of each row, -1 for none; shape (groups,)."""
    return tally(group + np.int32(1), groups + 1)[1:]


def _check_people(last: PublishedRelease, look: PreviousCells, old: OldCells, home: Codes) -> None:
    """Refuse a snapshot that lacks people of the last release, or has them outside their cells.

    Raises:
        RefusalError: people are missing, changed their quasi-identifiers, or are not covered by their cells.
    """
    missing = np.count_nonzero(last.own >= 0) - np.count_nonzero(home >= 0)
    if missing:
        what = say(
            "{count} people of the last release are missing from the snapshot, but no person may be removed",
            count=int(missing),
        )
        raise RefusalError(what, say("keep them in it"), column="individual")
    moved = look.moved()
    moved = moved[home[moved] >= 0]
    if len(moved):
        what = say(
            "the quasi-identifiers of {count} published people changed, and their cells may not follow",
            count=len(moved),
        )
        raise RefusalError(what, say("keep those that were published"), rows=moved)
    outside = np.flatnonzero((home >= 0) & ~old.cover(home))
    if len(outside):
        what = say(
            "the last release's cells do not cover {count} of the people who are published in them",
            count=len(outside),
        )
        remedy = say("correct their quasi-identifiers, or the key")
        raise RefusalError(what, remedy, rows=outside.astype(np.int32))


def _draft(snapshot: Snapshot, k: int, old: OldCells, home: Codes, outside: Places) -> Draft:
    """Return the next release, given the old group of each row, -1 for none, and the rows that form new groups."""
    group, cells = _cut(snapshot, k, old, home)
    if len(outside):
        parts = partition(_cut_with_blocks(snapshot)[outside], snapshot.scales, k)
        group[outside] = len(cells.of) + parts.region
        cells = _joined(cells, DomainParts(np.full(len(parts.root), -1, dtype=np.int32), parts.after, parts.upto))
    held = _sizes(group, len(cells.of)) > 0
    if not held.all():
        # Drop groups of counterfeits only.
        group = np.where(group < 0, group, np.cumsum(held, dtype=np.int32)[group] - np.int32(1))
        cells = DomainParts(cells.of[held], cells.after[held], cells.upto[held])
    rows = np.flatnonzero(group >= 0).astype(np.int32)
    if len(rows) == len(snapshot):
        return Draft(rows, group, snapshot.value, cells)
    return Draft(rows, group[rows], snapshot.value[rows], cells)


def _cut(snapshot: Snapshot, k: int, old: OldCells, home: Codes) -> tuple[Codes, DomainParts]:
    """Return the new group of each row, -1 for none, and the cells of the new groups.

    The first part of a divided group keeps its number; other parts are numbered after all old groups.
    """
    groups, attributes = old.low.shape
    ends = np.full((groups, attributes), OLD_END, dtype=np.int32)
    whole = DomainParts(np.arange(groups, dtype=np.int32), ends, ends.copy())
    large = np.flatnonzero(_sizes(home, groups) >= 2 * k).astype(np.int32)
    if not len(large):
        return home.copy(), whole
    # One more entry, -1, for rows without an old group.
    number = numbered(large, groups + 1)
    root = number[home]
    parts = partition(_cut_with_blocks(snapshot), snapshot.scales, k, root=root)
    kept = old.divisible(parts, large)[parts.root]
    begins = np.diff(parts.root, prepend=-1) > 0
    first, more = np.flatnonzero(kept & begins), np.flatnonzero(kept & ~begins)
    old_group = large[parts.root]
    whole.after[old_group[first]] = parts.after[first]
    whole.upto[old_group[first]] = parts.upto[first]
    new_group = old_group.copy()
    new_group[more] = groups + np.arange(len(more))
    rows = np.flatnonzero(root >= 0)
    group = home.copy()
    group[rows] = new_group[parts.region[rows]]
    return group, _joined(whole, DomainParts(old_group[more], parts.after[more], parts.upto[more]))


def _cut_with_blocks(snapshot: Snapshot) -> Codes:
    """Return the points of the rows, each moved to the last value of its block, so that cuts never divide a block."""
    if all(scale.block is None for scale in snapshot.scales):
        return snapshot.point
    point = snapshot.point.copy()
    for column, scale in enumerate(snapshot.scales):
        if scale.block is not None:
            point[:, column] = scale.block[point[:, column]]
    return point


def _joined(*parts: DomainParts) -> DomainParts:
    """Return the cells of all groups in one list."""
    return DomainParts(
        np.concatenate([each.of for each in parts]),
        np.concatenate([each.after for each in parts]),
        np.concatenate([each.upto for each in parts]),
    )
