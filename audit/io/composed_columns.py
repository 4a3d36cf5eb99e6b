"""Composed columns: read record ids of several columns, such as `Household` and `Person`, as `Household + Person`.

The texts are those of the parts together. A composed column exists if its parts exist after columns are renamed.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa

from audit.io.tables import Table, text_codes
from audit.io.texts import arrow, column_of
from audit.model.arrays import combine, distinct

TOGETHER = " + "
"""What stands between the names of columns that are read as one, and between their texts."""


def parts_of(column: str, names: Collection[str]) -> tuple[str, ...]:
    """Return the columns of a file that are the parts of a column; empty if it has the column itself, or no parts.

    >>> parts_of("Household + Person", ["Household", "Person"]), parts_of("a", ["a"])
    (('Household', 'Person'), ())
    """
    parts = tuple(column.split(TOGETHER))
    return parts if column not in names and len(parts) > 1 and {*parts} <= {*names} else ()


def composed(table: Table, column: str, parts: tuple[str, ...]) -> Table:
    """Return the table with a column composed from its parts; its text is empty where that of a part is."""
    coded = [text_codes(table.arrow(part)) for part in parts]
    first, place = distinct(*combine([(codes, len(names)) for codes, names in coded], table.rows))
    cells = ([names[codes[row]] for codes, names in coded] for row in first.tolist())
    texts = column_of(TOGETHER.join(row) if all(row) else "" for row in cells)
    array: pa.Array = pa.DictionaryArray.from_arrays(arrow(place.astype(np.int32)), texts)
    return table.with_column(column, array)
