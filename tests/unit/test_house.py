"""The house: every page is reachable, every module under a contract, no class has a name twice, nothing grows."""

import ast
import re
import tomllib
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import networkx as nx
import pytest

from anonymizers.registry import METHODS
from attacks.registry import ATTACKS
from audit.runtime.outside_code import SIBLINGS
from tests.helpers.house_size import house_size, imported, modules, nodes_of
from tests.helpers.private_parts import names_of, reached

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
    packages = {"audit", *SIBLINGS}
    assert {*wheel["only-include"]} == packages
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


def test_no_class_has_a_name_twice():
    names = defaultdict(list)
    for module, (_, nodes) in modules().items():
        for node in nodes[ast.Module][0].body:
            if isinstance(node, ast.ClassDef):
                names[node.name].append(module)
    assert {name: where for name, where in names.items() if len(where) > 1} == {}


def test_no_modules_import_each_other_in_a_circle():
    """Not even for types alone, or within a function."""
    program = {module: nodes for module, (_, nodes) in modules().items()}
    graph = nx.DiGraph()
    for module, nodes in program.items():
        graph.add_edges_from((module, other) for other in imported(nodes, program.keys() - {module}))
    assert [sorted(each) for each in nx.strongly_connected_components(graph) if len(each) > 1] == []


def test_no_private_part_of_another_library_is_used_or_replaced():
    program = {module: nodes for module, (_, nodes) in modules().items()}
    for folder in ("docs", "benchmarks"):
        program |= {str(path): nodes_of(path.read_text(encoding="utf-8")) for path in (ROOT / folder).rglob("*.py")}
    ours = set[str]().union(*map(names_of, program.values()))
    assert [(name, *each) for name, own in program.items() for each in reached(own, ours, {"audit", *SIBLINGS})] == []


@pytest.mark.parametrize(
    "line",
    [
        "import os; os._exit(0)",
        "import numpy as np; np.unique = None",
        "import sys; sys.meta_path.insert(0, Finder)",
        "import sys; sys.modules['pandas'] = None",
        "import numpy as np; vars(np)['ma'] = 1",
        "vars(self).update(x=1)",
        "self.__dict__.update(x=1)",
        "read.__wrapped__(path)",
        "object.__new__(Series)",
        "object.__setattr__(self, 'x', 1)",
        "import dataclasses; setattr(dataclasses, CREATE, deferred)",
        "getattr(np, '_private')",
        "from numpy import _core",
        "from scipy._lib import util",
        "parser._actions",
        "type(self) is Series",
    ],
)
def test_what_reaches_in_is_found(line):
    assert reached(nodes_of(line), {"_ours"}, {"audit"}) != []


@pytest.mark.parametrize("line", ["import audit; self._ours = 1", "pair._replace(x=1)", "from audit.x import _ours"])
def test_what_is_ours_or_public_is_not(line):
    assert reached(nodes_of(line), {"_ours"}, {"audit"}) == []


def test_the_program_does_not_grow():
    """What grows has a reason that its commit gives, and what shrinks lowers its limit in `house_limits.toml`."""
    limits = tomllib.loads(Path(__file__).with_name("house_limits.toml").read_text(encoding="utf-8"))
    size = house_size()
    assert {name: (number, limits.get(name, 0)) for name, number in size.items() if number > limits.get(name, 0)} == {}
    assert {
        name: (size.get(name, 0), limit) for name, limit in limits.items() if size.get(name, 0) < 0.98 * limit
    } == {}
