"""Columns of a constraint network while it is built, of the variables of people or of versions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attacks.joint.arrays import Numbers, segments, starts
from audit.model.arrays import Codes


@dataclass
class NetworkColumns:
    """Columns of some variables: kind, how many rows each takes, as many for all columns of a variable, and these."""

    variable: Numbers
    kind: Codes
    width: Codes
    row: Numbers

    def sorted(self) -> NetworkColumns:
        """Return the same by variable and kind; columns that are alike stay in their order."""
        key = self.variable * (int(self.kind.max(initial=0)) + 1) + self.kind
        if (key[1:] >= key[:-1]).all():
            return self
        order = np.argsort(key, kind="stable")
        return self.some(order)

    def some(self, places: Numbers) -> NetworkColumns:
        """Return some of the columns, in the order of their places."""
        row = self.row[segments(starts(self.width), places)]
        return NetworkColumns(self.variable[places], self.kind[places], self.width[places], row)

    def before(self, others: NetworkColumns) -> NetworkColumns:
        """Return these columns and then those of others."""
        if not (len(self.kind) and len(others.kind)):
            return self if len(self.kind) else others  # most series have columns of one sort, which are many
        return NetworkColumns(
            np.concatenate([self.variable, others.variable]),
            np.concatenate([self.kind, others.kind]),
            np.concatenate([self.width, others.width]),
            np.concatenate([self.row, others.row]),
        )
