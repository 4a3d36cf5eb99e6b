"""What is known so far of a network, while more and more of it is known."""

import numpy as np
import pytest

from attacks.joint.network_builder import network_of
from attacks.joint.settling import ALL
from attacks.joint.state import State
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.oracle.larger import drawn_at_random


def rows(core):
    """What each row says: the columns of the network that share it, and how many of them there may be."""
    column = np.repeat(core.column, np.diff(core.row_start))
    return {(frozenset(column[core.row == row].tolist()), int(core.capacity[row])) for row in range(len(core.capacity))}


@pytest.mark.parametrize("table", ["constant", "classes"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_of_the_parts_asked_about_is_what_is_left_of_everything(seed, table):
    rng = np.random.default_rng(seed)
    series = drawn_at_random(seed, people=500, releases=2, values=12, size=3, distinct=True, table=table)
    with written(series) as folder:
        _, evidence = opened(folder, "linked")
        state = State(network_of(evidence, 2), Budget())
    whole = state.core(state.pending(ALL))
    state.adopt(whole, state.local(whole, state.network.hint[whole.variable]))
    sizes = [whole.parts]
    for _ in range(2):
        unknown = np.flatnonzero(state.pending(ALL))
        lot = rng.random(len(unknown))
        # Of some parts everything becomes known, in others columns go that the known world does without.
        part = np.full(state.network.variables, -1)
        core = state.core(state.pending(ALL))
        part[core.variable] = core.part
        seen = part[state.network.owner[unknown]] % 4 == 1
        state.decision.shown[unknown[seen]] = True
        gone = np.zeros(state.network.columns, dtype=np.bool_)
        gone[unknown[~seen & (lot < 0.05)]] = True
        state.rule_out(gone)
        some = state.core(state.pending(ALL))
        again = State(state.network, Budget())
        again.decision.alive, again.decision.shown = state.decision.alive, state.decision.shown
        everything = again.core(again.pending(ALL))
        for name in ("variable", "column", "part"):
            assert np.array_equal(getattr(some, name), getattr(everything, name))
        assert rows(some) == rows(everything)
        sizes.append(some.parts)
    assert sizes[0] > sizes[-1] > 0
