"""Bucket series: their graphs, norm_lower_bounds and exact equivalences, against enumeration of all integer vectors."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from attacks.equivalence import integer_model
from attacks.equivalence.elimination import TooMuchWorkError
from attacks.equivalence.integer_model import IntegerModel
from attacks.equivalence.lattice import Block, Lattice, lattices
from attacks.equivalence.parts import Parts
from attacks.matrix import Matrix
from audit.model.minimum_cuts import NO_CUT
from audit.runtime.budget import Budget
from tests.helpers.amount import some
from tests.helpers.equivalences import searched

LIMIT = 6
"""The oracle knows all equivalences up to this e: ||x||₁ up to 12."""
FEW = 100_000
"""How many vectors the oracle may try beyond that."""


def matrix_of(groups, columns=None):
    """The matrix of groups in order, each (release, members, values with their rows)."""
    columns = columns or 1 + max((member for _, members, _ in groups for member in members), default=-1)
    values = 1 + max((value for _, _, rows in groups for value in rows), default=-1)
    ends = [np.cumsum([0, *(len(group[part]) for group in groups)]) for part in (1, 2)]
    release = [group[0] for group in groups]
    return Matrix(
        ends[0].astype(np.int64),
        np.array([member for group in groups for member in sorted(group[1])], dtype=np.int32),
        ends[1].astype(np.int64),
        np.array([value for group in groups for value in sorted(group[2])], dtype=np.int32),
        np.array([group[2][value] for group in groups for value in sorted(group[2])], dtype=np.int64),
        np.array(release, dtype=np.int32),
        np.array([release[:place].count(one) for place, one in enumerate(release)], dtype=np.int32),
        np.ones(columns, dtype=bool),
        0,
        values,
        1 + max(release, default=-1),
    )


def published(people):
    """The bucket series of people given as (bucket, value, releases in which they are there); column by column."""
    groups = {}
    for column, (bucket, value, stay) in enumerate(people):
        for release in stay:
            members, rows = groups.setdefault((release, bucket), ([], Counter()))
            members.append(column)
            rows[value] += 1
    return matrix_of([(release, *groups[release, bucket]) for release, bucket in sorted(groups)], len(people))


# ---------------------------------------------------------------------------------------------------- the oracle


def reduced(rows, width):
    """Rows in reduced echelon form by fractions, as far as a number of columns go, and the columns of their pivots."""
    rows, pivots = [list(map(Fraction, row)) for row in rows], []
    for column in range(width):
        at = len(pivots)
        found = next((place for place in range(at, len(rows)) if rows[place][column]), None)
        if found is None:
            continue
        rows[at], rows[found] = rows[found], rows[at]
        rows[at] = [entry / rows[at][column] for entry in rows[at]]
        for place, row in enumerate(rows):
            if place != at and row[column]:
                rows[place] = [mine - row[column] * other for mine, other in zip(row, rows[at], strict=True)]
        pivots.append(column)
    return rows, pivots


class Oracle:
    """All integer vectors x = W S with rational W and W U = 0 up to some norm, knowing nothing of graphs."""

    def __init__(self, matrix):
        table = np.zeros((matrix.groups, matrix.values + matrix.columns), dtype=int)
        table[np.repeat(np.arange(matrix.groups), np.diff(matrix.value_start)), matrix.value] = matrix.rows
        table[matrix.group_of(), matrix.values + matrix.member] = 1
        rows, pivots = reduced(table.tolist(), matrix.values)
        rows, self.pivots = reduced([row[matrix.values :] for row in rows[len(pivots) :]], matrix.columns)
        self.basis = rows[: len(self.pivots)]

    @property
    def dimension(self):
        return len(self.pivots)

    def contains(self, vector):
        """Whether a vector is a combination of the basis, whose pivots it shows."""
        combined = [
            sum(vector[pivot] * row[column] for pivot, row in zip(self.pivots, self.basis, strict=True))
            for column in range(len(vector))
        ]
        return combined == list(vector)

    def vectors(self, limit=LIMIT):
        """All of them up to e; entries sum up to 0, so that none exceeds e."""
        if not self.basis:
            return np.zeros((0, 0), dtype=np.int64)
        scale = np.lcm.reduce([entry.denominator for row in self.basis for entry in row])
        basis = np.array([[int(entry * scale) for entry in row] for row in self.basis], dtype=np.int64)
        pivot = np.array(list(product(range(-limit, limit + 1), repeat=self.dimension)), dtype=np.int64)
        scaled = pivot @ basis
        whole = scaled[(scaled % scale == 0).all(axis=1)] // scale
        norm = np.abs(whole).sum(axis=1)
        return whole[(norm > 0) & (norm <= 2 * limit)]

    def least(self, columns, limit=LIMIT):
        """Each column's least e, 0 for none."""
        least = np.zeros(columns, dtype=int)
        vectors = self.vectors(limit)
        for e in range(limit, 0, -1):
            mine = vectors[np.abs(vectors).sum(axis=1) == 2 * e]
            least[(mine != 0).any(axis=0) if len(mine) else []] = e
        return least


def dense(vector, columns):
    entries = np.zeros(columns, dtype=int)
    entries[vector.columns] = vector.times
    return entries.tolist()


def check(matrix, limit=LIMIT, budget=None):
    """Hold an answer against the oracle."""
    oracle = Oracle(matrix)
    found = searched(matrix, limit, Budget(budget))
    truth = oracle.least(matrix.columns)
    least = np.where(truth <= limit, truth, 0)
    min_e = min(truth[truth > 0], default=None)
    for vector in found.witnesses:
        assert vector.e > 0
        assert vector.times[0] > 0
        assert oracle.contains(dense(vector, matrix.columns))
    assert found.upper in {None, *(vector.e for vector in found.witnesses)}
    for column, e in enumerate(found.least):
        assert e == 0 or any(vector.e == e and column in vector.columns for vector in found.witnesses)
    assert (found.lower is None) == (oracle.dimension == 0)
    if min_e is not None:
        assert found.lower <= min_e <= (found.upper or min_e)
    elif found.upper is not None:
        assert found.upper > LIMIT
        if (2 * found.upper - 1) ** oracle.dimension < FEW:
            assert not len(oracle.vectors(found.lower - 1))
    if budget is None:
        assert found.complete
        assert found.lower == found.upper
    if found.complete:
        assert found.least.tolist() == least.tolist()
    return found


def enumerable(matrix):
    """Whether a matrix is a bucket series that the oracle can cope with."""
    return Parts.of(matrix).are_buckets and Oracle(matrix).dimension <= 4


# ---------------------------------------------------------------------------------------------------- random series


@st.composite
def stays(draw, releases, returning=True):
    """The releases in which somebody is there."""
    if returning and draw(st.booleans()):
        return tuple(sorted(draw(st.sets(st.integers(0, releases - 1), min_size=1))))
    first = draw(st.integers(0, releases - 1))
    return tuple(range(first, draw(st.integers(first, releases - 1)) + 1))


@st.composite
def pieces(draw, stay):
    """A stay cut into stays of several people, one after the other, so that counts stay the same."""
    ends = sorted(draw(st.sets(st.integers(1, max(1, len(stay) - 1)), max_size=2)))
    parts = [stay[begin:end] for begin, end in zip([0, *ends], [*ends, len(stay)], strict=True)]
    return [part for part in parts if part]


@st.composite
def flat_people(draw, most=18, returning=True):
    """People of buckets whose values are equally frequent: units of stays, cut differently for each value."""
    releases = draw(st.integers(1, 5))
    signatures = draw(
        st.sets(st.frozensets(st.integers(0, 3), min_size=1, max_size=3), min_size=1, max_size=4).map(sorted_sets)
    )
    people = []
    for bucket, signature in enumerate(signatures):
        for _ in range(draw(st.integers(1, 3))):
            stay, times = draw(stays(releases, returning)), draw(st.integers(1, 2))
            people += [(bucket, value, part) for value in signature for part in draw(pieces(stay))] * times
    assume(len(people) <= most)
    return people


def sorted_sets(sets):
    return sorted(map(sorted, sets))


@st.composite
def people_of_any_bucket(draw, most=8):
    """People of buckets whose values have any frequencies, some values missing at times."""
    releases = draw(st.integers(1, 4))
    people = []
    for _ in range(draw(st.integers(1, most))):
        person = (draw(st.integers(0, 2)), draw(st.integers(0, 3)), draw(stays(releases, draw(st.booleans()))))
        people += [person] * draw(st.sampled_from([1, 1, 2, 3]))
    return people


MANY = settings(max_examples=some(50), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


@MANY
@given(flat_people(), st.integers(0, LIMIT))
def test_as_enumerated_with_equal_frequencies(people, limit):
    matrix = published(people)
    assume(enumerable(matrix))
    check(matrix, limit)


@MANY
@given(people_of_any_bucket())
def test_as_enumerated_with_any_frequencies(people):
    matrix = published(people)
    assume(enumerable(matrix))
    check(matrix)


@settings(MANY, max_examples=some(30))
@given(st.one_of(flat_people(), people_of_any_bucket()))
def test_bounds_when_time_is_up(people):
    matrix = published(people)
    assume(enumerable(matrix))
    check(matrix, budget=0)


@MANY
@given(st.one_of(flat_people(), people_of_any_bucket()))
def test_norm_lower_bounds(people):
    """No integer combination of a bucket's rows is lesser, whatever its values."""
    parts = Parts.of(published(people))
    assume(parts.are_buckets)
    for bucket, floor in zip(parts.parts, parts.norm_lower_bounds, strict=True):
        rows, pivots = reduced(bucket.delta[:, 1:].T.tolist(), len(bucket.size))
        assume(len(pivots) <= 3)
        assert (floor == NO_CUT) == (not pivots)
        for entries in product(range(-3, 4), repeat=len(pivots)):
            x = [
                sum(entry * row[kind] for entry, row in zip(entries, rows, strict=False))
                for kind in range(len(bucket.size))
            ]
            if any(x) and all(Fraction(entry).denominator == 1 for entry in x):
                assert sum(abs(entry) * times for entry, times in zip(x, bucket.size, strict=True)) >= floor


# ---------------------------------------------------------------------------------------------------- the paper

ALICE, BOB, CHRIS, DAN, ELLEN, FRANK, GREG, HARRY, IAN, JANE, COUNTERFEIT = range(11)
CANCER, FLU, MEASLES = range(3)


def paper():
    """Tables IVb, Vb and VI."""
    pair = {CANCER: 1, MEASLES: 1}
    return matrix_of(
        [
            (0, [ALICE, BOB, CHRIS, DAN], {CANCER: 2, FLU: 2}),
            (0, [ELLEN, FRANK], pair),
            (1, [ALICE, CHRIS, GREG, COUNTERFEIT], {CANCER: 2, FLU: 2}),
            (1, [ELLEN, HARRY, IAN, JANE], {CANCER: 2, MEASLES: 2}),
            (2, [ALICE, CHRIS, GREG, COUNTERFEIT], {CANCER: 2, FLU: 2}),
            (2, [IAN, JANE], pair),
        ]
    )


# ---------------------------------------------------------------------------------------------------- hard cases


SQUARE = [(0, 1), (2, 3), (0, 2), (1, 3)]


@pytest.mark.parametrize("times", [1, 2])
def test_signatures_couple(times):
    """Buckets {a,b} {c,d} {a,c} {b,d}: together equivalent, alone not at all."""
    people = [(bucket, value, (0,)) for bucket, values in enumerate(SQUARE) for value in values * times]
    found = check(published(people))
    assert (found.lower, found.upper, found.least.max()) == (4 * times, 4 * times, 4 if times == 1 else 0)
    assert check(published(people), 0).upper == 4 * times
    assert check(published([person for person in people if person[0]])).lower is None


# ---------------------------------------------------------------------------------------------------- parts


def blocks_of(people):
    parts = Parts.of(published(people))
    return [Block.of(parts, place, np.arange(len(part.groups) + 1)) for place, part in enumerate(parts.parts)]


STAYS = [(0, value, stay) for value in (0, 1) for stay in ((0,), (0, 1), (1, 2), (1, 2), (2,), (2, 3), (3,))]


def test_a_model_that_is_stopped_proves_nothing(monkeypatch):
    truth = searched(published(STAYS), LIMIT).upper
    monkeypatch.setattr(integer_model, "_EFFORT", 0.0)
    [system] = lattices(blocks_of(STAYS))
    with pytest.raises(TooMuchWorkError):
        IntegerModel(system, 40).some([0], Budget())
    found = searched(published(STAYS), LIMIT)
    assert not found.complete
    assert 1 <= found.lower <= truth <= found.upper


def test_a_wrong_answer_of_the_solver_is_none(monkeypatch):
    [system] = lattices(blocks_of([(0, value, stay) for value in (0, 1) for stay in ((0,), (0, 1), (1, 2))]))
    monkeypatch.setattr(Lattice, "holds", lambda *_: False)
    with pytest.raises(TooMuchWorkError):
        IntegerModel(system, 40).some([0], Budget())
