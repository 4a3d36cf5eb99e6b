"""Small series under a register, through the program: plain tables and pairs, strangers, published counterfeits."""

from collections import Counter
from math import isclose

import pytest

from tests.helpers.tiny import covers
from tests.oracle.worlds import worlds
from tests.universe.drawing import DEEP, batches, rounds
from tests.universe.program import answer
from tests.universe.registers import COUNTERFEIT, SPACES, STRANGER
from tests.universe.unions import union

SIZE = 400
KNOWN_WHOLE = [name for name, space in SPACES.items() if not {STRANGER, COUNTERFEIT} <= set(space.roles)]
PLAIN = [name for name, space in SPACES.items() if COUNTERFEIT not in space.roles]


def chosen(name):
    """Yield series of a space, many at a time: some that are drawn, or all if they are few, and many that are drawn."""
    space = SPACES[name]
    if DEEP and space.countable:
        yield from batches(list(space.everything()), 2_000)
    for rng in rounds(list(SPACES).index(name)):
        yield space.drawn(SIZE, rng)


def assert_worlds(name):
    """Posteriors of the likeliest value, all that is ruled out, and who is certain."""
    for parts in chosen(name):
        found = answer(union(parts), "joint", adversary="register", group_column=SPACES[name].group_column)
        risks = found.risks["joint", "Value"]
        posteriors = [worlds(each, "register").posteriors() for each in parts]
        for n, each in enumerate(posteriors):
            for (person, release), values in each.items():
                risk = risks[f"s{n}{person}", release]
                assert isclose(risk, max(values.values()), rel_tol=1e-9), (person, release, values, risk, parts[n])
        assert len(risks) == sum(map(len, posteriors))
        measures = found.attack("joint")["measures"]
        assert measures["certain"] == sum(len(values) == 1 for each in posteriors for values in each.values())
        assert measures["open"] == 0


@pytest.mark.parametrize("name", KNOWN_WHOLE)
def test_joint(name):
    assert_worlds(name)


@pytest.mark.parametrize("name", [name for name in SPACES if name not in KNOWN_WHOLE])
def test_joint_where_a_row_may_be_a_strangers_or_a_counterfeit(name):
    assert_worlds(name)


def shares(series, line):
    """How many rows of the groups that may have a person of the register have each value, in one release."""
    rows = series.releases[line.release]
    fitting = [row for row in rows if covers(row.cells[0], line.exact[0])]
    if series.anatomy:
        fitting = [row for row in rows if row.group in {each.group for each in fitting}]
    return Counter(row.value for row in fitting)


def products(series):
    """For each person the product of shares of each value."""
    found = {}
    for line in series.register:
        here = shares(series, line)
        so_far = found.get(line.individual, here.keys() and dict.fromkeys(here, 1))
        found[line.individual] = {value: so_far[value] * here[value] for value in so_far if here[value]}
    return found


@pytest.mark.parametrize("name", PLAIN)
def test_attacks_on_people(name):
    for parts in chosen(name):
        found = answer(
            union(parts),
            *("intersection", "update-graph"),
            adversary="register",
            group_column=SPACES[name].group_column,
        )
        expected = [products(each) for each in parts]
        for n, each in enumerate(parts):
            for line in each.register:
                weights = expected[n][line.individual].values()
                for attack in ("intersection", "update-graph"):
                    risk = found.risks[attack, "Value"][f"s{n}{line.individual}", line.release]
                    assert isclose(risk, max(weights) / sum(weights), rel_tol=1e-9), (attack, line, risk, weights, each)
        alone = sum(len(weights) == 1 for each in expected for weights in each.values())
        assert found.attack("intersection")["measures"]["vulnerable"] == alone


def uniform(series, *, anatomy):
    """Release and group of each class of rows that has one value: its cells, or in a pair its group."""
    values = {}
    for j, rows in enumerate(series.releases):
        for row in rows:
            values.setdefault((j, row.group, *([] if anatomy else row.cells)), []).append(row)
    return {key: rows for key, rows in values.items() if len({row.value for row in rows}) == 1}


@pytest.mark.parametrize("name", PLAIN)
def test_homogeneity(name):
    for parts in chosen(name):
        space = SPACES[name]
        entry = answer(
            union(parts), "homogeneity", adversary="published", findings="all", group_column=space.group_column
        ).attack("homogeneity")
        found = Counter((each["release"], each["value"], each["rows"]) for each in entry["findings"])
        expected = [
            (str(j + 1), rows[0].value, len(rows))
            for each in parts
            for (j, *_), rows in uniform(each, anatomy=space.anatomy).items()
        ]
        assert found == Counter(expected)


def test_homogeneity_of_strangers():
    """A class of one value that has more rows than people fit is a finding for whoever has a register too."""
    for parts in chosen("plain tables"):
        found = answer(union(parts), "homogeneity", adversary="register", findings="all", group_column=False)
        told = Counter(
            (each["release"], each["value"], each["rows"]) for each in found.attack("homogeneity")["findings"]
        )
        for each in parts:
            for (j, _, cell), rows in uniform(each, anatomy=False).items():
                fitting = [line for line in each.register if line.release == j and covers(cell, line.exact[0])]
                assert len(fitting) >= len(rows) or told[str(j + 1), rows[0].value, len(rows)]
