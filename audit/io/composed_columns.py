"""Composed columns: read a column that is spread over several, as in anonypyx's machine-readable form.

`age_min` and `age_max` are read as the interval column `age`, and the flags `sex_Female` and `sex_Male` as the set
column `sex`. The columns `Household` and `Person` are read as `Household + Person`, the texts of both: so record ids of
two columns are read. A composed column exists if its parts exist after columns are renamed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import pyarrow as pa

from audit.io.tables import Table, text_codes
from audit.io.texts import arrow, column_of
from audit.model.arrays import combine, distinct
from audit.model.errors import Problems
from audit.runtime.phrases import say

TOGETHER = " + "
"""What stands between the names of columns that are read as one, and between their texts."""

_FLAGS = {"0": False, "1": True, "false": False, "true": True}


def parts_of(column: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the columns of a file that are the parts of a column; empty if it has the column itself, or no parts.

    >>> parts_of("age", ["age_min", "age_max"]), parts_of("sex", ["sex_F", "sex_M", "sexes"]), parts_of("a", ["a"])
    (('age_min', 'age_max'), ('sex_F', 'sex_M'), ())
    >>> parts_of("Household + Person", ["Household", "Person"])
    ('Household', 'Person')
    """
    if column in names:
        return ()
    ends = (f"{column}_min", f"{column}_max")
    if all(end in names for end in ends):
        return ends
    if len(several := tuple(column.split(TOGETHER))) > 1 and {*several} <= {*names}:
        return several
    flags = tuple(name for name in names if name.startswith(f"{column}_") and name != f"{column}_")
    return flags if len(flags) > 1 else ()


def families(table: Table, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns that seem to be split into parts, with their parts.

    The ends of intervals are recognized by their names. Flags are columns of 0 and 1 whose names begin in the same way,
    and of which at least one is 1 in each row.
    """
    known = {*names}
    pairs = {name.removesuffix("_min"): (name, f"{name.removesuffix('_min')}_max") for name in names}
    found: dict[str, tuple[str, ...]] = {
        base: ends for base, ends in pairs.items() if ends[0] != base and ends[1] in known and base not in known
    }
    flags = [name for name in names if "_" in name and _is_flag(table, name)]
    members: dict[str, list[str]] = {}
    for name in names if flags else ():
        for place, sign in enumerate(name):
            if sign == "_" and place:
                members.setdefault(name[:place], []).append(name)
    free = {*flags}.difference(*found.values())
    for base, parts in sorted(members.items(), key=lambda item: -len(item[0])):
        if len(parts) > 1 and base not in known and free.issuperset(parts) and _covers_rows(table, parts):
            found[base] = tuple(parts)
            free.difference_update(parts)
    return found


def _is_flag(table: Table, name: str) -> bool:
    """Return whether all cells of a column, at least one, are 0 or 1."""
    texts = table.distinct(name)
    return 0 < len(texts) <= len(_FLAGS) and all(text.casefold() in _FLAGS for text in texts)


def _covers_rows(table: Table, flags: Iterable[str]) -> bool:
    """Return whether at least one of the flags is 1 in each row."""
    holds = np.zeros(table.rows, dtype=np.bool_)
    for name in flags:
        holds |= table.where(name, lambda text: _FLAGS[text.casefold()])
    return bool(holds.all())


def composed(table: Table, column: str, parts: tuple[str, ...], problems: Problems) -> Table:
    """Return the table with a column composed from its parts."""
    coded = [text_codes(table.arrow(part)) for part in parts]
    first, place = distinct(*combine([(codes, len(names)) for codes, names in coded], table.rows))
    cells = [[names[codes[row]] for codes, names in coded] for row in first.tolist()]
    if parts == (f"{column}_min", f"{column}_max"):
        texts = [low if low == high else f"[{low}, {high}]" for low, high in cells]
    elif parts == tuple(column.split(TOGETHER)):
        texts = [TOGETHER.join(row) if all(row) else "" for row in cells]
    else:
        texts = _sets(table, column, parts, cells, problems)

    array: pa.Array = pa.DictionaryArray.from_arrays(arrow(place.astype(np.int32)), column_of(texts))
    return table.with_column(column, array)


def _sets(table: Table, column: str, parts: tuple[str, ...], cells: list[list[str]], problems: Problems) -> list[str]:
    """Return the set of values that each row of flags means, as text; note a cell that is not a flag."""
    values = [part.removeprefix(f"{column}_") for part in parts]
    if any("," in value for value in values):
        what = say("the name of a flag column has a comma, which separates the members of a set")
        problems.add(table.shown, what, say("rename the column"), column=column)
    texts = []
    for row in cells:
        flags = [_FLAGS.get(cell.casefold()) for cell in row]
        if None in flags:
            place = flags.index(None)
            what = say("the cell is not a flag")
            remedy = say('write 0 or 1, or publish the column "{column}" itself', column=column)
            problems.add(table.shown, what, remedy, column=parts[place])
            return [""] * len(cells)
        members = [value for value, holds in zip(values, flags, strict=True) if holds]
        texts.append(members[0] if len(members) == 1 else "{" + ", ".join(members) + "}" if members else "")
    return texts
