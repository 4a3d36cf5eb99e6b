"""Rules about disclosure: columns that no outsider can know, harmless values, and categories of similar values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, Self

from audit.io.cell_reading import unknown_among
from audit.io.respelling import skeleton
from audit.io.rules.cell_meaning import Missing
from audit.io.rules.rule import ColumnRule, Columns, Headers, ReadSeries, Rules, unnamed
from audit.io.tables import read_table
from audit.io.toml import Reader, Toml, toml_key
from audit.model.errors import Doubt, Problems
from audit.model.nearness import PublishedNumbers
from audit.model.report import ReportWarning
from audit.runtime.phrases import Phrase, Reason, ReasonKind, in_quotes, joined, printable, say, say_count

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
