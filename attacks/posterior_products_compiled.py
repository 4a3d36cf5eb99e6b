"""Compiled kernels of risks: the products of everybody's candidates, one person's after the other's.

A person's candidates are the bits of the person's mask, in order; `first` says where the person's products begin, by
code from `low` on, `NOWHERE` for people without. Kernels that share rows write only to the products of their rows'
people. The oracle is `attacks.posterior._Products`. Nothing that is called person by person is given arrays: each
call would count their users.
"""

from __future__ import annotations

import math

import numpy as np

from audit.model.arrays import Array
from audit.runtime.compiling import kernel

NOWHERE = np.uint32(0xFFFF_FFFF)
BELOW_ONE = np.nextafter(1.0, 0.0)
_ONE = np.uint64(1)
_TWOS = np.uint64(0x3333_3333_3333_3333)
_DE_BRUIJN = np.uint64(0x03F7_9D71_B4CB_0A89)
_PLACE = np.zeros(64, dtype=np.int64)
for _bit in range(64):
    _PLACE[((int(_DE_BRUIJN) << _bit) & 0xFFFF_FFFF_FFFF_FFFF) >> 58] = _bit


@kernel
def _ones(word: np.uint64) -> np.int64:
    """Return how many bits of a word are set."""
    word -= (word >> _ONE) & np.uint64(0x5555_5555_5555_5555)
    word = (word & _TWOS) + ((word >> np.uint64(2)) & _TWOS)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F_0F0F_0F0F_0F0F)
    return np.int64((word * np.uint64(0x0101_0101_0101_0101)) >> np.uint64(56))


@kernel
def even(masks: Array, versions: Array, skewed: Array, wanted: Array, risk: Array) -> int:
    """Write the risk of everybody seen, in order of codes, as if all pools were even.

    It is NaN without candidates, and where the value in `wanted`, by code, is none of them; `wanted` may be empty, and
    ask for the likeliest by -1. Returns how many people are uneven.
    """
    place, people = 0, 0
    for p in range(len(versions)):
        if versions[p] == 0:
            continue
        size = 0
        for w in range(masks.shape[1]):
            size += _ones(masks[p, w])
        told = 1.0 / size if size else np.nan
        if len(wanted) and wanted[p] >= 0:
            v = wanted[p]
            if not masks[p, v >> 6] >> np.uint64(v & 63) & _ONE:
                told = np.nan
        risk[place] = told
        place += 1
        if skewed[p] and size > 1 and not math.isnan(told):
            people += 1
    return people


@kernel
def reserve(
    masks: Array, versions: Array, skewed: Array, risk: Array, start: tuple[int, int], most: int, first: Array
) -> tuple[int, int]:
    """Give the uneven people from a code on their places, until another one's would be more than `most`.

    `start` is the code, and where the risks of the people from it on begin in `risk`. Returns the code after the last
    person's, and how many places were given.
    """
    low, place = start
    slots = 0
    for p in range(low, len(masks)):
        first[p - low] = NOWHERE
        if versions[p] == 0:
            continue
        told = risk[place]
        place += 1
        size = 0
        if skewed[p] and not math.isnan(told):
            for w in range(masks.shape[1]):
                size += _ones(masks[p, w])
        if size > 1:
            if slots and slots + size > most:
                return p, slots
            first[p - low] = slots
            slots += size
    return len(masks), slots


@kernel
def scale(masks: Array, low: int, first: Array, weight: Array) -> None:
    """Bring every person's largest product down to about one, by a power of two."""
    for p in range(low, low + len(first)):
        if first[p - low] != NOWHERE:
            start = np.int64(first[p - low])
            stop = start
            for w in range(masks.shape[1]):
                stop += _ones(masks[p, w])
            _, exponent = math.frexp(weight[start:stop].max())
            for slot in range(start, stop):
                weight[slot] = math.ldexp(weight[slot], -exponent)


@kernel
def weigh(
    masks: Array, versions: Array, wanted: Array, start: tuple[int, int], first: Array, weight: Array, risk: Array
) -> int:
    """Write the risks of the uneven people of `first`: a product over the sum; return where the next people's begin.

    It is the product of the value in `wanted`, by code, or the largest. `start` is as in `reserve`.
    """
    low, place = start
    for p in range(low, low + len(first)):
        if versions[p] == 0:
            continue
        here = place
        place += 1
        if first[p - low] == NOWHERE:
            continue
        slot = np.int64(first[p - low])
        asked = wanted[p] if len(wanted) else -1
        best, total = 0.0, 0.0
        for w in range(masks.shape[1]):
            word = masks[p, w]
            while word:
                lowest = word & (~word + _ONE)
                value = w * 64 + _PLACE[(lowest * _DE_BRUIJN) >> np.uint64(58)]
                total += weight[slot]
                if value == asked or (asked < 0 and weight[slot] > best):
                    best = weight[slot]
                slot += 1
                word ^= lowest
        risk[here] = min(best / total, BELOW_ONE)
    return place


@kernel
def multiply(
    person: Array,
    pool: Array,
    masks: Array,
    first: Array,
    weight: Array,
    table: Array,
    span: tuple[int, int, int, int],
) -> None:
    """Multiply the products of the rows' people by the rows of each candidate in the person's pool.

    `span` bounds the people of `first`, and the pools of `table`; other rows are left out.
    """
    low, high, low_pool, high_pool = span
    for i in range(len(person)):
        p, q = person[i], pool[i]
        if p < low or p >= high or q < low_pool or q >= high_pool:
            continue
        slot = np.int64(first[p - low])
        if slot == NOWHERE:
            continue
        counts = table[q - low_pool]
        for w in range(masks.shape[1]):
            word = masks[p, w]
            while word:
                lowest = word & (~word + _ONE)
                weight[slot] *= counts[w * 64 + _PLACE[(lowest * _DE_BRUIJN) >> np.uint64(58)]]
                slot += 1
                word ^= lowest


@kernel
def count_table(bag: Array, value: Array, table: Array, low_pool: int) -> bool:
    """Count the values of the pools from a number on into a table of zeros; return whether its type sufficed."""
    high, most = low_pool + len(table), np.iinfo(table.dtype).max
    for i in range(len(bag)):
        q = bag[i]
        if low_pool <= q < high:
            count = table[q - low_pool, value[i]]
            if count == most:
                return False
            table[q - low_pool, value[i]] = count + 1
    return True


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
