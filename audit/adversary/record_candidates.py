"""Record candidates: the records that are in the same releases as a person, in rows that fit the person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.model.arrays import Codes, Counts, Places, combine, distinct, numbered, ragged

MOST_PAIRS = 20_000_000
"""The most listed pairs of a person and a class of records."""
ABSENT = -1


class TooManyRecordsError(Exception):
    """People may be too many records to list them all."""


@dataclass(frozen=True)
class Fitting:
    """The matches in one release.

    Attributes:
        label, group: pairs of a label of people, such as an exact point, and a row class that fits the label; ascending
            by label; shape (pairs,), int32.
        anywhere: whether a person who is not known to be in the release may still be in any of its row classes.
    """

    label: Codes
    group: Codes
    anywhere: bool = False


def kinds_of_rows(table: Codes) -> tuple[Places, Codes]:
    """Return a row of each distinct row of a table, and the index of each row among these; the least code is -1."""
    columns = [(codes + 1, int(codes.max(initial=-1)) + 2) for codes in table.T]
    return distinct(*combine(columns, len(table)))


def fitting_pairs(people: Codes, records: Codes, fitting: Sequence[Fitting]) -> tuple[Codes, Codes]:
    """Return which kinds of records fit which kinds of people in all releases, as pairs of indices, in order.

    Release by release, pairs of earlier prefixes are extended to pairs in that release.

    Args:
        people: the label of each kind of people in each release, -1 if not known to be there; shape (kinds, releases).
        records: the row class of each kind of records in each release, -1 without a row; shape (kinds, releases).
        fitting: which row classes fit which labels, by release.

    Raises:
        TooManyRecordsError: there are too many pairs.
    """
    person = record = np.zeros(1, dtype=np.int64)  # the pairs so far: of prefixes of people and of records
    before = np.zeros(len(people), dtype=np.int64), np.zeros(len(records), dtype=np.int64)
    for release, fits in enumerate(fitting):
        mine, of_mine = _children(before[0], people[:, release])
        theirs, of_theirs = _children(before[1], records[:, release])
        pair, child = _expanded(person, mine[0])
        label = mine[1][child]
        absent = label == ABSENT
        found = [_absent(record[pair[absent]], child[absent], theirs, anywhere=fits.anywhere)]
        found.append(_present(record[pair[~absent]], child[~absent], label[~absent], theirs, fits))
        person, record = (np.concatenate(column) for column in zip(*found, strict=True))
        before = of_mine, of_theirs
    # The last prefixes are the kinds themselves, in the order of their codes.
    kind, other = numbered(before[0], len(people))[person], numbered(before[1], len(records))[record]
    order = np.lexsort((other, kind))
    return kind[order], other[order]


def _children(prefix: Counts, label: Codes) -> tuple[tuple[Counts, Codes], Counts]:
    """Return the distinct pairs of a prefix and a label, ascending, and the index of each row's pair."""
    size = int(label.max(initial=-1)) + 2
    keys, of = np.unique(prefix * size + label + 1, return_inverse=True)
    return (keys // size, (keys % size - 1).astype(np.int32)), of.astype(np.int64)


def _expanded(parent: Counts, of_child: Counts) -> tuple[Counts, Counts]:
    """Return each child of each entry of `parent`: the index of the entry, and the child."""
    first, last = np.searchsorted(of_child, [parent, parent + 1])
    return _ranges(first, last)


def _ranges(first: Counts, last: Counts) -> tuple[Counts, Counts]:
    size = last - first
    if size.sum() > MOST_PAIRS:
        raise TooManyRecordsError
    return np.repeat(np.arange(len(size)), size), ragged(first, size)


def _absent(record: Counts, child: Counts, theirs: tuple[Counts, Codes], *, anywhere: bool) -> tuple[Counts, Counts]:
    """Return the pairs for people who are not known to be in the release."""
    place, other = _expanded(record, theirs[0])
    kept = np.full(len(other), anywhere) | (theirs[1][other] == ABSENT)
    return child[place[kept]], other[kept]


def _present(
    record: Counts, child: Counts, label: Codes, theirs: tuple[Counts, Codes], fits: Fitting
) -> tuple[Counts, Counts]:
    """Return the pairs for people who are in the release: with the records in a row class that fits."""
    place, at = _ranges(np.searchsorted(fits.label, label), np.searchsorted(fits.label, label, side="right"))
    size = int(max(theirs[1].max(initial=-1), fits.group.max(initial=-1))) + 2
    known = theirs[0] * size + theirs[1] + 1
    wanted = record[place] * size + fits.group[at] + 1
    other = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    kept = known[other] == wanted
    return child[place[kept]], other[kept]
