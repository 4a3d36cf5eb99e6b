"""The timeline: how many people were in some equivalence after each release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from attacks.equivalence.strategy import Found, judge
from attacks.matrix import NAMELESS, Matrix
from audit.model.evidence import Codes
from audit.model.outcome import Flags
from audit.model.timeline_cache import Content, TimelineCache
from audit.runtime.budget import Budget
from audit.runtime.engine import same
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind

_MOST = 0.5
"""Of more memberships than this share no copy is made."""
_FAR = 20
"""Whoever is connected through more groups than so many counts as connected."""


def timeline(
    matrix: Matrix, found: Found, max_e: int, budget: Budget, cache: TimelineCache | None = None
) -> tuple[list[int], Reason | None]:
    """Return how many individuals take part in an equivalence up to `max_e` after each release, and what is missing.

    A further release never ends an equivalence. So nobody counts early who does not count at the end, whoever counts
    once counts ever after, and where the time is up the numbers so far remain bounds from below. Where all is exact,
    each number depends on the releases up to its own alone: those that earlier audits have counted are in `cache`.
    """
    last = int((matrix.individual & (found.least > 0)).sum())
    keys, known = list[str](), dict[int, int]()
    if cache is not None and found.exact:
        keys = cache.keys(f"equivalence {max_e}", _contents(matrix))
        known = {place: counts[0] for place, counts in enumerate(cache.known(keys), 1) if counts is not None}
    numbers, reason, exact = _counted(matrix, found, max_e, budget, known)
    if cache is not None and exact:
        cache.keep({keys[place - 1]: (number,) for place, number in [*numbers.items(), (matrix.releases, last)]})
    line: list[int] = []
    for releases in range(1, found.releases):
        line.append(numbers.get(releases, line[-1] if line else 0))
    return line + [last] * (matrix.releases - found.releases + 1), reason


def _counted(
    matrix: Matrix, found: Found, max_e: int, budget: Budget, known: Mapping[int, int]
) -> tuple[dict[int, int], Reason | None, bool]:
    """Return the numbers after all releases but the last, what is missing, and whether the numbers are exact.

    Those that are `known`, by the number of releases, are exact, and not counted again. Bounds depend on what was found
    in all releases before: where there are any, all are counted.
    """
    among, numbers, reason, all_exact = found.least > 0, dict(known), None, found.exact
    missing = [releases for releases in range(1, found.releases) if releases not in known]
    if not among.any():
        return dict.fromkeys(range(1, found.releases), 0), None, all_exact
    if not missing:
        return numbers, None, all_exact
    concerned, told = _concerned(matrix, among), np.zeros(matrix.columns, dtype=np.bool_)
    engine, alone = budget.engine, budget.single_threaded()
    whole = engine.submit(same, concerned)
    tasks = (engine.submit(least_so_far, whole, releases, max_e, among, found.exact, alone) for releases in missing)
    for releases, earlier in zip(missing, engine.results(tasks), strict=False):
        budget.stage(f"after release {releases} of {matrix.releases}")
        budget.progress(releases, matrix.releases)
        if earlier is None:
            why = say(
                "{reason} in the timeline, after {done} of {releases} releases",
                reason=budget.reason,
                done=str(releases - 1),
                releases=str(matrix.releases),
            )
            return numbers, Reason(why, ReasonKind.TIME_LIMIT), all_exact
        least, exact = earlier
        if found.exact and not exact:
            if known:
                return _counted(matrix, found, max_e, budget, {})
            reason, all_exact = Reason(say("the timeline's numbers are lower bounds")), False
        told |= among & (least > 0)
        numbers[releases] = int((matrix.individual & told).sum())
    return numbers, reason, all_exact


def _contents(matrix: Matrix) -> Iterator[tuple[Content, ...]]:
    """Yield all that the matrices hold of each release; counterfeits without identity are in one group each."""
    first = np.searchsorted(matrix.release, np.arange(matrix.releases + 1))
    for begin, end in pairwise(first.tolist()):
        start, value_start = matrix.start[begin : end + 1], matrix.value_start[begin : end + 1]
        member = matrix.member[start[0] : start[-1]]
        values = slice(value_start[0], value_start[-1])
        nameless = member >= matrix.columns - matrix.nameless
        yield (
            np.diff(start),
            np.where(nameless, NAMELESS, member),
            matrix.individual[member],
            np.diff(value_start),
            matrix.value[values],
            matrix.rows[values],
        )


def least_so_far(
    matrix: Matrix, releases: int, max_e: int, among: Flags, thorough: bool, budget: Budget
) -> tuple[Codes, bool] | None:
    """Return everybody's least e after some releases, and whether it is exact; None where there was no time for it.

    A kernel for engines.
    """
    early = matrix.prefix(releases)
    found = (
        None
        if budget.exhausted()
        else judge(early, max_e, budget.fraction(1.0), among=among, thorough=thorough, beyond=False)
    )
    return None if found is None else (found.least, found.exact)


def _concerned(matrix: Matrix, among: Flags) -> Matrix:
    """Return the groups of everybody who is connected with some columns by common groups, or all groups."""
    chosen = among.copy()
    for _ in range(_FAR):
        group = np.logical_or.reduceat(chosen[matrix.member], matrix.start[:-1])
        sizes = np.diff(matrix.start)
        if sizes[group].sum() > _MOST * len(matrix.member):
            return matrix
        reached = matrix.member[np.repeat(group, sizes)]
        if chosen[reached].all():
            return matrix.restricted(np.flatnonzero(group))
        chosen[reached] = True
    return matrix
