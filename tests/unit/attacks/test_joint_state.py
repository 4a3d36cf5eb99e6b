"""What is known so far of a network, while more and more of it is known."""

from itertools import product

import numpy as np

from attacks.joint.network_builder import network_of
from attacks.joint.worlds import Worlds
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.helpers.tiny import Row, TinySeries


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
