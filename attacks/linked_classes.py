"""Classes of records that look alike over the releases: how many of them give a sensitive value away.

Who follows published record ids knows what each record's cells have in common (`descriptions`), and reads the record's
value in each of its rows. Whoever fits a description has one of its records' values. Values that change, and releases
whose values stand beside no row, are not judged here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attacks.descriptions import RecordDescriptions, equal_rows
from audit.model.evidence import Codes, Evidence

_BELOW = 1e-12


def linked_classes(evidence: Evidence, limit: float) -> int | None:
    """Return how many classes of records have a value whose share reaches the limit, after the worst release.

    None where they are not judged.

    Raises:
        InputError: the cells of a record have nothing in common.
    """
    records, source = evidence.records, evidence.rows_of
    if records is None or source is None or evidence.transitions is not None:
        return None
    if not records.attributes:
        return 0
    known, worst = RecordDescriptions(records), 0
    value: Codes = np.zeros(0, dtype=np.int32)
    real = np.zeros(0, dtype=np.bool_)
    for release in range(len(evidence.tags)):
        rows, values = records.rows(release), source.rows(release).value
        if values is None:
            return None
        place = known.add(rows, release)
        more = len(known.record) - len(value)
        value, real = np.append(value, np.zeros(more, dtype=np.int32)), np.append(real, np.zeros(more, dtype=np.bool_))
        value[place] = values
        real[place if rows.real is None else place[rows.real]] = True
        worst = max(worst, _given_away(equal_rows(known.cells)[1], value, real, limit))
    return worst


def _given_away(classes: Codes, value: Codes, real: npt.NDArray[np.bool_], limit: float) -> int:
    """Return how many classes of records, some of which are people's, have a value with so large a share."""
    pairs, rows = np.unique(np.stack([classes, value]), axis=1, return_counts=True)
    size = np.bincount(classes)
    most = np.zeros(len(size), dtype=np.int64)
    np.maximum.at(most, pairs[0], rows)
    held = np.bincount(classes[real], minlength=len(size)) > 0
    reached = (most == size) | (most / size >= limit - (_BELOW if limit < 1 else 0))
    return int(np.count_nonzero(held & reached))
