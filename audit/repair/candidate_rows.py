"""Candidate rows: a release that can be regrouped, coarsened and withheld, and its register without withheld people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import SystemRandom

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.io.candidate import not_alone
from audit.io.dialect import NOTHING_DECLARED, Declared, Dialect
from audit.io.release_reading import read_release
from audit.io.rules.rows_and_values import IgnoreRows
from audit.io.rules.rule import Renamed, Rules, spelled
from audit.io.rules.spelling import Fold
from audit.io.series import Series
from audit.io.tables import Table, header, read_table
from audit.model.arrays import Codes, Counts, Flags, Floats, Places, grouped
from audit.model.errors import Problems, UsageError
from audit.model.release_impact import COARSEN, MERGE, MOVE, WITHHOLD
from audit.repair.merged_cells import AttributeCells
from audit.runtime.phrases import printable


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

    An adversary who knows who is in the release, and so who was withheld, knows most. An adversary who only knows who
    should be in it, and how many are missing, considers more worlds possible: what is not certain to the former is not
    certain to the latter.

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


Cost = tuple[float, bool, float, int]


class CandidateRows:
    """The last release of a series, with all columns of its file.

    Attributes:
        series: the series with the candidate.
        tag: the candidate's tag.
        group: the published group of each row; shape (rows,), int32.
        names: the groups' names by code.
        person: the person of each row, by the codes of the series; None without a key; shape (rows,).
        pair: whether it is an Anatomy pair, in which no one knows which value of a group belongs to which row.
        redraws: whether new plans give each record a new id.
    """

    def __init__(self, series: Series) -> None:
        self.series, self.redraws = series, False
        files = series.manifest.releases[-1]
        self.tag = files.tag
        release = read_release(series, len(series.tags) - 1)
        self.group, self.groups = release.group.codes, release.group.size
        self.names = [release.group.name(code) for code in range(self.groups)]
        self.person = owners(series, release.person)
        self.values = release.entry_value if release.values_by_row else {}
        self.counts = np.ones(release.rows, dtype=np.int64) if release.counts is None else release.counts
        self.pair = not release.values_by_row
        self.table = self.read(files.rows, files.shown)
        if self.table.rows != release.rows:
            raise not_alone(files.shown, files.tag, files.by)

    @cached_property
    def new_ids(self) -> Counts:
        """A new record id for each row, drawn so that no one can draw it again; shape (rows,).

        Spreadsheets keep 15 digits, and with so many none is an earlier id.
        """
        return np.array(SystemRandom().sample(range(10**14, 10**15), self.rows), dtype=np.int64)

    @cached_property
    def register(self) -> CandidateRegister | None:
        """The register of the people in it, if the series has one."""
        return None if self.series.manifest.register is None else CandidateRegister(self.series)

    def read(self, path: Path, shown: str) -> Table:
        """Return a table of the candidate with all its columns, called as in the series, and cells as in the file.

        It has no rows that `ignore_rows` leaves out: they are sums of others, which a repair would make wrong.

        Raises:
            InputError: it cannot be read.
        """
        called = self.series.rules[Renamed].names.get(self.tag, {})
        table = whole_table(path, shown, self.series.adjustments(self.tag).declared).renamed(called)
        return self.series.rules[IgnoreRows].rows(table)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.group)

    def unchanged(self) -> RepairPlan:
        """Return the plan that changes nothing."""
        return RepairPlan(
            self.group.astype(np.intp),
            np.arange(self.groups),
            np.zeros(self.rows, dtype=np.bool_),
            np.zeros((self.groups, len(self.attributes)), dtype=np.int8),
            np.zeros(len(self.attributes), dtype=np.int8),
            redrawn=self.redraws,
        )

    def recoded(self, recoding: Sequence[int]) -> RepairPlan:
        """Return the plan that gives all rows coarser cells; without a group column, rows with equal ones are a group.

        Args:
            recoding: the number of each attribute's recoding.
        """
        plan = replace(self.unchanged(), recoding=np.array(recoding, dtype=np.int8))
        if self.series.manifest.columns.group is None:
            starts, order = self.group_order
            levels, own = plan.recoding.tolist(), order[starts[:-1]]
            cells = [column.recodings[n][column.codes[own]] for column, n in zip(self.columns, levels, strict=True)]
            _, first, number = np.unique(np.stack(cells), axis=1, return_index=True, return_inverse=True)
            plan = replace(plan, part=first[number.reshape(-1)])
        return plan

    def coarsest(self, withheld: Places, *, covered: bool) -> RepairPlan:
        """Return the plan that discloses least: all rows but some in one group; `covered` gives them `*` cells."""
        plan = self.unchanged().merged(range(self.groups)).without(withheld)
        kept = ~plan.withheld
        for place, column in enumerate(self.columns if covered and kept.any() else ()):
            whole = column.merged(np.unique(column.codes[kept]).tolist())
            while not column.is_top(column.coarser(whole, int(plan.steps[0, place]))):
                plan.steps[0, place] += 1
        return plan

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers whose cells can be widened; empty for a pair, whose cells are exact."""
        return () if self.pair else tuple(n for n in self.series.manifest.columns.quasi_identifiers if n in self.table)

    @cached_property
    def _spelling(self) -> Rules:
        """The rules that spell its cells as the series does; what is folded is kept as it is written."""
        return self.series.rules.without(Fold)

    def in_file(self, name: str, cell: str) -> str:
        """Return how a cell of an attribute is written in the candidate's file: with decimal commas if it has those.

        Raises:
            UsageError: no text is read as this cell.
        """
        steps = self._spelling.respellings(name, self.tag)
        for text in (cell.translate(str.maketrans(",.", ";,")), cell):
            if spelled(steps, text) == cell:
                return text
        what = f'column "{printable(name)}": with `crosswalk` and `decimal`, nothing is read as {printable(cell)}'
        raise UsageError(f"{what}; write the candidate with the values of the series first")

    @cached_property
    def columns(self) -> tuple[AttributeCells, ...]:
        """The cells of each of these attributes, as the series spells them.

        Raises:
            InputError: a text is not a cell of its attribute.
        """
        problems, coded = Problems(), []
        table = self._spelling.respelled(self.table, {name: name for name in self.attributes}, self.tag)
        for name in self.attributes:
            column = table.coded(name)
            used, codes = np.unique(column.codes, return_inverse=True)
            texts = [column.name(code) for code in used.tolist()]
            for place, error in self.series.attributes[name].numbers(texts)[1]:
                self.table.note_first(codes == place, name, error.what, error.remedy, problems)
            coded.append((self.series.attributes[name], codes, texts))
        problems.check()
        return tuple(AttributeCells(*each) for each in coded)

    @cached_property
    def group_order(self) -> tuple[Counts, Counts]:
        """The first place of each group, and the rows sorted by group; shapes (groups + 1,) and (rows,)."""
        return grouped(self.group, self.groups)

    def rows_of(self, groups: Sequence[int]) -> Places:
        """Return the rows of some published groups, ascending."""
        starts, order = self.group_order
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
        """Equal numbers for groups with the same cells; shape (groups,)."""
        number: dict[object, int] = {}
        return np.array([number.setdefault(each, len(number)) for each in self.contents], dtype=np.intp)

    @cached_property
    def middles(self) -> Floats:
        """The position of each group: the mean rank of its cells in each attribute, 0 to 1; shape (groups, attributes).

        Without attributes all groups lie in one place: shape (groups, 0).
        """
        places = []
        for column in self.columns:
            number = len(np.unique(column.codes))
            rank = np.empty(number)
            rank[sorted(range(number), key=lambda code: sort_key(column.texts[code]))] = np.arange(number)
            size = np.maximum(np.bincount(self.group, minlength=self.groups), 1)
            sums = np.bincount(self.group, weights=rank[column.codes], minlength=self.groups)
            places.append(sums / size / max(1, number - 1))
        return np.stack(places, axis=1) if places else np.zeros((self.groups, 0))

    @cached_property
    def staying(self) -> Flags:
        """The rows that cannot be withheld: their people's values are, or may be, known beforehand; shape (rows,).

        The known values would belong to no row. Nothing more can be disclosed about these people, so their rows may
        stay.
        """
        if self.series.manifest.known is None or self.person is None:
            return np.full(self.rows, self.series.manifest.known is not None)
        known = people_of(self.series, str(self.series.manifest.known))
        return np.isin(self.person, known[known >= 0])

    def withholdable(self, rows: Places) -> Places:
        """Return the rows that can be withheld in place of some rows, ascending; for a pair, their whole groups."""
        if self.pair:
            rows = self.rows_of(np.setdiff1d(self.group[rows], self.group[self.staying]).tolist())
        return np.unique(rows[~self.staying[rows]])

    def cells(self, plan: RepairPlan) -> tuple[Places, ...]:
        """Return the cell of each row in each attribute, recoded, merged and coarsened; arbitrary if it is withheld."""
        group, merged = plan.group, self.parts(plan)
        found = []
        starts, order = grouped(group, self.groups)
        rows_of = [order[starts[part[0]] : starts[part[0] + 1]] for part in merged]
        rows_of = [rows[~plan.withheld[rows]] for rows in rows_of]
        for place, column in enumerate(self.columns):
            level = int(plan.recoding[place])
            codes = column.recodings[level][column.codes] if level else column.codes.copy()
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
        """Return the loss by each kind of change, in units of one row's information.

        A withheld row costs 1, a moved row 0. Wider cells cost the additional share of the domain that they cover,
        averaged over the attributes. For a pair, or without quasi-identifiers, merging costs the people whose value can
        now be one of another group's, as a share of all people.
        """
        merged = replace(plan, steps=np.zeros_like(plan.steps))
        wide, recoded = self._width(merged), sum(self.recoding_costs(plan))
        lost = {
            MERGE: wide - recoded - self._width(replace(self.unchanged(), withheld=plan.withheld)),
            MOVE: 0.0,
            COARSEN: recoded + (self._width(plan) - wide if plan.steps.any() else 0.0),
            WITHHOLD: float(self.counts[plan.withheld].sum()),
        }
        if not self.attributes:
            kept = ~plan.withheld
            people = np.bincount(plan.group[kept], weights=self.counts[kept], minlength=self.groups)
            parts = [part[0] for part in self.parts(plan)]
            lost[MERGE] = float((people[parts] ** 2).sum()) / max(1.0, float(self.counts.sum()))
        return lost

    def recoding_costs(self, plan: RepairPlan) -> list[float]:
        """Return the loss by coarser cells of all rows that a plan keeps, by attribute."""
        kept, found = ~plan.withheld, list[float]()
        for column, level in zip(self.columns, plan.recoding.tolist(), strict=True):
            recoded = column.recodings[level] if level else column.codes[:0]
            wider = (column.costs()[recoded] - column.costs()[: len(recoded)])[column.codes[kept]] if level else 0.0
            found.append(float((wider * self.counts[kept]).sum()) / len(self.columns))
        return found

    def _width(self, plan: RepairPlan) -> float:
        """Return the covered share of the domain of kept rows' cells, averaged over attributes, summed over people."""
        total, kept = 0.0, ~plan.withheld
        for codes, column in zip(self.cells(plan), self.columns, strict=True):
            total += float((column.costs()[codes[kept]] * self.counts[kept]).sum())
        return total / max(1, len(self.columns))

    def cost(self, plan: RepairPlan) -> Cost:
        """Return how many people too many a plan withholds, whether ids are new, its loss, and how much it regroups.

        Plans are compared by the first number, then the second, and so on.
        """
        regrouped = np.count_nonzero((plan.group != self.group) & ~plan.withheld)
        lost = round(sum(self.costs(plan).values()), 9)
        return self.withheld_too_many(plan), plan.redrawn, lost, int(regrouped)

    @property
    def room(self) -> float:
        """The number of people to withhold before any other change is preferred: one in twenty."""
        return float(self.counts.sum()) / 20

    def withheld_too_many(self, plan: RepairPlan) -> float:
        """Return how many more people than `room` a plan withholds."""
        return max(0.0, float(self.counts[plan.withheld].sum()) - self.room)

    def merge_cost(self, groups: Sequence[int]) -> float:
        """Return the loss if some published groups become one and nothing else changes."""
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
        """The cost of the published cells of each group's people; shape (groups, attributes)."""
        sums = [
            np.bincount(self.group, weights=column.costs()[column.codes] * self.counts, minlength=self.groups)
            for column in self.columns
        ]
        return np.stack(sums, axis=1) if sums else np.zeros((self.groups, 0))

    def parts(self, plan: RepairPlan) -> list[list[int]]:
        """Return the groups that a plan merges, each as a list; not those that a recoding makes equal."""
        order, alike = np.argsort(plan.part, kind="stable"), np.arange(self.groups)
        if plan.recoding.any():
            alike = self.recoded(plan.recoding.tolist()).part
        starts = np.unique(plan.part[order], return_index=True)[1]
        ends = [*starts[1:].tolist(), self.groups]
        parts = [order[start:end] for start, end in zip(starts.tolist(), ends, strict=True) if end - start > 1]
        return [part.tolist() for part in parts if len(np.unique(alike[part])) > 1]

    def order_of(self, plan: RepairPlan) -> Places:
        """Return the row that each written row is made from.

        Unless nothing is regrouped or recoded, rows are sorted by group, cells and values; by their ids if these are
        drawn anew, as any other order may follow the former ids.
        """
        kept, group = np.flatnonzero(~plan.withheld), plan.group
        if plan.redrawn:
            return kept[np.argsort(self.new_ids[kept])]
        if not (group != self.group).any() and not plan.recoding.any():
            return kept
        keys = [self.table.coded(name).codes[kept] for name in self._other_columns()]
        values = [codes[kept] for codes in self.values.values()]
        cells = [codes[kept] for codes in self.cells(plan)]
        return kept[np.lexsort(np.stack([*keys, *values, *cells, group[kept]]))]

    def _other_columns(self) -> list[str]:
        """Return the published columns other than group and value, in the reverse order of the file."""
        columns = self.series.manifest.columns
        hidden = {columns.group, columns.individual, *columns.sensitive, *self.attributes}
        return [name for name in reversed(self.table.names) if name not in hidden]


def owners(series: Series, person: Codes | None) -> Codes | None:
    """Return the people of the last release's rows, by the codes of the series; shape (rows,).

    Return None without a key. The release's own key is read even if earlier releases have none, as with a register.
    """
    if person is not None:
        return person
    lacking, columns = series.unpublished[series.tags[-1]], series.manifest.columns
    there = replace(columns, quasi_identifiers=tuple(n for n in columns.quasi_identifiers if n not in lacking))
    alone = replace(series.manifest, columns=there, releases=series.manifest.releases[-1:], to_come=series.tags[:-1])
    return read_release(Series(alone, series.people, series.vocabularies), 0).person


def sort_key(text: str) -> tuple[float, str]:
    """Return a key that sorts cells of numbers by their first number, and others as texts."""
    number = re.search(r"-?\d+(?:\.\d+)?", text)
    return (float(number[0]) if number else float("inf"), text)


@dataclass(frozen=True)
class RepairPlan:
    """The changes of a candidate; rows and groups are numbered as in the original.

    Attributes:
        home: the group of each row after rows were moved, before groups are merged; shape (rows,), intp.
        part: the merged group of each group, as its least member; shape (groups,), intp.
        withheld: which rows are left out; shape (rows,), bool.
        steps: how often the cells of each merged group are coarsened, by attribute; shape (groups, attributes), int8.
        recoding: the number of the recoding that gives all rows coarser cells, 0 if none; shape (attributes,), int8.
        redrawn: whether each record gets a new id.
    """

    home: Places
    part: Places
    withheld: Flags
    steps: npt.NDArray[np.int8]
    recoding: npt.NDArray[np.int8]
    redrawn: bool = False

    @property
    def group(self) -> Places:
        """The merged group of each row; shape (rows,)."""
        return self.part[self.home]

    def merged(self, groups: Sequence[int]) -> RepairPlan:
        """Return the plan with the parts of some groups made one."""
        old = np.unique(self.part[list(groups)])
        part = self.part.copy()
        part[np.isin(part, old)] = old[0]
        steps = self.steps.copy()
        steps[old] = 0
        return replace(self, part=part, steps=steps)

    def without(self, rows: Places, *, withheld: bool = True) -> RepairPlan:
        """Return the plan with some more rows withheld, or restored."""
        changed = self.withheld.copy()
        changed[rows] = withheld
        return replace(self, withheld=changed)

    @property
    def key(self) -> bytes:
        """A key that is equal for plans with the same changes."""
        arrays = (self.home, self.part, self.withheld, self.steps, self.recoding)
        return b"".join([bytes([self.redrawn]), *(each.tobytes() for each in arrays)])
