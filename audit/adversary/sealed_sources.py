"""Sealed sources: what attacks may ask of the sources of evidence, and nothing else.

The sources that read a series know what the key tells, as scoring and checkers do. An attack is handed evidence whose
sources have no way to it: `sealed`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from audit.model.arrays import Codes
from audit.model.errors import InputError
from audit.model.evidence import (
    CandidateGroups,
    CandidatePools,
    Evidence,
    Members,
    PoolSource,
    PublishedClasses,
    PublishedRows,
    PublishedSource,
    Records,
    RecordSource,
    RowSource,
)


def sealed(evidence: Evidence) -> Evidence:
    """Return evidence whose sources give what an attack may see alone."""
    return replace(
        evidence,
        source=SealedPools(evidence.source, warm_start=evidence.warm_start),
        records=None if evidence.records is None else SealedRecords(evidence.records),
        published=None if evidence.published is None else SealedClasses(evidence.published),
        rows_of=None if evidence.rows_of is None else SealedRows(evidence.rows_of),
    )


def unsealed(source: PoolSource) -> PoolSource:
    """Return the source behind a sealed one, for whoever judges what an attack found out."""
    return source.behind if isinstance(source, SealedPools) else source


class SealedPools:
    """A source of pools, members and candidate groups; a world to start from is withheld without `warm_start`."""

    def __init__(self, source: PoolSource, *, warm_start: bool) -> None:
        self.behind = unsealed(source)
        self._warm_start = warm_start

    def pools(self, release: int) -> CandidatePools:
        """Return the pools of a release, counted from 0."""
        return self.behind.pools(release)

    def pools_of(self, release: int, people: Codes) -> CandidatePools:
        """Return the pools of a release with these people at least."""
        return self.behind.pools_of(release, people)

    def groups(self, release: int, people: Codes) -> list[tuple[str, ...]]:
        """Return the names of the groups that may hold each of some people."""
        return self.behind.groups(release, people)

    def members(self, release: int) -> Members:
        """Return who is in which group of a release."""
        return self.behind.members(release)

    def hosts(self, release: int) -> CandidateGroups:
        """Return the rows of a release and which groups may hold whom."""
        return self.behind.hosts(release)

    def warm_start(self, release: int) -> Codes | None:
        """Return the values of people in a world, where one may be handed in."""
        return self.behind.warm_start(release) if self._warm_start else None

    def group_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some groups of a release."""
        return self.behind.group_names(release, groups)


class SealedRecords:
    """A source of the rows of records."""

    def __init__(self, source: RecordSource) -> None:
        self._source = source

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self._source.attributes

    def rows(self, release: int) -> Records:
        """Return the rows of a release, counted from 0."""
        return self._source.rows(release)

    def shared(self, attribute: int, left: Codes, right: Codes) -> Codes:
        """Return the numbers of what pairs of cells have in common."""
        return self._source.shared(attribute, left, right)

    def groups(self, release: int, rows: npt.NDArray[np.intp]) -> list[str]:
        """Return the names of the groups of some rows of a release."""
        return self._source.groups(release, rows)

    def contradiction(self, release: int, row: int, attribute: int) -> InputError:
        """Return the error of a row whose cell has nothing in common with the record's earlier ones."""
        return self._source.contradiction(release, row, attribute)


class SealedClasses:
    """A source of classes of rows that look alike."""

    def __init__(self, source: PublishedSource) -> None:
        self._source = source

    def published(self, release: int) -> PublishedClasses:
        """Return the classes of a release, counted from 0."""
        return self._source.published(release)

    def accounted(self, release: int, classes: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which of some classes of a release hold only people who are known to be in no other."""
        return self._source.accounted(release, classes)

    def published_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some groups of a release."""
        return self._source.published_names(release, groups)


class SealedRows:
    """A source of rows and their cells."""

    def __init__(self, source: RowSource) -> None:
        self._source = source

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self._source.attributes

    def rows(self, release: int) -> PublishedRows:
        """Return the rows of a release, counted from 0."""
        return self._source.rows(release)

    def shared(self, attribute: int, left: Codes, right: Codes) -> Codes:
        """Return what pairs of cells of an attribute have in common, -1 where nothing."""
        return self._source.shared(attribute, left, right)

    def atoms(self, attribute: int, cells: Codes) -> tuple[Codes, npt.NDArray[np.bool_]]:
        """Return points of an attribute that some cells tell apart, and which cover each."""
        return self._source.atoms(attribute, cells)

    def text(self, attribute: int, cell: int) -> str:
        """Return a cell as text."""
        return self._source.text(attribute, cell)

    def group_names(self, release: int, groups: Codes) -> list[str]:
        """Return the names of some published groups of a release."""
        return self._source.group_names(release, groups)
