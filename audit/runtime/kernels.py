"""Kernels: report that they are compiled."""

from __future__ import annotations

from collections.abc import Callable

on_compiling: Callable[[], None] | None = None
"""Called once, when this process begins to compile kernels."""
