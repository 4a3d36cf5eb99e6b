"""How a register writes what the releases have: under other names, or as days of birth."""

from __future__ import annotations

from audit.init.columns import Column, read_columns
from audit.init.found_files import QUASI, FoundFiles
from audit.io.column_names import is_postal
from audit.io.notations import kind_of_single_days
from audit.io.respelling import grows, skeleton
from audit.io.rules.cell_meaning import ColumnTypes
from audit.io.rules.spelling import REGISTER
from audit.io.toml import toml_key
from audit.runtime.phrases import Phrase, say

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
