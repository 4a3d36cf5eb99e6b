"""The utility of published series: errors of counts, marginals, and trends over the releases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from audit.api.series import LoadedMicrodata
from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.read_counts import read_counts
from audit.io.release_reading import read_release
from audit.io.releases import IdentifierEncoder, Vocabulary
from audit.io.series import Series
from audit.metrics.queries import DomainAxis, Workload, actual, estimate
from audit.metrics.utility import Queries, axes_of, lay_out, measure
from audit.model.arrays import Floats
from series_bench.cases import COUNTS, counted
from series_bench.questions import count_questions

_QUERIES, _THETA, _PARTS = 1_000, 0.1, 4


def people_utility(series: Series, microdata: LoadedMicrodata) -> Iterator[tuple[str, float]]:
    """Yield the errors of counts, marginals and trends, and what the publication cost.

    *Counts* are random queries, of which the median relative error is taken, mean of the releases. *Marginals* are the
    counts of each sensitive value in each of four parts of each quasi-identifier's domain: the share of people that
    would have to be moved to make them right. *Trends* are their changes from one release to the next: the sum of the
    errors over the sum of the changes.
    """
    opened = microdata.opened
    (measured,) = measure([(series.manifest.name, series)], opened, Queries(_QUERIES, _THETA))
    known = [each.query_error for each in measured if each.query_error is not None]
    estimated, true = _marginals(series, microdata)
    rows = sum(each.rows for each in measured)
    fakes = sum(each.counterfeits for each in measured)
    everybody = true.sum() / max(1, len(opened.quasi_identifiers))
    yield "counts: median relative error", float(np.mean(known)) if known else float("nan")
    yield "marginals: share misplaced", float(np.abs(estimated - true).sum() / (2 * true.sum()))
    yield (
        "trends: error over change",
        float(np.abs(np.diff(estimated - true, axis=0)).sum() / np.abs(np.diff(true, axis=0)).sum()),
    )
    yield "counterfeits", fakes
    yield "withheld", float(everybody - (rows - fakes))


def _marginals(series: Series, microdata: LoadedMicrodata) -> tuple[Floats, Floats]:
    """Return the counts that the releases let one expect, and the true ones; shape (releases, counts)."""
    opened = microdata.opened
    axes = axes_of(opened)
    workload = _workload(axes)
    estimated, true = [], []
    for position in range(len(series.tags)):
        release = read_release(series, position, series.manifest.columns.quasi_identifiers)
        estimated.append(estimate(lay_out(series, release, opened.sensitive, axes), workload))
        vocabulary = Vocabulary()
        read = opened.read(position, IdentifierEncoder(), vocabulary)
        columns = [
            (axis.numbers(read.numbers[place]) if axis.low is not None else axis.names(read.texts[place]))[
                read.snapshot.point[:, place]
            ]
            for place, axis in enumerate(axes[:-1])
        ]
        values = axes[-1].names(vocabulary.names)[read.snapshot.value]
        true.append(actual(np.column_stack([*columns, values]), workload).astype(np.float64))
    return np.array(estimated), np.array(true)


def _workload(axes: tuple[DomainAxis, ...]) -> Workload:
    """Return a query for each part of each quasi-identifier with each sensitive value."""
    whole = [(0.0, axis.size) for axis in axes[:-1]]
    asked = []
    for place, axis in enumerate(axes[:-1]):
        ends = np.unique(np.round(np.linspace(0, axis.size, _PARTS + 1)))
        for part in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            values = range(len(axes[-1].texts))
            asked += [[*whole[:place], part, *whole[place + 1 :], (float(v), float(v + 1))] for v in values]
    ranges = np.array(asked)
    return Workload(ranges[:, :, 0], ranges[:, :, 1])


def count_utility(name: str, folder: Path, number: int) -> Iterator[tuple[str, float]]:
    """Yield how far the published counts, and their changes from release to release, are from the true ones.

    A text that stands for several counts is read as their middle, or as the lower end if there is no upper end.
    """
    published = read_counts(read_table_manifest(folder))
    true = dict(counted(COUNTS[name][0], number))
    upper = np.where(published.upper - published.lower > max(map(int, true.values())), published.lower, published.upper)
    middle, tags = (published.lower + upper) / 2, published.manifest.tags
    shown = dict(zip(count_questions(published), middle.tolist(), strict=True))
    cells = list(dict.fromkeys(question.partition("/")[2] for question in true))
    said = np.array([[shown[f"{tag}/{cell}"] for cell in cells] for tag in tags])
    exact = np.array([[float(true[f"{tag}/{cell}"]) for cell in cells] for tag in tags])
    yield "counts: mean error", float(np.abs(said - exact).mean())
    yield (
        "trends: error over change",
        float(np.abs(np.diff(said - exact, axis=0)).sum() / np.abs(np.diff(exact, axis=0)).sum()),
    )
    yield "hidden", float(published.hidden.mean())
