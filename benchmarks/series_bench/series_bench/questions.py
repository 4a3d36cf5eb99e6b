"""The input of a method that attacks a series: the published files, and the possible values of each question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from audit.adversary.view import build_evidence, handed
from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.read_counts import read_counts
from audit.io.manifest import is_table_series
from audit.io.series import Series, open_series

if TYPE_CHECKING:
    from audit.model.evidence import Evidence

MOST_COUNTS = 50
"""Cells with more possible counts than this are not in question."""


@dataclass(frozen=True)
class AttackedSeries:
    """A published series, with what its adversary knows.

    Attributes:
        folder: the series as `audit` reads it; its files hold nobody's value.
    """

    folder: Path

    @property
    def counts(self) -> bool:
        """Whether it is a series of count tables."""
        return is_table_series(self.folder)

    @cached_property
    def candidates(self) -> pd.DataFrame:
        """The values that are possible for each question by the person's own groups or the cell's interval.

        One row for each question and value: `question`, `release`, `value`, `rows`. Of people, `person` beside it, and
        how many rows of the groups that may hold the person have the value; of counts, `cell`, and 1. A question is
        `release/person`, or `release/cell` with the labels of the cell joined by `/`.
        """
        return pd.DataFrame(self._counts() if self.counts else self._people())

    @cached_property
    def questions(self) -> list[str]:
        """All questions, each once."""
        return list(dict.fromkeys(self.candidates["question"]))

    @cached_property
    def series(self) -> Series:
        """The series of people, opened."""
        return open_series(self.folder)

    @cached_property
    def evidence(self) -> Evidence:
        """The evidence for this project's attacks, for series of people."""
        (seen,) = build_evidence(self.series)
        return handed(seen)

    @cached_property
    def published(self) -> PublishedCounts:
        """The published counts, for series of count tables."""
        return read_counts(read_table_manifest(self.folder))

    def _people(self) -> Iterator[dict[str, object]]:
        seen = self.evidence
        for release, tag in enumerate(seen.tags):
            pools = seen.pools(release)
            table = pools.table()
            for person, pool in zip(pools.person.tolist(), pools.pool.tolist(), strict=True):
                name = self.series.people.name(person)
                for value in np.flatnonzero(table[pool]).tolist():
                    yield {
                        "question": f"{tag}/{name}",
                        "release": tag,
                        "person": name,
                        "value": seen.values[value],
                        "rows": int(table[pool, value]),
                    }

    def _counts(self) -> Iterator[dict[str, object]]:
        published = self.published
        asked = count_questions(published)
        width = published.upper - published.lower
        for row in np.flatnonzero((width > 0) & (width < MOST_COUNTS)).tolist():
            tag, _, cell = asked[row].partition("/")
            for count in range(int(published.lower[row]), int(published.upper[row]) + 1):
                yield {"question": asked[row], "release": tag, "cell": cell, "value": str(count), "rows": 1}


def count_questions(published: PublishedCounts) -> list[str]:
    """Return the question for each published count: its release and the labels of its cell, joined by `/`."""
    tags, dimensions = published.manifest.tags, published.dimensions
    return [
        "/".join([tags[release], *(each.labels[at] for each, at in zip(dimensions, label, strict=True))])
        for release, label in zip(published.release.tolist(), published.label.tolist(), strict=True)
    ]


def even(candidates: pd.DataFrame) -> pd.DataFrame:
    """Return the candidates with their share of the rows as `probability`, as one release alone suggests."""
    total = candidates.groupby("question")["rows"].transform("sum")
    return candidates.assign(probability=candidates["rows"] / total)
