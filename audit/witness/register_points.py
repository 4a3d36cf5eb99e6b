"""Find proof steps beside a register: points of rows for which people would pay too much if a person had a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from audit.model.arrays import Floats, Integers
from audit.witness.points import Step, step_of
from audit.witness.verify_points import Left

Solve = Callable[[Floats, Floats, Any], Floats | None]
"""Maximizes a cost over columns from 0 to some ends; the product of sparse rows and columns is at most 0."""
_SCALES, _MOST = (1, 2, 3, 4, 6, 12), 200_000
_ENTRIES = 3_000_000
"""The most entries of all linear programmes together: a limit of time would show more on faster machines."""


def register_steps(left: Left, worlds: Integers, solve: Solve) -> Iterator[Step]:
    """Yield steps that rule out values of people that no world gives them, as far as a limit of work allows.

    By the duality of linear programmes, there are such points wherever fractions of rows cannot give the person the
    value, either.

    Args:
        left: the values that are left; changed in place.
        worlds: the values that worlds give people; shape (worlds, releases, people).
        solve: solves linear programmes.
    """
    seen, entries = np.zeros(left.values.shape, dtype=np.bool_), 0
    for world in worlds:
        release, who = np.nonzero(world >= 0)
        seen[release % len(seen), who, world[release, who]] = True
    release, who, which = np.nonzero(left.values & ~seen)
    order = np.argsort(seen.sum(axis=2)[release, who], kind="stable")  # first those with one value in all worlds
    for each in zip(release[order].tolist(), who[order].tolist(), which[order].tolist(), strict=True):
        if not left.values[each]:
            continue
        programme = _Prices(left, *each) if len(left.series.people) * left.series.held.size <= _MOST else None
        entries += len(programme.entries) if programme is not None else 0
        if programme is None or entries > _ENTRIES:
            return
        price = programme.found(solve)
        for points in [] if price is None else [np.rint(price * scale).astype(np.int64) for scale in _SCALES]:
            groups, before = np.flatnonzero(points.any(axis=1)), left.values.sum()
            left.strike_out(groups, np.concatenate([np.zeros_like(points[:1]), points[groups]]))
            if left.values.sum() < before:
                yield step_of(left.series, groups, points[groups])
            if not left.values[each]:
                break


class _Prices:
    """A linear programme of prices of rows, from 0 to 1, at which a person cannot have a value in a release.

    A column is the price of a row, by group and value; the least cost of a person up to a release and value; or that of
    a person in all releases.
    """

    def __init__(self, left: Left, release: int, person: int, value: int) -> None:
        self.left, self.asked, self.size = left, (release, person, value), left.series.held.size
        self.cost: list[float] = (-left.series.held.ravel()).tolist()
        self.entries = list[tuple[int, int, float]]()
        self.rows = 0
        for who in range(len(left.series.people)):
            self._add(who)

    def found(self, solve: Solve) -> Floats | None:
        """Return the prices; shape (groups, values); None if there are none."""
        from scipy.sparse import csr_array

        row, place, weight = zip(*self.entries, strict=True)
        cost, ends = np.array(self.cost), np.full(len(self.cost), float(len(self.left.series.tags)))
        ends[: self.size] = 1
        found = solve(cost, ends, csr_array((weight, (row, place)), shape=(self.rows, len(cost))))
        return None if found is None or found @ cost < 1e-6 else found[: self.size].reshape(self.left.series.held.shape)

    def _add(self, who: int) -> None:
        """Add the histories of a person; the person in question has the value in question."""
        series, last = self.left.series, dict[int, int]()
        releases, spent = np.flatnonzero(series.home[:, who] >= 0).tolist(), self._column(1.0)
        for before, now in pairwise([-1, *releases]):
            here = {own: self._column(0.0) for own in self._possible(now, who)}
            for own, mine in here.items():
                follows = [of for of in last if (of == own if series.may is None else series.may[of, own])]
                for group in self.left.places(now, who, own):
                    row = group * series.held.shape[1] + own
                    for earlier in [[]] if before < 0 else [[last[of]] for of in follows]:
                        self._at_most(mine, row, *earlier)
            last = here
        for mine in last.values():
            self._at_most(spent, mine)

    def _possible(self, now: int, who: int) -> list[int]:
        at, person, value = self.asked
        found: list[int] = np.flatnonzero(self.left.values[now % len(self.left.values), who]).tolist()
        fixed = who == person and (now == at or self.left.series.may is None)
        return [own for own in found if own == value or not fixed]

    def _column(self, cost: float) -> int:
        self.cost.append(cost)
        return len(self.cost) - 1

    def _at_most(self, one: int, *others: int) -> None:
        """Let a column be at most the sum of others."""
        self.entries += [(self.rows, one, 1.0), *((self.rows, other, -1.0) for other in others)]
        self.rows += 1
