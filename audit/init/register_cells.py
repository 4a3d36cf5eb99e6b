"""How a register writes what the releases have: under other names, as days of birth, or in other words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from audit.init.columns import Column, read_columns
from audit.init.found_files import QUASI, FoundFiles
from audit.io.column_names import is_postal
from audit.io.notations import kind_of_single_days
from audit.io.respelling import grows, skeleton
from audit.io.rules.cell_meaning import ColumnTypes
from audit.io.rules.spelling import REGISTER, Crosswalk
from audit.io.toml import toml_key
from audit.model.errors import printable
from audit.runtime.phrases import Phrase, joined, say

CROSSWALK = "crosswalk.csv"
_SEXES = [
    tuple(map(re.compile, words))
    for words in (
        ("f|female|wom[ae]n", "m|male|m[ae]n"),
        ("f|femme|feminin", "[hm]|homme|masculin"),
        ("[fw]|weiblich|frau", "m|mannlich|mann"),
        ("f|femenino|mujer", "m|masculino|hombre|varon"),
        ("m|mujer", "[hv]|hombre|varon"),
    )
]
"""Words for women and for men of one way to write them: `M` is a man, or in Spanish beside `H` or `V` a woman."""
_DAYS = Phrase("the register has days, and the releases their years or ranges")


def state_cells(found: FoundFiles) -> None:
    """State what the register calls the quasi-identifiers, and how its days are read."""
    quasi = {column.name: column for column in found.with_role(QUASI)}
    for name, theirs in sorted(found.register_columns().items()):
        if name not in quasi or (own := _register_column(found, theirs)) is None:
            continue
        if is_postal(name) and quasi[name].form is None and {*own.texts}.isdisjoint(quasi[name].texts):
            continue  # districts beside whole postcodes, which a register has to have in a column of their own
        kind = kind_of_single_days([text for text in own.some if text not in own.markers])
        if kind is None or kind_of_single_days(quasi[name].some) is not None:
            _state_name(found, name, theirs)
        elif quasi[name].parses(kind):
            _state_name(found, name, theirs)
            found.guesses.state_rule(ColumnTypes({name: kind.value}), str(_DAYS), sure=False)


def _state_name(found: FoundFiles, name: str, theirs: str) -> None:
    alike = skeleton(name) == skeleton(theirs)
    if ages := grows(name) and len(found.releases) > 1 and not found.texts(REGISTER, "release"):
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


def _register_column(found: FoundFiles, theirs: str) -> Column | None:
    shown = found.beside[REGISTER]
    return read_columns([(found.folder / shown, shown)]).get(theirs)


def state_words(found: FoundFiles) -> None:
    """Draft crosswalks where the register writes sexes in other words than the releases."""
    if REGISTER not in found.beside or found.guesses.column(Crosswalk.key):
        return
    there = found.register_columns()
    for place, column in enumerate(found.with_role(QUASI), 1):
        own = _register_column(found, there[column.name]) if column.name in there else None
        file = f"crosswalk-{place}.csv" if CROSSWALK in found.guesses.files else CROSSWALK
        if own is None or (found.folder / file).exists():
            continue
        unread = [text for text in own.some if text not in column.some]
        if not (words := _of_same_sex(unread, column.some)):
            continue
        pairs = joined([f'"{printable(text)}" = "{printable(like)}"' for text, like in words.items()])
        why = say("the register writes these values in other words: {pairs}", pairs=pairs)
        found.guesses.state_rule(Crosswalk({column.name: file}), why, sure=False)
        lines = [("release", "from", "to"), *((REGISTER, *pair) for pair in words.items())]
        found.guesses.add_file(file, lines)


def _of_same_sex(unread: Sequence[str], known: Sequence[str]) -> dict[str, str] | None:
    """Return the known text for the sex of each unread one; None if there are several ways to read them, or none.

    >>> _of_same_sex(["H", "M"], ["Hombre", "Mujer"]), _of_same_sex(["M"], ["Hombre", "Mujer"])
    ({'H': 'Hombre', 'M': 'Mujer'}, None)
    """
    found = list[dict[str, str]]()
    for ways in _SEXES:
        like = [[each for each in known if way.fullmatch(skeleton(each))] for way in ways]
        of = {
            text: [one for one, way in zip(like, ways, strict=True) if way.fullmatch(skeleton(text))] for text in unread
        }
        if all(len(one) == 1 and len(one[0]) == 1 for one in of.values()):
            words = {text: one[0][0] for text, one in of.items()}
            if len({*words.values()}) == len(words) and words not in found:
                found.append(words)
    return found[0] if unread and len(found) == 1 else None
