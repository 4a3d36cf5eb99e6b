"""What the manifest changes in a table as it is read: names of columns, rows to ignore, spellings, composed columns.

anonypyx's machine-readable form spreads a column over several: `age_min` and `age_max` are read as the interval column
`age`, and flags `sex_Female`, `sex_Male` as the set column `sex`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audit.io.cell_reading import list_sign
from audit.io.dialect import NOTHING_DECLARED, Declared
from audit.io.respelling import fold, with_decimal_point
from audit.io.tables import Table, header, note_absent, read_table, text_codes
from audit.io.texts import arrow, column_of
from audit.model.composite_keys import combine, distinct
from audit.model.errors import Problems

if TYPE_CHECKING:
    import pyarrow as pa

_FLAGS = {"0": False, "1": True, "false": False, "true": True}


@dataclass(frozen=True)
class Adjustments:
    """What is changed in one table.

    Attributes:
        declared: how it is written, as far as the manifest says.
        renamed: the column of the series that a column of the file is.
        ignored: by column, the cells that mark a row that is none.
        crosswalk: by column, what a value is called in the series.
        folded: columns in which spelling does not count.
        numbers: columns whose numbers have decimal commas.
        unpublished: columns of the series that the table lacks; each is read as `*` throughout.
        half: whether it is a half of an Anatomy pair, of which the other one may have the renamed columns.
    """

    declared: Declared = NOTHING_DECLARED
    renamed: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, frozenset[str]] = field(default_factory=dict)
    crosswalk: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    folded: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    unpublished: frozenset[str] = frozenset()
    half: bool = False

    def spell(self, column: str, text: str) -> str:
        """Return how a text of a column is spelled once it is adjusted; no crosswalk is applied."""
        if column in self.numbers:
            text = with_decimal_point(text)
        return fold(text) if column in self.folded else text

    def alone(self, columns: Mapping[str, str]) -> Adjustments:
        """Return how the columns of a file beside the releases are spelled, each given with the column it repeats."""
        return Adjustments(
            folded=frozenset(own for own, column in columns.items() if column in self.folded),
            numbers=frozenset(own for own, column in columns.items() if column in self.numbers),
        )


NO_ADJUSTMENTS = Adjustments()


def adjusted_names(path: Path, shown: str, adjustments: Adjustments, problems: Problems) -> list[str] | None:
    """Return the columns that a file has once it is adjusted, but for composed ones; None after noting a problem."""
    names = header(path, shown, problems, adjustments.declared)
    if names is None:
        return None
    for old, new in adjustments.renamed.items():
        if old not in names:
            if adjustments.half:
                continue
            _note_not_renamed(shown, old, new, problems)
            return None
        if new in names and new not in adjustments.renamed:
            what = f'`renamed` gives it the name "{new}", which another column of the file has'
            problems.add(shown, what, "drop the entry from the manifest, or rename the other column too", column=old)
            return None
    return [adjustments.renamed.get(name, name) for name in names]


def check_renamed(halves: Iterable[tuple[Path, str]], adjustments: Adjustments, problems: Problems) -> None:
    """Note the renamed columns that neither half of a pair has."""
    shown = ""
    there = set[str]()
    for path, shown in halves:
        there.update(header(path, shown, Problems(), adjustments.declared) or adjustments.renamed)
    for old, new in adjustments.renamed.items():
        if old not in there:
            _note_not_renamed(shown, old, new, problems)


def _note_not_renamed(shown: str, old: str, new: str, problems: Problems) -> None:
    what = f'`renamed` calls it "{new}", and the file does not have it'
    problems.add(shown, what, "correct the entry in the manifest", column=old)


def parts_of(column: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the columns of which a column is composed that a file does not have as such; none where there are none.

    >>> parts_of("age", ["age_min", "age_max"]), parts_of("sex", ["sex_F", "sex_M", "sexes"]), parts_of("a", ["a"])
    (('age_min', 'age_max'), ('sex_F', 'sex_M'), ())
    """
    if column in names:
        return ()
    ends = (f"{column}_min", f"{column}_max")
    if all(end in names for end in ends):
        return ends
    flags = tuple(name for name in names if name.startswith(f"{column}_") and name != f"{column}_")
    return flags if len(flags) > 1 else ()


def check_present(
    path: Path, shown: str, wanted: Iterable[str | None], adjustments: Adjustments, problems: Problems
) -> None:
    """Note the columns that a file lacks once it is adjusted."""
    names = adjusted_names(path, shown, adjustments, problems)
    if names is not None:
        known = {*names}
        needed = [column for column in wanted if column is not None]
        there = {column for column in needed if column in known or parts_of(column, names)}
        note_absent(path, shown, [*names, *(there - known)], needed, problems)


def read_adjusted(
    path: Path,
    shown: str,
    columns: Sequence[str],
    adjustments: Adjustments,
    problems: Problems,
    *,
    distinct: Sequence[str | None] = (),
) -> Table | None:
    """Read some columns of a table as the manifest wants them; the rest is as in `read_table`."""
    if adjustments == NO_ADJUSTMENTS:
        names = header(path, shown, problems)
        if names is None or all(column in names for column in columns):
            return None if names is None else read_table(path, shown, columns, problems, distinct=distinct)
    own = adjusted_names(path, shown, adjustments, problems)
    if own is None:
        return None
    marking = [column for column in adjustments.ignored if column in own]
    unpublished = [column for column in columns if column in adjustments.unpublished]
    columns = [column for column in columns if column not in adjustments.unpublished]
    scattered = {column: parts for column in columns if (parts := parts_of(column, own))}
    plain = [column for column in dict.fromkeys([*columns, *marking]) if column not in scattered]
    wanted = [*plain, *(part for parts in scattered.values() for part in parts)]
    there = dict(zip(own, header(path, shown, problems, adjustments.declared) or (), strict=True))
    absent = [column for column in wanted if column not in there]
    if absent:
        note_absent(path, shown, own, wanted, problems)
        return None
    without_dictionary = [there[column] for column in distinct if column in there]
    in_file = [there[column] for column in wanted]
    table = read_table(path, shown, in_file, problems, adjustments.declared, distinct=without_dictionary)
    if table is None:
        return None
    table = table.renamed({there[column]: column for column in wanted})
    for column, parts in scattered.items():
        table = composed(table, column, parts, problems)
    for column in marking:
        table = _without(table, column, adjustments.ignored[column])
    table = _respelled(table, columns, adjustments)
    for column in unpublished:
        table = table.with_constant(column, "*")
    return table


def respelled(table: Table, adjustments: Adjustments) -> Table:
    """Return a table whose columns are spelled as adjusted."""
    return _respelled(table, [*adjustments.folded, *adjustments.numbers], adjustments)


def _without(table: Table, column: str, marks: frozenset[str]) -> Table:
    codes, names = text_codes(table.arrow(column))
    marked = np.array([name in marks for name in names], dtype=np.bool_)
    return table.without(marked[codes]) if len(names) else table


def _respelled(table: Table, columns: Iterable[str], adjustments: Adjustments) -> Table:
    for column in dict.fromkeys(columns):
        walk, folds = adjustments.crosswalk.get(column, {}), column in adjustments.folded
        if column not in table or (table.is_whole(column) and not walk):
            continue  # whole numbers have one spelling
        if folds or column in adjustments.numbers:
            table = table.mapped(column, partial(adjustments.spell, column))
        if walk:
            called = {fold(old): fold(new) for old, new in walk.items()} if folds else walk
            table = table.mapped(column, partial(_walked, called))
    return table


def _walked(walk: Mapping[str, str], text: str) -> str:
    """Return what a value, or each member of a set of values, is called in the series.

    >>> _walked({"Grippe": "flu"}, "{Grippe, cold}"), _walked({"Grippe": "flu"}, "cold;Grippe")
    ('{flu, cold}', 'cold; flu')
    """
    if text in walk:
        return walk[text]
    braced = text.startswith("{") and text.endswith("}")
    sign = "," if braced else list_sign(text)
    if sign is None:
        return text
    members = [member.strip() for member in (text[1:-1] if braced else text).split(sign)]
    called = f"{sign} ".join(walk.get(member, member) for member in members)
    return text if not any(member in walk for member in members) else (f"{{{called}}}" if braced else called)


# -- columns spread over several --------------------------------------------------------------------------------------


def families(table: Table, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the columns that others seem to be parts of, with these.

    Ends of intervals are known by their names; flags are columns of 0 and 1 that have the beginning of their names in
    common, one of which holds in each row.
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
    """Return whether one of some flags holds in each row."""
    holds = np.zeros(table.rows, dtype=np.bool_)
    for name in flags:
        codes, texts = text_codes(table.arrow(name))
        holds |= np.array([_FLAGS[text.casefold()] for text in texts], dtype=np.bool_)[codes]
    return bool(holds.all())


def composed(table: Table, column: str, parts: tuple[str, ...], problems: Problems) -> Table:
    """Return the table with a column put together from its parts."""
    coded = [text_codes(table.arrow(part)) for part in parts]
    first, place = distinct(*combine([(codes, len(names)) for codes, names in coded], table.rows))
    cells = [[names[codes[row]] for codes, names in coded] for row in first.tolist()]
    if parts == (f"{column}_min", f"{column}_max"):
        texts = [low if low == high else f"[{low}, {high}]" for low, high in cells]
    else:
        texts = _sets(table, column, parts, cells, problems)
    import pyarrow as pa

    array: pa.Array = pa.DictionaryArray.from_arrays(arrow(place.astype(np.int32)), column_of(texts))
    return table.with_column(column, array)


def _sets(table: Table, column: str, parts: tuple[str, ...], cells: list[list[str]], problems: Problems) -> list[str]:
    """Return the sets of values that rows of flags are."""
    values = [part.removeprefix(f"{column}_") for part in parts]
    if any("," in value for value in values):
        what = "a value that stands in the name of a column of flags has a comma, which divides the members of a set"
        problems.add(table.shown, what, "rename the column", column=column)
    texts = []
    for row in cells:
        flags = [_FLAGS.get(cell.casefold()) for cell in row]
        if None in flags:
            place = flags.index(None)
            what, remedy = "the cell is no flag", f'write 0 or 1, or publish the column "{column}" itself'
            problems.add(table.shown, what, remedy, column=parts[place])
            return [""] * len(cells)
        members = [value for value, holds in zip(values, flags, strict=True) if holds]
        texts.append(members[0] if len(members) == 1 else "{" + ", ".join(members) + "}" if members else "")
    return texts
