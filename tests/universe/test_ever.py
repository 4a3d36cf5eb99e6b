"""How probable it is that a person ever had a grave value, by the worlds of small series."""

import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.oracle.worlds import worlds
from tests.universe.drawing import DEEP, rounds
from tests.universe.program import of_folder
from tests.universe.registers import SPACES as REGISTERS

GRAVE = "a"


STRANGERS = ["plain tables", "row classes in groups", "anatomy pairs"]


@pytest.mark.parametrize("name", STRANGERS)
def test_beside_strangers_what_no_world_has_and_what_all_have_is_decided(name):
    """Nothing ties strangers of two releases, so that shares are not known; 0 and 1 are, however worlds weigh."""
    space, seen = REGISTERS[name], Counter()
    for rng in rounds(7):
        for series in space.drawn(250, rng):
            listed = {line.release for line in series.register}
            if GRAVE not in series.values or not all(series.releases) or len(listed) < len(series.releases):
                continue  # a register without a line about a release leaves people undecided
            every = worlds(series, "register")
            shares = [every.ever[person, GRAVE] / every.weight for person in series.people("register")]
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
