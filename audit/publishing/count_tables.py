"""Publish count tables: protect each exact table by itself, and write the rules into the manifest.

Secondary suppression hides further cells until the whole series passes an audit, before it writes anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path, PurePosixPath
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
from audit.count_tables.table_shapes import read_categories
from audit.io.atomic_files import check_empty
from audit.io.table_writer import csv_text
from audit.io.toml import release_tag
from audit.model.arrays import Counts, Numbers
from audit.model.audit_options import AuditOptions
from audit.model.count_tables import with_totals
from audit.model.errors import InputError, Problem, Problems, UsageError
from audit.model.report import Report
from audit.runtime.budget import Budget
from audit.runtime.phrases import Reason, ReasonKind, printable, printable_path, say

Protect = Callable[[Counts, np.random.Generator], npt.NDArray[np.str_]]
PublishedTexts = npt.NDArray[np.object_]


def publish_tables(
    manifest: TableManifest,
    output: Path,
    protect: Protect,
    rules: Mapping[str, str],
    seed: int | None,
    *,
    beside: tuple[CountAttack, str, AuditOptions] | None = None,
) -> Report | Reason | None:
    """Write all releases, protected, into a new or empty folder.

    Only the dimensions and the counts are written, because other columns could reveal counts, and always as CSV: a
    workbook may have further sheets. The result is read back:
    every count must lie in the interval that its published text means.

    Args:
        manifest: of the exact tables.
        output: the folder.
        protect: returns the published text of each cell of a table with its totals.
        rules: the keys of `[table]` that describe the method, and their values as TOML.
        seed: of what the method draws.
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
    _check_all_have_counts(counts)
    tables = [_exact_table(counts, file) for file in range(len(counts.parts))]
    cells = np.concatenate([protect(each.counts, rng)[each.place] for each in tables]).astype(object)
    report = None
    if beside is not None:
        attack, marker, options = beside
        budget = Budget(options.time_limit)
        with TemporaryDirectory(prefix="audit-anonymize-") as folder:
            _write(counts, tables, cells, rules, Path(folder))
            hiding = _to_hide(Path(folder), attack, marker, options, budget)
        if hiding.stopped is not None and (not hiding.is_enough or hiding.stopped.kind is ReasonKind.INTERRUPTED):
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


def _to_hide(folder: Path, attack: CountAttack, marker: str, options: AuditOptions, budget: Budget) -> Hiding:
    """Return which rows to hide beside those that are, so that nothing is found."""
    counts = read_counts(read_table_manifest(folder))
    rows = np.flatnonzero(counts.number).tolist()
    return HidingSearch(counts, rows, attack, options, budget=budget, signs=dict.fromkeys(rows, marker)).search()


def _write(
    counts: PublishedCounts, tables: Sequence[ExactTable], cells: PublishedTexts, rules: Mapping[str, str], output: Path
) -> None:
    """Write the tables with what is published of each row, and the manifest.

    Raises:
        UsageError: a file cannot be written.
    """
    shown = np.split(cells, np.cumsum([len(each.rows) for each in tables])[:-1])
    texts = {
        _as_published(counts.parts[each.file].file.shown): _as_csv(counts, each, some)
        for each, some in zip(tables, shown, strict=True)
    }
    covered = read_categories(counts.manifest, Problems())
    for dimension, name in counts.manifest.categories.items():
        pairs = ((label, atom) for label, atoms in covered[dimension].items() for atom in atoms)
        texts[name] = csv_text([("label", "atom"), *pairs])
    texts[NAME] = _manifest_text(counts.manifest, rules)
    for name, text in texts.items():
        try:
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            (output / name).write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            why = printable(error.strerror or "it cannot be written", 200)
            raise UsageError.say(
                "{path}: {why}; name another folder", path=printable_path(output / name), why=why
            ) from error


def _as_published(name: str) -> str:
    """Return the name under which a table is published.

    >>> _as_published("releases/2024.xlsx"), _as_published("2024.Q1.csv.gz"), _as_published("2024")
    ('releases/2024.csv', '2024.Q1.csv', '2024.csv')
    """
    path = PurePosixPath(name)
    return name if path.suffix == ".csv" else str(path.with_name(f"{release_tag(path.name)}.csv"))


def _as_csv(counts: PublishedCounts, table: ExactTable, published: PublishedTexts) -> str:
    """Return a table's rows in their order, with their published texts, as CSV."""
    source = counts.parts[table.file].table
    rules = counts.manifest
    inside = [*(column for columns in rules.nested.values() for column in columns), rules.breakdown, *rules.levels]
    heads = [name for name in (*rules.dimensions, *inside) if name is not None and name in source]
    columns = [source.texts(name) for name in heads]
    rows = (
        [*(texts[row] for texts in columns), shown]
        for row, shown in zip(counts.row[table.rows].tolist(), published.tolist(), strict=True)
    )
    return csv_text([[*heads, rules.value], *rows])


def _manifest_text(manifest: TableManifest, rules: Mapping[str, str]) -> str:
    document = tomlkit.parse((manifest.folder / NAME).read_text(encoding="utf-8-sig"))
    tables = [(each.tag, [_as_published(table.shown) for table in each.tables]) for each in manifest.releases]
    if {name for _, names in tables for name in names} != {
        each.shown for one in manifest.releases for each in one.tables
    }:
        cast("dict[str, object]", document["series"])["releases"] = [
            names[0] if [release_tag(each) for each in names] == [tag] else {"tag": tag, "tables": names}
            for tag, names in tables
        ]
    table, guessed = document["table"], document.get("unconfirmed", {}).get("keys", [])
    for key in ("not_counts", "rates"):  # such columns are not written, and a key that nothing reads is refused
        table.pop(key, None)
        if f"table.{key}" in guessed:
            guessed.remove(f"table.{key}")
    for key, value in rules.items():
        cast("dict[str, object]", table)[key] = tomlkit.parse(f"key = {value}")["key"]
    if "threshold" in rules and "min_count" in manifest.policy:
        # Each count below the threshold is hidden because it may not be known, whatever was guessed of exact tables.
        policy = cast("dict[str, int]", document["policy"])
        if (threshold := int(rules["threshold"])) > policy["min_count"]:
            del policy["min_count"]  # with the comment that explains it
            policy["min_count"] = threshold
    return tomlkit.dumps(document)


_PLAIN = {
    *("folder", "name", "releases", "dimensions", "value", "totals", "no_total", "over_time", "absent_is_zero"),
    *("markers", "categories", "rates", "not_counts", "not_published", "sensitive", "harmless", "flags", "policy"),
    *("waivers", "hiding", "unconfirmed", "nested", "breakdown", "levels"),
}
"""What the manifest of exact tables may say."""


@dataclass(frozen=True)
class ExactTable:
    """One table of a release.

    Attributes:
        file: its place in `PublishedCounts.parts`.
        rows: shape (n,), int64; its rows among all rows.
        counts: the counts by dimension, the total at the end of each axis; the cells along one axis, if labels
            may be parts of other labels.
        place: one array of shape (n,) for each axis, int64; where each row stands in `counts`.
        labels: by dimension the labels along its axis; none if labels may be parts of others.
    """

    file: int
    rows: Numbers
    counts: Counts
    place: tuple[Numbers, ...]
    labels: Mapping[str, tuple[str, ...]]


def check_exact(manifest: TableManifest) -> None:
    """Refuse a series whose rules say that its numbers are not exact, or that is more than plain tables.

    Raises:
        InputError: it is one; all of its faults are named.
    """
    problems = Problems()
    hiding = ", ".join(printable(each) for each in manifest.markers if manifest.hides(each))
    if hiding:
        what = say("{markers} stands for several counts, so these tables are protected already", markers=hiding)
        problems.add(NAME, what, say("give the tables as they were before counts were hidden"))
    for each in fields(manifest):
        plain = each.default if each.default_factory is MISSING else each.default_factory()
        if each.name not in _PLAIN and getattr(manifest, each.name) != plain:
            what = say("`{key}`: only plain tables of exact counts can be published", key=each.name)
            problems.add(NAME, what, say("leave it out"))
    tables = [table.shown for release in manifest.releases for table in release.tables]
    published = Counter(map(_as_published, tables))
    for name in tables:
        if published[_as_published(name)] > 1:
            what = say("several tables would be published as {file}", file=_as_published(name))
            problems.add(name, what, say("give each a name of its own"))
    for name in manifest.categories.values():
        if not name.endswith(".csv"):
            problems.add(name, say("only .csv is published"), say("convert it first"))
    problems.check()


def _has_parts(manifest: TableManifest) -> bool:
    """Return whether labels may be parts of other labels, or rows have only some dimensions."""
    return bool(manifest.categories or manifest.nested or manifest.breakdown)


def _check_all_have_counts(counts: PublishedCounts) -> None:
    problems = Problems()
    for part in counts.parts:
        if not part.has_counts:
            what = say("only tables of counts can be published, and this one has none")
            problems.add(part.file.shown, what, say("leave it out of releases"))
    problems.check()


def _exact_table(counts: PublishedCounts, file: int) -> ExactTable:
    """Return a table of a series of exact counts.

    Raises:
        InputError: a combination of labels has no count, or a total is not the sum of its parts. If labels are parts
            of other labels: a cell has two counts.
    """
    rows = np.flatnonzero((counts.file == file) & counts.shown)
    if _has_parts(counts.manifest):
        _, first, cell = np.unique(counts.label[rows], axis=0, return_index=True, return_inverse=True)
        given = counts.lower[rows[first]]
        _check_counts(counts, rows, given[cell.ravel()])
        return ExactTable(file, rows, given, (cell.ravel(),), {})
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
        remedy = say('give every combination a row, or write absent = "zero" under [table]')
        problems.add(shown, say("the count of {cell} is missing", cell=missing), remedy)
    problems.check()
    found = with_totals(np.maximum(finest, 0))
    _check_counts(counts, rows, found[tuple(place)])
    return ExactTable(file, rows.astype(np.int64), found, tuple(each.astype(np.int64) for each in place), labels)


def _check_counts(counts: PublishedCounts, rows: Counts, expected: Counts) -> None:
    wrong = np.flatnonzero(expected != counts.lower[rows])
    if len(wrong):
        row, (shown, line) = int(rows[wrong[0]]), counts.place(int(rows[wrong[0]]))
        what = say(
            '"{text}" is not {expected}, the sum of its parts or the same cell above',
            text=counts.text[row],
            expected=int(expected[wrong[0]]),
        )
        column = counts.manifest.value
        raise InputError([Problem(shown, what, say("correct the number"), line=line, column=column)])
