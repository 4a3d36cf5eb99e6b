"""Other readings of tables: labels of the same people, labels inside those of another dimension, sums of several rows.

Two labels of one dimension may count the same people, as an overseas region and its department do. Labels of one
dimension may lie in those of another one, if no table has both, as districts lie in regions. Numbers beside the counts
may each count several rows together: such a number is repeated in each of the rows, or written once above blanks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, permutations, takewhile
from math import log2, prod, sqrt

import numpy as np
import numpy.typing as npt

from audit.count_tables.label_doubts import unexplained
from audit.count_tables.label_sets import build_dimension
from audit.count_tables.manifest import column_names, read_count_table
from audit.count_tables.published_counts import LINES, Line, PublishedCounts, lines_along
from audit.count_tables.published_texts import Interpreter, Interval, number_of, points_part_thousands
from audit.count_tables.table_rules import STATISTIC, WHOLE
from audit.count_tables.table_shapes import composed, read_categories
from audit.io.naming import may_nest
from audit.io.notations import fold
from audit.model.arrays import UNBOUNDED, Flags, Floats
from audit.model.errors import Problems

_ALIKE, _BITS = 8, 10  # labels with one number that are compared, chances of two against one
Pair = tuple[str, str]


def equal_labels(labels: Sequence[str], lines: Sequence[Line], named: Collection[Pair] = ()) -> list[Pair]:
    """Return the pairs of labels whose numbers agree in all lines that show both, and not by chance, or if `named`.

    Their different numbers are too many and too large for labels of as many people. Of several labels of the same
    people, one is the first of each pair.
    """
    order = {label: place for place, label in enumerate(labels)}
    named = {(one, other) if order[one] < order[other] else (other, one) for one, other in named}
    near = dict.fromkeys(named)
    for line in lines:
        of_number: dict[object, list[str]] = {}
        for label in filter(line.get, labels):
            of_number.setdefault(line[label], []).append(label)
        for some in of_number.values():
            near |= dict.fromkeys(combinations(some, 2) if len(some) <= _ALIKE else ())
    found = dict[str, str]()
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
    if name in {STATISTIC, *manifest.nested}:
        return []
    labels = [text for at, text in enumerate(dimension.labels[: dimension.published]) if at != dimension.total]
    covered = read_categories(manifest, Problems()).get(name, {})
    wholes = [{*some} for label, some in covered.items() if label != manifest.totals.get(name)]
    # Where a dimension is not open, tables that lack labels are asked about.
    abbreviated = _abbreviated(counts, place) if name in manifest.open else []
    found = equal_labels(labels, lines_along(counts, place), _named_alike(counts, name, labels) + abbreviated)
    atoms = _atoms(counts, place)
    return [
        (one, other)
        for one, other in found
        if atoms[one].isdisjoint(atoms[other])
        and 1 in {len(atoms[one]), len(atoms[other])}
        and not any(some.issuperset((*covered.get(one, [one]), *covered.get(other, [other]))) for some in wholes)
    ]


def renamings(counts: PublishedCounts, place: int) -> Iterator[list[Pair]]:
    """Yield the ways in which labels outside all others may be labels that their tables lack, most pairs first.

    The latter lie in a label of these tables, such as a district in its region, and other tables show them.
    """
    manifest, dimension = counts.manifest, counts.dimensions[place]
    name, may_be = dimension.axis.name, dict[str, list[str]]()
    covered = read_categories(manifest, Problems()).get(name, {}) if name in manifest.categories else {}
    wholes = {text: {*some} for text, some in covered.items() if len({*some}) > 1 and text != manifest.totals.get(name)}
    atoms = {text: some[0] for text, some in covered.items() if len({*some}) == 1}
    tables = [np.unique(counts.label[np.isin(counts.file, unit), place]).tolist() for unit in counts.units()]
    shown = [{dimension.labels[label] for label in some} for some in tables]
    for new, atom in atoms.items():
        own = set[str]().union(*(labels for labels in shown if new in labels))
        inside = set[str]().union(*(wholes[text] for text in own & wholes.keys()))
        others = set[str]().union(*shown) - own
        olds = [old for old in atoms if old in others and atoms[old] in inside]
        if olds and not any(atom in some for some in wholes.values()):
            may_be[new] = olds
    yield from filter(None, _matchings([*may_be.items()], frozenset()))


def _matchings(left: Sequence[tuple[str, Sequence[str]]], taken: frozenset[str]) -> Iterator[list[Pair]]:
    """Yield the ways in which labels may be others, each of these at most one of them, or none that they may be."""
    if not left:
        yield []
        return
    (new, olds), *others = left
    for old in (old for old in olds if old not in taken):
        yield from ([(old, new), *some] for some in _matchings(others, taken | {old}))
    yield from _matchings(others, taken)


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


def _abbreviated(counts: PublishedCounts, place: int) -> list[Pair]:
    """Return the pairs of labels that no table has both of, where one begins with the other and with no further one."""
    paths, labels = [part.file.path for part in counts.parts], counts.dimensions[place].labels
    table = np.array([*map(paths.index, paths)])[counts.file]
    tables = dict[str, set[tuple[int, ...]]]()
    for *when, at in np.unique(np.column_stack([counts.release, table, counts.label[:, place]]), axis=0).tolist():
        tables.setdefault(labels[at], set()).add(tuple(when))
    by_text = {fold(label): label for label in tables}
    begin = ((text[:end], text) for text in by_text for end in range(1, len(text)) if text[:end].isalpha())
    alike = [(by_text[one], by_text[other]) for one, other in begin if one in by_text]
    many = Counter(chain(*alike))
    return [pair for pair in alike if tables[pair[0]].isdisjoint(tables[pair[1]]) and {*map(many.get, pair)} == {1}]


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


_MOST_TRIED, MOST_WAYS = 20_000, 8
_RARE = np.log(100)  # how much rarer than the ways that there are a coincidence has to be

Way = tuple[int, ...]
"""For each label, the place of the label in which it lies."""


@dataclass(frozen=True)
class Nesting:
    """Two dimensions of different tables, and the ways in which labels of `inner` may lie in those of `outer`.

    Attributes:
        counts: the published counts.
        inner, outer: the places of the dimensions.
        ways: the ways that were found.
        is_complete: whether there are no others.
    """

    counts: PublishedCounts
    inner: int
    outer: int
    ways: Sequence[Way]
    is_complete: bool

    @property
    def names(self) -> tuple[str, str]:
        """The names of the dimensions."""
        return self.counts.dimensions[self.inner].axis.name, self.counts.dimensions[self.outer].axis.name

    def readings(self) -> Iterator[PublishedCounts]:
        """Yield the counts with one dimension in place of both, for each way."""
        counts, inner, outer = self.counts, *(self.counts.dimensions[place] for place in (self.inner, self.outer))
        parts = [inner.labels[label] for label in _labels(counts, self.inner)]
        wholes = {
            outer.labels[label]: f"{outer.labels[label]} ({outer.axis.name})" for label in _labels(counts, self.outer)
        }
        for way in self.ways:
            covers = {part: [part] for part in parts}
            for at, text in enumerate(wholes.values()):
                covers[text] = [part for part, whole in zip(parts, way, strict=True) if whole == at]
                covers[text] += [f"{text} (rest)"] * (inner.rest >= 0)
            total = inner.labels[inner.total]
            both = build_dimension(inner.axis.name, covers, total, covers, is_open=outer.rest >= 0)
            label, rows = counts.label.copy(), counts.label[:, self.outer] != outer.total
            texts = [inner.labels[at] for at in label[:, self.inner].tolist()]
            for row in np.flatnonzero(rows).tolist():
                texts[row] = wholes[outer.labels[label[row, self.outer]]]
            label[:, self.inner] = [both.labels.index(text) for text in texts]
            dimensions = [both if at == self.inner else each for at, each in enumerate(counts.dimensions)]
            yield replace(counts, label=label, dimensions=tuple(dimensions)).without([self.outer])


def nestings(counts: PublishedCounts) -> Iterator[Nesting]:
    """Yield each two dimensions that may be nested, as their names or numbers show, if no table has both."""
    for inner, outer in permutations(unexplained(counts), 2):
        few, many = (len(_labels(counts, place)) for place in (outer, inner))
        both = [counts.label[:, place] != counts.dimensions[place].total for place in (inner, outer)]
        if not 1 < few < many or np.intersect1d(*(counts.file[rows] for rows in both)).size:
            continue
        release = counts.release * (counts.manifest.over_time != "same")
        keys = np.column_stack([release, counts.measure, np.delete(counts.label, [inner, outer], axis=1)])
        line = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
        parts, wholes = (_ends(counts, place, line) for place in (inner, outer))
        if (parts[0] == parts[1]).all() and (wholes[0] == wholes[1]).all():
            continue
        search = WaySearch(parts, wholes, counts.dimensions[inner].rest >= 0, counts.dimensions[outer].rest >= 0)
        is_complete = search.run((), np.zeros_like(search.wholes))
        found = Nesting(counts, inner, outer, search.ways, is_complete)
        if may_nest(*found.names) or any(map(search.is_evidence, search.ways)):
            yield found


def _labels(counts: PublishedCounts, place: int) -> list[int]:
    """Return the labels of a dimension that tables with counts have, without the total."""
    own = np.unique(counts.label[~counts.without_count, place]).tolist()
    return [label for label in own if label != counts.dimensions[place].total]


def _ends(counts: PublishedCounts, place: int, line: npt.NDArray[np.integer]) -> Floats:
    """Return the least and the greatest count of each label of a dimension in each line; shape (2, labels, lines)."""
    labels = _labels(counts, place)
    ends = np.zeros((2, len(labels), int(line.max(initial=-1)) + 1))
    ends[1] = UNBOUNDED
    for at, label in enumerate(labels):
        rows = (counts.label[:, place] == label) & ~counts.without_count
        if counts.manifest.absent_is_zero:
            ends[1, at] = 0
        ends[1, at, line[rows]] = UNBOUNDED
        np.maximum.at(ends[0, at], line[rows], counts.lower[rows])
        np.minimum.at(ends[1, at], line[rows], counts.upper[rows])
    return ends


@dataclass
class WaySearch:
    """Finds the ways in which parts may lie in wholes.

    Attributes:
        parts, wholes: the least and the greatest counts; shape (2, labels, lines).
        is_partial: whether wholes may have further parts.
        is_open: whether parts may lie in none of the wholes; these have one more then, with any count.
        ways: the ways that were found.
        tried: how many beginnings of ways were tried.
    """

    parts: Floats
    wholes: Floats
    is_partial: bool
    is_open: bool
    ways: list[Way] = field(default_factory=list)
    tried: int = 0

    def __post_init__(self) -> None:
        if self.is_open:
            anything = np.zeros_like(self.wholes[:, :1])
            anything[1] = UNBOUNDED
            self.wholes = np.concatenate([self.wholes, anything], axis=1)
        if self.is_partial:
            self.wholes[0] = 0

    def run(self, way: Way, sums: Floats) -> bool:
        """Find the ways that begin like this one, whose sums these are; return whether these are all."""
        self.tried += 1
        if self.tried > _MOST_TRIED or len(self.ways) == MOST_WAYS:
            return False
        left = self.parts[1, len(way) :].sum(axis=0)
        if (sums[0] > self.wholes[1]).any() or (sums[1] + left < self.wholes[0]).any():
            return True
        if len(way) == self.parts.shape[1]:
            if self.is_partial or {*way} >= {*range(self.wholes.shape[1] - self.is_open)}:
                self.ways.append(way)
            return True
        every = []
        for whole in range(self.wholes.shape[1]):
            added = sums.copy()
            added[:, whole] += self.parts[:, len(way)]
            every.append(self.run((*way, whole), added))
        return all(every)

    def is_evidence(self, way: Way) -> bool:
        """Return whether the numbers are too large and too many to agree with a way by chance."""
        widths = self.wholes[1] - self.wholes[0] + 1
        for part, whole in enumerate(way):
            widths[whole] += self.parts[1, part] - self.parts[0, part]
        shown = np.log(np.maximum(self.wholes[1] / widths, 1)) * (self.wholes[1] < UNBOUNDED)
        surest = shown.sum() - shown.max(axis=0).sum()  # the last one follows from the others and the total
        return not self.is_partial and bool(surest > _RARE + len(way) * np.log(len(self.wholes[0])))


def columns_of_sums(counts: PublishedCounts) -> list[str]:
    """Return the columns whose numbers may count several rows together: of several counts, and denominators."""
    manifest = counts.manifest
    views = [view.column for view in manifest.views] if manifest.wide is None and len(manifest.views) > 1 else []
    return [name for name in dict.fromkeys([*views, *sorted(manifest.denominators)]) if name not in manifest.not_counts]


def read_as_sums(counts: PublishedCounts, column: str) -> Iterator[tuple[PublishedCounts, int]]:
    """Yield the counts with the numbers of a column as totals of rows, and the first of these, if nothing refutes it.

    The rows of one number have the same labels of some dimensions, and any labels of the others.
    """
    is_own = np.array([part.view.column == column for part in counts.parts], dtype=np.bool_)[counts.file]
    known = _numbers(counts, column, np.flatnonzero(~is_own & ~counts.without_count).tolist())
    places = [place for place, each in enumerate(counts.dimensions) if each.axis.name != STATISTIC]
    differing = list[frozenset[int]]()
    for left in (some for size in range(1, len(places) + 1) for some in combinations(places, size)):
        if any(each.issubset(left) for each in differing):
            continue  # rows of more labels have those numbers, too
        blocks = dict[tuple[int, ...], list[int]]()
        keys = np.column_stack([counts.release, counts.measure, np.delete(counts.label, left, axis=1)]).tolist()
        for row in np.flatnonzero(~is_own).tolist():
            blocks.setdefault(tuple(keys[row]), []).append(row)
        numbers = ({known[row] for row in some if row in known} for some in blocks.values())
        if any(len(each) > 1 for each in numbers):
            differing.append(frozenset(left))
            continue
        firsts = {next(filter(known.get, some)): some for some in blocks.values() if not known.keys().isdisjoint(some)}
        each = (_adds(counts, some, known, left) for some in firsts.values())
        adds = [*takewhile(lambda adding: adding is not None, each)]
        if any(adds) and len(adds) == len(firsts):
            yield _with_totals(counts, is_own, {row: known[row] for row in firsts}, left), next(iter(firsts))


def _numbers(counts: PublishedCounts, column: str, rows: Sequence[int]) -> dict[int, Interval]:
    """Return the number of a column in each of some rows that have one."""
    texts, readers = list[list[str]](), list[Interpreter]()
    for file, part in enumerate(counts.parts):
        texts.append(part.table.texts(column) if column in part.table else [""] * part.table.rows)
        readers.append(Interpreter(counts.rules(file)))
        readers[-1].point = points_part_thousands({*texts[-1]})
    found = ((row, (file := int(counts.file[row])), texts[file][counts.row[row]]) for row in rows)
    return {
        row: readers[file].interval(text)
        for row, file, text in found
        if number_of(text, point=readers[file].point) is not None
    }


def _adds(
    counts: PublishedCounts, rows: Sequence[int], known: Mapping[int, Interval], left: Sequence[int]
) -> bool | None:
    """Return whether a number would count several of some rows, and no row shows their total; None if it cannot.

    The rows have any labels of the dimensions `left`. Their sums may contradict it.
    """
    dimensions = [counts.dimensions[place] for place in left]
    low, high = next(known[row] for row in rows if row in known)
    total, cells = tuple(each.total for each in dimensions), dict[tuple[int, ...], Interval]()
    for row, some in zip(rows, map(tuple, counts.label[np.ix_(rows, left)].tolist()), strict=True):
        if some == total or all(
            each.axis.members[each.set_of[one]].size == 1 for one, each in zip(some, dimensions, strict=True)
        ):
            cells[some] = int(counts.lower[row]), int(counts.upper[row])
    whole = cells.pop(total, (0, UNBOUNDED))
    least, most = (sum(ends[side] for ends in cells.values()) for side in (0, 1))
    is_complete = len(cells) == prod(each.axis.atoms for each in dimensions)
    if whole[0] > high or whole[1] < low or least > high or (is_complete and most < low):
        return None
    return len(cells) > 1 and whole[0] < whole[1]


def _with_totals(
    counts: PublishedCounts, is_own: Flags, sums: Mapping[int, Interval], left: Sequence[int]
) -> PublishedCounts:
    """Return the counts with one more row for each of some rows, at the totals of these dimensions, with its number.

    The rows `is_own`, which had the numbers, are left empty.
    """
    rows, dimensions = [*sums], [*counts.dimensions]
    label = counts.label[rows]
    for place in left:
        dimensions[place] = dimensions[place].with_total()
        label[:, place] = dimensions[place].total
    lower, upper = zip(*sums.values(), strict=True)
    return replace(counts.emptied(is_own), dimensions=tuple(dimensions)).with_numbers(rows, label, lower, upper)
