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


def names_of(tree):
    """The underscored names that a module defines: functions, classes, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def reached(tree, ours, packages):
    """Lines and texts that reach in; `ours` are underscored names of ours, `packages` our own packages."""
    imported = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] not in packages
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            bad = _import(node, packages)
        elif isinstance(node, ast.Attribute):
            bad = _attribute(node, ours, imported)
        elif isinstance(node, ast.Call):
            bad = _call(node, imported)
        else:
            stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
            compared = isinstance(node, ast.Compare) and isinstance(node.left, ast.Call)
            read = compared or (stored and isinstance(node, ast.Subscript))
            text = ast.unparse(node) if read else ""
            bad = text.startswith("type(self) is ") or (stored and text.startswith(("sys.modules[", "vars(")))
        if bad:
            yield node.lineno, ast.unparse(node)


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
