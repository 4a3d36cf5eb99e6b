"""A candidate release as rows that can be regrouped, coarsened and withheld, and written again in its own form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.io.diagnostics import is_there
from audit.io.encoding import NOBODY
from audit.io.series import Series
from audit.io.table_writer import write_table
from audit.io.tables import Table, header, read_table
from audit.model.errors import Problems, UsageError
from audit.model.moves import COARSEN, COUNTERFEIT, MERGE, MOVE, WITHHOLD
from audit.repair.merged_cells import AttributeCells
from audit.repair.repair_plan import Places, RepairPlan

if TYPE_CHECKING:
    import pyarrow as pa

Floats = npt.NDArray[np.float64]
Texts = dict[str, Places]
_COUNT = "Count"


class CandidateRows:
    """The last release of a series, with all columns of its file.

    Attributes:
        series: the series with the candidate.
        tag: the candidate's tag.
        group: the published group of each row; shape (rows,), int32.
        names: the groups' names by code.
        pair: whether it is an Anatomy pair, of whose groups nobody knows which value goes with which row.
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
        release = series.read(len(series.tags) - 1)
        self.group, self.groups = release.group.codes, release.group.size
        self.names = [release.group.name(code) for code in range(self.groups)]
        self.person = release.person
        self.values = release.entry_value if release.values_by_row else {}
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
        return RepairPlan(
            self.group.astype(np.intp),
            np.arange(self.groups),
            np.zeros(self.rows, dtype=np.bool_),
            np.zeros((self.groups, len(self.attributes)), dtype=np.int8),
        )

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers whose cells can be widened: none in a pair, whose cells are exact."""
        return () if self.pair else tuple(n for n in self.series.manifest.columns.quasi_identifiers if n in self.table)

    @cached_property
    def columns(self) -> tuple[AttributeCells, ...]:
        """The cells of each of these attributes."""
        found = []
        for name in self.attributes:
            coded = self.table.coded(name)
            used, codes = np.unique(coded.codes, return_inverse=True)
            texts = [coded.name(code) for code in used.tolist()]
            found.append(AttributeCells(self.series.attributes[name], codes, texts))
        return tuple(found)

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
    def contents(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """The distinct cells of each published group, by attribute."""
        found: list[list[tuple[int, ...]]] = [[] for _ in range(self.groups)]
        for column in self.columns:
            size = len(column.texts)
            pairs = np.unique(self.group.astype(np.int64) * size + column.codes)
            starts = np.searchsorted(pairs, np.arange(self.groups + 1) * size).tolist()
            codes = (pairs % size).tolist()
            for group in range(self.groups):
                found[group].append(tuple(codes[starts[group] : starts[group + 1]]))
        return tuple(tuple(each) for each in found)

    @cached_property
    def alike(self) -> Places:
        """Which groups have the same cells, as equal numbers; shape (groups,)."""
        number: dict[object, int] = {}
        return np.array([number.setdefault(each, len(number)) for each in self.contents], dtype=np.intp)

    @cached_property
    def middles(self) -> Floats:
        """Where each group lies: the mean rank of its cells in each attribute, from 0 to 1; shape (groups, attributes).

        Without attributes there is nothing to tell groups apart by: shape (groups, 0).
        """
        places = []
        for column in self.columns:
            number = len(np.unique(column.codes))
            rank = np.empty(number)
            rank[sorted(range(number), key=lambda code: _sort_key(column.texts[code]))] = np.arange(number)
            size = np.maximum(np.bincount(self.group, minlength=self.groups), 1)
            sums = np.bincount(self.group, weights=rank[column.codes], minlength=self.groups)
            places.append(sums / size / max(1, number - 1))
        return np.stack(places, axis=1) if places else np.zeros((self.groups, 0))

    def inseparable(self, rows: Places) -> Places:
        """Return the rows that have to be withheld with some: in a pair all of their groups, with all values."""
        return self.rows_of(np.unique(self.group[rows]).tolist()) if self.pair else rows

    def cells(self, plan: RepairPlan) -> tuple[Places, ...]:
        """Return the cell of each row in each attribute, merged and coarsened; those of withheld rows do not matter."""
        group, merged = plan.group, self.parts(plan)
        found = []
        rows_of = [np.flatnonzero((group == part[0]) & ~plan.withheld) for part in merged] if len(merged) < 8 else None
        if rows_of is None:
            order = np.argsort(group, kind="stable")
            starts = np.searchsorted(group[order], np.arange(self.groups + 1))
            rows_of = []
            for part in merged:
                rows = order[starts[part[0]] : starts[part[0] + 1]]
                rows_of.append(rows[~plan.withheld[rows]])
        for place, column in enumerate(self.columns):
            codes = column.codes.copy()
            for rows in rows_of:
                if len(rows):
                    codes[rows] = column.merged(np.unique(codes[rows]).tolist())
            for root in np.flatnonzero(plan.steps[:, place]).tolist():
                rows = np.flatnonzero((group == root) & ~plan.withheld)
                steps = int(plan.steps[root, place])
                codes[rows] = [column.coarser(code, steps) for code in codes[rows].tolist()]
            found.append(codes)
        return tuple(found)

    def costs(self, plan: RepairPlan) -> dict[str, float]:
        """Return what each kind of change loses, in rows' worth of information.

        A withheld row and a counterfeit cost one each, a moved row nothing. Wider cells cost what they cover more than
        before, averaged over the attributes; for a pair, or without quasi-identifiers, merging costs the people whose
        value can now be one of another group's, as a share of all.
        """
        kept = ~plan.withheld
        merged = replace(plan, steps=np.zeros_like(plan.steps))
        wide = self._width(merged, kept)
        lost = {
            MERGE: wide - self._width(self.unchanged(), kept),
            MOVE: 0.0,
            COARSEN: self._width(plan, kept) - wide if plan.steps.any() else 0.0,
            WITHHOLD: float(self.counts[plan.withheld].sum()),
            COUNTERFEIT: float(len(plan.counterfeits)),
        }
        if not self.attributes:
            people = np.bincount(plan.group[kept], weights=self.counts[kept], minlength=self.groups)
            parts = [part[0] for part in self.parts(plan)]
            lost[MERGE] = float((people[parts] ** 2).sum()) / max(1.0, float(self.counts.sum()))
        return lost

    def _width(self, plan: RepairPlan, kept: npt.NDArray[np.bool_]) -> float:
        """Return what the cells of some rows cover, averaged over the attributes and added up over people."""
        total = 0.0
        for codes, column in zip(self.cells(plan), self.columns, strict=True):
            total += float((column.costs()[codes[kept]] * self.counts[kept]).sum())
        return total / max(1, len(self.columns))

    def cost(self, plan: RepairPlan) -> tuple[float, int]:
        """Return what a plan loses, and how many rows change their group, which decides between equal losses."""
        regrouped = np.count_nonzero((plan.group != self.group) & ~plan.withheld)
        return round(sum(self.costs(plan).values()), 9), int(regrouped)

    def merge_cost(self, groups: Sequence[int]) -> float:
        """Return what is lost when some published groups become one, nothing else being changed."""
        people = float(self.people[list(groups)].sum())
        if not self.attributes:
            return people * people / max(1.0, float(self.counts.sum()))
        total = 0.0
        for place, column in enumerate(self.columns):
            wide = column.merged(code for group in groups for code in self.contents[group][place])
            total += people * column.cost(wide) - float(self._own[list(groups), place].sum())
        return total / len(self.columns)

    @cached_property
    def people(self) -> Floats:
        """How many people each published group has; shape (groups,)."""
        return np.bincount(self.group, weights=self.counts, minlength=self.groups).astype(np.float64)

    @cached_property
    def _own(self) -> Floats:
        """What the cells of each group's people cost as published; shape (groups, attributes)."""
        sums = [
            np.bincount(self.group, weights=column.costs()[column.codes] * self.counts, minlength=self.groups)
            for column in self.columns
        ]
        return np.stack(sums, axis=1) if sums else np.zeros((self.groups, 0))

    def parts(self, plan: RepairPlan) -> list[list[int]]:
        """Return the groups that a plan merges, each merged group as its members."""
        order = np.argsort(plan.part, kind="stable")
        roots, starts = np.unique(plan.part[order], return_index=True)
        ends = [*starts[1:].tolist(), self.groups]
        pairs = zip(roots.tolist(), starts.tolist(), ends, strict=True)
        return [order[start:end].tolist() for _, start, end in pairs if end - start > 1]

    def write(self, plan: RepairPlan, folder: Path) -> list[Path]:
        """Write the candidate as a plan changes it, with its key where that is a file, and return its tables.

        The tables have the names of the candidate's; the key is `private/TAG.key.csv`, and counterfeits are counted
        in `counterfeits/TAG.csv` where the series publishes that. The order of rows says nothing of former groups.
        """
        import pyarrow as pa

        source, fake = self.order_of(plan)
        rewritten = self._rewritten(plan, source, fake)
        columns = {
            name: rewritten[name] if name in rewritten else self.table.arrow(name).take(pa.array(source))
            for name in self.table.names
        }
        rows = folder / self._files.rows.name
        write_table(pa.table(columns), rows)
        written = [rows]
        if self._files.values is not None:
            written.append(folder / self._files.values.name)
            write_table(self._values(plan, self._files.values), written[1])
        self._write_key(source, fake, folder)
        self._write_counterfeits(plan, source, fake, folder)
        return written

    def order_of(self, plan: RepairPlan) -> tuple[Places, Places]:
        """Return the row that each written row is made from, and the counterfeit that it is, -1 for none.

        A counterfeit is made from a row of its group. Unless nothing is regrouped, rows are sorted by group, cells and
        values.
        """
        kept, group = np.flatnonzero(~plan.withheld), plan.group
        first = [int(kept[np.flatnonzero(group[kept] == each.group)[0]]) for each in plan.counterfeits]
        source = np.concatenate([kept, np.array(first, dtype=np.intp)])
        fake = np.concatenate([np.full(len(kept), -1), np.arange(len(first))])
        if not (group != self.group).any() and not first:
            return source, fake
        keys = [self.table.coded(name).codes[source] for name in self._other_columns()]
        cells = [codes[source] for codes in self.cells(plan)]
        values = []
        for place, name in enumerate(self.values):
            vocabulary = self.series.vocabularies[name]
            added = vocabulary.add([each.values[place] for each in plan.counterfeits])
            values.append(np.concatenate([self.values[name][kept], added]))
        order = np.lexsort([*keys, *values, *cells, group[source]])
        return source[order], fake[order]

    def _other_columns(self) -> list[str]:
        """Return the published columns that are neither group nor value, in the order of the file, reversed."""
        columns = self.series.manifest.columns
        hidden = {columns.group, columns.individual, *columns.sensitive, *self.attributes}
        return [name for name in reversed(self.table.names) if name not in hidden]

    def _rewritten(self, plan: RepairPlan, source: Places, fake: Places) -> dict[str, pa.Array]:
        """Return the columns that are changed, their rows in the order written."""
        import pyarrow as pa

        new: dict[str, pa.Array] = {}
        columns = self.series.manifest.columns
        if columns.group is not None and (plan.group != self.group).any():
            texts = np.array(self.names, dtype=object)[plan.group[source]]
            new[columns.group] = pa.array(texts.tolist(), pa.string())
        for name, each, codes in zip(self.attributes, self.columns, self.cells(plan), strict=True):
            if (codes != each.codes).any():
                known = np.array(each.texts, dtype=object)
                new[name] = pa.array(known[codes[source]].tolist(), pa.string())
        added = {place: plan.counterfeits[number] for place, number in enumerate(fake.tolist()) if number >= 0}
        for name in self.table.names if added else ():
            if name == columns.individual or name in columns.sensitive or name == columns.count:
                texts = np.array(self.table.texts(name), dtype=object)[source]
                for place, each in added.items():
                    texts[place] = "" if name == columns.individual else "1"
                    if name in columns.sensitive:
                        texts[place] = each.values[columns.sensitive.index(name)]
                new[name] = pa.array(texts.tolist(), pa.string())
        return new

    def _values(self, plan: RepairPlan, path: Path) -> pa.Table:
        """Return a pair's table of values, one line for each group and value; groups that are withheld have none."""
        import pyarrow as pa

        columns = self.series.manifest.columns
        table = self._read(path, self._files.values_shown)
        texts = {name: table.texts(name) for name in table.names}
        if columns.group is None:
            raise UsageError("a pair without a group column cannot be repaired; name the column in the manifest")
        published = np.array([self._named[name] for name in texts[columns.group]], dtype=np.intp)
        texts[columns.group] = [self.names[root] for root in plan.part[published].tolist()]
        count = columns.count or "count"
        key = [name for name in table.names if name != count]
        total: Counter[tuple[str, ...]] = Counter()
        held = np.bincount(self.group[~plan.withheld], minlength=self.groups) > 0
        for line in np.flatnonzero(held[published]).tolist():
            total[tuple(texts[name][line] for name in key)] += int(texts[count][line]) if count in texts else 1
        for fake in plan.counterfeits:
            new = {columns.group: self.names[fake.group], **dict(zip(columns.sensitive, fake.values, strict=True))}
            total[tuple(new.get(name, "") for name in key)] += 1
        # Sorted where groups are changed, as are the rows.
        lines = sorted(total) if (plan.group != self.group).any() or plan.counterfeits else list(total)
        if count not in texts:
            lines = [each for each in lines for _ in range(total[each])]
        found = {name: [each[place] for each in lines] for place, name in enumerate(key)}
        found[count] = [str(total[each]) for each in lines]
        return pa.table({name: pa.array(found[name], pa.string()) for name in table.names})

    def _write_key(self, source: Places, fake: Places, folder: Path) -> None:
        """Write the key file of the rows that are written, where the candidate has one."""
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
        pairs = zip(source.tolist(), fake.tolist(), strict=True)
        texts = [names.get(str(row), "") if number < 0 else "" for row, number in pairs]
        table = pa.table({"row": pa.array(np.arange(len(source))), "individual": pa.array(texts, pa.string())})
        write_table(table, private / f"{self.tag}.key.csv")
        (private / f"{self.tag}.key.csv").chmod(0o600)

    def _write_counterfeits(self, plan: RepairPlan, source: Places, fake: Places, folder: Path) -> None:
        """Write how many rows of each group are counterfeits, where the series or the candidate publishes that."""
        import pyarrow as pa

        column, published = self.series.manifest.columns.group, self.series.manifest.counterfeits
        if column is None or not published or self.person is None:
            return
        nobody = (self.person == NOBODY) | np.append(self.series.people.is_counterfeit(), False)[self.person]
        groups, counts = np.unique(plan.group[source[nobody[source] | (fake >= 0)]], return_counts=True)
        if not len(groups):
            return
        beside = folder / "counterfeits"
        beside.mkdir(exist_ok=True)
        names = pa.array([self.names[group] for group in groups.tolist()], pa.string())
        write_table(pa.table({column: names, _COUNT: pa.array(counts)}), beside / f"{self.tag}.csv")


def _sort_key(text: str) -> tuple[float, str]:
    """Return a key that sorts cells of numbers by their first number, and others as texts."""
    number = re.search(r"-?\d+(?:\.\d+)?", text)
    return (float(number[0]) if number else float("inf"), text)
