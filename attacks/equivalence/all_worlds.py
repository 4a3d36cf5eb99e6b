"""Equality in all worlds: which people share a value once impossible values are ruled out.

Linear reasoning over the published groups misses some equalities. Example: {A, C}: x, y; {D, H, I, J}: z, z, t, t;
{B, C, D, H}: x, y, z, t. D and H have z or t in all worlds, so the last group splits into {B, C}: x, y and {D, H}: z,
t. Then A and B are equal. So each group is split into independent parts, which have as many rows as members. What
remains of a group, with its counterfeits without identity, is one further part.

Sound: each split holds in all worlds. Source: equivalence paper, Definition 6.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attacks.equivalence.fingerprint import classes, pinned
from attacks.equivalence.strategy import confirmed
from attacks.matrix import Matrix
from audit.model.arrays import Codes, Counts, Flags, component_of, grouped
from audit.runtime.budget import Budget

Pairs = tuple[Codes, Codes]


def split(matrix: Matrix, left: Sequence[Pairs]) -> Matrix:
    """Return the groups of a series, each split into its independent parts.

    Args:
        matrix: the groups.
        left: for each release, the pairs of a column and a value that are not ruled out; shape (pairs,) each.
    """
    group = matrix.group_of().astype(np.int64)
    entry_group = np.repeat(np.arange(matrix.groups), np.diff(matrix.value_start))
    place, entry = _joined(matrix, group, entry_group, left)
    members, nodes = len(group), len(group) + len(entry_group)
    label = component_of(place, members + entry, nodes)
    rows = np.bincount(label[members:], weights=matrix.rows, minlength=nodes)
    tight = np.bincount(label[:members], minlength=nodes) == rows
    # The part that is not tight is one part of each group, numbered after the others.
    part = np.where(tight[label], label, nodes + np.concatenate([group, entry_group]))
    return _of_parts(matrix, part[:members], part[members:])


def _joined(matrix: Matrix, group: Counts, entry_group: Counts, left: Sequence[Pairs]) -> tuple[Counts, Counts]:
    """Return the pairs of a membership and a value of its group that is possible for the member, as two arrays."""
    values, columns = matrix.values, matrix.columns
    of_entry = entry_group * values + matrix.value
    first = np.searchsorted(matrix.release, np.arange(matrix.releases + 1))
    places, entries = [], []
    for release, (column, value) in enumerate(left[: matrix.releases]):
        begin, end = matrix.start[first[release]], matrix.start[first[release + 1]]
        where = np.full(columns, -1, dtype=np.int64)
        where[matrix.member[begin:end]] = np.arange(begin, end)
        place = where[column]
        key = group[place] * values + value
        entry = np.searchsorted(of_entry, key)
        found = (place >= 0) & (entry < len(of_entry))
        found[found] = of_entry[entry[found]] == key[found]
        places.append(place[found])
        entries.append(entry[found])
    return np.concatenate(places), np.concatenate(entries)


def _of_parts(matrix: Matrix, member_part: Counts, entry_part: Counts) -> Matrix:
    """Return the matrix whose groups are the parts of memberships and of groups' values."""
    group = matrix.group_of()
    part, first = np.unique(member_part, return_index=True)
    order = np.lexsort((part, group[first]))
    part, of_group = part[order], group[first][order]
    rank = np.zeros(int(member_part.max(initial=-1)) + 2, dtype=np.int64)
    rank[part] = np.arange(len(part))
    start, by_member = grouped(rank[member_part], len(part))
    value_start, by_entry = grouped(rank[entry_part], len(part))
    members, values = (start, matrix.member[by_member]), (value_start, matrix.value[by_entry], matrix.rows[by_entry])
    return matrix.of_groups((*members, *values), matrix.release[of_group], matrix.code[of_group], matrix.releases)


def more_pairs(matrix: Matrix, finer: Matrix, budget: Budget) -> Codes | None:
    """Return pairs of columns that are equal by the finer groups but not by the published ones; None if time runs out.

    Shape (pairs, 2), int32. Columns with a certain value are left out, because each of them is a finding already.

    Raises:
        ContradictionError: no values fit all groups.
    """
    coarse = confirmed(matrix, budget)
    numbers = None if coarse is None else confirmed(finer, budget)
    if coarse is None or numbers is None:
        return None
    label, before = classes(finer, *numbers), classes(matrix, *coarse)
    candidates = np.flatnonzero((label >= 0) & (pinned(finer, *numbers) < 0))
    # People before counterfeits: one column represents all columns that the published groups make equal to it.
    candidates = candidates[np.argsort(~matrix.individual[candidates], kind="stable")]
    chosen = np.sort(candidates[np.unique(before[candidates], return_index=True)[1]])
    # In each class, the first person is paired with the others; classes of counterfeits only have no pairs.
    chosen = chosen[np.lexsort((chosen, ~matrix.individual[chosen], label[chosen]))]
    _, begin, of_class = np.unique(label[chosen], return_index=True, return_inverse=True)
    first = chosen[begin][of_class]
    more: Flags = (first != chosen) & matrix.individual[first]
    return np.stack([first[more], chosen[more]], axis=1).astype(np.int32)
