"""The network of people who keep their values, beside sets and a search through groups in plain Python."""

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from attacks.joint.edge_colouring import coloured
from attacks.joint.knowledge import COUNTED, Knowledge, distinct
from attacks.joint.network_builder import network_of
from attacks.joint.values import Findings
from attacks.joint.worlds import Worlds
from audit.adversary.view import SeriesKey
from audit.runtime.budget import Budget
from tests.helpers.opening import opened
from tests.helpers.running import written
from tests.helpers.tiny import Known, Row, TinySeries
from tests.oracle.asking import nobody_tells

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


def built(series):
    """The network, the name of each of its variables, and the values."""
    with written(series) as folder:
        opening, evidence = opened(folder, "linked")
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


# -- who is free --------------------------------------------------------------------------------------------------


def signed_series(rng):
    """Groups of one person for each value of a signature; now and then a stranger has a row, or two people swap."""
    strangers, swaps = rng.choice([0, 0, 0.1]), rng.choice([0, 0, 0.3])
    signatures = []
    for signature in range(int(rng.integers(1, 4))):
        values = LETTERS[3 * signature : 3 * signature + 3]
        signatures.append(
            {value: [f"{value}{number}" for number in range(int(rng.integers(2, 7)))] for value in values}
        )
    releases = []
    for _ in range(int(rng.integers(1, 5))):
        rows = []
        for signature, people in enumerate(signatures):
            columns = [(value, rng.permutation(held).tolist()) for value, held in people.items()]
            for group in range(min(len(held) for _, held in columns)):
                rows += [Row(held[group], f"{signature}-{group}", value) for value, held in columns]
                if rng.random() < strangers:
                    rows.append(Row(None, f"{signature}-{group}", columns[0][0]))
        if rng.random() < swaps:
            one, other = (int(place) for place in rng.choice(len(rows), 2, replace=False))
            a, b = rows[one], rows[other]
            rows[one], rows[other] = replace(a, group=b.group), replace(b, group=a.group)
        releases.append(rows)
    return TinySeries(releases)


def free_people(series, counted):
    """Those in whose part all groups are even and leave their members everything, if some such part is large."""
    own, groups = own_values(series), defaultdict(list)
    for at, release in enumerate(series.releases):
        for row in release:
            groups[at, row.group].append(row)
    homes = defaultdict(list)
    for group, rows in groups.items():
        for row in rows:
            homes[row.individual].append(group)
    homes.pop(None, None)

    def fair(rows):
        counts = Counter(row.value for row in rows)
        everything = all(own[row.individual] == set(counts) for row in rows if row.individual is not None)
        return len(set(counts.values())) == 1 and everything

    free, largest, waiting = set(), 0, set(homes)
    while waiting:
        part, border = set(), {waiting.pop()}
        while border:
            person = border.pop()
            part.add(person)
            border |= {row.individual for group in homes[person] for row in groups[group]} - part - {None}
        waiting -= part
        if all(fair(groups[group]) for person in part for group in homes[person]):
            free |= part
            largest = max(largest, len(part))
    return free if largest > counted else set()


@pytest.mark.parametrize("counted", [0, 3, 7, 12])
def test_whoever_may_exchange_values_hangs_together_with_even_groups_alone(counted):
    some = 0
    for seed in range(25):
        series = signed_series(np.random.default_rng(seed))
        network, name, _ = built(series)
        free = {name[variable] for variable in np.flatnonzero(network.even(counted)).tolist()}
        assert free == free_people(series, counted), seed
        some += bool(free)
    assert some >= 2


# -- what is counted of columns -----------------------------------------------------------------------------------


@pytest.mark.parametrize("single", [True, False])
def test_classes_of_values_are_counted_once_for_each_variable(single):
    rng = np.random.default_rng(single)
    series = TinySeries([[Row(f"p{number}", str(number // 3), "abc"[number % 3]) for number in range(12)]])
    network, _, _ = built(series)
    if not single:
        # Two columns of each class, as where a person may be in several places.
        twice = np.repeat(np.arange(network.columns), 2)
        object.__setattr__(network, "kind", network.kind[twice])
        object.__setattr__(network, "start", 2 * network.start)
        for name in ("owner", "option"):
            network.__dict__.pop(name, None)
    assert network.repeats is not single
    for share in (0, 0.3, 1):
        some = rng.random(network.columns) < share
        told = [
            len(set(network.kind[first:last][some[first:last]].tolist()))
            for first, last in zip(network.start[:-1].tolist(), network.start[1:].tolist(), strict=True)
        ]
        assert distinct(network, some).tolist() == told
        alive = np.bincount(network.owner[some], minlength=network.variables)
        assert network.counted(some).tolist() == alive.tolist()


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


@pytest.mark.parametrize("size", [2, 3, 7])
def test_a_world_of_two_even_releases_is_found_without_the_key(monkeypatch, size):
    monkeypatch.setattr(SeriesKey, "world", nobody_tells)
    network, _, _ = built(even_groups(np.random.default_rng(size), 60 * size, size, odd=False))
    assert Worlds(network).begin(np.arange(network.variables), network.hint, np.ones(network.columns, dtype=np.bool_))
    known, even = Knowledge(network), network.even(COUNTED)
    assert even.all() == (size > 2)  # pairs are circles, which are small enough to be counted
    assert known.shown.all() == (size > 2)


def test_no_world_is_presumed_where_groups_are_not_even(monkeypatch):
    """One value that another group lacks: nothing is shown but for those who have one value left."""
    monkeypatch.setattr(SeriesKey, "world", nobody_tells)
    for odd in (True, False):
        network, _, _ = built(even_groups(np.random.default_rng(1), 180, 3, odd=odd))
        known = Knowledge(network)
        open_ = (network.counted(known.alive) > 1)[network.owner]
        assert np.count_nonzero(open_) > 500
        assert (known.shown[open_].any(), known.shown[open_].all()) == (not odd, not odd)
    two = even_groups(np.random.default_rng(1), 180, 3, odd=False)
    three = built(TinySeries([*two.releases, two.releases[0]]))[0]  # of three releases none is found
    assert not three.even(0).any()


@pytest.mark.parametrize("seed", range(8))
def test_edges_of_a_vertex_have_different_colours(seed):
    rng = np.random.default_rng(seed)
    colours, vertices = int(rng.integers(2, 6)), int(rng.integers(1, 12))
    ends = [rng.permutation(np.repeat(np.arange(vertices), colours)) for _ in range(2)]
    left, right = (np.where(rng.random(len(end)) < 0.2, -1, end) for end in ends)
    kept = (left >= 0) | (right >= 0)
    left, right = left[kept], right[kept]
    found = coloured(left, right, colours)
    assert ((found >= 0) & (found < colours)).all()
    for end in (left, right):
        pairs = list(zip(end[end >= 0].tolist(), found[end >= 0].tolist(), strict=True))
        assert len(set(pairs)) == len(pairs)
