"""Series side by side, from Python."""

from __future__ import annotations

from audit.api.answers import ComparisonResult
from audit.api.microdata import LoadedMicrodata
from audit.api.series import LoadedSeries
from audit.api.settings import AuditSettings


def compare(
    *series: LoadedSeries,
    microdata: LoadedMicrodata | None = None,
    queries: int = 10_000,
    theta: float = 0.1,
    seed: int = 0,
    time_limit: float | None = 300.0,
) -> ComparisonResult:
    """Show several series side by side, as `audit compare` does; with microdata also what they are good for.

    Raises:
        UsageError: a series is none of the microdata.
        InputError: a file cannot be read, or does not fit the microdata.
    """
    from attacks.registry import all_attacks
    from audit.io.series import Series
    from audit.metrics.utility import Queries, check_fits
    from audit.pipeline.comparison import compare_series

    source = None if microdata is None else microdata.opened
    named = [(str(each._series.manifest.folder), Series.of(each._series.manifest)) for each in series]
    if source is not None:
        for path, one in named:
            check_fits(path, one, source)
    settings = AuditSettings(None, time_limit, 0, False, False, {}, None, {})
    with settings.audit_options(explicit=False) as how:
        return ComparisonResult(
            compare_series(named, all_attacks(), how, source, Queries(queries, theta, "m-invariance", seed))
        )
