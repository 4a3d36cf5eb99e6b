"""`mondrian`: make each release k-anonymous by itself, by Mondrian; a baseline that attacks break.

Source: monotonic paper, Section 1, Method 2 (anonymizations of the current table are published, rows linked by ids).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonymizers.partition import KClasses, partition
from audit.model.anonymizer import Bounds, Draft, Promise, PublicationHistory, Snapshot


@dataclass(frozen=True)
class MondrianAnonymizer(KClasses):
    """Publish every snapshot in groups of at least k people that cannot be divided further."""

    name: ClassVar[str] = "mondrian"

    @property
    def promise(self) -> Promise:
        """k-anonymity of each release."""
        return Promise("k-anonymity", {"k": self.k})

    def publish(self, snapshot: Snapshot, _so_far: PublicationHistory, _rng: np.random.Generator, /) -> Draft:
        """Return the snapshot in groups, independent of earlier releases.

        Raises:
            RefusalError: there are fewer than k rows.
        """
        rows = self.rows(snapshot)
        parts = partition(snapshot.point, snapshot.scales, self.k)
        return Draft(rows, parts.region, snapshot.value, Bounds(parts.low, parts.high))
