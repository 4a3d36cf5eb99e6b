"""Keys of `series.toml` about columns and releases that the series does not have, so that nothing reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from audit.io.adjustments import adjusted_names
from audit.io.diagnostics import is_there
from audit.io.foreign_files import is_foreign
from audit.io.manifest import NAME, Manifest
from audit.io.rules.rule import NOTHING, Headers
from audit.io.toml import refuse_keys
from audit.model.errors import Problems


def check_keys_are_read(manifest: Manifest, limits: Mapping[str, float] | None = None) -> None:
    """Refuse keys about columns and releases that the series does not have.

    A release that is still to come may have them, so that nothing is refused before one.

    Args:
        manifest: the manifest of a series that is judged.
        limits: the clauses in force; None where no policy is asked.

    Raises:
        InputError: nothing reads some keys; all of them are named, with their lines.
    """
    found = [] if manifest.to_come else [*_about_columns(manifest)]
    if limits is not None and manifest.grave and "max_ever_risk" not in limits:
        what = f"{NOTHING} unless the policy has a limit for these values"
        found.append(("grave", what, "write max_ever_risk = 0.5, say, beside it, or leave it out"))
    refuse_keys(manifest.folder, NAME, found)


def _about_columns(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield keys of `[columns]` that nothing reads: the key, what is wrong, what to do."""
    headers, individual = _headers(manifest), manifest.columns.individual
    for rule in manifest.columns.rules:
        for what, remedy in rule.unread(headers):
            yield rule.key, what, remedy
    if individual is not None and all(is_there(manifest.key_path(each)) for each in manifest.releases):
        yield from (("individual", *each) for each in headers.lacking([individual]))


def _headers(manifest: Manifest) -> Headers:
    """Return what the files of the releases have; files that cannot be read have nothing, and reading them says so."""
    halves = [(release.tag, *half) for release in manifest.releases for half in release.halves]
    texts = not all(is_foreign(path) or path.name.lower().endswith(".parquet") for _, path, _ in halves)

    def names() -> set[str]:
        read = (adjusted_names(path, shown, manifest.headings(tag), Problems()) or () for tag, path, shown in halves)
        return {name for each in read for name in each}

    return Headers({tag for tag, _, _ in halves}, texts, names)
