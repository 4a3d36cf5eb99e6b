"""Release summary: the sizes of each release and of the series, independent of attacks.

The summary of a release is small and depends only on this release. People are counted over all releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.adversary.held_series import HeldSeries
from audit.adversary.view import View
from audit.io.encoding import NOBODY
from audit.io.series import Series
from audit.metrics.release_risk import panels
from audit.model.arrays import Codes, Flags
from audit.model.composite_keys import tally
from audit.model.report import ReleasePanel, SeriesFacts


@dataclass(frozen=True)
class ReleaseSummary:
    """The sizes and measures of one release.

    Attributes:
        rows: rows of its file.
        value_rows: rows of the file of values of an Anatomy pair; None for a plain table.
        groups: number of groups.
        nameless: number of counterfeits without identity, by the key.
        published: number of published counterfeits.
        values: the values that it has of each sensitive attribute.
        panel: its panel for each sensitive attribute.
    """

    rows: int
    value_rows: int | None
    groups: int
    nameless: int
    published: int
    values: dict[str, frozenset[str]]
    panel: tuple[ReleasePanel, ...]


def summarize_release(evidence: View, position: int, k: float) -> ReleaseSummary:
    """Return the summary of the release at a position, counted from 0, whose classes of fewer than k are small."""
    release, series = evidence.held.keyed[position], evidence.series
    values = {}
    for name, codes in release.entry_value.items():
        vocabulary = series.vocabularies[name].names
        present = np.flatnonzero(tally(codes, len(vocabulary))).tolist()
        values[name] = frozenset(vocabulary[code] for code in present)
    panel = panels(evidence, position, k)
    return ReleaseSummary(
        rows=release.rows,
        value_rows=None if series.manifest.releases[position].values is None else len(release.entry_group),
        groups=panel[0].classes,
        nameless=0 if release.person is None else _nameless(release.person, release.strangers),
        published=sum(release.counterfeits.values()),
        values=values,
        panel=panel,
    )


def _nameless(person: Codes, strangers: Flags | None) -> int:
    unnamed = person == NOBODY
    return int(np.count_nonzero(unnamed if strangers is None else unnamed & ~strangers))


def facts(held: HeldSeries, described: Sequence[ReleaseSummary]) -> SeriesFacts:
    """Return the sizes of a series."""
    series, present = held.series, held.present()
    fake = series.people.is_counterfeit()[: len(present)]
    counterfeits = int(np.count_nonzero(present & fake)) + sum(each.nameless for each in described)
    individuals = int(np.count_nonzero(present & ~fake))
    if held.register is not None:
        individuals = len(np.unique(held.register.person))
        counterfeits = sum(each.published for each in described)
    values = [frozenset().union(*(each.values[name] for each in described)) for name in series.vocabularies]
    return SeriesFacts(
        series.manifest.name,
        series.tags,
        individuals,
        sum(each.rows for each in described),
        counterfeits,
        sum(each.groups for each in described),
        max(map(len, values)),
        series.manifest.published,
    )


def rows_of_files(series: Series, described: Sequence[ReleaseSummary]) -> dict[str, int]:
    """Return the number of rows of each file, by its name."""
    rows: dict[str, int] = {}
    for files, each in zip(series.manifest.releases, described, strict=True):
        rows[files.shown] = rows.get(files.shown, 0) + each.rows  # several releases may be in one file
        if each.value_rows is not None:
            rows[files.values_shown] = each.value_rows
    return rows
