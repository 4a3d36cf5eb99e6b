"""Candidate: read an unpublished release from its own folder, beside the series that it would join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from audit.io.diagnostics import check_file, is_there
from audit.io.manifest import PRIVATE, Manifest, ReleaseFiles
from audit.io.paths import same_file
from audit.io.series import Series, check_columns
from audit.io.tables import SUFFIXES, Table, is_table
from audit.io.toml import release_tag
from audit.model.errors import Problems, UsageError, printable, printable_path


def with_candidate(series: Series, paths: Sequence[Path]) -> tuple[Series, Series]:
    """Return the series so far, and the series with a candidate as its last release; nothing is written.

    The files that the manifest names may contain lines about the candidate already. `paths` is one table, or the rows
    and the values of an Anatomy pair. The key is a file beside the candidate, in a folder `private` there, or that of
    the series. Its published counterfeits, if any, are counted in a folder `counterfeits` beside it. If the series has
    a register, a register beside the candidate (`TAG.register.csv`, or in a folder `private` there) replaces it in the
    second result.

    Raises:
        UsageError: the candidate is not a table, or is already in the series.
        InputError: files or columns are missing.
    """
    manifest, problems = series.manifest, Problems()
    for path in paths:
        if not is_table(path):
            raise UsageError(f"{_said(path)}: this is not a table; name a file that ends in {', '.join(SUFFIXES)}")
    tag = release_tag(paths[0].name)
    _check_new(manifest, paths, tag)
    _check_form(manifest, paths)
    beside = paths[0].parent
    keys = [folder / f"{tag}.key.csv" for folder in (beside, beside / PRIVATE, manifest.folder / PRIVATE)]
    key = next((each for each in keys if is_there(each)), keys[0])
    values = paths[1] if len(paths) > 1 else None
    files = ReleaseFiles(tag, paths[0], str(paths[0]), values, "" if values is None else str(values), key)
    counted = beside / "counterfeits" / f"{tag}.csv"
    counts = {tag: str(counted.absolute())} if is_there(counted) else {}
    registers = [folder / f"{tag}.register.csv" for folder in (beside, beside / PRIVATE)]
    own = [str(each.absolute()) for each in registers if manifest.register is not None and is_there(each)]
    for path in (*paths, *([key] if is_there(key) else [])):
        check_file(path, str(path), problems)
    if not problems.found:
        check_columns(manifest, [files], problems)
    problems.check()
    joined = replace(
        manifest,
        releases=(*manifest.releases, files),
        counterfeits={**manifest.counterfeits, **counts},
        register=own[0] if own else manifest.register,
        to_come=tuple(each for each in manifest.to_come if each != tag),
    )
    return Series.of(replace(manifest, to_come=(tag,))), Series.of(joined)


def as_candidate(series: Series) -> tuple[Series, Series]:
    """Return the series without its newest release, and with it, as if that release were unpublished.

    Raises:
        UsageError: it is the only release.
    """
    manifest = series.manifest
    newest = manifest.releases[-1].tag
    if len(manifest.releases) == 1:
        raise UsageError("the series has one release only, and none before it that a candidate could join")
    counted = {tag: file for tag, file in manifest.counterfeits.items() if tag != newest}
    earlier = replace(manifest, releases=manifest.releases[:-1], counterfeits=counted, to_come=(newest,))
    return Series.of(earlier), Series.of(manifest)


def _said(path: Path) -> str:
    return printable_path(path)


def _check_new(manifest: Manifest, paths: Sequence[Path], tag: str) -> None:
    """Refuse a candidate that is already in the series, or has the tag of a release.

    Raises:
        UsageError: it is such a candidate.
    """
    listed = [path for release in manifest.releases for path, _ in release.halves]
    for path in paths:
        if any(same_file(path, other) for other in listed):
            what = f"{_said(path)}: this file is in the series already"
            raise UsageError(f"{what}; take it out of the manifest's releases, or run `audit SERIES`")
    if any(release.tag == tag for release in manifest.releases):
        raise UsageError(f'{_said(paths[0])}: the series has a release "{printable(tag)}" already; rename the file')


def _check_form(manifest: Manifest, paths: Sequence[Path]) -> None:
    """Refuse a candidate with another form than all releases.

    Raises:
        UsageError: it has another form.
    """
    pairs = {release.values is not None for release in manifest.releases}
    if pairs == {True} and len(paths) == 1:
        raise UsageError(
            "the releases of this series are pairs; name the candidate's file of rows, then that of values"
        )
    if pairs == {False} and len(paths) > 1:
        raise UsageError("the releases of this series are single tables; name one file as the candidate")


def file_of(series: Series) -> Table:
    """Return the last release's file without columns, to look up lines; it is read once."""
    files = series.manifest.releases[-1]
    return Table(files.rows, files.shown, 0, {})
