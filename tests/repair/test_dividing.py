"""Groups are taken out of a merged group until each that is left is needed, with few audits."""

import random
from itertools import pairwise
from math import ceil, log2
from types import SimpleNamespace

import numpy as np
import pytest

from audit.repair.candidate_rows import RepairPlan
from audit.repair.plans import divide
from tests.helpers.amount import some
from tests.mutants.mutant import kills


def together(plan, members):
    """The members that are merged with another one."""
    times = np.bincount(plan.part)
    return {each for each in members if times[plan.part[each]] > 1}


@kills("audit.repair.plans.divide", "[*needed, *others[:middle]]", "others[:middle]")
@kills("audit.repair.plans.divide", "(middle + 1, high)", "(high, high)")
@pytest.mark.parametrize("seed", range(some(40)))
def test_no_group_can_be_taken_out_of_what_is_left(seed):
    """Any superset of one of some sets of groups suffices, as what merges more discloses no more."""
    draw = random.Random(seed)  # noqa: S311 - a test draws
    groups = draw.randint(3, 70)
    members = sorted(draw.sample(range(groups), draw.randint(3, groups)))
    suffice = [set(draw.sample(members, draw.randint(2, min(4, len(members))))) for _ in range(draw.randint(1, 4))]
    rows = SimpleNamespace(middles=np.array([[draw.random(), draw.random()] for _ in range(groups)]))
    part = np.arange(groups)
    part[members] = members[0]
    unchanged = np.zeros(groups, dtype=np.bool_), np.zeros((groups, 2), dtype=np.int8), np.zeros(2, dtype=np.int8)
    plan = RepairPlan(np.arange(groups), part, *unchanged)
    audited, kept = [], [set(members)]

    def keeps(changed):
        outside = np.setdiff1d(np.arange(groups), members)
        assert (changed.part[outside] == plan.part[outside]).all()
        audited.append(frozenset(together(changed, members)))
        if any(each <= audited[-1] for each in suffice):
            kept.append(set(audited[-1]))
        return any(each <= audited[-1] for each in suffice)

    divide(rows, plan, members, keeps)
    assert kept[-1] in suffice
    assert not any(each < kept[-1] for each in suffice)
    assert all(later < earlier for earlier, later in pairwise(kept))
    assert len(audited) <= (len(kept[-1]) + 1) * (ceil(log2(len(members))) + 1)
