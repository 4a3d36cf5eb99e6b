"""Verification: check a draft before it is written, and a release after it was written and read back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Interval, Kind, contains, cover_ranges
from audit.io.encoding import NOBODY
from audit.io.microdata import ReadSnapshot
from audit.io.releases import Release
from audit.model.anonymizer import COUNTERFEIT, Bounds, Draft
from audit.model.arrays import Codes
from audit.model.composite_keys import distinct
from audit.model.evidence import ValueCounts
from audit.publishing.counterfeits import Counterfeits

_NO_CODES: Codes = np.zeros(0, dtype=np.int32)


class BrokenPromiseError(AssertionError):
    """A release that was about to be published is wrong, which is a bug of the program."""


def check_draft(draft: Draft, read: ReadSnapshot, counterfeits: Codes) -> None:
    """Check that a draft holds each person at most once, with the true value, and no empty group.

    `counterfeits` are the codes of the last release's counterfeits with an identity.

    Raises:
        BrokenPromiseError: the draft is not sound.
    """
    rows = draft.row[draft.row != COUNTERFEIT]
    groups = np.bincount(draft.group)
    once = len(rows) > 0 and int(np.bincount(rows).max()) == 1
    true = np.array_equal(draft.value[draft.row != COUNTERFEIT], read.snapshot.value[rows])
    cells = draft.cells.low if isinstance(draft.cells, Bounds) else draft.cells.after
    identity = _NO_CODES if draft.identity is None else draft.identity[draft.row == COUNTERFEIT]
    kept = np.sort(identity[identity != COUNTERFEIT])
    once = once and bool(np.isin(kept, counterfeits).all()) and bool((kept[1:] != kept[:-1]).all())
    if not (once and true and groups.all() and len(cells) == len(groups)):
        raise BrokenPromiseError("the draft of the release is not sound")


def check_written(
    release: Release,
    attributes: Sequence[QuasiIdentifier],
    sensitive: str,
    read: ReadSnapshot,
    person: Codes,
) -> None:
    """Check a release, as it was written and read back, against its snapshot and the people of its rows.

    `person` holds the person that each row must have, `NOBODY` for counterfeits without identity; shape (rows,).

    Raises:
        BrokenPromiseError: a person, a cell or a value is wrong, or counterfeits are not counted.
    """
    if release.person is None or not np.array_equal(release.person, person):
        raise BrokenPromiseError("the key does not read back as it was written")
    row = np.full(int(max(person.max(initial=0), read.snapshot.person.max())) + 1, -1, dtype=np.int32)
    row[read.snapshot.person] = np.arange(len(read.snapshot))
    real = np.flatnonzero((person != NOBODY) & (row[person] >= 0))
    own = row[person[real]]
    cells = [release.cells[attribute.name][real] for attribute in attributes]
    if len(uncovered(cells, attributes, read, own)):
        raise BrokenPromiseError("a published cell does not cover the true value")
    values = len(read.snapshot.values)
    entries = ValueCounts(release.entry_group, release.entry_value[sensitive], release.entry_count)
    published = entries.tabled(release.group.size, values)
    true = ValueCounts(release.group.codes[real], read.snapshot.value[own], None).tabled(release.group.size, values)
    fake = published.astype(np.int64) - true
    if (fake < 0).any():
        raise BrokenPromiseError("a person's true value is missing in the group")
    if release.values_by_row and not np.array_equal(entries.value[real], read.snapshot.value[own]):
        raise BrokenPromiseError("a published value is not the true one")
    counted = np.zeros(release.group.size, dtype=np.int64)
    counted[list(release.counterfeits)] = list(release.counterfeits.values())
    if not np.array_equal(fake.sum(axis=1), counted):
        raise BrokenPromiseError("the counterfeits are not all counted")


def check_kept(release: Release, counterfeits: Counterfeits) -> None:
    """Check that the older counterfeits of an Anatomy pair have the quasi-identifiers of the release before.

    Raises:
        BrokenPromiseError: a counterfeit has others.
    """
    if release.person is None:
        raise BrokenPromiseError("the release was read without its key")
    rows = np.flatnonzero(np.isin(release.person, counterfeits.codes))
    before = counterfeits.cells_of(release.person[rows])
    for column, codes in enumerate(release.cells.values()):
        if not np.array_equal(codes[rows], before[:, column]):
            raise BrokenPromiseError("an older counterfeit has other quasi-identifiers than before")


def uncovered(
    cells: Sequence[Codes], attributes: Sequence[QuasiIdentifier], read: ReadSnapshot, row: Codes
) -> npt.NDArray[np.intp]:
    """Return the places in `row`, rows of the snapshot, whose exact values their published cells do not cover.

    `cells` holds the published cells of each attribute, as numbers of the attribute; shape (len(row),) each.
    """
    wrong = np.zeros(len(row), dtype=np.bool_)
    for column, attribute in enumerate(attributes):
        first, place = distinct(cells[column].astype(np.int64), len(attribute.cells))
        used, points = cells[column][first], read.snapshot.point[row, column]
        if attribute.kind is Kind.CATEGORICAL:
            wrong |= ~attribute.covers(used, read.texts[column])[place, points]
            continue
        numbers = read.numbers[column]
        low, high, exact = cover_ranges([attribute.cells[cell] for cell in used], numbers)
        fits = (low[place] <= points) & (points < high[place])
        for at in np.flatnonzero(~exact[place]).tolist():
            number = numbers[points[at]]
            fits[at] = contains(attribute.cells[used[place[at]]], Interval(number, number))
        wrong |= ~fits
    return np.flatnonzero(wrong)
