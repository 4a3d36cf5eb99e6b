"""m-invariance: whole histories beside the definition and enumeration, and the paper's hospital."""

import csv
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizers.balancing import eligible, keep
from anonymizers.m_invariance import MInvarianceAnonymizer
from audit.model.anonymizer import COUNTERFEIT, RefusalError, Scale, Snapshot
from audit.model.history import PublicationHistory, PublishedRelease

EXAMPLES = Path(__file__).parents[2] / "examples"


def snapshot(people, tag="1", values=None, attributes=1):
    """Return a snapshot of (person, value, point) triples."""
    point = np.array([point for *_, point in people], dtype=np.int32).reshape(len(people), attributes)
    scales = tuple(Scale(f"q{column}", np.linspace(0, 1, 8)) for column in range(point.shape[1]))
    person = np.array([person for person, *_ in people], dtype=np.int32)
    value = np.array([value for _, value, _ in people], dtype=np.int32)
    names = values or [f"value {code}" for code in range(int(value.max(initial=0)) + 1)]
    return Snapshot(tag, person, value, point, scales, names)


def past(seen, draft):
    """Return a draft as it is looked back on."""
    real = draft.row != COUNTERFEIT
    person = np.where(real, seen.person[draft.row], -1).astype(np.int32)
    own = np.where(real, draft.value, -1).astype(np.int32)
    return PublishedRelease(seen.tag, person, draft.group, draft.group, draft.value, None, own)


def published(groups):
    """Return what was published so far: one release of groups of (person or None, value) pairs."""
    so_far = PublicationHistory()
    rows = [(number, *row) for number, group in enumerate(groups) for row in group]
    group, person, value = (
        np.array([-1 if x is None else x for x in column], dtype=np.int32) for column in zip(*rows, strict=True)
    )
    so_far.add(
        PublishedRelease("0", person, group, group, value, None, np.where(person < 0, -1, value).astype(np.int32))
    )
    return so_far


def rng(seed=0):
    return np.random.default_rng(seed)


def contents(seen, draft):
    """Return each group as its (person or None, value) pairs."""
    groups = {}
    for row, group, value in zip(draft.row.tolist(), draft.group.tolist(), draft.value.tolist(), strict=True):
        groups.setdefault(group, []).append((None if row == COUNTERFEIT else int(seen.person[row]), value))
    return groups


def check(seen, draft, m, signatures):
    """Hold a draft against Definition 17, and return the people's signatures, theirs of before among them."""
    signatures = dict(signatures)
    groups = contents(seen, draft)
    assert sorted(groups) == list(range(len(groups)))
    true = dict(zip(seen.person.tolist(), seen.value.tolist(), strict=True))
    told = [person for group in groups.values() for person, _ in group if person is not None]
    assert len(told) == len(set(told))
    for group in groups.values():
        values = frozenset(value for _, value in group)
        assert len(values) == len(group) >= m
        assert any(person is not None for person, _ in group)
        for person, value in group:
            if person is not None:
                assert true[person] == value
                assert signatures.setdefault(person, values) == values
    check_bounds(seen, draft)
    return signatures


def check_bounds(seen, draft):
    for group in range(int(draft.group.max()) + 1):
        rows = draft.row[(draft.group == group) & (draft.row != COUNTERFEIT)]
        assert draft.cells.low[group].tolist() == seen.point[rows].min(axis=0).tolist()
        assert draft.cells.high[group].tolist() == seen.point[rows].max(axis=0).tolist()


# -- the paper's hospital -------------------------------------------------------------------------------------


def hospital():
    """Return what Table 1b published, the microdata of Table 2a, and the codes of people and diseases."""
    with (EXAMPLES / "hospital-2-invariant/releases/1.csv").open(newline="") as file:
        first = list(csv.DictReader(file))
    with (EXAMPLES / "hospital-microdata/2.csv").open(newline="") as file:
        second = list(csv.DictReader(file))
    names = {
        name: code for code, name in enumerate(dict.fromkeys([r["Owner"] for r in first] + [r["Name"] for r in second]))
    }
    diseases = sorted({row["Disease"] for row in first + second})
    groups = {}
    for row in first:
        groups.setdefault(row["Group-ID"], []).append((names[row["Owner"]], diseases.index(row["Disease"])))
    scales = [sorted({int(row[column]) for row in second}) for column in ("Age", "Zipcode")]
    point = [
        [scale.index(int(row[column])) for scale, column in zip(scales, ("Age", "Zipcode"), strict=True)]
        for row in second
    ]
    seen = Snapshot(
        "2",
        np.array([names[row["Name"]] for row in second], dtype=np.int32),
        np.array([diseases.index(row["Disease"]) for row in second], dtype=np.int32),
        np.array(point, dtype=np.int32),
        tuple(
            Scale(name, (np.array(scale) - scale[0]) / (scale[-1] - scale[0]))
            for name, scale in zip(("Age", "Zipcode"), scales, strict=True)
        ),
        diseases,
    )
    return published(list(groups.values())), seen, names, diseases


@pytest.mark.parametrize("seed", range(5))
def test_the_hospital_is_published_as_in_the_paper(seed):
    so_far, seen, names, diseases = hospital()
    draft = MInvarianceAnonymizer(2).publish(seen, so_far, rng(seed))
    before = {
        person: frozenset(so_far.signatures[so_far.signature[person]])
        for person in names.values()
        if person < len(so_far.signature) and so_far.signature[person] >= 0
    }
    check(seen, draft, 2, before)
    assert (draft.row == COUNTERFEIT).sum() == 2
    people = {code: name for name, code in names.items()}
    groups = {
        frozenset((people.get(person), diseases[value]) for person, value in g) for g in contents(seen, draft).values()
    }
    assert groups == table_3a()


def table_3a():
    """Return the groups that the paper publishes: Bob and a counterfeit, and so on; two counterfeits in all."""
    with (EXAMPLES / "hospital-2-invariant/releases/2.csv").open(newline="") as file:
        groups = {}
        for row in csv.DictReader(file):
            groups.setdefault(row["Group-ID"], set()).add((row["Owner"] or None, row["Disease"]))
    return set(map(frozenset, groups.values()))


# -- histories ------------------------------------------------------------------------------------------------


@st.composite
def histories(draw):
    """Draw snapshots of people who come, go and return; values are skewed."""
    values, attributes = draw(st.integers(2, 7)), draw(st.integers(0, 3))
    pick = st.integers(0, values - 1) if draw(st.booleans()) else st.sampled_from([0] * values + list(range(values)))
    people = draw(st.integers(2, 24))
    value = draw(st.lists(pick, min_size=people, max_size=people))
    point = draw(
        st.lists(
            st.lists(st.integers(0, 7), min_size=attributes, max_size=attributes), min_size=people, max_size=people
        )
    )
    releases = []
    for number in range(draw(st.integers(1, 4))):
        present = draw(st.lists(st.integers(0, people - 1), unique=True, max_size=people))
        names = [f"value {code}" for code in range(values)]
        releases.append(snapshot([(p, value[p], point[p]) for p in present], str(number), names, attributes))
    return releases


@given(histories(), st.integers(2, 4), st.integers(0, 9))
def test_histories_are_m_invariant_with_the_fewest_withheld_and_the_fewest_counterfeits(releases, m, seed):
    so_far, signatures = PublicationHistory(), {}
    for seen in releases:
        new = Counter(v for p, v in zip(seen.person.tolist(), seen.value.tolist(), strict=True) if p not in signatures)
        back = [(p, v) for p, v in zip(seen.person.tolist(), seen.value.tolist(), strict=True) if p in signatures]
        kept = keep(np.array([new[value] for value in range(len(seen.values))]), m)
        if not back and not kept.sum():
            with pytest.raises(RefusalError, match="nobody would be published"):
                MInvarianceAnonymizer(m, withhold=True).publish(seen, so_far, rng(seed))
            continue
        draft = MInvarianceAnonymizer(m, withhold=True).publish(seen, so_far, rng(seed))
        told = seen.person[draft.row[draft.row != COUNTERFEIT]].tolist()
        assert {person for person, _ in back} <= set(told)
        assert Counter(seen.value[draft.row[draft.row != COUNTERFEIT]].tolist()) == Counter(
            dict(enumerate(kept.tolist()))
        ) + Counter(value for _, value in back)
        assert (draft.row == COUNTERFEIT).sum() == fewest_counterfeits(back, signatures, kept, m)
        signatures = check(seen, draft, m, signatures)
        so_far.add(past(seen, draft))


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


# -- what else is promised ------------------------------------------------------------------------------------


def test_a_past_without_the_persons_value_is_refused():
    so_far = published([[(0, 0), (1, 1)], [(2, 0), (3, 1), (4, 2)]])
    so_far.value[0] = 2
    with pytest.raises(RefusalError, match="without their sensitive value") as refused:
        MInvarianceAnonymizer(2).publish(snapshot([(2, 0, [0]), (0, 2, [0])]), so_far, rng())
    assert refused.value.rows.tolist() == [1]
