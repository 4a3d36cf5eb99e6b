"""Find where a module uses or replaces private parts of Python or of another library, by its syntax."""

import ast
import re

# Of named tuples; their documentation has them.
PUBLIC = {"_replace", "_asdict", "_fields", "_make"}
REACHING_IN = {"__dict__", "__wrapped__", "__builtins__", "__dataclass_fields__"}
CALLS = re.compile(
    r"(setattr|delattr|object\.__setattr__|object\.__new__)$|sys\.(meta_path|path_hooks|modules)\.(?!get$)"
)
UPDATES = re.compile(r"vars\(.*\)\.(update|pop|clear|setdefault)$")


def names_of(nodes):
    """The underscored names that a module defines: functions, classes, variables and attributes."""
    named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = {node.name for kind in named for node in nodes[kind]}
    for kind, name in ((ast.Name, "id"), (ast.Attribute, "attr")):
        found |= {getattr(node, name) for node in nodes[kind] if isinstance(node.ctx, ast.Store)}
    return {name for name in found if name.startswith("_")}


def reached(nodes, ours, packages):
    """Lines and texts that reach in; `ours` are underscored names of ours, `packages` our own packages."""
    others = [each for node in nodes[ast.Import] for each in node.names if each.name.partition(".")[0] not in packages]
    imported = {each.asname or each.name.partition(".")[0] for each in others}
    found = [node for node in nodes[ast.ImportFrom] if _import(node, packages)]
    found += [node for node in nodes[ast.Attribute] if _attribute(node, ours, imported)]
    found += [node for node in nodes[ast.Call] if _call(node, imported)]
    of_types = [node for node in nodes[ast.Compare] if isinstance(node.left, ast.Call)]
    found += [node for node in of_types if ast.unparse(node).startswith("type(self) is ")]
    stored = [node for node in nodes[ast.Subscript] if isinstance(node.ctx, ast.Store | ast.Del)]
    found += [node for node in stored if ast.unparse(node).startswith(("sys.modules[", "vars("))]
    return [(node.lineno, ast.unparse(node)) for node in found]


def _import(node, packages):
    """Whether a private module or name of others is imported."""
    module = node.module or ""
    private = "._" in f".{module}" or any(alias.name.startswith("_") for alias in node.names)
    return private and module.partition(".")[0] not in {"__future__", *packages}


def _attribute(node, ours, imported):
    """Whether an attribute is private, or another library's and set; its settings in `config` are there to be set."""
    if isinstance(node.ctx, ast.Store | ast.Del) and (text := ast.unparse(node)).partition(".")[0] in imported:
        return ".config." not in text
    private = node.attr.startswith("_") and not node.attr.startswith("__")
    return node.attr in REACHING_IN or (private and node.attr not in ours | PUBLIC)


def _call(node, imported):
    """Whether a call changes what is not one's own, or gets what is private."""
    called = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
    if called in {"setattr", "delattr"}:
        return ast.unparse(node.args[0]).partition(".")[0] in imported
    texts = [each.value for each in node.args[1:2] if isinstance(each, ast.Constant)]
    gets = called == "getattr" and any(isinstance(text, str) and text.startswith("_") for text in texts)
    return bool(gets or CALLS.match(called) or UPDATES.match(called))
