"""Candidate: read an unpublished release from its own folder, beside the series that it would join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Sequence
from dataclasses import replace
from pathlib import Path

from audit.io.dialect import check_file
from audit.io.manifest import PRIVATE, Manifest, ReleaseFiles, as_file_name, key_name
from audit.io.naming import in_time
from audit.io.paths import is_there, same_file
from audit.io.rules.rule import Adjustments
from audit.io.series import Series, check_columns
from audit.io.tables import SUFFIXES, is_table
from audit.io.toml import release_tag
from audit.model.errors import Problems, UsageError
from audit.model.release_impact import alone
from audit.runtime.phrases import in_quotes, parted, printable, printable_path, say, typed


def with_candidate(series: Series, paths: Sequence[Path]) -> tuple[Series, Series]:
    """Return the series so far, and the series with a candidate as its last release; nothing is written.

    Of a file with several releases, the only one that the series does not have is the candidate. The files that the
    manifest names may have lines about it already. Its key is `TAG.key.csv` beside it, or in a folder `private` there
    or in the series; of such a file, it may be named like the file. Its published counterfeits, if any, are in
    `counterfeits/TAG.csv` beside it. If the series has a register, a file `TAG.register.csv` beside the candidate, or
    in a folder `private` there, replaces the register in the second result.

    Args:
        series: the series.
        paths: the candidate: one table, or the rows and the values of an Anatomy pair.

    Raises:
        UsageError: the candidate is not a table, has another form than the releases, or is already in the series; or
            a file has not one new release, or other rows of the earlier ones.
        InputError: files or columns are missing.
    """
    manifest, problems = series.manifest, Problems()
    for path in paths:
        if not is_table(path.name):
            where, names = printable_path(path), ", ".join(SUFFIXES)
            raise UsageError.say("{path}: not a table; name a file that ends in {names}", path=where, names=names)
    name = release_tag(paths[0].name)
    by = _column_of_releases(manifest, paths[0])
    tag, by = (name, None) if by is None else _new_release(series, paths[0], by)
    _check_new(manifest, paths, tag)
    _check_form(manifest, paths)
    beside = paths[0].parent
    folders = (beside, beside / PRIVATE, manifest.folder / PRIVATE)
    keys = [folder / key_name(each) for each in dict.fromkeys([tag, name]) for folder in folders]
    key = next((each for each in keys if is_there(each)), keys[0])
    values = paths[1] if len(paths) > 1 else None
    files = ReleaseFiles(tag, paths[0], str(paths[0]), values, "" if values is None else str(values), key, by)
    counted = beside / "counterfeits" / f"{as_file_name(tag)}.csv"
    counts = {tag: str(counted.absolute())} if is_there(counted) else {}
    registers = [folder / f"{as_file_name(tag)}.register.csv" for folder in (beside, beside / PRIVATE)]
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
        UsageError: the series has only one release.
    """
    manifest = series.manifest
    newest = manifest.releases[-1].tag
    if len(manifest.releases) == 1:
        raise UsageError.say("the series has only one release, and a candidate needs an earlier one")
    counted = {tag: file for tag, file in manifest.counterfeits.items() if tag != newest}
    earlier = replace(manifest, releases=manifest.releases[:-1], counterfeits=counted, to_come=(newest,))
    return Series.of(earlier), Series.of(manifest)


def _column_of_releases(manifest: Manifest, path: Path) -> str | None:
    """Return the column that names the release of each row in the files of the series, if the candidate has it."""
    by = next((release.by for release in manifest.releases if release.by is not None), None)
    names = Adjustments(manifest.columns.rules).names(path, str(path)) or ()
    return by if by in names else None


def _new_release(series: Series, path: Path, by: str) -> tuple[str, str | None]:
    """Return the only release of a file that the series does not have, and the column that marks it among others.

    Raises:
        UsageError: it is not one, or the rows of another release differ from those of the series.
        InputError: a file cannot be read.
    """
    problems, shown = Problems(), printable_path(path)
    found = Adjustments(series.rules).read(path, str(path), [by], problems)
    releases = in_time(problems.checked(found).distinct(by))[0]
    known = {each.tag: each for each in series.manifest.releases}
    new = only_new(releases, known, by, shown)
    for tag in (tag for tag in releases if tag in known):
        here = replace(known[tag], rows=path, shown=str(path), by=by)
        if _rows_of(series, here, here) != _rows_of(series, known[tag], here):
            raise revised(tag, shown)
    return new, by if len(releases) > 1 else None


def only_new(releases: Collection[str], known: Container[str], by: str, shown: str) -> str:
    """Return the only one of the releases in a candidate's files that the series does not have; `by` names them.

    Raises:
        UsageError: it is not one.
    """
    new = [tag for tag in releases if tag not in known]
    if len(new) != 1 or "" in new:
        listed = in_quotes(new) if new else say("none")
        raise UsageError.say(
            '{path}: a candidate is one release, and by its column "{column}" the file should have one that the '
            "series does not have; new in it: {new}",
            path=shown,
            column=printable(by),
            new=listed,
        )
    return new[0]


def revised(tag: str, shown: str) -> UsageError:
    """Return the error that the rows of a release in a candidate's file differ from those of the series."""
    return UsageError.say(
        '{path}: its rows of release "{release}" are not those that the series has, and would be published '
        "with it; write the new release into a file of its own",
        path=shown,
        release=printable(tag),
    )


def not_alone(shown: str, tag: str, by: str | None) -> UsageError:
    """Return the error that a file to repair has other rows; those of the release are marked in the column `by`."""
    what = say("{file}: a repair needs a file of which every row is of the release", file=shown)
    if by is not None:
        remedy = say(
            'copy the header and the rows with "{release}" in the column "{column}" into {alone}, and repair this file',
            release=printable(tag),
            column=printable(by),
            alone=printable(alone(tag, shown)),
        )
        what = parted([what, remedy])
    return UsageError(what)


def _rows_of(series: Series, files: ReleaseFiles, candidate: ReleaseFiles) -> Counter[tuple[str, ...]]:
    """Return the rows of a release, with their cells in the columns that a candidate's file has of the series."""
    adjustments, problems = replace(series.adjustments(files.tag), by=files.by), Problems()
    names = adjustments.named_there(candidate.rows, candidate.shown, series.columns.named) or []
    if files is candidate:
        adjustments = replace(adjustments, unpublished=frozenset())
    table = problems.checked(adjustments.read(files.rows, files.shown, names, problems))
    return Counter(zip(*(table.texts(name) for name in names), strict=True))


def _check_new(manifest: Manifest, paths: Sequence[Path], tag: str) -> None:
    """Refuse a candidate that is already in the series, or has the tag of a release.

    Raises:
        UsageError: a file or the tag is already in the series.
    """
    listed = [path for release in manifest.releases for path, _ in release.halves]
    for path in paths:
        if any(same_file(path, published) for published in listed):
            raise UsageError.say(
                "{path}: this file is in the series already; take it out of the manifest's releases, or run "
                "`{command}`",
                path=printable_path(path),
                command=typed("audit SERIES"),
            )
    if any(release.tag == tag for release in manifest.releases):
        raise UsageError.say(
            '{path}: a release is already called "{release}"; rename the file',
            path=printable_path(paths[0]),
            release=printable(tag),
        )


def _check_form(manifest: Manifest, paths: Sequence[Path]) -> None:
    """Refuse a single table for a series of pairs, and a pair for a series of single tables.

    Raises:
        UsageError: the candidate has another form than all releases.
    """
    pairs = {release.values is not None for release in manifest.releases}
    if pairs == {True} and len(paths) == 1:
        raise UsageError.say(
            "the releases of this series are pairs; name the candidate's file of rows, then that of values"
        )
    if pairs == {False} and len(paths) > 1:
        raise UsageError.say("the releases of this series are single tables; name one file as the candidate")
