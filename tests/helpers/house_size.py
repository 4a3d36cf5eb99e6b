"""The size of the program: lines of code by room, nodes, imports between modules and packages, silenced rules, words.

A line of code is a line other than docstrings, comments and blanks. Nodes are counted too, so denser lines gain
nothing.
"""

import ast
import gc
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("audit", "attacks", "anonymizers", "reports")
WORDS = frozenset(
    re.findall(
        r"\w+",
        "told tell tells heard hear shelf shelves lens sight apart whoever whom somebody nobody everybody anybody "
        "stays dear strange welcome loose quiet likewise altogether",
    )
)
"""Words that hide who does what; their number in identifiers and docstrings may only fall."""
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def house_size(root: Path = ROOT) -> dict[str, int]:
    """Return the measures by name; lines of code and nodes as `code audit/io`, and in all as `code`."""
    found, arrows, program = Counter[str](), set[tuple[str, str]](), modules(root)
    for module, (text, tree) in program.items():
        nodes = list(ast.walk(tree))
        lines = code_lines(text, nodes)
        found += Counter({"code": lines, "nodes": len(nodes), f"code {package(module).replace('.', '/')}": lines})
        found["words"] += sum(word in WORDS for word in words(nodes))
        found["silenced"] += len(re.findall(r"# noqa|# type: ignore|# fmt: (?:off|skip)", text))
        arrows |= {(module, other) for other in imported(nodes, program.keys() - {module})}
    found["imports between modules"] = len(arrows)
    rooms = {(package(module), package(other)) for module, other in arrows}
    found["imports between packages"] = sum(one != other for one, other in rooms)
    ignored = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]["per-file-ignores"]
    found["silenced"] += sum(map(len, ignored.values()))
    return dict(found)


@cache
def modules(root: Path = ROOT) -> dict[str, tuple[str, ast.Module]]:
    """Return the program's modules by name, each with its text and its syntax."""
    files = {path: path.read_text("utf-8") for room in ROOMS for path in sorted((root / room).rglob("*.py"))}
    names = {path: ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for path in files}
    gc.disable()  # of half a million nodes none is garbage
    try:
        return {names[path]: (text, ast.parse(text)) for path, text in files.items()}
    finally:
        gc.enable()


def package(module: str) -> str:
    """Return the room that a module stands in."""
    room, *rest = module.split(".")
    return f"{room}.{rest[0]}" if room == "audit" and rest and rest[0] != "__main__" else room


def code_lines(text: str, nodes: Iterable[ast.AST]) -> int:
    """Return how many lines have code: all but blanks, comments and docstrings; a text of several lines is code."""
    texts, docs = set(), set()
    for node in nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno:
            texts |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docs |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
    written = {n for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")}
    return len((written | texts) - docs)


def imported(nodes: Iterable[ast.AST], modules: set[str]) -> set[str]:
    """Return the modules, among some, that a module imports, also inside functions and for types."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in modules else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & modules


def words(nodes: Iterable[ast.AST]) -> list[str]:
    """Return the words of all names that a module defines, and of its docstrings."""
    found = []
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = [node.name, *(each.arg for each in [*node.args.args, *node.args.kwonlyargs])]
        elif isinstance(node, ast.ClassDef):
            names = [node.name]
        else:
            names = [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []
        found += [word.lower() for name in names for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
        if isinstance(node, DOCUMENTED):
            found += re.findall(r"[a-z]+", (ast.get_docstring(node) or "").lower())
    return found
