"""Entries: the sets from which the values of a bucket's groups come, one value from each set.

The update set signature of a group holds the candidate update set of each of its values (m-Distinct paper,
Definition 13). A group of distinct values, one from each of these sets, is a legal update instance of it
(Definition 14). So a bucket has an *entry* for each set, and a person whose last group had this signature is put into
an entry that contains the person's value. A value may be useless in an entry: with the sets {a} and {a, b}, value a
must come from the first one, or the first would have no value. A value is *useful* in an entry if a system of distinct
representatives of the sets chooses it there.

Values that are in the same sets form a *class*. Sets are bit masks: bit v says that value v is in the set.

A bucket computes its least height, the new people who fill it, and the counterfeits that it needs. A bucket of height h
is divided into h groups, each with one row of every entry and no value twice. In the bipartite graph of entries and
values, whose edges are the rows, this is a colouring of the edges with h colours in which every entry has every colour.
By König's theorem it exists exactly if every entry has h rows and no value more than h. The paper assigns records to
entries once and adds counterfeits. This implementation fixes only the number of rows of each value, and assigns entries
last. Then h is the larger of the most rows of a value and the least possible load of the fullest entry: if the rows fit
into the entries, and h systems of distinct representatives fill the entries, one assignment does both (Mendelsohn and
Dulmage, 1958).

Source: m-Distinct paper, Sections V-A (entries, intersections) and V-B (the height of a bucket, its delta).

Places: assign rows of several classes to the entries of a bucket, by augmenting paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from audit.model.arrays import Numbers, exchangeable
from audit.model.evidence import UpdateSets

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


Mask = int
UpdateSetSignature = tuple[Mask, ...]


def masks_of(updates: UpdateSets) -> list[Mask]:
    """Return the candidate update set of each value."""
    packed = np.packbits(updates.may, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def signed(values: Iterable[int], masks: Sequence[Mask]) -> UpdateSetSignature:
    """Return the update set signature of a group with these values: the sorted list of their sets."""
    return tuple(sorted(masks[value] for value in values))


@dataclass(frozen=True)
class ValueSets:
    """The entries of a bucket, and the useful classes of values of each.

    Attributes:
        sets: the set of each entry.
        classes: the values of each class, ascending.
        value_class: the class of each value, -1 for values that are in no set (not covered); shape (values,).
        useful: the useful classes of each entry.
    """

    sets: UpdateSetSignature
    classes: tuple[Numbers, ...]
    value_class: Numbers
    useful: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.sets)

    def places(self) -> RowPlaces:
        """Return the places of rows in these entries, all of them empty."""
        return RowPlaces(self.useful, len(self.classes))

    def by_class(self, counts: Numbers) -> list[int]:
        """Return the number of rows of each class, given the number of rows of each value."""
        return [int(counts[values].sum()) for values in self.classes]


@lru_cache(maxsize=20_000)
def entries_of(sets: UpdateSetSignature, values: int) -> ValueSets | None:
    """Return the entries of sets, or None if the sets have no system of distinct representatives.

    >>> entries = entries_of((0b01, 0b11), 2)  # value 0 must be in the first entry, and is useless in the second
    >>> [[entries.classes[each].tolist() for each in useful] for useful in entries.useful]
    [[[0]], [[1]]]
    """
    holds = np.array([[mask >> value & 1 for value in range(values)] for mask in sets], dtype=np.bool_)
    inside = np.flatnonzero(holds.any(axis=0))
    patterns, class_of_inside = np.unique(holds[:, inside], axis=1, return_inverse=True)
    class_of_inside = class_of_inside.reshape(-1)
    classes = tuple(inside[class_of_inside == number] for number in range(patterns.shape[1]))
    useful = _useful([np.flatnonzero(row).tolist() for row in patterns], [len(each) for each in classes])
    if useful is None:
        return None
    value_class = np.full(values, -1, dtype=np.int64)
    value_class[inside] = class_of_inside
    return ValueSets(sets, classes, value_class, useful)


def _useful(inside: Sequence[Sequence[int]], sizes: Sequence[int]) -> tuple[tuple[int, ...], ...] | None:
    """Return the useful classes of each entry, from the classes in its set and the number of values of each."""
    places, room = RowPlaces(inside, len(sizes)), list(sizes)
    if not all(places.pull(entry, room, 1) for entry in range(len(inside))):
        return None
    entry, of = np.repeat(np.arange(len(inside)), list(map(len, inside))), np.concatenate(inside)
    found = exchangeable(entry, of, np.argmax(places.taken, axis=1), np.array(room) > 0)
    return tuple(tuple(of[found & (entry == each)].tolist()) for each in range(len(inside)))


def intersected(first: UpdateSetSignature, second: UpdateSetSignature) -> UpdateSetSignature | None:
    """Return the intersections of the sets of two signatures, in the pairing with the largest overlap.

    None if there is no pairing in which all pairs overlap. It is an assignment problem; the score of a pair is the
    share of its values that both sets have (paper, Section V-A).

    >>> intersected((0b0011, 0b1100), (0b0001, 0b0010)) is None
    True
    >>> intersected((0b0011, 0b1100), (0b0111, 0b0100))
    (3, 4)
    """
    from scipy.optimize import linear_sum_assignment

    if len(first) != len(second):
        return None
    common = [[left & right for right in second] for left in first]
    if not all(map(any, common)) or not all(map(any, zip(*common, strict=True))):
        return None
    score = np.full((len(first), len(second)), -float(len(first)))  # no gain elsewhere outweighs it
    for row, left in enumerate(first):
        for column, right in enumerate(second):
            if left & right:
                score[row, column] = (left & right).bit_count() / (left | right).bit_count()
    rows, columns = linear_sum_assignment(score, maximize=True)
    sets = [common[row][column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
    return tuple(sorted(sets)) if all(sets) else None


@dataclass
class SignatureBucket:
    """The rows of a bucket.

    Attributes:
        entries: the entries of its groups.
        counts: the number of people of each value; shape (values,), int64.
    """

    entries: ValueSets
    counts: Numbers

    def __len__(self) -> int:
        """Return the number of people."""
        return int(self.counts.sum())

    def settled(self) -> tuple[RowPlaces, int]:
        """Assign the rows to entries with as few layers as possible; return the places and the number of layers.

        No layer consists of counterfeits only: a value is in all of them, or the entries lack less than a layer.
        """
        places, rows = self.entries.places(), self.entries.by_class(self.counts)
        height = max(int(self.counts.max(initial=0)), -(-sum(rows) // len(self.entries)))
        for value_class, number in enumerate(rows):
            missing = number
            while missing:
                full = places.push(value_class, missing, height)
                if full is None:
                    break
                # All entries of these classes are full, so they need at least this many layers.
                width = sum(not full.isdisjoint(useful) for useful in self.entries.useful)
                missing = number - sum(taken[value_class] for taken in places.taken)
                height = max(height + 1, -(-sum(rows[each] for each in full) // width))
        return places, height

    def counterfeits(self) -> int:
        """Return the number of counterfeits that the bucket needs."""
        return self.settled()[1] * len(self.entries) - len(self)

    def fitting(self, waiting: Numbers) -> Numbers:
        """Return how many new people of each value fit into the bucket without making it higher; shape (values,).

        Args:
            waiting: the number of new people of each value; shape (values,).
        """
        places, height = self.settled()
        most, taken = np.minimum(waiting, height - self.counts), np.zeros_like(waiting)
        for values, number in zip(self.entries.classes, self._pulled(places, height, most), strict=True):
            if number:
                taken[values] = most[values] - _levelled(waiting[values], most[values], number)
        return taken

    def _pulled(self, places: RowPlaces, height: int, most: Numbers) -> list[int]:
        """Fill places with further rows, at most so many of each value; return how many of each class are added."""
        before, room = self.entries.by_class(most), self.entries.by_class(most)
        for entry, load in enumerate(places.load):
            places.pull(entry, room, height - load)
        return [number - left for number, left in zip(before, room, strict=True)]

    def completed(self, rng: np.random.Generator) -> tuple[RowPlaces, int, Numbers]:
        """Fill the bucket with counterfeits; return places, number of layers, and counterfeits of each value."""
        places, height = self.settled()
        most, counterfeits = height - self.counts, np.zeros_like(self.counts)
        added = self._pulled(places, height, most)
        if min(places.load) < height:
            raise AssertionError("an entry could not be filled, though some system of representatives fills it")
        for values, number in zip(self.entries.classes, added, strict=True):
            if number:
                counterfeits[values] = rng.multivariate_hypergeometric(most[values], number)
        return places, height, counterfeits


def _levelled(waiting: Numbers, most: Numbers, number: int) -> Numbers:
    """Return how many rows of each value may still be added after `number` were added, the most frequent first."""
    left = most.copy()
    for _ in range(number):
        still = waiting - (most - left)
        place = int(np.argmax(np.where(left > 0, still, -1)))
        left[place] -= 1
    return left
