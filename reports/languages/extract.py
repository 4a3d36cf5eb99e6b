"""Extracting: the sentences of the code by Babel, and catalogues brought up to them.

`python -m reports.languages.extract` adds what a catalogue lacks, with an empty translation, and drops what is said
no more. A sentence is the literal first argument of `say` or `Phrase`, two are those of `say_count` or `Noun`;
templates say theirs alike.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Container, Iterator
from pathlib import Path
from typing import BinaryIO

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from reports.languages.catalogues import FOLDER, LANGUAGES

ROOT = Path(__file__).parents[2]
SAYING = {"say": (1,), "Phrase": (1,), "say_count": (1, 2), "Noun": (1, 2)}
"""What says something, and which of its arguments are sentences."""


Said = tuple[int, str, tuple[object, ...], list[str]]


def said_in(file: BinaryIO, sayings: Container[str], comment_tags: object, options: object) -> Iterator[Said]:
    """Yield line, function and arguments wherever Python says something, within other calls and f-strings too."""
    del comment_tags, options
    for node in ast.walk(ast.parse(file.read())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in sayings:
            yield (
                node.lineno,
                node.func.id,
                tuple(a.value if isinstance(a, ast.Constant) else None for a in node.args),
                [],
            )


def sentences() -> Catalog:
    """Return all sentences in the order of the code, each with the files that say it."""
    found = Catalog()
    for package in ("audit", "attacks", "anonymizers", "reports"):
        methods = [("**.py", "reports.languages.extract:said_in"), ("**.j2", "jinja2.ext.babel_extract")]
        for file, _, message, _, _ in extract_from_dir(ROOT / package, methods, keywords=SAYING):
            found.add(message, locations=[(f"{package}/{file}", 0)])
    return found


def update() -> Iterator[tuple[str, int]]:
    """Bring every catalogue up to the code, and yield how many sentences each has to translate."""
    said = sentences()
    for code in sorted(LANGUAGES.keys() - {"en"}):
        path = FOLDER / f"{code}.po"
        with path.open("rb") as file:
            catalogue = read_po(file, code)
        catalogue.update(said, no_fuzzy_matching=True, update_creation_date=False)
        with path.open("wb") as file:
            write_po(file, catalogue, width=132, include_lineno=False, ignore_obsolete=True)
        yield code, sum(not (each.string and all(each.string)) for each in catalogue if each.id)


if __name__ == "__main__":
    for language, missing in update():
        sys.stdout.write(f"{language}: {missing} sentences to translate\n")
