"""The package as others install it: wheel and sdist, each supported Python, the lowest and the highest dependencies.

It takes minutes and a package registry, so it runs only where AUDIT_TEST_PACKAGE is set (`make package`).
"""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from audit.runtime.outside_code import SIBLINGS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "tests" / "examples"
BENCH = ROOT / "benchmarks" / "series_bench"
EXITS = {"hospital-l-diverse": 1, "clinic-merged": 1, "ward-2-distinct": 0, "cases-independent": 1}
"""How audits end; the first two take joint inference, with all that is compiled."""
OWN = """
def attack(series):
    found = series.candidates
    return found.assign(probability=found["rows"] / found.groupby("question")["rows"].transform("sum"))
"""
WORKED = """
from series_bench.papers.worked_tables import WORKED
assert all(claim.holds for each in WORKED for claim in each.figure().claims)
"""
pytestmark = pytest.mark.skipif("AUDIT_TEST_PACKAGE" not in os.environ, reason="takes minutes; AUDIT_TEST_PACKAGE=1")


def pythons() -> list[str]:
    """The supported Pythons that are found: this one, and those that pyenv keeps."""
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    supported = [
        each.rpartition(" ")[2] for each in classifiers if each.startswith("Programming Language :: Python :: 3.")
    ]
    kept = sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python"))
    found = {".".join(path.parents[1].name.split(".")[:2]): str(path) for path in kept}
    found[f"{sys.version_info[0]}.{sys.version_info[1]}"] = sys.executable
    return [found[version] for version in supported if version in found]


def done(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(list(map(str, words)), cwd=cwd, env=environment, capture_output=True, text=True, timeout=600)


def must(*words: object, cwd: Path | None = None) -> None:
    found = done(*words, cwd=cwd)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """What builds and installs, and what it built."""
    folder = tmp_path_factory.mktemp("package")
    must(sys.executable, "-m", "venv", folder / "tools")
    must(folder / "tools/bin/python", "-m", "pip", "install", "--quiet", "uv", "build")
    must(folder / "tools/bin/python", "-m", "build", "--outdir", folder / "dist", ROOT)
    must(folder / "tools/bin/python", "-m", "build", "--outdir", folder / "dist", BENCH)
    return folder / "tools/bin/uv", folder / "dist"


def test_the_wheel_brings_no_further_names(built):
    [wheel] = built[1].glob("series_audit-*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = {each.partition("/")[0] for each in file.namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"audit", *SIBLINGS}


def check(home: Path, folder: Path) -> None:
    """Run the installed commands in an empty folder, where nothing of this checkout is found."""
    folder.mkdir()
    must(home / "bin/audit", "--version", cwd=folder)
    must(home / "bin/series-bench", "--version", cwd=folder)
    must(home / "bin/series-audit-bench", "figures", "--help", cwd=folder)
    must(home / "bin/python", "-c", WORKED, cwd=folder)
    for name, code in EXITS.items():
        found = done(home / "bin/audit", EXAMPLES / name, cwd=folder)
        assert found.returncode == code, (name, found.stdout + found.stderr)
        assert found.stderr == ""


@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
@pytest.mark.parametrize("python", pythons() if "AUDIT_TEST_PACKAGE" in os.environ else ["none"])
def test_the_wheel(built, tmp_path, python, resolution):
    uv, dist = built
    home = tmp_path / "home"
    wheels = dist.glob("*.whl")
    must(uv, "venv", "--quiet", "--python", python, home)
    install = (uv, "pip", "install", "--quiet", "--python", home / "bin/python")
    must(*install, "--resolution", resolution, "-r", ROOT / "pyproject.toml")
    must(*install, "--no-deps", *wheels)
    check(home, tmp_path / "empty")


def test_the_sdists(built, tmp_path):
    uv, dist = built
    sdists = [*dist.glob("*.tar.gz")]
    assert len(sdists) == 2
    must(uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "home")
    must(uv, "pip", "install", "--quiet", "--python", tmp_path / "home/bin/python", *sdists)
    check(tmp_path / "home", tmp_path / "empty")
    (tmp_path / "empty" / "own.py").write_text(OWN)
    must(tmp_path / "home/bin/series-bench", "run", "own.py", "--quick", "--output", "scores", cwd=tmp_path / "empty")
    assert "own" in (tmp_path / "empty" / "scores" / "results.csv").read_text()
