"""What the experiments with random m-Distinct series rest on: how they are drawn, proved again, and told."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from audit.io.microdata import open_microdata
from benchmarks.speed.joint_experiments import DENSE, SPARSE, Found, Kind, mean_interval, page, wilson, work
from benchmarks.speed.random_series import (
    Drawn,
    Population,
    Small,
    changed,
    microdata,
    partitions,
    small_series,
    update_sets,
)
from benchmarks.speed.refuting import confirm
from series_bench.papers.processes import BenchmarkError
from tests.helpers.tiny import read
from tests.helpers.updates import check_distinct, is_legal
from tests.oracle.worlds import worlds

EXAMPLES = Path(__file__).parents[2] / "examples"
VALUES = 5


def groups_of(drawn):
    """Each group as its (person, value) pairs."""
    found = {}
    for person, (group, value) in enumerate(zip(drawn.label.tolist(), drawn.own.tolist(), strict=True)):
        found.setdefault(group, []).append((person, value))
    return list(found.values())


def test_partitions_are_all_there_are():
    assert [len(partitions(people, 1)) for people in range(1, 8)] == [1, 2, 5, 15, 52, 203, 877]  # Bell's numbers
    assert len(partitions(8, 2)) == 715
    assert all(min(map(labels.count, labels)) >= 3 for labels in partitions(7, 3).tolist())
    assert len(np.unique(partitions(7, 3), axis=0)) == len(partitions(7, 3)) == 1 + 35


def test_a_release_may_follow_when_the_definition_says_so():
    rng, seen = np.random.default_rng(5), {True: 0, False: 0}
    labels = partitions(6, 2)
    for _ in range(60):
        updates = update_sets(VALUES, rng.choice([0.1, 0.4]), rng)
        first = Drawn.of(rng.integers(0, VALUES, 6), labels[rng.integers(len(labels))])
        own = changed(np.broadcast_to(first.own, (200, 6)), updates, rng)
        many = Drawn.of(own, labels[rng.integers(0, len(labels), 200)])
        legal, unique = many.follows(first, updates), many.unique
        last = {person: [value for _, value in group] for group in groups_of(first) for person, _ in group}
        for place in range(200):
            groups = [(group, [value for _, value in group]) for group in groups_of(many.at(place))]
            wanted = all(is_legal(values, last[person], updates) for group, values in groups for person, _ in group)
            seen[wanted] += 1
            assert legal[place] == wanted
            assert unique[place] == all(len(set(values)) == len(values) for _, values in groups)
    assert min(seen.values()) > 500


@pytest.mark.parametrize("m", [2, 3])
def test_tiny_series_are_m_distinct_and_change(m):
    rng, moved = np.random.default_rng(m), 0
    for _ in range(20):
        tiny = small_series(Small(m, 6, 3, 0.3), rng)
        names = sorted({value for pair in tiny.transitions for value in pair})
        may = np.array([[(one, other) in tiny.transitions for other in names] for one in names])
        releases = []
        for release in tiny.releases:
            groups = {}
            for row in release:
                groups.setdefault(row.group, []).append((row.individual, names.index(row.value)))
            releases.append(list(groups.values()))
        check_distinct(releases, type(update_sets(1, 0, rng))(may), m, apart=False)
        moved += any(len({tiny.row(who, j).value for j in range(3)}) > 1 for who in tiny.people())
    assert moved > 10


def test_everybody_gets_a_value_of_the_own_set_and_every_value_of_it():
    rng = np.random.default_rng(1)
    updates = update_sets(VALUES, 0.3, rng)
    own = np.repeat(np.arange(VALUES), 400)
    drawn = changed(own, updates, rng)
    assert np.array_equal(
        np.bincount(own * VALUES + drawn, minlength=VALUES**2).reshape(VALUES, VALUES) > 0, updates.may
    )


def test_microdata_are_read_and_people_go_for_good(tmp_path):
    source = open_microdata(microdata(Population(20, 0.1, 0.5), tmp_path / "micro", np.random.default_rng(1)))
    lines = [(tmp_path / "micro" / f"{tag}.csv").read_text(encoding="utf-8").splitlines()[1:] for tag in source.tags]
    people = [{line.split(",")[0] for line in some} for some in lines]
    assert [len(some) for some in people] == [20] * 4
    assert [len(after - before) for before, after in pairwise(people)] == [4] * 3
    assert not (people[0] - people[1]) & (people[2] | people[3])


def broken(folder):
    """The example that joint reasoning breaks, with key files."""
    tiny = read(EXAMPLES / "joint-breaks-2-distinct")
    tiny.write(folder, key="files")
    everything = worlds(tiny)
    possible = {(who, j): everything.possible(who, j) for who in tiny.people() for j in tiny.presence(who)}
    return tiny, possible


def test_what_is_certain_is_proved_again(tmp_path):
    tiny, possible = broken(tmp_path)
    certain = [(*version, *values) for version, values in possible.items() if len(values) == 1]
    assert confirm(tmp_path, tiny.tags, certain) == len(certain) == 8


def test_what_is_not_certain_is_not_proved(tmp_path):
    tiny, possible = broken(tmp_path)
    doubtful = [(*version, value) for version, values in possible.items() if len(values) > 1 for value in values]
    assert doubtful
    for conviction in doubtful:
        with pytest.raises(BenchmarkError, match="not certain"):
            confirm(tmp_path, tiny.tags, [conviction])


@pytest.mark.parametrize("kind", [Kind(Small(2, 4, 3, 0.3), 2, DENSE), Kind(Population(20, 0.1, 0.5), 2, SPARSE)])
def test_a_series_is_what_its_number_says(kind):
    one, again = (work((kind, 0, 30.0)) for _ in range(2))
    assert one == again
    assert one.complete
    assert one.disclosed == 0
    assert one.enumerated == isinstance(kind.drawn, Small)
    people = kind.drawn.people
    assert one.versions == people * (3 if isinstance(kind.drawn, Small) else 4)


def test_some_tiny_series_convict_somebody():
    found = [work((Kind(Small(2, 6, 3, 0.3), 2, DENSE), number, 30.0)) for number in range(10)]
    assert 0 < sum(each.certain > 0 for each in found) < 10


def test_intervals():
    assert wilson(0, 100) == pytest.approx((0.0, 0.0370), abs=1e-4)
    assert wilson(5, 100) == pytest.approx((0.0215, 0.1118), abs=1e-4)
    assert wilson(100, 100) == pytest.approx((0.9630, 1.0), abs=1e-4)
    assert mean_interval([0.0] * 50) == (0.0, wilson(0, 50)[1])
    shares = [0.5] * 50 + [0.0] * 50
    low, high = mean_interval(shares)
    assert (low, high) == pytest.approx((0.25 - 1.96 * 0.025, 0.25 + 1.96 * 0.025), abs=0.01)


def test_the_page_tells_what_was_found():
    small, large = Kind(Small(2, 4, 3, 0.1), 2, SPARSE), Kind(Population(200, 0.1, 0.5), 3, DENSE)
    found = [(small, Found(4, 8, 0, complete=True, enumerated=True))] + [(small, Found(0, 8, 0, complete=True))] * 3
    found += [(large, Found(1, 800, 0, complete=False, confirmed=1))]
    told = page(found, 60.0, 10.0)
    assert "| 2 | sparse | 4 | 3 | 4 | 1 | 25.00% (4.56% to 69.94%) | 12.50% (0.00% to 37.50%) | 0 |" in told
    assert "| 200 | 3 | 1 | 1 | at least 100.00% (from 20.65%) | at least 0.12% (from 0.12%) | 1 |" in told
    assert "1 tiny series" in told
    assert "1 convictions" in told
