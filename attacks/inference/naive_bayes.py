"""Naive Bayes over anonymized groups: learn P(cell | value) from groups whose values are known, but not whose they are.

Expectation: an assignment of the group's values to its rows is a permutation, with a probability proportional to the
product of P(cells | value) over the rows; exact in groups of up to six rows, by proportional fitting in larger ones.
Maximization: P(cell | value) from the expected numbers of rows. Both are repeated (EM).

Source: D. Kifer, "Attacks on privacy and deFinetti's theorem", SIGMOD 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from audit.model.arrays import Codes, Counts, Flags, Floats

_EXACT = 6
"""Groups with at most this many rows are averaged over all permutations."""
_AT_ONCE = 4_000_000
"""The number of permutation entries in memory at a time."""
_FITTINGS = 50
_ROUNDS = 8
_SMOOTHING = 0.5


@dataclass(frozen=True, slots=True)
class Grouped:
    """Some people in groups.

    Attributes:
        start: where each group's people begin, and their number at the end; shape (groups + 1,), int64.
        cells: each person's cells, numbered from 0 by attribute; shape (people, attributes), int32.
        counts: how often each group has each value; shape (groups, values), int64. Each group has as many values as
            people.
        candidates: which values each person may have; shape (people, values).
    """

    start: Counts
    cells: Codes
    counts: Counts
    candidates: Flags


@dataclass(frozen=True, slots=True)
class Model:
    """The learnt model: log P(value), shape (values,), and log P(cell | value) by attribute, shape (cells, values)."""

    prior: Floats
    cells: tuple[Floats, ...]

    def likelihood(self, cells: Codes) -> Floats:
        """Return log P(cells | value) of some people; shape (people, values)."""
        total = np.zeros((len(cells), len(self.prior)))
        for table, column in zip(self.cells, cells.T, strict=True):
            total += table[column]
        return total


def learnt(releases: Sequence[Grouped], sizes: Sequence[int], values: int) -> Model:
    """Return the model learnt from some groups.

    Args:
        releases: groups of any releases.
        sizes: number of different cells of each attribute.
        values: number of sensitive values.
    """
    held = sum((each.counts.sum(axis=0) for each in releases), np.zeros(values, dtype=np.int64))
    prior = np.log(held + _SMOOTHING) - np.log((held + _SMOOTHING).sum())
    model = Model(prior, tuple(np.zeros((size, values)) for size in sizes))
    for _ in range(_ROUNDS):
        tables = [np.full((size, values), _SMOOTHING) for size in sizes]
        for each in releases:
            share = posteriors(each, model)
            for table, column in zip(tables, each.cells.T, strict=True):
                np.add.at(table, column, share)
        model = Model(prior, tuple(np.log(table) - np.log(table.sum(axis=0)) for table in tables))
    return model


def posteriors(grouped: Grouped, model: Model) -> Floats:
    """Return the probability of each value for each person, given the group's values; shape (people, values).

    Rows add up to 1, and those of a group to its counts.
    """
    weight = model.likelihood(grouped.cells)
    weight = np.where(grouped.candidates, weight, -np.inf)
    size = np.diff(grouped.start)
    result = np.zeros_like(weight)
    for rows in np.unique(size[size > 0]).tolist():
        groups = np.flatnonzero(size == rows)
        people = grouped.start[groups][:, None] + np.arange(rows)
        exactly = rows <= _EXACT
        step = max(1, _AT_ONCE // (len(list(permutations(range(rows)))) * rows) if exactly else len(groups))
        for first in range(0, len(groups), step):
            batch = slice(first, first + step)
            share = (_permuted if exactly else _fitted)(weight[people[batch]], grouped.counts[groups[batch]])
            result[people[batch]] = share
    return result


def _permuted(weight: Floats, counts: Counts) -> Floats:
    """Return the exact shares in groups of equal sizes; shapes (groups, rows, values) and (groups, values)."""
    groups, rows, values = weight.shape
    held = np.repeat(np.tile(np.arange(values), groups), counts.ravel()).reshape(groups, rows)
    orders = np.array(list(permutations(range(rows))), dtype=np.intp)
    value = held[:, orders]
    total = np.take_along_axis(weight[:, None], value[..., None], axis=3)[..., 0].sum(axis=2)
    best = total.max(axis=1, keepdims=True)
    chance = np.exp(total - np.where(np.isfinite(best), best, 0.0))
    chance = np.where(np.isfinite(best), chance, 1.0)
    chance /= chance.sum(axis=1, keepdims=True)
    share = np.zeros_like(weight)
    for row in range(rows):
        place = (np.arange(groups)[:, None] * values + value[:, :, row]).ravel()
        share[:, row] = np.bincount(place, weights=chance.ravel(), minlength=groups * values).reshape(groups, values)
    return share


def _fitted(weight: Floats, counts: Counts) -> Floats:
    """Return shares by proportional fitting: rows to 1, columns to the counts in turn (Sinkhorn)."""
    inside = np.where(counts[:, None, :] > 0, weight, -np.inf)
    best = inside.max(axis=2, keepdims=True)
    share = np.exp(inside - np.where(np.isfinite(best), best, 0.0))
    share = np.where(np.isfinite(best), share, counts[:, None, :] > 0)
    for _ in range(_FITTINGS):
        held = share.sum(axis=1, keepdims=True)
        share = share * np.where(held > 0, counts[:, None, :] / np.where(held > 0, held, 1.0), 0.0)
        rows = share.sum(axis=2, keepdims=True)
        share = share / np.where(rows > 0, rows, 1.0)
    return share
