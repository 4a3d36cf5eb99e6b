"""Microdata: the exact tables from which an anonymizer publishes, one snapshot for each release."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from operator import not_
from pathlib import Path
from typing import Any

import numpy as np

from audit.io.attributes import have_other_codes, last_of_block
from audit.io.background_knowledge import TransitionLines, read_lines
from audit.io.cell_reading import (
    Hierarchy,
    codes_among,
    codes_for_unknown,
    number_in,
    parse_value,
    read_hierarchy,
    unknown_among,
    unread,
)
from audit.io.cells import CellError, Kind
from audit.io.manifest import ANY, NEVER, as_file_name
from audit.io.naming import in_time, natural
from audit.io.notations import as_plain_number, kind_of_days, kind_of_single_days, ungrouped, with_plain_point
from audit.io.release_reading import WRITE_DATES, further_rows, ranked_dates
from audit.io.releases import COUNTERFEIT, IdentifierEncoder, Vocabulary
from audit.io.rules.rows_and_values import Unlinkable, totals
from audit.io.rules.rule import Columns
from audit.io.rules.spelling import INDIVIDUAL, perhaps_one_person, perhaps_one_value, respelled
from audit.io.tables import Table, header, note_absent, read_shared, read_table, text_codes
from audit.io.toml import Reader, Sections, one_of, parse, read_text, release_tag, toml_key
from audit.model.anonymizer import Scale, Snapshot
from audit.model.arrays import UNKNOWN, Codes, Numbers
from audit.model.errors import InputError, Problems, UsageError
from audit.model.evidence import Transitions, UpdateSets
from audit.runtime.phrases import joined, printable, say, say_count

NAME = "microdata.toml"
_SECTIONS: Sections = {
    "microdata": {**dict.fromkeys(("name", "snapshots_by"), Reader.text), "snapshots": Reader.texts},
    "columns": {
        **dict.fromkeys(("quasi_identifiers", "harmless", "codes", "gravest", "spelled", "left_out"), Reader.texts),
        **dict.fromkeys(("hierarchies", "dates", "unlinkable"), Reader.mapping),
        **dict.fromkeys(("individual", "sensitive", "similar"), Reader.value),
        "latest_by": Reader.text,
        "decimal": one_of(None, ".", ","),
    },
    "updates": {"transitions"},
    "domains": None,
    "grids": None,
}
LARGE = 1_000
"""Numbers so far from each other are amounts."""
_LARGEST = 10**300
"""Larger numbers may have differences that no floating-point number can represent."""
_NUMBERS_AMONG = 0.9
"""A column with at least this share of numbers is numeric; its other cells are probably errors."""
_MOST_LINES = 20  # of rows that look like totals
UNITS = {"year": "%Y", "month": "%Y-%m"}
"""The forms in which dates are published."""
_UNIT = re.compile("[0-9]{4}(-[0-9]{2})?")


@dataclass(frozen=True)
class Domain:
    """The possible values of a quasi-identifier: numbers from `low` to `high`, or texts in an order of their own."""

    low: Fraction | None = None
    high: Fraction | None = None
    texts: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        """How the values compare."""
        return Kind.CATEGORICAL if self.texts else Kind.NUMERIC

    def __contains__(self, value: Fraction | str) -> bool:
        """Return whether an exact value is one of them."""
        if not isinstance(value, Fraction):
            return value in self.texts
        return self.low is None or self.high is None or self.low <= value <= self.high

    def has_amounts(self, *, whole: bool) -> bool:
        """Return whether its numbers are amounts, of which each may be one person's: fractions, or a wide range."""
        return self.low is not None and self.high is not None and not (whole and self.high - self.low < LARGE)


@dataclass(frozen=True)
class OneRow:
    """Which row of a person with several rows in a snapshot counts; of equal ones, the last of the file.

    Attributes:
        individual: the column of people.
        column: with the dates of which the latest counts, or with the values of which the gravest counts.
        gravest: all of those values, the gravest first; empty for dates.
    """

    individual: str
    column: str
    gravest: tuple[str, ...] = ()

    @property
    def kept(self) -> str:
        """The row that counts, as the manifest of a series names it."""
        return "gravest" if self.gravest else "latest"

    def alone(self, table: Table, problems: Problems) -> Table:
        """Return a table with one row of each person; a cell that is no date, or is not listed, is noted."""
        people = IdentifierEncoder().encode(table.arrow(self.individual))
        codes, texts = text_codes(table.arrow(self.column))
        if self.gravest:
            place = {text: -number for number, text in enumerate(self.gravest)}
            rank = np.array([place.get(text, 1) for text in texts], dtype=np.int64)
            wrong = (rank == 1)[codes]
            what = say("gravest does not list this value, so that it is not known which row of a person counts")
            remedy = say("write it into the list under [columns], at its place: the gravest value first")
        else:
            rank, first = ranked_dates(texts, kind_of_days(texts))
            wrong = codes == first
            what = say("the cell is not a date")
            remedy = str(WRITE_DATES)
        table.note_first(wrong, self.column, what, remedy, problems)
        return table.without(further_rows(people, rank[codes], latest=True))


@dataclass(frozen=True)
class SnapshotFile:
    """The file of one snapshot.

    Attributes:
        by: the column with the tag of the snapshot of each row; None if the file is one snapshot.
        one_row: which row of each person counts; None if each person has one row.
        left_out: the column of sensitive values, and those of which the rows are left out.
    """

    tag: str
    path: Path
    shown: str
    by: str | None = None
    one_row: OneRow | None = None
    left_out: tuple[str, tuple[str, ...]] = "", ()

    @property
    def deciding(self) -> tuple[str, ...]:
        """The columns that say which row of a person counts; empty if each person has one row."""
        return () if self.one_row is None else (self.one_row.individual, self.one_row.column)

    def read(self, names: Sequence[str], problems: Problems, *, distinct: Sequence[str] = ()) -> Table | None:
        """Return some columns of the rows of the snapshot, as written; None if the file cannot be read."""
        sensitive, left_out = self.left_out
        beside = [*filter(None, (self.by, *self.deciding, sensitive))]
        read = read_table if self.by is None else read_shared
        table = read(self.path, self.shown, [*names, *beside], problems, distinct=distinct)
        if table is None:
            return None
        if self.by is not None:
            table = table.without(table.where(self.by, lambda text: as_file_name(text) != self.tag))
        if self.one_row is not None:
            table = self.one_row.alone(table, problems)
        if left_out:
            table = table.without(table.where(sensitive, left_out.__contains__))
        return table.less({*beside} - {*names})


@dataclass(frozen=True)
class ReadSnapshot:
    """A snapshot that was read.

    Attributes:
        snapshot: the snapshot as integer columns.
        texts: the texts of each quasi-identifier's values, in the order of its scale.
        numbers: the same values as exact numbers; empty for an attribute that is not numeric.
        table: the file, which knows the line of a row.
    """

    snapshot: Snapshot
    texts: tuple[list[str], ...]
    numbers: tuple[list[Fraction], ...]
    table: Table


@dataclass
class Microdata:
    """A folder of snapshots, with its `microdata.toml`.

    Attributes:
        folder: the folder.
        name: the name of the microdata.
        snapshots: the files of the snapshots, in order.
        individual, quasi_identifiers, sensitive: the columns.
        transitions: the file of possible updates; None if sensitive values never change.
        updates: the lines of that file, which a series is published with and judged by.
        closes: whether methods follow the smallest reflexive and closed sets that contain the transitions.
        domains: the declared domains of quasi-identifiers; for one with a hierarchy, its leaves in order.
        hierarchies: the labels with which a quasi-identifier is published.
        codes: quasi-identifiers that are codes, such as postcodes: published as masked prefixes, never as intervals.
        harmless: sensitive values that may become known of any person.
        similar: whether no one may learn that a person's value is another one; None if nothing says so.
        decimal: the decimal sign of numbers, `.` or `,`, of which the other one parts thousands; None if not stated.
        grids: the widths of the intervals in which a quasi-identifier is published, ascending.
        dates: quasi-identifiers whose dates are published as one of `UNITS`, never as days.
        unlinkable: other columns, published as they are, with the reason why no outsider can know them of a person;
            and perhaps why no outsider knows which people have the sensitive value in common.
        spelled: which of `individual` and the columns have texts that are different, however alike they look, or
            whatever codes other snapshots have.
    """

    folder: Path
    name: str
    snapshots: tuple[SnapshotFile, ...]
    individual: str
    quasi_identifiers: tuple[str, ...]
    sensitive: str
    transitions: str | None = None
    updates: TransitionLines | None = None
    closes: bool = False
    domains: Mapping[str, Domain] = field(default_factory=dict)
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    similar: bool | None = None
    grids: Mapping[str, tuple[Fraction, ...]] = field(default_factory=dict)
    decimal: str | None = None
    dates: Mapping[str, str] = field(default_factory=dict)
    unlinkable: Unlinkable = field(default_factory=Unlinkable)
    spelled: tuple[str, ...] = ()
    _parsed: dict[str, dict[str, Fraction | str]] = field(default_factory=dict)
    _changing: dict[tuple[Kind, ...], tuple[str, ...]] = field(default_factory=dict, init=False, compare=False)

    @property
    def tags(self) -> tuple[str, ...]:
        """The snapshots' names, in order."""
        return tuple(each.tag for each in self.snapshots)

    def rows_left_out(self) -> int:
        """Return how many rows are left out because of their sensitive value, over all snapshots.

        Raises:
            InputError: a snapshot cannot be read.
        """
        problems, count = Problems(), 0
        for each in self.snapshots if (left_out := self.snapshots[0].left_out[1]) else ():
            table = replace(each, left_out=("", ())).read([self.sensitive], problems)
            count += 0 if table is None else int(table.where(self.sensitive, left_out.__contains__).sum())
        problems.check()
        return count

    @property
    def published(self) -> tuple[str, ...]:
        """The columns that are published, the sensitive one last."""
        return (*self.quasi_identifiers, *self.unlinkable.columns, self.sensitive)

    def files(self) -> list[Path]:
        """Return the `microdata.toml` and all files that it names."""
        beside = [NAME, *([] if self.transitions is None else [self.transitions])]
        beside += [hierarchy.name for hierarchy in self.hierarchies.values()]
        return [*(self.folder / name for name in beside), *dict.fromkeys(each.path for each in self.snapshots)]

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """How each quasi-identifier's values compare: by its domain, or else by the values of the first snapshot.

        Codes are texts.

        Raises:
            InputError: the first snapshot cannot be read.
        """
        return {
            name: Kind.CATEGORICAL
            if name in self.codes
            else self.domains[name].kind
            if name in self.domains
            else kind_of_values(self._first[name])
            for name in self.quasi_identifiers
        }

    def is_whole(self, name: str) -> bool:
        """Return whether a quasi-identifier has only whole numbers, in the first snapshot and in its domain."""
        domain = self.domains.get(name)
        ends = [end for end in (domain.low, domain.high) if end is not None] if domain is not None else []
        plain = all(text.lstrip("+-").isdigit() for text in self._first[name])
        return self.kinds[name] is Kind.NUMERIC and plain and all(end.denominator == 1 for end in ends)

    def decimals(self, name: str) -> int:
        """Return how many decimals the numbers of a quasi-identifier have at most, in the first snapshot."""
        return max(len(text.partition(".")[2]) for text in self._first[name])

    @cached_property
    def has_numbers(self) -> bool:
        """Whether the sensitive values are numbers, as far as the first snapshot shows.

        Raises:
            InputError: the first snapshot cannot be read.
        """
        return kind_of_values(self._first[self.sensitive]) is Kind.NUMERIC

    @cached_property
    def _first(self) -> dict[str, Sequence[str]]:
        """The distinct texts of each quasi-identifier, and of the sensitive column, in the first snapshot."""
        problems = Problems()
        table = self._declared(self.snapshots[0], problems, people=False)
        problems.check()
        return {} if table is None else {name: table.distinct(name) for name in table.names}

    def read(
        self,
        position: int,
        people: IdentifierEncoder,
        vocabulary: Vocabulary,
        kinds: Mapping[str, Kind] | None = None,
        transitions: Transitions | None = None,
    ) -> ReadSnapshot:
        """Read one snapshot.

        Args:
            position: the snapshot, counted from 0.
            people: gives codes to people.
            vocabulary: gives codes to sensitive values.
            kinds: how values compare, for attributes whose kind a series has decided already.
            transitions: the possible updates of sensitive values, by their codes; None if values never change.

        Raises:
            InputError: the snapshot has no rows, a cell is empty or not a value of its attribute, no transition begins
                with a sensitive value, a person occurs twice, or a row looks like a total or a counterfeit.
        """
        file, problems = self.snapshots[position], Problems()
        table = self.table(file, problems)
        if table is not None and not table.rows:
            problems.add(file.shown, say("the snapshot has no rows"), say("drop it from the microdata"))
        table = problems.checked(table)
        kinds = {**self.kinds, **(kinds or {})}
        note_no_people(table, self.individual, self.sensitive, problems)
        person = self._person(table, people, problems)
        value = self._value(table, vocabulary, transitions, problems)
        columns = [self._column(table, name, kinds[name], problems) for name in self.quasi_identifiers]
        problems.check()
        point = np.stack([codes for codes, _, _ in columns], axis=1) if columns else np.zeros((table.rows, 0), np.int32)
        scales = [self._scale(name, exact) for name, (_, _, exact) in zip(self.quasi_identifiers, columns, strict=True)]
        updates = None if transitions is None else self.followed(transitions)
        harmless = frozenset(vocabulary.find(text) for text in self.harmless) - {UNKNOWN}
        snapshot = Snapshot(file.tag, person, value, point, tuple(scales), vocabulary.names, updates, harmless)
        numbers = [[v for v in exact if isinstance(v, Fraction)] for _, _, exact in columns]
        return ReadSnapshot(snapshot, tuple(texts for _, texts, _ in columns), tuple(numbers), table)

    def read_all(self, people: IdentifierEncoder, kinds: Mapping[str, Kind] | None = None) -> list[ReadSnapshot]:
        """Read all snapshots, whose values have common codes; `kinds` is as for `read`.

        Raises:
            InputError: as for `read`; it lists the problems of all snapshots.
        """
        vocabulary, every, problems = Vocabulary(), list[ReadSnapshot](), Problems()
        transitions = None if self.updates is None else self.updates.numbered(vocabulary)
        for position in range(len(self.snapshots)):
            try:
                every.append(self.read(position, people, vocabulary, kinds, transitions))
            except InputError as error:
                problems.found += [each for each in error.problems if each not in problems.found]
        problems.check()
        return every

    def changing(self, kinds: Mapping[str, Kind] | None = None) -> tuple[str, ...]:
        """Return the quasi-identifiers of which a person has different values in two snapshots; `kinds` as for `read`.

        Raises:
            InputError: as for `read_all`.
        """
        kinds, names = {**self.kinds, **(kinds or {})}, self.quasi_identifiers
        compared_as = tuple(kinds[name] for name in names)
        if compared_as not in self._changing:  # as each method that a plan tries asks for it
            every = self.read_all(people := IdentifierEncoder(), kinds)
            self._changing[compared_as] = tuple(
                name for at, name in enumerate(names) if _changes(every, at, people.size)
            )
        return self._changing[compared_as]

    def check_spelling(self, every: Sequence[ReadSnapshot], people: IdentifierEncoder) -> None:
        """Refuse identifiers, and values, that may be one in two spellings or in other codes.

        Raises:
            InputError: there are such texts in a column that `spelled` does not name.
        """
        problems, values = Problems(), every[0].snapshot.values
        texts, numbers = people.alike()
        texts += map(str, numbers.tolist())
        codes = people.codes(texts)
        there = [np.isin(codes, each.snapshot.person) for each in every]
        releases = [{text for text, is_there in zip(texts, each, strict=True) if is_there} for each in there]
        listed = set[str]().union(*releases)
        alike = {
            INDIVIDUAL: [*perhaps_one_person(listed, releases), *respelled(listed)],
            self.sensitive: [] if self.has_numbers else [*respelled(values), *perhaps_one_value(values)],
        }
        for name, groups in alike.items():
            if groups and name not in self.spelled:
                what = say_count(
                    '{count} [text|texts] of "{column}" may be [another spelling of an existing one|other spellings of '
                    "existing ones], and would count as [another person or value|other people or values]",
                    sum(map(len, groups)) - len(groups),
                    column=printable(name),
                )
                remedy = say(
                    'write each in one way in all tables; if they are different, write spelled = ["{column}"] under '
                    "[columns]",
                    column=printable(name),
                )
                problems.add(NAME, what, remedy)
        read = [kind_of_values([in_digits(text, sign) for text in self._first[self.sensitive]]) for sign in ".,"]
        if not (self.decimal or self.has_numbers or self.sensitive in self.spelled) and Kind.NUMERIC in read:
            what = say('the commas in numbers of "{column}" may part thousands', column=printable(self.sensitive))
            remedy = say(
                'write decimal = "." under [columns] if they do, decimal = "," if they are decimal signs, or '
                'spelled = ["{column}"] if these are texts',
                column=printable(self.sensitive),
            )
            problems.add(NAME, what, remedy)
        self._note_other_codes(every, problems)
        problems.check()

    def _note_other_codes(self, every: Sequence[ReadSnapshot], problems: Problems) -> None:
        """Note the texts of a quasi-identifier of which a snapshot has hardly one in common with earlier ones."""
        for at, name in enumerate(self.quasi_identifiers):
            texts = [
                {each.texts[at][place] for place in np.unique(each.snapshot.point[:, at]).tolist()} for each in every
            ]
            wrong = (n for n in range(1, len(texts)) if have_other_codes(set().union(*texts[:n]), texts[n]))
            every_text = sorted(set[str]().union(*texts))
            grows = kind_of_values(every_text) is Kind.NUMERIC or kind_of_single_days(every_text) is not None
            if grows or name in {*self.dates, *self.spelled, *self.codes} or (n := next(wrong, None)) is None:
                continue
            what = say(
                '"{column}" has other texts in {tag} than in earlier tables, such as codes for the same values, and '
                "would count as other values",
                column=printable(name),
                tag=printable(self.tags[n]),
            )
            remedy = say(
                "write the same codes into all tables; if the texts are different values, write spelled = "
                '["{column}"] under [columns]',
                column=printable(name),
            )
            problems.add(self.snapshots[n].shown, what, remedy, column=name)

    def impossible(self, every: Sequence[ReadSnapshot], *, constant: bool) -> list[Numbers]:
        """Return the rows of each snapshot, from `read_all`, whose values cannot follow those of the people before.

        By the transitions, or, without these or with `constant`, because values never change.
        """
        people = max(int(each.snapshot.person.max()) for each in every) + 1
        last, found = np.full(people, UNKNOWN), []
        may = None if constant or self.updates is None else self.updates.numbered(Vocabulary()).sets.may
        for each in every:
            who, value = each.snapshot.person, each.snapshot.value
            wrong = last[who] != value if may is None else ~may[last[who], value]
            found.append(np.flatnonzero(wrong & (last[who] != UNKNOWN)))
            last[who] = value
        return found

    def table(self, file: SnapshotFile, problems: Problems, *, people: bool = True) -> Table | None:
        """Return a snapshot's columns as they are published: numbers in normal spelling, dates as years or months.

        None if it cannot be read. Without `people`, the column of people is left out.

        Raises:
            InputError: the first snapshot cannot be read.
        """
        table = self._declared(file, problems, people=people)
        return table if table is None or not self.has_numbers else table.mapped(self.sensitive, as_plain_number)

    def respell(self, problems: Problems) -> None:
        """Write the sensitive values of transitions and `harmless` as those of the snapshots are published.

        Raises:
            InputError: the first snapshot cannot be read.
        """
        if self.updates is not None:
            self.updates = self.updates.respelled(self._published_value, problems)
        self.harmless = tuple(map(self._published_value, self.harmless))

    def _published_value(self, text: str) -> str:
        text = in_digits(text, self.decimal)
        return as_plain_number(text) if self.has_numbers else text

    def _declared(self, file: SnapshotFile, problems: Problems, *, people: bool) -> Table | None:
        names, individual = self.published, (self.individual,) * people
        table = file.read([*individual, *names], problems, distinct=individual)
        if table is None:
            return None
        for name in {*names} - {*self.codes, *self.unlinkable.columns}:
            table = table.mapped(name, partial(in_digits, sign=self.decimal))
        for name in {*names} & {*self.dates}:  # a plan may leave out a column
            unit = UNITS[self.dates[name]]
            table = table.mapped(name, partial(_in_units, kind=kind_of_days(table.distinct(name)), form=unit))
        return table

    def closed(self) -> tuple[Microdata, int]:
        """Return the microdata with transitions that methods complete, and the number of pairs that this adds.

        What an adversary knows remains what the file lists: an audit by more transitions would find less.

        Raises:
            UsageError: the microdata have no transitions.
        """
        if self.updates is None:
            what = say("{file}: --close completes transitions, and the microdata have none", file=NAME)
            raise UsageError.say("{what}; name their file under [updates], or leave --close out", what=what)
        return replace(self, closes=True), len(self.updates.numbered(Vocabulary()).sets.missing())

    def followed(self, transitions: Transitions) -> UpdateSets:
        """Return the possible updates that methods follow."""
        return transitions.sets.closed() if self.closes else transitions.sets

    def _person(self, table: Table, people: IdentifierEncoder, problems: Problems) -> Codes:
        codes = people.encode(table.arrow(self.individual))
        fake = people.counterfeits(codes)
        what = say("identifiers that begin with {text} are reserved for counterfeits", text=COUNTERFEIT)
        table.note_first(fake, self.individual, what, say("give this person another identifier"), problems)
        rows, again = people.repeated(codes)
        if len(rows):
            what = say("this person has another row on line {line}", line=str(table.line(int(again[0]))))
            if len(rows) > 1:
                what += say(", and so do {more} more", more=len(rows) - 1)
            remedy = say(
                "keep one row for each person, or write under [columns] which row counts: "
                'latest_by = "…", a column of dates, or gravest = ["…", …], all sensitive values, the gravest first'
            )
            problems.add(table.shown, what, remedy, line=table.line(int(rows[0])), column=self.individual)
        return codes

    def _value(
        self, table: Table, vocabulary: Vocabulary, transitions: Transitions | None, problems: Problems
    ) -> Codes:
        codes, names = text_codes(table.arrow(self.sensitive))
        empty = np.array([not name for name in names], dtype=np.bool_)
        unknown = np.isin(codes, [names.index(text) for text in {*unknown_among(names)} - {*self.harmless}])
        what = say("the cell says that the value is not known, and a group with it would seem to have one value more")
        remedy = say(
            "name the text under left_out, so that these rows are not published; or under harmless if it may become "
            "known of anybody"
        )
        table.note_first(unknown, self.sensitive, what, remedy, problems)
        numbers = vocabulary.add(names)
        if transitions is not None:
            listed = np.append(transitions.listed, np.zeros(len(vocabulary), dtype=np.bool_))[numbers]
            what = say("no line of {file} begins with the value of this row", file=self.transitions)
            remedy = say(
                "say there what may follow it, itself included if it may stay; `audit init --microdata --confirm` "
                "writes it"
            )
            table.note_first(~(listed | empty)[codes], self.sensitive, what, remedy, problems)
        return numbers[codes]

    def _column(
        self, table: Table, name: str, kind: Kind, problems: Problems
    ) -> tuple[Codes, list[str], list[Fraction | str]]:
        """Return the places of a quasi-identifier's cells in its scale, and the scale as texts and as exact values."""
        codes, names = text_codes(table.arrow(name))
        known = self._parsed.setdefault(name, {})
        wrong: dict[tuple[str, str], list[int]] = {}
        for place, text in enumerate(names):
            if text not in known:
                try:
                    known[text] = self._exact(name, text, kind)
                except CellError as error:  # in each snapshot anew
                    wrong.setdefault((error.what, error.remedy), []).append(place)
        for (what, remedy), cells in wrong.items():
            table.note_first(np.isin(codes, cells), name, what, remedy, problems)
        exact = [known.get(text) for text in names]
        domain = self.domains.get(name)
        numbers = {text: each for text, each in zip(names, exact, strict=True) if isinstance(each, Fraction)}
        if domain is None:
            rows = np.bincount(codes, minlength=len(names)).tolist()
            unknown = codes_among(numbers, dict(zip(names, rows, strict=True)))
        else:  # a range that ends with a code was guessed from the numbers, with the code among them
            unknown = [text for text in codes_for_unknown(numbers) if numbers[text] in (domain.low, domain.high)]
        what = say("the number looks like a code for an unknown value")
        cells = [names.index(text) for text in unknown]
        remedy = say(
            "write the true values, or delete these rows; or say under [domains] what the codes are: values of their "
            'own, by a list of all values of the column ({column} = ["-9", "1", "2"]), or numbers, by a range that '
            "goes beyond them ({column} = [-10, 100])",
            column=toml_key(printable(name)),
        )
        table.note_first(np.isin(codes, cells), name, what, remedy, problems)
        listed: Sequence[Fraction | str] = domain.texts if domain is not None else ()
        values = _ordered({value for value in exact if value is not None}, listed)
        text_of = {value: text for value, text in zip(exact, names, strict=True) if value is not None}
        place_of = {value: place for place, value in enumerate(values)}
        places = np.array([place_of.get(value, 0) if value is not None else 0 for value in exact], dtype=np.int32)
        return (places[codes] if names else codes), [text_of.get(v, str(v)) for v in values], values

    def _exact(self, name: str, text: str, kind: Kind) -> Fraction | str:
        """Return the exact value of a text.

        Raises:
            CellError: it is none of this column.
        """
        domain = self.domains.get(name)
        if name in self.dates and text and not _UNIT.fullmatch(text):
            remedy = say("write it as 2024-03-17 or 17.03.2024, or leave the column out of dates")
            raise CellError(say("the cell is no date whose day and month are clear"), remedy)
        try:
            value = parse_value(text, kind)
        except CellError as error:
            raise CellError(error.what, say("correct it, or list the column's values under [domains]")) from error
        if value is None:
            remedy = say(
                'write the exact value into the table; or a text such as "unknown", which counts as a value of its '
                "own, and list all values under [domains] if {file} is there already; or delete the column from the "
                "table",
                file=NAME,
            )
            raise CellError(say("the cell has no value"), remedy)
        if isinstance(value, Fraction) and abs(value) > _LARGEST:
            raise CellError(say("the number is too large"), say("write a number of at most 300 digits"))
        if domain is None and kind is Kind.CATEGORICAL and name not in self.codes and unread(text, None):
            remedy = say(
                'list all values of the column in their order under [domains]: {column} = ["…", "…"]',
                column=toml_key(name),
            )
            raise CellError(say("the text looks like a range, and no list says that it is a value"), remedy)
        if domain is not None and value not in domain:
            remedy = say("correct it, or write a wider domain, which later tables fit into, too")
            raise CellError(say("the value is not in the declared domain"), remedy)
        return value

    def _scale(self, name: str, values: Sequence[Fraction | str]) -> Scale:
        domain = self.domains.get(name)
        numbers = [value for value in values if isinstance(value, Fraction)]
        if len(numbers) < len(values) or not numbers:
            return Scale(name, np.arange(len(values)) / max(1, len(values) - 1))
        low, high = numbers[0], numbers[-1]
        if domain is not None and domain.low is not None and domain.high is not None:
            low, high = domain.low, domain.high
        width = float(high - low) or 1.0
        block = last_of_block(numbers, self.grids[name][0]) if name in self.grids else None
        return Scale(name, np.array([float(number - low) / width for number in numbers]), block)


def _changes(every: Sequence[ReadSnapshot], column: int, people: int) -> bool:
    """Return whether a person has different values of a quasi-identifier in two of the snapshots."""
    last, places = np.full(people, UNKNOWN, dtype=np.int32), dict[Fraction | str, int]()
    for each in every:
        exact = each.numbers[column] or each.texts[column]
        place = np.array([places.setdefault(value, len(places)) for value in exact], dtype=np.int32)
        who, now = each.snapshot.person, place[each.snapshot.point[:, column]]
        if ((last[who] != now) & (last[who] != UNKNOWN)).any():
            return True
        last[who] = now
    return False


def note_no_people(table: Table, individual: str, sensitive: str, problems: Problems) -> None:
    """Note rows that are no person's: totals, and rows without an identifier or a sensitive value."""
    total = totals(table.arrow(individual))
    nameless, valueless = table.where(individual, not_), table.where(sensitive, not_) & ~total
    table.note_first(nameless, individual, say("the cell is empty"), say("write whose row it is"), problems)
    if lines := [table.line(row) for row in np.flatnonzero(total).tolist()]:
        what = say_count(
            "the [row looks like a total, not like a person|rows of lines {lines} look like totals, not like people]",
            len(lines),
            lines=joined([*map(str, lines)], most=_MOST_LINES),
        )
        remedy = say_count(
            "delete [it|them], or give [the person another identifier|the people other identifiers]", len(lines)
        )
        problems.add(table.shown, what, remedy, line=lines[0], column=individual)
    remedy = say(
        "write its value, such as None if a blank says that there is none; or a text such as "
        '"unknown", which {file} may name under left_out, so that these rows are not published; or delete the row',
        file=NAME,
    )
    table.note_first(valueless, sensitive, say("the row has no value"), remedy, problems)


def open_microdata(path: Path | str, text: str | None = None) -> Microdata:
    """Open the microdata in a folder; `path` may also be its `microdata.toml`, and `text` replaces this file's.

    Raises:
        InputError: the file is faulty, or snapshots or columns that it names are missing; it lists all problems.
    """
    folder = Path(path)
    folder = folder.parent if folder.name == NAME else folder
    problems = Problems()
    remedy = say("write a {file}, or make microdata with `audit simulate`", file=NAME)
    text = problems.checked(read_text(folder, NAME, remedy, problems)) if text is None else text
    document = problems.checked(parse(text, NAME, say("see https://toml.io"), problems))
    microdata = _MicrodataReader(folder, NAME, text, document, problems).microdata()
    for each in microdata.snapshots:
        names = header(each.path, each.shown, problems)
        wanted = [microdata.individual, *microdata.published, each.by, *each.deciding]
        if names is not None:
            note_absent(each.path, each.shown, list(names), [name for name in wanted if name], problems)
    if microdata.transitions is not None:
        microdata.updates = read_lines(folder, microdata.transitions, problems)
    problems.check()
    with suppress(InputError):  # which reading the first snapshot raises again
        microdata.respell(problems)
    problems.check()
    return microdata


class _MicrodataReader(Reader):
    """Turns the TOML document into `Microdata`."""

    what = "microdata"
    sections = _SECTIONS

    def microdata(self) -> Microdata:
        self.check_names()
        head, columns, stated = self.read("microdata"), self.read("columns"), self.table("columns")
        quasi, codes, left_out = columns["quasi_identifiers"], columns["codes"], columns["left_out"]
        single = {"individual": self.needed(stated, "individual"), "sensitive": ""}
        if isinstance(stated.get("sensitive"), list):
            self.ask_for("sensitive", say("only one column of microdata can be sensitive"), 'sensitive = "…"')
        else:
            single["sensitive"] = self.needed(stated, "sensitive")
        unlinkable = Unlinkable(columns["unlinkable"], (single["sensitive"],))
        for what, remedy in unlinkable.faults(Columns((single["sensitive"],))):
            self.note("unlinkable", what, remedy)
        self.check_roles([*quasi, *unlinkable.columns, *single.values()])
        hierarchies, domains = self.hierarchies(columns["hierarchies"], quasi), self.domains(quasi)
        for name in sorted({*codes} - {*quasi}):
            self.note("codes", say('"{name}" is not a quasi-identifier', name=name), _not_quasi())
        for name in sorted({*codes} & ({*domains} | {*hierarchies})):
            self.note("codes", say('"{name}" has a domain or a hierarchy as well', name=name), say("keep one of them"))
        if {*left_out} & {*columns["harmless"]}:
            self.note("left_out", say("harmless names one of these values, too"), say("keep one of them"))
        leaves = {name: Domain(texts=hierarchy.levels[0]) for name, hierarchy in hierarchies.items()}
        row, taken = self.one_row(columns, **single), ("codes", "harmless", "decimal", "spelled")
        return Microdata(
            folder=self.folder,
            name=head["name"] or self.folder.resolve().name,
            snapshots=tuple(
                replace(each, one_row=row, left_out=(single["sensitive"], left_out)) for each in self.snapshots(head)
            ),
            individual=single["individual"],
            quasi_identifiers=quasi,
            sensitive=single["sensitive"],
            transitions=self.transitions(),
            domains={**domains, **leaves},
            hierarchies=hierarchies,
            similar=self.similar(columns),
            unlinkable=unlinkable,
            grids=self.grids(quasi, {*codes, *hierarchies}),
            dates=self.dates(columns["dates"], quasi, {*codes, *hierarchies, *domains}),
            **{key: columns[key] for key in taken},
        )

    def similar(self, columns: Mapping[str, Any]) -> bool | None:
        stated: object = columns["similar"]
        if isinstance(stated, dict) and [*stated] == [columns["sensitive"]]:  # as in a series
            stated = stated[columns["sensitive"]]
        if stated is True and not columns["harmless"]:
            self.note("similar", say("no values are harmless, so there are no others"), say("name them under harmless"))
        if stated is None or isinstance(stated, bool):
            return stated
        remedy = say("write true or false, or leave it out; files of categories are named in the series")
        self.note("similar", say("this is not true or false"), remedy)
        return None

    def one_row(self, columns: Mapping[str, Any], individual: str, sensitive: str) -> OneRow | None:
        date, gravest = columns["latest_by"], columns["gravest"]
        if date is not None and gravest:
            self.note("gravest", say("latest_by already says which row of a person counts"), say("keep one of them"))
        if gravest:
            return OneRow(individual, sensitive, gravest)
        return None if date is None else OneRow(individual, date)

    def transitions(self) -> str | None:
        updates = self.table("updates")
        if updates.get("transitions") == ANY:
            what = say('methods need to know which value may follow which, and "any" does not say it')
            remedy = say("name a file with the columns from and to; `audit init --microdata --confirm` writes one")
            self.note("transitions", what, remedy)
            return None
        if updates.get("transitions") == NEVER:
            return None
        return self.path(updates, "transitions")

    def hierarchies(self, stated: Mapping[str, str], quasi: Sequence[str]) -> dict[str, Hierarchy]:
        found = {}
        for name, shown in stated.items():
            if name not in quasi:
                self.note("hierarchies", say('"{name}" is not a quasi-identifier', name=name), _not_quasi())
            elif self.inside("hierarchies", shown):
                hierarchy = read_hierarchy(self.folder / shown, shown, self.problems)
                if hierarchy is not None:
                    found[name] = hierarchy
        return found

    def grids(self, quasi: Sequence[str], texts: Collection[str]) -> dict[str, tuple[Fraction, ...]]:
        found = {}
        for name, content in self.table("grids").items():
            widths = content if isinstance(content, list) else [content]
            numbers = [Fraction(str(w)) for w in widths if isinstance(w, int | float) and not isinstance(w, bool)]
            if name not in quasi or name in texts:
                self.note(name, say("[grids] names a column that is not a quasi-identifier of numbers"), _not_quasi())
            elif not numbers or len(numbers) < len(widths) or min(numbers) <= 0:
                self.ask_for(name, say("these are not widths of intervals"), f"{name} = [5, 10, 20]")
            else:
                found[name] = tuple(sorted(numbers))
        return found

    def dates(self, found: Mapping[str, str], quasi: Sequence[str], others: Collection[str]) -> Mapping[str, str]:
        for name, unit in found.items():
            if name not in quasi or name in others or unit not in UNITS:
                what = say(
                    'dates."{name}" is for a quasi-identifier of dates, without a domain, a hierarchy or codes: "year" '
                    'or "month"',
                    name=printable(name),
                )
                self.note("dates", what, _not_quasi())
        return {name: unit for name, unit in found.items() if unit in UNITS}

    def needed(self, columns: Mapping[str, Any], key: str) -> str:
        value = self.text(columns, key)
        if key not in columns:
            self.note(key, say("no such column is named"), say('write {key} = "…" under [columns]', key=key))
        return value or ""

    def snapshots(self, head: Mapping[str, Any]) -> tuple[SnapshotFile, ...]:
        names = head["snapshots"]
        if not names and self.table("microdata").get("snapshots", []) == []:
            self.note("snapshots", say("no snapshot is named"), say('write snapshots = ["1.csv"] under [microdata]'))
        files = [each for name in names for each in self.tables("snapshots", name)]
        found = [SnapshotFile(release_tag(each), self.folder / each, each) for each in files]
        if (by := head["snapshots_by"]) is not None:
            found = [each for file in found for each in self.divided(file, by)]
        tags = [each.tag for each in found]
        self.check_tags(tags, "snapshots")
        for tag in tags:
            if not _names_release(tag):
                remedy = say("rename the file: only letters, digits and simple signs, and no ending but its type's")
                if by is not None:
                    remedy = say('write another text into "{column}": only letters, digits and simple signs', column=by)
                self.note("snapshots", say('no release can have the name "{tag}"', tag=tag), remedy)
        return tuple(found)

    def divided(self, file: SnapshotFile, by: str) -> list[SnapshotFile]:
        """Return the snapshots of one file, one for each text of a column, in the order that the texts show."""
        table = file.read([by], self.problems)
        tags, is_clear = in_time([] if table is None else table.distinct(by))
        if not is_clear:
            self.note(
                "snapshots_by",
                say('the texts of "{by}" do not show the order of the snapshots', by=by),
                say("write them so that they do, such as 2024-04, or each snapshot into a file of its own"),
            )
        if "" in tags:
            self.note("snapshots_by", say('"{by}" has empty cells', by=by), say("write the snapshot into each row"))
        return [replace(file, tag=as_file_name(tag), by=by) for tag in tags if tag]

    def domains(self, quasi: Sequence[str]) -> dict[str, Domain]:
        found = {}
        for name, content in self.table("domains").items():
            domain = _domain(content)
            if name not in quasi:
                self.note(name, say("[domains] names a column that is not a quasi-identifier"), _not_quasi())
            elif domain is None:
                remedy = say('write {name} = [17, 95] for numbers, or ["a", "b"] for values in their order', name=name)
                self.note(name, say("this is not a domain"), remedy)
            else:
                found[name] = domain
        return found


def _not_quasi() -> str:
    """Return what to do about an entry for a column that is no quasi-identifier, as after it was taken out."""
    return say("delete it, or name a quasi-identifier")


def _names_release(tag: str) -> bool:
    """Return whether a tag, as a release's file name in a manifest, is not a pattern and matches no other tag.

    >>> _names_release("2024-Q1"), _names_release("[1]"), _names_release("1.rows")
    (True, False, False)
    """
    return tag.isprintable() and not set("*?[") & set(tag) and release_tag(f"{tag}.csv") == tag != ""


def _domain(content: object) -> Domain | None:
    """Return the domain in a list: the interval of two or more numbers, or texts in their order; None for other lists.

    >>> _domain([17, 95]).high, _domain(["F", "M"]).texts
    (Fraction(95, 1), ('F', 'M'))
    """
    if not isinstance(content, list) or not content:
        return None
    if all(isinstance(item, int | float) and not isinstance(item, bool) for item in content):
        numbers = [item for item in content if abs(item) <= _LARGEST]
        if len(numbers) < max(2, len(content)) or min(numbers) == max(numbers):
            return None
        return Domain(Fraction(str(min(numbers))), Fraction(str(max(numbers))))
    texts = tuple(item.strip() for item in content if isinstance(item, str))
    fits = len(texts) == len(content) and len(set(texts)) == len(texts) and all(text.strip("*") for text in texts)
    return Domain(texts=texts) if fits else None


def in_digits(text: str, sign: str | None) -> str:
    """Return a number with the decimal sign, and signs between thousands, as one with a decimal point at most.

    >>> in_digits("9.028,64", ","), in_digits("9,028", "."), in_digits("9 028", None), in_digits("10.000 to 20", ",")
    ('9028.64', '9028', '9028', '10.000 to 20')
    """
    if sign != ",":
        return ungrouped(text, "," if sign else "")
    number = with_plain_point(text)
    return text if number_in(number) is None else number


def _in_units(text: str, kind: Kind, form: str) -> str:
    """Return the year or the month of a date; other texts unchanged.

    >>> _in_units("17.03.2024", Kind.DATE, "%Y"), _in_units("3/17/2024", Kind.MONTH_FIRST, "%Y-%m")
    ('2024', '2024-03')
    """
    with suppress(CellError):
        day = parse_value(text, kind)
        if isinstance(day, Fraction):
            return datetime.date.fromordinal(int(day)).strftime(form)
    return text


def frequent_value(codes: Codes, texts: Sequence[str], harmless: Collection[str] = ()) -> tuple[str, float] | None:
    """Return the value that more than half of the rows have, and their share; None if none has, or a harmless one."""
    counts = np.bincount(codes, minlength=1)
    most = int(counts.argmax())
    if 2 * counts[most] <= len(codes) or texts[most] in {"", *harmless}:
        return None
    return texts[most], float(counts[most] / len(codes))


def kind_of_values(texts: Sequence[str]) -> Kind:
    """Return NUMERIC if nearly all exact values of a column are numbers, else CATEGORICAL."""
    numbers = sum(number_in(text) is not None for text in texts)
    return Kind.NUMERIC if numbers and numbers >= _NUMBERS_AMONG * len(texts) else Kind.CATEGORICAL


def _ordered(present: set[Fraction | str], listed: Sequence[Fraction | str]) -> list[Fraction | str]:
    """Return the values in the order of their domain: as listed, else by number, else in natural order."""
    if listed:
        return list(listed)
    if numbers := [value for value in present if isinstance(value, Fraction)]:
        # Floats first: comparing fractions is slow, and only necessary if the floats are nearly equal.
        return [number for _, number in sorted((float(number), number) for number in numbers)]
    return [*sorted((value for value in present if isinstance(value, str)), key=lambda text: (natural(text), text))]
