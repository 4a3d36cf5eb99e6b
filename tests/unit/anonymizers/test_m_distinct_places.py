"""Places in entries: as many rows as can be are placed, beside Hall's condition."""

from itertools import chain, combinations

import numpy as np

from anonymizers.m_distinct.places import RowPlaces

CASES = 1500


def subsets(items):
    items = list(items)
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def neighbours(useful, kinds):
    """Return how many entries have a place for one of some kinds."""
    return sum(any(kind in its for kind in kinds) for its in useful)


def drawn(seed):
    """Draw which of a few kinds are of use in each of a few entries, and a height."""
    rng = np.random.default_rng(seed)
    kinds, entries = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    useful = [np.flatnonzero(rng.random(kinds) < 0.6).tolist() for _ in range(entries)]
    return rng, kinds, useful, int(rng.integers(1, 5))


def filled(seed):
    """Return places into which rows of some kinds were pushed, and how many of each are in them."""
    rng, kinds, useful, height = drawn(seed)
    places, rows = RowPlaces(useful, kinds), [0] * kinds
    for kind in rng.permutation(kinds).tolist():
        number = int(rng.integers(0, 5))
        if places.push(kind, number, height) is None:
            rows[kind] = number
        else:
            rows[kind] = sum(taken[kind] for taken in places.taken)
    return rng, useful, places, rows


def check(places, useful, rows):
    assert [sum(taken[kind] for taken in places.taken) for kind in range(len(rows))] == rows
    assert [sum(taken) for taken in places.taken] == places.load
    for its, taken in zip(useful, places.taken, strict=True):
        assert all(number >= 0 and (not number or kind in its) for kind, number in enumerate(taken))


def test_rows_are_placed_exactly_when_there_is_room():
    refused = 0
    for seed in range(CASES):
        rng, kinds, useful, height = drawn(seed)
        places, rows = RowPlaces(useful, kinds), [0] * kinds
        for kind in rng.permutation(kinds).tolist():
            wanted = [*rows]
            wanted[kind] += int(rng.integers(0, 5))
            fits = all(
                sum(wanted[k] for k in some) <= height * neighbours(useful, some) for some in subsets(range(kinds))
            )
            full = places.push(kind, wanted[kind], height)
            assert (full is None) == fits, seed
            if full is not None:
                refused += 1
                assert kind in full
                assert sum(wanted[k] for k in full) > height * neighbours(useful, full)
                assert all(places.load[entry] == height for entry, its in enumerate(useful) if full & set(its))
                wanted[kind] = sum(taken[kind] for taken in places.taken)
                assert sum(wanted[k] for k in full) == height * neighbours(useful, full)
            rows = wanted
            check(places, useful, rows)
            assert max(places.load) <= height
    assert CASES / 5 < refused < 3 * CASES


def test_an_entry_is_filled_as_far_as_can_be():
    some_moved = 0
    for seed in range(CASES):
        rng, useful, places, rows = filled(seed)
        room = rng.integers(0, 3, len(rows)).tolist()
        entry, lacking = int(rng.integers(len(useful))), int(rng.integers(0, 6))
        load, before = [*places.load], [[*taken] for taken in places.taken]
        supply = [number + more for number, more in zip(rows, room, strict=True)]
        # No entries can have more rows together than there are of the kinds that are of use in one of them.
        most = min(
            sum(supply[kind] for kind in {kind for each in some for kind in useful[each]}) - sum(load[e] for e in some)
            for some in subsets(range(len(useful)))
            if entry in some
        )
        left = [*room]
        placed = places.pull(entry, left, lacking)
        assert placed == min(lacking, most), seed
        assert places.load == [number + placed * (place == entry) for place, number in enumerate(load)]
        assert all(0 <= now <= was for now, was in zip(left, room, strict=True))
        check(places, useful, [whole - now for whole, now in zip(supply, left, strict=True)])
        changed = [place for place, taken in enumerate(places.taken) if taken != before[place]]
        some_moved += changed not in ([], [entry])
    assert some_moved > CASES / 50
