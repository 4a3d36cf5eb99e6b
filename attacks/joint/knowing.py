"""What is left of any one version, as it was decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attacks.joint.deciding import Decision
from attacks.joint.network import Words
from attacks.joint.parts import possible_values


@dataclass(frozen=True)
class Knowledge:
    """Tells of single versions what is possible; each answer takes a look at the whole release."""

    decision: Decision

    def possible(self, person: int, release: int) -> Sequence[int]:
        """Return the values that are not proved impossible; none where the person is not in the release."""
        return self._values(self.decision.possible, person, release)

    def open(self, person: int, release: int) -> Sequence[int]:
        """Return those of them that no world was found for; where one value is left, every world has it."""
        one = len(self.possible(person, release)) == 1
        return () if one else self._values(self.decision.possible & ~self.decision.shown, person, release)

    def _values(self, words: Words, person: int, release: int) -> Sequence[int]:
        versions = self.decision.network.versions
        row = np.flatnonzero(versions.person[versions.release == release] == person)
        if not len(row):
            return ()
        found: list[int] = np.flatnonzero(possible_values(self.decision.network, words, release)[row[0]]).tolist()
        return found
