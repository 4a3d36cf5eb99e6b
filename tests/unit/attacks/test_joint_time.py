"""No programme is begun when the time is up: the model of a large part takes seconds to make."""

import numpy as np
import pytest

from attacks.joint import settling
from attacks.joint.knowledge import Knowledge
from attacks.joint.linear_model import LinearModel
from attacks.joint.network_builder import network_of
from attacks.joint.settling import FIRST_CORNERS, Settling
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.oracle.larger import drawn_at_random

CROWD = drawn_at_random(3, people=60, releases=2, values=8, size=6, distinct=False, table="constant")


class Spent(Budget):
    """A budget that is used up when so many things have begun."""

    def __init__(self, begun, most) -> None:
        super().__init__(300.0)
        self.begun, self.most = begun, most

    def exhausted(self) -> bool:
        return len(self.begun) >= self.most


@pytest.fixture
def network():
    with written(CROWD) as folder:
        evidence = opened(folder, "linked")[1]
        yield evidence, network_of(evidence, 2, Budget())


@pytest.mark.parametrize("most", [0, 1, 2, FIRST_CORNERS, FIRST_CORNERS + 3])
def test_corners_are_tried_for_a_first_world_while_there_is_time(most, network, monkeypatch):
    begun = []
    monkeypatch.setattr(Settling, "_try_corners", lambda *_: begun.append("corner"))
    Settling(*network, Spent(begun, most))._find_worlds()
    assert len(begun) == min(most, FIRST_CORNERS)


def test_no_model_is_made_when_the_time_is_up(network, monkeypatch):
    evidence, net = network
    known = Knowledge(net)
    core = known.core(known.undecided(0))
    assert LinearModel(core).corner(np.ones(len(core.kind)), Budget()) is not None
    monkeypatch.delattr(settling, "LinearModel")
    late = Settling(evidence, net, Budget(0.0))
    for step in (lambda: late._support(0), lambda: late._corners(0, 0), late._find_worlds, lambda: late._balls(0)):
        step()
    assert late._left(0) == np.count_nonzero(known.undecided(0)) > 0
