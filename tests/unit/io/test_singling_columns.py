"""Which columns make rows stand alone, against counting by hand."""

import random
from collections import Counter

import numpy as np
import pytest

from audit.io.releases import _alike
from audit.io.singling_columns import SMALL, singling_columns
from audit.io.tables import Coded
from tests.helpers.messy import as_csv, write
from tests.helpers.running import run_audit, run_main


@pytest.mark.parametrize("seed", range(60))
def test_shares_are_those_counted_by_hand(seed):
    rng = random.Random(seed)  # noqa: S311
    rows = [tuple(rng.randrange(rng.choice([1, 2, 9])) for _ in range(3)) for _ in range(rng.randint(1, 25))]
    counts = [rng.randint(1, 3) for _ in rows] if rng.random() < 0.5 else None
    weight = counts or [1] * len(rows)

    def sizes(places):
        total = Counter()
        for row, times in zip(rows, weight, strict=True):
            total[tuple(row[p] for p in places)] += times
        return [total[tuple(row[p] for p in places)] for row in rows]

    columns = [(np.array([row[p] for row in rows], dtype=np.int32), 9) for p in range(3)]
    alike = np.unique(np.array(rows), axis=0, return_inverse=True)[1].reshape(-1)
    found = singling_columns("abc", columns, np.array(weight), alike)
    whole = sizes((0, 1, 2))
    if all(size >= SMALL for size in whole):
        assert found == ()
        return
    for p, each in enumerate(found):
        without, own = sizes([q for q in range(3) if q != p]), sizes([p])
        alone = sum(w for w, a, b in zip(weight, whole, without, strict=True) if a == 1 < b)
        small = sum(w for w, a, b in zip(weight, whole, without, strict=True) if a < SMALL <= b)
        unique = sum(w for w, a in zip(weight, own, strict=True) if a == 1)
        assert (each.column, each.alone, each.small, each.by_itself) == ("abc"[p], alone, small, unique)


@pytest.mark.parametrize("seed", range(100))
def test_rows_look_alike_whose_cells_are_equal(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 40))
    group = Coded(rng.integers(0, 6, rows).astype(np.int32), 6, None)
    # Rows of a group look alike, but for those of every other seed.
    cells = np.where(
        rng.random(rows) < (0.2 if seed % 2 else 0.0),
        rng.integers(0, 3, rows),
        rng.integers(0, 3, (2, 6))[:, group.codes],
    )
    found = _alike(group, [(each.astype(np.int32), 3) for each in cells])
    assert found.tolist() == np.unique(cells.T, axis=0, return_inverse=True)[1].reshape(-1).tolist()


def test_the_advice_names_the_column(tmp_path):
    rows = [["Age", "BMI", "Disease"]]
    rows += [
        ["20-30" if n % 2 else "30-40", f"{20 + n}.5" if n < 8 else "30", "flu" if n % 3 else "cold"] for n in range(20)
    ]
    write(tmp_path / "1.csv", as_csv(rows))
    manifest = '[series]\nreleases = ["1.csv"]\n[columns]\nsensitive = "Disease"\nquasi_identifiers = ["Age", "BMI"]\n'
    write(tmp_path / "series.toml", manifest)
    said = " ".join(run_main(str(tmp_path))[1].split())
    assert "BMI makes 40% of the rows of release 1 unique: publish it in ranges or broader classes" in said
    assert "BMI 1 40% 40% 40% Findings" in said
    assert "Age makes" not in said
    _, result, _ = run_audit(tmp_path)
    [panel] = result["panel"]
    assert {each["column"]: each["by_itself"] for each in panel["singling"]} == {"Age": 0, "BMI": 0.4}


def test_large_groups_have_nobody_to_blame(tmp_path):
    write(tmp_path / "1.csv", as_csv([["Age", "Disease"], *([["20-30", "ab"[n % 2]] for n in range(10)])]))
    write(tmp_path / "series.toml", '[series]\nreleases = ["1.csv"]\n[columns]\nsensitive = "Disease"\n'
          'quasi_identifiers = ["Age"]\n')  # fmt: skip
    _, result, _ = run_audit(tmp_path)
    assert [panel["singling"] for panel in result["panel"]] == [[]]
