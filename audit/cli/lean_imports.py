"""Keeping out of a process that is one command what libraries import for others: together half a second of it.

No command works with pandas, but pyarrow and CP-SAT of ortools import it to be able to ask whether what they are given
is of it. Nor does any make a matrix of Laplace, for which `scipy.sparse.csgraph` imports all of `scipy.linalg`. And
`scipy.sparse` goes through every name that numpy has, which imports those parts of numpy that wait until they are asked
for: the compiler of Fortran, the tools of tests and others. `pyarrow.compute` makes three hundred functions with their
signatures and docstrings, of which a command calls ten. And `numpy.unique` imports all of `numpy.ma` to ask whether an
array is masked.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from threading import Lock
from types import CodeType, ModuleType, SimpleNamespace


def keep_imports_lean() -> None:
    """Have pyarrow find no pandas, and the modules of `_LOADERS` import what they name when they first need it."""
    sys.meta_path.insert(0, _Finder)
    import numpy as np
    import pyarrow as pa

    if "numpy.ma" not in sys.modules:
        vars(np)["ma"] = _NoMaskedArrays("numpy.ma")

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.scalar(0)
    finally:
        sys.meta_path.remove(_NoPandas)


class _NoPandas:
    """Finds no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse to import pandas."""
        if name == "pandas":
            raise ImportError(name)


class _NoMaskedArrays(ModuleType):
    """Stands for `numpy.ma` until something of it is needed: there is no masked array before."""

    @staticmethod
    def is_masked(_array: object) -> bool:
        """Tell whether an array is masked."""
        return False

    def __getattr__(self, name: str) -> object:
        """Return what `numpy.ma` calls by a name; importing it takes this one's place in numpy."""
        return getattr(import_module("numpy.ma"), name)


class _Finder:
    """Finds the modules of `_LOADERS`, each to be loaded by its own."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        """Return where one of these modules is; None for all others."""
        found = PathFinder.find_spec(name, path) if name in _LOADERS else None
        if found is not None and isinstance(found.loader, SourceFileLoader):
            found.loader = _LOADERS[name](name, found.loader.path)
        return found


class _WithoutPandas(SourceFileLoader):
    """Runs a module to which `import pandas` gives what stands for it."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module; where it needs pandas itself at once, it is run again with that."""
        pandas = _Pandas("pandas")

        def imported(name: str, *how: object) -> object:
            return pandas if name == "pandas" else builtins.__import__(name, *how)  # type: ignore[arg-type]

        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": imported}
        try:
            super().exec_module(module)
        except (AttributeError, TypeError):
            module.__dict__["__builtins__"] = builtins
            super().exec_module(module)
        pandas.is_named = True


class _Pandas(ModuleType):
    """Stands for pandas: its types have names only while a module is run, and are its own afterwards.

    Attributes:
        is_named: whether the module that names them has been run.
    """

    is_named = False

    def __getattr__(self, name: str) -> object:
        """Return what pandas calls by a name; an empty class where it is a name in an annotation."""
        return getattr(import_module("pandas"), name) if self.is_named else type(name, (), {})


class _OfLoadedNumpy(SourceFileLoader):
    """Runs a module that takes every name of numpy, while numpy has only those that are loaded."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module; names that it did not find are taken from numpy when they are asked for."""
        import numpy as np

        def missing(name: str) -> object:
            raise AttributeError(name)

        names = vars(np)
        before = {name: names[name] for name in ("__all__", "__getattr__")}
        names.update(__all__=[name for name in np.__all__ if name in names], __getattr__=missing)
        try:
            super().exec_module(module)
        finally:
            names.update(before)
        module.__dict__["__getattr__"] = lambda name: getattr(np, name)


class _NoDocstrings(SourceFileLoader):
    """Gives what `pyarrow.compute` reads docstrings with, to write those of its functions, nothing to read."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module a parser that finds no parameters."""
        module.__dict__["NumpyDocString"] = lambda _: {"Parameters": []}


class _FunctionsOnDemand(SourceFileLoader):
    """Runs `pyarrow.compute`, which then makes a function of Arrow's registry when it is asked for."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, with those functions alone that its own code names."""
        code = self.get_code(module.__name__)
        if code is None:
            raise ImportError(module.__name__)
        compute, own, lock = vars(import_module("pyarrow._compute")), vars(module), Lock()
        of_all = compute["function_registry"]
        registry, named = of_all(), _texts_in(code)
        every = set(registry.list_functions())

        def of_some(names: Collection[str]) -> Callable[[], object]:
            few = SimpleNamespace(get_function=registry.get_function, list_functions=lambda: names)
            return lambda: few

        def made(name: str) -> object:
            with lock:
                function = name.removesuffix("_")  # `and_` and `or_`
                if function in every and not {name, function} & own.keys():
                    own["function_registry"] = of_some([function])
                    try:
                        own["_make_global_functions"]()
                    finally:
                        own["function_registry"] = of_all
            if name not in own:
                raise AttributeError(f"module 'pyarrow.compute' has no attribute {name!r}")
            found: object = own[name]
            return found

        compute["function_registry"] = of_some(every & named)
        try:
            exec(code, own)  # noqa: S102 - as every loader does
        finally:
            compute["function_registry"] = of_all
        if "_make_global_functions" not in own:  # another version, which makes them in another way
            super().exec_module(module)
            return
        own.update(function_registry=of_all, __getattr__=made)


def _texts_in(code: CodeType) -> set[str]:
    """Return the names and texts in some code, that of its functions included."""
    found = {*code.co_names, *(text for text in code.co_consts if isinstance(text, str))}
    return found.union(*(_texts_in(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


class _Laplacian(SourceFileLoader):
    """Runs a module whose one function is `laplacian` when that is called."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module a function that takes the place of itself."""

        def laplacian(*arguments: object, **named: object) -> object:
            SourceFileLoader.exec_module(self, module)
            return module.laplacian(*arguments, **named)

        module.__dict__["laplacian"] = laplacian


_LOADERS: dict[str, type[SourceFileLoader]] = {
    "ortools.sat.python.cp_model": _WithoutPandas,
    "pyarrow.compute": _FunctionsOnDemand,
    "pyarrow.vendored.docscrape": _NoDocstrings,
    "scipy._lib.array_api_compat.numpy": _OfLoadedNumpy,
    "scipy.sparse.csgraph._laplacian": _Laplacian,
}
