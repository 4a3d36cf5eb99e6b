"""Totals by their sums: labels whose numbers are the sums of those of all other labels of their line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from audit.count_tables.published_counts import PublishedCounts

Ends = tuple[int, int]
Line = Mapping[str, Ends | None]
"""The numbers of one line of a table by label: what each can stand for; None where no number is shown."""

LINES = 3
"""A label is a total by its sums where so many lines show it."""


def lines_along(counts: PublishedCounts, place: int, *, hidden: bool = False) -> list[Line]:
    """Return the lines along a dimension, None where no number is shown; with `hidden` markers have their ends too."""
    keys = np.column_stack([counts.release, counts.measure, np.delete(counts.label, place, axis=1)]).tolist()
    labels = counts.label[:, place].tolist()
    shown = counts.shown if hidden else counts.number
    ends = zip(counts.lower.tolist(), counts.upper.tolist(), shown.tolist(), strict=True)
    lines: dict[tuple[int, ...], dict[str, Ends | None]] = {}
    for key, label, (low, high, is_shown) in zip(keys, labels, ends, strict=True):
        lines.setdefault(tuple(key), {})[counts.dimensions[place].labels[label]] = (low, high) if is_shown else None
    return list(lines.values())


def totals_by_sums(lines: Iterable[Line]) -> list[str]:
    """Return the labels that are sums wherever a line shows all of its numbers, in at least `LINES` lines.

    A line of zeros shows nothing, nor does one with a single other label; one that lacks a label refutes nothing. Where
    another label is always 0, several labels may be sums.

    >>> totals_by_sums([{"f": (n, n), "m": (1, 1), "Summe": (n + 1, n + 1)} for n in range(1, 5)])
    ['Summe']
    """
    lines = list(lines)
    labels = max(map(len, lines), default=0)
    shown, refuted = Counter[str](), set[str]()
    for line in lines:
        for label, ends in line.items():
            if ends is None or len(line) <= 2 or label in refuted:
                continue
            low = sum(other[0] for other in line.values() if other is not None) - ends[0]
            high = sum(other[1] for other in line.values() if other is not None) - ends[1]
            whole = all(other is not None for other in line.values())
            if low > ends[1] or (whole and high < ends[0] and len(line) == labels):
                refuted.add(label)
            elif whole and high >= ends[0] > 0:
                shown[label] += 1
    return [label for label, times in shown.items() if times >= LINES and label not in refuted]
