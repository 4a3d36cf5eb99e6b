"""Escaping: make texts from other people harmless for the program that reads them."""

from __future__ import annotations

import json
import re
import unicodedata

from audit.runtime.phrases import printable

_ANY_LENGTH = 1_000_000
_MARKUP = re.compile(r"([\\`*_\[\]<>#+!|~&$@])")
_BEGINNING = re.compile(r"^([-=]|\d+(?=[.)](\s|$)))")
_SCHEME = re.compile(r":(?=/)")
_HOST = re.compile(r"(?i)\b(www)\.")


def markdown(text: str) -> str:
    r"""Return a text that Markdown, GitHub's included, shows as it is: neither markup, HTML nor a link.

    Whole lines are escaped, the program's words together with names, so that no name can be forgotten. GitHub turns
    `@` into mentions even when it is escaped, so a word joiner follows it.

    >>> print(markdown("# <b> | *x* http://a"))
    \# \<b\> \| \*x\* http\://a
    """
    line = _MARKUP.sub(r"\\\1", printable(text, _ANY_LENGTH).strip())
    line = _HOST.sub(r"\1\\.", _SCHEME.sub(r"\\:", line)).replace("\\@", "\\@&#8288;")
    return _BEGINNING.sub(lambda start: _ordered(start[0]), line)


def _ordered(beginning: str) -> str:
    """Return the beginning of a line such that it does not begin a list, rule or heading."""
    return f"{beginning}\\" if beginning[0].isdigit() else f"\\{beginning}"


def as_json(document: object) -> str:
    """Return a document as indented JSON with a final line break; control characters are escaped, all of them."""
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    if text.isascii() and "\x7f" not in text:
        return text + "\n"
    return "".join(c if c == "\n" or not _controls(c) else json.dumps(c)[1:-1] for c in text) + "\n"


def _controls(character: str) -> bool:
    """Return whether a character is invisible: JSON itself permits many, such as those that reverse text."""
    return (
        not character.isascii()
        and (unicodedata.category(character)[0] == "C" or unicodedata.category(character) in ("Zl", "Zp"))
    ) or character == "\x7f"
