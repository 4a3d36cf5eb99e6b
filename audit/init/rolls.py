"""Rolls: files that list people who may be in the data, by their names or days of birth, such as an electoral roll."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from audit.init.column_names import sensitivity, topic
from audit.init.columns import partition, read_columns
from audit.io.manifest import REGISTER_COLUMNS
from audit.io.respelling import skeleton

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
    rows = len(columns[0].codes) if columns else 0
    if not own or (int(partition(own).max(initial=-1)) + 1) < _NEARLY * rows:
        return None
    rest = [each for each in columns if each not in own and topic(each.name) is None]
    codes = [each.name for each in rest if each.unique and not each.row_numbers and " " not in "".join(each.some)]
    if codes:
        return codes[0]
    several = [each.name for each in own]
    if int(partition(own).max(initial=-1)) + 1 < rows:
        several = [each.name for each in columns]
    return several[0] if len(several) == 1 else several
