"""Compiled twins of the kernels in `attacks.candidates`, for large series.

Imported only where it pays: numba takes a quarter of a second to import and as long to load its first kernel. The
numpy kernels are the oracle of these.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.runtime.compiling import inlined, kernel

Array: TypeAlias = npt.NDArray[Any]
NEVER = np.uint16(2**16 - 1)
_ONE = np.uint64(1)


@kernel
def pool_masks(entry_pool: Array, entry_value: Array, pools: int, words: int) -> tuple[Array, Array]:
    """Return the values of each pool as bits, and whether no value stands in it twice."""
    masks = np.zeros((pools, words), dtype=np.uint64)
    flat = np.ones(pools, dtype=np.bool_)
    for i in range(len(entry_pool)):
        pool, value = entry_pool[i], entry_value[i]
        bit = _ONE << np.uint64(value & 63)
        word = masks[pool, value >> 6]
        if word & bit:
            flat[pool] = False
        masks[pool, value >> 6] = word | bit
    return masks, flat


@kernel
def table_masks(table: Array, words: int) -> tuple[Array, Array]:
    """Return the values of each row of a table of counts as bits, and whether all of them stand equally often."""
    masks = np.zeros((len(table), words), dtype=np.uint64)
    flat = np.ones(len(table), dtype=np.bool_)
    for q in range(len(table)):
        row = table[q]
        top, others = row[0], 0
        for v in range(len(row)):
            top = max(top, row[v])
        for v in range(len(row)):
            others += (row[v] != 0) & (row[v] != top)
        flat[q] = others == 0
        for w in range(words):
            word = np.uint64(0)
            for v in range(w * 64, min(w * 64 + 64, len(row))):
                word |= np.uint64(row[v] != 0) << np.uint64(v & 63)
            masks[q, w] = word
    return masks, flat


@kernel
def tally(person: Array, shift: int, people: int) -> Array:
    """Return how many of some people's codes are in each bucket of 2^`shift` codes; shape (buckets,), int64."""
    count = np.zeros((people >> shift) + 1, dtype=np.int64)
    for i in range(len(person)):
        count[person[i] >> shift] += 1
    return count


@kernel
def gather_masks(  # noqa: PLR0913, PLR0917 - numba takes arrays, not objects
    person: Array, pool: Array, allowed: Array, flat: Array, shift: int, start: Array, near: Array, masks: Array
) -> None:
    """Put each row's person and what its pool leaves in the order of buckets; who is in a skewed pool is negated.

    `start` says where the next row of each bucket goes, and is moved on.
    """
    for i in range(len(person)):
        p, q = person[i], pool[i]
        place = start[p >> shift]
        start[p >> shift] = place + 1
        near[place] = p if flat[q] else ~p
        for w in range(masks.shape[1]):
            masks[place, w] = allowed[q, w]


@inlined
def _further_words(masks: Array, allowed: Array, p: int, i: int, before: np.uint64, after: np.uint64, was: bool) -> Any:  # noqa: ANN401 - inlined
    """Fold a person's words after the first one; `before`, `after` and `was` are as `fold` knows them of the first.

    Return the same of all words, and whether one candidate is left, or none.
    """
    single = after & (after - _ONE) == 0
    for w in range(1, masks.shape[1]):
        old = masks[p, w]
        word = old & allowed[i, w]
        masks[p, w] = word
        was &= (old == 0 or before == 0) and old & (old - _ONE) == 0
        single &= (word == 0 or after == 0) and word & (word - _ONE) == 0
        before |= old
        after |= word
    return before, after, was, single


@kernel
def fold(  # noqa: PLR0913, PLR0917 - numba takes arrays, not objects, and calls cost more than what they do
    masks: Array,
    versions: Array,
    certain_at: Array,
    empty_at: Array,
    skewed: Array,
    near: Array,
    allowed: Array,
    release: int,
) -> tuple[np.int64, np.int64]:
    """Take one more release into account; return by how much the vulnerable people and the disclosed versions grow.

    Rows are as `gather_masks` leaves them. Threads may share them, for people are distinct.
    """
    people, disclosed = np.int64(0), np.int64(0)
    words = masks.shape[1]
    for i in range(len(near)):
        p = near[i]
        if p < 0:
            p = ~p
            skewed[p] = True
        versions[p] += np.uint16(1)
        # What was known of the person stands in the mask: other arrays would be further trips to memory.
        before = masks[p, 0]
        after = before & allowed[i, 0]
        masks[p, 0] = after
        was = before & (before - _ONE) == 0
        if words > 1:
            before, after, was, single = _further_words(masks, allowed, p, i, before, after, was)
            if not single:
                continue
        elif after & (after - _ONE):  # asked apart, for this takes a third less time
            continue
        was &= before != 0
        if after:
            if was:
                disclosed += 1
            else:
                certain_at[p] = release
                people += 1
                disclosed += np.int64(versions[p])
        elif before:
            empty_at[p] = release
            if was:
                people -= 1
                disclosed -= np.int64(versions[p]) - 1
    return people, disclosed
