"""Which columns make rows stand alone, against counting by hand."""

import random
from collections import Counter

import numpy as np
import pytest

from audit.io.row_classes import RowClasses
from audit.io.singling_columns import SMALL, singling_columns
from audit.io.tables import Coded
from tests.helpers.amount import some
from tests.helpers.messy import series_of
from tests.helpers.running import run_audit, run_main


@pytest.mark.parametrize("seed", range(some(60)))
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

    def unique(places):
        return sum(w for w, a in zip(weight, sizes(places), strict=True) if a == 1)

    columns = [(np.array([row[p] for row in rows], dtype=np.int32), 9) for p in range(3)]
    one_group = Coded(np.zeros(len(rows), dtype=np.int32), 1, ["g"])
    found = singling_columns("abc", columns, np.array(weight), RowClasses.of(one_group, columns, columns))
    whole = sizes((0, 1, 2))
    if all(size >= SMALL for size in whole):
        assert found == ()
        return
    chosen = [each.column.split(" + ") for each in found]
    assert chosen[:3] == [["a"], ["b"], ["c"]]
    for each, columns in zip(found, chosen, strict=True):
        own = ["abc".index(name) for name in columns]
        without = list(zip(weight, whole, sizes([place for place in range(3) if place not in own]), strict=True))
        alone = sum(w for w, a, b in without if a == 1 < b)
        small = sum(w for w, a, b in without if a < SMALL <= b)
        assert (each.alone, each.small, each.by_itself) == (alone, small, unique(own))
    # The pair has the column with most unique rows and the other that makes most with it; where none adds any: no pair.
    first = max(range(3), key=lambda p: unique([p]))
    most = max(unique([first, p]) for p in range(3) if p != first)
    pairs = [columns for columns in chosen if len(columns) > 1]
    assert [unique(["abc".index(name) for name in pair]) for pair in pairs] == [most] * (most > unique([first]))


def test_the_advice_names_the_column(tmp_path):
    rows = [["Age", "BMI", "Disease"]]
    rows += [
        ["20-30" if n % 2 else "30-40", f"{20 + n}.5" if n < 8 else "30", "flu" if n % 3 else "cold"] for n in range(20)
    ]
    series_of(tmp_path, [rows], 'sensitive = "Disease"\nquasi_identifiers = ["Age", "BMI"]')
    said = " ".join(run_main(str(tmp_path))[1].split())
    assert "BMI makes 40% of the rows of release 1 unique: publish it in ranges or broader classes" in said
    assert "BMI 1 8 (40.0%) 8 (40.0%) 8 (40.0%) Findings" in said
    assert "Age makes" not in said
    _, result, _ = run_audit(tmp_path)
    [panel] = result["panel"]
    assert {each["column"]: each["by_itself"] for each in panel["singling"]} == {"Age": 0, "BMI": 0.4}
