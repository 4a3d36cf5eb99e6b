"""Record ids, beside texts in a dictionary: people keep theirs, and nobody gets one that was published."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from audit.io.encoding import NOBODY
from audit.io.tables import Coded
from audit.publishing.identities import RecordIds

TEXTS = ["r0000000001", "r00000000ff", "7", "x y", "Ärztin", "~fake", "r0"]


class Drawn:
    """A generator whose numbers are given."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def integers(self, low, high, count):
        assert (low, high) == (0, 1 << 40)
        taken, self.numbers = self.numbers[:count], self.numbers[count:]
        return np.array(taken, dtype=np.int64)


def learnt(ids: RecordIds, person, names) -> None:
    ids.learn(np.array(person, dtype=np.int32), Coded(np.arange(len(names), dtype=np.int32), len(names), names))


@given(
    st.lists(st.lists(st.tuples(st.integers(NOBODY, 6), st.sampled_from(TEXTS)), max_size=6), max_size=4),
    st.lists(st.integers(NOBODY, 9), max_size=8),
    st.integers(0, 2**32 - 1),
)
def test_people_keep_the_last_id_that_they_had(releases, asked, seed):
    ids, of, used = RecordIds(), {}, set()
    for release in releases:
        learnt(ids, [person for person, _ in release], [name for _, name in release])
        of |= {person: name for person, name in release if person != NOBODY}
        used |= {name for _, name in release}
    given_out = ids.of(np.array(asked, dtype=np.int32), np.random.default_rng(seed)).to_pylist()
    assert [name for person, name in zip(asked, given_out, strict=True) if person in of] == [
        of[person] for person in asked if person in of
    ]
    fresh = [name for person, name in zip(asked, given_out, strict=True) if person not in of]
    assert len(set(fresh) - used) == len(fresh)
    assert fresh == [f"r{n:010x}" for n in np.random.default_rng(seed).integers(0, 1 << 40, len(fresh)).tolist()]


def test_numbers_that_are_drawn_twice_or_were_published_are_drawn_again():
    ids = RecordIds()
    learnt(ids, [0, NOBODY], ["r0000000001", "r00000000ff"])
    # Four are needed: of 5, 1, 5 and 255 one is left, of 3, 3 and 9 two, then the last.
    rng = Drawn([5, 1, 5, 255, 3, 3, 9, 2**40 - 1])
    asked = np.array([NOBODY, 0, 4, 3, 2], dtype=np.int32)
    assert ids.of(asked, rng).to_pylist() == ["r0000000005", "r0000000001", "r0000000003", "r0000000009", "rffffffffff"]
    assert rng.numbers == []


def test_ids_that_are_numbers():
    ids = RecordIds()
    ids.learn(np.array([3, 1], dtype=np.int32), Coded(np.array([12, 7], dtype=np.int32), 13, None))
    assert ids.of(np.array([1, 3], dtype=np.int32), Drawn([])).to_pylist() == ["7", "12"]
