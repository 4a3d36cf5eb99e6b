"""Microdata writer: write simulated people into a folder that appears whole or not at all."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from audit.io.atomic_files import check_empty, write_file
from audit.io.microdata import NAME
from audit.io.table_writer import write_table
from audit.io.texts import arrow, column_of
from audit.io.toml import toml_document
from audit.model.arrays import Places
from audit.model.errors import UsageError
from audit.runtime.phrases import printable, printable_path
from audit.simulating.population import Attribute, Column, SyntheticPeople
from audit.simulating.updates import SimulatedUpdates

Watch = Callable[[int, int], None]

_TRANSITIONS = "transitions.csv"


@dataclass(frozen=True)
class Written:
    """The size of the written snapshots.

    Attributes:
        rows: rows of each snapshot.
        most: the largest share of one sensitive value in a snapshot.
    """

    rows: list[int]
    most: Fraction


@contextmanager
def new_folder(output: Path) -> Iterator[Path]:
    """Make a hidden folder, which is renamed to `output` at the end, or removed after an error.

    Only its owner may read it, because microdata are about people.

    Raises:
        UsageError: `output` exists and is not empty, or it cannot be written.
    """
    check_empty(output)
    whole = output.resolve()
    if whole == Path.cwd():
        shown = printable_path(output)
        raise UsageError.say("{folder}: the folder you are in cannot be replaced; name a new one in it", folder=shown)
    draft = whole.with_name(f".{whole.name}.{secrets.token_hex(6)}")
    try:
        draft.mkdir(mode=0o700)
        yield draft
        draft.rename(whole)  # replaces an empty folder; fails if files were added meanwhile
    except OSError as error:
        why = printable(error.strerror or "it cannot be written", 200)
        raise UsageError(
            f"{printable_path(output)}: {why}; check permissions and space, or name another folder"
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def write_microdata(
    folder: Path,
    name: str,
    people: SyntheticPeople,
    snapshots: Iterable[Places],
    sets: SimulatedUpdates | None,
    files: Sequence[str],
    watch: Watch,
) -> Written:
    """Write the snapshots into files, the transitions and the `microdata.toml` into an empty folder.

    `watch` is called with the number of snapshots written and the number of all.

    Raises:
        OSError: the folder cannot be written to.
    """
    (folder / "snapshots").mkdir()
    tables = _Tables(people)
    written = Written([], Fraction(0))
    for file, rows in zip(files, snapshots, strict=True):
        write_table(tables.of(rows), folder / file)
        most = Fraction(int(np.bincount(people.value[rows]).max()), len(rows))
        written = Written([*written.rows, len(rows)], max(most, written.most))
        watch(len(written.rows), len(files))
    if sets is not None:
        write_table(_transitions(people.sensitive, sets), folder / _TRANSITIONS)
    text = document(name, files, people, has_transitions=sets is not None)
    write_file(folder / NAME, text)
    return written


class _Tables:
    """Turns people into tables."""

    def __init__(self, people: SyntheticPeople) -> None:

        self.people = people
        attributes = [*people.quasi_identifiers, people.sensitive]
        self.names = [people.individual_name, *(attribute.name for attribute in attributes)]
        self.words = [
            attribute.whole if attribute.whole is not None else column_of(attribute.values) for attribute in attributes
        ]

    def of(self, rows: Places) -> Any:  # noqa: ANN401 - Arrow has no types
        """Return people with their current values as an Arrow table."""
        coded = [*self.people.columns, self.people.value]
        columns = [_texts(words, column[rows]) for words, column in zip(self.words, coded, strict=True)]
        return pa.table([self.people.individual.take(arrow(rows)), *columns], self.names)


def _texts(words: Any, codes: Column) -> Any:  # noqa: ANN401 - Arrow has no types
    """Return the values of codes as an Arrow array: whole numbers, or texts under a dictionary."""
    if isinstance(words, np.ndarray):
        return arrow(words[codes])
    return pa.DictionaryArray.from_arrays(arrow(codes.astype(np.int32)), words)


def _transitions(sensitive: Attribute, sets: SimulatedUpdates) -> Any:  # noqa: ANN401 - Arrow has no types

    ends = np.array(list(sets.pairs()))
    words = column_of(sensitive.values)
    return pa.table({name: words.take(arrow(ends[:, end])) for end, name in enumerate(("from", "to"))})


# -- microdata.toml -----------------------------------------------------------------------------------------------


def document(name: str, files: Sequence[str], people: SyntheticPeople, *, has_transitions: bool) -> str:
    """Return the text of `microdata.toml`."""
    quasi = people.quasi_identifiers
    columns = {
        "individual": people.individual_name,
        "quasi_identifiers": [attribute.name for attribute in quasi],
        "sensitive": people.sensitive.name,
    }
    return toml_document(
        {
            "microdata": {"name": name, "snapshots": files},
            "columns": columns,
            "updates": {"transitions": _TRANSITIONS if has_transitions else None},
            "domains": {attribute.name: _domain(attribute) for attribute in quasi},
        }
    )


def _domain(attribute: Attribute) -> Sequence[str | float] | None:
    """Return a domain: the ends of an interval, or the list of values; None for a single number."""
    if not attribute.is_numeric:
        return attribute.values
    low, high = (Fraction(text) for text in (attribute.values[0], attribute.values[-1]))
    return [_number(low, -inf), _number(high, inf)] if low < high else None


def _number(exact: Fraction, outwards: float) -> float:
    """Return a number as TOML has it; if no float is equal to it, the next float outwards."""
    if exact.denominator == 1:
        return exact.numerator
    near = float(exact)
    written = Fraction(str(near))
    beside = written > exact if outwards < 0 else written < exact
    return nextafter(near, outwards) if beside else near
