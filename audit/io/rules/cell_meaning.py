"""Rules about the meaning of cells: hierarchies, types, unknown and exact values, and cells that change with time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Self

from audit.io.cell_reading import bands_among, day_in, is_range, number_in, parse_point, unit_of
from audit.io.cells import CellError, Kind
from audit.io.notations import as_plain_number, fold, kind_of_days, read_number, ungrouped, with_plain_point
from audit.io.rules.rule import NO_ROLE, ColumnRule, Columns, Hint, ReadSeries, Respelling, WrittenTexts, unnamed
from audit.io.table_forms import legend
from audit.io.toml import Reader, toml_key
from audit.model.errors import Doubt
from audit.model.nearness import PublishedNumbers
from audit.model.report import MisreadWarning
from audit.runtime.phrases import Phrase, Reason, ReasonKind, printable, say, say_count

_AMOUNT = re.compile(
    r"(?:(?:eur|usd|gbp|chf)(?![^\W\d_])|(?:circa|approx(?:imately)?|about|around|etwa|rund|ungefähr|env(?:iron)?"
    r"|aprox(?:imadamente)?|ca|rs|fr)\b|[~∼≈≃]|\w+\s*[=:])\.?[^\w\s]*\s*[0-9]",
    re.IGNORECASE,
)
_LIKE_A_NUMBER = re.compile(rf"[^\w\s]*\s*\d|{_AMOUNT.pattern}", re.IGNORECASE)
_MAY_BE_LIST = re.compile("[0-9],[0-9]")  # of codes, such as 1,2 beside 4
# A number with separated thousands, in digits of another script, quoted as in a spreadsheet, or with a note's sign.
_DRESSED = re.compile(
    r"[+-]?[0-9]{1,3}(?:[.,'’\s_][0-9]{3})+|=?[\"'’]?\d+(?:\.\d+)?\"?\s*(?:[*†‡§¹²³⁰⁴-⁹]+|[(\[]\w[)\]])?"
)
_COUNTED = re.compile(r"([+-]?\d[\d.,'’\s]*)([^\W\d_].*)")
_HIDDEN = re.compile(
    r"secre|suppress|hidden|confiden|withh[eo]ld|redact|protect|disclos|unknown|missing|not? (?:known|availab|stated)"
    r"|unavailable|geheim|gesperrt|unterdr|verborgen|unbekannt|keine angabe|nicht (?:bekannt|verf|ver\u00f6ff)|inconnu"
    r"|masqu|non[ -](?:dispo|diffus|renseign|publi)|ocult|desconocid|no (?:consta|dispon|public)|anonymi",
    re.IGNORECASE,
)
_LONGEST_SIGN = 9
_NEITHER = (
    Phrase('"{column}" is neither a quasi-identifier nor sensitive'),
    Phrase("name a column of quasi_identifiers or a sensitive one"),
)
_NOT_QUASI = Phrase('"{column}" is not a quasi-identifier'), Phrase("name a column of quasi_identifiers")


@dataclass(frozen=True)
class Hierarchies(ColumnRule, key="hierarchies", form=Reader.files, why=Phrase("by its name or its labels")):
    """`hierarchies = { Town = "towns.csv" }`: the file with the hierarchy of labels of a quasi-identifier."""

    names: Mapping[str, str] = field(default_factory=dict)

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the columns that are not quasi-identifiers."""
        return unnamed(sorted(self.names), columns.quasi_identifiers, *_NOT_QUASI)


@dataclass(frozen=True)
class ColumnTypes(ColumnRule, key="types", why=Phrase("some cells look like a range of numbers, but are not one")):
    """`types = { Age = "numeric" }`: whether the values of a column are numbers, dates or codes.

    Attributes:
        kinds: the declared type of each column.
        sensitive: the sensitive columns.
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    sensitive: tuple[str, ...] = ()

    @classmethod
    def read(cls, reader: Reader, table: Mapping[str, Any], columns: Columns) -> Self:
        """Return the rule with the sensitive columns."""
        return replace(super().read(reader, table, columns), sensitive=columns.sensitive)

    def respelling(self, column: str, tag: str, so_far: Respelling) -> Respelling | None:
        """Return the function that makes `5` and `5.0` the same sensitive number; None for all other columns."""
        is_number = column in self.sensitive and self.kinds.get(column) == Kind.NUMERIC.value
        return as_plain_number if is_number else None

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the fault of each column that cannot have a type, and of each unknown type."""
        dates = [str(getattr(rule, "column", "")) for rule in columns.rules if rule.key == "date"]
        allowed = (*columns.quasi_identifiers, *columns.sensitive, *dates)
        yield from unnamed(sorted(self.kinds), allowed, *_NEITHER)
        for kind in dict.fromkeys(self.kinds.values()):
            if kind not in {each.value for each in Kind}:
                names = ", ".join(f'"{each.value}"' for each in Kind)
                yield say('unknown type "{kind}"', kind=kind), say("use one of {names}", names=names)

    def kind_of(self, series: ReadSeries, column: str) -> Kind:
        """Return the kind of the values of a sensitive column: as declared, else days or numbers by its texts.

        If dates with slashes allow both orders of day and month, the day comes first.
        """
        declared = self.kinds.get(column)
        if declared is not None:
            return Kind(declared)
        missing, texts = series.missing(column), series.vocabularies[column].names
        if any(number_in(text, missing) is not None for text in texts):
            return Kind.NUMERIC
        found = kind_of_days(texts)
        for kind in dict.fromkeys([found, Kind.DAY_FIRST] if any("/" in text for text in texts) else [found]):
            if sum(day_in(text, kind, missing) is not None for text in texts) > 1:
                return kind
        return Kind.NUMERIC

    def numbers(self, series: ReadSeries, column: str, width: Fraction | None) -> PublishedNumbers | None:
        """Return the numbers of a sensitive column; None if nothing suggests that it has numbers.

        Args:
            series: the series, after reading.
            column: a sensitive column.
            width: how far close numbers may differ, in their own unit; None if the policy does not say.
        """
        kind = self.kinds.get(column)
        if kind == Kind.CATEGORICAL.value:
            return None
        read_as, (bands, overlap) = self.kind_of(series, column), self.bands(series, column)
        numbers = self._numbers(series, column, read_as)
        number = tuple(bands[text][0] if text in bands else each for text, each in numbers.items())
        known = [each for each in number if each is not None]
        if len(known) < 2 and kind is None and width is None and not self._unread(series, column, read_as)[0]:
            return None
        about = {"column": printable(column), "key": toml_key(printable(column))}
        doubt = None
        if bands and kind is None and width is None:
            doubt = say(
                'values of "{column}" are bands of numbers, and those next to each other may disclose nearly as much '
                'as one: write types = {{ {key} = "numeric" }} under [columns] if so, "categorical" if only the band '
                "itself discloses anything",
                **about,
            )
        elif overlap:
            doubt = say(
                'bands of "{column}" overlap, so that it is not known which are close: publish bands without common '
                'numbers, or write types = {{ {key} = "categorical" }} under [columns] if only the band itself '
                "discloses anything",
                **about,
            )
        elif read_as.is_date:
            doubt = self._doubt_of_days(series, column, width)
        elif width is None and kind is None:
            doubt = say(
                'the numbers of "{column}" may be amounts, where a close number discloses nearly as much, or codes: '
                'write types = {{ {key} = "numeric" }} under [columns] for amounts, "categorical" for codes',
                **about,
            )
        elif (
            width is None and known and min(known) * max(known) > 0 and max(map(abs, known)) <= 2 * min(map(abs, known))
        ):
            doubt = say(
                'the numbers of "{column}" are so far from 0 that a percentage says little; write under [policy] which '
                'difference is close, in their own unit, such as closeness = {{ {key} = "0.5" }}',
                **about,
            )
        reason = None if doubt is None else Reason(doubt, ReasonKind.UNDECLARED)
        return PublishedNumbers(number, width, reason, dict(bands.values()))

    def bands(self, series: ReadSeries, column: str) -> tuple[dict[str, tuple[Fraction, Fraction]], bool]:
        """Return the least and the largest number of each value of a sensitive column that is a band of numbers.

        And whether bands have numbers in common, or one has a published number inside: then all count as narrow as the
        narrowest one, so that none of them is taken for far from another that it covers.
        """
        if self.kinds.get(column, Kind.NUMERIC.value) != Kind.NUMERIC.value:
            return {}, False
        texts, missing = series.vocabularies[column].names, series.missing(column)
        bands = bands_among(text for text in texts if text not in missing)
        points = {(number, number) for text in texts if (number := number_in(text, missing)) is not None}
        ends = sorted({*bands.values(), *points})
        if not bands or all(one[0] < other[0] >= one[1] for one, other in pairwise(ends)):
            return bands, False
        narrowest = min(high - low for low, high in bands.values())
        return {text: (low, low + narrowest) for text, (low, _) in bands.items()}, True

    def _doubt_of_days(self, series: ReadSeries, column: str, width: Fraction | None) -> str | None:
        """Return why it is not known which days of a sensitive column are close; None if it is."""
        about = {"column": printable(column), "key": toml_key(printable(column))}
        slashed = any("/" in text for text in series.vocabularies[column].names)
        if self.kinds.get(column) is None and (width is None or slashed):
            return say(
                'a date near that of "{column}" may disclose nearly as much: write types = {{ {key} = "date" }} under '
                '[columns] (with slashes "day/month/year" or "month/day/year") and under [policy] how many days are '
                'close, such as closeness = {{ {key} = "30" }}; if only the date itself discloses anything, '
                'types = {{ {key} = "categorical" }}',
                **about,
            )
        if width is None:
            return say(
                'write under [policy] how many days are close in "{column}", such as closeness = {{ {key} = "30" }}',
                **about,
            )
        return None

    def doubts(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield a doubt about each sensitive column of numbers with texts that look like numbers but are not read.

        The doubt is about closeness alone if all numbers are such texts with one unit, and differ: only how close they
        are is unknown. Else texts may also be the same value, such as `1 kg` and `1000 g`.
        """
        for column in self.sensitive:
            if (read_as := self.kind_of(series, column)).is_date:
                yield from self._unread_days(series, column, read_as)
                continue
            unread, none_read = self._unread(series, column, read_as)
            amounts = [text for text in unread if _may_be_number(text)]
            if unread and (
                2 * len(amounts) > len(unread)
                or (self.kinds.get(column) is None and none_read and None not in unread.values())
            ):
                what = say(
                    'how the numbers of "{column}" are written (first: "{text}") is not declared: write types = '
                    '{{ {key} = "numeric" }} under [columns], and decimal = "." or "," if they have either, or '
                    'types = {{ {key} = "categorical" }} for codes',
                    column=printable(column),
                    key=toml_key(printable(column)),
                    text=printable(next(iter(amounts or unread)), 40),
                )
            elif unread:
                what = say_count(
                    '{count} [text|texts] of "{column}" [looks like a number but is|look like numbers but are] not '
                    'read as [one|such] (first: "{text}"): write all numbers of the column in one notation, with one '
                    'unit or without, or types = {{ {key} = "categorical" }} under [columns] if they are codes',
                    len(unread),
                    column=printable(column),
                    key=toml_key(printable(column)),
                    text=printable(next(iter(unread)), 40),
                )
            if unread:
                differ = none_read and None not in unread.values() and len({*unread.values()}) == len(unread)
                differ &= len({*map(unit_of, unread)}) == 1
                clauses = frozenset({"closeness"} if differ else {"max_risk", "closeness"})
                yield Doubt(Reason(what, ReasonKind.UNDECLARED), clauses, between=True)

    def _unread_days(self, series: ReadSeries, column: str, kind: Kind) -> Iterator[Doubt]:
        """Yield a doubt about the texts with digits of a sensitive column of days that are read as no day."""
        missing = series.missing(column)
        unread = [
            text
            for text, day in self._numbers(series, column, kind).items()
            if day is None and text not in missing and any(map(str.isdigit, text))
        ]
        if unread:
            what = say_count(
                '{count} [text|texts] of "{column}" [is|are] not read as [a date|dates] (first: "{text}"): write all '
                'dates of the column in one form, such as 2024-03-17, or types = {{ {key} = "categorical" }} under '
                "[columns] if they are codes",
                len(unread),
                column=printable(column),
                key=toml_key(printable(column)),
                text=printable(unread[0], 40),
            )
            yield Doubt(Reason(what, ReasonKind.UNDECLARED), frozenset({"max_risk", "closeness"}), between=True)

    def _unread(self, series: ReadSeries, column: str, read_as: Kind) -> tuple[dict[str, Fraction | None], bool]:
        """Return the texts that look like numbers but are not read, and whether the column has no number that is read.

        Each such text comes with the number before its unit, if there is one. Empty if the column has no numbers.
        """
        missing, texts, kind = series.missing(column), series.vocabularies[column].names, self.kinds.get(column)
        read = {text for text, number in self._numbers(series, column, read_as).items() if number is not None}
        known = read | missing | self.bands(series, column)[0].keys()
        others = [text for text in texts if text not in known]
        none_of_numbers = kind == Kind.NUMERIC.value and not read
        unread = {text: _with_unit(text) for text in others if none_of_numbers or _LIKE_A_NUMBER.match(text)}
        counted = _with_one_word(unread)
        if 2 * len(counted) <= len(others):
            counted = {}
        unread |= counted
        surely_numbers = [
            text
            for text, number in unread.items()
            if kind
            or number is not None
            or text in counted
            or _DRESSED.fullmatch(text)
            or _AMOUNT.match(text)
            or (_may_be_number(text) and not (read and _MAY_BE_LIST.fullmatch(text)))
        ]
        is_number = kind != Kind.CATEGORICAL.value and (len(read) > 1 or len(read) + len(surely_numbers) > 1)
        return unread if is_number else {}, not read

    def _numbers(self, series: ReadSeries, column: str, kind: Kind) -> dict[str, Fraction | None]:
        """Return the number, or the number of the day, that each text of a sensitive column is; None for other texts.

        Where the type is declared, all numbers may have the same unit.
        """
        missing, texts = series.missing(column), series.vocabularies[column].names
        if kind.is_date:
            return {text: day_in(text, kind, missing) for text in texts}
        numbers = {text: number_in(text, missing) for text in texts}
        if self.kinds.get(column) == Kind.NUMERIC.value and not any(n is not None for n in numbers.values()):
            with_unit = {text: None if text in missing else _with_unit(text) for text in texts}
            if len({unit_of(text) for text, number in with_unit.items() if number is not None}) == 1:
                return with_unit
        return numbers


def _may_be_number(text: str) -> bool:
    """Return whether a text is a number, if its commas are decimal or part thousands."""
    return number_in(ungrouped(text, ",")) is not None or number_in(with_plain_point(text)) is not None


def _with_unit(text: str) -> Fraction | None:
    """Return the number in a text with a unit; None for other texts."""
    try:
        point = parse_point(text, Kind.NUMERIC)
    except CellError:
        return None
    return None if point is None else point.low


def _with_one_word(texts: Iterable[str]) -> dict[str, Fraction | None]:
    """Return those texts whose words after a number are the most frequent ones, each with its number."""
    by_words: dict[str, dict[str, Fraction | None]] = {}
    for text, found in ((text, _COUNTED.fullmatch(text)) for text in texts):
        if found is not None:
            by_words.setdefault(fold(found[2]), {})[text] = read_number(found[1].strip())
    return max(by_words.values(), key=len, default={})


@dataclass(frozen=True)
class Missing(ColumnRule, key="missing", why=Phrase("what is not known; in a quasi-identifier, that may be any value")):
    """`missing = ["?"]`: texts that stand for an unknown value."""

    texts: frozenset[str] = frozenset()

    @classmethod
    def read(cls, reader: Reader, table: Mapping[str, Any], columns: Columns) -> Self:
        """Return the rule; the empty text may be among the texts."""
        return cls(frozenset(reader.texts(table, cls.key, empty=True)))

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the fault of each text that looks like a range, and so has a meaning already."""
        for text in sorted(filter(is_range, self.texts)):
            what = say('"{text}" looks like a range, so it cannot stand for an unknown value', text=printable(text))
            yield what, say("leave it out here; in the files, write ranges as [20, 39], >=65 or 65+")

    def hints(self, written: WrittenTexts) -> Iterator[Hint]:
        """Yield the columns with signs that hide a value, as a note below a table says."""
        columns = written.columns
        for name in (*columns.quasi_identifiers, *columns.sensitive):
            covering = "*" if name in columns.quasi_identifiers else ""
            texts = () if name in columns.rules[Spelled].columns or not written.notes else written.texts.get(name, ())
            signs = [t for t in texts if len(t) <= _LONGEST_SIGN and t not in self.texts and not is_range(t)]
            said = legend([t for t in signs if t.strip(covering)], written.notes)
            hidden = {sign: words for sign, words in said if _HIDDEN.search(words)}
            for sign, words in hidden.items():
                about = {"column": printable(name), "sign": printable(sign), "words": printable(words, 60)}
                what = say(
                    'a note below a table says of "{sign}": "{words}"; in "{column}" it is read as a value; if it '
                    "stands for a value that is not published, list it under missing, else write spelled = "
                    '["{column}"] under [columns]',
                    **about,
                )
                why = say('a note below a table says of "{sign}": "{words}"', **about)
                yield Hint(name, [[sign]], Missing(frozenset((sign,))), why, MisreadWarning("stray-cells", what), True)


@dataclass(frozen=True)
class Spelled(ColumnRule, key="spelled", form=Reader.texts):
    """`spelled = ["Sex"]`: columns whose texts are exact values, even if they look like ranges."""

    columns: tuple[str, ...] = ()

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the fault of each column without a role, or with a hierarchy or another type than "categorical"."""
        yield from unnamed(sorted(self.columns), {*columns.named, "individual"}, *NO_ROLE)
        hierarchies, types = columns.rules[Hierarchies].names, columns.rules[ColumnTypes].kinds
        for name in sorted({*self.columns}.intersection(columns.quasi_identifiers)):
            if name in hierarchies or types.get(name, Kind.CATEGORICAL.value) != Kind.CATEGORICAL.value:
                what = say(
                    '`spelled` makes the texts of "{name}" exact values, but hierarchies or types says otherwise',
                    name=name,
                )
                yield what, say("delete one of the two entries")


@dataclass(frozen=True)
class Changing(ColumnRule, key="changing", form=Reader.texts):
    """`changing = ["School"]`: quasi-identifiers of which one release says nothing about the next, as they change."""

    columns: tuple[str, ...] = ()

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield the columns that are not quasi-identifiers."""
        return unnamed(sorted(self.columns), columns.quasi_identifiers, *_NOT_QUASI)
