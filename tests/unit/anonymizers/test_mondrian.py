"""The baselines: each release kept on its own, whatever was published before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizers.l_diversity import LDiversityAnonymizer
from anonymizers.mondrian import MondrianAnonymizer
from audit.model.anonymizer import Anonymizer, Bounds, RefusalError, Scale, Snapshot
from audit.model.history import PublicationHistory

RNG = np.random.default_rng(0)


def snapshot(point, value) -> Snapshot:
    point = np.array(point, dtype=np.int32)
    point = point.reshape(len(value), 1) if point.ndim == 1 else point
    scales = tuple(Scale(str(column), np.linspace(0, 1, 9)) for column in range(point.shape[1]))
    person = np.arange(len(value), dtype=np.int32)[::-1].copy()
    return Snapshot("1", person, np.array(value, dtype=np.int32), point, scales, [str(v) for v in range(9)])


@st.composite
def snapshots(draw):
    rows = draw(st.integers(1, 30))
    numbers = st.lists(st.integers(0, 8), min_size=rows, max_size=rows)
    attributes = draw(st.integers(0, 3))
    point = np.array([draw(numbers) for _ in range(attributes)], dtype=np.int32).reshape(attributes, rows).T
    return snapshot(point, draw(numbers))


def check(anonymizer: Anonymizer, given_snapshot, draft) -> None:
    """Check that all rows are published once, as they are, in boxes that reach no farther than their people."""
    assert draft.row.tolist() == list(range(len(given_snapshot)))
    assert np.array_equal(draft.value, given_snapshot.value[draft.row])
    assert np.array_equal(np.unique(draft.group), np.arange(draft.group.max() + 1))
    assert isinstance(draft.cells, Bounds)
    for group in range(draft.group.max() + 1):
        there = given_snapshot.point[draft.row[draft.group == group]]
        assert np.array_equal(draft.cells.low[group], there.min(axis=0))
        assert np.array_equal(draft.cells.high[group], there.max(axis=0))
    again = anonymizer.publish(given_snapshot, PublicationHistory(), np.random.default_rng(1))
    assert np.array_equal(again.group, draft.group)


@given(snapshots(), st.integers(1, 6))
def test_mondrian_publishes_groups_of_k(given_snapshot, k):
    method = MondrianAnonymizer(k)
    if len(given_snapshot) < k:
        with pytest.raises(RefusalError, match="fewer than k") as refusal:
            method.publish(given_snapshot, PublicationHistory(), RNG)
        assert refusal.value.rows.tolist() == list(range(len(given_snapshot)))
        return
    draft = method.publish(given_snapshot, PublicationHistory(), RNG)
    check(method, given_snapshot, draft)
    assert np.bincount(draft.group).min() >= k


@given(snapshots(), st.integers(1, 4))
def test_l_diversity_publishes_diverse_groups(given_snapshot, l):  # noqa: E741 - the literature's name
    method = LDiversityAnonymizer(l=l)
    counts = np.bincount(given_snapshot.value)
    frequent = np.flatnonzero(counts > len(given_snapshot) / l)
    if len(frequent):
        with pytest.raises(RefusalError, match=f"{len(frequent)} sensitive values") as refusal:
            method.publish(given_snapshot, PublicationHistory(), RNG)
        assert refusal.value.rows.tolist() == np.flatnonzero(np.isin(given_snapshot.value, frequent)).tolist()
        assert refusal.value.column == "sensitive"
        return
    draft = method.publish(given_snapshot, PublicationHistory(), RNG)
    check(method, given_snapshot, draft)
    for group in range(draft.group.max() + 1):
        there = draft.value[draft.group == group]
        assert np.bincount(there).max() * l <= len(there)


def test_an_empty_snapshot_is_refused():
    nobody = snapshot(np.zeros((0, 1)), [])
    with pytest.raises(RefusalError, match="no rows"):
        LDiversityAnonymizer(l=2).publish(nobody, PublicationHistory(), RNG)
    with pytest.raises(RefusalError, match="0 rows"):
        MondrianAnonymizer(2).publish(nobody, PublicationHistory(), RNG)
