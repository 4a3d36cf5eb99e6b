"""Phrases: whole sentences with named placeholders, so that a catalogue of another language can replace them.

No sentence is glued together from pieces: what varies is a placeholder, and a number decides between two sentences.
"""

from __future__ import annotations

import datetime
import gettext
from collections.abc import Sequence
from contextvars import ContextVar

CATALOGUE: ContextVar[gettext.NullTranslations] = ContextVar("catalogue")
"""The catalogue in use; English, as it stands in the code, where none is set."""

_ENGLISH = gettext.NullTranslations()


def say(sentence: str, /, **values: object) -> str:
    """Return a sentence in the language in use, its placeholders filled.

    >>> say("{found} of {people} people were found.", found=3, people=1200)
    '3 of 1,200 people were found.'
    """
    return _filled(CATALOGUE.get(_ENGLISH).gettext(sentence), values)


def say_count(one: str, many: str, count: int, /, **values: object) -> str:
    """Return one of two sentences, by a number; it is also the placeholder `count`.

    >>> say_count("{count} row is new.", "{count} rows are new.", 1)
    '1 row is new.'
    """
    return _filled(CATALOGUE.get(_ENGLISH).ngettext(one, many, count), {"count": count, **values})


def joined(items: Sequence[str], most: int = 12) -> str:
    """Return a list in words, the first so many of it.

    >>> joined(["a", "b", "c"]), joined(["a", "b", "c"], most=1)
    ('a, b and c', 'a and 2 more')
    """
    if len(items) > most:
        return say("{items} and {more} more", items=", ".join(items[:most]), more=len(items) - most)
    return items[0] if len(items) == 1 else say("{items} and {last}", items=", ".join(items[:-1]), last=items[-1])


def _filled(sentence: str, values: dict[str, object]) -> str:
    return sentence.format_map({name: _shown(value) for name, value in values.items()})


def _shown(value: object) -> str:
    """Return a number with its thousands apart, a date as ISO 8601 has it, anything else as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return value.isoformat() if isinstance(value, datetime.date) else str(value)
