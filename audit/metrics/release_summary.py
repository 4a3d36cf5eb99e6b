"""Release summary: sizes and the usual measures of one release by itself, from k-anonymity to re-identification.

The summary of a release is small and depends only on this release. People are counted over all releases.

An equivalence class is a published group, or without a group column all rows with equal cells. Counterfeits count as
rows, because a reader cannot recognize them, but not as people. The definitions are those of pyCANON (k, l, entropy l,
t) and ARX (risks, uniqueness), see `docs/panel.md`. Cost: one sort of the release's values.

A column's accuracy is in which form its cells are published, and how wide its ranges are.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from audit.adversary.held_series import HeldSeries, record_of
from audit.adversary.known_groups import population
from audit.adversary.view import View
from audit.io.cell_reading import list_sign, listed
from audit.io.cells import Anything, Cell, CellError, Interval, Kind, Masked, NumberSet, ValueSet
from audit.io.manifest import Manifest
from audit.io.releases import KeyedRelease, Release, Vocabulary
from audit.io.roles import columns_without_role
from audit.io.rules.cell_meaning import Spelled
from audit.io.rules.rows_and_values import Harmless
from audit.io.series import Series
from audit.model.arrays import Codes, Counts, Floats, Integers, Places, flagged, tally
from audit.model.report import ColumnAccuracy, ReleasePanel, SeriesFacts
from audit.runtime.phrases import say

_YEARS = range(1850, 2101)
_READ_TEXTS = 1000
"""The most texts of a column that are read; of more, texts at equal distances are."""


def column_accuracy(series: Series, release: KeyedRelease) -> Iterator[ColumnAccuracy]:
    """Yield the accuracy of each quasi-identifier and each sensitive attribute of a release.

    Withheld and missing cells are counted exactly; of a column with many different texts, the others are measured in a
    sample.
    """
    for name in series.columns.quasi_identifiers:
        codes, texts = release.texts[name]
        yield _measured(series, name, texts, tally(codes, len(texts), release.counts))
    for name, values in release.entry_value.items():
        texts = series.vocabularies[name].names
        yield _measured(series, name, texts, tally(values, len(texts), release.entry_count), single=True)


def _measured(series: Series, name: str, texts: Sequence[str], rows: Counts, *, single: bool = False) -> ColumnAccuracy:
    """Return the accuracy of a column with so many rows of each text; a `single` value may have commas in it."""
    missing, found = series.missing(name), np.flatnonzero(rows)
    unknown = {
        "missing": [code for code in found.tolist() if texts[code] in missing],
        "withheld": [code for code in found.tolist() if texts[code] not in missing and not texts[code].strip("* ")],
    }
    shown = np.setdiff1d(found, [code for codes in unknown.values() for code in codes])
    read = shown[:: max(1, -(-len(shown) // _READ_TEXTS))]
    column = series.column_of_cells(name, [texts[code] for code in read.tolist()])
    share, wide, kept = dict[str, float](), list[tuple[float, int]](), list[int]()
    ranges, hierarchy, alone = list[Interval](), series.hierarchies.get(name), {texts[code] for code in found.tolist()}
    for code in read.tolist():
        try:
            cell: Cell = column.parse(texts[code])
        except CellError:  # a sensitive value may look like a faulty range
            cell = ValueSet(frozenset([texts[code]]))
        one = single or (hierarchy is None and _is_label(texts[code], alone))
        form = "exact" if one and isinstance(cell, ValueSet) else _form(cell)
        share[form] = share.get(form, 0) + int(rows[code])
        if isinstance(cell, Masked):
            kept.append(len(cell.prefix))
        elif form == "range" and isinstance(cell, Interval):
            ranges.append(cell)
            if (width := _width(cell)) is not None:
                wide.append((width, int(rows[code])))
    total, measured = int(rows.sum()), sum(share.values())
    shares = {form: many / measured * int(rows[shown].sum()) / total for form, many in share.items()}
    shares |= {form: int(rows[codes].sum()) / total for form, codes in unknown.items() if codes}
    return ColumnAccuracy(
        column=name,
        different=len(shown),
        shares=shares,
        ordered=column.kind is not Kind.CATEGORICAL,
        days=column.kind.is_date,
        years=all(end is None or end in _YEARS for each in ranges for end in (each.low, each.high)),
        width=_middle(wide),
        kept=(min(kept), max(kept)) if kept else None,
    )


def _is_label(text: str, alone: Container[str]) -> bool:
    """Return whether a text with commas is one label: it has no braces, and no part of it is a text of its own."""
    return (
        not text.lstrip().startswith("{") and list_sign(text) == "," and not any(part in alone for part in listed(text))
    )


def _form(cell: Cell) -> str:
    match cell:
        case Anything():
            return "withheld"
        case Interval(low, high):
            return "exact" if low == high else "range"
        case ValueSet(members):
            return "exact" if len(members) == 1 else "set"
        case NumberSet():
            return "set"
        case Masked():
            return "prefix"


def _width(cell: Interval) -> float | None:
    """Return how many whole numbers a range between whole numbers covers, else its length; None without two ends."""
    if cell.low is None or cell.high is None:
        return None
    whole = cell.low.denominator == cell.high.denominator == 1
    return float(cell.high - cell.low) + (1 - cell.low_open - cell.high_open if whole else 0)


def _middle(wide: list[tuple[float, int]]) -> float | None:
    """Return the width of the middle one of all rows with ranges."""
    widths, rows = (np.array(each) for each in zip(*sorted(wide), strict=True)) if wide else ((), ())
    return float(widths[np.searchsorted(np.cumsum(rows), np.sum(rows) / 2)]) if len(widths) else None


_DIGITS = 12  # beyond are rounding errors: three values must be 3-diverse, not 2.9999999999999996


@dataclass(frozen=True)
class ValueDistribution:
    """How often each class has each of its values.

    Attributes:
        start: the first entry of each class, none of which is empty; shape (classes,).
        entries, sizes: the number of distinct values and of rows of each class; shape (classes,).
        value, rows: one entry for each class and value, in order of both; `rows` is never 0.
        ranks: the rank of each value's number among those of the release; None if the attribute is not numeric.
    """

    start: Places
    entries: Places
    sizes: Counts
    value: Integers
    rows: Counts
    ranks: Codes | None


def panels(evidence: View, position: int, k: float) -> tuple[ReleasePanel, ...]:
    """Return the panel of a release for each sensitive attribute; classes of fewer than k are small."""
    held = evidence.held
    why = say("there are too many people in the register and groups to compare")
    if held.register is None:
        why = say("the adversary has no register, so the population is not known")
        if held.series.manifest.register is not None:
            why = say("this adversary does not use the register, so the population is not known")
    read, crowd = held.keyed[position], population(held, evidence.source, position)
    owner = read.owners(held.series.people)
    harmless = [(name, text) for name, texts in held.series.rules[Harmless].values.items() for text in texts]
    return panels_in(read, held.series.vocabularies, crowd, why, owner, harmless, k)


def panels_in(
    release: Release,
    vocabularies: Mapping[str, Vocabulary],
    population: Counts | None,
    no_journalist: str,
    owner: Codes | None = None,
    harmless: Sequence[tuple[str, str]] = (),
    k: float = 0,
) -> tuple[ReleasePanel, ...]:
    """Return the panel of a release for each sensitive attribute.

    Args:
        release: the release.
        vocabularies: the names of the values of each attribute.
        population: how many people of a population fit each group, whether or not the release contains them.
        no_journalist: why there is no population, if there is none.
        owner: the person of each row by the key, -1 for a counterfeit; shape (rows,); None without a key.
        harmless: pairs of an attribute and a value that may be known of anyone.
        k: classes with fewer people are small.
    """
    of_group = release.group_people()
    sizes = of_group[of_group > 0]
    classes = sizes if release.suppressed is None else np.delete(of_group, release.suppressed)
    classes = classes[classes > 0] if classes.any() else sizes  # without suppressed rows, unless all are
    risk = journalist_risk(sizes, None if population is None else population[of_group > 0])
    if population is not None and risk is None:
        no_journalist = say("a class has more rows than the register has people who fit it")
    prosecutor = len(classes) / int(classes.sum())
    smallest = smallest_class(release, owner, k)
    people = _people_of(release, release.group.codes, of_group, owner)[of_group > 0]
    found, total = [], int(sizes.sum())
    for name in release.entry_value:
        spread = distribution_of(release, name, vocabularies[name])
        known = [code for code, text in enumerate(vocabularies[name].names) if (name, text) in harmless]
        grave = ~np.isin(spread.value[spread.start], known)
        found.append(
            ReleasePanel(
                release=release.tag,
                sensitive=name if len(release.entry_value) > 1 else None,
                rows=total,
                classes=len(sizes),
                k=smallest.rows,
                k_people=smallest.people,
                alone=smallest.alone,
                below_k=smallest.below_k,
                certain=int(people[(spread.entries == 1) & grave].sum()),
                suppressed=total - int(classes.sum()),
                exact=not release.values_by_row,
                distinct_l=int(spread.entries.min()),
                entropy_l=entropy_l(spread),
                t=t_closeness(spread),
                ordered=spread.ranks is not None,
                prosecutor_max=1 / int(classes.min()),
                prosecutor_mean=prosecutor,
                journalist_max=None if risk is None else risk.highest,
                journalist_mean=None if risk is None else risk.mean,
                marketer=prosecutor if risk is None else risk.marketer,
                uniqueness=int(np.count_nonzero(classes == 1)) / int(classes.sum()),
                no_journalist=None if risk is not None else no_journalist,
                singling=release.singling,
            )
        )
    return tuple(found)


class ClassSizes(NamedTuple):
    """The sizes of the smallest classes.

    Attributes:
        rows: the fewest rows of a class.
        people: the fewest people of a class that holds a person; None if no class does.
        alone: the number of rows that form a class by themselves.
        below_k: the number of rows in classes with fewer than k people (or rows, if a class has no people).
    """

    rows: int
    people: int | None
    alone: int
    below_k: int


def smallest_class(release: Release, owner: Codes | None, k: float) -> ClassSizes:
    """Return the sizes of the smallest classes; `owner` and `k` as for `panels_in`.

    A class is the rows with equal published cells in one group; without quasi-identifiers it is a group. In an Anatomy
    pair, values belong to groups, so that a class is a group; `alone` then counts the rows whose exact
    quasi-identifiers are unique. Suppressed rows form no class.
    """
    classes = release.classes
    rows = tally(classes.row.codes, classes.row.size, release.counts)
    if release.values_by_row:
        of_row, looks = classes.row.codes, rows
    else:
        of_row, looks = release.group.codes, np.bincount(classes.looks, weights=rows)
        rows = tally(of_row, release.group.size, release.counts)
    people = _people_of(release, of_row, rows, owner)
    described = rows > 0
    if release.suppressed is not None:  # there are neither groups nor pairs: looks are classes
        described[release.suppressed], looks = False, np.delete(looks, release.suppressed)
    rows, people = rows[described], people[described]
    held = people[people > 0]
    fewest = int(held.min()) if len(held) else None
    small = rows[np.where(people > 0, people, rows) < k]
    return ClassSizes(int(rows.min()), fewest, int(np.count_nonzero(looks == 1)), int(small.sum()))


def _people_of(release: Release, of_row: Codes, rows: Counts, owner: Codes | None) -> Counts:
    """Return the number of people of each class, or without a key the fewest that it may have; shape (classes,)."""
    if owner is not None:
        real = owner >= 0
        several = isinstance(release, KeyedRelease) and release.owner is not None
        if several:  # of several rows of a person in one class one counts
            first = np.unique(np.stack([of_row, owner]), axis=1, return_index=True)[1]
            real &= np.isin(np.arange(len(owner)), first)
        if release.counts is None and real.all():
            return rows
        weights = np.ones(release.rows) if release.counts is None else release.counts
        return tally(of_row, len(rows), np.where(real, weights, 0))
    return release.fewest_people(of_row, len(rows)) if release.counterfeits else rows


def _rounded(number: float) -> float:
    return round(float(number), _DIGITS)


@dataclass(frozen=True)
class PopulationRisk:
    """ARX's risks of a release that is a sample of a population."""

    highest: float
    mean: float
    marketer: float


def journalist_risk(sizes: Counts, population: Counts | None) -> PopulationRisk | None:
    """Return ARX's risks of classes (none is empty), given how many people of a population fit each of them.

    None without a population, or if fewer people fit a class than it has rows.

    Source: ARX, `RiskModelSampleSummary`, after El Emam, "Guide to the De-Identification of Personal Health
    Information".
    """
    if population is None or bool(np.any(population < sizes)):
        return None
    marketer = float((sizes / population).sum()) / int(sizes.sum())
    return PopulationRisk(1 / int(population.min()), max(len(sizes) / int(population.sum()), marketer), marketer)


def distribution_of(release: Release, sensitive: str, vocabulary: Vocabulary) -> ValueDistribution:
    """Return the distribution of an attribute's values over the classes of a release."""
    group, value, rows = release.contents(sensitive)
    present = np.flatnonzero(np.bincount(value))
    ranks = None
    numbers = as_numbers([vocabulary.names[code] for code in present])
    if numbers is not None:
        ranks = np.zeros(int(value.max(initial=0)) + 1, dtype=np.int32)
        ranks[present] = np.unique(numbers, return_inverse=True)[1]
    start = np.flatnonzero(np.diff(group, prepend=-1))
    entries = np.diff(start, append=len(group))
    return ValueDistribution(start, entries, np.add.reduceat(rows, start), value, rows, ranks)


def as_numbers(names: Sequence[str]) -> Floats | None:
    """Return values as numbers; None if one is not a number.

    >>> as_numbers(["10", "9.5"]), as_numbers(["10", "?"]), as_numbers(["nan"])
    (array([10. ,  9.5]), None, None)
    """
    try:
        numbers = np.array([float(name) for name in names])
    except ValueError:
        return None
    # Python accepts 1_000; other programs do not.
    return numbers if np.isfinite(numbers).all() and not any("_" in name for name in names) else None


def entropy_l(spread: ValueDistribution) -> float:
    """Return e to the power of the least entropy of a class's values.

    The entropy of a class of n rows is log n - (sum of r log r) / n, over the numbers of rows r of its values.
    """
    several = np.flatnonzero(spread.rows > 1)
    rows = spread.rows[several].astype(np.float64)
    place = np.searchsorted(spread.start, several, side="right") - 1
    total = np.bincount(place, weights=rows * np.log(rows), minlength=len(spread.start))
    return _rounded(np.exp((np.log(spread.sizes) - total / spread.sizes).min()))


def t_closeness(spread: ValueDistribution) -> float:
    """Return the largest distance between the values of a class and those of the release.

    It is the earth mover's distance: all values of a categorical attribute are at equal distances; the distance of two
    numbers is their difference in rank.
    """
    distance = _equal_distance(spread) if spread.ranks is None else _ordered_distance(spread, spread.ranks)
    return _rounded(distance.max())


def _equal_distance(spread: ValueDistribution) -> Floats:
    """Return for each class the sum of the excesses of its shares over those of the release."""
    overall = np.bincount(spread.value, weights=spread.rows)
    beyond = spread.rows / np.repeat(spread.sizes, spread.entries)
    beyond -= (overall / overall.sum()).take(spread.value)
    return np.asarray(np.add.reduceat(np.maximum(beyond, 0, out=beyond), spread.start), dtype=np.float64)


def _ordered_distance(spread: ValueDistribution, ranks: Codes) -> Floats:
    """Return for each class the mean difference between its cumulative shares and those of the release.

    Between two of its values, a class's cumulative share is constant, and the release's rises from below it to above
    it. So the cost of a class is proportional to the number of its values.
    """
    group = np.repeat(np.arange(len(spread.start)), spread.entries)
    rank = ranks[spread.value].astype(np.int64)
    order = np.lexsort((rank, group))
    rank, rows = rank[order], spread.rows[order]
    overall = np.bincount(rank, weights=rows)
    steps = len(overall) - 1
    if not steps:
        return np.zeros(len(spread.start))
    total = np.cumsum(overall) / int(rows.sum())
    below = np.concatenate([[0.0], np.cumsum(total)])

    first = flagged(spread.start, len(group))
    before = np.cumsum(rows) - rows
    share = (np.cumsum(rows) - before[first][group]) / spread.sizes[group]
    until = np.append(rank[1:], 0)
    until[np.append(first[1:], True)] = steps + 1
    turn = np.clip(np.searchsorted(total, share), rank, until)
    difference: Floats = share * (2 * turn - rank - until) - 2 * below[turn] + below[rank] + below[until]
    # Below a class's least value its own cumulative share is 0.
    difference[first] += below[rank[first]]
    return np.bincount(group, weights=difference) / steps


@dataclass(frozen=True)
class ReleaseSummary:
    """The sizes and measures of one release.

    Attributes:
        rows: rows of its file.
        value_rows: rows of the file of values of an Anatomy pair; None for a plain table.
        groups: number of groups.
        nameless: number of counterfeits without identity, by the key.
        published: number of published counterfeits.
        values: the values that it has of each sensitive attribute.
        panel: its panel for each sensitive attribute.
    """

    rows: int
    value_rows: int | None
    groups: int
    nameless: int
    published: int
    values: dict[str, frozenset[str]]
    panel: tuple[ReleasePanel, ...]


def summarize_release(evidence: View, position: int, k: float) -> ReleaseSummary:
    """Return the summary of the release at a position, counted from 0, whose classes of fewer than k are small."""
    release, series = evidence.held.keyed[position], evidence.series
    values = {}
    for name, codes in release.entry_value.items():
        vocabulary = series.vocabularies[name].names
        present = np.flatnonzero(tally(codes, len(vocabulary))).tolist()
        values[name] = frozenset(vocabulary[code] for code in present)
    panel = panels(evidence, position, k)
    return ReleaseSummary(
        rows=release.rows,
        value_rows=None if series.manifest.releases[position].values is None else len(release.entry_group),
        groups=panel[0].classes,
        nameless=release.nameless,
        published=sum(release.counterfeits.values()),
        values=values,
        panel=panel,
    )


def facts(held: HeldSeries, described: Sequence[ReleaseSummary]) -> SeriesFacts:
    """Return the sizes of a series."""
    series, present = held.series, held.present()
    fake = series.people.is_counterfeit()[: len(present)]
    counterfeits = int(np.count_nonzero(present & fake)) + sum(each.nameless for each in described)
    individuals = int(np.count_nonzero(present & ~fake))
    if held.register is not None:
        individuals = len(np.unique(held.register.person))
        counterfeits = sum(each.published for each in described)
    values = [frozenset().union(*(each.values[name] for each in described)) for name in series.vocabularies]
    return SeriesFacts(
        series.manifest.name,
        series.tags,
        individuals,
        sum(each.rows for each in described),
        counterfeits,
        sum(each.groups for each in described),
        max(map(len, values)),
        series.manifest.published,
        series.manifest.anonymized,
        _columns_by_role(series.manifest),
        tuple(column_accuracy(series, held.keyed[-1])),
        series.manifest.releases[-1].values is not None,
        series.manifest.kept_row,
        _ids_recur(held),
        series.columns.rules[Spelled].columns,
    )


def _ids_recur(held: HeldSeries) -> bool:
    """Return whether a record id occurs in several releases; if they were not read, whether they may."""
    if not held.records:
        return held.series.columns.record is not None and len(held) > 1
    ids = (np.unique(record_of(seen)) for seen in held.seen)
    return sum(int(np.count_nonzero(codes >= 0)) for codes in ids) > held.names.size


def _columns_by_role(manifest: Manifest) -> dict[str, tuple[str, ...]]:
    columns = manifest.columns
    single = {name: getattr(columns, name) for name in ("group", "record", "count", "individual")}
    found = {
        "sensitive": columns.sensitive,
        "quasi_identifiers": columns.quasi_identifiers,
        **{role: () if name is None else (name,) for role, name in single.items()},
        **{rule.key: tuple(rule.roles) for rule in columns.rules},
        "without_role": columns_without_role(manifest),
    }
    return {role: names for role, names in found.items() if names}


def rows_of_files(series: Series, described: Sequence[ReleaseSummary]) -> dict[str, int]:
    """Return the number of rows of each file, by its name."""
    rows: dict[str, int] = {}
    for files, each in zip(series.manifest.releases, described, strict=True):
        rows[files.shown] = rows.get(files.shown, 0) + each.rows  # several releases may be in one file
        if each.value_rows is not None:
            rows[files.values_shown] = each.value_rows
    return rows
