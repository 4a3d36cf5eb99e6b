"""What is known so far of a network, while more and more of it is known."""

from itertools import product

import numpy as np
import pytest

from attacks.joint import network_builder, propagation
from attacks.joint.attack import JointAttack
from attacks.joint.knowledge import Knowledge
from attacks.joint.network_builder import network_of
from attacks.joint.propagation import Propagation
from attacks.joint.settling import ALL
from attacks.joint.worlds import Worlds
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.helpers.tiny import Row, TinySeries
from tests.oracle.larger import drawn_at_random


def rows(core):
    """What each row says: the columns of the network that share it, and how many of them there may be."""
    column = np.repeat(core.column, np.diff(core.row_start))
    return {(frozenset(column[core.row == row].tolist()), int(core.capacity[row])) for row in range(len(core.capacity))}


def test_worlds_are_what_rows_and_links_allow():
    """Every choice of two people with values a and b in two releases, where neither becomes the other."""
    releases = [[Row("p0", "0", "a"), Row("p1", "0", "b")] for _ in range(2)]
    series = TinySeries(releases, transitions={("a", "a"): None, ("b", "b"): None, ("a", "c"): None})
    with written(series) as folder:
        network = network_of(opened(folder, "linked")[1], 2, Budget())
    variables, alive, seen = np.arange(network.variables), np.ones(network.columns, dtype=np.bool_), set()
    for chosen in product(*(range(network.start[v], network.start[v + 1]) for v in variables)):
        columns = np.array(chosen)
        rows = np.concatenate([network.row[network.row_start[c] : network.row_start[c + 1]] for c in chosen])
        fits = bool((np.bincount(rows, minlength=len(network.capacity)) <= network.capacity).all())
        linked = bool(network.may[tuple(network.kind[columns[network.link]].T)].all())
        assert Worlds(network).begin(variables, columns, alive) == (fits and linked)
        seen.add((fits, linked))
    assert seen == {(True, True), (True, False), (False, True), (False, False)}


@pytest.mark.parametrize("table", ["constant", "classes"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_of_the_parts_asked_about_is_what_is_left_of_everything(seed, table):
    rng = np.random.default_rng(seed)
    series = drawn_at_random(seed, people=500, releases=2, values=12, size=3, distinct=True, table=table)
    with written(series) as folder:
        _, evidence = opened(folder, "linked")
        known = Knowledge(network_of(evidence, 2, Budget()))
    known.narrow()
    whole = known.core(known.undecided(ALL))
    known.adopt(whole.variable, known.network.hint[whole.variable])
    sizes = [whole.parts]
    for _ in range(2):
        unknown = np.flatnonzero(known.undecided(ALL))
        lot = rng.random(len(unknown))
        # Of some parts everything becomes known, in others columns go that the known world does without.
        part = np.full(known.network.variables, -1)
        core = known.core(known.undecided(ALL))
        part[core.variable] = core.part
        seen = part[known.network.owner[unknown]] % 4 == 1
        known._shown[unknown[seen]] = True  # as worlds would
        gone = np.zeros(known.network.columns, dtype=np.bool_)
        gone[unknown[~seen & (lot < 0.05)]] = True
        known.rule_out(gone)
        some = known.core(known.undecided(ALL))
        again = Knowledge(known.network)
        again._propagation.alive, again._shown = known.alive, known.shown
        everything = again.core(again.undecided(ALL))
        for name in ("variable", "column", "part"):
            assert np.array_equal(getattr(some, name), getattr(everything, name))
        assert rows(some) == rows(everything)
        sizes.append(some.parts)
    assert sizes[0] > sizes[-1] > 0


@pytest.mark.parametrize("after", range(0, 30, 3))
def test_a_large_network_is_given_up_when_the_time_is_up(monkeypatch, after):
    """Whenever that is, nothing is claimed, and all that there is may be true."""
    monkeypatch.setattr(network_builder, "_LARGE", 0)
    series = drawn_at_random(1, people=30, releases=3, values=5, size=3, distinct=True, table="constant")
    looks = iter(range(10_000))
    with written(series) as folder:
        _, evidence = opened(folder, "linked")
        whole = JointAttack().run(evidence, Budget()).measures
        monkeypatch.setattr(Budget, "exhausted", lambda _: next(looks) >= after)
        outcome = JointAttack().run(evidence, Budget(1.0))
    assert outcome.status == "incomplete"
    assert "time limit" in str(outcome.reason)
    assert outcome.measures["versions"] == whole["versions"]
    assert not outcome.claims or outcome.measures["certain"] <= whole["certain"]
    assert outcome.measures["open"] or not outcome.measures["certain"]


def test_constraints_some_at_a_time_narrow_as_all_together(monkeypatch):
    series = drawn_at_random(2, people=200, releases=3, values=8, size=4, distinct=True, table="constant")
    with written(series) as folder:
        _, evidence = opened(folder, "linked")
        network = network_of(evidence, 3, Budget())
    found = []
    for members in (1 << 20, 7, 1):
        monkeypatch.setattr(propagation, "_AT_A_TIME", members)
        narrowed = Propagation(network)
        assert narrowed.run(Budget())
        found.append(narrowed.alive)
    assert not found[0].all()
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_what_is_no_world_is_refused_and_changes_nothing():
    """Two people have one row; a column is another person's; a column was ruled out."""
    with written(TinySeries([[Row("p", "1", "a"), Row("q", "1", "b")]])) as folder:
        network = network_of(opened(folder, "linked")[1], 1, Budget())
    alive = np.ones(network.columns, dtype=np.bool_)
    everybody, worlds = np.arange(2), Worlds(network)
    assert worlds.begin(everybody, np.array([0, 3]), alive)
    both, ends = np.array([0, 1]), np.array([2])
    without = alive.copy()
    without[1] = False
    for columns, left in (([1, 3], alive), ([2, 1], alive), ([1, 2], without)):
        assert not worlds.change(both, np.array(columns), ends, left)
        assert (worlds.last.tolist(), len(worlds)) == ([0, 3], 0)
    # One after the other: the second of two worlds is none.
    assert not worlds.change(np.array([0, 1, 0]), np.array([1, 2, 0]), np.array([2, 3]), alive)
    assert worlds.change(np.array([0, 1, 0, 1]), np.array([1, 2, 0, 3]), np.array([2, 4]), alive)
    assert [worlds.at(number).tolist() for number in range(3)] == [[0, 3], [1, 2], [0, 3]]
    with pytest.raises(ValueError, match="read-only"):
        Knowledge(network).shown[0] = True
