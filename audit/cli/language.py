"""The option `--language`, of every command whose reports people read."""

from __future__ import annotations

import argparse

from reports.languages.catalogues import LANGUAGES, of_locale

COMMANDS = frozenset({"check", "next", "repair", "explain", "plan", "compare", "history", "findings"})
"""The named commands that have it; the default command has it too."""


def add_language(parser: argparse.ArgumentParser) -> None:
    """Add the option; without it the language is that of the locale."""
    parser.add_argument(
        "--language",
        choices=list(LANGUAGES),
        help="language of the texts in reports; default: that of the locale, otherwise en",
    )


def language_of(arguments: argparse.Namespace) -> str:
    """Return the language that is meant."""
    asked: str | None = getattr(arguments, "language", None)
    return asked or of_locale()
