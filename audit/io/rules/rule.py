"""Column rules: each is one key of `[columns]`, with its form, its effect, its warnings, and when `audit init` adds it.

Rules apply in the order of `registry.RULES`: to the header of a file, to its rows, to its texts (by release), and last
the rules that only declare how something is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar

from audit.io.cells import Kind
from audit.io.composed_columns import parts_of
from audit.io.encoding import Vocabulary
from audit.io.tables import Table
from audit.io.toml import Form, Reader, Toml
from audit.model.errors import Doubt, Problems
from audit.model.report import ReportWarning
from audit.runtime.phrases import Phrase, printable, say

Respelling = Callable[[str], str]
NOTHING = Phrase("it has no effect")
NO_ROLE = (
    Phrase('"{column}" is not a column with a role'),
    Phrase("name a sensitive column, a quasi-identifier, or a column of people or groups"),
)


@dataclass(frozen=True)
class Headers:
    """The headers of the releases' files: a rule about columns that no file has is without effect.

    Attributes:
        tags: the tags of the releases, and of those that may come.
        texts: whether any file is a text file.
        read: returns the columns of the releases, by their names in the series.
    """

    tags: Collection[str]
    texts: bool
    read: Callable[[], Collection[str]]

    @cached_property
    def names(self) -> Collection[str]:
        """The columns of the releases."""
        return self.read()

    def lacking(self, columns: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield, for each column that no release has, the fault and the remedy."""
        for column in columns:
            if column not in self.names and not parts_of(column, self.names):
                what = say(
                    'no release has a column "{column}", so {nothing}', column=printable(column), nothing=NOTHING
                )
                yield what, say("correct the name, or leave it out")


class ReadSeries(Protocol):
    """The parts of a series that rules use after it is read."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the releases, in order."""

    @property
    def vocabularies(self) -> dict[str, Vocabulary]:
        """The values of each sensitive attribute."""

    @property
    def columns(self) -> Columns:
        """What the columns mean."""

    @property
    def unnamed(self) -> Mapping[str, int]:
        """How many rows have a blank identifier that no published count of counterfeits explains, by release."""

    @property
    def repeated_rows(self) -> tuple[int, int] | None:
        """How many times a person has several rows in one release, and how many rows these are beyond the first.

        None if the people of some release's rows are unknown.
        """

    @property
    def offers(self) -> set[str | None]:
        """What the series has that adversaries need."""

    def texts(self, name: str) -> Collection[str]:
        """Return the distinct texts of a quasi-identifier."""

    def missing(self, column: str) -> frozenset[str]:
        """Return the texts that mean an unknown value, as the cells of a column are spelled after reading."""

    def tied_texts(
        self, questions: Sequence[Sequence[tuple[str, ...]]], *, last: bool = False
    ) -> list[tuple[int, int]]:
        """Return how many texts occur once in each of two releases, and the fewest rows of a release, by question.

        With `last`, one of the two is the last release. A question lists keys to compare; each key is one or more
        columns, whose texts are taken together.
        """

    def grouping_texts(self, column: str) -> int:
        """Return the most exact numbers or days of a column that few rows of a release share, more than by chance."""

    def narrowed_by(self, keys: Sequence[tuple[str, ...]]) -> Sequence[Sequence[str]]:
        """Return the quasi-identifiers of which the texts of each key show more than the cells of a release do."""


class WrittenTexts(Protocol):
    """The distinct texts of the columns that have a role, as the files spell them."""

    @property
    def columns(self) -> Columns:
        """What the columns mean."""

    @property
    def texts(self) -> Mapping[str, Collection[str]]:
        """The texts by column."""

    @property
    def notes(self) -> Sequence[str]:
        """The notes below the tables."""

    def kind(self, column: str) -> Kind | None:
        """Return how a quasi-identifier's cells are read; None of any other column."""

    def people(self, column: str) -> Sequence[Collection[str]]:
        """Return the identifiers of each release; none if one person may have several in a release."""


@dataclass(frozen=True)
class Hint:
    """A rule that the manifest lacks and the texts of a column suggest.

    Attributes:
        column: the column.
        texts: the texts that suggest it, in groups that belong together.
        rule: the rule for this column that `audit init` writes; None if it writes nothing.
        why: the reason that `audit init` writes beside it.
        warning: the warning in a report, still without examples; None if the report does not warn.
        names_texts: whether the warning quotes the texts itself, so that its examples need only their places.
    """

    column: str
    texts: list[list[str]]
    rule: ColumnRule | None
    why: str
    warning: ReportWarning | None
    names_texts: bool = False


@dataclass(frozen=True)
class ColumnRule:
    """One key of `[columns]`; without arguments, the rule of a manifest that lacks the key.

    The first field of each rule holds the value of the key.

    Attributes:
        key: the key.
        form: the method of `Reader` that reads its value.
        why: the reason that `audit init` writes beside it.
    """

    key: ClassVar[str] = ""
    form: ClassVar[Form] = Reader.mapping
    why: ClassVar[Phrase | str] = ""

    def __init_subclass__(cls, key: str = "", form: Form = Reader.mapping, why: Phrase | str = "") -> None:
        """Define the key of a rule in the head of its class."""
        cls.key, cls.form, cls.why = key, form, why

    @classmethod
    def read(cls, reader: Reader, table: Mapping[str, Any], columns: Columns) -> Self:
        """Return the rule of a manifest, and note a value of the wrong form; `columns` has no rules yet."""
        return cls(**{fields(cls)[0].name: cls.form(reader, table, cls.key)})

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield faults of the value and conflicts with other keys of the manifest, each with its remedy."""
        yield from ()

    @property
    def roles(self) -> Collection[str]:
        """The columns that have a role by this rule."""
        return ()

    @property
    def files(self) -> Collection[str]:
        """The files beside the releases that the rule names."""
        return self.stated.values() if type(self).form is Reader.files else ()

    def opened(self, folder: Path, rules: Rules, problems: Problems) -> Self:
        """Return the rule with the contents of its files, which are in a folder; `rules` are all that are stated."""
        return self

    def header(self, names: list[str], tag: str, shown: str, problems: Problems) -> list[str] | None:
        """Return what the series calls the columns of a release's file; None after noting a problem."""
        return names

    def lacking(self, names: Collection[str], tag: str, beside: str | None) -> Iterator[tuple[str, str, str]]:
        """Yield the columns that the files of a release should have but lack, each with the fault and the remedy."""
        yield from ()

    @property
    def marking(self) -> Collection[str]:
        """The columns whose cells mark rows to leave out."""
        return ()

    def rows(self, table: Table) -> Table:
        """Return a table without the rows that do not count."""
        return table

    def respelling(self, column: str, tag: str, so_far: Respelling) -> Respelling | None:
        """Return the function that respells the texts of a column in a release; None if they are unchanged.

        `so_far` is the function of all rules before this one.
        """
        return None

    def wrong_values(self, column: str, texts: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """Yield the indices of texts that are not values of a sensitive column, with the fault and the remedy."""
        yield from ()

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the faults that make the key, or a part of it, ineffective, each with its remedy."""
        yield from ()

    def warnings(self, series: ReadSeries) -> Iterator[ReportWarning]:
        """Yield the warnings of the rule for a report."""
        yield from ()

    def doubts(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield the doubts that the rule raises, which leave clauses undecided."""
        yield from ()

    def hints(self, written: WrittenTexts) -> Iterator[Hint]:
        """Yield the rules that the texts suggest and the manifest does not state."""
        yield from ()

    @property
    def stated(self) -> Toml:
        """The value under the key in a manifest; empty or None if the manifest does not have the key."""
        return getattr(self, fields(self)[0].name)


Rule = TypeVar("Rule", bound=ColumnRule)


@dataclass(frozen=True)
class Rules:
    """The rules of a manifest, including those of absent keys, in the order in which they apply."""

    each: tuple[ColumnRule, ...] = ()

    def __getitem__(self, kind: type[Rule]) -> Rule:
        """Return the rule of a class."""
        return next((rule for rule in self.each if isinstance(rule, kind)), kind())

    def __iter__(self) -> Iterator[ColumnRule]:
        """Return the rules one by one."""
        return iter(self.each)

    def without(self, *kinds: type[ColumnRule]) -> Rules:
        """Return the rules without those of some classes."""
        return Rules(tuple(rule for rule in self.each if not isinstance(rule, kinds)))

    def respellings(self, column: str, tag: str = "") -> tuple[Respelling, ...]:
        """Return the functions that respell texts of a column in a release, in order."""
        steps: tuple[Respelling, ...] = ()
        for rule in self.each:
            step = rule.respelling(column, tag, partial(spelled, steps))
            steps = steps if step is None else (*steps, step)
        return steps

    def spelled(self, column: str, text: str) -> str:
        """Return a text of a file beside the releases as the series spells it."""
        return spelled(self.respellings(column), text)

    def opened(self, folder: Path, problems: Problems) -> Rules:
        """Return the rules with the contents of their files in the folder of the series."""
        return Rules(tuple(rule.opened(folder, self, problems) for rule in self.each))


NO_RULES = Rules()


def spelled(steps: Iterable[Respelling], text: str) -> str:
    """Return a text after the functions that respell it."""
    for step in steps:
        text = step(text)
    return text


@dataclass(frozen=True)
class Columns:
    """The columns of a release: what each is, and the rules about them."""

    sensitive: tuple[str, ...]
    quasi_identifiers: tuple[str, ...] = ()
    group: str | None = None
    individual: str | None = None
    record: str | None = None
    count: str | None = None
    rules: Rules = NO_RULES

    @property
    def named(self) -> tuple[str, ...]:
        """The columns with a role, except for those of counts and for unlinkable ones."""
        single = (self.group, self.individual, self.record)
        return (*self.sensitive, *self.quasi_identifiers, *(name for name in single if name is not None))


def unnamed(listed: Iterable[str], allowed: Collection[str], what: Phrase, remedy: Phrase) -> Iterator[tuple[str, str]]:
    """Yield the fault of each listed column that is not allowed, and the remedy; `what` names the `{column}`."""
    for column in listed:
        if column not in allowed:
            yield what.filled(column=column), str(remedy)
