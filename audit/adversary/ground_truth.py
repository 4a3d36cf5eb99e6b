"""Truth: the publisher's knowledge of who has which value. Attacks never see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from audit.adversary.known_groups import KnownGroupsSource
from audit.adversary.partition import PartSource
from audit.adversary.sealed_sources import unsealed
from audit.model.arrays import Codes
from audit.model.evidence import Evidence


@dataclass(frozen=True)
class GroundTruth:
    """The publisher's knowledge of who has which value; read only where results are scored."""

    source: KnownGroupsSource | PartSource

    def of_versions(self, release: int) -> Codes | None:
        """Return the true values of the people of a release's pools, -1 where unknown; None without a key."""
        return self.source.truth(release)

    def of_people(self) -> Codes | None:
        """Return everybody's true value by person code, -1 where unknown, for values that never change."""
        return self.source.constant_truth()[0]

    def changed(self) -> npt.NDArray[np.bool_]:
        """Return by person code whose value is another one later on, though values never change."""
        return self.source.constant_truth()[1]


def truth_of(evidence: Evidence) -> GroundTruth:
    """Return the truth behind evidence that `gather` made, or behind a part of it.

    Raises:
        TypeError: the evidence was made by something else.
    """
    source = unsealed(evidence.source)
    if not isinstance(source, KnownGroupsSource | PartSource):
        raise TypeError("this evidence does not come from a series")
    return GroundTruth(source)
