"""Entries: the sets from which the values of a bucket's groups come, one value from each set.

The update set signature of a group holds the candidate update set of each of its values (m-Distinct paper,
Definition 13). A group of distinct values, one from each of these sets, is a legal update instance of it
(Definition 14). So a bucket has an *entry* for each set, and a person whose last group had this signature is put into
an entry that contains the person's value. A value may be useless in an entry: with the sets {a} and {a, b}, value a
must come from the first one, or the first would have no value. A value is *useful* in an entry if a system of distinct
representatives of the sets chooses it there.

Values that are in the same sets form a *kind*. Sets are bit masks: bit v says that value v is in the set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from anonymizers.m_distinct.places import RowPlaces
from audit.model.arrays import Numbers
from audit.model.update_sets import UpdateSets

Mask = int
Signature = tuple[Mask, ...]


def masks_of(updates: UpdateSets) -> list[Mask]:
    """Return the candidate update set of each value."""
    packed = np.packbits(updates.may, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def signed(values: Iterable[int], masks: Sequence[Mask]) -> Signature:
    """Return the update set signature of a group with these values: the sorted list of their sets."""
    return tuple(sorted(masks[value] for value in values))


@dataclass(frozen=True)
class ValueSets:
    """The entries of a bucket, and the useful kinds of values of each.

    Attributes:
        sets: the set of each entry.
        kinds: the values of each kind, ascending.
        kind: the kind of each value, -1 for values that are in no set; shape (values,).
        useful: the useful kinds of each entry.
    """

    sets: Signature
    kinds: tuple[Numbers, ...]
    kind: Numbers
    useful: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.sets)

    def places(self) -> RowPlaces:
        """Return the places of rows in these entries, all of them empty."""
        return RowPlaces(self.useful, len(self.kinds))

    def by_kind(self, counts: Numbers) -> list[int]:
        """Return the number of rows of each kind, given the number of rows of each value."""
        return [int(counts[values].sum()) for values in self.kinds]


@lru_cache(maxsize=20_000)
def entries_of(sets: Signature, values: int) -> ValueSets | None:
    """Return the entries of sets, or None if the sets have no system of distinct representatives.

    >>> entries = entries_of((0b01, 0b11), 2)  # value 0 must be in the first entry, and is useless in the second
    >>> [[entries.kinds[kind].tolist() for kind in useful] for useful in entries.useful]
    [[[0]], [[1]]]
    """
    holds = np.array([[mask >> value & 1 for value in range(values)] for mask in sets], dtype=np.bool_)
    inside = np.flatnonzero(holds.any(axis=0))
    patterns, kind_of_inside = np.unique(holds[:, inside], axis=1, return_inverse=True)
    kind_of_inside = kind_of_inside.reshape(-1)
    kinds = tuple(inside[kind_of_inside == number] for number in range(patterns.shape[1]))
    useful = _useful([np.flatnonzero(row).tolist() for row in patterns], [len(each) for each in kinds])
    if useful is None:
        return None
    kind = np.full(values, -1, dtype=np.int64)
    kind[inside] = kind_of_inside
    return ValueSets(sets, kinds, kind, useful)


def _useful(inside: Sequence[Sequence[int]], sizes: Sequence[int]) -> tuple[tuple[int, ...], ...] | None:
    """Return the useful kinds of each entry, given the kinds in its set and the number of values of each kind."""
    places = RowPlaces(inside, len(sizes))
    room = list(sizes)
    for entry in range(len(inside)):
        if not places.pull(entry, room, 1):
            return None
    return tuple(
        tuple(kind for kind in kinds if _represents(inside, room, places, entry, kind))
        for entry, kinds in enumerate(inside)
    )


def _represents(inside: Sequence[Sequence[int]], left: Sequence[int], places: RowPlaces, entry: int, kind: int) -> bool:
    """Return whether a system of distinct representatives has a value of a kind for an entry.

    `places` holds a system, and `left` the number of values of each kind that are not in it.
    """
    own = next(number for number in inside[entry] if places.taken[entry][number])
    room = [number + (each == own) for each, number in enumerate(left)]
    if room[kind]:
        return True
    # Another entry gives up its value of the kind and must find another one, while this entry keeps its value.
    others = [kinds if number != entry else () for number, kinds in enumerate(inside)]
    for giver in range(len(inside)):
        if giver != entry and places.taken[giver][kind]:
            trial = RowPlaces(others, len(left))
            trial.taken = [row.copy() for row in places.taken]
            trial.taken[giver][kind] = 0
            if trial.pull(giver, list(room), 1):
                return True
    return False


def intersected(first: Signature, second: Signature) -> Signature | None:
    """Return the intersections of the sets of two signatures, in the pairing with the largest overlap.

    None if there is no pairing in which all pairs overlap. It is an assignment problem; the score of a pair is the
    share of its values that both sets have (paper, Section V-A).

    >>> intersected((0b0011, 0b1100), (0b0001, 0b0010)) is None
    True
    >>> intersected((0b0011, 0b1100), (0b0111, 0b0100))
    (3, 4)
    """
    from scipy.optimize import linear_sum_assignment

    if len(first) != len(second):
        return None
    common = [[left & right for right in second] for left in first]
    if not all(map(any, common)) or not all(map(any, zip(*common, strict=True))):
        return None
    score = np.full((len(first), len(second)), -float(len(first)))  # no gain elsewhere outweighs it
    for row, left in enumerate(first):
        for column, right in enumerate(second):
            if left & right:
                score[row, column] = (left & right).bit_count() / (left | right).bit_count()
    rows, columns = linear_sum_assignment(score, maximize=True)
    sets = [common[row][column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
    return tuple(sorted(sets)) if all(sets) else None
