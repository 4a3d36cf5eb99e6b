"""A candidate release as rows that can be regrouped and withheld, and written again in its own form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.io.diagnostics import is_there
from audit.io.series import Series
from audit.io.table_writer import write_table
from audit.io.tables import Table, header, read_table
from audit.model.errors import Problems, UsageError
from audit.repair.merged_cells import CellCosts, merged_text

if TYPE_CHECKING:
    import pyarrow as pa

Places = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RepairPlan:
    """What is changed in a candidate.

    Attributes:
        part: the merged group of each published group, as the code of its least member; shape (groups,), intp.
        withheld: which rows are left out; shape (rows,), bool.
    """

    part: Places
    withheld: npt.NDArray[np.bool_]

    def merged(self, one: int, other: int) -> RepairPlan:
        """Return the plan with the parts of two groups made one."""
        low, high = sorted((int(self.part[one]), int(self.part[other])))
        part = self.part.copy()
        part[part == high] = low
        return RepairPlan(part, self.withheld)

    def without(self, rows: Places) -> RepairPlan:
        """Return the plan with some more rows withheld."""
        withheld = self.withheld.copy()
        withheld[rows] = True
        return RepairPlan(self.part, withheld)


class CandidateRows:
    """The last release of a series, with all columns of its file.

    Attributes:
        series: the series with the candidate.
        tag: the candidate's tag.
        group: the published group of each row; shape (rows,), int32.
        names: the groups' names by code.
        pair: whether it is an Anatomy pair, whose rows cannot be withheld: nobody knows which value goes with them.
    """

    def __init__(self, series: Series) -> None:
        self.series = series
        files = series.manifest.releases[-1]
        self.tag, self._files = files.tag, files
        columns = series.manifest.columns
        if files.tag in columns.notation.renamed or columns.notation.ignore_rows or columns.notation.crosswalk:
            raise UsageError(
                "a candidate whose columns are renamed, whose values have a crosswalk or whose rows are partly ignored "
                "cannot be written again; write it in the columns and values of the series first"
            )
        if files.tag in series.manifest.counterfeits:
            raise UsageError("counterfeits published by group cannot be carried over to merged groups; repair without")
        release = series.read(len(series.tags) - 1)
        self.group, self.groups = release.group.codes, release.group.size
        self.names = [release.group.name(code) for code in range(self.groups)]
        self.person = release.person
        self.counts = np.ones(release.rows, dtype=np.int64) if release.counts is None else release.counts
        self.pair = not release.values_by_row
        self.table = self._read(files.rows, files.shown)
        self._named = {name: code for code, name in enumerate(self.names)}

    def _read(self, path: Path, shown: str) -> Table:
        problems = Problems()
        declared = self.series.adjustments(self.tag).declared
        names = header(path, shown, problems, declared)
        table = None if names is None else read_table(path, shown, list(names), problems, declared)
        problems.check()
        if table is None:
            raise TypeError("a table that cannot be read is a problem")
        return table

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.group)

    def code(self, name: str) -> int | None:
        """Return the code of a published group, or None where it is none."""
        return self._named.get(name)

    def unchanged(self) -> RepairPlan:
        """Return the plan that changes nothing."""
        return RepairPlan(np.arange(self.groups), np.zeros(self.rows, dtype=np.bool_))

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers whose cells merging widens: none in a pair, whose cells are exact."""
        return () if self.pair else tuple(n for n in self.series.manifest.columns.quasi_identifiers if n in self.table)

    @cached_property
    def _coded(self) -> dict[str, tuple[Places, list[str]]]:
        """The texts of each quasi-identifier, as a code of each row and the distinct texts."""
        found = {}
        for name in self.attributes:
            coded = self.table.coded(name)
            texts = [coded.name(code) for code in range(coded.size)]
            found[name] = (coded.codes.astype(np.intp), texts)
        return found

    @cached_property
    def _costs(self) -> dict[str, CellCosts]:
        return {name: CellCosts(self.series.attributes[name], texts) for name, (_, texts) in self._coded.items()}

    @cached_property
    def _order(self) -> tuple[Places, Places]:
        """Rows sorted by group, and where each group begins; shapes (rows,) and (groups + 1,)."""
        starts = np.searchsorted(self.group[order := np.argsort(self.group, kind="stable")], np.arange(self.groups + 1))
        return order, starts

    def rows_of(self, groups: Sequence[int]) -> Places:
        """Return the rows of some published groups, ascending."""
        order, starts = self._order
        return np.sort(np.concatenate([order[starts[g] : starts[g + 1]] for g in groups] or [np.zeros(0, np.intp)]))

    @cached_property
    def _own(self) -> Floats:
        """What the cells of each group cost as published, averaged over the attributes, times its people; (groups,)."""
        cost = np.zeros(self.rows)
        for name, (codes, texts) in self._coded.items():
            cost += np.array([self._costs[name].of(text) for text in texts])[codes]
        weight = self.counts / max(1, len(self.attributes))
        return np.bincount(self.group, weights=cost * weight, minlength=self.groups).astype(np.float64)

    @cached_property
    def middles(self) -> Floats:
        """Where each group lies: the mean rank of its cells in each attribute, from 0 to 1; shape (groups, attributes).

        Without attributes there is nothing to tell groups apart by: shape (groups, 0).
        """
        places = []
        for codes, texts in self._coded.values():
            rank = np.empty(len(texts))
            rank[sorted(range(len(texts)), key=lambda code: _sort_key(texts[code]))] = np.arange(len(texts))
            size = np.maximum(np.bincount(self.group, minlength=self.groups), 1)
            places.append(
                np.bincount(self.group, weights=rank[codes], minlength=self.groups) / size / max(1, len(texts) - 1)
            )
        return np.stack(places, axis=1) if places else np.zeros((self.groups, 0))

    def merge_cost(self, members: Sequence[int]) -> float:
        """Return what is lost when some published groups become one, in rows' worth of information.

        For cells it is the sum over people of what their cells cover more than before; for a pair, or without
        quasi-identifiers, the people whose value can now be one of another group's, as a share of all.
        """
        if len(members) < 2:
            return 0.0
        rows = self.rows_of(members)
        people = float(self.counts[rows].sum())
        if not self.attributes:
            return people * people / max(1.0, float(self.counts.sum()))
        wide = [self._costs[name].of(text) for name, text in self.cells(rows).items()]
        return people * sum(wide) / len(wide) - float(self._own[list(members)].sum())

    def cells(self, rows: Places) -> dict[str, str]:
        """Return the text of each quasi-identifier that covers all of some rows."""
        return {
            name: merged_text(self.series.attributes[name], [texts[c] for c in np.unique(codes[rows])])
            for name, (codes, texts) in self._coded.items()
        }

    def cost(self, plan: RepairPlan) -> float:
        """Return what a plan loses, in rows' worth of information: cells that are wider, and rows that are withheld."""
        lost = float(self.counts[plan.withheld].sum())
        return lost + sum(self.merge_cost(members) for members in self.parts(plan))

    def parts(self, plan: RepairPlan) -> list[list[int]]:
        """Return the groups that a plan merges, each merged group as its members."""
        shared = np.flatnonzero(np.bincount(plan.part, minlength=self.groups) > 1)
        return [np.flatnonzero(plan.part == part).tolist() for part in shared]

    def write(self, plan: RepairPlan, folder: Path) -> list[Path]:
        """Write the candidate as a plan changes it, with its key where that is a file, and return its tables.

        The tables have the names of the candidate's; the key is `private/TAG.key.csv`.
        """
        import pyarrow as pa

        kept = np.flatnonzero(~plan.withheld)
        columns = {name: self.table.arrow(name) for name in self.table.names} | self._rewritten(plan)
        table = pa.table(columns).take(pa.array(kept))
        rows = folder / self._files.rows.name
        write_table(table, rows)
        written = [rows]
        if self._files.values is not None:
            written.append(folder / self._files.values.name)
            write_table(self._values(plan, self._files.values), written[1])
        self._write_key(plan, kept, folder)
        return written

    def _rewritten(self, plan: RepairPlan) -> dict[str, pa.Array]:
        """Return the columns that merging changes."""
        import pyarrow as pa

        new: dict[str, pa.Array] = {}
        column = self.series.manifest.columns.group
        if column is not None:
            texts = np.array(self.names, dtype=object)[plan.part][self.group]
            new[column] = pa.array(texts.tolist(), pa.string())
        merged = self.parts(plan)
        for name in self.attributes if merged else ():
            codes, known = self._coded[name]
            texts = np.array(known, dtype=object)[codes]
            for members in merged:
                rows = self.rows_of(members)
                texts[rows] = merged_text(self.series.attributes[name], [known[c] for c in np.unique(codes[rows])])
            new[name] = pa.array(texts.tolist(), pa.string())
        return new

    def _values(self, plan: RepairPlan, path: Path) -> pa.Table:
        """Return a pair's table of values with merged groups, one line for each group and value."""
        import pyarrow as pa

        columns = self.series.manifest.columns
        table = self._read(path, self._files.values_shown)
        texts = {name: table.texts(name) for name in table.names}
        if columns.group is None:
            raise UsageError("a pair without a group column cannot be repaired; name the column in the manifest")
        texts[columns.group] = [self.names[plan.part[self._named[name]]] for name in texts[columns.group]]
        count = columns.count or "Count"
        key = [name for name in table.names if name != count]
        total: dict[tuple[str, ...], int] = {}
        for line, each in enumerate(zip(*(texts[name] for name in key), strict=True)):
            total[each] = total.get(each, 0) + (int(texts[count][line]) if count in texts else 1)
        found = {name: [each[place] for each in total] for place, name in enumerate(key)}
        if count in texts:
            found[count] = [str(number) for number in total.values()]
        return pa.table({name: pa.array(found[name], pa.string()) for name in table.names if name in found})

    def _write_key(self, plan: RepairPlan, kept: Places, folder: Path) -> None:
        """Write the key file of the rows that are kept, where the candidate has one."""
        import pyarrow as pa

        path = self._files.key
        if path is None or not is_there(path) or self.person is None:
            return
        problems = Problems()
        key = read_table(path, self.series.manifest.shown(path), ["row", "individual"], problems)
        problems.check()
        if key is None:
            return
        names = dict(zip(key.texts("row"), key.texts("individual"), strict=True))
        private = folder / "private"
        private.mkdir(mode=0o700, exist_ok=True)
        texts = [names.get(str(row), "") for row in kept.tolist()]
        table = pa.table({"row": pa.array(np.arange(len(kept))), "individual": pa.array(texts, pa.string())})
        write_table(table, private / f"{self.tag}.key.csv")
        (private / f"{self.tag}.key.csv").chmod(0o600)


def _sort_key(text: str) -> tuple[float, str]:
    """Return a key that sorts cells of numbers by their first number, and others as texts."""
    number = re.search(r"-?\d+(?:\.\d+)?", text)
    return (float(number[0]) if number else float("inf"), text)
