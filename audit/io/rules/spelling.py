"""Rules about spelling: decimal commas, texts that differ only in spelling, and other names of values in a release."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any, Self

import numpy as np

from audit.io.cell_reading import infer_kind, is_range, list_sign, parse_value
from audit.io.cells import CellError, Kind, members_in, quoted
from audit.io.likely_equal import cases, nested, overlapping, said_otherwise, together
from audit.io.notations import (
    RAISED,
    REMARK,
    as_plain_number,
    fold,
    interval_in,
    looks_ranged,
    once,
    skeleton,
    skeletons,
    ungrouped,
    with_decimal_point,
    with_plain_point,
)
from audit.io.rules.cell_meaning import ColumnTypes, Hierarchies, Missing, Spelled
from audit.io.rules.rows_and_values import Similar, is_total
from audit.io.rules.rule import NO_ROLE, ColumnRule, Columns, Hint, ReadSeries, Respelling, Rules, WrittenTexts, unnamed
from audit.io.tables import Table, read_table, text_codes
from audit.io.toml import Reader, one_of
from audit.model.arrays import Codes, Flags
from audit.model.errors import Doubt, Problems
from audit.model.report import MisreadWarning, ReportWarning
from audit.runtime.phrases import Phrase, Reason, ReasonKind, printable, say, say_count

HAVE_COMMAS = Phrase('numbers of "{column}" have decimal commas')
INDIVIDUAL = "individual"
REGISTER = "register"
"""In place of a release in a crosswalk: the file says what the register's values are called in the series."""
_THOUSANDS = re.compile(r"(?<![0-9,.])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])")
_NUMERAL = re.compile(r"[+-]?[0-9.]+")
_CODED = re.compile(
    r"(?:([A-Za-z]{0,3}[0-9][0-9.]*)[\s:–-]+|[A-Za-z]\)\s*|\([^\W\d]{1,12}\)\s*|(?:of which|davon|darunter|dont):?\s+)"
    r"(\D.*)"
)
_MARKED = re.compile(
    rf"(.*(?:(?![{RAISED}])[^\W\d_]|[0-9](?!\s*\*)))\s*(?:[*†‡§{RAISED}]+|(?<![0-9])[0-9]\)|\(([A-Za-z]{{0,3}}[0-9][0-9.]*)\)"
    r"|\[([A-Za-z]|[A-Za-z]{0,3}[0-9][0-9.]*)\]|[\[(](?:[prs]|note ?[0-9]+|n ?= ?[0-9]+)[\])])"
)
_REMARK = re.compile(REMARK, re.IGNORECASE)
_LETTERED = re.compile(r"[A-Za-z]{1,3}[-_/. ]*([0-9]+)")
_NUMBERED = re.compile(r"([^\W\d_]{0,3})[-_/. 0]*([1-9][0-9]*(?:[.,' ][0-9]+)*)[-_/. ]*([^\W\d_]{0,3})")
"""An identifier that is one number, perhaps in groups of digits, with some letters before or behind it."""
_QUALIFIED = re.compile(r"(.*?\w)(?:,|\s[-–])\s+[^\W\d].*|\w+\s*[=:]\s*(.+)|b['\"](.+)['\"]|([^\W\d]{3,})s")
_DAY = re.compile(r"(?<![0-9])[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}(?![0-9])")  # bounded: cells may be long
_WORD = re.compile(  # with the signs and points that may count, and letters that a wrong encoding destroyed
    r"(?:(?:[<>≤≥]=? ?|(?<!\w)-)(?=[0-9]))?[\w\ufffd]+(?:(?:[.](?=[0-9])|\?+)[\w\ufffd]+)*(?:[+-]+(?!\w))?"
)
_DECIMAL_COMMA = re.compile("(?<=[0-9]),(?=[0-9])")
_LOST = re.compile(r"[?_\ufffd]+")  # in the place of a letter
_MAY_BE_LOST = re.compile(
    rf"{_LOST.pattern}|[^\x00-\x7f]|[aou]e|ss"
)  # all but the letters of ASCII, and their digraphs
_SHORTEST_TYPO, _LONGEST_TYPO = 6, 40  # letters of a word in which one may be wrong
_MOST_TYPO_WORDS = 50_000  # some twenty keys of each are held
_DISEASE_CODE = re.compile(r"[a-z][0-9]{2}(?:\.?[0-9]{1,3})?\+?")
_IN_PLACE = re.compile(r"[^a-z]*|[ivx]+|[a-z]")  # a number or letter belongs to the words beside it
_ABBREVIATED = re.compile(r"[^\W\d_]\.(?!\w)")
_SHORT = 3  # letters of an abbreviation
_CERTAINTY = {("v", "a"), ("z", "n"), ("verdacht", "auf"), ("zustand", "nach")}
"""Two words before a diagnosis that say how certain it is, as the letters g, v and z behind it do, and a says that it
is not the case."""
_OF_DEGREE = frozenset(  # words beside which a text says another degree, or the contrary
    re.findall(
        r"\w+",
        "very rather fairly quite not no without très tres plutôt assez peu pas non sans sehr eher ziemlich wenig "
        "nicht kein keine ohne muy bastante poco sin",
    )
)
_MOST_WORDS = 8  # of a text whose parts are compared with others
_LONG_NUMBER = 4  # so many digits are one person's number, whatever letters stand beside them
_CLEAR_DIGITS = 3  # so many digits are the same number, whatever stands between them
_ONE_SPELLING = re.compile(r"0|[1-9][0-9]*")
_FOLDED = re.compile(r"[a-z][a-z0-9]*|0|[1-9][0-9]*")


@dataclass(frozen=True)
class Decimal(ColumnRule, key="decimal", form=one_of(None, ".", ","), why=Phrase("numbers have decimal commas")):
    """`decimal = ","`: the decimal sign in quasi-identifiers and sensitive columns; None means a point.

    A sign that is stated makes blanks, apostrophes and the other sign group the thousands of sensitive numbers.
    """

    sign: str | None = None
    columns: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()

    @classmethod
    def read(cls, reader: Reader, table: Mapping[str, Any], columns: Columns) -> Self:
        """Return the rule for the sensitive columns and the quasi-identifiers."""
        columns_of_numbers = (*columns.sensitive, *columns.quasi_identifiers)
        return replace(super().read(reader, table, columns), columns=columns_of_numbers, sensitive=columns.sensitive)

    def respelling(self, column: str, tag: str, so_far: Respelling) -> Respelling | None:
        """Return the function that turns decimal commas into points, and leaves out signs between thousands."""
        if self.sign == "." and column in self.sensitive:
            return partial(ungrouped, signs=",")
        return self._with_point(column) if self.sign == "," and column in self.columns else None

    def commas(self, columns: Columns, column: str, texts: Collection[str]) -> list[str]:
        """Return the texts with decimal commas, if the column is numeric once they are read as points."""
        if self.sign == "," or column in columns.rules[Hierarchies].names:
            return []
        with_point = self._with_point(column)
        commas = [text for text in texts if "," in text and with_point(text) != text]
        commas = [text for text in commas if interval_in(text, Kind.NUMERIC) is None]  # where it parts two numbers
        missing = columns.rules[Missing].texts
        if all("," not in _THOUSANDS.sub("", text) for text in commas):
            return []  # 1,005 may also be a thousand and five, also in a range
        would = infer_kind(map(with_point, texts), missing) is Kind.NUMERIC
        return commas if would else []

    def _with_point(self, column: str) -> Respelling:
        return with_plain_point if column in self.sensitive else with_decimal_point

    def hints(self, written: WrittenTexts) -> Iterator[Hint]:
        """Yield the columns of numbers with decimal commas; sensitive ones, which may be texts, without a warning."""
        columns = written.columns
        for name in (*columns.quasi_identifiers, *columns.sensitive):
            texts = [[text] for text in self.commas(columns, name, written.texts.get(name, ()))]
            if texts:
                what = say(
                    '"{column}" looks like numbers with decimal commas, but is read as sets of values; if it has '
                    'numbers, write decimal = "," under [columns]',
                    column=printable(name),
                )
                warning = ReportWarning("stray-cells", what) if name in columns.quasi_identifiers else None
                why = HAVE_COMMAS.filled(column=name)
                yield Hint(name, texts, Decimal(","), why, warning)


@dataclass(frozen=True)
class Fold(ColumnRule, key="fold", why=Phrase("some cells differ in spelling alone")):
    """`fold = ["Disease"]`: columns in which texts that differ only in spelling are equal."""

    columns: tuple[str, ...] = ()

    @classmethod
    def read(cls, reader: Reader, table: Mapping[str, Any], columns: Columns) -> Self:
        """Return the rule; the column of people is also called `individual`, as in key files."""
        listed, people = reader.texts(table, cls.key), {INDIVIDUAL, columns.individual or INDIVIDUAL}
        return cls((*listed, *sorted(people.difference(listed))) if people.intersection(listed) else listed)

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield columns without a role."""
        return unnamed(self.columns, {*columns.named, INDIVIDUAL}, *NO_ROLE)

    def folds(self, column: str | None) -> bool:
        """Return whether texts of a column that differ only in spelling are equal."""
        return column in self.columns

    def respelling(self, column: str, tag: str, so_far: Respelling) -> Respelling | None:
        """Return the function that gives texts that differ only in spelling the same spelling."""
        return fold if column in self.columns else None

    def hints(self, written: WrittenTexts) -> Iterator[Hint]:
        """Yield the columns with texts that may differ only in spelling; no rule is written for quasi-identifiers."""
        columns = written.columns
        for name, texts in written.texts.items():
            if _is_settled(written, name):
                continue
            called = INDIVIDUAL if name == columns.individual else name
            if name in columns.sensitive and (
                groups := perhaps_one_value(texts, near=not isinstance(columns.rules[Similar].names.get(name), str))
            ):
                what = say_count(
                    '{count} [cell|cells] of "{column}" may be [another spelling of a value|other spellings of values] '
                    "(accents, signs, a number or code before [it|them], an abbreviation, a date or range in another "
                    "notation, a range that overlaps another), but [is|are] read as [a different one|different ones]; "
                    "if they are the same, rename one of [them|each] in a file under crosswalk, else write spelled = "
                    '["{column}"] under [columns]',
                    sum(map(len, groups)) - len(groups),
                    column=printable(name),
                )
                yield Hint(name, groups, None, "", MisreadWarning("spelling", what))
            is_id = name in (columns.individual, columns.record)
            releases = written.people(name) if is_id else []
            if is_id and (groups := perhaps_one_person(texts, releases, numbered=name == columns.individual)):
                yield Hint(name, groups, None, "", MisreadWarning("spelling", nearly_respelled_ids(called, groups)))
            groups = [] if self.folds(name) else respelled(texts)
            if not groups:
                continue
            why = say("cells that differ only in spelling are read as equal")
            rule = Fold((called,)) if name in (*columns.sensitive, columns.individual, columns.record) else None
            codes = name in columns.rules[ColumnTypes].kinds and all(map(_NUMERAL.fullmatch, chain(*groups)))
            # Spellings only split classes of quasi-identifiers, and in a column with a type they may be codes.
            warning = ReportWarning if rule is None or codes else MisreadWarning
            yield Hint(name, groups, rule, why, warning("spelling", respelled_cells(called, groups)))


def _is_settled(written: WrittenTexts, column: str) -> bool:
    """Return whether the spelling of texts makes no difference: they are numbers or days, or said to be exact."""
    called = INDIVIDUAL if column == written.columns.individual else column
    return written.kind(column) not in (None, Kind.CATEGORICAL) or called in written.columns.rules[Spelled].columns


@dataclass(frozen=True)
class OtherReading(ColumnRule):
    """Read cells that may be other spellings of others as those, without rows that need not be people.

    No manifest states it. A violation that this reading removes depends on cells or rows without an explanation.

    Attributes:
        names: the text that each such cell is read as, by column.
        columns: the columns with a role.
    """

    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, written: WrittenTexts) -> OtherReading:
        """Return the rule for the texts that warnings ask about, and more generously where none do."""
        columns, names = written.columns, dict[str, dict[str, str]]()
        for name, texts in written.texts.items():
            if _is_settled(written, name):
                continue
            is_id = name in (columns.individual, columns.record)
            is_quasi = name in columns.quasi_identifiers  # a text with commas may be a list
            groups = [*respelled(texts), *nearly_respelled(texts, remarks=not is_quasi, ids=is_id)]
            groups += [*_of_like_words(texts, nearly=name in columns.sensitive), *_equal_digits(texts)]
            if is_id:
                groups = [each for each in groups if not together(each, written.people(name))]
                groups += nested(texts, written.people(name))
            if name in columns.sensitive and name in columns.rules[ColumnTypes].kinds:  # numbers may be codes
                groups = [each for each in groups if not all(map(_NUMERAL.fullmatch, each))]
            if groups:
                names[name] = _as_one(groups)
        return cls(names, cls.unexplained(columns))

    @staticmethod
    def unexplained(columns: Columns) -> tuple[str, ...]:
        """Return the columns with a role whose texts are not said to be exact."""
        return tuple(name for name in columns.named if name not in columns.rules[Spelled].columns)

    @property
    def marking(self) -> Collection[str]:
        """The columns whose cells show that a row is no person."""
        return self.columns

    def rows(self, table: Table) -> Table:
        """Return a table without rows that say one thing alone, number or name the columns, or look like totals."""
        return table.without(rows_like_no_people(table, self.columns))

    def respelling(self, column: str, tag: str, so_far: Respelling) -> Respelling | None:
        """Return the function that respells the texts of a column."""
        return partial(_walked, self.names[column]) if column in self.names else None


def rows_like_no_people(table: Table, columns: Sequence[str]) -> Flags:
    """Return, for each row of a table, whether its cells in some columns look like no person's; shape (rows,).

    Each filled one of these cells has a text that no other row of the column has. Identifiers, which are many, come
    last: they are seldom compared.
    """
    coded: dict[str, tuple[Codes, list[str]]] = {}
    some = np.full(table.rows, any(name in table for name in columns))
    for name in columns:
        if name in table and some.any():
            codes, texts = coded[name] = text_codes(table.arrow(name))
            once = np.bincount(codes, minlength=len(texts)) == 1
            some &= (once | ~np.array([*map(bool, texts)], dtype=np.bool_))[codes]
    for row in np.flatnonzero(some).tolist():
        cells = {name: texts[codes[row]] for name, (codes, texts) in coded.items()}
        some[row] = _is_no_person({name: text for name, text in cells.items() if text})
    return some


def _is_no_person(cells: Mapping[str, str]) -> bool:
    """Return whether the filled cells of a row, by column, name or number the columns, are one text, or a total.

    >>> [_is_no_person(dict(zip("ab", row))) for row in (["99", "99"], ["(1)", "(2)"], ["What a?", "b:"], ["x", "y"])]
    [True, True, True, False]
    """
    texts = [*cells.values()]
    numbers = [text.strip("()[]") for text in texts]
    return (
        any(map(is_total, texts))
        or len({*texts}) == 1 < len(texts)
        or {*numbers} == {str(at) for at in range(1, len(texts) + 1)}
        or all(name.casefold() in text.casefold() for name, text in cells.items())
    )


def _as_one(groups: Iterable[Iterable[str]]) -> dict[str, str]:
    """Return, for each text of the groups, the plainest of those that groups connect with it.

    >>> sorted(_as_one([["a.", "a"], ["b", "b."], ["a", "(a)"]]).items())
    [('(a)', 'a'), ('a', 'a'), ('a.', 'a'), ('b', 'b'), ('b.', 'b')]
    """
    connected = dict[str, list[str]]()
    for group in groups:
        own = {id(part): part for text in group for part in [connected.setdefault(text, [text])]}
        largest, *others = sorted(own.values(), key=len, reverse=True)
        for part in others:
            largest += part
            connected.update(dict.fromkeys(part, largest))
    kept = dict[str, str]()
    for part in {id(part): part for part in connected.values()}.values():
        plainest = min(part, key=lambda text: (not looks_ranged(text), sum(not c.isalnum() for c in text), text))
        kept |= dict.fromkeys(part, plainest)
    return kept


def _of_like_words(texts: Collection[str], *, nearly: bool) -> list[list[str]]:
    """Return groups of texts: of equal words, or a text and those with more words around its own.

    A word has at least two letters, or is a longer number. If texts are compared `nearly`, their words may also be in
    another order, be abbreviated, differ in one letter, or say how certain a diagnosis is.

    >>> _of_like_words(["gout", "Z.n. Gout", "goutish", "Bad Ems", "Ems", "[Ems]", "7", "7 b"], nearly=False)
    [['gout', 'Z.n. Gout'], ['Ems', '[Ems]', 'Bad Ems']]
    >>> _of_like_words(["good", "very good", "Bonne", "Très bonne", "ill", "not ill"], nearly=True)
    []
    """
    words = {text: _words(text) for text in texts if not is_range(text)}
    like = _as_one(_like_words({*chain(*words.values())})) if nearly else {}
    alike: dict[object, dict[str, None]] = defaultdict(dict)
    for text, written in words.items():
        words[text] = own = tuple(like.get(word, word) for word in written)
        alike[_in_order(own, nearly=nearly)][text] = None
    for text, own in words.items():
        few = range(0 if list_sign(text) else len(own[:_MOST_WORDS]) + 1)
        for part, rest in ((own[i:j], own[:i] + own[j:]) for i, j in combinations(few, 2)):
            key = _in_order(part, nearly=nearly)
            if (
                key in alike
                and _OF_DEGREE.isdisjoint(rest)
                and len("".join(part)) > 1
                and not looks_ranged(" ".join(part))
            ):
                alike[key][text] = None
    more = chain(_of_other_certainty(words), _abbreviations(words)) if nearly else ()
    return [*([*group] for key, group in alike.items() if key and len(group) > 1), *more]


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a text, folded, without the cross behind the code of a disease or its name.

    >>> _words("C34,0+ Lung-Ca+ (V.a.)"), _words("HIV+ < 5"), _words("Fu?prellung?")
    (('c34.0', 'lung', 'ca', 'v', 'a'), ('hiv+', '< 5'), ('fu?prellung',))
    """
    found = _WORD.findall(fold(_DECIMAL_COMMA.sub(".", text)))
    return tuple(word.rstrip("+") for word in found) if any(map(_DISEASE_CODE.fullmatch, found)) else tuple(found)


def _in_order(words: tuple[str, ...], *, nearly: bool) -> tuple[str, ...]:
    """Return words in the order in which texts are compared: sorted, unless two of them belong to the words beside."""
    movable = nearly and sum(map(bool, map(_IN_PLACE.fullmatch, words))) < 2
    return tuple(sorted(words)) if movable else words


def _like_words(words: Collection[str]) -> Iterator[list[str]]:
    """Yield groups of words that differ in a letter but the first, or in two that are exchanged, or in lost ones.

    >>> [sorted(each) for each in _like_words({"diabetes", "diabetis", "type1a", "type2a", "hyperton", "hypoton"})]
    [['diabetes', 'diabetis']]
    >>> [sorted(each) for each in _like_words({"b?r", "bär", "bir"})]
    [['b?r', 'bär']]
    """
    alike: dict[str, list[str]] = defaultdict(list)
    lost, few = {_MAY_BE_LOST.sub("?", word) for word in words if _LOST.search(word)}, len(words) <= _MOST_TYPO_WORDS
    for word in words:
        plain = word if _LOST.search(word) else skeleton(word)
        keys = {plain, *lost & {_MAY_BE_LOST.sub("?", word)}}
        if few and _SHORTEST_TYPO <= len(plain) <= _LONGEST_TYPO and plain.isalpha():
            for at in range(1, len(plain) + 1):
                before, letter, after = plain[:at], plain[at : at + 1], plain[at + 1 :]
                keys |= {f"{before}?{after}", f"{before}?{letter}{after}", before + after[:1] + letter + after[1:]}
        for key in keys:
            alike[key].append(word)
    yield from (group for group in alike.values() if len(group) > 1)


def _of_other_certainty(words: Mapping[str, tuple[str, ...]]) -> Iterator[list[str]]:
    """Yield groups of texts that are alike but for what says how certain a diagnosis is.

    >>> [*_of_other_certainty({"a G": ("a", "g"), "a V": ("a", "v"), "b G": ("b", "g"), "b F": ("b", "f")})]
    [['a G', 'a V']]
    """
    marked: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for text, own in words.items():
        letter = own[-1] if own[1:] and len(own[-1]) == 1 and own[-1].isalpha() else ""
        stem = own[:-1] if letter else own
        marked[stem[2:] if stem[:2] in _CERTAINTY else stem][text] = letter
    for letters in marked.values():
        group = [text for text, letter in letters.items() if letter != "a"]
        if len(group) > 1 and {*letters.values()} <= {"", *"agvz"}:
            yield group


def _abbreviations(words: Mapping[str, tuple[str, ...]]) -> Iterator[list[str]]:
    """Yield pairs of texts: one, and one whose words it abbreviates, with a point or at least two of them.

    >>> texts = {"D. mell.": ("d", "mell"), "Dia. mell": ("dia", "mell"), "Diabetes mellitus": ("diabetes", "mellitus")}
    >>> [*_abbreviations(texts)]
    [['Dia. mell', 'Diabetes mellitus']]
    """
    by_start: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for text, own in words.items():
        by_start[tuple(word[:_SHORT] for word in own)].append(text)
    for group in by_start.values():
        pointed = {text for text in group if _ABBREVIATED.search(text)}
        for short, text in product((each for each in group if each in pointed or len(words[each]) > 1), group):
            pairs = [pair for pair in zip(words[short], words[text], strict=True) if pair[0] != pair[1]]
            if len(pairs) > (short not in pointed) and all(
                part.isalpha() and len(part) >= _SHORT and whole.startswith(part) for part, whole in pairs
            ):
                yield [short, text]


def written_alike(texts: Collection[str], shown: Collection[str]) -> set[str]:
    """Return those of some texts that may be other spellings of texts that are shown.

    >>> sorted(
    ...     written_alike(["ALCALA DE HENARES", "Henares, Alcalá de", "Alcalá de H.", "Getafe"], ["Alcalá de Henares"])
    ... )
    ['ALCALA DE HENARES', 'Alcalá de H.', 'Henares, Alcalá de']
    """
    words = {text: _words(text) for text in {*texts, *shown}}
    in_any_order: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for text, own in words.items():
        in_any_order[tuple(sorted(own))].append(text)
    groups = [*respelled(words), *nearly_respelled(words, remarks=True), *in_any_order.values(), *_abbreviations(words)]
    groups += (
        [text, each]
        for text, each in product((text for text in texts if "." in text), shown)
        if len(words[text]) == len(words[each]) and all(map(str.startswith, words[each], words[text]))
    )
    return {text for group in groups if not {*shown}.isdisjoint(group) for text in group}.intersection(texts)


def _equal_digits(texts: Collection[str]) -> list[list[str]]:
    """Return groups of texts with the same digits, with one that has no letters.

    >>> _equal_digits(["01234", "D-1234", "1,234", "A-5", "5", "5.1", "51", "<18", "18", "20-39 J.", "20-39"])
    [['01234', 'D-1234', '1,234'], ['A-5', '5'], ['20-39 J.', '20-39']]
    """
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for text in texts:
        digits, signs = ("".join(filter(pattern.__contains__, fold(text))) for pattern in ("0123456789", "<>≤≥+"))
        if digits:
            alike[digits.lstrip("0"), signs].append(text)
    lettered = {text for group in alike.values() for text in group if any(map(str.isalpha, text))}
    return [
        group
        for (digits, _), group in alike.items()
        if len(group) > 1 and 0 < len({*group} - lettered) < (2 if len(digits) < _CLEAR_DIGITS else len(group) + 1)
    ]


def respelled_cells(column: str, groups: Collection[Collection[str]]) -> str:
    """Return the warning that the cells of each group differ only in spelling, and what to declare."""
    return say_count(
        '{count} [cell|cells] of "{column}" [differs from another|differ from others] only in spelling, and [is|are] '
        'read as [a different value|different values]; if they are the same, write fold = ["{column}"], else spelled = '
        '["{column}"], under [columns]',
        sum(map(len, groups)) - len(groups),
        column=printable(column),
    )


def respelled(texts: Collection[str]) -> list[list[str]]:
    """Return the groups of texts that differ only in spelling."""
    spellings: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        if not _FOLDED.fullmatch(text):
            spellings[fold(text)].append(text)
    for key, found in spellings.items():
        if key in texts and key not in found:
            found.insert(0, key)
    return [found for found in spellings.values() if len(found) > 1]


def nearly_respelled_ids(column: str, groups: Collection[Collection[str]]) -> str:
    """Return the warning that the identifiers of each group may be one, and what to declare."""
    return say_count(
        '{count} [identifier|identifiers] of "{column}" may be [another spelling of an existing one|other spellings of '
        'existing ones] (accents, signs, an exponent, a code, the number of a case or a remark such as "revised"), but '
        "[is|are] read as [a different one|different ones]; if they are the same, write them in one way, else write "
        'spelled = ["{column}"] under [columns]',
        sum(map(len, groups)) - len(groups),
        column=printable(column),
    )


def perhaps_one_person(
    texts: Collection[str], releases: Sequence[Collection[str]], *, numbered: bool = True
) -> list[list[str]]:
    """Return groups of identifiers that may be one person's, who has two of them in a release only for two cases.

    Args:
        texts: the identifiers.
        releases: those of each release; empty if one person may have several in a release.
        numbered: whether the number of a case may be behind one; behind a record id, it may number a household.

    >>> perhaps_one_person(["41070", "510"], []), perhaps_one_person(["41070", "41070/24"], [])
    ([], [['41070', '41070/24']])
    """
    if all(map(_ONE_SPELLING.fullmatch, texts)):
        return []
    groups = [each for each in nearly_respelled(texts, remarks=True, ids=True) if not together(each, releases)]
    known = {text for group in groups for text in group}
    for group in chain(nested(texts, releases), *map(cases, (releases or [texts]) if numbered else ())):
        if not known.issuperset(group):
            groups.append(group)
            known.update(group)
    return groups


def _skeletons(texts: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the texts with each skeleton: a text of each folded spelling, by this spelling."""
    alike: dict[str, dict[str, str]] = defaultdict(dict)
    for text in texts:
        for key in skeletons(text):
            alike[key].setdefault(fold(text), text)
    return alike


def nearly_respelled(texts: Collection[str], *, remarks: bool = False, ids: bool = False) -> list[list[str]]:
    """Return groups of texts that may be the same value, with one text of each spelling.

    The texts of a group differ in accents, signs, or a number, a code or a note sign beside them, or are the same day,
    or the same range of whole numbers, in two notations. With `remarks`, one may also have a comment or a remark such
    as "(revised)", or say twice what the other says once; with `ids`, too, they may be one number, or one
    and the same with letters before.

    >>> nearly_respelled(["hiv", "2 hiv", "J10.1", "J10.1 influenza", "flu", "01.03.2024", "2024-03-01", "2024-03-02"])
    [['01.03.2024', '2024-03-01'], ['J10.1', 'J10.1 influenza'], ['hiv', '2 hiv']]
    >>> nearly_respelled(["01/03/2024", "03/01/2024", "2024-03-02", "21-30", "21 to under 31", "65+", "66+"])
    [['21-30', '21 to under 31']]
    >>> nearly_respelled(["flu", "flu¹²", "hiv", "hivᵃ", "gas", "gas (n=10)", "cold²"])
    [['flu', 'flu¹²'], ['gas', 'gas (n=10)'], ['hiv', 'hivᵃ']]
    >>> nearly_respelled(
    ...     ["007", "7.0E+00", "1.5e-1", "12e3b", "Ann", "Ann (Revised)", "Bo", "D-007", "Bo, Bo", "A-8", "B8"],
    ...     remarks=True,
    ...     ids=True,
    ... )
    [['007', '7.0E+00', 'D-007'], ['Ann', 'Ann (Revised)'], ['Bo', 'Bo, Bo']]
    >>> ids = [
    ...     "10000001T",
    ...     "10.000.001-T",
    ...     "T010000001",
    ...     "20000002R",
    ...     "20000002",
    ...     "20000002W",
    ...     "30000003A",
    ...     "30000003B",
    ... ]
    >>> nearly_respelled(ids[:3], ids=True), nearly_respelled(ids[3:], ids=True)
    ([['10000001T', '10.000.001-T', 'T010000001']], [['20000002', '20000002R', '20000002W']])
    >>> nearly_respelled(["flu", "flu # end", "flu -- see below", "hiv", "hiv-2", "C--1"], remarks=True)
    [['flu', 'flu # end', 'flu -- see below']]
    """
    alike = _skeletons(texts)
    for text in texts if remarks else ():
        plain = once(_REMARK.sub("", text))
        plain = as_plain_number(plain) if ids else plain
        if plain != text:
            alike[skeleton(plain)].setdefault(fold(text), text)
    for text in texts:
        if looks_ranged(text):
            alike[f"range {_whole_numbers(text)}"].setdefault(fold(text), text)
            continue
        further = _LETTERED if ids else _QUALIFIED if remarks else _MARKED
        coded = _CODED.fullmatch(text) or _MARKED.fullmatch(text) or further.fullmatch(text)
        parts = () if coded is None else coded.groups()
        for part in {*map(skeleton, filter(None, parts))} & alike.keys():
            alike[part].setdefault(fold(text), text)
    days = [text for text in texts if _DAY.search(text)]
    for kind in (Kind.DAY_FIRST, Kind.MONTH_FIRST):
        for text in days:
            with suppress(CellError):
                alike[f"{kind.value} {parse_value(text, kind)}"].setdefault(fold(text), text)
    if ids:
        _add_numbered(alike, texts)
    groups = {tuple(found.values()) for found in alike.values() if len(found) > 1}
    return [list(group) for group in sorted(groups)]


def perhaps_one_value(texts: Collection[str], *, near: bool = True) -> list[list[str]]:
    """Return groups of sensitive texts that may be one value, or, if `near`, ranges that have values in common."""
    alike = [*nearly_respelled(texts, remarks=True), *said_otherwise(texts), *(overlapping(texts) if near else ())]
    return [*{frozenset(group): group for group in alike}.values()]


def _add_numbered(alike: dict[str, dict[str, str]], texts: Collection[str]) -> None:
    """Add identifiers to those with the same long number, and the same letters on either side of it or none."""
    lettered: dict[str, dict[str, str]] = defaultdict(dict)
    for text in texts:
        plain = fold(text)
        if (found := _NUMBERED.fullmatch(plain)) and len(digits := re.sub(r"\D", "", found[2])) >= _LONG_NUMBER:
            alike[f"number {digits} {found[1]}{found[3]}"].setdefault(plain, text)
            lettered[digits].setdefault(plain, text)
    for digits, spellings in lettered.items():
        if own := alike.get(f"number {digits} "):
            own.update(spellings)


def _whole_numbers(text: str) -> str:
    """Return the smallest and the largest whole number of a range, and their unit; other texts unchanged."""
    read = interval_in(text)
    if read is None or (inside := read.interval) is None:
        return text
    low = None if inside.low is None else inside.low + inside.low_open
    high = None if inside.high is None else inside.high - inside.high_open
    return f"{low} {high} {read.unit}"


@dataclass(frozen=True)
class Crosswalk(ColumnRule, key="crosswalk", form=Reader.files):
    """`crosswalk = { Disease = "crosswalk.csv" }`: the file that renames values of single releases.

    Attributes:
        names: the file of each column.
        walks: the new names of values, by release and column; empty until the files are read.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    walks: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)

    def faults(self, columns: Columns) -> Iterator[tuple[str, str]]:
        """Yield columns without a role."""
        return unnamed(self.names, columns.named, *NO_ROLE)

    def opened(self, folder: Path, rules: Rules, problems: Problems) -> Self:
        """Return the rule with its files read; each line renames a value of a release."""
        found: dict[tuple[str, str], dict[str, str]] = {}
        for column, name in self.names.items():
            table = read_table(folder / name, name, ["release", "from", "to"], problems)
            if table is None:
                continue
            for row, (tag, old, new) in enumerate(zip(*map(table.texts, ("release", "from", "to")), strict=True)):
                walk = found.setdefault(("" if tag == REGISTER else tag, column), {})
                if walk.setdefault(old, new) != new or not new:
                    what = (
                        say("the file gives this value of the release two names") if new else say("the cell is empty")
                    )
                    problems.add(
                        name, what, say("write one new name for each value"), line=table.line(row), column="to"
                    )
        return replace(self, walks=found)

    def doubts(self, series: ReadSeries) -> Iterator[Doubt]:
        """Yield a doubt about lines of a release that the series lacks, unless no release has their values.

        Such lines are for a release to come: whichever release they may mean, they change nothing.
        """
        for (tag, column), walk in self.walks.items():
            shown = series.vocabularies[column].names if column in series.vocabularies else series.texts(column)
            renamed = {fold(old): "" for old in walk}
            if tag and tag not in series.tags and any(_walked(renamed, fold(text)) != fold(text) for text in shown):
                what = say(
                    "{file} has lines for {release}, which is no release, and about a value that a release has: write "
                    "the tag of a release, or leave such lines out until that release is there",
                    file=printable(self.names[column]),
                    release=printable(tag),
                )
                yield Doubt(Reason(what, ReasonKind.UNDECLARED), guessed=True)

    def respelling(self, column: str, tag: str, so_far: Respelling) -> Respelling | None:
        """Return the function that renames values; the file may spell them as the release does."""
        walk = self.walks.get((tag, column))
        return None if walk is None else partial(_walked, {so_far(old): so_far(new) for old, new in walk.items()})


def _walked(walk: Mapping[str, str], text: str) -> str:
    """Return the new name of a value, or a set of values with the new name of each.

    >>> _walked({"Grippe": "flu"}, "{Grippe, cold}"), _walked({"Grippe": "flu"}, "cold;Grippe")
    ('{flu, cold}', 'cold; flu')
    """
    if text in walk:
        return walk[text]
    braced = text.startswith("{") and text.endswith("}")
    sign = "," if braced else list_sign(text)
    if sign is None:
        return text
    members = members_in(text[1:-1]) if braced else [(member.strip(), False) for member in text.split(sign)]
    if not any(member in walk for member, _ in members):
        return text
    if braced:
        return "{" + ", ".join(quoted(walk.get(each, each), always=mark) for each, mark in members) + "}"
    return f"{sign} ".join(walk.get(each, each) for each, _ in members)
