"""The places of a finding's groups: files, lines, and the published cells of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from audit.adversary.held_series import HeldSeries
from audit.adversary.view import View
from audit.io.adjustments import read_adjusted
from audit.io.tables import Coded, Table
from audit.model.errors import Problems
from audit.model.finding import Finding, GroupLines
from audit.model.scored import Result

_MOST_CELLS = 12
_MOST_LINES = 10_000


@dataclass(frozen=True)
class _File:
    """A file of a release, some of its columns, and the group of each row."""

    table: Table
    group: Coded
    cells: tuple[str, ...]

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {self.group.name(code): code for code in np.unique(self.group.codes).tolist()}

    def lines(self, tag: str, group: str) -> Iterator[GroupLines]:
        """Yield the lines of a group, by the release's tag, if the group is in the file."""
        if group in self._codes:
            rows = np.flatnonzero(self.group.codes == self._codes[group])[:_MOST_LINES]
            lines = tuple(self.table.line(row) for row in rows.tolist())
            yield GroupLines(tag, group, self.table.shown, lines, _cells(self, rows))


def located(results: Sequence[Result[View]], releases: HeldSeries) -> list[Result[View]]:
    """Return results whose findings have the locations of the groups in their certificates and proofs."""
    read = cache(lambda tag: list(_files(releases, tag)))

    def placed(finding: Finding[str]) -> Finding[str]:
        groups = dict.fromkeys(finding.places())
        lines = (one for tag, group in groups for file in read(tag) for one in file.lines(tag, group))
        return replace(finding, located=tuple(lines))

    return [replace(each, shown=tuple(map(placed, each.shown))) for each in results]


def _files(releases: HeldSeries, tag: str) -> Iterator[_File]:
    """Yield the files of a release, two for an Anatomy pair."""
    series, position, problems = releases.series, releases.series.tags.index(tag), Problems()
    files, columns, adjustments = series.manifest.releases[position], series.manifest.columns, series.adjustments(tag)
    quasi, group = tuple(columns.quasi_identifiers), releases.seen[position].release.group
    rows = read_adjusted(files.rows, files.shown, list(quasi), adjustments, problems)
    if rows is not None and (rows.rows == len(group.codes) or not quasi):
        yield _File(rows, group, quasi)
    if files.values is not None and columns.group is not None:
        wanted = [columns.group, *columns.sensitive]
        values = read_adjusted(files.values, files.values_shown, wanted, adjustments, problems)
        if values is not None:
            yield _File(values, values.coded(columns.group), tuple(columns.sensitive))


def _cells(file: _File, rows: npt.NDArray[np.intp]) -> tuple[dict[str, str], ...]:
    """Return the distinct cells of some rows, in the order of the file, at most twelve."""
    columns = [file.table.coded(name) for name in file.cells]
    found: dict[tuple[str, ...], None] = {}
    for row in rows.tolist():
        found.setdefault(tuple(column.name(int(column.codes[row])) for column in columns))
        if len(found) == _MOST_CELLS:
            break
    return tuple(dict(zip(file.cells, texts, strict=True)) for texts in found) if columns else ()
