"""How buckets are cut into groups: every cut and part beside its definition."""

from collections import Counter, defaultdict

import networkx as nx
import numpy as np
import pytest

from anonymizers.m_distinct import buckets as planned
from anonymizers.m_distinct import colouring
from anonymizers.m_distinct.colouring import ColouredBucket, interleaved, split
from anonymizers.m_distinct.entries import entries_of
from anonymizers.splitting import in_units
from tests.helpers.updates import random_entries, systems

STEPS = 1 << 12


def made(sets, counts, point, *, rng, width):
    """Return a bucket of some rows of each value, completed; `point` gives the quasi-identifiers of that many rows."""
    entries = entries_of(sets, len(counts))
    places, height, fakes = planned.SignatureBucket(entries, counts).completed(rng)
    value = np.concatenate([np.repeat(np.arange(len(counts)), each) for each in (counts, fakes)])
    order = rng.permutation(len(value))
    real = (np.arange(len(value)) < counts.sum())[order]
    value, point = value[order], point(len(value))
    return ColouredBucket(
        height=height,
        taken=places.taken,
        kind=entries.kind[value],
        value=value.astype(np.int64),
        point=point.astype(np.int32),
        place=np.rint(point / max(1, width - 1) * STEPS) / STEPS,  # exact fractions
        real=real,
    )


def drawn(seed, most=6, attributes=None, width=6):
    """Draw a bucket, counterfeits among its rows, and its sets; None where these have no representatives."""
    rng = np.random.default_rng(seed)
    values = int(rng.integers(2, 7))
    sets = random_entries(rng, values)
    entries = entries_of(sets, values)
    if entries is None:
        return None
    counts = rng.integers(0, most + 1, values) * (entries.kind >= 0)
    if not counts.any():
        return None
    attributes = int(rng.integers(0, 4)) if attributes is None else attributes
    return made(sets, counts, lambda rows: rng.integers(0, width, (rows, attributes)), rng=rng, width=width), sets


def cases(number, **how):
    found = [each for seed in range(number) if (each := drawn(seed, **how)) is not None]
    assert len(found) > number / 2
    return found


def first_cut(bucket):
    """Return the quasi-identifier and the number of layers of a bucket's first cut."""
    return colouring.best_cut(bucket.orders(), in_units(bucket.place), bucket.kind, bucket.height)


def check(bucket, sets, group):
    """Hold groups against what they are for: a value of each set, no value twice, and somebody in each."""
    every = set(map(frozenset, systems(sets)))
    values, somebody = defaultdict(list), set(group[bucket.real].tolist())
    for number, value in zip(group.tolist(), bucket.value.tolist(), strict=True):
        values[number].append(value)
    assert sorted(values) == list(range(bucket.height)) == sorted(somebody)
    for each in values.values():
        assert len(each) == len(sets)
        assert frozenset(each) in every


# -- all cuts -----------------------------------------------------------------------------------------------------


def test_groups_have_a_row_of_every_entry_and_no_value_twice():
    fakes = several = plain = 0
    for bucket, sets in cases(600):
        group = split(bucket)
        check(bucket, sets, group)
        fakes += not bucket.real.all()
        several += ((np.array(bucket.taken) > 0).sum(axis=0) > 1).any()
        plain += not bucket.point.shape[1]
    assert min(fakes, several, plain) > 60


@pytest.mark.parametrize("width", [2, 90])
def test_tall_buckets_are_split_into_groups(width):
    found = cases(60, most=120, width=width)
    assert sum(bucket.height > 64 for bucket, _ in found) > 20
    for bucket, sets in found:
        check(bucket, sets, split(bucket))


# -- one cut ------------------------------------------------------------------------------------------------------


def ordered(bucket):
    """Return the rows of people by each quasi-identifier, equal ones by those with most values, then as given."""
    rows = np.flatnonzero(bucket.real).tolist()
    attributes = range(bucket.point.shape[1])
    if not attributes:
        return [rows]
    sizes = [int(bucket.point[rows, each].max()) for each in attributes]
    settling = sorted(attributes, key=lambda each: -sizes[each])
    point = bucket.point.tolist()
    return [sorted(rows, key=lambda row: (point[row][own], *(point[row][x] for x in settling))) for own in attributes]


def lengths(bucket, rows):
    """Return the perimeter of a box around some rows."""
    places = np.rint(bucket.place[rows] * STEPS).astype(int)
    return int((places.max(axis=0) - places.min(axis=0)).sum()) if len(rows) else 0


def best(bucket):
    """Return the cut (quasi-identifier, layers) of the least perimeter sum, every kind giving layers their share."""
    height, found = bucket.height, []
    least = max(1, height // 16)
    kinds = Counter(bucket.kind[bucket.real].tolist())
    for attribute, order in enumerate(ordered(bucket)):
        seen, layer = Counter(), {}
        for row in order:
            kind = int(bucket.kind[row])
            layer[row] = seen[kind] * height // kinds[kind]
            seen[kind] += 1
        for at in range(least, height - least + 1):
            low, high = [row for row in order if layer[row] < at], [row for row in order if layer[row] >= at]
            cost = at * lengths(bucket, low) + (height - at) * lengths(bucket, high)
            found.append((cost, abs(2 * at - height), attribute, at))
    return min(found)[2:]


def fits(bucket, rows, at):
    """Return whether rows can be in a part of some layers: a place for each in an entry, not too many of a value."""
    if max(Counter(bucket.value[rows].tolist()).values(), default=0) > at:
        return False
    graph = nx.DiGraph()
    for kind, number in Counter(bucket.kind[rows].tolist()).items():
        graph.add_edge("from", ("kind", kind), capacity=number)
        for entry in [entry for entry, its in enumerate(bucket.taken) if its[kind]]:
            graph.add_edge(("kind", kind), ("entry", entry), capacity=bucket.taken[entry][kind])
            graph.add_edge(("entry", entry), "to", capacity=at)
    return not rows or nx.maximum_flow_value(graph, "from", "to") == len(rows)


def part(bucket, order, at):
    """Return the rows of a part: those that have to be in it, then whatever fits, in order."""
    total, rows, held = Counter(bucket.value.tolist()), [], Counter()
    for row in order:
        if held[bucket.value[row]] < total[bucket.value[row]] - (bucket.height - at):
            rows.append(row)
            held[bucket.value[row]] += 1
    for row in order:
        if row not in rows and fits(bucket, [*rows, row], at):
            rows.append(row)
    return set(rows)


def test_the_first_cut_is_the_best_and_takes_the_first_rows_that_fit():
    taller = 0
    for bucket, _ in cases(80, most=4) + cases(12, most=40):
        if bucket.height == 1:
            continue
        attribute, at = best(bucket)
        assert first_cut(bucket) == (attribute, at)
        order = interleaved(np.array(ordered(bucket)[attribute]), np.flatnonzero(~bucket.real)).tolist()
        if bucket.height < 10:
            assert set(np.flatnonzero(split(bucket) < at).tolist()) == part(bucket, order, at)
        taller += bucket.height >= 32
    assert taller


def test_orders_settle_ties_by_the_attribute_with_most_values_then_as_given():
    for bucket, _ in cases(120, width=3):
        assert bucket.orders().tolist() == ordered(bucket)
    rng = np.random.default_rng(0)
    point = np.array([[0, 1, 0], [0, 0, 2], [1, 0, 1], [0, 0, 0], [0, 1, 0]])
    bucket = made((1,), np.array([5]), lambda _: point, rng=rng, width=3)
    assert bucket.orders()[0].tolist() == [3, 0, 4, 1, 2]


def test_counterfeits_are_spread_evenly():
    for rows in range(8):
        for fakes in range(1, 6):
            result = interleaved(np.arange(rows), np.arange(100, 100 + fakes)).tolist()
            assert [row for row in result if row < 100] == list(range(rows))
            before = [len([row for row in result[: result.index(100 + k)] if row < 100]) for k in range(fakes)]
            assert before == [int((k + 0.5) * rows / fakes) for k in range(fakes)]


def test_counterfeits_stretch_nothing():
    """Two people at either end: each pair has a counterfeit, wherever that is said to be."""
    bucket = ColouredBucket(
        height=2,
        taken=[[2, 0], [0, 2]],
        kind=np.array([0, 0, 1, 1]),
        value=np.array([0, 0, 1, 1]),
        point=np.array([[0], [5], [5], [0]], dtype=np.int32),
        place=np.array([[0.0], [1.0], [1.0], [0.0]]),
        real=np.array([True, True, False, False]),
    )
    assert first_cut(bucket) == (0, 1)
    assert split(bucket).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("off", [-1, 1])
def test_small_differences_decide(off):
    """The middle one of three rows joins the nearer."""
    bucket = made((1,), np.array([3]), lambda _: np.array([[0], [1], [2]]), rng=np.random.default_rng(0), width=3)
    place = np.array([[0.0], [0.5 + off / 2**29], [1.0]])
    bucket = ColouredBucket(3, bucket.taken, bucket.kind, bucket.value, bucket.point, place, bucket.real)
    assert first_cut(bucket) == (0, 1 if off > 0 else 2)
