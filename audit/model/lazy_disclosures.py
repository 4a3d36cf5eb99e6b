"""Disclosures of all versions of some people, looked up in the releases only as far as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from audit.model.arrays import Codes, Places
from audit.model.outcome import AttributeDisclosure, AttributeDisclosures, Columns

Present = Callable[[int], Codes]
"""Returns those of the people concerned who are in a release, counted from 0, in the order of the release."""


class VersionDisclosures(AttributeDisclosures):
    """The claims that some people have one and the same certain value each in all of their versions.

    There are as many claims as versions, in the order of the releases: too many to be held for the few that are shown.
    Who asks for the first ones makes the first releases be looked up alone; the columns are made when asked for.
    """

    def __init__(
        self,
        certain: Codes,
        value_of: Codes,
        count: int,
        present: Present,
        build: Callable[[Columns], Sequence[AttributeDisclosure | None]],
    ) -> None:
        """Take the people; the value of each by person code, in any type; the number of claims."""
        self._certain, self._value_of, self._count, self._present = certain, value_of, count, present
        self._build = build
        self._parts: list[Codes] = []

    def build(self, places: Places) -> Sequence[AttributeDisclosure | None]:
        """Return the findings at some places, with their certificates."""
        return self._build(self.at(places))

    def __len__(self) -> int:
        """Return the number of claims."""
        return self._count

    @property
    def people(self) -> Codes:
        """Whom the claims are about, each once."""
        return self._certain

    @cached_property
    def person(self) -> Codes:
        """Whom each claim is about."""
        return self._prefix(self._count)[0]

    @cached_property
    def release(self) -> Codes:
        """Of which release each is."""
        return self._prefix(self._count)[1]

    @cached_property
    def value(self) -> Codes:
        """Which value is claimed."""
        return self._prefix(self._count)[2]

    def at(self, places: Places) -> Columns:
        """Return the columns of some claims."""
        columns = self._prefix(int(places.max(initial=-1)) + 1)
        return columns[0][places], columns[1][places], columns[2][places]

    def worst(self, most: int) -> Places:
        """Return at least `most` claims of which none is better than any that is left out; of the first releases."""
        return np.arange(len(self._prefix(min(most, self._count))[0]))

    def _prefix(self, least: int) -> Columns:
        """Return the columns of the claims of so many releases that there are at least `least` of them."""
        while sum(map(len, self._parts)) < least:
            self._parts.append(self._present(len(self._parts)))
        person = np.concatenate([np.zeros(0, dtype=np.int32), *self._parts])
        release = np.repeat(np.arange(len(self._parts), dtype=np.int32), [len(part) for part in self._parts])
        return person, release, self._value_of[person].astype(np.int32)
