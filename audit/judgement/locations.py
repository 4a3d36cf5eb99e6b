"""Where the groups of a finding stand: files, lines, and the cells that are published of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from audit.adversary.held_series import HeldSeries
from audit.adversary.view import View
from audit.io.adjustments import read_adjusted
from audit.io.tables import Table
from audit.model.errors import Problems
from audit.model.finding import Finding, GroupLines
from audit.model.scored import Result

_MOST_CELLS = 12
_MOST_LINES = 10_000


@dataclass(frozen=True)
class _File:
    """A file of a release with some columns, and the group of each of its rows by name."""

    table: Table
    group: npt.NDArray[np.intp]
    names: Mapping[str, int]
    cells: tuple[str, ...]


def located(results: Sequence[Result[View]], releases: HeldSeries) -> list[Result[View]]:
    """Return results whose findings say where the groups that they speak of stand."""
    locator = Locator(releases)
    return [replace(each, shown=tuple(map(locator.located, each.shown))) for each in results]


class Locator:
    """Looks groups up in the files of a series; each file is read once, when it is first asked for."""

    def __init__(self, releases: HeldSeries) -> None:
        self._releases = releases
        self._series = releases.series
        self._files: dict[int, tuple[_File, ...]] = {}

    def located(self, finding: Finding[str]) -> Finding[str]:
        """Return a finding with the lines of the groups that its certificate and its proof name."""
        groups = dict.fromkeys(finding.places())
        return replace(finding, located=tuple(one for release, group in groups for one in self.lines(release, group)))

    def lines(self, tag: str, group: str) -> list[GroupLines]:
        """Return where a group of a release stands: in an Anatomy pair in both of its files."""
        position = self._series.tags.index(tag)
        if position not in self._files:
            self._files[position] = tuple(self._read(position))
        found = []
        for file in self._files[position]:
            code = file.names.get(group)
            if code is not None:
                rows = np.flatnonzero(file.group == code)[:_MOST_LINES]
                lines = tuple(file.table.line(row) for row in rows.tolist())
                found.append(GroupLines(tag, group, file.table.shown, lines, _cells(file, rows)))
        return found

    def _read(self, position: int) -> Iterator[_File]:
        manifest, columns = self._series.manifest, self._series.manifest.columns
        files, release = manifest.releases[position], self._releases.seen[position].release
        adjustments, problems = self._series.adjustments(files.tag), Problems()
        rows = read_adjusted(files.rows, files.shown, list(columns.quasi_identifiers), adjustments, problems)
        codes = release.group.codes
        if rows is not None and (rows.rows == len(codes) or not columns.quasi_identifiers):
            names = {release.group.name(code): code for code in np.unique(codes).tolist()}
            yield _File(rows, codes.astype(np.intp), names, tuple(columns.quasi_identifiers))
        if files.values is not None and columns.group is not None:
            wanted = [columns.group, *columns.sensitive]
            values = read_adjusted(files.values, files.values_shown, wanted, adjustments, problems)
            if values is not None:
                coded = values.coded(columns.group)
                names = {coded.name(code): code for code in np.unique(coded.codes).tolist()}
                yield _File(values, coded.codes.astype(np.intp), names, tuple(columns.sensitive))


def _cells(file: _File, rows: npt.NDArray[np.intp]) -> tuple[dict[str, str], ...]:
    """Return the distinct cells that some rows have, in the order of the file, the first dozen of them."""
    columns = [file.table.coded(name) for name in file.cells]
    found: dict[tuple[str, ...], None] = {}
    for row in rows.tolist():
        found.setdefault(tuple(column.name(int(column.codes[row])) for column in columns))
        if len(found) == _MOST_CELLS:
            break
    return tuple(dict(zip(file.cells, texts, strict=True)) for texts in found) if columns else ()
