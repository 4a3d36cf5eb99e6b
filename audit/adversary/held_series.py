"""The releases of a series as an adversary sees them: read once, in their order, and held as integer columns."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from audit.adversary import coverage
from audit.adversary.combined_values import CombinedVocabulary
from audit.adversary.row_classes import RowClasses, by_class, row_classes
from audit.io import manifest as manifests
from audit.io.background_knowledge import Register
from audit.io.encoding import NOBODY, IdentifierEncoder
from audit.io.releases import Release, varies
from audit.io.series import Series
from audit.model.adversary import ADVERSARIES, AdversaryKind
from audit.model.arrays import Codes
from audit.model.errors import UsageError
from audit.runtime.budget import Budget

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
    """The releases of a series, all of which are read when one is first asked for.

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
    ) -> None:
        self.series, self.register, self.records = series, register, records
        self.adversary = adversary = ADVERSARIES[kind]
        self.names = IdentifierEncoder()
        several = len(series.vocabularies) > 1 and adversary.knows_people and series.manifest.known is None
        self.combined = CombinedVocabulary(series.vocabularies) if several else None
        self._loaded: list[LoadedRelease] = []

    def __len__(self) -> int:
        """Return the number of releases."""
        return len(self.series.tags)

    def get(self, position: int) -> LoadedRelease:
        """Return a release, counted from 0.

        Raises:
            InputError: a release cannot be read.
        """
        if not self._loaded:
            self.read(Budget())
        return self._loaded[position]

    def read(self, watched: Budget) -> None:
        """Read all releases, and report after each how many are read.

        Raises:
            InputError: a release cannot be read.
            UsageError: they do not fit into memory.
        """
        self._check_memory()
        self._loaded = [self._load(position) for position in watched.each(range(len(self)))]

    def _check_memory(self) -> None:
        """Refuse a series whose columns alone, as they are held, take more than there is: at least a group and a value.

        Raises:
            UsageError: it is one.
        """
        columns = bool(self.adversary.reads_key) + (1 + len(self._attributes)) * self.records + 1
        needed = 4 * self.series.about_rows * (columns + len(self.series.vocabularies))
        there = memory_bytes()
        if there is not None and needed > there:
            what = f"the releases take about {needed / _GB:.1f} GB of memory, and this machine has {there / _GB:.1f} GB"
            raise UsageError(f"{manifests.NAME}: {what}; use a larger machine")

    @property
    def _attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers whose cells are read."""
        wanted = self.records or self.adversary.has_register
        return self.series.manifest.columns.quasi_identifiers if wanted else ()

    def _load(self, position: int) -> LoadedRelease:
        release = self.series.read(
            position,
            self._attributes,
            key=self.adversary.reads_key,
            records=self.records,
            row_classes=self.adversary.distinguishes_rows,
        )
        record = None if release.records is None else self.names.encode_coded(release.records)
        boxes, attributes = None, self.series.attributes if self.register is not None else {}
        several = self.adversary.distinguishes_rows and release.values_by_row
        several = several and any(varies(release.group, codes) for codes in release.cells.values())
        if self.register is not None:
            cells = [(release.cells[name], len(attribute.cells)) for name, attribute in attributes.items()]
            boxes = coverage.boxes(release.group.codes, cells)
            several = not boxes.single
        classes = row_classes(release) if several else None
        if boxes is not None and classes is not None:
            # The same boxes, in the order of the classes.
            columns = [release.cells[name][classes.first] for name in attributes]
            boxes = replace(boxes, group=classes.group, cells=np.stack(columns, axis=1))
        release = replace(release, records=None, cells=release.cells if self.records or several else {})
        seen = by_class(release, classes)
        if self.combined is not None:
            values = {**release.entry_value, self.combined.name: self.combined.add(release)}
            seen = replace(seen, entry_value=values)
        return LoadedRelease(release, boxes, record, classes, seen)

    def present(self) -> npt.NDArray[np.bool_]:
        """Return who is in some release, counterfeits that keep their identity included, by person code."""
        flags = np.zeros(self.series.people.size, dtype=np.bool_)
        for position in range(len(self)):
            person = self.get(position).release.person
            if person is not None:
                flags[person[person != NOBODY]] = True
        return flags


_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def memory_bytes() -> int | None:
    """Return the bytes of memory of this machine or container; None if the system does not say."""
    known = []
    with suppress(AttributeError, ValueError, OSError):  # not every system has this, or answers
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):  # no container, or one without a limit
        known.append(int(_CONTAINER.read_text(encoding="ascii")))
    return min((each for each in known if each > 0), default=None)
