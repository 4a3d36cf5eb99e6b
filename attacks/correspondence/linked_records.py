"""Records that came with one release and look alike, where ids say which rows are whose.

With record ids, no one needs to reason about which row is which. The rows that can belong to a person who came with a
release are the rows of the records that came with it, if every cell of the record covers the person. They are at least
the records that look just alike; where these are k and have several values, after every release, too few rows are left
to no one.
"""

from __future__ import annotations

import numpy as np

from attacks.descriptions import RecordDescriptions, equal_rows
from audit.model.arrays import Codes, Flags
from audit.model.evidence import Evidence, PublishedRows


def may_leave_too_few(evidence: Evidence, releases: list[PublishedRows], k: int) -> bool:
    """Return whether records that came with one release and look alike are ever fewer than k, or have one value alone.

    Those alone count of which some may be of people that the adversary does not know to be there.

    Raises:
        InputError: the cells of a record have nothing in common.
    """
    records = evidence.records
    if records is None:
        return False
    known = RecordDescriptions(records, len(releases))
    first, judged = np.full(len(known.seen), -1, dtype=np.int32), np.zeros(len(known.seen), dtype=np.bool_)
    for release in range(len(releases)):
        rows = records.rows(release)
        first[rows.record[~known.seen[rows.record]]] = release
        known.add(rows, release)
        judged[rows.record if rows.judged is None else rows.record[rows.judged]] = True
        of_record = equal_rows([first + 1, *known.cells])[1]  # Nobody judges a person who is not there yet.
        size = np.bincount(of_record)
        held = np.bincount(of_record[judged], minlength=len(size)) > 0
        if (size[held] < k).any():
            return True
        # Where values never change, those of earlier releases say nothing more.
        for before in range(release + 1) if evidence.transitions is not None else [release]:
            if _has_one_value(of_record[records.rows(before).record], releases[before].value, held):
                return True
    return False


def _has_one_value(classes: Codes, value: Codes | None, held: Flags) -> bool:
    """Return whether one of some classes has rows of one value alone."""
    if value is None:
        return True
    pairs = np.unique(np.stack([classes, value]), axis=1)[0]
    return bool((np.bincount(pairs, minlength=len(held))[held] == 1).any())
