"""Rules about sensitive values: which harm nobody, and which are of one category, so that either tells the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from audit.io.rules.cell_meaning import Missing
from audit.io.rules.rule import BesideFiles, ColumnRule, Columns, Form, ReadSeries, unnamed
from audit.io.toml import Reader
from audit.model.doubt import ON_VALUES, Doubt
from audit.model.errors import Problems, printable
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind

_NOT_SENSITIVE = ("no sensitive column", "name a column that `sensitive` names")


@dataclass(frozen=True)
class Harmless(ColumnRule):
    """`harmless = { Diagnosis = ["none"] }`: by sensitive column, the values that may be known of anybody."""

    key: ClassVar[str] = "harmless"
    form: ClassVar[Form] = Reader.lists
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield what is no sensitive column."""
        return unnamed(self.values, columns.sensitive, *_NOT_SENSITIVE)


@dataclass(frozen=True)
class Similar(ColumnRule):
    """`similar = { Diagnosis = "chapters.csv" }`: by sensitive column, a file that says the categories of its values.

    `categories` is what the files say, by column and value, and none of a missing one; nothing until they are opened.
    """

    key: ClassVar[str] = "similar"
    form: ClassVar[Form] = Reader.files
    names: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield what is no sensitive column."""
        return unnamed(self.names, columns.sensitive, *_NOT_SENSITIVE)

    def opened(self, beside: BesideFiles, problems: Problems) -> Self:
        """Return the rule with its files, each line of which puts a value into a category; it may be in several."""
        found: dict[str, dict[str, frozenset[str]]] = {}
        for column, name in self.names.items():
            table = beside.table(name, ["value", "category"], problems)
            if table is None:
                continue
            missing = beside.rules[Missing].texts
            known = found[column] = {beside.rules.spelled(column, text): frozenset() for text in missing}
            for row, (text, category) in enumerate(zip(*map(table.texts, ("value", "category")), strict=True)):
                if not category:
                    what, remedy = "the cell is empty", "write the category, or drop the line"
                    problems.add(name, what, remedy, line=table.line(row), column="category")
                value = beside.rules.spelled(column, text)
                known[value] = known.get(value, frozenset()) | {category}
        return replace(self, categories=found)

    def wrong_values(self, column: str, texts: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """Yield the values without a category."""
        for place, text in enumerate(texts if column in self.categories else ()):
            if text not in self.categories[column]:
                name = printable(self.names[column])
                yield place, f"the value has no category in {name}", "add a line with the value and its category"

    def doubts(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield that a category which all values that are left to somebody have in common is not looked for yet."""
        for column in self.names:
            what = say(
                'whether all values of "{column}" that are left to a person are of one category is not judged in this '
                "version; publish the categories as a sensitive column of their own, or leave similar out",
                column=printable(column),
            )
            yield Doubt(Reason(what, ReasonKind.UNFIT), ON_VALUES)
