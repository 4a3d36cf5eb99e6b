"""The house: every page is reachable, every module is under a contract, no class has a name twice."""

import ast
import re
import tomllib
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

import networkx as nx
import pytest

from anonymizers.registry import METHODS
from attacks.registry import ATTACKS
from audit.runtime.own_packages import SIBLINGS

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PAGES = sorted((ROOT / "docs").rglob("*.md"))


def links(page):
    """The files that a page links to."""
    found = LINK.findall(re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL))
    return [(page.parent / each).resolve() for each in found if "://" not in each and not each.startswith("mailto:")]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    assert [str(each.relative_to(ROOT)) for each in links(page) if not each.exists()] == []


def test_every_page_is_reachable_from_the_index():
    seen, waiting = set(), [ROOT / "docs" / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in seen:
            seen.add(page)
            waiting += [each for each in links(page) if each.suffix == ".md" and each.exists()]
    assert [page.name for page in PAGES if page not in seen] == []


def test_what_is_installed_has_no_further_names_and_all_its_commands():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    packages = {wheel["sources"].get(folder, folder).partition("/")[0] for folder in wheel["only-include"]}
    assert packages == {"audit", *SIBLINGS}
    for target in project["project"]["scripts"].values():
        module, _, name = target.partition(":")
        assert module.partition(".")[0] in packages
        assert callable(getattr(import_module(module), name))


def test_every_module_is_under_a_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [layers] = [each["layers"] for each in contracts if each["name"].startswith("Inside audit")]
    covered = [name.strip() for layer in layers for name in re.split(r"[|:]", layer)]
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "audit").rglob("*.py")]
    free = [m for m in modules if not m.endswith("__init__") and not any(f"{m}.".startswith(f"{c}.") for c in covered)]
    assert free == []


@pytest.mark.parametrize(
    ("kind", "registry"), [("Attacks do not", ATTACKS), ("Anonymizers do not", METHODS)], ids=["attacks", "anonymizers"]
)
def test_whoever_is_registered_knows_no_other(kind, registry):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [modules] = [each["modules"] for each in contracts if each["name"].startswith(kind)]
    for target in registry.own.values():
        assert any(f"{target.partition(':')[0]}.".startswith(f"{module}.") for module in modules), target


@cache
def modules():
    """The program's modules with what their files say."""
    found = {}
    for folder in ("audit", "attacks", "anonymizers", "reports"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def test_no_class_has_a_name_twice():
    names = defaultdict(list)
    for module, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                names[node.name].append(module)
    assert {name: where for name, where in names.items() if len(where) > 1} == {}


def test_no_modules_import_each_other_in_a_circle():
    """Not even for types alone, or within a function."""
    trees = modules()
    graph = nx.DiGraph()
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                graph.add_edges_from((module, name if name in trees else node.module) for name in names)
    assert [sorted(each) for each in nx.strongly_connected_components(graph) if len(each) > 1] == []
