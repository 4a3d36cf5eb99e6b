"""Propose categories for the labels of count tables: parts that say so, such as `of which`, and sums of other labels.

Only the publisher knows of which label one is a part. What the labels and the counts leave open is proposed in the most
general way: a part of the total that may share people with every label.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from math import inf

import numpy as np

from audit.count_tables.label_doubts import PART
from audit.count_tables.other_readings import equal_labels
from audit.count_tables.published_counts import LINES, Line, Sum
from audit.count_tables.table_rules import part_atoms
from audit.io.cells import Interval, intersect
from audit.io.notations import interval_in
from audit.model.arrays import Counts
from audit.runtime.phrases import Phrase, joined, say

_MOST_ACROSS, _MOST_ADDED = 4, 18  # parts of the total, labels whose sets are all tried
_MOST_KINDS = 6  # each more doubles the atoms
_WRONG = 2  # lines with a mistake
_COMPARED, _BITS = 40, 10  # lines that sets of labels are compared in, chances of two against one
_PRECISE = 4  # times as large as its roundings is a sum that agrees other than by chance


@dataclass(frozen=True)
class LabelParts:
    """The labels of a dimension.

    Attributes:
        within: each label that is no part, with the parts of it alone, which have no people in common.
        across: the parts of the total, each of which may share people with all other labels.
        is_open: whether people may have none of the labels.
    """

    within: Mapping[str, Sequence[str]]
    across: Sequence[str]
    is_open: bool

    def doubts(self, file: str) -> list[str]:
        """Return a sentence for each part that asks whether the file of categories is right about it."""
        alone = [
            say(
                '"{part}" is taken to be part of "{whole}" alone, and to share nobody with other parts of it. If not, '
                "correct {file}.",
                part=part,
                whole=whole,
                file=file,
            )
            for whole, some in self.within.items()
            for part in some
        ]
        return alone + [
            say(
                '"{part}" is taken to be part of the total, and may share people with every other label. If it is part '
                "of one label alone, correct {file}.",
                part=part,
                file=file,
            )
            for part in self.across
        ]

    def categories(self) -> list[tuple[str, str]]:
        """Return the lines of the file of categories, one for each label and atom.

        An atom is a label, or what is left of it without its parts, with some of the parts of the total or with none.
        """
        pieces = {whole: [*some, f"{whole} (rest)"] if some else [whole] for whole, some in self.within.items()}
        shared = [*chain(*(combinations(self.across, size) for size in range(len(self.across) + 1)))]
        rows = [("label", "atom")]
        for whole, some in pieces.items():
            rows += ((whole, _atom(piece, also)) for piece in some for also in shared)
            rows += ((piece, _atom(piece, also)) for piece in some[:-1] for also in shared)
        everywhere = [*chain(*pieces.values()), *(["-"] if self.is_open else [])]
        for part in self.across:
            rows += ((part, _atom(piece, also)) for piece in everywhere for also in shared if part in also)
        return rows


@dataclass(frozen=True)
class LabelSums:
    """The labels of a dimension some of which are sums of others.

    Attributes:
        within: the labels that are no sums.
        sums: for each other label, those of `within` that it covers.
    """

    within: Sequence[str]
    sums: Mapping[str, Sequence[str]]

    def explains(self, labels: Sequence[str]) -> bool:
        """Return whether each label that says that it is a part belongs to a sum, or is one."""
        return {label for label in labels if PART.fullmatch(label)} <= {*self.sums, *chain(*self.sums.values())}

    def doubts(self, file: str) -> list[str]:
        """Return a sentence for each sum that asks whether the file of categories is right about it."""
        return [
            say(
                '"{whole}" agrees with {parts} in each line that shows all of them, and is taken to count the same '
                "people. If not, correct {file}.",
                whole=whole,
                parts=" + ".join(f'"{part}"' for part in parts),
                file=file,
            )
            for whole, parts in self.sums.items()
        ]

    def categories(self) -> list[tuple[str, str]]:
        """Return the lines of the file of categories, one for each label and atom."""
        sums = ((whole, part) for whole, parts in self.sums.items() for part in parts)
        return [("label", "atom"), *((label, label) for label in self.within), *sums]


@dataclass(frozen=True)
class OverlappingLabels:
    """The labels of a dimension of which some overlap: ranges of numbers, such as ages, or kinds that go together.

    Attributes:
        pieces: for each label, the atoms inside it.
        meaning: what is assumed of them.
        is_open: whether they need not cover all people.
    """

    pieces: Mapping[str, Sequence[str]]
    meaning: Phrase
    is_open: bool = False

    def doubts(self, file: str) -> list[str]:
        """Return a sentence that asks whether the file of categories is right."""
        names = [f'"{label}"' for label, some in self.pieces.items() if len(some) > 1]
        return [self.meaning.filled(labels=joined(names, most=8), file=file)]

    def categories(self) -> list[tuple[str, str]]:
        """Return the lines of the file of categories, one for each label and atom."""
        return [("label", "atom"), *((label, piece) for label, some in self.pieces.items() for piece in some)]


_BANDS = Phrase(
    "{labels}: labels overlap, and are taken to count the people whose number, such as the age, lies in them. If not, "
    "correct {file}."
)
_KINDS = Phrase(
    "{labels}: labels add up to more than the total, and are taken to overlap in any way, as languages do of which "
    "one can speak several. If one lies in another, or is the sum of others, correct {file}."
)


def find_kinds(labels: Sequence[str], total: str | None, lines: Sequence[Line]) -> OverlappingLabels | None:
    """Return the labels as kinds that overlap in any way if in most lines they add up to more than the total.

    >>> line = {"asthma": (5, 5), "diabetes": (4, 4), "All": (7, 7)}
    >>> find_kinds([*line], "All", [line, line]).pieces["asthma"]
    ['only asthma', 'asthma & diabetes']
    """
    kinds = tuple(label for label in labels if label != total)
    sums = [Sum(ends, [line.get(kind) for kind in kinds]) for line in lines if (ends := line.get(total or ""))]
    is_within = all(part is None or part[0] <= each.total[1] for each in sums for part in each.parts)
    exceed, shown = sum(each.gap > 0 for each in sums), sum(each.is_whole for each in sums)
    are_kinds = is_within and not any(_numbers(kind) is not None for kind in kinds)
    if total is None or len(kinds) > _MOST_KINDS or not are_kinds or 2 * exceed <= max(shown, _WRONG):
        return None
    return OverlappingLabels(part_atoms((*kinds, total), dict.fromkeys(kinds, total)), _KINDS, is_open=True)


def find_bands(labels: Sequence[str], total: str | None, lines: Sequence[Line]) -> OverlappingLabels | None:
    """Return the labels as ranges if some overlap, and those of each line that cover all of them add up to its total.

    >>> rows = [["0-14", "15+", "All"], ["0-17", "18+", "All"]]
    >>> lines = [dict(zip(row, ((n, n) for n in (4, 3, 7)))) for row in rows]
    >>> find_bands(["0-14", "15+", "0-17", "18+", "All"], "All", lines).pieces["15+"]
    ['15-17', '18+']
    """
    ends = dict[str, tuple[float, float]]()
    for label in (each for each in labels if each != total):
        if (read := _numbers(label)) is None:
            return None
        after = inf if read.high is None else int(read.high) + (not read.high_open)
        ends[label] = (max(0, int(read.low or 0) + read.low_open), after)
    between = [*pairwise(sorted({*chain(*ends.values())}))]
    pieces = {
        label: [f"{low}+" if high == inf else f"{low}-{high - 1}" for low, high in between if first <= low < after]
        for label, (first, after) in ends.items()
    }
    sums, every = list[Sum](), {*chain(*pieces.values())}
    for line in lines:
        own = [*chain(*(pieces[label] for label in line if label != total))]
        if total is not None and (whole := line.get(total)) is not None and len(own) == len({*own}) == len(every):
            sums.append(Sum(whole, [ends for label, ends in line.items() if label != total]))
    agrees = any(each.shows for each in sums) and not any(each.gap for each in sums)
    return OverlappingLabels(pieces, _BANDS) if agrees and sum(map(len, pieces.values())) > len(every) else None


def find_sums(labels: Sequence[str], total: str | None, lines: Sequence[Line]) -> LabelSums | None:
    """Return which labels are the sums of those that follow them, or stand before them; None if none are.

    Of labels that count the same people, each is a sum of the first. Any other sum covers at least two labels, without
    a gap in the order of the tables. It agrees with every line that shows all of its numbers, and no line shows less in
    it than in its parts. At least three lines are precise: their roundings are small beside it. No line has it beside
    other labels only, as the total of each region stands beside its own parts. Sums of sums are found,
    too, and the last one that the total shows.
    """
    covered: dict[str, list[str]] = {label: [label] for label in labels if label != total}
    same = {other: one for one, other in equal_labels([*covered], lines)}
    covered = {label: some for label, some in covered.items() if label not in same}
    numbers = {label: _numbers_of(label, lines) for label in covered}
    order, sums = [*covered], dict[str, list[str]]()
    while found := _kept(_sums_beside(order, numbers, sums), order, lines):
        for whole, parts in found.items():
            sums[whole] = covered[whole] = [*chain(*(covered[part] for part in parts))]
        inside = {*chain(*found.values())}
        order = [label for label in order if label not in inside]
    if total is not None and sums:
        sums.update(_last_sum(_numbers_of(total, lines), order, numbers, sums))
    left = [label for label in covered if label not in sums]
    if total is not None and any(not _may_hold(total, left, [line]) for line in lines if total in line):
        sums.update(_sums_anywhere(left, numbers))
    sums |= {other: sums.get(one, [one]) for other, one in same.items()}
    return LabelSums([label for label in covered if label not in sums], sums) if sums else None


def _kept(found: Mapping[str, Sequence[str]], order: Sequence[str], lines: Sequence[Line]) -> dict[str, Sequence[str]]:
    """Return the sums that no line shows without any of their parts, but beside labels that are no sums."""
    return {
        whole: parts
        for whole, parts in found.items()
        if not any(
            (line.get(whole) or (0, 0))[0] > 0
            and line.keys().isdisjoint(parts)
            and not line.keys().isdisjoint({*order} - found.keys())
            for line in lines
        )
    }


def _numbers_of(label: str, lines: Sequence[Line]) -> Counts:
    """Return the least and the most that a label counts in each line, -1 where no number is shown; shape (2, lines)."""
    return np.array([line.get(label) or (-1, -1) for line in lines], dtype=np.int64).reshape(-1, 2).T


def _sums_beside(
    order: Sequence[str], numbers: Mapping[str, Counts], known: Collection[str]
) -> dict[str, Sequence[str]]:
    """Return the labels that are sums of labels next to them; none of these is such a sum itself."""
    found, used = dict[str, Sequence[str]](), set[str]()
    for at, whole in enumerate(order):
        for near in (order[at + 1 :], order[:at][::-1]) if whole not in known else ():
            count = _added(numbers[whole], (numbers[part] for part in near))
            if count is not None and whole not in used and found.keys().isdisjoint(near[:count]):
                found[whole] = near[:count]
                used.update(near[:count])
    return found


def _last_sum(
    total: Counts, order: Sequence[str], numbers: Mapping[str, Counts], known: Collection[str]
) -> dict[str, list[str]]:
    """Return the label that makes up the total with the sums that are known, and covers the other labels that are left.

    No line refutes it, though few show all of the numbers of these labels.
    """
    sums, rest, found = [each for each in order if each in known], [each for each in order if each not in known], []
    for whole in rest:
        parts = [each for each in rest if each != whole]
        least, most = np.sum([np.maximum(numbers[part], 0) for part in parts], axis=0) if parts else total
        is_shown = np.all([numbers[each][0] >= 0 for each in rest], axis=0)
        low, high = numbers[whole]
        agrees = ~((low >= 0) & (least > high)).any() and (most >= low)[is_shown].all()
        count = _added(total, (numbers[each] for each in (*sums, whole)))
        if len(parts) > 1 and agrees and count == len(sums) + 1:
            found.append((whole, parts))
    return dict(found) if len(found) == 1 else {}


def _sums_anywhere(labels: Sequence[str], numbers: Mapping[str, Counts]) -> dict[str, list[str]]:
    """Return the labels that are sums of others wherever these stand, such as some of the countries of a federation.

    Numbers must be exact. Only one set of labels agrees with all lines that show its numbers, at least three, and not
    by chance: there are fewer sets than ways to be different.
    """
    shown = np.stack([numbers[label][0] for label in labels])
    if not 1 < len(labels) <= _MOST_ADDED or any(np.ptp(numbers[each], axis=0).any() for each in labels):
        return {}
    found = dict[str, list[str]]()
    for place, whole in enumerate(labels):
        others = [at for at in range(len(labels)) if at != place]
        lines = shown[:, shown[place] > 0]
        lines = lines[:, np.argsort(np.count_nonzero(lines < 0, axis=0), kind="stable")[:_COMPARED]]
        added, lacks = np.zeros((1, lines.shape[1]), dtype=np.int64), np.zeros((1, lines.shape[1]), dtype=bool)
        for at in others:  # the sums of all sets of labels, of which the number of the set has the bits
            added = np.concatenate([added, added + np.maximum(lines[at], 0)])
            lacks = np.concatenate([lacks, lacks | (lines[at] < 0)])
        fits = (np.where(lacks, added <= lines[place], added == lines[place])).all(axis=1)
        fits &= np.count_nonzero(~lacks, axis=1) >= LINES
        fits &= (~lacks * np.log2(lines[place] + 1.0)).sum(axis=1) > len(labels) + _BITS
        if len(sets := np.flatnonzero(fits)) == 1:
            parts = [labels[at] for bit, at in enumerate(others) if sets[0] >> bit & 1]
            found |= {whole: parts} if len(parts) > 1 else {}
    return found if {*chain(*found.values())}.isdisjoint(found) else {}


def _added(whole: Counts, parts: Iterable[Counts]) -> int | None:
    """Return how many of the first parts, at most, add up to the whole in enough lines; None if no number of them does.

    `whole` and each part have shape (2, lines).
    """
    (low, high), added, found = whole, np.zeros_like(whole), None
    is_shown = low >= 0
    for count, part in enumerate(parts, 1):
        is_shown = is_shown & (part[0] >= 0)
        added += np.maximum(part, 0)
        least, most = added
        if (least > high)[low >= 0].any():
            break
        precise = is_shown & (low > 0) & (low >= _PRECISE * (most - least + high - low))
        if count > 1 and (most >= low)[is_shown].all() and np.count_nonzero(precise) >= LINES:
            found = count
    return found


def find_parts(labels: Sequence[str], total: str | None, lines: Sequence[Line], *, is_open: bool) -> LabelParts | None:
    """Return what the labels of a dimension, in the order of the tables, are part of.

    A part belongs to the label whose numbers it lies in (`80+` in `65+`), else to the nearest label above it that is no
    part, else to the total. No line has more in the parts of a label than in the label.

    Returns:
        None if no label says that it is a part, if one is larger than the total, or if too many are parts of it.
    """
    within: dict[str, list[str]] = {label: [] for label in labels if label != total and not PART.fullmatch(label)}
    across: list[str] = []
    above: str | None = None
    for label in labels:
        if label in within or label == total:
            above = label if label in within else None
            continue
        whole = next((each for each in within if _lies_in(label, each)), above)
        if total is not None and not _may_hold(total, [label], lines):
            return None
        fits = whole is not None and _may_hold(whole, [*within[whole], label], lines)
        (within[whole] if whole is not None and fits else across).append(label)
    found = LabelParts(within, across, is_open)
    return found if len(within) < len({*labels} - {total}) and len(across) <= _MOST_ACROSS else None


def _atom(piece: str, parts: Sequence[str]) -> str:
    return " & ".join((piece, *parts))


def _lies_in(part: str, whole: str) -> bool:
    """Return whether a part names a range of numbers inside that of a label, such as `darunter 80+` and `65+`."""
    inner, outer = _numbers(PART.sub(r"\1", part)), _numbers(whole)
    return inner is not None and outer is not None and intersect(inner, outer) == inner


def _numbers(label: str) -> Interval | None:
    read = interval_in(label)
    return None if read is None else read.interval


def _may_hold(whole: str, parts: Sequence[str], lines: Sequence[Line]) -> bool:
    """Return whether no line has more in the parts than in the whole."""
    both = ((line.get(whole), [line.get(part) for part in parts]) for line in lines)
    return all(ends is None or Sum(ends, some).gap <= 0 for ends, some in both)
