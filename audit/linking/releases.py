"""The releases of a series as an adversary needs them, read in order; a few are kept, never all of a large series.

The two read last are kept, so that one can be worked on while the next is read; and as many more as fit into a cache of
a fixed size, so that small series are read once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from audit import covering
from audit.core.evidence import AdversaryKind, Codes
from audit.core.kernels import wants_compiled
from audit.reading.knowledge import Register, read_register
from audit.reading.numbering import NOBODY, People
from audit.reading.releases import Release
from audit.reading.series import Series
from audit.reading.tables import Coded

_CACHE_BYTES = 1 << 28
_RECENT = 2
_SLACK = 32
_LAST_BITS = 0xFFFF
_CHUNK = 1 << 20
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
    """The releases of a series, read in order; the last two are kept, and more while they are small together.

    `records` says whether records are followed: their ids and all cells are then read. `names` are the record ids
    by code. `heard` is told of each release when it is read for the first time, in their order, by the thread that
    reads; it must not ask for releases.
    """

    def __init__(self, series: Series, kind: AdversaryKind, *, records: bool) -> None:
        self.series = series
        self.records = records
        self.names = People()
        self.heard: Callable[[int, Read], None] | None = None
        self.register: Register | None = read_register(series) if kind == "register" else None
        wanted = records or kind == "register"
        self._attributes = series.manifest.columns.quasi_identifiers if wanted else ()
        self._kept: dict[int, Read] = {}
        self._recent: dict[int, Read] = {}
        self._bytes = 0
        self._read = 0
        # One bit each, so that they stay in the processor's cache.
        self._present = np.zeros(0, dtype=np.uint8)
        self._asked = np.zeros(0, dtype=np.int32)
        self._around: dict[int, Release] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of releases."""
        return len(self.series.tags)

    def get(self, position: int) -> Read:
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

    def around(self, position: int, people: Codes) -> Release:
        """Return a release less the groups that hold none of some people, if the key tells who is in them.

        It is small, and kept until other people are asked for.
        """
        asked = np.unique(people)
        if not np.array_equal(asked, self._asked):
            self._asked, self._around = asked, {}
        if position not in self._around:
            release = self.get(position).release
            self._around[position] = release if release.person is None else _around(release, release.person, asked)
        return self._around[position]

    def present(self) -> npt.NDArray[np.bool_]:
        """Return who is in some release, counterfeits that keep their identity included, by person code."""
        if self._read < len(self):
            self.get(len(self) - 1)
        return np.unpackbits(self._present, count=self.series.people.size, bitorder="little").view(np.bool_)

    def _keep(self, position: int) -> Read:
        found = self._recent.get(position) or self._kept.get(position)
        if found is not None:
            return found
        while len(self._recent) >= _RECENT:
            del self._recent[next(iter(self._recent))]
        first = position >= self._read
        read = self._fresh(position, checked=not first)
        if first:
            self._note(read.release)
            if self.heard is not None:
                self.heard(position, read)
        self._read = max(self._read, position + 1)
        self._recent[position] = read
        release = read.release
        size = release.rows * 4 * (3 + len(release.entry_value) + len(release.cells) + self.records)
        if self._bytes + size <= _CACHE_BYTES:
            self._kept[position] = read
            self._bytes += size
        return read

    def _fresh(self, position: int, *, checked: bool) -> Read:
        release = self.series.read(position, self._attributes, records=self.records, checked=checked)
        boxes = None
        if self.register is not None:
            attributes = self.series.attributes
            cells = [(codes, len(attributes[name].cells)) for name, codes in release.cells.items()]
            boxes = covering.boxes(release.group.codes, cells)
        record = None if release.records is None else self._numbered(release.records)
        release = replace(release, records=None, cells=release.cells if self.records else {})
        return Read(release, boxes, record)

    def _note(self, release: Release) -> None:
        """Note who is in a release."""
        if release.person is None:
            return
        people, bits = self.series.people.size, self._present
        if people > 8 * len(bits):
            # Some room beyond: each time there are more people, everything is copied.
            bits = np.concatenate([bits, np.zeros(people // 8 + people // _SLACK + 1 - len(bits), dtype=np.uint8)])
        if wants_compiled(self.series.about_rows):
            from audit.reading import numbering_compiled

            numbering_compiled.mark(bits, release.person)
        else:
            flags = np.zeros(8 * len(bits), dtype=np.bool_)
            flags[release.person[release.person != NOBODY]] = True
            bits |= np.packbits(flags, bitorder="little")
        self._present = bits

    def _numbered(self, records: Coded) -> Codes:
        import pyarrow as pa

        codes = pa.array(records.codes)
        return self.names.encode(
            codes if records.names is None else pa.DictionaryArray.from_arrays(codes, pa.array(records.names))
        )


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
        entry_group=release.entry_group[entries],
        entry_value={name: codes[entries] for name, codes in release.entry_value.items()},
        entry_count=None if release.entry_count is None else release.entry_count[entries],
        counts=None if release.counts is None else release.counts[rows],
        cells={name: codes[rows] for name, codes in release.cells.items()},
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
