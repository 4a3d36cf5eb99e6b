"""The network of people who keep their values, beside sets and a search through groups in plain Python."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from attacks.joint.attack import JointAttack
from attacks.joint.knowledge import Knowledge
from attacks.joint.network_builder import network_of
from attacks.joint.values import Findings
from audit.adversary.view import handed
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.helpers.tiny import Known, Row, TinySeries

LETTERS = "abcdefghi"


def own_values(series):
    """What their groups leave of everybody, less the rows of people who are known to have one value."""
    known = {each.individual: {each.value} for each in series.known}
    left = {}
    for release in series.releases:
        groups = defaultdict(set)
        for row in release:
            if row.individual not in known:
                groups[row.group].add(row.value)
        for row in release:
            if row.individual is not None:
                mine = known.get(row.individual, groups[row.group])
                left[row.individual] = left.get(row.individual, mine) & mine
    return left


def built(series, *, world=True):
    """The network, the name of each of its variables, and the values; with the key's world to start from, or not."""
    with written(series) as folder:
        opening, evidence = opened(folder, "linked")
        evidence = handed(evidence, JointAttack() if world else None)
        network = network_of(evidence, len(series.releases), Budget())
        names = [opening.people.name(person) for person in network.versions.person.tolist()]
    return network, dict(zip(network.versions.variable.tolist(), names, strict=True)), evidence.values


@pytest.mark.parametrize("values", [3, 64, 65, 150])
@pytest.mark.parametrize("known", [0, 5])
def test_what_groups_leave_is_what_sets_say(values, known):
    rng = np.random.default_rng([values, known])
    value = {f"p{number}": f"v{place:03}" for number, place in enumerate(rng.integers(0, values, 60).tolist())}
    releases = []
    for _ in range(3):
        there = rng.permutation(list(value))[:50].tolist()
        releases.append([Row(name, str(at // 8), value[name]) for at, name in enumerate(there)])
    told = [Known(row.individual, row.value) for row in releases[0][:known]]
    series = TinySeries(releases, known=told)
    network, name, values = built(series)
    found = defaultdict(list)
    for variable, kind in zip(network.owner.tolist(), network.kind.tolist(), strict=True):
        found[name[variable]].append(values[kind])
    expected = own_values(series)
    assert {person: set(held) for person, held in found.items()} == expected
    assert all(len(held) == len(expected[person]) for person, held in found.items())
    hint = {name[variable]: column for variable, column in enumerate(network.hint.tolist())}
    assert all(values[network.kind[column]] == value[person] for person, column in hint.items())


# -- what is counted of columns -----------------------------------------------------------------------------------


def test_values_of_those_who_have_one_left():
    rows = [
        [("p1", "b"), ("p0", "a")],
        [("p0", "a"), ("p2", "c"), ("p3", "d")],
        [("p2", "c"), ("p3", "d")],
    ]
    series = TinySeries([[Row(name, "1", value) for name, value in release] for release in rows])
    network, name, values = built(series)
    # Of p2, who may have two values, one is ruled out, which leaves the other one to p3.
    gone = [
        name[owner] == "p2" and values[kind] == "d" for owner, kind in zip(network.owner, network.kind, strict=True)
    ]
    assert sum(gone) == 1
    known = Knowledge(network)
    known.rule_out(np.array(gone))
    found = Findings(known)
    told = {
        (name[network.versions.variable[place]], int(network.versions.release[place]), values[value])
        for place, value in zip(found.claim.tolist(), found.value.tolist(), strict=True)
    }
    assert told == {("p0", 0, "a"), ("p0", 1, "a"), ("p2", 1, "c"), ("p2", 2, "c"), ("p3", 1, "d"), ("p3", 2, "d")}


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
