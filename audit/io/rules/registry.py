"""Registry of the column rules, in the order in which they apply and `audit init` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from audit.io.rules.cell_meaning import Changing, ColumnTypes, Hierarchies, Missing, Spelled
from audit.io.rules.rows_and_values import (
    Date,
    Harmless,
    IgnoreRows,
    LeftOut,
    SeveralRows,
    Similar,
    Unlinkable,
    Unnamed,
)
from audit.io.rules.rule import ColumnRule, Columns, Delimiter, Encoding, Renamed, Rules
from audit.io.rules.spelling import Crosswalk, Decimal, Fold
from audit.io.toml import Reader

RULES: tuple[type[ColumnRule], ...] = (
    *(Delimiter, Encoding, Renamed),  # the header
    *(IgnoreRows,),  # rows
    *(Decimal, Fold, Crosswalk),  # texts
    *(Hierarchies, Unlinkable, ColumnTypes, Missing, Spelled, Changing),  # declared: of cells
    *(Unnamed, SeveralRows, Date, Harmless, LeftOut, Similar),  # of rows and values
)


def with_rules(reader: Reader, table: Mapping[str, Any], columns: Columns) -> Columns:
    """Return the columns with the rules of a manifest; note the faults of rules, and leave these out."""
    columns = replace(columns, rules=Rules(tuple(rule.read(reader, table, columns) for rule in RULES)))
    kept = columns.rules
    for rule in columns.rules:
        for what, remedy in rule.faults(columns):
            reader.note(rule.key, what, remedy)
            kept = kept.without(type(rule))
    return replace(columns, rules=kept)
