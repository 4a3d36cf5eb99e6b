"""Sampling: draw people without replacement from a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from audit.io.cell_reading import parse_value
from audit.io.cells import CellError, Kind
from audit.io.diagnostics import check_file
from audit.io.encoding import COUNTERFEIT
from audit.io.tables import SUFFIXES, Table, header, is_table, read_table, text_codes
from audit.io.texts import arrow, column_of
from audit.io.toml import natural
from audit.model.arrays import Codes, Counts
from audit.model.errors import InputError, Problem, Problems, printable
from audit.simulating.attributes import Attribute, Column
from audit.simulating.population import SyntheticPeople, identifier_name, identifiers

_CLOSE = 1 << 12
"""Whole numbers in a smaller range are coded with all numbers between them, so that an age can move to the next."""
_NOT_A_NUMBER = {"nan", "NaN"}
"""Missing values in a floating-point column of a Parquet file."""


@dataclass(frozen=True)
class Source:
    """A table of people.

    Attributes:
        shown: the name of the file in messages.
        columns, value: codes of each row, shape (rows,).
        individual: the column's name and the identifiers by row, an Arrow array; None if they are to be made up.
    """

    shown: str
    quasi_identifiers: tuple[Attribute, ...]
    sensitive: Attribute
    columns: list[Column]
    value: Column
    individual: tuple[str, Any] | None

    def draw(
        self, cohorts: Sequence[int], batches: Sequence[Counts] | None, rng: np.random.Generator
    ) -> SyntheticPeople:
        """Draw people; `cohorts` and `batches` as in `generate`.

        Raises:
            InputError: the table has too few rows, or too few rows of a sensitive value.
        """
        needed = sum(cohorts)
        if needed > len(self.value):
            remedy = "ask for fewer with --rows, --insertions or --snapshots, or name a larger table"
            self._refuse(f"the table has {len(self.value):,} rows, and {needed:,} people are needed", remedy)
        order = rng.permutation(len(self.value))
        if batches is None:
            rows = order[:needed]
        else:
            rows = np.concatenate([order[: cohorts[0]], self._batches(order[cohorts[0] :], batches)])
        taken = {self.sensitive.name, *(attribute.name for attribute in self.quasi_identifiers)}
        if self.individual is None:
            name, individual = identifier_name(taken), identifiers(needed, rng)
        else:
            name, individual = self.individual[0], self.individual[1].take(rows)
        columns = [column[rows] for column in self.columns]
        return SyntheticPeople(self.quasi_identifiers, self.sensitive, name, individual, columns, self.value[rows])

    def _batches(self, rows: npt.NDArray[np.intp], batches: Sequence[Counts]) -> npt.NDArray[np.intp]:
        """Return rows for the batches, with as many of each value as each batch needs."""
        value = self.value[rows]
        lanes = rows[np.argsort(value, kind="stable")]
        available = np.bincount(value, minlength=len(self.sensitive))
        needed = np.array(batches, dtype=np.int64).reshape(-1, len(available)).sum(axis=0)
        if (needed > available).any():
            worst = int(np.argmax(needed - available))
            named = f'"{printable(self.sensitive.values[worst])}" in "{printable(self.sensitive.name)}"'
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


def read_source(path: Path, quasi_identifiers: Sequence[str], sensitive: str, individual: str | None) -> Source:
    """Read the named columns of a table of people.

    Raises:
        InputError: the file cannot be read, a column is missing, a cell is empty, or an identifier occurs twice.
    """
    problems = Problems()
    shown = str(path)
    wanted = [*quasi_identifiers, sensitive, *([individual] if individual else [])]
    table = read_table(path, shown, wanted, problems) if _has(path, shown, wanted, problems) else None
    if table is not None and not table.rows:
        problems.add(shown, "the table has no rows", "name a table of people")
    problems.check()
    if table is None:
        raise InputError(problems.found)
    coded = [_coded(table, name, problems) for name in [*quasi_identifiers, sensitive]]
    who = (individual, _identifiers(table, individual, problems)) if individual else None
    problems.check()
    filled = [_with_all_between(attribute, column) for attribute, column in coded[:-1]]
    quasi, columns = tuple(attribute for attribute, _ in filled), [column for _, column in filled]
    return Source(shown, quasi, coded[-1][0], columns, coded[-1][1], who)


def _has(path: Path, shown: str, wanted: Sequence[str], problems: Problems) -> bool:
    """Return whether a file is a table with these columns; problems are added to `problems`."""
    if not check_file(path, shown, problems):
        return False
    if not is_table(path):
        problems.add(shown, "this is not a table", f"name a file that ends in {', '.join(SUFFIXES)}")
        return False
    names = header(path, shown, problems)
    if names is None:
        return False
    for name in wanted:
        if name not in names:
            remedy = "correct its name in --quasi-identifiers, --sensitive or --individual"
            problems.add(shown, "the column is not in the file", remedy, column=name)
    return not problems.found


def _coded(table: Table, name: str, problems: Problems) -> tuple[Attribute, Column]:
    """Return the attribute of a column, and the code of each row."""
    codes, texts = text_codes(table.arrow(name))
    used = np.flatnonzero(np.bincount(codes, minlength=len(texts)))
    blank = [place for place in used.tolist() if not texts[place].strip("*") or texts[place] in _NOT_A_NUMBER]
    for place in blank:
        what = "the cell says nothing" if texts[place] else "the cell is empty"
        table.note_first(codes == place, name, what, "fill it, or leave the row out", problems)
    if blank or not len(used):
        return Attribute(name, [], is_numeric=False), codes.astype(np.uint32)
    attribute = _attribute(name, [texts[place] for place in used.tolist()])
    place_of = {text: place for place, text in enumerate(attribute.values)}
    lookup = np.zeros(len(texts), dtype=attribute.dtype)
    lookup[used] = [place_of[texts[place]] for place in used.tolist()]
    return attribute, lookup[codes]


def _attribute(name: str, texts: Sequence[str]) -> Attribute:
    """Return an attribute with these values: numbers by size, texts in natural order."""
    try:
        numbers = [parse_value(text, Kind.NUMERIC) for text in texts]
    except CellError:
        return Attribute(name, sorted(texts, key=lambda text: (natural(text), text)), is_numeric=False)
    by_size = sorted(zip(numbers, texts, strict=True), key=lambda pair: (pair[0] or 0, pair[1]))
    return Attribute(name, [text for _, text in by_size], is_numeric=True)


def _with_all_between(attribute: Attribute, column: Column) -> tuple[Attribute, Column]:
    """Add the numbers between the values to an attribute of whole numbers with a small range; return its codes, too."""
    whole = attribute.whole
    if whole is None or whole[-1] - whole[0] >= _CLOSE:
        return attribute, column
    full = Attribute(attribute.name, [str(n) for n in range(int(whole[0]), int(whole[-1]) + 1)], is_numeric=True)
    return full, (whole - whole[0]).astype(full.dtype)[column]


def _identifiers(table: Table, name: str, problems: Problems) -> Any:  # noqa: ANN401 - Arrow has no types
    """Return the identifiers by row, as an Arrow array without a dictionary, which would keep people not drawn."""
    import pyarrow as pa

    array = table.arrow(name)
    codes, texts = text_codes(array)
    empty = _where(codes, [not text for text in texts])
    table.note_first(empty, name, "the row names nobody", "write whose it is", problems)
    fake = _where(codes, [text.startswith(COUNTERFEIT) for text in texts])
    what = f"identifiers that begin with {COUNTERFEIT} are kept for counterfeits"
    table.note_first(fake, name, what, "give this person another identifier", problems)
    first = np.full(len(texts), -1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    again = (first[codes] != np.arange(len(codes))) & ~empty
    if again.any():
        line = table.line(int(first[codes[np.argmax(again)]]))
        what = f"the identifier is already used on line {line}"
        table.note_first(again, name, what, "keep one row for each person", problems)
    return array if pa.types.is_integer(array.type) else column_of(texts).take(arrow(codes))


def _where(codes: Codes, flags: Sequence[bool]) -> npt.NDArray[np.bool_]:
    """Return the flag of each row's code; shape (rows,)."""
    return np.array(flags, dtype=np.bool_)[codes] if any(flags) else np.zeros(len(codes), dtype=np.bool_)
