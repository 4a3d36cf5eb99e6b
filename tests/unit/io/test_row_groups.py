"""A Parquet file reads the same however many row groups it is written in."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.io.tables import read_table
from audit.model.errors import Problems

ROWS = 1500
PLACES = np.random.default_rng(7).integers(0, 40, ROWS)
GROWING = np.arange(ROWS) // 2  # each row group has other texts: more of them together than one byte can number
FORMS = {
    "same dictionary": pa.DictionaryArray.from_arrays(PLACES, [f"text {place}" for place in range(40)]),
    "texts": pa.array([f"text {place}" for place in PLACES]),
    "growing": pa.array([f"text {place}" for place in GROWING]),
    "growing dictionaries": pa.array([f"text {place}" for place in GROWING]).dictionary_encode(),
    "one text": pa.array(["text"] * ROWS),
    "empty cells": pa.array([None if place < 5 else f"text {place}" for place in PLACES]),
    "empty cells late": pa.array([None if row > 1400 else f"text {row}" for row in range(ROWS)]).dictionary_encode(),
    "all empty": pa.nulls(ROWS, pa.string()),
    "numbers": pa.array(PLACES),
    "numbers and empty cells": pa.array([None if place < 5 else int(place) for place in PLACES]),
    "codes of numbers": pa.array(GROWING).dictionary_encode(),
    "fractions": pa.array(PLACES / 8),
    "bytes": pa.array([f"text {place}".encode() for place in GROWING]),
}


def read(path, *, distinct=()):
    problems = Problems()
    table = read_table(path, path.name, list(FORMS), problems, distinct=distinct)
    problems.check()
    return {name: table.arrow(name) for name in FORMS}


def cells(column):
    return (
        column.cast(column.type.value_type).to_pylist() if pa.types.is_dictionary(column.type) else column.to_pylist()
    )


@pytest.mark.parametrize("size", [1, 7, 100, 700, ROWS])
def test_row_groups_do_not_matter(size, tmp_path):
    whole, parts = tmp_path / "whole.parquet", tmp_path / "parts.parquet"
    pq.write_table(pa.table(FORMS), whole)
    pq.write_table(pa.table(FORMS), parts, row_group_size=size)
    asked = {distinct: read(whole, distinct=distinct) for distinct in ((), ("texts", "growing"))}
    for distinct, columns in asked.items():
        found = read(parts, distinct=distinct)
        for name, column in columns.items():
            assert cells(found[name]) == cells(column), name
            assert pa.types.is_dictionary(found[name].type) == pa.types.is_dictionary(column.type), name
