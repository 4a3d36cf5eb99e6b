"""Publish count tables: protect each exact table by itself, and write the rules into the manifest."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from audit.count_tables.exact_tables import ExactTable, check_exact, exact_tables
from audit.count_tables.manifest import NAME, TableManifest, read_table_manifest
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.read_counts import read_counts
from audit.model.arrays import Counts
from audit.model.errors import UsageError, printable, printable_path

Protect = Callable[[Counts, np.random.Generator], "np.typing.NDArray[np.str_]"]


@dataclass(frozen=True)
class Draw:
    """The random numbers of a method.

    Attributes:
        seed: the seed; None if the method draws nothing.
        for_people: whether the method draws a number for each person; a cell of all tables then holds the same people.
    """

    seed: int | None = None
    for_people: bool = False


def publish_tables(
    manifest: TableManifest, output: Path, protect: Protect, rules: Mapping[str, str], draw: Draw
) -> TableManifest:
    """Write all releases, protected, into a new or empty folder, and return its manifest.

    Only the dimensions and the counts are written, because other columns could reveal counts. The result is read back:
    every count must lie in the interval that its published text means.

    Args:
        manifest: of the exact tables.
        output: the folder.
        protect: returns the published text of each cell of a table with its totals.
        rules: the keys of `[table]` that describe the method, and their values as TOML.
        draw: the random numbers of the method.

    Raises:
        UsageError: the folder has files in it, or cannot be made.
        InputError: the tables cannot be read, are not exact, lack counts, or do not add up.
        RuntimeError: a published text contradicts its exact count, which is a bug.
    """
    check_exact(manifest)
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{printable_path(output)}: there are files already; name a new or empty folder")
    counts, rng = read_counts(manifest), np.random.default_rng(draw.seed)
    tables = list(exact_tables(counts))
    if draw.for_people and any(each.labels != tables[0].labels for each in tables):
        what = "people's keys are drawn by cell, so that all tables must have the same dimensions and labels"
        raise UsageError(f"{what}; choose another method, or perturb the tables where the microdata are")
    texts = {counts.files[each.file].shown: _as_csv(counts, each, protect(each.counts, rng)) for each in tables}
    texts[NAME] = _manifest_text(manifest, rules)
    for name, text in texts.items():
        try:
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            (output / name).write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            why = printable(error.strerror or "it cannot be written", 200)
            raise UsageError(f"{printable_path(output / name)}: {why}; name another folder") from error
    published = read_table_manifest(output)
    written, known = read_counts(published), counts.lower[counts.shown]
    if len(written.lower) != len(known) or ((written.lower > known) | (written.upper < known)).any():
        raise RuntimeError("what was published cannot stand for the exact counts")
    return published


def _as_csv(counts: PublishedCounts, table: ExactTable, published: np.typing.NDArray[np.str_]) -> str:
    """Return a table's rows in their order, with their published texts, as CSV."""
    source = counts.tables[table.file]
    used = [axis for axis, dimension in enumerate(counts.dimensions) if dimension.axis.name in source]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(counts.dimensions[axis].axis.name for axis in used), counts.manifest.value])
    for row, shown in zip(table.rows.tolist(), published[table.place].tolist(), strict=True):
        writer.writerow([*(counts.dimensions[axis].labels[counts.label[row, axis]] for axis in used), shown])
    return text.getvalue()


def _manifest_text(manifest: TableManifest, rules: Mapping[str, str]) -> str:
    import tomlkit

    document = tomlkit.parse((manifest.folder / NAME).read_text(encoding="utf-8-sig"))
    table = document["table"]
    for key, value in rules.items():
        cast("dict[str, object]", table)[key] = tomlkit.parse(f"key = {value}")["key"]
    return tomlkit.dumps(document)
