"""Feasible values by bits, beside a naive pruning of each person's graph after each release."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks import feasible_values
from attacks.feasible_values import FeasibleValues, SetTable, by_person
from attacks.update_graph import prune
from attacks.value_sets import first_values, sizes_of
from audit.model.evidence import CandidatePools, Evidence, Transitions, ValueCounts
from audit.runtime.budget import Budget
from audit.runtime.engine import Local


@pytest.mark.parametrize("values", [0, 1, 7, 8, 9, 50, 64, 65, 130])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.9])
def test_images_of_sets(values, share):
    rng = np.random.default_rng(values)
    allowed = rng.random((values, values)) < share
    sets = rng.random((40, values)) < rng.choice([0.0, 0.05, 0.5], (40, 1))
    words = max(1, (values + 63) // 64)
    packed = np.zeros((40, words * 8), dtype=np.uint8)
    packed[:, : (values + 7) // 8] = np.packbits(sets, axis=1, bitorder="little")
    found = SetTable(allowed).image(packed.view(np.uint64))
    bits = np.unpackbits(found.view(np.uint8), axis=1, bitorder="little")
    assert bits[:, :values].tolist() == (sets.astype(int) @ allowed.astype(int) > 0).astype(int).tolist()
    assert not bits[:, values:].any()
    lone = first_values(packed.view(np.uint64))
    assert lone.tolist() == [int(row.argmax()) if row.any() else -1 for row in sets]
    assert sizes_of(packed.view(np.uint64)).tolist() == sets.sum(axis=1).tolist()


class Source:
    """Pools of each release, made beforehand."""

    def __init__(self, made):
        self.made = made

    def pools(self, release):
        return self.made[release]


@st.composite
def series(draw):
    """Releases of up to six people, some absent, silent or known; a relation that may lead nowhere."""
    values = draw(st.sampled_from([3, 5, 70]))
    pairs = draw(st.sets(st.tuples(st.integers(0, values - 1), st.integers(0, values - 1)), max_size=12))
    pairs |= draw(st.sampled_from([set(), {(v, v) for v in range(values)}]))
    history = []
    for _ in range(draw(st.integers(1, 5))):
        people = draw(st.lists(st.integers(0, 5), unique=True, max_size=6))
        sets = [draw(st.sets(st.integers(0, values - 1), max_size=4)) for _ in people]
        fixed = [draw(st.sampled_from([-1] * 5 + [0, values - 1])) for _ in people]
        counted = [draw(st.sampled_from([True] * 4 + [False])) for _ in people]
        history.append((people, sets, fixed, counted))
    return values, pairs, history


def pools_of(values, release):
    people, sets, fixed, counted = release
    bag = [place for place, held in enumerate(sets) for _ in held]
    contents = ValueCounts(np.array(bag, np.int32), np.array([v for held in sets for v in held], np.int32), None)
    known = np.array(fixed, np.int32) if any(value >= 0 for value in fixed) else None
    counts = None if all(counted) else np.array(counted, np.bool_)
    person = np.array(people, np.int32)
    pool = np.arange(len(people), dtype=np.int32)
    return CandidatePools(person, pool, len(people), contents, counts, known, 6, values)


@given(series(), st.sampled_from([1, 2]))
def test_feasible_values_are_those_on_a_path_of_the_releases_so_far(made, jobs):
    values, pairs, history = made
    weight = np.zeros((values, values))
    for one, other in pairs:
        weight[one, other] = 1.0
    transitions = Transitions(weight, dict.fromkeys(pairs, 1), np.ones(values, np.bool_))
    tags = tuple(str(place) for place in range(len(history)))
    source = Source([pools_of(values, release) for release in history])
    rows = sum(len(people) for people, *_ in history)
    evidence = Evidence("linked", "v", tags, transitions, 0, rows // 2, source, [str(v) for v in range(values)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feasible_values, "_AT_A_TIME", 2)
        found = FeasibleValues(evidence, Budget(engine=Local(jobs)))
        found.run()
    expected = [naive(transitions, history[: count + 1]) for count in range(len(history))]
    lone = [sum(len(v) == 1 and counts for v, counts in each.values()) for each in expected]
    assert found.disclosed == lone
    for release in range(len(history)):
        person, sets = found.counting(release)
        bits = np.unpackbits(sets.view(np.uint8), axis=1, bitorder="little")
        here = {who: set(np.flatnonzero(row).tolist()) for who, row in zip(person.tolist(), bits, strict=True)}
        told = {who: set(v) for (who, at), (v, counts) in expected[-1].items() if at == release and counts}
        assert here == told


@given(st.lists(st.integers(0, 200), unique=True), st.integers(0, 5_000))
def test_people_are_put_in_order_with_all_that_is_known_of_them(person, more):
    codes = np.array(person, np.int32)
    pools = CandidatePools(
        *(codes, codes * 2, 401, ValueCounts(codes, codes, None), codes % 3 == 0, codes + 1),
        *(max(person, default=-1) + 1 + more, 1),
    )
    found = by_person(pools)
    assert found.person.tolist() == sorted(person)
    assert found.pool.tolist() == [2 * who for who in sorted(person)]
    assert found.counted.tolist() == [who % 3 == 0 for who in sorted(person)]
    assert found.fixed.tolist() == [who + 1 for who in sorted(person)]
    assert {each.dtype for each in (found.person, found.pool, found.fixed)} == {np.dtype(np.int32)}


def naive(transitions, history):
    """Return the feasible values of each person and release, and whether the version counts."""
    found = {}
    for who in range(6):
        seen = [(at, people.index(who)) for at, (people, *_) in enumerate(history) if who in people]
        held = [
            (fixed,) if fixed >= 0 else tuple(history[at][1][row])
            for at, row in seen
            for fixed in [history[at][2][row]]
        ]
        kept = prune(held, transitions)
        found |= {(who, at): (v, history[at][3][row]) for (at, row), v in zip(seen, kept, strict=True)}
    return found
