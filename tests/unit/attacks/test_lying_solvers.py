"""What a solver rules out that a checked world has is a bug of the program, never a verdict."""

from dataclasses import replace

import numpy as np
import pytest

from attacks.joint import balls, counting, probing, relaxation, settling
from attacks.joint.attack import JointAttack
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.oracle.asking import forced
from tests.oracle.larger import drawn_at_random

CROWD = drawn_at_random(3, people=60, releases=4, values=8, size=6, distinct=False, table="constant")
FEW = drawn_at_random(3, people=12, releases=2, values=4, size=4, distinct=False, table="constant")


def supported(core, asked, _budget):
    """Proves impossible whatever is asked for, and the world that is known."""
    return np.ones(len(core.kind), dtype=np.bool_)


def asked_for(core, chosen, asked, enough, shown, budget):
    """Proves the known world impossible."""
    wrong = np.zeros(len(core.kind), dtype=np.bool_)
    wrong[chosen] = True
    return probing.Probed(shown, wrong, chosen, asked)


def counted(core, steps, most, budget):
    """Counts no world anywhere."""
    return [None if each is None else replace(each, number=0) for each in counting.counted(core, steps, most, budget)]


@pytest.mark.parametrize(
    ("way", "module", "name", "lie"),
    [
        ("counted", settling, "counted", counted),
        ("programmed", relaxation, "supported", supported),
        ("probed", probing, "probed", asked_for),
        ("in whole numbers", balls, "balled", asked_for),
    ],
)
def test_joint_raises_where_a_known_world_is_ruled_out(way, module, name, lie, monkeypatch):
    with written(FEW if way == "counted" else CROWD) as folder:
        evidence = opened(folder, "linked")[1]
        forced(monkeypatch, way)
        monkeypatch.setattr(module, name, lie)
        with pytest.raises(AssertionError, match=r"a value that a world has|a part with a world"):
            JointAttack().run(evidence, Budget())
