"""The folder of a series: its columns, files and manifest, and the transaction that puts a release into it.

The series exists or will be made. The text of an older manifest keeps its comments when a release is added.

A transaction locks the folder while a release is published, and publishes the release whole or not at all. All files
are first written to `private/.staging`, with a plan that lists them. Then they are moved into place one by one.
Replacing `series.toml`, which names them, publishes the release. If a process is killed, the next one finds the plan,
and deletes the moved files unless the manifest names the release.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import tomlkit
from filelock import FileLock, Timeout
from tomlkit.items import InlineTable, String

from audit.io.atomic_files import GITIGNORE, abandoned_drafts, hide_from_version_control, write_file
from audit.io.attributes import QuasiIdentifier
from audit.io.cell_reading import Hierarchy, unread
from audit.io.cells import ANYTHING, Kind
from audit.io.manifest import NAME, PRIVATE, TRANSITIONS, Manifest, ReleaseFiles, parse_manifest, read_manifest
from audit.io.microdata import NAME as MICRODATA
from audit.io.microdata import Domain, Microdata
from audit.io.naming import is_weight, sensitivity
from audit.io.paths import is_there
from audit.io.releases import Vocabulary
from audit.io.rules.cell_meaning import Changing, ColumnTypes, Hierarchies, Spelled
from audit.io.rules.rows_and_values import Harmless, LeftOut, Similar, Unlinkable
from audit.io.rules.rule import Columns, Rules
from audit.io.series import Series, open_series
from audit.io.table_writer import write_table
from audit.io.toml import UNCONFIRMED, Toml, toml_document, toml_key, toml_text
from audit.model.anonymizer import Anonymizer, Form
from audit.model.errors import InputError, Problems, UsageError
from audit.model.options import options_of
from audit.publishing.renderer import Renderer
from audit.runtime.phrases import in_quotes, say


@dataclass
class SeriesForm:
    """The layout of the next release of a series.

    Attributes:
        series: the series so far; a new one has no releases.
        text: the text of its manifest.
        begun: whether the series is on disk already.
        quasi_identifiers: the published quasi-identifiers.
        renderer: writes its releases.
    """

    series: Series
    text: str
    begun: bool
    quasi_identifiers: tuple[str, ...]
    renderer: Renderer
    _pattern: ReleaseFiles

    @classmethod
    def of(cls, folder: Path, microdata: Microdata, anonymizer: Anonymizer, form: Form | None) -> SeriesForm:
        """Return the form of the series in a folder, or of a new one.

        Raises:
            UsageError: the series cannot be continued from this microdata, or by this method.
            InputError: it cannot be read.
        """
        if form is not None and form not in anonymizer.forms:
            raise UsageError.say(
                "{method} publishes no {form}; choose from {forms}",
                method=anonymizer.name,
                form=form,
                forms=", ".join(anonymizer.forms),
            )
        begun = is_there(folder / NAME)
        made = _begun(folder, microdata, anonymizer, form) if begun else _new(folder, microdata, anonymizer, form)
        series, text, pattern, chosen = made
        attributes = tuple(series.attributes.values())
        _check_kinds(attributes, microdata)
        _check_values(attributes, microdata)
        renderer = Renderer(series.columns, attributes, microdata, chosen)
        quasi = tuple(attribute.name for attribute in attributes)
        return cls(series, text, begun, quasi, renderer, pattern)

    @property
    def manifest(self) -> Manifest:
        """The manifest so far."""
        return self.series.manifest

    @property
    def columns(self) -> Columns:
        """What its columns mean."""
        return self.series.columns

    @property
    def attributes(self) -> tuple[QuasiIdentifier, ...]:
        """The quasi-identifiers."""
        return self.renderer.attributes

    def files(self, tag: str) -> ReleaseFiles:
        """Return the names of a release's files."""
        pattern, folder = self._pattern, self.manifest.folder
        shown = _renamed(pattern.shown, pattern.tag, tag)
        files = ReleaseFiles(tag, folder / shown, shown)
        if self.renderer.form == "anatomy":
            values = _renamed(pattern.values_shown, pattern.tag, tag)
            files = replace(files, values=folder / values, values_shown=values)
        return files

    def staged(self, staging: Path, files: ReleaseFiles, counterfeits: str | None) -> Manifest:
        """Return a manifest of only the release whose files are staged in a folder."""
        files = replace(files, rows=staging / files.shown)
        if files.values is not None:
            files = replace(files, values=staging / files.values_shown)
        counted = {} if counterfeits is None else {files.tag: counterfeits}
        return replace(self.manifest, folder=staging, releases=(files,), counterfeits=counted)

    def grown(self, text: str, manifest: Manifest) -> None:
        """Take the manifest after a release was published."""
        self.text, self.begun, self.series.manifest = text, True, manifest


_Made = tuple[Series, str, ReleaseFiles, Form]


def _new(folder: Path, microdata: Microdata, anonymizer: Anonymizer, form: Form | None) -> _Made:
    """Return the parts of a new series."""
    used = {*microdata.published}
    record = _free("Record", used) if anonymizer.links_records else None
    kinds = {name: microdata.kinds[name].value for name in microdata.quasi_identifiers}
    kinds |= {microdata.sensitive: Kind.NUMERIC.value} if microdata.has_numbers else {}
    chosen, count = form or anonymizer.forms[0], _free("count", used)
    title = say("{series}, published by {method}", series=microdata.name, method=anonymizer.name)
    transitions = None if microdata.updates is None else TRANSITIONS
    left_out = microdata.snapshots[0].left_out[1]
    labels = {**_values(microdata), **microdata.hierarchies}
    hierarchies = {name: f"hierarchies/{place}.csv" for place, name in enumerate(labels, start=1)}
    columns = Columns(
        (microdata.sensitive,),
        microdata.quasi_identifiers,
        _free("Group", used),
        record=record,
        count=count if chosen == "anatomy" and count != "count" else None,
        rules=Rules(
            (
                ColumnTypes({name: kind for name, kind in kinds.items() if name not in microdata.hierarchies}),
                Hierarchies(hierarchies),
                Harmless({microdata.sensitive: microdata.harmless} if microdata.harmless else {}),
                LeftOut({microdata.sensitive: left_out} if left_out else {}),
                Similar({} if microdata.similar is None else {microdata.sensitive: microdata.similar}),
                Spelled(microdata.spelled),
                Changing(_changing(microdata, anonymizer)),
                microdata.unlinkable,
            )
        ),
    )
    row = microdata.snapshots[0].one_row
    text = _new_manifest(title, anonymizer, columns, transitions, None if row is None else row.kept)
    manifest = Manifest(folder, microdata.name, (), columns, transitions=transitions)
    first = microdata.snapshots[0].shown
    suffix = next((suffix for suffix in (".csv.gz", ".parquet") if first.endswith(suffix)), ".csv")
    pattern = ReleaseFiles("1", folder / f"releases/1{suffix}", f"releases/1{suffix}")
    if chosen == "anatomy":
        rows, values = f"releases/1.rows{suffix}", f"releases/1.values{suffix}"
        pattern = ReleaseFiles("1", folder / rows, rows, folder / values, values)
    series = Series(manifest, vocabularies={microdata.sensitive: Vocabulary()})
    series.hierarchies = labels  # they are not written yet
    return series, text, pattern, chosen


def _values(microdata: Microdata) -> dict[str, Hierarchy]:
    """Return the values of each domain with texts that look like ranges, such as `<15k`, as a hierarchy of leaves.

    Without it, a reader of the series could not know whether `{<15k, 15k-30k}` is a set of values or of ranges.
    """
    return {
        name: Hierarchy(name, (domain.texts, (ANYTHING,) * len(domain.texts)))
        for name, domain in microdata.domains.items()
        if any(unread(text, None) for text in domain.texts)
    }


def _begun(folder: Path, microdata: Microdata, anonymizer: Anonymizer, form: Form | None) -> _Made:
    """Return the parts of an existing series.

    Raises:
        UsageError: the series cannot be continued.
    """
    series = open_series(folder)
    manifest = series.manifest = beside_unlinkable(series.manifest, microdata)
    columns, last = manifest.columns, manifest.releases[-1]
    _check_columns(manifest, microdata)
    _check_tags(manifest, microdata)
    if not series.keyed:
        raise series.keyless("there is no key for this release, and the next one is made from the keys of all")
    if columns.group is None and columns.record is None and not columns.quasi_identifiers:
        raise UsageError.say(
            "{file}: the series has neither groups nor quasi-identifiers; name its group column", file=NAME
        )
    if anonymizer.links_records and columns.record is None:
        raise UsageError.say(
            "{file}: {method} links the rows of a record over the releases, and this series publishes no record "
            "id; begin a new series",
            file=NAME,
            method=anonymizer.name,
        )
    if columns.record is not None and not anonymizer.links_records:
        raise UsageError.say(
            "{file}: the series publishes record ids, which show what becomes of one person's value; {method} "
            "cannot keep its promise beside them; begin a new series",
            file=NAME,
            method=anonymizer.name,
        )
    now: Form = "generalization" if last.values is None else "anatomy"
    if now not in anonymizer.forms or (form or now) != now:
        raise UsageError.say(
            "{file}: the series publishes {form}, and cannot change its form; begin a new series",
            file=last.shown,
            form=now,
        )
    kinds = {name: attribute.kind for name, attribute in series.attributes.items()}
    declared = columns.rules[Changing].columns
    new = [each for each in _changing(microdata, anonymizer, kinds) if each in kinds and each not in declared]
    if new:
        raise UsageError.say(
            "{file}: people's values of {columns} change between the snapshots, and their record ids show it; "
            "write changing = [{names}] under [columns], audit the series, and publish then",
            file=NAME,
            columns=in_quotes(new),
            names=", ".join(map(toml_text, (*declared, *new))),
        )
    text = (folder / NAME).read_bytes().decode("utf-8-sig")
    return series, text, last, now


def _changing(microdata: Microdata, anonymizer: Anonymizer, kinds: Mapping[str, Kind] | None = None) -> tuple[str, ...]:
    """Return the quasi-identifiers whose cells a method publishes beside record ids while people's values change."""
    if not anonymizer.links_records or getattr(anonymizer, "constant_quasi_identifiers", False):
        return ()
    return microdata.changing(kinds)


def beside_unlinkable(manifest: Manifest, microdata: Microdata) -> Manifest:
    """Return a manifest as methods continue it: further sensitive columns, unlinkable in microdata, stay so."""
    columns, known = manifest.columns, microdata.unlinkable.columns
    stated = columns.rules[Unlinkable].reasons
    others = {name: why for name, why in known.items() if name in columns.sensitive}
    sensitive = tuple(name for name in columns.sensitive if name not in others)
    unlinkable = Unlinkable({**stated, **others}, (columns.record, *sensitive))
    rules = [unlinkable if isinstance(rule, Unlinkable) else rule for rule in columns.rules]
    return replace(manifest, columns=replace(columns, sensitive=sensitive, rules=Rules(tuple(rules))))


def _check_columns(manifest: Manifest, microdata: Microdata) -> None:
    """Refuse a series with columns that the microdata lack.

    Raises:
        UsageError: the columns differ, or rows are aggregated.
    """
    columns = manifest.columns
    if columns.sensitive != (microdata.sensitive,):
        published = ", ".join(columns.sensitive)
        raise UsageError.say(
            '{file}: the series publishes "{columns}", the microdata hold "{column}" as sensitive; anonymizers '
            "publish one sensitive attribute, of the same name in both",
            file=NAME,
            columns=published,
            column=microdata.sensitive,
        )
    for name in columns.quasi_identifiers:
        if name not in microdata.quasi_identifiers:
            raise UsageError.say(
                '{file}: the series publishes the quasi-identifier "{column}", which {other} does not name; add it '
                "there",
                file=NAME,
                column=name,
                other=MICRODATA,
            )
    for name in columns.rules[Unlinkable].columns:
        if name not in microdata.unlinkable.columns:
            raise UsageError.say(
                '{file}: the series publishes the unlinkable column "{column}", which {other} does not name as '
                "such; add it there",
                file=NAME,
                column=name,
                other=MICRODATA,
            )
    known = columns.rules[Harmless].values.get(microdata.sensitive, ())
    if not {*microdata.harmless} <= {columns.rules.spelled(microdata.sensitive, text) for text in known}:
        raise UsageError.say(
            "{file}: `harmless` names values that {other} does not; write {line} there, with the same",
            file=MICRODATA,
            other=NAME,
            line=f"harmless = {{ {toml_key(microdata.sensitive)} = […] }}",
        )
    if columns.count is not None and not any(release.values for release in manifest.releases):
        raise UsageError.say(
            "{file}: an aggregated series (`count`) cannot be continued; publish one row for each person",
            file=NAME,
        )


def _check_kinds(attributes: tuple[QuasiIdentifier, ...], microdata: Microdata) -> None:
    """Refuse a domain of numbers for a column of texts, and the other way round.

    Raises:
        UsageError: a domain is of another kind than its column.
    """
    for attribute in attributes:
        domain = microdata.domains.get(attribute.name)
        if domain is not None and domain.kind is not attribute.kind:
            raise UsageError.say(
                '{file}: the domain of "{column}" is {kind}, and the column is {other} in the series; correct the '
                "domain",
                file=MICRODATA,
                column=attribute.name,
                kind=domain.kind.value,
                other=attribute.kind.value,
            )


def _check_values(attributes: tuple[QuasiIdentifier, ...], microdata: Microdata) -> None:
    """Refuse a series that says of texts that look like ranges neither that they are values nor what they cover.

    Raises:
        UsageError: a domain has such a text.
    """
    for attribute in attributes:
        domain = microdata.domains.get(attribute.name, Domain())
        if not attribute.spelled and any(unread(text, attribute.hierarchy, attribute.missing) for text in domain.texts):
            raise UsageError.say(
                '{file}: some values of "{column}" look like ranges, and no hierarchy there lists them; begin a '
                "new series, whose hierarchy anonymize writes",
                file=NAME,
                column=attribute.name,
            )


def _check_tags(manifest: Manifest, microdata: Microdata) -> None:
    """Refuse microdata whose first snapshots are not the published ones.

    Raises:
        UsageError: a snapshot is missing, or stands in another place.
    """
    out = [release.tag for release in manifest.releases]
    if len(microdata.tags) < len(out):
        raise UsageError.say(
            "{file}: the series has {releases} releases, and there are {snapshots} snapshots; add the snapshot "
            "that release {missing} was made from, and those after it",
            file=MICRODATA,
            releases=len(out),
            snapshots=len(microdata.tags),
            missing=out[len(microdata.tags)],
        )
    for place, (tag, published) in enumerate(zip(microdata.tags, out, strict=False), start=1):
        if tag != published:
            raise UsageError.say(
                "{file}: snapshot {place} is {tag}, but release {place} of the series is {published}: a snapshot "
                "cannot be published before the releases that exist; list the published snapshots first, under the "
                "same names",
                file=MICRODATA,
                place=place,
                tag=tag,
                published=published,
            )


def _renamed(shown: str, old: str, new: str) -> str:
    """Return the name of a release's file for another tag, in the same folder and with the same ending."""
    folder, slash, name = shown.rpartition("/")
    return f"{folder}{slash}{new}{name.removeprefix(old)}"


def _free(name: str, used: set[str]) -> str:
    """Return the name with underscores added until no other column has it."""
    while name in used:
        name += "_"
    return name


_ON_ONE_LINE = 4


def _new_manifest(
    name: str, anonymizer: Anonymizer, columns: Columns, transitions: str | None, kept_row: str | None = None
) -> str:
    """Return a manifest without releases; `transitions` is a file, `kept_row` as in the manifest."""
    about = {
        "sensitive": columns.sensitive[0],
        "quasi_identifiers": columns.quasi_identifiers,
        "group": columns.group or "",
        "record": columns.record,
        "count": columns.count,
        **{rule.key: rule.stated or None for rule in columns.rules},
    }
    given = {option.name: getattr(anonymizer, option.name) for option in options_of(type(anonymizer))}
    chosen = {option: value for option, value in given.items() if value is not None and value is not False}
    tables: dict[str, Mapping[str, Toml]] = {
        "series": {"name": name, "releases": []},
        "columns": about,
        "adversary": {"transitions": transitions},
        "anonymized": {"method": anonymizer.name, **chosen, "rows": kept_row},
        "policy": {"k": anonymizer.promise.parameters.get("k")},
    }
    unlinkable = columns.rules[Unlinkable].columns
    if any(sensitivity(name) or not is_weight(name) for name in unlinkable):  # nobody said that it discloses nothing
        tables[UNCONFIRMED] = {"keys": [f"columns.{Unlinkable.key}"]}
    whose = say("Whose row is whose stands in {file}, which is never published.", file=f"{PRIVATE}/<release>.key.csv")
    head = f"# {whose}\n"
    return head + toml_document(tables)


def spelled_out(text: str, manifest: Manifest) -> str | None:
    """Return a manifest that names its releases one by one, or None if it already does.

    A pattern would include a release as soon as its file exists, before the manifest names its counterfeits.
    """
    document = tomlkit.parse(text)
    entries, names = document["series"]["releases"], {release.shown for release in manifest.releases}
    literal = [each for each in entries if not (isinstance(each, str) and each not in names)]
    if len(literal) == len(entries) == len(manifest.releases):
        return None
    document["series"]["releases"] = tomlkit.array().multiline(multiline=True)
    document["series"]["releases"].extend(_entry(release) for release in manifest.releases)
    return tomlkit.dumps(document)


def extended(text: str, files: ReleaseFiles, counterfeits: str | None) -> str:
    """Return a manifest with a new release added; `counterfeits` is the file that counts them, if there are any."""
    document = tomlkit.parse(text)
    releases = document["series"]["releases"]
    releases.append(_entry(files))
    releases.multiline(multiline=len(releases) > _ON_ONE_LINE)
    if counterfeits is not None:
        if "counterfeits" not in document:
            document.add("counterfeits", tomlkit.table())
        document["counterfeits"][files.tag] = counterfeits
    return tomlkit.dumps(document)


def read_back(manifest: Manifest, text: str) -> Manifest:
    """Parse a manifest's new text.

    Raises:
        InputError: the new text is not a valid manifest.
    """
    problems = Problems()
    return problems.checked(parse_manifest(manifest.folder, text, problems))


def _entry(release: ReleaseFiles) -> InlineTable | String:
    if release.values is None:
        return tomlkit.string(release.shown)
    pair = tomlkit.inline_table()
    pair.update({"rows": release.shown, "values": release.values_shown})
    return pair


# -- transactions ----------------------------------------------------------------------------------------------------

_STAGING = ".staging"
_LOCK = ".lock"
_PLAN = "plan.json"
_OURS = {PRIVATE, "releases", "counterfeits", TRANSITIONS}


class SeriesTransaction:
    """A series folder, locked for other publishers while this context manager is open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.private = folder / PRIVATE
        self.staging = self.private / _STAGING
        self._made = not is_there(folder)
        self._made_private = not is_there(self.private)
        self._lock = FileLock(self.private / _LOCK, blocking=False)

    def __enter__(self) -> SeriesTransaction:
        """Make the folder if it is missing, lock it, and undo what a killed process left.

        Raises:
            UsageError: another process is publishing into it, or the folder cannot hold a series.
        """
        with self._reported():
            self._check()
            self.folder.mkdir(exist_ok=True)
            self.private.mkdir(mode=0o700, exist_ok=True)
            self.private.chmod(0o700)
            self._take_lock()
            try:
                self.recover()
            except BaseException:
                self._lock.release()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Undo what was not published, and remove the folder if it was made and nothing was published."""
        try:
            self.recover()
            if not (self.folder / NAME).exists() and (self._made or self._made_private):
                # Windows does not delete a lock that is held: the folder then stays, with the lock file only.
                shutil.rmtree(self.folder if self._made else self.private, ignore_errors=os.name == "nt")
        finally:
            self._lock.release()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Report an error of the file system as an error of usage.

        Raises:
            UsageError: the disk is full, or the folder cannot be written.
        """
        try:
            yield
        except OSError as error:
            raise UsageError.say(
                "{path}: {why}; correct that, or name another folder with --output",
                path=error.filename or self.folder,
                why=error.strerror or say("it cannot be written"),
            ) from error

    def _check(self) -> None:
        """Refuse a folder that is not a series and not empty.

        Raises:
            UsageError: it is not a folder, or holds microdata or other files, or a link leads out of it.
        """
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError.say(
                "{path}: this is not a folder; name the folder of the series with --output", path=self.folder
            )
        if (self.folder / MICRODATA).exists():
            raise UsageError.say(
                "{folder}: this folder holds microdata; name another one for the series", folder=self.folder
            )
        if self.private.exists() and not self.private.resolve().is_relative_to(self.folder.resolve()):
            raise UsageError.say(
                "{folder}: a link takes this folder out of the series; make it a folder of its own",
                folder=self.private,
            )
        if self.folder.is_dir() and not (self.folder / NAME).exists():
            ours = {self.folder / name for name in _OURS}.union(abandoned_drafts(self.folder / NAME))
            strangers = [path for path in self.folder.iterdir() if path not in ours]
            if strangers:
                raise UsageError.say(
                    "{folder}: this folder holds other files, but no {file}; name a new folder, or write the "
                    "{file} of the series that is in it",
                    folder=self.folder,
                    file=NAME,
                )

    def _take_lock(self) -> None:
        try:
            self._lock.acquire()
        except Timeout as error:
            raise UsageError.say(
                "{folder}: another process is publishing into this series; wait until it has finished",
                folder=self.folder,
            ) from error

    def recover(self) -> None:
        """Delete what was staged, and what was put in place but never published."""
        plan = self.staging / _PLAN
        if plan.exists():
            tag, paths = self._planned(plan)
            for path in [] if tag in self._tags() else paths:
                path.unlink(missing_ok=True)
                with suppress(OSError):  # it holds other releases, or was not yet made
                    path.parent.rmdir()
        for draft in (*abandoned_drafts(self.folder / NAME), *abandoned_drafts(self.private / GITIGNORE)):
            draft.unlink()
        shutil.rmtree(self.staging, ignore_errors=True)

    def _planned(self, plan: Path) -> tuple[str, list[Path]]:
        """Return the release and the files of a plan.

        Raises:
            UsageError: the plan is damaged.
        """
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            content = json.loads(plan.read_text(encoding="utf-8"))
            paths = [self.folder / name for name in content["files"]]
            inside = all(path.parent.resolve().is_relative_to(self.folder.resolve()) for path in paths)
            if inside and isinstance(content["tag"], str):
                return content["tag"], paths
        raise UsageError.say(
            "{plan}: publishing was interrupted, and this plan of its files is damaged; delete the files that the "
            "{file} does not name, and {staging}",
            plan=plan,
            file=NAME,
            staging=self.staging,
        )

    def _tags(self) -> set[str]:
        """Return the releases that the manifest names.

        Raises:
            InputError: the manifest cannot be read.
        """
        if not (self.folder / NAME).exists():
            return set()
        problems = Problems()
        manifest = read_manifest(self.folder, problems)
        if manifest is None:
            raise InputError(problems.found)
        return {release.tag for release in manifest.releases}

    def stage(self, tables: Mapping[str, pa.Table]) -> None:
        """Write tables, by their names in the series, to the staging folder.

        Raises:
            UsageError: a file exists where one would be put, or a link leads out of the series.
        """
        for name in tables:
            self._check_free(self.folder / name)
        with self._reported():
            shutil.rmtree(self.staging, ignore_errors=True)
            self.staging.mkdir(mode=0o700)
            for name, table in tables.items():
                path = self.staging / name
                path.parent.mkdir(parents=True, exist_ok=True)
                write_table(table, path, mode=0o600 if name.startswith(f"{PRIVATE}/") else None)

    def _check_free(self, path: Path) -> None:
        if not path.parent.resolve().is_relative_to(self.folder.resolve()):
            raise UsageError.say("{path}: a link takes this path out of the series folder; make it a folder", path=path)
        if path.parent.exists() and not path.parent.is_dir():
            raise UsageError.say(
                "{path}: this is not a folder, and a release's files belong in it; move it away",
                path=path.parent,
            )
        if os.path.lexists(path):
            raise UsageError.say(
                "{path}: this file exists already, and the series does not name it; move it away", path=path
            )

    def commit(self, tag: str, names: Iterable[str], manifest: str) -> None:
        """Move the staged files of a release into place, and publish it with the new text of the manifest."""
        files = list(names)
        with self._reported():
            write_file(self.staging / _PLAN, json.dumps({"tag": tag, "files": files}))
            for name in files:
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                (self.staging / name).replace(path)
            self.replace_manifest(manifest)
            hide_from_version_control(self.private)
            shutil.rmtree(self.staging, ignore_errors=True)

    def replace_manifest(self, text: str) -> None:
        """Replace the text of the manifest; its permissions stay the same."""
        with self._reported():
            write_file(self.folder / NAME, text)
