"""Compiled twins of the kernels in `attacks.candidates`, for large series, and those that put rows in order of people.

Imported only where it pays: numba takes a quarter of a second to import and as long to load its first kernel. The
numpy kernels are the oracle of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.model.arrays import Array
from audit.runtime.compiling import inlined, kernel

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
def gather(person: Array, pool: Array, shift: int, start: Array, near: Array, pools: Array) -> None:
    """Put each row's person and pool in the order of buckets of people.

    `start` says where the next row of each bucket goes, and is moved on.
    """
    for i in range(len(person)):
        place = start[person[i] >> shift]
        start[person[i] >> shift] = place + 1
        near[place], pools[place] = person[i], pool[i]


@inlined
def _further_words(masks: Array, allowed: Array, p: int, q: int, changed: bool, some: bool, few: bool) -> Any:  # noqa: ANN401 - inlined
    """Fold a person's words after the first one.

    Takes of the first word, and returns of all: whether the candidates changed, whether there are some, and whether
    there is one at most.
    """
    for w in range(1, masks.shape[1]):
        before = masks[p, w]
        after = before & allowed[q, w]
        masks[p, w] = after
        changed |= after != before
        few &= after == 0 or (not some and after & (after - _ONE) == 0)
        some |= after != 0
    return changed, some, few


@kernel
def fold(  # noqa: PLR0913, PLR0917 - numba takes arrays, not objects, and calls cost more than what they do
    masks: Array,
    versions: Array,
    certain_at: Array,
    empty_at: Array,
    skewed: Array,
    person: Array,
    pool: Array,
    allowed: Array,
    flat: Array,
    release: int,
) -> tuple[np.int64, np.int64]:
    """Take one more release into account; return by how much the vulnerable people and the disclosed versions grow.

    `allowed` and `flat` are of pools, as `pool_masks` returns them. Threads may share rows, for people are distinct.
    """
    people, disclosed = np.int64(0), np.int64(0)
    words = masks.shape[1]
    for i in range(len(person)):
        p, q = person[i], pool[i]
        if not flat[q]:
            skewed[p] = True
        versions[p] += np.uint16(1)
        before = masks[p, 0]
        after = before & allowed[q, 0]
        masks[p, 0] = after
        changed, some, few = after != before, after != 0, after & (after - _ONE) == 0
        if words > 1:
            changed, some, few = _further_words(masks, allowed, p, q, changed, some, few)
        if not few:
            continue
        if not changed:
            disclosed += np.int64(some)
        elif some:
            certain_at[p] = release
            people += 1
            disclosed += np.int64(versions[p])
        else:
            empty_at[p] = release
            if certain_at[p] != NEVER:
                people -= 1
                disclosed -= np.int64(versions[p]) - 1
    return people, disclosed
