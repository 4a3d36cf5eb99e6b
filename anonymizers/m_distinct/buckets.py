"""Buckets: compute their least height, the new people who fill them, and the counterfeits that they need.

A bucket of height h is divided into h groups, each with one row of every entry and no value twice. In the bipartite
graph of entries and values, whose edges are the rows, this is a colouring of the edges with h colours in which every
entry has every colour. By König's theorem it exists exactly if every entry has h rows and no value more than h. The
paper assigns records to entries once and adds counterfeits. This implementation fixes only the number of rows of each
value, and assigns entries last. Then h is the larger of the most rows of a value and the least possible load of the
fullest entry: if the rows fit into the entries, and h systems of distinct representatives fill the entries, one
assignment does both (Mendelsohn and Dulmage, 1958).

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
        places, rows = self.entries.places(), self.entries.by_kind(self.counts)
        height = max(int(self.counts.max(initial=0)), -(-sum(rows) // len(self.entries)))
        for kind, number in enumerate(rows):
            missing = number
            while missing:
                full = places.push(kind, missing, height)
                if full is None:
                    break
                # All entries of these kinds are full, so they need at least this many layers.
                width = sum(not full.isdisjoint(useful) for useful in self.entries.useful)
                missing = number - sum(taken[kind] for taken in places.taken)
                height = max(height + 1, -(-sum(rows[each] for each in full) // width))
        return places, height

    def counterfeits(self) -> int:
        """Return the number of counterfeits that the bucket needs."""
        return self.settled()[1] * len(self.entries) - len(self)

    def absorb(self, waiting: Numbers) -> Numbers:
        """Add new people as long as the bucket does not become higher.

        Args:
            waiting: the number of new people of each value; shape (values,).

        Returns:
            The number of people added of each value; shape (values,).
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
        """Fill the bucket with counterfeits; return places, number of layers, and counterfeits of each value."""
        places, height = self.settled()
        most = height - self.counts
        room = self.entries.by_kind(most)
        before = room.copy()
        for entry, load in enumerate(places.load):
            if places.pull(entry, room, height - load) < height - load:
                raise AssertionError("an entry could not be filled, though some system of representatives fills it")
        counterfeits = np.zeros_like(self.counts)
        for kind, values in enumerate(self.entries.kinds):
            if before[kind] > room[kind]:
                counterfeits[values] = rng.multivariate_hypergeometric(most[values], before[kind] - room[kind])
        return places, height, counterfeits


def _levelled(waiting: Numbers, most: Numbers, number: int) -> Numbers:
    """Return how many rows of each value may still be added after `number` were added, the most frequent first."""
    left = most.copy()
    for _ in range(number):
        still = waiting - (most - left)
        place = int(np.argmax(np.where(left > 0, still, -1)))
        left[place] -= 1
    return left
