"""Which version of the program this is, and where its documentation is read."""

from __future__ import annotations

from functools import cache

VERSION = "0.2.0"
"""That of pyproject.toml: to read it from the installed distribution takes a tenth of a small audit."""


def version() -> str:
    """Return the version of the program."""
    return VERSION


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
