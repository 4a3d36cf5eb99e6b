"""Compiled twins of the kernels that form all sets of people and match them, for many sets.

The sums are scattered into buckets by their bits, some thousand in each, and matched in a hash table for each bucket.
Only so many buckets are held at a time as fit into memory; the sets are formed anew for the next ones, which costs less
than keeping them.

A set is packed into a word: its group, then the position of each of its places within the group, counted from 1, in
`bits` bits each, 0 after the last one. `shape` is e, `bits`, and how far on from a place the next one of a set begins:
0 where it may be the same, else 1.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from attacks.equivalence.subsets_plain import MatchingTask, Pairs, SetPlaces, Sets
from audit.model.arrays import Array, Counts
from audit.runtime.budget import Budget
from audit.runtime.compiling import kernel
from audit.runtime.engine import same

# A bucket and its table fit into a core's cache, and not more buckets are written to at a time than it can follow.
_PER_BUCKET = 32768
_PER_CALL = 100_000_000
_ODD = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_NO_SET = np.uint64(2**64 - 1)


def search(places: SetPlaces, task: MatchingTask, held: int, budget: Budget) -> Pairs:
    """Return pairs of sets with equal sums and no one in common that have all wanted columns of all such pairs.

    Args:
        places: who can take part.
        task: which sets to match.
        held: how many sets are in memory at a time, at 16 bytes each.
        budget: how long it may take.
    """
    buckets = 1 << max(1, (task.sets // _PER_BUCKET).bit_length())
    shift = np.uint64(65 - buckets.bit_length())
    nothing = np.zeros((0, 2), dtype=np.uint64)
    calls = np.array_split(task.groups, task.sets // _PER_CALL + 1)
    size = np.zeros(buckets, dtype=np.int64)
    done = _walked(places, task, calls, budget, ((0, buckets, shift), size, nothing))
    spans = _spans(size, held) if done else []
    found = [nothing]
    engine, alone = budget.engine, budget.single_threaded()
    who, which = engine.submit(same, places), engine.submit(same, task)
    tasks = (
        engine.submit(matched_within, who, which, (low, high, shift), size[low:high], alone) for low, high in spans
    )
    for each in engine.results(tasks):
        done = done and each is not None
        if each is None:
            break
        found.append(each)
    pairs = np.unique(np.concatenate(found), axis=0)
    return Pairs(_places(places, task, pairs[:, 0]), _places(places, task, pairs[:, 1]), done)


def matched_within(
    places: SetPlaces, task: MatchingTask, within: tuple[int, int, np.uint64], size: Counts, budget: Budget
) -> Array | None:
    """Return the packed pairs of sets whose sums fall into some buckets; None where there was no time.

    A kernel for engines. What other buckets have shown is wanted here again: it is left out when pairs are chosen.

    Args:
        places: who can take part.
        task: which sets to match.
        within: the first bucket, the one after the last, and what leads from sums to buckets.
        size: how many sets fall into each.
        budget: how long.
    """
    start = np.concatenate([[0], np.cumsum(size)])
    held = np.empty((int(start[-1]), 2), dtype=np.uint64)
    calls = np.array_split(task.groups, task.sets // _PER_CALL + 1)
    if not _walked(places, task, calls, budget, (within, start[:-1].copy(), held)):
        return None
    least: Array = match(places, held, start, (task.e, task.bits), task.wanted)
    return np.unique(least[least[:, 0] != _NO_SET], axis=0)


def _spans(size: Counts, held: int) -> list[tuple[int, int]]:
    """Return the first and the next bucket of each run of buckets that are held at a time."""
    total = np.concatenate([[0], np.cumsum(size)])
    cuts = [0]
    while cuts[-1] < len(size):
        cuts.append(max(cuts[-1] + 1, int(np.searchsorted(total, total[cuts[-1]] + held, side="right")) - 1))
    return list(pairwise(cuts))


def _walked(places: SetPlaces, task: MatchingTask, calls: list[Array], budget: Budget, into: tuple[Any, ...]) -> bool:
    """Put all sets of some buckets where they belong; return whether there was time for it."""
    for groups in calls:
        if budget.exhausted():
            return False
        walk(places, groups, (task.e, task.bits, int(not task.repeated)), *into)
    return not budget.exhausted()


def _places(places: SetPlaces, task: MatchingTask, packed: Array) -> Sets:
    """Return the places of packed sets, ascending, -1 after the last."""
    shift = np.uint64(task.bits) * np.arange(task.e - 1, -1, -1, dtype=np.uint64)
    position = (packed[:, None] >> shift & np.uint64((1 << task.bits) - 1)).astype(np.int64)
    group = (packed >> np.uint64(task.bits * task.e)).astype(np.int64)
    return np.where(position > 0, places.start[group][:, None] + position - 1, -1)


@kernel
def walk(
    places: SetPlaces,
    groups: Array,
    shape: tuple[int, int, int],
    within: tuple[int, int, np.uint64],
    cursor: Array,
    held: Array,
) -> None:
    """Form all sets of weight e in some groups, and put those of some buckets at their bucket's cursor.

    A set is put as its sum and its packed places; where nothing can be held, sets are only counted by the cursors.
    """
    e, bits, step = shape
    low, high, shift = within
    prime = places.prime
    keep = len(held) > 0
    # Sets begun, by their number of places: the first place to add, the next one, the weight left, the sum, the places.
    opened, following, left = np.zeros(e, dtype=np.int64), np.zeros(e, dtype=np.int64), np.zeros(e, dtype=np.int64)
    total, packed = np.zeros(e, dtype=np.uint64), np.zeros(e, dtype=np.uint64)
    most = longest(places, groups)
    weights, is_first = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.bool_)
    values = np.zeros(most, dtype=np.uint64)
    for g in groups:
        end = look_up(places, g, weights, values, is_first)
        depth, first, rest, base, prefix = 0, 0, e, np.uint64(0), np.uint64(g)
        while depth >= 0:
            for i in range(first, end):
                if weights[i] == rest and (i == first or is_first[i]):
                    value = base + values[i]
                    value -= prime if value >= prime else np.uint64(0)
                    # A function for this would count references to its arrays, which takes longer than all the rest.
                    bucket = np.int64(value * _ODD >> shift)
                    if low <= bucket < high:
                        place = cursor[bucket - low]
                        cursor[bucket - low] = place + 1
                        if keep:
                            code = prefix << np.uint64(bits) | np.uint64(i + 1)
                            held[place, 0], held[place, 1] = value, code << np.uint64(bits * (e - 1 - depth))
            opened[depth], following[depth], left[depth], total[depth], packed[depth] = first, first, rest, base, prefix
            while depth >= 0:
                i = following[depth]
                while i < end and (weights[i] >= left[depth] or not (i == opened[depth] or is_first[i])):
                    i += 1
                if i < end:
                    following[depth] = i + 1
                    base = total[depth] + values[i]
                    base -= prime if base >= prime else np.uint64(0)
                    first, rest = i + step, left[depth] - weights[i]
                    prefix = packed[depth] << np.uint64(bits) | np.uint64(i + 1)
                    depth += 1
                    break
                depth -= 1


@kernel
def longest(places: SetPlaces, groups: Array) -> int:
    """Return the largest number of places of some groups."""
    most = 0
    for g in groups:
        most = max(most, places.start[g + 1] - places.start[g])
    return most


@kernel
def look_up(places: SetPlaces, g: int, weights: Array, values: Array, is_first: Array) -> int:
    """Write what is said of a group's places side by side, and return how many they are.

    Looked up by column for each set, it takes much longer. Of places with one item the first ones are taken: the others
    give the same sums.
    """
    start, end = places.start[g], places.start[g + 1]
    for i in range(start, end):
        column = places.column[i]
        weights[i - start], values[i - start] = places.weight[column], places.value[column]
        is_first[i - start] = i == start or places.item[column] != places.item[places.column[i - 1]]
    return end - start


@kernel
def match(places: SetPlaces, held: Array, start: Array, shape: tuple[int, int], wanted: Array) -> Array:
    """Return the least packed pair of sets with equal sums that has each wanted column; shape (columns, 2).

    Which is the least does not depend on the sums, which are random. Columns in no pair have `_NO_SET` twice.
    """
    e, bits = shape
    least = np.full((len(wanted), 2), _NO_SET)
    largest = 0
    one, other = np.empty(e, dtype=np.int64), np.empty(e, dtype=np.int64)
    for bucket in range(len(start) - 1):
        largest = max(largest, start[bucket + 1] - start[bucket])
    slot_bits = 1
    while 1 << slot_bits < 2 * largest:
        slot_bits += 1
    table = np.empty(1 << slot_bits, dtype=np.int64)
    mask = (1 << slot_bits) - 1
    for bucket in range(len(start) - 1):
        low, high = start[bucket], start[bucket + 1]
        table[:] = -1
        for i in range(low, high):
            # The low bits of the product are those that did not choose the bucket.
            slot = np.int64(held[i, 0] * _ODD >> np.uint64(16)) & mask
            while table[slot] >= 0 and held[table[slot], 0] != held[i, 0]:
                slot = (slot + 1) & mask
            first = table[slot]
            if first < 0:
                table[slot] = i
                continue
            n = unpack(places, held[first, 1], e, bits, one)
            m = unpack(places, held[i, 1], e, bits, other)
            if is_match(places, one[:n], other[:m]):
                note(places, one[:n], wanted, least, held[first, 1], held[i, 1])
                note(places, other[:m], wanted, least, held[first, 1], held[i, 1])
    return least


@kernel
def unpack(places: SetPlaces, packed: np.uint64, e: int, bits: int, into: Array) -> int:
    """Write the places of a packed set, and return their number."""
    start = places.start[np.int64(packed >> np.uint64(bits * e))]
    mask = (_ONE << np.uint64(bits)) - _ONE
    for n in range(e):
        position = packed >> np.uint64(bits * (e - 1 - n)) & mask
        if position == 0:
            return n
        into[n] = start + np.int64(position) - 1
    return e


@kernel
def is_match(places: SetPlaces, one: Array, other: Array) -> bool:
    """Return whether two sets with equal sums have no item in common, and equal sums in the second fingerprint too."""
    difference, prime = np.uint64(0), places.check_prime
    for i in one:
        for j in other:
            if places.item[places.column[i]] == places.item[places.column[j]]:
                return False
        difference = (difference + places.check[places.column[i]]) % prime
    for j in other:
        difference = (difference + prime - places.check[places.column[j]]) % prime
    return difference == 0


@kernel
def note(places: SetPlaces, chosen: Array, wanted: Array, least: Array, left: np.uint64, right: np.uint64) -> None:
    """Note a packed pair at the wanted columns of one of its sets, where it is the least so far."""
    for i in chosen:
        column = places.column[i]
        if wanted[column] and (left < least[column, 0] or (left == least[column, 0] and right < least[column, 1])):
            least[column, 0], least[column, 1] = left, right
