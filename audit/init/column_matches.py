"""Columns that are called otherwise in some releases: found by the cells that they share with their namesakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from audit.init import column_names
from audit.init.columns import Column, read_columns
from audit.init.found_files import FoundFiles
from audit.io.rules.file_form import Renamed

_SURE = 0.8
_LIKELY = 0.5


def match_headers(found: FoundFiles) -> None:
    """State which columns of which releases are those that others have under another name."""
    halves = [
        [(r.rows, r.shown) for r in found.releases],
        [(r.values, r.values_shown) for r in found.releases if r.values],
    ]
    for files in halves:
        if len(files) > 1:
            tags = [release.tag for release in found.releases if files is halves[0] or release.values]
            _match(found, dict(zip(tags, files, strict=True)))


def _match(found: FoundFiles, files: Mapping[str, tuple[Path | None, str]]) -> None:
    names = {tag: found.names.get(shown, []) for tag, (_, shown) in files.items()}
    times = Counter(name for own in names.values() for name in own)
    first = next(iter(names.values()))
    usual = [
        name for name in times if 2 * times[name] > len(names) or (2 * times[name] == len(names) and name in first)
    ]
    for tag, own in names.items():
        absent = [name for name in usual if name not in own]
        spare = [name for name in own if name and name not in usual]
        if not (absent and spare):
            continue
        models = {name: next(other for other, theirs in names.items() if name in theirs) for name in absent}
        columns = {other: _columns(files[other]) for other in {tag, *models.values()}}
        scores = {
            (old, new): _likeness(
                columns[tag].get(old), columns[models[new]].get(new), _same_place(own, old, usual, new)
            )
            for old in spare
            for new in absent
        }
        _choose(found, tag, scores)


def _columns(file: tuple[Path | None, str]) -> dict[str, Column]:
    path, shown = file
    return {} if path is None else read_columns([(path, shown)])


def _same_place(own: Sequence[str], old: str, usual: Sequence[str], new: str) -> bool:
    return own.index(old) == list(usual).index(new)


def _likeness(one: Column | None, other: Column | None, same_place: bool) -> float:
    """Return from 0 to above 1 how much a column looks like the other."""
    if one is None or other is None:
        return 0.0
    mine, theirs = ({text.casefold() for text in column.some} for column in (one, other))
    shared = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
    alike = one.form == other.form and one.unique == other.unique
    meaning = _meaning(one.name) is not None and _meaning(one.name) == _meaning(other.name)
    return 0.8 * shared + 0.3 * (same_place and alike) + 0.2 * meaning + 0.1 * alike


def _meaning(name: str) -> str | None:
    """Return what a name says that its column is, in a word."""
    if kind := column_names.kind(name):
        return kind
    if column_names.sensitivity(name) > 5:
        return "sensitive"
    return "quasi-identifier" if column_names.is_quasi(name) else None


def _choose(found: FoundFiles, tag: str, scores: Mapping[tuple[str, str], float]) -> None:
    """Take the likeliest pairs first, each column once."""
    used: set[str] = set()
    for (old, new), score in sorted(scores.items(), key=lambda item: -item[1]):
        if score < _LIKELY or {old, f"→{new}"} & used:
            continue
        if score < _SURE:
            why = f'In release {tag}, is "{old}" what the others call "{new}"? Its cells do not tell.'
            found.guesses.doubts.append(why)
        used |= {old, f"→{new}"}
        renamed = Renamed({tag: {**found.renamed(tag), old: new}})
        found.guesses.state_rule(renamed, sure=score >= _SURE)
