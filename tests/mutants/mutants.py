"""The mutants, as the tests say that notice them: `@kills(name, text, replacement)` above a test."""

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tests.mutants.mutant import ROOT, Mutant


def _noticed(path: Path) -> Iterator[Mutant]:
    """Yield the mutants that the tests of a file notice."""
    text = path.read_text(encoding="utf-8")
    for test in ast.parse(text).body if "@kills(" in text else ():
        for call in test.decorator_list if isinstance(test, ast.FunctionDef) else ():
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "kills":
                case = "".join(ast.literal_eval(keyword.value) for keyword in call.keywords)
                change = map(ast.literal_eval, call.args)
                yield Mutant(*change, f"{path.relative_to(ROOT).as_posix()}::{test.name}{case}")


MUTANTS = tuple(chain.from_iterable(map(_noticed, sorted((ROOT / "tests").rglob("test_*.py")))))
