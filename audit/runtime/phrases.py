"""Phrases: whole sentences with named placeholders, translated by the catalogue of the language in use.

Never build a sentence from pieces: use a placeholder for what varies, and write `[row is|rows are]` for what differs
between singular and plural; translators see two whole sentences.
Sentences are literals in the code, so that Babel finds them all (`reports/languages/extract.py`); a sentence in a table
or in an attribute of a class is a `Phrase`. The default language is English.

A `Reason` is a sentence that says why a result is missing or incomplete, with a kind that a program can read.
"""

from __future__ import annotations

import datetime
import gettext
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from functools import cache
from types import MappingProxyType


@dataclass(frozen=True)
class Language:
    """A language: its sentences, and how it writes numbers and dates.

    Attributes:
        code: its ISO 639 code, as for `--language`.
        catalogue: its sentences, by the English ones.
        thousands: the separator of thousands.
        decimal: the decimal separator.
        percent: the percent sign, with the space before it if there is one.
        date: the format of dates for `strftime`.
    """

    code: str
    catalogue: gettext.NullTranslations
    thousands: str = ","
    decimal: str = "."
    percent: str = "%"
    date: str = "%Y-%m-%d"


ENGLISH = Language("en", gettext.NullTranslations())
LANGUAGE: ContextVar[Language] = ContextVar("language", default=ENGLISH)
"""The language in use."""
NAMED: ContextVar[str | None] = ContextVar("asked", default=None)
"""The language that the command line names; None if it names none."""


PLACES: ContextVar[Mapping[str, str]] = ContextVar("places", default=MappingProxyType({}))
"""What the command line names, quoted for a shell, by the word for it in commands: SERIES, CANDIDATE.

OPTIONS is what it says of the adversary and the policy, without which another verdict would be given.
"""


def typed(command: str) -> str:
    """Return a command that is to be typed next, with the paths and the language that this command line names."""
    asked, command = NAMED.get(), placed(command)
    return command if asked is None else f"{command} --language {asked}"


def placed(command: str) -> str:
    """Return a command with the paths that this command line names, and the options of its verdict.

    >>> placed("audit next SERIES CANDIDATE")
    'audit next SERIES CANDIDATE'
    """
    places, words = PLACES.get(), command.split(" ")
    if words[1:2] in (["SERIES"], ["next"], ["repair"]) and "OPTIONS" in places:
        words.append("OPTIONS")
    return " ".join(places.get(word, word) for word in words)


@dataclass(frozen=True)
class Phrase:
    """A sentence that is translated later, when it is shown or put into another sentence.

    >>> str(Phrase("people"))
    'people'
    """

    sentence: str

    def __str__(self) -> str:
        """Return the sentence in the language in use."""
        return self.filled() if self.sentence else ""

    def filled(self, **values: object) -> str:
        """Return the sentence in the language in use, with its placeholders filled."""
        return _filled(LANGUAGE.get().catalogue.gettext(self.sentence), values)


@dataclass(frozen=True)
class Noun:
    """A noun to count, after the placeholder `count`; its form is that of the sentence of `say_count`.

    >>> people = Noun("{count} [person|people]")
    >>> people.counted(1), people.counted(2000), str(people)
    ('1 person', '2,000 people', 'people')
    """

    sentence: str

    def __str__(self) -> str:
        """Return the plural in the language in use, without the number."""
        return LANGUAGE.get().catalogue.ngettext(*number_forms(self.sentence), 2).removeprefix("{count} ")

    def counted(self, count: int, **values: object) -> str:
        """Return the noun with a count, in the language in use, with its other placeholders filled."""
        return say_count(self.sentence, count, **values)


def say(sentence: str, /, **values: object) -> str:
    """Return a sentence in the language in use, with its placeholders filled.

    >>> say("{found} of {people} people were found.", found=3, people=1200)
    '3 of 1,200 people were found.'
    """
    return Phrase(sentence).filled(**values)


def say_count(sentence: str, count: int, /, **values: object) -> str:
    """Return the singular or the plural of a sentence for a number, which also fills the placeholder `count`.

    >>> say_count("{count} [row is|rows are] new.", 1)
    '1 row is new.'
    """
    form = LANGUAGE.get().catalogue.ngettext(*number_forms(sentence), count)
    return _filled(form, {"count": count, **values})


_EITHER = re.compile(r"\[([^][|]*)\|([^][|]*)\]")


@cache
def number_forms(sentence: str) -> tuple[str, str]:
    """Return the singular and the plural of a sentence, which differ where it says `[singular|plural]`.

    >>> number_forms("{count} [row|rows] of [columns]")
    ('{count} row of [columns]', '{count} rows of [columns]')
    """
    return _EITHER.sub(r"\1", sentence), _EITHER.sub(r"\2", sentence)


def figure(number: float, form: str = ",") -> str:
    """Return a number as the language in use writes it; `form` is a Python format specification.

    >>> figure(1234), figure(0.1234, ".1%"), figure(2.5, ".3g")
    ('1,234', '12.3%', '2.5')
    """
    language = LANGUAGE.get()
    signs = {",": language.thousands, ".": language.decimal, "%": language.percent}
    return "".join(signs.get(each, each) for each in format(number, form))


def day(date: datetime.date | str) -> str:
    """Return a date, or one in the form of ISO 8601, as the language in use writes it.

    >>> day(datetime.date(2026, 11, 22)), day("2026-11-22")
    ('2026-11-22', '2026-11-22')
    """
    date = datetime.date.fromisoformat(date) if isinstance(date, str) else date
    return date.strftime(LANGUAGE.get().date)


def percent(share: float) -> str:
    """Return a probability in percent; only 1 is rounded to 100%.

    >>> percent(0.974), percent(0.99999), percent(1.0)
    ('97%', '99.9%', '100%')
    """
    sign = LANGUAGE.get().percent
    if share > 0.99:
        return figure(100 if share == 1 else min(100 * share, 99.9), ".3g") + sign
    return figure(100 * share, ".0f") + sign


def risk_text(value: object) -> str:
    """Return a risk with three decimals; only 1 is rounded to 1.

    >>> risk_text(1.0), risk_text(0.99999), risk_text(None)
    ('1', '0.999', '?')
    """
    if not isinstance(value, float | int):
        return "?"
    return "1" if value == 1 else figure(min(value, 0.999), ".3f")


def joined(items: Sequence[str], most: int = 12) -> str:
    """Return at most `most` items as a list in words.

    >>> joined(["a", "b", "c"]), joined(["a", "b", "c"], most=1)
    ('a, b and c', 'a and 2 more')
    """
    if len(items) > most:
        return say("{items} and {more} more", items=", ".join(items[:most]), more=len(items) - most)
    return items[0] if len(items) == 1 else say("{items} and {last}", items=", ".join(items[:-1]), last=items[-1])


def quoted(name: str) -> str:
    """Return a name between quotation marks.

    >>> quoted("less")
    '"less"'
    """
    return say('"{name}"', name=name)


def parted(clauses: Iterable[str]) -> str:
    """Return clauses joined by semicolons.

    >>> parted(["values never change", "the key is missing"])
    'values never change; the key is missing'
    """
    return say("; ").join(clauses)


_SHOWN, _PATH_SHOWN = 60, 400
_SPACES = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
"""Blanks that are printed as they are; non-breaking ones stand inside numbers and fixed phrases."""
_BREAK = re.compile(r"\r?\n|[\r\t]")


def printable(text: str, limit: int = _SHOWN) -> str:
    r"""Return `text` on one line, without control characters, at most `limit` characters long.

    File names, column names and published cells may hold any text: printed unchanged, they could move the cursor, forge
    lines or flood the terminal. A line break is a blank.

    >>> printable("Stadt\nKreis"), printable("a\x1b[2J")
    ('Stadt Kreis', 'a�[2J')
    """
    kept = _BREAK.sub(" ", text if len(text) <= limit else text[: limit - 1] + "…")
    return "".join(c if unicodedata.category(c)[0] not in "CZ" or c in _SPACES else "�" for c in kept)


def in_quotes(texts: Iterable[str], most: int = 12, limit: int = _SHOWN) -> str:
    """Return at most `most` texts between quotation marks as a list in words; `limit` is that of `printable`.

    >>> in_quotes(["a", "b"])
    '"a" and "b"'
    """
    return joined([f'"{printable(text, limit)}"' for text in texts], most)


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a question that suggests the most similar word, or an empty text.

    >>> did_you_mean("chek", ["check", "demo"]), did_you_mean("series", ["check"])
    ('; did you mean `check`?', '')
    """
    near = get_close_matches(word, list(words), 1, 0.7)
    return say("; did you mean `{word}`?", word=near[0]) if near else ""


def printable_path(path: object) -> str:
    """Return a path on one line, without control characters; a very long path loses its beginning."""
    text = str(path)
    return printable(text if len(text) <= _PATH_SHOWN else "…" + text[1 - _PATH_SHOWN :], _PATH_SHOWN)


_BEFORE_STOP = re.compile(r"\{(\w+)\}\.(?=\s|$)")
_STOPPED = re.compile(r"(?s:.*[\w)\]%\"'\u201c\u201d\u00bb])\.")


def _filled(sentence: str, values: dict[str, object]) -> str:
    """Return a sentence with its values; a full stop that ends a value is not written twice.

    >>> _filled("{note}. So {what}.", {"note": "It has a note.", "what": "be it"}), _filled("{sign}.", {"sign": "."})
    ('It has a note. So be it.', '..')
    """
    shown = {name: _shown(value) for name, value in values.items()}
    shown |= {name: shown[name][:-1] for name in _BEFORE_STOP.findall(sentence) if _STOPPED.fullmatch(shown[name])}
    return sentence.format_map(shown)


def _shown(value: object) -> str:
    """Return a number or a date as the language in use writes it, anything else as text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return figure(value, ",.12g" if isinstance(value, float) else ",")
    return day(value) if isinstance(value, datetime.date) else str(value)


class ReasonKind(IntEnum):
    """Kinds of reasons, in order of precedence."""

    TIME_LIMIT = 1
    UNFIT = 2
    """The attack is not for series of this kind."""
    NEEDS = 3
    """The manifest lacks something."""
    CONTRADICTION = 4
    INTERRUPTED = 5
    TOO_HARD = 6
    """The attack gave up before the time limit."""
    UNCONFIRMED = 7
    """The manifest guesses, or gives a column no role; `audit init --confirm` asks about it."""
    UNDECLARED = 8
    """The manifest does not say what only its publisher knows."""


class Reason(str):
    """A sentence, in the language in use when it was made, and its kind, None if it has none.

    >>> reason = Reason("it needs a key", ReasonKind.NEEDS)
    >>> reason == "it needs a key", kind_of(reason).name, kind_of("so it is")
    (True, 'NEEDS', None)
    """

    kind: ReasonKind | None

    def __new__(cls, text: str, kind: ReasonKind | None = None) -> Reason:
        """Make a reason."""
        reason = super().__new__(cls, text)
        reason.kind = kind
        return reason


def kind_of(*reasons: str | None) -> ReasonKind | None:
    """Return the kind that comes first among reasons; None if none of them has a kind."""
    known = [reason.kind for reason in reasons if isinstance(reason, Reason) and reason.kind is not None]
    return min(known, default=None)


def combined(reasons: Iterable[str]) -> Reason | None:
    """Return several reasons as one; None without reasons.

    >>> combined(["too large", "too late"])
    'too large; too late'
    """
    several = list(reasons)
    return Reason(parted(several), kind_of(*several)) if several else None
