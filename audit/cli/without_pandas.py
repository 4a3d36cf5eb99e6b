"""Keeping pandas, which takes 0.4 s to import, out of a process that is one command: no command works with it.

Two libraries import it only to be able to ask whether what they are given is of pandas: pyarrow, and CP-SAT of ortools.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

_CP_SAT = "ortools.sat.python.cp_model"


def keep_pandas_out() -> None:
    """Have pyarrow find no pandas, and CP-SAT, once it is imported, import pandas when it first needs it."""
    sys.meta_path.insert(0, _Finder)
    import pyarrow as pa

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


class _Finder:
    """Finds CP-SAT, to be loaded by `_Loader`."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        """Return where CP-SAT is; None for all other modules."""
        found = PathFinder.find_spec(name, path) if name == _CP_SAT else None
        if found is not None and isinstance(found.loader, SourceFileLoader):
            found.loader = _Loader(name, found.loader.path)
        return found


class _Loader(SourceFileLoader):
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
