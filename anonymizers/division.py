"""Division: put people who were published before into the bucket of their signature, and choose the new people.

Source: Xiao and Tao, *m-invariance* (SIGMOD 2007), Section 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonymizers.balancing import Signature, Slots, eligible, keep
from audit.model.anonymizer import RefusalError, Snapshot
from audit.model.arrays import Codes, Numbers, numbered
from audit.runtime.phrases import say, say_count


def divide(
    snapshot: Snapshot, signatures: Sequence[Signature], signature: Codes, back: Numbers, m: int
) -> tuple[Slots, Numbers, Numbers]:
    """Return the slots of the buckets of known people, the slot of each person, and the signature of each bucket.

    Args:
        snapshot: the microdata.
        signatures: all signatures.
        signature: the number of the signature of each row of the snapshot, -1 for new people; shape (rows,).
        back: the rows of people who were published before.
        m: the least number of values of a signature.

    Raises:
        RefusalError: a signature has fewer than m values, or lacks the person's.
    """
    needed = np.flatnonzero(np.bincount(signature[back], minlength=len(signatures)))
    slots = Slots.of([signatures[number] for number in needed.tolist()])
    bucket = numbered(needed, len(signatures))[signature[back]].astype(np.int64)
    small = slots.width()[bucket] < m
    if small.any():
        raise RefusalError(
            say(
                "{count} people were last published in groups with fewer than {m} sensitive values",
                count=int(small.sum()),
                m=m,
            ),
            say("choose an m that the series has kept so far, or begin a new series"),
            rows=back[small].astype(np.int32),
        )
    slot = slots.find(bucket, snapshot.value[back])
    if (slot < 0).any():
        raise misplaced(back[slot < 0])
    return slots, slot, needed


def misplaced(rows: Numbers) -> RefusalError:
    """Return the refusal of people whose last groups, by the keys, do not contain their values."""
    return RefusalError(
        say("{count} people were last published in groups without their sensitive value", count=len(rows)),
        say("correct the key of the last release that has them, or begin a new series"),
        rows=rows,
        column="sensitive",
    )


def newcomers(snapshot: Snapshot, signature: Codes, m: int, rng: np.random.Generator, *, withhold: bool) -> Numbers:
    """Return the rows of new people who are published, sorted by value, then in random order.

    Args:
        snapshot: the microdata.
        signature: the number of the signature of each row of the snapshot, -1 for new people; shape (rows,).
        m: the parameter of m-invariance.
        rng: draws the order.
        withhold: whether to withhold as few of them as possible if a value is too frequent.

    Raises:
        RefusalError: a value has more than 1/m of them, and `withhold` is not set.
    """
    drawn = rng.permutation(np.flatnonzero(signature < 0))
    value = snapshot.value[drawn]
    counts = np.bincount(value)
    kept = keep(counts, m)
    if not eligible(counts, m) and not withhold:
        above = np.flatnonzero(counts * m > counts.sum())
        names = ", ".join(snapshot.values[code] for code in above.tolist())
        raise RefusalError(
            say_count(
                "more than 1/{m} of the {people} people never published before share a sensitive value ({values}); at "
                "least {count} [row|rows] must wait",
                int((counts - kept).sum()),
                m=m,
                people=int(counts.sum()),
                values=names,
            ),
            say("let the fewest wait with --withhold, choose a smaller m, or publish later, with more people"),
            rows=np.sort(drawn[np.isin(value, above)]).astype(np.int32),
            column="sensitive",
        )
    order = np.argsort(value, kind="stable")
    before = np.cumsum(counts) - counts
    ordered = value[order]
    return drawn[order[np.arange(len(order)) - before[ordered] < kept[ordered]]]
