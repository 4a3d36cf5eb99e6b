"""Series: read a series from its files: the manifest, what its columns mean, and hashes of published data alone.

`release_reading` reads its releases.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io import manifest as manifests
from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import Hierarchy, infer_kind, read_hierarchy
from audit.io.cells import Kind
from audit.io.dialect import NOTHING_DECLARED, Declared, check_file
from audit.io.likely_equal import alike_but_for_a_number
from audit.io.manifest import PRIVATE, Manifest, ReleaseFiles, key_file
from audit.io.notations import fold, kind_of_days, with_century
from audit.io.paths import as_path, is_inside, is_remote, is_there
from audit.io.releases import IdentifierEncoder, Vocabulary
from audit.io.roles import Key, SeriesTexts, columns_without_role, narrowing_texts, shared_by_few, tied_texts
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing, Spelled
from audit.io.rules.rows_and_values import EPISODES, FEW_OF_ROWS, FEW_TIES, Date, SeveralRows
from audit.io.rules.rule import (
    Adjustments,
    Columns,
    Rules,
)
from audit.io.rules.spelling import INDIVIDUAL, Crosswalk, Fold
from audit.io.table_forms import form_of
from audit.io.tables import Table, header, parts_of, read_table
from audit.io.texts import arrow, column_of, texts_of
from audit.model.arrays import NOBODY, Codes, blocks
from audit.model.errors import InputError, Problem, Problems
from audit.model.evidence import UpdateSets
from audit.runtime.phrases import say

if TYPE_CHECKING:
    from upath import UPath

# -- files with hashes ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InputFile:
    """A file to hash.

    Attributes:
        path: where it is.
        columns: the published columns, if others are private; None for the whole file.
        names: what the series calls these columns.
        declared: the declared format of the file.
    """

    path: Path
    columns: tuple[str, ...] | None = None
    names: tuple[str, ...] = ()
    declared: Declared = NOTHING_DECLARED

    def digest(self) -> str:
        """Return the SHA-256 of the file, or of its columns by `digest_of_columns` if they are named."""
        if self.columns is None:
            with self.path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        problems = Problems()
        table = problems.checked(read_table(self.path, self.path.name, self.columns, problems, self.declared))
        return digest_of_columns({name: table.arrow(name) for name in self.columns})

    def digest_of(self, table: Table) -> str | None:
        """Return the digest, if a table has all rows and all hashed columns of the file as written; else None."""
        whole = table.path == self.path and table.kept is None and {*self.names} <= {*table.names}
        if self.columns is None or not whole:
            return None
        return digest_of_columns({own: table.arrow(name) for own, name in zip(self.columns, self.names, strict=True)})


def input_files(manifest: Manifest, *, reveal: bool) -> dict[str, InputFile]:
    """Return the files to hash, by their names in the manifest.

    A hash lets a reader confirm a guess at private data. So only the published columns of a release are hashed, and a
    register or known values are hashed only if the report names people anyway.
    """
    files = dict[str, InputFile]()
    for release in manifest.releases:
        files[release.shown] = InputFile(release.rows) if reveal else published_file(manifest, release)
        if release.values is not None:
            files[release.values_shown] = InputFile(release.values)
        name = manifest.counterfeits.get(release.tag)
        files |= {} if name is None else {name: InputFile(manifest.folder / name)}
    names = [manifest.transitions, *([manifest.register, manifest.known] if reveal else [])]
    return files | {name: InputFile(manifest.folder / name) for name in names if name}


def published_file(manifest: Manifest, release: ReleaseFiles) -> InputFile:
    """Return a release's file, with its published columns if the key is another column of it."""
    columns, headings = manifest.columns, manifest.headings(release.tag)
    if columns.individual is None:
        return InputFile(release.rows)
    spelled = header(release.rows, release.shown, Problems(), headings.declared) or {}
    names = headings.names(release.rows, release.shown) or []
    if columns.individual not in names:
        return InputFile(release.rows)
    published = {*columns.sensitive, *columns.quasi_identifiers, columns.group, columns.record, columns.count} - {None}
    published |= {part for name in (*columns.quasi_identifiers, columns.record or "") for part in parts_of(name, names)}
    kept = {own: name for own, name in zip(spelled, names, strict=True) if name in published}
    return InputFile(release.rows, tuple(kept), tuple(kept.values()), headings.declared)


def digest_of_columns(columns: Mapping[str, pa.Array]) -> str:
    """Return the SHA-256 of columns by name, each as CSV (RFC 4180, UTF-8, LF, all cells quoted).

    For one column after another, the name and the cells are hashed, one per line, without surrounding spaces.
    """
    found = hashlib.sha256()
    mark, end, nothing = column_of(['"', '"\n', ""]).cast("large_string")  # `pyarrow.scalar` would import pandas
    for name, column in columns.items():
        for texts, rows in ((column_of([name]), None), texts_of(column)):
            cells = pc.replace_substring(texts.cast("large_string"), '"', '""')  # once for each text of a dictionary
            cells = pc.binary_join_element_wise(mark, cells, end, nothing)
            of_row = np.arange(len(cells)) if rows is None else rows
            for block in blocks(len(of_row)):
                lines = cells.take(arrow(of_row[block]))
                _, ends, written = lines.buffers()  # the texts of these rows, end to end
                found.update(written[: np.frombuffer(ends, np.int64)[len(lines)]])
    return found.hexdigest()


# -- series -----------------------------------------------------------------------------------------------------------


@dataclass
class Series:
    """A release series: its manifest, and what is known of its files; `HeldSeries` holds its releases.

    People and sensitive values have the same codes in all releases; new ones get codes as the releases are read.

    Attributes:
        manifest: the manifest.
        people: the codes of people.
        vocabularies: the codes of values, by sensitive attribute.
        updates: the possible updates of the values of each sensitive attribute, once `background_knowledge.update_sets`
            has read them; None if values never change.
        digests: the hashes of files whose columns were read.
        unnamed: the number of rows with a blank identifier in releases that were read and publish no counterfeits.
        coded: the people of each release that was read, as `people_in` returns them.
    """

    manifest: Manifest
    people: IdentifierEncoder = field(default_factory=IdentifierEncoder)
    vocabularies: dict[str, Vocabulary] = field(default_factory=dict)
    updates: dict[str, UpdateSets | None] = field(default_factory=dict)
    digests: dict[InputFile, str] = field(default_factory=dict, init=False)
    unnamed: dict[str, int] = field(default_factory=dict, init=False)
    coded: dict[int, Codes | None] = field(default_factory=dict, init=False)
    _files: dict[tuple[int, Path], Table] = field(default_factory=dict, init=False)
    _noted: dict[tuple[int, str], Sequence[str]] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, manifest: Manifest) -> Series:
        """Return the series of a manifest; no release is read yet."""
        return cls(manifest, vocabularies={name: Vocabulary() for name in manifest.columns.sensitive})

    @property
    def tags(self) -> tuple[str, ...]:
        """The releases' tags, in order of publication."""
        return tuple(release.tag for release in self.manifest.releases)

    @property
    def columns(self) -> Columns:
        """What the columns mean."""
        return self.manifest.columns

    @cached_property
    def about_rows(self) -> int:
        """The approximate number of rows of all releases together."""
        return sum(form_of(release.rows).about_rows(release.rows) for release in self.manifest.releases)

    @cached_property
    def written(self) -> SeriesTexts:
        """The texts of the files that were recorded as they were read."""
        return SeriesTexts(self.manifest, self.about_rows, self.adjustments, self.kind, keyed=self.keyed)

    def record(self, position: int, table: Table) -> None:
        """Record the texts of a file of a release as written, and the hash of its columns if others are private."""
        self.written.record(position, table)
        self._files[position, table.path] = table.less(table.names)
        file = published_file(self.manifest, self.manifest.releases[position])
        if (digest := file.digest_of(table)) is not None:
            self.digests[file] = digest

    def line(self, position: int, row: int) -> int:
        """Return the line on which a row of a release that was read begins, from 1; for Parquet, the row's number."""
        return self._files[position, self.manifest.releases[position].rows].line(row)

    @cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The generalization hierarchies by attribute.

        Raises:
            InputError: a hierarchy cannot be read.
        """
        problems = Problems()
        found = {}
        rules = self.columns.rules.without(Crosswalk)  # which is about single releases
        for attribute, name in rules[Hierarchies].names.items():
            hierarchy = read_hierarchy(self.manifest.folder / name, name, problems)
            if hierarchy is not None:
                found[attribute] = hierarchy.respelled(partial(rules.spelled, attribute))
        problems.check()
        return found

    @cached_property
    def attributes(self) -> dict[str, QuasiIdentifier]:
        """The quasi-identifiers, by name; the kind of a column without a declared type is inferred from all releases.

        Raises:
            InputError: a release or a hierarchy cannot be read.
        """
        columns = self.columns
        given = {*columns.rules[ColumnTypes].kinds, *self.hierarchies, *columns.rules[Spelled].columns}
        undeclared = [name for name in columns.quasi_identifiers if name not in given]
        # A register is compared with all texts, which the same pass records.
        named = columns.quasi_identifiers if undeclared and self.manifest.register is not None else undeclared
        self._note_texts(named)
        return {name: self.column_of_cells(name) for name in columns.quasi_identifiers}

    def kind(self, column: str) -> Kind | None:
        """Return how a quasi-identifier's cells are read; None of any other column."""
        return self.attributes[column].kind if column in self.columns.quasi_identifiers else None

    def column_of_cells(self, name: str, texts: Sequence[str] | None = None) -> QuasiIdentifier:
        """Return a column that reads its cells; `texts`, or else those of all releases, decide an undeclared kind.

        Raises:
            InputError: a release or a hierarchy cannot be read.
        """
        rules, hierarchy, missing = self.columns.rules, self.hierarchies.get(name), self.missing(name)
        spelled, declared = name in rules[Spelled].columns, rules[ColumnTypes].kinds.get(name)
        kind = Kind.CATEGORICAL
        if declared is not None:
            kind = Kind(declared)
            if kind is Kind.DATE:  # the texts decide in which order dates with slashes are read
                kind = kind_of_days(self.texts(name) if texts is None else texts)
        elif hierarchy is None and not spelled:
            kind = infer_kind(self.texts(name) if texts is None else texts, missing)
        return QuasiIdentifier(name, kind, hierarchy, missing, spelled=spelled)

    def texts(self, name: str) -> dict[str, int]:
        """Return the distinct texts of a quasi-identifier, each with the first release, from 0, that has it.

        Raises:
            InputError: a release cannot be read.
        """
        self._note_texts([name])
        found = dict[str, int]()
        for position in range(len(self.tags)):
            for text in self._noted[position, name]:
                found.setdefault(text, position)
        return found

    def texts_in(self, position: int, name: str) -> Sequence[str]:
        """Return the distinct texts of a quasi-identifier in one release.

        Raises:
            InputError: a release cannot be read.
        """
        self._note_texts([name])
        return self._noted[position, name]

    def _note_texts(self, names: Sequence[str]) -> None:
        """Record the texts of some quasi-identifiers, in each release where they are not recorded yet."""
        problems = Problems()
        for position, files in enumerate(self.manifest.releases):
            if missing := [name for name in names if (position, name) not in self._noted]:
                table = self.adjustments(files.tag).read(files.rows, files.shown, missing, problems)
                if table is not None:
                    self.note_texts(position, {name: table.distinct(name) for name in missing})
        problems.check()

    def note_texts(self, position: int, texts: Mapping[str, Iterable[str]]) -> None:
        """Record the texts of some columns of a release that was read."""
        for name, of_column in texts.items():
            if (position, name) not in self._noted:
                self._noted[position, name] = tuple(of_column)

    @cached_property
    def rules(self) -> Rules:
        """The column rules with the contents of their files.

        Raises:
            InputError: a file that a rule names cannot be read.
        """
        problems = Problems()
        rules = self.columns.rules.opened(self.manifest.folder, problems)
        problems.check()
        return rules

    def adjustments(self, tag: str) -> Adjustments:
        """Return the manifest's adjustments of the tables of a release.

        Raises:
            InputError: a file that a rule names cannot be read.
        """
        return Adjustments(self.rules, tag, self.unpublished[tag], self.manifest.column_of(tag))

    @cached_property
    def unpublished(self) -> dict[str, frozenset[str]]:
        """The quasi-identifiers that each release lacks, by tag."""
        return _unpublished(self.manifest)

    def missing(self, column: str) -> frozenset[str]:
        """Return the texts that mean an unknown value in a column, spelled as its cells are after reading."""
        rules = self.columns.rules
        return frozenset(rules.spelled(column, text) for text in rules[Missing].texts)

    @cached_property
    def grave(self) -> frozenset[tuple[str | None, str]]:
        """The policy's grave values, spelled as values are after reading; None stands for any attribute."""
        return frozenset(
            (attribute, self.columns.rules.spelled(column, value))
            for attribute, value in self.manifest.grave
            for column in ([attribute] if attribute is not None else self.columns.sensitive)
        )

    def person(self, individual: str) -> int:
        """Return the code of a person, -1 if unknown; in any spelling if the manifest folds identifiers."""
        return self.people.find(fold(individual) if self.columns.rules[Fold].folds(INDIVIDUAL) else individual)

    def tied_texts(self, questions: Sequence[Sequence[Key]], *, last: bool = False) -> list[tuple[int, int]]:
        """Return how many texts occur once in each of two releases, and the fewest rows of a release, by question.

        See `roles.tied_texts`.
        """
        return tied_texts(self.manifest, questions, last=last)

    def grouping_texts(self, column: str) -> int:
        """Return the most exact numbers or days of a column that few rows of a release share, more than by chance.

        See `roles.shared_by_few`.
        """
        releases = self.manifest.releases
        found = (self.adjustments(each.tag).read_there(*half, [column]) for each in releases for half in each.halves)
        return max((shared_by_few(table, column) for table in found if table is not None), default=0)

    def alike_ids(self, *, last: bool) -> int:
        """Return how many record ids have their first part in common with others, of a release or of all: the most.

        With `last`, this is the last release, whose new ids may also have theirs in common with those of earlier ones.
        """
        column = self.columns.record
        if column is None:
            return 0
        written = self.written.whole()
        releases = [*(written.identifiers.get(column, ()) if not written.is_large else self._record_ids(column))]
        every = set[str]().union(*releases)
        alone = releases[-1:] if last else [*releases, every]
        groups = [(ids, sum(map(len, alike_but_for_a_number(ids)))) for ids in alone]
        if last and releases:
            own, earlier = releases[-1], set[str]().union(*releases[:-1])
            beside = [{*some} & own for some in alike_but_for_a_number(every)]
            groups.append((own, sum(len(some) for some in beside if some - earlier)))
        return max((many for ids, many in groups if many > min(FEW_TIES, len(ids) // FEW_OF_ROWS)), default=0)

    def _record_ids(self, column: str) -> Iterator[set[str]]:
        """Yield the record ids of each release, read again: those of a large series are not kept as texts."""
        for each in self.manifest.releases:
            table = self.adjustments(each.tag).read_there(each.rows, each.shown, [column])
            if table is not None:
                yield {*table.distinct(column)}

    def narrowed_by(self, keys: Sequence[Key]) -> list[list[str]]:
        """Return the quasi-identifiers of which the texts of each key show more than the cells of a release do.

        See `roles.narrowing_texts`. Files that cannot be read are skipped; reading them reports the fault.
        """
        found = [set[str]() for _ in keys]
        for release in self.manifest.releases if keys else ():
            headings = self.adjustments(release.tag)
            names = dict.fromkeys([*(name for key in keys for name in key), *self.attributes])
            table = headings.read_there(release.rows, release.shown, names)
            if table is None:
                continue
            for key, own in zip(keys, found, strict=True):
                left = [each for name, each in self.attributes.items() if name in table and name not in own]
                if {*key} <= {*table.names}:
                    own |= {each.name for each in left if narrowing_texts(table, key, each, headings)}
        return [[name for name in self.attributes if name in own] for own in found]

    def has_key(self, release: ReleaseFiles) -> bool:
        """Return whether the publisher's key for a release exists, in its own file or in the column."""
        column, headings = self.manifest.columns.individual, self.manifest.headings(release.tag)
        return is_there(self.manifest.key_path(release)) or (
            column is not None and bool(headings.named_there(release.rows, release.shown, [column]))
        )

    def keyless(self, what: str, remedy: str = "") -> InputError:
        """Return the error that names the releases without a key.

        Args:
            what: what the lack of a key means.
            remedy: what may be done besides writing a key file; a continuation of "write private/2024.key.csv".
        """
        manifest = self.manifest
        files = [release for release in manifest.releases if not self.has_key(release)]
        return InputError(
            Problem(
                each.shown,
                what,
                say("write {file}{otherwise}", file=manifest.shown(manifest.key_path(each)), otherwise=remedy),
            )
            for each in files
        )

    def check_keys(self) -> None:
        """Refuse a series in which only some releases have a key.

        Raises:
            InputError: only some releases have a key.
        """
        if self.started_keys and not self.keyed:
            remedy = say(" or the individual column")
            if self.manifest.register is not None:
                name = "possible" if self.manifest.possible else "register"
                remedy += say(", or use --adversary {adversary}", adversary=name)
            raise self.keyless(say("there is no key for this release, though others have one"), remedy)

    @cached_property
    def keyed(self) -> bool:
        """Whether every release has a key; false if each row is judged as an episode."""
        return self.columns.rules[SeveralRows].choice != EPISODES and all(
            self.has_key(release) for release in self.manifest.releases
        )

    @cached_property
    def started_keys(self) -> bool:
        """Whether the manifest names an individual column, or some release has a key file; false for episodes."""
        if self.columns.rules[SeveralRows].choice == EPISODES:
            return False
        return self.manifest.columns.individual is not None or any(
            is_there(self.manifest.key_path(release)) for release in self.manifest.releases
        )

    @property
    def offers(self) -> set[str | None]:
        """The requirements of adversaries that the series meets, by name, and None: some adversaries need nothing."""
        has = {
            None: True,
            "key": self.started_keys,
            "register": self.manifest.register is not None and not self.manifest.possible,
            "roll": self.manifest.register is not None and self.manifest.possible,
            "record": self.columns.record is not None,
        }
        return {name for name, there in has.items() if there}

    @cached_property
    def repeated_rows(self) -> tuple[int, int] | None:
        """How many times a person has several rows in one release, and how many rows these are beyond the first.

        None if the people of some release's rows are unknown.
        """
        people = further = 0
        for position in range(len(self.tags)):
            if (codes := self.people_in(position)) is None:
                return None
            times = np.bincount(codes[codes != NOBODY])
            people, further = people + int((times > 1).sum()), further + int(np.maximum(times - 1, 0).sum())
        return people, further

    def people_in(self, position: int) -> Codes | None:
        """Return the people of a release's rows, or of the lines of its key file, read unless they were.

        Their codes have shape (rows,), int32; -1 for empty cells. None if no key and no column names them.
        """
        if position not in self.coded:
            files, column = self.manifest.releases[position], self.manifest.columns.individual
            path, named = self.manifest.key_path(files), [] if column is None else [column]
            if is_there(path):
                named = ["individual"]
                key = read_table(path, self.manifest.shown(path), named, Problems())
                table = None if key is None else self.columns.rules.respelled(key)
            else:
                table = self.adjustments(files.tag).read_there(files.rows, files.shown, named)
            self.coded[position] = None if table is None else self.people.encode(table.arrow(*named))
        return self.coded[position]

    def files(self) -> list[Path]:
        """Return the manifest, all files that it names, key files, and the files in the local private folder."""
        keys = [release.key for release in self.manifest.releases if release.key is not None]
        folder = self.manifest.folder
        private = [] if is_remote(folder) else sorted((folder / PRIVATE).glob("*"))
        return [*self.manifest.files(), *private, *keys]

    def staged(self, manifest: Manifest) -> Series:
        """Return the series of a manifest with releases elsewhere, which shares the codes, cells and hierarchies."""
        staged = Series(manifest, self.people, self.vocabularies, self.updates)
        staged.attributes, staged.hierarchies = self.attributes, self.hierarchies
        return staged

    def side_table(
        self, name: str, columns: Sequence[str], problems: Problems, optional: Iterable[str] = ()
    ) -> Table | None:
        """Read some columns of a file beside the releases, with names and texts spelled as in the releases.

        None after noting a problem. The `optional` columns are read if the file has them.
        """
        is_register = name == self.manifest.register
        called = self.manifest.register_columns if is_register else {}
        parts = self.manifest.register_people if is_register else ()
        wanted, further = ([called.get(each, each) for each in some] for some in (columns, optional))
        people, path = called.get("individual", "individual"), self.manifest.folder / name
        if parts:
            wanted = [*parts, *(each for each in wanted if each != people)]
        table = read_table(path, name, wanted, problems, optional=further, distinct=(people,))
        if table is not None and parts:
            names = zip(*(table.texts(part) for part in parts), strict=True)
            table = table.with_column(people, column_of(" ".join(filter(None, each)) for each in names))
        if table is not None and is_register and (first := self.manifest.years_from) is not None:
            for each in {called.get(each, each) for each, own in self.attributes.items() if own.kind.is_date}:
                table = table.mapped(each, partial(with_century, first=first)) if each in table else table
        ours = {theirs: each for each, theirs in called.items()}
        rules = self.rules if is_register else self.columns.rules
        return None if table is None else rules.respelled(table.renamed(ours))


def open_series(path: str | os.PathLike[str] | UPath) -> Series:
    """Open the series in a folder or at a URL; `path` may also be its `series.toml`.

    Raises:
        InputError: the manifest is faulty, or files or columns that it names are missing; all problems are reported.
        UsageError: the library for this URL is not installed.
    """
    folder = as_path(path)
    folder = folder.parent if folder.name == manifests.NAME else folder
    problems = Problems()
    manifest = manifests.read_manifest(folder, problems)
    if manifest is not None:
        check_headers(manifest, problems)
    return Series.of(problems.checked(manifest))


def check_headers(manifest: Manifest, problems: Problems) -> None:
    """Note every file that is missing and every column that a release lacks."""
    columns = manifest.columns
    if columns.group is None and any(release.values is not None for release in manifest.releases):
        what, remedy = say("an Anatomy pair is joined by its groups"), say('write group = "…" under [columns]')
        problems.add(manifests.NAME, what, remedy)
    _check_side_files(manifest, problems)
    check_columns(manifest, manifest.releases, problems)


def _unpublished(manifest: Manifest, further: Iterable[ReleaseFiles] = ()) -> dict[str, frozenset[str]]:
    """Return the quasi-identifiers that each release lacks, by tag.

    The release publishes nothing about them, which is equivalent to a column of `*`. One that no release has may be
    that of a candidate, unless a column without a role may be the one that is meant.
    """
    columns = manifest.columns
    wanted = frozenset(columns.quasi_identifiers)
    named = {*wanted, *columns.sensitive, columns.group, columns.individual, columns.record}
    lacking = {}
    releases = {release.tag: release for release in (*manifest.releases, *further)}
    for release in releases.values():
        names = manifest.headings(release.tag).names(release.rows, release.shown) or []
        lacking[release.tag] = frozenset(name for name in wanted if name not in names and not parts_of(name, names))
        if named.isdisjoint(names):  # the file has no header, or cannot be read: reading it reports it
            lacking[release.tag] = frozenset()
    nowhere = wanted.intersection(*lacking.values())
    if nowhere and not columns_without_role(replace(manifest, releases=(*releases.values(),))):
        return lacking
    return {tag: names - nowhere for tag, names in lacking.items()}


def check_columns(manifest: Manifest, releases: Sequence[ReleaseFiles], problems: Problems) -> None:
    """Note the missing files of some releases, and the columns that they lack."""
    columns, unpublished = manifest.columns, _unpublished(manifest, releases)
    for release in releases:
        everywhere = [
            *(name for name in columns.quasi_identifiers if name not in unpublished[release.tag]),
            columns.record,
        ]
        by_row = [*everywhere, columns.group]
        if release.values is None:
            by_row += [*columns.sensitive, columns.count]
        keyed = is_there(manifest.key_path(release))
        if not keyed:
            by_row.append(columns.individual)
        if columns.rules[SeveralRows].one_counts:
            by_row.append(columns.rules[Date].column)
        adjustments = manifest.headings(release.tag)
        if not adjustments.check_renamed(release.halves, problems, columns.individual if keyed else None):
            continue
        adjustments.check_present(release.rows, release.shown, by_row, problems)
        if release.values is not None:
            wanted = [columns.group, *columns.sensitive, columns.count or "count"]
            adjustments.check_present(release.values, release.values_shown, wanted, problems)


def _check_side_files(manifest: Manifest, problems: Problems) -> None:
    """Note missing files beside the releases, and key files that are links to places outside the folder."""
    named = [manifest.register, manifest.transitions, manifest.known]
    by_rule = (name for rule in manifest.columns.rules for name in rule.files)
    for name in [*named, *manifest.counterfeits.values(), *by_rule]:
        if name is not None:
            check_file(manifest.folder / name, name, problems)
    for release in manifest.releases:
        path = key_file(manifest.folder, release)
        shown = manifest.shown(path)
        if is_there(path) and not is_inside(manifest.folder, shown):
            problems.add(
                shown, say("a link takes this path out of the series folder"), say("copy the file into the folder")
            )
