"""Labels that may be read wrongly: two that may be one, one that may be the total, and nested labels that moved."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from audit.count_tables.manifest import TableManifest
from audit.count_tables.published_counts import (
    Ends,
    Line,
    PublishedCounts,
    Sum,
    divide_a_total,
    lines_along,
    totals_by_sums,
)
from audit.count_tables.published_texts import is_total_word, sounds_like_total
from audit.count_tables.table_rules import STATISTIC, WHOLE
from audit.count_tables.table_shapes import LabelPath, nested_dimension, read_categories
from audit.io.notations import fold
from audit.io.rules.spelling import nearly_respelled, respelled
from audit.io.toml import toml_key, toml_line, toml_text, toml_value
from audit.model.arrays import Codes, Flags
from audit.model.errors import Problems
from audit.runtime.phrases import parted, printable, say

_STEM = 3  # letters that an abbreviation keeps


def label_doubts(counts: PublishedCounts) -> Iterator[str]:
    """Yield sentences about labels that may be read wrongly, and what to write."""
    for found in (
        _missed_totals,
        _topic_totals,
        _totals_in_categories,
        _nested_totals,
        _added_topics,
        _one_inside_another,
        _named_twice,
        _named_parts,
        _moved_labels,
        _other_labels,
        _atoms_alike,
    ):
        yield from found(counts)


def _moved_labels(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about each nested label whose parent label differs between releases.

    A text that one release has below both parents is two labels.
    """
    for dimension in () if counts.manifest.over_time == "independent" else counts.manifest.nested:
        seen: dict[str, dict[tuple[str, ...], list[tuple[int, str]]]] = {}
        for part in counts.parts:
            for path in dict.fromkeys(part.nested[dimension]):
                if len(path) > 1:
                    line = part.table.line(part.nested[dimension].index(path))
                    where = part.release, f"{part.file.shown}:{line}"
                    seen.setdefault(path[-1], {}).setdefault(path, []).append(where)
        for text, ((one, first), (other, second), *_) in ((t, [*p.items()]) for t, p in seen.items() if len(p) > 1):
            if {at for at, _ in first}.isdisjoint(at for at, _ in second):
                yield say(
                    '"{label}" of {dimension} is part of {one} ({first}) and of {other} ({second}), which counts '
                    "as two labels; if it is a single one that moved, give it the same place in all releases",
                    label=printable(text, 60),
                    dimension=printable(dimension, 60),
                    one=printable(one[-2], 60),
                    other=printable(other[-2], 60),
                    first=printable(first[0][1]),
                    second=printable(second[0][1]),
                )


def _other_labels(counts: PublishedCounts) -> Iterator[str]:
    """Yield the dimensions in which two labels may mean the same.

    These are labels with nearly the same spelling, unless a table has both beside the same labels of the other
    dimensions; a mask of codes (`M14*`) and a code that begins like it (`M143`); labels of two tables about the
    same people each of which the other table lacks: if each covers all people, they mean the same, or overlap; and a
    label that has a word more or less beside labels that are the same.
    """
    manifest = counts.manifest
    for place, dimension in enumerate(counts.dimensions):
        name = dimension.axis.name
        if name in {*manifest.categories, *manifest.codes, *manifest.nested}:
            continue
        own = counts.label[:, place]
        published = [label for label in np.unique(own).tolist() if label != dimension.total]
        number = {dimension.labels[label]: label for label in published}
        alike = [[number[text] for text in group] for group in nearly_respelled(number)]
        pair = next((group for group in alike if not _stand_together(counts, place, group)), []) or _masked(number)
        if not pair and name not in manifest.open and not manifest.absent_is_zero:
            pair = _without_counterparts(counts, own, dimension.total) or _with_other_words(counts, place)
        if pair:
            rows = [int(np.argmax(own == label)) for label in pair[:2]]
            first, second = (f"{shown}:{line}" for shown, line in map(counts.place, rows))
            yield say(
                '"{one}" of {dimension} ({first}) and "{other}" ({second}) may be one label, or overlap; write '
                "them alike, or say in categories what is part of each, or, if tables need not have all labels, "
                'write open = ["{dimension}"]',
                one=printable(dimension.labels[pair[0]], 60),
                other=printable(dimension.labels[pair[1]], 60),
                dimension=printable(name, 60),
                first=printable(first),
                second=printable(second),
            )


def _masked(number: Mapping[str, int]) -> list[int]:
    """Return the numbers of a mask, such as `M14*`, and of a label that it may cover, such as `M143`; else nothing."""
    ordered = sorted(number)
    for mask in ordered:
        stem = mask.rstrip("*")
        at = bisect_left(ordered, f"{stem}0")
        if "" != stem != mask and at < len(ordered) and ordered[at] < f"{stem}:":
            return [number[mask], number[ordered[at]]]
    return []


def _stand_together(counts: PublishedCounts, place: int, labels: Sequence[int]) -> bool:
    """Return whether two of these labels of a dimension occur in one table with the same labels of the others."""
    rows = np.flatnonzero(np.isin(counts.label[:, place], labels))
    beside = np.column_stack([counts.file, counts.measure, np.delete(counts.label, place, axis=1)])[rows]
    both = np.unique(np.column_stack([beside, counts.label[rows, place]]), axis=0)
    return len(np.unique(both[:, :-1], axis=0)) < len(both)


def _without_counterparts(counts: PublishedCounts, own: Codes, total: int) -> list[int]:
    """Return a label of each of two tables about the same people that the other one lacks, if both have several labels.

    Two tables of one region each lack the other's region, too, but have no total of all people. Their districts do not
    overlap, because no person is in two regions.
    """
    tables, table = np.unique(np.column_stack([counts.population, counts.file]), axis=0, return_inverse=True)
    found = dict[tuple[int, frozenset[int], tuple[int, ...]], None]()
    for at, released in enumerate(tables[:, 0].tolist()):
        rows = counts.label[table == at]
        single = np.where(rows.min(axis=0) == rows.max(axis=0), rows[0], -1)
        found[released, frozenset(own[table == at].tolist()), tuple(single.tolist())] = None
    kinds = sorted(found, key=lambda kind: (kind[0], min(kind[1])))
    for (one, labels, single_one), (other, others, single_other) in combinations(kinds, 2):
        several = min(len(labels), len(others)) > 1
        alone = [some - {total} for some in (labels - others, others - labels)]
        if one == other and several and all(alone) and not _of_others(counts, single_one, single_other):
            return [*map(min, alone)]
    return []


def _with_other_words(counts: PublishedCounts, place: int) -> list[int]:
    """Return two labels with similar words that never occur together, but beside the same other labels.

    A line is what a table has of the dimension beside the same other labels; lines are compared by a random mark of
    each label, added up without carries. Labels that may be one have one mark, so that any number of them may differ.
    """
    own = counts.label[:, place]
    beside = np.column_stack([counts.release, counts.file, counts.measure, np.delete(counts.label, place, axis=1)])
    line = np.unique(beside, axis=0, return_inverse=True)[1]
    cells = np.unique(np.column_stack([line, counts.population, counts.measure, own]), axis=0)
    lines: dict[int, set[int]] = {}
    for at, label in cells[:, [0, 3]].tolist():
        lines.setdefault(label, set()).add(at)
    labels = counts.dimensions[place].labels
    begin: dict[tuple[str, ...], list[int]] = {}
    for label in (label for label, of_label in lines.items() if len(of_label) <= line.max(initial=-1)):
        words = _words(labels[label])
        begin.setdefault(("".join(words[:1])[:_STEM], *filter(str.isdigit, words)), []).append(label)
    alike = [
        (one, other)
        for some in begin.values()
        for one, other in combinations(sorted(some), 2)
        if lines[one].isdisjoint(lines[other]) and _have_like_words(labels[one], labels[other])
    ]
    marks = np.random.default_rng(0).integers(1, 2**62, size=int(own.max(initial=-1)) + 1)
    for one, other in alike:
        marks[other] = marks[one]
    whole = np.zeros(len(cells), dtype=np.int64)
    np.bitwise_xor.at(whole, cells[:, 0], marks[cells[:, 3]])
    others: dict[int, set[tuple[int, ...]]] = {}
    for *key, label in zip(
        *cells[:, 1:3].T.tolist(), (whole[cells[:, 0]] ^ marks[cells[:, 3]]).tolist(), cells[:, 3].tolist(), strict=True
    ):
        if key[-1]:
            others.setdefault(label, set()).add(tuple(key))
    return next(([one, other] for one, other in alike if others.get(one, set()) & others.get(other, set())), [])


def _words(label: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|[0-9]+", fold(label))


def _have_like_words(one: str, other: str) -> bool:
    """Return whether a label has the words and numbers of another one in their order, each or its beginning, and words.

    >>> (
    ...     _have_like_words("Case", "Cases (confirmed)"),
    ...     _have_like_words("0-19", "0-19 years"),
    ...     _have_like_words("65", "65-74"),
    ... )
    (True, True, False)
    """
    short, long = sorted((_words(one), _words(other)), key=len)
    numbers = [[word for word in words if word.isdigit()] for words in (short, long)]
    left = iter(long)
    return bool(short) and numbers[0] == numbers[1] and all(any(_begins(word, each) for each in left) for word in short)


def _begins(one: str, other: str) -> bool:
    """Return whether one of two words is the beginning of the other, of at least three letters, or equal to it."""
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= _STEM and long.startswith(short))


def _of_others(counts: PublishedCounts, one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two tables hold different people, by their only labels of a dimension; -1 means several."""
    for dimension, *labels in zip(counts.dimensions, one, other, strict=True):
        first, second = ({*dimension.axis.members[dimension.set_of[label]].tolist()} for label in labels)
        if min(labels) >= 0 and first.isdisjoint(second):
            return True
    return False


def _atoms_alike(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about each dimension whose categories have two atoms that differ only in spelling.

    Atoms that a label covers together are different.
    """
    for name, covered in read_categories(counts.manifest, Problems()).items():
        atoms = {atom for some in covered.values() for atom in some}
        for one, other, *_ in [*respelled(atoms), *nearly_respelled(atoms)]:
            if not any({one, other} <= {*some} for some in covered.values()):
                yield say(
                    '"{one}" and "{other}" in the categories of {dimension} may mean the same; write them alike, or '
                    "name a label that covers both",
                    one=printable(one, 60),
                    other=printable(other, 60),
                    dimension=printable(name, 60),
                )
                break


def _missed_totals(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about each dimension with a label that may be a total, by its sums or by its name.

    If the manifest names a total, only lines without it count; there, one line with the sum is enough for a label that
    never has another count than the total.
    """
    for place, dimension in enumerate(counts.dimensions):
        name, total = dimension.axis.name, counts.manifest.totals.get(dimension.axis.name)
        if name in {*counts.manifest.categories, *counts.manifest.codes, *counts.manifest.nested}:
            continue
        every = [*lines_along(counts, place)]
        named = [label for label in dimension.labels if is_total_word(label)]
        if total is None and (named := [label for label in named if not _is_refuted(label, every)]):
            yield say(
                '"{label}" of {dimension} sounds like a total, but is read as one more label; name it in totals, or, '
                "if it does not count all people, write categories for {dimension}",
                label=printable(named[0], 60),
                dimension=printable(name, 60),
            )
            continue
        if name in counts.manifest.no_total:
            continue
        lines = [line for line in every if total not in line]
        found = totals_by_sums(lines) if total is None else totals_by_sums(lines, 1)
        if total is not None:
            both = [(label, ends, line.get(total)) for line in every for label, ends in line.items()]
            others = {label for label, ends, all_ in both if ends and all_ and Sum(all_, [ends]).gap}
            found = [label for label in found if label not in others]
            found += [label for label in named if any(label in line for line in lines)]
        about = {"label": printable(found[0], 60), "dimension": printable(name, 60)} if found else {}
        if found and total is None:
            yield say(
                '"{label}" of {dimension} is the sum of the other labels wherever all numbers are shown; name it '
                "in totals, or write categories for {dimension}",
                **about,
            )
        elif found:
            yield say(
                '"{label}" of {dimension} may be the total, which the manifest calls "{total}"; write them alike, '
                "or write categories for {dimension}",
                total=printable(str(total), 60),
                **about,
            )
        elif total is not None and len(lines) == len(every):
            beside = {label for line in every if len(line) > 2 for label in line}
            if any(not _is_refuted(label, every) for label in beside):
                yield say(
                    '"{label}", the total of {dimension} in the manifest, is in no table; write the label that counts '
                    'all people, or totals.{key} = "" if none does',
                    label=printable(total, 60),
                    dimension=printable(name, 60),
                    key=toml_key(name),
                )


def _totals_in_categories(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about each dimension with categories in which a label that sounds like a total covers itself."""
    manifest = counts.manifest
    for name, covered in read_categories(manifest, Problems()).items() if manifest.categories else ():
        place = next(place for place, each in enumerate(counts.dimensions) if each.axis.name == name)
        lines = [line for line in lines_along(counts, place) if len(line) > 1]
        inside = {atom for label, atoms in covered.items() for atom in atoms if [label] != atoms}
        alone = {label for label, atoms in covered.items() if [label] == atoms} - inside - {manifest.totals.get(name)}
        named = (label for label in alone if sounds_like_total(label) and any(label in line for line in lines))
        if found := sorted(label for label in named if not _is_refuted(label, lines))[:1]:
            yield say(
                '"{label}" of {dimension} sounds like a total, but covers itself alone in categories; write a line '
                'there for each label that it counts, or, if it counts others, name its atom otherwise, "{label},rest"',
                label=printable(found[0], 60),
                dimension=printable(name, 60),
            )


def _topic_totals(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about each topic whose total has a name in the manifest that no table has.

    The rows of all people name no topic, so that any name would do; a word for all people does.
    """
    manifest, parts = counts.manifest, counts.parts
    named = [*manifest.levels, *([] if manifest.breakdown is None else [manifest.breakdown])]
    cells = {text for part in parts for column in named if column in part.table for text in part.table.distinct(column)}
    own = {name for part in parts for name in (*part.view.labels, *part.nested, *part.table.names)}
    for name, total in manifest.totals.items() if named else ():
        if not (name in own or name == STATISTIC or total in cells or is_total_word(total)):
            yield say(
                '"{label}", the total of {dimension} in the manifest, is in no table; write the label of all people, '
                "or Total",
                label=printable(total, 60),
                dimension=printable(name, 60),
            )


def _is_refuted(label: str, lines: Sequence[Line]) -> bool:
    """Return whether a label is no total of some line: the others exceed it, or all are shown and fall short of it."""
    most = max(map(len, lines), default=0)
    sums = (
        (Sum(ends, [each for name, each in line.items() if name != label]), len(line) == most)
        for line in lines
        if len(line) > 1 and (ends := line.get(label)) is not None
    )
    return any(each.gap > 0 or (each.gap < 0 and is_complete) for each, is_complete in sums)


def _nested_totals(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about each nested dimension with a label that may be a total, but is read as one beside others.

    It is named like a total, or counts the sum of the labels beside it.
    """
    for place, dimension in enumerate(counts.dimensions):
        name = dimension.axis.name
        if name not in counts.manifest.nested:
            continue
        columns, lines = counts.manifest.nested[name], lines_along(counts, place)
        names = nested_dimension([part.nested[name] for part in counts.parts]).names
        around: dict[LabelPath, set[str]] = {}
        for path, label in names.items():
            around.setdefault(path[:-1], set()).add(label)
        beside = [[{each: line[each] for each in some & {*line}} for line in lines] for some in around.values()]
        sums = {label for some in beside for label in totals_by_sums(some)}
        named = [label for path, label in names.items() if path and sounds_like_total(path[-1])]
        sums |= {label for label in named if not any(_is_refuted(label, some) for some in beside)}
        found = [path for path, label in names.items() if path and (is_total_word(path[-1]) or label in sums)]
        for text in [path[-1] for path in found[:1]]:
            alike = [path for path in names if path and path[-1] == text]
            depth = max(map(len, alike))
            about = {"label": printable(text, 60), "dimension": printable(name, 60)}
            if depth > 1 and sum(len(path) == depth for path in alike) == 1 and not is_total_word(text):
                yield say(
                    '"{label}" of {dimension} sounds like a total, or counts the sum of the labels beside it, but is '
                    "read as one more label; if it is the total of {outer}, leave its cells in {column} empty",
                    outer=printable(max(alike, key=len)[-2], 60),
                    column=printable(columns[depth - 1], 60),
                    **about,
                )
                continue
            is_free = is_total_word(text) and counts.manifest.totals[name] == WHOLE
            yield say(
                '"{label}" of {dimension} sounds like a total, or counts the sum of the labels beside it, but is read '
                "as one more label; write totals.{key} = {text}, or leave these cells empty",
                key=toml_key(name if is_free else columns[depth - 1]),
                text=toml_text(printable(text, 60)),
                **about,
            )


def _added_topics(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about topics whose counts may add up to the total, as those of regions do.

    The labels of each topic need not cover all people, and no line has more people in all topics than in the total.
    """
    manifest, named = counts.manifest, {each.axis.name for each in counts.dimensions} - {STATISTIC}
    named -= {name for part in counts.parts for name in (*part.table.names, *part.view.labels, *part.nested)}
    places = [at for at, each in enumerate(counts.dimensions) if each.axis.name in named and each.rest >= 0]
    of_topic = counts.label[:, places] != [counts.dimensions[place].total for place in places]
    keys = np.column_stack([counts.release, counts.measure, np.delete(counts.label, places, axis=1)]).tolist()
    wholes, lines = dict[tuple[int, ...], Ends](), dict[tuple[int, ...], dict[str, dict[str, Ends | None]]]()
    for row in np.flatnonzero(counts.shown & ~counts.without_count & (of_topic.sum(axis=1) < 2)).tolist():
        key, ends = tuple(keys[row]), (int(counts.lower[row]), int(counts.upper[row]))
        if not of_topic[row].any():
            wholes[key] = ends
            continue
        place = places[int(np.argmax(of_topic[row]))]
        topic, label = counts.dimensions[place], counts.label[row, place]
        lines.setdefault(key, {}).setdefault(topic.axis.name, {})[topic.labels[label]] = ends
    if manifest.breakdown is not None and divide_a_total((each, lines.get(key, {})) for key, each in wholes.items()):
        yield say(
            "the counts of the topics of {column} may add up to the total, as those of regions do, and are read as "
            "counts of the same people each; if they do, make one dimension of both columns: nested = {nested}",
            column=printable(manifest.breakdown, 60),
            nested=toml_value({say("area"): [manifest.breakdown, *manifest.levels]}),
        )


def unexplained(counts: PublishedCounts) -> list[int]:
    """Return the dimensions of which the manifest does not say what the labels cover."""
    manifest = counts.manifest
    explained = {*manifest.categories, *manifest.codes, *manifest.nested, STATISTIC}
    return [place for place, each in enumerate(counts.dimensions) if each.axis.name not in explained]


def _named_twice(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about each two dimensions of different tables that may be one, by their labels.

    If the counts of a label in both differ, they are two.
    """
    for pair in combinations(unexplained(counts), 2):
        named = [counts.label[:, place] != counts.dimensions[place].total for place in pair]
        if np.intersect1d(*(counts.file[rows] for rows in named)).size:
            continue
        named = [rows & ~counts.without_count for rows in named]
        first, second = (_by_label(counts, place, pair, rows) for place, rows in zip(pair, named, strict=True))
        labels = [{(key[0], key[-1]) for key in cells} for cells in (first, second)]
        shared = len(labels[0] & labels[1])
        both = [(first[key], second[key]) for key in first.keys() & second.keys()]
        differ = any(one[0] > other[1] or other[0] > one[1] for one, other in both)
        if 1 < shared > min(map(len, labels)) / 2 and not differ:
            one, other = (counts.dimensions[place].axis.name for place in pair)
            yield say(
                '"{one}" and "{other}" have the same labels in different tables, and may be one dimension; give it one '
                "name in all files, or, if they are two, say in categories what each label covers",
                one=printable(one, 60),
                other=printable(other, 60),
            )


def _by_label(
    counts: PublishedCounts, place: int, without: Sequence[int], rows: Flags
) -> dict[tuple[int | str, ...], Ends]:
    """Return the counts of rows by the people of their release, their place in it without two dimensions, and label."""
    beside = np.delete(counts.label, without, axis=1)
    keys = np.column_stack([counts.population, counts.release, counts.measure, beside])[rows].tolist()
    labels = [fold(counts.dimensions[place].labels[label]) for label in counts.label[rows, place].tolist()]
    ends = zip(counts.lower[rows].tolist(), counts.upper[rows].tolist(), strict=True)
    return {(*key, label): both for key, label, both in zip(keys, labels, ends, strict=True)}


def _one_inside_another(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about a dimension each of whose labels occurs beside one label of another one.

    A school of one district has no pupils in another, but its rows there are absent, and not known to be 0: in rounded
    tables that omit zeros they can be a rounded 0.
    """
    manifest = counts.manifest
    for each in inside_another(counts)[:1]:
        both, totals = {each.inner, each.outer}, {**dict.fromkeys(sorted(manifest.no_total), ""), **manifest.totals}
        left = {name: text for name, text in totals.items() if name not in {*both, STATISTIC}}
        written = {
            "dimensions": [each.name, *(name for name in manifest.dimensions if name not in {*both, STATISTIC})],
            "nested": {**manifest.nested, each.name: [*each.path]},
            "totals": {name: text for name, text in {**each.totals, **left}.items() if text != WHOLE},
        }
        fact = say(
            "each label of {inner} occurs beside only one label of {outer}; if the other combinations do not exist, "
            'make one dimension of both, or write absent = "zero" if no count is rounded',
            inner=printable(each.inner, 60),
            outer=printable(each.path[-2], 60),
        )
        lines = [f"{key} = {toml_line(value)}" for key, value in written.items() if value]
        how = say(
            "for one dimension, write {lines} in place of all lines of these keys, and delete these keys under "
            "[unconfirmed]",
            lines=", ".join(lines),
        )
        yield parted([fact, how])


@dataclass(frozen=True)
class Inside:
    """A dimension each of whose labels occurs beside one label of another one.

    Attributes:
        inner: the dimension; `outer` is the other one.
        whole: its label that has the sum of those beside it, the total of each label of the other one; None for none.
        name: the name of the dimension that both make, of the columns in `path`.
        totals: the names of the total in all columns of it, and in columns in which it has another one.
    """

    inner: str
    outer: str
    whole: str | None
    name: str
    path: Sequence[str]
    totals: Mapping[str, str]


def inside_another(counts: PublishedCounts) -> list[Inside]:
    """Return dimensions each of whose labels occurs beside one label of another one, where counts are not exact.

    The one with the fewest labels comes first: departments lie in regions, and communes in both.
    """
    manifest, plain, found = counts.manifest, unexplained(counts), list[tuple[int, Inside]]()
    is_known = manifest.absent_is_zero and manifest.is_exact
    outer = [*plain, *(place for place, each in enumerate(counts.dimensions) if each.axis.name in manifest.nested)]
    is_asked = (counts.lower < counts.upper).any() and not is_known
    for places in ((one, other) for one in plain for other in outer if is_asked and one != other):
        one, other = (counts.dimensions[place] for place in places)
        label = counts.label[:, places]
        pairs = np.unique(label[(label != [one.total, other.total]).all(axis=1)], axis=0)
        labels, beside = np.unique(pairs[:, 0], return_counts=True)
        several = labels[beside > 1].tolist()
        whole = one.labels[several[0]] if len(several) == 1 else None
        if whole is not None and _is_sum_of_others(counts, places[0], whole):
            pairs = pairs[pairs[:, 0] != several[0]]
        inside, around = (len(np.unique(column)) for column in pairs.T)
        if len(pairs) == inside > around > 1 and one.total in label[:, 0]:
            found.append((inside, _inside(manifest, one.axis.name, other.axis.name, whole)))
    return [each for _, each in sorted(found, key=lambda each: (each[0], each[1].inner, each[1].outer))]


def _inside(manifest: TableManifest, inner: str, outer: str, whole: str | None) -> Inside:
    """Return what the manifest says of two columns if it makes one dimension of them."""
    nested, own = manifest.nested, {each: manifest.totals[each] for each in (inner, outer) if each in manifest.totals}
    area = say("area")
    name = outer if outer in nested else area if area not in manifest.dimensions else f"{outer}, {inner}"
    total = own[outer if outer in nested else inner]
    others = own | ({} if whole is None else {inner: whole})
    names = {column: label for column, label in others.items() if label != total and column not in nested}
    return Inside(inner, outer, whole, name, [*nested.get(outer, [outer]), inner], {name: total} | names)


def _is_sum_of_others(counts: PublishedCounts, place: int, whole: str) -> bool:
    """Return whether a label is the sum of those beside it in each line that has it, and one line shows it."""
    total = counts.manifest.totals.get(counts.dimensions[place].axis.name)
    sums = [
        Sum(ends, [each for label, each in line.items() if label not in (whole, total)])
        for line in lines_along(counts, place)
        if (ends := line.get(whole)) is not None
    ]
    return any(each.shows for each in sums) and not any(each.gap for each in sums)


PART = re.compile(r"(?:darunter|davon|dont|of which|including|de (?:los|las) cuales)\b[\s:]*(.*)", re.IGNORECASE)
"""The text of a label that says it is part of another one, and what it says then."""


def _named_parts(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about each dimension with a label such as "of which ...", and without categories for it.

    Statistics are parts of each other as `part_of` says.
    """
    manifest = counts.manifest
    for dimension in counts.dimensions:
        name = dimension.axis.name
        said = name in manifest.categories or name in manifest.codes or name in manifest.nested
        wholes = {*manifest.part_of.values()} - manifest.part_of.keys() if name == STATISTIC else {*dimension.labels}
        labels = [label.strip() for label in dimension.labels if label in wholes]
        for label in [] if said else filter(PART.fullmatch, labels):
            yield say(
                '"{label}" of {dimension} says that it is part of another label, but is read as one beside it; '
                "write categories for {dimension}",
                label=printable(label, 60),
                dimension=printable(name, 60),
            )
            break
