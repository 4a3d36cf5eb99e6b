"""Every small linked series, through the program: many at a time, in unions that tie none to another."""

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from math import isclose, prod

import numpy as np
import pytest

from tests.helpers.amount import some
from tests.helpers.tiny import Row, TinySeries
from tests.universe.drawing import DEEP, SEED, share
from tests.universe.linked import ABSENT, VALUES, Linked, Partition, worlds_like
from tests.universe.program import answer, of_folder
from tests.universe.record import NAMES, Record, lines, record_from
from tests.universe.unions import union

PARTS = range(72)
DRAWN = share(PARTS, some(10))


@dataclass(frozen=True)
class Drawn:
    """A recorded series whose people have the values of one of its worlds."""

    record: Record
    truth: tuple[int, ...]

    @cached_property
    def series(self) -> TinySeries:
        """The series itself, values and owners in its rows."""
        return TinySeries(
            [
                [
                    Row(f"p{i}", f"g{label}", NAMES[self.truth[i]])
                    for i, label in enumerate(partition[: self.record.people])
                    if label != ABSENT
                ]
                for partition in self.record.releases
            ]
        )

    @property
    def versions(self) -> list[tuple[int, int]]:
        """Person and release, wherever somebody is present."""
        return [
            (i, j) for j, partition in enumerate(self.record.releases) for i, label in enumerate(partition) if label
        ]

    def compromised_after(self, release: int) -> int:
        """How many people are part of an equivalence of at most 4, after a release."""
        series = Linked(self.record.releases[: release + 1], np.array([self.truth], dtype=np.int64))
        return sum(0 < e <= 4 for e in series.linear.least)

    @cached_property
    def products(self) -> list[list[int]]:
        """For each person and value, the product of how many rows of the person's groups have the value."""
        found = [[1] * VALUES for _ in self.truth]
        for partition in self.record.releases:
            counts = [[0] * VALUES for _ in range(max(partition) + 1)]
            for value, label in zip(self.truth, partition, strict=False):
                counts[label][value] += 1
            for i, label in enumerate(partition[: self.record.people]):
                if label != ABSENT:
                    found[i] = [so_far * count for so_far, count in zip(found[i], counts[label], strict=True)]
        return found

    def certain_after(self, release: int) -> tuple[int, int]:
        """How many versions and people have one possible value, after a release."""
        releases = self.record.releases[: release + 1]
        certain = _certain(releases, self.truth)
        stays = [sum(partition[i] != ABSENT for partition in releases) for i in certain]
        return sum(stays), sum(stay > 0 for stay in stays)


@cache
def _certain(releases: tuple[Partition, ...], truth: tuple[int, ...]) -> list[int]:
    worlds = worlds_like(releases, truth)
    return np.flatnonzero((worlds == worlds[0]).all(axis=0)).tolist()


def drawn_part(number: int) -> list[Drawn]:
    """Return every 72nd of all series, each with a world drawn as what is true.

    The first thousand, one after the other, leave their first release empty.
    """
    rng = np.random.default_rng([SEED, number])
    drawn = []
    for line in lines()[number :: len(PARTS)]:
        record = record_from(line)
        worlds = worlds_like(record.releases, record.world)
        assert len(worlds) == record.worlds
        drawn.append(Drawn(record, tuple(worlds[rng.integers(len(worlds))].tolist())))
    return drawn


@pytest.mark.parametrize("number", DRAWN)
def test_attacks_on_people(number, tmp_path):
    drawn = drawn_part(number)
    folder = union([each.series for each in drawn]).write(tmp_path)
    found = of_folder(folder, "intersection", "update-graph", "joint")
    assert_intersection(drawn, found)
    assert_intersection_again(drawn, found)
    assert_joint(drawn, found)
    shown = "all" if DEEP or number % 3 == SEED % 3 else 0  # they take as long to print as all else
    assert_homogeneity(drawn, of_folder(folder, "homogeneity", adversary="published", findings=shown))


def assert_risks(drawn, expected, found):
    """Each version has its risk of what is true, and no other version has one."""
    assert len(found) == sum(len(each.versions) for each in drawn)
    for n, each in enumerate(drawn):
        for i, j in each.versions:
            assert isclose(found[f"s{n}p{i}", j], expected(each, i), rel_tol=1e-9), (each, i, j, found[f"s{n}p{i}", j])


def share_of_product(each, person):
    """The product for the person's own value, of the products for all."""
    return each.products[person][each.truth[person]] / sum(each.products[person])


def candidates(each, person):
    """How many values all groups of the person have."""
    return sum(product > 0 for product in each.products[person])


def assert_intersection(drawn, found):
    assert_risks(drawn, share_of_product, found.risks["intersection", "Value"])
    measures = found.attack("intersection")["measures"]
    sizes = Counter(candidates(each, i) for each in drawn for i in range(each.record.people))
    assert measures["candidate_sizes"] == {str(size): count for size, count in sorted(sizes.items())}
    assert measures["vulnerable"] == sizes[1]
    assert measures["individuals"] == sizes.total()


def assert_intersection_again(drawn, found):
    """With values that never change, `update-graph` gives the numbers of `intersection` for each version."""
    assert_risks(drawn, share_of_product, found.risks["update-graph", "Value"])
    measures = found.attack("update-graph")["measures"]
    assert measures["infeasible"] == 0
    assert measures["disclosed"] == sum(candidates(each, i) == 1 for each in drawn for i, _ in each.versions)


def assert_joint(drawn, found):
    """Exact posteriors of what is true, all that is ruled out, all worlds, and who is certain after each release."""
    assert_risks(drawn, lambda each, i: float(each.record.posterior(i, each.truth[i])), found.risks["joint", "Value"])
    measures = found.attack("joint")["measures"]
    assert measures["worlds"] == prod(each.record.worlds for each in drawn)
    assert measures["open"] == 0
    assert measures["eliminated"] == sum(
        candidates(each, i) - len(each.record.possible(i)) for each in drawn for i, _ in each.versions
    )
    after = [[each.certain_after(j) for each in drawn] for j in range(3)]
    assert measures["timeline"] == [sum(versions for versions, _ in each) for each in after]
    assert measures["certain"] == measures["timeline"][-1]
    assert measures["at_limit"] == sum(people for _, people in after[-1])


def assert_homogeneity(drawn, found):
    """Whoever has the files alone sees which groups have one value."""
    entry = found.attack("homogeneity")
    expected = {
        (str(j + 1), f"s{n}g{group}"): [
            each.truth[i] for i, label in enumerate(each.record.releases[j]) if label == group
        ]
        for n, each in enumerate(drawn)
        for j, group in each.record.homogeneous
    }
    assert entry["measures"]["homogeneous"] == entry["findings_total"] == len(expected)
    assert entry["measures"]["rows_at_limit"] == sum(map(len, expected.values()))
    if entry["findings"]:
        assert {(each["release"], each["group"]) for each in entry["findings"]} == expected.keys()
    for claim in entry["findings"]:
        values = expected[claim["release"], claim["group"]]
        assert (claim["value"], claim["rows"], claim["risk"]) == (NAMES[values[0]], len(values), 1.0), claim


@pytest.mark.parametrize("number", range(90) if DEEP else [0])
def test_equivalence(number):
    """In unions whose parts have values of their own, so that no part's groups say anything of another's."""
    chosen = lines()[number::90] if DEEP else share(lines(), some(1_500))
    drawn = [Drawn(record, record.world) for record in map(record_from, chosen)]
    series = union([each.series for each in drawn], own_values=True)
    measures = answer(series, "equivalence").attack("equivalence")["measures"]
    least = [e for each in drawn for e in each.record.least]
    assert measures["individuals"] == len(least)
    assert measures["min_e"] == {"lower": min(filter(None, least)), "upper": min(filter(None, least))}
    assert measures["compromised"] == {str(limit): sum(0 < e <= limit for e in least) for limit in (1, 2, 3, 4)}
    assert measures["pinned"] == sum(i in dict(each.record.pinned) for each in drawn for i, _ in each.versions)
    sizes = Counter(len(alike) for each in drawn for alike in classes(each.record.linear))
    assert measures["classes"] == {str(size): count for size, count in sorted(sizes.items())}
    assert measures["timeline"] == [sum(each.compromised_after(j) for each in drawn) for j in range(3)]


def classes(pairs):
    """The classes of people whom these pairs make equal; all pairs of a class are there."""
    return {frozenset(k for pair in pairs if i in pair for k in pair) for i in {i for pair in pairs for i in pair}}
