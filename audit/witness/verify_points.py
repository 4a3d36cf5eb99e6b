"""Check points: find the values that are possible for people, by sums of whole numbers; used by `verify.py`.

Each row of some groups costs points, so all rows together have a total of points. A person who has a row in a release
spends its points, and no two people have the same row. So all people together spend at most the total. Each person
spends at least the cost of the person's cheapest possible history. The total, less what all people spend at least, is
the slack. If a value would cost a person more than the person's least cost plus the slack, the person cannot have that
value. Each step uses what earlier steps ruled out; a step that proves nothing raises `ValueError`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Filed: TypeAlias = Any  # as read by `verify.py`, which is not imported
NEVER = 1 << 60


class Left:
    """The values that are possible for people: at first those of their groups, or the value that is known beforehand.

    `values` has shape (times, people, values): one time, or one for each release if values change. The series is one
    that `verify.py` read. Beside a register, `options` says in which groups people may be, by release; shape (people,
    groups of the release).
    """

    def __init__(self, series: Filed, options: list[np.ndarray] | None = None) -> None:
        self.series, self.options, times = series, options, series.times
        self.values = np.ones((times, len(series.people), len(series.values)), dtype=np.bool_)
        for at, (home, known) in enumerate(zip(series.home, series.known, strict=True)):
            here = home >= 0
            if options is None:
                self.values[at % times][here] &= series.held[home[here]] > 0
            else:
                self.values[at % times][here] &= options[at][here] @ (self.rows(at) > 0)
            self.values[at % times][known >= 0] &= np.eye(len(series.values), dtype=np.bool_)[known[known >= 0]]
        there = np.nonzero(series.home >= 0)
        order = np.argsort(series.home[there], kind="stable")
        self.member = there[1][order]
        self.start = np.searchsorted(series.home[there][order], np.arange(len(series.held) + 1))
        self.local = np.zeros(len(series.held) + 1, dtype=np.int64)  # the last one stands for absence
        if series.may is not None:  # otherwise each value of a person is a history
            self.strike_out(np.zeros(0, dtype=np.int64), np.zeros((1, len(series.values)), dtype=np.int64))

    def rows(self, at: int) -> np.ndarray:
        """Return how many rows of each group of a release have each value."""
        found: np.ndarray = self.series.held[self.series.first[at] : self.series.first[at + 1]]
        return found

    def places(self, at: int, person: int, value: int) -> list[int]:
        """Return the groups of a release in which a person may have a value; beside a register."""
        mine = self.options[at][person] if self.options is not None else np.zeros(0, dtype=np.bool_)
        return (self.series.first[at] + np.flatnonzero(mine & (self.rows(at)[:, value] > 0))).tolist()

    def spent(self, at: int, person: np.ndarray, every: np.ndarray) -> np.ndarray:
        """Return what people spend at least for each value in a release, given the points of all groups' rows."""
        options = self.options or []
        costs = np.where(self.rows(at) > 0, every[self.series.first[at] : self.series.first[at + 1]], NEVER)
        found = [costs[options[at][who]].min(axis=0, initial=NEVER) for who in person.tolist()]
        cost = np.array(found).reshape(len(person), -1)
        return np.where((self.series.home[at, person] >= 0)[:, None] & (cost < NEVER), cost, 0)

    def step(self, step: list[Any], number: np.ndarray) -> None:
        """Apply a step: lists of a release, a row of a group, a value (an index of `number`) and points."""
        if not all(type(x) is int and 0 <= x < 1 << 31 for each in step for x in each):
            raise ValueError("the points of a step are not whole numbers")
        series, every = self.series, np.array(step, dtype=np.int64).reshape(-1, 4)
        groups = [series.first[at] + int(series.group[at][row]) for at, row in every[:, :2].tolist()]
        some, place = np.unique(np.array(groups, dtype=np.int64), return_inverse=True)
        price = np.zeros((len(some) + 1, len(series.values)), dtype=np.int64)
        price[1 + place, number[every[:, 2]]] = every[:, 3]
        self.strike_out(some, price)

    def strike_out(self, groups: np.ndarray, price: np.ndarray) -> None:
        """Rule out the values that would cost people more than the slack, given the points of rows.

        Args:
            groups: distinct groups; if there are none, all people are checked, who spend nothing.
            price: the points of rows by group and value, after a line for all other groups; shape (1 + groups, values).
        """
        members = [self.member[a:b] for a, b in zip(self.start[groups], self.start[groups + 1], strict=True)]
        every = self.options is not None or not members
        person = np.arange(len(self.series.people)) if every else np.unique(np.concatenate(members))
        home, left = self.series.home[:, person], self.values[:, person]
        self.local[groups] = 1 + np.arange(len(groups))
        if self.options is None:
            cost = [price[self.local[each]] for each in home]
        else:
            cost = [self.spent(at, person, price[self.local[:-1]]) for at in range(len(home))]
        self.local[groups] = 0
        if self.series.may is None:
            through = np.where(left, np.sum(cost, axis=0), NEVER)
        else:
            own = [np.where(some, each, NEVER) for some, each in zip(left, cost, strict=True)]
            before, after = self.sweep(own, home >= 0, 1), self.sweep(own, home >= 0, -1)
            through = np.minimum([np.sum(each, axis=0) for each in zip(before, own, after, strict=True)], NEVER)
            through[home < 0] = NEVER
        least = through.min(axis=(0, 2), initial=NEVER)
        spare = sum((price[1:] * self.series.held[groups]).sum(axis=1).tolist()) - sum(least.tolist())
        if spare < 0:
            raise ValueError("a step costs people more points than there are")
        self.values[:, person] &= through - least[:, None] <= spare

    def sweep(self, own: list[np.ndarray], here: np.ndarray, step: int) -> list[np.ndarray]:
        """Return the least cost of people's histories before each release (step 1), or after it (step -1), by value."""
        may = self.series.may if step > 0 else self.series.may.T
        state, begun, found = np.zeros(own[0].shape, dtype=np.int64), np.zeros(len(own[0]), dtype=np.bool_), []
        for cost, there in list(zip(own, here, strict=True))[::step]:
            moved = np.min([state + np.where(may[:, at], 0, NEVER) for at in range(len(may))], axis=2).T
            found.append(np.where(begun[:, None], np.minimum(moved, NEVER), 0))
            state = np.where(there[:, None], np.minimum(found[-1] + cost, NEVER), state)
            begun |= there
        return found[::step]


def values_left(series: Filed, number: np.ndarray, steps: list[Any]) -> np.ndarray:
    """Return the values that are possible for people after some steps; shape (times, people, values)."""
    left = Left(series)
    for step in steps:
        left.step(step, number)
    return left.values
