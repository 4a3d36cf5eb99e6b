"""Microdata from Python: simulate, plan and publish, and compare the series that are made of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from audit.api.answers import ComparisonResult, PlanResult
from audit.api.series import LoadedSeries
from audit.api.settings import AuditSettings, is_shown
from audit.model.errors import UsageError, within
from audit.runtime.phrases import printable
from audit.simulating.request import SimulationRequest

if TYPE_CHECKING:
    from audit.api.count_tables import LoadedTables
    from audit.io.manifest import Manifest
    from audit.io.microdata import Microdata
    from audit.io.series import Series
    from audit.metrics.queries import Style
    from audit.model.anonymizer import Anonymizer
    from audit.model.audit_options import AuditOptions
    from audit.model.command_results import ComparedSeries, ReleaseMeasures
    from audit.model.outcome import Attack
    from audit.model.report import Report
    from audit.publishing.publish import PublishOptions


def load_microdata(path: str | os.PathLike[str]) -> LoadedMicrodata:
    """Open the microdata in a folder with a `microdata.toml`.

    Raises:
        InputError: the file is faulty, or snapshots or columns that it names are missing; the error lists all.
    """
    from audit.io.microdata import open_microdata

    return LoadedMicrodata(open_microdata(Path(path)))


def simulate(output: str | os.PathLike[str], /, **options: object) -> LoadedMicrodata:
    """Write microdata of people who come, go and change into a new folder, as `audit simulate` does.

    Args:
        output: the new folder.
        **options: the fields of `SimulationRequest`, such as `rows=10_000, snapshots=4, seed=1`.

    Raises:
        UsageError: an option is unknown or does not fit, or the folder cannot be written.
    """
    from audit.simulating.simulation import simulate as write

    unknown = options.keys() - {each.name for each in fields(SimulationRequest)}
    if unknown:
        raise UsageError(f"there is no option {printable(min(unknown))} of a simulation")
    write(Path(output), SimulationRequest(**options), lambda _done, _total: None)  # type: ignore[arg-type]
    return load_microdata(output)


@dataclass(frozen=True, eq=False, repr=False)
class PublishedSeries(LoadedSeries):
    """A series to which releases were just added.

    Attributes:
        verdict: the report of the audit of the series with them; None if none was added, or none was requested.
        refused: the tag of a release that was not published, because only with it the series breaks its policy.
    """

    verdict: Report | None = None
    refused: str | None = None


@dataclass
class _Verdict:
    """The newest audit of a series by its policy, and the release that was not accepted, as in `PublishedSeries`."""

    options: AuditOptions
    last: Report | None = None
    refused: str | None = None

    def judge(self, series: Series) -> Report:
        """Return the report on a series by every attack that applies."""
        from attacks.registry import all_attacks
        from audit.pipeline.audit_run import run_audit

        self.last = run_audit(series, all_attacks(), self.options)
        return self.last

    def accepts(self, manifest: Manifest) -> bool:
        """Return whether the last release may join the others: it is not what breaks the policy."""
        from audit.io.candidate import as_candidate
        from audit.io.series import Series

        before, series = as_candidate(Series.of(manifest))
        report = self.judge(series)
        accepted = not report.policy.violations or bool(self.judge(before).policy.violations)
        self.last, self.refused = report, None if accepted else series.tags[-1]
        return accepted


def published(
    microdata: Microdata, folder: Path, method: Anonymizer, how: PublishOptions, time_limit: float | None
) -> PublishedSeries:
    """Publish every snapshot that a series does not have yet, judge the series by its policy, and return it.

    A release that would break a policy which the series keeps is not published. The time limit is for each attack; 0
    means no audit.

    Raises:
        UsageError: the series cannot be continued.
        InputError: the microdata or the series are faulty, or the promise cannot be kept.
    """
    from audit.io.manifest import NAME
    from audit.io.paths import is_there
    from audit.io.series import open_series
    from audit.model.audit_options import AuditOptions
    from audit.principles import registry as principles
    from audit.publishing.publish import publish

    verdict = _Verdict(AuditOptions(time_limit=time_limit, findings=0))
    if time_limit != 0 and is_there(folder / NAME):
        how = replace(how, accepts=verdict.accepts)
    done = publish(microdata, folder, method, principles.find(method.promise.principle, method.promise.parameters), how)
    series = open_series(folder)
    if time_limit != 0 and done and verdict.last is None:
        verdict.judge(series)
    return PublishedSeries(series, verdict=verdict.last, refused=verdict.refused)


@dataclass(frozen=True, eq=False, repr=False)
class LoadedMicrodata:
    """Microdata, ready to be published; made by `load_microdata`, `simulate` or `microdata_from_frames`.

    Attributes:
        opened: what was read; do not change it.
    """

    opened: Microdata
    _files: object = None

    @property
    def name(self) -> str:
        """The microdata's name."""
        return self.opened.name

    @property
    def snapshots(self) -> tuple[str, ...]:
        """The snapshots' tags, in order."""
        return tuple(each.tag for each in self.opened.snapshots)

    def anonymize(
        self,
        method: str | Anonymizer,
        /,
        output: str | os.PathLike[str],
        *,
        seed: int | None = None,
        close: bool = False,
        audit: bool = True,
        time_limit: float | None = 300.0,
        progress: bool | None = None,
        **options: object,
    ) -> PublishedSeries:
        """Publish every snapshot that the series does not have yet, as `audit anonymize` does, and return the series.

        Args:
            method: its name, such as `m-invariance`, or an object of your own.
            output: the series' folder, new or to be continued.
            seed: the same seed gives the same bytes; keep it secret. None draws a secret seed.
            close: whether groups are formed as if a value that may follow in several steps might follow in one; the
                series keeps the transitions of the microdata, by which it is audited.
            audit: whether the series is judged by its policy; a release that only breaks it is then not published.
            time_limit: seconds for each attack of the audit.
            progress: as for `plan`.
            **options: the method's options, such as `m=4`.

        Raises:
            UsageError: there is no such method or option, or the series cannot be continued.
            InputError: the microdata or the series are faulty, or the promise cannot be kept.
        """
        from anonymizers import registry as methods
        from audit.pipeline.progress import counting
        from audit.publishing.publish import PublishOptions

        chosen = methods.find(method, options) if isinstance(method, str) else method
        microdata = self.opened.closed()[0] if close else self.opened
        with counting(f"publishing by {chosen.name}", shown=is_shown(progress)) as watch:
            how = PublishOptions(seed=seed, on_progress=watch)
            return published(microdata, Path(output), chosen, how, time_limit if audit else 0.0)

    def plan(
        self,
        *,
        methods: Sequence[str] = (),
        queries: int = 1000,
        seed: int = 0,
        time_limit: float | None = 20.0,
        progress: bool | None = None,
    ) -> PlanResult:
        """Try methods and parameters in a temporary folder and recommend one, as `audit plan` does.

        Raises:
            UsageError: there is no such method.
            InputError: the microdata cannot be read.
        """
        from anonymizers.registry import METHODS
        from attacks.registry import all_attacks
        from audit.metrics.utility import Queries
        from audit.model.audit_options import AuditOptions
        from audit.pipeline.progress import counting
        from audit.pipeline.publication_plan import candidates, plan_publication

        options = AuditOptions(time_limit=time_limit, findings=0)
        kinds = [METHODS.load(name) for name in methods or METHODS.names]
        asked = Queries(queries, seed=seed)
        with counting("trying methods", shown=is_shown(progress)) as watch:
            return PlanResult(plan_publication(self.opened, candidates(kinds), all_attacks(), options, asked, watch))

    def __repr__(self) -> str:
        return f"LoadedMicrodata({printable(self.name, 200)!r}, {len(self.snapshots)} snapshots)"


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
    from audit.metrics.utility import Queries, check_fits, measure
    from audit.model.command_results import Comparison, QueryDesign
    from audit.runtime.version import VERSION

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
    settings, sides = AuditSettings({}, time_limit=time_limit, findings=0, progress=progress), []
    with settings.audit_options() as how:
        measured = measure(people, source, Queries(queries, theta, workload, seed))
        for (name, one), releases in zip(people, measured, strict=True):
            with within(name):
                sides.append(_side(name, one, all_attacks(), releases, how))
    asked = None if source is None else QueryDesign(source.name, queries, theta, workload, seed)
    return ComparisonResult(Comparison(VERSION, tuple(sides), asked, how.time_limit))


def _side(
    path: str, series: Series, attacks: Sequence[Attack], releases: tuple[ReleaseMeasures, ...], options: AuditOptions
) -> ComparedSeries:
    """Audit one series; a series that cannot be attacked is still compared, with the reason."""
    from audit.model.command_results import ComparedSeries
    from audit.pipeline.audit_run import run_audit

    manifest, report, reason = series.manifest, None, None
    try:
        report = run_audit(series, attacks, options)
    except UsageError as error:
        reason = str(error)
    exact = all(each.values is not None for each in manifest.releases)
    return ComparedSeries(path, manifest.name, report, reason, releases, manifest.anonymized, exact)
