"""Releases and labels that are said to count different people, but whose numbers show that some count the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, islice, permutations
from math import comb, log, prod

import numpy as np
import numpy.typing as npt

from audit.count_tables.label_doubts import unexplained
from audit.count_tables.published_counts import PublishedCounts
from audit.count_tables.table_rules import STATISTIC
from audit.count_tables.total_release import as_one_release, as_overlapping, as_years
from audit.io.naming import is_of_a_year, month_of
from audit.io.table_forms import lines_beside
from audit.io.toml import toml_text
from audit.model.arrays import UNBOUNDED, Codes, Flags, Floats, Numbers
from audit.runtime.phrases import in_quotes, parted, printable, say, say_count

_LINES_COMPARED = 200
_FIRST = 8  # the lines that are compared at once
_MANY = 40  # of more releases, three are added up only if they follow each other, and at most a year of months
_MONTHS = 12
_CHANCE = 10_000  # how much rarer than the comparisons a coincidence has to be
_EQUAL = 0.75  # the share of equal numbers, of which a corrected release may lack some
_BY_CHANCE = 0.1  # how much counts of other people differ, as a share of their variance
_MOST = 0.5  # the share of lines in which a release is the sum of others, of which corrections affect several
_NAMED = 6
_RISES = 20
_TOGETHER = 3  # dimensions that are added up over at once
_ALL_SETS = 12  # labels all of whose sets are tried
_MOST_LABELS, _MOST_PAIRS, _MOST_COMPARED = 100, 1000, 10_000_000  # of a release, of releases, numbers

Known = Floats


def release_doubts(counts: PublishedCounts) -> Iterator[str]:
    """Yield sentences about labels that are sums of others, and `independent` releases that repeat or sum others.

    Where releases have different labels of a dimension, so may be what they show of all its labels together, and one
    label may be the sum of others in another release. They matter only if counts are hidden or rounded, but for two
    editions, whose differences are counts.
    """
    cells = np.column_stack([counts.release, counts.measure, counts.label])
    is_narrowed = counts.manifest.rates or counts.manifest.change is not None
    ends, *published = map(_ends, [counts, counts.without_rates()] if is_narrowed else [counts])
    if (counts.lower == counts.upper).all():
        if counts.manifest.over_time == "independent":
            editions = (found for each in (ends, *published) for found in _exact_editions(counts, cells, each))
            yield from islice(editions, 1)
        return
    for place in unexplained(counts):
        yield from _sum_beside(counts, cells, ends, place)
    yield from _sum_in_another_dimension(counts, ends)
    if counts.manifest.over_time != "independent":
        return
    yield from _overlapping_years(counts)
    labels = {place: _labels(cells, place) for place in unexplained(counts)}
    unlike = [place for place, own in labels.items() if len({*own.values()}) > 1]
    unshared = {
        place for place in unlike if not any(one & other for one, other in combinations(labels[place].values(), 2))
    }
    every = [some for size in range(min(len(unlike), _TOGETHER) + 1) for some in combinations(unlike, size)]
    # Releases that share no label of a dimension have no line in common until they are added up over it.
    for places in sorted(every, key=lambda some: not unshared.issubset(some)):
        if found := [*_found(counts, cells, [ends, *published], places)]:
            yield from found
            return
    for place in unlike:
        yield from _sum_elsewhere(counts, cells, ends, place)


def _overlapping_years(counts: PublishedCounts) -> Iterator[str]:
    """Yield a sentence about releases whose names and titles say that each is about a year, and these overlap."""
    ends, manifest = dict[int, int](), counts.manifest
    for place, release in enumerate(manifest.releases):
        titles = (text for path in release.paths for _, text in lines_beside(path))
        if any(map(is_of_a_year, (release.tag, manifest.value, *titles))):
            end = month_of(release.tag)
            ends |= {} if end is None else {place: end}
    near = sorted(
        place for place, end in ends.items() if any(0 < abs(end - other) < _MONTHS for other in ends.values())
    )
    if near:
        yield parted(
            [
                say(
                    "{releases} count the people or cases of years that overlap, so they do not count other ones each",
                    releases=in_quotes([manifest.tags[place] for place in near], _TOGETHER),
                ),
                as_years(counts, near, [ends[place] for place in near]),
            ]
        )


def _ends(counts: PublishedCounts) -> list[Known]:
    """Return the least and the greatest count of each row that shows a number, or is known exactly, else NaN."""
    is_known = (counts.number & (counts.upper < UNBOUNDED)) | (counts.lower == counts.upper)
    return [np.where(is_known, each, np.nan) for each in (counts.lower, counts.upper)]


def only_grow(counts: PublishedCounts) -> bool:
    """Return whether no number of three releases or more falls, and so many rise that it is not by chance."""
    cells = np.column_stack([counts.release, counts.measure, counts.label])
    steps = np.diff(_known(counts, cells, np.where(counts.number, counts.lower, np.nan), ()), axis=1)
    return steps.shape[1] > 1 and not (steps < 0).any() and bool((steps > 0).sum() >= _RISES)


def _labels(cells: Codes, place: int) -> dict[int, frozenset[int]]:
    """Return the labels of a dimension that each release has."""
    own = np.unique(cells[:, [0, 2 + place]], axis=0)
    return {release: frozenset(own[own[:, 0] == release, 1].tolist()) for release in np.unique(own[:, 0]).tolist()}


def _known(counts: PublishedCounts, cells: Codes, values: Known, places: Sequence[int]) -> Known:
    """Return the counts of each release at the totals of some dimensions; shape (lines, releases), else NaN.

    A total that a release does not show is the sum of all labels that it has.
    """
    for place in places:
        labels, is_total = _labels(cells, place), cells[:, 2 + place] == counts.dimensions[place].total
        several = np.array([len(labels.get(release, ())) for release in range(len(counts.manifest.tags))])
        several -= [counts.dimensions[place].total in labels.get(release, ()) for release in range(len(several))]
        beside = cells.copy()
        beside[:, 2 + place] = 0
        cells, line = np.unique(beside, axis=0, return_inverse=True)
        line, size = line.ravel(), len(cells)
        parts = np.bincount(line[~is_total], minlength=size)
        sums = np.bincount(line[~is_total], weights=values[~is_total], minlength=size)
        sums[(parts != several[cells[:, 0]]) | (parts == 0)] = np.nan
        shown = is_total & ~np.isnan(values)
        sums[line[shown]] = values[shown]
        values = np.asarray(sums, dtype=np.float64)
    lines, line = np.unique(cells[:, 1:], axis=0, return_inverse=True)
    known = np.full((len(lines), len(counts.manifest.tags)), np.nan)
    is_exact = ~np.isnan(values)
    known[line.ravel()[is_exact], cells[is_exact, 0]] = values[is_exact]
    return known


def _compared(
    counts: PublishedCounts, cells: Codes, ends: Sequence[Known], places: Sequence[int]
) -> list[tuple[Known, str]]:
    """Return the numbers at the totals of some dimensions, those of all columns and those of the columns that hide any.

    The names of other columns come with the latter: such as a population, which may repeat beside counts of others.
    """
    of, texts = _statistics(counts)
    hides = np.isin(of, of[(ends[0] != ends[1]) & (counts.text != "")])
    every = np.stack([_known(counts, cells, each, places) for each in ends])
    if hides.all() or not hides.any():  # where blanks alone are no numbers
        return [(every, "")]
    own = np.stack([_known(counts, cells[hides], each[hides], places) for each in ends])
    return [(every, ""), (own, in_quotes([str(texts[each]) for each in np.unique(of[~hides]).tolist()], _NAMED))]


def _statistics(counts: PublishedCounts) -> tuple[Codes, Sequence[str | None]]:
    """Return the statistic of each row, also one that is part of another, and the names of statistics."""
    at = next((at for at, each in enumerate(counts.dimensions) if each.axis.name == STATISTIC), None)
    return (counts.measure, counts.measures) if at is None else (counts.label[:, at], counts.dimensions[at].labels)


def _exact_editions(counts: PublishedCounts, cells: Codes, ends: Sequence[Known]) -> Iterator[str]:
    """Yield a sentence about two releases that differ in some numbers of a statistic, all of which are exact."""
    of, _ = _statistics(counts)
    for own in (of == each for each in np.unique(of)):
        lines = np.stack([_known(counts, cells[own], each[own], ()) for each in ends])
        for one, (other,) in _repeated(lines):
            if differ := int(_differing(lines, one, [other])[0].sum()):
                yield from _corrected_edition(counts, lines, one, other, differ)
                return


def _found(
    counts: PublishedCounts, cells: Codes, every: Sequence[Sequence[Known]], places: Sequence[int]
) -> Iterator[str]:
    """Yield a sentence about two releases with equal numbers, and about one that is the sum of others.

    The numbers are those at the totals of some dimensions, narrowed by rates; equal ones may differ by these.
    """
    tags = counts.manifest.tags
    compared, *published = (_compared(counts, cells, each, places) for each in every)
    names = ", ".join(printable(counts.dimensions[place].axis.name, 60) for place in places)
    added = ((pair, lines, others) for lines, others in compared for pair in _sums(lines, tags))
    sums, beside = list[tuple[int, Sequence[int]]](), list[str]()
    for pair, lines, others in islice(added, 1):
        sums, beside = [pair], [*_corrected(lines, *pair)]
        if others:
            what = say(
                "the numbers of {columns} are no such sums: audit copies of the tables without them", columns=others
            )
            beside.append(what)
    own = compared[-1][0]
    again = (
        ([pair], lines)
        for some in (compared, *published)
        for lines, _ in some
        for pair in _repeated(lines)
        if not _are_others(some[-1][0], *pair)
    )
    # Of a stock, all releases are alike; the edition of one is most like it.
    repeated, known = min(again, key=lambda each: _differing(each[1], *each[0][0])[0].sum(), default=([], own))
    otherwise = say("if they count other people, audit each in a folder of its own")
    for whole, parts in sums or repeated if places else ():
        orders = [(whole, *parts), *([] if sums else [(*parts, whole)])]
        ways = [as_one_release(counts, one, others, places[0]) for one, *others in orders if len(places) == 1]
        way = next(filter(None, ways), "") or say(
            "if a label of {dimensions} stands for all, name it in totals, and write them as one release",
            dimensions=names,
        )
        fact = say(
            'added up over {dimensions}, release "{release}" shows the numbers of {others}, so they count the same '
            "people",
            dimensions=names,
            **_tags(tags, whole, parts),
        )
        yield parted([fact, otherwise, *beside, way])
    if places:
        return
    for one, (other,) in repeated:
        if differ := int(_differing(known, one, [other])[0].sum()):
            yield from _corrected_edition(counts, known, one, other, differ)
            continue
        yield say(
            'releases "{one}" and "{other}" have the same numbers, so they count the same people; if they are one '
            "release, write {example} in releases; if the numbers never change, write over_time = {same}; if they "
            "count other people, audit each in a folder of its own",
            same='"same"',
            **_both(counts, one, other),
        )
    for first, second in [] if sums or repeated or counts.manifest.stock else islice(_overlapping(own), 1):
        fact = say(
            "releases {some} add up to the same numbers as {others}, so they count partly the same people, as a "
            "financial year and a calendar year do",
            some=in_quotes([tags[place] for place in first]),
            others=in_quotes([tags[place] for place in second]),
        )
        yield parted([fact, otherwise, as_overlapping(counts, first, second)])
    for whole, parts in sums:
        fact = say(
            'release "{release}" is the sum of others ({others}) in all or most lines whose numbers are all shown, '
            "within the rounding, so it counts the same people",
            **_tags(tags, whole, parts),
        )
        steps = [*beside, as_one_release(counts, whole, parts)]
        yield parted([fact, otherwise, *steps])


def _both(counts: PublishedCounts, one: int, other: int) -> dict[str, str]:
    """Return the names of two releases, and an entry of the manifest by which they are one."""
    first, second = (counts.manifest.releases[place] for place in (one, other))
    folder = counts.manifest.folder.resolve()
    paths = [table.path.resolve() for table in (*first.tables, *second.tables)]
    # The table of a candidate may lie elsewhere, or be named by a path that is relative to another folder.
    shown = [path.relative_to(folder).as_posix() if folder in path.parents else path.name for path in paths]
    files = ", ".join(map(toml_text, shown))
    texts = {"one": printable(first.tag, 60), "other": printable(second.tag, 60)}
    texts["example"] = f"{{ tag = {toml_text(first.tag)}, tables = [{files}] }}"
    return texts


def _corrected_edition(counts: PublishedCounts, ends: Known, one: int, other: int, differ: int) -> Iterator[str]:
    """Yield what to do about two releases with the same numbers but for some, unless they count a stock.

    If both show the same cells, nothing but the differences follows from them together.
    """
    if counts.manifest.stock:
        return
    texts = _both(counts, one, other)
    fact = say(
        'releases "{one}" and "{other}" have the same numbers but for {count}, as editions do of which one was '
        "corrected",
        count=differ,
        **texts,
    )
    alone = say(
        'copy the folder, delete "{one}" in the one and "{other}" in the other, and audit both; if they count those '
        "who are there at two dates, many of them again, write stock = true under [table]",
        **texts,
    )
    shown, (first, second) = ~np.isnan(ends[0, :, [one, other]]), ends[:, :, [one, other]].transpose(2, 0, 1)
    if (shown[0] != shown[1]).any():
        together = say(
            "to judge what both editions disclose together, write the corrected numbers into copies of the tables "
            'of "{one}", and {example}, with these copies, in releases',
            **texts,
        )
    elif (second[1] < first[0]).any():
        together = say(
            "a difference between the editions is a count, too, which is not judged as some numbers fall: compare "
            "their numbers, and publish no edition that differs by a small count"
        )
    else:
        together = say(
            "to judge what lies between the editions, copy both into a folder of their own, and write over_time = "
            '"cumulative" there: each increase is judged'
        )
    yield parted([fact, alone, together])


def _corrected(ends: Known, whole: int, parts: Sequence[int]) -> Iterator[str]:
    """Yield what to do first if a release is not the sum of others in all lines: as one release they contradict."""
    differ, _ = _differing(ends, whole, parts)
    if count := int(differ.sum()):
        yield say_count(
            "in {count} [line|lines] it is not, so [a number was|numbers were] corrected: write the corrected numbers "
            "into copies of these tables first, and audit the copies",
            count,
        )


def _tags(tags: Sequence[str], whole: int, parts: Sequence[int]) -> dict[str, str]:
    return {
        "release": printable(tags[whole], 60),
        "others": ", ".join(printable(tags[part], 60) for part in parts[:_NAMED]),
    }


def _sum_beside(counts: PublishedCounts, cells: Codes, ends: Sequence[Known], place: int) -> Iterator[str]:
    """Yield a sentence about a label that is the sum of others of its dimension, such as a year of its quarters.

    A sum of all others is left to those about totals.
    """
    manifest, name = counts.manifest, counts.dimensions[place].axis.name
    if manifest.over_time == "same":
        cells = cells * (np.arange(cells.shape[1]) > 0)
    asked = manifest.totals.get(name) is None and name not in manifest.no_total
    for release in _labels(cells, place):
        for label, parts, are_all in _sums_of_labels(counts, cells, ends, place, release, release):
            if not (asked and are_all):
                yield say(
                    '"{label}" of {dimension} is the sum of {labels} wherever all numbers are shown; write categories '
                    "for {dimension}, which say what each label covers",
                    label=label,
                    labels=parts,
                    dimension=printable(name, 60),
                )
                return


def _sum_in_another_dimension(counts: PublishedCounts, ends: Sequence[Known]) -> Iterator[str]:
    """Yield a sentence about a label that is the sum of labels of a dimension which other tables have in its place.

    So is a region of its districts. Both are read as one dimension, and the tables of each as releases.
    """
    release = counts.release * (counts.manifest.over_time != "same")
    for one, other in permutations(unexplained(counts), 2):
        inner, outer = (counts.dimensions[place] for place in (one, other))
        parts, wholes = (counts.label[:, [one, other]] != [inner.total, outer.total]).T
        if np.intersect1d(counts.file[parts], counts.file[wholes]).size:
            continue
        label = counts.label.copy()
        label[wholes, one], label[:, other] = len(inner.labels) + label[wholes, other], 0
        both = [*counts.dimensions]
        both[one] = replace(inner, labels=(*inner.labels, *outer.labels))
        cells = np.column_stack([2 * release + wholes, counts.measure, label])
        for each in np.intersect1d(release[wholes], release[parts]).tolist():
            found = _sums_of_labels(replace(counts, dimensions=tuple(both)), cells, ends, one, 2 * each + 1, 2 * each)
            for whole, labels, _ in found:
                yield say(
                    '"{label}" of {outer} is the sum of {labels} of {inner} wherever all numbers are shown, so they '
                    "count the same people; give {outer} and {inner} one name in all files, and write categories for "
                    "it; or, if they are two, say in categories what each label covers",
                    label=whole,
                    labels=labels,
                    outer=printable(outer.axis.name, 60),
                    inner=printable(inner.axis.name, 60),
                )
                return


def _sum_elsewhere(counts: PublishedCounts, cells: Codes, ends: Sequence[Known], place: int) -> Iterator[str]:
    """Yield a sentence about a label whose numbers are sums of those of labels that another release has."""
    for one, other in islice(permutations(_labels(cells, place), 2), _MOST_PAIRS):
        for label, parts, _ in _sums_of_labels(counts, cells, ends, place, one, other):
            yield say(
                '"{label}" of {dimension} in release "{release}" is the sum of {labels} in release "{other}" '
                "wherever all numbers are shown, so they count the same people; write categories for {dimension}, "
                "and both as one release; if they count other people, audit each in a folder of its own",
                label=label,
                dimension=printable(counts.dimensions[place].axis.name, 60),
                release=printable(counts.manifest.tags[one], 60),
                other=printable(counts.manifest.tags[other], 60),
                labels=parts,
            )
            return


def _sums_of_labels(
    counts: PublishedCounts, cells: Codes, ends: Sequence[Known], place: int, one: int, other: int
) -> Iterator[tuple[str, str, bool]]:
    """Yield each label of a release that is the sum of labels of one, these labels, and whether it has no more.

    Of many labels, those that follow each other are tried. Rounded numbers agree with a sum if they may be one.
    """
    labels, dimension = _labels(cells, place), counts.dimensions[place]
    beside = np.unique(np.delete(cells, [0, 2 + place], axis=1), axis=0, return_inverse=True)[1].ravel()
    shape = 2, len(dimension.labels), int(beside.max()) + 1
    if prod(shape) > _MOST_COMPARED:
        return
    known = np.full((2, *shape), np.nan)
    for side, release in enumerate((one, other)):
        rows = (cells[:, 0] == release) & ~np.isnan(ends[0])
        known[side][:, cells[rows, 2 + place], beside[rows]] = np.array(ends)[:, rows]
    for label in sorted(labels[one] - (labels[other] if one != other else set()) - {dimension.total}):
        parts = sorted(labels[other] - {dimension.total, label})
        if not 1 < len(parts) <= _MOST_LABELS:
            continue
        sets, whole = _sets(len(parts)), known[0][:, label]
        lines = np.flatnonzero(~np.isnan(whole[0]))[:_LINES_COMPARED]
        rare = np.log(_CHANCE * len(sets) * len(labels) ** 2 * len(labels[one]))
        for some in (lines[:1], lines[:_FIRST], lines):
            (low, high), added = whole[:, some], known[1][:, parts][:, :, some]
            is_complete = sets @ np.isnan(added[0]).astype(np.float64) == 0
            least, most = (sets @ np.nan_to_num(each) for each in added)
            fits = ((least <= high) & (~is_complete | (most >= low))).all(axis=1)
            sets, is_complete, width = sets[fits], is_complete[fits], (high - low + most - least + 1)[fits]
        shown = np.where(is_complete, np.log(np.maximum(high / width, 1)), 0).sum(axis=1)
        if len(sets) and shown[at := int(np.argmax(shown))] > rare:
            own = [printable(dimension.labels[part], 60) for part in np.array(parts)[sets[at] > 0].tolist()]
            yield printable(dimension.labels[label], 60), ", ".join(own[:_NAMED]), len(own) == len(parts)


@cache
def _sets(labels: int) -> Floats:
    """Return the sets of two labels or more that are tried as parts of another one; shape (sets, labels), 0 or 1."""
    if labels <= _ALL_SETS:
        every = (np.arange(2**labels)[:, None] >> np.arange(labels) & 1).astype(np.float64)
        return every[every.sum(axis=1) > 1]
    place, (first, last) = np.arange(labels), np.triu_indices(labels, 1)
    return ((place >= first[:, None]) & (place <= last[:, None])).astype(np.float64)


def _repeated(ends: Known) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield each two releases most of whose common numbers are equal, or half of them if all are exact and near.

    Rounded numbers of other people are equal more often: as often as counts of that size that differ by chance. If one
    count of a small table is corrected, so are its totals, which may be half of the numbers.
    """
    pairs = [*combinations(range(ends.shape[2]), 2)]
    for one, other in pairs:
        both = ends[:, (ends[0][:, [one, other]] > 0).all(axis=1)][:, :, [one, other]]
        low, high = both[:, (both[:, :, 0] == both[:, :, 1]).all(axis=0), 0]
        width = high - low + 1
        rare = np.where(width == 1, high, _rarity(high, width))
        many, differ = both.shape[1], both.shape[1] - len(low)
        is_repeated = differ <= (1 - _EQUAL) * many and _is_evidence(rare, len(pairs) * comb(many, differ))
        if is_repeated or (2 * differ <= many and _are_corrected(both, len(pairs))):
            yield one, [other]


def _are_corrected(both: Known, tried: int) -> bool:
    """Return whether exact numbers of two releases are too near each other for counts of other people.

    A number counts once, as totals repeat what they are the totals of.
    """
    first, second = np.unique(both[0], axis=0).T
    near = _rarity(np.maximum(first, second), 2 * np.abs(first - second) + 1)
    is_exact = bool((both[0] == both[1]).all())
    return is_exact and _are_near(*both.transpose(2, 0, 1)) and _is_evidence(near, tried)


def _are_others(ends: Known, one: int, other: Sequence[int]) -> bool:
    """Return whether two releases differ in counts some of which are hidden or rounded, and so count other people.

    What repeats is then another measure, such as a population.
    """
    differ, is_complete = _differing(ends, one, other)
    first, second = ends[:, is_complete, one], ends[:, is_complete][:, :, other].sum(axis=2)
    return (
        not any(_repeated(ends[:, :, [one, *other]]))
        and int(differ.sum()) > (1 - _EQUAL) * len(first[0])
        and not _are_near(first, second)
    )


def _are_near(one: Known, other: Known) -> bool:
    """Return whether numbers differ by less than counts of other people by chance, as after corrections of a few."""
    first, second = one.mean(axis=0), other.mean(axis=0)
    spread = float(((first - second) ** 2 / np.maximum(first + second, 1)).sum())  # by chance, 1 for each number
    return spread <= _BY_CHANCE * len(first)


def _sums(ends: Known, tags: Sequence[str]) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield each release that is a sum of others, and these: those that its name is part of, all, or some of them.

    `ends` has the least and the greatest count of each release, shape (2, lines, releases); NaN is a count that is
    hidden or absent.
    """
    ends = ends[:, np.argsort(np.isnan(ends[0]).sum(axis=1), kind="stable")[:_LINES_COMPARED]]
    places = range(len(tags))
    for whole in places:
        named = [part for part in places if tags[whole] in tags[part] and part != whole]
        if len(named) > 1 and (~np.isnan(ends[0, :, whole])).any() and _is_sum(ends, whole, named, least=0):
            yield whole, named
    for whole in places:
        others = [part for part in places if part != whole]
        if len(others) > 1 and _is_sum(ends, whole, others, least=1):
            yield whole, others
    several = [[*_several([part for part in places if part != whole])] for whole in places]
    tried = sum(len(some) for each in several for some in each)
    for whole, some in ((place, some) for place in places for some in several[place]):
        added, total = ends[:, :_FIRST, some].sum(axis=3), ends[:, :_FIRST, [whole]]
        unlike = ((added[0] > total[1]) | (added[1] < total[0])).sum(axis=0)
        for at in np.flatnonzero(unlike <= (1 - _MOST) * (~np.isnan(added[0] + total[0])).sum(axis=0)).tolist():
            if _is_sum(ends, whole, some[at], tried, least=2):
                yield whole, some[at].tolist()


def _overlapping(ends: Known) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Yield each two releases that add up to the same numbers as two others, and these; not of more than 40 releases.

    Counts of other people that differ by chance add up to the same in few lines.
    """
    ends = ends[:, np.argsort(np.isnan(ends[0]).sum(axis=1), kind="stable")[:_LINES_COMPARED]]
    pairs = np.array([*combinations(range(ends.shape[2] if ends.shape[2] <= _MANY else 0), 2)], dtype=np.intp)
    sums = ends[:, :, pairs.reshape(-1, 2)].sum(axis=3)
    tried = 3 * comb(ends.shape[2], 4)
    for at, one in enumerate(pairs.tolist()):
        few, later = sums[:, :_FIRST, [at]], sums[:, :_FIRST, at + 1 :]
        unlike = ((few[0] > later[1]) | (later[0] > few[1])).sum(axis=0)
        for place in np.flatnonzero(unlike <= (1 - _EQUAL) * (~np.isnan(few[0] + later[0])).sum(axis=0)).tolist():
            other = pairs[at + 1 + place].tolist()
            if {*one}.isdisjoint(other) and _add_up_alike(ends[:, :, one], ends[:, :, other], tried):
                yield one, other


def _add_up_alike(one: Known, other: Known, tried: int) -> bool:
    """Return whether two releases add up to the same as two others; both of shape (2, lines, 2)."""
    lines = ~np.isnan(one[0] + other[0]).any(axis=1)
    (low, high), (below, above) = one[:, lines].sum(axis=2), other[:, lines].sum(axis=2)
    agree = (low <= above) & (below <= high)
    many, differ = len(agree), int((~agree).sum())
    rare = _rarity(high, high - low + above - below + 1)[agree]
    return differ <= (1 - _EQUAL) * many and _is_evidence(rare, tried * comb(many, differ))


def _several(others: Sequence[int]) -> Iterator[Numbers]:
    """Yield the sets of releases that may add up: those that follow each other, two, three; shape (sets, releases)."""
    for length in range(2, len(others) if len(others) < _MANY else _MONTHS + 1):
        near: Iterable[Sequence[int]] = (others[at : at + length] for at in range(len(others) - length + 1))
        any_of = length == 2 or (length == 3 and len(others) < _MANY)
        yield np.array([*(combinations(others, length) if any_of else near)])


def _is_sum(ends: Known, whole: int, parts: npt.ArrayLike, tried: int = 0, *, least: int) -> bool:
    """Return whether others add up to a release where all are known, in at least so many lines.

    A release that was corrected, or that is rounded, may be a sum in most lines, which have to be too many for chance.
    Where only one of the others has a count, the sum is no evidence.
    """
    (low, high), added = ends[:, :, whole], ends[:, :, np.asarray(parts)]
    differ, is_complete = _differing(ends, whole, parts)
    below, above = np.nansum(added, axis=2)
    agree = is_complete & ~differ & ((added[0] > 0).sum(axis=1) > 1)
    width = (high - low + above - below + 1)[agree]
    is_exact, many = bool((width == 1).all()), int(agree.sum())
    if is_exact and not differ.any() and not tried:
        return many >= least
    is_usual = many > _MOST * (many + int(differ.sum())) if is_exact else not differ.any()
    return many >= least and is_usual and _is_evidence(np.maximum(high[agree] / width, 1), max(tried, 1))


def _differing(ends: Known, whole: int, parts: npt.ArrayLike) -> tuple[Flags, Flags]:
    """Return the lines in which others do not add up to a release, and those that show all numbers; shape (lines,)."""
    (low, high), added = ends[:, :, whole], ends[:, :, np.asarray(parts)]
    is_complete = ~np.isnan(added[0]).any(axis=1) & ~np.isnan(low)
    below, above = np.nansum(added, axis=2)
    return (below > high) | (is_complete & (above < low)), is_complete


def _rarity(count: Known, width: Known) -> Known:
    """Return among how many counts of that size, which differ by chance, one falls into a range of that width."""
    return np.maximum(np.sqrt(4 * np.pi * count) / width, 1)


def _is_evidence(equal: Known, tried: int) -> bool:
    """Return whether numbers are too many and large to be equal by chance in one of the comparisons that were tried."""
    return bool(np.log(equal).sum() > log(_CHANCE * tried))
