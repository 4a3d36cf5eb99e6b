"""Which version of the program this is."""

from __future__ import annotations

from functools import cache


@cache
def version() -> str:
    """Return the version of the installed distribution; it is asked once, for the answer is read from a file."""
    from importlib import metadata

    return metadata.version("series-audit")
