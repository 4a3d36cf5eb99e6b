"""The kernel of candidate sets beside plain sets."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks import value_sets
from attacks.candidates import NEVER, Candidates
from attacks.value_sets import pool_masks
from audit.model.evidence import CandidatePools, ValueCounts


@st.composite
def histories(draw, most_values=150):
    """Draw releases of pools; values and people become more from release to release."""
    values, people, releases = draw(st.integers(1, 20)), 0, []
    for _ in range(draw(st.integers(1, 4))):
        values = draw(st.integers(values, most_values))
        people = draw(st.integers(max(1, people), people + 6))
        n_pools = draw(st.integers(1, 4))
        present = draw(st.lists(st.integers(0, people - 1), unique=True, max_size=people))
        pool = draw(st.lists(st.integers(0, n_pools - 1), min_size=len(present), max_size=len(present)))
        some = st.tuples(st.integers(0, n_pools - 1), st.integers(0, values - 1), st.integers(1, 3))
        entries = draw(st.lists(some, min_size=1, max_size=12))
        counted = draw(st.booleans())
        columns = np.array(entries, dtype=np.int64).T
        pairs = columns[:2].astype(np.int32)
        contents = ValueCounts(pairs[0], pairs[1], columns[2] if counted else None)
        releases.append(
            CandidatePools(
                np.array(present, dtype=np.int32),
                np.array(pool, dtype=np.int32),
                n_pools,
                contents.tabled(n_pools, values) if draw(st.booleans()) else contents,
                None,
                None,
                people,
                values,
            )
        )
    return releases


def by_sets(releases):
    """Return candidates, versions and timelines by plain sets."""
    left, versions, vulnerable, disclosed = {}, {}, [], []
    for pools in releases:
        content = {}
        for pool, value in zip(*(column.tolist() for column in pools.entries()[:2]), strict=True):
            content.setdefault(pool, set()).add(value)
        for person, pool in zip(pools.person.tolist(), pools.pool.tolist(), strict=True):
            held = content.get(pool, set())
            left[person] = left[person] & held if person in left else held
            versions[person] = versions.get(person, 0) + 1
        certain = [person for person, values in left.items() if len(values) == 1]
        vulnerable.append(len(certain))
        disclosed.append(sum(versions[person] for person in certain))
    return left, versions, vulnerable, disclosed


def fold(releases):
    state = Candidates()
    for release, pools in enumerate(releases):
        state.fold(pools, release)
    return state


@given(histories())
def test_numpy_agrees_with_sets(releases):
    left, versions, vulnerable, disclosed = by_sets(releases)
    state = fold(releases)
    assert {p: int(v) for p, v in enumerate(state.versions) if v} == versions
    assert (state.vulnerable, state.disclosed) == (vulnerable, disclosed)
    for person, values in left.items():
        place, value = state.listed(np.array([person], dtype=np.int32))
        assert set(value.tolist()) == values
        assert len(place) == state.sizes()[person] == len(values)
        assert state.only(np.array([person], dtype=np.int32))[0] == min(values, default=-1)


@given(histories())
def test_large_tables_of_pools_go_another_way_to_the_same_masks(releases):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_sets, "_DENSE_CELLS", 0)
        for pools in releases:
            words = (pools.values + 63) // 64
            sparse, _ = pool_masks(pools, words)
            patch.setattr(value_sets, "_DENSE_CELLS", 1 << 20)
            dense, _ = pool_masks(pools, words)
            patch.setattr(value_sets, "_DENSE_CELLS", 0)
            assert np.array_equal(sparse, dense)


@given(histories())
def test_tables_say_what_entries_say(releases):
    for pools in releases:
        words = (pools.values + 63) // 64
        expected = pool_masks(replace(pools, contents=ValueCounts.of(pools.table())), words)
        found = pool_masks(replace(pools, contents=pools.table()), words)
        assert np.array_equal(found[0], expected[0])
        assert np.array_equal(found[1], expected[1])


@given(histories())
def test_certain_and_empty_are_dated(releases):
    state = fold(releases)
    for person in np.flatnonzero(state.versions):
        sizes = [len(by_sets(releases[: j + 1])[0].get(person, {None, 0})) for j in range(len(releases))]
        assert state.certain_at[person] == (sizes.index(1) if 1 in sizes else NEVER)
        assert state.empty_at[person] == (sizes.index(0) if 0 in sizes else NEVER)
