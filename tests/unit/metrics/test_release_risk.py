"""Measures of the risk of each release, beside their definitions and pyCANON."""

import math
import random
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.adversary.known_groups import population
from audit.adversary.view import View, build_evidence
from audit.io.releases import Release, RowClasses, Vocabulary, a_row_of_each
from audit.io.series import open_series
from audit.io.tables import Coded
from audit.metrics.release_summary import journalist_risk, panels, panels_in
from audit.model.report import ReleasePanel
from tests.cli.forms import edit
from tests.helpers.amount import some
from tests.helpers.messy import series_of
from tests.helpers.pycanon_tables import QUASI_IDENTIFIERS, RECORDED, SENSITIVE
from tests.helpers.running import read_audit, run_audit


# -- definitions ------------------------------------------------------------------------------------------
def earth_movers(left: Counter[str], right: Counter[str], *, ordered: bool) -> Fraction:
    """Return the distance of two bags of values, written out."""
    shares = [(Fraction(left[v], left.total()), Fraction(right[v], right.total())) for v in right]
    if not ordered:
        return sum((abs(p - q) for p, q in shares), Fraction(0)) / 2
    numbers = sorted({float(v) for v in right})
    if len(numbers) == 1:
        return Fraction(0)
    moved = total = Fraction(0)
    for number in numbers:
        for p, q in (share for share, v in zip(shares, right, strict=True) if float(v) == number):
            moved += p - q
        total += abs(moved)
    return total / (len(numbers) - 1)


def by_definition(classes: list[Counter[str]], *, ordered: bool) -> dict[str, object]:
    """Return the measures of classes, each the rows of every value in it, from their definitions."""
    everything = sum(classes, Counter())
    sizes = [values.total() for values in classes]
    entropies = [-sum(c / values.total() * math.log(c / values.total()) for c in values.values()) for values in classes]
    risk_of_rows = [1 / size for size in sizes for _ in range(size)]
    return {
        "rows": sum(sizes),
        "classes": len(classes),
        "k": min(sizes),
        "distinct_l": min(map(len, classes)),
        "certain": sum(values.total() for values in classes if len(values) == 1),
        "entropy_l": pytest.approx(math.exp(min(entropies)), abs=1e-9),
        "t": pytest.approx(float(max(earth_movers(c, everything, ordered=ordered) for c in classes)), abs=1e-9),
        "ordered": ordered,
        "prosecutor_max": pytest.approx(max(risk_of_rows)),
        "prosecutor_mean": pytest.approx(sum(risk_of_rows) / len(risk_of_rows)),
        "marketer": pytest.approx(sum(risk_of_rows) / len(risk_of_rows)),
        "uniqueness": pytest.approx(sum(risk == 1 for risk in risk_of_rows) / len(risk_of_rows)),
    }


def measured(panel: ReleasePanel) -> dict[str, object]:
    return {name: getattr(panel, name) for name in by_definition([Counter("a")], ordered=False)}


def release(group: list[int], value: list[int], counts: list[int] | None, size: int) -> Release:
    codes, weights = np.array(group, np.int32), None if counts is None else np.array(counts, np.int64)
    groups = Coded(codes, size, [f"g{code}" for code in range(size)])
    return Release(
        tag="1",
        group=groups,
        classes=RowClasses.of(groups, a_row_of_each(groups), ()),
        entry_group=codes,
        entry_value={"Disease": np.array(value, np.int32)},
        entry_count=weights,
        counts=weights,
        values_by_row=True,
        cells={},
        records=None,
    )


WORDS = ["flu", "gastritis", "10", "?", "angina", "ulcer"]
NUMBERS = ["10", "9", "-3", "9.0", "1e3", "0.5"]


@given(data=st.data(), names=st.sampled_from([WORDS, NUMBERS]), counted=st.booleans())
def test_by_definition(data, names, counted):
    entry = st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(1, 4))
    entries = data.draw(st.lists(entry, min_size=1, max_size=25))
    group, value, counts = map(list, zip(*entries, strict=True))
    classes: dict[int, Counter[str]] = defaultdict(Counter)
    for g, v, c in entries:
        classes[g][names[v]] += c if counted else 1
    seen = {names[v] for v in value}
    [panel] = panels_in(
        release(group, value, counts if counted else None, 6), {"Disease": Vocabulary(names)}, None, "nobody"
    )
    ordered = not any(name in WORDS and name != "10" for name in seen)
    assert measured(panel) == by_definition(list(classes.values()), ordered=ordered)
    assert (panel.journalist_max, panel.journalist_mean, panel.no_journalist) == (None, None, "nobody")
    assert panel.sensitive is None


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=9))
def test_journalist_by_definition(classes):
    sizes = np.array([size for size, _ in classes])
    population = np.array([size + more for size, more in classes])
    risk = journalist_risk(sizes, population)
    assert risk is not None
    of_rows = [1 / (size + more) for size, more in classes for _ in range(size)]
    assert risk.highest == max(of_rows)
    assert risk.marketer == pytest.approx(sum(of_rows) / len(of_rows))
    assert risk.mean == pytest.approx(max(len(classes) / population.sum(), sum(of_rows) / len(of_rows)))


# -- pyCANON ----------------------------------------------------------------------------------------------
def series(folder: Path, table: list[list[str]]) -> Path:
    rows = [["Owner", *QUASI_IDENTIFIERS, SENSITIVE], *([f"p{place}", *row] for place, row in enumerate(table))]
    columns = f'individual = "Owner"\nsensitive = "{SENSITIVE}"\nquasi_identifiers = {QUASI_IDENTIFIERS}'
    return series_of(folder, [rows], columns)


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: str(recorded.seed))
def test_as_pycanon(recorded, tmp_path):
    _, result = read_audit(series(tmp_path, recorded.table()), "--attack", "intersection")
    [panel] = result["panel"]
    assert (panel["k"], panel["distinct_l"]) == (recorded.k, recorded.distinct_l)
    assert int(panel["entropy_l"]) == recorded.entropy_l
    assert panel["t"] == pytest.approx(recorded.t, abs=1e-11)
    assert panel["ordered"] == (recorded.values[0] not in ("flu",))


# -- forms of a series ------------------------------------------------------------------------------------
def test_classes_are_the_published_groups(tmp_path):
    """Two groups with equal cells are two classes while their numbers are published, and one when they are not."""
    rows = [["1", "20-29", "a", "A"], ["1", "20-29", "b", "B"], ["2", "20-29", "a", "C"], ["2", "20-29", "c", "D"]]
    columns = 'sensitive = "Value"\nindividual = "Owner"\nquasi_identifiers = ["Age"]\ngroup = "Group"\n'
    series_of(tmp_path, [[["Group", "Age", "Value", "Owner"], *rows]], columns)
    _, grouped, _ = run_audit(tmp_path, "--attack", "intersection")
    edit(tmp_path / "series.toml", 'group = "Group"\n', "")
    _, plain, _ = run_audit(tmp_path, "--attack", "intersection")
    assert grouped is not None
    assert plain is not None
    assert (grouped["panel"][0]["classes"], grouped["panel"][0]["k"]) == (2, 2)
    assert (plain["panel"][0]["classes"], plain["panel"][0]["k"], plain["panel"][0]["t"]) == (1, 4, 0)


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
    monkeypatch.setattr("audit.adversary.view._check_present", lambda *_: None)  # people are drawn at random
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
    assert "too many people in the register" in str(panel.no_journalist)
