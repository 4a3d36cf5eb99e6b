"""Linked records: records with the same first release that look alike, if ids show which rows belong together.

With record ids, the rows of a record are known. The rows that can belong to a person with a known first release are the
rows of the records with that first release whose cells all cover the person. These include the records that look
exactly alike. If there are always at least k such records, and they have several values, then every person has enough
possible rows.
"""

from __future__ import annotations

import numpy as np

from attacks.descriptions import RecordDescriptions, equal_rows
from audit.model.arrays import Codes, Flags
from audit.model.evidence import Evidence, PublishedRows


def may_leave_too_few(evidence: Evidence, releases: list[PublishedRows], k: int) -> bool:
    """Return whether records with one first release that look alike are ever fewer than k, or have only one value.

    Only groups count that may contain people of whose presence the adversary does not know.

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
        of_record = equal_rows([first + 1, *known.cells])[1]  # A person who is not there yet is not judged.
        size = np.bincount(of_record)
        held = np.bincount(of_record[judged], minlength=len(size)) > 0
        if (size[held] < k).any():
            return True
        # If values never change, earlier releases add nothing.
        for before in range(release + 1) if evidence.transitions is not None else [release]:
            if _has_one_value(of_record[records.rows(before).record], releases[before].value, held):
                return True
    return False


def _has_one_value(classes: Codes, value: Codes | None, held: Flags) -> bool:
    """Return whether one of some classes has rows of only one value."""
    if value is None:
        return True
    pairs = np.unique(np.stack([classes, value]), axis=1)[0]
    return bool((np.bincount(pairs, minlength=len(held))[held] == 1).any())
