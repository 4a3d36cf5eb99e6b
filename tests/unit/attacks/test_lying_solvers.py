"""What rules out a world that was checked, or finds what is no world, is a bug of the program, never a verdict."""

from dataclasses import replace

import numpy as np
import pytest

from attacks.joint import counting, settling
from attacks.joint.attack import JointAttack
from attacks.joint.single_options import PartAnswer
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.oracle.asking import forced
from tests.oracle.larger import drawn_at_random

CROWD = drawn_at_random(3, people=60, releases=4, values=8, size=6, distinct=False, table="constant")
FEW = drawn_at_random(3, people=12, releases=2, values=4, size=4, distinct=False, table="constant")


def refuted(core, weights):
    """Proves everything impossible, the world that is known as well."""
    return np.ones(len(core.kind), dtype=np.bool_)


def ruled_out(core, chosen, shown, asked, enough, budget, *, search_integers):
    """Believes that the known world is impossible."""
    wrong = np.zeros(len(core.kind), dtype=np.bool_)
    wrong[chosen] = True
    return PartAnswer(chosen, wrong, asked)


def out_of_thin_air(core, chosen, shown, asked, enough, budget, *, search_integers):
    """Finds that each person has the first column, which is no world."""
    nothing = np.zeros(len(core.kind), dtype=np.bool_)
    return PartAnswer(chosen, nothing, asked, [np.arange(core.variables)], [core.start[:-1]])


def counted(core, steps, most, budget):
    """Counts no world anywhere."""
    return [None if each is None else replace(each, number=0) for each in counting.counted(core, steps, most, budget)]


def counted_with_others(core, steps, most, budget):
    """Counts rightly, and finds worlds that are none."""
    parts = [core.slice(number, number + 1) for number in range(core.parts)]
    return [
        each and replace(each, worlds=np.vstack([each.worlds, part.start[:-1]]))
        for part, each in zip(parts, counting.counted(core, steps, most, budget), strict=True)
    ]


@pytest.mark.parametrize(
    ("way", "module", "name", "lie"),
    [
        ("counted", settling, "counted", counted),
        ("counted", settling, "counted", counted_with_others),
        ("programmed", settling, "refuted", refuted),
        ("probed", settling, "refuted", refuted),
        ("in whole numbers", settling, "questions", ruled_out),
        ("in whole numbers", settling, "questions", out_of_thin_air),
    ],
)
def test_joint_raises_where_a_known_world_is_ruled_out(way, module, name, lie, monkeypatch):
    with written(FEW if way == "counted" else CROWD) as folder:
        evidence = opened(folder, "linked")[1]
        forced(monkeypatch, way)
        monkeypatch.setattr(module, name, lie)
        with pytest.raises(AssertionError, match=r"a value that a world has|a part with a world|no world"):
            JointAttack().run(evidence, Budget())
