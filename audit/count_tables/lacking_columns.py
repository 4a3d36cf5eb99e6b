"""Columns and statistics that the manifest of count tables names, and no table has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.count_tables.acro_outputs import SESSION, session_outputs
from audit.count_tables.manifest import NAME, TableManifest
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.table_files import column_names
from audit.io.rules.rule import NOTHING
from audit.io.tables import Table
from audit.io.toml import refuse_keys
from audit.model.errors import Problems, printable


def check_columns_are_there(counts: PublishedCounts) -> None:
    """Refuse keys about columns and statistics that no table of the series has.

    A table that is still to come may have them: of a series before a candidate this is not asked.

    Raises:
        InputError: nothing reads some keys; all of them are named, with their lines.
    """
    found = [
        (key, f'no table has "{printable(name)}", so {NOTHING}', "correct the name, or leave it out")
        for key, name in _lacking(counts.manifest, counts.tables)
    ]
    found += [
        (key, f'no label of "{name}" is "{printable(text)}", so {NOTHING}', "correct the label, or leave it out")
        for key, name, text in _unknown_labels(counts)
    ]
    refuse_keys(counts.manifest.folder, NAME, found)


def _unknown_labels(counts: PublishedCounts) -> Iterator[tuple[str, str, str]]:
    """Yield the labels that no table has, each with its key and dimension."""
    manifest, labels = counts.manifest, {each.axis.name: {*each.labels} for each in counts.dimensions}
    named = [("harmless", name, text) for name, texts in manifest.harmless.items() for text in texts]
    named += [("hiding", name, text) for rule in manifest.hiding for name, text in rule.cell.items()]
    yield from (each for each in named if each[2] not in labels[each[1]])


def _lacking(manifest: TableManifest, tables: Sequence[Table]) -> Iterator[tuple[str, str]]:
    """Yield the names that no table has, each with its key."""
    wanted = [("not_counts", name) for name in sorted(manifest.not_counts)]
    wanted += [("change", manifest.change.column)] if manifest.change is not None else []
    wanted += [("rates", rates.column) for rates in manifest.rates]
    if not wanted:
        return
    files = {file.path: file for release in manifest.releases for file in release.tables}
    known: set[str] = set()
    for path, file in files.items():
        if path.name == SESSION:
            outputs = [*session_outputs(path, file.shown, Problems())]
            known |= {name for each in outputs for name in (each.file, *each.magnitudes)}
        else:
            known |= {*(column_names(path, file.shown, Problems()) or ())}
    if manifest.measure is not None:
        known |= {text for table in tables if manifest.measure in table for text in table.distinct(manifest.measure)}
    yield from ((key, name) for key, name in wanted if name not in known)
