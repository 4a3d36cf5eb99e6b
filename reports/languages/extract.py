"""Extracting: the sentences of the code, and catalogues brought up to them.

`python -m reports.languages.extract` adds what a catalogue lacks, with an empty translation, and drops what is said
no more. A sentence is the literal first argument of `say` or `Phrase`, two are those of `say_count`, three those of
`Noun`; templates say theirs alike.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from reports.languages.catalogues import FOLDER, LANGUAGES

ROOT = Path(__file__).parents[2]
PACKAGES = ("audit", "attacks", "anonymizers", "reports")
_ARGUMENTS = {"say": 1, "Phrase": 1, "say_count": 2, "Noun": 3}
_IN_TEMPLATES = re.compile(r"""\bsay\("((?:[^"\\]|\\.)*)\"""")


class Message(NamedTuple):
    """A sentence, or two of which a number decides."""

    one: str
    many: str | None = None


class Call(NamedTuple):
    """Where something is said: the file, the line, and the sentences; None where they are no literals."""

    file: str
    line: int
    messages: tuple[Message, ...] | None


def calls(root: Path = ROOT) -> Iterator[Call]:
    """Yield where anything is said, file by file."""
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            file = path.relative_to(root).as_posix()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ARGUMENTS:
                    yield Call(file, node.lineno, _messages(node.func.id, node.args))
        for path in sorted((root / package).rglob("*.j2")):
            text = path.read_text(encoding="utf-8")
            for said in _IN_TEMPLATES.finditer(text):
                line = text.count("\n", 0, said.start()) + 1
                yield Call(path.relative_to(root).as_posix(), line, (Message(said[1]),))


def messages(root: Path = ROOT) -> dict[Message, list[str]]:
    """Return all sentences in the order of the code, each with the files that say it."""
    found: dict[Message, list[str]] = {}
    for call in calls(root):
        for message in call.messages or ():
            found.setdefault(message, []).append(call.file)
    return found


def _messages(name: str, arguments: list[ast.expr]) -> tuple[Message, ...] | None:
    texts = [each.value if isinstance(each, ast.Constant) else None for each in arguments[: _ARGUMENTS[name]]]
    known = [text for text in texts if isinstance(text, str)]
    if len(known) < _ARGUMENTS[name]:
        return None
    if name == "say_count":
        return (Message(*known),)
    return (Message(known[0], known[1]), Message(known[2])) if name == "Noun" else (Message(known[0]),)


def update(code: str) -> int:
    """Bring a catalogue up to the code, and return how many sentences wait for a translation."""
    import polib

    path = FOLDER / f"{code}.po"
    catalogue = polib.pofile(str(path), encoding="utf-8", wrapwidth=110)
    known = {(entry.msgid, entry.msgid_plural or None): entry for entry in catalogue}
    catalogue.clear()
    for message, files in messages().items():
        entry = known.get(message) or polib.POEntry(msgid=message.one)
        if message.many is not None and not entry.msgid_plural:
            entry.msgid_plural, entry.msgstr_plural = message.many, {0: "", 1: ""}
        entry.occurrences = [(file, "") for file in dict.fromkeys(files)]
        catalogue.append(entry)
    catalogue.save(str(path))
    return sum(not entry.translated() for entry in catalogue)


if __name__ == "__main__":
    for each in LANGUAGES:
        if each != "en":
            sys.stdout.write(f"{each}: {update(each)} sentences to translate\n")
