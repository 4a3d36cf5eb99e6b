"""Chains: which rows of successive releases may belong to one record, as a network of states.

Rows of a release with equal cells and equal values are a *class*: they are interchangeable. A record is a chain of
rows, from its first release to the last one, whose cells have a point in common. A *state* consists of the current
class of a chain, its first release, and the intersection of its cells so far, its *box*. *Arcs* lead from states of one
release to states of the next. A world is a whole number of records on each arc such that each state passes on all
records that reach it, and all rows of each class are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.model.arrays import Codes, Counts, Flags
from audit.model.evidence import PublishedRows, RowSource

_PAIRS = 20_000_000
"""The most pairs of boxes to compare in one release."""


class TooManyPairsError(Exception):
    """A release has too many different cells to compare all pairs."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of one release.

    Attributes:
        of: the class of each row; shape (rows,), int64.
        cells: the cells of each class; shape (classes, attributes), int32.
        value: the value of each class; shape (classes,), int32.
        rows: the number of rows of each class; shape (classes,), int64.
    """

    of: Counts
    cells: Codes
    value: Codes
    rows: Counts

    @classmethod
    def among(cls, cells: Codes, value: Codes) -> Classes:
        """Return the classes of some rows; shapes (rows, attributes) and (rows,)."""
        both = np.concatenate([cells, value[:, None]], axis=1)
        kinds, of, count = np.unique(both, axis=0, return_inverse=True, return_counts=True)
        return cls(of.ravel(), kinds[:, :-1].astype(np.int32), kinds[:, -1].astype(np.int32), count)


@dataclass(frozen=True, slots=True)
class Layer:
    """The states of one release.

    Attributes:
        classes: the classes of its rows.
        of: the class of each state; shape (states,), int64.
        begun: the first release of the chain, counted from 0; shape (states,), int32.
        box: the codes of the intersections of the chain's cells; shape (states, attributes), int32.
        before: for each arc into the release, the state in the release before, -1 if the chain begins here; shape
            (arcs,), int64.
        after: for each arc, the state in this release; shape (arcs,), int64.
    """

    classes: Classes
    of: Counts
    begun: Codes
    box: Codes
    before: Counts
    after: Counts


def layers(releases: Sequence[PublishedRows], source: RowSource, allowed: Flags) -> list[Layer]:
    """Return the states of each release, and the arcs between them.

    Args:
        releases: the rows of each release.
        source: computes the intersections of cells.
        allowed: whether a value may be followed by another; shape (values, values), bool.

    Raises:
        TooManyPairsError: there are too many different cells.
        TypeError: a release has no values of rows.
    """
    found: list[Layer] = []
    for number, rows in enumerate(releases):
        if rows.value is None:
            raise TypeError("a release has no values of rows")
        classes = Classes.among(rows.cells, rows.value)
        own = np.arange(len(classes.rows))
        of, begun = own, np.full(len(own), number, dtype=np.int32)
        box, before, after = classes.cells, np.full(len(own), -1), own
        if found:
            last = found[-1]
            left, right, common = _compatible(last.box, classes.cells, source)
            fits = allowed[last.classes.value[last.of[left]], classes.value[right]]
            left, right, common = left[fits], right[fits], common[fits]
            key = np.concatenate([right[:, None], last.begun[left][:, None], common], axis=1)
            states, after = np.unique(key, axis=0, return_inverse=True)
            before, after = np.append(left, before), np.append(after.ravel(), len(states) + own)
            of, begun = np.concatenate([states[:, 0], own]), np.concatenate([states[:, 1].astype(np.int32), begun])
            box = np.concatenate([states[:, 2:].astype(np.int32), box])
        found.append(Layer(classes, of, begun, box, before, after))
    return found


def _compatible(left: Codes, right: Codes, source: RowSource) -> tuple[Counts, Counts, Codes]:
    """Return pairs of boxes with a point in common, and their intersections; shape (pairs, …) each."""
    kinds, of_left = np.unique(left, axis=0, return_inverse=True)
    others, of_right = np.unique(right, axis=0, return_inverse=True)
    if len(kinds) * len(others) > _PAIRS or len(left) * len(right) > 4 * _PAIRS:
        raise TooManyPairsError
    meet = np.ones((len(kinds), len(others)), dtype=np.bool_)
    tables = []
    for attribute in range(left.shape[1]):
        cells, at_cells = np.unique(kinds[:, attribute], return_inverse=True)
        other_cells, at_others = np.unique(others[:, attribute], return_inverse=True)
        pairs = np.repeat(cells, len(other_cells)), np.tile(other_cells, len(cells))
        table = source.shared(attribute, *pairs).reshape(len(cells), len(other_cells))
        meet &= (table >= 0)[np.ix_(at_cells.ravel(), at_others.ravel())]
        tables.append((table, at_cells.ravel(), at_others.ravel()))
    one, other = np.nonzero(meet[np.ix_(of_left.ravel(), of_right.ravel())])
    kind, match = of_left.ravel()[one], of_right.ravel()[other]
    common = [table[at_cells[kind], at_others[match]] for table, at_cells, at_others in tables]
    return one, other, np.stack(common, axis=1).astype(np.int32).reshape(len(one), left.shape[1])
