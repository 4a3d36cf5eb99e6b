"""Manifest writer: the text of a new series' manifest, and of an older one with a release more, comments kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit.io.manifest import Manifest, ReleaseFiles, parse_manifest
from audit.model.anonymizer import Anonymizer
from audit.model.errors import Problems
from audit.model.options import options_of
from audit.publishing.renderer import GroupNames

if TYPE_CHECKING:
    import tomlkit
    from tomlkit.items import Array, InlineTable, String


_ON_ONE_LINE = 4


@dataclass(frozen=True)
class NewRelease:
    """The files of a release, by their names in the series; `counterfeits` is None without counterfeits."""

    files: ReleaseFiles
    counterfeits: str | None


@dataclass(frozen=True)
class BesideReleases:
    """The other files of a new series, by their names: hierarchies by attribute, and transitions."""

    hierarchies: Mapping[str, str]
    transitions: str | None


def new(
    name: str,
    anonymizer: Anonymizer,
    names: GroupNames,
    kinds: dict[str, str],
    count: str | None,
    files: BesideReleases,
) -> str:
    """Return a manifest without releases.

    `kinds` holds the type of each quasi-identifier, and of a sensitive attribute of numbers; `count` names the column
    of counts if it is not called `count`.
    """
    import tomlkit

    document = tomlkit.document()
    series = tomlkit.table()
    series.add("name", name)
    series.add("releases", tomlkit.array().multiline(multiline=True))
    columns = tomlkit.table()
    columns.add("sensitive", names.sensitive)
    columns.add("quasi_identifiers", [column for column in kinds if column != names.sensitive])
    columns.add("group", names.group or "")
    if names.record is not None:
        columns.add("record", names.record)
    if count is not None:
        columns.add("count", count)
    types, hierarchies = tomlkit.inline_table(), tomlkit.inline_table()
    types.update({column: kind for column, kind in kinds.items() if column not in files.hierarchies})
    hierarchies.update(files.hierarchies)
    if types:
        columns.add("types", types)
    if files.hierarchies:
        columns.add("hierarchies", hierarchies)
    columns.add(tomlkit.comment("Whose row is whose stands in private/<release>.key.csv, which is never published."))
    document.add("series", series)
    document.add("columns", columns)
    if files.transitions is not None:
        adversary = tomlkit.table()
        adversary.add("transitions", files.transitions)
        document.add("adversary", adversary)
    made = tomlkit.table()
    made.add("method", anonymizer.name)
    given = {option.name: getattr(anonymizer, option.name) for option in options_of(type(anonymizer))}
    made.update({option: value for option, value in given.items() if value not in {None, False}})
    document.add("anonymized", made)
    parameters = anonymizer.promise.parameters
    if "k" in parameters:
        policy = tomlkit.table()
        policy.add("k", parameters["k"])
        document.add("policy", policy)
    return tomlkit.dumps(document)


def spelled_out(text: str, manifest: Manifest) -> str | None:
    """Return a manifest that names its releases one by one, or None if it already does.

    A pattern would include a release as soon as its file exists, before the manifest names its counterfeits.
    """
    document = _parsed(text)
    entries = document["series"]["releases"]
    literal = [each for each in entries if not (isinstance(each, str) and each not in _names(manifest))]
    if len(literal) == len(entries) == len(manifest.releases):
        return None
    document["series"]["releases"] = _listed([_entry(release) for release in manifest.releases])
    return _dumped(document)


def extended(text: str, release: NewRelease) -> str:
    """Return a manifest with a new release added."""
    import tomlkit

    document = _parsed(text)
    releases = document["series"]["releases"]
    releases.append(_entry(release.files))
    releases.multiline(multiline=len(releases) > _ON_ONE_LINE)
    if release.counterfeits is not None:
        if "counterfeits" not in document:
            document.add("counterfeits", tomlkit.table())
        document["counterfeits"][release.files.tag] = release.counterfeits
    return _dumped(document)


def read_back(manifest: Manifest, text: str) -> Manifest:
    """Parse a manifest's new text.

    Raises:
        InputError: the new text is not a valid manifest.
    """
    problems = Problems()
    read = parse_manifest(manifest.folder, text, problems)
    problems.check()
    if read is None:
        raise TypeError("a manifest without problems is read")
    return read


def _parsed(text: str) -> tomlkit.TOMLDocument:
    import tomlkit

    return tomlkit.parse(text.removeprefix("\ufeff"))


def _dumped(document: tomlkit.TOMLDocument) -> str:
    import tomlkit

    return tomlkit.dumps(document)


def _names(manifest: Manifest) -> set[str]:
    return {release.shown for release in manifest.releases}


def _entry(release: ReleaseFiles) -> InlineTable | String:
    import tomlkit

    if release.values is None:
        return tomlkit.string(release.shown)
    pair = tomlkit.inline_table()
    pair.update({"rows": release.shown, "values": release.values_shown})
    return pair


def _listed(entries: list[InlineTable | String]) -> Array:
    import tomlkit

    array = tomlkit.array().multiline(multiline=True)
    array.extend(entries)
    return array
