"""Small series whose values change along known transitions, through the program."""

from collections import defaultdict
from fractions import Fraction
from math import isclose

import pytest

from tests.oracle.worlds import worlds
from tests.universe.changing import SPACES
from tests.universe.drawing import DEEP, batches, rounds
from tests.universe.program import answer
from tests.universe.unions import union

SIZE = 500


def chosen(name):
    """Yield series of a space, many at a time, with probabilities or without: some that are drawn, or all and many."""
    space = SPACES[name]
    if DEEP:
        yield from batches(list(space.everything()), 1_000)  # at most 4,096 values can have transitions
    for rng in rounds(list(SPACES).index(name)):
        drawn = space.drawn(SIZE, rng)
        yield drawn[::2]
        yield drawn[1::2]


def truths(series):
    """Each version with the value that its row has."""
    return {(row.individual, j): row.value for j, rows in enumerate(series.releases) for row in rows}


@pytest.mark.parametrize("name", SPACES)
def test_joint(name):
    for parts in chosen(name):
        found = answer(union(parts, own_values=True), "joint")
        risks = found.risks["joint", "Value"]
        every = [worlds(each) for each in parts]
        for n, (each, all_worlds) in enumerate(zip(parts, every, strict=True)):
            posteriors = all_worlds.posteriors()
            for (person, j), value in truths(each).items():
                risk = risks[f"s{n}{person}", j]
                assert isclose(risk, posteriors[person, j][value], rel_tol=1e-9), (person, j, risk, each)
        measures = found.attack("joint")["measures"]
        assert measures["open"] == 0
        assert measures["certain"] == sum(len(values) == 1 for each in every for values in each.posteriors().values())
        counted = 1
        for each in every:
            counted *= each.count
        assert measures["worlds"] == counted


def weights_of_paths(series, person):
    """The weight of each way through the values of a person's groups, as one who looks at that person alone has it."""
    stays = [(j, row.group) for j, rows in enumerate(series.releases) for row in rows if row.individual == person]
    paths = {(): Fraction(1)}
    for j, group in stays:
        values = [row.value for row in series.releases[j] if row.group == group]
        longer = defaultdict(Fraction)
        for path, weight in paths.items():
            for value in values:
                step = series.step(path[-1], value) if path else Fraction(1)
                longer[*path, value] += weight * step / len(values)
        paths = {path: weight for path, weight in longer.items() if weight}
    return [j for j, _ in stays], paths


@pytest.mark.parametrize("name", SPACES)
def test_update_graph(name):
    for parts in chosen(name):
        found = answer(union(parts, own_values=True), "update-graph")
        risks = found.risks["update-graph", "Value"]
        disclosed = 0
        for n, each in enumerate(parts):
            true = truths(each)
            for person in each.people():
                stays, paths = weights_of_paths(each, person)
                for place, j in enumerate(stays):
                    own = sum(weight for path, weight in paths.items() if path[place] == true[person, j])
                    assert isclose(risks[f"s{n}{person}", j], own / sum(paths.values()), rel_tol=1e-9), (
                        person,
                        j,
                        each,
                    )
                    disclosed += len({path[place] for path in paths}) == 1
        measures = found.attack("update-graph")["measures"]
        assert (measures["disclosed"], measures["infeasible"]) == (disclosed, 0)
