"""Record ids: published, kept by people over the releases, and random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.io.encoding import NOBODY
from audit.model.evidence import Codes


class RecordIds:
    """The published record ids of a series: people keep theirs, newcomers and counterfeits get random ones."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._used: set[str] = set()
        self._of = np.full(0, -1, dtype=np.int32)

    def learn(self, person: Codes, names: Sequence[str]) -> None:
        """Take over the record ids of a release's rows; the last one counts."""
        size = int(person.max(initial=-1)) + 1
        if size > len(self._of):
            self._of = np.concatenate([self._of, np.full(size - len(self._of), -1, dtype=np.int32)])
        fresh = np.array([place for place, name in enumerate(names) if name not in self._used], dtype=np.int64)
        number = {name: place for place, name in enumerate(self._names)} if len(fresh) < len(names) else {}
        for place in fresh.tolist():
            number[names[place]] = len(self._names)
            self._names.append(names[place])
            self._used.add(names[place])
        codes = np.array([number[name] for name in names], dtype=np.int32)
        real = person != NOBODY
        self._of[person[real]] = codes[real]

    def of(self, person: Codes, rng: np.random.Generator) -> list[str]:
        """Return the record id of each row."""
        size = len(self._of)
        known = np.where((person >= 0) & (person < size), np.append(self._of, -1)[np.minimum(person, size)], -1)
        ids: list[str] = [self._names[code] if code >= 0 else "" for code in known.tolist()]
        missing = np.flatnonzero(known < 0).tolist()
        drawn: dict[str, None] = {}
        while len(drawn) < len(missing):
            more = rng.integers(0, 1 << 40, len(missing) - len(drawn)).tolist()
            names = (f"r{number:010x}" for number in more)
            drawn |= {name: None for name in names if name not in self._used}
        for place, name in zip(missing, drawn, strict=True):
            ids[place] = name
        return ids
