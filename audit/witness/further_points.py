"""Steps of a proof from the proofs that an attack finds for single people, beyond what single groups prove."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from audit.adversary.view import View
from audit.findings.disclosure import Disclosures
from audit.model.arrays import Integers, Numbers
from audit.model.outcome import Outcome
from audit.runtime.budget import Budget
from audit.witness.points import Step, prove_by_groups, step_of, strike
from audit.witness.verify import Published
from audit.witness.verify_points import Left
from audit.witness.worlds import texts_of

_SECONDS = 20.0


def further_steps(left: Left, world: Integers, view: View, known: Outcome) -> Iterator[Step]:
    """Yield steps from the proofs of values that single groups do not prove, as far as time allows."""
    claims, series, budget = known.claims, left.series, Budget(_SECONDS)
    if not isinstance(claims, Disclosures):
        return
    code = np.array([series.code.get(texts_of(view, value), -1) for value in range(len(view.values))], dtype=np.int64)
    homes = dict[int, dict[str, int]]()
    for place, (person, release) in enumerate(zip(claims.person.tolist(), claims.release.tolist(), strict=True)):
        mine = left.values[release % series.times, series.people[view.name(person)]]
        if mine.sum() == 1 or budget.exhausted():
            continue
        [finding] = claims.certify(np.array([place]))
        proof = None if finding is None else finding.proof
        if proof is None or not proof.points:
            continue
        price = dict[int, Numbers]()
        for row in proof.points:
            if row.release not in homes:
                homes[row.release] = _named_groups(series, view, row.release)
            if row.group in homes[row.release]:
                of = price.setdefault(homes[row.release][row.group], np.zeros(len(series.values), dtype=np.int64))
                of[code[row.value]] = row.points
        if price:
            groups, points = np.array(sorted(price)), np.stack([price[each] for each in sorted(price)])
            dirty = strike(left, groups, points)
            yield step_of(series, groups, points)
            yield from prove_by_groups(left, world, dirty)


def _named_groups(series: Published, view: View, release: int) -> dict[str, int]:
    """Return the groups of a release in which people are, as checkers number them, by the names that proofs have."""
    hosts = view.source.hosts(release)
    group = hosts.class_group[hosts.row_class[hosts.start[:-1]]]
    distinct, first = np.unique(group, return_index=True)
    names = view.source.group_names(release, distinct)
    people = [series.people[view.name(each)] for each in hosts.person[first].tolist()]
    return dict(zip(names, series.home[release, people].tolist(), strict=True))
