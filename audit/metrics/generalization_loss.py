"""Generalization loss: measure how much detail generalization costs, by the sizes of groups and cells.

Counterfeits count as rows in all of these measures, because a reader cannot recognize them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.metrics.axes import Extents, Places
from audit.model.arrays import Counts


def group_sizes(group: Places, count: Counts, groups: int) -> Counts:
    """Return how many people each group stands for; shape (groups,).

    `group` holds each row's group, in [0, groups), and `count` the number of people of each row; shape (rows,).
    """
    return np.bincount(group, weights=count, minlength=groups).astype(np.int64)


def discernibility(sizes: Counts) -> int:
    """Return the sum over all groups of the squared number of rows.

    Source: Bayardo and Agrawal, ICDE 2005, in the form of the monotonic paper (Section 2): each row costs the size of
    its group. Groups are the published ones, even if two have equal cells.

    >>> discernibility(np.array([2, 3]))
    13
    """
    return int((sizes * sizes).sum())


def average_class_size(sizes: Counts) -> float:
    """Return the number of rows for each group; 0 for a release without rows.

    Source: LeFevre, DeWitt and Ramakrishnan, ICDE 2006: C_AVG times k.

    >>> average_class_size(np.array([2, 4]))
    3.0
    """
    return float(sizes.sum() / len(sizes)) if len(sizes) else 0.0


def perimeter(extents: Sequence[Extents], cell: Places, count: Counts) -> float:
    """Return the lengths of all rows' cells, added up over the rows and the quasi-identifiers.

    The length goes from a cell's least to its greatest value, as a share of the domain; categories stand at equal
    distances. If all rows of a group have the same cells, this is the sum over the groups of |G| · Σ l_i (m-invariance
    paper, Section 4.3). Exact values, as in Anatomy, have length 0.

    `cell` holds the place of each row's cell in the extents, shape (rows, attributes); `count` is shape (rows,).
    """
    return float(sum((each.spread[cell[:, a]] * count).sum() for a, each in enumerate(extents)))


def ncp(extents: Sequence[Extents], cell: Places, count: Counts) -> float | None:
    """Return the normalized certainty penalty: the average, over rows and quasi-identifiers, of |cell| / |domain|.

    |cell| and |domain| count values (whole numbers of an interval, labels of a set), or are lengths if numbers are not
    whole. A single value costs 0, `*` costs 1. Source: Xu et al., KDD 2006. None without rows or quasi-identifiers;
    the arguments are those of `perimeter`.
    """
    people = int(count.sum()) * len(extents)
    if not people:
        return None
    return float(sum((each.share[cell[:, a]] * count).sum() for a, each in enumerate(extents)) / people)
