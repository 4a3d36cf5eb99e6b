"""Propose categories for the labels of count tables that are the sums of others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from audit.count_tables.label_doubts import PART
from audit.count_tables.other_readings import equal_labels
from audit.count_tables.published_counts import LINES, Line
from audit.model.arrays import Counts
from audit.runtime.phrases import say

_PRECISE = 4  # times as large as its roundings is a sum that agrees other than by chance


@dataclass(frozen=True)
class LabelSums:
    """The labels of a dimension some of which are sums of others.

    Attributes:
        within: the labels that are no sums.
        sums: for each other label, those of `within` that it covers.
    """

    within: Sequence[str]
    sums: Mapping[str, Sequence[str]]

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


def find_sums(labels: Sequence[str], total: str | None, lines: Sequence[Line]) -> LabelSums | None:
    """Return which labels are the sums of those that follow them, or stand before them.

    None if none are, or if a label says that it is a part, as `of which` does, and is in no sum: audits ask about it.

    Of labels that count the same people, each is a sum of the first. Any other sum covers at least two labels, without
    a gap in the order of the tables. It agrees with every line that shows all of its numbers, and no line shows less in
    it than in its parts. At least three lines are precise: their roundings are small beside it. Sums of sums are found,
    too.
    """
    covered: dict[str, list[str]] = {label: [label] for label in labels if label != total}
    same = {other: one for one, other in equal_labels([*covered], lines)}
    covered = {label: some for label, some in covered.items() if label not in same}
    numbers = {label: _numbers_of(label, lines) for label in covered}
    order, sums = [*covered], dict[str, list[str]]()
    while found := _sums_beside(order, numbers, sums):
        for whole, parts in found.items():
            sums[whole] = covered[whole] = [*chain(*(covered[part] for part in parts))]
        inside = {*chain(*found.values())}
        order = [label for label in order if label not in inside]
    sums |= {other: sums.get(one, [one]) for other, one in same.items()}
    explained = {*sums, *chain(*sums.values())}
    if not sums or any(PART.fullmatch(label) and label not in explained for label in labels):
        return None
    return LabelSums([label for label in covered if label not in sums], sums)


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
