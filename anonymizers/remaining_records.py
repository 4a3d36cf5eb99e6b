"""Remaining records: place the new people who fill no gap of a bucket, so that the cuts of buckets are large enough.

Source: assignment in Xiao and Tao, *m-invariance* (SIGMOD 2007), Section 4.2; equivalence paper, Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anonymizers.balancing import Signature, batches, most
from audit.model.arrays import Counts


class Layers(NamedTuple):
    """Rows for a bucket, the same number of each value of its signature.

    Attributes:
        signature: the signature of the bucket.
        people: the values whose rows are new people; the rows of the other values are counterfeits.
        rows: the number of rows of each value.
    """

    signature: Signature
    people: Signature
    rows: int

    @property
    def counterfeits(self) -> int:
        """The number of counterfeits."""
        return self.rows * (len(self.signature) - len(self.people))


def place_leftovers(left: Counts, m: int, least: int, known: Sequence[tuple[Signature, int]]) -> list[Layers]:
    """Return the layers that put all remaining new people into buckets.

    Existing buckets are filled first, if their cuts are then large enough; the other people form new buckets. A batch
    that is too small for a bucket is filled up with counterfeits; or, if that needs fewer counterfeits, its people are
    distributed over larger buckets.

    Args:
        left: the number of remaining new people of each value; m-eligible, shape (values,).
        m: the parameter of m-invariance.
        least: the least number of rows of a new bucket.
        known: the signatures of existing buckets, in the order to fill them, each with the number of new rows that it
            needs if it gets any; 0 or less if any number is enough.
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
    """Return the layers for a batch that is too small for its bucket, in the way that needs fewer counterfeits."""
    distributed = _distributed(batch, [signature for signature, lack in lacks.items() if lack <= 0])
    width = len(batch.signature)
    filled = Layers(batch.signature, (), -(-lacks[batch.signature] // width) - batch.rows)
    if distributed is not None and sum(layers.counterfeits for layers in distributed) < filled.counterfeits:
        return distributed
    lacks[batch.signature] = 0
    return [batch, filled]


def _distributed(batch: Layers, large: list[Signature]) -> list[Layers] | None:
    """Return layers of large buckets for the people of a batch, greedily with the fewest counterfeits for each person.

    None if a value is in none of the buckets.
    """
    waiting, found = set(batch.signature), list[Layers]()
    while waiting:
        fitting = [signature for signature in large if waiting.intersection(signature)]
        if not fitting:
            return None
        signature = min(fitting, key=lambda each: len(each) / len(waiting.intersection(each)))
        people = tuple(value for value in signature if value in waiting)
        waiting.difference_update(people)
        found.append(Layers(signature, people, batch.rows))
    return found
