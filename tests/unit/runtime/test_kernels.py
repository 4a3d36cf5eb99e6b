"""Kernels: when compiled ones are loaded, what they leave on a machine, and where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from audit.runtime import kernels

PROGRAM = """
import numpy as np
from audit.runtime import kernels
compiled = []
kernels.on_compiling = lambda: compiled.append(1)
from audit.model.minimum_cuts_compiled import _heaviest
_heaviest(np.zeros((1, 1), dtype=np.int64))
print(len(compiled), kernels.is_cached("audit.model.minimum_cuts_compiled"))
"""


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_missed_seconds", {})
    monkeypatch.setattr(kernels, "_in_use", set())
    kernels._was_cached.cache_clear()
    monkeypatch.setattr(kernels, "sys", type("sys", (), {"modules": {}, "version_info": sys.version_info}))


def test_kernels_are_loaded_when_what_was_forgone_pays_for_compiling(fresh, monkeypatch) -> None:
    monkeypatch.setattr(kernels, "is_cached", lambda _: False)
    asked = [kernels.pays("one", 1.0, 3.0) for _ in range(6)]
    assert asked == [False, False, False, True, True, True]
    assert not kernels.pays("other", 3.4, 3.0)


def run(environment: dict[str, str], folder: Path | None = None, program: str = PROGRAM) -> list[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG", "HOME", "PYTHON"))}
    path = {} if folder is None else {"PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=clean | environment | path | {"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_it_is_said_once_that_kernels_are_compiled_and_only_the_first_process_does_so(tmp_path) -> None:
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "HOME": str(tmp_path)}
    assert run(environment) == ["1", "True"]
    assert run(environment) == ["0", "True"]


def installed(tmp_path: Path) -> Path:
    """Return a folder with what the kernel needs, of which nothing was compiled, and nobody can write to."""
    root = Path(kernels.__file__).parents[2]
    folder = tmp_path / "installed"
    modules = ("runtime/kernels.py", "runtime/compiling.py", "model/arrays.py", "model/minimum_cuts_compiled.py")
    sources = [f"audit/{name}" for name in modules]
    packages = ("audit", "audit/runtime", "audit/model")
    for name in (*(f"{package}/__init__.py" for package in packages), *sources):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = "" if name.endswith("__init__.py") else (root / name).read_text()
        # Root may write anywhere: a file where the folder for compiled code would be stands in its way.
        target.write_text(text)
        (target.parent / "__pycache__").touch()
    return folder


def test_where_nothing_can_be_kept_beside_the_source_it_is_kept_in_the_cache_of_the_user(tmp_path) -> None:
    folder, home = installed(tmp_path), tmp_path / "home"
    home.mkdir()
    assert run({"HOME": str(home)}, folder) == ["1", "True"]
    assert list((home / ".cache" / "numba").rglob("*.nbi"))
    assert run({"HOME": str(home)}, folder) == ["0", "True"]
