"""The releases of a series as an adversary needs them, read in order and kept while they are small together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from typing import NamedTuple, TypeVar

from audit import covering
from audit.core.evidence import AdversaryKind, Codes
from audit.reading.knowledge import Register, read_register
from audit.reading.numbering import People
from audit.reading.releases import Release
from audit.reading.series import Series
from audit.reading.tables import Coded

_CACHE_BYTES = 1 << 30
T = TypeVar("T")


class Read(NamedTuple):
    """A release that was read.

    Attributes:
        release: what it says; the cells only where records are followed.
        boxes: its distinct boxes, where there is a register.
        record: the record of each row, by codes common to all releases, where records are followed; shape (rows,).
    """

    release: Release
    boxes: covering.Boxes | None
    record: Codes | None


class Releases:
    """The releases of a series, read in order and kept while they are small together.

    `records` says whether records are followed: their ids and all cells are then read. `names` are the record ids
    by code.
    """

    def __init__(self, series: Series, kind: AdversaryKind, *, records: bool) -> None:
        self.series = series
        self.records = records
        self.names = People()
        self.register: Register | None = read_register(series) if kind == "register" else None
        wanted = records or kind == "register"
        self._attributes = series.manifest.columns.quasi_identifiers if wanted else ()
        self._kept: dict[int, Read] = {}
        self._bytes = 0
        self._read = 0
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of releases."""
        return len(self.series.tags)

    def get(self, position: int) -> Read:
        """Return a release.

        The codes of people, values and records are given out in the order of the releases, whichever is asked for
        first.
        """
        with self._lock:
            for earlier in range(self._read, position):
                self._keep(earlier)
            return self._keep(position)

    def _keep(self, position: int) -> Read:
        kept = self._kept.get(position)
        if kept is not None:
            return kept
        release = self.series.read(position, self._attributes, records=self.records)
        boxes = None
        if self.register is not None:
            attributes = self.series.attributes
            cells = [(codes, len(attributes[name].cells)) for name, codes in release.cells.items()]
            boxes = covering.boxes(release.group.codes, cells)
        record = None if release.records is None else self._numbered(release.records)
        release = replace(release, records=None, cells=release.cells if self.records else {})
        read = Read(release, boxes, record)
        self._read = max(self._read, position + 1)
        size = release.rows * 4 * (3 + len(release.entry_value) + len(release.cells) + self.records)
        if self._bytes + size <= _CACHE_BYTES:
            self._kept[position] = read
            self._bytes += size
        return read

    def _numbered(self, records: Coded) -> Codes:
        import pyarrow as pa

        codes = pa.array(records.codes)
        return self.names.encode(
            codes if records.names is None else pa.DictionaryArray.from_arrays(codes, pa.array(records.names))
        )


def ahead(count: int, read: Callable[[int], object], use: Callable[[int], T]) -> Iterator[T]:
    """Yield what `use` makes of each of so many releases, in order; meanwhile the next one is read by `read`."""
    with ThreadPoolExecutor(1) as reader:
        waiting = reader.submit(read, 0)
        for position in range(count):
            waiting.result()
            if position + 1 < count:
                waiting = reader.submit(read, position + 1)
            yield use(position)
