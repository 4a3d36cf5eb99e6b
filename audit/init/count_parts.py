"""Propose categories for the labels of count tables that say that they are part of another label, such as `of which`.

Only the publisher knows of which one. What the labels and the counts leave open is proposed in the most general way: a
part of the total that may share people with every label.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from audit.count_tables.label_doubts import PART
from audit.count_tables.published_counts import Line, Sum
from audit.io.cells import Interval, intersect
from audit.io.notations import interval_in
from audit.runtime.phrases import say

_MOST_ACROSS = 4


@dataclass(frozen=True)
class LabelParts:
    """The labels of a dimension.

    Attributes:
        within: each label that is no part, with the parts of it alone, which have no people in common.
        across: the parts of the total, each of which may share people with all other labels.
    """

    within: Mapping[str, Sequence[str]]
    across: Sequence[str]

    def doubts(self, file: str) -> list[str]:
        """Return a sentence for each part that asks whether the file of categories is right about it."""
        alone = [
            say(
                '"{part}" is taken to be part of "{whole}" alone, and to share nobody with other parts of it; if not, '
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
                '"{part}" is taken to be part of the total, and may share people with every other label; if it is part '
                "of one label alone, correct {file}.",
                part=part,
                file=file,
            )
            for part in self.across
        ]

    def categories(self, *, is_open: bool) -> str:
        """Return the file of categories, a line for each label and atom; `is_open`: people may have none of the labels.

        An atom is a label, or what is left of it without its parts, with some of the parts of the total or with none.
        """
        pieces = {whole: [*some, f"{whole} -"] if some else [whole] for whole, some in self.within.items()}
        shared = [*chain(*(combinations(self.across, size) for size in range(len(self.across) + 1)))]
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(("label", "atom"))
        for whole, some in pieces.items():
            rows.writerows((whole, _atom(piece, also)) for piece in some for also in shared)
            rows.writerows((piece, _atom(piece, also)) for piece in some[:-1] for also in shared)
        everywhere = [*chain(*pieces.values()), *(["-"] if is_open else [])]
        for part in self.across:
            rows.writerows((part, _atom(piece, also)) for piece in everywhere for also in shared if part in also)
        return text.getvalue()


def find_parts(labels: Sequence[str], total: str | None, lines: Sequence[Line]) -> LabelParts | None:
    """Return what the labels of a dimension, in the order of the tables, are part of.

    A part belongs to the label whose numbers it lies in (`80+` in `65+`); else, if other labels follow parts, to the
    nearest label above it; else to the total. A label with a smaller count has no such part.

    Returns:
        None if no label says that it is a part, if one is larger than the total, or if too many are parts of it.
    """
    within: dict[str, list[str]] = {label: [] for label in labels if label != total and not PART.fullmatch(label)}
    across: list[str] = []
    last = max((place for place, label in enumerate(labels) if label in within), default=-1)
    first = next((place for place, label in enumerate(labels) if PART.fullmatch(label)), len(labels))
    above: str | None = None
    for label in labels:
        if label in within or label == total:
            above = label if label in within else None
            continue
        whole = above if first < last or len(within) == 1 else None
        whole = next((each for each in within if _lies_in(label, each)), whole)
        if whole is not None and _may_hold(whole, label, lines):
            within[whole].append(label)
        elif total is None or _may_hold(total, label, lines):
            across.append(label)
        else:
            return None
    return None if first == len(labels) or len(across) > _MOST_ACROSS else LabelParts(within, across)


def _atom(piece: str, parts: Sequence[str]) -> str:
    return " & ".join((piece, *parts))


def _lies_in(part: str, whole: str) -> bool:
    """Return whether a part names a range of numbers inside that of a label, such as `darunter 80+` and `65+`."""
    inner, outer = _numbers(PART.sub(r"\1", part)), _numbers(whole)
    return inner is not None and outer is not None and intersect(inner, outer) == inner


def _numbers(label: str) -> Interval | None:
    read = interval_in(label)
    return None if read is None else read.interval


def _may_hold(whole: str, part: str, lines: Sequence[Line]) -> bool:
    """Return whether no line has more in a part than in the whole."""
    both = ((line.get(whole), line.get(part)) for line in lines)
    return all(ends is None or Sum(ends, [some]).gap <= 0 for ends, some in both)
