"""The timeline: how many people were in some equivalence after each release."""

from __future__ import annotations

import numpy as np

from attacks.equivalence.strategy import Found, judge
from attacks.matrix import Matrix
from audit.model.evidence import Codes
from audit.model.outcome import Flags
from audit.runtime.budget import Budget
from audit.runtime.engine import same
from audit.runtime.phrases import say
from audit.runtime.reasons import Reason, ReasonKind

_FAR = 20
"""Whoever is connected through more groups than so many counts as connected."""


def timeline(matrix: Matrix, found: Found, max_e: int, budget: Budget) -> tuple[list[int], Reason | None]:
    """Return how many individuals take part in an equivalence up to `max_e` after each release, and what is missing.

    A further release never ends an equivalence. So nobody counts early who does not count at the end, whoever counts
    once counts ever after, and where the time is up the numbers so far remain bounds from below.
    """
    among = found.least > 0
    line: list[int] = []
    reason: Reason | None = None
    if among.any():
        concerned, told = _concerned(matrix, among), np.zeros(matrix.columns, dtype=np.bool_)
        engine, alone = budget.engine, budget.single_threaded()
        whole = engine.submit(same, concerned)
        tasks = (
            engine.submit(least_so_far, whole, releases, max_e, among, found.exact, alone)
            for releases in range(1, found.releases)
        )
        for releases, earlier in enumerate(engine.results(tasks), 1):
            budget.stage(f"after release {releases} of {matrix.releases}")
            budget.progress(releases, matrix.releases)
            if earlier is None:
                why = say(
                    "{reason} in the timeline, after {done} of {releases} releases",
                    reason=budget.reason,
                    done=str(releases - 1),
                    releases=str(matrix.releases),
                )
                reason = Reason(why, ReasonKind.TIME_LIMIT)
                break
            least, exact = earlier
            told |= among & (least > 0)
            line.append(int((matrix.individual & told).sum()))
            if found.exact and not exact:
                reason = Reason(say("the timeline's numbers are lower bounds"))
    line += [line[-1] if line else 0] * (found.releases - 1 - len(line))
    last = int((matrix.individual & among).sum())
    return line + [last] * (matrix.releases - found.releases + 1), reason


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
    """Return the groups of everybody who is connected with some columns by common groups, or more."""
    chosen = among.copy()
    for _ in range(_FAR):
        group = np.logical_or.reduceat(chosen[matrix.member], matrix.start[:-1])
        reached = matrix.member[np.repeat(group, np.diff(matrix.start))]
        if chosen[reached].all():
            return matrix.restricted(np.flatnonzero(group))
        chosen[reached] = True
    return matrix
