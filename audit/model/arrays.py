"""Arrays: their types, named after their contents, and what numpy lacks for arrays of codes and places.

Distinct rows of several columns get composite keys; ragged arrays are segments one after the other; sets of places are
flags, masks or ranks. For small graphs `scipy.sparse.csgraph` is not imported: that takes a third of a second, as long
as a small audit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""An array of any type, for compiled kernels."""
Flags: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.int32]
"""Codes of texts, people, groups or values."""
UNKNOWN = -1
"""The code of an unknown value."""
NOBODY = -1
"""The code of no one: a row without a person."""
Integers: TypeAlias = npt.NDArray[np.integer[Any]]
"""Whole numbers of any width."""
Places: TypeAlias = npt.NDArray[np.intp]
"""Indices into another array."""
Counts: TypeAlias = npt.NDArray[np.int64]
UNBOUNDED = 10**12
"""The number that stands for a missing upper bound of a count, null in JSON; no published count reaches it."""
Numbers: TypeAlias = npt.NDArray[np.int64]
"""Whole numbers with any other meaning."""
Floats: TypeAlias = npt.NDArray[np.float64]
Objects: TypeAlias = npt.NDArray[np.object_]
"""Exact numbers, as objects."""
Words: TypeAlias = npt.NDArray[np.uint64]
"""Whole numbers of 64 bits."""
Matrix: TypeAlias = Any
"""A sparse matrix of scipy, whose matrices have no types."""
Columns: TypeAlias = tuple[Codes, Codes, Codes]
"""Person, release and value of some claims."""


_DIRECT_PER_ROW = 16
_DIRECT_SLACK = 1 << 16
_CACHED = 1 << 17


def blocks(rows: int) -> Iterator[slice]:
    """Yield ranges of rows so short that what is computed of them fits into a processor's cache."""
    return (slice(first, first + _CACHED) for first in range(0, rows, _CACHED))


def batches(sizes: npt.NDArray[np.integer], most: int) -> Iterator[slice]:
    """Yield ranges of items whose sizes add up to at most `most`, or single larger items; `sizes`: shape (items,)."""
    total, first = np.cumsum(sizes), 0
    while first < len(sizes):
        done = total[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(total, done + most, side="right")))
        yield slice(first, last)
        first = last


def tally(codes: npt.NDArray[np.integer], size: int, weights: Counts | None = None) -> Counts:
    """Return the number, or the total weight, of rows with each code below a bound; shape (size,).

    `bincount` would copy all codes as 64 bits.
    """
    if size > _CACHED or weights is not None:
        return np.bincount(codes, weights, minlength=size).astype(np.int64, copy=False)
    found = np.zeros(size, dtype=np.int64)
    for block in blocks(len(codes)):
        found += np.bincount(codes[block], minlength=size)
    return found


def counted(
    key: npt.NDArray[np.int64], size: int, weights: Counts | None = None
) -> tuple[npt.NDArray[np.int64], Counts]:
    """Return the distinct keys, ascending, and the number or total weight of each; `size` is a bound on the keys."""
    if not _is_sparse(key, size):
        rows = tally(key, size, weights)
        found = np.flatnonzero(rows)
        return found, rows[found]
    found, place = np.unique(key, return_inverse=True)
    return found, tally(place, len(found), weights)


def combine(
    columns: Sequence[tuple[npt.NDArray[np.integer], int]], rows: int, most: int = 2**62
) -> tuple[npt.NDArray[np.int64], int]:
    """Return a key for each row, equal for equal rows, shape (rows,), int64; and a bound on the keys.

    The order of the keys is that of the rows' codes, column by column.

    Args:
        columns: the codes of each column, shape (rows,), and a bound on them.
        rows: the number of rows.
        most: keys are renumbered before the bound would exceed this.
    """
    key, size = np.zeros(rows, dtype=np.int64), 1
    for codes, bound in columns:
        if size > 1 and size * max(bound, 1) > most:
            key = ranks(key, size).astype(np.int64)
            size = int(key.max(initial=-1)) + 1
        key = key * max(bound, 1) + codes
        size *= max(bound, 1)
    return key, size


def distinct(key: npt.NDArray[np.int64], size: int) -> tuple[npt.NDArray[np.intp], Codes]:
    """Return a row of each distinct key, in the order of keys, and the index of each row's key among these.

    `size` is a bound on the keys.
    """
    if _is_sparse(key, size):
        _, rows, place = np.unique(key, return_index=True, return_inverse=True)
        return rows, place.astype(np.int32)
    row = np.full(size, -1, dtype=np.intp)
    row[key] = np.arange(len(key))
    number: Codes = np.cumsum(row >= 0, dtype=np.int32) - np.int32(1)
    return row[row >= 0], number[key]


def ranks(key: npt.NDArray[np.int64], size: int) -> Codes:
    """Return the index of each row's key among the distinct keys, in order; `size` is a bound on the keys.

    `distinct` also returns this, together with one row of each key, for which it needs a slower sort.
    """
    if _is_sparse(key, size):
        return np.unique(key, return_inverse=True)[1].astype(np.int32)
    number: Codes = np.cumsum(flagged(key, size), dtype=np.int32) - np.int32(1)
    return number[key]


def row_ranks(columns: Sequence[tuple[npt.NDArray[np.integer], int]], rows: int) -> Codes:
    """Return the index of each row among the distinct rows of several coded columns, in order.

    Keys are renumbered before a table of them would be much larger than the rows, so a sort is rarely needed.
    """
    return ranks(*combine(columns, rows, _direct(rows)))


def _direct(rows: int) -> int:
    """Return the largest number of possible keys for which a table is used, given a number of rows."""
    return _DIRECT_PER_ROW * rows + _DIRECT_SLACK


def _is_sparse(key: npt.NDArray[np.int64], size: int) -> bool:
    """Return whether a table of all possible keys would be much larger than the rows."""
    return size > _direct(len(key))


_SMALL_GRAPH_NODES = 64
_FEW = 16  # numbers that are added one by one faster than numpy packs them


def component_of(tail: Integers, head: Integers, nodes: int, *, strong: bool = False) -> Counts:
    """Return the component of each node, as a number; undirected components are numbered by their first nodes.

    Args:
        tail: one end of each edge; shape (edges,).
        head: the other end; shape (edges,).
        nodes: the number of nodes.
        strong: whether edges are directed from tail to head, and components are strongly connected.

    >>> component_of(np.array([3, 1]), np.array([0, 2]), 5).tolist()
    [0, 1, 1, 0, 2]
    >>> label = component_of(np.array([0, 1, 1]), np.array([1, 0, 2]), 3, strong=True)
    >>> bool(label[0] == label[1] != label[2])
    True
    """
    if nodes > _SMALL_GRAPH_NODES:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        graph = coo_array((np.ones(len(tail), dtype=np.bool_), (tail, head)), shape=(nodes, nodes))
        label: Counts = connected_components(graph, directed=strong, connection="strong")[1]
        return label.astype(np.int64)
    reached = np.eye(nodes, dtype=np.float32)
    reached[tail, head] = 1
    if not strong:
        reached[head, tail] = 1
    for _ in range(nodes.bit_length()):  # each round doubles the length of the paths
        reached = np.minimum(reached @ reached, 1)
    return np.unique((reached * reached.T).argmax(axis=1), return_inverse=True)[1] if nodes else np.zeros(0, np.int64)


def exchangeable(member: Integers, row: Integers, match: Integers, spare: Flags) -> Flags:
    """Return which pairs of a member and a row that it may take occur in some assignment, given one; shape (pairs,).

    A member can take another row exactly when the members there can move on, each to the row of the next one, until one
    takes the row that became free or a row with spare room (Regin, AAAI 1996). That is so when both rows are in one
    strongly connected component of a graph: a row leads to the rows that its members may take, a row with spare room to
    a further node, and that node to all rows. Problems that share no rows can be solved as one.

    Args:
        member: the member of each pair; shape (pairs,).
        row: the row of each pair; shape (pairs,).
        match: the row of each member in the given assignment; shape (members,).
        spare: whether a row can be taken by one member more; shape (rows,), bool.

    >>> exchangeable(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0, 1]), np.array([False, False])).tolist()
    [True, False, True]
    """
    own, rows, free = match[member], len(spare), np.flatnonzero(spare)
    moving = np.flatnonzero(own != row)
    tail = np.concatenate([own[moving], free, np.full(rows, rows)])
    head = np.concatenate([row[moving], np.full(len(free), rows), np.arange(rows)])
    label = component_of(tail, head, rows + 1, strong=True)
    return np.asarray(label[row] == label[own])


def grouped(keys: Integers, size: int) -> tuple[Counts, Counts]:
    """Return where the indices of each key below `size` begin, shape (size + 1,), and the indices sorted by key.

    >>> [found.tolist() for found in grouped(np.array([1, 0, 1]), 3)]
    [[0, 1, 3, 3], [1, 0, 2]]
    """
    return starts(np.bincount(keys, minlength=size)), np.argsort(keys, kind="stable")


def flagged(places: Integers | Sequence[int], size: int) -> Flags:
    """Return which places below `size` are among some; shape (size,), bool.

    >>> flagged([2, 0], 4).tolist()
    [True, False, True, False]
    """
    found = np.zeros(size, dtype=np.bool_)
    found[places] = True
    return found


def mask_of(members: Integers) -> int:
    """Return a set of small numbers as the bits of a whole number.

    >>> mask_of(np.array([0, 3])), mask_of(np.array([], dtype=np.int32))
    (9, 0)
    """
    if len(members) < _FEW:
        return sum(1 << int(member) for member in members)
    bits = flagged(members, int(members.max()) + 1)
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def numbered(places: Integers, size: int) -> Codes:
    """Return the index at which each place below `size` stands, -1 for others; shape (size,), int32.

    >>> numbered(np.array([3, 0]), 4).tolist()
    [1, -1, -1, 0]
    """
    found = np.full(size, -1, dtype=np.int32)
    found[places] = np.arange(len(places), dtype=np.int32)
    return found


def ranks_within(keys: Integers) -> Numbers:
    """Return for each entry how many earlier entries have the same key.

    >>> ranks_within(np.array([1, 0, 1])).tolist()
    [0, 0, 1]
    """
    order = np.argsort(keys, kind="stable")
    rank = np.empty(len(keys), dtype=np.int64)
    rank[order] = np.arange(len(keys)) - np.searchsorted(keys[order], keys[order])
    return rank


def starts(sizes: Integers) -> Numbers:
    """Return where segments of given sizes begin, and where the last one ends; shape (segments + 1,), int64.

    >>> starts(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    found = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, dtype=np.int64, out=found[1:])
    return found


def ragged(first: Integers, size: Integers) -> Numbers:
    """Return the places of segments with given first places and sizes, one segment after the other.

    >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(size) - size
    return np.arange(int(size.sum()), dtype=np.int64) + np.repeat(first - before, size)


def segments(start: Integers, some: Integers) -> Numbers:
    """Return the places of the entries of some items of a ragged array, one item after the other."""
    return ragged(start[some], start[some + 1] - start[some])


def mixed(numbers: Integers, seed: int) -> Words:
    """Return well mixed 64-bit numbers (splitmix64), for fingerprints that are verified afterwards."""
    z = numbers.astype(np.uint64) + np.uint64((0x9E3779B97F4A7C15 * (2 * seed + 1)) & (2**64 - 1))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def first_alike(start: Integers, entry: Integers, kind: Integers) -> Numbers:
    """Return the first segment with the same entries in the same order and of the same kind, for each segment.

    >>> first_alike(np.array([0, 2, 4, 6]), np.array([5, 8, 5, 8, 5, 8]), np.array([0, 1, 1])).tolist()
    [0, 1, 1]

    Args:
        start: where the segments begin, and where the last one ends; shape (segments + 1,).
        entry: the entries, at least 0; shape (entries,).
        kind: the kind of each segment, from 0; shape (segments,).
    """
    size, every = np.diff(start), np.arange(len(kind))
    factor = mixed(np.arange(1 + int(size.max(initial=0))), 0) | np.uint64(1)
    place = np.arange(len(entry)) - np.repeat(start[:-1], size)
    total = np.append(np.uint64(0), np.cumsum((entry.astype(np.uint64) + np.uint64(1)) * factor[place]))
    word = total[start[1:]] - total[start[:-1]] + mixed(kind, 1)
    _, first, which = np.unique(word, return_index=True, return_inverse=True)
    found: Numbers = first[which]
    unlike = (size != size[found]) | (kind != kind[found])
    again = np.flatnonzero(~unlike & (found != every))
    differs = entry[segments(start, again)] != entry[segments(start, found[again])]
    unlike[np.repeat(again, size[again])[differs]] = True
    return np.where(unlike, every, found)


def renumbered(used: Integers, size: int) -> tuple[Numbers, Numbers]:
    """Return the distinct numbers of `used`, ascending, and the rank of each number below `size`, -1 for unused ones.

    >>> [found.tolist() for found in renumbered(np.array([4, 1, 4]), 5)]
    [[1, 4], [-1, 0, -1, -1, 1]]
    """
    distinct = np.flatnonzero(flagged(used, size))
    return distinct, numbered(distinct, size).astype(np.int64)


def places_of(numbers: Integers, some: Integers) -> Numbers:
    """Return the place of each number in `some`, whose numbers are distinct; -1 for those that it lacks, and for -1.

    >>> places_of(np.array([[4, 3], [1, 4]]), np.array([4, 1])).tolist()
    [[0, -1], [1, 0]]
    """
    size = 1 + max(int(numbers.max(initial=-1)), int(some.max(initial=-1)))
    return numbered(some, size + 1)[numbers].astype(np.int64)  # the last entry is that of -1


def stretches(lines: Iterable[int]) -> list[tuple[int, int]]:
    """Return first and last of each stretch of consecutive lines or releases, which are in order.

    >>> stretches([2, 3, 4, 7])
    [(2, 4), (7, 7)]
    """
    found: list[tuple[int, int]] = []
    for line in lines:
        if found and line == found[-1][1] + 1:
            found[-1] = found[-1][0], line
        else:
            found.append((line, line))
    return found
