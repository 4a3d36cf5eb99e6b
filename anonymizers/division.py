"""Division: who was published before goes back to the bucket of the same signature; who is new joins when it may.

Source: Xiao and Tao, *m-invariance* (SIGMOD 2007), Section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonymizers.balancing import Signature, eligible, keep
from anonymizers.signatures import Slots
from audit.model.anonymizer import Bounds, RefusalError, Snapshot
from audit.model.arrays import Codes, Numbers
from audit.model.history import PublicationHistory


def check_values(snapshot: Snapshot, so_far: PublicationHistory) -> None:
    """Refuse values that are not what they were when last published.

    Raises:
        RefusalError: somebody's is.
    """
    last = so_far.values_of(snapshot.person)
    changed = np.flatnonzero((last >= 0) & (last != snapshot.value))
    if len(changed):
        raise RefusalError(
            f"changed value: {len(changed):,} people have another sensitive value than when last published",
            "m-invariance is for values that never change and m-distinct for those that do; else correct them",
            rows=changed.astype(np.int32),
            column="sensitive",
        )


def divide(
    snapshot: Snapshot, signatures: Sequence[Signature], signature: Codes, back: Numbers, m: int
) -> tuple[Slots, Numbers, Numbers]:
    """Return the slots of the buckets of those who are back, the slot of each, and each bucket's signature by number.

    Args:
        snapshot: the microdata.
        signatures: all that there are.
        signature: of each row of the snapshot, by number; shape (rows,).
        back: the rows of those who are back.
        m: how many values a signature has at least.

    Raises:
        RefusalError: a signature has fewer than m values, or lacks the person's.
    """
    needed = np.flatnonzero(np.bincount(signature[back], minlength=len(signatures)))
    slots = Slots.of([signatures[number] for number in needed.tolist()])
    place = np.zeros(len(signatures), dtype=np.int64)
    place[needed] = np.arange(len(needed))
    bucket = place[signature[back]]
    small = slots.width()[bucket] < m
    if small.any():
        raise RefusalError(
            f"{small.sum():,} people were last published in groups with fewer than {m} sensitive values",
            "choose an m that the series has kept so far, or begin a new series",
            rows=back[small].astype(np.int32),
        )
    slot = slots.find(bucket, snapshot.value[back])
    if (slot < 0).any():
        raise misplaced(back[slot < 0])
    return slots, slot, needed


def misplaced(rows: Numbers) -> RefusalError:
    """Return the refusal of people whose last groups had not their values, as the keys tell them."""
    return RefusalError(
        f"{len(rows):,} people were last published in groups without their sensitive value",
        "correct the key of the last release that has them, or begin a new series",
        rows=rows,
        column="sensitive",
    )


def newcomers(snapshot: Snapshot, drawn: Numbers, m: int, *, withhold: bool) -> Numbers:
    """Return the new people that are published, in the order of their values, and the order drawn within.

    Raises:
        RefusalError: some value is in more than 1/m of them, and nobody is to wait.
    """
    value = snapshot.value[drawn]
    counts = np.bincount(value)
    kept = keep(counts, m)
    if not eligible(counts, m) and not withhold:
        above = np.flatnonzero(counts * m > counts.sum())
        names = ", ".join(snapshot.values[code] for code in above.tolist())
        raise RefusalError(
            f"more than 1/{m} of the {counts.sum():,} people never published before share a sensitive "
            f"value ({names}); at least {(counts - kept).sum():,} rows must wait",
            "let the fewest wait with --withhold, choose a smaller m, or publish later, with more people",
            rows=np.sort(drawn[np.isin(value, above)]).astype(np.int32),
            column="sensitive",
        )
    order = np.argsort(value, kind="stable")
    before = np.cumsum(counts) - counts
    ordered = value[order]
    return drawn[order[np.arange(len(order)) - before[ordered] < kept[ordered]]]


def bounds(point: Codes, group: Numbers, groups: int) -> Bounds:
    """Return the least and the greatest quasi-identifiers of groups, each of which has somebody."""
    low = np.full((groups, point.shape[1]), np.iinfo(np.int32).max, dtype=np.int32)
    high = np.full_like(low, -1)
    for column in range(point.shape[1]):
        np.minimum.at(low[:, column], group, point[:, column])
        np.maximum.at(high[:, column], group, point[:, column])
    return Bounds(low, high)
