"""Version of the program, and the address of its documentation."""

from __future__ import annotations

from functools import cache

VERSION = "0.4.0"
"""The only place that states it; reading the package's metadata would take a tenth of the time of a small audit."""


_SOLVERS = ("numpy", "scipy", "numba", "ortools")


@cache
def exact_version() -> str:
    """Return the versions of this program and of its solvers, and a hash of the attacks' source code.

    It differs between programs whose answers may differ, even with the same version number.
    """
    import hashlib
    from importlib import metadata
    from pathlib import Path

    found = hashlib.sha256()
    for path in sorted((Path(__file__).resolve().parents[2] / "attacks").rglob("*.py")):
        found.update(path.read_bytes())
    return " ".join([VERSION, *map(metadata.version, _SOLVERS), found.hexdigest()])


@cache
def documentation() -> str | None:
    """Return the web address of the folder docs/, `Documentation` in pyproject.toml; None if the package lacks it."""
    from importlib import metadata

    for each in metadata.metadata("series-audit").get_all("Project-URL") or []:
        label, _, url = each.partition(",")
        if label.strip() == "Documentation":
            return str(url).strip().rstrip("/")
    return None
