"""Keys of `series.toml` about columns and releases that the series does not have, so that nothing reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from audit.io.adjustments import adjusted_names, parts_of
from audit.io.diagnostics import is_there
from audit.io.foreign_files import is_foreign
from audit.io.idle_keys import NOTHING
from audit.io.manifest import NAME, Manifest, ReleaseFiles
from audit.io.toml import refuse_keys
from audit.model.errors import Problems, printable


def check_keys_are_read(manifest: Manifest, limits: Mapping[str, float] | None = None) -> None:
    """Refuse keys about columns and releases that the series does not have.

    A release that is still to come may have them, so that nothing is refused before one.

    Args:
        manifest: the manifest of a series that is judged.
        limits: the clauses in force; None where no policy is asked.

    Raises:
        InputError: nothing reads some keys; all of them are named, with their lines.
    """
    found = [] if manifest.to_come else [*_of_lacking_columns(manifest), *_of_releases(manifest)]
    if limits is not None and manifest.grave and "max_ever_risk" not in limits:
        what = f"{NOTHING} unless the policy has a limit for these values"
        found.append(("grave", what, "write max_ever_risk = 0.5, say, beside it, or leave it out"))
    refuse_keys(manifest.folder, NAME, found)


def _of_lacking_columns(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield keys that speak of columns which no release has: the key, what is wrong, what to do."""
    columns, named = manifest.columns, dict[str, list[str]]()
    named["ignore_rows"] = list(columns.notation.ignore_rows)
    named["unlinkable"] = list(columns.unlinkable)
    if columns.individual is not None and all(is_there(manifest.key_path(each)) for each in manifest.releases):
        named["individual"] = [columns.individual]
    if not any(named.values()):
        return
    published = {name for release in manifest.releases for name in _names(manifest, release)}
    for key, listed in named.items():
        for column in listed:
            if column not in published and (key == "ignore_rows" or not parts_of(column, published)):
                yield (
                    key,
                    f'no release has a column "{printable(column)}", so {NOTHING}',
                    "correct the name, or leave it out",
                )


def _names(manifest: Manifest, release: ReleaseFiles) -> Iterator[str]:
    """Yield the columns of a release; files that cannot be read have none, and reading them says so."""
    for path, shown in release.halves:
        yield from adjusted_names(path, shown, manifest.headings(release.tag), Problems()) or ()


def _of_releases(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield keys that speak of releases which the series does not have, or of what their files do not need."""
    notation = manifest.columns.notation
    tags = {release.tag for release in manifest.releases}
    for tag in notation.renamed:
        if tag not in tags:
            yield "renamed", f'there is no release "{printable(tag)}", so {NOTHING}', "write the tag of a release"
    files = [path for release in manifest.releases for path, _ in release.halves]
    if all(is_foreign(path) or path.name.lower().endswith(".parquet") for path in files):
        declared: dict[str, Any] = {"delimiter": notation.declared.delimiter, "encoding": notation.declared.encoding}
        for key, value in declared.items():
            if value is not None:
                yield key, f"no release is a text file, so {NOTHING}", "leave it out"
