"""Differences between files: other names of columns, days of a register, rows of several releases, or no header."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from audit.init.columns import Column, read_columns
from audit.init.found_files import NAMES_RELEASES, QUASI, FoundFiles
from audit.io import naming
from audit.io.manifest import NAME
from audit.io.naming import in_time
from audit.io.notations import grows, kind_of_single_days, skeleton, words_in
from audit.io.rules.cell_meaning import ColumnTypes
from audit.io.rules.rule import Renamed
from audit.io.toml import toml_key
from audit.model.errors import InputError, Problem
from audit.runtime.phrases import Phrase, say

_SURE = 0.8
_LIKELY = 0.5
_FEW_REPEAT = 20
_MOST_WAVES = 60


def divided(found: FoundFiles, columns: dict[str, Column]) -> dict[str, Column]:
    """Return the columns of the only file, split into releases if a column may name the release of each row.

    Such a column is named like a wave or a year. It is likely to if another column has texts that are unique in each
    release, or of which few repeat there if they are ids of people, and mostly occur in several; or if the lines of the
    register are of releases with its texts. Without a likely one, only published rows are split, by the first.
    """
    unlikely: tuple[Column, dict[str, Column], str] | None = None
    for by in filter(lambda column: naming.names_waves(column.name), columns.values()):
        tags = in_time(by.texts)[0]
        if not (by.whole and 1 < len(tags) <= _MOST_WAVES and "" not in tags) or len(by.codes) < 2 * len(tags):
            continue
        release = np.array([tags.index(text) for text in by.texts], dtype=np.int32)[by.codes]
        order = np.argsort(release, kind="stable")
        split = {
            name: replace(each, codes=each.codes[order], release=release[order])
            for name, each in columns.items()
            if name != by.name
        }
        likely = sorted(filter(_may_name_people, split.values()), key=lambda column: not column.unique)
        person = next(filter(_comes_again, likely), None)
        if person is None and not found.texts("register", "release") >= {*tags}:
            unlikely = unlikely or (by, split, say("its name; if all rows are of one release, delete the line"))
            continue
        why = say("the release of each line")
        if person is not None:
            why = say('"{column}" has few texts twice in one of them, or none', column=person.name)
        return _split(found, by, split, why)
    return columns if unlikely is None or found.guesses.name != NAME else _split(found, *unlikely)


def _split(found: FoundFiles, by: Column, split: dict[str, Column], why: str) -> dict[str, Column]:
    """State that a column names the release of each row, and return the columns of these releases."""
    [file] = found.releases
    found.releases = [replace(file, tag=tag, by=by.name) for tag in in_time(by.texts)[0]]
    found.guesses.state("series.releases_by", by.name, why, sure=False)
    found.guesses.state("columns.unlinkable", {by.name: str(NAMES_RELEASES)})
    return split


def _may_name_people(column: Column) -> bool:
    """Return whether no text of a column, or few of one that is named like an id of people, repeat in a release."""
    return column.unique or (naming.kind(column.name) == "person" and _FEW_REPEAT * column.repeated < len(column.codes))


def _comes_again(column: Column) -> bool:
    """Return whether most rows of a column have a text that also occurs in other releases."""
    pairs = np.unique(column.codes.astype(np.int64) * (int(column.release.max()) + 1) + column.release)
    releases = np.bincount(pairs // (int(column.release.max()) + 1), minlength=len(column.texts))
    return bool(2 * np.count_nonzero(releases[column.codes] > 1) > len(column.codes))


def match_headers(found: FoundFiles) -> None:
    """State which columns of a release have another name in the other releases."""
    halves = [
        [(r.rows, r.shown) for r in found.releases],
        [(r.values, r.values_shown) for r in found.releases if r.values],
    ]
    for files in halves:
        if len(files) > 1:
            tags = [release.tag for release in found.releases if files is halves[0] or release.values]
            _match(found, dict(zip(tags, files, strict=True)))


def _match(found: FoundFiles, files: Mapping[str, tuple[Path, str]]) -> None:
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
        columns = {other: read_columns([files[other]]) for other in {tag, *models.values()}}
        scores = {
            (old, new): _likeness(
                columns[tag].get(old), columns[models[new]].get(new), own.index(old) == list(usual).index(new)
            )
            for old in spare
            for new in absent
        }
        _choose(found, tag, scores)


def _likeness(one: Column | None, other: Column | None, same_place: bool) -> float:
    """Return how similar two columns are, from 0 to above 1."""
    if one is None or other is None:
        return 0.0
    mine, theirs = ({text.casefold() for text in column.some} for column in (one, other))
    shared = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
    alike = one.form == other.form and one.unique == other.unique
    meaning = _meaning(one.name) is not None and _meaning(one.name) == _meaning(other.name)
    return 0.8 * shared + 0.3 * (same_place and alike) + 0.2 * meaning + 0.1 * alike


def _meaning(name: str) -> str | None:
    """Return the meaning of a column's name, as one word."""
    if kind := naming.kind(name):
        return kind
    if naming.sensitivity(name) > 5:
        return "sensitive"
    return "quasi-identifier" if naming.is_quasi(name) else None


def _named_alike(old: str, new: str) -> bool:
    """Return whether two names have the same words, or mean the same kind of identifier, or birth, postcode or sex."""
    meanings = [("".join(words_in(name)), naming.kind(name), naming.topic(name)) for name in (old, new)]
    return any(left and left == right for left, right in zip(*meanings, strict=True))


def _choose(found: FoundFiles, tag: str, scores: Mapping[tuple[str, str], float]) -> None:
    """Match columns, the likeliest pairs first and each column once."""
    used: set[str] = set()
    for (old, new), score in sorted(scores.items(), key=lambda item: -item[1]):
        if score < _LIKELY or {old, f"→{new}"} & used:
            continue
        # Equal cells do not show it: many columns have yes and no, and a discharge has the diagnoses of an admission.
        sure = score >= _SURE and _named_alike(old, new)
        used |= {old, f"→{new}"}
        renamed = Renamed({tag: {**found.renamed(tag), old: new}})
        found.guesses.state_rule(renamed, sure=sure)


def check_header(found: FoundFiles) -> None:
    """Refuse releases whose first line is a row, not a header.

    Raises:
        InputError: the first line is a row.
    """
    first = found.releases[0]
    columns = read_columns([(first.rows, first.shown)])
    inside = sum(column.name in column.texts for column in columns.values())
    if inside and 2 * inside >= len(columns):
        what = say("this line looks like a row of the table: most of its cells stand in the columns below as well")
        remedy = say("write a line with the names of the columns above it, in all releases")
        raise InputError([Problem(first.shown, what, remedy, line=1)])


# -- the register


_DAYS = Phrase("the register has days, and the releases their years or ranges")


def state_register(found: FoundFiles) -> None:
    """State what the register calls the quasi-identifiers, and how its days are read."""
    quasi, shown = {column.name: column for column in found.with_role(QUASI)}, found.beside["register"]
    columns = read_columns([(found.folder / shown, shown)])
    for name, theirs in sorted(found.register_columns().items()):
        if name not in quasi or (own := columns.get(theirs)) is None:
            continue
        if naming.is_postal(name) and quasi[name].form is None and {*own.texts}.isdisjoint(quasi[name].texts):
            continue  # districts beside whole postcodes, which a register has to have in a column of their own
        kind = kind_of_single_days([text for text in own.some if text not in own.markers])
        if kind is None or kind_of_single_days(quasi[name].some) is not None:
            _state_name(found, name, theirs)
        elif quasi[name].parses(kind):
            _state_name(found, name, theirs)
            found.guesses.state_rule(ColumnTypes({name: kind.value}), str(_DAYS), sure=False)


def _state_name(found: FoundFiles, name: str, theirs: str) -> None:
    alike = skeleton(name) == skeleton(theirs)
    if ages := grows(name) and len(found.releases) > 1 and not found.texts("register", "release"):
        why = say(
            "a person has the same in every release; if it grows with time, publish years of birth, or write a line "
            "for each person and release, with a column release"
        )
    elif name == theirs:
        return
    else:
        why = say("the names differ only in spelling") if alike else say("both columns are about the same")
    key = f"register.{toml_key(name)}"
    found.guesses.state(f"register.{name}", theirs)
    found.guesses.why[key] = why
    if ages or not alike:
        found.guesses.unsure[key] = None
