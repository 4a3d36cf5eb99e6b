"""How probable it is that a person ever had a grave value, by the worlds of small series."""

import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from tests.universe.changing import SPACES, series_of
from tests.universe.drawing import DEEP, rounds
from tests.universe.program import of_folder
from tests.universe.registers import SPACES as REGISTERS
from tests.universe.test_changing import weights_of_paths
from tests.universe.worlds import worlds_of

GRAVE = "a"
LIMIT = 0.85


TURNS = series_of([(1, 1), (1, 1)], (("a", "b"), ("b", "a")), dict.fromkeys([("a", "b"), ("b", "a"), ("b", "b")]))
"""One of two people has the grave value first, and then it is the other's turn, for nobody keeps it."""


def chosen():
    """Yield series that show the grave value, with the largest probability by worlds, and as single people have it."""
    for rng in rounds(1):
        for series in [TURNS, *SPACES["three people, three releases"].drawn(1_000, rng)]:
            if GRAVE in series.values and all(series.releases):
                worlds = worlds_of(series)
                by_worlds = max(worlds.ever.get((person, GRAVE), 0) / worlds.total for person in series.people())
                certain = any(
                    weight == worlds.total and value == GRAVE for (_, _, value), weight in worlds.having.items()
                )
                alone = max(ever_alone(series, person) for person in series.people())
                yield series, by_worlds, 1 if certain else alone


def ever_alone(series, person):
    """The share of the weight of one person's histories that has the grave value."""
    _, paths = weights_of_paths(series, person)
    return sum(weight for path, weight in paths.items() if GRAVE in path) / sum(paths.values())


def assert_judged(series, by_worlds, limit):
    with tempfile.TemporaryDirectory() as name:
        folder = series.write(Path(name))
        manifest = folder / "series.toml"
        with manifest.open("a", encoding="utf-8") as file:
            file.write(f'\n[policy]\nmax_ever_risk = {limit}\ngrave = ["{GRAVE}"]\n')
        found = of_folder(folder)
    assert found.clause("max_ever_risk") == ("violated" if by_worlds >= limit else "holds"), (series, by_worlds)


@pytest.mark.parametrize("limit", [LIMIT, 1.0])
def test_where_one_person_at_a_time_says_as_much(limit):
    agreeing = ((series, risk) for series, risk, alone in chosen() if (risk >= limit) == (alone >= limit))
    for series, risk in islice(agreeing, None if DEEP else 25):
        assert_judged(series, risk, limit)


@pytest.mark.parametrize("limit", [LIMIT, 1.0])
def test_where_worlds_say_otherwise(limit):
    differing = ((series, risk) for series, risk, alone in chosen() if (risk >= limit) != (alone >= limit))
    for series, risk in islice(differing, None if DEEP else 10):
        assert_judged(series, risk, limit)


STRANGERS = ["plain tables", "row classes in groups", "anatomy pairs"]


@pytest.mark.parametrize("name", STRANGERS)
def test_beside_strangers_what_no_world_has_and_what_all_have_is_decided(name):
    """Nothing ties strangers of two releases, so that shares are not known; 0 and 1 are, however worlds weigh."""
    space, seen = REGISTERS[name], Counter()
    for rng in rounds(7):
        for series in space.drawn(250, rng):
            if GRAVE not in series.values or not all(series.releases):
                continue
            worlds = worlds_of(series, "register")
            shares = [worlds.ever.get((person, GRAVE), 0) / worlds.total for person in series.people("register")]
            kind = "violated" if max(shares) == 1 else "holds" if max(shares) == 0 else "between"
            if seen[kind] >= 4 and not DEEP:
                continue
            seen[kind] += 1
            with tempfile.TemporaryDirectory() as folder:
                path = series.write(Path(folder), group_column=space.group_column)
                with (path / "series.toml").open("a", encoding="utf-8") as file:
                    file.write(f'\n[policy]\nmax_ever_risk = 0.01\ngrave = ["{GRAVE}"]\n')
                found = of_folder(path, adversary="register").clause("max_ever_risk")
            assert found == kind if kind != "between" else found in {"violated", "undecided"}, (series, shares)
    assert min(seen[kind] for kind in ("violated", "holds", "between")) > 0, seen
