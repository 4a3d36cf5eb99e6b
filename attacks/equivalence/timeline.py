"""The timeline: how many people were in some equivalence after each release, judged from the last one backwards.

A further release never ends an equivalence: after a release with none, all earlier ones have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from attacks.equivalence.strategy import Found, judge
from attacks.matrix import NAMELESS, Matrix
from audit.model.arrays import Codes, Flags
from audit.model.timeline_cache import Content, TimelineCache
from audit.runtime.budget import Budget
from audit.runtime.engine import same
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind

_MOST = 0.5
"""Of more memberships than this share no copy is made."""
_FAR = 20
"""Whoever is connected through more groups than so many counts as connected."""
_MOST_COLUMNS = 0.5
"""Where so large a share is in question, everybody is asked about: what is found then depends on no later release."""
_UNHURRIED = 0.75


def timeline(
    matrix: Matrix, found: Found, max_e: int, budget: Budget, cache: TimelineCache | None = None
) -> tuple[list[int], Reason | None]:
    """Return how many individuals take part in an equivalence up to `max_e` after each release, and what is missing.

    So nobody counts early who does not count at the end, whoever counts once counts ever after, and where the time is
    up the numbers so far remain bounds from below. Where each number
    depends on the releases up to its own alone, those that earlier audits have counted are in `cache`: all where all is
    exact, and bounds where everybody is asked about.
    """
    last = int((matrix.individual & (found.least > 0)).sum())
    among = found.least > 0
    everybody = not found.exact and among.sum() >= _MOST_COLUMNS * matrix.columns
    keys, known = list[str](), dict[int, int]()
    if cache is not None and (found.exact or everybody):
        keys = cache.keys(f"equivalence {max_e}{' bounds' if everybody else ''}", _contents(matrix))
        known = {place: counts[0] for place, counts in enumerate(cache.known(keys), 1) if counts is not None}
    numbers, reason, lasting = _counted(matrix, found, max_e, budget, known, None if everybody else among)
    if cache is not None and keys and lasting is not None:
        # After all releases bounds are searched for more thoroughly: that is another question.
        own = {matrix.releases: last} if found.exact else {}
        cache.keep({keys[place - 1]: (number,) for place, number in {**lasting, **own}.items()})
    line: list[int] = []
    for releases in range(1, found.releases):
        line.append(min(last, max(numbers.get(releases, 0), line[-1] if line else 0)))
    return line + [last] * (matrix.releases - found.releases + 1), reason


def _counted(
    matrix: Matrix, found: Found, max_e: int, budget: Budget, known: Mapping[int, int], among: Flags | None
) -> tuple[dict[int, int], Reason | None, dict[int, int] | None]:
    """Return the numbers after all releases but the last, what is missing, and the numbers that may be kept, if any.

    Those that are `known`, by the number of releases, are not counted again.
    """
    numbers, lasting, reason = dict(known), dict(known), None
    missing = [releases for releases in reversed(range(1, found.releases)) if releases not in known]
    if not (found.least > 0).any():
        nobody = dict.fromkeys(range(1, found.releases), 0)
        return nobody, None, nobody if found.exact else None
    concerned = matrix if among is None else _concerned(matrix, among)
    engine, alone = budget.engine, budget.single_threaded()
    whole = engine.submit(same, concerned)
    tasks = (engine.submit(least_so_far, whole, releases, max_e, among, found.exact, alone) for releases in missing)
    for releases, earlier in zip(missing, engine.results(tasks), strict=False):
        budget.stage(f"after release {releases} of {matrix.releases}")
        budget.progress(found.releases - releases, found.releases)
        if earlier is None:
            why = say(
                "{reason} in the timeline, so that releases 1 to {last} of {releases} were not judged",
                reason=budget.reason,
                last=str(releases),
                releases=str(matrix.releases),
            )
            return numbers, Reason(why, ReasonKind.TIME_LIMIT), None if reason else lasting
        least, exact, unhurried = earlier
        if found.exact and not exact:
            if known:
                # Bounds depend on who is asked about: with any of them, all are counted now.
                return _counted(matrix, found, max_e, budget, {}, among)
            reason = Reason(say("the timeline's numbers are lower bounds"))
        numbers[releases] = int((matrix.individual & (least > 0)).sum())
        if exact if among is not None else unhurried:
            lasting[releases] = numbers[releases]
        if exact and not numbers[releases]:
            none = dict.fromkeys(range(1, releases), 0)
            return none | numbers, reason, None if reason else none | lasting
    return numbers, reason, None if reason else lasting


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
    matrix: Matrix, releases: int, max_e: int, among: Flags | None, search_integers: bool, budget: Budget
) -> tuple[Codes, bool, bool] | None:
    """Return everybody's least e after some releases, whether it is exact, and whether the clock had no part in it.

    Each step may take almost half of the time that is left or more. So where all of them took less than a quarter of
    what was left before, none was cut off. None where there was no time at all. A kernel for engines.
    """
    early, before = matrix.prefix(releases), budget.remaining()
    found = (
        None
        if budget.exhausted()
        else judge(early, max_e, budget.fraction(1.0), among=among, search_integers=search_integers)
    )
    if found is None:
        return None
    after = budget.remaining()
    return found.least, found.exact, before is None or after is None or after > _UNHURRIED * before


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
