"""Manifest writer: the text of a new series' manifest, and of an older one with a release more, comments kept."""

from __future__ import annotations

from collections.abc import Mapping

import tomlkit
from tomlkit.items import InlineTable, String

from audit.io.column_names import is_weight, sensitivity
from audit.io.manifest import PRIVATE, Manifest, ReleaseFiles, parse_manifest
from audit.io.rules.disclosure import Unlinkable
from audit.io.rules.rule import Columns
from audit.io.toml import UNCONFIRMED, Toml, toml_document
from audit.model.anonymizer import Anonymizer
from audit.model.errors import Problems
from audit.model.options import options_of
from audit.runtime.phrases import say

_ON_ONE_LINE = 4


def new(
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
