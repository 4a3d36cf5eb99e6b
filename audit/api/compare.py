"""Series side by side, from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit.api.answers import ComparisonResult
from audit.api.microdata import LoadedMicrodata
from audit.api.series import LoadedSeries
from audit.api.settings import AuditSettings
from audit.model.errors import UsageError

if TYPE_CHECKING:
    from audit.api.count_tables import LoadedTables
    from audit.metrics.queries import Style


def compare(
    *series: LoadedSeries | LoadedTables,
    microdata: LoadedMicrodata | None = None,
    queries: int = 10_000,
    theta: float = 0.1,
    workload: Style = "m-invariance",
    seed: int = 0,
    time_limit: float | None = 300.0,
    progress: bool | None = None,
) -> ComparisonResult:
    """Compare several series, as `audit compare` does; with microdata, also their utility.

    Raises:
        UsageError: some are count tables and others are not, or a series was not made from the microdata.
        InputError: a file cannot be read, or does not fit the microdata.
    """
    from attacks.registry import all_attacks
    from audit.io.paths import without_secrets
    from audit.io.series import Series
    from audit.metrics.utility import Queries, check_fits
    from audit.pipeline.comparison import compare_series

    named = [(without_secrets(str(each.folder)), each) for each in series]
    tables = [(name, each) for name, each in named if each.kind == "tables"]
    people = [(name, Series.of(each.opened.manifest)) for name, each in named if each.kind == "microdata"]
    if tables and (people or microdata is not None):
        raise UsageError("count tables are compared with count tables alone; compare like with like")
    if tables:
        from audit.api.count_tables import compare_tables

        return ComparisonResult(compare_tables(tables, time_limit))
    source = None if microdata is None else microdata.opened
    if source is not None:
        for name, one in people:
            check_fits(name, one, source)
    settings = AuditSettings({}, time_limit=time_limit, findings=0, progress=progress)
    with settings.audit_options() as how:
        return ComparisonResult(
            compare_series(people, all_attacks(), how, source, Queries(queries, theta, workload, seed))
        )
