"""The population behind a release: who of the register fits each group, by definition, however it is counted."""

import random
from pathlib import Path

import pytest

from audit.adversary.build_evidence import build_evidence
from audit.adversary.register import population
from audit.adversary.view import View
from audit.io.series import open_series
from audit.metrics.release_risk import panels
from tests.helpers.amount import some
from tests.helpers.messy import series_of


def fits(age: int, cell: str) -> bool:
    low, high = cell.strip("[]").split(", ")
    return int(low) <= age <= int(high)


def random_register(draw: random.Random, releases: int) -> list[tuple[str, tuple[int, str], int]]:
    """Return lines (person, age and sex, release from 1): people with gaps, whose values change."""
    return [
        (f"p{person}", (draw.randrange(20, 60), draw.choice("fm")), position + 1)
        for person in range(12)
        for position in sorted(draw.sample(range(releases), draw.randrange(1, releases + 1)))
    ]


def random_cells(draw: random.Random) -> tuple[str, str]:
    low = draw.randrange(18, 40)
    return f"[{low}, {low + draw.randrange(25)}]", draw.choice(["f", "m", "*"])


def random_rows(draw: random.Random, *, single: bool) -> list[list[str]]:
    """Return three groups, whose rows have equal cells or (unless `single`) differ."""
    groups = {group: random_cells(draw) for group in "123"}
    return [
        [group, *(cells if single else random_cells(draw)), draw.choice("abc")]
        for group, cells in groups.items()
        for _ in range(draw.randrange(1, 4))
    ]


def write_outsider(folder: Path, seed: int, *, single: bool) -> tuple[list[tuple[str, tuple[int, str], int]], list]:
    """Write a series with a register and a counterfeit in group 1 of release 2; return the lines and the tables."""
    draw, releases = random.Random(seed), 3  # noqa: S311
    lines = random_register(draw, releases)
    header = ["individual", "Age", "Sex", "release"]
    register = [header, *([p, str(age), sex, str(r)] for p, (age, sex), r in lines)]
    tables = [random_rows(draw, single=single) for _ in range(releases)]
    written = [[["Group", "Age", "Sex", "Value"], *rows] for rows in tables]
    columns = 'sensitive = "Value"\nquasi_identifiers = ["Age", "Sex"]\ngroup = "Group"'
    more = '[adversary]\nregister = "register.csv"\n[counterfeits]\n"2" = "fake.csv"'
    series_of(folder, written, columns, more, register=register, fake="Group,Count\n1,1\n2,0\n3,0\n")
    return lines, tables


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("lattice", [False, True])
@pytest.mark.parametrize("seed", range(some(6)))
def test_population_by_definition(seed, lattice, single, tmp_path, monkeypatch):
    if not lattice:
        monkeypatch.setattr("audit.adversary.coverage._MOST_CELLS", 0)
    monkeypatch.setattr("audit.adversary.pools._check_present", lambda *_: None)  # people are drawn at random
    lines, tables = write_outsider(tmp_path, seed, single=single)
    [evidence] = build_evidence(open_series(tmp_path), "register")
    for position, rows in enumerate(tables):
        known = {}
        for person, values, when in lines:
            if when <= position + 1 or person not in known:
                known[person] = values
        codes = evidence.held.seen[position].release.group
        found = population(evidence.held, evidence.source, position)
        assert found is not None
        for code in set(codes.codes.tolist()):
            cells = [(age, sex) for group, age, sex, _ in rows if group == codes.name(code)]
            fitting = sum(any(fits(age, a) and s in (sex, "*") for a, s in cells) for age, sex in known.values())
            assert found[code] == fitting + (position == 1 and codes.name(code) == "1")


def keyed_register(folder: Path) -> View:
    """Return a group of two people and two counterfeits, known by the key, and a register that has a third person."""
    people = [["A", "20"], ["B", "21"], ["C", "22"]]
    register = [["individual", "Age", "first", "last"], *([*who, "1", "1"] for who in people)]
    rows = [["1", "[20, 22]", "a", owner] for owner in ("A", "B", "", "~c1")]
    columns = 'sensitive = "Value"\nindividual = "Owner"\nquasi_identifiers = ["Age"]\ngroup = "Group"'
    table = [["Group", "Age", "Value", "Owner"], *rows]
    series_of(folder, [table], columns, '[adversary]\nregister = "register.csv"', register=register)
    [evidence] = build_evidence(open_series(folder), "register")
    return evidence


def test_no_journalist_where_it_would_take_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr("audit.adversary.coverage._MOST_CELLS", 0)
    monkeypatch.setattr("audit.adversary.coverage._CROWD_PAIRS", 2)
    [panel] = panels(keyed_register(tmp_path), 0, 2)
    assert panel.journalist_max is None
    assert "too many pairs" in str(panel.no_journalist)
