"""Kernels: what compiling says and leaves on a machine, and where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from audit.runtime import kernels

PROGRAM = """
from audit.runtime import kernels
compiled = []
kernels.on_compiling = lambda: compiled.append(1)
from audit.model.tiny import one_more
one_more(1)
one_more(1.0)
print(len(compiled))
"""
TINY = """
from audit.runtime.compiling import kernel


@kernel
def one_more(number):
    return number + 1
"""


def run(environment: dict[str, str], folder: Path) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG", "HOME", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=clean | environment | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def installed(tmp_path: Path) -> Path:
    """Return a folder with what a kernel needs, of which nothing was compiled, and nobody can write to."""
    root = Path(kernels.__file__).parents[2]
    folder = tmp_path / "installed"
    texts = {
        f"audit/runtime/{name}.py": (root / f"audit/runtime/{name}.py").read_text() for name in ("kernels", "compiling")
    }
    packages = ("audit", "audit/runtime", "audit/model")
    texts |= {f"{package}/__init__.py": "" for package in packages} | {"audit/model/tiny.py": TINY}
    for name, text in texts.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # Root may write anywhere: a file where the folder for compiled code would be stands in its way.
        target.write_text(text)
        (target.parent / "__pycache__").touch()
    return folder


def test_it_is_said_once_that_kernels_are_compiled_and_only_the_first_process_does_so(tmp_path) -> None:
    folder, environment = installed(tmp_path), {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path)}
    assert run(environment, folder) == "1"
    assert run(environment, folder) == "0"


def test_where_nothing_can_be_kept_beside_the_source_it_is_kept_in_the_cache_of_the_user(tmp_path) -> None:
    folder, home = installed(tmp_path), tmp_path / "home"
    home.mkdir()
    assert run({"HOME": str(home)}, folder) == "1"
    assert list((home / ".cache" / "numba").rglob("*.nbi"))
    assert run({"HOME": str(home)}, folder) == "0"
