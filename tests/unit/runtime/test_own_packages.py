"""Folders and files of the names of our packages, on PYTHONPATH or beside a notebook, are told in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMMAND = "import sys; from audit.cli.entry import main; sys.argv = ['audit', '--version']; sys.exit(main())"
NOTEBOOK = "from audit.api import load"


def run(program, folder, path=()):
    """Run a program in a folder, which Python searches first, as a notebook does."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), str(ROOT)])}
    return subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True)


def hide(folder, name, kind):
    if kind == "file":
        (folder / f"{name}.py").write_text("")
    else:
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text("")


@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("name", ["attacks", "anonymizers", "reports"])
@pytest.mark.parametrize("on_path", [False, True], ids=["in the folder", "on PYTHONPATH"])
def test_what_hides_a_package_is_one_line(tmp_path, name, kind, on_path):
    other = tmp_path / "other"
    other.mkdir()
    hide(other, name, kind)
    where = (tmp_path, (other,)) if on_path else (other, ())
    done = run(COMMAND, *where)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"hides the package `{name}` of series-audit; rename it" in done.stderr
    assert str(other / name) in done.stderr
    done = run(NOTEBOOK, *where)
    assert done.stderr.splitlines()[-1].startswith(f"ImportError: {other / name}")


def test_folders_without_modules_hide_nothing(tmp_path):
    for name in ("attacks", "anonymizers", "reports"):
        (tmp_path / name).mkdir()
    assert run(COMMAND, tmp_path).returncode == 0
    assert run(NOTEBOOK, tmp_path).returncode == 0
