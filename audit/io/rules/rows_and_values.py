"""Rules about rows and values: rows to leave out, several rows of one person, and what may become known of values.

Rows to leave out are totals, for example. Columns are declared that no outsider can know, values that are harmless, and
categories of similar values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.io.cell_reading import unknown_among
from audit.io.naming import names_cases
from audit.io.notations import fold, skeleton
from audit.io.rules.cell_meaning import Hierarchies, Missing, Spelled
from audit.io.rules.rule import NOTHING, ColumnRule, Columns, Headers, Hint, ReadSeries, Rules, WrittenTexts, unnamed
from audit.io.tables import Table, read_table
from audit.io.texts import flags
from audit.io.toml import Reader, Toml, one_of, toml_key
from audit.model.arrays import Flags
from audit.model.errors import Doubt, Problems
from audit.model.nearness import PublishedNumbers
from audit.model.report import MisreadWarning, ReportWarning
from audit.runtime.phrases import Phrase, Reason, ReasonKind, in_quotes, joined, parted, printable, say, say_count

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


FEW_TIES = 3  # so few rows may be tied by chance,
FEW_OF_ROWS = 20  # or one in this many, whichever is less
_CODE = re.compile(  # of a disease in the ICD, or of a drug in the ATC
    r"(?:^|(?<=[\s(\[]))(?:[A-Z][0-9]{2}\.[0-9-]\w*|[A-Z][0-9]{2}$|[A-DGHJL-NPRSV][0-9]{2}[A-Z]{1,2}(?:[0-9]{2})?(?!\w))"
)
_OF_CODE = 3  # characters, the category of a code
_MOST_PAIRS = 15  # of unlinkable columns, whose texts are taken together
_UNTIED = Phrase(
    "write `*` in its place in the next release, or draw new texts for it; `audit repair` then asks what "
    "that release adds. If outsiders may know the column, declare it among quasi_identifiers, or as record if each row "
    "of a release has its own text"
)
BY_CHANCE = (
    4  # beside quasi-identifiers, or rounded: by chance at most 0.184 of the rows, as x exp(-2x) is for x on average
)


@dataclass(frozen=True)
class Unlinkable(ColumnRule, key="unlinkable"):
    """`unlinkable = { Remarks = "free text" }`: columns that no outsider can know of a person, with the reason why.

    The reason of the record ids says why no outsider knows whose rows belong together by a part of their texts, and
    that of a sensitive column why no outsider knows which people have one value in common, as a household has.

    Attributes:
        reasons: the reason of each column.
        others: the record ids and the sensitive columns.
        beside: whether only what the last release adds to the others is judged.
    """

    reasons: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str | None, ...] = ()
    beside: bool = False

    @classmethod
    def read(cls, reader: Reader, table: Mapping[str, Any], columns: Columns) -> Self:
        """Return the rule."""
        reasons = {column.strip(): why.strip() for column, why in reader.mapping(table, cls.key).items()}
        return cls(reasons, (columns.record, *columns.sensitive))

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns that have no other role, with their reasons."""
        return {column: why for column, why in self.reasons.items() if column not in self.others}

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the columns without a reason."""
        for column, reason in self.reasons.items():
            if not reason:
                remedy = say(
                    'write {column} = "…" with the reason why no outsider can know it of a person',
                    column=toml_key(column),
                )
                yield say('"{column}" has no reason', column=column), remedy

    @property
    def roles(self) -> Collection[str]:
        """The unlinkable columns."""
        return self.columns

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the columns that no release has."""
        return headers.lacking(self.columns)

    def warnings(self, series: ReadSeries) -> Iterator[ReportWarning]:
        """Yield the columns that are not judged, with their reasons."""
        if self.columns:
            what = say_count(
                "{count} published [column is|columns are] not judged, because the manifest declares that [it "
                "tells|they tell] no outsider whose a row is, or anything about a person",
                len(self.columns),
            )
            reasons = self.columns.items()
            examples = tuple(
                say("{name}: {text}", name=printable(name), text=printable(why, 300)) for name, why in reasons
            )
            yield ReportWarning("unlinkable-column", what, examples)
        for column in filter(self.reasons.get, filter(None, self.others)):
            what = say(
                'which rows have "{column}", or a part of it, in common is not judged, because the manifest declares '
                "that no outsider knows which belong together",
                column=printable(column),
            )
            yield ReportWarning("unlinkable-column", what, (printable(self.reasons[column], 300),))

    def doubts(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield doubts about columns whose texts narrow quasi-identifiers, or link rows of two releases.

        Rows are linked by one column, or else by several together: unlinkable columns, or one of them with one
        quasi-identifier or all of them. Where a record id links the rows, such texts add nothing.
        """
        yield from self._narrowing(series)
        for column, shared in ((column, series.grouping_texts(column)) for column in self.columns):
            if shared:
                what = say(
                    '{count} texts of the unlinkable column "{column}" are each in a few rows of a release, more often '
                    "than by chance, and so show which rows belong together, as a household's weight does: leave the "
                    "column out, or publish it coarser, which hides them only from those who do not know them anyway",
                    count=shared,
                    column=printable(column),
                )
                yield Doubt(Reason(what, ReasonKind.UNDECLARED))
        if len(series.tags) < 2 or not self.columns:
            return
        names, several = [*self.columns], list[Sequence[tuple[str, ...]]]()
        single = [(column,) for column in names]
        if len(names) > 1:
            several = [[*single], *([pair] for pair in combinations(names, 2)), [tuple(names)]]
        ties = series.tied_texts([*([key] for key in single), *several], last=self.beside)
        tying = [tied if tied > min(FEW_TIES, rows // FEW_OF_ROWS) else 0 for tied, rows in ties]
        for column, tied in zip(self.columns, tying, strict=False):
            if tied:
                what = say_count(
                    '{count} [text|texts] of the unlinkable column "{column}" [occurs|occur] once in each of two '
                    "releases, and so [links|link] their rows: {remedy}",
                    tied,
                    column=printable(column),
                    remedy=_UNTIED,
                )
                yield Doubt(Reason(what, ReasonKind.UNDECLARED))
        together = tying[len(names) :]
        if not any(tying[: len(names)]) and any(together):
            tied = max(together)
            yield _tied(tied, [name for key in several[together.index(tied)] for name in key])
        if not any(tying):
            yield from self._beside_quasi_identifiers(series)

    def _narrowing(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield a doubt for each column whose texts narrow quasi-identifiers; if there are none, for a pair."""
        pairs = [*combinations(self.columns, 2)][:_MOST_PAIRS]
        for keys in ([(column,) for column in self.columns], pairs):
            found = [(key, names) for key, names in zip(keys, series.narrowed_by(keys), strict=True) if names]
            for key, names in found if keys is not pairs else found[:1]:
                what = say_count(
                    "rows with [one text|the same texts] of the unlinkable [column|columns] {columns} have cells of "
                    "{others} in common, more often than by chance, so [its|their] texts show what coarser cells hide: "
                    "publish [the column|one of the columns] without such texts or coarser, leave it out, or declare "
                    "[it|both] among quasi_identifiers; if earlier releases have [it, declare it|them, declare them], "
                    "and write * for [it|them] in the next: `audit repair` then asks what that adds",
                    len(key),
                    columns=in_quotes(key),
                    others=in_quotes(names),
                )
                yield Doubt(Reason(what, ReasonKind.UNDECLARED))
            if found:
                return

    def _beside_quasi_identifiers(self, series: ReadSeries) -> Iterator[Doubt]:
        quasi = series.columns.quasi_identifiers
        beside = dict.fromkeys([*((name,) for name in quasi), tuple(quasi)] if quasi else [])
        keys = [(column, *some) for column in self.columns for some in beside]
        for key, (tied, rows) in zip(keys, series.tied_texts([[key] for key in keys], last=self.beside), strict=True):
            if tied > max(FEW_TIES, rows // BY_CHANCE):
                yield _tied(tied, key)
                return


def _tied(texts: int, columns: Sequence[str]) -> Doubt:
    """Return the doubt that texts of several columns link rows of two releases."""
    what = say_count(
        "{count} [text|texts] of the columns {columns}, which are compared with each other or taken together, "
        "[occurs|occur] once in each of two releases, and so [links|link] their rows: {remedy}",
        texts,
        remedy=_UNTIED,
        columns=joined([f'"{printable(name)}"' for name in columns]),
    )
    return Doubt(Reason(what, ReasonKind.UNDECLARED))


_NOT_SENSITIVE = (Phrase('"{column}" is not a sensitive column'), Phrase("name a column that `sensitive` names"))


@dataclass(frozen=True)
class _OfValues(ColumnRule):
    """A rule about some values of sensitive columns."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the columns that are not sensitive."""
        return unnamed(self.values, columns.sensitive, *_NOT_SENSITIVE)

    def opened(self, folder: Path, rules: Rules, problems: Problems) -> Self:
        """Return the rule with the values as cells are spelled after reading."""
        return replace(self, values=_spelled(rules, self.values))


@dataclass(frozen=True)
class Harmless(_OfValues, key="harmless", form=Reader.lists):
    """`harmless = { Diagnosis = ["none"] }`: values of a sensitive column that may become known of any person."""


@dataclass(frozen=True)
class LeftOut(_OfValues, key="left_out", form=Reader.lists):
    """`left_out = { Diagnosis = ["refused"] }`: values of a sensitive column of which the rows are not published."""

    def wrong_values(self, column: str, texts: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """Yield the indices of values that are published all the same, with the fault and the remedy."""
        for place, text in enumerate(texts):
            if text in self.values.get(column, ()):
                what = say("left_out says that rows with this value are not published")
                yield place, what, say("delete the value from left_out, or the row")

    def warnings(self, series: ReadSeries) -> Iterator[ReportWarning]:
        """Yield the values of which the rows are not published, and what a missing row shows."""
        for column, texts in self.values.items():
            what = say(
                'rows with some values of "{column}" are not published; whoever knows that a person took part infers '
                "such a value from the missing row",
                column=printable(column),
            )
            yield ReportWarning("left-out", what, tuple(f'"{printable(text, 40)}"' for text in texts))


@dataclass(frozen=True)
class Similar(ColumnRule, key="similar", form=Reader.files_or_flags):
    """`similar = { Diagnosis = "chapters.csv" }`: the file with the categories of a sensitive column's values.

    In place of a file, `false` says that values have nothing in common, and `true` that all values that are not
    harmless are a category. So they are if nothing is said, and some harmless value does not say that a value is not
    known; but then the publisher has not said whether it may be known that a person has one of them. Nor has the
    publisher said so of codes that are subdivisions of one (F32.0 and F32.1; A10A and A10BA02), categories, too.

    Attributes:
        names: the file of each column, or a flag: whether all values that are not harmless are a category.
        categories: the categories of each value, by column; a missing value has none. Empty until the files are read.
        harmless: the harmless and missing values of the columns for which no file and no `false` is stated.
    """

    names: Mapping[str, str | bool] = field(default_factory=dict)
    categories: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    harmless: Mapping[str, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the columns that are not sensitive, or that have no harmless values beside which others are alike."""
        yield from unnamed(self.names, columns.sensitive, *_NOT_SENSITIVE)
        for column, name in self.names.items():
            if name is True and column not in columns.rules[Harmless].values:
                what = say('harmless names no values of "{column}", so there are no others', column=printable(column))
                yield what, say("name the harmless values, or a file of categories")

    @property
    def stated(self) -> Toml:
        """The value of the key."""
        return {**self.names}

    @property
    def files(self) -> Collection[str]:
        """The files of categories."""
        return [name for name in self.names.values() if isinstance(name, str)]

    def opened(self, folder: Path, rules: Rules, problems: Problems) -> Self:
        """Return the rule with its files read; each line puts a value into a category; a value may be in several."""
        found: dict[str, dict[str, frozenset[str]]] = {}
        missing, headings = rules[Missing].texts, ("value", "category")
        for column, name in self.names.items():
            if isinstance(name, bool) or (table := read_table(folder / name, name, headings, problems)) is None:
                continue
            spellings = dict[str, str]()
            known = found[column] = {rules.spelled(column, text): frozenset() for text in missing}
            for row, (text, category) in enumerate(zip(*map(table.texts, headings), strict=True)):
                if not category:
                    what, remedy = say("the cell is empty"), say("write the category, or delete the line")
                    problems.add(name, what, remedy, line=table.line(row), column="category")
                elif (other := spellings.setdefault(skeleton(category), category)) != category:
                    what = say('the category differs from "{other}" only in spelling', other=printable(other))
                    problems.add(name, what, say("write it in one way"), line=table.line(row), column="category")
                value = rules.spelled(column, text)
                known[value] = known.get(value, frozenset()) | {category}
        harmless = dict[str, tuple[frozenset[str], frozenset[str]]]()
        for column, texts in _spelled(rules, rules[Harmless].values).items():
            if self.names.get(column, True) is True:
                none = frozenset(rules.spelled(column, each) for each in missing)
                harmless[column] = frozenset(texts), none
        return replace(self, categories=found, harmless=harmless)

    def of(self, column: str, text: str) -> frozenset[str]:
        """Return the categories of a value."""
        if column in self.names and column not in self.harmless:
            return self.categories.get(column, {}).get(text, frozenset())
        harmless, missing = self.harmless.get(column, (frozenset[str](), frozenset[str]()))
        if text in harmless | missing:
            return frozenset()
        others = frozenset({_others(harmless)}) if harmless else frozenset[str]()
        code = None if column in self.names else _CODE.search(text)
        return others if code is None else others | {code[0][:_OF_CODE]}

    def wrong_values(self, column: str, texts: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """Yield the indices of values without a category, with the fault and the remedy."""
        for place, text in enumerate(texts if column in self.categories else ()):
            if text not in self.categories[column]:
                name = printable(str(self.names[column]))
                yield (
                    place,
                    say("the value has no category in {name}", name=name),
                    say("add a line with the value and its category"),
                )

    def published(self, column: str, texts: Sequence[str]) -> Mapping[str, Mapping[str, PublishedNumbers]]:
        """Return a number for each value of `texts`, by column and category: 0 for members of the category, else None.

        So the members of a category are as close as equal numbers. Without `similar`, the values that are not harmless
        are one only if a harmless value is published that does not say that a value is not known.
        """
        of, doubts = [self.of(column, text) for text in texts], dict[str, Reason]()
        names = {*frozenset().union(*of)}
        if column not in self.names:
            harmless, missing = self.harmless.get(column, (frozenset[str](), frozenset[str]()))
            others = _others(harmless) if harmless else ""
            codes = {code[0] for text, own in zip(texts, of, strict=True) if own and (code := _CODE.search(text))}
            if several := [name for name, count in Counter(code[:_OF_CODE] for code in codes).items() if count > 1]:
                doubts = dict.fromkeys(several, _subdivided(column, min(several)))
            if not harmless.intersection(texts) <= {*unknown_among(texts), *missing}:
                doubts[others] = _undeclared(column, harmless)
            names = {*doubts}
        same = Fraction(0)
        found = {
            name: PublishedNumbers(tuple(same if name in each else None for each in of), same, doubts.get(name))
            for name in sorted(names)
        }
        return {column: found} if found else {}


def _spelled(rules: Rules, values: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {column: tuple(rules.spelled(column, text) for text in texts) for column, texts in values.items()}


def _others(harmless: Collection[str]) -> str:
    return say("other than {values}", values=_quoted(harmless))


def _quoted(texts: Collection[str]) -> str:
    return in_quotes(sorted(texts), most=3, limit=40)


def _undeclared(column: str, harmless: Collection[str]) -> Reason:
    what = say(
        'somebody certainly has another value of "{column}" than {values}, and nothing declares whether that may be '
        "known: write {key} = false under [columns] if it may, else {key} = true",
        column=printable(column),
        values=_quoted(harmless),
        key=f"similar.{toml_key(column)}",
    )
    return Reason(what, ReasonKind.UNDECLARED)


def _subdivided(column: str, code: str) -> Reason:
    what = say(
        'somebody certainly has one of several values of "{column}" whose codes begin alike, such as {code}, and '
        "nothing declares whether that may be known: write {key} = false under [columns] if it may, else name a file "
        "with the columns value and category",
        column=printable(column),
        code=code,
        key=f"similar.{toml_key(column)}",
    )
    return Reason(what, ReasonKind.UNDECLARED)
