"""Judging: which way to take for some releases, and what the ways found, put together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.equivalence import balanced, search
from attacks.equivalence.fingerprint import classes, fingerprint, pinned
from attacks.equivalence.subsets import Matched, matched
from attacks.equivalence.vectors import Exact, Witnesses
from attacks.matrix import Matrix
from audit.core.budget import Budget
from audit.core.evidence import Codes
from audit.core.outcome import Flags

Numbers = npt.NDArray[np.uint64]

_SEED = 0x5EED
# A search for integer vectors of larger series than this proves nothing in any time that users wait.
_SEARCHED_MEMBERSHIPS = 20_000
_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of the equivalences of some first releases.

    Attributes:
        releases: how many releases were judged.
        label: by column, its class of columns that have equal values; -1 where it is in no group; int32.
        pinned: by column, the code of the value that is certain; -1 where none is; int32.
        lower, upper: bounds of the least e; both None where it is proved that there is no equivalence.
        least: by column, the least e up to `max_e` of an equivalence that it takes part in; 0 where none is known.
        exact: whether `least` is, so that 0 means none.
        witnesses: equivalences with e of 2 and more.
        ways: what was done, in words.
        reason: what is not exact, in words; None when all of it is.
    """

    releases: int
    label: Codes
    pinned: Codes
    lower: int | None
    upper: int | None
    least: Codes
    exact: bool
    witnesses: Witnesses
    ways: tuple[str, ...]
    reason: str | None


def judge(matrix: Matrix, max_e: int, budget: Budget, among: Flags | None = None) -> Found | None:
    """Return what the equivalences of a series are, or None when the budget was spent before anything was known.

    Args:
        matrix: the releases.
        max_e: up to how many people on a side.
        budget: how long it may take.
        among: by column, who may take part in an equivalence with 2 and more on a side where these are looked for
            within groups; everybody when None.

    Raises:
        ContradictionError: no values fit all groups.
    """
    numbers = fingerprint(matrix, np.random.default_rng(_SEED), budget.part(_SHARE))
    if numbers is None:
        return None
    label, fixed = classes(matrix, numbers), pinned(matrix, numbers)
    shared = _shared(label)
    least = shared.astype(np.int32)
    at_least = 1 if shared.any() else 2
    exact, way = _exact(matrix, max_e, budget.part(_SHARE), at_least)
    ways: tuple[str, ...] = ("linear reasoning over all groups (complete for e = 1)",)
    if exact is not None:
        least = _least(least, exact.least)
        lower, upper = _bounds(shared, exact)
        complete = exact.complete or upper is None is lower
        reason = _inexact(lower, upper, complete=complete)
        seen = Witnesses.of(exact.witnesses)
        ways = (*ways, way)
        return Found(matrix.releases, label, fixed, lower, upper, least, complete, seen, ways, reason)
    within = _within_groups(matrix, numbers.of, max_e, budget, among)
    least = _least(least, within.least)
    upper = int(least[least > 0].min()) if (least > 0).any() else None
    reason = "for e of 2 and more, equivalences were looked for only where each side lies within one group"
    if within.reason:
        reason += f" ({within.reason})"
    if at_least != upper:
        reason = f"{_inexact(at_least, upper, complete=True)}; {reason}"
    ways = (*ways, f"all sides of up to {max_e} within one group")
    return Found(matrix.releases, label, fixed, at_least, upper, least, False, within.witnesses, ways, reason)


def _within_groups(matrix: Matrix, numbers: Numbers, max_e: int, budget: Budget, among: Flags | None) -> Matched:
    """Return the equivalences whose sides lie within one group each.

    So many sums are compared that two might agree by chance, but not by two fingerprints.
    """
    again = fingerprint(matrix, np.random.default_rng(_SEED + 1), budget.part(_SHARE))
    if again is None:
        return Matched(np.zeros(matrix.columns, dtype=np.int32), False, budget.reason, Witnesses.of(()))
    return matched(matrix, numbers, max_e, budget, among=among, second=again.of)


def _exact(matrix: Matrix, max_e: int, budget: Budget, at_least: int) -> tuple[Exact | None, str]:
    """Return what an exact way found, and which; None where none can be taken."""
    exact = balanced.solve(matrix, max_e, budget)
    if exact is not None:
        return exact, "balanced cuts of one graph for each bucket"
    if len(matrix.member) > _SEARCHED_MEMBERSHIPS:
        return None, ""
    exact = search.solve(matrix, max_e, budget, at_least)
    return (exact if exact.complete else None), "search for integer vectors"


def _shared(label: Codes) -> Flags:
    """Return which columns have the value of another one for certain."""
    sizes = np.bincount(label[label >= 0], minlength=1)
    return (label >= 0) & (sizes[label] > 1)


def _least(one: Codes, other: Codes) -> Codes:
    """Return the lesser of two entries, of which 0 stands for none."""
    both = np.minimum(one, other)
    return np.where((one > 0) & (other > 0), both, np.maximum(one, other)).astype(np.int32)


def _bounds(shared: Flags, exact: Exact) -> tuple[int | None, int | None]:
    """Return the bounds of the least e, where that of 1 is known beforehand."""
    if shared.any():
        return 1, 1
    if exact.lower is None:
        return None, None
    return max(2, exact.lower), exact.upper


def _inexact(lower: int | None, upper: int | None, *, complete: bool) -> str | None:
    """Return what is not known exactly, or None."""
    if lower != upper:
        above = "no bound above is known" if upper is None else f"at most {upper}"
        return f"the least e is at least {lower}, and {above}"
    return None if complete else "not everybody's least e could be computed in time"
