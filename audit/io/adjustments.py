"""Adjustments: read tables as the manifest's column rules require: first the header, then rows, then texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from audit.io.composed_columns import composed, parts_of
from audit.io.dialect import Declared
from audit.io.rules.file_form import Delimiter, Encoding
from audit.io.rules.rule import NO_RULES, Rules, spelled
from audit.io.tables import Table, header, in_other_encoding, note_absent, read_shared, read_table
from audit.model.errors import Problems
from audit.runtime.phrases import say


@dataclass(frozen=True)
class Adjustments:
    """How one table is adjusted when it is read.

    Attributes:
        rules: the column rules.
        tag: the release of the table; empty for a table beside the releases.
        unpublished: columns of the series that the table lacks; each is read as `*` throughout.
        by: the column in which the tag marks the rows of the release; None if the file holds one release.
    """

    rules: Rules = NO_RULES
    tag: str = ""
    unpublished: frozenset[str] = frozenset()
    by: str | None = None

    @property
    def otherwise(self) -> str | None:
        """The second remedy for a missing column, besides correcting its name; None: to add it to the file."""
        return say("write under `renamed` what the release calls it") if self.tag else None

    @property
    def declared(self) -> Declared:
        """The delimiter and the encoding that the manifest declares."""
        return Declared(self.rules[Delimiter].sign, self.rules[Encoding].name)


def adjusted_names(path: Path, shown: str, adjustments: Adjustments, problems: Problems) -> list[str] | None:
    """Return the columns of a file after adjustment, without composed ones; None after noting a problem."""
    names = header(path, shown, problems, adjustments.declared)
    return None if names is None else _renamed([*names], shown, adjustments, problems)


def _renamed(names: list[str], shown: str, adjustments: Adjustments, problems: Problems) -> list[str] | None:
    renamed: list[str] | None = names
    for rule in adjustments.rules:
        renamed = None if renamed is None else rule.header(renamed, adjustments.tag, shown, problems)
    return renamed


def check_renamed(
    halves: Iterable[tuple[Path, str]], adjustments: Adjustments, problems: Problems, beside: str | None = None
) -> bool:
    """Return whether a file, or a pair of files, has the columns that the rules rename; note missing ones.

    The column `beside` may be missing, as a file beside the release has it. A file that cannot be read counts as
    having them: reading it reports the fault.
    """
    shown, there, before = "", set[str](), len(problems.found)
    for path, shown in halves:
        names = header(path, shown, Problems(), adjustments.declared)
        if names is None:
            return True  # reading the file reports it
        there.update(names)
    for rule in adjustments.rules:
        for column, what, remedy in rule.lacking(there, adjustments.tag, beside):
            problems.add(shown, *(in_other_encoding(path, column) or (what, remedy)), column=column)
    return len(problems.found) == before


def check_present(
    path: Path, shown: str, wanted: Iterable[str | None], adjustments: Adjustments, problems: Problems
) -> None:
    """Note the columns that a file lacks after adjustment."""
    names = adjusted_names(path, shown, adjustments, problems)
    if names is not None:
        known = {*names}
        needed = [column for column in wanted if column is not None]
        there = {column for column in needed if column in known or parts_of(column, names)}
        note_absent(path, shown, [*names, *(there - known)], needed, problems, otherwise=adjustments.otherwise)


def read_adjusted(
    path: Path, shown: str, columns: Sequence[str], adjustments: Adjustments, problems: Problems
) -> Table | None:
    """Read some columns of a table with the manifest's adjustments; otherwise like `read_table`."""
    table = read_written(path, shown, columns, adjustments, problems)
    return None if table is None else adjusted(table, columns, adjustments)


def adjusted(table: Table, columns: Sequence[str], adjustments: Adjustments) -> Table:
    """Return a table of `read_written` with some columns spelled as the rules require, and with unpublished ones."""
    table = respelled(table, adjustments.rules, {column: column for column in columns}, adjustments.tag)
    for column in columns:
        if column in adjustments.unpublished:
            table = table.with_constant(column, "*")
    return table


def read_written(
    path: Path,
    shown: str,
    columns: Sequence[str],
    adjustments: Adjustments,
    problems: Problems,
    *,
    distinct: Sequence[str | None] = (),
) -> Table | None:
    """Read the published ones of some columns, named and without rows as the rules require, spelled as in the file."""
    in_file = header(path, shown, problems, adjustments.declared)
    own = None if in_file is None else _renamed([*in_file], shown, adjustments, problems)
    if in_file is None or own is None:
        return None
    marking = [column for rule in adjustments.rules for column in rule.marking if column in own]
    marking += [] if adjustments.by is None else [adjustments.by]
    columns = [column for column in columns if column not in adjustments.unpublished]
    scattered = {column: parts for column in columns if (parts := parts_of(column, own))}
    plain = [column for column in dict.fromkeys([*columns, *marking]) if column not in scattered]
    wanted = [*plain, *(part for parts in scattered.values() for part in parts)]
    there = dict(zip(own, in_file, strict=True))
    if any(column not in there for column in wanted):
        note_absent(path, shown, own, wanted, problems, otherwise=adjustments.otherwise)
        return None
    without_dictionary = [there[column] for column in distinct if column in there]
    names = [there[column] for column in wanted]
    read = read_table if adjustments.by is None else read_shared
    table = read(path, shown, names, problems, adjustments.declared, distinct=without_dictionary)
    if table is None:
        return None
    table = table.renamed({there[column]: column for column in wanted})
    for column, parts in scattered.items():
        table = composed(table, column, parts)
    if adjustments.by is not None:
        table = table.without(table.where(adjustments.by, adjustments.tag.__ne__))
        table = replace(table, of_release=table.kept)
    for rule in adjustments.rules:
        table = rule.rows(table)
    return table


def named_there(path: Path, shown: str, names: Iterable[str], adjustments: Adjustments) -> list[str] | None:
    """Return those of the named columns that a table has, or has in parts; None if it cannot be read."""
    own = adjusted_names(path, shown, adjustments, Problems())
    return None if own is None else [name for name in names if name in own or parts_of(name, own)]


def read_there(path: Path, shown: str, names: Iterable[str], adjustments: Adjustments) -> Table | None:
    """Return those of the named columns that a table has; None if it has none of them, or cannot be read."""
    there = named_there(path, shown, names, adjustments)
    return read_adjusted(path, shown, there, adjustments, Problems()) if there else None


def respelled(table: Table, rules: Rules, columns: Mapping[str, str] | None = None, tag: str = "") -> Table:
    """Return a table whose texts are spelled as the rules require.

    Args:
        table: the table.
        rules: the rules.
        columns: the columns to respell, each with the column of the series whose rules hold for it; None for all
            columns, each by its own name.
        tag: the release of the table; empty for a table beside the releases.
    """
    for own, column in ({name: name for name in table.names} if columns is None else columns).items():
        if own in table and (steps := rules.respellings(column, tag)):
            table = table.mapped(own, partial(spelled, steps))
    return table
