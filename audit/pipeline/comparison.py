"""Compare series: audit and measure each, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from audit.io.microdata import Microdata
from audit.io.series import Series
from audit.metrics.utility import Queries, measure, within
from audit.model.audit_options import AuditOptions
from audit.model.comparison import ComparedSeries, Comparison, QueryDesign, ReleaseMeasures
from audit.model.errors import UsageError
from audit.model.outcome import Attack
from audit.pipeline.audit_run import run_audit
from audit.runtime.version import VERSION


def compare_series(
    named: Sequence[tuple[str, Series]],
    attacks: Sequence[Attack],
    options: AuditOptions,
    microdata: Microdata | None,
    queries: Queries,
) -> Comparison:
    """Audit and measure several series, each with its name.

    Raises:
        InputError: a file cannot be read, or does not fit the microdata.
    """
    measured = measure(named, microdata, queries)
    sides = []
    for (path, series), releases in zip(named, measured, strict=True):
        with within(path):
            sides.append(_side(path, series, attacks, releases, options))
    asked = None
    if microdata is not None:
        asked = QueryDesign(microdata.name, queries.number, queries.theta, queries.style, queries.seed)
    return Comparison(VERSION, tuple(sides), asked, options.time_limit)


def _side(
    path: str, series: Series, attacks: Sequence[Attack], releases: tuple[ReleaseMeasures, ...], options: AuditOptions
) -> ComparedSeries:
    """Audit one series; a series that cannot be attacked is still compared, with the reason."""
    manifest, report, reason = series.manifest, None, None
    try:
        report = run_audit(series, attacks, options)
    except UsageError as error:
        reason = str(error)
    exact = all(each.values is not None for each in manifest.releases)
    return ComparedSeries(path, manifest.name, report, reason, releases, manifest.anonymized, exact)
