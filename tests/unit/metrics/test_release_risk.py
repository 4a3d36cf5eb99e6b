"""The panel: each measure against its definition, and against what pyCANON says of the same tables."""

import math
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.io.encoding import Vocabulary
from audit.io.releases import Release
from audit.io.row_classes import RowClasses
from audit.io.tables import Coded
from audit.metrics.release_risk import journalist_risk, panels_in
from audit.model.report import ReleasePanel
from tests.cli.forms import edit
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
        classes=RowClasses.of(groups, ()),
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
