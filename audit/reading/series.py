"""A series on disk: its manifest, and its releases read one at a time as integer columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from audit.core.errors import InputError, Problem, Problems
from audit.core.updates import UpdateSets
from audit.reading import manifest as manifests
from audit.reading.attributes import Attribute
from audit.reading.cells import Kind, infer_kind
from audit.reading.faults import check_file, is_there
from audit.reading.hierarchies import Hierarchy, read_hierarchy
from audit.reading.manifest import PRIVATE, Manifest, ReleaseFiles
from audit.reading.numbering import People, Vocabulary
from audit.reading.places import is_remote, place, stays_inside
from audit.reading.releases import Release, read_release
from audit.reading.tables import (
    Table,
    about_rows,
    header,
    note_absent,
    read_table,
)

if TYPE_CHECKING:
    from upath import UPath

Codes = npt.NDArray[np.int32]


@dataclass
class Series:
    """A release series: the manifest and, on demand, each release.

    Codes of people and of sensitive values are common to all releases; they are given out while the releases are
    read in order.

    Attributes:
        updates: by sensitive attribute, what may become of its values: see `knowledge.update_sets`, which notes it.
    """

    manifest: Manifest
    people: People = field(default_factory=People)
    vocabularies: dict[str, Vocabulary] = field(default_factory=dict)
    updates: dict[str, UpdateSets | None] = field(default_factory=dict)

    @classmethod
    def of(cls, manifest: Manifest) -> Series:
        """Return the series of a manifest, none of whose releases has been read."""
        return cls(manifest, vocabularies={name: Vocabulary() for name in manifest.columns.sensitive})

    @property
    def tags(self) -> tuple[str, ...]:
        """The releases' tags, in order of publication."""
        return tuple(release.tag for release in self.manifest.releases)

    @cached_property
    def about_rows(self) -> int:
        """About how many rows the releases have together."""
        return sum(about_rows(release.rows) for release in self.manifest.releases)

    @cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The generalization hierarchies by attribute.

        Raises:
            InputError: a hierarchy cannot be read.
        """
        problems = Problems()
        found = {}
        for attribute, name in self.manifest.columns.hierarchies.items():
            hierarchy = read_hierarchy(self.manifest.folder / name, name, problems)
            if hierarchy is not None:
                found[attribute] = hierarchy
        problems.check()
        return found

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """The quasi-identifiers; a column that is not declared is numeric when all its cells, in all releases, are.

        Raises:
            InputError: a release or a hierarchy cannot be read.
        """
        columns = self.manifest.columns
        open_kinds = [n for n in columns.quasi_identifiers if n not in columns.types and n not in self.hierarchies]
        texts: dict[str, set[str]] = {name: set() for name in open_kinds}
        problems = Problems()
        for files in self.manifest.releases if open_kinds else ():
            table = read_table(files.rows, files.shown, open_kinds, problems)
            for name in open_kinds if table is not None else ():
                texts[name].update(table.distinct(name) if table is not None else ())
        problems.check()
        kinds = {name: infer_kind(texts[name], None, columns.missing) for name in open_kinds}
        kinds |= {name: Kind(kind) for name, kind in columns.types.items()}
        return {
            name: Attribute(name, kinds.get(name, Kind.CATEGORICAL), self.hierarchies.get(name), columns.missing)
            for name in columns.quasi_identifiers
        }

    def has_key(self, release: ReleaseFiles) -> bool:
        """Tell whether the publisher's key for a release is there, in its own file or in the column."""
        column = self.manifest.columns.individual
        if is_there(self.key_path(release)):
            return True
        return column is not None and column in (header(release.rows, release.shown, Problems()) or ())

    def keyless(self, what: str, remedy: str = "") -> InputError:
        """Return the error that some releases lack a key: what that means, and what to do but writing key files."""
        manifest = self.manifest
        files = [release for release in manifest.releases if not self.has_key(release)]
        return InputError(
            Problem(each.shown, what, f"write {manifest.shown(manifest.key_path(each))}{remedy}") for each in files
        )

    def check_keys(self) -> None:
        """Refuse a series in which some releases have a key and some have none.

        Raises:
            InputError: it is one.
        """
        if self.started_keys and not self.keyed:
            raise self.keyless("there is no key for this release, though others have one", " or the individual column")

    @cached_property
    def keyed(self) -> bool:
        """Whether every release has a key."""
        return all(self.has_key(release) for release in self.manifest.releases)

    @cached_property
    def started_keys(self) -> bool:
        """Whether the manifest names an individual column, or some release has a key file."""
        return self.manifest.columns.individual is not None or any(
            is_there(self.key_path(release)) for release in self.manifest.releases
        )

    def files(self) -> list[Path]:
        """Return the manifest, all files that it names, and what is kept in the private folder of this machine."""
        keys = [release.key for release in self.manifest.releases if release.key is not None]
        folder = self.manifest.folder
        private = [] if is_remote(folder) else sorted((folder / PRIVATE).glob("*"))
        return [*self.manifest.files(), *private, *keys]

    def key_path(self, release: ReleaseFiles) -> Path:
        """Return where a release's key file would be."""
        return self.manifest.key_path(release)

    def read(
        self,
        position: int,
        attributes: Sequence[str] = (),
        *,
        key: bool = True,
        records: bool = False,
        checked: bool = False,
    ) -> Release:
        """Read one release; its rows' cells only for the quasi-identifiers named, its record ids only when asked for.

        `checked` says that it was read before, and that nobody has two rows in it.

        Raises:
            InputError: something in this file is wrong; the problems of all the other releases are told as well.
        """
        problems = Problems()
        release = read_release(self, position, attributes, problems, key=key, records=records, checked=checked)
        if release is None or problems.found:
            for other in range(len(self.tags)):
                if other != position:
                    read_release(self, other, attributes, problems, key=key, records=records)
            in_order = {files.shown: place for place, files in enumerate(self.manifest.releases)}
            problems.found.sort(key=lambda p: in_order.get(p.file, len(in_order)))
            raise InputError(problems.found)
        return release

    def staged(self, manifest: Manifest) -> Series:
        """Return a series whose releases lie elsewhere; it shares this one's numbers, cells and hierarchies."""
        other = Series(manifest, self.people, self.vocabularies, self.updates)
        other.__dict__.update(attributes=self.attributes, hierarchies=self.hierarchies)
        return other

    def side_table(self, name: str, columns: Sequence[str], problems: Problems) -> Table | None:
        """Read some columns of a file that the manifest names beside the releases."""
        return read_table(self.manifest.folder / name, name, columns, problems)


def open_series(path: str | os.PathLike[str] | UPath) -> Series:
    """Open the series in a folder, or at a URL (or the one whose `series.toml` is named).

    Raises:
        InputError: the manifest is faulty, or files or columns that it names are missing; all of it is told.
        UsageError: what reads URLs is not installed.
    """
    folder = place(path)
    folder = folder.parent if folder.name == manifests.NAME else folder
    problems = Problems()
    manifest = manifests.read_manifest(folder, problems)
    if manifest is not None:
        check_headers(manifest, problems)
    problems.check()
    if manifest is None:
        raise InputError(problems.found)
    return Series.of(manifest)


def check_headers(manifest: Manifest, problems: Problems) -> None:
    """Note every file that is missing and every column that a release lacks."""
    columns = manifest.columns
    if columns.group is None and any(release.values is not None for release in manifest.releases):
        what, remedy = "an Anatomy pair is joined by its groups", 'write group = "…" under [columns]'
        problems.add(manifests.NAME, what, remedy)
    _check_side_files(manifest, problems)
    check_columns(manifest, manifest.releases, problems)


def check_columns(manifest: Manifest, releases: Iterable[ReleaseFiles], problems: Problems) -> None:
    """Note the files of some releases that are missing and the columns that they lack."""
    columns = manifest.columns
    for release in releases:
        everywhere = [*columns.quasi_identifiers, columns.record]
        by_row = [*everywhere, columns.group]
        if release.values is None:
            by_row += [*columns.sensitive, columns.count]
        if not is_there(manifest.key_path(release)):
            by_row.append(columns.individual)
        _check_columns(release.rows, release.shown, by_row, problems)
        if release.values is not None:
            wanted = [columns.group, *columns.sensitive, columns.count or "count"]
            _check_columns(release.values, release.values_shown, wanted, problems)


def _check_side_files(manifest: Manifest, problems: Problems) -> None:
    """Note the files beside the releases that are missing, and keys that links take out of the folder."""
    named = [manifest.register, manifest.transitions, manifest.known]
    for name in [*named, *manifest.counterfeits.values(), *manifest.columns.hierarchies.values()]:
        if name is not None:
            check_file(manifest.folder / name, name, problems)
    for release in manifest.releases:
        shown = f"{PRIVATE}/{release.tag}.key.csv"
        path = manifest.folder / shown
        if is_there(path) and not stays_inside(manifest.folder, shown):
            problems.add(shown, "a link takes this path out of the series folder", "copy the file into the folder")


def _check_columns(path: Path, shown: str, wanted: Sequence[str | None], problems: Problems) -> None:
    names = header(path, shown, problems)
    if names is not None:
        note_absent(path, shown, list(names), [column for column in wanted if column is not None], problems)
