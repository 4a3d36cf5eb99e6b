"""The size of the program: lines of code by room, nodes, imports between modules and packages, silenced rules, words.

A line of code is a line other than docstrings, comments and blanks. Nodes are counted too, so denser lines gain
nothing.
"""

import ast
import gc
import re
import tomllib
from collections import Counter, defaultdict
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
Nodes = dict[type[ast.AST], list[ast.AST]]
"""All nodes of a module by their types."""


def house_size() -> dict[str, int]:
    """Return the measures by name; lines of code and nodes as `code audit/io`, and in all as `code`."""
    found, arrows, program = Counter[str](), set[tuple[str, str]](), modules()
    for module, (text, nodes) in program.items():
        lines, number = code_lines(text, nodes), sum(map(len, nodes.values()))
        found += Counter({"code": lines, "nodes": number, f"code {package(module).replace('.', '/')}": lines})
        found["words"] += sum(word in WORDS for word in words(nodes))
        found["silenced"] += len(re.findall(r"# noqa|# type: ignore|# fmt: (?:off|skip)", text))
        arrows |= {(module, other) for other in imported(nodes, program.keys() - {module})}
    found["imports between modules"] = len(arrows)
    rooms = {(package(module), package(other)) for module, other in arrows}
    found["imports between packages"] = sum(one != other for one, other in rooms)
    ignored = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]["per-file-ignores"]
    found["silenced"] += sum(map(len, ignored.values()))
    return dict(found)


def nodes_of(text: str) -> Nodes:
    """Return the nodes of a source text."""
    found = defaultdict[type[ast.AST], list[ast.AST]](list)
    for node in ast.walk(ast.parse(text)):
        found[type(node)].append(node)
    return found


@cache
def modules() -> dict[str, tuple[str, Nodes]]:
    """Return the program's modules by name, each with its text and its nodes."""
    files = {path: path.read_text("utf-8") for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))}
    names = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in files}
    gc.disable()  # of half a million nodes none is garbage, and none need be looked at again
    try:
        return {names[path]: (text, nodes_of(text)) for path, text in files.items()}
    finally:
        gc.freeze()
        gc.enable()


def package(module: str) -> str:
    """Return the room that a module stands in."""
    room, *rest = module.split(".")
    return f"{room}.{rest[0]}" if room == "audit" and rest and rest[0] != "__main__" else room


def code_lines(text: str, nodes: Nodes) -> int:
    """Return how many lines have code: all but blanks, comments and docstrings; a text of several lines is code."""
    texts, docs = set(), set()
    for node in [*nodes[ast.Constant], *nodes[ast.JoinedStr]]:
        if node.end_lineno != node.lineno:
            texts |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
    for node in nodes[ast.Expr]:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docs |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
    written = {n for n, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")}
    return len((written | texts) - docs)


def imported(nodes: Nodes, modules: set[str]) -> set[str]:
    """Return the modules, among some, that a module imports, also inside functions and for types."""
    found = {alias.name for node in nodes[ast.Import] for alias in node.names}
    for node in nodes[ast.ImportFrom]:
        for alias in node.names if node.module else ():
            inner = f"{node.module}.{alias.name}"
            found.add(inner if inner in modules else node.module)
    return found & modules


def words(nodes: Nodes) -> list[str]:
    """Return the words of all names that a module defines, and of its docstrings."""
    functions = [*nodes[ast.FunctionDef], *nodes[ast.AsyncFunctionDef]]
    names = [node.name for node in [*functions, *nodes[ast.ClassDef]]]
    names += [each.arg for node in functions for each in [*node.args.args, *node.args.kwonlyargs]]
    names += [node.id for node in nodes[ast.Name] if isinstance(node.ctx, ast.Store)]
    found = [word.lower() for name in names for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
    for node in (node for kind in DOCUMENTED for node in nodes[kind]):
        found += re.findall(r"[a-z]+", (ast.get_docstring(node) or "").lower())
    return found
