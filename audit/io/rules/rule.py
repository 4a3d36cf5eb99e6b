"""Column rules: each is one key of `[columns]`, with its form, its effect, its warnings, and when `audit init` adds it.

Rules apply in the order of `registry.RULES`: to the header of a file, to its rows, to its texts (by release), and last
the rules that only declare how something is judged. Tables are read as the rules require (`Adjustments`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar

from audit.io.cells import Kind
from audit.io.dialect import Declared, is_encoding
from audit.io.releases import Vocabulary
from audit.io.tables import Table, composed, header, in_other_encoding, note_absent, parts_of, read_shared, read_table
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

    def respelled(self, table: Table, columns: Mapping[str, str] | None = None, tag: str = "") -> Table:
        """Return a table whose texts are spelled as the rules require.

        Args:
            table: the table.
            columns: the columns to respell, each with the column of the series whose rules hold for it; None for all
                columns, each by its own name.
            tag: the release of the table; empty for a table beside the releases.
        """
        for own, column in ({name: name for name in table.names} if columns is None else columns).items():
            if own in table and (steps := self.respellings(column, tag)):
                table = table.mapped(own, partial(spelled, steps))
        return table

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


# -- rules about the form of files ------------------------------------------------------------------------------------


class _OfTextFiles(ColumnRule):
    """A rule about text files."""

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the fault that no release is a text file."""
        if self.stated and not headers.texts:
            yield say("no release is a text file, so {nothing}", nothing=NOTHING), say("leave it out")


@dataclass(frozen=True)
class Delimiter(_OfTextFiles, key="delimiter", form=Reader.value):
    """`delimiter = ";"`: the text between two cells of a text file; None means that it is guessed."""

    sign: str | None = None

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the fault that the sign is not one character, or has another meaning in text files."""
        sign = self.sign
        if sign is not None and (not isinstance(sign, str) or len(sign) != 1 or sign in '"\r\n'):
            yield say("this is not a delimiter"), say('write ",", ";", "|" or, for a tab, "\\t"')


@dataclass(frozen=True)
class Encoding(_OfTextFiles, key="encoding", form=Reader.text):
    """`encoding = "cp1252"`: the encoding of a text file; None means that it is guessed."""

    name: str | None = None

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the fault that Python does not know the encoding."""
        if self.name is not None and not is_encoding(self.name):
            yield (
                say('unknown encoding "{name}"', name=self.name),
                say('write one such as "utf-8", "cp1252" or "latin-1"'),
            )


@dataclass(frozen=True)
class Renamed(
    ColumnRule, key="renamed", form=Reader.mappings, why=Phrase("these columns look like those of the other releases")
):
    """`renamed = { "2024Q3" = { Diagnose = "Disease" } }`: what the series calls the columns of a release's file."""

    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def header(self, names: list[str], tag: str, shown: str, problems: Problems) -> list[str] | None:
        """Return the header with the new names; None after noting that another column has one of them."""
        renamed = self.names.get(tag, {})
        for old, new in renamed.items():
            if old in names and new in names and new not in renamed:
                what = say('`renamed` gives it the name "{new}", which another column of the file has', new=new)
                remedy = say("delete the entry from the manifest, or rename the other column too")
                problems.add(shown, what, remedy, column=old)
                return None
        return [renamed.get(name, name) for name in names]

    def lacking(self, names: Collection[str], tag: str, beside: str | None) -> Iterator[tuple[str, str, str]]:
        """Yield the columns to rename that the files of the release lack, and that no file beside it has."""
        for old, new in self.names.get(tag, {}).items():
            if old not in names and new != beside:
                what = say('`renamed` calls it "{new}", but the file has no such column', new=new)
                yield old, what, say("correct the entry in the manifest")

    def unread(self, headers: Headers) -> Iterator[tuple[str, str]]:
        """Yield the fault of each release that the series does not have."""
        for tag in self.names:
            if tag not in headers.tags:
                yield (
                    say('there is no release "{tag}", so {nothing}', tag=printable(tag), nothing=NOTHING),
                    say("write the tag of a release, or put the file of that release beside the others"),
                )


# -- reading by rules -------------------------------------------------------------------------------------------------


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

    def names(self, path: Path, shown: str, problems: Problems | None = None) -> list[str] | None:
        """Return the columns of a file after adjustment, without composed ones; None after noting a problem."""
        problems = Problems() if problems is None else problems
        names = header(path, shown, problems, self.declared)
        return None if names is None else self._renamed([*names], shown, problems)

    def _renamed(self, names: list[str], shown: str, problems: Problems) -> list[str] | None:
        renamed: list[str] | None = names
        for rule in self.rules:
            renamed = None if renamed is None else rule.header(renamed, self.tag, shown, problems)
        return renamed

    def check_renamed(self, halves: Iterable[tuple[Path, str]], problems: Problems, beside: str | None) -> bool:
        """Return whether a file, or a pair of files, has the columns that the rules rename; note missing ones.

        The column `beside` may be missing, as a file beside the release has it. A file that cannot be read counts as
        having them: reading it reports the fault.
        """
        shown, there, before = "", set[str](), len(problems.found)
        for path, shown in halves:
            names = header(path, shown, Problems(), self.declared)
            if names is None:
                return True  # reading the file reports it
            there.update(names)
        for rule in self.rules:
            for column, what, remedy in rule.lacking(there, self.tag, beside):
                problems.add(shown, *(in_other_encoding(path, column) or (what, remedy)), column=column)
        return len(problems.found) == before

    def check_present(self, path: Path, shown: str, wanted: Iterable[str | None], problems: Problems) -> None:
        """Note the columns that a file lacks after adjustment."""
        names = self.names(path, shown, problems)
        if names is not None:
            known = {*names}
            needed = [column for column in wanted if column is not None]
            there = {column for column in needed if column in known or parts_of(column, names)}
            note_absent(path, shown, [*names, *(there - known)], needed, problems, otherwise=self.otherwise)

    def read(self, path: Path, shown: str, columns: Sequence[str], problems: Problems) -> Table | None:
        """Read some columns of a table with the manifest's adjustments; otherwise like `read_table`."""
        table = self.read_written(path, shown, columns, problems)
        return None if table is None else self.adjusted(table, columns)

    def adjusted(self, table: Table, columns: Sequence[str]) -> Table:
        """Return a table of `read_written` with some columns spelled as the rules say, and with unpublished ones."""
        table = self.rules.respelled(table, {column: column for column in columns}, self.tag)
        for column in filter(self.unpublished.__contains__, columns):
            table = table.with_constant(column, "*")
        return table

    def read_written(
        self,
        path: Path,
        shown: str,
        columns: Sequence[str],
        problems: Problems,
        *,
        distinct: Sequence[str | None] = (),
    ) -> Table | None:
        """Read the published ones of some columns, named and without rows as the rules say, spelled as in the file."""
        in_file = header(path, shown, problems, self.declared)
        own = None if in_file is None else self._renamed([*in_file], shown, problems)
        if in_file is None or own is None:
            return None
        marking = [column for rule in self.rules for column in rule.marking if column in own]
        marking += [] if self.by is None else [self.by]
        columns = [column for column in columns if column not in self.unpublished]
        scattered = {column: parts for column in columns if (parts := parts_of(column, own))}
        plain = [column for column in dict.fromkeys([*columns, *marking]) if column not in scattered]
        wanted = [*plain, *(part for parts in scattered.values() for part in parts)]
        there = dict(zip(own, in_file, strict=True))
        if any(column not in there for column in wanted):
            note_absent(path, shown, own, wanted, problems, otherwise=self.otherwise)
            return None
        without_dictionary = [there[column] for column in distinct if column in there]
        names = [there[column] for column in wanted]
        read = read_table if self.by is None else read_shared
        table = read(path, shown, names, problems, self.declared, distinct=without_dictionary)
        if table is None:
            return None
        table = table.renamed({there[column]: column for column in wanted})
        for column, parts in scattered.items():
            table = composed(table, column, parts)
        if self.by is not None:
            table = table.without(table.where(self.by, self.tag.__ne__))
            table = replace(table, of_release=table.kept)
        for rule in self.rules:
            table = rule.rows(table)
        return table

    def named_there(self, path: Path, shown: str, names: Iterable[str]) -> list[str] | None:
        """Return those of the named columns that a table has, or has in parts; None if it cannot be read."""
        own = self.names(path, shown)
        return None if own is None else [name for name in names if name in own or parts_of(name, own)]

    def read_there(self, path: Path, shown: str, names: Iterable[str]) -> Table | None:
        """Return those of the named columns that a table has; None if it has none of them, or cannot be read."""
        there = self.named_there(path, shown, names)
        return self.read(path, shown, there, Problems()) if there else None
