"""The Python API: all that the command line does, with series from files or data frames and results as pandas frames.

>>> import audit
>>> result = audit.load("tests/examples/hospital-l-diverse").attack("intersection")
>>> result.passed, result.measures["vulnerable"], len(result.findings)
(False, 2, 2)

Errors in the files raise `InputError`; arguments that are wrong or do not fit the series raise `UsageError`. Both are
`AuditError`, and their text says what to do. Without `reveal=True`, no result names a person or shows a
quasi-identifier, except for questions about one person.
"""

# ruff: noqa: E402 - what hides one of the packages is told before it is imported in its place
from __future__ import annotations

from typing import TYPE_CHECKING

from audit.runtime.outside_code import check

check()

from audit.api.answers import (
    AttackResult,
    AuditResult,
    CheckResult,
    ComparisonResult,
    ExplanationResult,
    ImpactResult,
    PlanResult,
    RepairResult,
)
from audit.api.frames import microdata_from_frames, series_from_frames, tables_from_frames
from audit.api.schema import schema
from audit.api.series import LoadedMicrodata, LoadedSeries, compare, load, load_microdata, simulate
from audit.model.errors import AuditError, InputError, Problem, UsageError
from audit.runtime.distributed.engines import engine
from reports.languages.catalogues import in_language

if TYPE_CHECKING:
    from audit.api.count_tables import LoadedTables
else:

    def __getattr__(name: str) -> object:
        """Import the class of count tables when it is asked for: what audits them is not needed for people."""
        if name != "LoadedTables":
            raise AttributeError(f"module 'audit.api' has no attribute {name!r}")
        from audit.api.count_tables import LoadedTables

        return LoadedTables


__all__ = [
    "AttackResult",
    "AuditError",
    "AuditResult",
    "CheckResult",
    "ComparisonResult",
    "ExplanationResult",
    "ImpactResult",
    "InputError",
    "LoadedMicrodata",
    "LoadedSeries",
    "LoadedTables",
    "PlanResult",
    "Problem",
    "RepairResult",
    "UsageError",
    "compare",
    "engine",
    "in_language",
    "load",
    "load_microdata",
    "microdata_from_frames",
    "schema",
    "series_from_frames",
    "simulate",
    "tables_from_frames",
]
