"""Buckets: how high they have to be, what new people fill up, and which counterfeits are left to add.

A bucket of height h is cut into h groups, each with one row of every entry and no value twice. Seen as a graph whose
edges are the rows, between entries and values, that is a colouring of the edges with h colours in which every entry
meets every colour. By König's theorem it exists exactly when every entry has h rows and no value more than h. The
paper puts records into entries for good and adds counterfeits; here only the number of rows of each value is fixed and
the entries are settled last. Then h need not be more than the most rows of a value and the least possible load of the
fullest entry: where rows fit into the entries, and h systems of distinct representatives fill these, something does
both (Mendelsohn and Dulmage, 1958).

Source: m-Distinct paper, Section V-B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonymizers.m_distinct.entries import ValueSets
from anonymizers.m_distinct.places import RowPlaces
from audit.model.arrays import Numbers


@dataclass
class SignatureBucket:
    """The rows of a bucket.

    Attributes:
        entries: what its groups hold.
        counts: rows of each value that are no counterfeits; shape (values,), int64.
    """

    entries: ValueSets
    counts: Numbers

    def __len__(self) -> int:
        """Return the number of rows that are no counterfeits."""
        return int(self.counts.sum())

    def settled(self) -> tuple[RowPlaces, int]:
        """Return the rows in as few layers as possible, and how many layers these are.

        No layer is of counterfeits alone: some value is in all of them, or some entries lack fewer rows than they are.
        """
        places, rows = self.entries.places(), self.entries.by_kind(self.counts)
        height = max(int(self.counts.max(initial=0)), -(-sum(rows) // len(self.entries)))
        for kind, number in enumerate(rows):
            missing = number
            while missing:
                full = places.push(kind, missing, height)
                if full is None:
                    break
                # These kinds have no other entries than those that are full: so many layers they need at least.
                width = sum(not full.isdisjoint(useful) for useful in self.entries.useful)
                missing = number - sum(taken[kind] for taken in places.taken)
                height = max(height + 1, -(-sum(rows[each] for each in full) // width))
        return places, height

    def fakes(self) -> int:
        """Return how many counterfeits it needs."""
        return self.settled()[1] * len(self.entries) - len(self)

    def absorb(self, waiting: Numbers) -> Numbers:
        """Take in people of whom there is a choice, as far as the bucket does not grow higher by them.

        Args:
            waiting: how many wait with each value; shape (values,).

        Returns:
            How many of each were taken; shape (values,).
        """
        places, height = self.settled()
        most = np.minimum(waiting, height - self.counts)
        room = self.entries.by_kind(most)
        taken = np.zeros_like(waiting)
        before = room.copy()
        for entry, load in enumerate(places.load):
            places.pull(entry, room, height - load)
        for kind, values in enumerate(self.entries.kinds):
            number = before[kind] - room[kind]
            if number:
                taken[values] = most[values] - _levelled(waiting[values], most[values], number)
        self.counts = self.counts + taken
        return taken

    def completed(self, rng: np.random.Generator) -> tuple[RowPlaces, int, Numbers]:
        """Return the places of all rows, the number of layers, and the counterfeits of each value; shape (values,)."""
        places, height = self.settled()
        most = height - self.counts
        room = self.entries.by_kind(most)
        before = room.copy()
        for entry, load in enumerate(places.load):
            if places.pull(entry, room, height - load) < height - load:
                raise AssertionError("an entry could not be filled, though some system of representatives fills it")
        fakes = np.zeros_like(self.counts)
        for kind, values in enumerate(self.entries.kinds):
            if before[kind] > room[kind]:
                fakes[values] = rng.multivariate_hypergeometric(most[values], before[kind] - room[kind])
        return places, height, fakes


def _levelled(waiting: Numbers, most: Numbers, number: int) -> Numbers:
    """Return how many of each value may still be taken after `number` were, of those first of whom most wait."""
    left = most.copy()
    for _ in range(number):
        still = waiting - (most - left)
        place = int(np.argmax(np.where(left > 0, still, -1)))
        left[place] -= 1
    return left
