"""Combinations: the values that one row has of all sensitive attributes together, as values of one more attribute."""

from __future__ import annotations

import numpy as np

from audit.io.encoding import Vocabulary
from audit.io.releases import Release
from audit.io.tables import NamesOnDemand
from audit.model.arrays import Codes
from audit.model.composite_keys import combine, distinct
from audit.model.evidence import claimed_part

_BETWEEN = " + "


class CombinedVocabulary:
    """The combinations that are published, numbered in the order in which they were first seen.

    Attributes:
        attributes: the sensitive attributes.
        name: what they are called together; it is none of them.
    """

    def __init__(self, vocabularies: dict[str, Vocabulary]) -> None:
        self.attributes = tuple(vocabularies)
        self.name = _BETWEEN.join(self.attributes)
        while self.name in vocabularies:
            self.name += _BETWEEN
        self._vocabularies = tuple(vocabularies.values())
        self._codes: dict[tuple[int, ...], int] = {}
        self._parts = np.zeros((0, len(vocabularies)), dtype=np.int32)
        self.names = NamesOnDemand(self.__len__, self.text)

    def __len__(self) -> int:
        """Return how many combinations are known."""
        return len(self._codes)

    def add(self, release: Release) -> Codes:
        """Return the combination of each entry of a release, numbering the new ones; shape (entries,), int32."""
        columns = [release.entry_value[name] for name in self.attributes]
        sizes = map(len, self._vocabularies)
        rows, place = distinct(*combine(list(zip(columns, sizes, strict=True)), len(columns[0])))
        found = np.stack([column[rows] for column in columns], axis=1)
        # In the order of the file.
        first = np.full(len(rows), len(place), dtype=np.int64)
        np.minimum.at(first, place, np.arange(len(place)))
        codes = np.zeros(len(rows), dtype=np.int32)
        for at in np.argsort(first).tolist():
            codes[at] = self._codes.setdefault(tuple(found[at].tolist()), len(self._codes))
        return codes[place]

    def code(self, parts: tuple[int, ...]) -> int:
        """Return the code of a combination, given the code of its value of each attribute.

        Raises:
            KeyError: it is not published.
        """
        return self._codes[parts]

    def parts(self) -> Codes:
        """Return the value of each attribute that each combination is of, by code; shape (combinations, attributes)."""
        if len(self._parts) < len(self._codes):
            self._parts = np.array(list(self._codes), dtype=np.int32).reshape(-1, len(self.attributes))
        return self._parts

    def text(self, code: int) -> str:
        """Return a combination, or the value of one attribute that a claim is about (see `claimed_part`), as text."""
        if code < 0:
            attribute, value = claimed_part(code, len(self.attributes))
            return self._vocabularies[attribute].names[value]
        parts = self.parts()[code].tolist()
        return _BETWEEN.join(each.names[part] for each, part in zip(self._vocabularies, parts, strict=True))
