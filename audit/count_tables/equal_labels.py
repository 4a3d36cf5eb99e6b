"""Equal labels: labels of one dimension that may count the same people, as an overseas region and its department do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain, combinations
from math import log2, sqrt

from audit.count_tables.label_sets import build_dimension
from audit.count_tables.manifest import column_names, read_count_table
from audit.count_tables.published_counts import LINES, Line, PublishedCounts, lines_along
from audit.count_tables.table_rules import STATISTIC, WHOLE
from audit.count_tables.table_shapes import composed, read_categories
from audit.model.errors import Problems

_ALIKE, _BITS = 8, 10  # labels with one number that are compared, chances of two against one
Pair = tuple[str, str]


def equal_labels(labels: Sequence[str], lines: Sequence[Line], named: Collection[Pair] = ()) -> list[Pair]:
    """Return the pairs of labels whose numbers agree in all lines that show both, and not by chance, or if `named`.

    Their different numbers are too many and too large for labels of as many people. Of several labels of the same
    people, one is the first of each pair.
    """
    near = dict.fromkeys(named)
    for line in lines:
        of_number: dict[object, list[str]] = {}
        for label in filter(line.get, labels):
            of_number.setdefault(line[label], []).append(label)
        for some in of_number.values():
            near |= dict.fromkeys(combinations(some, 2) if len(some) <= _ALIKE else ())
    found = dict[str, str]()
    order = {label: place for place, label in enumerate(labels)}
    # A line that hides the first of several labels names the others first.
    for one, other in sorted(near, key=lambda pair: [order[label] for label in pair]):
        first = found.get(one, one)
        if other in found or other in found.values():
            continue
        if any(
            a and b and (a[0] > b[1] or b[0] > a[1])
            for line in lines
            for a, b in [(line.get(each), line.get(other)) for each in {one, first}]
        ):
            continue  # most pairs, in one of the first lines
        both = [(a, b) for line in lines if (a := line.get(one)) is not None and (b := line.get(other)) is not None]
        wide = {a[0]: max(a[1] - a[0], b[1] - b[0]) + 1 for a, b in both if a[0] > 0}
        bits = sum(log2(1 + sqrt(number) / width) for number, width in wide.items())
        is_shown = len(wide) >= LINES and bits > _BITS + 2 * log2(len(labels))
        if is_shown or (one, other) in named:
            found[other] = first
    return [(one, other) for other, one in found.items()]


def pairs_of_equals(counts: PublishedCounts, place: int) -> list[Pair]:
    """Return the pairs of labels of a dimension that may count the same people, but are read as different people.

    Labels that another label covers together, except the total, are different people.
    """
    manifest, dimension = counts.manifest, counts.dimensions[place]
    name = dimension.axis.name
    if name in {STATISTIC, *manifest.codes, *manifest.nested}:
        return []
    labels = [text for at, text in enumerate(dimension.labels[: dimension.published]) if at != dimension.total]
    covered = read_categories(manifest, Problems()).get(name, {})
    wholes = [{*some} for label, some in covered.items() if label != manifest.totals.get(name)]
    found = equal_labels(labels, lines_along(counts, place), _named_alike(counts, name, labels))
    atoms = _atoms(counts, place)
    return [
        (one, other)
        for one, other in found
        if atoms[one].isdisjoint(atoms[other])
        and 1 in {len(atoms[one]), len(atoms[other])}
        and not any(some.issuperset((*covered.get(one, [one]), *covered.get(other, [other]))) for some in wholes)
    ]


def read_as_one(counts: PublishedCounts, place: int, pairs: Sequence[Pair]) -> PublishedCounts:
    """Return the counts if the labels of each pair, one of which is an atom, count the same people."""
    dimension, atoms = counts.dimensions[place], _atoms(counts, place)
    same = dict[int, frozenset[int]]()
    ordered = [sorted((atoms[text] for text in pair), key=len, reverse=True) for pair in pairs]
    for whole, atom in sorted(ordered, key=lambda both: -len(both[0])):
        same |= dict.fromkeys(atom, frozenset().union(*(same.get(each, {each}) for each in whole)))
    atoms[WHOLE] = frozenset({*range(dimension.axis.atoms)} - {dimension.rest})
    covers = {
        text: [str(each) for atom in sorted(some) for each in sorted(same.get(atom, {atom}))]
        for text, some in atoms.items()
    }
    total = None if dimension.total < 0 else dimension.labels[dimension.total]
    published = dimension.labels[: dimension.published]
    again = build_dimension(dimension.axis.name, published, total, covers, is_open=dimension.rest >= 0)
    others = counts.dimensions
    return replace(counts, dimensions=(*others[:place], again, *others[place + 1 :]))


def _atoms(counts: PublishedCounts, place: int) -> dict[str, frozenset[int]]:
    """Return the atoms of each label of a dimension, except of the total."""
    dimension = counts.dimensions[place]
    sets = zip(dimension.labels[: dimension.published], dimension.set_of.tolist(), strict=False)
    return {
        text: frozenset(dimension.axis.members[each].tolist())
        for at, (text, each) in enumerate(sets)
        if at != dimension.total
    }


def _named_alike(counts: PublishedCounts, name: str, labels: Sequence[str]) -> list[Pair]:
    """Return the pairs of labels that have one text in a column that the manifest leaves out, and names labels.

    Such a column has one text for each label, and for nearly each another one.
    """
    manifest, known, found = counts.manifest, {*labels}, dict[Pair, None]()
    for file in {part.file.path: part.file for part in counts.parts}.values():
        columns = column_names(file.path, file.shown, Problems(), manifest.columns) or ()
        others = [each for each in columns if each not in manifest.columns]
        is_read = name in columns and bool(others)
        table = read_count_table(file.path, file.shown, [name, *others], Problems(), manifest.once) if is_read else None
        if table is None:
            continue
        for column in others:
            named = {*zip(map(composed, table.texts(name)), table.texts(column), strict=True)}
            named = {each for each in named if each[0] in known and each[1]}
            by_text: dict[str, list[str]] = {}
            for label, text in sorted(named):
                by_text.setdefault(text, []).append(label)
            if len(named) == len({label for label, _ in named}) < 2 * len(by_text):
                alike = (some for some in by_text.values() if len(some) <= _ALIKE)
                found |= dict.fromkeys(chain(*(combinations(some, 2) for some in alike)))
    return [*found]
