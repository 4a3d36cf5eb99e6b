"""Second readings: what follows from the tables if the manifest should say less, or more, about them.

A dimension whose total no table shows beside another label parts its labels: no number is compared with one beside
another label. If it names the source or the field of a table, the tables count the same people. Blank and missing
cells may be 0. What the columns say does not decide which; the numbers do, if they contradict the second reading, or if
nothing more follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, islice, product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from audit.count_tables.doubts import about_ties
from audit.count_tables.judged_counts import JudgedCounts, judge
from audit.count_tables.label_doubts import unexplained
from audit.count_tables.note_numbers import noted_range, noted_rounding
from audit.count_tables.other_readings import (
    MOST_WAYS,
    Pair,
    columns_of_sums,
    nestings,
    pairs_of_equals,
    read_as_one,
    read_as_sums,
    renamings,
)
from audit.count_tables.published_counts import PublishedCounts, adds_up
from audit.count_tables.published_texts import (
    ANYTHING,
    Interval,
    number_of,
    points_part_thousands,
    rounded_interval,
    with_threshold,
)
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_rules import STATISTIC
from audit.count_tables.tied_counts import follow_in_each, possible_worlds
from audit.io.table_forms import lines_beside
from audit.io.toml import toml_key, toml_text
from audit.model.arrays import UNBOUNDED, Codes, Counts, Flags
from audit.model.count_tables import OPEN, Rounding
from audit.model.errors import InputError
from audit.runtime.budget import Budget
from audit.runtime.phrases import in_quotes, parted, printable, say

_RELEASES = -1  # in place of a dimension
_MOST = 5  # dimensions that may be remarks, each set of which is left out
_NAMED = 6
T = TypeVar("T")


class SecondReading:
    """Judges other readings of published counts, in the time that the first one left.

    Attributes:
        first: the first reading.
        counts: its counts.
        stopped: whether the user stopped an attack, so that nothing more is judged.
    """

    def __init__(self, first: JudgedCounts) -> None:
        self.first, self.counts, self._seconds = first, first.counts, first.seconds
        self.stopped = first.interrupted

    def budget(self) -> Budget:
        """Return the time that is left."""
        limit = self.first.options.time_limit
        return Budget(None if limit is None else max(0.0, limit - self._seconds))

    def judged(self, counts: PublishedCounts, limits: Mapping[str, int] | None = None) -> JudgedCounts | None:
        """Return what is found in another reading; None if it cannot be judged or contradicts itself."""
        given = self.first.options
        options = replace(given, time_limit=self.budget().seconds, limits={**given.limits, **(limits or {})})
        try:
            again = None if self.stopped else judge(counts, self.first.attack, options)
        except (InputError, KeyboardInterrupt) as error:
            self.stopped = isinstance(error, KeyboardInterrupt)
            return None
        if again is not None:
            self._seconds += again.seconds
            self.stopped = again.interrupted
        return again

    def discloses_more(self, counts: PublishedCounts, left: Sequence[int] = ()) -> bool | None:
        """Return whether more follows from another reading, without some dimensions; None if it contradicts itself."""
        again = self.judged(counts)
        if again is None:
            return self.stopped or None
        names = {None if place == _RELEASES else self.counts.dimensions[place].axis.name for place in left}
        return not _is_settled(again) or bool(_found(again, names) - _found(self.first, names))

    def narrower(self, releases: Codes | Sequence[int], lower: Counts, upper: Counts) -> Sequence[int]:
        """Return those of some releases from which more follows if their rows stand for fewer counts."""
        counts, narrowed = self.counts, upper < self.counts.upper

        def discloses_more(some: Sequence[int]) -> bool | None:
            own = np.flatnonzero(np.isin(counts.release, some))
            most = np.where(narrowed, np.minimum(counts.said_most, upper), counts.said_most)
            return self.discloses_more(counts.with_values(own, lower=lower[own], upper=upper[own], said_most=most[own]))

        return _disclosing(np.unique(releases).tolist(), discloses_more)


def finds_nothing(judged: JudgedCounts | None) -> bool:
    """Return whether a reading was judged, without a finding and without an open question."""
    return judged is not None and not judged.found and _is_settled(judged)


def _is_settled(judged: JudgedCounts) -> bool:
    return not (judged.interrupted or judged.evidence.unasked or (judged.verdict == OPEN).any())


def reading_doubts(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about each other reading from which more follows, or that is too hard to judge."""
    yield from _ties_disclose_more(reading)
    yield from _remarks(reading)
    yield from _nestings_disclose_more(reading)
    yield from _equal_labels_disclose_more(reading)
    yield from _sums_disclose_more(reading)
    yield from _exact_tables_disclose_more(reading)
    yield from _exact_denominators_disclose_more(reading)
    yield from _rates_of_counts_disclose_more(reading)
    yield from _noted_rounding_discloses_more(reading)
    yield from _blanks_disclose_more(reading)
    yield from _markers_disclose_more(reading)
    yield from _notes_disclose_more(reading)
    yield from _lacking_labels_disclose_more(reading)
    yield from _signs_disclose_more(reading)
    if may_lack_zeros(reading.counts) and reading.discloses_more(_with_zeros(reading.counts)):
        yield say(
            "cells that are blank or missing may be 0, and more follows from the tables if they are; write absent = "
            '"zero", or, if they can be any count, absent = "unknown"'
        )


def _ties_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about each column of rates or changes of inexact counts that may disclose more."""
    ties = reading.counts.ties
    worlds = possible_worlds(reading.first, reading.budget()) if ties else iter(())
    again = [judged for each in worlds if (judged := reading.judged(each)) is not None and _is_settled(judged)]
    if ties and (not again or follow_in_each(reading.first, again)):
        yield from (about_ties(column, len(some)) for column, some in ties.items())


def _sums_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about each column from which more follows if its numbers count several rows each."""
    counts, manifest = reading.counts, reading.counts.manifest
    # Such a number may count the rows alone where it is open whether these have everybody.
    closed = manifest.open.intersection(manifest.totals)
    readings = [counts] if closed == manifest.open else [counts, read_counts(replace(manifest, open=closed))]
    # Where rows are left out, their counts may follow though all others are exact.
    is_whole = manifest.absent_is_zero and bool((counts.lower == counts.upper).all())
    for column in [] if is_whole else columns_of_sums(counts):
        again = (one for each in readings for one in read_as_sums(each, column))
        sums = (row for each, row in again if reading.discloses_more(each))
        if (row := next(sums, None)) is not None:
            yield say(
                'numbers in "{column}" may count several rows each, as in {place}, and more follows from the tables if '
                "they do: write each into a row of its own, with the label of all people; if they count something "
                "else, name the column in not_counts, and no longer in values",
                column=printable(column, 60),
                place=printable("{}:{}".format(*counts.place(row))),
            )


def _nestings_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about each dimension from which more follows if its labels lie in those of another one."""
    for nesting in nestings(reading.counts):
        if not nesting.is_complete or any(reading.discloses_more(each) for each in nesting.readings()):
            inner, outer = (printable(name, 60) for name in nesting.names)
            yield say(
                "labels of {inner} may lie in those of {outer}, as districts do in regions, and more may follow from "
                "the tables if they do: give {outer} and {inner} one name in all files, and write categories for it; "
                "or, if they are two, say in categories what each label covers",
                inner=inner,
                outer=outer,
            )


def _equal_labels_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about each dimension from which more follows if labels that may be one count the same people."""
    counts = reading.counts
    for place, dimension in enumerate(counts.dimensions if (counts.lower < counts.upper).any() else ()):
        pairs, ways = pairs_of_equals(counts, place), [*islice(renamings(counts, place), MOST_WAYS + 1)]

        def discloses_more(some: Sequence[Pair], place: int = place) -> bool | None:
            return reading.discloses_more(read_as_one(counts, place, some))

        if len(ways) > MOST_WAYS:
            found: Sequence[Pair] = ways[0]
        else:
            found = next(filter(discloses_more, ways), []) or _disclosing(pairs, discloses_more)
        if found:
            yield say(
                "labels of {dimension} may count the same people, as no line shows that they differ, and more follows "
                "from the tables if they do: {pairs}; write both alike, or the same atoms for both in categories; "
                "or, if they count different people, name a label there that covers both",
                dimension=printable(dimension.axis.name, 60),
                pairs=", ".join(in_quotes(pair, 2) for pair in found[:_NAMED]),
            )


def _exact_tables_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence on tables whose sums perturbed numbers would break, unless no more follows if they are exact."""
    counts, manifest = reading.counts, reading.counts.manifest
    if not manifest.perturbation or manifest.rounding is not None:
        return
    numbers, rows, named = _with_exact_numbers(counts), np.zeros_like(counts.number), list[str]()
    for unit in (unit for unit in counts.units() if not counts.parts[unit[0]].is_exact):
        of_unit = np.isin(counts.file, unit)
        for measure in np.unique(counts.measure[of_unit]).tolist():
            own = of_unit & (counts.measure == measure)
            if adds_up(numbers.with_values(~own, number=False), unit):
                rows |= own
                text = counts.measures[measure] if manifest.measure is not None else None
                named.append(printable(text or counts.parts[unit[0]].file.shown, 60))
    exact = counts.with_values(rows, lower=numbers.lower[rows], upper=numbers.upper[rows])
    # Numbers that add up nearly everywhere are exact even if one of them is wrong, which contradicts the others.
    if named and reading.discloses_more(exact) is not False:
        yield say(
            "the sums in {names} are right, which perturbed numbers would break, and more follows from the tables if "
            "these numbers are exact: name these under exact; if their totals were added up from perturbed "
            "numbers, they are off by more than perturbation says: delete them",
            names=", ".join(dict.fromkeys(named)),
        )


def _exact_denominators_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about rates whose denominators seem to be rounded, if more follows where they are exact."""
    counts, manifest = reading.counts, reading.counts.manifest
    rounded = [each for each in manifest.rates if each.seems > 1]
    exact = tuple(replace(each, base=1) if each in rounded else each for each in manifest.rates)
    again = read_counts(replace(manifest, rates=exact)) if rounded else counts
    if rounded and reading.discloses_more(again.emptied(again.shown & ~counts.shown)):
        yield say(
            "numbers in {columns} are multiples of {base}, and more follows from the tables if rates are of these "
            "numbers: then write base = 1 under rates; if they were rounded once rates were computed, base = {base}",
            columns=", ".join(dict.fromkeys(f'"{printable(each.denominator, 60)}"' for each in rounded)),
            base=min(each.seems for each in rounded),
        )


def _rates_of_counts_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about releases whose rates are not of the published numbers, if more follows from the counts."""
    counts, manifest = reading.counts, reading.counts.manifest
    of_published = [each for each in manifest.rates if each.of_published]
    if manifest.is_exact or not of_published:
        return
    again = read_counts(replace(manifest, rates=tuple(replace(each, of_published=False) for each in manifest.rates)))
    # Numbers from which all rates were computed agree with these, and so are possible counts.
    numbers = _with_exact_numbers(counts).lower
    others = counts.release[counts.number & ((numbers < again.lower) | (numbers > again.upper))]
    if some := reading.narrower(others, again.lower, again.upper):
        yield say(
            'rates in {columns} are not of the published numbers in {releases}, although of = "published" says so, and '
            "more follows from the tables if they are of the counts: take it away; if other releases have rates of "
            "published numbers, audit these in a folder of their own; if the rates are of other counts, name their "
            "columns in not_counts, and no longer in rates",
            columns=in_quotes([each.column for each in of_published], _NAMED),
            releases=in_quotes([manifest.tags[release] for release in some], _NAMED),
        )


def _noted_rounding_discloses_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence on lines that state a rounding, if more follows from it than from what the manifest says."""
    counts, manifest = reading.counts, reading.counts.manifest
    numbers, lower, upper = _with_exact_numbers(counts), counts.lower.copy(), counts.upper.copy()
    said = list[tuple[int, str]]()
    for unit in [] if manifest.is_exact else counts.units():
        part = counts.parts[unit[0]]
        noted = None if part.is_exact else noted_rounding(text for _, text in lines_beside(part.file.path))
        rows = np.flatnonzero(counts.number & np.isin(counts.file, unit))
        if noted is None or noted[2] in manifest.not_counts or not len(rows):
            continue
        ends = [rounded_interval(number, Rounding(*noted[:2])) for number in numbers.lower[rows].tolist()]
        low, high = np.array([each or ANYTHING for each in ends]).T
        if None not in ends and ((low > lower[rows]) | (high < upper[rows])).any():
            lower[rows], upper[rows] = np.maximum(lower[rows], low), np.minimum(upper[rows], high)
            said.append((part.release, f"{part.file.shown}: {toml_text(printable(noted[2], 2_000))}"))

    if some := reading.narrower([release for release, _ in said], lower, upper):
        yield say(
            "more follows from the tables if numbers are rounded as a line says: {lines}; correct rounding and "
            "perturbation; or, if they are right, correct the line, or name its text in not_counts",
            lines=", ".join(dict.fromkeys(line for release, line in said if release in some)),
        )


def _with_exact_numbers(counts: PublishedCounts) -> PublishedCounts:
    """Return the counts if each number is one."""
    exact = dict[int, int]()
    for at in range(len(counts.parts)):
        rows = np.flatnonzero(counts.number & (counts.file == at)).tolist()
        point = points_part_thousands({*counts.text[rows]})
        exact |= {row: n for row in rows if (n := number_of(counts.text[row], point=point)) is not None}
    return counts.with_values([*exact], lower=[*exact.values()], upper=[*exact.values()])


def _notes_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence on a note that says less of a sign than the manifest does, if more follows from it."""
    counts, manifest = reading.counts, reading.counts.manifest
    lower, upper, said = counts.lower.copy(), counts.upper.copy(), list[tuple[int, str, str, Interval]]()
    for part in {(part.file.path, part.release): part for part in counts.parts}.values():
        for sign, (least, most) in manifest.markers.items():
            noted = noted_range(part.file.path, sign, manifest.not_counts) if least < most else None
            rows = (counts.text == sign) & counts.hidden & (counts.release == part.release)
            rows &= np.array([each.file.path == part.file.path for each in counts.parts], dtype=bool)[counts.file]
            if noted is not None and rows.any() and (noted[0][0] > least or noted[0][1] < most):
                (low, high), text = noted
                lower[rows], upper[rows] = np.maximum(lower[rows], low), np.minimum(upper[rows], high)
                said.append((part.release, sign, f"{part.file.shown}: {toml_text(printable(text, 2_000))}", noted[0]))

    if some := reading.narrower([release for release, *_ in said], lower, upper):
        _, sign, text, ends = next(each for each in said if each[0] in some)
        yield say(
            'a note says of "{sign}": {text}; if it stands for {low} to {high} only, more follows from the tables '
            "than by markers; correct markers; or, if it can stand for other counts, correct the note, or name its "
            "text in not_counts",
            sign=printable(sign, 60),
            text=text,
            low=ends[0],
            high=ends[1],
        )


def _lacking_labels_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence on labels that a release lacks, if more follows where no person in it has them.

    Its totals then count those alone who have its own labels, which may be those of other releases in other words.
    """
    counts, manifest = reading.counts, reading.counts.manifest
    lacking = _lacking_labels(counts)

    def discloses_more(some: Sequence[tuple[int, int]]) -> bool | None:
        again = counts
        for release, place in some:
            again = _without_people(again, release, place, lacking[release, place])
        return reading.discloses_more(again)

    together = discloses_more([*lacking]) if lacking else False
    some: Sequence[tuple[int, int]] = [*lacking] if together else []
    if together is None:  # a total may count people of labels that its release lacks, of another dimension
        of_releases = [[each for each in lacking if each[0] == release] for release in {each[0]: 0 for each in lacking}]
        some = next((found for own in of_releases for found in _largest_disclosing(own, discloses_more)), some)
    while len(some) > 1 and (half := next(filter(discloses_more, (some[::2], some[1::2])), None)):
        some = half
    for release, place in some[:1]:
        labels, dimension = lacking[release, place], counts.dimensions[place]
        elsewhere = counts.label[counts.release != release, place]
        shown = np.unique(counts.label[counts.release == release, place])
        own = [
            label
            for label in (*np.setdiff1d(shown, elsewhere), *np.intersect1d(shown, elsewhere))
            if dimension.axis.members[dimension.set_of[label]].size < dimension.axis.atoms
        ]
        fact = say(
            'release "{release}" has {own} as labels of {dimension}, but not {lacking}, which other releases have, and '
            "more follows from its tables if its totals count nobody else",
            release=printable(counts.manifest.tags[release], 60),
            dimension=printable(dimension.axis.name, 60),
            own=in_quotes([dimension.labels[label] for label in own], _NAMED),
            lacking=in_quotes([dimension.labels[label] for label in labels], _NAMED),
        )
        alike = say("if labels of two releases mean the same, write them alike")
        if dimension.axis.name not in {*manifest.nested, *manifest.codes}:
            only = [dimension.labels[label] for label in own if label not in elsewhere]
            alike = parted([alike, _same_atoms(counts, place, only, [dimension.labels[label] for label in labels])])
        remedy = say('write absent = "zero"')
        if dimension.axis.name in {*manifest.categories, *manifest.codes} or manifest.absent_is_said:
            remedy = say("audit the releases with these labels in a folder of their own")
        lacks = say("if no person in the release has the labels that it lacks, {remedy}", remedy=remedy)
        may_count = say('if it may count such people in totals alone, write absent = "unknown"')
        yield parted([fact, alike, lacks, *([] if manifest.absent_is_said else [may_count])])


def _same_atoms(counts: PublishedCounts, place: int, own: Sequence[str], lacking: Sequence[str]) -> str:
    """Return what to write if labels mean the same, or one was made of others, such as a municipality.

    Args:
        counts: the published counts.
        place: the dimension.
        own: the labels of a release that no other release has.
        lacking: the labels of other releases that it lacks.
    """
    name = counts.dimensions[place].axis.name
    is_one, known = 1 in (len(own), len(lacking)), counts.manifest.categories.get(name)
    (whole, *_), parts = (own, lacking) if len(own) == 1 else (lacking, own)
    if not is_one or not 1 < len(parts) <= _NAMED:
        return say("or list the same atoms for them in {file}", file=printable(known or "categories"))
    lines = ["label,atom", *(f"{whole},{part}" for part in parts), *(f"{part},{part}" for part in parts)]
    return say(
        'if "{whole}" was made of {parts}, write {key} under [table], and into this file, in the folder of the series, '
        "the lines {lines}, and one such as {example} for each other label",
        whole=printable(whole, 60),
        parts=in_quotes(parts, _NAMED),
        key=f"categories = {{ {toml_key(name)} = {toml_text(known or 'categories.csv')} }}",
        lines=" ".join(toml_text(printable(line, 120)) for line in lines),
        example='"A,A"',
    )


def _lacking_labels(counts: PublishedCounts) -> dict[tuple[int, int], list[int]]:
    """Return the labels of atoms in totals of a release that it does not show, by release and place of the dimension.

    A release that shows no parts of a dimension lacks none of them, and none of a nested label no part of which it
    shows; else that label is a total, too. If missing cells can be any count, so can be those
    that a release lacks, unless it has no label of another release: it may have the same ones in other words.
    """
    manifest, shown, found = counts.manifest, dict[tuple[int, int], Codes](), dict[tuple[int, int], list[int]]()
    is_unknown = manifest.absent_is_said and not manifest.absent_is_zero
    inexact = {*counts.release[counts.lower < counts.upper].tolist()}
    for release in np.unique(counts.release).tolist() if manifest.over_time == "independent" else ():
        rows = (counts.release == release) & ~counts.without_count
        for place, each in enumerate(counts.dimensions):
            sets = [each.axis.members[each.set_of[label]] for label in np.unique(counts.label[rows, place]).tolist()]
            parts = [some for some in sets if some.size < each.axis.atoms]
            if each.axis.name in manifest.nested:
                inmost = np.full(each.axis.atoms, each.axis.atoms)
                for some in sorted(parts, key=len, reverse=True):
                    inmost[some] = some.size
                parts = [some for some in parts if (inmost[some] == some.size).all()]
            if parts and each.axis.name != STATISTIC:
                shown[release, place] = np.concatenate(parts)
                lacking = np.setdiff1d(np.concatenate(sets), [*shown[release, place], each.rest])
                found |= {(release, place): each.atom_label[lacking].tolist()} if lacking.size else {}
    return {
        (release, place): labels
        for (release, place), labels in found.items()
        if release in inexact
        and not (
            is_unknown
            and all(np.isin(other, shown[release, place]).any() for (_, at), other in shown.items() if at == place)
        )
    }


def _without_people(counts: PublishedCounts, release: int, place: int, labels: Sequence[int]) -> PublishedCounts:
    """Return the counts if no person who is counted in a release has one of these labels of a dimension."""
    own = np.flatnonzero((counts.release == release) & ~counts.without_count)
    totals = np.array([each.total for each in counts.dimensions])
    beside = np.where(totals < 0, counts.label[own], totals)
    beside[:, place] = 0
    kinds, first = np.unique(np.column_stack([counts.measure[own], beside]), axis=0, return_index=True)
    label = np.repeat(kinds[:, 1:], len(labels), axis=0)
    label[:, place] = np.tile(labels, len(kinds))
    return counts.with_numbers(np.repeat(own[first], len(labels)), label, 0, 0)


def _blanks_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence if more follows, of other cells, if blank cells are not small, and if they are not large.

    Small counts would have a marker: those that a marker names, or those below `min_count` if a marker can stand for
    any count, which it then does not. Large counts would have one, too, if a marker stands for large ones alone. A
    blank cell may also be 0, which is another reading.
    """
    counts, manifest, limit = reading.counts, reading.counts.manifest, reading.first.limits["min_count"]
    blank = _blank(counts)
    if manifest.absent_is_said or not blank.any():
        return
    endless = {text: low for text, (low, most) in manifest.markers.items() if most >= UNBOUNDED}
    named = manifest.threshold or manifest.least_unmarked
    large = [((limit, UNBOUNDED), counts.text == text) for text, low in endless.items() if low < limit]
    large = large or [((named, UNBOUNDED), counts.text == "")] * bool(named)
    small = [((0, low - 1), np.zeros_like(blank)) for low in {*endless.values()} if low > 1]
    remedy = say(
        "write into all hidden cells one marker, which can stand for any count; or, if a blank cell can be any count, "
        'write absent = "unknown"'
    )
    if (ends := _first_disclosing(reading, blank, large)) is not None:
        yield say(
            "if counts below {least} have a marker, and larger ones are left blank, more follows from the tables: "
            "{remedy}",
            least=ends[0],
            remedy=remedy,
        )
    if (ends := _first_disclosing(reading, blank, small)) is not None:
        yield say(
            "if counts above {most} have a marker, and only smaller ones are left blank, more follows from the tables: "
            "{remedy}",
            most=ends[1],
            remedy=remedy,
        )


def _markers_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence if more follows where no rounded number stands for a small count, because each has a marker."""
    counts, manifest, limit = reading.counts, reading.counts.manifest, reading.first.limits["min_count"]
    said = [most + 1 for low, most in manifest.markers.values() if low <= 1 <= most]
    # A marker that can stand for any count, such as "suppressed", stands for all that nobody may know.
    threshold = max((each for each in said if each <= UNBOUNDED), default=limit if said else 0)
    rows = np.flatnonzero(counts.number & (counts.lower < counts.upper) & ~counts.hidden)
    if manifest.threshold_is_said or not threshold or not len(rows):
        return
    lower, upper = counts.lower.copy(), counts.upper.copy()
    for row, number in zip(rows.tolist(), _with_exact_numbers(counts).lower[rows].tolist(), strict=True):
        lower[row], upper[row] = with_threshold(number, (lower[row], upper[row]), threshold)
    if reading.narrower(counts.release[rows], lower, upper):
        yield say(
            "more follows from the tables if no number stands for counts from 1 to {most}, because a marker does: "
            "write threshold = {threshold}; or, if some of them were published as numbers, threshold = 1",
            most=threshold - 1,
            threshold=threshold,
        )


def _disclosing(each: Sequence[T], more: Callable[[Sequence[T]], bool | None]) -> Sequence[T]:
    """Return those, such as releases, from which more follows if they are read in another way; none if there are none.

    If all read so contradict themselves, each is read so alone, and then those that do not are, together.
    """
    together, possible = more(each) if each else False, list[T]()
    for one in each if together is None and len(each) > 1 else ():
        follows = more([one])
        if follows:
            return [one]
        possible += [] if follows is None else [one]
    return each if together else possible if len(possible) > 1 and more(possible) else []


def _largest_disclosing(each: Sequence[T], more: Callable[[Sequence[T]], bool | None]) -> Iterator[Sequence[T]]:
    """Yield the sets from which more follows, in their order; none whose superset does not contradict itself."""
    read = list[frozenset[T]]()
    for some in (some for size in range(len(each), 0, -1) for some in combinations(each, size)):
        follows = None if any(known.issuperset(some) for known in read) else more(some)
        if follows is not None:
            read.append(frozenset(some))
        if follows:
            yield some


def _first_disclosing(reading: SecondReading, blank: Flags, ways: Sequence[tuple[Interval, Flags]]) -> Interval | None:
    """Return the first range of blank cells from which more follows, if other rows have smaller counts.

    If that contradicts itself, blank cells are read so that they may have any count, such as a small one that a repair
    left blank, beside smaller counts in the same tables.
    """
    beside = np.isin(reading.counts.file, reading.counts.file[blank])

    def more(ends: Interval, smaller: Flags, releases: Sequence[int]) -> bool | None:
        own = np.isin(reading.counts.release, releases)
        small = smaller & own
        found = _more_by_blanks(reading, ends, blank & own, small)
        if found is not None:
            return found
        return _more_by_blanks(reading, (0, UNBOUNDED), blank & own, small & beside, below=ends[0])

    releases = np.unique(reading.counts.release[blank]).tolist()
    found = (each[0] for each in ways if _disclosing(releases, partial(more, *each)))
    return next(found, None)


def _more_by_blanks(
    reading: SecondReading, ends: Interval, blank: Flags, small: Flags, below: int | None = None
) -> bool | None:
    """Return whether more follows if blank cells lie in a range, and `small` ones below; None if they cannot."""
    counts, (least, most) = reading.counts, ends
    upper = np.where(small & ~blank, np.minimum(counts.upper, (below or least) - 1), counts.upper)
    blank = _may_count(counts, blank, upper, least)
    if not blank.any():
        return None
    lower, upper = np.where(blank, least, counts.lower), np.where(blank, most, upper)
    said_most, hidden = np.where(small, np.minimum(counts.said_most, upper), counts.said_most), counts.hidden | blank
    again = reading.judged(replace(counts, lower=lower, upper=upper, hidden=hidden, said_most=said_most))
    if again is None:
        return reading.stopped or None
    own = {frozenset(counts.cell(row).items()) for row in np.flatnonzero(blank).tolist()}
    more = _found(again, ()) - _found(reading.first, ())
    return not _is_settled(again) or any(frozenset(cell) not in own for *_, cell, _ in more)


def _may_count(counts: PublishedCounts, rows: Flags, upper: Counts, least: int) -> Flags:
    """Return which of some rows lie in no total that is less than `least`, as those that are 0 do; shape (rows,)."""
    keys = [*map(tuple, np.column_stack([counts.release, counts.measure, counts.label]).tolist())]
    most = dict[tuple[int, ...], int]()
    for key, high in zip(keys, np.where(counts.shown, upper, UNBOUNDED).tolist(), strict=True):
        most[key] = min(high, most.get(key, UNBOUNDED))
    totals = [each.total for each in counts.dimensions]
    found = rows.copy()
    for row in np.flatnonzero(rows).tolist():
        when, what, *labels = keys[row]
        around = product(*({label, total} for label, total in zip(labels, totals, strict=True)))
        found[row] = all(most.get((when, what, *cell), UNBOUNDED) >= least for cell in around)
    return found


def _blank(counts: PublishedCounts) -> Flags:
    """Return which rows have an empty cell, and no sign such as `z`, in place of a count; shape (rows,), bool."""
    return np.equal(_signs(counts), "").astype(np.bool_)


def _signs(counts: PublishedCounts) -> npt.NDArray[Any]:
    """Return the text, or the status, in place of the count of each row that shows none, else None; shape (rows,)."""
    signs = np.full(len(counts.row), None, dtype=object)
    uncounted = ~counts.shown & (counts.text == "") & ~counts.without_count
    for place in np.unique(counts.file[uncounted]).tolist():
        part, rows = counts.parts[place], np.flatnonzero(uncounted & (counts.file == place))
        shown = [part.table.texts(each) for each in (part.view.column, counts.manifest.status) if each is not None]
        signs[rows] = [next((texts[row] for texts in shown if texts[row]), "") for row in counts.row[rows].tolist()]
    return signs


def _signs_disclose_more(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about each sign that counts as an empty cell, if more follows where it stands for 0.

    "Not applicable" means that there is none to count. Where the numbers of a release refute that, it hides counts.
    """
    counts, signs = reading.counts, _signs(reading.counts)
    is_sign = np.array([each in counts.manifest.not_published for each in signs.tolist()]) & (counts.lower == 0)
    kinds = [*dict.fromkeys(zip(signs[is_sign].tolist(), counts.release[is_sign].tolist(), strict=True))]

    def discloses_more(some: Sequence[tuple[str, int]]) -> bool | None:
        zero = np.zeros_like(is_sign)
        for sign, release in some:
            zero |= is_sign & (signs == sign) & (counts.release == release)
        return reading.discloses_more(counts.with_values(zero, lower=0, upper=0, number=True))

    for sign in dict.fromkeys(sign for sign, _ in _disclosing(kinds, discloses_more)):
        yield say(
            '"{sign}" in place of counts may stand for 0, and more follows from the tables if it does: take it from '
            "not_published, and write {zero} under [table] if nobody can be counted there, or {anything} if it can "
            "hide any count",
            sign=printable(sign, 60),
            zero=f"markers.{toml_key(sign)} = [0, 0]",
            anything=f"markers.{toml_key(sign)} = [0, inf]",
        )


def _may_be_zero(counts: PublishedCounts) -> Flags:
    """Return which rows have no count, and no sign of `not_published` in its place, as `absent` says."""
    known = {None, *counts.manifest.not_published}
    return np.array([text not in known for text in _signs(counts).tolist()])


def _with_zeros(counts: PublishedCounts) -> PublishedCounts:
    """Return the counts if blank and missing cells are 0, in a rounded table a rounded 0."""
    manifest = replace(counts.manifest, absent_is_zero=True)
    low, high = np.array([*map(counts.zero, range(len(counts.parts)))], dtype=np.int64)[counts.file].T
    blank = _may_be_zero(counts)
    zeros = counts.with_values(blank, lower=low[blank], upper=high[blank], number=True)
    return replace(zeros, manifest=manifest)


def may_lack_zeros(counts: PublishedCounts) -> bool:
    """Return whether numbers are not exact, which conceals the sums, and a cell is blank, or a table lacks one."""
    if counts.manifest.absent_is_said or counts.manifest.is_exact:
        return False
    crossed = counts.label != np.array([each.total for each in counts.dimensions])
    many = np.array(
        [len(np.unique(column[is_part])) for column, is_part in zip(counts.label.T, crossed.T, strict=True)]
    )
    of_counts = ~counts.without_count
    cells = np.unique(np.column_stack([counts.release, counts.measure, crossed, counts.label])[of_counts], axis=0)
    kinds, shown = np.unique(cells[:, : 2 + len(many)], axis=0, return_counts=True)
    return bool(_may_be_zero(counts).any() or (np.where(kinds[:, 2:], many, 1).prod(axis=1) > shown).any())


def _remarks(reading: SecondReading) -> Iterator[str]:
    """Yield a sentence about each set of dimensions that may be remarks."""
    counts = reading.counts
    places = [place for place in _unsummed(counts) if _agree(counts, [place])]
    if len(places) > _MOST:
        yield _sentence(counts, places)
        return

    def discloses_more(some: Sequence[int]) -> bool | None:
        is_refuted = len({*some} - {_RELEASES}) == len(counts.dimensions) or not _agree(counts, some)
        return None if is_refuted else reading.discloses_more(counts.without(some), some)

    for some in _largest_disclosing(places, discloses_more):
        yield _sentence(counts, some)


def _unsummed(counts: PublishedCounts) -> list[int]:
    """Return the dimensions with several labels that part them, and -1 if releases do.

    The total of such a dimension stands beside no other label, or the labels beside it determine it in each table. A
    dimension that is open and has no total has labels for other people, because the manifest says so. Releases part
    tables if a column names them, and each table has only one.
    """
    manifest, found = counts.manifest, list[int]()
    for place in unexplained(counts):
        own, dimension = counts.label[:, place], counts.dimensions[place]
        total = own == dimension.total
        both = np.intersect1d(counts.file[total], counts.file[~total])
        beside = np.column_stack([counts.file, np.delete(counts.label, place, axis=1)])
        is_unsummed = not both.size or _distinct(beside) == _distinct(np.column_stack([beside, own]))
        said = dimension.axis.name in manifest.sensitive or (dimension.axis.name in manifest.open and not total.any())
        if is_unsummed and not said and len(np.unique(own)) > 1:
            found.append(place)
    releases: dict[Path, set[int]] = {}
    for part in counts.parts if manifest.releases_by is not None else ():
        releases.setdefault(part.file.path, set()).add(part.release)
    is_parted = len({frozenset(some) for some in releases.values()}) > 1 and all(len(r) < 2 for r in releases.values())
    return [_RELEASES] * (is_parted and manifest.over_time == "independent") + found


def _distinct(rows: Codes) -> int:
    return len(np.unique(rows, axis=0))


def _agree(counts: PublishedCounts, places: Sequence[int]) -> bool:
    """Return whether no two rows that differ only in these dimensions show different numbers."""
    counts = counts.without(places)
    beside = np.column_stack([counts.population, counts.measure, counts.label])
    cell = np.unique(beside, axis=0, return_inverse=True)[1].ravel()
    low, high = np.zeros(len(cell), dtype=np.int64), np.full(len(cell), np.iinfo(np.int64).max)
    np.maximum.at(low, cell, np.where(counts.shown, counts.lower, 0))
    np.minimum.at(high, cell, np.where(counts.shown, counts.upper, high))
    return bool((low <= high).all())


def _found(judged: JudgedCounts, left: Container[str | None]) -> set[tuple[Any, ...]]:
    """Return what was found about each count, named without some dimensions; None means without its release."""
    builder, found = judged.builder, set[tuple[object, ...]]()
    for place in judged.found:
        part, question, _ = judged.at(place)
        release, since, cell = builder.subject(part, question)
        kept = tuple((name, label) for name, label in cell.items() if name not in left)
        when = None if None in left else release
        found.add((when, since, part.statistic, builder.kinds(part), kept, judged.size(place)))
    return found


def _sentence(counts: PublishedCounts, places: Sequence[int]) -> str:
    """Return what to write if the dimensions are remarks, and if they name groups of people."""
    if places[0] == _RELEASES:
        return say(
            'each text of "{column}" makes tables a release of other people; if the tables count the same people, more '
            "follows from them together: then delete releases_by; if not, write each table into releases by itself",
            column=printable(str(counts.manifest.releases_by), 60),
        )
    own = counts.label[:, places[0]]
    rows = [int(np.argmax(own == label)) for label in np.unique(own)[:2]]
    (one, first), (other, second) = (
        (printable(counts.dimensions[places[0]].labels[own[row]], 60), printable("{}:{}".format(*counts.place(row))))
        for row in rows
    )
    names = ", ".join(f'"{printable(counts.dimensions[place].axis.name, 60)}"' for place in places)
    has_total = any(counts.dimensions[place].total in counts.label[:, place] for place in places)
    remedy = (
        say("write categories for {dimensions}", dimensions=names)
        if has_total
        else say("write open = [{dimensions}]", dimensions=names)
    )
    return say(
        'if {dimensions} is only a remark ("{one}" in {first}, "{other}" in {second}), the tables count the same '
        "people, and more may follow from them together than from each; then delete it from dimensions; if its labels "
        "are different people, {remedy}",
        dimensions=names,
        remedy=remedy,
        one=one,
        other=other,
        first=first,
        second=second,
    )
