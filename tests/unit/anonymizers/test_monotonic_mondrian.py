"""The monotonic anonymizer over random histories, judged by sets of exact values, cell by cell.

A cell is one set of values of the domain for each attribute: `Series` keeps them as an adversary reads them, and is
what an anonymizer looks back on.
"""

from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonymizers.monotonic_mondrian import MonotonicMondrianAnonymizer
from audit.model.anonymizer import COUNTERFEIT, OLD_END, Anonymizer, DomainParts, RefusalError, Scale, Snapshot
from audit.model.history import CellRanges, PublicationHistory, PublishedRelease

RNG = np.random.default_rng(0)


@dataclass
class Series:
    """A series under way: exact values of everybody, and everybody's cells in every release.

    With a grid, cells end with blocks of so many values of the domain.
    """

    domain: list[list[float]]
    values: dict[int, tuple[float, ...]] = field(default_factory=dict)
    so_far: PublicationHistory = field(default_factory=PublicationHistory)
    cells: list[tuple[frozenset[float], ...]] = field(default_factory=list)
    group: dict[int, int] = field(default_factory=dict)
    seen: list[dict[int, tuple[frozenset[float], ...]]] = field(default_factory=list)
    grid: int | None = None

    def ends(self, column: int) -> list[float]:
        """The values of the domain that end a block; every one where there is no grid."""
        whole, size = self.domain[column], self.grid or 1
        return [value for place, value in enumerate(whole, 1) if not place % size or place == len(whole)]

    def scale(self, column: int, place) -> Scale:
        if self.grid is None:
            return Scale(str(column), place)
        block = np.searchsorted(self.ends(column), place)
        return Scale(str(column), place, (np.searchsorted(block, block, side="right") - 1).astype(np.int32))

    def snapshot(self, people) -> Snapshot:
        people = list(people)
        exact = [[self.values[person][column] for person in people] for column in range(len(self.domain))]
        places = [np.unique(np.array(column, dtype=np.float64)) for column in exact]
        point = np.zeros((len(people), len(places)), dtype=np.int32)
        for column, (there, place) in enumerate(zip(exact, places, strict=True)):
            point[:, column] = np.searchsorted(place, there)
        scales = tuple(self.scale(column, place) for column, place in enumerate(places))
        codes = np.array(people, dtype=np.int32)
        snapshot = Snapshot("1", codes, codes % 3, point, scales, ["x", "y", "z"])
        self.so_far.look = FakeLook(self, snapshot)
        return snapshot

    def publish(self, method: Anonymizer, people):
        """Publish people and check the draft against the series so far."""
        people = list(people)
        snapshot = self.snapshot(people)
        draft = method.publish(snapshot, self.so_far, RNG)
        assert isinstance(draft.cells, DomainParts)
        assert {array.dtype for array in (draft.row, draft.group, draft.cells.of, draft.cells.after)} == {
            np.dtype(np.int32)
        }
        assert np.all(np.diff(draft.row) > 0)
        assert np.array_equal(draft.value, snapshot.value[draft.row])
        assert np.array_equal(np.unique(draft.group), np.arange(len(draft.cells.of)))
        cells = [
            self.cut(snapshot, *part) for part in zip(draft.cells.of, draft.cells.after, draft.cells.upto, strict=True)
        ]
        group = {people[row]: int(group) for row, group in zip(draft.row, draft.group, strict=True)}
        self.add(cells, group)
        return draft

    def cut(self, snapshot, of, after, upto):
        older = self.cells[of] if of >= 0 else tuple(map(frozenset, self.domain))
        ends = [
            (
                -1.0 if a == OLD_END else self.end(column, scale.place[a]),
                2.0 if u == OLD_END else self.end(column, scale.place[u]),
            )
            for column, (scale, a, u) in enumerate(zip(snapshot.scales, after, upto, strict=True))
        ]
        return tuple(
            frozenset(value for value in cell if a < value <= u) for cell, (a, u) in zip(older, ends, strict=True)
        )

    def end(self, column: int, value: float) -> float:
        """The end of the block that a value is in."""
        return next(end for end in self.ends(column) if value <= end)

    def add(self, cells, group, counterfeits=()):
        """Look back on a release, given the cells of its groups and everybody's group."""
        self.cells, self.group = cells, group
        self.seen.append({person: cells[home] for person, home in group.items()})
        person = np.array([*group, *[COUNTERFEIT for _ in counterfeits]], dtype=np.int32)
        home = np.array([*group.values(), *counterfeits], dtype=np.int32)
        own = np.where(person >= 0, person % 3, -1).astype(np.int32)
        self.so_far.add(PublishedRelease("1", person, home, home, np.abs(own), None, own))

    def covers(self, group, person) -> bool:
        return all(value in cell for value, cell in zip(self.values[person], self.cells[group], strict=True))


@dataclass
class FakeLook:
    """Looks at the cells of the last release by asking each set for each value."""

    series: Series
    snapshot: Snapshot
    changed: tuple[int, ...] = ()

    def ranges(self) -> CellRanges:
        low = np.zeros((len(self.series.cells), len(self.snapshot.scales)), dtype=np.int32)
        high = np.full_like(low, -1)
        exact = np.ones(len(low), dtype=np.bool_)
        for (group, cell), (column, scale) in product(enumerate(self.series.cells), enumerate(self.snapshot.scales)):
            there = [place for place, value in enumerate(scale.place) if value in cell[column]]
            if there:
                low[group, column], high[group, column] = there[0], there[-1]
                exact[group] &= len(there) == there[-1] - there[0] + 1
        return CellRanges(low, high, exact)

    def covers(self, group, row):
        assert group.dtype == row.dtype == np.int32
        people = self.snapshot.person[row].tolist()
        return np.array([self.series.covers(*pair) for pair in zip(group, people, strict=True)], dtype=np.bool_)

    def moved(self):
        return np.flatnonzero(np.isin(self.snapshot.person, self.changed)).astype(np.int32)


def check_monotonic(series: Series, k: int) -> None:
    """Check the paper's conditions between the last two releases, and its Theorem 1 over all (Section 4.2)."""
    last = series.seen[-1]
    for person, cell in last.items():
        assert all(value in there for value, there in zip(series.values[person], cell, strict=True))
    classes = [sum(other == cell for other in last.values()) for cell in last.values()]
    assert min(classes) >= k
    assert min(np.bincount(list(series.group.values()))) >= k
    if len(series.seen) > 1:
        before = series.seen[-2]
        assert before.keys() <= last.keys()
        for person, cell in before.items():
            assert all(new <= old for new, old in zip(last[person], cell, strict=True))
        for one, other in combinations(before, 2):
            assert before[one] == before[other] or last[one] != last[other]
    inferred = {
        person: tuple(
            frozenset.intersection(*(release[person][column] for release in series.seen if person in release))
            for column in range(len(series.domain))
        )
        for person in last
    }
    assert inferred == last


def check_no_cut_is_left(series: Series, k: int) -> None:
    for group in range(len(series.cells)):
        there = [series.values[person] for person, home in series.group.items() if home == group]
        for column in range(len(series.domain)):
            for cut in series.ends(column):
                left = sum(value[column] <= cut for value in there)
                assert min(left, len(there) - left) < k


def domains(draw) -> list[list[float]]:
    """Few values, whose points tie, or many."""
    attributes = draw(st.integers(1, 3))
    return [
        [i / size for i in range(size + 1)] for size in draw(st.tuples(*[st.sampled_from([2, 5, 40])] * attributes))
    ]


@st.composite
def histories(draw):
    """A domain, everybody's exact values, and how many people there are at each time."""
    domain = domains(draw)
    counts = np.cumsum(draw(st.lists(st.integers(0, 25), min_size=2, max_size=4))).tolist()
    return domain, [tuple(map(draw, map(st.sampled_from, domain))) for _ in range(counts[-1])], counts


@given(histories(), st.integers(1, 4), st.sampled_from([None, 2, 5]), st.randoms(use_true_random=False))
def test_a_series_begun_here_stays_monotonic(history, k, grid, random):
    domain, values, counts = history
    assume(counts[0] >= k)
    series = Series(domain, dict(enumerate(values)), grid=grid)
    for count in counts:
        people = list(range(count))
        random.shuffle(people)
        draft = series.publish(MonotonicMondrianAnonymizer(k), people)
        assert draft.row.tolist() == list(range(count))
        check_monotonic(series, k)
        check_no_cut_is_left(series, k)
        for column, whole in enumerate(domain):
            blocks = {end: {value for value in whole if series.end(column, value) == end} for end in whole}
            for cell in series.cells:
                assert all(blocks[series.end(column, value)] <= cell[column] for value in cell[column])


@st.composite
def foreign_series(draw):
    """A k-anonymous release begun elsewhere, whose cells overlap, leave gaps and may be no intervals; newcomers."""
    k = draw(st.integers(1, 3))
    domain = domains(draw)
    point = st.tuples(*map(st.sampled_from, domain))
    sizes = draw(st.lists(st.integers(k, 3 * k + 2), min_size=1, max_size=5))
    series = Series(domain, grid=draw(st.sampled_from([None, 2, 5])))
    cells, group = [], {}
    for number, size in enumerate(sizes):
        members = range(len(group), len(group) + size)
        there = draw(st.lists(point, min_size=size, max_size=size))
        series.values |= dict(zip(members, there, strict=True))
        group |= dict.fromkeys(members, number)
        cell = []
        for column, whole in zip(zip(*there, strict=True), domain, strict=True):
            hull = {value for value in whole if min(column) <= value <= max(column)}
            kind = draw(st.sampled_from(["tight", "hull", "more", "all"]))
            more = draw(st.sets(st.sampled_from(whole))) if kind == "more" else set()
            cell.append(frozenset({"tight": set(column), "all": set(whole), "more": {*column, *more}}.get(kind, hull)))
        cells.append(tuple(cell))
    newcomers = draw(st.lists(point, max_size=12))
    series.values |= dict(enumerate(newcomers, len(group)))
    # Counterfeits stand in groups with people, and in one of their own that covers everything.
    counterfeits = draw(st.lists(st.integers(0, len(cells)), max_size=2))
    if len(cells) in counterfeits:
        cells.append(tuple(map(frozenset, domain)))
    series.add(cells, group, counterfeits)
    return series, k, len(group)


@given(foreign_series(), st.booleans())
def test_a_series_begun_elsewhere_goes_on_monotonic(drawn, withhold):
    series, k, count = drawn
    peopled = sorted(set(series.group.values()))
    snapshot = series.snapshot(series.values)
    ranges = series.so_far.look.ranges()
    extent = [
        sum(scale.place[last] - scale.place[first] for scale, first, last in zip(snapshot.scales, *ends, strict=True))
        for ends in zip(ranges.low, ranges.high, strict=True)
    ]
    homes = {
        person: min(
            (group for group in peopled if series.covers(group, person)), key=lambda g: (extent[g], g), default=None
        )
        for person in range(count, len(series.values))
    }
    strange = [person for person, home in homes.items() if home is None]
    method = MonotonicMondrianAnonymizer(k, withhold=withhold)
    if 0 < len(strange) < k and not withhold:
        with pytest.raises(RefusalError, match=f"{len(strange)} newcomers") as refusal:
            series.publish(method, series.values)
        assert refusal.value.rows.tolist() == strange
        return
    draft = series.publish(method, series.values)
    withheld = strange if len(strange) < k else []
    assert draft.row.tolist() == [person for person in series.values if person not in withheld]
    of = {int(row): int(draft.cells.of[group]) for row, group in zip(draft.row, draft.group, strict=True)}
    assert {person: home for person, home in of.items() if person >= count} == {
        person: -1 if home is None else home for person, home in homes.items() if person not in withheld
    }
    check_monotonic(series, k)


def begun(k: int, values, cells, group) -> Series:
    domain = [sorted({value for cell in cells for value in cell[0]} | {value for (value,) in values})]
    series = Series(domain, dict(enumerate(values)))
    series.add([tuple(map(frozenset, cell)) for cell in cells], group)
    return series


def published_pair() -> Series:
    series = Series([[i / 10 for i in range(11)]], {person: (person / 10,) for person in range(8)})
    series.publish(MonotonicMondrianAnonymizer(2), range(4))
    return series


def refused(series: Series, people, changed=(), k=2) -> RefusalError:
    """Return why the next release is refused."""
    snapshot = series.snapshot(people)
    series.so_far.look = FakeLook(series, snapshot, changed)
    with pytest.raises(RefusalError) as refusal:
        MonotonicMondrianAnonymizer(k).publish(snapshot, series.so_far, RNG)
    return refusal.value


def test_nobody_may_be_taken_out():
    refusal = refused(published_pair(), [0, 3, 4, 5])
    assert "2 people of the last release are missing" in str(refusal)
    assert (refusal.rows.tolist(), refusal.column) == ([], "individual")


def test_quasi_identifiers_of_published_people_may_not_change():
    refusal = refused(published_pair(), [6, 3, 2, 1, 0], changed=(0, 2, 6))
    assert "2 published people" in str(refusal)
    # Person 6, who was held back, may change.
    assert refusal.rows.tolist() == [2, 4]


def test_published_people_must_be_where_their_cells_say():
    series = published_pair()
    series.values[1] = (0.4,)
    assert refused(series, [3, 2, 1, 0]).rows.tolist() == [2]


def test_a_past_with_too_small_groups_is_not_continued():
    series = begun(2, [(0.1,), (0.2,), (0.3,)], [[[0.1]], [[0.2, 0.3]]], {0: 0, 1: 1, 2: 1})
    refusal = refused(series, [2, 1, 0])
    assert "1 groups of the last release have fewer than 2 people" in str(refusal)
    assert refusal.rows.tolist() == [2]
    assert len(refused(series, [2, 1, 0], k=3).rows) == 3


def test_a_past_that_lost_people_is_not_continued():
    series = published_pair()
    series.add([(frozenset(series.domain[0]),)], {0: 0, 1: 0})
    assert "2 people of earlier releases are missing" in str(refused(series, range(4)))
