"""k classes: the common part of methods that publish classes of at least k people as generalized cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from audit.model.anonymizer import Form, RefusalError, Snapshot
from audit.model.arrays import Codes
from audit.model.options import option
from audit.runtime.phrases import say


@dataclass(frozen=True)
class KClasses:
    """The parameter k of a method, and its form.

    Attributes:
        k: the least number of people in a class; at least 2.
    """

    k: int = option(help="the promise: number of people in a class", least=2)
    forms: ClassVar[tuple[Form, ...]] = ("generalization",)
    links_records: ClassVar[bool] = True
    follows_updates: ClassVar[bool] = False

    def rows(self, snapshot: Snapshot) -> Codes:
        """Return the places of all rows, ascending.

        Raises:
            RefusalError: there are fewer than k rows.
        """
        rows = np.arange(len(snapshot), dtype=np.int32)
        if len(rows) < self.k:
            what = say("the snapshot has {count} rows, fewer than k = {k}", count=len(rows), k=self.k)
            raise RefusalError(what, say("ask for a smaller k, or wait for more rows"), rows=rows)
        return rows
