"""Spanning forest: pairs of columns that connect each class of equal values, the easiest to prove first.

Classes that contain only counterfeits reveal nothing about people and get no pairs; in all other classes each pair
contains a person.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.graphs import component_of
from attacks.matrix import Matrix
from audit.model.arrays import Codes, Flags, Places

_SEED = 0x5EED
_ROUNDS = 2
_Pairs = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class SpanningForest:
    """Pairs of columns that form a spanning tree of each class.

    Attributes:
        pair: pairs of columns, sorted by `effort`, then by column; shape (pairs, 2), int32.
        effort: 0 if two groups have the same members except for the pair, so that their difference proves it; 1 if that
            holds after pairs of effort 0 are merged; 2 if no short proof is known; shape (pairs,), int32.
    """

    pair: Codes
    effort: Codes


def spanning_forest(matrix: Matrix, label: Codes) -> SpanningForest:
    """Return pairs that connect the classes, easy pairs if there are any.

    Cost: a few sorts of the memberships of columns that share a class.

    Args:
        matrix: the groups.
        label: by column, its class of columns with equal values; -1 where it is in no group; shape (columns,).
    """
    sizes = np.bincount(label[label >= 0], minlength=1)
    people = np.bincount(label[matrix.individual & (label >= 0)], minlength=len(sizes))
    sharing = (label >= 0) & (sizes[label] > 1) & (people[label] > 0)
    place = np.flatnonzero(sharing[matrix.member])
    group = np.searchsorted(matrix.start, place, side="right") - 1
    same_as = np.arange(matrix.columns)
    rounds: list[_Pairs] = []
    while len(rounds) < _ROUNDS:
        pairs = _agreeing(matrix, label, place, group, same_as)
        rounds.append(pairs)
        if not len(pairs):
            break
        same_as = _merged(same_as, pairs)
    return _forest([*rounds, _neighbours(np.flatnonzero(sharing), label, same_as, matrix.individual)], matrix.columns)


def _agreeing(matrix: Matrix, label: Codes, place: Places, group: Places, same_as: Places) -> _Pairs:
    """Return pairs of columns of one class that are the only difference between two groups.

    Groups are compared by sums of random numbers. A pair that is found by chance is still of one class.

    Args:
        matrix: the groups.
        label: the class of each column.
        place: the memberships of columns that share a class.
        group: the group of each of these memberships.
        same_as: a number for each column; columns with equal numbers are treated as the same.
    """
    rng = np.random.default_rng(_SEED)
    token = rng.integers(0, 2**64, matrix.columns, dtype=np.uint64)[same_as]
    by_label = rng.integers(0, 2**64, matrix.columns, dtype=np.uint64)[label]
    key = matrix.sums_of(token)[group] + (by_label - token)[matrix.member[place]]
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    pairs = matrix.member[place[np.stack([order[twice], order[twice + 1]], axis=1)]]
    same_class = (label[pairs[:, 0]] == label[pairs[:, 1]]) & matrix.individual[pairs].any(axis=1)
    return pairs[same_class & (same_as[pairs[:, 0]] != same_as[pairs[:, 1]])]


def _neighbours(
    sharing: npt.NDArray[np.intp], label: Codes, same_as: npt.NDArray[np.intp], individual: Flags
) -> _Pairs:
    """Return pairs that join the separate pieces of each class: people in a chain, counterfeits with a person."""
    sharing = sharing[np.argsort(~individual[sharing], kind="stable")]
    _, first = np.unique(same_as[sharing], return_index=True)
    separate = sharing[first]
    separate = separate[np.lexsort((separate, ~individual[separate], label[separate]))]
    _, begin, of_class = np.unique(label[separate], return_index=True, return_inverse=True)
    left = np.where(individual[separate], separate, separate[begin][of_class])
    pairs = np.stack([left[:-1], separate[1:]], axis=1)
    return pairs[of_class[:-1] == of_class[1:]]


def _merged(same_as: npt.NDArray[np.intp], pairs: _Pairs) -> npt.NDArray[np.intp]:
    """Return a number for each column that is the same for columns that were equal before, or that pairs connect."""
    ends = same_as[pairs]
    return component_of(ends[:, 0], ends[:, 1], len(same_as))[same_as]


def _forest(rounds: list[_Pairs], columns: int) -> SpanningForest:
    """Return as many pairs as possible without a cycle, those of earlier rounds first; the last round has effort 2."""
    pair = np.sort(np.concatenate(rounds), axis=1).astype(np.int64)
    effort = np.repeat([*range(len(rounds) - 1), _ROUNDS], [len(some) for some in rounds])
    key, first = np.unique(pair[:, 0] * columns + pair[:, 1], return_index=True)
    tail, head, effort = key // columns, key % columns, effort[first]
    if len(key) > columns - 1 - component_of(tail, head, columns).max(initial=-1):  # some lie on cycles
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import minimum_spanning_tree

        # Before version 1.17.1, scipy only takes 32-bit indices.
        ends = tail.astype(np.int32), head.astype(np.int32)
        forest = minimum_spanning_tree(csr_array((effort + 1.0, ends), shape=(columns, columns))).tocoo()
        tail, head, effort = forest.row, forest.col, forest.data - 1
    order = np.lexsort((head, tail, effort))
    return SpanningForest(np.stack([tail, head], axis=1)[order].astype(np.int32), effort[order].astype(np.int32))
