"""Audit a series of anonymized releases: `audit.load("my-series").audit()`; the command line is `audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:  # noqa: ANN401 - each has a type of its own
    """Import what is asked for, and nothing before."""
    if name == "__version__":
        from audit.runtime.version import version

        return version()
    if name == "AuditError":
        from audit.model.errors import AuditError

        return AuditError
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("audit.api"), name)
    raise AttributeError(f"module 'audit' has no attribute {name!r}")
