"""Rolls: files that list people who may be in the data, by their names or days of birth, such as an electoral roll."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from audit.init.columns import Column, partition, read_columns
from audit.io.background_knowledge import years_of
from audit.io.manifest import REGISTER_COLUMNS
from audit.io.naming import is_quasi, names_waves, sensitivity, stay, topic
from audit.io.notations import skeleton

_OCCUPATION = 7  # how sensitive an occupation sounds, which many rolls list
_NEARLY = 0.95
"""The share of lines that differ from each other in a roll, which may list someone twice."""


def matched(own: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Return the name in the series of each column of a file beside it; its own name where none is the same.

    >>> matched(["Nom", "Date de naissance", "sexe"], ["Année de naissance", "Sexe", "Diagnostic"])
    {'Nom': 'Nom', 'Date de naissance': 'Année de naissance', 'sexe': 'Sexe'}
    """
    free = [name for name in columns if name not in own]
    found = dict[str, str]()
    for theirs in own:
        about = topic(theirs)
        like = [name for name in free if skeleton(name) == skeleton(theirs)]
        like = like or [name for name in free if about is not None and topic(name) == about]
        rivals = [name for name in own if topic(name) == about is not None]
        sole = theirs not in columns and len(like) == 1 and (skeleton(like[0]) == skeleton(theirs) or len(rivals) == 1)
        found[theirs] = like[0] if sole else theirs
    return found


def lines_of_people(names: Sequence[str], path: Path) -> str | list[str] | None:
    """Return the column, or the columns together, that name a person in a roll; None of other tables."""
    if not {*REGISTER_COLUMNS}.isdisjoint(names) or any(sensitivity(name) > _OCCUPATION for name in names):
        return None
    columns = [*read_columns([(path, path.name)]).values()]
    days = [each for each in columns if topic(each.name) == "birth" and each.are_days]
    own = [*(each for each in columns if each.holds_names), *days]
    waves = [each for each in columns if names_waves(each.name)]
    if not own or not differ([*own, *waves]):
        return None
    rest = [each for each in columns if each not in [*own, *waves] and not (topic(each.name) or is_quasi(each.name))]
    once = [each for each in rest if each.unique or differ([each, *waves], share=1)]
    codes = [each.name for each in once if not each.row_numbers and " " not in "".join(each.some)]
    if codes:
        return codes[0]
    several = own if differ([*own, *waves], share=1) else [each for each in columns if each not in waves]
    names = [each.name for each in several]
    return names[0] if len(names) == 1 else names


def lines_once(columns: Mapping[str, Column]) -> dict[str, Column]:
    """Return the columns of a file without lines that repeat others in every cell, as for each stay."""
    first = np.unique(partition([*columns.values()]), return_index=True)[1]
    return {name: replace(each, codes=each.codes[first], release=each.release[first]) for name, each in columns.items()}


def times_of(person: Sequence[Column], others: Sequence[Column], tags: Sequence[str]) -> list[Column]:
    """Return the columns of a register that say who is in which release; none if it does not say it.

    Two are, by their names or as the only ones, the first and the last release of a person. One is the release of a
    line: its texts are the tags of releases, or most people have several lines that differ in it.
    """
    named = stay([each.name for each in others])
    ends = [each for name in named for each in others if each.name == name] or [*others]
    if len(ends) == 2 and all(name_releases(each.texts, tags, coming=bool(named)) for each in ends):
        return ends
    dated = [each for each in others if each.name == "release" or names_waves(each.name)]
    several = not differ(person)
    return [each for each in dated if {*each.texts} <= {*tags} or (several and differ([*person, each]))][:1]


def name_releases(texts: Iterable[str], tags: Sequence[str], *, coming: bool = True) -> bool:
    """Return whether texts are positions or tags of releases, or the position of a `coming` one, years or blanks."""
    places = {*map(str, range(1, len(tags) + 1 + coming)), *tags, *[""] * coming}
    return places.issuperset(
        text for text in texts if not (coming and years_of(tags) and text.isdecimal() and years_of([text]))
    )


def differ(columns: Sequence[Column], share: float = _NEARLY) -> bool:
    """Return whether nearly all lines of a file differ from each other in some columns."""
    return int(partition(columns).max(initial=-1)) + 1 >= share * len(columns[0].codes)
