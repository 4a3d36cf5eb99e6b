"""Version of the program, and the address of its documentation."""

from __future__ import annotations

from functools import cache

VERSION = "0.4.0"
"""The only place that states it; reading the package's metadata would take a tenth of the time of a small audit."""


@cache
def documentation() -> str | None:
    """Return the web address of the folder docs/, `Documentation` in pyproject.toml; None if the package lacks it."""
    from importlib import metadata

    for each in metadata.metadata("series-audit").get_all("Project-URL") or []:
        label, _, url = each.partition(",")
        if label.strip() == "Documentation":
            return str(url).strip().rstrip("/")
    return None
