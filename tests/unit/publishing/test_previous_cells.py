"""Who moved from one snapshot to the next, beside asking everybody one by one."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audit.io.attributes import QuasiIdentifier
from audit.io.cells import Kind
from audit.io.microdata import ReadSnapshot
from audit.model.anonymizer import Scale, Snapshot
from audit.publishing.previous_cells import GroupCells, LastReleaseCells

NUMERIC = QuasiIdentifier("Age", Kind.NUMERIC, None, frozenset())
TEXTS = QuasiIdentifier("Town", Kind.CATEGORICAL, None, frozenset())
NO_CELLS = GroupCells((NUMERIC, TEXTS), np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.bool_))

PEOPLE = st.dictionaries(st.integers(0, 12), st.tuples(st.integers(0, 3), st.sampled_from("abc")), max_size=10)


def read(people: dict[int, tuple[int, str]], order: list[int]) -> ReadSnapshot:
    """A snapshot of people in some order, whose scales have just the values that are there."""
    rows = [people[person] for person in order]
    ages, towns = (sorted({row[column] for row in rows}) for column in (0, 1))
    point = np.array([(ages.index(age), towns.index(town)) for age, town in rows], dtype=np.int32).reshape(-1, 2)
    scales = tuple(Scale(name, np.linspace(0, 1, len(there))) for name, there in (("Age", ages), ("Town", towns)))
    codes = np.array(order, dtype=np.int32)
    snapshot = Snapshot("1", codes, np.zeros_like(codes), point, scales, ["flu"])
    return ReadSnapshot(snapshot, ([str(age) for age in ages], towns), ([Fraction(age) for age in ages], []), None)


@given(PEOPLE, PEOPLE, st.sets(st.integers(0, 12)), st.randoms(use_true_random=False))
def test_people_who_moved(before, now, same, random):
    now |= {person: before[person] for person in same & before.keys()}
    orders = [random.sample(sorted(people), len(people)) for people in (before, now)]
    look = LastReleaseCells(NO_CELLS, read(before, orders[0]), read(now, orders[1]))
    moved = look.moved()
    assert moved.dtype == np.int32
    assert moved.tolist() == [
        row for row, person in enumerate(orders[1]) if person in before and before[person] != now[person]
    ]
    # The snapshot before is not written to.
    assert np.array_equal(look.before.snapshot.point, read(before, orders[0]).snapshot.point)
