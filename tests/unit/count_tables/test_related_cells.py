"""Counts narrowed by changes, beside an enumeration of all pairs of counts that agree with what was published."""

import numpy as np
import pytest

from audit.count_tables.manifest import read_table_manifest
from audit.count_tables.read_counts import read_counts
from tests.cli.test_count_table_columns import CHANGE
from tests.cli.test_count_table_doubts import written


def shown(count):
    return "0-2" if count <= 2 else str(count)


@pytest.mark.parametrize("seed", range(12))
def test_a_change_leaves_all_pairs_of_counts_that_agree(seed, tmp_path):
    rng = np.random.default_rng(seed)
    before, now = rng.integers(0, 7, size=(2, 6)).tolist()
    said = [f"{n - b:+d}" if told else "" for b, n, told in zip(before, now, rng.random(6) < 0.7, strict=True)]
    rows = [[(f"A{at}", shown(n), change) for at, (n, change) in enumerate(zip(counts, texts, strict=True))]
            for counts, texts in ((before, [""] * 6), (now, said))]  # fmt: skip
    folder = written(tmp_path, rows[0], "area,n,change", CHANGE, "min_count = 3", releases=2)
    lines = ["area,n,change", *(",".join(row) for row in rows[1])]
    (folder / "releases/2.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    counts = read_counts(read_table_manifest(folder))
    untied = 0
    for at, change in enumerate(said):
        pairs = [
            (b, n)
            for b in range(8)
            for n in range(8)
            if shown(b) == rows[0][at][1] and shown(n) == rows[1][at][1] and (not change or n - b == int(change))
        ]
        for place, row in ((0, at), (1, at + 6)):
            ends = [pair[place] for pair in pairs]
            assert (counts.lower[row], counts.upper[row]) == (min(ends), max(ends))
        untied += bool(change) and len(pairs) > 1
    assert sum(counts.untied.values()) == untied
