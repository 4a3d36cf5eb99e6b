"""Find proof steps beyond those of single groups: steps that the attack proves for many people at once or for one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audit.adversary.view import View
from audit.model.arrays import Integers, Numbers
from audit.model.outcome import Outcome
from audit.witness.points import Step, prove_by_groups, step_of, strike
from audit.witness.verify import Published
from audit.witness.verify_points import Left
from audit.witness.worlds import texts_of

_MOST_PROOFS = 1_000
"""The most proofs of single values: a limit of time would show more on faster machines."""


def further_steps(left: Left, world: Integers, view: View, known: Outcome) -> Iterator[Step]:
    """Yield steps from the points of all people at once, then as many proofs of single values as a limit allows."""
    claims, series, proofs = known.claims, left.series, 0
    code = np.array([series.code.get(texts_of(view, value), -1) for value in range(len(view.values))], dtype=np.int64)
    yield from _of_all(left, world, _priced(series, view, known, code))
    if claims is None or claims.versions is None:
        return
    homes = dict[int, dict[str, int]]()
    for place, (person, release) in enumerate(zip(claims.versions.tolist(), claims.release.tolist(), strict=True)):
        mine = left.values[release % series.times, series.people[view.name(person)]]
        if mine.sum() == 1:
            continue
        if proofs == _MOST_PROOFS:
            return
        proofs += 1
        [finding] = claims.certify(np.array([place]))
        proof = None if finding is None else finding.proof
        if proof is None or not proof.points:
            continue
        price = dict[int, Numbers]()
        for row in proof.points:
            if row.release not in homes:
                homes[row.release] = named_groups(series, view, row.release)
            if row.group in homes[row.release]:
                of = price.setdefault(homes[row.release][row.group], np.zeros(len(series.values), dtype=np.int64))
                of[code[row.value]] = row.points
        if price:
            groups, points = np.array(sorted(price)), np.stack([price[each] for each in sorted(price)])
            dirty = strike(left, groups, points)
            yield step_of(series, groups, points)
            yield from prove_by_groups(left, world, dirty)


def _of_all(left: Left, world: Integers, priced: Iterator[tuple[Numbers, Numbers]]) -> Iterator[Step]:
    """Yield those of the steps that rule something out, each with what single groups prove after it."""
    for groups, price in priced:
        dirty = strike(left, groups, price)
        if dirty.any():
            yield step_of(left.series, groups, price)
            yield from prove_by_groups(left, world, dirty)


def _priced(series: Published, view: View, known: Outcome, code: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield groups, and the points of their rows by value, for each known step; points have shape (groups, values)."""
    homes = [_numbered_groups(series, view, release) for release in range(len(series.tags))]
    for step in known.knowing.points() if known.knowing is not None else ():
        group = np.array(
            [homes[at].get(each, -1) for at, each in zip(step.release.tolist(), step.group.tolist(), strict=True)],
            dtype=np.int64,
        )
        some, place = np.unique(group, return_inverse=True)
        price = np.zeros((len(some), len(series.values)), dtype=np.int64)
        for value, number in enumerate(code.tolist()):
            mine = step.kind == step.kind_of[value]
            if number >= 0:
                price[place[mine], number] = step.points[mine]
        yield some[some >= 0], price[some >= 0]


def _numbered_groups(series: Published, view: View, release: int) -> dict[int, int]:
    """Return the populated groups of a release as checkers number them, by the program's numbers."""
    seen = view.source.candidate_groups(release)
    group = seen.class_group[seen.row_class[seen.start[:-1]]]
    distinct, first = np.unique(group, return_index=True)
    people = [series.people[view.name(each)] for each in seen.person[first].tolist()]
    return dict(zip(distinct.tolist(), series.home[release, people].tolist(), strict=True))


def named_groups(series: Published, view: View, release: int) -> dict[str, int]:
    """Return the populated groups of a release as checkers number them, by the names in proofs."""
    numbers = _numbered_groups(series, view, release)
    names = view.source.group_names(release, np.array([*numbers]))
    return dict(zip(names, numbers.values(), strict=True))
