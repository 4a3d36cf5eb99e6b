"""Completion of words in a shell, by argcomplete; see docs/automation.md for how to switch it on."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection

from audit.cli.arguments import Parser

ASKED = "_ARGCOMPLETE"
"""The environment variable by which the shell asks for completions, instead of running a command."""


def complete(default: Callable[[], Parser], command: Callable[[str], Parser], names: Collection[str]) -> None:
    """Print the completions of a line for the shell, and exit.

    Args:
        default: makes the parser of the default command, whose first word may be one of the others' names.
        command: makes the parser of one of them.
        names: their names.
    """
    import argcomplete
    from argcomplete.completers import ChoicesCompleter, DirectoriesCompleter

    typed = _words(os.environ.get("COMP_LINE", ""))
    if len(typed) > 1 and typed[1] in names:
        parser = command(typed[1])
    else:
        parser = default()
        folders, others = DirectoriesCompleter(), ChoicesCompleter(sorted(names))
        parser.series.completer = lambda **told: [*others(**told), *folders(**told)]  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser, always_complete_options="long")


def _words(line: str) -> list[str]:
    """Return the words of a line; a last word that is still being typed is not a command yet."""
    try:
        words = shlex.split(line)
    except ValueError:  # an open quotation
        return line.split()
    return words if line.endswith(" ") else words[:-1]
