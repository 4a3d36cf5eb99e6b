"""Sampling: draw people without replacement from a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from audit.io.encoding import IdentifierEncoder, Vocabulary
from audit.io.microdata import Microdata, SnapshotFile
from audit.io.tables import header
from audit.model.arrays import Counts
from audit.model.errors import InputError, Problem, Problems, printable
from audit.simulating.population import Attribute, Column, SyntheticPeople

_CLOSE = 1 << 12
"""Whole numbers in a smaller range are coded with all numbers between them, so that an age can move to the next."""


@dataclass(frozen=True)
class Source:
    """A table of people.

    Attributes:
        shown: the name of the file in messages.
        people: all of them, in the order of the rows.
    """

    shown: str
    people: SyntheticPeople

    def draw(
        self, cohorts: Sequence[int], batches: Sequence[Counts] | None, rng: np.random.Generator
    ) -> SyntheticPeople:
        """Draw people; `cohorts` and `batches` as in `generate`.

        Raises:
            InputError: the table has too few rows, or too few rows of a sensitive value.
        """
        needed = sum(cohorts)
        if needed > len(self.people.value):
            remedy = "ask for fewer with --rows, --insertions or --snapshots, or name a larger table"
            self._refuse(f"the table has {len(self.people.value):,} rows, and {needed:,} people are needed", remedy)
        order = rng.permutation(len(self.people.value))
        if batches is None:
            rows = order[:needed]
        else:
            rows = np.concatenate([order[: cohorts[0]], self._batches(order[cohorts[0] :], batches)])
        people = self.people
        columns = [column[rows] for column in people.columns]
        return replace(people, individual=people.individual.take(rows), columns=columns, value=people.value[rows])

    def _batches(self, rows: npt.NDArray[np.intp], batches: Sequence[Counts]) -> npt.NDArray[np.intp]:
        """Return rows for the batches, with as many of each value as each batch needs."""
        value = self.people.value[rows]
        lanes = rows[np.argsort(value, kind="stable")]
        available = np.bincount(value, minlength=len(self.people.sensitive))
        needed = np.array(batches, dtype=np.int64).reshape(-1, len(available)).sum(axis=0)
        if (needed > available).any():
            worst = int(np.argmax(needed - available))
            sensitive = self.people.sensitive
            named = f'"{printable(sensitive.values[worst])}" in "{printable(sensitive.name)}"'
            what = f"{available[worst]:,} rows with {named} are left for the batches, which need {needed[worst]:,}"
            self._refuse(what, "choose a smaller --slope or fewer --insertions")
        nexts = np.cumsum(available) - available
        taken = []
        for counts in batches:
            inside = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            taken.append(lanes[np.repeat(nexts, counts) + inside])
            nexts = nexts + counts
        return np.concatenate([rows[:0], *taken])

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        raise InputError([Problem(self.shown, what, remedy)])


def read_source(path: Path, quasi_identifiers: Sequence[str], sensitive: str, individual: str) -> Source:
    """Read the named columns of a table of people.

    Raises:
        InputError: the file cannot be read, a column is missing, a cell is empty, or an identifier occurs twice.
    """
    names, encoder, problems = (*quasi_identifiers, sensitive), IdentifierEncoder(), Problems()
    file = SnapshotFile(path.name, path, str(path))
    in_file = header(path, file.shown, problems)
    problems.check()
    for name in sorted({*names, individual}.difference(in_file or ())):
        remedy = "correct its name in --quasi-identifiers, --sensitive or --individual"
        problems.add(file.shown, "the column is not in the file", remedy, column=name)
    problems.check()
    read = Microdata(path.parent, path.name, (file,), individual, names, sensitive).read(0, encoder, Vocabulary())
    numeric = [len(numbers) == len(texts) for numbers, texts in zip(read.numbers, read.texts, strict=True)]
    attributes = [Attribute(*each) for each in zip(names, read.texts, numeric, strict=True)]
    columns = [codes.astype(each.dtype) for each, codes in zip(attributes, read.snapshot.point.T, strict=True)]
    filled = [_with_all_between(*each) for each in zip(attributes[:-1], columns[:-1], strict=True)]
    people = SyntheticPeople(
        tuple(attribute for attribute, _ in filled),
        attributes[-1],
        individual,
        encoder.names(read.snapshot.person),
        [column for _, column in filled],
        columns[-1],
    )
    return Source(file.shown, people)


def _with_all_between(attribute: Attribute, column: Column) -> tuple[Attribute, Column]:
    """Add the numbers between the values to an attribute of whole numbers with a small range; return its codes, too."""
    whole = attribute.whole
    if whole is None or whole[-1] - whole[0] >= _CLOSE:
        return attribute, column
    full = Attribute(attribute.name, [str(n) for n in range(int(whole[0]), int(whole[-1]) + 1)], is_numeric=True)
    return full, (whole - whole[0]).astype(full.dtype)[column]
