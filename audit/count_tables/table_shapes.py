"""Table shapes: read labels and counts from published layouts: breakdowns, nested areas, `12 (34.5)`, categories.

Sources: the metadata of NHS England's monthly CSV publications (BREAKDOWN, PRIMARY_LEVEL, SECONDARY_LEVEL); the
Department for Education's open data standards (geographic levels whose names are blank where they do not apply).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from audit.count_tables.manifest import TableFile, TableManifest, column_names, read_count_table
from audit.count_tables.published_texts import (
    commas_are_decimal,
    flag_of,
    number_of,
    points_part_thousands,
    with_decimal_point,
)
from audit.count_tables.table_rules import CountColumn, Rates
from audit.io.foreign_files import (
    HIERARCHY,
    METADATA,
    ArgusFileError,
    covered_by_digits,
    covered_codes,
    hierarchy_beside,
    read_metadata,
)
from audit.io.tables import Table, read_table
from audit.model.errors import Problems


def composed(text: str) -> str:
    """Return a label in Unicode's normal form NFC, so that equal labels are equal texts."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def read_categories(manifest: TableManifest, problems: Problems) -> dict[str, dict[str, list[str]]]:
    """Return the atoms of each label, for each dimension of codes or with a file of categories; note faults."""
    found: dict[str, dict[str, list[str]]] = {}
    for dimension in sorted(manifest.codes):
        found[dimension] = _composed(covered_by_digits(_codes(manifest, dimension, problems)))
    for dimension, name in manifest.categories.items():
        if name.endswith((HIERARCHY, METADATA)):
            found[dimension] = _argus_categories(manifest, dimension, name, problems)
            continue
        table = read_table(manifest.folder / name, name, ["label", "atom"], problems)
        if table is None:
            continue
        covered: dict[str, list[str]] = {}
        for row, (label, atom) in enumerate(zip(table.texts("label"), table.texts("atom"), strict=True)):
            if not label or not atom:
                problems.add(name, "a label or an atom is empty", "give every line both", line=table.line(row))
                break
            covered.setdefault(composed(label), []).append(composed(atom))
        found[dimension] = covered
    return found


def _argus_categories(manifest: TableManifest, dimension: str, name: str, problems: Problems) -> dict[str, list[str]]:
    """Return the atoms of each code from a file of tau-Argus: a hierarchy, or metadata that name one."""
    path = manifest.folder / name
    try:
        if name.endswith(HIERARCHY):
            return _composed(covered_codes(path))
        variable = next((each for each in read_metadata(path).variables if each.name == dimension), None)
        if variable is None:
            problems.add(name, f'it has no variable "{dimension}"', "name the file that has it")
            return {}
        if variable.hierarchy is None:
            return _composed(covered_by_digits(_codes(manifest, dimension, problems), variable.digits))
        covered = covered_codes(hierarchy_beside(path, variable.hierarchy), variable.leading)
        return _composed(covered | {code: [code] for code in variable.missing if code not in covered})
    except ArgusFileError as error:
        problems.add(name, error.what, error.remedy)
    except OSError as error:
        problems.add(name, f"it cannot be read: {error.strerror}", "correct the path")
    return {}


def _codes(manifest: TableManifest, dimension: str, problems: Problems) -> list[str]:
    """Return all codes of a dimension in the tables, except the total."""
    codes = dict[str, None]()
    for file in (file for release in manifest.releases for file in release.tables):
        if dimension in (column_names(file.path, file.shown, problems, [dimension]) or ()):
            table = read_count_table(file.path, file.shown, [dimension], problems, manifest.once)
            codes |= dict.fromkeys(() if table is None else table.distinct(dimension))
    return [code for code in codes if code and code != manifest.totals.get(dimension)]


def _composed(covered: dict[str, list[str]]) -> dict[str, list[str]]:
    return {composed(label): [composed(atom) for atom in atoms] for label, atoms in covered.items()}


_NONE = frozenset({"", "NONE", "None", "none"})


_WITH_RATE = re.compile(r"(.*?)\s*[(\[]\s*([^()\[\]]*?)\s*%?\s*[)\]]")


def rate_column(manifest: TableManifest, rates: Rates, view: CountColumn) -> str | None:
    """Return the column with the rates of a column of counts, a new name if its cells hold both; None without rates."""
    if rates.column in (each.column for each in manifest.views):
        return f"{rates.column} (rate)" if rates.column == view.column else None
    return rates.column if rates.counts in ("", view.column) else None


def split_rates(manifest: TableManifest, table: Table) -> Table:
    """Return a table in which cells such as `12 (34.5)` are split into the count, and the rate in a new column."""
    counts = {each.column for each in manifest.views}
    for name in dict.fromkeys(rates.column for rates in manifest.rates):
        if name in counts and name in table:
            both = table.mapped(name, lambda text: _in_cell(text)[1])
            table = table.mapped(name, lambda text: _in_cell(text)[0])
            table = table.with_column(f"{name} (rate)", both.arrow(name))
    return table


def plain_numbers(manifest: TableManifest, table: Table, columns: Iterable[str]) -> Table:
    """Return a table with decimal points instead of decimal commas, and without the flags after numbers.

    Denominators have no points that part thousands.
    """
    for column in columns:
        if column in table and commas_are_decimal(table.distinct(column)):
            table = table.mapped(column, with_decimal_point)
        if column in table and manifest.flags and any(flag_of(text)[1] for text in table.distinct(column)):
            table = table.mapped(column, lambda text: flag_of(text)[0] if flag_of(text)[1] in manifest.flags else text)
        is_denominator = column in table and column in manifest.denominators
        if is_denominator and points_part_thousands({*table.distinct(column)} - manifest.not_published):
            table = table.mapped(column, lambda text: text if (n := number_of(text, point=True)) is None else str(n))
    return table


def _in_cell(text: str) -> tuple[str, str]:
    found = _WITH_RATE.fullmatch(text)
    return (found[1], found[2]) if found and found[1] else (text, "")


def breakdown_labels(manifest: TableManifest, table: Table) -> dict[str, list[str]]:
    """Return the labels of each dimension, if a column such as `Region; Age` names those of the columns of levels.

    An empty label stands for the total; no dimension is returned without such a column.
    """
    if manifest.breakdown is None:
        return {}
    parts = {text: [part.strip() for part in text.split(";")] for text in table.distinct(manifest.breakdown)}
    named = [parts[text] for text in table.texts(manifest.breakdown)]
    levels = [["" if text in _NONE else text for text in table.texts(name)] for name in manifest.levels]
    rows = [dict(zip(some, row, strict=False)) for some, row in zip(named, zip(*levels, strict=True), strict=True)]
    return {name: [row.get(name, "") for row in rows] for name in manifest.dimensions if name not in table}


LabelPath = tuple[str, ...]
"""A nested label with those around it, the coarsest first; empty for the total."""


def nested_labels(table: Table, columns: Sequence[str], total: str, totals: Mapping[str, str]) -> list[LabelPath]:
    """Return the path of each row in a dimension of several columns, the coarsest first.

    Blank labels, the total's own name, and the name that `totals` gives for a column, are left out.
    """
    left_out = [{*_NONE, total, totals.get(name, total)} for name in columns]
    rows = zip(*(map(composed, table.texts(name)) for name in columns), strict=True)
    return [tuple(text for text, out in zip(row, left_out, strict=True) if text not in out) for row in rows]


@dataclass(frozen=True)
class FileRows:
    """The rows of one file for one of its columns of counts, with the labels as texts.

    Attributes:
        release: the index of the release.
        file, table: the file, and its columns, which know the line of each row.
        labels: the labels of each row, by dimension.
        measure: the statistic of each row; None if no column names it.
        view: the column with the counts.
        nested: the nested labels of each row, the coarsest first, by dimension.
        is_exact: whether the manifest says that its numbers were neither rounded nor perturbed.
    """

    release: int
    file: TableFile
    table: Table
    labels: Mapping[str, list[str]]
    measure: list[str] | None
    view: CountColumn
    nested: Mapping[str, list[LabelPath]]
    is_exact: bool

    @property
    def has_counts(self) -> bool:
        """Whether the table has the column with the counts; others have only rates of counts in other tables."""
        return self.view.column in self.table

    def note(
        self, column: str, texts: Sequence[str], wrong: Collection[str], what: str, remedy: str, problems: Problems
    ) -> None:
        """Note the first row with a wrong text, and how many more rows have one; nothing if there is none."""
        flags = np.array([text in wrong for text in texts] if wrong else np.zeros(len(texts)), dtype=np.bool_)
        self.table.note_first(flags, column, what, remedy, problems)


@dataclass(frozen=True)
class NestedDimension:
    """The labels of a nested dimension in all files: each label is a path; two paths with the same text are two labels.

    Attributes:
        names: the label that is shown for each path.
        atoms: the atoms of each label: the finest labels inside it.
    """

    names: Mapping[LabelPath, str]
    atoms: Mapping[str, list[str]]


def nested_dimension(found: Sequence[Sequence[LabelPath]], *, with_rest: bool = False) -> NestedDimension:
    """Return the labels of a nested dimension, given the paths of each file.

    `with_rest` gives each coarser label an atom for the people in none of the labels inside it.
    """
    distinct = dict.fromkeys(path for each in found for path in each)
    paths = dict.fromkeys(path[:end] for path in distinct for end in range(1, len(path) + 1))
    ending: dict[str, list[LabelPath]] = {}
    for path in paths:
        ending.setdefault(path[-1], []).append(path)
    names: dict[LabelPath, str] = {(): ""}
    for path in paths:
        alike = [other for other in ending[path[-1]] if len(other) > 1 or other == path]
        names[path] = path[-1] if len(alike) == 1 else _qualified(path)
    inner = {path[:-1] for path in paths}
    atoms: dict[str, list[str]] = {names[path]: [] for path in paths}
    for path in paths:
        ends = [names[path]] if path not in inner else [f"{names[path]} (rest)"] if with_rest else []
        for end in ends:
            for length in range(1, len(path) + 1):
                atoms[names[path[:length]]].append(end)
            atoms.setdefault(end, [end])
    return NestedDimension(names, atoms)


def _qualified(path: LabelPath) -> str:
    """Return a label with those around it, because one text may name several: "Unknown" in North and in South."""
    if len(path) == 1:
        return path[0]
    return f"{path[-1]} (itself)" if set(path[:-1]) == {path[-1]} else f"{path[-1]} ({', '.join(path[:-1])})"
