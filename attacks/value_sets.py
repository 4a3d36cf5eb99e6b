"""Sets of values as bits, 64 a word: bit v % 64 of word v // 64 says whether value v is in the set.

All functions take several sets, of shape (sets, words).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes, Flags, Words
from audit.model.evidence import CandidatePools, Table, ValueCounts

_DENSE_CELLS = 1 << 26
_AT_A_TIME = 1 << 14


def sizes_of(sets: Words) -> npt.NDArray[np.integer]:
    """Return how many values each set has; shape (sets,)."""
    size: npt.NDArray[np.integer] = np.bitwise_count(sets[:, 0])
    for word in range(1, sets.shape[1]):
        size = size + np.bitwise_count(sets[:, word]).astype(np.int32)
    return size


def first_values(sets: Words) -> Codes:
    """Return the first value of each set, -1 where it is empty; shape (sets,), int32."""
    word = np.argmax(sets != 0, axis=1)
    lowest = sets[np.arange(len(sets)), word]
    bit = np.bitwise_count((lowest & (~lowest + np.uint64(1))) - np.uint64(1))
    return np.where(lowest != 0, word * 64 + bit, -1).astype(np.int32)


def listed(masks: Words) -> tuple[npt.NDArray[np.intp], Codes]:
    """Return the values whose bits are set as pairs of a row of masks and a value, in order."""
    places, values = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.int32)]
    width = masks.shape[1] * 64
    for first in range(0, len(masks), _AT_A_TIME):
        octets = np.ascontiguousarray(masks[first : first + _AT_A_TIME]).view(np.uint8)
        place, value = divmod(np.flatnonzero(np.unpackbits(octets, bitorder="little").view(np.bool_)), width)
        places.append(place + first)
        values.append(value.astype(np.int32))
    return np.concatenate(places), np.concatenate(values)


def common_values(masks: Words, parts: Codes | None) -> Codes:
    """Return the value of each attribute that all members of a set share; shape (sets, attributes), int32, else -1.

    Args:
        masks: the sets, as bits; shape (sets, words).
        parts: the value of each attribute in each combination, shape (combinations, attributes); None for plain values,
            which are one attribute: a set shares a value if it has only one.
    """
    if parts is None:
        return np.where(sizes_of(masks) == 1, first_values(masks), np.int32(-1))[:, np.newaxis]
    found = np.full((len(masks), parts.shape[1]), -1, dtype=np.int32)
    first = first_values(masks)
    rows = np.flatnonzero(first >= 0)
    for attribute in range(parts.shape[1]):
        value = parts[:, attribute]
        others = np.zeros((int(value.max(initial=-1)) + 1, masks.shape[1] * 64), dtype=np.bool_)
        others[:, : len(value)] = np.arange(len(others))[:, None] != value
        beside = np.packbits(others, axis=1, bitorder="little").view(np.uint64)
        own = value[first[rows]]
        shared = ~(masks[rows] & beside[own]).any(axis=1)
        found[rows[shared], attribute] = own[shared]
    return found


def pool_masks(pools: CandidatePools, words: int) -> tuple[Words, Flags]:
    """Return the values of each pool as bits, shape (pools, words), and whether each pool holds them equally often."""
    if not isinstance(pools.contents, ValueCounts):
        return _table_masks(pools.contents, words)
    n = pools.n_pools
    bag, _, rows = pools.contents
    masks = value_masks(pools.contents, n, words)
    entries = np.bincount(bag, minlength=n)
    distinct = np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
    flat = entries == distinct
    if rows is not None:
        # Equal counts are those for which the Cauchy-Schwarz inequality is an equality.
        count = rows.astype(np.float64)
        total = np.bincount(bag, count, n)
        flat &= np.bincount(bag, count * count, n) * entries == total * total
    return masks, flat


def value_masks(contents: ValueCounts, bags: int, words: int) -> Words:
    """Return the values of each bag as bits; shape (bags, words)."""
    if bags * words * 64 > _DENSE_CELLS:  # it takes seven times longer than a table, which would be large
        masks = np.zeros(bags * words, dtype=np.uint64)
        place, bit = contents.bag.astype(np.int64) * words + contents.value // 64, contents.value % 64
        np.bitwise_or.at(masks, place, np.uint64(1) << bit.astype(np.uint64))
        return masks.reshape(-1, words)
    cells = np.zeros((bags, words * 64), dtype=np.uint8)
    cells.ravel()[contents.bag.astype(np.int64) * (words * 64) + contents.value] = 1
    return np.packbits(cells, axis=1, bitorder="little").view(np.uint64)


def _table_masks(table: Table, words: int) -> tuple[Words, Flags]:
    """Return the result of `pool_masks` for pools that are given as a table of rows by value."""
    held = table != 0
    masks = np.zeros((len(table), words * 8), dtype=np.uint8)
    packed = np.packbits(held, axis=1, bitorder="little")
    masks[:, : packed.shape[1]] = packed
    flat = (~held | (table == table.max(axis=1, keepdims=True, initial=0))).all(axis=1)
    return masks.view(np.uint64), flat
