"""Leftovers: new people whom no bucket is short of are placed where the cuts between releases are then enough.

Source: assignment in Xiao and Tao, *m-invariance* (SIGMOD 2007), Section 4.2; equivalence paper, Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anonymizers.balancing import Signature, batches, most
from audit.model.arrays import Counts


class Layers(NamedTuple):
    """Rows for a bucket, the same number of each value of its signature: some values' people, and counterfeits.

    Attributes:
        signature: whose bucket.
        people: the values that new people have; the rows of the others are counterfeits.
        rows: how many of each value.
    """

    signature: Signature
    people: Signature
    rows: int

    @property
    def counterfeits(self) -> int:
        """The number of counterfeits."""
        return self.rows * (len(self.signature) - len(self.people))


def place_leftovers(left: Counts, m: int, least: int, known: Sequence[tuple[Signature, int]]) -> list[Layers]:
    """Return the layers in which all of some new people go into buckets.

    Known buckets come first, as far as that leaves them with a cut that is enough, and the others form new ones. A
    batch that is too small for a bucket of its own is filled up with counterfeits; or, where that takes fewer, it is
    taken apart, and counterfeits stand beside its people in larger buckets.

    Args:
        left: how many new people have each value; m-eligible, shape (values,).
        m: the parameter of m-invariance.
        least: how many rows a bucket has at least when it is new.
        known: signatures of the buckets that there are, in the order to fill them, and how many new rows each has to
            have when it has any; 0 or less where it can have as many as it likes.
    """
    left, lacks, found, small = left.copy(), dict(known), list[Layers](), list[Layers]()
    for signature, lack in known:
        rows = most(left, signature, m)
        if rows and rows * len(signature) >= lack:
            left[np.array(signature)] -= rows
            lacks[signature] = 0
            found.append(Layers(signature, signature, rows))
    together: dict[Signature, int] = {}
    for signature, rows in batches(left, m, enough=least):
        together[signature] = together.get(signature, 0) + rows
    for signature, rows in together.items():
        large = rows * len(signature) >= lacks.get(signature, least)
        (found if large else small).append(Layers(signature, signature, rows))
        lacks[signature] = 0 if large else lacks.get(signature, least)
    for batch in small:
        found += _squeezed(batch, lacks)
    return found


def _squeezed(batch: Layers, lacks: dict[Signature, int]) -> list[Layers]:
    """Return the layers for a batch that is too small for its bucket, with the fewer counterfeits of two ways."""
    apart = _taken_apart(batch, [signature for signature, lack in lacks.items() if lack <= 0])
    width = len(batch.signature)
    filled = Layers(batch.signature, (), -(-lacks[batch.signature] // width) - batch.rows)
    if apart is not None and sum(layers.counterfeits for layers in apart) < filled.counterfeits:
        return apart
    lacks[batch.signature] = 0
    return [batch, filled]


def _taken_apart(batch: Layers, large: list[Signature]) -> list[Layers] | None:
    """Return layers of large buckets that hold a batch, those first that need the fewest counterfeits for each person.

    None where a value is in none of them.
    """
    waiting, found = set(batch.signature), list[Layers]()
    while waiting:
        some = [signature for signature in large if waiting.intersection(signature)]
        if not some:
            return None
        signature = min(some, key=lambda each: len(each) / len(waiting.intersection(each)))
        people = tuple(value for value in signature if value in waiting)
        waiting.difference_update(people)
        found.append(Layers(signature, people, batch.rows))
    return found
