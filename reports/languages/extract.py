"""Extract the sentences of the code by Babel, and update the catalogues.

`python -m reports.languages.extract` adds missing sentences to each catalogue, with an empty translation, and removes
unused ones. A sentence is the literal first argument of `say` (also of a class of errors) or `Phrase`, and that of
`say_count` or `Noun` has two forms. Templates use `say` alone.
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

from audit.runtime.phrases import number_forms
from reports.languages.catalogues import FOLDER, LANGUAGES

ROOT = Path(__file__).parents[2]
SAYING = {"say": (1,), "Phrase": (1,), "say_count": (1, 2), "Noun": (1, 2)}
"""The functions with sentences, and which forms of them are in a catalogue."""


Said = tuple[int, str, tuple[object, ...], list[str]]


def said_in(file: BinaryIO, sayings: Container[str], comment_tags: object, options: object) -> Iterator[Said]:
    """Yield line, function and sentence of each such call in Python, also within other calls and f-strings."""
    del comment_tags, options
    for node in ast.walk(ast.parse(file.read())):
        called = getattr(node, "func", None)
        name = str(getattr(called, "id", getattr(called, "attr", "")))
        if isinstance(node, ast.Call) and name in sayings:
            said = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            has_two = len(SAYING[name]) > 1 and isinstance(said, str)
            yield node.lineno, name, number_forms(said) if has_two else (said,), []


def sentences() -> Catalog:
    """Return all sentences in the order of the code, each with the files that contain it."""
    found = Catalog()
    for package in ("audit", "attacks", "anonymizers", "reports"):
        methods = [("**.py", "reports.languages.extract:said_in"), ("**.j2", "jinja2.ext.babel_extract")]
        for file, _, message, _, _ in extract_from_dir(ROOT / package, methods, keywords=SAYING):
            found.add(message, locations=[(f"{package}/{file}", 0)])
    return found


def update() -> Iterator[tuple[str, int]]:
    """Update every catalogue, and yield the number of untranslated sentences of each."""
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
