"""Candidate register: the register of a changed candidate, without the people of withheld rows.

An adversary who knows who is in the release, and so who was withheld, knows most. An adversary who only knows who
should be in it, and how many are missing, considers more worlds possible: what is not certain to the former is not
certain to the latter.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.io.dialect import NOTHING_DECLARED, Declared, Dialect
from audit.io.series import Series
from audit.io.tables import Table, header, read_table
from audit.model.errors import Problems


def whole_table(path: Path, shown: str, declared: Declared = NOTHING_DECLARED) -> Table:
    """Return a table with all its columns.

    Raises:
        InputError: it cannot be read.
    """
    problems = Problems()
    names = problems.checked(header(path, shown, problems, declared))
    return problems.checked(read_table(path, shown, list(names), problems, declared))


def people_of(series: Series, name: str) -> npt.NDArray[np.integer]:
    """Return the person of each line of a private file, by code; negative for people without a row.

    Raises:
        InputError: it cannot be read.
    """
    problems = Problems()
    table = problems.checked(series.side_table(name, ["individual"], problems))
    return series.people.codes(table.texts("individual"))


class CandidateRegister:
    """The register that the manifest of a series with its candidate names.

    Args of the constructor:
        series: the series with the candidate as its last release.
    """

    def __init__(self, series: Series) -> None:
        self._series, self._name = series, str(series.manifest.register)

    @property
    def came_with_candidate(self) -> bool:
        """Whether it belongs to the candidate and not to the series, whose register is in the series' folder."""
        return Path(self._name).is_absolute() or "://" in self._name

    @cached_property
    def names_releases(self) -> bool:
        """Whether it says when people are in the data; if not, they may be in each release, withheld or not."""
        return not {"first", "release"}.isdisjoint(self._table.names)

    @property
    def dialect(self) -> Dialect | None:
        """How its text is written: delimiter and encoding."""
        return self._table.dialect

    @cached_property
    def _table(self) -> Table:
        """The register with all its columns, called as in the series, and cells as in its file.

        Raises:
            InputError: it cannot be read.
        """
        manifest = self._series.manifest
        called = {theirs: ours for ours, theirs in manifest.register_columns.items()}
        return whole_table(manifest.folder / self._name, self._name).renamed(called)

    @cached_property
    def _person(self) -> npt.NDArray[np.integer]:
        """The person of each line, by the codes of the series; shape (lines,), negative for people without a row."""
        return people_of(self._series, self._name)

    @cached_property
    def _begins_here(self) -> npt.NDArray[np.bool_]:
        """The lines about the candidate that are about no earlier release; shape (lines,), bool."""
        table, here = self._table, len(self._series.tags)
        if not self.names_releases:
            return np.zeros(table.rows, dtype=np.bool_)
        if "release" in table:
            return np.array(table.texts("release")) == self._series.tags[-1]
        return np.array([int(text) == here for text in table.texts("first")], dtype=np.bool_)

    @property
    def speaks_of_the_past(self) -> bool:
        """Whether some line always remains: a register without people cannot be read."""
        return not bool(self._begins_here.all())

    def without(self, people: npt.NDArray[np.integer]) -> pa.Table:
        """Return the register as if some people, given by code, left before the candidate."""
        table, here = self._table, len(self._series.tags)
        gone = np.isin(self._person, people[people >= 0])
        kept = pa.array(~(gone & self._begins_here))
        called = self._series.manifest.register_columns
        columns = {called.get(name, name): table.arrow(name) for name in table.names}
        if "last" in table and "release" not in table:
            ends = zip(table.texts("last"), gone.tolist(), strict=True)
            texts = [str(here - 1) if out and int(text) == here else text for text, out in ends]
            columns[called.get("last", "last")] = pa.array(texts, pa.string())
        return pa.table(columns).filter(kept)
