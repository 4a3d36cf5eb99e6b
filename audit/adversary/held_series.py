"""A series held whole: its releases as integer columns, read once, and the publisher's key beside them.

What an adversary sees of a release (`SeenRelease`) has nothing of the key but what that adversary knows.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from audit.adversary import coverage
from audit.adversary.combined_values import CombinedVocabulary
from audit.adversary.row_classes import RowClasses, by_class, row_classes
from audit.io import manifest as manifests
from audit.io.background_knowledge import Register
from audit.io.encoding import NOBODY, IdentifierEncoder
from audit.io.releases import KeyedRelease, Release, varies
from audit.io.series import Series
from audit.model.adversary import ADVERSARIES, AdversaryKind
from audit.model.arrays import Codes, Flags
from audit.model.errors import UsageError
from audit.runtime.budget import Budget

_GB = 1e9


class SeenRelease(NamedTuple):
    """A release as an adversary sees it.

    Attributes:
        release: what is published; the cells only where records are followed, or where rows of one group differ in
            them.
        boxes: its distinct boxes, where there is a register.
        record: the record of each row, by codes common to all releases, where records are followed; shape (rows,).
        classes: its row classes, box by box where there are boxes; None where each group is one.
        seen: the same release, its groups being what publishes values together, row classes in a plain table; with the
            combinations of its values, where there are several sensitive attributes.
        person: who each row is, -1 where that is not known; None where the adversary does not know it; shape (rows,).
        strangers: rows of people without saying whose; None where there are none, or it is not known; shape (rows,).
        counterfeit: which rows are counterfeits and judged by no attack, as the key says; None without a key.
    """

    release: Release
    boxes: coverage.Boxes | None
    record: Codes | None
    classes: RowClasses | None
    seen: Release
    person: Codes | None
    strangers: Flags | None
    counterfeit: Flags | None


class HeldSeries:
    """All releases of a series, for those who check, name and score what attacks find.

    `records` says whether records are followed: their ids and all cells are then read.

    Attributes:
        keyed: the releases with the publisher's key.
        seen: the releases as the adversary sees them.
        names: the record ids by code.
        combined: numbers the combinations of the values of several sensitive attributes, where there are several and
            nothing is known beforehand; None elsewhere.

    Raises:
        InputError: a release cannot be read.
        UsageError: they do not fit into memory.
    """

    def __init__(
        self, series: Series, kind: AdversaryKind, register: Register | None, *, records: bool, watched: Budget
    ) -> None:
        self.series, self.register, self.records = series, register, records
        self.adversary = adversary = ADVERSARIES[kind]
        self.names = IdentifierEncoder()
        several = len(series.vocabularies) > 1 and adversary.knows_people and series.manifest.known is None
        self.combined = CombinedVocabulary(series.vocabularies) if several else None
        self._check_memory()
        loaded = [self._load(position) for position in watched.each(range(len(series.tags)))]
        self.keyed = tuple(keyed for keyed, _ in loaded)
        self.seen = tuple(seen for _, seen in loaded)

    def __len__(self) -> int:
        """Return the number of releases."""
        return len(self.seen)

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

    def _load(self, position: int) -> tuple[KeyedRelease, SeenRelease]:
        """Read a release; return it with its key, and as the adversary sees it."""
        series, knows = self.series, self.adversary.knows_groups
        read = series.read(
            position,
            self._attributes,
            key=self.adversary.reads_key,
            records=self.records,
            row_classes=self.adversary.distinguishes_rows,
        )
        record = None if read.records is None else self.names.encode_coded(read.records)
        boxes, attributes = None, series.attributes if self.register is not None else {}
        several = self.adversary.distinguishes_rows and read.values_by_row
        several = several and any(varies(read.group, codes) for codes in read.cells.values())
        if self.register is not None:
            cells = [(read.cells[name], len(attribute.cells)) for name, attribute in attributes.items()]
            boxes = coverage.boxes(read.group.codes, cells)
            several = not boxes.single
        classes = row_classes(read) if several else None
        if boxes is not None and classes is not None:
            # The same boxes, in the order of the classes.
            columns = [read.cells[name][classes.first] for name in attributes]
            boxes = replace(boxes, group=classes.group, cells=np.stack(columns, axis=1))
        read = replace(read, records=None, cells=read.cells if self.records or several else {})
        release = read.published()
        seen = by_class(release, classes)
        if self.combined is not None:
            values = {**release.entry_value, self.combined.name: self.combined.add(release)}
            seen = replace(seen, entry_value=values)
        person, strangers = (read.person, read.strangers) if knows else (None, None)
        fake = read.counterfeit_rows(series.people)
        return read, SeenRelease(release, boxes, record, classes, seen, person, strangers, fake)

    def present(self) -> Flags:
        """Return who is in some release, counterfeits that keep their identity included, by person code."""
        flags = np.zeros(self.series.people.size, dtype=np.bool_)
        for release in self.keyed:
            if release.person is not None:
                flags[release.person[release.person != NOBODY]] = True
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
