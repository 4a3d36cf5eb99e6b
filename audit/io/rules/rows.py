"""Rules about rows: rows to leave out, such as totals, and several rows of one person in a release."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.column_names import names_cases
from audit.io.respelling import fold
from audit.io.rules.cell_meaning import Hierarchies, Missing, Spelled
from audit.io.rules.disclosure import Unlinkable
from audit.io.rules.rule import NOTHING, ColumnRule, Columns, Headers, Hint, ReadSeries, WrittenTexts
from audit.io.tables import Table
from audit.io.texts import flags
from audit.io.toml import Reader, one_of
from audit.model.arrays import Flags
from audit.model.errors import Doubt
from audit.model.report import MisreadWarning, ReportWarning
from audit.runtime.phrases import Phrase, Reason, ReasonKind, parted, printable, say, say_count

_TOTALS = re.compile(
    r"totals?|grand total|subtotal|sum|gesamt|gesamtsumme|insgesamt|(zwischen)?summe|somme|ensemble|totale|totaal"
    r"|suma|razem|celkem|all (?:\w+s|people)|alle \w+n|tous les \w+|toutes les \w+|todos los \w+|todas las \w+"
)


def is_total(text: str) -> bool:
    """Return whether a text says that its row is a sum of others, in one of several languages.

    >>> is_total("Total:"), is_total("INSGESAMT"), is_total("Totenkirchl")
    (True, True, False)
    """
    return _TOTALS.fullmatch(fold(text).strip(" :.=")) is not None


def totals(texts: pa.Array | pa.ChunkedArray) -> Flags:
    """Return which cells of a column say that their row is a sum of others; shape (rows,), bool."""
    column = texts.cast("string")
    named = flags(pc.fill_null(pc.match_substring_regex(column, pattern=r"^\D+$"), False))
    rows = np.flatnonzero(named)  # identifiers mostly contain digits, and marks of totals never do
    found = np.zeros(len(column), dtype=np.bool_)
    found[rows] = [is_total(text) for text in column.take(rows).to_pylist()]
    return found


@dataclass(frozen=True)
class IgnoreRows(
    ColumnRule, key="ignore_rows", form=Reader.lists, why=Phrase("rows with these cells are totals, not people")
):
    """`ignore_rows = { Patient = ["Total"] }`: the cells, by column, whose rows are left out."""

    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def marking(self) -> Collection[str]:
        """The columns with such marks."""
        return self.marks

    def rows(self, table: Table) -> Table:
        """Return a table without the marked rows."""
        for column, marks in self.marks.items():
            if column in table:
                table = table.without(table.where(column, marks.__contains__))
        return table

    def hints(self, written: WrittenTexts) -> Iterator[Hint]:
        """Yield the columns with cells such as "Total"; without warning where it may be the label of a hierarchy."""
        columns = written.columns
        for name, texts in written.texts.items():
            marks = tuple(text for text in texts if is_total(text) and text not in columns.rules[Missing].texts)
            if not marks or name in columns.rules[Spelled].columns:
                continue
            warning = None if name in columns.rules[Hierarchies].names else read_as_people(name, marks)
            why = say("rows with these cells look like totals, not people")
            rule = IgnoreRows({name: marks})
            yield Hint(name, [[text] for text in marks], rule, why, warning, names_texts=True)

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the columns that no release has."""
        return headers.lacking(self.marks)


def read_as_people(column: str, marks: Iterable[str]) -> MisreadWarning:
    """Return the warning that the rows with some texts of a column look like totals, but are read as people."""
    what = say(
        'rows with {texts} in "{column}" look like totals, and are read as people; if they are totals, write '
        'ignore_rows = {{ {column} = [{texts}] }} under [columns], else spelled = ["{column}"]',
        texts=", ".join(f'"{printable(text)}"' for text in marks),
        column=printable(column),
    )
    return MisreadWarning("total-row", what)


EPISODES, LATEST, FIRST = _SEVERAL = ("episodes", "latest", "first")
COUNTERFEITS, OF_PEOPLE = _WHOSE = ("counterfeits", "people")


@dataclass(frozen=True)
class SeveralRows(
    ColumnRule,
    key="rows",
    form=one_of(None, *_SEVERAL, OF_PEOPLE),
    why=Phrase("some people have several rows in one release"),
):
    """`rows = "latest"`: how several rows of one person in a release are judged.

    With "episodes", each row is judged by itself; with "latest" or "first", only one row of each person counts. With
    "people", each person has one row; None means the same, unless the name of a column is about cases.
    """

    choice: str | None = None

    @property
    def several(self) -> bool:
        """Whether a person may have several rows in a release."""
        return self.choice in _SEVERAL

    def about_cases(self, series: ReadSeries) -> str | None:
        """Return a column about cases, where nothing says whose rows they are or how many people; else None."""
        columns = series.columns
        names = filter(names_cases, (*columns.named, *columns.rules[Unlinkable].columns))
        if self.choice is None and not (columns.record or columns.count) and (name := next(names, None)):
            return name if series.repeated_rows is None else None
        return None

    @property
    def one_counts(self) -> bool:
        """Whether only one row of each person counts."""
        return self.choice in (LATEST, FIRST)

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the fault that no date column says which row of a person counts."""
        if self.one_counts and columns.rules[Date].column is None:
            yield say("no column says which row is the latest or the first"), say('write date = "…" under [columns]')

    def warnings(self, series: ReadSeries) -> Iterator[ReportWarning]:
        """Yield how several rows of one person are judged, and how many there are."""
        if not self.several:
            return
        people, further = series.repeated_rows or (0, 0)
        if self.choice == EPISODES:
            what = say(
                "people have several rows: each release and each row is judged by itself, because the manifest says "
                'rows = "episodes"; a person counts by the worst of the person\'s rows. What several rows or releases '
                "disclose together about one person is not judged, and rows that look alike may all belong to one "
                'person; with rows = "latest" or "first" and a date column, one row is judged for each person'
            )
            if people:
                often = say_count(
                    "it is so {count} [time|times] in one release, and a k that you state counts people", people
                )
                what = parted([what, often])
        else:
            what = say_count(
                'each person is judged by one row (rows = "{choice}"); {count} further [row is|rows are] judged as '
                "[one of an unknown person|rows of unknown people]",
                further,
                choice=str(self.choice),
            )
        yield ReportWarning("duplicates", what)
        if self.choice == EPISODES and "register" in series.offers:
            what = say(
                'the register is not used, as rows = "episodes" does not say whose row is whose: what somebody who has '
                "it learns is not judged"
            )
            yield ReportWarning("duplicates", what)

    def doubts(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield a doubt about every clause, unless each person has one row in every release."""
        if (column := self.about_cases(series)) is not None:
            what = say(
                '{why}: write rows = "episodes" under [columns] if a person can have several rows in a release, or '
                'rows = "people" if each row is another person\'s',
                why=named_for_cases(column),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), guessed=True)
        if self.choice == EPISODES and series.repeated_rows == (0, 0) and len(series.tags) > 1:
            what = say(
                'nobody has several rows in a release, but rows = "episodes" leaves out what several releases disclose '
                'together: write rows = "people" under [columns]'
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED))
        if not self.several or series.repeated_rows == (0, 0):
            return
        what = say(
            "people have several rows in one release, and what these disclose together is not judged; publish one row "
            "for each person: with `audit init --microdata` and `audit anonymize` from the exact tables, the latest "
            "or the gravest, as a new series; nothing judges what rows that are already out disclose beside it"
        )
        if series.repeated_rows is None:
            what = say(
                "people may have several rows in one release, and what these disclose together is not judged; publish "
                'one row for each person or, if nobody has several rows, write rows = "people" under [columns]'
            )
        yield Doubt(Reason(what, ReasonKind.NEEDS))


def named_for_cases(column: str) -> str:
    """Return why the rows of a column of this name may be cases."""
    return say(
        'the name of column "{column}" is about cases, of which one person may have several', column=printable(column)
    )


@dataclass(frozen=True)
class Date(ColumnRule, key="date", form=Reader.text, why=Phrase("which of a person's rows counts")):
    """`date = "Seen"`: the column whose dates say which row of a person is the latest or the first."""

    column: str | None = None

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the fault that no rule uses the date."""
        if self.column is not None and not columns.rules[SeveralRows].one_counts:
            what = say('{nothing} without rows = "latest" or rows = "first"', nothing=NOTHING)
            yield what, say("write that line too, or delete this one and give its column another role")


@dataclass(frozen=True)
class Unnamed(ColumnRule, key="unnamed", form=one_of(None, *_WHOSE), why=Phrase("the key has blank identifiers")):
    """`unnamed = "people"`: whose the rows with a blank identifier are: those of unknown people, or counterfeits."""

    choice: str | None = None

    def doubts(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield a doubt about every clause if rows have a blank identifier, and nothing says whose they are."""
        if self.choice is None and series.unnamed:
            what = say_count(
                "{count} [row has|rows have] a blank identifier and [is|are] taken for [a counterfeit|counterfeits], "
                'so nobody is found out by [it: if it was|them: if they were] made up, write unnamed = "counterfeits" '
                "under [columns]; if [it is the row of somebody|they are rows of people who are] unknown, write "
                'unnamed = "people"',
                sum(series.unnamed.values()),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED))
