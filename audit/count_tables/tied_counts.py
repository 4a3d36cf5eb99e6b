"""Tied counts: whether rates and changes of two inexact counts disclose more than the interval of each count says.

Such a tie excludes pairs of counts. If the second count of each pair were known, its tie would only narrow the first
one, and an attack could judge what follows. Who does not know it knows less: what follows in no such reading, or in
another interval in each, does not follow. The second counts are the least and the greatest ones of possible worlds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from math import ceil, floor

import numpy as np

from audit.clauses.registry import COUNT_CLAUSES
from audit.count_tables.build_evidence import EvidencePart
from audit.count_tables.judged_counts import JudgedCounts
from audit.count_tables.published_counts import CountTie, PublishedCounts
from audit.model.report import CountSize
from audit.runtime.budget import Budget
from audit.runtime.integer_programmes import solved

_MOST_ATOMS, _EFFORT = 20_000, 2.0
_FAR = 10**9  # no rate ties larger counts more loosely


def possible_worlds(judged: JudgedCounts, budget: Budget) -> Iterator[PublishedCounts]:
    """Yield readings in which the second count of each tie is exact, as in a world that agrees with all numbers."""
    from ortools.sat.python import cp_model

    model, shown = cp_model.CpModel(), dict[int, cp_model.IntVar]()
    ties = [*chain(*judged.counts.ties.values())]
    parts = [part for part in judged.evidence.parts if part.questions.kinds is None]
    if sum(map(_atoms, parts)) > _MOST_ATOMS:
        return
    for part in parts:
        tables, shape = part.tables, tuple(axis.atoms for axis in part.tables.axes)
        counts = np.array([model.new_int_var(0, _FAR, "") for _ in range(_atoms(part))], dtype=object).reshape(shape)
        for box, row, low, high in zip(tables.boxes, part.rows, tables.lower, tables.upper, strict=True):
            members = [axis.members[label] for axis, label in zip(tables.axes, box.tolist(), strict=True)]
            number = model.new_int_var(int(low), int(min(high, max(low, _FAR))), "")
            model.add(sum(counts[np.ix_(*members)].ravel().tolist()) == number)
            shown[int(row)] = number
    pairs = [[next((row for row in rows if row in shown), -1) for rows in (tie.rows, tie.base)] for tie in ties]
    if any(-1 in pair for pair in pairs):
        return
    for tie, (count, base) in zip(ties, pairs, strict=True):
        for side, share in ((1, tie.least), (-1, tie.most)):
            above = (shown[count] - tie.by) * share.denominator - shown[base] * share.numerator
            model.add(side * above >= 0)
    for side in (1, -1):
        model.minimize(side * sum(shown[base] for base in {base for _, base in pairs}))
        answer, solver = solved(model, _EFFORT, budget)
        if answer in ("best", "found"):
            yield _with_bases(judged.counts, ties, [solver.value(shown[base]) for _, base in pairs])


def _atoms(part: EvidencePart) -> int:
    return int(np.prod([axis.atoms for axis in part.tables.axes]))


def _with_bases(counts: PublishedCounts, ties: Sequence[CountTie], known: Sequence[int]) -> PublishedCounts:
    """Return the counts if the second count of each tie is known."""
    lower, upper = counts.lower.copy(), counts.upper.copy()
    for tie, base in zip(ties, known, strict=True):
        ends = ceil(tie.least * base) + tie.by, floor(tie.most * base) + tie.by
        for rows, low, high in ((tie.rows, *ends), (tie.base, base, base)):
            lower[rows] = np.maximum(lower[rows], low)
            upper[rows] = np.minimum(upper[rows], high)
    return counts.with_values(slice(None), lower=lower, upper=upper)


def follow_in_each(first: JudgedCounts, others: Sequence[JudgedCounts]) -> bool:
    """Return whether something violates the policy in each of several readings, but not in the first one.

    What follows in each is that a count lies in the least interval that contains those of all of them.
    """
    known = {(first.id_of(place), int(first.rule[place])) for place in first.found}
    found = [{(each.id_of(place), int(each.rule[place])): each.size(place) for place in each.found} for each in others]
    for question in set.intersection(*({*each} for each in found)) - known:
        sizes = [each[question] for each in found]
        size = CountSize(sizes[0].kind, min(each.lower for each in sizes), max(each.upper for each in sizes))
        rules = ((COUNT_CLAUSES[name], limit) for name, limit in first.limits.items())
        if any(question[1] in each.rules and each.violated(size, limit) for each, limit in rules):
            return True
    return False
