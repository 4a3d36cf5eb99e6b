"""The rule about published columns that no outsider can know."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from audit.io.rules.rule import ColumnRule, Columns, Headers, ReadSeries
from audit.io.toml import Reader, toml_key
from audit.model.doubt import Doubt
from audit.model.errors import printable
from audit.model.report import ReportWarning
from audit.runtime.phrases import say_count
from audit.runtime.reasons import Reason, ReasonKind

FEW_TIES = 3
FEW_OF_ROWS = 20  # or one in so many rows, whichever is less


@dataclass(frozen=True)
class Unlinkable(ColumnRule):
    """`unlinkable = { Remarks = "free text" }`: by column, the reason why no outsider can know it of a person."""

    key: ClassVar[str] = "unlinkable"
    reasons: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, reader: Reader, table: Mapping[str, Any], columns: Columns) -> Self:
        """Return the rule."""
        return cls({column.strip(): why.strip() for column, why in reader.mapping(table, cls.key).items()})

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the columns without a reason."""
        for column, reason in self.reasons.items():
            if not reason:
                remedy = f'write {toml_key(column)} = "…" with the reason why no outsider can know it of a person'
                yield f'"{column}" has no reason', remedy

    @property
    def roles(self) -> Collection[str]:
        """The columns."""
        return self.reasons

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the columns that no release has."""
        return headers.lacking(self.reasons)

    def warnings(self, series: ReadSeries) -> Iterator[ReportWarning]:
        """Yield the columns that nothing judges, with their reasons."""
        if self.reasons:
            what = say_count(
                "{count} published column is not judged, because the manifest declares that no outsider can know it",
                "{count} published columns are not judged, because the manifest declares that no outsider can know "
                "them",
                len(self.reasons),
            )
            examples = tuple(f"{printable(name)}: {printable(reason, 300)}" for name, reason in self.reasons.items())
            yield ReportWarning("unlinkable-column", what, examples)

    def doubts(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield the columns whose texts tie rows of several releases, though no outsider can know them."""
        for column in self.reasons if len(series.tags) > 1 else ():
            tied, rows = series.tied_texts(column)
            if tied > min(FEW_TIES, rows // FEW_OF_ROWS):
                what = say_count(
                    '{count} text of the unlinkable column "{column}" stands once in each of two releases, and so ties '
                    "their rows: declare the column as record or among quasi_identifiers, or publish it without that "
                    "text",
                    '{count} texts of the unlinkable column "{column}" stand once in each of two releases, and so tie '
                    "their rows: declare the column as record or among quasi_identifiers, or publish it without them",
                    tied,
                    column=printable(column),
                )
                yield Doubt(Reason(what, ReasonKind.UNDECLARED))
