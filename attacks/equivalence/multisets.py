"""Multisets: all integer vectors of a lattice with some small norm, by sorting; complete.

A vector whose entries sum to 0 is the difference of two multisets of types with e columns each. Types get random marks
whose products with all vectors are 0 modulo 2⁶⁴, so the two multisets have equal sums of marks, and equal sums stand
together once they are sorted. What is found is checked in exact arithmetic. Time and memory are linear in the number
of multisets, which is that of types to the power of e, over e factorial.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import numpy as np
import numpy.typing as npt

from attacks.equivalence.lattice import Lattice, Row
from audit.core.evidence import Codes, Counts
from audit.core.outcome import Flags

Marks = npt.NDArray[np.uint64]
_WORD = 1 << 64
_AT_ONCE = 1 << 16


def number(sizes: Sequence[int], e: int) -> int:
    """Return how many multisets of types of some sizes have e columns.

    >>> number([1, 1, 2], 2)
    4
    """
    ways = [1] + [0] * e
    for size in sizes:
        for columns in range(size, e + 1):
            ways[columns] += ways[columns - size]
    return ways[e]


def vectors(block: Lattice, some: Sequence[int], size: Sequence[int], wanted: Sequence[int], e: int) -> list[Row]:
    """Return vectors of some e such that each wanted type that is in any is in one of these.

    Args:
        block: the lattice.
        some: the types that may have entries.
        size: how many columns each type has, by type.
        wanted: some of the types, which are in no vector of lesser e.
        e: of the vectors.
    """
    kinds = np.array(sorted(some, key=lambda at: (size[at], at)), dtype=np.int64)
    sizes = np.array(size, dtype=np.int64)[kinds]
    for seed in count():
        found = []
        for difference in _differences(sizes, _marks(block, seed)[kinds], e, np.isin(kinds, wanted)):
            found.append({int(kinds[at]): times for at, times in difference.items()})
            # Different sums may have equal marks, if hardly ever: then others are drawn.
            if not block.holds(found[-1]):
                break
        else:
            break
    return found


def _marks(block: Lattice, seed: int) -> Marks:
    """Return random numbers by type whose products with the vectors of a lattice are 0 modulo 2⁶⁴."""
    rng = np.random.default_rng(seed)
    marks = [0] * (block.types[-1] + 1)
    for row in block.relations:
        factor = int(rng.integers(_WORD, dtype=np.uint64))
        for at, times in row.items():
            marks[at] = (marks[at] + factor * times) % _WORD
    return np.array(marks, dtype=np.uint64)


def _differences(sizes: Counts, mark: Marks, e: int, wanted: Flags) -> Iterator[Row]:
    """Yield differences of multisets with e columns and equal sums, for each wanted kind one in which it is, if any is.

    Kinds are numbered by size. It suffices to compare each multiset with the first one of the same sum: a kind that is
    in all of them equally often is in no difference of theirs.
    """
    multisets = _Multisets(sizes, mark, e)
    later, earlier = _equal(multisets.sums)
    wanted = wanted.copy()
    for begin in range(0, len(later), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        kinds = np.concatenate([multisets.members(later[some], e), multisets.members(earlier[some], e)], axis=1)
        kinds = kinds[np.append(wanted, False)[kinds].any(axis=1)]
        pair, kind, times = _entries(kinds, len(sizes))
        for place in np.unique(kind, return_index=True)[1][wanted[np.unique(kind)]]:
            if wanted[kind[place]]:
                entries = slice(*np.searchsorted(pair, [pair[place], pair[place] + 1]))
                wanted[kind[entries]] = False
                yield dict(zip(kind[entries].tolist(), times[entries].tolist(), strict=True))


def _equal(sums: Marks) -> tuple[Counts, Counts]:
    """Return the places of sums that were there before, and where each was first."""
    ordered = np.sort(sums)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(repeated):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    which = np.minimum(np.searchsorted(repeated, sums), len(repeated) - 1)
    places = np.flatnonzero(repeated[which] == sums)
    which = which[places]
    first = places[np.unique(which, return_index=True)[1]][which]
    return places[places != first], first[places != first]


def _entries(kinds: Codes, number_of_kinds: int) -> tuple[Counts, Counts, Counts]:
    """Return the entries of differences by pair and kind, where the second half of each row's kinds is taken off."""
    pairs, width = kinds.shape
    sign = np.repeat([1, -1], width // 2)
    key = np.arange(pairs)[:, None] * (number_of_kinds + 1) + kinds + 1
    keys, place = np.unique(key, return_inverse=True)
    times = np.zeros(len(keys), dtype=np.int64)
    np.add.at(times, place.ravel(), np.broadcast_to(sign, kinds.shape).ravel())
    kind = keys % (number_of_kinds + 1) - 1
    some = np.flatnonzero((times != 0) & (kind >= 0))
    return keys[some] // (number_of_kinds + 1), kind[some], times[some]


class _Multisets:
    """All multisets of kinds, numbered by size, with e columns; each but the empty one is another one and a last kind.

    Attributes:
        sums: the sums of their marks modulo 2⁶⁴; shape (multisets,), uint64.
    """

    def __init__(self, sizes: Counts, mark: Marks, e: int) -> None:
        upto = np.searchsorted(sizes, np.arange(e + 1), side="right")
        self._parent, self._kind = [np.zeros(1, dtype=np.int32)], [np.full(1, -1, dtype=np.int32)]
        node, last, rest = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32), np.full(1, e)
        total, ends, sums, made = np.zeros(1, dtype=np.uint64), [], [], 1
        while len(node):
            more = np.maximum(upto[rest] - last, 0)
            parent = np.repeat(np.arange(len(node), dtype=np.int32), more)
            skipped = np.cumsum(more) - more
            last = (np.arange(len(parent)) - np.repeat(skipped - last, more)).astype(np.int32)
            self._parent.append(node[parent])
            self._kind.append(last)
            node = np.arange(made, made + len(parent), dtype=np.int32)
            made += len(parent)
            rest, total = rest[parent] - sizes[last], total[parent] + mark[last]
            full = rest == 0
            ends.append(node[full])
            sums.append(total[full])
            node, last, rest, total = node[~full], last[~full], rest[~full], total[~full]
        self.sums = np.concatenate(sums)
        self._end = np.concatenate(ends)
        self._parents, self._kinds = np.concatenate(self._parent), np.concatenate(self._kind)

    def members(self, places: Counts, e: int) -> Codes:
        """Return the kinds of some multisets, -1 where there are fewer than e; shape (multisets, e)."""
        node = self._end[places]
        kinds = np.empty((len(places), e), dtype=np.int32)
        for at in range(e):
            kinds[:, at] = self._kinds[node]
            node = self._parents[node]
        return kinds
