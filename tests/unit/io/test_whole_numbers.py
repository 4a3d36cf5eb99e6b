"""Columns of whole numbers read the same however Arrow holds them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from audit.io.releases import Release, _too_often
from audit.io.tables import Coded, Table, whole_number

PLAIN = ["7", "0", "007", "7", " 12 ", "123456789012345"]
OTHERS = ["", "-1", "+1", "1.0", "1_0", "²", "٣", "1234567890123456", "none"]
FORMS = {
    "texts": pa.string(),
    "long texts": pa.large_string(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "short codes": pa.dictionary(pa.int8(), pa.string()),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "cells",
    [PLAIN, [*PLAIN, *OTHERS], [*PLAIN, None], ["7", "1" * 16], []],
    ids=["plain", "all", "null", "long", "none"],
)
def test_the_form_of_a_column_does_not_matter(form, cells):
    column = pa.array(cells, pa.string())
    kind = FORMS[form]
    column = column.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else column.cast(kind)
    table = Table(Path("t.csv"), "t.csv", len(cells), {"n": column})
    assert table.whole_numbers("n").tolist() == [whole_number((cell or "").strip()) for cell in cells]


@pytest.mark.parametrize("groups", [3, 300_000])
def test_groups_whose_published_values_are_said_too_often(groups):
    """Both with a table of all pairs of groups and values, and where that would be too large."""
    rng = np.random.default_rng(groups)
    for _ in range(20):
        group = rng.integers(0, 3, 12).astype(np.int32) * np.int32(groups // 3)
        published, said = (rng.integers(low, 4, 12).astype(np.int32) for low in (0, -1))
        release = Release("1", Coded(group, groups, None), None, group, {"D": published}, None, None, False, {}, None)
        wrong = set()
        for g, v in set(zip(group.tolist(), said.tolist(), strict=True)):
            told, there = (int(((group == g) & (each == v)).sum()) for each in (said, published))
            if v >= 0 and 0 < there < told:
                wrong.add(g)
        assert set(np.flatnonzero(_too_often(release, "D", said)).tolist()) == wrong
