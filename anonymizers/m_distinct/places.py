"""Places: assign rows of several classes to the entries of a bucket, by augmenting paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

_ANY = 1 << 62


class RowPlaces:
    """The number of rows of each class in each entry.

    Attributes:
        taken: the number of rows by entry and class.
        load: the number of rows in each entry.
    """

    def __init__(
        self, useful: Sequence[Sequence[int]], classes: int, most: Sequence[Sequence[int]] | None = None
    ) -> None:
        """Begin without rows; `useful` are the classes of each entry, and `most` how many rows of each it takes."""
        self._classes_of = [tuple(each) for each in useful]
        self._most = most or [[_ANY] * classes] * len(useful)
        self._entries_of: list[list[int]] = [[] for _ in range(classes)]
        for entry, each in enumerate(self._classes_of):
            for value_class in each:
                self._entries_of[value_class].append(entry)
        self.taken = [[0] * classes for _ in self._classes_of]
        self.load = [0] * len(self._classes_of)

    def push(self, value_class: int, rows: int, height: int) -> set[int] | None:
        """Place rows of a class in entries of at most `height` rows, moving other rows if necessary.

        Returns:
            None if all are placed; otherwise the classes that share the full entries, this one included.
        """
        while rows:
            path, seen = self._to_entry(value_class, height)
            if path is None:
                return seen
            amount = min(rows, height - self.load[path[-1][1]])
            for (_, entry), (moved, _) in pairwise(path):
                amount = min(amount, self.taken[entry][moved])
            amount = min(amount, *(self._most[entry][moved] - self.taken[entry][moved] for moved, entry in path))
            for place, (moved, entry) in enumerate(path):
                if place:
                    self.taken[path[place - 1][1]][moved] -= amount
                self.taken[entry][moved] += amount
            self.load[path[-1][1]] += amount
            rows -= amount
        return None

    def pull(self, entry: int, room: list[int], lacking: int) -> int:
        """Place up to `lacking` rows in an entry, moving other rows if necessary.

        Args:
            entry: the entry.
            room: how many more rows of each class may be placed; reduced by those placed.
            lacking: the number of rows to place.

        Returns:
            The number of rows placed.
        """
        left = lacking
        while left:
            path = self._to_class(entry, room)
            if path is None:
                break
            amount = min(left, room[path[-1][1]])
            for (_, moved), (giver, _) in pairwise(path):
                amount = min(amount, self.taken[giver][moved])
            for place, (taker, moved) in enumerate(path):
                self.taken[taker][moved] += amount
                if place + 1 < len(path):
                    self.taken[path[place + 1][0]][moved] -= amount
            room[path[-1][1]] -= amount
            left -= amount
        self.load[entry] += lacking - left
        return lacking - left

    def _to_entry(self, value_class: int, height: int) -> tuple[list[tuple[int, int]] | None, set[int]]:
        """Return a path of steps (class, entry that it moves to) to an entry with room, and the classes visited."""
        came: dict[int, int] = {}
        left: dict[int, int] = {}
        queue = [value_class]
        seen = {value_class}
        for moved in queue:
            for entry in sorted(self._entries_of[moved], key=self.load.__getitem__):
                if entry in came or self.taken[entry][moved] >= self._most[entry][moved]:
                    continue
                came[entry] = moved
                if self.load[entry] < height:
                    return list(_back(entry, came, left)), seen
                for resident, rows in enumerate(self.taken[entry]):
                    if rows and resident not in seen:
                        seen.add(resident)
                        left[resident] = entry
                        queue.append(resident)
        return None, seen

    def _to_class(self, entry: int, room: Sequence[int]) -> list[tuple[int, int]] | None:
        """Return a path of steps (entry, class that it takes from the next entry); the last takes from `room`."""
        came: dict[int, int] = {}
        gave: dict[int, int] = {}
        queue = [entry]
        seen = {entry}
        for taker in queue:
            for value_class in sorted(self._classes_of[taker], key=room.__getitem__, reverse=True):
                if value_class in came:
                    continue
                came[value_class] = taker
                if room[value_class] > 0:
                    return list(_back(value_class, came, gave))
                for giver in self._entries_of[value_class]:
                    if self.taken[giver][value_class] and giver not in seen:
                        seen.add(giver)
                        gave[giver] = value_class
                        queue.append(giver)
        return None


def _back(last: int, came: dict[int, int], left: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the steps of a path in order, found by going back from its last step."""
    steps = [(came[last], last)]
    while steps[-1][0] in left:
        before = left[steps[-1][0]]
        steps.append((came[before], before))
    yield from reversed(steps)
