"""Audit a series of anonymized releases: `audit.load("my-series").audit()`; the command line is `audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit.api import (
        compare,
        load,
        load_microdata,
        microdata_from_frames,
        series_from_frames,
        simulate,
        tables_from_frames,
    )
    from audit.model.errors import AuditError

    __version__: str

__all__ = [
    "AuditError",
    "__version__",
    "compare",
    "load",
    "load_microdata",
    "microdata_from_frames",
    "series_from_frames",
    "simulate",
    "tables_from_frames",
]

if not TYPE_CHECKING:  # which would take any name for one of this module

    def __getattr__(name: str) -> object:
        """Import what is asked for, and nothing before."""
        if name == "__version__":
            from audit.runtime.version import VERSION

            return VERSION
        if name in __all__:
            from audit import api

            return getattr(api, name)
        raise AttributeError(f"module 'audit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__]
