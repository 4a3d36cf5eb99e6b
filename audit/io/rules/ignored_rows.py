"""The rule about rows that are none, such as totals."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from audit.io.respelling import fold
from audit.io.rules.rule import ColumnRule, Form, Headers, Hint, WrittenTexts
from audit.io.tables import Table, text_codes
from audit.io.toml import Reader
from audit.model.errors import printable
from audit.model.report import ReportWarning
from audit.runtime.phrases import say

_TOTALS = re.compile(
    r"totals?|grand total|subtotal|sum|gesamt|gesamtsumme|insgesamt|(zwischen)?summe|somme|ensemble|totale|totaal"
    r"|suma|razem|celkem"
)


def is_total(text: str) -> bool:
    """Return whether a cell says that its row is a sum of others.

    >>> is_total("Total:"), is_total("INSGESAMT"), is_total("Totenkirchl")
    (True, True, False)
    """
    return _TOTALS.fullmatch(fold(text).strip(" :.=")) is not None


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

    def hints(self, written: WrittenTexts) -> Iterator[Hint]:
        """Yield the columns with cells that mark totals; of places and ages, which may be called so, none is warned."""
        columns = written.columns
        for name, texts in written.texts.items():
            marks = tuple(text for text in texts if name not in columns.sensitive and is_total(text))
            if not marks:
                continue
            what = say(
                'rows with {texts} in "{column}" look like totals, and are read as people; if they are totals, write '
                "ignore_rows = {{ {column} = [{texts}] }} under [columns]",
                texts=", ".join(f'"{printable(text)}"' for text in marks),
                column=printable(name),
            )
            warning = ReportWarning("total-row", what) if name in (columns.individual, columns.record) else None
            why = "rows with it look like totals, and are no people"
            rule = IgnoreRows({name: marks})
            yield Hint(name, [[text] for text in marks], rule, why, warning, names_texts=True)

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the columns that no release has."""
        return headers.lacking(self.marks)
