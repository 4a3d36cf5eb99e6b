"""Republished releases: one with the rows, people and groups of an earlier one says nothing new by itself."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from audit.adversary.held_series import HeldSeries
from audit.adversary.view import View
from audit.io.adjustments import read_adjusted
from audit.model.arrays import Places
from audit.model.errors import Problems
from audit.model.scored import NOWHERE, Result


def republished(releases: HeldSeries, position: int) -> int | None:
    """Return the latest earlier release with the same rows, people and groups, whatever these are called."""
    own = _groups(releases, position)
    return next((each for each in reversed(range(position)) if _groups(releases, each) == own), None)


def said_again(result: Result[View], position: int, earlier: int) -> Places:
    """Return the places of the shares of rows that a republished release claims: those of the earlier one.

    None, unless all that the earlier one claimed is waived. Where record ids link rows, what is claimed of classes of
    records follows from the releases between as well.
    """
    claims = result.claims
    if claims is None or not claims.counts_rows or (result.evidence.records is not None and earlier < position - 1):
        return NOWHERE
    left = claims.release[result.left]
    return NOWHERE if (left == earlier).any() else np.flatnonzero(claims.release == position)


def _groups(releases: HeldSeries, position: int) -> Counter[object]:
    """Return what the groups of a release hold: published cells and people by row, and a pair's values."""
    series, release = releases.series, releases.keyed[position]
    files, columns, problems = series.manifest.releases[position], series.manifest.columns, Problems()
    own = [*columns.sensitive, columns.count] if release.values_by_row else []
    wanted = [name for name in (*columns.quasi_identifiers, *own, columns.record) if name is not None]
    table = read_adjusted(files.rows, files.shown, wanted, series.adjustments(files.tag), problems)
    problems.check()
    if table is None or (wanted and table.rows != release.rows):
        return Counter([position])
    person = [None] * release.rows if release.person is None else release.person.tolist()
    held: defaultdict[int, list[object]] = defaultdict(list)
    for group, *row in zip(release.group.codes.tolist(), person, *map(table.texts, wanted), strict=True):
        held[group].append(row)
    if not release.values_by_row:
        entries = [each.tolist() for each in release.entry_value.values()]
        entries += [] if release.entry_count is None else [release.entry_count.tolist()]
        for group, *values in zip(release.entry_group.tolist(), *entries, strict=True):
            held[group].append(values)
    return Counter(repr(sorted(each, key=repr)) for each in held.values())
