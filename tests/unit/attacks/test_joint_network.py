"""The network of people who keep their values, beside sets and a search through groups in plain Python."""

from dataclasses import replace

import numpy as np

from attacks.joint.attack import JointAttack
from attacks.joint.knowledge import Knowledge
from attacks.joint.network_builder import network_of
from attacks.joint.values import Findings
from audit.adversary.view import handed
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.helpers.tiny import Row, TinySeries

LETTERS = "abcdefghi"


def built(series, *, world=True):
    """The network, the name of each of its variables, and the values; with the key's world to start from, or not."""
    with written(series) as folder:
        opening, evidence = opened(folder, "linked")
        evidence = handed(evidence, JointAttack() if world else None)
        network = network_of(evidence, len(series.releases), Budget())
        names = [opening.people.name(person) for person in network.versions.person.tolist()]
    return network, dict(zip(network.versions.variable.tolist(), names, strict=True)), evidence.values


# -- what is counted of columns -----------------------------------------------------------------------------------


def test_whoever_has_two_values_left_is_decided_when_both_are_shown():
    """A world shows one value of everybody; that it is the only one takes more."""
    rows = [[("p1", "b"), ("p0", "a"), ("p4", "a")], [("p0", "a"), ("p1", "b"), ("p2", "c"), ("p3", "b")]]
    series = TinySeries([[Row(name, "1", value) for name, value in release] for release in rows])
    network, name, values = built(series)
    decision = Knowledge(network)
    worlds = [dict(zip(("p0", "p1", "p2", "p3", "p4"), held, strict=True)) for held in ("abcba", "bacba")]
    versions = [place for place, variable in enumerate(network.versions.variable.tolist()) if name[variable] == "p0"]
    assert not Findings(decision).decided[versions].any()
    for world, decided in zip(worlds, (False, True), strict=True):
        columns = zip(network.owner.tolist(), network.kind.tolist(), strict=True)
        columns = np.flatnonzero([values[kind] == world[name[owner]] for owner, kind in columns])
        decision.adopt(network.owner[columns], columns)
        assert Findings(decision).decided[versions].tolist() == [decided] * len(versions)


# -- worlds that nobody tells -------------------------------------------------------------------------------------


def even_groups(rng, people, size, *, odd):
    """Two releases of groups that hold each value of one signature once, some people being in one of them alone."""
    value = np.arange(people) % size
    names = np.array([f"p{number:04}" for number in range(people)])
    releases = []
    for at in range(2):
        columns = [rng.permutation(np.flatnonzero(value == each)) for each in range(size)]
        groups = len(columns[0]) - at * (people // size // 5)
        releases.append(
            [
                Row(names[held[group]], str(group), LETTERS[value[held[group]]])
                for group in range(groups)
                for held in columns
            ]
        )
    if odd:  # one more person has a value that another group lacks: values are no longer even
        releases[1] = [replace(row, value="z") if row == releases[1][0] else row for row in releases[1]]
    return TinySeries(releases)


def test_no_world_is_presumed_where_groups_are_not_even():
    """One value that another group lacks: nothing is shown but for those who have one value left."""
    for odd in (True, False):
        network, _, _ = built(even_groups(np.random.default_rng(1), 180, 3, odd=odd), world=False)
        known = Knowledge(network)
        open_ = (network.counted(known.alive) > 1)[network.owner]
        assert np.count_nonzero(open_) > 500
        assert (known.shown[open_].any(), known.shown[open_].all()) == (not odd, not odd)
    two = even_groups(np.random.default_rng(1), 180, 3, odd=False)
    three = built(TinySeries([*two.releases, two.releases[0]]), world=False)[0]  # of three releases none is found
    assert not three.even(0).any()
