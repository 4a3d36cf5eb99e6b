"""Publish count tables: protect each exact table by itself, and write the rules into the manifest.

Secondary suppression hides further cells until the whole series passes an audit, before it writes anything.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
import numpy.typing as npt
import tomlkit

from audit.count_tables.hiding import Hiding, HidingSearch
from audit.count_tables.judged_counts import CountAttack
from audit.count_tables.manifest import NAME, TableManifest, read_table_manifest
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_audit import audit_tables
from audit.findings.count import CountReport
from audit.io.atomic_files import check_empty
from audit.model.arrays import Counts
from audit.model.audit_options import AuditOptions
from audit.model.count_tables import with_totals
from audit.model.errors import Problems, UsageError, printable, printable_path
from audit.runtime.budget import Budget
from audit.runtime.phrases import Reason

Protect = Callable[[Counts, np.random.Generator], npt.NDArray[np.str_]]
PublishedTexts = npt.NDArray[np.object_]


def publish_tables(
    manifest: TableManifest,
    output: Path,
    protect: Protect,
    rules: Mapping[str, str],
    seed: int | None,
    *,
    for_people: bool = False,
    beside: tuple[CountAttack, str, AuditOptions] | None = None,
) -> CountReport | Reason | None:
    """Write all releases, protected, into a new or empty folder.

    Only the dimensions and the counts are written, because other columns could reveal counts. The result is read back:
    every count must lie in the interval that its published text means.

    Args:
        manifest: of the exact tables.
        output: the folder.
        protect: returns the published text of each cell of a table with its totals.
        rules: the keys of `[table]` that describe the method, and their values as TOML.
        seed: of what the method draws.
        for_people: whether it draws a number for each person; a cell of all tables then holds the same people.
        beside: the attack of an audit that says which further cells to hide, until it passes, the marker of those,
            which can stand for any count, and the options, whose time limit is for all of it; None where each table is
            protected by itself.

    Returns:
        The audit, if there was one, or why the search for cells ended early. Nothing is written unless it passes.

    Raises:
        UsageError: the folder has files in it, or cannot be made.
        InputError: the tables cannot be read, are not exact, lack counts, or do not add up.
        RuntimeError: a published text contradicts its exact count, which is a bug.
    """
    check_exact(manifest)
    check_empty(output)
    counts, rng = read_counts(manifest), np.random.default_rng(seed)
    tables = [_exact_table(counts, file) for file in range(len(counts.parts))]
    if for_people and any(each.labels != tables[0].labels for each in tables):
        what = "numbers are drawn for the people of a cell, so all tables need the same dimensions and labels"
        raise UsageError(f"{what}; choose another method, or perturb the tables where the microdata are")
    cells = np.concatenate([protect(each.counts, rng)[each.place] for each in tables]).astype(object)
    report = None
    if beside is not None:
        attack, marker, options = beside
        budget = Budget(options.time_limit)
        with TemporaryDirectory(prefix="audit-anonymize-") as folder:
            _write(counts, tables, cells, rules, Path(folder))
            hiding = _to_hide(Path(folder), attack, options, budget)
        if hiding.stopped is not None:
            return hiding.stopped
        cells[sorted(hiding.rows)] = marker
        with TemporaryDirectory(prefix="audit-anonymize-") as folder:
            _write(counts, tables, cells, rules, Path(folder))
            options = replace(options, time_limit=budget.remaining())
            report = audit_tables(read_table_manifest(Path(folder)), attack, options)
        if report.exit_code:
            return report
    _write(counts, tables, cells, rules, output)
    written, known = read_counts(read_table_manifest(output)), counts.lower[counts.shown]
    if len(written.lower) != len(known) or ((written.lower > known) | (written.upper < known)).any():
        raise RuntimeError("what was published cannot stand for the exact counts")
    return report


def _to_hide(folder: Path, attack: CountAttack, options: AuditOptions, budget: Budget) -> Hiding:
    """Return which rows to hide beside those that are, so that nothing is found."""
    counts = read_counts(read_table_manifest(folder))
    rows = np.flatnonzero(counts.number).tolist()
    return HidingSearch(counts, rows, attack, options, budget=budget, marked=True).search()


def _write(
    counts: PublishedCounts, tables: Sequence[ExactTable], cells: PublishedTexts, rules: Mapping[str, str], output: Path
) -> None:
    """Write the tables with what is published of each row, and the manifest.

    Raises:
        UsageError: a file cannot be written.
    """
    shown = np.split(cells, np.cumsum([len(each.rows) for each in tables])[:-1])
    texts = {
        counts.parts[each.file].file.shown: _as_csv(counts, each, some)
        for each, some in zip(tables, shown, strict=True)
    }
    texts[NAME] = _manifest_text(counts.manifest, rules)
    for name, text in texts.items():
        try:
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            (output / name).write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            why = printable(error.strerror or "it cannot be written", 200)
            raise UsageError(f"{printable_path(output / name)}: {why}; name another folder") from error


def _as_csv(counts: PublishedCounts, table: ExactTable, published: PublishedTexts) -> str:
    """Return a table's rows in their order, with their published texts, as CSV."""
    source = counts.parts[table.file].table
    used = [axis for axis, dimension in enumerate(counts.dimensions) if dimension.axis.name in source]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(counts.dimensions[axis].axis.name for axis in used), counts.manifest.value])
    for row, shown in zip(table.rows.tolist(), published.tolist(), strict=True):
        writer.writerow([*(counts.dimensions[axis].labels[counts.label[row, axis]] for axis in used), shown])
    return text.getvalue()


def _manifest_text(manifest: TableManifest, rules: Mapping[str, str]) -> str:

    document = tomlkit.parse((manifest.folder / NAME).read_text(encoding="utf-8-sig"))
    table = document["table"]
    table.pop("not_counts", None)  # such columns are not written, and a key that nothing reads is refused
    if "table.not_counts" in (guessed := document.get("unconfirmed", {}).get("keys", [])):
        guessed.remove("table.not_counts")
    for key, value in rules.items():
        cast("dict[str, object]", table)[key] = tomlkit.parse(f"key = {value}")["key"]
    return tomlkit.dumps(document)


_PLAIN = {
    *("folder", "name", "releases", "dimensions", "value", "totals", "no_total", "over_time", "absent_is_zero"),
    *("not_counts", "not_published", "sensitive", "harmless", "flags", "policy", "waivers", "hiding", "unconfirmed"),
}
"""What the manifest of exact tables may say."""


@dataclass(frozen=True)
class ExactTable:
    """One table of a release.

    Attributes:
        file: its place in `PublishedCounts.parts`.
        rows: shape (n,), int64; its rows among all rows.
        counts: the counts by dimension, the total at the end of each axis.
        place: one array of shape (n,) for each axis, int64; where each row stands in `counts`.
        labels: by dimension the labels along its axis.
    """

    file: int
    rows: npt.NDArray[np.int64]
    counts: Counts
    place: tuple[npt.NDArray[np.int64], ...]
    labels: Mapping[str, tuple[str, ...]]


def check_exact(manifest: TableManifest) -> None:
    """Refuse a series whose rules say that its numbers are not exact, or that is more than plain tables.

    Raises:
        InputError: it is one; all of its faults are named.
    """
    problems = Problems()
    for each in fields(manifest):
        if each.name not in _PLAIN:
            plain = each.default if each.default_factory is MISSING else each.default_factory()
            if getattr(manifest, each.name) != plain:
                remedy = (
                    "delete the rows of parts from the tables, and leave it out"
                    if each.name == "categories"
                    else "leave it out"
                )
                problems.add(NAME, f"`{each.name}`: only plain tables of exact counts can be published", remedy)
    for release in manifest.releases:
        for table in release.tables:
            if not table.path.name.endswith(".csv"):
                problems.add(table.shown, "only .csv is published", "convert it first")
    problems.check()


def _exact_table(counts: PublishedCounts, file: int) -> ExactTable:
    """Return a table of a series of exact counts.

    Raises:
        InputError: a combination of labels has no count, or a total is not the sum of its parts.
    """
    rows = np.flatnonzero((counts.file == file) & counts.shown)
    place, labels = [], dict[str, tuple[str, ...]]()
    for axis, dimension in enumerate(counts.dimensions):
        codes = counts.label[rows, axis]
        parts = np.unique(codes[codes != dimension.total])
        if len(parts):
            place.append(np.where(codes == dimension.total, len(parts), np.searchsorted(parts, codes)))
            labels[dimension.axis.name] = tuple(dimension.labels[code] for code in parts)
    shape = tuple(len(each) + 1 for each in labels.values())
    given = np.full(shape, -1, dtype=np.int64)
    given[tuple(place)] = counts.lower[rows]
    finest = given[tuple(slice(0, -1) for _ in shape)]
    shown, problems = counts.parts[file].file.shown, Problems()
    if (finest < 0).any() and not counts.manifest.absent_is_zero:
        cell = np.argwhere(finest < 0)[0]
        missing = ", ".join(printable(some[at]) for some, at in zip(labels.values(), cell, strict=True))
        remedy = 'give every combination a row, or write absent = "zero" under [table]'
        problems.add(shown, f"the count of {missing} is missing", remedy)
    found = with_totals(np.maximum(finest, 0))
    wrong = np.flatnonzero(found[tuple(place)] != counts.lower[rows])
    if len(wrong) and not problems.found:
        row = int(rows[wrong[0]])
        expected = int(found[tuple(each[wrong[0]] for each in place)])
        what = f'"{counts.text[row]}" is not {expected}, the sum of its parts or the same cell above'
        problems.add(shown, what, "correct the number", line=counts.place(row)[1], column=counts.manifest.value)
    problems.check()
    return ExactTable(file, rows.astype(np.int64), found, tuple(each.astype(np.int64) for each in place), labels)
