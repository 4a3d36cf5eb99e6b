"""Judging: which way to take for some releases, and what the ways found, put together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from attacks.equivalence import balanced, search
from attacks.equivalence.fingerprint import Fingerprint, classes, fingerprint, pinned
from attacks.equivalence.subsets import Matched, matched
from attacks.equivalence.vectors import Exact, Witnesses
from attacks.matrix import Matrix
from audit.core.budget import Budget
from audit.core.evidence import Codes
from audit.core.outcome import Flags

Numbers = npt.NDArray[np.uint64]

_SEED = 0x5EED
# A search for integer vectors of larger series, or a longer one, hardly ever proves what a short one does not.
_SEARCHED_MEMBERSHIPS = 20_000
_PATIENCE = 20.0
_SHARE = 0.7
_LINEAR = "linear reasoning over all groups (complete for e = 1)"
_BUCKETS = "balanced cuts of one graph for each bucket"
_SEARCH = "search for integer vectors"
_NEAR = "for e of 2 and more, equivalences were looked for only where each side lies within one group"
_LATE = "not everybody's least e could be computed in time"


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


def judge(
    matrix: Matrix, max_e: int, budget: Budget, *, among: Flags | None = None, thorough: bool = True
) -> Found | None:
    """Return what the equivalences of a series are, or None when the budget was spent before anything was known.

    Args:
        matrix: the releases.
        max_e: up to how many people on a side.
        budget: how long it may take.
        among: by column, who may take part in an equivalence with 2 and more on a side where these are looked for
            within groups; everybody when None.
        thorough: whether to search small series for integer vectors.

    Raises:
        ContradictionError: no values fit all groups.
    """
    numbers = fingerprint(matrix, np.random.default_rng(_SEED), budget.part(_SHARE))
    if numbers is None:
        return None
    linear = _linear(matrix, numbers)
    exact = balanced.solve(matrix, max_e, budget.part(_SHARE))
    if exact is not None:
        return _concluded(_merged(linear, exact, _BUCKETS), _LATE)
    within = _within_groups(matrix, numbers.of, max_e, budget.part(_SHARE), among)
    near = replace(
        linear,
        least=_least(linear.least, within.least),
        witnesses=within.witnesses,
        ways=(*linear.ways, f"all sides of up to {max_e} within one group"),
    )
    missing = f"{_NEAR} ({within.reason})" if within.reason else _NEAR
    if not thorough or len(matrix.member) > _SEARCHED_MEMBERSHIPS:
        return _concluded(near, missing)
    exact = search.solve(matrix, max_e, budget.part(_SHARE).capped(_PATIENCE), linear.lower or 1)
    solved = exact.complete and exact.lower == exact.upper
    found = _merged(linear if solved else near, exact, _SEARCH if solved else f"{_SEARCH}, broken off")
    return _concluded(found, f"{missing}, and elsewhere in limited time")


def _linear(matrix: Matrix, numbers: Fingerprint) -> Found:
    """Return what the fingerprint tells."""
    label = classes(matrix, numbers)
    sizes = np.bincount(label[label >= 0], minlength=1)
    least = ((label >= 0) & (sizes[label] > 1)).astype(np.int32)
    lower = 1 if least.any() else 2
    nothing = Witnesses.of(())
    return Found(matrix.releases, label, pinned(matrix, numbers), lower, None, least, False, nothing, (_LINEAR,), None)


def _merged(found: Found, exact: Exact, way: str) -> Found:
    """Return what is known with what an exact way found beside it."""
    none = exact.lower is None
    return replace(
        found,
        lower=1 if found.lower == 1 else None if none else max(2, exact.lower or 1),
        upper=exact.upper,
        least=_least(found.least, exact.least),
        exact=exact.complete or none,
        witnesses=found.witnesses.and_those(Witnesses.of(exact.witnesses)),
        ways=(*found.ways, way),
    )


def _concluded(found: Found, missing: str) -> Found:
    """Return the same with the upper bound that is shown, and what is not exact; `missing` where that is `least`."""
    shown = np.unique(found.least[found.least > 0]).tolist()
    upper = min([e for e in (found.upper, *shown) if e is not None], default=None)
    reasons = [] if found.exact else [missing]
    if found.lower != upper:
        above = "no bound above is known" if upper is None else f"at most {upper}"
        reasons.insert(0, f"the least e is at least {found.lower}, and {above}")
    return replace(found, upper=upper, reason="; ".join(reasons) or None)


def _within_groups(matrix: Matrix, numbers: Numbers, max_e: int, budget: Budget, among: Flags | None) -> Matched:
    """Return the equivalences whose sides lie within one group each.

    So many sums are compared that two might agree by chance, but not by two fingerprints.
    """
    again = fingerprint(matrix, np.random.default_rng(_SEED + 1), budget.part(_SHARE))
    if again is None:
        return Matched(np.zeros(matrix.columns, dtype=np.int32), False, budget.reason, Witnesses.of(()))
    return matched(matrix, numbers, max_e, budget, among=among, second=again.of)


def _least(one: Codes, other: Codes) -> Codes:
    """Return the lesser of two entries, of which 0 stands for none."""
    both = np.minimum(one, other)
    return np.where((one > 0) & (other > 0), both, np.maximum(one, other)).astype(np.int32)
