"""Signatures: buckets of people with the same signature, and a slot for each of its sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from anonymizers.balancing import Signature
from audit.model.arrays import Numbers


@dataclass(frozen=True)
class Slots:
    """A slot for each value of each bucket's signature, bucket by bucket.

    Attributes:
        signatures: the signatures of the buckets, all different, with ascending values.
        start: the first slot of each bucket; shape (buckets,).
        value: the sensitive value of each slot; shape (slots,).
    """

    signatures: list[Signature]
    start: Numbers
    value: Numbers

    @classmethod
    def of(cls, signatures: list[Signature]) -> Slots:
        """Return the slots of the buckets of these signatures."""
        width = np.array([len(signature) for signature in signatures], dtype=np.int64)
        value = np.fromiter(chain.from_iterable(signatures), dtype=np.int64, count=int(width.sum()))
        return cls(signatures, np.cumsum(width) - width, value)

    def __len__(self) -> int:
        """Return the number of slots."""
        return len(self.value)

    def width(self) -> Numbers:
        """Return the number of values of each bucket's signature."""
        return np.diff(self.start, append=len(self.value))

    def spread(self, numbers: Numbers) -> Numbers:
        """Return the number of each slot's bucket."""
        return np.repeat(numbers, self.width())

    def find(self, bucket: Numbers, value: npt.NDArray[np.int32]) -> Numbers:
        """Return the slot of each pair of a bucket and a value, -1 if the signature lacks the value."""
        if not len(self):
            return np.full(len(bucket), -1)
        size = int(max(self.value.max(), value.max(initial=0))) + 1
        keys = self.spread(np.arange(len(self.start))) * size + self.value
        wanted = bucket * size + value
        slot = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[slot] == wanted, slot, -1)

    def height(self, held: Numbers) -> Numbers:
        """Return the largest number of rows in a slot of each bucket; shape (buckets,)."""
        return np.maximum.reduceat(held, self.start) if len(self) else held

    def total(self, numbers: Numbers) -> Numbers:
        """Return the sum over the slots of each bucket; shape (buckets,)."""
        return np.add.reduceat(numbers, self.start) if len(self) else numbers

    def hand_out(self, amount: Numbers, short: Numbers) -> Numbers:
        """Return how many rows of its value each slot gets; earlier slots are filled first.

        Args:
            amount: available rows of each value; shape (values,).
            short: rows that each slot lacks; shape (slots,).

        >>> Slots.of([(0, 1), (1, 2)]).hand_out(np.array([0, 3, 1]), np.array([1, 2, 2, 0]))
        array([0, 2, 1, 0])
        """
        order = np.argsort(self.value, kind="stable")
        value, room = self.value[order], short[order]
        before = np.cumsum(room) - room
        before -= before[np.searchsorted(value, value)]
        result = np.zeros_like(short)
        result[order] = np.clip(amount[value] - before, 0, room)
        return result
