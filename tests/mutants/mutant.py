"""What a mutant is, and where it stands in a source file."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).parents[2]


class PlaceGoneError(ValueError):
    """The program has no such place any more: the list of mutants must change with it."""


Test = TypeVar("Test", bound=Callable[..., object])


def kills(name: str, text: str, replacement: str, case: str = "") -> Callable[[Test], Test]:
    """Say of which mutant a test, or one case of it, is the one that must notice it."""
    return lambda test: test


@dataclass(frozen=True)
class Mutant:
    """A wrong change of one function, class or constant.

    Attributes:
        name: its qualified name, module first.
        text: what stands exactly once in its source.
        replacement: what the mutant has instead.
        test: the test that notices it, as pytest names it.
    """

    name: str
    text: str
    replacement: str
    test: str

    def __str__(self) -> str:
        return f"{self.name}: {self.text!r} -> {self.replacement!r}"

    def path(self, root: Path = ROOT) -> Path:
        """Return the source file, the longest one that the qualified name begins with."""
        parts = self.name.split(".")
        for count in range(len(parts), 0, -1):
            path = root.joinpath(*parts[:count]).with_suffix(".py")
            if path.is_file():
                return path
        raise PlaceGoneError(f"{self}: there is no such module")

    def names(self, root: Path = ROOT) -> list[str]:
        """Return what of the qualified name stands behind the module's."""
        return self.name.split(".")[len(self.path(root).relative_to(root).parts) :]

    def source(self, root: Path = ROOT) -> str:
        """Return the whole source file with the change in it."""
        path = self.path(root)
        whole = path.read_text(encoding="utf-8")
        first, last = _lines(_parsed(whole), self.names(root), self)
        lines = whole.splitlines(keepends=True)
        before, part, after = ("".join(some) for some in (lines[: first - 1], lines[first - 1 : last], lines[last:]))
        if part.count(self.text) != 1:
            raise PlaceGoneError(f"{self}: the text stands {part.count(self.text)} times in {self.name}")
        return before + part.replace(self.text, self.replacement) + after


@cache
def _parsed(source: str) -> ast.Module:
    """Return the syntax tree of a file, which many mutants share."""
    return ast.parse(source)


def _lines(tree: ast.AST, names: list[str], mutant: Mutant) -> tuple[int, int]:
    """Return the first and the last line of what some nested names name."""
    found: ast.stmt | None = None
    for name in names:
        body: list[ast.stmt] = getattr(tree if found is None else found, "body", [])
        found = next((each for each in body if name in _names(each)), None)
        if found is None:
            raise PlaceGoneError(f"{mutant}: there is no {name}")
    if found is None or found.end_lineno is None:
        raise PlaceGoneError(f"{mutant}: a module is no place")
    return found.lineno, found.end_lineno


def _names(statement: ast.stmt) -> set[str]:
    """Return what a statement defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return {each.id for each in targets if isinstance(each, ast.Name)}
