"""Sums of groups that show that a few people have the values of as few others, as the checker of counts reads them."""

from __future__ import annotations

import math
from typing import Any

from audit.pipeline.attack_run import AuditRun
from audit.witness.further_points import named_groups
from audit.witness.points import first_rows
from audit.witness.verify import Published

# Weights are searched for this many claims, because some claims are only known by random linear algebra.
_ASKED = 5


def sum_of_groups(series: Published, run: AuditRun, sensitive: str) -> list[Any] | None:
    """Return a divisor, and release, row and weight of the groups that show a small equivalence; None if there is none.

    Args:
        series: the series as the checkers read it.
        run: the run whose attacks found the equivalences.
        sensitive: the sensitive attribute.
    """
    row = first_rows(series)
    for result in run.results:
        claims, view = result.outcome.claims, result.evidence
        if claims is None or view.followed or view.sensitive != sensitive or view.combined:
            continue
        for each in claims.certify(claims.equivalences(math.inf)[:_ASKED]):
            if each.evidence != "proof" or not each.certificate:
                continue
            divisor = math.lcm(*(group.weight.denominator for group in each.certificate))
            homes = {at: named_groups(series, view, at) for at in {group.release for group in each.certificate}}
            if all(group.group in homes[group.release] for group in each.certificate):
                found = [(at.release, homes[at.release][at.group], at.weight * divisor) for at in each.certificate]
                return [divisor, [[at, int(row[of]), int(weight)] for at, of, weight in found]]
    return None
