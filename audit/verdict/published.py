"""What the files say, looked up one person and one group at a time, for checkers that share nothing with the attacks.

No pools and no matrices: a group's rows are counted, a person's groups are found in the key or by holding each cell
against the register's line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from audit.linking.linked import LinkedSource
from audit.linking.register import RegisterSource
from audit.reading.cells import Kind, ValueSet, contains, parse
from audit.reading.numbering import NOBODY
from audit.reading.releases import Release


@dataclass
class _Index:
    """One release, and where its people and its groups stand; each found out when it is first asked for."""

    release: Release
    sensitive: str

    @cached_property
    def codes(self) -> dict[str, int]:
        """The groups by name."""
        group = self.release.group
        return {group.name(code): code for code in np.unique(group.codes).tolist()}

    @cached_property
    def _order(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
        """The entries in the order of their groups, and these groups."""
        order = np.argsort(self.release.entry_group, kind="stable")
        return order, self.release.entry_group[order]

    def rows(self, group: int) -> dict[int, int]:
        """Return how many rows of a group there are with each of its values."""
        order, groups = self._order
        # In the type of the groups: all of them would be converted for each question otherwise.
        first, last = np.searchsorted(groups, np.array([group, group + 1], dtype=groups.dtype))
        places = order[first:last]
        values = self.release.entry_value[self.sensitive][places].tolist()
        counts = [1] * len(places) if self.release.entry_count is None else self.release.entry_count[places].tolist()
        found: dict[int, int] = {}
        for value, count in zip(values, counts, strict=True):
            found[value] = found.get(value, 0) + count
        return found

    @cached_property
    def _by_person(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
        """The rows in the order of their people, and these."""
        person = self.release.person
        if person is None:
            return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.int32)
        order = np.argsort(person, kind="stable")
        return order, person[order]

    def row_of(self, person: int) -> int | None:
        """Return the row of a person of a key; None where there is none."""
        order, people = self._by_person
        place = int(np.searchsorted(people, np.int32(person)))
        return int(order[place]) if person != NOBODY and place < len(people) and people[place] == person else None


class Published:
    """The releases behind some evidence, and what is known of people beside them."""

    def __init__(self, source: LinkedSource) -> None:
        self.source = source
        self._index: dict[int, _Index] = {}
        self._only: npt.NDArray[np.int32] | None = None
        self._fits: dict[tuple[int, str], npt.NDArray[np.bool_]] = {}
        self._lines: dict[int, dict[int, int]] | None = None

    def only(self, people: npt.NDArray[np.int32]) -> None:
        """Look at the groups of some people alone from now on, where the key tells who is in them."""
        self._only, self._index = people if self.source.by_key else None, {}

    def everything(self) -> None:
        """Look at all groups again."""
        if self._only is not None:
            self._only, self._index = None, {}

    @property
    def releases(self) -> int:
        """Number of releases."""
        return len(self.source.releases)

    def codes(self, release: int) -> dict[str, int]:
        """Return the groups of a release by name."""
        return self._read(release).codes

    def group_name(self, release: int, group: int) -> str:
        """Return the name of a group of a release."""
        return self._read(release).release.group.name(group)

    def rows(self, release: int, group: int) -> dict[int, int]:
        """Return how many rows of a group there are with each of its values."""
        return self._read(release).rows(group)

    def homes(self, person: int, release: int) -> set[int]:
        """Return the codes of the groups that may hold a person in a release; none where the person is not in it."""
        if not 0 <= release < self.releases:
            return set()
        if isinstance(self.source, RegisterSource):
            return self._covering(self.source, person, release)
        index = self._read(release)
        row = index.row_of(person)
        return set() if row is None else {int(index.release.group.codes[row])}

    def known(self, person: int, release: int) -> int | None:
        """Return the value that is known beforehand of a person in a release."""
        found = self._known().get(person, {})
        if self.source.constant:
            return next(iter(found.values()), None)
        return found.get(release, found.get(-1))

    def known_people(self) -> list[int]:
        """Return the people of whom something is known beforehand."""
        return list(self._known())

    def _known(self) -> dict[int, dict[int, int]]:
        """Return the lines of known values, by person and release, -1 for all releases."""
        if self._lines is None:
            self._lines, known = {}, self.source.known
            if known is not None:
                lines = zip(known.person.tolist(), known.release.tolist(), known.value.tolist(), strict=True)
                for person, release, value in lines:
                    self._lines.setdefault(person, {})[release] = value
        return self._lines

    def _read(self, release: int) -> _Index:
        if release not in self._index:
            source, only = self.source, self._only
            read = source.release(release) if only is None else source.around(release, only)
            self._index[release] = _Index(read, source.sensitive)
        return self._index[release]

    def _covering(self, source: RegisterSource, person: int, release: int) -> set[int]:
        register, boxes = source.register, source.releases.get(release).boxes
        lines = np.flatnonzero(register.person == person)
        lines = lines[(register.first[lines] <= release) & (release <= register.last[lines])]
        if len(lines) != 1 or boxes is None:
            return set()
        covered = np.ones(len(boxes.group), dtype=np.bool_)
        for place, name in enumerate(source.series.manifest.columns.quasi_identifiers):
            exact = register.values[place][register.points[register.point[lines[0]], place]]
            covered &= self._fitting(place, name, exact)[boxes.cells[:, place]]
        return {int(group) for group in boxes.group[covered]}

    def _fitting(self, place: int, name: str, exact: str) -> npt.NDArray[np.bool_]:
        """Return which cells of a quasi-identifier may stand for an exact value."""
        attribute = self.source.series.attributes[name]
        fits = self._fits.get((place, exact))
        if fits is None or len(fits) < len(attribute.cells):
            if exact in attribute.missing:
                fits = np.ones(len(attribute.cells), dtype=np.bool_)
            else:
                point = parse(exact, attribute.kind) if attribute.kind is Kind.NUMERIC else ValueSet(frozenset({exact}))
                fits = np.array([contains(cell, point) for cell in attribute.cells], dtype=np.bool_)
            self._fits[place, exact] = fits
        return fits
