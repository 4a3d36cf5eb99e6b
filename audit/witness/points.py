"""Points that prove what groups rule out: sets of rows that must go to the same people in every world.

In a world each person of a group has one of its rows. Draw an arrow from a person's value to each other value that is
possible for the person. If no value that can be reached from a value has rows to spare, then exactly the people with
these values take all of these rows in every world (Hall, 1935), and no other person has one. Let each of these rows
cost a point. Every world spends all points, so a person cannot have a value that would spend more. The sums of such
points over all sets and groups prove the same at once; a round is one step of a proof.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audit.model.arrays import Flags, Integers, Numbers
from audit.witness.verify import Published
from audit.witness.verify_points import Left

Step = list[list[int]]
"""A step of a proof: release, row, value and points of each kind of row that costs points."""
# The number of table cells in memory at once.
_AT_ONCE = 1 << 23


def prove_by_groups(left: Left, world: Integers, dirty: Flags | None = None) -> Iterator[Step]:
    """Rule out what single groups rule out, until nothing changes, and yield the steps that prove it.

    Args:
        left: the values that are possible for people; changed in place.
        world: a world; shape (times, people).
        dirty: the groups to begin with; all groups if None; shape (groups,).
    """
    groups = np.arange(len(left.series.held)) if dirty is None else np.flatnonzero(dirty)
    while len(groups):
        some, price = _tight(left, world, groups)
        if not len(some):
            return
        groups = np.flatnonzero(strike(left, some, price))
        yield step_of(left.series, some, price)


def strike(left: Left, groups: Numbers, price: Numbers) -> Flags:
    """Rule out what the points of rows prove, and return which groups have people who lost values.

    Args:
        left: the values that are possible for people; changed in place.
        groups: the groups whose rows have points.
        price: the points of their rows; shape (groups, values).

    Returns:
        Flags of all groups of the series.
    """
    before, found = left.values.copy(), np.zeros(len(left.series.held), dtype=np.bool_)
    left.strike_out(groups, np.concatenate([np.zeros_like(price[:1]), price]))
    lost: Flags = np.any(before & ~left.values, axis=2)
    for at, home in enumerate(left.series.home):
        found[home[(home >= 0) & lost[at % len(lost)]]] = True
    return found


def step_of(series: Published, groups: Numbers, price: Numbers) -> Step:
    """Return the step in which rows of some groups cost points, by group and value."""
    at, value = np.nonzero(price)
    release = np.searchsorted(series.first, groups[at], side="right") - 1
    row = first_rows(series)[groups[at]]
    points = price[at, value]
    return [list(each) for each in zip(release.tolist(), row.tolist(), value.tolist(), points.tolist(), strict=True)]


def first_rows(series: Published) -> Numbers:
    """Return the first row of each group, by which files name the group, -1 without rows; shape (groups,), int64."""
    found = np.full(len(series.held), -1, dtype=np.int64)
    for first, group in zip(series.first, series.group, strict=False):
        found[first + group[::-1]] = np.arange(len(group))[::-1]
    return found


def _tight(left: Left, world: Integers, groups: Numbers) -> tuple[Numbers, Numbers]:
    """Return the groups with sets of values that their people must take, where this rules something out.

    Also return the points of their rows: the number of such sets that contain each value; shape (groups, values).
    """
    series, wanted = left.series, np.zeros(len(left.series.held), dtype=np.bool_)
    wanted[groups] = True
    arrows = [_arrows(left, world, at, wanted) for at in range(len(series.home))]
    home, now, other = map(np.concatenate, zip(*arrows, strict=True))
    rank = np.cumsum(series.held > 0, axis=1) - 1
    width = (series.held > 0).sum(axis=1)[groups]
    order = np.argsort(width, kind="stable")
    ends = np.cumsum(width[order] ** 2 * 4)  # as a share of the memory that all groups together would take
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
    """Return each person's group, the person's value, and each value that is possible, for some groups of a release."""
    home, at = left.series.home[release], release % len(world)
    person = np.flatnonzero((home >= 0) & wanted[home])
    who, value = np.nonzero(left.values[at, person])
    return home[person[who]], world[at, person[who]].astype(np.int64), value


def _taken(series: Published, world: Integers, groups: Numbers, rank: Numbers, size: int) -> Numbers:
    """Return how many people of some groups have each value; shape (groups, size)."""
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
        reach: whether an arrow leads from one value to another; shape (groups, values, values); changed in place to its
            transitive closure.
        taken: whether people have the value; shape (groups, values).
        spare: whether the value has rows that no person takes; shape (groups, values).
    """
    for at in range(reach.shape[1]):
        reach |= reach[:, :, at : at + 1] & reach[:, at : at + 1, :]
    whole = taken & ~(reach & spare[:, np.newaxis, :]).any(axis=2)
    weight = reach.astype(np.float32)
    enters = (weight @ weight.transpose(0, 2, 1) > 0) & ~reach.transpose(0, 2, 1)  # from a value into a set
    whole &= (enters & taken[:, :, np.newaxis]).any(axis=1)
    points: Numbers = (reach & whole[:, :, np.newaxis]).sum(axis=1, dtype=np.int64)
    return points
