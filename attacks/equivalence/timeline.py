"""Timeline: how many people were in some equivalence after each release, computed backwards from the last one.

A further release never ends an equivalence: if there is none after a release, there is none after earlier ones.
"""

from __future__ import annotations

import numpy as np

from attacks.equivalence.strategy import Found, judge
from attacks.matrix import Matrix
from audit.model.arrays import Codes, Flags
from audit.runtime.budget import Budget
from audit.runtime.engine import same
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind

_MOST = 0.5
"""If the groups connected with people in equivalences have a larger share of memberships, all groups are used."""
_FAR = 20
"""If that many steps from people to groups to people do not reach all connected groups, all groups are used."""


def timeline(matrix: Matrix, found: Found, max_e: int, budget: Budget) -> tuple[list[int], Reason | None]:
    """Return how many people take part in an equivalence up to `max_e` after each release, and why that is incomplete.

    Numbers never decrease from release to release. If time runs out, those not computed are lower bounds.
    """
    last = int((matrix.individual & (found.least > 0)).sum())
    numbers, reason = _counted(matrix, found, max_e, budget)
    line: list[int] = []
    for releases in range(1, found.releases):
        line.append(min(last, max(numbers.get(releases, 0), line[-1] if line else 0)))
    return line + [last] * (matrix.releases - found.releases + 1), reason


def _counted(matrix: Matrix, found: Found, max_e: int, budget: Budget) -> tuple[dict[int, int], Reason | None]:
    """Return the numbers after all releases but the last, and why they are incomplete."""
    numbers, reason = dict[int, int](), None
    allowed = found.least > 0
    if not allowed.any():
        return numbers, None
    engine, alone = budget.engine, budget.single_threaded()
    whole = engine.submit(same, _concerned(matrix, allowed))
    earlier = [*reversed(range(1, found.releases))]
    tasks = (engine.submit(least_so_far, whole, releases, max_e, allowed, found.exact, alone) for releases in earlier)
    for releases, judged in zip(earlier, engine.results(tasks), strict=False):
        budget.stage(f"after release {releases} of {matrix.releases}")
        budget.progress(found.releases - releases, found.releases)
        if judged is None:
            why = say(
                "{reason} in the timeline, so that releases 1 to {last} of {releases} were not judged",
                reason=budget.reason,
                last=str(releases),
                releases=str(matrix.releases),
            )
            return numbers, Reason(why, ReasonKind.TIME_LIMIT)
        least, exact = judged
        if found.exact and not exact:
            reason = Reason(say("the timeline's numbers are lower bounds"))
        numbers[releases] = int((matrix.individual & (least > 0)).sum())
        if exact and not numbers[releases]:
            break
    return numbers, reason


def least_so_far(
    matrix: Matrix, releases: int, max_e: int, allowed: Flags, search_integers: bool, budget: Budget
) -> tuple[Codes, bool] | None:
    """Return the least e of some columns after some releases, and whether it is exact; None if time runs out.

    A kernel for engines.
    """
    if budget.exhausted():
        return None
    early = matrix.prefix(releases)
    found = judge(early, max_e, budget.fraction(1.0), allowed=allowed, search_integers=search_integers)
    return None if found is None else (found.least, found.exact)


def _concerned(matrix: Matrix, allowed: Flags) -> Matrix:
    """Return the groups of all people connected with some columns through common groups, or all groups."""
    chosen = allowed.copy()
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
