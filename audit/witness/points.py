"""Points that prove what groups rule out: sets of rows that their people take whole, round after round.

In a world each person of a group has one of its rows. Draw an arrow from the value that a person has to each other
value that is left to the person. Where no value that can be reached from one has rows to spare, exactly the people who
have these values take all of their rows in every world (Hall, 1935), and no one else has one. With a point for each of
these rows all points are spent in every world, so that who would have to spend more cannot have the value. Sums of such
points over all sets and groups prove the same at once; a round is one step of a proof.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audit.model.arrays import Flags, Integers, Numbers
from audit.witness.verify import Published
from audit.witness.verify_points import Left

Step = list[list[int]]
"""A step of a proof: release, row, value and points of each kind of rows that cost some."""
# Cells of tables that are held at once.
_AT_ONCE = 1 << 23


def prove_by_groups(left: Left, world: Integers, dirty: Flags | None = None) -> Iterator[Step]:
    """Strike out what single groups rule out, until nothing changes, and yield the steps that prove it.

    Args:
        left: which values are left to people.
        world: a world; shape (times, people).
        dirty: the groups to begin with; all of them if None; shape (groups,).
    """
    groups = np.arange(len(left.series.held)) if dirty is None else np.flatnonzero(dirty)
    while len(groups):
        some, price = _tight(left, world, groups)
        if not len(some):
            return
        groups = np.flatnonzero(strike(left, some, price))
        yield step_of(left.series, some, price)


def strike(left: Left, groups: Numbers, price: Numbers) -> Flags:
    """Strike out what points of rows by group and value prove, and return which groups have people who lost values."""
    before, found = left.values.copy(), np.zeros(len(left.series.held), dtype=np.bool_)
    left.strike_out(groups, np.concatenate([np.zeros_like(price[:1]), price]))
    lost: Flags = np.any(before & ~left.values, axis=2)
    for at, home in enumerate(left.series.home):
        found[home[(home >= 0) & lost[at % len(lost)]]] = True
    return found


def step_of(series: Published, groups: Numbers, price: Numbers) -> Step:
    """Return the step in which rows of some groups cost points by group and value."""
    at, value = np.nonzero(price)
    release = np.searchsorted(series.first, groups[at], side="right") - 1
    row = first_rows(series)[groups[at]]
    points = price[at, value]
    return [list(each) for each in zip(release.tolist(), row.tolist(), value.tolist(), points.tolist(), strict=True)]


def first_rows(series: Published) -> Numbers:
    """Return a row of each group, by which files name it, -1 where it has none."""
    found = np.full(len(series.held), -1, dtype=np.int64)
    for first, group in zip(series.first, series.group, strict=False):
        found[first + group[::-1]] = np.arange(len(group))[::-1]
    return found


def _tight(left: Left, world: Integers, groups: Numbers) -> tuple[Numbers, Numbers]:
    """Return which of some groups have sets of values that their people take whole, and that rule something out.

    With them come the points of their rows: of each value in how many such sets it is; shape (groups, values).
    """
    series, wanted = left.series, np.zeros(len(left.series.held), dtype=np.bool_)
    wanted[groups] = True
    arrows = [_arrows(left, world, at, wanted) for at in range(len(series.home))]
    home, now, other = map(np.concatenate, zip(*arrows, strict=True))
    rank = np.cumsum(series.held > 0, axis=1) - 1
    width = (series.held > 0).sum(axis=1)[groups]
    order = np.argsort(width, kind="stable")
    ends = np.cumsum(width[order] ** 2 * 4)  # of a sorted list about what it takes to hold all before
    found = np.zeros((len(groups), len(series.values)), dtype=np.int64)
    place = np.full(len(series.held), -1, dtype=np.int64)
    for some in np.split(order, np.flatnonzero(np.diff(ends // _AT_ONCE)) + 1):
        if not len(some):
            continue
        size = int(width[some].max())
        place[:] = -1
        place[groups[some]] = np.arange(len(some))
        mine = place[home] >= 0
        reach = np.zeros((len(some), size, size), dtype=np.bool_)
        g, a, b = home[mine], now[mine], other[mine]
        reach[place[g], rank[g, a], rank[g, b]] = True
        taken: Flags = np.any(reach, axis=2)
        rows = np.zeros((len(some), size), dtype=np.int64)
        at, value = np.nonzero(series.held[groups[some]])
        rows[at, rank[groups[some][at], value]] = series.held[groups[some][at], value]
        spare: Flags = rows > _taken(series, world, groups[some], rank, size)
        points = _points(reach, taken, spare)
        found[some[at], value] = points[at, rank[groups[some][at], value]]
    used = found.any(axis=1)
    return groups[used], found[used]


def _arrows(left: Left, world: Integers, release: int, wanted: Flags) -> tuple[Numbers, Numbers, Numbers]:
    """Return the group of each person in some groups of a release, the value that the person has, and each one left."""
    home, at = left.series.home[release], release % len(world)
    person = np.flatnonzero((home >= 0) & wanted[home])
    who, value = np.nonzero(left.values[at, person])
    return home[person[who]], world[at, person[who]].astype(np.int64), value


def _taken(series: Published, world: Integers, groups: Numbers, rank: Numbers, size: int) -> Numbers:
    """Return how many people of some groups have each of their values; shape (groups, size)."""
    place, found = np.full(len(series.held), -1, dtype=np.int64), np.zeros((len(groups), size), dtype=np.int64)
    place[groups] = np.arange(len(groups))
    for at, home in enumerate(series.home):
        person = np.flatnonzero((home >= 0) & (place[home] >= 0))
        group, value = home[person], world[at % len(world), person]
        np.add.at(found, (place[group], rank[group, value]), 1)
    return found


def _points(reach: Flags, taken: Flags, spare: Flags) -> Numbers:
    """Return the points of the rows of groups by the arrows between their values.

    Args:
        reach: which value leads to which; (groups, values, values); changed in place to what can be reached.
        taken: which values people have.
        spare: which have rows that no person takes.
    """
    for at in range(reach.shape[1]):
        reach |= reach[:, :, at : at + 1] & reach[:, at : at + 1, :]
    whole = taken & ~(reach & spare[:, np.newaxis, :]).any(axis=2)
    weight = reach.astype(np.float32)
    enters = (weight @ weight.transpose(0, 2, 1) > 0) & ~reach.transpose(0, 2, 1)  # from a value, into a set
    whole &= (enters & taken[:, :, np.newaxis]).any(axis=1)
    points: Numbers = (reach & whole[:, :, np.newaxis]).sum(axis=1, dtype=np.int64)
    return points
