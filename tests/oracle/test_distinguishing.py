"""Whether worlds give every two people different values, with every value settled, and with two values of everybody.

Series of 8 people are drawn in which nobody's value is certain, and all their worlds enumerated. In one of them linear
reasoning over the groups that are left shows nothing, though two people are equal in all worlds.
"""

from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from attacks.joint import distinguishing, settling
from attacks.joint.attack import JointAttack
from attacks.joint.settling import TWO
from attacks.joint.worlds import Worlds
from tests.helpers.running import read_audit, written
from tests.helpers.tiny import Row, TinySeries

PEOPLE, VALUES = 8, "abc"
EVERY = np.array(list(product(range(len(VALUES)), repeat=PEOPLE)), dtype=np.int8)
WAYS = {
    "questions": {},
    "worlds of joint": {(settling, "WALKED"): 0, (settling, "STEPS"): 0},
}
NOT_LINEAR = [
    [["p0a", "p3c", "p4a", "p5c"], ["p2b", "p6a"], ["p1b", "p7a"]],
    [["p1b", "p4a", "p5c", "p6a"], ["p0a", "p2b", "p3c", "p7a"]],
]
"""Owners with their values, group by group."""


def drawn(rng):
    """Groups of two to four people in each release, and all worlds that fit them: (worlds, people)."""
    world, releases = rng.integers(0, len(VALUES), PEOPLE), []
    for _ in range(rng.integers(2, 4)):
        order, groups = rng.permutation(PEOPLE).tolist(), []
        while order:
            size = int(rng.integers(2, 5))
            groups.append(order[:size])
            order = order[size:]
        releases.append(groups)
    fitting = np.ones(len(EVERY), dtype=bool)
    for group in (group for groups in releases for group in groups):
        for value in range(len(VALUES)):
            fitting &= (EVERY[:, group] == value).sum(axis=1) == (world[group] == value).sum()
    return releases, EVERY[fitting], world


def series_of(releases, world):
    return TinySeries(
        [
            [Row(f"p{i}", str(number), VALUES[world[i]]) for number, group in enumerate(groups) for i in group]
            for groups in releases
        ]
    )


def equal_pairs(worlds):
    return [(i, j) for i, j in combinations(range(PEOPLE), 2) if (worlds[:, i] == worlds[:, j]).all()]


def series_without_certainty(rng, number):
    """Yield so many in which two people are equal in all worlds, and as many in which none are."""
    left = {True: number, False: number}
    while any(left.values()):
        releases, worlds, world = drawn(rng)
        alike = bool(equal_pairs(worlds))
        if left[alike] and not (worlds == worlds[0]).all(axis=0).any():
            left[alike] -= 1
            yield series_of(releases, world), alike


@pytest.fixture
def two_values(monkeypatch):
    """`joint` that counts nothing, and stops where it knows two values of everybody."""
    run = JointAttack.run
    monkeypatch.setattr(settling, "STEPS", 0)
    monkeypatch.setattr(JointAttack, "run", lambda attack, *rest: run(replace(attack, aims=(TWO,)), *rest))


def min_e(series, *words):
    """How many values `joint` left open, the clause, and the evidence of pairs that are equal."""
    with written(series) as folder:
        _, result = read_audit(folder, *words)
    entries = {each["attack"]: each for each in result["attacks"]}
    clause = next(each for each in result["policy"]["clauses"] if each["clause"] == "min_e")
    pairs = [each["evidence"] for each in entries["equivalence"]["findings"] if each.get("e") == 1]
    return entries["joint"]["measures"]["open"], clause, pairs


def assert_decided(rng, number):
    """It is violated exactly where two are equal in all worlds, with a pair to show."""
    seen = Counter()
    for series, alike in series_without_certainty(rng, number):
        left, clause, pairs = min_e(series)
        assert clause["state"] == ("violated" if alike else "holds"), (series, clause)
        assert bool(pairs) == alike
        seen[clause["state"], left > 0] += 1
    return seen


@pytest.mark.parametrize("way", WAYS)
def test_worlds_decide(way, monkeypatch):
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    assert_decided(np.random.default_rng(list(WAYS).index(way)), 12)


@pytest.mark.usefixtures("two_values")
def test_worlds_decide_where_not_every_value_is_settled(monkeypatch):
    seen = Counter()
    for number, way in enumerate(WAYS.values()):
        with monkeypatch.context() as patch:
            for (module, name), value in way.items():
                patch.setattr(module, name, value)
            seen += assert_decided(np.random.default_rng([3, number]), 8)
    assert seen["holds", True], seen


def test_two_are_equal_though_linear_reasoning_over_what_is_left_shows_nothing():
    releases = [
        [Row(who[:2], str(number), who[2]) for number, group in enumerate(groups) for who in group]
        for groups in NOT_LINEAR
    ]
    _, clause, pairs = min_e(TinySeries(releases))
    assert (clause["state"], pairs) == ("violated", ["solver", "solver"])


def test_without_worlds_the_clause_is_undecided(monkeypatch):
    """Also where every value is settled; where linear reasoning shows a pair, it is violated."""
    monkeypatch.setattr(distinguishing, "_QUESTIONS", 0)
    monkeypatch.setattr(Worlds, "trace", lambda worlds: np.zeros(worlds.network.variables, dtype=np.uint64))
    states = Counter()
    for series, alike in series_without_certainty(np.random.default_rng(9), 8):
        _, clause, _ = min_e(series)
        states[alike, clause["state"]] += 1
        if clause["state"] == "undecided":
            assert "raise --time-limit" in clause["reason"]
    assert states[False, "undecided"], states
    assert not states[True, "holds"], states
