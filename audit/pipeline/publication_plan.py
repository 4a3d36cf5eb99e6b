"""Trying methods on microdata: each is published into a temporary folder, audited and measured."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from pathlib import Path

from audit.io.microdata import Microdata
from audit.io.series import open_series
from audit.metrics.utility import Queries, cell_widths, measure
from audit.model.anonymizer import Anonymizer
from audit.model.audit_options import AuditOptions
from audit.model.errors import InputError, UsageError
from audit.model.options import options_of
from audit.model.outcome import Attack
from audit.model.publication_plan import PlannedSeries, PublicationPlan
from audit.pipeline.audit_run import run_audit
from audit.principles import registry as principles
from audit.principles.principle import Principle
from audit.publishing.publish import PublishOptions, PublishResult, publish

Candidate = tuple[str, Anonymizer, Principle]
"""The parameters as they are written on the command line, the method with them, and the principle that it promises."""

TRIED = {"m": (2, 4), "l": (2, 4), "k": (5, 10), "e": (2,)}
"""The values that are tried of a parameter; its least value where it is none of these."""


def candidates(kinds: Iterable[type[Anonymizer]]) -> list[Candidate]:
    """Return methods with the parameters to try, and what they promise."""
    found: list[Candidate] = []
    for kind in kinds:
        needed = [option for option in options_of(kind) if option.required]
        for values in product(*(TRIED.get(option.name, (int(option.least),)) for option in needed)):
            method = kind(**{option.name: value for option, value in zip(needed, values, strict=True)})
            written = " ".join(f"{option.flag} {value}" for option, value in zip(needed, values, strict=True))
            found.append((written, method, principles.find(method.promise.principle, method.promise.parameters)))
    return found


def plan_publication(
    microdata: Microdata,
    candidates: Sequence[Candidate],
    attacks: Sequence[Attack],
    options: AuditOptions,
    queries: Queries,
    watch: Callable[[int, int], None],
) -> PublicationPlan:
    """Return what some methods would make of microdata; what is published is deleted again.

    Raises:
        InputError: the microdata cannot be read.
    """
    tried = []
    for place, candidate in enumerate(candidates):
        watch(place, len(candidates))
        with tempfile.TemporaryDirectory(prefix="audit-plan-") as folder:
            tried.append(_tried(microdata, candidate, Path(folder) / "series", attacks, options, queries))
    return PublicationPlan(microdata.name, tuple(tried))


def _tried(
    microdata: Microdata,
    candidate: Candidate,
    folder: Path,
    attacks: Sequence[Attack],
    options: AuditOptions,
    queries: Queries,
) -> PlannedSeries:
    parameters, method, principle = candidate
    done: list[PublishResult] = []
    start = time.perf_counter()
    try:
        publish(microdata, folder, method, principle, PublishOptions(seed=queries.seed, on_release=done.append))
    except (InputError, UsageError) as error:
        return PlannedSeries(method.name, parameters, refused=str(error).split("\n", 1)[0])
    seconds = time.perf_counter() - start
    report = run_audit(open_series(folder), attacks, options)
    series = open_series(folder)
    releases = measure([(method.name, series)], microdata, queries)[0]
    return PlannedSeries(
        method.name,
        parameters,
        form="anatomy" if series.manifest.releases[0].values is not None else "generalization",
        exit_code=report.policy.exit_code,
        attacks=report.attacks,
        counterfeits=sum(each.counterfeits for each in done),
        withheld=done[-1].withheld if done else 0,
        ncp=_mean(each.ncp for each in releases),
        query_error=_mean(each.query_error for each in releases),
        seconds=seconds,
        violating=tuple(sorted({each.attack for each in report.policy.violations if each.attack is not None})),
        widths=cell_widths(series, microdata),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
