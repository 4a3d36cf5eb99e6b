"""The releases of a series as an adversary sees them: read once, in their order, and held as integer columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audit.adversary import coverage
from audit.adversary.combined_values import CombinedVocabulary
from audit.adversary.row_classes import RowClasses, by_class
from audit.adversary.row_classes import row_classes as classes_of
from audit.io import manifest as manifests
from audit.io.attributes import QuasiIdentifier
from audit.io.background_knowledge import Register
from audit.io.encoding import NOBODY, IdentifierEncoder
from audit.io.releases import Release, Wanted, varies
from audit.io.series import Series
from audit.io.tables import Table
from audit.model.adversary import ADVERSARIES, AdversaryKind
from audit.model.arrays import Codes
from audit.model.errors import UsageError
from audit.runtime.budget import Budget
from audit.runtime.memory import memory_bytes

_LAST_BITS = 0xFFFF
_CHUNK = 1 << 20
_GB = 1e9


class LoadedRelease(NamedTuple):
    """A release that was read.

    Attributes:
        release: what it says; the cells only where records are followed, or where rows of one group differ in them.
        boxes: its distinct boxes, where there is a register.
        record: the record of each row, by codes common to all releases, where records are followed; shape (rows,).
        classes: its row classes, box by box where there are boxes; None where each group is one.
        seen: the same release, its groups being what publishes values together, row classes in a plain table; with the
            combinations of its values, where there are several sensitive attributes.
    """

    release: Release
    boxes: coverage.Boxes | None
    record: Codes | None
    classes: RowClasses | None
    seen: Release


class HeldSeries:
    """The releases of a series, all of which are read when one is first asked for, unless they were read before.

    `records` says whether records are followed: their ids and all cells are then read. `names` are the record ids
    by code. `combined` numbers the combinations of the values of several sensitive attributes, where there are several
    and nothing is known beforehand; None elsewhere.
    """

    def __init__(
        self,
        series: Series,
        kind: AdversaryKind,
        register: Register | None,
        *,
        records: bool = False,
        loaded: Mapping[int, LoadedRelease] = MappingProxyType({}),
    ) -> None:
        self.series, self.register, self.records = series, register, records
        self.adversary = adversary = ADVERSARIES[kind]
        self.names = IdentifierEncoder()
        several = len(series.vocabularies) > 1 and adversary.knows_people and series.manifest.known is None
        self.combined = CombinedVocabulary(series.vocabularies) if several else None
        self._loaded = loaded
        self._asked = np.zeros(0, dtype=np.int32)
        self._around: dict[tuple[int, bool], Release] = {}

    def __len__(self) -> int:
        """Return the number of releases."""
        return len(self.series.tags)

    def get(self, position: int) -> LoadedRelease:
        """Return a release, counted from 0.

        Raises:
            InputError: a release cannot be read.
        """
        if position not in self._loaded:
            self.read(Budget())
        return self._loaded[position]

    def read(self, watched: Budget) -> None:
        """Read all releases, and report after each how many are read.

        Raises:
            InputError: a release cannot be read.
            UsageError: they do not fit into memory.
        """
        self._check_memory()
        loaded = {}
        for position, table in enumerate(self._tables()):
            watched.progress(position, len(self))
            loaded[position] = self._load(position, table)
        self._loaded = loaded

    def _check_memory(self) -> None:
        """Refuse a series whose columns alone, as they are held, take more than there is: at least a group and a value.

        Raises:
            UsageError: it is one.
        """
        columns = bool(self.adversary.reads_key) + (1 + len(self._wanted.attributes)) * self.records + 1
        needed = 4 * self.series.about_rows * (columns + len(self.series.vocabularies))
        there = memory_bytes()
        if there is not None and needed > there:
            what = f"the releases take about {needed / _GB:.1f} GB of memory, and this machine has {there / _GB:.1f} GB"
            raise UsageError(f"{manifests.NAME}: {what}; use a larger machine, or a cluster with --engine dask")

    def _tables(self) -> Iterator[Table | None]:
        """Yield the table of each release; while its cells are numbered the next table is read."""
        with ThreadPoolExecutor(1) as thread:
            following = thread.submit(copy_context().run, self.series.table, 0, self._wanted)
            for position in range(1, len(self)):
                table = following.result()
                following = thread.submit(copy_context().run, self.series.table, position, self._wanted)
                yield table
            yield following.result()

    @cached_property
    def _wanted(self) -> Wanted:
        wanted = self.records or self.adversary.has_register
        attributes = self.series.manifest.columns.quasi_identifiers if wanted else ()
        return Wanted(attributes, self.adversary.reads_key, self.records, self.adversary.tells_rows_apart)

    def _load(self, position: int, table: Table | None) -> LoadedRelease:
        release = self.series.release(position, self._wanted, table)
        record = None if release.records is None else self.names.encode_coded(release.records)
        read = loaded(
            replace(release, records=None),
            record,
            self.series.attributes if self.register is not None else None,
            row_classes=self.adversary.tells_rows_apart,
            keep_cells=self.records,
        )
        if self.combined is None:
            return read
        values = {**release.entry_value, self.combined.name: self.combined.add(release)}
        return read._replace(seen=replace(read.seen, entry_value=values))

    def around(self, position: int, people: Codes, *, published: bool = False) -> Release:
        """Return a release less the groups that hold none of some people, if the key tells who is in them.

        Groups are what publishes values together, or, with `published`, those of the file. It is small, and kept until
        other people are asked for.
        """
        asked = np.unique(people)
        if not np.array_equal(asked, self._asked):
            self._asked, self._around = asked, {}
        if (position, published) not in self._around:
            read = self.get(position)
            release = read.release if published else read.seen
            less = release if release.person is None else _around(release, release.person, asked)
            self._around[position, published] = less
        return self._around[position, published]

    def present(self) -> npt.NDArray[np.bool_]:
        """Return who is in some release, counterfeits that keep their identity included, by person code."""
        flags = np.zeros(self.series.people.size, dtype=np.bool_)
        for position in range(len(self)):
            person = self.get(position).release.person
            if person is not None:
                flags[person[person != NOBODY]] = True
        return flags


def loaded(
    release: Release,
    record: Codes | None,
    attributes: Mapping[str, QuasiIdentifier] | None,
    *,
    row_classes: bool,
    keep_cells: bool,
) -> LoadedRelease:
    """Return a release as adversaries see it; `attributes` are those of boxes, None where none are wanted."""
    boxes = None
    if attributes is not None:
        cells = [(release.cells[name], len(attribute.cells)) for name, attribute in attributes.items()]
        boxes = coverage.boxes(release.group.codes, cells)
        several = not boxes.single
    else:
        several = (
            row_classes and release.values_by_row and any(varies(release.group, c) for c in release.cells.values())
        )
    classes = classes_of(release) if several else None
    if boxes is not None and classes is not None:
        # The same boxes, in the order of the classes.
        columns = [release.cells[name][classes.first] for name in attributes or ()]
        boxes = replace(boxes, group=classes.group, cells=np.stack(columns, axis=1))
    release = release if keep_cells or several else replace(release, cells={})
    return LoadedRelease(release, boxes, record, classes, by_class(release, classes))


def _around(release: Release, person: Codes, people: Codes) -> Release:
    """Return a release less the groups that hold none of some people."""
    held = np.zeros(release.group.size, dtype=np.bool_)
    # Whose last bits are nobody's whom we look for cannot be one of them; the flags of bits stay in the cache.
    bits = np.zeros(_LAST_BITS + 1, dtype=np.bool_)
    bits[people & _LAST_BITS] = True
    for start in range(0, len(person), _CHUNK):
        near = np.flatnonzero(bits[person[start : start + _CHUNK] & _LAST_BITS]) + start
        held[release.group.codes[near[np.isin(person[near], people)]]] = True
    rows, entries = np.flatnonzero(held[release.group.codes]), np.flatnonzero(held[release.entry_group])
    return release.some(rows, entries)
