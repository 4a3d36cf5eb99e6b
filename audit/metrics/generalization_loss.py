"""Measures of what generalization costs a release, from its groups and from how far its cells reach.

Counterfeits are published rows and count as such in all of these: a reader cannot tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.metrics.axes import Extents, Places
from audit.model.arrays import Counts


def group_sizes(group: Places, count: Counts, groups: int) -> Counts:
    """Return how many people each group stands for; shape (groups,).

    `group` has each row's group, in [0, groups), and `count` how many people it stands for; shape (rows,).
    """
    return np.bincount(group, weights=count, minlength=groups).astype(np.int64)


def discernibility(sizes: Counts) -> int:
    """Return the sum over all groups of the squared number of rows.

    Source: Bayardo and Agrawal, ICDE 2005, as the monotonic paper gives it (Section 2): every row is charged the
    number of rows that it cannot be told from. Groups are those that were published, even if two have equal cells.

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
    """Return how far all rows' cells reach, added up over the rows and the quasi-identifiers.

    A cell's reach is the length of the interval around it, from its least to its greatest value, in a domain whose
    own length is 1; categories stand at equal distances. Where a group's rows have one box, this is the sum over the
    groups of |G| · Σ l_i (m-invariance paper, Section 4.3). Exact values, as in Anatomy, reach 0.

    `cell` has the place of each row's cell in the extents, shape (rows, attributes); `count` is shape (rows,).
    """
    return float(sum((each.spread[cell[:, a]] * count).sum() for a, each in enumerate(extents)))


def ncp(extents: Sequence[Extents], cell: Places, count: Counts) -> float | None:
    """Return the normalized certainty penalty: the average, over rows and quasi-identifiers, of |cell| / |domain|.

    |cell| counts the values of the domain that the cell covers (whole numbers of an interval, labels of a set), or
    is its length where numbers are not whole; the domain alike. A single value costs 0, `*` costs 1. Source: Xu et
    al., KDD 2006. None without rows or quasi-identifiers; arguments as of `perimeter`.
    """
    people = int(count.sum()) * len(extents)
    if not people:
        return None
    return float(sum((each.share[cell[:, a]] * count).sum() for a, each in enumerate(extents)) / people)
