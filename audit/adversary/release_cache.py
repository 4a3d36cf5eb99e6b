"""The releases of a series as an adversary needs them, read in order; a few are kept, never all of a large series.

The two read last are kept, so that one can be worked on while the next is read; and as many more as fit into a cache of
a fixed size, so that small series are read once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from audit.adversary import coverage
from audit.adversary.combined_values import CombinedVocabulary
from audit.adversary.row_classes import RowClasses, by_class
from audit.adversary.row_classes import row_classes as classes_of
from audit.io.attributes import QuasiIdentifier
from audit.io.background_knowledge import Register, read_register
from audit.io.encoding import IdentifierEncoder
from audit.io.releases import Release, Wanted, varies
from audit.io.series import Series
from audit.io.tables import Table
from audit.io.unread_cells import check_register_texts
from audit.model.adversary import ADVERSARIES, AdversaryKind
from audit.model.arrays import Codes

_CACHE_BYTES = 1 << 28
_RECENT = 2
_SLACK = 32
_LAST_BITS = 0xFFFF
_CHUNK = 1 << 20
T = TypeVar("T")


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

    def less_noted(self) -> LoadedRelease:
        """Return the same without the bits of who is in it, once they are noted."""
        return self._replace(release=replace(self.release, present=None), seen=replace(self.seen, present=None))


class ReleaseCache:
    """The releases of a series, read in order; the last two are kept, and more while they are small together.

    `records` says whether records are followed: their ids and all cells are then read. `names` are the record ids
    by code. `combined` numbers the combinations of the values of several sensitive attributes, where there are several
    and nothing is known beforehand; None elsewhere. `on_first_read` is told of each release when it is read for the
    first time, in their order, by the thread that reads; it must not ask for releases.
    """

    def __init__(self, series: Series, kind: AdversaryKind, *, records: bool) -> None:
        self.series = series
        self.adversary = adversary = ADVERSARIES[kind]
        self.records = records
        self.names = IdentifierEncoder()
        self.on_first_read: Callable[[int, LoadedRelease], None] | None = None
        self.register: Register | None = read_register(series) if adversary.has_register else None
        if self.register is not None:
            check_register_texts(series, self.register)
        self._row_classes = adversary.tells_rows_apart
        several = len(series.vocabularies) > 1 and adversary.knows_people and series.manifest.known is None
        self.combined = CombinedVocabulary(series.vocabularies) if several else None
        wanted = records or adversary.has_register
        self._attributes = series.manifest.columns.quasi_identifiers if wanted else ()
        self._kept: dict[int, LoadedRelease] = {}
        self._recent: dict[int, LoadedRelease] = {}
        self._tables: dict[int, Table] = {}
        self._uniform: set[int] = set()
        self._bytes = 0
        self._read = 0
        self._present = np.zeros(0, dtype=np.uint8)
        self._asked = np.zeros(0, dtype=np.int32)
        self._around: dict[tuple[int, bool], Release] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of releases."""
        return len(self.series.tags)

    def get(self, position: int) -> LoadedRelease:
        """Return a release.

        The codes of people, values and records are given out in the order of the releases, whichever is asked for
        first.
        """
        # Nobody who works on a release waits for another one that is being read.
        found = self._recent.get(position) or self._kept.get(position)
        if found is not None:
            return found
        with self._lock:
            for earlier in range(self._read, position):
                self._keep(earlier)
            return self._keep(position)

    def stream(
        self, read: Callable[[int], object], use: Callable[[int], T], *, needs: Callable[[int], bool] = lambda _: True
    ) -> Iterator[T]:
        """Yield what `use` makes of each release, in order.

        Meanwhile `read` reads the next one, and the table of the one after it is read, where `needs` says that `read`
        will need it.
        """
        try:
            with ThreadPoolExecutor(1) as loader, ThreadPoolExecutor(1) as reader:

                def load(position: int) -> Future[None]:
                    return loader.submit(copy_context().run, self._load, position, needs)

                def begin(position: int, table: Future[None]) -> Future[None]:
                    return reader.submit(copy_context().run, finish, position, table)

                def finish(position: int, table: Future[None]) -> None:
                    table.result()
                    read(position)

                release, table = begin(0, load(0)), load(1)
                for position in range(len(self)):
                    release.result()
                    if position + 1 < len(self):
                        release, table = begin(position + 1, table), load(position + 2)
                    yield use(position)
        finally:
            self._tables.clear()

    def _load(self, position: int, needs: Callable[[int], bool]) -> None:
        """Read the table of a release, unless it is there or there is none so late.

        What is wrong with it is told when it is read again.
        """
        there = position in self._recent or position in self._kept or position in self._tables
        if position < len(self) and needs(position) and not there:
            table = self.series.table(position, self._wanted(position))
            if table is not None:
                self._tables[position] = table

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
        if self._read < len(self):
            self.get(len(self) - 1)
        return np.unpackbits(self._present, count=self.series.people.size, bitorder="little").view(np.bool_)

    def _keep(self, position: int) -> LoadedRelease:
        found = self._recent.get(position) or self._kept.get(position)
        if found is not None:
            return found
        while len(self._recent) >= _RECENT:
            del self._recent[next(iter(self._recent))]
        first = position >= self._read
        read = self._fresh(position)
        if first:
            self._note(read.release)
            if self.on_first_read is not None:
                self.on_first_read(position, read)
                if _is_uniform(read.release):
                    self._uniform.add(position)
            read = read.less_noted()
        self._read = max(self._read, position + 1)
        self._recent[position] = read
        release = read.release
        columns = 4 + len(release.entry_value) + len(release.cells) + self.records + (read.classes is not None)
        size = release.rows * 4 * columns
        if self._bytes + size <= _CACHE_BYTES:
            self._kept[position] = read
            self._bytes += size
        return read

    def _wanted(self, position: int) -> Wanted:
        key, checked = self.adversary.reads_key, position < self._read
        return Wanted(self._attributes, key, self.records, self._row_classes, checked, position in self._uniform)

    def _fresh(self, position: int) -> LoadedRelease:
        release = self.series.release(position, self._wanted(position), self._tables.pop(position, None))
        record = None if release.records is None else self.names.encode_coded(release.records)
        read = loaded(
            replace(release, records=None),
            record,
            self.series.attributes if self.register is not None else None,
            row_classes=self._row_classes,
            keep_cells=self.records,
        )
        if self.combined is None:
            return read
        values = {**release.entry_value, self.combined.name: self.combined.add(release)}
        return read._replace(seen=replace(read.seen, entry_value=values))

    def _note(self, release: Release) -> None:
        """Note who is in a release."""
        now, bits = release.present, self._present
        if now is None:
            return
        if len(now) > len(bits):
            # Some room beyond: each time there are more people, everything is copied.
            bits = np.concatenate([bits, np.zeros(len(now) + len(now) // _SLACK + 1 - len(bits), dtype=np.uint8)])
        bits[: len(now)] |= now
        self._present = bits


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


def _is_uniform(release: Release) -> bool:
    """Return whether nothing but its panel depends on how rows look: where a plain table's are alike in each group."""
    return release.values_by_row and release.looks is not None and release.looks.by_group


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
    return replace(
        release,
        group=replace(release.group, codes=release.group.codes[rows]),
        person=person[rows],
        strangers=None if release.strangers is None else release.strangers[rows],
        entry_group=release.entry_group[entries],
        entry_value={name: codes[entries] for name, codes in release.entry_value.items()},
        entry_count=None if release.entry_count is None else release.entry_count[entries],
        counts=None if release.counts is None else release.counts[rows],
        cells={name: codes[rows] for name, codes in release.cells.items()},
        looks=None if release.looks is None else release.looks.of_some(rows),
    )
