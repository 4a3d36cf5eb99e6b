"""The tables of the manual that map a paper's terms to the code: every file and every name in them exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(page for kind in ("attacks", "anonymizers") for page in (ROOT / "docs" / kind).glob("*.md")),
    ROOT / "docs/principles.md",
    ROOT / "docs/tables.md",
]
HEADING = "| in the paper | in the code |\n|---|---|\n"
PLACE = re.compile(r"`([\w/]+\.py)` `([\w.]+)`")


def table(page):
    """The rows of a page's table: the term, and the files and names beside it."""
    _, _, after = page.read_text().partition(HEADING)
    rows = [line.strip("| ").split(" | ") for line in after.split("\n\n")[0].splitlines()]
    return [(term, PLACE.findall(places)) for term, places in rows]


def names(path):
    """What a file defines at its top and in its classes, a class's members behind a dot."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        found |= defined(node)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}" for each in node.body for name in defined(each)}
    return found


def defined(node):
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
    return {each.id for each in targets if isinstance(each, ast.Name)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_terms_are_in_the_code(page):
    rows = table(page)
    assert rows
    for term, places in rows:
        assert places, term
        for file, name in places:
            assert name in names(ROOT / file), (term, file, name)


@pytest.mark.parametrize("kind", ["attacks", "anonymizers"])
def test_every_module_has_a_term(kind):
    found = {file for page in PAGES for _, places in table(page) for file, _ in places}
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / kind).rglob("*.py") if path.name != "__init__.py"}
    assert modules - found == {f"{kind}/registry.py"}


def test_the_picture_of_joint_names_its_modules():
    lines = (ROOT / "docs/explanation/joint.md").read_text().split("```")[1].splitlines()
    column = next(line for line in lines if line.endswith("attacks/joint/")).index("attacks/joint/")
    found = {module for line in lines for module in re.findall(r"\w+", line[column:])} - {"attacks", "joint"}
    assert {"core", "walk"} <= found <= {path.stem for path in (ROOT / "attacks/joint").glob("*.py")}


def test_names_are_told_from_others():
    assert {"table", "PAGES", "PLACE"} <= names(Path(__file__))
    assert "rows" not in names(Path(__file__))
