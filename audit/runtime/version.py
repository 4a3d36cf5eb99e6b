"""Which version of the program this is, and where its documentation is read."""

from __future__ import annotations

from functools import cache

VERSION = "0.3.0"
"""The one place where it stands, from which the package takes it. Reading that again is a tenth of a small audit."""


def version() -> str:
    """Return the version of the program."""
    return VERSION


# What attacks compute with.
_SOLVERS = ("numpy", "scipy", "numba", "ortools")


@cache
def exact_version() -> str:
    """Return the versions of this program and of what attacks compute with, and a hash of the attacks' source.

    Two programs whose answers may differ do not agree in it; a version that is being worked on keeps its number.
    """
    import hashlib
    from importlib import metadata
    from pathlib import Path

    found = hashlib.sha256()
    for path in sorted((Path(__file__).resolve().parents[2] / "attacks").rglob("*.py")):
        found.update(path.read_bytes())
    return " ".join([version(), *map(metadata.version, _SOLVERS), found.hexdigest()])


@cache
def documentation() -> str | None:
    """Return where the folder docs/ is read on the web; None where the package does not say.

    It is the URL `Documentation` of pyproject.toml, as the installed distribution has it.
    """
    from importlib import metadata

    for each in metadata.metadata("series-audit").get_all("Project-URL") or []:
        label, _, url = each.partition(",")
        if label.strip() == "Documentation":
            return str(url).strip().rstrip("/")
    return None
