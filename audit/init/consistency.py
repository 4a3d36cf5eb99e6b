"""What follows once the columns have a meaning: how cells are read, and which files beside the releases fit."""

from __future__ import annotations

from audit.init.column_meanings import Meaning
from audit.init.columns import MARKERS, Column
from audit.init.found_files import FoundFiles
from audit.io.cell_reading import infer_kind
from audit.io.cells import Kind
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing
from audit.io.rules.file_form import Renamed
from audit.io.toml import release_tag


def settle(found: FoundFiles, meaning: Meaning) -> None:
    """Complete the meaning; files that do not fit are noted as unused, or as doubtful."""
    columns = {column.name: column for column in meaning.quasi}
    for name in [name for name in meaning.hierarchies if name not in columns]:
        found.unused[meaning.hierarchies.pop(name).name] = f'column "{name}" is no quasi-identifier'
    meaning.state(Hierarchies({name: hierarchy.name for name, hierarchy in meaning.hierarchies.items()}))
    texts = [name for name, column in columns.items() if name not in meaning.hierarchies and _looks_numeric(column)]
    meaning.state(ColumnTypes(dict.fromkeys(texts, Kind.CATEGORICAL.value)))
    missing = MARKERS & {text for column in meaning.quasi for text in column.texts}
    # Under a register, cells that cover everybody may be values.
    sure = "register" not in found.beside or not missing
    if any("" in column.texts for column in (*meaning.quasi, meaning.chosen["sensitive"])):
        missing |= {""}
    meaning.state(Missing(missing), sure=sure)
    meaning.state(Renamed(found.renamed))
    troubles = {"register": _register_trouble(found), "transitions": _transitions_trouble(found, meaning)}
    meaning.misfits = {role: why for role, why in troubles.items() if role in found.beside and why is not None}
    meaning.doubts += [
        f"{found.beside[role]} does not fit, and an audit refuses it: {why}." for role, why in meaning.misfits.items()
    ]
    _settle_counterfeits(found, meaning)


def _looks_numeric(column: Column) -> bool:
    """Return whether cells have the form of ranges but are none, such as the month 2024-03."""
    looks = infer_kind(column.some, None, MARKERS) is Kind.NUMERIC
    return looks and not column.parses(Kind.NUMERIC) and column.parses(Kind.CATEGORICAL)


def _register_trouble(found: FoundFiles) -> str | None:
    if not found.texts("register", "release") <= {release.tag for release in found.releases}:
        return "it names releases that are not here"
    places = {str(place + 1) for place in range(len(found.releases))}
    if not found.texts("register", "first") | found.texts("register", "last") <= places:
        return f"the first and last positions are not all from 1 to {len(found.releases)}"
    return None


def _transitions_trouble(found: FoundFiles, meaning: Meaning) -> str | None:
    sensitive = meaning.chosen["sensitive"]
    listed = found.texts("transitions", "from").issuperset(sensitive.texts)
    return None if listed else f'column "{sensitive.name}" has values for which it has no line `from`'


def _settle_counterfeits(found: FoundFiles, meaning: Meaning) -> None:
    group = meaning.chosen.get("group")
    needed = {group.name if group else "", "Count"}
    fitting = {release_tag(shown): shown for shown in found.counterfeits if needed <= set(found.names[shown])}
    meaning.counterfeits = {release.tag: fitting[release.tag] for release in found.releases if release.tag in fitting}
    unused = [shown for shown in found.counterfeits if shown not in meaning.counterfeits.values()]
    found.unused |= dict.fromkeys(unused, "no release has their tags, or they lack the group column or Count")
