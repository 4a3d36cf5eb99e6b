"""Strategy: choose the methods for some releases, and combine their results.

1. Linear reasoning over all groups (`fingerprint`), always: complete for e = 1 and for pinned values.
2. Equal sums of the fingerprint over sets of columns (`subsets`): over sets of all people if there are not too many,
   which is complete, else over sets within groups. Not for series of buckets, whose groups are too large.
3. Integer models over lattices (`search`): for series of buckets, and for small series that sets do not decide.

Effort is counted in steps, so that answers do not depend on the machine; only the user's limit is in clock time.

Equality in all worlds: which people share a value once impossible values are ruled out.

Linear reasoning over the published groups misses some equalities. Example: {A, C}: x, y; {D, H, I, J}: z, z, t, t;
{B, C, D, H}: x, y, z, t. D and H have z or t in all worlds, so the last group splits into {B, C}: x, y and {D, H}: z,
t. Then A and B are equal. So each group is split into independent parts, which have as many rows as members. What
remains of a group, with its counterfeits without identity, is one further part.

Sound: each split holds in all worlds. Source: equivalence paper, Definition 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attacks.equivalence import search
from attacks.equivalence.fingerprint import Fingerprint, chance_of_error, classes, fingerprint, pinned, secret_generator
from attacks.equivalence.parts import Parts, may_be_buckets
from attacks.equivalence.search import Exact, SearchQuestion
from attacks.equivalence.subsets import Matched, matched
from attacks.equivalence.vectors import Witnesses
from attacks.matrix import Matrix
from audit.model.arrays import Codes, Counts, Flags, component_of, grouped
from audit.runtime.budget import Budget
from audit.runtime.phrases import Phrase, Reason, combined, kind_of, say

Pairs = tuple[Codes, Codes]


def split(matrix: Matrix, left: Sequence[Pairs]) -> Matrix:
    """Return the groups of a series, each split into its independent parts.

    Args:
        matrix: the groups.
        left: for each release, the pairs of a column and a value that are not ruled out; shape (pairs,) each.
    """
    group = matrix.group_of().astype(np.int64)
    entry_group = np.repeat(np.arange(matrix.groups), np.diff(matrix.value_start))
    place, entry = _joined(matrix, group, entry_group, left)
    members, nodes = len(group), len(group) + len(entry_group)
    label = component_of(place, members + entry, nodes)
    rows = np.bincount(label[members:], weights=matrix.rows, minlength=nodes)
    tight = np.bincount(label[:members], minlength=nodes) == rows
    # The part that is not tight is one part of each group, numbered after the others.
    part = np.where(tight[label], label, nodes + np.concatenate([group, entry_group]))
    return _of_parts(matrix, part[:members], part[members:])


def _joined(matrix: Matrix, group: Counts, entry_group: Counts, left: Sequence[Pairs]) -> tuple[Counts, Counts]:
    """Return the pairs of a membership and a value of its group that is possible for the member, as two arrays."""
    values, columns = matrix.values, matrix.columns
    of_entry = entry_group * values + matrix.value
    first = np.searchsorted(matrix.release, np.arange(matrix.releases + 1))
    places, entries = [], []
    for release, (column, value) in enumerate(left[: matrix.releases]):
        begin, end = matrix.start[first[release]], matrix.start[first[release + 1]]
        where = np.full(columns, -1, dtype=np.int64)
        where[matrix.member[begin:end]] = np.arange(begin, end)
        place = where[column]
        key = group[place] * values + value
        entry = np.searchsorted(of_entry, key)
        found = (place >= 0) & (entry < len(of_entry))
        found[found] = of_entry[entry[found]] == key[found]
        places.append(place[found])
        entries.append(entry[found])
    return np.concatenate(places), np.concatenate(entries)


def _of_parts(matrix: Matrix, member_part: Counts, entry_part: Counts) -> Matrix:
    """Return the matrix whose groups are the parts of memberships and of groups' values."""
    group = matrix.group_of()
    part, first = np.unique(member_part, return_index=True)
    order = np.lexsort((part, group[first]))
    part, of_group = part[order], group[first][order]
    rank = np.zeros(int(member_part.max(initial=-1)) + 2, dtype=np.int64)
    rank[part] = np.arange(len(part))
    start, by_member = grouped(rank[member_part], len(part))
    value_start, by_entry = grouped(rank[entry_part], len(part))
    members, values = (start, matrix.member[by_member]), (value_start, matrix.value[by_entry], matrix.rows[by_entry])
    return matrix.of_groups((*members, *values), matrix.release[of_group], matrix.code[of_group], matrix.releases)


def more_pairs(matrix: Matrix, finer: Matrix, budget: Budget) -> Codes | None:
    """Return pairs of columns that are equal by the finer groups but not by the published ones; None if time runs out.

    Shape (pairs, 2), int32. Columns with a certain value are left out, because each of them is a finding already.

    Raises:
        ContradictionError: no values fit all groups.
    """
    coarse = confirmed(matrix, budget)
    numbers = None if coarse is None else confirmed(finer, budget)
    if coarse is None or numbers is None:
        return None
    label, before = classes(finer, *numbers), classes(matrix, *coarse)
    candidates = np.flatnonzero((label >= 0) & (pinned(finer, *numbers) < 0))
    # People before counterfeits: one column represents all columns that the published groups make equal to it.
    candidates = candidates[np.argsort(~matrix.individual[candidates], kind="stable")]
    chosen = np.sort(candidates[np.unique(before[candidates], return_index=True)[1]])
    # In each class, the first person is paired with the others; classes of counterfeits only have no pairs.
    chosen = chosen[np.lexsort((chosen, ~matrix.individual[chosen], label[chosen]))]
    _, begin, of_class = np.unique(label[chosen], return_index=True, return_inverse=True)
    first = chosen[begin][of_class]
    more: Flags = (first != chosen) & matrix.individual[first]
    return np.stack([first[more], chosen[more]], axis=1).astype(np.int32)


_SEARCHED_MEMBERSHIPS = 20_000
"""In larger series, integer vectors are only searched for in buckets."""
_SHARE = 0.7
_BUCKETS = Phrase("minimum cuts and integer models of each bucket")
_SEARCH = Phrase("search for integer vectors")


@dataclass(frozen=True, slots=True)
class Found:
    """What is known about the equivalences of some first releases.

    Attributes:
        releases: the number of judged releases.
        label: by column, its class of columns that have equal values; -1 where it is in no group; int32.
        pinned: by column, the code of the value that is certain; -1 where none is; int32.
        lower, upper: bounds of the least e of equivalences in which people (not only counterfeits) take part; `lower`
            is None if it is proved that there is none, `upper` if none was found.
        least: by column, the least e up to `max_e` of an equivalence that it takes part in; 0 if none is known.
        exact: whether `least` is exact, so that 0 means none.
        witnesses: equivalences with e of 2 and more.
        ways: the methods used, in words.
        reason: which results are not exact, in words; None if all are.
        error: an upper bound of the probability that a result without a proof in `label` or `pinned` is wrong.
        proved: equivalences with a lesser e are all known without a solver's word; None if nothing rests on it.
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
    error: float
    proved: int | None = None


def judge(
    matrix: Matrix,
    max_e: int,
    budget: Budget,
    *,
    allowed: Flags | None = None,
    search_integers: bool = True,
) -> Found | None:
    """Return the equivalences of a series; None if the budget was exhausted before anything was known.

    Args:
        matrix: the releases.
        max_e: the most people on a side.
        budget: the time limit.
        allowed: the columns that may take part in an equivalence with 2 or more on a side; None for all.
        search_integers: whether to search small series for integer vectors.

    Raises:
        ContradictionError: no values fit all groups.
    """
    budget.stage("linear reasoning over all groups")
    numbers = confirmed(matrix, budget)
    if numbers is None:
        return None
    linear = _linear(matrix, numbers)
    if max_e == 1:
        return linear
    small = len(matrix.member) <= _SEARCHED_MEMBERSHIPS
    parts = Parts.of(matrix) if small or may_be_buckets(matrix) else None
    if parts is not None and parts.are_buckets:
        budget.stage("cutting buckets")
        question = SearchQuestion(linear.label, linear.least, linear.witnesses, 1, max_e)
        return _merged(linear, search.solve(parts, question, budget.fraction(_SHARE)), _BUCKETS)
    budget.stage("looking for equal sums")
    sums = _by_sums(matrix, numbers, max_e, budget.fraction(_SHARE), allowed)
    near = _matched(linear, sums, max_e, matrix.individual)
    if parts is None or not small or not search_integers or (near.exact and near.upper):
        return near
    budget.stage("searching for the least equivalence")
    question = SearchQuestion(linear.label, near.least, near.witnesses, sums.settled, max_e)
    return _merged(near, search.solve(parts, question, budget.fraction(_SHARE)), _SEARCH)


def confirmed(matrix: Matrix, budget: Budget) -> list[Fingerprint] | None:
    """Return a fingerprint and, if it shows anything, a second one with another prime; None if time runs out."""
    numbers = fingerprint(matrix, secret_generator(), budget.fraction(_SHARE))
    if numbers is None:
        return None
    label = classes(matrix, numbers)
    if label.max(initial=-1) + 1 == (label >= 0).sum() and (pinned(matrix, numbers) < 0).all():
        return [numbers]
    again = fingerprint(matrix, secret_generator(), budget.fraction(_SHARE))
    return None if again is None else [numbers, again]


def _linear(matrix: Matrix, numbers: list[Fingerprint]) -> Found:
    """Return the equivalences with e = 1 and the pinned values on which the fingerprints agree."""
    label = classes(matrix, *numbers)
    present = label >= 0
    least = (present & (np.bincount(label[present], minlength=1)[label] > 1)).astype(np.int32)
    lower, upper = (1, 1) if least[matrix.individual].any() else (2, None)
    return Found(
        releases=matrix.releases,
        label=label,
        pinned=pinned(matrix, *numbers),
        lower=lower,
        upper=upper,
        least=least,
        exact=True,
        witnesses=Witnesses.of(()),
        ways=(say("linear reasoning over all groups (complete for e = 1)"),),
        reason=None,
        error=chance_of_error(matrix),
    )


def _by_sums(matrix: Matrix, numbers: list[Fingerprint], max_e: int, budget: Budget, allowed: Flags | None) -> Matched:
    """Return the equivalences that equal sums show.

    Two fingerprints are needed: there are so many sums that two of them may agree by chance in one.
    """
    first, *rest = numbers
    again = rest[0] if rest else fingerprint(matrix, secret_generator(), budget.fraction(_SHARE))
    if again is None:
        no_column = np.zeros(matrix.columns, dtype=np.int32)
        return Matched(no_column, 1, budget.reason, Witnesses.of(()))
    return matched(matrix, (first, again), max_e, budget, allowed=allowed)


def _matched(linear: Found, sums: Matched, max_e: int, individual: Flags) -> Found:
    """Return the results of linear reasoning and of equal sums together."""
    least = _least(linear.least, sums.least)
    exact = sums.settled >= max_e
    shown = least[individual & (least > 0)]
    upper = int(shown.min()) if len(shown) else None
    missing = say("for e of 2 or more, only equivalences with each side within one group were searched for")
    if sums.reason:
        missing = say(
            "for e of 2 or more, only equivalences with each side within one group were searched for ({reason})",
            reason=sums.reason,
        )
    way = say("all sides of up to {most} people within one group", most=str(max_e))
    if exact:
        way = say("all sides of up to {most} people", most=str(max_e))
    return replace(
        linear,
        lower=min(upper or max_e + 1, sums.settled + 1),
        upper=upper,
        least=least,
        exact=exact,
        witnesses=sums.witnesses,
        ways=(*linear.ways, way),
        reason=None if exact else Reason(missing, kind_of(sums.reason)),
    )


def _merged(found: Found, exact: Exact, way: Phrase) -> Found:
    """Return the known results together with those of the search."""
    least = _least(found.least, exact.least)
    upper = min((e for e in (found.upper, exact.upper) if e is not None), default=None)
    lower = None if exact.lower is None else max(found.lower or 1, exact.lower)
    complete = exact.complete or exact.lower is None
    reasons = [] if complete else [found.reason or say("the least e could not be computed for everybody")]
    if not complete and lower != upper:
        reasons.insert(0, _bounded(lower, upper))
    return replace(
        found,
        lower=lower,
        upper=upper,
        least=least,
        exact=complete,
        witnesses=found.witnesses.and_those(Witnesses.of(exact.witnesses)),
        ways=(*found.ways, str(way) if complete else say("{way}, not finished", way=way)),
        reason=combined(reasons),
        proved=exact.proved,
    )


def _bounded(lower: int | None, upper: int | None) -> str:
    """Return the bounds of the least e."""
    if upper is None:
        return say("the least e is at least {lower}, and no upper bound is known", lower=str(lower))
    return say("the least e is at least {lower}, and at most {upper}", lower=str(lower), upper=str(upper))


def _least(*found: Codes) -> Codes:
    """Return the smaller of two entries; 0 means none."""
    smaller, larger = np.minimum(*found), np.maximum(*found)
    return np.where(smaller > 0, smaller, larger).astype(np.int32)
