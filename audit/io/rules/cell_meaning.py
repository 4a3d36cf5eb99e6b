"""Rules about cells: by which hierarchy and kind they are read, and which stand for any value or for themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from audit.io.cell_reading import is_range, parse_value
from audit.io.cells import CellError, Kind
from audit.io.respelling import as_plain_number
from audit.io.rules.rule import ColumnRule, Columns, Form, ReadSeries, Respelling, unnamed
from audit.io.toml import Reader, toml_key
from audit.model.doubt import ON_VALUES, Doubt
from audit.model.errors import printable
from audit.model.report import ReportWarning
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind

_TO_QUASI = "name a column of quasi_identifiers"


@dataclass(frozen=True)
class Hierarchies(ColumnRule):
    """`hierarchies = { Town = "towns.csv" }`: by quasi-identifier, the file of its hierarchy of labels."""

    key: ClassVar[str] = "hierarchies"
    form: ClassVar[Form] = Reader.files
    why: ClassVar[str] = "by its name or its labels"
    names: Mapping[str, str] = field(default_factory=dict)

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield what is not a quasi-identifier."""
        return unnamed(sorted(self.names), columns.quasi_identifiers, "no quasi-identifier", _TO_QUASI)


@dataclass(frozen=True)
class ColumnTypes(ColumnRule):
    """`types = { Age = "numeric" }`: by column, how its values compare; `sensitive` are the columns that are."""

    key: ClassVar[str] = "types"
    why: ClassVar[str] = "some cells have the form of a range of numbers, but are none"
    kinds: Mapping[str, str] = field(default_factory=dict)
    sensitive: tuple[str, ...] = ()

    @classmethod
    def read(cls, reader: Reader, table: Mapping[str, Any], columns: Columns) -> Self:
        """Return the rule for these columns."""
        return replace(super().read(reader, table, columns), sensitive=columns.sensitive)

    def respelling(self, column: str, tag: str, so_far: Respelling) -> Respelling | None:
        """Return how sensitive numbers are spelled, so that `5` and `5.0` are one value; cells are read as they are."""
        is_number = column in self.sensitive and self.kinds.get(column) == Kind.NUMERIC.value
        return as_plain_number if is_number else None

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield what is no kind of these columns; sensitive values are numbers or texts."""
        allowed = (*columns.quasi_identifiers, *columns.sensitive)
        what, remedy = "neither a quasi-identifier nor sensitive", f"{_TO_QUASI} or a sensitive one"
        yield from unnamed(sorted(self.kinds), allowed, what, remedy)
        for name, kind in self.kinds.items():
            if kind not in {each.value for each in Kind}:
                names = ", ".join(f'"{each.value}"' for each in Kind)
                yield f'"{kind}" is no type', f"use one of {names}"
            elif name in columns.sensitive and kind not in (Kind.NUMERIC.value, Kind.CATEGORICAL.value):
                named = f'"{printable(name)}" is sensitive'
                what = f'{named}, and of sensitive values only "numeric" and "categorical" are read'
                yield what, "use one of the two, or leave it out"

    def warnings(self, series: ReadSeries) -> Iterator[ReportWarning]:
        """Yield that close sensitive numbers are judged as different ones are."""
        names = tuple(name for name in series.columns.sensitive if self.kinds.get(name) == Kind.NUMERIC.value)
        if names:
            what = say("sensitive numbers are judged for equality only: that a value is known nearly is not judged")
            yield ReportWarning("equality-only", what, tuple(map(printable, names)))

    def doubts(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield that sensitive values are numbers, and nothing says whether close ones disclose as much."""
        for name in series.columns.sensitive:
            missing = series.missing(name)
            known = [text for text in series.vocabularies[name].names if text.strip("*") and text not in missing]
            if name not in self.kinds and known and all(map(_is_number, known)):
                what = say(
                    'the values of "{column}" are numbers, of which only equal ones are judged, and to know one nearly '
                    'may be to know enough: accept that by types = {{ {key} = "numeric" }}, or write "categorical" if '
                    "they are codes",
                    column=printable(name),
                    key=toml_key(printable(name)),
                )
                yield Doubt(Reason(what, ReasonKind.UNDECLARED), ON_VALUES)


def _is_number(text: str) -> bool:
    try:
        return parse_value(text, Kind.NUMERIC) is not None
    except CellError:
        return False


@dataclass(frozen=True)
class Missing(ColumnRule):
    """`missing = ["?"]`: cells that stand for any value."""

    key: ClassVar[str] = "missing"
    why: ClassVar[str] = "in a quasi-identifier it stands for any value"
    texts: frozenset[str] = frozenset()

    @classmethod
    def read(cls, reader: Reader, table: Mapping[str, Any], columns: Columns) -> Self:
        """Return the rule; the empty cell may be one."""
        return cls(frozenset(reader.texts(table, cls.key, empty=True)))

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield what looks like a range, and so has a meaning of its own."""
        for text in sorted(filter(is_range, self.texts)):
            what = f'"{printable(text)}" looks like a range, and a missing cell may be any value'
            yield what, "leave it out here; in the files, write ranges as [20, 39], >=65 or 65+"


@dataclass(frozen=True)
class Spelled(ColumnRule):
    """`spelled = ["Sex"]`: quasi-identifiers whose texts are exact values, whatever they look like."""

    key: ClassVar[str] = "spelled"
    form: ClassVar[Form] = Reader.texts
    columns: tuple[str, ...] = ()

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield what is not a quasi-identifier, or has a meaning by another rule."""
        yield from unnamed(sorted(self.columns), columns.quasi_identifiers, "no quasi-identifier", _TO_QUASI)
        hierarchies, types = columns.rules[Hierarchies].names, columns.rules[ColumnTypes].kinds
        for name in sorted({*self.columns}.intersection(columns.quasi_identifiers)):
            if name in hierarchies or types.get(name, Kind.CATEGORICAL.value) != Kind.CATEGORICAL.value:
                what = f'the texts of "{name}" are exact values here, and something else under hierarchies or types'
                yield what, "drop one of the two"
