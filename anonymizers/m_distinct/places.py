"""Places: assign rows of several kinds to the entries of a bucket, by augmenting paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

_ANY = 1 << 62


class RowPlaces:
    """The number of rows of each kind in each entry.

    Attributes:
        taken: the number of rows by entry and kind.
        load: the number of rows in each entry.
    """

    def __init__(
        self, useful: Sequence[Sequence[int]], kinds: int, most: Sequence[Sequence[int]] | None = None
    ) -> None:
        """Begin without rows; `useful` are the kinds of each entry, and `most` how many rows of each it takes."""
        self._kinds_of = [tuple(each) for each in useful]
        self._most = most or [[_ANY] * kinds] * len(useful)
        self._entries_of: list[list[int]] = [[] for _ in range(kinds)]
        for entry, each in enumerate(self._kinds_of):
            for kind in each:
                self._entries_of[kind].append(entry)
        self.taken = [[0] * kinds for _ in self._kinds_of]
        self.load = [0] * len(self._kinds_of)

    def push(self, kind: int, rows: int, height: int) -> set[int] | None:
        """Place rows of a kind in entries of at most `height` rows, moving other rows if necessary.

        Returns:
            None if all are placed; otherwise the kinds that share the full entries, this one included.
        """
        while rows:
            path, seen = self._to_entry(kind, height)
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
            room: how many more rows of each kind may be placed; reduced by those placed.
            lacking: the number of rows to place.

        Returns:
            The number of rows placed.
        """
        left = lacking
        while left:
            path = self._to_kind(entry, room)
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

    def _to_entry(self, kind: int, height: int) -> tuple[list[tuple[int, int]] | None, set[int]]:
        """Return a path of steps (kind, entry that it moves to) to an entry that is not full, and the kinds visited."""
        came: dict[int, int] = {}
        left: dict[int, int] = {}
        queue = [kind]
        seen = {kind}
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

    def _to_kind(self, entry: int, room: Sequence[int]) -> list[tuple[int, int]] | None:
        """Return a path of steps (entry, kind that it takes from the next step's entry); the last takes from `room`."""
        came: dict[int, int] = {}
        gave: dict[int, int] = {}
        queue = [entry]
        seen = {entry}
        for taker in queue:
            for kind in sorted(self._kinds_of[taker], key=room.__getitem__, reverse=True):
                if kind in came:
                    continue
                came[kind] = taker
                if room[kind] > 0:
                    return list(_back(kind, came, gave))
                for giver in self._entries_of[kind]:
                    if self.taken[giver][kind] and giver not in seen:
                        seen.add(giver)
                        gave[giver] = kind
                        queue.append(giver)
        return None


def _back(last: int, came: dict[int, int], left: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the steps of a path in order, found by going back from its last step."""
    steps = [(came[last], last)]
    while steps[-1][0] in left:
        before = left[steps[-1][0]]
        steps.append((came[before], before))
    yield from reversed(steps)
