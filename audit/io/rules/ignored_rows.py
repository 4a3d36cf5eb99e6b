"""The rule about rows that are none, such as totals."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from audit.io.rules.rule import ColumnRule, Form, Headers
from audit.io.tables import Table, text_codes
from audit.io.toml import Reader


@dataclass(frozen=True)
class IgnoreRows(ColumnRule):
    """`ignore_rows = { Patient = ["Total"] }`: by column, the cells whose rows are left out."""

    key: ClassVar[str] = "ignore_rows"
    form: ClassVar[Form] = Reader.lists
    why: ClassVar[str] = "rows with these cells are totals, and no people"
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def marking(self) -> Collection[str]:
        """The columns of the marks."""
        return self.marks

    def rows(self, table: Table) -> Table:
        """Return a table less the marked rows."""
        for column, marks in self.marks.items():
            if column in table:
                codes, names = text_codes(table.arrow(column))
                marked = np.array([name in marks for name in names], dtype=np.bool_)
                table = table.without(marked[codes]) if len(names) else table
        return table

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the columns that no release has."""
        return headers.lacking(self.marks)
