"""m-invariance: whole histories beside the definition and enumeration."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizers.balancing import eligible, keep
from anonymizers.m_invariance import MInvarianceAnonymizer
from audit.model.anonymizer import COUNTERFEIT, RefusalError
from audit.model.history import PublicationHistory
from tests.helpers.updates import PLACES, groups_of, past, snapshot, so_far


def rng(seed=0):
    return np.random.default_rng(seed)


def check(seen, groups, draft, m, signatures):
    """Hold a draft against Definition 17, and return the people's signatures, theirs of before among them."""
    signatures = dict(signatures)
    true = dict(zip(seen.person.tolist(), seen.value.tolist(), strict=True))
    told = [person for group in groups for person, _ in group if person is not None]
    assert len(told) == len(set(told))
    for number, group in enumerate(groups):
        values = frozenset(value for _, value in group)
        assert len(values) == len(group) >= m
        assert any(person is not None for person, _ in group)
        for person, value in group:
            if person is not None:
                assert true[person] == value
                assert signatures.setdefault(person, values) == values
        point = seen.point[draft.row[(draft.group == number) & (draft.row != COUNTERFEIT)]]
        assert draft.cells.low[number].tolist() == point.min(axis=0).tolist()
        assert draft.cells.high[number].tolist() == point.max(axis=0).tolist()
    return signatures


@st.composite
def histories(draw):
    """Draw snapshots of people who come, go and return; values are skewed."""
    values, attributes = draw(st.integers(2, 7)), draw(st.integers(0, 3))
    pick = st.integers(0, values - 1) if draw(st.booleans()) else st.sampled_from([0] * values + list(range(values)))
    people = draw(st.integers(2, 24))
    value = draw(st.lists(pick, min_size=people, max_size=people))
    place = st.lists(st.integers(0, PLACES - 1), min_size=attributes, max_size=attributes)
    point = draw(st.lists(place, min_size=people, max_size=people))
    releases = []
    for _ in range(draw(st.integers(1, 4))):
        present = draw(st.lists(st.integers(0, people - 1), unique=True, max_size=people))
        releases.append(snapshot([(p, value[p], tuple(point[p])) for p in present], None, values, attributes))
    return releases


@given(histories(), st.integers(2, 4), st.integers(0, 9))
def test_histories_are_m_invariant_with_the_fewest_withheld_and_the_fewest_counterfeits(releases, m, seed):
    history, signatures = PublicationHistory(), {}
    for seen in releases:
        new = Counter(v for p, v in zip(seen.person.tolist(), seen.value.tolist(), strict=True) if p not in signatures)
        back = [(p, v) for p, v in zip(seen.person.tolist(), seen.value.tolist(), strict=True) if p in signatures]
        kept = keep(np.array([new[value] for value in range(len(seen.values))]), m)
        if not back and not kept.sum():
            with pytest.raises(RefusalError, match="nobody would be published"):
                MInvarianceAnonymizer(m, withhold=True).publish(seen, history, rng(seed))
            continue
        draft = MInvarianceAnonymizer(m, withhold=True).publish(seen, history, rng(seed))
        told = seen.person[draft.row[draft.row != COUNTERFEIT]].tolist()
        assert {person for person, _ in back} <= set(told)
        assert Counter(seen.value[draft.row[draft.row != COUNTERFEIT]].tolist()) == Counter(
            dict(enumerate(kept.tolist()))
        ) + Counter(value for _, value in back)
        assert (draft.row == COUNTERFEIT).sum() == fewest_counterfeits(back, signatures, kept, m)
        groups = groups_of(seen, draft)
        signatures = check(seen, groups, draft, m, signatures)
        history.add(past(groups))


def shortage(back, signatures):
    """Return the buckets of those who are back: rows of each value, by signature."""
    held = {}
    for person, value in back:
        held.setdefault(signatures[person], Counter())[value] += 1
    return held


def fewest_counterfeits(back, signatures, kept, m):
    """Return the fewest counterfeits that balance the buckets and leave the new people eligible."""
    lacking = Counter()
    for signature, rows in shortage(back, signatures).items():
        for value in signature:
            lacking[value] += max(rows.values()) - rows[value]
    most = np.minimum(kept, [lacking[value] for value in range(len(kept))])
    ways = (np.array(way) for way in product(*(range(int(number) + 1) for number in most)))
    return lacking.total() - max(int(way.sum()) for way in ways if eligible(kept - way, m))


def test_a_past_without_the_persons_value_is_refused():
    history = so_far([[(0, 0), (1, 1)], [(2, 0), (3, 1), (4, 2)]])
    history.value[0] = 2
    with pytest.raises(RefusalError, match="without their sensitive value") as refused:
        MInvarianceAnonymizer(2).publish(snapshot([(2, 0, (0,)), (0, 2, (0,))], None, 3), history, rng())
    assert refused.value.rows.tolist() == [1]
