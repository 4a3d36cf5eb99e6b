"""Catalogues: the languages of reports, and the current one.

A catalogue is a text file of gettext beside this module, `de.po` for German. It is read when its language is first
used; English is in the code and needs no catalogue.
"""

from __future__ import annotations

import gettext
import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from audit.model.errors import UsageError
from audit.runtime.phrases import ENGLISH, LANGUAGE, Language, printable

FOLDER = Path(__file__).parent
_FIXED, _NARROW = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"
_NONE = gettext.NullTranslations()
LANGUAGES: Mapping[str, Language] = {
    "en": ENGLISH,
    "de": Language("de", _NONE, thousands=".", decimal=",", percent=f"{_FIXED}%", date="%d.%m.%Y"),
    "fr": Language("fr", _NONE, thousands=_NARROW, decimal=",", percent=f"{_NARROW}%", date="%d/%m/%Y"),
    "es": Language("es", _NONE, thousands=".", decimal=",", percent=f"{_FIXED}%", date="%d/%m/%Y"),
}
"""How each language writes numbers and dates; `language` adds its sentences."""


@cache
def language(code: str) -> Language:
    """Return a language with its sentences.

    Raises:
        UsageError: there is no catalogue for it.
    """
    if code not in LANGUAGES:
        raise UsageError(f"there are no reports in the language {printable(code)}; use one of {', '.join(LANGUAGES)}")
    if code == ENGLISH.code:
        return ENGLISH
    import polib

    compiled = polib.pofile(str(FOLDER / f"{code}.po"), encoding="utf-8").to_binary()
    return replace(LANGUAGES[code], catalogue=gettext.GNUTranslations(io.BytesIO(compiled)))


@contextmanager
def in_language(code: str) -> Iterator[None]:
    """Use a language (`en`, `de`, `fr` or `es`) for everything that is said inside the context.

    >>> from audit.runtime.phrases import figure
    >>> with in_language("de"):
    ...     figure(1234.5, ",.1f")
    '1.234,5'

    Raises:
        UsageError: there is no catalogue for it.
    """
    before = LANGUAGE.set(language(code))
    try:
        yield
    finally:
        LANGUAGE.reset(before)


def of_locale(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of the POSIX locale; English if there is no catalogue for it.

    >>> of_locale({"LC_ALL": "", "LANG": "de_AT.UTF-8"}), of_locale({"LC_ALL": "C", "LANG": "fr_FR"}), of_locale({})
    ('de', 'en', 'en')
    """
    asked = next((found for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (found := environment.get(name))), "")
    code = asked.replace(".", "_").replace("@", "_").split("_")[0].lower()
    return code if code in LANGUAGES else ENGLISH.code
