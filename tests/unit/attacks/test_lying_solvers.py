"""What rules out a world that was checked, or finds what is no world, is a bug of the program, never a verdict."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from attacks.differencing import programs
from attacks.differencing.programs import Component, NoSolutionError, first_point
from attacks.joint import balls, counting, settling
from attacks.joint.attack import JointAttack
from attacks.joint.balls import PartQuestions
from attacks.joint.core import OpenSubproblem
from attacks.joint.linear_model import LinearModel
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


def ruled_out(self, variable, columns):
    """Believes that the known world is impossible."""
    self.doubted[self.world] = self.doubted[columns] = True
    return "none"


def out_of_thin_air(self, number):
    """Finds that each person has the first column, which is no world."""
    return self.core.start[:-1]


def every_part(core, chosen):
    return np.ones(core.parts, dtype=np.bool_)


def counted(part, steps, most):
    """Counts no world anywhere."""
    found = counting.counted(part, steps, most)
    return found and replace(found, number=0)


def counted_with_others(part, steps, most):
    """Counts rightly, and finds worlds that are none."""
    found = counting.counted(part, steps, most)
    return found and replace(found, worlds=np.vstack([found.worlds, part.start[:-1]]))


@pytest.mark.parametrize(
    ("way", "module", "name", "lie"),
    [
        ("counted", settling, "counted", counted),
        ("counted", settling, "counted", counted_with_others),
        ("programmed", settling, "refuted", refuted),
        ("asked", balls, "refuted", refuted),
        ("in whole numbers", PartQuestions, "decide", ruled_out),
        ("in whole numbers", LinearModel, "world", out_of_thin_air),
    ],
)
def test_joint_raises_where_a_known_world_is_ruled_out(way, module, name, lie, monkeypatch):
    with written(FEW if way == "counted" else CROWD) as folder:
        evidence = opened(folder, "linked")[1]
        forced(monkeypatch, way)
        monkeypatch.setattr(module, name, lie)
        if lie is out_of_thin_air:  # what a core takes for a world is counted again in the network
            monkeypatch.setattr(OpenSubproblem, "worlds", every_part)
        with pytest.raises(AssertionError, match=r"a value that a world has|a part with a world|no world"):
            JointAttack().run(evidence, Budget())


def around(total):
    """Three counts of at most 5 in a circle, each two of which add up to a fourth, which is known."""
    parts = csr_matrix(np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]]))
    known = csr_matrix(np.array([[0, 0, 0, -1]] * 3))
    return Component(np.arange(3), parts, known, np.full(3, total)), np.array([[0, 0, 0, total], [5, 5, 5, total]])


@pytest.mark.parametrize("total", [1, 9, 12])
def test_counts_contradict_each_other_where_cases_prove_it(total):
    with pytest.raises(NoSolutionError):
        first_point(*around(total), Budget())


def test_counts_do_not_contradict_each_other_by_the_word_of_a_solver(monkeypatch):
    assert first_point(*around(10), Budget()).tolist() == [5, 5, 5]
    monkeypatch.setattr(programs, "answered", lambda *_: ("none", None))
    assert first_point(*around(10), Budget()) is None
