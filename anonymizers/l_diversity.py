"""`l-diversity`: make each release l-diverse by itself, by Mondrian; a baseline that attacks break.

Source: m-invariance paper, Section 1 (conventional anonymization of each release); partition after LeFevre et al.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonymizers.partition import partition
from audit.model.anonymizer import Bounds, Draft, Form, Promise, PublicationHistory, RefusalError, Snapshot
from audit.model.options import option
from audit.runtime.phrases import say, say_count


@dataclass(frozen=True)
class LDiversityAnonymizer:
    """Publish every snapshot in groups in which no value, except harmless ones, has more than 1/l of the rows.

    Attributes:
        l: no value, except harmless ones, may have more than 1/l of a group's rows; at least 2.
    """

    l: int = option(help="the promise: a value has at most 1/l of a group", least=2)  # noqa: E741 - the literature's name, and the option's
    name: ClassVar[str] = "l-diversity"
    forms: ClassVar[tuple[Form, ...]] = ("generalization", "anatomy")
    links_records: ClassVar[bool] = False
    follows_updates: ClassVar[bool] = False

    @property
    def promise(self) -> Promise:
        """l-diversity of each release."""
        return Promise("l-diversity", {"l": self.l})

    def publish(self, snapshot: Snapshot, _so_far: PublicationHistory, _rng: np.random.Generator, /) -> Draft:
        """Return the snapshot in groups, independent of earlier releases.

        Raises:
            RefusalError: the snapshot has no rows, or a value has more than 1/l of them.
        """
        rows = np.arange(len(snapshot), dtype=np.int32)
        if not len(rows):
            raise RefusalError(say("the snapshot has no rows"), say("leave it out"))
        harmless = np.isin(snapshot.value, list(snapshot.harmless))
        frequent = np.bincount(snapshot.value[~harmless], minlength=len(snapshot.values)) * self.l > len(rows)
        if frequent.any():
            what = say_count(
                "{count} sensitive [value is|values are] in more than 1/{l} of the snapshot's rows",
                int(np.count_nonzero(frequent)),
                l=self.l,
            )
            who = np.flatnonzero(frequent[snapshot.value]).astype(np.int32)
            remedy = say("ask for a smaller l, or declare what is harmless")
            raise RefusalError(what, remedy, rows=who, column="sensitive")
        # An l-diverse group has at least l rows: requiring them saves counting values of smaller parts.
        value = np.where(harmless, len(snapshot.values) + rows, snapshot.value)  # each harmless row as if alone
        parts = partition(snapshot.point, snapshot.scales, self.l, value=value, l=self.l)
        return Draft(rows, parts.region, snapshot.value, Bounds(parts.low, parts.high))
