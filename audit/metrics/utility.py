"""Utility: measure the releases of several series against the same microdata, with the same queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from audit.io.cell_reading import number_in
from audit.io.cells import Kind
from audit.io.microdata import Domain, Microdata, ReadSnapshot
from audit.io.naming import natural
from audit.io.release_reading import read_release
from audit.io.releases import IdentifierEncoder, KeyedRelease, Vocabulary
from audit.io.series import Series
from audit.metrics import queries as asking
from audit.metrics.queries import (
    DomainAxis,
    Extents,
    OutsideError,
    ReleaseContents,
    Style,
    Workload,
    estimate,
    group_sizes,
)
from audit.model.arrays import NOBODY, Counts, Floats, Integers
from audit.model.command_results import ReleaseMeasures
from audit.model.errors import InputError, Problem, Problems, UsageError, within
from audit.runtime.phrases import printable, printable_path

_MOST_COUNTED = 2**53


@dataclass(frozen=True)
class Queries:
    """The random queries: their number for each release, their selectivity theta, their paper's style, their seed."""

    number: int = 10_000
    theta: float = 0.1
    style: Style = "m-invariance"
    seed: int = 0


@dataclass(frozen=True)
class MicrodataTruth:
    """The true answers of the queries in one snapshot.

    Attributes:
        counts: the number of rows of each value of the sensitive axis; shape (values,).
        workload: the queries.
        actual: the number of rows that answer each query.
    """

    counts: Counts
    workload: Workload
    actual: Counts


def measure(
    named: Sequence[tuple[str, Series]], microdata: Microdata | None, queries: Queries
) -> list[tuple[ReleaseMeasures, ...]]:
    """Return the measures of each series' releases; each series comes with its path for messages.

    All series get the same queries for a snapshot, drawn from the seed and the snapshot's number.

    Raises:
        InputError: a file cannot be read, or does not fit the microdata.
        UsageError: a series was not made from this microdata.
    """
    if microdata is None:
        return [_with_comparable(path, series, _plain(path, series)) for path, series in named]
    with within(str(microdata.folder)):
        for path, series in named:
            check_fits(path, series, microdata)
        axes = axes_of(microdata)
    found: list[dict[int, ReleaseMeasures]] = [{} for _ in named]
    for position, tag in enumerate(microdata.tags):
        if all(tag not in series.tags for _, series in named):
            continue
        with within(str(microdata.folder)):
            truth = _truth(microdata, position, axes, queries)
        for (path, series), measured in zip(named, found, strict=True):
            if tag in series.tags:
                place = series.tags.index(tag)
                with within(path):
                    measured[place] = _measured(series, place, microdata, axes, truth, queries.style)
    return [
        _with_comparable(path, series, tuple(measured[place] for place in sorted(measured)))
        for (path, series), measured in zip(named, found, strict=True)
    ]


def cell_widths(series: Series, microdata: Microdata) -> dict[str, float]:
    """Return the mean length of the cells of each quasi-identifier, over all rows of all releases.

    Whole numbers and labels are counted; for other numbers it is the length in the attribute's unit.

    Raises:
        InputError: a file cannot be read, or does not fit the microdata.
    """
    axes = axes_of(microdata)
    names = [axis.name for axis in axes[:-1]]
    total, rows = np.zeros(len(names)), 0
    for place in range(len(series.tags)):
        release = read_release(series, place, series.manifest.columns.quasi_identifiers)
        published = lay_out(series, release, microdata.sensitive, axes)
        covered = [
            (each.length[published.cell[:, a]] * published.count).sum() for a, each in enumerate(published.extents)
        ]
        total, rows = total + np.array(covered), rows + int(published.count.sum())
    return dict(zip(names, (total / max(1, rows)).tolist(), strict=True))


def _with_comparable(path: str, series: Series, measured: tuple[ReleaseMeasures, ...]) -> tuple[ReleaseMeasures, ...]:
    """Add to the measures the share of rows whose cells are also in the release before."""
    names = series.manifest.columns.quasi_identifiers
    if not names or any(each.values is not None for each in series.manifest.releases):
        return measured
    before: set[tuple[int, ...]] | None = None
    found = []
    with within(path):
        for place, each in enumerate(measured):
            release = read_release(series, place, names)
            cells, rows = np.unique(np.stack([release.cells[n] for n in names], axis=1), axis=0, return_counts=True)
            now = [tuple(row) for row in cells.tolist()]
            known = [cell in before for cell in now] if before is not None else None
            share = None if known is None else float(rows[np.array(known, dtype=np.bool_)].sum() / max(1, rows.sum()))
            found.append(replace(each, comparable=share))
            before = set(now)
    return tuple(found)


def check_fits(path: str, series: Series, microdata: Microdata) -> None:
    """Refuse a series that was not made from this microdata.

    Raises:
        UsageError: its releases, its sensitive column or its quasi-identifiers are not the microdata's.
    """
    where, columns = printable_path(path), series.manifest.columns
    missing = [printable(tag) for tag in series.tags if tag not in microdata.tags]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise UsageError(
            f'{where}: the microdata has no snapshot for release "{missing[0]}"{more}; they are matched by their names'
        )
    if microdata.sensitive not in columns.sensitive:
        raise UsageError(
            f'{where}: the series has no sensitive column "{printable(microdata.sensitive)}" as the microdata has; '
            "name the microdata that it was made from"
        )
    lacking = [printable(name) for name in columns.quasi_identifiers if name not in microdata.quasi_identifiers]
    if lacking:
        raise UsageError(
            f'{where}: the microdata has no quasi-identifier "{lacking[0]}"; add it to the [columns] of microdata.toml'
        )


def axes_of(microdata: Microdata) -> tuple[DomainAxis, ...]:
    """Return the axes of the quasi-identifiers and, last, of the sensitive attribute.

    An axis holds the declared domain, or else the values of all snapshots: the range from the least to the greatest
    number (all whole numbers in between if all are whole), or the texts in natural order.

    Raises:
        InputError: a snapshot cannot be read.
    """
    names = [*microdata.quasi_identifiers, microdata.sensitive]
    texts: dict[str, set[str]] = {name: set() for name in names}
    problems = Problems()
    for file in microdata.snapshots:
        if (table := microdata.table(file, problems, people=False)) is not None:
            for name in names:
                texts[name].update(table.distinct(name))
    problems.check()
    axes = [
        _axis(name, texts[name], microdata.kinds[name], microdata.domains.get(name))
        for name in microdata.quasi_identifiers
    ]
    return (*axes, DomainAxis(microdata.sensitive, texts=tuple(_sorted(texts[microdata.sensitive]))))


def _axis(name: str, texts: Iterable[str], kind: Kind, domain: Domain | None) -> DomainAxis:
    if kind is Kind.CATEGORICAL:
        return DomainAxis(name, texts=domain.texts if domain is not None else tuple(_sorted(texts)))
    numbers = [number for number in map(number_in, texts) if number is not None]
    ends = [] if domain is None or domain.low is None or domain.high is None else [domain.low, domain.high]
    whole = all(number.denominator == 1 for number in [*numbers, *ends])
    low, high = ends or (min(numbers, default=Fraction(0)), max(numbers, default=Fraction(0)))
    # Whole numbers that are too large for exact floats are measured, not counted.
    return DomainAxis(name, low, high, counted=whole and high - low < _MOST_COUNTED)


def _sorted(texts: Iterable[str]) -> list[str]:
    """Return texts sorted by number if all are numbers, otherwise in natural order."""
    known = {text: number_in(text) for text in texts}
    if all(number is not None for number in known.values()):
        return sorted(known, key=lambda text: (known[text] or 0, text))
    return sorted(known, key=lambda text: (natural(text), text))


def _truth(microdata: Microdata, position: int, axes: Sequence[DomainAxis], queries: Queries) -> MicrodataTruth:
    vocabulary = Vocabulary()
    read = microdata.read(position, IdentifierEncoder(), vocabulary)
    value = axes[-1].names(vocabulary.names)[read.snapshot.value]
    rng = np.random.default_rng([queries.seed, position])
    workload = asking.draw(axes, queries.number, queries.theta, queries.style, rng)
    places = np.column_stack([*_places(read, axes), value])
    counts = np.bincount(value.astype(np.intp), minlength=len(axes[-1].texts))
    return MicrodataTruth(counts, workload, asking.actual(places, workload))


def _places(read: ReadSnapshot, axes: Sequence[DomainAxis]) -> Iterator[Floats]:
    """Yield the places of the rows' quasi-identifiers on each axis."""
    for column, axis in enumerate(axes[:-1]):
        of_scale = axis.numbers(read.numbers[column]) if axis.low is not None else axis.names(read.texts[column])
        yield of_scale[read.snapshot.point[:, column]]


def _plain(path: str, series: Series) -> tuple[ReleaseMeasures, ...]:
    """Return the measures of a series' releases that need no microdata."""
    found = []
    with within(path):
        for position in range(len(series.tags)):
            release = read_release(series, position)
            used, group = np.unique(release.group.codes, return_inverse=True)
            count = np.ones(release.rows, dtype=np.int64) if release.counts is None else release.counts
            found.append(_by_groups(series, release, group_sizes(group, count, len(used))))
    return tuple(found)


def _by_groups(series: Series, release: KeyedRelease, sizes: Counts) -> ReleaseMeasures:
    return ReleaseMeasures(
        tag=release.tag,
        rows=int(sizes.sum()),
        groups=len(sizes),
        counterfeits=_counterfeits(series, release),
        discernibility=discernibility(sizes),
        average_group=average_class_size(sizes),
    )


def _counterfeits(series: Series, release: KeyedRelease) -> int:
    """Return the number of counterfeits of a release by its key, or without a key as published."""
    fake = release.counterfeit_rows(series.people)
    return sum(release.counterfeits.values()) if fake is None else int(np.count_nonzero(fake))


def _measured(
    series: Series, position: int, microdata: Microdata, axes: Sequence[DomainAxis], truth: MicrodataTruth, style: Style
) -> ReleaseMeasures:
    """Return all measures of a release."""
    names = series.manifest.columns.quasi_identifiers
    release = read_release(series, position, names)
    published = lay_out(series, release, microdata.sensitive, axes)
    _check_values(series, release, published, truth)
    relative = asking.errors(truth.actual, estimate(published, truth.workload), style)
    box = published.extents, published.cell, published.count
    return replace(
        _by_groups(series, release, published.sizes),
        perimeter=perimeter(*box),
        ncp=ncp(*box),
        query_error=float(np.median(relative)) if len(relative) else None,
        skipped=len(truth.workload) - len(relative),
    )


def lay_out(series: Series, release: KeyedRelease, sensitive: str, axes: Sequence[DomainAxis]) -> ReleaseContents:
    """Return a release with its cells as parts of the axes; a missing quasi-identifier counts as `*` in all rows.

    Raises:
        InputError: a cell covers nothing of its axis.
    """
    shown = series.manifest.releases[series.tags.index(release.tag)].shown
    covered: list[tuple[Extents, Integers]] = []
    problems = Problems()
    for axis in axes[:-1]:
        if axis.name not in release.cells:
            covered.append((axis.whole(), np.zeros(release.rows, dtype=np.intp)))
            continue
        used, cell = np.unique(release.cells[axis.name], return_inverse=True)
        try:
            covered.append((axis.cover(series.attributes[axis.name], used), cell))
        except OutsideError as error:
            problems.add(shown, str(error), "name the microdata that the series was made from", column=axis.name)
    place = {text: number for number, text in enumerate(axes[-1].texts)}
    of_code = np.array([place.get(text, NOBODY) for text in series.vocabularies[sensitive].names], dtype=np.int64)
    value = of_code[release.entry_value[sensitive]]
    problems.check()
    used, group = np.unique(release.group.codes, return_inverse=True)
    return ReleaseContents(
        extents=tuple(extents for extents, _ in covered),
        cell=np.column_stack([cell for _, cell in covered]) if covered else np.zeros((release.rows, 0), dtype=np.intp),
        group=group,
        count=np.ones(release.rows, dtype=np.int64) if release.counts is None else release.counts,
        entry_group=np.searchsorted(used, release.entry_group),
        entry_value=value,
        entry_count=np.ones(len(value), dtype=np.int64) if release.entry_count is None else release.entry_count,
        values=len(axes[-1].texts),
        fake=np.array([release.counterfeits.get(int(code), 0) for code in used], dtype=np.int64),
    )


def _check_values(series: Series, release: KeyedRelease, published: ReleaseContents, truth: MicrodataTruth) -> None:
    """Refuse a release whose values are not those of the snapshot; counterfeits may have any value.

    Raises:
        InputError: more rows have values that the snapshot lacks than there are counterfeits.
    """
    counts = np.bincount(published.entry_value + 1, weights=published.entry_count, minlength=published.values + 1)
    lacking = np.maximum(counts - np.concatenate([[0], truth.counts]), 0).sum()
    if lacking > _counterfeits(series, release):
        shown = series.manifest.releases[series.tags.index(release.tag)].shown
        what = f"{int(lacking)} rows have values that the microdata's snapshot lacks, more than there are counterfeits"
        raise InputError([Problem(shown, what, "name the microdata that the series was made from")])


# -- measures of groups and cells ----------------------------------------------------------------------------------
#
# They say how much detail generalization costs. Counterfeits count as rows, because a reader cannot recognize them.


def discernibility(sizes: Counts) -> int:
    """Return the sum over all groups of the squared number of rows.

    Source: Bayardo and Agrawal, ICDE 2005, in the form of the monotonic paper (Section 2): each row costs the size of
    its group. Groups are the published ones, even if two have equal cells.

    >>> discernibility(np.array([2, 3]))
    13
    """
    return int((sizes * sizes).sum())


def average_class_size(sizes: Counts) -> float:
    """Return the number of rows for each group; 0 for a release without rows.

    Source: LeFevre, DeWitt and Ramakrishnan, ICDE 2006: C_AVG times k.

    >>> average_class_size(np.array([2, 4]))
    3.0
    """
    return float(sizes.sum() / len(sizes)) if len(sizes) else 0.0


def perimeter(extents: Sequence[Extents], cell: Integers, count: Counts) -> float:
    """Return the lengths of all rows' cells, added up over the rows and the quasi-identifiers.

    The length goes from a cell's least to its greatest value, as a share of the domain; categories stand at equal
    distances. If all rows of a group have the same cells, this is the sum over the groups of |G| · Σ l_i (m-invariance
    paper, Section 4.3). Exact values, as in Anatomy, have length 0.

    `cell` holds the place of each row's cell in the extents, shape (rows, attributes); `count` is shape (rows,).
    """
    return float(sum((each.spread[cell[:, a]] * count).sum() for a, each in enumerate(extents)))


def ncp(extents: Sequence[Extents], cell: Integers, count: Counts) -> float | None:
    """Return the normalized certainty penalty: the average, over rows and quasi-identifiers, of |cell| / |domain|.

    |cell| and |domain| count values (whole numbers of an interval, labels of a set), or are lengths if numbers are not
    whole. A single value costs 0, `*` costs 1. Source: Xu et al., KDD 2006. None without rows or quasi-identifiers;
    the arguments are those of `perimeter`.
    """
    people = int(count.sum()) * len(extents)
    if not people:
        return None
    return float(sum((each.share[cell[:, a]] * count).sum() for a, each in enumerate(extents)) / people)
